"""What bodies of reduced models have in common: shapes, markers at interfaces and nodes, displacements and stresses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import as_array, as_count, as_number, frozen_copy, shape_of
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.model.bodies.frames import frame_along
from flexmbs.model.bodies.marker import Body, Marker
from flexmbs.reduction.line_moments import LineMoments
from flexmbs.reduction.model import ReducedModel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["ShapedBody", "ShapedMarker", "as_coordinates", "as_ratios", "line_of"]

OFF_NODE = 1e-6
"""How far from a node or an interface, relative to the size of the body, a point may be given."""


@dataclass(frozen=True, eq=False, init=False)
class ShapedBody(Body):
    """A body that deforms in ``modes`` shapes of a reduced model, which ``basis (n, m)`` names in its coordinates.

    ``origin (3,)``: where the origin of its frame is in the mesh; ``position``, ``rotation``: where the origin of the
    mesh is at the start, and its axes.
    """

    reduced: ReducedModel
    modes: int
    position: FloatArray
    rotation: FloatArray
    basis: FloatArray = field(init=False, repr=False)

    @property
    def stored_shapes(self) -> dict[tuple[str | int, ...], FloatArray]:
        return {(): self.basis}

    def _marker(self, point: FloatArray, axes: FloatArray, shapes: FloatArray, name: str, turns: bool) -> ShapedMarker:
        """A marker at a point of the mesh, with shapes (6, m) of its displacement and rotation; axes of the mesh."""
        raise NotImplementedError

    def interface(self, name: str, axis: ArrayLike | None = None, x: ArrayLike | None = None) -> ShapedMarker:
        """The marker of a rigid or averaged interface, at its origin.

        Parameters
        ----------
        name : str
            Of the interface.
        axis, x : (3,) array, optional
            Third axis and direction of the first one, in axes of the mesh; its axes are those of the mesh by default.
        """
        return self._interface(name, frame_along(f"interface {name!r} of {self}", axis, x, False), name)

    def node(self, number: int) -> ShapedMarker:
        """The marker of a node of the mesh; without an orientation where the node has no rotations."""
        return self._node(number, np.eye(3), None)

    @property
    def line_resultant(self) -> tuple[ShapedMarker, float]:
        """The mean of all points of its line elements, as a marker, and their length (`DistributedLoad`).

        Raises
        ------
        ModelError
            If the reduced model has no line elements, or does not say where.
        """
        line = line_of(str(self), self.reduced)
        shapes = np.vstack((line.P @ self.basis / line.length, np.zeros((3, self.modes))))
        return self._marker(line.first / line.length, np.eye(3), shapes, "mean of its lines", False), line.length

    def marker(
        self, point: ArrayLike, axis: ArrayLike | None = None, x: ArrayLike | None = None, name: str | None = None
    ) -> Marker:
        """A marker at an interface, or a node, by its place in the mesh.

        Parameters
        ----------
        point : (3,) array
            In coordinates of the mesh [length]; the origin of an interface or a node must be there.
        axis, x : (3,) array, optional
            Third axis and direction of the first one, in axes of the mesh.
        name : str, optional
            For messages and results.
        """
        owner = f"marker of {self}"
        place = as_array(owner, "point", point, (3,), unit="length")
        return self._at(place, frame_along(owner, axis, x, False), name)

    def displacements(self, eta: ArrayLike) -> FloatArray:
        """Displacements and rotations (n_nodes, 6, ...) in axes of the mesh for modal coordinates (m, ...)."""
        return self.reduced.reconstruct(self.basis @ np.asarray(eta, dtype=float))

    def stresses(self, eta: ArrayLike) -> FloatArray:
        """Stresses (s, n_c, ...) at the stress nodes of the reduced model for modal coordinates (m, ...)."""
        return self.reduced.stresses(self.basis @ np.asarray(eta, dtype=float))

    def framed(self, point: FloatArray, frame: FloatArray, name: str | None = None) -> Marker:
        """The marker at an interface, or a node, that is at the start at a point of the inertial frame."""
        R = self.rotation
        return self._at(R.T @ (point - self.position), R.T @ frame, name)

    def _at(self, local: FloatArray, axes: FloatArray, name: str | None) -> Marker:
        """The marker of the interface or node at a point of the mesh."""
        size = float(np.ptp(self.reduced.points, axis=0).max())
        for face in self.reduced.frames:
            if len(face.coordinates) == 6 and np.linalg.norm(face.origin - local) <= OFF_NODE * size:
                return self._interface(face.name, axes, name)
        distance = np.linalg.norm(self.reduced.points - local, axis=1)
        nearest = int(np.argmin(distance))
        if distance[nearest] > OFF_NODE * size:
            raise ModelError(
                f"{self}: neither an interface nor a node is at {local.tolist()} of its mesh; the nearest node, "
                f"{nearest}, is {distance[nearest]:.3g} away. Interfaces: "
                f"{', '.join(repr(f.name) for f in self.reduced.frames)}."
            )
        return self._node(nearest, axes, name)

    def _interface(self, name: str, axes: FloatArray, title: str | None) -> ShapedMarker:
        frame = self.reduced.frame(name)
        if len(frame.coordinates) != 6 or len(np.unique(frame.node)) != 1:
            raise ModelError(
                f"interface {name!r} of {self}: an interface of kind 'nodes' has no frame; use node(number)."
            )
        frame = self.reduced.joined(name)
        rows = np.zeros((6, self.reduced.size))
        rows[frame.component, frame.coordinates] = 1.0
        return self._marker(np.asarray(frame.origin), axes, rows @ self.basis, title or name, True)

    def _node(self, number: int, axes: FloatArray, title: str | None) -> ShapedMarker:
        owner = f"node of {self}"
        number = as_count(owner, "number", number)
        rows = self.reduced.dofs.of(number)
        component = self.reduced.dofs.component[rows]
        if not np.isin([0, 1, 2], component).all():
            raise ModelError(f"{owner}: node {number} has no displacements; nodes are rows of reduced.points.")
        moved = np.zeros((6, self.modes))
        moved[component] = np.asarray(self.reduced.shapes[rows.min() : rows.max() + 1])[rows - rows.min()] @ self.basis
        turns = bool(np.isin([3, 4, 5], component).all())
        return self._marker(self.reduced.points[number], axes, moved, title or f"node {number}", turns)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ShapedMarker(Marker):
    """A marker with shapes ``phi``, ``psi`` (3, m) of its displacement and rotation; ``turns``: it has the latter."""

    phi: FloatArray
    psi: FloatArray
    turns: bool

    def __init__(
        self, body: ShapedBody, point: Any, frame: FloatArray, shapes: FloatArray, name: str, turns: bool = True
    ) -> None:
        super().__init__(body, point, frame, name=name)
        object.__setattr__(self, "phi", frozen_copy(shapes[:3]))
        object.__setattr__(self, "psi", frozen_copy(shapes[3:]))
        object.__setattr__(self, "turns", turns)

    @property
    def rotates(self) -> bool:
        return self.turns

    @property
    def spin(self) -> bool:
        return self.turns


def line_of(owner: str, reduced: ReducedModel) -> LineMoments:
    """The line moments of a reduced model, or an error that says what to do."""
    if reduced.line is None:
        raise ModelError(
            f"{owner}: no load per length can act on it, since its reduced model has no integrals along line elements; "
            f"reduce a Part of Frames or Trusses with mass, and reduce it again if its file is older."
        )
    return reduced.line


def as_ratios(owner: str, damping: Any, count: int) -> FloatArray:
    """A damping ratio for each shape."""
    if not shape_of(damping):
        return np.full(count, as_number(owner, "damping", damping, minimum=0.0))
    ratios = as_array(owner, "damping", damping, (count,))
    if (ratios < 0).any():
        raise ModelError(f"{owner}: damping ratios must not be negative.")
    return ratios


def as_coordinates(owner: str, name: str, value: Any, count: int) -> FloatArray:
    """Modal coordinates, or their rates, at the start; zero if not given."""
    return np.zeros(count) if value is None else as_array(owner, name, value, (count,))
