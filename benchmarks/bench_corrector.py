"""The corrector of BDF: evaluations and processor time with each of its savings off and on.

A. Fuchs and M. Arnold (Virtual Nonlinear Multibody Systems, NATO ASI, Prague 2002) report, for a chain of pendulums
with derivatives by differences, up to 80 % less processor time by differences of grouped columns, up to 60 % by
combining an old matrix anew when the step changes, up to 90 % by following an excitation; data of their chain are not
given. Their code is of the family of DASSL: one difference for each position, velocity and multiplier ("first-order").
Here, all with 20 bars of 1 m and 1 kg:

* falling chain: from the horizontal; its matrix changes as it moves.
* swinging chain: let go straight at 0.3 rad.
* pushed chain: hanging, pushed at its end by 0.5 N for 0.2 s in every second: steps change, the motion is small.
* shaken chain: with 100 kg in its last bar, a side wind of 1 N on each bar that rises in the first second, and air that
  brakes turning by 30 N m s; its support is shaken up and down at 0.5 Hz by 0.8 g, so its stiffness goes from 0.2 to
  1.8 times that at rest. The same in four times the wind.

And a driven crank and rocker, whose configuration is that of its motor; a swinging cantilever of 16 cables. Every line
is one set of switches; "against" is the line with which it is compared. A matrix that is kept is evaluated anew when
the iteration converges by a rate above 0.6 (0.3 with grouped differences and exact derivatives, which are cheap);
"strict" is 0.3, about what the four iterations of DASSL amount to.

Evaluations are counted in residuals: those of iterations, those of differences, and exact derivatives times what they
cost beside a residual, which is measured. An error at the end, against a tolerance a thousand times as small, shows
that all switches give the same motion.

    python benchmarks/bench_corrector.py [--quick]
"""

from __future__ import annotations

import sys
import warnings
from typing import NamedTuple

import measure
import numpy as np

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics

LINKS, GRAVITY = 20, 9.81
ROUNDS = 3
REPEATS = 200


class Line(NamedTuple):
    """A set of switches by name, and the number of the line it is compared with."""

    name: str
    options: fx.integrators.CorrectorOptions
    against: int | None


def _options(
    jacobian: str, reuse: bool, alpha: bool = False, excitation: bool = False, slow: float | None = None
) -> fx.integrators.CorrectorOptions:
    return fx.integrators.CorrectorOptions(
        jacobian=jacobian, reuse=reuse, alpha_update=alpha, excitation_update=excitation, slow=slow
    )


LINES = (
    Line("first-order, each step", _options("first_order", False), None),
    Line("first-order, kept", _options("first_order", True), 0),
    Line("  combined for a new step", _options("first_order", True, True), 1),
    Line("  following excitations", _options("first_order", True, True, True), 1),
    Line("columns, each step", _options("columns", False), 0),
    Line("columns, kept", _options("columns", True), 1),
    Line("grouped, each step", _options("grouped", False), 4),
    Line("grouped, kept", _options("grouped", True), 5),
    Line("  combined for a new step", _options("grouped", True, True), 7),
    Line("  following excitations", _options("grouped", True, True, True), 7),
    Line("exact, each step", _options("exact", False), 6),
    Line("exact, kept", _options("exact", True), 10),
    Line("  combined for a new step", _options("exact", True, True), 11),
    Line("  following excitations", _options("exact", True, True, True), 11),
    Line("first-order, kept, strict", _options("first_order", True, slow=0.3), 0),
    Line("  combined for a new step", _options("first_order", True, True, slow=0.3), 14),
    Line("  following excitations", _options("first_order", True, True, True, slow=0.3), 14),
)


class Links(NamedTuple):
    """A straight chain: its bars, and what holds it together."""

    bars: list[fx.PlanarRigidBody]
    hinges: list[fx.RevoluteJoint]
    tip: fx.Marker


def links(angle: float, support: fx.PlanarRigidBody | None = None, last: float = 1.0) -> Links:
    """Bars at an angle from the vertical [rad], from the ground or a support on; mass of the last one [kg]."""
    along = np.array([np.sin(angle), -np.cos(angle)])
    ends = [tuple(i * along) for i in range(LINKS + 1)]
    bars = [
        fx.PlanarRigidBody.rod(ends[i], ends[i + 1], mass=last if i == LINKS - 1 else 1.0, name=f"bar {i}")
        for i in range(LINKS)
    ]
    sides = [fx.ground if support is None else support, *bars]
    hinges = [fx.RevoluteJoint(sides[i], sides[i + 1], at=ends[i], name=f"hinge {i}") for i in range(LINKS)]
    return Links(bars, hinges, bars[-1].marker_at(ends[-1]))


def chain(angle: float) -> tuple[fx.Model, fx.Marker]:
    """Let go at an angle from the vertical."""
    bars, hinges, tip = links(angle)
    return fx.Model(*bars, *hinges, fx.Gravity((0.0, -GRAVITY))), tip


def pushed() -> tuple[fx.Model, fx.Marker]:
    """Hanging, and pushed at its end in every second."""
    bars, hinges, tip = links(0.0)

    def push(t: float) -> float:
        s = t % 1.0
        return float(np.sin(np.pi * s / 0.2) ** 2) if s < 0.2 else 0.0

    return fx.Model(*bars, *hinges, fx.PointForce(tip, (0.5, 0.0), history=push), fx.Gravity((0.0, -GRAVITY))), tip


def shaken(wind: float) -> tuple[fx.Model, fx.Marker]:
    """Under a support that is shaken, in a side wind [N on each bar]."""
    support = fx.PlanarRigidBody(1.0, 0.1, position=(0.0, 0.0), name="support")
    guide = fx.PrismaticJoint(fx.ground, support, at=(0.0, 0.0), axis=(0.0, 1.0), name="guide")
    motion = fx.motions.Sine(0.8 * GRAVITY / np.pi**2, frequency=0.5)
    bars, hinges, tip = links(0.0, support, last=100.0)
    still = fx.ground.marker_at((0.0, 0.0))

    def rise(t: float) -> float:
        return float(0.5 * (1.0 - np.cos(np.pi * min(t, 1.0))))

    return fx.Model(
        support, guide, fx.TranslationDriver(guide, motion, name="shaker"), *bars, *hinges,
        *(fx.PointForce(b.centre, (wind, 0.0), history=rise) for b in bars),
        *(fx.TorsionSpring((still, b.centre), stiffness=0.0, damping=30.0, name=f"air on {b.name}") for b in bars),
        fx.Gravity((0.0, -GRAVITY)),
    ), tip  # fmt: skip


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
    hinges = [fx.RevoluteJoint(ring[i], ring[i + 1], at=points[i], name=f"hinge {i}") for i in range(4)]
    motor = fx.RotationDriver(hinges[0], fx.motions.Linear(2.0 * np.pi), name="motor")
    return fx.Model(*bars, *hinges, motor), bars[1].marker_at(B)


def beam() -> tuple[fx.Model, fx.Marker]:
    """A clamped cable of 1 m that gravity sets swinging, by some 0.1 m: stiff, and its matrix changes little."""
    stiffness = fx.BeamStiffness(EA=1e4, EI_z=10.0, mass_per_length=1.0)
    body = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=16, element=fx.elements.ANCFCable2D(), stiffness=stiffness, name="beam"
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


def compare(name: str, model: fx.Model, tip: fx.Marker, until: float, rtol: float, rounds: int) -> None:
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
        scheme = fx.BDF(corrector=line.options, compiled=False)
        runs = [
            fx.simulate(
                system, until, step=fx.ErrorControl(rtol=rtol), integrator=scheme, output=output, progress=False
            )
            for _ in range(rounds)
        ]
        c = runs[0].counts
        work = c["residuals"] + c["difference_residuals"] + c["excitation_residuals"] + ratio * c["tangents"]
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
                str(len(runs[0].steps)), str(c["groups"] or "-"), str(c["matrices"]), f"{work:.0f}", saved[0],
                str(c["factorisations"]), f"{1e3 * seconds:.0f}", saved[1], f"{off:.0e}",
            )
        )  # fmt: skip
    print(f"\n{name}, {until:g} s, rtol {rtol:g}: {system.n} unknowns; exact derivatives cost {ratio:.2f} residuals")
    header = ("switches", "against", "steps", "groups", "matrices", "evaluations", "saved", "factorisations", "CPU ms",
              "saved", "error m")  # fmt: skip
    measure.table(header, rows)


def main() -> None:
    """All tables."""
    quick = "--quick" in sys.argv
    rounds = 1 if quick else ROUNDS
    warnings.simplefilter("ignore", fx.AccuracyWarning)  # at loose tolerances; the errors are in the tables
    print(measure.facts())
    compare("falling chain", *chain(0.5 * np.pi), 1.0, 1e-6, rounds)
    for rtol in (1e-4, 1e-6):
        compare("swinging chain", *chain(0.3), 5.0, rtol, rounds)
    for rtol in (1e-4, 1e-6):
        compare("pushed chain", *pushed(), 5.0, rtol, rounds)
    for rtol in (1e-3, 1e-4, 1e-5):
        compare("shaken chain", *shaken(1.0), 30.0, rtol, rounds)
    compare("shaken chain, four times the wind", *shaken(4.0), 30.0, 1e-3, rounds)
    compare("driven crank and rocker", *rocker(), 2.0, 1e-6, rounds)
    compare("swinging cantilever", *beam(), 1.0, 1e-5, rounds)


if __name__ == "__main__":
    main()
