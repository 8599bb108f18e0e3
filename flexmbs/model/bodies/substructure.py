r"""Substructures: reduced parts between two frames, which neighbours share, so that they need no joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import linalg

from flexmbs.core.body_description import BodyDescription
from flexmbs.core.checks import as_array, as_count, as_flag, as_name, as_number, frozen_copy, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.extra_coordinate import ExtraCoordinate
from flexmbs.core.references import ReferenceMap
from flexmbs.core.rotations import RotationLike, as_rotation
from flexmbs.model.bodies.arc_length import ArcLength, arc_length
from flexmbs.model.bodies.rigid import RigidBody
from flexmbs.model.bodies.shaped import line_of
from flexmbs.model.bodies.substructure_point import SubstructurePoint
from flexmbs.reduction.free_parts import check_free
from flexmbs.reduction.inertia import InertiaInvariants
from flexmbs.reduction.interfaces import Frame
from flexmbs.reduction.model import ReducedModel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from flexmbs.core.units import Units

__all__ = ["Substructure"]

SOFT = 1e-12
"""Ratio of squared frequencies below which the part counts as free although its first interface is held."""


@dataclass(frozen=True, eq=False, init=False)
class Substructure(BodyDescription):
    r"""A reduced part between two frames that are bodies of the model: {r0, u, v, w} of Valverde, Cuadrado et al.

    The frame of the first body, :math:`r_A, A = [u\ v\ w]`, is the floating frame of the part. The frame of the second
    one, in which the next substructure may begin, gives the amplitudes of the static modes, and fixed-interface modes
    :math:`\xi` add to them:

    .. math:: r = r_A + A\,(y + \Phi z), \quad z = (d, \theta, \xi), \quad d = A^T (r_B - r_A) - d_0, \quad
       \theta = \tfrac12 \sum_k e_k \times A^T B\, C\, e_k ,

    with :math:`d_0, C` so that z = 0 as described. d and :math:`\theta` are linear in the components of the second
    frame in the first one. Neighbours share frames: there are no joints between them and no equations of constraint.
    Inertia is :math:`B^T M_{FEM} B` with the velocities :math:`B\dot q` of the mesh; elastic and viscous forces are

    .. math:: U = \tfrac12 \tilde z^T K \tilde z, \qquad
       f = \Big(\frac{\partial\tilde z}{\partial z}\Big)^T (K \tilde z + D \dot{\tilde z}),

    where :math:`\tilde z` is z without what the second interface moves by bending alone. For a straight chain of line
    elements that is the exact shortening of a line that keeps its length (`flexmbs.model.bodies.arc_length`), and its
    curvature is exact, too (`flexmbs.kernels.substructure_curvature`), so that a boom that is stiff along its axis
    bends freely and far; for other parts :math:`\tilde z_c = z_c - \tfrac12 z^T G_c z` with the second-order
    displacements of the reduced model. The rates are those in the frame, so that damping is zero in any rigid motion.

    Parameters
    ----------
    reduced : ReducedModel
        By `craig_bampton` (the default of `reduce`) with two rigid interfaces of six coordinates.
    start, end : RigidBody or SectionFrame
        Bodies that the two interfaces are clamped to, where they are at the start. There the part is free of stress.
    interfaces : (str, str), default ("START", "END")
        Names of the interfaces at ``start`` and ``end``.
    retardation_time : float, default 0
        Time of a Kelvin-Voigt law, D = retardation K [time]; it does not depend on the number of substructures.
    ratio : float, default 0
        Damping ratio of the modes of the single substructure held at its start. Of a longer structure, whose
        frequencies are lower, it damps the modes less than that.
    geometric_stiffening : bool, default True
        Whether bending draws the ends together; False for a part that is linear in its frame. Parts that are no chain
        of lines need a model reduced with ``geometric_stiffening=True`` for it.
    position : (3,) array, default the origin
        Where the origin of the mesh is at the start, inertial frame [length].
    rotation : (3, 3) array, (4,) array or scipy Rotation, optional
        Orientation of the axes of the mesh at the start.
    name : str, optional
        That of the reduced model by default.

    Raises
    ------
    ModelError
        If the reduced model lacks exact inertia, inertia against a motion, an interface of six coordinates, or what
        ``geometric_stiffening`` needs; if start and end are one body or no rigid bodies; if the part moves freely with
        ``start`` held, or is held itself, by springs to the ground.

    Notes
    -----
    Limits: the end turns by less than 90 degrees in the frame of the start, and no piece of a line by more against the
    chord. Lines have one bending stiffness along each substructure. Parts that are no lines are of second order in z:
    for them take so many that each bends little. Between the frames, points move along by the static modes: shortening
    inside a substructure is left out of the inertia. ``ratio`` damps the shapes, ``retardation_time`` the curvature,
    too.

    Source: J. Valverde et al., Dynamic analysis of a light structure in space: short electrodynamic tether; J. Cuadrado
    et al., Int. J. Numer. Meth. Engng 39 (1996) 3535-3551 and 51 (2001) 1033-1052.

    Examples
    --------
    >>> import flexmbs as fx
    >>> rod = fx.BeamStiffness(EA=1e5, EI_z=1.0, GJ=1.0, mass_per_length=0.1, rhoI_y=1e-4, rhoI_z=1e-4)
    >>> hub = fx.RigidBody(5.0, (1, 1, 1), name="hub")
    >>> boom = fx.SubstructuredBeam.straight((0, 0, 0), (3, 0, 0), hub, n=3, element=fx.elements.Frame(section=rod))
    >>> [part.end.name for part in boom.parts], boom.parts[0].modes
    (['beam section 1', 'beam section 2', 'beam section 3'], 6)
    """

    kind: ClassVar[str] = "substructure"
    collection: ClassVar[str] = "substructures"
    role: ClassVar[str] = "substructure"

    reduced: ReducedModel
    start: RigidBody
    end: RigidBody
    interfaces: tuple[str, str]
    retardation_time: float
    ratio: float
    geometric_stiffening: bool
    position: FloatArray
    rotation: FloatArray
    name: str
    modes: int = field(init=False, repr=False)
    basis: FloatArray = field(init=False, repr=False)
    inertia: InertiaInvariants = field(init=False, repr=False)
    end_point: FloatArray = field(init=False, repr=False)
    end_place: FloatArray = field(init=False, repr=False)
    alignment: FloatArray = field(init=False, repr=False)
    stiffness: FloatArray = field(init=False, repr=False)
    viscosity: FloatArray = field(init=False, repr=False)
    second_order: FloatArray = field(init=False, repr=False)
    line: ArcLength = field(init=False, repr=False)
    extra: tuple[ExtraCoordinate, ...] = field(init=False, repr=False)

    def __init__(
        self,
        reduced: ReducedModel,
        start: RigidBody,
        end: RigidBody,
        interfaces: tuple[str, str] = ("START", "END"),
        retardation_time: float = 0.0,
        ratio: float = 0.0,
        geometric_stiffening: bool = True,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: RotationLike = None,
        name: str | None = None,
    ) -> None:
        if not isinstance(reduced, ReducedModel):
            raise ModelError(
                f"Substructure: reduced must be a ReducedModel, from flexmbs.reduction.reduce, not {show(reduced)}."
            )
        title = reduced.name if name is None else as_name("Substructure", "name", name)
        owner = f"Substructure {title!r}"
        _check(owner, reduced, start, end, interfaces)
        values: dict[str, Any] = {
            "reduced": reduced, "start": start, "end": end, "interfaces": tuple(interfaces),
            "retardation_time": as_number(owner, "retardation_time", retardation_time, minimum=0.0, unit="time"),
            "ratio": as_number(owner, "ratio", ratio, minimum=0.0, maximum=1.0),
            "geometric_stiffening": as_flag(owner, "geometric_stiffening", geometric_stiffening),
            "position": as_array(owner, "position", position, (3,), unit="length"),
            "rotation": as_rotation(owner, "rotation", rotation), "name": title,
        }  # fmt: skip
        self._keep(values)
        self._tabulate(owner)

    def _keep(self, values: dict[str, Any]) -> None:
        for key, value in values.items():
            object.__setattr__(self, key, frozen_copy(value) if isinstance(value, np.ndarray) else value)

    def __str__(self) -> str:
        return f"Substructure {self.name!r}"

    def replaced(self, mapping: Mapping[Any, Any]) -> Substructure:
        """A copy between other bodies; all that follows from where they are is found anew."""
        known = ReferenceMap.of(mapping)
        start, end = (known.get(body, body) for body in (self.start, self.end))
        if start is self.start and end is self.end:
            return self
        names = ("interfaces", "retardation_time", "ratio", "geometric_stiffening", "position", "rotation", "name")
        return Substructure(self.reduced, start, end, **{name: getattr(self, name) for name in names})

    @property
    def mass(self) -> float:
        """[mass]."""
        return self.inertia.mass

    def line_in_model(self, units: Units) -> str:
        """Its line in the text of a model."""
        return (
            f"substructure {self.name!r} from {self.start.name!r} to {self.end.name!r}: {self.modes} inner modes, mass "
            f"{self.mass:.3g} {units.mass}"
        )

    def _tabulate(self, owner: str) -> None:
        """Everything in axes of the body at the start."""
        reduced = self.reduced
        assert reduced.inertia is not None  # noqa: S101  # checked before
        first, last = (reduced.frame(name) for name in self.interfaces)
        (x_A, R_A), (x_B, R_B) = self.start.place, self.end.place
        Q, t = R_A.T @ self.rotation, R_A.T @ (self.position - x_A)
        inner = np.setdiff1d(np.arange(reduced.size), np.concatenate((first.coordinates, last.coordinates)))
        basis = np.zeros((reduced.size, 6 + len(inner)))
        for half in range(2):
            for c in range(3):
                row = last.coordinates[list(last.component).index(3 * half + c)]
                basis[row, 3 * half : 3 * half + 3] = Q[:, c]
        size = np.where(reduced.dofs.component < 3, 1.0, float(np.linalg.norm(last.origin - np.asarray(first.origin))))
        basis[inner, 6 + np.arange(len(inner))] = 1.0 / np.abs(
            size[:, None] * np.asarray(reduced.shapes)[:, inner]
        ).max(axis=0)
        inertia = _placed(reduced.inertia.transformed(basis), Q, t)
        K, M = basis.T @ reduced.K @ basis, inertia.modal_mass
        try:
            squared, shapes = linalg.eigh(0.5 * (K + K.T), M)
        except linalg.LinAlgError:
            raise reduced.no_inertia(np.setdiff1d(np.arange(reduced.size), first.coordinates)) from None
        if not squared[0] > SOFT * squared[-1]:
            raise ModelError(f"{owner}: the part can move freely while interface {self.interfaces[0]!r} is held.")
        D = self.retardation_time * K + M @ (shapes * (2.0 * self.ratio * np.sqrt(squared))) @ shapes.T @ M
        if reduced.D is not None:
            D = D + basis.T @ reduced.D @ basis
        origin = np.asarray(last.origin)
        place = self.position + self.rotation @ origin
        self._keep({
            "modes": len(inner), "basis": basis, "inertia": inertia, "stiffness": 0.5 * (K + K.T),
            "viscosity": 0.5 * (D + D.T), "end_point": R_B.T @ (place - x_B), "end_place": t + Q @ origin,
            "alignment": R_B.T @ R_A,
            "extra": tuple(
                ExtraCoordinate(f"inner mode {k + 1} of {self}", mass=0.0, owner=self) for k in range(len(inner))
            ),
        })  # fmt: skip
        self._shorten(owner, first, last, Q, basis)

    def _shorten(self, owner: str, first: Frame, last: Frame, Q: FloatArray, basis: FloatArray) -> None:
        """What bending does to the ends: ``line`` with its direction in axes of the body, or ``second_order``."""
        m = basis.shape[1]
        line, G = None, np.zeros((0, m, m))
        if self.geometric_stiffening:
            line = arc_length(owner, self.reduced, first, last, basis, self.stiffness, Q)
            if line is None:
                G = self._second_order(owner, first, Q, basis)
        if line is None:
            line = ArcLength(np.zeros(3), np.zeros(0), np.zeros((0, 2, m)), np.zeros((0, 2, m)), np.zeros((2, 2)))
        object.__setattr__(self, "line", line)
        object.__setattr__(self, "second_order", G)

    def _second_order(self, owner: str, first: Frame, Q: FloatArray, basis: FloatArray) -> FloatArray:
        """G (6, m, m), displacement and rotation of the end."""
        geometric_stiffening, inertia = self.reduced.stiffening, self.reduced.inertia
        if geometric_stiffening is None:
            raise ModelError(
                f"{owner}: its reduced model is no chain of lines and has no second-order displacements; use "
                f"reduce(..., geometric_stiffening=True), or geometric_stiffening=False for a substructure that is "
                f"linear in its frame."
            )
        assert inertia is not None  # noqa: S101  # checked before
        places = {f.name: np.asarray(f.origin) for f in self.reduced.frames}
        terms = geometric_stiffening.transformed(basis).in_frame(
            inertia.transformed(basis), np.asarray(first.origin), places, self.interfaces[0]
        )
        G = terms.interfaces[self.interfaces[1]]
        return np.concatenate((np.einsum("ab,bkl->akl", Q, G[:3]), np.einsum("ab,bkl->akl", Q, G[3:])))

    def node(self, number: int) -> SubstructurePoint:
        """The marker of a node of the mesh, for forces and sensors; it has no orientation.

        It moves by the modes of the substructure, as its inertia does, without what bending shortens between the
        frames.

        Raises
        ------
        ModelError
            If there is no such node, or it belongs to an interface, whose body carries markers.
        """
        owner = f"node of {self}"
        number = as_count(owner, "number", number)
        for name, body in zip(self.interfaces, (self.start, self.end), strict=True):
            if number in self.reduced.frame(name).nodes:
                raise ModelError(f"{owner}: node {number} belongs to interface {name!r}; use a marker of {body}.")
        rows = self.reduced.dofs.of(number, (0, 1, 2))
        if len(rows) != 3:
            raise ModelError(f"{owner}: node {number} has no displacements; nodes are rows of reduced.points.")
        return self._point(self.reduced.points[number], np.asarray(self.reduced.shapes)[rows], f"node {number}")

    @property
    def line_resultant(self) -> tuple[SubstructurePoint, float]:
        """The mean of all points of its line elements, as a marker, and their length (`DistributedLoad`)."""
        line = line_of(str(self), self.reduced)
        return self._point(line.first / line.length, line.P / line.length, "mean of its lines"), line.length

    def _point(self, place: FloatArray, shapes: FloatArray, name: str) -> SubstructurePoint:
        """A point (3,) of the mesh with shapes (3, n) of the reduced coordinates."""
        x_A, R_A = self.start.place
        Q, t = R_A.T @ self.rotation, R_A.T @ (self.position - x_A)
        return SubstructurePoint(self, t + Q @ place, Q @ shapes @ self.basis, name)

    def nodes(self, z: FloatArray) -> FloatArray:
        """Places (n_t, n_nodes, 3) of the nodes in axes of the body at the start, from amplitudes z (n_t, m)."""
        Q = self.start.rotation.T @ self.rotation
        t = self.start.rotation.T @ (self.position - self.start.position)
        moved = self.reduced.reconstruct(self.basis @ np.asarray(z, dtype=float).T)[:, :3]
        return np.asarray(t + (self.reduced.points[:, :, None] + moved).transpose(2, 0, 1) @ Q.T)


def _placed(inertia: InertiaInvariants, Q: FloatArray, t: FloatArray) -> InertiaInvariants:
    """Invariants in a frame in which a point x of the mesh is at t + Q x."""
    first, P = Q @ inertia.first, Q @ inertia.P
    second = Q @ inertia.second @ Q.T + np.outer(t, first) + np.outer(first, t) + inertia.mass * np.outer(t, t)
    mixed = np.einsum("ac,bd,cdk->abk", Q, Q, inertia.Q) + np.einsum("a,bk->abk", t, P)
    shapes = np.einsum("ac,bd,cdkl->abkl", Q, Q, inertia.R)
    return InertiaInvariants(inertia.mass, first + inertia.mass * t, second, P, mixed, shapes)


def _check(owner: str, reduced: ReducedModel, start: object, end: object, names: object) -> None:
    """Refuse what cannot lie between two frames."""
    for what, body in (("start", start), ("end", end)):
        if not isinstance(body, RigidBody):
            raise ModelError(f"{owner}: {what} must be a RigidBody or a SectionFrame, not {show(body)}.")
    if start is end:
        raise ModelError(f"{owner}: start and end are the same body; a substructure lies between two.")
    if not isinstance(names, tuple | list) or len(names) != 2 or names[0] == names[1]:
        raise ModelError(f"{owner}: interfaces must be the names of two interfaces, not {show(names)}.")
    for name in names:
        frame = reduced.frame(name)
        if len(frame.coordinates) != 6 or len(np.unique(frame.node)) != 1:
            raise ModelError(
                f"{owner}: interface {name!r} has {len(frame.coordinates)} coordinates; a frame is clamped to a rigid "
                f"or averaged interface, which has 6."
            )
    if reduced.inertia is None or not reduced.inertia.exact:
        raise ModelError(f"{owner}: its reduced model has no exact inertia invariants; reduce a Part.")
    check_free(owner, reduced)
