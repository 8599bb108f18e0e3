"""Keeping constraints explicitly: processor time of a step with the standard and with the successive projection.

The four-cylinder engine in space (54 velocities, 57 equations of rank 53) makes steps of 2 ms with the explicit
midpoint rule; the repetitions of both projections alternate. Only steps are timed, without what a simulation stores.
The other methods stand beside them for comparison, and the standard one stopped after one iteration.

    python benchmarks/bench_projections.py [repetitions]
"""

from __future__ import annotations

import sys

import measure

import flexmbs as fx
from flexmbs.dynamics.consistent_state import assemble
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.verification.cases.mechanisms.engine import spatial_engine

STEP, STEPS = 0.002, 200
TARGET = 1.0
"""Largest time of a step with the successive projection, over that with the standard one."""
METHODS = {
    "standard": fx.integrators.StandardProjection(),
    "successive": fx.integrators.SuccessiveProjection(),
    "standard, one iteration": fx.integrators.StandardProjection(max_iterations=1),
    "Baumgarte, 50 ms": fx.integrators.Baumgarte(time_constant=0.05),
    "Ascher": fx.integrators.AscherProjection(),
    "null space": fx.integrators.NullSpace(),
    "coordinate partitioning": fx.integrators.CoordinatePartitioning(),
}


class Steps:
    """Repeated runs of one method from the same start."""

    def __init__(self, kept: object) -> None:
        self.dynamics = Dynamics(fx.compile_model(spatial_engine()[0]))
        dyn, scheme = self.dynamics, fx.RungeKutta(order=2, constraints=kept)
        dyn.start_turns(0.0)
        found = assemble(dyn, 0.0, dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy())
        self.first = scheme.start(dyn, 0.0, found.q, found.v, STEP)
        self.stepper = scheme.stepper(dyn, 1.0)
        self.counts = (0.0, 0.0)
        self.gap = 0.0

    def __call__(self) -> None:
        dyn, state = self.dynamics, self.first
        before = dyn.factorisations, dyn.evaluations
        for _ in range(STEPS):
            state = self.stepper.step(state, STEP).state
        dyn.set_time(state.t)
        self.gap = float(abs(dyn.residual(state.q, state.v, state.a, state.lam)[dyn.n_v :]).max())
        self.counts = (dyn.factorisations - before[0]) / STEPS, (dyn.evaluations - before[1]) / STEPS


def main(repetitions: int) -> None:
    """Time all, print a table and the ratio."""
    print(measure.facts(), end="\n\n")
    runs = {name: Steps(kept) for name, kept in METHODS.items()}
    times: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()
    ratios = []
    for _ in range(repetitions):
        for name, run in runs.items():
            times[name].append(measure.cpu_time(run) / STEPS)
        ratios.append(times["successive"][-1] / times["standard"][-1])
    rows = []
    for name, values in times.items():
        sample = measure.Sample.of(values).scaled(1e6)
        work = (f"{x:.2f}" for x in runs[name].counts)
        span = f"{sample.low:.0f} .. {sample.high:.0f}"
        rows.append((name, f"{sample.median:.0f}", span, *work, f"{runs[name].gap:.1e}"))
    measure.table(("constraints", "us a step", "range", "factorisations", "evaluations", "g at the end in m"), rows)
    ratio = measure.Sample.of(ratios)
    print(
        f"\nsuccessive over standard: {ratio.median:.2f} ({ratio.low:.2f} .. {ratio.high:.2f}), target below "
        f"{TARGET:g}: {measure.verdict(ratio.median, TARGET)}"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
