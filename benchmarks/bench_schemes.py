"""What comes on top of steps of fixed size: error control, events, dense output, kinds of bodies.

First the slider-crank of `bench_dynamics.py`, compiled steps against compiled steps: of fixed size, of as many sizes as
error control chooses, with dense output, with three events of which each happens once (full turns of the crank), and
with three that happen at every stroke; with every state stored, without energies, as is usual, and with a look at the
energies. Then models of several kinds of bodies, compiled steps against the loop in Python, of generalized-alpha, of
backward differentiation and of Radau IIA; both give the same numbers to the last bit, which is checked. Processor time
of `simulate`, its start included; the runs of both sides alternate.

    python benchmarks/bench_schemes.py [repetitions] [crank] [bodies] [backward] [collocated]
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import bench_dynamics
import measure
import numpy as np

import flexmbs as fx

UNTIL, STEP, RTOL = 5.0, 1e-3, 1e-6
BRIEF = fx.Output(every=UNTIL, energy=False)
DENSE = fx.Output(every=0.0123, energy=False)
TARGETS = {"error control": 1.3, "dense output": 1.15, "dense output, 3 events, each once": 1.15}
"""Time of a step over that of one of fixed size."""


def scheme(compiled: bool) -> fx.GeneralizedAlpha:
    return fx.GeneralizedAlpha(rho_inf=bench_dynamics.RHO, index=3, compiled=compiled)


def timed(system: Any, reads: bool = False, **settings: Any) -> tuple[float, fx.TimeSolution]:
    """Processor seconds of a step, and the run; ``reads``: with a look at its energies."""
    found: list[fx.TimeSolution] = []

    def simulated() -> None:
        found.append(fx.simulate(system, **settings))
        if reads:
            _ = found[0].energy

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # starts that do not fit are of no concern here
        taken = measure.cpu_time(simulated)
    return taken / len(found[0].steps), found[0]


def crank(repetitions: int) -> None:
    """Steps of the slider-crank with what comes on top."""
    model, block = bench_dynamics.crank()
    system = fx.compile_model(model)
    place = fx.control.PositionSensor(block, (1, 0, 0))
    angle = fx.control.JointSensor("axle")
    often = [fx.control.Event(place, level=x, name=f"{x} m") for x in (0.2, 0.25, 0.28)]
    once = [fx.control.Event(angle, level=x, name=f"{x} rad") for x in (2.0, 10.0, 18.0)]
    given = {"until": UNTIL, "integrator": scheme(True), "output": BRIEF}
    controlled = {**given, "step": fx.ErrorControl(RTOL)}
    number = len(timed(system, **controlled)[1].steps)
    fixed = {**given, "step": STEP}
    cases = {
        "fixed": (fixed, fixed),
        "error control": (controlled, {**given, "step": UNTIL / number}),
        "dense output": ({**fixed, "output": DENSE}, fixed),
        "dense output, 3 events, each once": ({**fixed, "output": DENSE, "events": once}, fixed),
        "dense output, 3 events, often": ({**fixed, "output": DENSE, "events": often}, fixed),
        "every state, no energies": ({**fixed, "output": fx.Output(energy=False)}, fixed),
        "every state": ({**fixed, "output": None}, fixed),
        "every state, energies read": ({**fixed, "output": None, "reads": True}, fixed),
    }
    rows, verdicts = [], []
    for name, (settings, beside) in cases.items():
        for each in (settings, beside):
            timed(system, **each)
        times = [(timed(system, **settings), timed(system, **beside)[0]) for _ in range(repetitions)]
        run = times[-1][0][1]
        ours, theirs = (measure.Sample.of(x).scaled(1e6) for x in ([a for (a, _), _ in times], [b for _, b in times]))
        ratio = ours.median / theirs.median
        rows.append([name, len(run.steps), len(run.events), f"{ours.median:.1f}", f"{ours.low:.1f}",
                     f"{theirs.median:.1f}", f"{ratio:.2f}"])  # fmt: skip
        if name in TARGETS:
            verdicts.append(f"{name}: {ratio:.2f}, target {TARGETS[name]}: {measure.verdict(ratio, TARGETS[name])}")
    measure.table(("slider-crank", "steps", "events", "us per step", "lowest", "fixed, as many", "ratio"), rows)
    print("\n".join(verdicts))


def floating(modes: int) -> fx.Model:
    """A bar of plastic reduced to its ends, hinged about y."""
    mesh = fx.meshes.box((0.0, -0.03, -0.05), (1.0, 0.06, 0.1), (8, 1, 1))
    plastic = fx.Elastic(youngs_modulus=2e8, poissons_ratio=0.3, density=1200.0)
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), plastic)], name="bar")
    bar = fx.FloatingBody(fx.reduction.reduce(part, ["left", "right"], modes, progress=False), reference="left")
    hinge = fx.RevoluteJoint(fx.ground, bar.interface("left", axis=(0, 1, 0)), name="hinge")
    return fx.Model(bar, hinge, fx.Gravity((0, 0, -9.81)))


def arm(modes: int) -> fx.Model:
    """Six links on hinges in turn about z, y, y, x, y, x; the third is reduced to ``modes`` shapes."""
    trees = fx.trees
    mesh = fx.meshes.box((0.0, -0.03, -0.05), (0.5, 0.06, 0.1), (8, 1, 1))
    plastic = fx.Elastic(youngs_modulus=2e9, poissons_ratio=0.3, density=1200.0)
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), plastic)], name="forearm")
    reduced = fx.reduction.reduce(part, ["left", "right"], modes - 6, progress=False)
    links: list[Any] = []
    for k, axis in enumerate(((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0))):
        joint, before = trees.Revolute(axis), f"link {k - 1}" if k else None
        at: Any = (0, 0, 0) if k == 0 else (0.5, 0, 0) if k != 3 else "right"
        name = f"link {k}"
        if k == 2:
            links.append(trees.FlexibleLink(name, reduced, "left", before, joint, at=at, damping=1e-3))
        else:
            inertia = (0.01, 0.05, 0.05)
            given = {"joint": joint, "at": at, "rate": 0.5 - 0.2 * k}
            links.append(trees.Link(name, 2.0 - 0.3 * k, inertia, (0.25, 0, 0), before, **given))
    return fx.Model(trees.Tree(*links, name="arm"), fx.Gravity((0, 0, -9.81)))


def boom(count: int) -> fx.Model:
    """A soft bar of substructures with 6 inner modes each, from a hub on a hinge about y to a body that hangs on it."""
    soft = fx.BeamStiffness(EA=1e4, EI_y=2.0, EI_z=1.0, GJ=1.0, mass_per_length=0.2, rhoI_y=1e-4, rhoI_z=1e-4)
    hub = fx.RigidBody(2.0, (0.1, 0.1, 0.1), name="hub")
    tip = fx.RigidBody(0.2, (1e-3, 1e-3, 1e-3), position=(1.5, 0, 0), name="tip")
    bar = fx.SubstructuredBeam.straight(
        (0, 0, 0), (1.5, 0, 0), hub, tip, n=count, element=fx.elements.Frame(section=soft), modes=6,
        retardation_time=1e-3, name="boom",
    )  # fmt: skip
    hinge = fx.RevoluteJoint(fx.ground, hub, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    return fx.Model(hub, tip, *bar.items, hinge, fx.Gravity((0, 0, -9.81)))


def rope() -> fx.Model:
    """A spatial cable with a body on a hinge at its end, whose axis follows the tangent."""
    cable = fx.FlexibleBody.line(
        (0, 0, 0), (1, 0, 0), elements=8, element=fx.elements.ANCFCable3D(),
        stiffness=fx.BeamStiffness(EA=1e4, EI_y=0.1, EI_z=0.1, GJ=0.1, mass_per_length=1.0),
    )  # fmt: skip
    ball = fx.RigidBody(0.2, (1e-3, 1e-3, 1e-3), position=(1, 0, 0), name="ball")
    hinge = fx.RevoluteJoint(cable.end, ball, at=(1, 0, 0), axis=(1, 0, 0), name="hinge")
    return fx.Model(cable, fx.Pin(cable.start), ball, hinge, fx.Gravity((0, 0, -9.81)))


def bodies(repetitions: int) -> None:
    """Generalized-alpha on several kinds of bodies, compiled against the loop in Python, over 400 fixed steps."""
    models = {
        "floating body, 6 shapes": floating(0), "floating body, 20 shapes": floating(14),
        "arm of 6 links, one of 20 shapes": arm(20), "spatial cable, hinge at its end": rope(),
        "boom of 1 substructure": boom(1), "boom of 3 substructures": boom(3),
        "slider-crank": bench_dynamics.crank()[0],
    }  # fmt: skip
    both_roads(repetitions, {name: (model, 400 * STEP) for name, model in models.items()}, scheme)


def backward(repetitions: int) -> None:
    """Backward differentiation, compiled against the loop in Python."""
    models = {
        "slider-crank": (bench_dynamics.crank()[0], UNTIL),
        "cable of 20 elements": (bench_dynamics.pendulum(20)[0], 1.0), "floating body, 6 shapes": (floating(0), 0.4),
        "arm of 6 links, one of 20 shapes": (arm(20), 0.4), "boom of 3 substructures": (boom(3), 0.4),
    }  # fmt: skip
    both_roads(repetitions, models, lambda compiled: fx.BDF(compiled=compiled))


def collocated(repetitions: int) -> None:
    """Radau IIA, compiled against the loop in Python; it refuses masses that change."""
    models = {
        "slider-crank": (bench_dynamics.crank()[0], UNTIL), "chain of 10 bars": (bench_dynamics.chain(10)[0], 0.5),
        "cable of 20 elements": (bench_dynamics.pendulum(20)[0], 1.0), "spatial cable, hinge at its end": (rope(), 0.4),
    }  # fmt: skip
    both_roads(repetitions, models, lambda compiled: fx.RadauIIA(compiled=compiled))


def both_roads(repetitions: int, models: dict[str, tuple[fx.Model, float]], make: Callable[[bool], Any]) -> None:
    """Models and the ends of their runs, with fixed steps and with error control; ``make`` gives the scheme."""
    rows = []
    for name, (model, until) in models.items():
        system = fx.compile_model(model)
        for control in (STEP, fx.ErrorControl(RTOL)):
            settings = {"until": until, "step": control, "output": fx.Output(every=until, energy=False)}
            times: dict[bool, list[float]] = {True: [], False: []}
            last = {}
            for k in range(repetitions + 1):
                for compiled, taken in times.items():
                    one, run = timed(system, integrator=make(compiled), **settings)
                    taken += [one] if k else []
                    last[compiled] = run
            assert np.array_equal(last[True].q, last[False].q)
            ours, python = (measure.Sample.of(times[c]).scaled(1e6).median for c in (True, False))
            what = "fixed" if control == STEP else "error control"
            number = len(last[True].steps)
            rows.append([name, what, number, f"{ours:.1f}", f"{python:.1f}", f"{ours / python:.2f}"])
    measure.table(("model", "steps", "number", "compiled [us]", "loop in Python [us]", "ratio"), rows)


def main() -> None:
    arguments = sys.argv[1:]
    repetitions = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 7
    print(measure.facts())
    begin = time.perf_counter()
    for name, part in (("crank", crank), ("bodies", bodies), ("backward", backward), ("collocated", collocated)):
        if name in arguments or not arguments:
            part(repetitions)
            print()
    print(f"all of it: {time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
