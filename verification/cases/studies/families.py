"""Families of models: moments of a deflection over five numbers, weights of goals, a spring and a damper identified."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import least_squares

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import figure, measured
from flexmbs.verification.reference.data import load_reference

RUNS = 1024
"""Points of a Sobol sequence: the error of a mean falls nearly as 1 / RUNS."""


def cantilever(F: float, L: float, E: float, b: float, h: float) -> fx.Model:
    """A linear cantilever of one element under a force at its tip, which a cubic describes exactly."""
    beam = fx.FlexibleBody.line(
        (0.0, 0.0), (L, 0.0), elements=1, element=fx.elements.LinearBeam2D(shear=False),
        section=fx.Rectangle(width=b, height=h), material=fx.Elastic(youngs_modulus=E, density=7850.0), name="beam",
    )  # fmt: skip
    return fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0.0, -F)))


def tip(found: fx.StaticSolution) -> float:
    """Deflection of the tip, downwards."""
    return -float(found.displacement(found.model.flexible_bodies[0].end, -1)[1])


def run_moments(progress: Progress) -> Outcome:
    """N26: mean and standard deviation over five uniform numbers; N28: weights and consistency of comparisons."""
    stored = load_reference("n26")
    family = fx.studies.Family(cantilever, **{k: fx.studies.Between(*v) for k, v in stored.parameters.items()})
    study = fx.studies.Study(
        family, fx.studies.Sobol(RUNS), fx.studies.Measure("deflection", tip, unit="m"), fx.studies.Statics()
    )
    progress(f"{RUNS} runs")
    done = study.run(progress=False)
    w = done["deflection"]
    name = "mean and standard deviation of the tip deflection"
    quantities = [
        measured(what, "m", value, stored.value(name, i), stored.source, rtol=1e-3)
        for i, (what, value) in enumerate((("mean", w.mean()), ("standard deviation", w.std())))
    ]
    v = {n: done[n] for n in done.parameters}
    closed = 4.0 * v["F"] * v["L"] ** 3 / (v["E"] * v["b"] * v["h"] ** 3)
    worst = float(np.abs(w / closed - 1.0).max())
    quantities.append(measured("largest error of a run", "1", worst, 0.0, "w = 4 F L^3 / (E b h^3)", atol=1e-8))
    weighed = load_reference("n28")
    comparisons = fx.studies.Comparisons.of_pairs([3, 5, 7, 3, 5, 2])
    for i, weight in enumerate(comparisons.weights):
        quantities.append(
            measured(f"weight {i + 1}", "1", weight, weighed.value("weights", i), weighed.source, rtol=1e-8)
        )
    name = "largest eigenvalue, consistency index, consistency ratio (random index 0.90)"
    found = comparisons.largest_eigenvalue, comparisons.consistency_index, comparisons.consistency_ratio
    for i, (what, value) in enumerate(zip(("largest eigenvalue", "index", "ratio"), found, strict=True)):
        quantities.append(measured(what, "1", value, weighed.value(name, i), weighed.source, rtol=1e-7))

    def draw() -> Any:
        drawing, axes = figure()
        axes.hist(1e3 * w, bins=40, color="#1f5fa8")
        axes.set_xlabel("deflection of the tip [mm]")
        axes.set_ylabel("runs")
        return drawing

    return Outcome(tuple(quantities), figures=(("deflection of the tip", draw()),))


def oscillator(stiffness: float, damping: float) -> fx.Model:
    """A mass on a spring and a damper, drawn out by 0.05 m."""
    mass = fx.PointMass(2.0, position=(1.05, 0.0, 0.0), name="mass")
    spring = fx.SpringDamper(
        fx.ground.marker((0.0, 0.0, 0.0)), mass.centre, stiffness=stiffness, damping=damping, free_length=1.0,
        name="spring",
    )  # fmt: skip
    return fx.Model(mass, spring)


def run_identification(progress: Progress) -> Outcome:
    """N12: stiffness and damping from sixty samples with an error."""
    stored = load_reference("n12")
    p = stored.parameters
    t = 0.05 * np.arange(1, 61)
    decay = p["c_true"] / (2.0 * p["m"])
    omega = np.sqrt(p["k_true"] / p["m"] - decay**2)
    motion = p["x0"] * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    samples = motion + 1e-3 * np.sin(7.3 * np.arange(1, 61) ** 2)
    family = fx.studies.Family(
        oscillator, stiffness=fx.studies.Between(100.0, 300.0), damping=fx.studies.Between(0.1, 5.0)
    )
    seen = fx.studies.History("x", lambda run: run.position("mass")[:, 0] - 1.0, unit="m")
    analysis = fx.studies.Simulation(3.0, integrator=fx.RadauIIA(), step=fx.ErrorControl(rtol=1e-9),
                                     output=fx.Output(every=0.05))  # fmt: skip

    def residual(x: FloatArray) -> FloatArray:
        progress(f"stiffness {x[0]:.6g}, damping {x[1]:.6g}")
        rows = fx.studies.Points([{"stiffness": x[0], "damping": x[1]}])
        done = fx.studies.Study(family, rows, seen, analysis).run(progress=False)
        return np.asarray(done.history("x", 0)[1][1:] - samples)

    found = least_squares(
        residual, (170.0, 2.0), x_scale=(100.0, 1.0), diff_step=1e-5, xtol=1e-12, ftol=1e-14, gtol=1e-14
    )
    scatter = np.linalg.inv(found.jac.T @ found.jac) * 2.0 * found.cost / (len(t) - 2)
    name = "estimate of k, c from the noisy samples"
    quantities = [
        measured(what, unit, found.x[i], stored.value(name, i), stored.source, rtol=1e-5)
        for i, (what, unit) in enumerate((("stiffness", "N/m"), ("damping", "N s/m")))
    ]
    name = "sum of squared residuals there"
    quantities.append(measured(name, "m^2", 2.0 * found.cost, stored.value(name), stored.source, rtol=1e-5))
    name = "standard errors of k and c (linearised)"
    for i, (what, unit) in enumerate((("stiffness", "N/m"), ("damping", "N s/m"))):
        what = f"standard error of the {what}"
        quantities.append(measured(what, unit, np.sqrt(scatter[i, i]), stored.value(name, i), stored.source, rtol=1e-3))
    correlation = scatter[0, 1] / np.sqrt(scatter[0, 0] * scatter[1, 1])
    name = "correlation of k and c"
    quantities.append(measured(name, "1", correlation, stored.value(name), stored.source, rtol=0.01, atol=1e-3))
    return Outcome(tuple(quantities))


MOMENTS = Case(
    "study-cantilever",
    "A thousand cantilevers: moments of a deflection, weights of goals",
    "studies",
    "Load, length, modulus, width and height vary evenly between bounds; mean and standard deviation of the deflection "
    "from a Sobol sequence against the closed form. Weights of four goals from pairwise comparisons.",
    run_moments,
    "Moments of products of powers; T. L. Saaty, The Analytic Hierarchy Process, 1980.",
    (r"w = \frac{4 F L^3}{E b h^3}",),
)
IDENTIFICATION = Case(
    "identification",
    "A spring and a damper identified from samples with an error",
    "studies",
    "Least squares over runs of a family; estimates, their standard errors and correlation.",
    run_identification,
    "Gauss-Newton on the closed motion at 30 digits.",
    (r"m\ddot x + c\dot x + k x = 0",),
    basic=True,
)
