r"""Linear models along a motion, for gain scheduling and for how deviations grow: dx/dt = A(t) x + B(t) u.

Along a motion :math:`x^*(t)` small deviations obey the equations of `flexmbs.analysis.moving_point`, with the same
independent coordinates at all times. Between samples the matrices are interpolated by cubic splines; deviations are
carried from one time to another by the product of exponentials of fourth order (Magnus).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.linalg import expm

from flexmbs.analysis.inputs import find_inputs
from flexmbs.analysis.linear_model import LinearModel
from flexmbs.analysis.linearise import linear_model_at
from flexmbs.analysis.moving_point import directions_in_motion, independent_places, point_in_motion, wanted_names
from flexmbs.analysis.operating_point import hold_outputs
from flexmbs.core.checks import as_array, as_count, as_number, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.minimal import Sizes, basis_with
from flexmbs.results.time import TimeSolution

__all__ = ["TimeVaryingModel", "linearise_along"]

SETTLED = 1e-9
"""Change of a transition matrix, relative to its size, by half the step, at which it counts as found."""
LEAST, MOST = 8, 8_192
"""Steps of it."""


@dataclass(frozen=True, eq=False, repr=False)
class TimeVaryingModel:
    r"""Small deviations from a motion, :math:`\dot x = A(t) x + B(t) u`, :math:`y = C(t) x + D(t) u`, at n times.

    Attributes
    ----------
    t : (n,) array
    A, B, C, D : (n, n_x, n_x), (n, n_x, n_u), (n, n_y, n_x), (n, n_y, n_u) arrays
    operating_outputs : (n, n_y) array
        What the sensors read along the motion.
    states, inputs, outputs : tuples of str
        The same at all times.
    sources, sensors : tuples
        As of `LinearModel`.
    """

    t: FloatArray
    A: FloatArray
    B: FloatArray
    C: FloatArray
    D: FloatArray
    operating_outputs: FloatArray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    sources: tuple[Any, ...] = ()
    sensors: tuple[Any, ...] = ()

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return (
            f"<linear models at {len(self)} times, t = {self.t[0]:g} to {self.t[-1]:g}: {len(self.states)} states, "
            f"{len(self.inputs)} inputs, {len(self.outputs)} outputs>"
        )

    def __getitem__(self, number: int) -> LinearModel:
        """The linear model of one of the times."""
        i = range(len(self))[number]
        return self._model(self.A[i], self.B[i], self.C[i], self.D[i], self.operating_outputs[i])

    def at(self, t: float) -> LinearModel:
        """The linear model at a time between the first and the last, interpolated by cubic splines.

        Raises
        ------
        ModelError
            If the time lies outside.
        """
        time = self._within("at", "t", t)
        return self._model(
            *(self._spline(x)(time) for x in (self.A, self.B, self.C, self.D, self.operating_outputs))
        )  # fmt: skip

    def _model(self, A: FloatArray, B: FloatArray, C: FloatArray, D: FloatArray, reading: FloatArray) -> LinearModel:
        """The linear model of one moment."""
        return LinearModel(A, B, C, D, self.states, self.inputs, self.outputs, reading, None, self.sources,
                           self.sensors)  # fmt: skip

    def transition(self, begin: float | None = None, end: float | None = None) -> FloatArray:
        """What a deviation x at ``begin`` has become at ``end``: x(end) = Phi x(begin), without inputs (n_x, n_x).

        Left out, from the first time to the last.

        Raises
        ------
        ModelError
            If a time lies outside, or the map does not settle with 8 192 steps.
        """
        a = float(self.t[0]) if begin is None else self._within("transition", "begin", begin)
        b = float(self.t[-1]) if end is None else self._within("transition", "end", end)
        steps, last, spline = LEAST, None, self._spline(self.A)
        while steps <= MOST:
            found = _product(spline, a, b, steps)
            if last is not None and np.abs(found - last).max() <= SETTLED * np.abs(found).max():
                return np.asarray(found + (found - last) / 15.0)
            steps, last = 2 * steps, found
        raise ModelError(f"transition: the map from t = {a:g} to {b:g} does not settle with {MOST} steps.")

    def _within(self, owner: str, name: str, t: float) -> float:
        time = as_number(owner, name, t, unit="time")
        if not self.t[0] <= time <= self.t[-1]:
            raise ModelError(f"{owner}: {name} = {time:g} lies outside of t = {self.t[0]:g} to {self.t[-1]:g}.")
        return time

    def _spline(self, values: FloatArray) -> Any:
        return CubicSpline(self.t, values, axis=0)


def _product(A: Any, begin: float, end: float, steps: int) -> FloatArray:
    h = (end - begin) / steps
    middle = begin + h * (np.arange(steps) + 0.5)
    shift = np.sqrt(3.0) / 6.0 * h
    first, second = A(middle - shift), A(middle + shift)
    whole = 0.5 * h * (first + second) - np.sqrt(3.0) / 12.0 * h * h * (first @ second - second @ first)
    found = np.eye(whole.shape[1])
    for factor in expm(whole):
        found = factor @ found
    return found


def linearise_along(
    run: TimeSolution,
    inputs: Sequence[Any] = (),
    outputs: Sequence[Any] = (),
    times: int | Sequence[float] | FloatArray = 51,
    *,
    coordinates: Sequence[str] = (),
) -> TimeVaryingModel:
    r"""Linear models along a run, with the same states at all times: what gain scheduling designs on.

    Parameters
    ----------
    run : TimeSolution
        A run that moves in any way.
    inputs, outputs
        As `linearise` takes them; prescribed motions are refused.
    times : int or sequence of float, default 51
        How many, equidistant, or which; at each the stored state nearest to it is taken.
    coordinates : sequence of str
        Names of the independent coordinates; left out, those whose basis grows least along the run are taken.

    Returns
    -------
    TimeVaryingModel

    Raises
    ------
    ModelError
        If the run has fewer stored states than times, an input is unknown, no coordinates stay independent along the
        run, something rolls, or the model has more than 1 500 free velocities.

    Notes
    -----
    A and B are exact but for the terms of the second derivatives of constraints, by central differences (1e-9). The
    last digits are those of the stored states: constraints that the run has met.

    Examples
    --------
    A pendulum that falls from the side: A(t) = [[0, 1], [-m g l cos(angle) / J, 0]].

    >>> import flexmbs as fx
    >>> bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.5, 0.0), name="bar")
    >>> hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    >>> run = fx.simulate(fx.Model(bar, hinge, fx.Gravity((0, -9.81))), until=0.5, step=1e-3)
    >>> along = fx.linearise_along(run, [fx.JointForce(hinge, 1.0)], times=11)
    >>> along.A[0].round(3).tolist(), along.B[0].round(3).tolist()
    ([[0.0, 1.0], [0.0, 0.0]], [[0.0], [1.667]])
    >>> import math
    >>> bool(abs(along.A[-1][1, 0] + 16.35 * math.sin(-run.angle(bar)[-1])) < 1e-9)
    True
    """
    owner = "linearise_along"
    if not isinstance(run, TimeSolution):
        raise ModelError(f"{owner}: expected a run as simulate gives it, not {show(run)}.")
    steps = _steps(owner, run, times)
    chosen = find_inputs(run.system.model, inputs)
    if any(i.kind == "motion" for i in chosen):
        raise ModelError(f"{owner}: prescribed motions are no inputs about motions; take loads or actuators.")
    names = wanted_names(owner, coordinates)
    wanted = None
    for point in _points(owner, run, steps[:1]):
        wanted = independent_places(owner, point, names)
    independent = _best(owner, run, steps) if wanted is None else wanted
    models = [linear_model_at(point, chosen, outputs, independent) for point in _points(owner, run, steps)]
    one = models[0]
    A, B, C, D, reading = (
        np.array([getattr(x, name) for x in models]) for name in ("A", "B", "C", "D", "operating_outputs")
    )
    return TimeVaryingModel(np.asarray(run.t)[steps], A, B, C, D, reading, one.states, one.inputs, one.outputs,
                            one.sources, one.sensors)  # fmt: skip


def _steps(owner: str, run: TimeSolution, times: Any) -> IntArray:
    """Numbers of the stored states that are taken."""
    t = np.asarray(run.t)
    if isinstance(times, int | np.integer) and not isinstance(times, bool):
        wanted = np.linspace(t[0], t[-1], as_count(owner, "times", times, minimum=2))
    else:
        wanted = as_array(owner, "times", times, (None,), unit="time")
        slack = 1e-9 * max(float(t[-1] - t[0]), 1e-300)
        if len(wanted) < 2 or np.any(np.diff(wanted) <= 0.0) or wanted[0] < t[0] - slack or wanted[-1] > t[-1] + slack:
            raise ModelError(f"{owner}: times must be ascending, two or more, within t = {t[0]:g} to {t[-1]:g}.")
    found = np.abs(t[:, None] - wanted).argmin(axis=0)
    if len(np.unique(found)) < len(found):
        raise ModelError(
            f"{owner}: the run has {len(t)} stored states, too few for {len(wanted)} times; store more, ask for fewer."
        )
    return np.asarray(found, dtype=np.int64)


def _points(owner: str, run: TimeSolution, steps: IntArray) -> Any:
    """The operating points at stored states, with turns counted along the run."""
    dyn = Dynamics(run.system)
    dyn.start_turns(float(run.t[0]))
    dyn.compliance(len(run.redundant) > 0)
    hold_outputs(dyn, run)
    taken = set(steps.tolist())
    nothing = np.zeros(dyn.n_v)
    for k in range(int(steps[-1]) + 1):
        q, v = np.array(run.q[k]), np.array(run.v[k])
        run.set_loads(dyn, k)
        if k in taken:
            yield point_in_motion(owner, dyn, float(run.t[k]), q, v, run.redundant)
        else:
            dyn.residual(q, v, nothing, np.zeros(dyn.n_c))
            dyn.accept(q)


def _best(owner: str, run: TimeSolution, steps: IntArray) -> IntArray | None:
    """Coordinates that stay independent at all times, with the least growth of the basis in sizes of the model."""
    matrices: list[FloatArray] = []
    candidates: list[IntArray] = []
    size = rows = np.ones(0)
    for point in _points(owner, run, steps):
        dyn, lin = point.dyn, point.lin
        if not dyn.n_c:
            return None
        size, rows = np.where(lin.states, np.inf, dyn.system.increment_sizes[lin.free]), dyn.equation_sizes
        G = lin.G.toarray()
        G[:, lin.states] = 0.0
        matrices.append(G)
        own = directions_in_motion(owner, point).independent
        if not any(np.array_equal(own, x) for x in candidates):
            candidates.append(own)
    still = np.flatnonzero(np.isfinite(size))

    def growth(places: IntArray) -> float:
        found = [basis_with(G[:, still], Sizes(size[still], rows), np.searchsorted(still, places)) for G in matrices]
        if any(x is None for x in found):
            return float(np.inf)
        return max(float(np.abs(x[0] / size[still, None] * size[places]).max(initial=0.0)) for x in found if x)

    grown = [growth(places) for places in candidates]
    if not np.isfinite(min(grown)):
        raise ModelError(
            f"{owner}: no coordinates stay independent along the run of model {run.system.model.name!r}; take a part "
            f"of the run, or name them: coordinates=[...]."
        )
    return candidates[int(np.argmin(grown))]
