"""Motion: processor time of a step, against Exudyn where that is installed; time and memory of setting up.

Both sides make the same constant steps of generalized-alpha with the same damping on the same models: a very flexible
pendulum of absolute-nodal cables, chains of rigid bars with revolute joints about parallel axes in space, and a spatial
slider-crank (bodies with redundant coordinates). Only the call of the solver is timed; the repetitions of both programs
alternate, each in its own process. Exudyn runs in its fast build with modified Newton, which suits it best here,
relative tolerance 1e-6, index 3; rigid bodies both with Euler parameters and with Tait-Bryan angles, and the small
mechanism with its sparse and its dense solver: the fastest counts. Up to 500 elements or bodies our steps are made by
the compiled driver, which the loop in Python stands beside.

    python benchmarks/bench_dynamics.py [repetitions] [name ...]

Names: pendulum, chain, crank, setup, where (parts of a step). Exudyn is imported by the interpreter in EXUDYN_PYTHON,
or else by this one.
"""

from __future__ import annotations

import math
import resource
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import measure
import numpy as np
from peer import Peer, find_peer

import flexmbs as fx

RHO, GRAVITY, STEP = 0.8, 9.81, 1e-3
COMMON = {"rho": RHO, "rtol": 1e-6, "gravity": GRAVITY, "step": STEP}

CABLE = {"length": 1.2, "EA": 0.7e6 * 0.0018, "EI": 0.7e6 * 1.215e-8, "mass": 5540 * 0.0018}
PENDULUM = ((20, 1.0, 0.3), (100, 1.0, 0.25), (500, 0.5, 0.22), (2000, 0.2, 0.14))
"""Elements, simulated time [s], target: largest fraction of Exudyn's time."""

LINK, WIDTH, DENSITY = 0.1, 0.01, 1000.0
BAR_MASS = DENSITY * LINK * WIDTH**2
BAR_INERTIA = [BAR_MASS * 2 * WIDTH**2 / 12, *[BAR_MASS * (LINK**2 + WIDTH**2) / 12] * 2]
CHAIN = ((10, 1.0, 0.22), (50, 0.5, 0.22), (1000, 0.05, 0.3))

AXLE, ARM, ROD, SPEED = np.array([0.0, 0.1, 0.12]), 0.08, 0.3, 6.0
UPWARDS = np.array([0.0, 0.0, ARM])
CRANK_UNTIL, CRANK_TARGET = 5.0, 0.25
SETUP_TARGET = 3.0
"""Seconds of compiling the model of the longest chain or cable, kernels being there."""

Row = Sequence[Any]  # processor seconds, steps, iterations, tangents, position at the end


def pendulum(elements: int) -> tuple[fx.Model, Any]:
    """A cable hinged at the origin, which falls from the horizontal; and its tip."""
    cable = fx.FlexibleBody.line(
        (0, 0),
        (CABLE["length"], 0),
        elements=elements,
        element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=CABLE["EA"], EI_z=CABLE["EI"], mass_per_length=CABLE["mass"]),
    )
    return fx.Model(cable, fx.Pin(cable.start), fx.Gravity((0.0, -GRAVITY))), cable.end


def chain(bodies: int) -> tuple[fx.Model, Any]:
    """Bars along x in space, hinged about z; and the end of the last."""
    bars = [
        fx.RigidBody(BAR_MASS, BAR_INERTIA, position=(LINK * (i + 0.5), 0, 0), name=f"bar {i}") for i in range(bodies)
    ]
    hinges = [
        fx.RevoluteJoint(a, b, at=(LINK * i, 0, 0), axis=(0, 0, 1), name=f"hinge {i}")
        for i, (a, b) in enumerate(zip([fx.ground, *bars], bars, strict=False))
    ]
    return fx.Model(*bars, *hinges, fx.Gravity((0, -GRAVITY, 0))), bars[-1].marker((LINK / 2, 0, 0))


def crank_bodies() -> dict[str, dict[str, Any]]:
    """Crank upwards, rod, block: inertia, pose, velocity of the centre of mass, angular velocity (inertial axes)."""
    pin = AXLE + UPWARDS
    block = np.array([math.sqrt(ROD**2 - pin[1] ** 2 - pin[2] ** 2), 0.0, 0.0])
    along = (pin - block) / ROD
    y, z = math.atan2(-along[2], along[0]), math.asin(along[1])  # turns about y, then z, of the universal joint
    by_y = np.array([[math.cos(y), 0, math.sin(y)], [0, 1, 0], [-math.sin(y), 0, math.cos(y)]])
    by_z = np.array([[math.cos(z), -math.sin(z), 0], [math.sin(z), math.cos(z), 0], [0, 0, 1]])
    pin_velocity = np.cross([SPEED, 0, 0], pin - AXLE)
    block_velocity = np.array([pin_velocity @ along / along[0], 0, 0])
    axes = np.column_stack([[0.0, 1.0, 0.0], by_y[:, 2]])
    rates = np.linalg.lstsq(np.cross(axes.T, ROD * along).T, pin_velocity - block_velocity, rcond=None)[0]

    def body(mass: float, inertia: Sequence[float], **motion: Any) -> dict[str, Any]:
        listed = {name: np.asarray(value, dtype=float).tolist() for name, value in motion.items()}
        return {"mass": mass, "inertia": list(inertia), **listed}

    return {
        "crank": body(0.12, (1e-4, 1e-4, 1e-5), place=(AXLE + pin) / 2, velocity=pin_velocity / 2, spin=(SPEED, 0, 0)),
        "rod": body(0.5, (4e-4, 4e-3, 4e-3), place=(pin + block) / 2, frame=by_y @ by_z,
                    velocity=(pin_velocity + block_velocity) / 2, spin=axes @ rates),
        "block": body(2.0, (1e-4, 1e-4, 1e-4), place=block, velocity=block_velocity),
    }  # fmt: skip


def crank() -> tuple[fx.Model, Any]:
    """The slider-crank with revolute, spherical, universal and prismatic joint; and the block."""
    bodies = {}
    for name, d in crank_bodies().items():
        frame = np.array(d.get("frame", np.eye(3)))
        bodies[name] = fx.RigidBody(
            d["mass"], d["inertia"], position=d["place"], rotation=frame, velocity=d["velocity"],
            angular_velocity=frame.T @ np.array(d.get("spin", (0, 0, 0))), name=name,
        )  # fmt: skip
    wheel, rod, block = bodies.values()
    frame = np.array(crank_bodies()["rod"]["frame"])
    joints = [
        fx.RevoluteJoint(fx.ground, wheel, at=AXLE, axis=(1, 0, 0), name="axle"),
        fx.SphericalJoint(wheel, rod, at=AXLE + UPWARDS, name="pin"),
        fx.UniversalJoint(
            block.marker((0, 0, 0), axis=(0, 1, 0)),
            rod.marker((-ROD / 2, 0, 0), axis=(0, 0, 1)),
            name="cross",
        ),
        fx.PrismaticJoint(fx.ground, block, at=block.position, axis=(1, 0, 0), name="guide"),
    ]
    assert np.allclose(frame @ (1, 0, 0), (AXLE + UPWARDS - block.position) / ROD)
    return fx.Model(*bodies.values(), *joints, fx.Gravity((0, 0, -GRAVITY))), block.centre


LARGE = 1_000
"""Elements or bodies from which steps are made by the loop in Python alone."""


def both(model: fx.Model, place: Any, until: float, size: int) -> tuple[Callable[[], Row], ...]:
    """Functions that make the motion once: by the driver, where there is to be one, and by the loop in Python."""
    system = fx.compile_model(model)
    choices = (True, False) if size < LARGE else (False,)
    return tuple(ours(system, place, until, compiled) for compiled in choices)


def ours(system: Any, place: Any, until: float, compiled: bool) -> Callable[[], Row]:
    """A function that makes the motion once, from the compiled model."""
    scheme = fx.GeneralizedAlpha(rho_inf=RHO, index=3, compiled=compiled)
    output = fx.Output(every=until, energy=False)

    def solve() -> Row:
        found: list[Any] = []
        taken = measure.cpu_time(
            lambda: found.append(fx.simulate(system, until=until, step=STEP, integrator=scheme, output=output))
        )
        run = found[0]
        iterations = int(run.steps[:, 2].sum())
        return taken, len(run.steps), iterations, run.counts["factorisations"], run.position(place)[-1].tolist()

    return solve


def compare(
    title: str, key: str, cases: Sequence[tuple[str, tuple[Callable[[], Row], ...], list[dict[str, Any]], float]],
    repetitions: int, peer: Peer | None,
) -> None:  # fmt: skip
    """Run both sides in turns and print a table; each case: size, our functions, problems of the other side, target.

    The first of our functions counts; a second one is the loop in Python.
    """
    print(f"\n{title}")
    rows: list[list[object]] = []
    verdicts = []
    for size, (solve, *others), problems, target in cases:
        for function in (solve, *others):
            function()
        if peer is not None and len(problems) > 1:  # the fastest variant by one run each
            problems = [min(problems, key=lambda p: peer.solve(p)[0] + peer.solve(p)[0])]
        mine, theirs, loop = [], [], []
        for _ in range(repetitions):
            mine.append(solve())
            loop += [other() for other in others]
            if peer is not None:
                theirs.append(peer.solve(problems[0]))
        rows.append(_row("flexmbs", size, mine))
        if theirs:
            rows.append(_row("Exudyn", f"{size} {problems[0].get('variant', '')}".strip(), theirs))
            each = measure.Sample.of([a[0] / b[0] for a, b in zip(mine, theirs, strict=True)])
            ratio = measure.Sample.of([a[0] for a in mine]).median / measure.Sample.of([b[0] for b in theirs]).median
            rows[-2][-1] = f"{ratio:.2f} ({each.low:.2f}-{each.high:.2f})"
            if loop:
                rows.append(_row("flexmbs, loop in Python", size, loop))
            verdicts.append(f"ratio, {size} {key}: {ratio:.2f}, target {target}: {measure.verdict(ratio, target)}")
    head = ("program", key, "us per step", "lowest", "highest", "iterations", "tangents", "end [m]", "ratio")
    measure.table(head, rows)
    print("\n".join(verdicts))


def _row(name: str, size: str, found: Sequence[Row]) -> list[object]:
    """A line of the table; iterations and tangents per step."""
    steps = found[-1][1]
    t = measure.Sample.of([row[0] / row[1] for row in found]).scaled(1e6)
    end = ", ".join(f"{x:.5f}" for x in found[-1][4])
    return [
        name, size, f"{t.median:.1f}", f"{t.low:.1f}", f"{t.high:.1f}", f"{found[-1][2] / steps:.2f}",
        f"{found[-1][3] / steps:.2f}", end, "",
    ]  # fmt: skip


def setup(repetitions: int) -> None:
    """Time and memory of compiling models."""
    print("\nsetting up: compile_model alone, kernels compiled before")
    rows, last = [], {}
    for name, size in (("chain", 250), ("chain", 500), ("chain", 1000), ("cable", 500), ("cable", 2000)):
        model = chain(size)[0] if name == "chain" else pendulum(size)[0]
        fx.compile_model(model)
        taken = measure.Sample.of([measure.cpu_time(lambda m=model: fx.compile_model(m)) for _ in range(repetitions)])
        tracemalloc.start()
        system = fx.compile_model(model)
        kept, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        del system
        rows.append(
            [f"{name} {size}", f"{taken.median:.3f}", f"{taken.high:.3f}", f"{peak / 1e3 / size:.1f}",
             f"{kept / 1e3 / size:.1f}"]
        )  # fmt: skip
        last[name] = taken.median
    measure.table(("model", "CPU [s]", "highest", "peak [kB per body]", "kept [kB per body]"), rows)
    for name, taken in last.items():
        print(f"largest {name}: {taken:.2f} s, target {SETUP_TARGET} s: {measure.verdict(taken, SETUP_TARGET)}")
    print(f"resident memory at its peak: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


PARTS = ("evaluation", "assembly", "factorisation", "solve")


def where(cases: Sequence[tuple[str, fx.Model, float]]) -> None:
    """Microseconds per step in the parts of a step, by the clocks of the run itself; wall time."""
    print("\nwhere the time goes in the loop in Python, us per step")
    rows = []
    for name, model, until in cases:
        system = fx.compile_model(model)
        scheme, output = fx.GeneralizedAlpha(rho_inf=RHO, index=3, compiled=False), fx.Output(every=until, energy=False)
        for _ in range(2):  # the second is warm
            run = fx.simulate(system, until=until, step=STEP, integrator=scheme, output=output)
        parts = [run.counts[f"{part}_seconds"] for part in PARTS]
        everything = run.counts["seconds"]
        per_step = [x / len(run.steps) * 1e6 for x in (everything, *parts, everything - sum(parts))]
        rows.append([name, *(f"{x:.1f}" for x in per_step)])
    measure.table(("model", "all", *PARTS, "other"), rows)


def main() -> None:
    arguments = sys.argv[1:]
    repetitions = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 5
    wanted = set(arguments) or {"pendulum", "chain", "crank", "setup", "where"}
    print(measure.facts())
    begin = time.perf_counter()
    peer = find_peer("exudyn_motion.py") if wanted - {"setup", "where"} else None
    if peer is not None:
        print(f"Exudyn {peer.version}, fast build, modified Newton, relative tolerance 1e-6, analysed pattern kept")
    print(f"generalized-alpha, index 3, rho = {RHO}, step {STEP} s; solver call only, {repetitions} repetitions")
    if "pendulum" in wanted:
        cases = []
        for n, until, target in PENDULUM:
            problem = {**COMMON, **CABLE, "kind": "pendulum", "elements": n, "until": until}
            cases.append((str(n), both(*pendulum(n), until, n), [problem], target))
        compare("very flexible pendulum, absolute-nodal cables", "elements", cases, repetitions, peer)
    if "chain" in wanted:
        cases = []
        for n, until, target in CHAIN:
            problem = {**COMMON, "kind": "chain", "bodies": n, "until": until, "link": LINK, "mass": BAR_MASS,
                       "inertia": BAR_INERTIA}  # fmt: skip
            problems = [{**problem, "variant": variant} for variant in ("euler", "angles")]
            cases.append((str(n), both(*chain(n), until, n), problems, target))
        compare("chain of rigid bars", "bodies", cases, repetitions, peer)
    if "crank" in wanted:
        problem = {**COMMON, **crank_bodies(), "kind": "crank", "axle": AXLE.tolist(), "arm": ARM, "length": ROD,
                   "until": CRANK_UNTIL}  # fmt: skip
        problems = [
            {**problem, "variant": v, "dense": dense} for v, dense in product(("euler", "angles"), (False, True))
        ]
        cases = [("3", both(*crank(), CRANK_UNTIL, 3), problems, CRANK_TARGET)]
        compare("spatial slider-crank", "bodies", cases, repetitions, peer)
    if "setup" in wanted:
        setup(repetitions)
    if "where" in wanted:
        where(
            [
                ("pendulum, 20 elements", pendulum(20)[0], 1.0),
                ("pendulum, 500 elements", pendulum(500)[0], 0.2),
                ("chain, 50 bars", chain(50)[0], 0.5),
                ("chain, 1000 bars", chain(1000)[0], 0.05),
                ("spatial slider-crank", crank()[0], 5.0),
            ]
        )
    if peer is not None:
        peer.close()
    print(f"\nall of it: {time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
