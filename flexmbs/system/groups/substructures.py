"""Substructures, compiled: reduced parts between frames that are bodies of the model."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import linalg

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.kernels.markers.kind import MarkerEntry
from flexmbs.kernels.markers.substructure import SUBSTRUCTURE_POINT
from flexmbs.system.groups.contract import least_ratio
from flexmbs.system.groups.drawing import Drawing
from flexmbs.system.groups.gravity import gravity_of
from flexmbs.system.groups.inertia import InertiaCalls, MovingBlocks
from flexmbs.system.groups.moving import MovingBodies
from flexmbs.system.groups.own_arrays import Own
from flexmbs.system.substructure_set import SubstructureSet, substructure_sets

if TYPE_CHECKING:
    from flexmbs.model.bodies.substructure_point import SubstructurePoint
    from flexmbs.model.model import Model
    from flexmbs.system.coordinates import Coordinates

__all__ = ["Substructures"]

ROUND_OFF = 1e-13
"""Square of a frequency over the largest one below which it is zero."""


class Substructures(MovingBodies):
    """`Substructure`: its coordinates are those of two rigid bodies, and extra coordinates, its inner modes.

    ``sets``: by the sizes of their arrays.
    """

    kind: ClassVar[str] = "substructure"
    sets: tuple[SubstructureSet, ...] = ()
    _coordinates: Coordinates

    def __init__(self, bodies: tuple[Any, ...], model: Model) -> None:
        super().__init__((), model)  # without spans of their own
        self.bodies = bodies

    def translations(self, body: Any) -> IntArray:
        """None of its own."""
        return np.zeros(0, dtype=np.int64)

    def velocities(self, body: Any) -> IntArray:
        """Its inner modes; the frames are bodies of their own."""
        return np.array([self._coordinates.extra_place(e) for e in body.extra], dtype=np.int64)

    def in_q(self, body: Any) -> IntArray:
        return self.velocities(body)

    def describe(self, dof: int) -> str | None:
        """Extra coordinates have names."""
        return None

    def sizes(self, length: float) -> Iterator[tuple[Any, IntArray, FloatArray]]:
        """Inner modes are amplitudes of displacement and belong to the body where the substructure begins."""
        for body in self.bodies:
            yield body.start, self.velocities(body), np.full(len(body.extra), length)

    def moves(
        self, before: FloatArray, after: FloatArray, step: FloatArray
    ) -> Iterator[tuple[Any, IntArray, float, float]]:
        return iter(())

    def compile(self, coordinates: Coordinates, b1: int) -> int:
        self._coordinates = coordinates
        self.sets = substructure_sets(self.bodies, self.model, coordinates, b1)
        self.own_gravity = gravity_of(self.model, str(self.bodies[0]))
        self.blocks = tuple(part.blocks for part in self.sets)
        self.stages = tuple(InertiaCalls("substructures", part, part.force, part.tangent) for part in self.sets)
        renew = tuple(call for part in self.sets for call in part.mass)
        self.moving = MovingBlocks.whole(self.sets, self.write, shared=True)._replace(renew=renew)
        end = self.sets[-1].end
        self.mass = self.mass_from(b1, end, coordinates.reference)
        return end

    @property
    def scratch(self) -> tuple[FloatArray, ...]:
        return tuple(array for part in self.sets for array in part.scratch)

    def take_own(self, own: Own) -> None:
        sets = tuple(part.with_own(own) for part in self.sets)
        own.update(zip(self.sets, sets, strict=True))
        self.sets = sets

    def write(self, q: FloatArray, blocks: FloatArray) -> None:
        for part in self.sets:
            part.write(q, blocks)

    @property
    def damping_ratio(self) -> float:
        """That of the modes of each substructure held at its start."""
        return min(_least_ratio(body) for body in self.bodies)

    def strain_energy(self, q: FloatArray) -> float:
        return sum(part.energies(q, np.zeros(len(self.model.loads) + 1))[0] for part in self.sets)

    def weight_energy(self, q: FloatArray, scale: FloatArray) -> float:
        return sum(part.energies(q, scale)[1] for part in self.sets)

    def momentum(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        P, L = np.zeros(3), np.zeros(3)
        for part in self.sets:
            p, spin = part.momentum(q, v)
            P += p.sum(axis=0)
            L += spin.sum(axis=0)
        return P, L

    def mass_moment(self, q: FloatArray) -> tuple[float, FloatArray]:
        moment = np.zeros(3)
        for part in self.sets:
            moment += part.centres(q).sum(axis=0)
        return float(sum(body.mass for body in self.bodies)), moment

    def reaches(self) -> Iterator[tuple[Any, FloatArray]]:
        """What its frames reach."""
        return iter(())

    def nodes(self, body: Any, q: FloatArray) -> FloatArray:
        """Places (n_t, n_nodes, 3) of its nodes in axes of the body where it begins, from states q (n_t, n_q)."""
        for part in self.sets:
            if body in part.parts:
                number = part.parts.index(body)
                return body.nodes(np.array([part.amplitudes(np.ascontiguousarray(x))[number] for x in q]))  # type: ignore[no-any-return]
        raise AssertionError(body)

    def marker_entry(self, marker: SubstructurePoint, point: bool) -> MarkerEntry:  # type: ignore[override]  # made by them
        body: Any = marker.body
        for part in self.sets:
            if body in part.parts:
                i, g = part.parts.index(body), part.group
                own = {name: getattr(g, name)[i] for name in ("qa", "qb", "ra", "rb", "s", "d0", "C")}
                scratch = {"room": np.zeros((8, 3, 3)), "line": np.zeros((9, 3))}
                return MarkerEntry(SUBSTRUCTURE_POINT, g.dofs[i], g.dofs[i],
                                   {"at": marker.point, "Phi": marker.phi} | own | scratch)  # fmt: skip
        raise AssertionError(marker)

    def pose(self, body: Any, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """That of the body where it begins."""
        return self._coordinates.group_of(body.start).pose(body.start, q)

    def drawing(self, body: Any) -> Drawing:
        """In axes of the body where it begins."""
        axes = body.start.rotation.T @ body.rotation
        return Drawing(body.name, "reduced", body, nodes=partial(self.nodes, body), axes=axes,
                       pose=partial(self.pose, body))  # fmt: skip


def _least_ratio(body: Any) -> float:
    """A frequency of zero may come out of the eigenvalues with either sign."""
    squared, shapes = linalg.eigh(body.stiffness, body.inertia.modal_mass)
    squared[squared < ROUND_OFF * squared.max(initial=0.0)] = 0.0
    return least_ratio(np.sqrt(squared), shapes.T @ body.viscosity @ shapes)
