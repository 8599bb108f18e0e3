r"""Any state of motion as a point about which a model is linearised.

Increments y are those of the coordinates themselves, rotations in body axes, so that

.. math:: \delta v = \dot y + W y, \qquad \delta a = \ddot y + W \dot y + \dot W y

with :math:`\omega\times` on rotations in W and :math:`\dot\omega\times` in :math:`\dot W`, and, with M, D and K at the
state, its velocities and accelerations,

.. math:: M\ddot y + (D + M W)\,\dot y + (K + D W + M\dot W)\,y + G^T\delta\lambda = 0.

The matrices belong to this moment. With independent coordinates among y, :math:`y = N(t)\,z`, also the derivatives of N
along the motion belong to the equations: :math:`\dot y = N\dot z + \dot N z` and
:math:`\ddot y = N\ddot z + 2\dot N\dot z + \ddot N z`. They follow from the constraints on velocities and
accelerations,

.. math:: G\,\delta v + \frac{\partial (G v)}{\partial q}\,y = 0, \qquad
   G\,\delta a + \frac{\partial (G a + \gamma)}{\partial q}\,y + \frac{\partial\gamma}{\partial v}\,\delta v = 0.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array

from flexmbs.analysis.directions import Directions
from flexmbs.analysis.operating_point import OperatingPoint, described_state, hold_outputs, solved_state
from flexmbs.analysis.steady_motion import FrameMatrices, body_rotations
from flexmbs.core.checks import is_list, show
from flexmbs.core.contracts import FloatArray, IntArray, State
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.dynamics.consistent_state import accelerations
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import linearise_state, moved, refuse_reactions
from flexmbs.dynamics.minimal import Sizes, basis_with, dependent_first, partitioned_basis
from flexmbs.integrators.contracts import StepState
from flexmbs.model.model import Model
from flexmbs.system.system import System

__all__ = ["directions_in_motion", "independent_places", "moving_point", "point_in_motion", "wanted_names"]

STEP = 1e-5
"""Step of the differences of constraints, in sizes of the model and radians."""


def moving_point(owner: str, model: object, off: tuple[int, ...] = ()) -> OperatingPoint:
    """The initial state of a model, or the last state of a solution, however it moves; loads ``off`` do not act.

    ``off``: their numbers.

    Raises
    ------
    ModelError
        If something rolls or is driven by a rate.
    """
    if isinstance(model, Model | System):
        dyn, t, q, v, redundant = described_state(owner, model, off, False, 1.0)
    else:
        dyn, t, q, v, redundant = solved_state(owner, model)
    hold_outputs(dyn, model)
    return point_in_motion(owner, dyn, t, q, v, redundant)


def point_in_motion(
    owner: str, dyn: Dynamics, t: float, q: FloatArray, v: FloatArray, redundant: tuple[str, ...]
) -> OperatingPoint:
    """The point at a consistent state, with the accelerations that begin there."""
    rolling = np.flatnonzero(dyn.velocity_rows == 1)
    if len(rolling):
        raise ModelError(
            f"{owner}: {dyn.system.mechanics.names[rolling[0]]} of model {dyn.system.model.name!r} constrains "
            f"velocities and not positions; about a motion that is not steady such models are not linearised."
        )
    dyn.set_time(t)
    a, lam = accelerations(dyn, t, q, v)
    state = StepState(t, q, v, a, a, lam, v, 0.0)
    dyn.residual(q, v, a, lam)
    dyn.accept(q)
    refuse_reactions(dyn, state)
    lin = linearise_state(dyn, state)
    E = lin.directions
    W, rate = (csc_array(E.T @ x @ E) for x in body_rotations(dyn, state))
    frame = FrameMatrices(
        lin.M, csc_array(lin.D + lin.M @ W), csc_array(lin.K + lin.D @ W + lin.M @ rate), lin.G, W, W, rate
    )
    return OperatingPoint(dyn, state, lin, redundant, None, frame, True)


def wanted_names(owner: str, coordinates: object) -> tuple[str, ...]:
    """Names of coordinates, checked."""
    listed = coordinates if is_list(coordinates) and not isinstance(coordinates, str) else (coordinates,)
    if any(not isinstance(x, str) for x in listed):
        raise ModelError(f"{owner}: coordinates must be a list of names of coordinates, not {show(coordinates)}.")
    names = tuple(str(x) for x in listed)
    if len(set(names)) < len(names):
        raise ModelError(f"{owner}: coordinates names one twice: {names}.")
    return names


def independent_places(owner: str, point: OperatingPoint, wanted: tuple[str, ...]) -> IntArray | None:
    """Places among the free velocities of wanted coordinates; None where nothing is wanted."""
    if not wanted:
        return None
    names = [point.dyn.coordinates.describe(int(k)) for k in point.lin.free]
    for name in wanted:
        if name not in names:
            raise ModelError(f"{owner}: {unknown_name('coordinate', name, names)}")
    return np.array(sorted(names.index(name) for name in wanted), dtype=np.int64)


def directions_in_motion(owner: str, point: OperatingPoint, independent: IntArray | None = None) -> Directions:
    """The directions that the constraints allow, and how they change along the motion."""
    dyn, lin, frame = point.dyn, point.lin, point.matrices
    n, still = len(lin.free), np.flatnonzero(~lin.states)
    G, sizes = lin.G.toarray()[:, still], Sizes.of(dyn, lin.free[still])
    if independent is None:
        inner, pseudo, places = partitioned_basis(G, sizes, dependent_first(dyn, lin)[still])
    else:
        places = np.searchsorted(still, independent)
        found = basis_with(G, sizes, places)
        if found is None:
            names = ", ".join(dyn.coordinates.describe(int(lin.free[k])) for k in independent)
            raise ModelError(
                f"{owner}: at t = {point.state.t:g} the coordinates {names} do not describe the motion of model "
                f"{dyn.system.model.name!r}: another must be independent there, or another number of them."
            )
        inner, pseudo = found
    N, P = np.zeros((n, inner.shape[1])), np.zeros((n, dyn.n_c))
    N[still], P[still] = inner, pseudo
    zero = np.zeros_like(N)
    if not dyn.n_c:
        return Directions(N, N, zero, still[places], P, zero, zero)
    W, by_positions = frame.W, frame.by_positions
    turning = -P @ _changes(point, N, W @ N, None)
    rates = turning + W @ N
    bending = -P @ _changes(point, N, rates, W @ turning + by_positions @ N)
    slowing = -P @ _changes(point, zero, N, W @ N)
    return Directions(N, N, turning, still[places], P, slowing, bending)


def _changes(point: OperatingPoint, Q: FloatArray, V: FloatArray, A: FloatArray | None) -> FloatArray:
    """Central differences (n_c, m) of G v + g_t, or with ``A`` of G a + gamma, along changes of q, v and a."""
    dyn, s, E = point.dyn, point.state, point.lin.directions
    size = dyn.system.increment_sizes
    fast = max(float(np.abs(s.v / size).max(initial=0.0)), 1e-300)
    out = np.zeros((dyn.n_c, Q.shape[1]))
    for j in range(Q.shape[1]):
        dq, dv = E @ Q[:, j], E @ V[:, j]
        da = None if A is None else E @ A[:, j]
        far = float(np.abs(dq / size).max(initial=0.0))
        h = STEP / far if far else fast / max(float(np.abs(dv / size).max(initial=0.0)), 1e-300)
        sides = []
        for step in (h, -h):
            q, v = moved(dyn, s.q, step * dq), s.v + step * dv
            if da is None:
                dyn.place(State(q, v, s.a, s.lam))
                sides.append(dyn.rates())
                continue
            a = s.a + step * da
            dyn.place(State(q, a, a, s.lam))
            sides.append(dyn.rates() + dyn.motion[:, 1] + dyn.gamma(q, v))
        out[:, j] = (sides[0] - sides[1]) / (2.0 * h)
    dyn.residual(s.q, s.v, s.a, s.lam)
    return out
