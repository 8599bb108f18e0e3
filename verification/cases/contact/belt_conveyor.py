"""An inclined belt conveyor with two drums and a bed: a crate waits at a stop, is let go and carried along."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, measured

RADIUS, SPAN, THICK = 0.15, 2.0, 5e-3
"""Of the axis of the belt on the drums; distance of their axes; half the thickness of the belt [m]."""
BELT = fx.BeamStiffness(EA=4e5, EI_z=2e-3, mass_per_length=2.0, retardation_time=3e-3)
TENSION, SPEED, SLOPE, G = 2000.0, 1.0, np.radians(12.0), 9.81
ON_DRUMS, ON_BED, ON_CRATE = 0.5, 0.1, 0.4
"""Coefficients of friction."""
MASS, HALF, HEIGHT, FOOT, PLACE = 10.0, 0.15, 0.1, 2.0, 0.5
"""Of the crate: half the distance of its feet, height of its centre of mass, their radius, and where it waits.

Feet of a smaller radius touch under a larger angle, whose tilted forces add to friction: 0.5 % of it at 0.5 m.
"""
STRETCHED, REST, UP, AWAY, UNTIL = 0.2, 0.4, 0.8, 2.0, 3.0
"""The belt is stretched, the drive runs up, the stop is withdrawn."""
LET_GO = AWAY + 0.03
BED = RADIUS - THICK - 5e-4
"""Height of the bed: half a millimetre below the drums, which the belt is pressed into."""


def _axis(s: FloatArray, near: float, shift: float) -> FloatArray:
    """From the tail along the upper strand, round the head, and back."""
    arc = np.pi * RADIUS
    head, tail = 0.5 * np.pi - (s - near) / RADIUS, -0.5 * np.pi - (s - 2.0 * near - arc) / RADIUS
    part = [s < near, s < near + arc, s < 2.0 * near + arc]
    x = np.select(part, [s, near + RADIUS * np.cos(head), 2.0 * near + arc - s], RADIUS * np.cos(tail))
    y = np.select(part, [0.0 * s + RADIUS, RADIUS * np.sin(head), 0.0 * s - RADIUS], RADIUS * np.sin(tail))
    return np.array([x + shift, y])


def _law(stiffness: float, damping: float = 1.0) -> fx.contact.HuntCrossleyLaw:
    return fx.contact.HuntCrossleyLaw(stiffness=stiffness, exponent=1.0, damping=damping)


def model(elements: int = 160) -> tuple[fx.Model, dict[str, Any]]:
    """The conveyor, along the incline in x, with its belt just fitted; and its parts."""
    shift = 0.5 * TENSION / BELT.EA * (2.0 * SPAN + 2.0 * np.pi * RADIUS)
    near = SPAN - shift
    belt = fx.FlexibleBody(
        fx.meshes.curve(lambda s: _axis(s, near, shift), elements, (0.0, 2 * near + 2 * np.pi * RADIUS), closed=True),
        fx.elements.ANCFCable2D(), stiffness=BELT, name="belt",
    )  # fmt: skip
    head, tail, fork = (
        fx.PlanarRigidBody(mass=5.0, inertia=0.05, position=(x, 0.0), name=name)
        for x, name in ((SPAN, "head"), (shift, "tail"), (shift, "fork"))
    )
    top = RADIUS + THICK
    inertia = MASS / 3.0 * (HALF**2 + HEIGHT**2)
    crate = fx.PlanarRigidBody(mass=MASS, inertia=inertia, position=(PLACE, top + HEIGHT), name="crate")
    gate = fx.PlanarRigidBody(mass=1.0, inertia=1.0, position=(PLACE + HALF, top + HEIGHT), name="gate")
    bearing = fx.RevoluteJoint(fx.ground, head, at=(SPAN, 0.0), name="bearing")
    take_up = fx.PrismaticJoint(fx.ground, fork, at=(shift, 0.0), axis=(-1, 0), name="take-up")
    guide = fx.PrismaticJoint(fx.ground, gate, at=(PLACE + HALF, top + HEIGHT), axis=(1, 0), name="guide")
    tube = fx.contact.Tube(belt, radius=THICK)
    drums = [fx.contact.Cylinder(b.centre, radius=RADIUS - THICK) for b in (head, tail)]
    bed = fx.contact.Box(fx.ground.marker((0.5 * SPAN, BED - 0.02)), size=(SPAN - 0.3, 0.04, 0.1))
    feet = [fx.contact.Cylinder(crate.marker((x, FOOT - HEIGHT)), radius=FOOT) for x in (-HALF, HALF)]
    stop = (fx.contact.Plane(gate.marker((0, 0), axis=(-1, 0))), fx.contact.Vertex(crate.marker((HALF, 0.0))))
    contacts = {
        "drums": ((*drums, tube), _law(1e8), fx.contact.CoulombLaw(ON_DRUMS, speed=1e-2)),
        "bed": ((bed, tube), _law(1e7), fx.contact.CoulombLaw(ON_BED, speed=1e-2)),
        "feet": ((*feet, tube), _law(1e6), fx.contact.CoulombLaw(ON_CRATE, speed=1e-3)),
        "stop": (stop, _law(2e4, 100.0), None),
    }
    touching = {
        name: fx.Contact(shapes, law, friction, allow_overlap=True, name=name)
        for name, (shapes, law, friction) in contacts.items()
    }
    run_up = fx.motions.Ramp(0.0, -SPEED / RADIUS, duration=UP - REST, begin=REST)
    made = fx.Model(
        belt, head, tail, fork, crate, gate, bearing, take_up, guide, *touching.values(),
        fx.RevoluteJoint(fork, tail, at=(shift, 0.0), name="axle"),
        fx.TranslationDriver(take_up, motion=fx.motions.Ramp(0.0, shift, duration=STRETCHED), name="stretch"),
        fx.RotationDriver(bearing, rate=run_up, name="drive"),
        fx.TranslationDriver(guide, rate=fx.motions.Ramp(0.0, 2 * SPEED, duration=0.02, begin=AWAY), name="withdraw"),
        fx.Gravity((-G * np.sin(SLOPE), -G * np.cos(SLOPE)), history=fx.motions.Ramp(0.0, 1.0, duration=0.3)),
        name="belt conveyor",
    )  # fmt: skip
    return made, {"crate": crate, **touching}


def run(progress: Progress) -> Outcome:
    """What the crate, the stop and the drive feel while it waits, slides and is carried."""
    made, parts = model()
    progress("runs")
    scheme = fx.GeneralizedAlpha(rho_inf=0.3, newton=fx.NewtonOptions(jacobian_update="full", rtol=1e-5))
    found = fx.simulate(made, UNTIL, step=1e-3, output=fx.Output(every=2e-3), integrator=scheme)
    t, speed = found.t, found.velocity(parts["crate"])[:, 0]
    torque = -found.reaction_moment("drive")[:, 2]
    at = {name: found.contact(parts[name]) for name in ("bed", "feet", "stop")}
    gain = G * (ON_CRATE * np.cos(SLOPE) - np.sin(SLOPE))
    waits, slides = (t > AWAY - 0.5) & (t < AWAY), (t > LET_GO) & (t < LET_GO + 0.8 * SPEED / gain)
    carried = t > LET_GO + 1.2 * SPEED / gain
    sliding = float(np.polyfit(t[slides], speed[slides], 1)[0])
    on_bed = [ON_BED * float(at["bed"].normal[part].sum(axis=1).mean()) for part in (waits, carried)]
    friction, weight = MASS * G * ON_CRATE * np.cos(SLOPE), MASS * G * np.sin(SLOPE)
    lost = at["feet"].loss.sum(axis=1)
    heat = float(lost[-1] - np.interp(LET_GO, t, lost))
    v0 = SPEED - float(np.interp(LET_GO, t, speed))
    balance = found.energy.balance
    taken = float(found.energy.dissipated[-1])
    hand = "equilibrium by hand"
    quantities = [
        measured("force on the stop", "N", float(at["stop"].normal[waits].mean()), MASS * gain, hand, rtol=0.005),
        measured("acceleration of the crate that slides", "m/s^2", sliding, gain, "Newton and Coulomb", rtol=0.005),
        measured("speed of the crate that is carried", "m/s", float(speed[carried].mean()), SPEED, "that of the drum",
                 rtol=0.005),
        measured("heat of sliding until it is carried", "J", heat, friction * 0.5 * v0**2 / gain,
                 "friction times the way on the belt", rtol=0.02),
        measured("torque of the drive, the crate waits", "N m", float(torque[waits].mean()),
                 RADIUS * (friction + on_bed[0]), "friction on crate and bed", rtol=0.02),
        measured("torque of the drive, the crate is carried", "N m", float(torque[carried].mean()),
                 RADIUS * (weight + on_bed[1]), "weight of the crate, friction on the bed", rtol=0.02),
        measured("energy lost by integration and in the material of the belt, by that of friction", "-",
                 float(np.abs(balance - np.interp(REST, t, balance))[t > REST].max()) / taken, 0.0,
                 "the account closes but for material damping", atol=0.02),
    ]  # fmt: skip
    drawing = Figure(figsize=(6.4, 4.4), layout="constrained")
    above, below = drawing.subplots(2, 1, sharex=True)
    above.plot(t, speed, color=COLOURS[0], lw=1.0)
    above.set_ylabel("speed of the crate in m/s")
    below.plot(t, torque, color=COLOURS[1], lw=0.6)
    below.set_xlabel("t in s")
    below.set_ylabel("torque of the drive in N m")
    return Outcome(quantities, [], [], [("The crate waits at the stop, slides, and is carried.", drawing)])


CASE = Case(
    id="belt-conveyor",
    title="An inclined belt conveyor: a crate waits, slides, and is carried",
    area="contact",
    summary=(
        "A belt is stretched around two drums and slides on a bed, 12 degrees up. A crate is held by a stop while "
        "the drive runs up, then let go: friction accelerates it until it moves with the belt. Forces, acceleration, "
        "torques and heat are those by hand; the belt is 0.13 mm in the drums, which costs 0.1 % of the speed."
    ),
    run=run,
    source="equilibrium, Coulomb's friction",
    slow=True,
    equations=(
        r"\dot v = g\,(\mu\cos\alpha - \sin\alpha)",
        r"M_{wait} = R\,(\mu\,m g\cos\alpha + \mu_b N_b), \quad M_{carry} = R\,(m g\sin\alpha + \mu_b N_b)",
    ),
)
