"""One scheme on one problem, from coarse to fine: error, time and work of every run, and why runs are missing."""

from __future__ import annotations

import gc
import statistics
import time
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.dynamics.energies import Energies
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators.contracts import StepResult, StepState
from flexmbs.results.status import Status
from flexmbs.verification.work_precision.problems import Problem
from flexmbs.verification.work_precision.schemes import Control, Scheme

__all__ = ["Curve", "Effort", "Run", "levels", "measure"]

LEVELS, TOLERANCES = 10, tuple(10.0**-k for k in range(3, 13))
SHORT = 0.25
"""Runs shorter than this [s] are repeated, and their median time is kept."""
GROWTH: dict[Control, float] = {"step": 2.0, "tolerance": 2.2}
"""How much longer the next run is expected to take; order 2 and up need at most 10^(1/3) more steps for a decade."""
COARSER: dict[Control, float] = {"step": 2.0, "tolerance": 10.0}
ROUGH = 1e-3
"""A first run more accurate than this is followed by coarser ones, so that the curve begins where schemes differ."""
LOOKED_AT = 40
"""States of a run at which the constraints and the energy are evaluated again."""


@dataclass(frozen=True)
class Effort:
    """How much a curve may cost.

    ``seconds`` of CPU time of all its runs, every how many levels one is run (``stride``), how many at ``most``, how
    often short ones are repeated, and which ``part`` of the motion is run.
    """

    seconds: float = 2.0
    stride: int = 1
    most: int = LEVELS
    repeats: int = 3
    part: float = 1.0


@dataclass(frozen=True)
class Run:
    """One run: ``level`` is its step [s] or its tolerance.

    ``error`` is the largest relative error at the ends of all steps, ``seconds`` the CPU time, ``gap`` the largest
    violation of the positions by joints, ``drift`` the largest change of the energy by its largest kinetic part (of a
    conservative problem). A run that failed has a ``failure`` and no error.
    """

    level: float
    error: float | None = None
    seconds: float = 0.0
    repeats: int = 1
    evaluations: int = 0
    factorisations: int = 0
    steps: int = 0
    rejected: int = 0
    gap: float | None = None
    drift: float | None = None
    failure: str = ""


@dataclass(frozen=True)
class Curve:
    """The runs of one scheme on one problem with one way of control; ``refused`` says why there are none."""

    problem: str
    scheme: str
    title: str
    control: Control
    runs: tuple[Run, ...] = ()
    refused: str = ""
    ended: str = ""

    @property
    def points(self) -> list[Run]:
        """The runs that came to their end."""
        return [run for run in self.runs if run.error is not None]

    @property
    def reason(self) -> str:
        """Why there is no point; empty where there is one."""
        if self.refused or self.points:
            return self.refused
        return self.runs[-1].failure if self.runs else self.ended


def levels(problem: Problem, control: Control, effort: Effort) -> list[float]:
    """Steps, or tolerances, from coarse to fine."""
    found = TOLERANCES if control == "tolerance" else tuple(problem.step / 2**k for k in range(LEVELS))
    return list(found[:: effort.stride][: effort.most])


def measure(problem: Problem, scheme: Scheme, control: Control, effort: Effort) -> Curve:
    """All runs of a curve, until it is as accurate as the reference or has cost what it may.

    Kernels are compiled by a short run before the first one. Only KeyboardInterrupt passes through: whatever else a
    scheme does becomes the reason why it has no point.
    """
    curve = Curve(problem.id, scheme.id, scheme.title, control)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # coarse steps gain energy; that is what is measured
        refusal = _refusal(problem, scheme, control, effort.part)
        if refusal:
            return replace(curve, refused=refusal)
        gc.collect()
        gc.freeze()  # what compilers leave takes the collector a quarter of a second, at a time of its own choosing
        return _refined(curve, problem, scheme.on(problem.step), effort)


def _refusal(problem: Problem, scheme: Scheme, control: Control, part: float) -> str:
    """Why a scheme does not take a problem; a run of a few steps, which also compiles the kernels."""
    span = min(problem.until, problem.step) / 64.0
    step = fx.FixedStep(span / 4.0) if control == "step" else fx.ErrorControl(rtol=1e-4)
    try:
        fx.simulate(problem.ready(part).system, span, step=step, integrator=scheme.on(problem.step), throw=False)
    except ModelError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - a scheme that breaks is a result, the others go on
        return f"{type(error).__name__}: {error}"
    return ""


def _refined(curve: Curve, problem: Problem, integrator: Any, effort: Effort) -> Curve:
    """The curve with its runs: coarser than the first level while that is very accurate, then finer."""
    runs: list[Run] = []
    began = time.process_time()
    first, *finer = levels(problem, curve.control, effort)
    coarser = [first * COARSER[curve.control] ** k for k in range(1, 5)]
    coarser = [
        level
        for level in coarser
        if level <= (0.1 if curve.control == "tolerance" else effort.part * problem.until / 8.0)
    ]

    def spent() -> float:
        return time.process_time() - began

    def add(level: float) -> float:
        """Make a run; the seconds that it has taken, without its repetitions."""
        limit = max(2.0 * effort.seconds - spent(), 0.5 * effort.seconds)
        start = time.process_time()
        run = _one(problem, integrator, curve.control, level, limit, effort.part)
        alone = time.process_time() - start
        repeats = [run.seconds]
        while (
            run.error is not None and run.seconds < SHORT and len(repeats) < effort.repeats and spent() < effort.seconds
        ):
            repeats.append(_one(problem, integrator, curve.control, level, limit, effort.part, look=False).seconds)
        runs.append(replace(run, seconds=statistics.median(repeats), repeats=len(repeats)))
        return alone

    def done(ended: str) -> Curve:
        return replace(curve, runs=tuple(sorted(runs, key=lambda run: -run.level)), ended=ended)

    expected = GROWTH[curve.control] * add(first)
    while coarser and runs[-1].error is not None and runs[-1].error < ROUGH and spent() < effort.seconds:
        add(coarser.pop(0))
    finest = runs[0]
    for level in finer:
        if finest.error is not None and finest.error < 3.0 * problem.accuracy:
            return done("as accurate as the reference")
        if spent() + expected > effort.seconds:
            return done("the time for this curve was used up")
        expected = GROWTH[curve.control] * add(level)
        finest = runs[-1]
    return done("all levels were run")


def _one(
    problem: Problem,
    integrator: Any,
    control: Control,
    level: float,
    seconds: float,
    part: float,
    look: bool = True,
) -> Run:
    """One run, of at most so many seconds; the error is left at zero unless it is to be looked at."""
    ready = problem.ready(part)
    step = fx.ErrorControl(rtol=level) if control == "tolerance" else fx.FixedStep(level)
    try:
        found = fx.simulate(
            ready.system, part * problem.until, step=step, integrator=_Limited(integrator, seconds),
            output=fx.Output(energy=False), progress=False, throw=False,
        )  # fmt: skip
    except _OutOfTimeError:
        return Run(level, seconds=seconds, failure=f"not done after {seconds:.1f} s")
    except FlexmbsError as broken:
        return Run(level, failure=str(broken))
    except Exception as broken:  # noqa: BLE001 - as in _refusal
        return Run(level, failure=f"{type(broken).__name__}: {broken}")
    if found.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    counts = found.counts
    run = Run(
        level, None, float(counts["cpu_seconds"]), 1, int(counts["evaluations"]), int(counts["factorisations"]),
        len(found.steps), int(counts["rejected"]),
    )  # fmt: skip
    if found.status is not Status.DONE:
        return replace(run, failure=found.message or found.status.value)
    if not look:
        return replace(run, error=0.0)
    error = float(np.abs(ready.observe(found) - ready.exact(found.t)).max())
    if not np.isfinite(error):
        return replace(run, failure="the motion is not finite")
    gap, drift = _kept(found)
    return replace(run, error=error, gap=gap, drift=drift if problem.conservative else None)


def _kept(run: fx.TimeSolution) -> tuple[float, float]:
    """Largest violation of the positions, and change of the energy by the largest kinetic energy."""
    dyn = Dynamics(run.system)
    accounts = Energies(dyn)
    gap, energies, kinetic = 0.0, [], []
    rows: FloatArray = np.where(dyn.velocity_rows == 1, 0.0, 1.0) if dyn.n_c else np.empty(0)
    for i in np.unique(np.linspace(0, len(run.t) - 1, LOOKED_AT).astype(int)):
        dyn.set_time(float(run.t[i]))
        dyn.residual(run.q[i], run.v[i], run.a[i], run.lam[i])
        gap = max(gap, float(np.abs(rows * dyn.r[dyn.n_v :]).max(initial=0.0)))
        kinetic.append(accounts.kinetic(run.v[i]))
        q = run.q[i]
        resting = run.system.strain_energy(q) + accounts.springs(q, run.v[i])[0] + accounts.potential(q)
        energies.append(kinetic[-1] + resting)
    return gap, float(np.abs(np.array(energies) - energies[0]).max() / max(kinetic))


class _OutOfTimeError(Exception):
    """A run takes too long."""


@dataclass(frozen=True)
class _Limited:
    """A scheme that gives up after some seconds."""

    scheme: Any
    seconds: float

    def __getattr__(self, name: str) -> Any:
        return getattr(self.scheme, name)

    def stepper(self, dynamics: Dynamics, tolerance: float) -> Any:
        return _LimitedStepper(self.scheme.stepper(dynamics, tolerance), time.process_time() + self.seconds)


class _LimitedStepper:
    """Its stepper."""

    def __init__(self, stepper: Any, end: float) -> None:
        self._stepper, self._end = stepper, end

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._stepper, name)
        return self._advance if name == "advance" else found

    def step(self, state: StepState, h: float) -> StepResult:
        self._look()
        result: StepResult = self._stepper.step(state, h)
        return result

    def _advance(self, *arguments: Any) -> Any:
        self._look()
        return self._stepper.advance(*arguments)

    def _look(self) -> None:
        if time.process_time() > self._end:
            raise _OutOfTimeError
