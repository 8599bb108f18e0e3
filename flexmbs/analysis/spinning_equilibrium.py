r"""The shape in which something turns steadily.

The balance of forces in the frame of an observer, :math:`r(q, v(q), a(q), \lambda) = 0`, has the stiffness of small
motions that he sees (`flexmbs.analysis.steady_motion`) as its derivative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import block_array, csc_array, diags_array, eye_array
from scipy.sparse.linalg import splu

from flexmbs.analysis.steady_motion import FrameMatrices, Observer, in_frame, own_spins, predicted, turned
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import FlexmbsError
from flexmbs.dynamics.linearisation import ConstrainedLinearisation, linearise_state, moved
from flexmbs.integrators.contracts import StepState

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["balanced"]

ITERATIONS, LONG, CLOSE = 60, 0.3, 1e-7
"""Of the balance in the frame: how many, largest increment [lengths of the model, rad], and one near the end."""


def balanced(dyn: Dynamics, state: StepState, seen_by: Observer) -> StepState | None:
    """The state near a given one in which the forces balance in the frame; None where Newton's method finds none.

    Bodies keep their angular velocities against the frame in their own axes, all else its rates.
    """
    own = own_spins(dyn, state, seen_by)
    q, lam = state.q, state.lam
    sizes = dyn.system.increment_sizes
    last = np.inf
    try:
        for _ in range(ITERATIONS):
            v, a = predicted(dyn, state._replace(q=q), seen_by, own)
            here = StepState(state.t, q, v, a, a, lam, v, 0.0)
            lin = linearise_state(dyn, here)
            matrices = in_frame(lin, *turned(dyn, here, seen_by))
            dyn.T[:] = np.eye(3)
            r = dyn.residual(q, v, a, lam).copy()
            gap = np.where(dyn.velocity_rows == 0, r[dyn.n_v :], 0.0)
            d, change = _increment(dyn, lin, matrices, r[: dyn.n_v], gap)
            size = float(np.abs(d / sizes).max(initial=0.0))
            if not np.isfinite(size):
                return None
            share = min(1.0, LONG / max(size, 1e-300))
            q, lam = moved(dyn, q, share * d), lam + share * change
            dyn.residual(q, v, a, lam)
            dyn.accept(q)
            if size <= CLOSE and size >= 0.3 * last:  # round-off is reached, or nothing is left at all
                v, a = predicted(dyn, state._replace(q=q), seen_by, own)
                return StepState(state.t, q, v, a, a, lam, v, 0.0)
            last = size
    except (FlexmbsError, RuntimeError):
        return None
    return None


def _increment(
    dyn: Dynamics, lin: ConstrainedLinearisation, matrices: FrameMatrices, r: FloatArray, gap: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Newton's increments of positions and multipliers; a little mass holds what turns freely about the axis."""
    n = len(lin.free)
    M, S = matrices.M, matrices.S
    ratio = np.abs(S.diagonal()) / np.maximum(M.diagonal(), 1e-300)
    ratio = ratio[(M.diagonal() > 0.0) & (ratio > 0.0)]
    held = 1e-12 * float(np.median(ratio)) if len(ratio) else 1e-12
    A = S + held * M + held * diags_array(lin.states.astype(np.float64)) + 0.0 * eye_array(n)
    if dyn.n_c:
        slack = np.maximum(dyn.multiplier_compliance, 0.0)
        A = block_array([[A, lin.G.T], [lin.G, -diags_array(slack)]])
    x = splu(csc_array(A)).solve(-np.concatenate((lin.directions.T @ r, gap)))
    return np.asarray(lin.directions @ x[:n]), np.asarray(x[n:])
