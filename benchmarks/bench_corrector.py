"""The corrector of BDF: evaluations and processor time with each of its savings off and on.

A. Fuchs and M. Arnold (Virtual Nonlinear Multibody Systems, NATO ASI, Prague 2002) report, for a chain of pendulums
with derivatives by differences, up to 80 % less processor time by differences of grouped columns, up to 60 % by
combining an old matrix anew when the step changes, up to 90 % by following an excitation; data of their chain are not
given. Here: a chain of 20 bars falling from the horizontal; the same hung and turned a little at its support by a
motor; a driven crank and rocker, whose configuration is that of its motor; a swinging cantilever of 16 cables. Runs
have error control with 1e-6 (the cantilever 1e-5); every line is one set of switches.

Evaluations are counted in residuals: those of iterations, those of differences, and exact derivatives times what they
cost beside a residual, which is measured. An error at the end shows that all switches give the same motion.

    python benchmarks/bench_corrector.py [--quick]
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import measure
import numpy as np

import flexmbs as fx
from flexmbs.dynamics import Dynamics

LINKS, RTOL = 20, 1e-6
ROUNDS = 3
REPEATS = 200


class Line(NamedTuple):
    """A set of switches by name, and the number of the line it is compared with."""

    name: str
    options: fx.CorrectorOptions
    against: int | None


def _options(jacobian: str, reuse: bool, alpha: bool, excitation: bool = False) -> fx.CorrectorOptions:
    return fx.CorrectorOptions(jacobian=jacobian, reuse=reuse, alpha_update=alpha, excitation_update=excitation)


LINES = (
    Line("differences, each column, each step", _options("columns", False, False), None),
    Line("differences, grouped, each step", _options("grouped", False, False), 0),
    Line("differences, each column, kept", _options("columns", True, False), 0),
    Line("the same, combined for a new step", _options("columns", True, True), 2),
    Line("differences, grouped, kept", _options("grouped", True, False), 2),
    Line("the same, combined for a new step", _options("grouped", True, True), 4),
    Line("the same, following excitations", _options("grouped", True, True, True), 5),
    Line("exact, each step", _options("exact", False, False), 0),
    Line("exact, kept", _options("exact", True, False), 7),
    Line("the same, combined for a new step", _options("exact", True, True), 8),
    Line("the same, following excitations", _options("exact", True, True, True), 9),
)


def chain(driven: bool) -> tuple[fx.Model, fx.Marker]:
    """Bars of 1 m and 1 kg, level and free, or hanging from a bar that a motor turns."""
    along = np.array([0.0, -1.0]) if driven else np.array([1.0, 0.0])
    ends = [tuple(i * along) for i in range(LINKS + 1)]
    bars = [fx.PlanarRigidBody.rod(ends[i], ends[i + 1], mass=1.0, name=f"bar {i}") for i in range(LINKS)]
    sides = [fx.ground, *bars]
    hinges = [fx.Revolute(sides[i], sides[i + 1], at=ends[i], name=f"hinge {i}") for i in range(LINKS)]
    motor = [fx.RotationDriver(hinges[0], fx.motions.Sine(0.02, frequency=1.0), name="motor")] if driven else []
    return fx.Model(*bars, *hinges, *motor, fx.Gravity((0.0, -9.81))), bars[-1].marker_at(ends[-1])


def rocker() -> tuple[fx.Model, fx.Marker]:
    """Crank 1, coupler 3, rocker 2.5, ground 3 m; the crank turns by 2 pi rad/s."""
    a, b, c, d = 1.0, 3.0, 2.5, 3.0
    A, D = (1.0, 0.0), (d, 0.0)
    span = d - a
    x = (span**2 + b**2 - c**2) / (2.0 * span)
    B = (a + x, float(np.sqrt(b**2 - x**2)))
    points = ((0.0, 0.0), A, B, D)
    bars = [fx.PlanarRigidBody.rod(points[i], points[i + 1], mass=1.0, name=f"bar {i}") for i in range(3)]
    ring = [fx.ground, *bars, fx.ground]
    hinges = [fx.Revolute(ring[i], ring[i + 1], at=points[i], name=f"hinge {i}") for i in range(4)]
    motor = fx.RotationDriver(hinges[0], fx.motions.Linear(2.0 * np.pi), name="motor")
    return fx.Model(*bars, *hinges, motor), bars[1].marker_at(B)


def beam() -> tuple[fx.Model, fx.Marker]:
    """A clamped cable of 1 m that gravity sets swinging, by some 0.1 m: stiff, and its matrix changes little."""
    stiffness = fx.BeamStiffness(EA=1e4, EI_z=10.0, mass_per_length=1.0)
    body = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=16, element=fx.elements.PlanarCable(), stiffness=stiffness, name="beam"
    )
    return fx.Model(body, fx.Clamp(body.start), fx.Gravity((0.0, -9.81))), body.end


def tangent_cost(system: fx.System) -> float:
    """Processor time of exact derivatives over that of a residual."""
    dyn = Dynamics(system)
    dyn.set_time(0.0)
    q, v = dyn.coordinates.reference, dyn.coordinates.velocity
    zero, lam = np.zeros(dyn.n_v), np.zeros(dyn.n_c)
    dyn.T[:] = np.eye(3)

    def residuals() -> None:
        for _ in range(REPEATS):
            dyn.residual(q, v, zero, lam)

    def tangents() -> None:
        for _ in range(REPEATS):
            dyn.tangent(q, v, zero, lam, (0.1, 0.1), 1)

    residuals()
    tangents()
    return min(measure.cpu_time(tangents) for _ in range(5)) / min(measure.cpu_time(residuals) for _ in range(5))


def compare(name: str, model: fx.Model, tip: fx.Marker, until: float, rounds: int, rtol: float = RTOL) -> None:
    """One table."""
    system = fx.compile_model(model)
    ratio = tangent_cost(system)
    output = fx.Output(every=until)
    fine = fx.simulate(
        system, until, step=fx.ErrorControl(rtol=1e-3 * rtol), integrator=fx.BDF(), output=output, progress=False
    )
    end = fine.position(tip)[-1]
    costs: list[tuple[float, float]] = []
    rows = []
    for line in LINES:
        scheme = fx.BDF(corrector=line.options)
        runs = [
            fx.simulate(
                system, until, step=fx.ErrorControl(rtol=rtol), integrator=scheme, output=output, progress=False
            )
            for _ in range(rounds)
        ]
        c = runs[0].counts
        work = c["residuals"] + c["difference_residuals"] + ratio * c["tangents"]
        seconds = min(run.counts["cpu_seconds"] for run in runs)
        costs.append((work, seconds))
        saved = ("", "")
        if line.against is not None:
            before = costs[line.against]
            pairs = zip((work, seconds), before, strict=True)
            saved = tuple(f"{100.0 * (1.0 - now / then):.0f} %" for now, then in pairs)
        off = float(np.linalg.norm(runs[0].position(tip)[-1] - end))
        rows.append(
            (
                f"{len(rows):2d} {line.name}", "" if line.against is None else str(line.against),
                str(len(runs[0].steps)),
                str(c["groups"] or "-"), f"{work:.0f}", saved[0], str(c["factorisations"]), str(c["combinations"]),
                f"{1e3 * seconds:.0f}", saved[1], f"{off:.0e}",
            )
        )  # fmt: skip
    print(f"\n{name}: {system.n} unknowns; exact derivatives cost {ratio:.2f} residuals")
    header = ("switches", "against", "steps", "groups", "evaluations", "saved", "factorisations", "combinations",
              "CPU ms", "saved", "error m")  # fmt: skip
    measure.table(header, rows)


def main() -> None:
    """All tables."""
    quick = "--quick" in sys.argv
    rounds = 1 if quick else ROUNDS
    print(measure.facts())
    compare("falling chain", *chain(False), 1.0, rounds)
    compare("chain turned at its support", *chain(True), 2.0, rounds)
    compare("driven crank and rocker", *rocker(), 2.0, rounds)
    compare("swinging cantilever", *beam(), 1.0, rounds, 1e-5)


if __name__ == "__main__":
    main()
