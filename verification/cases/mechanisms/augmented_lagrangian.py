"""Augmented Lagrangian with projections: orders of all unknowns, redundant constraints, singular positions, energy."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.mechanisms.integrators import Known, cone, driven, spinning
from flexmbs.verification.cases.mechanisms.linkages import Side, hinged
from flexmbs.verification.cases.mechanisms.spatial_mechanisms import bricard, bricard_path
from flexmbs.verification.cases.moving import G, orders, stored_times, worst
from flexmbs.verification.reference import loops

CLOSED = "closed form"
SCHEME = fx.AugmentedLagrangian()
STEPS = (4e-2, 2e-2, 1e-2, 5e-3)
TIMES = (0.25, 0.5, 1.0, 1.5, 2.0)


def _constrained(known: Known) -> tuple[list[Measured], list[ConvergenceStudy], FloatArray]:
    """Errors over the step, and the constraints on three levels."""
    runs = [fx.simulate(known.model, 2.0, step=h, integrator=SCHEME) for h in STEPS]
    errors = np.array([known.errors(run) for run in runs])
    quantities, studies = [], []
    for i, (what, unit) in enumerate((("position", "m"), ("velocity", "m/s"), ("force of the joint", "N"))):
        name = f"{known.name}: {what}"
        if known.name == "driven bar":
            quantities.append(measured(name, unit, errors[:, i].max(), 0.0, CLOSED, atol=1e-8))
        else:
            studies.append(orders(name, STEPS, errors[:, i].tolist()))
    gaps = np.array([run.residuals.max(axis=0) for run in runs]).max(axis=0)
    for level, unit, gap in zip(("g", "dg/dt", "d2g/dt2"), ("m", "m/s", "m/s^2"), gaps, strict=True):
        quantities.append(measured(f"{known.name}: constraints {level}", unit, gap, 0.0, CLOSED, atol=1e-11))
    return quantities, studies, errors


def _folding() -> tuple[list[Measured], list[ConvergenceStudy], list[list[object]]]:
    """The rhombus of four bars through its flat positions (D11)."""
    corners = ((0.0, 0.0), (1.0, 0.0), (1.0, -1.0), (0.0, -1.0))
    bars = [fx.PlanarRigidBody.rod(corners[i], corners[(i + 1) % 4], mass=1.0, name=f"bar {i + 1}") for i in range(4)]
    ring: list[Side] = [fx.ground, *bars, fx.ground]
    joints, _ = hinged([(ring[i], ring[i + 1], corners[i % 4]) for i in range(5)])
    model, tip = fx.Model(*bars, *joints, fx.Gravity((0.0, -G))), bars[1].marker_at(corners[2])
    angles = loops.rhombus((0.0, -math.pi / 2.0), TIMES)
    a, b = angles[:, 0], angles[:, 1]
    exact = np.column_stack([np.cos(a) + np.cos(b), np.sin(a) + np.sin(b)])
    steps = (5e-3, 2.5e-3, 1.25e-3)
    runs = [fx.simulate(model, 2.0, step=h, integrator=SCHEME) for h in steps]
    errors = [worst(run.position(tip)[stored_times(run, TIMES), :2], exact) for run in runs]
    gap = max(float(run.residuals.max()) for run in runs)
    rows: list[list[object]] = []
    for h in (1e-2, 5e-3):
        long = fx.simulate(model, 10.0, step=h, integrator=SCHEME)
        balance = long.energy.balance / long.energy.kinetic.max()
        rows.append(["rhombus, 10 s", h, float(np.abs(balance).max()), float(balance[-1])])
    quantities = [
        measured("rhombus, step 1.25 ms: largest error of B", "m", errors[-1], 0.0, "equations in two angles", 1e-9,
                 atol=1e-4),
        measured("rhombus: constraints on all levels", "m, m/s, m/s^2", gap, 0.0, CLOSED, atol=1e-11),
        measured("rhombus, 10 s, step 5 ms: change of energy at the end, by the largest kinetic", "-", rows[-1][3], 0.0,  # type: ignore[arg-type]
                 "conservation", atol=1e-3),
    ]  # fmt: skip
    return quantities, [orders("rhombus: B at five times", steps, errors)], rows


def _overconstrained() -> tuple[list[Measured], list[ConvergenceStudy]]:
    """Bricard's loop (D14)."""
    model, P3, _ = bricard(None)
    grid = np.linspace(0.0, 2.0, 21)[1:]
    exact = bricard_path(None, grid)
    steps = (2e-2, 1e-2, 5e-3)
    runs = [fx.simulate(model, 2.0, step=h, integrator=SCHEME) for h in steps]
    errors = [worst(run.position(P3)[stored_times(run, grid)], exact) for run in runs]
    most = max(run.counts["evaluations"] / len(run.steps) for run in runs)
    gap = max(float(run.residuals[1:].max()) for run in runs)
    quantities = [
        measured("Bricard: evaluations per step beyond 10", "-", max(0.0, most - 10.0), 0.0, "bounded work", atol=0.5),
        measured("Bricard: constraints on all levels", "m, m/s, m/s^2", gap, 0.0, CLOSED, atol=1e-10),
    ]
    return quantities, [orders("Bricard: P3 at twenty times", steps, errors)]


def run(progress: Progress) -> Outcome:
    """All of it."""
    quantities: list[Measured] = []
    studies: list[ConvergenceStudy] = []
    drawing, axes = figure(5.0, 3.8)
    for known in (cone(), driven()):
        progress(known.name)
        found, more, errors = _constrained(known)
        quantities += found
        studies += more
        if known.name == "conical pendulum":
            for i, name in enumerate(("position", "velocity", "force")):
                axes.loglog(STEPS, errors[:, i], "o-", color=COLOURS[i], label=name)
    progress("free spinning body")
    studies.append(orders("free symmetric body: attitude after 2 s", STEPS, [spinning(h, SCHEME)[0] for h in STEPS]))
    progress("rhombus")
    found, more, rows = _folding()
    quantities += found
    studies += more
    progress("Bricard's loop")
    found, more = _overconstrained()
    quantities += found
    studies += more
    axes.set_xlabel("step in s")
    axes.set_ylabel("error in m, m/s, N")
    axes.legend(frameon=False, fontsize="x-small")
    table = Table(
        "Energy balance over the largest kinetic energy", ("problem", "step in s", "largest", "at the end"), rows
    )
    return Outcome(quantities, studies, [table], [("Conical pendulum: errors over the step.", drawing)])


CASE = Case(
    id="augmented-lagrangian",
    title="Augmented Lagrangian with projections",
    area="mechanisms",
    summary=(
        "Second order of positions, velocities and joint forces on the steady cone and the free symmetric body; the "
        "driven bar, where the constraints determine all; the rhombus that folds flat, and Bricard's overconstrained "
        "loop. Positions, velocities and accelerations satisfy their constraints to round-off."
    ),
    run=run,
    source="Closed forms; equations in two angles; kinematics of Bricard's loop.",
    equations=(r"(W + \frac{h^2}{4} G^T \alpha G)\, v = W v^* - \frac{h^2}{4} G^T \alpha g_t",),
    slow=True,
    limits=("The trapezoidal rule does not damp; the energy is not conserved but to the order of the error.",),
)
