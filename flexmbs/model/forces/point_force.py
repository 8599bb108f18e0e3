"""Forces on nodes and markers: dead, or following the rotation of the node or marker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from flexmbs.core.checks import as_array, as_flag
from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.errors import ModelError, a_or_an
from flexmbs.core.history import History, check_history
from flexmbs.core.jit import kernel
from flexmbs.core.nodes import follows, is_rigid, spins
from flexmbs.core.references import Description
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.model.bodies.flexible import FlexibleBody
from flexmbs.model.bodies.marker import Body, Marker
from flexmbs.model.forces.director_loads import DIRECTOR_FOLLOWER
from flexmbs.model.forces.items import Items, Kind, Places, dead_items
from flexmbs.model.forces.wrench import Wrench, as_place, check_followed, in_space

__all__ = ["PointForce"]

Three = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class PointForce(Description):
    """A force on a marker, or on every node of an attachment.

    Parameters
    ----------
    at : Attachment, Marker or PointMass
    force : (dim,) sequence
        [force], in inertial directions. For a follower on a marker in the axes of the marker; for one on nodes its
        directions in the stress-free shape. Two components suffice on a planar marker.
    follower : bool, default False
        Whether the force turns with the marker, or with the tangent of the node. In space the tangent turns it by the
        smallest rotation that takes the stress-free tangent into the present one, since a cable has no spin; directors
        turn it with their section. On an `ANCFShell`, which has no rotation about its director, it must be along that.
        The tangent matrix is then unsymmetric.
    history : function, optional
        Factor over time or load factor.

    Raises
    ------
    ModelError
        If the force has the wrong number of components, a follower acts on what has no orientation or across the
        director of an `ANCFShell`, or the place is on the ground.

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(),
    ...                             section=fx.Circle(diameter=0.01), material=fx.steel)
    >>> fx.PointForce(beam.end, (0, -8.4)).label
    "force at 'end' of body 'body'"
    >>> rocket = fx.RigidBody(mass=1.0, inertia=(1.0, 2.0, 2.0), name="rocket")
    >>> fx.PointForce(rocket.marker((-0.5, 0, 0)), (20.0, 0, 0), follower=True).label
    "follower force at point (-0.5, 0, 0) of RigidBody 'rocket'"
    """

    role: ClassVar[str] = "load"
    at: Attachment | Marker
    force: Sequence[float]
    follower: bool = False
    history: History = None

    def __post_init__(self) -> None:
        place = as_place("PointForce", self.at)
        owner = f"PointForce at {place}"
        check_history("PointForce", self.history, force=self.force)
        object.__setattr__(self, "at", place)
        if isinstance(place, Marker):
            force = in_space(owner, "force", self.force, place.planar, "force")
        else:
            force = as_array(owner, "force", self.force, (place.body.mesh.dim,), unit="force")
        object.__setattr__(self, "force", tuple(force.tolist()))
        object.__setattr__(self, "follower", as_flag(owner, "follower", self.follower))
        if self.follower and isinstance(place, Marker) and not place.rotates:
            raise ModelError(f"{owner}: it has no orientation, so a force cannot follow it; use a dead force.")
        element = None if isinstance(place, Marker) else place.body.element
        if self.follower and element and not follows(element.layout):
            raise ModelError(
                f"{owner}: {a_or_an(element.name)} has small rotations only, so a force cannot "
                f"follow it; use an absolute-nodal element or a dead force."
            )
        if self.follower:
            _check_followed(owner, place, force)

    @property
    def label(self) -> str:
        return f"{'follower ' if self.follower else ''}force at {self.at}"

    @property
    def targets(self) -> tuple[Body | FlexibleBody, ...]:
        return (self.at.body,)

    @property
    def wrenches(self) -> tuple[Wrench, ...]:
        """The wrench on a marker, or those that follow nodes with quaternions; none on other nodes."""
        if not isinstance(self.at, Marker):
            if not (self.follower and is_rigid(self.at.body.element.layout)):
                return ()
            found = []
            for n in self.at.nodes:
                marker = Marker(self.at.body, node=n)
                x, y, z = (marker.node_frame.T @ np.array(self.force)).tolist()
                found.append(Wrench(marker, force=(x, y, z), follower=True))
            return tuple(found)
        return (Wrench(self.at, force=(self.force[0], self.force[1], self.force[2]), follower=self.follower),)

    def items(self, places: Places, index: int) -> tuple[Items, ...]:
        if isinstance(self.at, Marker):
            return ()
        layout = self.at.body.element.layout
        dofs = places.dofs(self.at)
        force = np.tile(np.array(self.force), (len(dofs), 1))
        if not self.follower:
            return (dead_items(dofs[:, layout.position], force, index),)
        if is_rigid(layout):
            return ()
        if layout.frame:
            frames = [Marker(self.at.body, node=n).node_frame for n in self.at.nodes]
            load = np.full(len(dofs), index, dtype=np.int64)
            places_of = np.hstack((dofs[:, layout.position], dofs[:, layout.frame]))
            return (Items(DIRECTOR_FOLLOWER, places_of, (np.einsum("nij,ni->nj", frames, force), load)),)
        kind = PLANAR_FOLLOWER if layout.dim == 2 else SPATIAL_FOLLOWER
        tangent = places.reference(self.at)[:, layout.slope]
        tangent = tangent / np.linalg.norm(tangent, axis=1, keepdims=True)
        columns = (force, np.ascontiguousarray(tangent), np.full(len(dofs), index, dtype=np.int64))
        return (Items(kind, np.hstack((dofs[:, layout.position], dofs[:, layout.slope])), columns),)


def _check_followed(owner: str, place: Attachment | Marker, force: FloatArray) -> None:
    """Refuse a follower that would not turn with a marker, or with every node."""
    if isinstance(place, Marker):
        check_followed(owner, place, force)
    elif not spins(place.body.element.layout):
        for node in place.nodes:
            marker = Marker(place.body, node=node)
            check_followed(owner, marker, marker.node_frame.T @ force)


class FollowerGroup(NamedTuple):
    """``dofs (n, 2 dim)``: position, slope; ``F (n, dim)`` in the stress-free directions; ``t0 (n, dim)`` tangents."""

    dofs: IntArray
    b1: int
    F: FloatArray
    t0: FloatArray
    load: IntArray


@kernel
def planar_follower_force(group: FollowerGroup, state: State, env: Env, work: Work) -> int:
    """r -= R F with R the rotation from t0 to the slope."""
    for i in range(group.dofs.shape[0]):
        s = env.scale[group.load[i]]
        x, y = state.q[group.dofs[i, 2]], state.q[group.dofs[i, 3]]
        n = np.sqrt(x * x + y * y)
        a, b = group.t0[i, 0], group.t0[i, 1]
        c, d = (a * x + b * y) / n, (a * y - b * x) / n
        work.r[group.dofs[i, 0]] -= s * (c * group.F[i, 0] - d * group.F[i, 1])
        work.r[group.dofs[i, 1]] -= s * (d * group.F[i, 0] + c * group.F[i, 1])
    return -1


@kernel
def planar_follower_tangent(
    group: FollowerGroup, state: State, env: Env, work: Work, weights: tuple[float, float]
) -> int:
    """The same with d(R F) = J R F dtheta, dtheta = (-y dx + x dy) / n^2."""
    planar_follower_force(group, state, env, work)
    for i in range(group.dofs.shape[0]):
        s = weights[0] * env.scale[group.load[i]]
        x, y = state.q[group.dofs[i, 2]], state.q[group.dofs[i, 3]]
        n = np.sqrt(x * x + y * y)
        a, b = group.t0[i, 0], group.t0[i, 1]
        c, d = (a * x + b * y) / n, (a * y - b * x) / n
        u, w = s * (c * group.F[i, 0] - d * group.F[i, 1]), s * (d * group.F[i, 0] + c * group.F[i, 1])
        o = group.b1 + 16 * i
        work.B[o : o + 16] = 0.0
        tx, ty = -y / (n * n), x / (n * n)
        work.B[o + 2], work.B[o + 3] = w * tx, w * ty
        work.B[o + 6], work.B[o + 7] = -u * tx, -u * ty
    return -1


@kernel
def _turned(F: FloatArray, t0: FloatArray, x: float, y: float, z: float) -> tuple[Three, Three, Three, Three, float]:
    """R F for the smallest rotation from t0 to t = (x, y, z)/|.|: F + w x F + w x (w x F)/(1 + c), w = t0 x t."""
    c = t0[0] * x + t0[1] * y + t0[2] * z
    w0, w1, w2 = t0[1] * z - t0[2] * y, t0[2] * x - t0[0] * z, t0[0] * y - t0[1] * x
    a0, a1, a2 = w1 * F[2] - w2 * F[1], w2 * F[0] - w0 * F[2], w0 * F[1] - w1 * F[0]
    b0, b1, b2 = w1 * a2 - w2 * a1, w2 * a0 - w0 * a2, w0 * a1 - w1 * a0
    h = 1.0 / (1.0 + c)
    return (F[0] + a0 + h * b0, F[1] + a1 + h * b1, F[2] + a2 + h * b2), (w0, w1, w2), (a0, a1, a2), (b0, b1, b2), h


@kernel
def spatial_follower_force(group: FollowerGroup, state: State, env: Env, work: Work) -> int:
    """r -= R F; refuses a tangent that has turned by half a turn, where R is not unique."""
    for i in range(group.dofs.shape[0]):
        s = env.scale[group.load[i]]
        x, y, z = state.q[group.dofs[i, 3]], state.q[group.dofs[i, 4]], state.q[group.dofs[i, 5]]
        n = np.sqrt(x * x + y * y + z * z)
        force, _, _, _, h = _turned(group.F[i], group.t0[i], x / n, y / n, z / n)
        if not h < 1e6:
            return i
        for j in range(3):
            work.r[group.dofs[i, j]] -= s * force[j]
    return -1


@kernel
def spatial_follower_tangent(
    group: FollowerGroup, state: State, env: Env, work: Work, weights: tuple[float, float]
) -> int:
    """The same with the exact derivative by the slope, column by column: dt = (e_k - t t_k) / n."""
    for i in range(group.dofs.shape[0]):
        s = env.scale[group.load[i]]
        F, t0 = group.F[i], group.t0[i]
        x, y, z = state.q[group.dofs[i, 3]], state.q[group.dofs[i, 4]], state.q[group.dofs[i, 5]]
        n = np.sqrt(x * x + y * y + z * z)
        t = (x / n, y / n, z / n)
        force, (w0, w1, w2), (a0, a1, a2), (b0, b1, b2), h = _turned(F, t0, t[0], t[1], t[2])
        if not h < 1e6:
            return i
        o = group.b1 + 36 * i
        work.B[o : o + 36] = 0.0
        for j in range(3):
            work.r[group.dofs[i, j]] -= s * force[j]
        for k in range(3):
            d0 = ((1.0 if k == 0 else 0.0) - t[0] * t[k]) / n
            d1 = ((1.0 if k == 1 else 0.0) - t[1] * t[k]) / n
            d2 = ((1.0 if k == 2 else 0.0) - t[2] * t[k]) / n
            v0, v1, v2 = t0[1] * d2 - t0[2] * d1, t0[2] * d0 - t0[0] * d2, t0[0] * d1 - t0[1] * d0
            dc = t0[0] * d0 + t0[1] * d1 + t0[2] * d2
            c0, c1, c2 = v1 * F[2] - v2 * F[1], v2 * F[0] - v0 * F[2], v0 * F[1] - v1 * F[0]
            g0, g1, g2 = v1 * a2 - v2 * a1, v2 * a0 - v0 * a2, v0 * a1 - v1 * a0
            e0, e1, e2 = w1 * c2 - w2 * c1, w2 * c0 - w0 * c2, w0 * c1 - w1 * c0
            m = weights[0] * s
            work.B[o + 3 + k] = -m * (c0 + h * (g0 + e0) - h * h * dc * b0)
            work.B[o + 9 + k] = -m * (c1 + h * (g1 + e1) - h * h * dc * b1)
            work.B[o + 15 + k] = -m * (c2 + h * (g2 + e2) - h * h * dc * b2)
    return -1


PLANAR_FOLLOWER = Kind(
    "planar follower force", FollowerGroup, planar_follower_force, planar_follower_tangent, symmetric=False
)
SPATIAL_FOLLOWER = Kind(
    "spatial follower force",
    FollowerGroup,
    spatial_follower_force,
    spatial_follower_tangent,
    symmetric=False,
    diagnosis="the tangent has turned by half a turn, where the smallest rotation is not unique",
)
