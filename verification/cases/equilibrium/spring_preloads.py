"""Preloads of the springs of half a car and of a beam on springs, against the balance of levers."""

from __future__ import annotations

import flexmbs as fx
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured

G = 9.81
CHASSIS, FRONT_AXLE, REAR_AXLE = 620.0, 38.0, 52.0
FRONT, REAR = 1.15, 1.55
"""Distances of the axles from the centre of mass of the chassis."""
LEVERS = "balance of forces and moments by hand"
OFF = 1e-9
"""Relative tolerance of what is exact but for round-off."""


def half_car() -> tuple[fx.Model, list[fx.PlanarRigidBody]]:
    """A chassis that heaves and pitches, two axles guided by it, springs and tyres without preload."""
    chassis = fx.PlanarRigidBody(CHASSIS, 900.0, position=(0.0, 0.6), name="chassis")
    front = fx.PlanarRigidBody(FRONT_AXLE, 1.0, position=(FRONT, 0.3), name="front axle")
    rear = fx.PlanarRigidBody(REAR_AXLE, 1.0, position=(-REAR, 0.3), name="rear axle")
    guide = fx.PointOnLineConstraint(fx.ground, chassis, at=(0.0, 0.6), axis=(0, 1, 0), name="guide")
    slides = [
        fx.PrismaticJoint(chassis, axle, at=axle.position, axis=(0, 1), name=f"slide of {axle.name}")
        for axle in (front, rear)
    ]
    ends = {
        "front": (front.centre, chassis.marker_at((FRONT, 0.7)), 18e3),
        "rear": (rear.centre, chassis.marker_at((-REAR, 0.7)), 22e3),
        "front tyre": (fx.ground.marker((FRONT, 0.0)), front.centre, 180e3),
        "rear tyre": (fx.ground.marker((-REAR, 0.0)), rear.centre, 180e3),
    }
    springs = [fx.SpringDamper(a, b, stiffness=k, damping=1e3, name=name) for name, (a, b, k) in ends.items()]
    bodies = [chassis, front, rear]
    return fx.Model(
        *bodies, guide, *slides, *springs, fx.Gravity((0, -G), history=fx.Constant()), name="half car"
    ), bodies


def run(progress: Progress) -> Outcome:
    """Preloads; then statics and motion with them, in which nothing may move."""
    model, bodies = half_car()
    progress("half a car")
    balanced = fx.solve_preloads(model)
    on_front, on_rear = CHASSIS * G * REAR / (FRONT + REAR), CHASSIS * G * FRONT / (FRONT + REAR)
    exact = {
        "front": -on_front, "rear": -on_rear, "front tyre": -on_front - FRONT_AXLE * G,
        "rear tyre": -on_rear - REAR_AXLE * G,
    }  # fmt: skip
    quantities = [
        measured(f"half a car: preload of {name}", "N", balanced.values[name], force, LEVERS, rtol=OFF)
        for name, force in exact.items()
    ]
    rest = fx.solve_static(balanced.model)
    motion = fx.simulate(balanced.model, until=0.5, step=5e-3, progress=False)
    loose = fx.simulate(model, until=0.5, step=5e-3, progress=False)
    for word, found, rows in (("statics", rest, slice(-1, None)), ("motion over 0.5 s", motion, slice(None))):
        moved = max(float(abs(found.position(found.model.body(b.name))[rows, :2] - b.position).max()) for b in bodies)
        quantities.append(measured(f"half a car: way of its bodies in {word}", "m", moved, 0.0, "rest", atol=1e-9))
    progress("a beam on two springs")
    EI, mass, length = 200.0, 6.0, 2.0
    beam = fx.FlexibleBody.line(
        (0, 0), (length, 0), elements=16, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e6, EI_z=EI, mass_per_length=mass / length), name="beam",
    )  # fmt: skip
    left, right = (
        fx.SpringDamper(fx.ground.marker((x, -0.5)), end.marker(), stiffness=500.0, name=name)
        for x, end, name in ((0.0, beam.start, "left"), (length, beam.end, "right"))
    )
    held = fx.Model(
        beam,
        left,
        right,
        fx.Roller(beam.start, normal=(1, 0)),
        fx.Roller(beam.end, normal=(1, 0)),
        fx.Gravity((0, -G), history=fx.Constant()),
    )
    carried = fx.solve_preloads(held)
    bent = fx.solve_static(carried.model)
    quantities += [
        measured(f"beam: preload of {name}", "N", carried.values[name], -0.5 * mass * G, LEVERS, rtol=1e-6)
        for name in ("left", "right")
    ]
    ends = max(abs(float(bent.displacement(end, step=-1)[1])) for end in (beam.start, beam.end))
    quantities.append(measured("beam: sinking of its ends", "m", ends, 0.0, "rest", atol=1e-6))
    drawing, axes = figure()
    for run_, label, colour in ((loose, "without preloads", COLOURS[1]), (motion, "with preloads", COLOURS[0])):
        axes.plot(run_.t, run_.position(run_.model.body("chassis"))[:, 1], label=label, color=colour)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("height of the chassis [m]")
    axes.legend(frameon=False)
    return Outcome(quantities, (), (), [("Springs that carry no weight let the car fall on them.", drawing)])


PRELOADS = Case(
    id="spring-preloads",
    title="Springs that are preloaded to carry a weight",
    area="equilibrium",
    summary=(
        "Half a car on two suspension springs and two tyres, and a beam whose ends lie on springs: preloads found for "
        "the described position, in which statics and motion then leave everything."
    ),
    run=run,
    source="Elementary statics.",
    equations=(
        r"P_\mathrm{front} = -m\,g\,\dfrac{b}{a + b}, \qquad P_\mathrm{tyre} = P_\mathrm{front} - m_\mathrm{axle}\,g",
    ),
)
