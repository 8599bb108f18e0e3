"""G on the free velocities, read from the blocks that were evaluated last; its pattern is found once."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array

from flexmbs.core.contracts import IntArray
from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["ConstraintMatrix"]


class ConstraintMatrix:
    """G (n_c, n) of one `Dynamics` on the velocities at ``free``; ``E``: what these are on all velocities."""

    def __init__(self, dyn: Dynamics, free: IntArray, E: csc_array) -> None:
        self._dyn, self._E = dyn, E
        row, column, source = _entries(dyn)
        self._plain = not len(dyn.system.fixation.frame_dofs)
        n = dyn.n_v
        if self._plain:
            place = np.full(dyn.n_v, -1)
            place[free] = np.arange(len(free))
            there, n = place[column] >= 0, len(free)
            row, source, column = row[there], source[there], place[column[there]]
        keys, self._slot = np.unique(column * dyn.n_c + row, return_inverse=True)
        self._source = source
        where = (keys % max(dyn.n_c, 1), keys // max(dyn.n_c, 1))
        self._pattern = csc_array((np.ones(len(keys)), where), shape=(dyn.n_c, n))

    def read(self) -> csc_array:
        """G of the blocks evaluated last; always with the same pattern where no frame of a support is turned."""
        pattern = self._pattern
        data = np.bincount(self._slot, self._dyn.B[self._source], len(pattern.indices))
        whole = csc_array((data, pattern.indices, pattern.indptr), shape=pattern.shape)
        return whole if self._plain else csc_array(whole @ self._E)


def _entries(dyn: Dynamics) -> tuple[IntArray, IntArray, IntArray]:
    """Equation, place in v and place among the blocks of every entry of G."""
    m = dyn.mechanics
    joints, ptr, dof = m.joints, m.markers.ptr, m.markers.dof
    none = np.zeros(0, dtype=np.int64)
    row, column, source = [none], [none], [none]
    for n in range(len(joints.mA)):
        i, k, N = joints.mA[n], joints.mB[n], int(joints.order[n])
        dofs = np.concatenate((dof[ptr[i] : ptr[i + 1]], dof[ptr[k] : ptr[k + 1]]))
        own = slice(joints.ptr[n], joints.ptr[n + 1])
        for local, equation in dict(zip(joints.local[own].tolist(), joints.eq[own].tolist(), strict=True)).items():
            row.append(np.full(len(dofs), equation - dyn.n_v))
            column.append(dofs)
            source.append(int(joints.off[n]) + np.arange(len(dofs)) * N + local)
    return np.concatenate(row), np.concatenate(column), np.concatenate(source)
