"""A planar bar: two nodes, positions only, any displacement; an example of a user-defined element.

Energy 1/2 EA L (l/L - 1)^2, with the length l of the chord. Legend: t unit vector of the chord, N normal force.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from flexmbs.extend import BeamStiffness, Env, FloatArray, IntArray, NodeLayout, Resultant, State, Work, kernel


class BarGroup(NamedTuple):
    """Tables of n_e bars: ``dofs (n_e, 4)``, then a number per bar."""

    dofs: IntArray
    b1: int
    L: FloatArray
    EA: FloatArray
    rhoA: FloatArray


@kernel
def bar_force(group: BarGroup, state: State, env: Env, work: Work) -> int:
    """Internal forces: -N t at the first node, N t at the second."""
    q, r, dofs = state.q, work.r, group.dofs
    for e in range(dofs.shape[0]):
        x, y = q[dofs[e, 2]] - q[dofs[e, 0]], q[dofs[e, 3]] - q[dofs[e, 1]]
        length = np.sqrt(x * x + y * y)
        if not length > 0.0:
            return e
        N = group.EA[e] * (length / group.L[e] - 1.0)
        X, Y = N * x / length, N * y / length
        r[dofs[e, 0]] -= X
        r[dofs[e, 1]] -= Y
        r[dofs[e, 2]] += X
        r[dofs[e, 3]] += Y
    return -1


@kernel
def bar_tangent(group: BarGroup, state: State, env: Env, work: Work, weights: tuple[float, float]) -> int:
    """The same, and wq [C, -C; -C, C] with C = EA/L t t^T + N/l (I - t t^T)."""
    bad = bar_force(group, state, env, work)
    if bad >= 0:
        return bad
    q, B, dofs = state.q, work.B, group.dofs
    for e in range(dofs.shape[0]):
        x, y = q[dofs[e, 2]] - q[dofs[e, 0]], q[dofs[e, 3]] - q[dofs[e, 1]]
        length = np.sqrt(x * x + y * y)
        x, y = x / length, y / length
        a = weights[0] * group.EA[e] / group.L[e]
        b = weights[0] * group.EA[e] * (1.0 / group.L[e] - 1.0 / length)
        C = (a * x * x + b * y * y, (a - b) * x * y, a * y * y + b * x * x)
        o = group.b1 + 16 * e
        for i in range(4):
            for j in range(4):
                sign = 1.0 if i // 2 == j // 2 else -1.0
                B[o + 4 * i + j] = sign * C[i % 2 + j % 2]
    return -1


@dataclass(frozen=True, kw_only=True)
class PlanarBar:
    """Planar bar element with nodal coordinates (x, y); uses EA and the mass per length."""

    name: ClassVar[str] = "planar bar"
    cell_type: ClassVar[str] = "line"
    layout: ClassVar[NodeLayout] = NodeLayout(dim=2, names=("x", "y"), position=(0, 1), absolute=True)
    resultants: ClassVar[tuple[Resultant, ...]] = (Resultant("N", "normal force", "force"),)
    shared: ClassVar[tuple[str, ...]] = ()
    viscous: ClassVar[bool] = False
    diagnosis: ClassVar[str] = "its nodes have met in one point"
    force = property(lambda self: bar_force)
    tangent = property(lambda self: bar_tangent)

    def accurate_points(self, symbol: str) -> FloatArray:
        return np.array([0.0])

    def reference(self, points: FloatArray, tangents: FloatArray) -> FloatArray:
        return points.copy()

    def tabulate(
        self, points: FloatArray, reference: FloatArray, dofs: IntArray, stiffness: BeamStiffness, b1: int
    ) -> BarGroup:
        L = np.linalg.norm(points[:, 1] - points[:, 0], axis=1)
        one = np.ones_like(L)
        return BarGroup(np.ascontiguousarray(dofs), b1, L, stiffness.EA * one, stiffness.mass_per_length * one)

    def lengths(self, group: BarGroup) -> FloatArray:
        return group.L

    def mass(self, group: BarGroup) -> FloatArray:
        linear = np.kron(np.array([[2.0, 1.0], [1.0, 2.0]]), np.eye(2)) / 6.0
        return (group.rhoA * group.L)[:, None, None] * linear

    def energy(self, group: BarGroup, q: FloatArray) -> FloatArray:
        return 0.5 * group.EA * group.L * self._strain(group, q) ** 2

    def body_load(self, group: BarGroup, load: FloatArray, per_mass: bool) -> FloatArray:
        total = group.L * (group.rhoA if per_mass else 1.0)
        return 0.5 * total[:, None] * np.tile(load, 2)

    def positions(self, group: BarGroup, q: FloatArray, xi: FloatArray) -> FloatArray:
        x = 0.5 * (1.0 + np.asarray(xi))[None, :, None]
        ends = q[group.dofs].reshape(-1, 2, 1, 2)
        return (1.0 - x) * ends[:, 0] + x * ends[:, 1]

    def stress_resultants(self, group: BarGroup, q: FloatArray, v: FloatArray, xi: FloatArray) -> FloatArray:
        N = group.EA * self._strain(group, q)
        return np.repeat(N[:, None, None], len(xi), axis=1)

    def _strain(self, group: BarGroup, q: FloatArray) -> FloatArray:
        ends = q[group.dofs].reshape(-1, 2, 2)
        return np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) / group.L - 1.0
