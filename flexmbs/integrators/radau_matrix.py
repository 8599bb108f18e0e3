r"""The matrices of a step of Radau IIA: Jacobian blocks at one state, a real and a complex factorisation for each step.

With w = h / eigenvalue both are, in the unknowns :math:`(\delta v, w\,\delta\lambda)`,

.. math:: \begin{bmatrix} M + w D + w^2 K & G^T \\ G + w\,(Gv)_q & -C \end{bmatrix}

with the compliance C of multipliers beside redundant constraints. The blocks are kept by powers of w, so that a new
step size needs no evaluation.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import lapack
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from flexmbs.core.errors import SingularError
from flexmbs.core.sparsity import rotate_blocks
from flexmbs.dynamics.step_matrix import mass_in_frames, possible_entries
from flexmbs.integrators.collocation import COMPLEX, REAL
from flexmbs.kernels.steps import reduce, spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flexmbs.core.contracts import FloatArray
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.contracts import StepState

    ComplexArray = NDArray[np.complex128]

__all__ = ["RadauMatrix"]

DENSE = 90
"""Unknowns up to which the complex matrix is dense."""


SOFTER = 1e3
"""Compliance of multipliers here over that of the model.

What contradicts itself by round-off along redundant constraints becomes multipliers in proportion to its inverse; the
iteration loses that share of its speed along constraints that are nearly redundant. Between 1e3 and 1e4 both are small.
"""


class RadauMatrix:
    """Jacobian and factors for one system.

    Attributes
    ----------
    jacobians : int
        Linearisations so far, each of two evaluations.
    """

    def __init__(self, dynamics: Dynamics) -> None:
        self.dynamics = dyn = dynamics
        system = dyn.system
        n_v, n = dyn.n_v, system.n
        self.jacobians = 0
        self._at: StepState | None = None
        self._h = np.nan
        mass = mass_in_frames(system, system.mass_blocks)
        live = (system.entry_rows >= 0) & (system.entry_columns >= 0)
        keep = np.flatnonzero(live & possible_entries(system, dyn.mechanics))
        massive = np.flatnonzero(live[: len(mass)] & (mass != 0.0))
        equations = np.flatnonzero(system.free >= n_v)
        row = np.concatenate((system.entry_rows[keep], system.entry_rows[massive], equations)).astype(np.int64)
        col = np.concatenate((system.entry_columns[keep], system.entry_columns[massive], equations)).astype(np.int64)
        places, slots = np.unique(col * n + row, return_inverse=True)
        self._keep, self._slots = keep, slots[: len(keep)]
        self._shape = n, len(places)
        self._indices = (places % n).astype(np.int32)
        self._indptr = np.searchsorted(places // n, np.arange(n + 1)).astype(np.int32)
        self._flat = places  # column by column, as LAPACK wants them
        self._mass = np.bincount(slots[len(keep) : len(keep) + len(massive)], mass[massive], minlength=len(places))
        self._diagonal, self._equations = slots[len(keep) + len(massive) :], system.free[equations] - n_v
        self._in_rows, columns = system.constraint_entries
        self._in_columns = self._in_rows | columns
        self._B = np.zeros((3, len(dyn.B)))
        self._powers = np.zeros((3, len(places)))
        self._K = csc_array((np.zeros(len(places)), self._indices, self._indptr), shape=(n, n))
        self._whole = np.zeros(n_v + dyn.n_c)
        self._dense = n <= DENSE

    def forget(self) -> None:
        """Drop Jacobian and factors."""
        self._at, self._h = None, np.nan

    def is_at(self, state: StepState) -> bool:
        """Whether the Jacobian was made at this state."""
        at = self._at
        if at is None or at.t != state.t:
            return False
        pairs = ((at.q, state.q), (at.v, state.v), (at.a, state.a), (at.lam, state.lam))
        return all(np.array_equal(one, two) for one, two in pairs)

    def linearise(self, state: StepState) -> None:
        """Blocks at a state."""
        dyn = self.dynamics
        self.forget()
        began = perf_counter()
        dyn.T[:] = np.eye(3)
        dyn.set_time(state.t)
        arguments = state.q, state.v, state.a, state.lam
        dyn.tangent(*arguments, (1.0, 1.0), 1)
        difference = dyn.B.copy()
        dyn.tangent(*arguments, (0.0, 1.0), 1)  # the difference: K, and (G v)_q in the rows of constraints
        difference -= dyn.B
        self._B[0] = np.where(self._in_columns, dyn.B, 0.0)
        self._B[1] = np.where(self._in_columns, 0.0, dyn.B) + np.where(self._in_rows, difference, 0.0)
        self._B[2] = np.where(self._in_rows, 0.0, difference)
        system = dyn.system
        for power in range(3):
            blocks = self._B[power]
            if len(system.turned_blocks):
                blocks = blocks.copy()
                rotate_blocks(blocks, system.turned_blocks, dyn.frames)
            self._powers[power] = np.bincount(self._slots, blocks[self._keep], minlength=self._shape[1])
        self._powers[0] += self._mass
        self._powers[0][self._diagonal] -= SOFTER * dyn.multiplier_compliance[self._equations]
        self._K.data[:] = self._powers[2]
        self._at = state
        self.jacobians += 1
        dyn.seconds["evaluation"] += perf_counter() - began

    def factorise(self, h: float) -> None:
        """Both factorisations for a step h, if they are not there already."""
        if h == self._h:
            return
        dyn, w = self.dynamics, h / REAL
        dyn.B[:] = self._B[0] + w * (self._B[1] + w * self._B[2])
        dyn.factorise(1.0, SOFTER * dyn.multiplier_compliance)
        began = perf_counter()
        z = h / COMPLEX
        data = self._powers[0] + z * (self._powers[1] + z * self._powers[2])
        n = self._shape[0]
        dyn.factorisations += 1
        if self._dense:
            full = np.zeros(n * n, dtype=complex)
            full[self._flat] = data
            self._lu, self._pivots, info = lapack.zgetrf(full.reshape(n, n).T, overwrite_a=1)
            if info != 0:
                raise SingularError("the complex matrix of the step is singular")
        else:
            try:
                self._sparse = splu(csc_array((data, self._indices, self._indptr), shape=(n, n)))
            except RuntimeError as error:
                raise SingularError(f"the complex matrix of the step is singular ({error})") from None
        self._h = h
        dyn.seconds["factorisation"] += perf_counter() - began

    def solve_real(self, right: FloatArray) -> FloatArray:
        """Solution (n_v + n_c,) of the real system; a view that the next call overwrites."""
        dyn = self.dynamics
        np.negative(right, out=dyn.r)
        return dyn.solve(1.0, 1.0, 1.0)

    def solve_complex(self, right: ComplexArray) -> ComplexArray:
        """Solution (n_v + n_c,) of the complex system."""
        began = perf_counter()
        b = self._restricted(right.real) + 1j * self._restricted(right.imag)
        x = lapack.zgetrs(self._lu, self._pivots, b)[0] if self._dense else self._sparse.solve(b)
        out = np.empty(len(right), dtype=complex)
        out.real = self._spread(x.real)
        out.imag = self._spread(x.imag)
        self.dynamics.seconds["solve"] += perf_counter() - began
        return out

    def stiffness_times(self, x: FloatArray) -> FloatArray:
        """K x and zeros (n_v + n_c,) for x (n_v,)."""
        whole = np.zeros(len(self._whole))
        whole[: len(x)] = x
        return self._spread(self._K @ self._restricted(whole)).copy()

    def least(self, lam: FloatArray) -> FloatArray:
        """The multipliers (n_c,) of the same forces without a part along redundant constraints."""
        n_v = self.dynamics.n_v
        whole = np.zeros(len(self._whole))
        whole[n_v:] = lam
        first = csc_array((self._powers[0], self._indices, self._indptr), shape=self._K.shape)
        force = self._spread(first @ self._restricted(whole)).copy()
        force[n_v:] = 0.0
        return self.solve_real(force)[n_v:].copy()

    def _restricted(self, x: FloatArray) -> FloatArray:
        """On the unknowns, in the order of the solver."""
        dyn = self.dynamics
        b = np.empty(self._shape[0])
        reduce(
            np.ascontiguousarray(x).copy(), dyn.system.free, dyn.frame_dofs, dyn.frames, dyn.n_v, -1.0, -1.0, -1.0,
            dyn.velocity_rows, b,
        )  # fmt: skip
        return b

    def _spread(self, x: FloatArray) -> FloatArray:
        """On all velocities and equations; a view that the next call overwrites."""
        dyn = self.dynamics
        spread(np.ascontiguousarray(x), dyn.system.free, dyn.frame_dofs, dyn.frames, self._whole)
        return self._whole
