"""What a static analysis returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.analysis.newton import Iteration
from flexmbs.analysis.recorder import Recorder
from flexmbs.equilibria import Equilibria
from flexmbs.integrators.contracts import StepState
from flexmbs.solution import Solution, Status
from flexmbs.time_solution import TimeStatus

if TYPE_CHECKING:
    from flexmbs.analysis.static import _Stepper

__all__ = ["static_result"]


def static_result(run: _Stepper, status: Status, accuracy: float) -> Any:
    system, n_s = run.system, len(run.points)
    if not system.model.moves:
        return Solution(
            kind="static",
            system=system,
            parameters=np.array(run.factors),
            q=np.array([p.q for p in run.points]),
            scales=np.array(run.scales).reshape(n_s, len(system.model.loads)),
            drives=np.array(run.drives).reshape(n_s, len(system.fixation.drives)),
            stable=run.stable,
            history=np.array(run.rows, dtype=float).reshape(len(run.rows), len(Iteration._fields)),
            accuracy=accuracy,
            status=status,
            options=run.options,
        )
    recorder = Recorder(run.dyn, True)
    zero = np.zeros(run.dyn.n_v)
    memory = run.dyn.turns.memory()
    for s, p, scales, drives in zip(run.factors, run.points, run.scales, run.drives, strict=True):
        run.dyn.hold(scales, drives, run.time)
        recorder.store(StepState(s, p.q, p.v, zero, zero, p.lam, p.v, 0.0))
    run.dyn.turns.restore(memory)
    kind = TimeStatus.DONE if status is Status.DONE else (
        TimeStatus.INTERRUPTED if status is Status.INTERRUPTED else TimeStatus.STEP_TOO_SMALL)
    return Equilibria.of(recorder.solution(
        counts={}, redundant=run.redundant, status=kind, message=run.message, last=recorder.states[-1],
        settings={"static": run.options}, extra={"near": memory, "time": run.time}), run.stable, run.free)
