r"""Floquet multipliers of periodic motions.

Small deviations y of a motion, rotations counted in inertial axes, obey

.. math:: M(t)\,\ddot y + [D + M U](t)\,\dot y + K(t)\,y + G^T\delta\lambda = 0, \qquad G(t)\,y = 0,

with the tangents at the motion (`flexmbs.analysis.steady_motion`, seen by an observer who does not turn). Of a periodic
motion the matrices are periodic. They are taken at equidistant times; with the same independent coordinates z at all of
them, y = N(t) z, derivatives of N and values in between follow from Fourier's series, which is exact to round-off for
smooth motions and enough samples. The map over the period is the product of exponentials of fourth order (Magnus), with
steps that are halved until the multipliers stay.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import expm
from scipy.sparse import csc_array

from flexmbs.analysis.output import Output
from flexmbs.analysis.simulate import simulate
from flexmbs.analysis.steady_motion import Observer, quaternion_places, rotation_blocks, turned
from flexmbs.core.checks import as_count, as_number, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ConvergenceError, ModelError
from flexmbs.dynamics.consistent_state import accelerations
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import linearise_state, rolling_rows
from flexmbs.dynamics.minimal import DENSE, Sizes, basis_with, dependent_first, partitioned_basis
from flexmbs.integrators.contracts import StepState
from flexmbs.kernels.trees.group import SCREW
from flexmbs.model.model import Model
from flexmbs.results.floquet import FloquetMultipliers
from flexmbs.results.time import TimeSolution
from flexmbs.system.system import System

__all__ = ["floquet"]

PERIODIC = 1e-3
"""Difference of the states at both ends, relative to the size of the motion, up to which it is periodic."""
RESTING = 1e-6
"""Size of a motion, in sizes of the model, up to which it is rest, whose matrices are constant."""
SETTLED = 1e-9
"""Change of the map, relative to its size, by half the step, at which it counts as found."""
SINGULAR = 8.0
"""Growth of what depends on the independent coordinates from which on these are to blame for what is not resolved."""
LEAST, MOST = 64, 16_384
"""Steps over the period."""


def floquet(
    model: Model | System | TimeSolution, period: float, samples: int = 64, step: float | None = None
) -> FloquetMultipliers:
    r"""Floquet multipliers of a periodic motion: whether small deviations grow from one period to the next.

    Parameters
    ----------
    model : Model, System or TimeSolution
        What moves: from its initial state, or on from the end of a run. The motion has to be periodic from there; one
        that settles is run until it has.
    period : float
        [time]; for rotors that of a whole turn.
    samples : int, default 64
        Times at which the equations are linearised.
    step : float, optional
        Of the run over the period [time]; by default an eighth of the time between samples.

    Returns
    -------
    FloquetMultipliers

    Raises
    ------
    ModelError
        If the motion is not periodic, something rolls, the model has sampled controllers or a `FirstOrder`, or more
        than 1 500 free velocities, or other coordinates would have to be independent within the period.
    ConvergenceError
        If the map over the period is not found with 16 384 steps, or more samples are needed.

    Notes
    -----
    Rotors whose matrices are constant in some frame have roots (`solve_modal`), which tell more. Rolling counts as a
    constraint on positions as well. The bristles of friction and the pins of latches are states that are taken, with
    their integrals: each has one multiplier of 1 more. Angles are compared but for whole turns.

    Examples
    --------
    A pendulum of 1 Hz on a pivot that shakes vertically with 2 Hz is thrown off (Mathieu).

    >>> import math
    >>> import flexmbs as fx
    >>> pivot = fx.PlanarRigidBody(1.0, 0.01, position=(0, 0), name="pivot")
    >>> bar = fx.PlanarRigidBody(1.0, 1e-9, position=(0, -0.2485), name="bar")
    >>> rail, pin = fx.PrismaticJoint(fx.ground, pivot, at=(0, 0), axis=(0, 1)), fx.RevoluteJoint(pivot, bar, at=(0, 0))
    >>> motion = fx.motions.Sine(amplitude=0.02, frequency=2.0, phase=math.pi / 2, offset=-0.02)
    >>> shake = fx.TranslationDriver(rail, motion)
    >>> fx.floquet(fx.Model(pivot, bar, rail, pin, shake, fx.Gravity((0, -9.81))), period=0.5).stable
    False
    """
    length = as_number("floquet", "period", period, above=0.0, unit="time")
    count = as_count("floquet", "samples", samples, minimum=8)
    if not isinstance(model, Model | System | TimeSolution):
        raise ModelError(f"floquet: expected a Model or a run, not {show(model)}.")
    parts = 8 if step is None else max(1, round(length / count / as_number("floquet", "step", step, above=0.0)))
    described = model.system.model if isinstance(model, TimeSolution) else model
    described = described.model if isinstance(described, System) else described
    if described.controllers or described.states:
        raise ModelError(
            f"floquet: model {described.name!r} has sampled controllers or a FirstOrder, which are left out of "
            f"this analysis; take forces that depend on positions and velocities in their place."
        )
    begin = float(model.t[-1]) if isinstance(model, TimeSolution) else 0.0
    run = simulate(
        model.system if isinstance(model, TimeSolution) else model,
        until=begin + length,
        step=length / count / parts,
        start=model if isinstance(model, TimeSolution) else None,
        output=Output(every=length / count, energy=False),
    )
    return _of_run(run, begin, length, count)


def _of_run(run: TimeSolution, begin: float, length: float, count: int) -> FloquetMultipliers:
    """From the states of a run over the period."""
    dyn = Dynamics(run.system)
    rolling = np.flatnonzero(rolling_rows(dyn))
    if len(rolling):
        raise ModelError(
            f"floquet: {dyn.mechanics.names[rolling[0]]} of model {run.model.name!r} constrains velocities and not "
            f"positions; periodic motions that roll are not treated, steady ones are by solve_modal and linearise."
        )
    n = len(run.system.free) - dyn.n_c
    if n > DENSE:
        raise ModelError(f"floquet: it goes up to {DENSE} free velocities; this model has {n}.")
    places = [int(np.argmin(np.abs(run.t - (begin + length * k / count)))) for k in range(count + 1)]
    _refuse_open(dyn, run, places)
    independent = None
    M, C, S, N = [], [], [], []
    for k in places[:-1]:
        t, q, v = float(run.t[k]), np.array(run.q[k]), np.array(run.v[k])
        run.set_loads(dyn, k)
        a, lam = accelerations(dyn, t, q, v)
        state = StepState(t, q, v, a, a, lam, v, 0.0)
        lin = linearise_state(dyn, state)
        E = lin.directions
        X = csc_array(E.T @ rotation_blocks(dyn, state) @ E)
        U = csc_array(E.T @ turned(dyn, state, Observer(np.zeros(3), np.zeros(3)))[1] @ E)
        M.append((X.T @ lin.M @ X).toarray())
        C.append((X.T @ (lin.D + lin.M @ U) @ X).toarray())
        S.append((X.T @ lin.K @ X).toarray())
        G, sizes = (lin.G @ X).toarray(), Sizes.of(dyn, lin.free)
        if independent is None:
            basis, _, independent = partitioned_basis(G, sizes, dependent_first(dyn, lin))
            if not len(independent):
                raise ModelError(
                    f"floquet: joints and drivers of model {run.model.name!r} leave nothing free that could deviate; "
                    f"it has no multipliers."
                )
            units = sizes.columns
            names = tuple(dyn.coordinates.describe(int(lin.free[i])) for i in independent)
        else:
            basis = _with(G, sizes, independent)
        N.append(basis)
    A = _first_order(np.array(M), np.array(C), np.array(S), np.array(N), length)
    if not _resolved(A):
        reach = np.array([np.abs(x / units[:, None] * units[independent]).max(initial=0.0) for x in N])
        if reach.max() > SINGULAR * reach.min():
            raise ModelError(
                f"floquet: {', '.join(names)} are the independent coordinates, and about t = "
                f"{run.t[places[int(np.argmax(reach))]]:.6g} the others do not follow from them (they move up to "
                f"{reach.max():.3g} times as far). linearise_along(run, times=...).transition() goes on with other "
                f"coordinates; the eigenvalues of its last map over a period are the multipliers."
            )
        raise ConvergenceError(f"floquet: {count} samples do not resolve the motion; take twice as many.")
    found = _map(A, length)
    multipliers = np.linalg.eigvals(found)
    order = np.lexsort((-multipliers.imag, -np.round(np.abs(multipliers), 9)))
    return FloquetMultipliers(
        multipliers=multipliers[order], period=length, map=found, states=(*names, *(f"rate of {x}" for x in names))
    )


def _refuse_open(dyn: Dynamics, run: TimeSolution, places: list[int]) -> None:
    """Refuse motions whose ends differ; quaternions of both signs are one orientation."""
    first, last = np.array(run.q[places[0]]), np.array(run.q[places[-1]])
    q = np.asarray(run.q)[places]
    for i in quaternion_places(dyn):
        if first[i : i + 4] @ last[i : i + 4] < 0.0:
            last[i : i + 4] *= -1.0
    turns = np.zeros(len(first), dtype=bool)
    turns[dyn.angles_of_bodies] = True  # as q and v of planar bodies have the same places
    turns[_angles_of_trees(dyn)] = True
    off = last - first
    off[turns] -= 2.0 * np.pi * np.round(off[turns] / (2.0 * np.pi))
    of_rates, of_places = dyn.velocity_sizes, np.ones(len(first))
    of_places[: dyn.n_linear] = of_rates[: dyn.n_linear]
    for i in quaternion_places(dyn):
        of_places[i - 3 : i] = dyn.length  # as q of spatial bodies has it: the place before the quaternion
    rates = np.asarray(run.v)[places]
    slow = 1e-9 * float(np.abs(rates / of_rates).max(initial=0.0)) + RESTING / float(
        run.t[places[-1]] - run.t[places[0]]
    )
    worst = max(_share(off, q, of_places, RESTING), _share(rates[-1] - rates[0], rates, of_rates, slow))
    if worst > PERIODIC:
        raise ModelError(
            f"floquet: the motion is not periodic: after the period the state is off by {worst:.2g} of the motion. "
            f"Check the period; run a motion that settles until it has, and pass the run."
        )


def _angles_of_trees(dyn: Dynamics) -> IntArray:
    """Places in q of coordinates of trees that turn what follows and do nothing else: a whole turn of them is none."""
    found = [np.zeros(0, dtype=np.int64)]
    for tree in dyn.system.model.trees:
        places = dyn.coordinates.tree(tree)
        screw = places.columns.screw
        turning = np.any(screw[:, 3:], axis=1) & (np.einsum("ij,ij->i", screw[:, :3], screw[:, 3:]) == 0.0)
        found.append(places.qi[turning & (places.columns.kind == SCREW)])
    return np.concatenate(found)


def _share(off: FloatArray, values: FloatArray, sizes: FloatArray, least: float) -> float:
    """The largest difference over the range of all values (n_t, n), in their sizes; states have ranges of their own."""
    ranges = np.ptp(values, axis=0)
    common = max(float((ranges / sizes).max(initial=0.0)), least)
    scale = np.where(np.isfinite(sizes), common * sizes, np.maximum(ranges, least))
    return float((np.abs(off) / scale).max(initial=0.0))


def _with(G: FloatArray, sizes: Sizes, independent: Any) -> FloatArray:
    """The basis with unit rows at given coordinates."""
    found = basis_with(G, sizes, independent)
    if found is None or np.abs(found[0] / sizes.columns[:, None] * sizes.columns[independent]).max(initial=0.0) > 1e6:
        raise ModelError(
            "floquet: the coordinates that are independent at the beginning are not so within the period; begin "
            "at another moment of it."
        )
    return found[0]


def _first_order(M: FloatArray, C: FloatArray, S: FloatArray, N: FloatArray, length: float) -> FloatArray:
    """A (n_t, 2 m, 2 m) of d/dt (z, dz/dt) = A (z, dz/dt) at the samples."""
    count, _, m = N.shape
    wave = 2j * np.pi / length * np.fft.rfftfreq(count, 1.0 / count)
    if count % 2 == 0:
        wave[-1] = 0.0
    spectrum = np.fft.rfft(N, axis=0)
    N1 = np.fft.irfft(spectrum * wave[:, None, None], count, axis=0)
    N2 = np.fft.irfft(spectrum * (wave**2)[:, None, None], count, axis=0)
    T = N.transpose(0, 2, 1)
    mass = T @ M @ N
    damping, stiffness = T @ (2.0 * M @ N1 + C @ N), T @ (M @ N2 + C @ N1 + S @ N)
    A = np.zeros((count, 2 * m, 2 * m))
    A[:, :m, m:] = np.eye(m)
    try:
        A[:, m:, :m], A[:, m:, m:] = -np.linalg.solve(mass, stiffness), -np.linalg.solve(mass, damping)
    except np.linalg.LinAlgError:
        raise ModelError("floquet: something that moves has no mass; give it some.") from None
    return A


def _resolved(A: FloatArray) -> bool:
    """Whether the highest waves of the samples are small."""
    size = np.abs(np.fft.rfft(A, axis=0)).max(axis=(1, 2))
    return bool(size[-max(len(A) // 16, 1) :].max() <= 1e-6 * size.max())


def _map(A: FloatArray, length: float) -> FloatArray:
    """The map over the period, by Magnus' series of fourth order."""
    count, spectrum = len(A), np.fft.rfft(A, axis=0)
    steps, last = LEAST, None
    while steps <= MOST:
        found = _product(spectrum, count, length, steps)
        if last is not None and np.abs(found - last).max() <= SETTLED * np.abs(found).max():
            return np.asarray(found + (found - last) / 15.0)
        steps, last = 2 * steps, found
    raise ConvergenceError(f"floquet: the map over the period does not settle with {MOST} steps.")


def _product(spectrum: Any, count: int, length: float, steps: int) -> FloatArray:
    h = length / steps
    shift = np.sqrt(3.0) / 6.0
    weights = np.full(len(spectrum), 2.0)
    weights[0] = 1.0
    if count % 2 == 0:
        weights[-1] = 1.0
    order = np.arange(len(spectrum))

    def at(part: FloatArray) -> FloatArray:
        turn = np.exp(2j * np.pi * np.outer(part, order)) * weights / count
        return np.asarray(np.real(np.tensordot(turn, spectrum, axes=(1, 0))))

    middle = (np.arange(steps) + 0.5) / steps
    first, second = at(middle - shift / steps), at(middle + shift / steps)
    whole = 0.5 * h * (first + second) - np.sqrt(3.0) / 12.0 * h * h * (first @ second - second @ first)
    found = np.eye(spectrum.shape[1])
    for factor in expm(whole):
        found = factor @ found
    return found
