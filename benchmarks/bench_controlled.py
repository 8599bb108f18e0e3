"""Controlled models: processor time of a step beside Exudyn and MuJoCo, and calls of functions in Python.

    python benchmarks/bench_controlled.py [repetitions]

Cart and pendulum with state feedback at 1 kHz, as bodies with joints and as a tree, by a controller of ours and by one
of Python functions, against Exudyn (bodies with joints) with its user function in Python; an arm of six hinges (a tree)
with PD on all of them at 1 kHz, against MuJoCo; the bar and hinge of `bench_floating.py` with 20 shapes and PD at
1 kHz, against Exudyn; half a car on two roads that are Python functions; a pendulum on a spring whose force is a Python
function, by compiled steps and by the loop in Python.
Steps of 1 ms. Times are those of whole runs, with their start and no stored states; both sides alternate. Exudyn is
imported by the interpreter in EXUDYN_PYTHON, or else by this one, MuJoCo by that in MUJOCO_PYTHON.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bench_floating
import measure
import numpy as np
from peer import Peer, find_peer

import flexmbs as fx
from flexmbs import trees

G, STEP, UNTIL, RHO = 9.81, 1e-3, 10.0, 0.9
GAIN = (-31.6, -157.0, -35.0, -43.0)
LIMITS = {
    "own": (0.15, 25.0),
    "python": (0.4, None),
    "arm": (4.0, 40.0),
    "bar": (0.3, None),
    "car": (None, 60.0),
    "swing": (None, None),
}
"""Largest part of the peer's time, and microseconds of a step."""
MOST_CALLS = 3.0
"""Of the road functions, a step."""

Box = tuple[float, float, float]
CART: tuple[float, Box, Box] = 1.0, (0.4, 0.2, 0.1), (0.0, 0.0, 0.0)
POLE: tuple[float, Box, Box] = 0.3, (0.05, 0.05, 1.0), (0.05, 0.0, 0.5)
ARM = (  # axis, where it begins in the link before, length along z
    ((0, 0, 1), (0, 0, 0.1), 0.3), ((0, 1, 0), (0, 0, 0.3), 0.4), ((0, 1, 0), (0, 0, 0.4), 0.35),
    ((0, 0, 1), (0, 0, 0.35), 0.1), ((0, 1, 0), (0, 0, 0.1), 0.1), ((0, 0, 1), (0, 0, 0.1), 0.05),
)  # fmt: skip
MASSES = (6.0, 5.0, 4.0, 2.0, 1.0, 0.5)
TARGETS = (0.5, -0.4, 0.6, 0.3, -0.5, 0.8)
STIFFNESS, DAMPING = (400.0, 800.0, 400.0, 60.0, 40.0, 5.0), (30.0, 60.0, 30.0, 4.0, 2.0, 0.2)
HINGE = (40.0, 0.2)
"""Stiffness and damping of the controller of the bar.

More damping, held for a millisecond, excites the higher shapes, and there is no answer to compare: Exudyn's steps
fail at 0.5, no scheme has one at 2. Exudyn's controller reads its floating frame, ours the hinge: the ends are 3 mm
apart.
"""


def inertia(mass: float, size: Box) -> list[float]:
    """Principal moments of a box."""
    x, y, z = (s * s for s in size)
    return [mass / 12 * (y + z), mass / 12 * (x + z), mass / 12 * (x + y)]


def cart(own: bool) -> fx.Model:
    """The pendulum on its cart."""
    bodies = [
        fx.RigidBody(mass, inertia(mass, size), position=place, name=name)
        for name, (mass, size, place) in (("cart", CART), ("pole", POLE))
    ]
    rail = fx.PrismaticJoint(fx.ground, bodies[0], at=(0, 0, 0), axis=(1, 0, 0), name="rail")
    hinge = fx.RevoluteJoint(*bodies, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    return fx.Model(*bodies, rail, hinge, feedback((rail, hinge), own), fx.Gravity((0, 0, -G)), name="cart")


def cart_tree(own: bool) -> fx.Model:
    """The same in relative coordinates: two unknowns in place of twelve with ten constraints."""
    kinds = {"cart": trees.Prismatic((1, 0, 0)), "pole": trees.Revolute((0, 1, 0))}
    links = [
        trees.Link(name, mass, np.diag(inertia(mass, size)), place, parent, kinds[name], at=(0, 0, 0))
        for name, parent, (mass, size, place) in (("cart", None, CART), ("pole", "cart", POLE))
    ]
    joints = "tree/cart", "tree/pole"
    return fx.Model(trees.Tree(*links, name="tree"), feedback(joints, own), fx.Gravity((0, 0, -G)), name="cart")


def feedback(joints: tuple[Any, Any], own: bool) -> Any:
    """From the places of cart and pole and their rates to the force on the cart."""
    sensors = [fx.control.JointSensor(joint, rate=rate) for rate in (False, True) for joint in joints]
    motor = fx.control.JointActuator(joints[0], name="motor")
    gain = np.array([GAIN])
    return (
        fx.control.StateFeedback(sensors, motor, STEP, gain=gain, name="feedback")
        if own
        else fx.control.Controller(sensors, motor, STEP, output=lambda x, u, t: -gain @ u, name="feedback")
    )


def links() -> list[dict[str, Any]]:
    """The arm."""
    return [
        {"axis": axis, "at": at, "centre": (0, 0, length / 2), "mass": mass,
         "inertia": inertia(mass, (0.1, 0.1, length))}
        for mass, (axis, at, length) in zip(MASSES, ARM, strict=True)
    ]  # fmt: skip


def arm() -> fx.Model:
    """Six hinges, each with its motor."""
    tree = trees.Tree(
        *(
            trees.Link(f"link {i}", part["mass"], np.diag(part["inertia"]), part["centre"],
                       f"link {i - 1}" if i else None, trees.Revolute(part["axis"]), at=part["at"])
            for i, part in enumerate(links())
        ),
        name="arm",
    )  # fmt: skip
    names = [f"arm/link {i}" for i in range(len(ARM))]
    sensors = [fx.control.JointSensor(name, rate=rate) for rate in (False, True) for name in names]
    motors = [fx.control.JointActuator(name, name=f"motor {i}") for i, name in enumerate(names)]
    control = fx.control.StateFeedback(
        sensors, motors, STEP, gain=np.hstack((np.diag(STIFFNESS), np.diag(DAMPING))), reference=[*TARGETS, *[0.0] * 6],
        name="PD",
    )  # fmt: skip
    return fx.Model(tree, fx.Gravity((0, 0, -G)), control, name="arm")


def bar(part: Any) -> fx.Model:
    """A reduced bar with 20 shapes on a hinge, held level by its controller."""
    reduced = fx.reduction.reduce(part, ["left", "right"], 14, progress=False)
    body = fx.FloatingBody(reduced, reference="left")
    hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    sensors = [fx.control.JointSensor(hinge), fx.control.JointSensor(hinge, rate=True)]
    motor = fx.control.JointActuator(hinge, name="motor")
    control = fx.control.StateFeedback(sensors, motor, STEP, gain=[HINGE], name="PD")
    return fx.Model(body, hinge, control, fx.Gravity((0.0, -G, 0.0)), name="bar")


def car() -> tuple[fx.Model, list[int]]:
    """Half a car on two roads, and the calls of these."""
    calls = [0]

    def road(phase: float) -> Callable[[float], float]:
        start = 0.02 * math.sin(phase) + 0.005 * math.sin(4.6 * phase)

        def height(t: float) -> float:
            calls[0] += 1
            return start + 0.02 * math.sin(8.0 * t - phase) + 0.005 * math.sin(37.0 * t - 4.6 * phase)

        return height

    body = fx.RigidBody.box(size=(2.5, 1.5, 0.5), mass=600.0, position=(0, 0, 0.6), name="car")
    items: list[Any] = [body]
    for name, x, phase in (("front", 1.2, 0.0), ("rear", -1.2, 1.3)):
        wheel = fx.RigidBody.box(size=(0.3, 0.2, 0.3), mass=40.0, position=(x, 0, 0), name=f"{name} wheel")
        plate = fx.RigidBody.box(size=(0.3, 0.3, 0.01), mass=1.0, position=(x, 0, -0.3), name=f"{name} plate")
        strut = fx.PrismaticJoint(body, wheel, at=(x, 0, 0), axis=(0, 0, 1), name=f"{name} strut")
        lift = fx.PrismaticJoint(fx.ground, plate, at=(x, 0, 0), axis=(0, 0, 1), name=f"{name} lift")
        items += [
            wheel, plate, strut, lift, fx.TranslationDriver(lift, road(phase), name=f"{name} road"),
            fx.SpringDamper(plate.centre, wheel.centre, stiffness=1.5e5, damping=300.0, name=f"{name} tyre"),
            fx.SpringDamper(wheel.centre, body.marker((x, 0, 0)), stiffness=2e4, damping=1.5e3, name=f"{name} spring"),
        ]  # fmt: skip
    level = fx.PlanarJoint(fx.ground, body, at=(0, 0, 0.6), axis=(0, 1, 0), name="plane")
    return fx.Model(*items, level, name="half car"), calls


def swing() -> fx.Model:
    """A bar on a hinge, held by a spring of one's own."""
    bar = fx.RigidBody.box(size=(0.05, 0.05, 1.0), mass=1.0, position=(0, 0, -0.5), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    spring = fx.SpringDamper(
        fx.ground.marker((1, 0, 0)), bar.marker((0, 0, -0.5)), force=lambda s, u, t: 50.0 * (s - 1.0) ** 3 + 0.5 * u
    )
    return fx.Model(bar, hinge, spring, fx.Gravity((0, 0, -G)), name="swing")


def ours(system: fx.System, until: float, compiled: bool | None = None) -> tuple[float, fx.TimeSolution]:
    """Microseconds of a step, and the run; with ``compiled`` its steps are, whether that pays or not."""
    run = fx.simulate(
        system, until, step=STEP, integrator=fx.GeneralizedAlpha(rho_inf=RHO, compiled=compiled),
        output=fx.Output(at=(until,), energy=False), progress=False,
    )  # fmt: skip
    return 1e6 * run.counts["cpu_seconds"] / len(run.steps), run


def both(
    system: fx.System, until: float, theirs: Callable[[], tuple[float, Any]] | None, repetitions: int
) -> tuple[measure.Sample, fx.TimeSolution, measure.Sample | None, Any]:
    """Microseconds of a step of both sides, in turns, the last run, and what the peer told of its end."""
    ours(system, until, compiled=True)  # the process has the steps then, and later runs take them
    mine, other, end = [], [], None
    for _ in range(repetitions):
        mine.append(ours(system, until))
        if theirs is not None:
            seconds, end = theirs()
            other.append(1e6 * seconds / round(until / STEP))
    return measure.Sample.of([t for t, _ in mine]), mine[-1][1], measure.Sample.of(other) if other else None, end


def find_mujoco() -> Peer | None:
    """MuJoCo, if an interpreter can import it."""
    python = os.environ.get("MUJOCO_PYTHON") or sys.executable
    found = subprocess.run([python, "-c", "import mujoco"], capture_output=True, check=False)
    if found.returncode == 0:
        return Peer(python, "mujoco_arm.py")
    print("MuJoCo cannot be imported: `pip install mujoco`, or set MUJOCO_PYTHON to an interpreter that has it.\n")
    return None


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(measure.facts())
    exudyn, floating, mujoco = find_peer("exudyn_controlled.py"), find_peer("exudyn_floating.py"), find_mujoco()
    for peer, name in ((exudyn, "Exudyn"), (mujoco, "MuJoCo")):
        if peer is not None:
            print(f"{name} {peer.version}")
    rows: list[list[object]] = []
    verdicts: list[str] = []

    def tell(key: str, title: str, mine: measure.Sample, run: Any, other: measure.Sample | None, end: str) -> None:
        share = "" if other is None else f"{mine.median / other.median:.2f}"
        peer = "" if other is None else f"{other.median:.1f}"
        made = run.counts["compiled_steps"] / len(run.steps)
        rows.append(
            [title, f"{mine.median:.1f}", f"{mine.low:.1f} .. {mine.high:.1f}", peer, share, f"{made:.0%}", end]
        )
        most, longest = LIMITS[key]
        if most is not None and other is not None:
            verdict = measure.verdict(mine.median / other.median, most)
            verdicts.append(f"{title}: {share} of the peer's time, target {most}: {verdict}")
        if longest is not None:
            verdicts.append(f"{title}: {mine.median:.1f} us, target {longest}: {measure.verdict(mine.median, longest)}")
        for reason in run.counts["kept_in_python"]:
            verdicts.append(f"    in Python: {reason}")

    def solved(peer: Peer | None, problem: dict[str, Any]) -> Callable[[], tuple[float, Any]] | None:
        if peer is None:
            return None

        def call() -> tuple[float, Any]:
            row = peer.solve(problem)
            return row[0], row[-1]

        return call

    named = {
        name: {"mass": mass, "inertia": inertia(mass, size), "place": place}
        for name, (mass, size, place) in (("cart", CART), ("pole", POLE))
    }
    problem = {
        **named,
        "gain": GAIN,
        "period": STEP,
        "gravity": G,
        "until": UNTIL,
        "step": STEP,
        "rho": RHO,
        "rtol": 1e-6,
    }
    for key, own in (("own", True), ("python", False)):
        for made, title in ((cart, "cart"), (cart_tree, "cart as a tree")):
            mine, run, other, end = both(fx.compile_model(made(own)), UNTIL, solved(exudyn, problem), repetitions)
            x = run.position("cart")[-1, 0] if made is cart else run.q[-1, 0]
            gap = "" if end is None else f"x: {x:.5f}, {end:.5f}"
            tell(key, f"{title}, {'own' if own else 'Python'} controller", mine, run, other, gap)

    problem = {"links": links(), "stiffness": STIFFNESS, "damping": DAMPING, "targets": TARGETS, "gravity": G,
               "until": UNTIL, "step": STEP, "integrator": "Euler"}  # fmt: skip
    mine, run, other, end = both(fx.compile_model(arm()), UNTIL, solved(mujoco, problem), repetitions)
    angles = run.q[-1]
    gap = "" if end is None else f"angles differ by {np.abs(angles - np.array(end)).max():.1e} rad"
    tell("arm", "arm of six axes", mine, run, other, gap)

    with tempfile.TemporaryDirectory() as folder:
        part, file = bench_floating.part_of(4), Path(folder) / "bar.npz"
        bench_floating.matrices(part, file)
        problem = {"file": str(file), "modes": 14, "step": STEP, "until": 1.0, "rho": RHO, "hinge": HINGE}
        theirs = solved(floating, problem)

        def whole() -> tuple[float, Any]:  # the script tells the seconds of a step
            assert theirs is not None
            seconds, end = theirs()
            return seconds * round(1.0 / STEP), end

        mine, run, other, end = both(fx.compile_model(bar(part)), 1.0, whole if theirs else None, min(repetitions, 3))
        gap = (
            "" if end is None else f"y: {run.position(run.model.bodies[0].interface('right'))[-1, 1]:.4f}, {end[1]:.4f}"
        )
        tell("bar", "bar of 20 shapes, PD", mine, run, other, gap)

    model, calls = car()
    system = fx.compile_model(model)
    calls[0] = 0
    mine, run, _, _ = both(system, UNTIL, None, repetitions)
    each = calls[0] / ((repetitions + 1) * len(run.steps) * 2)
    tell("car", "half car, two roads", mine, run, None, f"{each:.2f} calls a step and road")
    verdicts.append(
        f"half car: {each:.2f} calls a step and road, target {MOST_CALLS}: {measure.verdict(each, MOST_CALLS)}"
    )
    system = fx.compile_model(swing())
    mine, run, _, _ = both(system, UNTIL, None, repetitions)
    loop = [ours(system, UNTIL, compiled=False) for _ in range(repetitions)]
    gap = np.abs(run.q[-1] - loop[-1][1].q[-1]).max()
    python = measure.Sample.of([taken for taken, _ in loop])
    tell("swing", "spring in Python (peer: the loop)", mine, run, python, f"they differ by {gap:.1e}")
    measure.table(("model", "us a step", "range", "peer", "share", "compiled", "end"), rows)
    print("\n".join(verdicts))
    for peer in (exudyn, floating, mujoco):
        if peer is not None:
            peer.close()


if __name__ == "__main__":
    main()
