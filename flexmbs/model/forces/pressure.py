"""Pressure on surfaces: a load per present area that stays normal to the surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from flexmbs.core.checks import as_number
from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.history import History, check_history
from flexmbs.core.jit import kernel
from flexmbs.core.references import Description
from flexmbs.model.bodies.flexible import FlexibleBody
from flexmbs.model.forces.edge_loads import as_surface, gauss_grid
from flexmbs.model.forces.items import Items, Kind, Places

__all__ = ["Pressure"]

POINTS = 3
"""Gauss' points in each direction: exact for the area vectors of bilinear surfaces, and of flat bicubic ones nearly."""


@dataclass(frozen=True, eq=False)
class Pressure(Description):
    r"""Pressure on all elements of a surface; it follows the surface, and is per present area.

    .. math:: \delta W = -p \int \delta r \cdot (r_{,\xi} \times r_{,\eta})\, d\xi\, d\eta

    The normal is that of the cells: counter-clockwise seen from where it points to. A positive pressure pushes against
    it. Where the edges of the surface are free the load has no potential, and the tangent matrix is not symmetric.

    Parameters
    ----------
    body : FlexibleBody
        A surface.
    pressure : float
        [force/length^2].
    history : function, optional
        Factor over time or load factor.

    Raises
    ------
    ModelError
        If the body is no surface, or the pressure no number.

    Examples
    --------
    >>> import flexmbs as fx
    >>> panel = fx.FlexibleBody.plate((1, 1), elements=(2, 2), element=fx.elements.ANCFShell(),
    ...                               section=fx.ShellSection(0.01), material=fx.steel, name="panel")
    >>> Pressure(panel, 1e4).label
    "pressure on 'panel'"
    """

    role: ClassVar[str] = "load"
    body: FlexibleBody
    pressure: float
    history: History = None

    def __post_init__(self) -> None:
        as_surface("Pressure", self.body)
        check_history("Pressure", self.history, pressure=self.pressure)
        owner = f"Pressure on {self.body.name!r}"
        object.__setattr__(self, "pressure", as_number(owner, "pressure", self.pressure, unit="force/length^2"))

    @property
    def label(self) -> str:
        return f"pressure on {self.body.name!r}"

    @property
    def targets(self) -> tuple[FlexibleBody, ...]:
        return (self.body,)

    def items(self, places: Places, index: int) -> tuple[Items, ...]:
        element = as_surface("Pressure", self.body)
        group = places.element_group(self.body)
        xi, w = gauss_grid(POINTS)
        N, N1 = element.interpolation(group, xi)
        n = len(group.dofs)
        columns = (
            np.full(n, index, dtype=np.int64),
            np.ascontiguousarray(self.pressure * np.broadcast_to(w, (n, len(w)))),
            np.ascontiguousarray(N),
            np.ascontiguousarray(N1),
        )
        return (Items(PRESSURE, group.dofs, columns),)


class PressureGroup(NamedTuple):
    """``dofs (n, k)``; ``load (n,)``; ``w (n, n_g)`` pressure times weight; ``N``, ``N1`` as `interpolation` gives."""

    dofs: IntArray
    b1: int
    load: IntArray
    w: FloatArray
    N: FloatArray
    N1: FloatArray


@kernel
def pressure_force(group: PressureGroup, state: State, env: Env, work: Work) -> int:
    """r += p N^T (r_xi x r_eta)."""
    q, r, dofs = state.q, work.r, group.dofs
    a, b = np.empty(3), np.empty(3)
    m = group.N.shape[2]
    for e in range(dofs.shape[0]):
        scale = env.scale[group.load[e]]
        for g in range(group.w.shape[1]):
            a[:], b[:] = 0.0, 0.0
            for i in range(m):
                for c in range(3):
                    a[c] += group.N1[e, g, 0, i] * q[dofs[e, 3 * i + c]]
                    b[c] += group.N1[e, g, 1, i] * q[dofs[e, 3 * i + c]]
            s = scale * group.w[e, g]
            x = s * (a[1] * b[2] - a[2] * b[1])
            y = s * (a[2] * b[0] - a[0] * b[2])
            z = s * (a[0] * b[1] - a[1] * b[0])
            for i in range(m):
                r[dofs[e, 3 * i]] += group.N[e, g, i] * x
                r[dofs[e, 3 * i + 1]] += group.N[e, g, i] * y
                r[dofs[e, 3 * i + 2]] += group.N[e, g, i] * z
    return -1


@kernel
def pressure_tangent(group: PressureGroup, state: State, env: Env, work: Work, weights: tuple[float, float]) -> int:
    """The same with p N_i (N_j,eta a~ - N_j,xi b~), where a = r_xi and b = r_eta."""
    bad = pressure_force(group, state, env, work)
    q, B, dofs = state.q, work.B, group.dofs
    a, b = np.empty(3), np.empty(3)
    m, k = group.N.shape[2], dofs.shape[1]
    for e in range(dofs.shape[0]):
        scale, o = weights[0] * env.scale[group.load[e]], group.b1 + k * k * e
        B[o : o + k * k] = 0.0
        for g in range(group.w.shape[1]):
            a[:], b[:] = 0.0, 0.0
            for i in range(m):
                for c in range(3):
                    a[c] += group.N1[e, g, 0, i] * q[dofs[e, 3 * i + c]]
                    b[c] += group.N1[e, g, 1, i] * q[dofs[e, 3 * i + c]]
            s = scale * group.w[e, g]
            for j in range(m):
                u, v = s * group.N1[e, g, 1, j], s * group.N1[e, g, 0, j]
                x, y, z = u * a[0] - v * b[0], u * a[1] - v * b[1], u * a[2] - v * b[2]
                for i in range(m):
                    N, p = group.N[e, g, i], o + 3 * i * k + 3 * j
                    B[p + 1] -= N * z
                    B[p + 2] += N * y
                    B[p + k] += N * z
                    B[p + k + 2] -= N * x
                    B[p + 2 * k] -= N * y
                    B[p + 2 * k + 1] += N * x
    return bad


PRESSURE = Kind("pressure", PressureGroup, pressure_force, pressure_tangent, symmetric=False)
