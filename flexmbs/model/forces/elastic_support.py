"""Elastic supports: springs between nodes and the ground, free of force in the stress-free shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from flexmbs.core.checks import as_array, as_number, frozen_copy, shape_of
from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.errors import ModelError, a_or_an
from flexmbs.core.history import History
from flexmbs.core.jit import kernel
from flexmbs.core.nodes import is_rigid
from flexmbs.core.references import Description
from flexmbs.model.bodies.attachment import Attachment, as_attachment
from flexmbs.model.bodies.flexible import FlexibleBody
from flexmbs.model.bodies.ground import ground
from flexmbs.model.bodies.marker import Marker
from flexmbs.model.forces.bushing import Bushing
from flexmbs.model.forces.items import Items, Kind, Places

__all__ = ["ElasticSupport"]

HALF_TURN = 3.1
"""Angle [rad] beyond which a rotational spring is refused: it counts angles between minus and plus half a turn."""


@dataclass(frozen=True, eq=False)
class ElasticSupport(Description):
    """Springs from every node of ``at`` to the ground.

    Parameters
    ----------
    at : Attachment
    stiffness : (dim,) sequence or (dim, dim) array, optional
        Per inertial direction, or a symmetric positive semidefinite matrix [force/length].
    rotation : float, optional
        Rotational stiffness [force length/rad] about z in the plane; about all axes on spatial nodes with small
        rotations or quaternions. Not on spatial nodes with slopes or directors.

    Raises
    ------
    ModelError
        If nothing is given, a stiffness is negative, or a rotational spring is asked for where a node has no such
        rotation.

    Notes
    -----
    Limit: on a node with a slope or a quaternion the angle must stay within half a turn of the stress-free one.

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(),
    ...                             section=fx.Circle(diameter=0.01), material=fx.steel)
    >>> fx.ElasticSupport(beam.end, (0.0, 1e3)).label
    "elastic support at 'end' of body 'body'"
    """

    role: ClassVar[str] = "load"
    at: Attachment
    stiffness: Sequence[float] | FloatArray | None = None
    rotation: float | None = None
    history: ClassVar[History] = None

    def __post_init__(self) -> None:
        layout = as_attachment("ElasticSupport", self.at).body.element.layout
        owner = f"ElasticSupport at {self.at}"
        if self.stiffness is None and self.rotation is None:
            raise ModelError(f"{owner}: give stiffness, rotation or both.")
        if self.stiffness is not None:
            try:
                flat = len(shape_of(self.stiffness)) < 2
            except ValueError:  # rows of different lengths, which as_array refuses
                flat = True
            given = as_array(owner, "stiffness", self.stiffness, (layout.dim,) if flat else (layout.dim, layout.dim))
            matrix = np.diag(given) if flat else given
            scaled = matrix / (np.abs(matrix).max() or 1.0)
            if np.abs(scaled - scaled.T).max() > 1e-12 or np.linalg.eigvalsh(scaled).min() < -1e-12:
                raise ModelError(f"{owner}: stiffness must be symmetric and not negative, not {given.tolist()}.")
            object.__setattr__(self, "stiffness", frozen_copy(matrix))
        if self.rotation is not None:
            object.__setattr__(self, "rotation", as_number(owner, "rotation", self.rotation, minimum=0.0))
            if layout.dim == 3 and (not layout.rotation or layout.frame):
                raise ModelError(
                    f"{owner}: a rotational spring on {a_or_an(self.at.body.element.name)} is not available; "
                    f"take a Bushing to the ground."
                )

    @property
    def label(self) -> str:
        return f"elastic support at {self.at}"

    @property
    def targets(self) -> tuple[FlexibleBody, ...]:
        return (self.at.body,)

    @property
    def bushings(self) -> tuple[Bushing, ...]:
        """What holds nodes with quaternions: springs to the ground, in the axes of the section; none on other nodes."""
        body, found = self.at.body, list[Bushing]()
        for n in self.at.nodes if is_rigid(body.element.layout) else ():
            node = Marker(body, node=n)
            R = node.rotation0()
            K = np.zeros((6, 6))
            if self.stiffness is not None:
                K[:3, :3] = R.T @ np.asarray(self.stiffness) @ R
            K[3:, 3:] = (self.rotation or 0.0) * np.eye(3)
            there = ground.marker(body.mesh.points[n], axis=R[:, 2], x=R[:, 0])
            size = 6 if self.rotation else 3
            found.append(Bushing(there, node, stiffness=0.5 * (K + K.T)[:size, :size], name=self.label))
        return tuple(found)

    def items(self, places: Places, index: int) -> tuple[Items, ...]:
        if is_rigid(self.at.body.element.layout):
            return ()
        layout = self.at.body.element.layout
        dofs, reference = places.dofs(self.at), places.reference(self.at)
        n, found = len(dofs), []
        if self.stiffness is not None:
            k = np.tile(np.asarray(self.stiffness), (n, 1, 1))
            found.append(_linear(dofs[:, layout.position], k, reference[:, layout.position]))
        if self.rotation is not None and layout.rotation:
            k = np.tile(self.rotation * np.eye(len(layout.rotation)), (n, 1, 1))
            found.append(_linear(dofs[:, layout.rotation], k, reference[:, layout.rotation]))
        elif self.rotation is not None:
            columns = (np.full(n, self.rotation), np.ascontiguousarray(reference[:, layout.slope]))
            found.append(Items(ANGLE_SPRING, np.ascontiguousarray(dofs[:, layout.slope]), columns))
        return tuple(found)


def _linear(dofs: IntArray, k: FloatArray, rest: FloatArray) -> Items:
    return Items(LINEAR_SPRING, np.ascontiguousarray(dofs), (k, np.ascontiguousarray(rest)))


class LinearSpringGroup(NamedTuple):
    """``dofs (n, k)``, stiffness matrices ``c (n, k, k)``, coordinates at rest ``q0 (n, k)``."""

    dofs: IntArray
    b1: int
    c: FloatArray
    q0: FloatArray


@kernel
def linear_spring_force(group: LinearSpringGroup, state: State, env: Env, work: Work) -> int:
    """r += c (q - q0)."""
    k = group.dofs.shape[1]
    for i in range(group.dofs.shape[0]):
        for a in range(k):
            for b in range(k):
                work.r[group.dofs[i, a]] += group.c[i, a, b] * (state.q[group.dofs[i, b]] - group.q0[i, b])
    return -1


@kernel
def linear_spring_tangent(
    group: LinearSpringGroup, state: State, env: Env, work: Work, weights: tuple[float, float]
) -> int:
    """The same with c."""
    linear_spring_force(group, state, env, work)
    k = group.dofs.shape[1]
    for i in range(group.dofs.shape[0]):
        for a in range(k):
            for b in range(k):
                work.B[group.b1 + (i * k + a) * k + b] = weights[0] * group.c[i, a, b]
    return -1


def linear_spring_energy(group: LinearSpringGroup, q: FloatArray) -> float:
    """Sum of (q - q0) c (q - q0) / 2."""
    gap = q[group.dofs] - group.q0
    return 0.5 * float(np.einsum("ia,iab,ib->", gap, group.c, gap))


class AngleSpringGroup(NamedTuple):
    """``dofs (n, 2)`` of planar slopes, stiffness ``c (n,)``, tangents at rest ``t0 (n, 2)``."""

    dofs: IntArray
    b1: int
    c: FloatArray
    t0: FloatArray


@kernel
def _angle(group: AngleSpringGroup, state: State, i: int) -> tuple[float, float, float, float, float]:
    """Angle from t0 to the slope, its gradient and its Hessian (xx, xy) by the slope."""
    x, y = state.q[group.dofs[i, 0]], state.q[group.dofs[i, 1]]
    a, b = group.t0[i, 0], group.t0[i, 1]
    n = x * x + y * y
    return np.arctan2(a * y - b * x, a * x + b * y), -y / n, x / n, 2.0 * x * y / (n * n), (y * y - x * x) / (n * n)


@kernel
def angle_spring_force(group: AngleSpringGroup, state: State, env: Env, work: Work) -> int:
    """r += c theta dtheta/dt."""
    for i in range(group.dofs.shape[0]):
        theta, gx, gy, _, _ = _angle(group, state, i)
        if not abs(theta) < HALF_TURN:
            return i
        work.r[group.dofs[i, 0]] += group.c[i] * theta * gx
        work.r[group.dofs[i, 1]] += group.c[i] * theta * gy
    return -1


@kernel
def angle_spring_tangent(
    group: AngleSpringGroup, state: State, env: Env, work: Work, weights: tuple[float, float]
) -> int:
    """The same with c (grad grad^T + theta Hessian)."""
    for i in range(group.dofs.shape[0]):
        theta, gx, gy, hxx, hxy = _angle(group, state, i)
        if not abs(theta) < HALF_TURN:
            return i
        work.r[group.dofs[i, 0]] += group.c[i] * theta * gx
        work.r[group.dofs[i, 1]] += group.c[i] * theta * gy
        c, o = weights[0] * group.c[i], group.b1 + 4 * i
        work.B[o] = c * (gx * gx + theta * hxx)
        work.B[o + 1] = work.B[o + 2] = c * (gx * gy + theta * hxy)
        work.B[o + 3] = c * (gy * gy - theta * hxx)
    return -1


def angle_spring_energy(group: AngleSpringGroup, q: FloatArray) -> float:
    """Sum of c theta^2 / 2."""
    (x, y), (a, b) = q[group.dofs].T, group.t0.T
    return 0.5 * float(group.c @ np.arctan2(a * y - b * x, a * x + b * y) ** 2)


LINEAR_SPRING = Kind(
    "linear spring", LinearSpringGroup, linear_spring_force, linear_spring_tangent, support=True,
    energy=linear_spring_energy,
)  # fmt: skip
ANGLE_SPRING = Kind(
    "rotational spring",
    AngleSpringGroup,
    angle_spring_force,
    angle_spring_tangent,
    diagnosis="the angle has left half a turn, within which a rotational spring counts",
    support=True,
    energy=angle_spring_energy,
)
