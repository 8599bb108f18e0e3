"""The four-cylinder engine with redundant equations: standard and successive projection, drift and cost."""

from __future__ import annotations

import time

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.mechanisms.engine import DEGREES, ENGINE, START, passages, spatial_engine
from flexmbs.verification.cases.moving import against, closed, energy_change, orders, over_time, redundant

STEP, UNTIL = 0.002, 1.0
METHODS = (("standard", fx.integrators.StandardProjection()), ("successive", fx.integrators.SuccessiveProjection()))
ROUND = 1e-15
"""Violation [m, m/s] that is round-off whatever its changes."""


def _speeds(run: fx.TimeSolution, shaft: fx.RigidBody) -> float:
    """Largest error of the speed over the angle."""
    exact = np.array([ENGINE.speed(a, START) for a in run.angle("main bearing")])
    return float(np.abs(run.angular_velocity(shaft)[:, 2] - exact).max())


def _growth(values: FloatArray) -> float:
    """Largest violation in the last third over that in the first, less one; not below zero."""
    third = len(values) // 3
    return max(0.0, max(float(values[-third:].max()), ROUND) / max(float(values[1:third].max()), ROUND) - 1.0)


def run(progress: Progress) -> Outcome:
    """One second, sixteen turns."""
    model, shaft, pairs = spatial_engine()
    system = fx.compile_model(model)
    energy = ENGINE.inertia(0.0)[0] * START**2 / 2.0
    quantities: list[Measured] = []
    rows, curves, cost = [], [], {}
    for label, kept in METHODS:
        progress(label)
        scheme = fx.RungeKutta(order=2, constraints=kept)
        fx.simulate(system, 10 * STEP, step=STEP, integrator=scheme)
        found = fx.simulate(system, UNTIL, step=STEP, integrator=scheme)
        n = len(found.steps)
        positions, velocities = found.residuals[:, 0], found.residuals[:, 1]
        cost[label] = 1e3 * _seconds(system, scheme)
        rows.append(
            (label, cost[label], found.counts["factorisations"] / n, found.counts["evaluations"] / n,
             float(positions.max()), float(velocities.max()), _speeds(found, shaft))
        )  # fmt: skip
        curves.append((f"positions, {label}", found.t[1:], np.log10(np.maximum(positions[1:], 1e-18))))
        curves.append((f"velocities, {label}", found.t[1:], np.log10(np.maximum(velocities[1:], 1e-18))))
        constant, shut = "constant in time (Vlasenko and Kasper)", "joints stay closed"
        quantities += [
            measured(f"{label}: growth of the drift of positions, last third over first", "-", _growth(positions), 0.0,
                     constant, atol=0.5),
            measured(f"{label}: growth of the drift of velocities", "-", _growth(velocities), 0.0, constant, atol=0.5),
            measured(f"{label}: largest drift of positions", "m", positions.max(), 0.0, shut, atol=1e-10),
            measured(f"{label}: largest drift of velocities", "m/s", velocities.max(), 0.0, shut, atol=1e-8),

            measured(f"{label}: divided steps", "-", found.counts["rejected"], 0.0, "fixed steps", atol=0.5),
            closed(found, pairs, label=f"{label}: "),
            redundant(found, 4, f"{label}: "),
            energy_change(found, energy, 1e-2, f"{label}: "),
        ]  # fmt: skip
    saved = rows[0][2] - rows[1][2]
    # one in the projection, and the one of the accelerations: their equations leave out those that follow from others,
    # so that the last matrix of the standard projection, which holds all, does not serve them
    quantities.append(
        measured("factorisations of a step that the successive projection saves", "-", saved, 2.0, "counted", atol=0.5)
    )
    progress("speed over angle")
    fine = fx.simulate(system, 0.05, step=2.5e-4, integrator=fx.RungeKutta(order=5))
    for i, (when, speed) in enumerate(passages(fine, shaft)):
        for name, value, allowed in (("time to reach theta", when, 1e-9), ("crank speed at theta", speed, 1e-6)):
            full = f"{name}={DEGREES[i]} deg"
            quantities += against("d10", full, f"order 5, 0.25 ms: {full}", [value], allowed)
    progress("order")
    steps = (2e-3, 1e-3, 5e-4)
    errors = [_speeds(fx.simulate(system, 0.05, step=h, integrator=fx.RungeKutta(order=2)), shaft) for h in steps]
    studies = [orders("crank speed over its angle, successive projection", steps, errors)]
    table = Table(
        "Explicit midpoint, 2 ms",
        ("projection", "ms per step", "factorisations per step", "evaluations per step", "drift in m", "drift in m/s",
         "error of the speed in rad/s"), rows,
    )  # fmt: skip
    ratio = cost["successive"] / cost["standard"]
    remark = (
        f"Processor time of a step: standard {cost['standard']:.3f} ms, successive {cost['successive']:.3f} ms, ratio "
        f"{ratio:.2f}, in this run; benchmarks/bench_projections.py repeats it."
    )
    drawing = over_time(curves, "log10 of the violation")
    return Outcome(quantities, studies, [table], [("Drift over one second.", drawing)], [remark])


def _seconds(system: fx.System, scheme: fx.RungeKutta) -> float:
    """Processor time of a step, median of five runs of 100."""
    found = []
    for _ in range(5):
        began = time.process_time()
        done = fx.simulate(system, 100 * STEP, step=STEP, integrator=scheme, output=fx.Output(energy=False))
        found.append((time.process_time() - began) / len(done.steps))
    return float(np.median(found))


CASE = Case(
    id="engine-projections",
    title="Engine with redundant equations: two projections",
    area="mechanisms",
    summary=(
        "The four-cylinder engine in space, 57 equations of which 53 are independent, idles at 100 rad/s. The explicit "
        "midpoint rule makes steps of 2 ms, 0.2 rad of the crank; after each the constraints are met again by the "
        "standard projection, with a decomposition in each iteration and one for the velocities, or by the successive "
        "one, with one for two sweeps of both.\n\n"
        "The drift must not grow in time. The speed over the angle is known from the energy."
    ),
    run=run,
    source=(
        "D. Vlasenko and R. Kasper, Successive projection method for the simulation of spatial dynamics of "
        "multibodies; data of the engine as in d10-engine, since the source does not give masses."
    ),
    equations=(r"G(\bar{\bar q}_1)\, \delta_i = -g(\bar{\bar q}_i), \quad G(\bar{\bar q}_1)\, \zeta_i = -G v_{i-1}",),
    limits=("No gas forces and no starter: the drift and the cost are tested.",),
)
