"""A flat belt on two equal pulleys: creep, and the speed that it costs."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.contact.beside import beside
from flexmbs.verification.cases.moving import over_time
from flexmbs.verification.reference.data import load_reference

RADIUS, DISTANCE, EA, MASS, MU, SPEED, TORQUE = 0.1, 0.5, 2e4, 0.1, 0.5, 100.0, 20.0
THICK, EI, RETARDATION = 1e-3, 2e-3, 1e-4
STRETCHED, UP, LOADED, UNTIL = 0.05, 0.15, 0.2, 0.55
"""The belt is stretched and the driver run up, then the driven pulley is braked; measured are the last 0.15 s."""


def axis(s: FloatArray, near: float) -> FloatArray:
    """Places of the belt, that far from its start, around pulleys at this distance."""
    arc = np.pi * RADIUS
    right, left = (s - near) / RADIUS - 0.5 * np.pi, (s - 2.0 * near - arc) / RADIUS + 0.5 * np.pi
    part = [s < near, s < near + arc, s < 2.0 * near + arc]
    x = np.select(part, [s, near + RADIUS * np.cos(right), 2.0 * near + arc - s], RADIUS * np.cos(left))
    y = np.select(part, [0.0 * s - RADIUS, RADIUS * np.sin(right), 0.0 * s + RADIUS], RADIUS * np.sin(left))
    return np.array([x, y])


def model(length: float, elements: int = 60) -> tuple[fx.Model, dict[str, Any]]:
    """The belt, of this stress-free length, with its pulleys near each other so that it just fits; and its parts."""
    near = 0.5 * (length - 2.0 * np.pi * RADIUS)
    belt = fx.FlexibleBody(
        fx.meshes.curve(lambda s: axis(s, near), elements, (0.0, length), closed=True),
        fx.elements.ANCFCable2D(), name="belt",
        stiffness=fx.BeamStiffness(EA=EA, EI_z=EI, mass_per_length=MASS, retardation_time=RETARDATION),
    )  # fmt: skip
    driver, driven, fork = (
        fx.PlanarRigidBody(mass=1.0, inertia=5e-3, position=(x, 0.0), name=name)
        for x, name in ((0.0, "driver"), (near, "driven"), (near, "fork"))
    )
    bearing = fx.RevoluteJoint(fx.ground, driver, at=(0.0, 0.0), name="bearing")
    slide = fx.PrismaticJoint(fx.ground, fork, at=(near, 0.0), axis=(1, 0), name="slide")
    touch = fx.Contact(
        (*(fx.contact.Cylinder(p.centre, radius=RADIUS - THICK) for p in (driver, driven)),
         fx.contact.Tube(belt, radius=THICK)),
        fx.contact.HuntCrossleyLaw(stiffness=5e10, damping=10.0), fx.contact.CoulombLaw(MU, speed=1e-3),
        allow_overlap=True, name="pulleys",
    )  # fmt: skip
    brake = fx.Moment(driven.centre, -TORQUE, history=fx.Table([0.0, UP, LOADED, 10.0], [0.0, 0.0, 1.0, 1.0]))
    made = fx.Model(
        belt, driver, driven, fork, bearing, slide, touch, brake,
        fx.RevoluteJoint(fork, driven, at=(near, 0.0), name="axle"),
        fx.TranslationDriver(slide, motion=fx.motions.Ramp(0.0, DISTANCE - near, duration=STRETCHED), name="stretch"),
        fx.RotationDriver(bearing, rate=fx.motions.Ramp(0.0, SPEED, duration=UP - STRETCHED, begin=STRETCHED)),
        name="belt drive",
    )  # fmt: skip
    return made, {"belt": belt, "driven": driven, "contact": touch}


def run(progress: Progress) -> Outcome:
    """The run up, and what is stationary after it."""
    figures = load_reference("belt-drive")
    made, parts = model(figures.parameters["L0"])
    progress("runs")
    scheme = fx.GeneralizedAlpha(rho_inf=0.3, newton=fx.NewtonOptions(jacobian_update="full", rtol=1e-5))
    found = fx.simulate(made, UNTIL, step=1e-4, output=fx.Output(every=1e-3), integrator=scheme)
    late = found.t > UNTIL - 0.15
    omega = found.angular_velocity(parts["driven"])[:, 2]
    mean = float(omega[late].mean())
    tight, slack = _strands(found, parts["belt"], late)
    pull = found.contact(parts["contact"]).force[:, :, 0]
    on_axle = float(np.abs(pull[late]).mean())
    quantities = [
        *beside(figures, "tension of the tight and the slack strand", [tight, slack], rtol=0.01),
        *beside(figures, "angular velocity of the driven pulley", mean, atol=0.02 * 0.98543),
        *beside(figures, "speed loss omega1 - omega2", SPEED - mean, rtol=0.02),
        *beside(figures, "power lost", TORQUE * (SPEED - mean), rtol=0.02),
        *beside(figures, "force of the belt on an axle, T_t + T_s - G (v_t + v_s)", on_axle, rtol=0.01),
    ]
    drawing = over_time([("driven pulley", found.t, omega)], "angular velocity in rad/s")
    return Outcome(quantities, [], [], [("The driven pulley runs up, and is braked.", drawing)])


def _strands(found: fx.TimeSolution, belt: fx.FlexibleBody, late: Any) -> tuple[float, float]:
    """Mean tensions in the strands: the upper one runs towards the driver and is tight, the lower one is slack."""
    element: Any = belt.element
    group = found.system.group(belt)
    N = found.resultant(belt, "N")[late][:, :, 1]  # in the middle of the elements
    middle = np.array([element.positions(group, np.array(q), np.array([0.0]))[:, 0] for q in found.q[late]])
    free = (middle[..., 0] > 0.1 * DISTANCE) & (middle[..., 0] < 0.9 * DISTANCE)
    return float(N[free & (middle[..., 1] > 0.0)].mean()), float(N[free & (middle[..., 1] < 0.0)].mean())


CASE = Case(
    id="belt-drive",
    title="Flat belt on two equal pulleys: creep, slip arcs, speed loss",
    area="contact",
    summary=(
        "A belt without bending stiffness is stretched around two pulleys, run up to 100 rad/s and loaded with 20 N m. "
        "It creeps over a part of each pulley, so that the driven one loses 1 % of its speed. 60 planar cables with a "
        "tube, forces per length, regularised friction."
    ),
    run=run,
    source="L. Euler, F. Grashof; S. E. Bechtel et al., J. Appl. Mech. 67, 2000: a string, by two equations.",
    slow=True,
    equations=(
        r"\frac{T_t - G v_t}{T_s - G v_s} = e^{\mu\beta}",
        r"\omega_2/\omega_1 = (1 + \varepsilon_s)/(1 + \varepsilon_t)",
    ),
)
