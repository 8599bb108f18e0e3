"""D10: the rigid four-cylinder engine, in the plane and in space with redundant equations."""

from __future__ import annotations

import math

import numpy as np
from scipy.interpolate import CubicSpline

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import (
    G,
    HeldPoints,
    against,
    closed,
    energy_change,
    extrapolated,
    joint_matrix,
    orders,
    over_time,
    redundant,
    refine,
)
from flexmbs.verification.reference.loops import Engine

ENGINE, START = Engine(), 100.0
DEGREES = (45, 90, 135, 180, 270)
PITCH = 0.09  # distance of the cylinders; it does not matter


def _pose(phase: float, engine: Engine) -> tuple[tuple[float, float], tuple[float, float], float]:
    """Crank pin, piston and rate of the lean of the rod per rate of the crank, at theta = 0."""
    pin = (engine.radius * math.cos(phase), engine.radius * math.sin(phase))
    return pin, (engine.piston(phase)[0], 0.0), engine.radius * math.cos(phase) / engine.rod


def planar_engine(
    engine: Engine = ENGINE, start: float = START, gravity: float = G
) -> tuple[fx.Model, fx.PlanarRigidBody, HeldPoints]:
    """Nine bodies; pistons slide along x."""
    shaft = fx.PlanarRigidBody(1.0, engine.shaft_inertia, angular_velocity=start, name="shaft")
    items, pairs = [shaft, fx.RevoluteJoint(fx.ground, shaft, at=(0, 0), name="main bearing")], []
    for i, phase in enumerate(engine.phases):
        pin, top, lean = _pose(phase, engine)
        middle = ((pin[0] + top[0]) / 2.0, pin[1] / 2.0)
        rod = fx.PlanarRigidBody(
            engine.rod_mass, engine.rod_inertia, position=middle, angular_velocity=-lean * start,
            velocity=(0.0, engine.radius * math.cos(phase) * start / 2.0), name=f"rod {i}",
        )  # fmt: skip
        piston = fx.PlanarRigidBody(engine.piston_mass, 1e-4, position=top, name=f"piston {i}")
        items += [
            rod, piston,
            fx.RevoluteJoint(shaft, rod, at=pin, name=f"crank pin {i}"),
            fx.RevoluteJoint(rod, piston, at=top, name=f"piston pin {i}"),
            fx.PrismaticJoint(fx.ground, piston, at=(0.0, 0.0), axis=(1, 0, 0), name=f"cylinder {i}"),
        ]  # fmt: skip
        pairs += [(shaft.marker_at(pin), rod.marker_at(pin)), (rod.marker_at(top), piston.centre)]
    return fx.Model(*items, fx.Gravity((-gravity, 0.0))), shaft, pairs


def spatial_engine() -> tuple[fx.Model, fx.RigidBody, HeldPoints]:
    """The same in space: 54 coordinates of velocity, 57 equations."""
    J = ENGINE.shaft_inertia
    shaft = fx.RigidBody(1.0, (J, J, J), angular_velocity=(0, 0, START), name="shaft")
    items, pairs = [shaft, fx.RevoluteJoint(fx.ground, shaft, at=(0, 0, 0), axis=(0, 0, 1), name="main bearing")], []
    for i, phase in enumerate(ENGINE.phases):
        z = PITCH * (i - 1.5)
        pin, top, lean = _pose(phase, ENGINE)
        pin3, top3 = (*pin, z), (*top, z)
        rod = fx.RigidBody(
            ENGINE.rod_mass, (1e-4, ENGINE.rod_inertia, ENGINE.rod_inertia), angular_velocity=(0, 0, -lean * START),
            position=((pin[0] + top[0]) / 2.0, pin[1] / 2.0, z),
            velocity=(0.0, ENGINE.radius * math.cos(phase) * START / 2.0, 0.0), name=f"rod {i}",
        )  # fmt: skip
        piston = fx.RigidBody(ENGINE.piston_mass, (1e-4, 1e-4, 1e-4), position=top3, name=f"piston {i}")
        items += [
            rod, piston,
            fx.RevoluteJoint(shaft, rod, at=pin3, axis=(0, 0, 1), name=f"crank pin {i}"),
            fx.CylindricalJoint(rod, piston, at=top3, axis=(0, 0, 1), name=f"piston pin {i}"),
            fx.CylindricalJoint(fx.ground, piston, at=(0.0, 0.0, z), axis=(1, 0, 0), name=f"cylinder {i}"),
        ]  # fmt: skip
        pairs += [(shaft.marker_at(pin3), rod.marker_at(pin3)), (rod.marker_at(top3), piston.centre)]
    return fx.Model(*items, fx.Gravity((-G, 0.0, 0.0))), shaft, pairs


def passages(run: fx.TimeSolution, shaft: fx.PlanarRigidBody | fx.RigidBody) -> FloatArray:
    """Time and speed at the angles of DEGREES, between stored times by cubic splines over the angle."""
    angle, speed = run.angle("main bearing"), run.angular_velocity(shaft)[:, 2]
    targets = np.radians(DEGREES)
    return np.column_stack([CubicSpline(angle, run.t)(targets), CubicSpline(angle, speed)(targets)])


def run(progress: Progress) -> Outcome:
    """Eight tenths of a turn."""
    quantities: list[Measured] = []
    steps = (4e-4, 2e-4, 1e-4)
    until = 0.05
    model, shaft, pairs = planar_engine()
    runs = [refine(model, until, (step,), progress)[0] for step in steps]
    found = [passages(r, shaft) for r in runs]
    exact = np.array([[ENGINE.time(math.radians(d), START), ENGINE.speed(math.radians(d), START)] for d in DEGREES])
    better = extrapolated(found[-2], found[-1])
    gap = np.abs(found[-1] - exact).max(axis=0)
    quantities += [
        measured("step 0.1 ms: largest error of the times of passage", "s", gap[0], 0.0, "quadrature", atol=1e-7),
        measured("step 0.1 ms: largest error of the speeds", "rad/s", gap[1], 0.0, "energy", atol=1e-3),
    ]
    for i, d in enumerate(DEGREES):
        for j, (what, allowed) in enumerate((("time to reach theta", 1e-9), ("crank speed at theta", 1e-6))):
            name = f"{what}={d} deg"
            quantities += against("d10", name, f"extrapolated to step 0: {name}", [better[i, j]], allowed)
    studies = [
        orders("times of passage", steps, [float(np.abs(f - exact)[:, 0].max()) for f in found]),
        orders("speeds at five angles", steps, [float(np.abs(f - exact)[:, 1].max()) for f in found]),
    ]
    energy = ENGINE.inertia(0.0)[0] * START**2 / 2.0
    quantities += [energy_change(runs[-1], energy, 1e-5), closed(runs[-1], pairs)]
    progress("in space")
    space, spatial_shaft, spatial_pairs = spatial_engine()
    spatial = refine(space, until, steps[:1], progress)[0]
    gap = np.abs(spatial.angular_velocity(spatial_shaft)[:, 2] - runs[0].angular_velocity(shaft)[:, 2]).max()
    quantities += [
        measured("in space: largest difference of the crank speed to the plane", "rad/s", gap, 0.0,
                 "the same engine and steps", atol=1e-5),
        closed(spatial, spatial_pairs, label="in space: "),
        redundant(spatial, 4, "in space: "),
        *_rank(space),
    ]  # fmt: skip
    t = np.linspace(0.0, until, 25)[1:]
    drawing = over_time(
        [("crank speed", runs[-1].t, runs[-1].angular_velocity(shaft)[:, 2])],
        "rad/s",
        [(t, np.array([ENGINE.speed(a, START) for a in ENGINE.angle(START, t)]))],
    )
    return Outcome(quantities, studies, (), [("Eight tenths of a turn with a step of 0.1 ms.", drawing)])


def _rank(model: fx.Model) -> list[Measured]:
    """Equations and rank of the joints in space."""
    G, _ = joint_matrix(model)
    counted = "count of equations; one rod and piston may move along the crank shaft less than it could freely"
    return [
        measured("in space: equations", "-", G.shape[0], 57, counted, atol=0.5),
        measured("in space: rank of the equations", "-", np.linalg.matrix_rank(G, 1e-9), 53, counted, atol=0.5),
        measured(
            "in space: degrees of freedom", "-", G.shape[1] - np.linalg.matrix_rank(G, 1e-9), 1, counted, atol=0.5
        ),
    ]


CASE = Case(
    id="d10-engine",
    title="Four-cylinder engine, free running",
    area="mechanisms",
    summary=(
        "Four slider-cranks on one shaft, pins at 0, 180, 180 and 0 degrees, start with 100 rad/s and run on without "
        "torque or friction, gravity against the pistons.\n\n"
        "The same engine in space has 57 equations of which 53 are independent: crank pins are hinges, piston pins and "
        "cylinders let the pistons slide and turn."
    ),
    run=run,
    source="Kinematics of the centred slider-crank in closed form; crank speed from the energy, times by quadrature.",
    equations=(
        r"x = r\cos\theta + \sqrt{l^2 - r^2\sin^2\theta}",
        r"\dfrac{1}{2} J(\theta)\, \dot\theta^2 + V(\theta) = E",
    ),
    limits=("No gas forces, no friction, no bearing clearance: the motion of the joints is tested, not an engine.",),
)
