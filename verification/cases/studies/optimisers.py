"""Optimisers of SciPy over runs of a family, with and without differences: fastest slide, spring and damper."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
from scipy.optimize import minimize

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import figure, measured
from flexmbs.verification.cases.studies.families import oscillator
from flexmbs.verification.reference.data import load_reference

X, Y, G = 2.0, 1.2, 9.81
"""End of the slide, right and below the start, and gravity."""
SPAN = 0.02
"""How long the masses are watched; their acceleration is constant."""


def slide(**depths: float) -> fx.Model:
    """A mass on each straight piece, at its upper end, as fast as one that began at rest at the start."""
    inner = [depths[f"y{i}"] for i in range(1, len(depths) + 1)]
    x, y = np.linspace(0.0, X, len(inner) + 2), -np.array([0.0, *inner, Y])
    items: list[Any] = []
    for i in range(len(x) - 1):
        along = np.array([x[i + 1] - x[i], y[i + 1] - y[i]])
        along /= np.hypot(*along)
        speed = np.sqrt(2.0 * G * max(-y[i], 0.0))
        mass = fx.PlanarRigidBody(1.0, 1.0, position=(x[i], y[i]), velocity=tuple(speed * along), name=f"mass {i}")
        items += [mass, fx.PrismaticJoint(fx.ground, mass, at=(x[i], y[i]), axis=tuple(along), name=f"piece {i}")]
    return fx.Model(*items, fx.Gravity((0.0, -G)), name="slide")


def duration(run: fx.TimeSolution) -> float:
    """Sum of the times in which the masses pass their pieces."""
    model = run.model
    corners = np.array([body.position for body in model.rigid_bodies] + [(X, -Y)])
    lengths = np.hypot(*np.diff(corners, axis=0).T)
    total = 0.0
    for body, length in zip(model.rigid_bodies, lengths, strict=True):
        moved = float(np.hypot(*(run.position(body.name, -1) - run.position(body.name, 0))[:2]))
        speed = float(np.hypot(*run.velocity(body.name, 0)[:2]))
        pull = 2.0 * (moved - speed * SPAN) / SPAN**2
        total += 2.0 * length / (speed + np.sqrt(speed**2 + 2.0 * pull * length))
    return total


def fastest(n: int, method: str, folder: str, progress: Progress) -> tuple[FloatArray, float, int]:
    """Depths of n inner points, the least time, and how many runs that took."""
    family = fx.studies.Family(slide, **{f"y{i}": fx.studies.Between(0.02, 1.6) for i in range(1, n + 1)})
    analysis = fx.studies.Simulation(SPAN, step=SPAN / 2, output=fx.Output(every=SPAN, energy=False))
    runs = fx.studies.Evaluations(
        family, fx.studies.Measure("time", duration, unit="s"), analysis, f"{folder}/{method}-{n}.h5"
    )
    straight = (np.linspace(0.0, Y, n + 2)[1:-1] - 0.02) / 1.58
    options: dict[str, Any] = {"xatol": 1e-5, "fatol": 1e-12, "maxfev": 2000}
    if method == "L-BFGS-B":  # the differences are taken by SciPy
        options = {"eps": 1e-6, "gtol": 1e-6, "ftol": 1e-15}
    progress(f"{n} inner points, {method}")
    found = minimize(runs.vector, straight, method=method, options=options, bounds=[(0.0, 1.0)] * n)
    return 0.02 + 1.58 * found.x, float(found.fun), int(found.nfev)


def run_slide(progress: Progress) -> Outcome:
    """N11: a method without derivatives, and one with differences."""
    stored = load_reference("n11")
    quantities: list[Measured] = []
    shapes: list[tuple[str, FloatArray]] = []
    with tempfile.TemporaryDirectory() as folder:
        for n, method in ((1, "Nelder-Mead"), (3, "Nelder-Mead"), (3, "L-BFGS-B"), (7, "L-BFGS-B")):
            depths, least, count = fastest(n, method, folder, progress)
            shapes.append((f"{n} inner points, {method}, {count} runs", depths))
            time = stored.value(f"{n} inner points: least time")
            quantities.append(measured(f"least time, {n} points, {method}", "s", least, time, stored.source, rtol=1e-6))
            for i in (0, n - 1):
                depth = stored.value(f"{n} inner points: depths", i)
                name = f"depth {i + 1} of {n}, {method}"
                quantities.append(measured(name, "m", depths[i], depth, stored.source, rtol=1e-3))

    def draw() -> Any:
        drawing, axes = figure()
        for name, depths in shapes:
            axes.plot(np.linspace(0.0, X, len(depths) + 2), -np.array([0.0, *depths, Y]), "o-", ms=3, label=name)
        axes.set_xlabel("x [m]")
        axes.set_ylabel("y [m]")
        axes.legend()
        return drawing

    return Outcome(tuple(quantities), figures=(("the slides", draw()),))


def run_simplex(progress: Progress) -> Outcome:
    """N12 without derivatives: the sum of the squares alone, by the simplex of Nelder and Mead."""
    stored = load_reference("n12")
    p = stored.parameters
    t = 0.05 * np.arange(1, 61)
    decay = p["c_true"] / (2.0 * p["m"])
    omega = np.sqrt(p["k_true"] / p["m"] - decay**2)
    motion = p["x0"] * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    samples = motion + 1e-3 * np.sin(7.3 * np.arange(1, 61) ** 2)

    def squares(run: fx.TimeSolution) -> float:
        return float(((run.position("mass")[1:, 0] - 1.0 - samples) ** 2).sum())

    family = fx.studies.Family(
        oscillator, stiffness=fx.studies.Between(150.0, 210.0), damping=fx.studies.Between(0.5, 3.5)
    )
    analysis = fx.studies.Simulation(3.0, integrator=fx.RadauIIA(), step=fx.FixedStep(0.01),
                                     output=fx.Output(every=0.05, energy=False))  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        runs = fx.studies.Evaluations(
            family, fx.studies.Measure("squares", squares, unit="m^2"), analysis, f"{folder}/runs.h5"
        )
        progress("simplex of Nelder and Mead")
        found = minimize(runs.vector, (0.4, 0.5), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-22})
    estimate = 150.0 + 60.0 * found.x[0], 0.5 + 3.0 * found.x[1]
    name = "estimate of k, c from the noisy samples"
    quantities = [
        measured(what, unit, estimate[i], stored.value(name, i), stored.source, rtol=1e-5)
        for i, (what, unit) in enumerate((("stiffness", "N/m"), ("damping", "N s/m")))
    ]
    name = "sum of squared residuals there"
    quantities.append(measured(name, "m^2", float(found.fun), stored.value(name), stored.source, rtol=1e-5))
    return Outcome(tuple(quantities))


SLIDE = Case(
    "fastest-slide",
    "Fastest slide on a polyline, by a simplex and by differences",
    "studies",
    "A mass slides from rest over straight pieces, without loss at their corners; the depths of the corners are the "
    "parameters. SciPy's optimisers ask for runs through `Evaluations`.",
    run_slide,
    "Time of the exact motion, piece by piece, minimised at 25 digits.",
    (r"T = \sum_i \frac{2 L_i}{v_i + v_{i+1}}", r"v_i = \sqrt{2 g y_i}"),
    limits=("The masses of all pieces move at once, each with the speed that energy gives it at its corner.",),
    slow=True,
)
SIMPLEX = Case(
    "identification-simplex",
    "A spring and a damper identified without derivatives",
    "studies",
    "The sum of squares over runs of a family, minimised by the simplex of Nelder and Mead.",
    run_simplex,
    "Gauss-Newton on the closed motion at 30 digits.",
    (r"m\ddot x + c\dot x + k x = 0",),
    limits=(
        "The sum is flat at its minimum: a change of the damping by 1e-5 changes it by 2.4e-8 of itself. The simplex "
        "has to go on until round-off, and the time integration must be smooth in the parameters: fixed steps.",
    ),
    slow=True,
)
