r"""The compliance of multipliers beside redundant constraints: a small share of what each constraint yields by itself.

With the diagonal of the mass, equation i yields :math:`(G M^{-1} G^T)_{ii}` to a multiplier of one. It is taken in the
reference configuration, so that it is a property of the model, the same in every run and wherever a run is resumed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array, csr_array

from flexmbs.core.contracts import Env, FloatArray, IntArray, State
from flexmbs.core.jit import kernel
from flexmbs.kernels.pairs import joint_tangent

if TYPE_CHECKING:
    from flexmbs.system.build import Mechanics
    from flexmbs.system.system import System

__all__ = ["COMPLIANCE", "NOTHING", "compliances", "constraint_matrix", "constraint_rows"]

NOTHING = 1e-12
"""Length of the row of a constraint, in sizes of increments and constraints, that is round-off."""
COMPLIANCE = 1e-11
"""Compliance of a multiplier, relative to what its constraint yields by itself."""


def compliances(system: System, mass: FloatArray) -> FloatArray:
    """Compliance (n_c,) of each multiplier, with the diagonal of the mass (n_v,), zero for first-order states."""
    m, c = system.mechanics.for_run(), system.coordinates
    B = np.zeros(system.size)
    work = m.markers.work(np.zeros(c.n_v + m.n_c), B)
    work.T[:] = np.eye(3)
    state = State(c.reference, np.zeros(c.n_v), np.zeros(c.n_v), np.zeros(m.n_c))
    env = Env(0.0, np.zeros(0))
    for kind, group in m.markers.groups:
        kind.place_tangent(group, state, env, work)
    joint_tangent(m.joints, state, env, work, (0.0, 0.0), 0)
    free = system.free[system.free < c.n_v]
    heavy = mass[free] > 0.0
    inverse = np.where(heavy, 1.0 / np.where(heavy, mass[free], 1.0), 1.0)
    rows = system.fixation.by_free(constraint_rows(m, B, c.n_v), free, system.fixation.frames0)
    yielding = np.asarray(rows.power(2) @ inverse, dtype=np.float64)
    length = np.sqrt(rows.power(2) @ system.increment_sizes[free] ** 2)
    there = length > NOTHING * system.equation_sizes  # else round-off, as in `flexmbs.dynamics.minimal.of_one_size`
    known = np.isfinite(yielding) & (yielding > 0.0) & there
    usual = float(np.median(yielding[known])) if known.any() else 1.0 / float(mass[mass > 0.0].max())
    return COMPLIANCE * np.where(known, yielding, usual)


def constraint_rows(m: Mechanics, B: FloatArray, n_v: int) -> csr_array:
    """G (n_c, n_v) of the blocks ``B``, sparse, on all velocities."""
    return csr_array(coo_array(_constraint_entries(m, B, n_v), shape=(m.n_c, n_v)))


def constraint_matrix(m: Mechanics, B: FloatArray, n_v: int) -> FloatArray:
    """The same, dense."""
    G, joints = np.zeros((m.n_c, n_v)), m.joints
    _add_constraints(
        joints.mA, joints.mB, joints.ptr, joints.off, joints.order, joints.eq, joints.local, m.markers.ptr,
        m.markers.dof, B, n_v, G,
    )  # fmt: skip
    return G


@kernel
def _add_constraints(
    mA: IntArray, mB: IntArray, ptr: IntArray, off: IntArray, order: IntArray, eq: IntArray, local: IntArray,
    mptr: IntArray, dof: IntArray, B: FloatArray, n_v: int, G: FloatArray,
) -> None:  # fmt: skip
    """Add the entries of all joints, as `_constraint_blocks` has them."""
    for n in range(mA.shape[0]):
        for j in range(ptr[n], ptr[n + 1]):
            first = True  # among the rows of its equation, which share their entries
            for i in range(ptr[n], j):
                first = first and eq[i] != eq[j]
            if not first:
                continue
            k = 0
            for m in (mA[n], mB[n]):
                for d in range(mptr[m], mptr[m + 1]):
                    G[eq[j] - n_v, dof[d]] += B[off[n] + k * order[n] + local[j]]
                    k += 1


def _constraint_entries(m: Mechanics, B: FloatArray, n_v: int) -> tuple[FloatArray, tuple[IntArray, IntArray]]:
    """Values, and rows and columns, of G."""
    row: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    col: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    value: list[FloatArray] = [np.zeros(0)]
    for rows, dofs, values in _constraint_blocks(m, B, n_v):
        row.append(np.repeat(rows, len(dofs)))
        col.append(np.tile(dofs, len(rows)))
        value.append(values.ravel())
    return np.concatenate(value), (np.concatenate(row), np.concatenate(col))


def _constraint_blocks(m: Mechanics, B: FloatArray, n_v: int) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Rows (n,), columns (k,) and values (n, k) of G for each pair of markers of a joint."""
    joints, ptr, dof = m.joints, m.markers.ptr.tolist(), m.markers.dof
    columns = (joints.order, joints.off, joints.mA, joints.mB, joints.ptr)
    order, offset, first, second, rows = (column.tolist() for column in columns)
    local, eq = joints.local.tolist(), joints.eq.tolist()
    for n, (N, o, i, k) in enumerate(zip(order, offset, first, second, strict=True)):
        block = B[o : o + N * N].reshape(N, N)
        dofs = np.concatenate((dof[ptr[i] : ptr[i + 1]], dof[ptr[k] : ptr[k + 1]]))
        equations = {local[j]: eq[j] - n_v for j in range(rows[n], rows[n + 1])}
        yield np.array(list(equations.values()), dtype=np.int64), dofs, block[: len(dofs), list(equations)].T
