"""Moments on nodes and markers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from flexmbs.core.checks import as_array, as_flag
from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.errors import ModelError
from flexmbs.core.history import History, check_history
from flexmbs.core.jit import kernel
from flexmbs.core.nodes import carries_torque, is_rigid
from flexmbs.core.references import Description
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.model.bodies.flexible import FlexibleBody
from flexmbs.model.bodies.marker import Body, Marker
from flexmbs.model.forces.director_loads import DIRECTOR_MOMENT
from flexmbs.model.forces.items import Items, Kind, Places, dead_items
from flexmbs.model.forces.wrench import Wrench, as_place

__all__ = ["Moment", "refuse_torque"]

ALONG = 1e-9
"""Part of a moment across a tangent, or along a director, relative to all of it, that is round-off."""


@dataclass(frozen=True, eq=False)
class Moment(Description):
    """A moment on a marker, or on every node of an attachment, fixed in inertial directions or following the marker.

    On a marker the moment in marker axes is R^T M, for a follower M; in space neither has a potential. On a node with a
    slope t the moment M does the work M . (t x dt) / |t|^2. In the plane that has the potential
    -M theta and the tangent matrix is symmetric. In space its component along the tangent does no work, since a cable
    carries no torsion, and the tangent matrix is unsymmetric; so does that along the director of an `ANCFShell`, into
    which the moment may come where the shell turns far. On a node with directors it does work on the rotation of the
    section.

    Parameters
    ----------
    at : Attachment or Marker
    moment : float or (3,) sequence
        [force length]; counter-clockwise in the plane. For a follower in the axes of the marker.
    history : function, optional
        Factor over time or load factor.
    follower : bool, default False
        Whether it turns with the marker; not on nodes.

    Raises
    ------
    ModelError
        If the moment has the wrong number of components, it acts on what has no orientation or on the ground, or it
        lies along the slope of nodes that have nothing else, of an `ANCFShell` in part.

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(),
    ...                             section=fx.Circle(diameter=0.01), material=fx.steel)
    >>> fx.Moment(beam.end, 2.0).moment
    2.0
    """

    role: ClassVar[str] = "load"
    at: Attachment | Marker
    moment: float | Sequence[float]
    history: History = None
    follower: bool = False

    def __post_init__(self) -> None:
        place = as_place("Moment", self.at)
        owner = f"Moment at {place}"
        check_history("Moment", self.history, moment=self.moment)
        object.__setattr__(self, "at", place)
        object.__setattr__(self, "follower", as_flag(owner, "follower", self.follower))
        if isinstance(place, Marker):
            planar = place.planar
            if not place.rotates:
                raise ModelError(f"{owner}: it has no orientation, so a moment does nothing there; use a RigidBody.")
            if not place.spin:
                raise ModelError(f"{owner}: its spin has no meaning; give the attachment, such as body.node(0).")
        else:
            planar = place.body.mesh.dim == 2
            if self.follower:
                raise ModelError(f"{owner}: a moment on nodes cannot follow them; give a marker on a rigid body.")
        moment = as_array(owner, "moment", self.moment, () if planar else (3,), unit="force length")
        object.__setattr__(self, "moment", float(moment) if planar else tuple(moment.tolist()))
        if isinstance(place, Attachment) and not planar:
            refuse_torque(owner, place, moment)

    @property
    def label(self) -> str:
        return f"{'follower ' if self.follower else ''}moment at {self.at}"

    @property
    def targets(self) -> tuple[Body | FlexibleBody, ...]:
        return (self.at.body,)

    @property
    def wrenches(self) -> tuple[Wrench, ...]:
        """The wrench on a marker, or on those of nodes with quaternions; none on other nodes."""
        if not isinstance(self.at, Marker):
            if not is_rigid(self.at.body.element.layout):
                return ()
            x, y, z = np.array(self.moment, dtype=float).tolist()
            return tuple(Wrench(Marker(self.at.body, node=n), moment=(x, y, z)) for n in self.at.nodes)
        if isinstance(self.moment, float):  # about the inertial z, whatever axes the marker has
            return (Wrench(self.at, moment=(0.0, 0.0, self.moment)),)
        return (Wrench(self.at, moment=(self.moment[0], self.moment[1], self.moment[2]), follower=self.follower),)

    def items(self, places: Places, index: int) -> tuple[Items, ...]:
        if isinstance(self.at, Marker) or is_rigid(self.at.body.element.layout):
            return ()
        layout = self.at.body.element.layout
        dofs = places.dofs(self.at)
        moment = np.tile(np.atleast_1d(np.array(self.moment, dtype=float)), (len(dofs), 1))
        if layout.rotation:
            return (dead_items(dofs[:, layout.rotation], moment, index),)
        load = np.full(len(dofs), index, dtype=np.int64)
        if layout.frame:
            return (Items(DIRECTOR_MOMENT, np.ascontiguousarray(dofs[:, layout.frame]), (moment, load)),)
        kind = PLANAR_MOMENT if layout.dim == 2 else SPATIAL_MOMENT
        return (Items(kind, np.ascontiguousarray(dofs[:, layout.slope]), (moment, load)),)


def refuse_torque(owner: str, place: Attachment, moment: FloatArray) -> None:
    """A node with a slope and nothing else carries no moment about it: refuse one that lies along it.

    A cable has no torsion, so that the part along its tangent does nothing. A shell would turn in its plane: there a
    moment with any part along the director is refused.
    """
    layout = place.body.element.layout
    if carries_torque(layout) or not np.any(moment):
        return
    slopes = place.body.reference[list(place.nodes)][:, list(layout.slope)]
    if place.body.surface:
        _refuse_drilling(owner, place, slopes, moment)
        return
    lever = np.linalg.norm(np.cross(slopes, moment), axis=1)
    lost = np.flatnonzero(lever <= ALONG * np.linalg.norm(slopes, axis=1) * np.linalg.norm(moment))
    if len(lost):
        raise ModelError(
            f"{owner}: {moment.tolist()} lies along the slope of node {place.nodes[lost[0]]}, about which a "
            f"{place.body.element.name} carries no moment; flexmbs.elements.ANCFBeam() and GeometricallyExactBeam() do."
        )


def _refuse_drilling(owner: str, place: Attachment, directors: FloatArray, moment: FloatArray) -> None:
    """Refuse a moment with a part along the director of a node."""
    part = directors @ moment / np.linalg.norm(directors, axis=1)
    lost = np.flatnonzero(np.abs(part) > ALONG * np.linalg.norm(moment))
    if len(lost):
        node = place.nodes[lost[0]]
        kind, axis, use = Marker(place.body, node=node).spin_words
        raise ModelError(
            f"{owner}: {moment.tolist()} has a part of {part[lost[0]]:.3g} along the {axis} of node {node}, about "
            f"which {kind} carries no moment. Give a moment across it, or forces in the surface by EdgeLoad or "
            f"PointForce. {use}"
        )


class MomentGroup(NamedTuple):
    """``dofs (n, dim)`` of the slopes, ``M (n, 1 or 3)``, ``load (n,)``."""

    dofs: IntArray
    b1: int
    M: FloatArray
    load: IntArray


@kernel
def planar_moment_force(group: MomentGroup, state: State, env: Env, work: Work) -> int:
    """r -= M dtheta/dt."""
    for i in range(group.dofs.shape[0]):
        x, y = state.q[group.dofs[i, 0]], state.q[group.dofs[i, 1]]
        m = env.scale[group.load[i]] * group.M[i, 0] / (x * x + y * y)
        work.r[group.dofs[i, 0]] += m * y
        work.r[group.dofs[i, 1]] -= m * x
    return -1


@kernel
def planar_moment_tangent(group: MomentGroup, state: State, env: Env, work: Work, weights: tuple[float, float]) -> int:
    """The same with the second derivative of theta = atan2(y, x)."""
    planar_moment_force(group, state, env, work)
    for i in range(group.dofs.shape[0]):
        x, y = state.q[group.dofs[i, 0]], state.q[group.dofs[i, 1]]
        n = x * x + y * y
        m = weights[0] * env.scale[group.load[i]] * group.M[i, 0] / (n * n)
        o = group.b1 + 4 * i
        work.B[o], work.B[o + 3] = -2.0 * m * x * y, 2.0 * m * x * y
        work.B[o + 1] = work.B[o + 2] = m * (x * x - y * y)
    return -1


@kernel
def spatial_moment_force(group: MomentGroup, state: State, env: Env, work: Work) -> int:
    """r -= (M x t) / |t|^2."""
    for i in range(group.dofs.shape[0]):
        x, y, z = state.q[group.dofs[i, 0]], state.q[group.dofs[i, 1]], state.q[group.dofs[i, 2]]
        m = env.scale[group.load[i]] / (x * x + y * y + z * z)
        work.r[group.dofs[i, 0]] -= m * (group.M[i, 1] * z - group.M[i, 2] * y)
        work.r[group.dofs[i, 1]] -= m * (group.M[i, 2] * x - group.M[i, 0] * z)
        work.r[group.dofs[i, 2]] -= m * (group.M[i, 0] * y - group.M[i, 1] * x)
    return -1


@kernel
def spatial_moment_tangent(group: MomentGroup, state: State, env: Env, work: Work, weights: tuple[float, float]) -> int:
    """The same with -(M~ / n - 2 (M x t) t^T / n^2)."""
    spatial_moment_force(group, state, env, work)
    for i in range(group.dofs.shape[0]):
        t = (state.q[group.dofs[i, 0]], state.q[group.dofs[i, 1]], state.q[group.dofs[i, 2]])
        n = t[0] * t[0] + t[1] * t[1] + t[2] * t[2]
        m = weights[0] * env.scale[group.load[i]] / n
        a, b, c = group.M[i, 0], group.M[i, 1], group.M[i, 2]
        p = (b * t[2] - c * t[1], c * t[0] - a * t[2], a * t[1] - b * t[0])
        o = group.b1 + 9 * i
        for j in range(3):
            for k in range(3):
                work.B[o + 3 * j + k] = 2.0 * m / n * p[j] * t[k]
        work.B[o + 1] += m * c
        work.B[o + 2] -= m * b
        work.B[o + 3] -= m * c
        work.B[o + 5] += m * a
        work.B[o + 6] += m * b
        work.B[o + 7] -= m * a
    return -1


PLANAR_MOMENT = Kind("planar moment", MomentGroup, planar_moment_force, planar_moment_tangent)
SPATIAL_MOMENT = Kind("spatial moment", MomentGroup, spatial_moment_force, spatial_moment_tangent, symmetric=False)
