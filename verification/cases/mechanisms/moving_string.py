"""D19: a string that runs through two eyelets, seen from the eyelets."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.moving import orders, over_time, worst
from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.reference.moving_string import MovingString

AMPLITUDE, DENSITY = 1e-3, 1.0
MESHES = (8, 12, 28)
CLOSED = "mode of the moving string, closed form"


def _string() -> MovingString:
    p = load_reference("d19").parameters
    return MovingString(p["c"], p["v"], p["L"])


def _vibrating(parts: int, mode: int, step: float, until: float) -> tuple[fx.TimeSolution, FloatArray, FloatArray]:
    """The motion from the exact state of a mode, places (n,) and deflections (n_t, n) of the inner points."""
    string = _string()
    h = string.length / parts
    x = np.linspace(0.0, string.length, parts + 1)[1:-1]
    deflection, slope, material = string.mode(mode, x, 0.0)
    rate = material - string.v * slope  # at a fixed place
    points = [
        fx.PointMass(DENSITY * h, position=(x[i], AMPLITUDE * deflection[i]), velocity=(0.0, AMPLITUDE * rate[i]),
                     name=f"point {i}")
        for i in range(parts - 1)
    ]  # fmt: skip
    places = [fx.ground.marker_at((0.0, 0.0)), *(p.centre for p in points), fx.ground.marker_at((string.length, 0.0))]
    pull = DENSITY * (string.c**2 - string.v**2)
    springs = [
        fx.SpringDamper(a, b, preload=pull, name=f"spring {i}")  # a constant tension
        for i, (a, b) in enumerate(pairwise(places))
    ]
    n = len(points)
    coupling = np.zeros((n, 6, n, 6))
    for i in range(n - 1):
        coupling[i, 1, i + 1, 1], coupling[i + 1, 1, i, 1] = -DENSITY * string.v, DENSITY * string.v
    matrix = coupling.reshape(6 * n, 6 * n)
    none = np.zeros_like(matrix)
    transport = fx.UserForce(
        [p.centre for p in points],
        lambda p, R, twist, t: (matrix @ twist.ravel()).reshape(n, 6),
        jacobian=lambda p, R, twist, t: (none, matrix),
        name="transport",
    )
    model = fx.Model(*points, *springs, transport)
    run = fx.simulate(
        model, until, step=step, integrator=fx.GeneralizedAlpha(rho_inf=0.999), output=fx.Output(every=step)
    )
    y = np.column_stack([run.coordinates(p)[:, 1] for p in points])
    return run, x, y / AMPLITUDE


def _frequency(string: MovingString, mode: int, t: FloatArray, x: FloatArray, y: FloatArray) -> float:
    """Circular frequency from the turn of the complex amplitude y = Re(z(t) exp(i k v x/c) sin(k x))."""
    k = mode * math.pi / string.length
    a, b = np.sin(k * x) * np.cos(k * string.v / string.c * x), np.sin(k * x) * np.sin(k * string.v / string.c * x)
    parts = np.linalg.lstsq(np.column_stack([a, -b]), y.T, rcond=None)[0]
    phase = np.unwrap(np.arctan2(parts[1], parts[0]))
    return float(np.polyfit(t, phase, 1)[0])


def run(progress: Progress) -> Outcome:
    """Four modes for two periods of the first."""
    stored, string = load_reference("d19"), _string()
    quantities: list[Measured] = []
    studies = []
    name = "natural frequencies omega_n = n pi (c^2-v^2)/(c L), n=1..4"
    for mode in (1, 2, 3, 4):
        found = []
        for parts in MESHES if mode > 2 else MESHES[-1:]:
            progress(f"mode {mode}, {parts} parts")
            run_, x, y = _vibrating(parts, mode, string.echo / (150.0 * mode), string.echo / mode)
            found.append(_frequency(string, mode, run_.t, x, y))
        reference = stored.reference(name, mode - 1)
        quantities.append(
            measured(f"frequency {mode}, {MESHES[-1]} parts", "rad/s", found[-1],
                     reference.value, stored.source, reference.uncertainty, rtol=1e-3)
        )  # fmt: skip
        errors = [abs(f - reference.value) for f in found]
        if mode > 2:  # for the lower ones the time step leaves more
            studies.append(ConvergenceStudy(f"frequency {mode}", MESHES, errors, 2.0, 1.8, counts=True))
    progress("mode 1 over time")
    run_, x, y = _vibrating(20, 1, string.echo / 200.0, string.echo)
    exact = np.array([string.mode(1, x, t)[0] for t in run_.t])
    quantities.append(
        measured("mode 1, 20 parts, one period: largest error of the deflection by its amplitude", "-",
                 float(np.abs(y - exact).max()), 0.0, CLOSED, 1e-12, atol=5e-3)
    )  # fmt: skip
    back = float(np.abs(y[-1] - y[0]).max())
    quantities.append(
        measured("after the time downstream and back: change of the shape", "-", back, 0.0, CLOSED, 1e-12, atol=5e-3)
    )
    steps = [string.echo / n for n in (20, 40, 80)]
    fine = _vibrating(10, 1, string.echo / 640.0, string.echo)[2][-1]
    by_step = [worst(_vibrating(10, 1, h, string.echo)[2][-1], fine) for h in steps]
    studies.append(orders("shape after a period, 10 parts", steps, by_step))
    drawing, axes = figure(6.4, 3.4)
    for k, colour in zip(range(0, 101, 20), COLOURS, strict=False):
        axes.plot(x, y[k], color=colour, label=f"t = {k / 200:g} T")
        axes.plot(x, exact[k], ".", color="black", markersize=2.0)
    axes.set_xlabel("x in m")
    axes.set_ylabel("deflection / amplitude")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    quarter, middle = len(x) // 4, len(x) // 2
    over = over_time([("x = L/4", run_.t, y[:, quarter]), ("x = L/2", run_.t, y[:, middle])], "deflection / amplitude")
    return Outcome(
        quantities,
        studies,
        (),
        [("Mode 1: a wave runs along the string (points: exact).", drawing), ("Two points.", over)],
    )


CASE = Case(
    id="d19-moving-string",
    title="String running through two eyelets",
    area="mechanisms",
    summary=(
        "A string runs at 20 m/s through two eyelets; waves on it travel at 50 m/s. Seen from the eyelets the "
        "transport is a gyroscopic force 2 mu v dw'/dt and a tension that is lower by mu v². The string is made of "
        "point masses under constant tension, and a user force couples their velocities. It starts in the exact state "
        "of a mode."
    ),
    run=run,
    source="Sack, Br. J. Appl. Phys. 5 (1954) 224; closed form.",
    equations=(r"\ddot{w} + 2 v\,\dot{w}' - (c^2 - v^2)\,w'' = 0, \quad \omega_n = \dfrac{n\pi\,(c^2 - v^2)}{c L}",),
    limits=("Small deflections, and places fixed in space: nothing of the string itself moves along.",),
)
