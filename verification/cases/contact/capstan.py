"""A cable drawn over a fixed cylinder: Euler's formula, at rest and running."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.contact.beside import beside
from flexmbs.verification.reference.data import load_reference

RADIUS, MU, EA, T0, MASS, SPEED = 0.1, 0.25, 5e4, 10.0, 0.5, 4.0
THICK = 1e-3
"""Radius of the tube: the cylinder is smaller by it, so that the axis lies on RADIUS."""
DRAWN, SLIP = 1e-3, 2e-5
"""Speed at which the cable is drawn, and that of the regularised friction, 50 times less: 0.02 % of the friction."""


def _model(
    angle: float, ahead: float, behind: float, elements: int, speed: float
) -> tuple[fx.Model, Any, Any, FloatArray]:
    """A cable over an arc with straight strands, drawn at its end; model, cable, contact, and direction of T0."""
    arc = RADIUS * angle

    def axis(s: FloatArray) -> FloatArray:
        on = np.clip((s - behind) / RADIUS, 0.0, angle)
        along = np.where(s < behind, s - behind, np.where(s > behind + arc, s - behind - arc, 0.0))
        a = angle - on
        return np.array([RADIUS * np.cos(a) + along * np.sin(a), RADIUS * np.sin(a) - along * np.cos(a)])

    cable = fx.FlexibleBody(
        fx.meshes.curve(axis, elements, (0.0, behind + arc + ahead)), fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=EA, EI_z=5e-6, mass_per_length=MASS, retardation_time=1e-4), name="cable",
    )  # fmt: skip
    drum = fx.contact.Cylinder(fx.ground.marker((0, 0)), radius=RADIUS - THICK)
    touch = fx.Contact(
        (drum, fx.contact.Tube(cable, radius=THICK)), fx.contact.HuntCrossleyLaw(stiffness=1e8, exponent=1.0),
        fx.contact.CoulombLaw(MU, speed=SLIP if speed == DRAWN else 1e-2), allow_overlap=True, name="drum",
    )  # fmt: skip
    place = (RADIUS, -ahead)
    car = fx.PlanarRigidBody(mass=0.1, inertia=1e-3, position=place, name="car")
    slide = fx.PrismaticJoint(fx.ground, car, at=place, axis=(0, -1), name="slide")
    draw = fx.TranslationDriver(slide, rate=fx.motions.Ramp(0.0, speed, duration=0.05), name="draw")
    back = np.array([-np.sin(angle), np.cos(angle)])
    pull = fx.PointForce(cable.start, tuple(T0 * back), history=fx.Table([0.0, 0.02, 10.0], [0.0, 1.0, 1.0]))
    return fx.Model(cable, car, touch, slide, fx.RevoluteJoint(car, cable.end), draw, pull), cable, touch, back


def _at_rest(degrees: float) -> tuple[float, float, FloatArray, float, fx.TimeSolution]:
    """T1, force of the cylinder on the cable upwards, force per length at both ends, extension, and the run."""
    angle = np.radians(degrees)
    elements = int(degrees / 4.5)
    model, cable, touch, _ = _model(angle, 0.0, 0.0, elements, DRAWN)
    until = 0.4 if degrees < 500 else 1.3
    run = fx.simulate(model, until, step=1e-3, output=fx.Output(every=0.1), integrator=fx.GeneralizedAlpha(rho_inf=0.5))
    along = run.contact(touch).along[0]
    whole = along.size @ along.force[-1]
    # mean force per length of the elements but those at the ends, where the bending stiffness lets the cable bulge
    each = along.size.reshape(elements, -1)
    normal = (along.normal[-1].reshape(elements, -1) * each).sum(axis=1) / each.sum(axis=1)
    place = (np.arange(elements) + 0.5) / elements
    inner = slice(3, elements - 3)
    fit = np.polynomial.Polynomial.fit(place[inner], np.log(normal[inner]), 1)
    N = run.resultant(cable, "N", step=-1)  # at Lobatto's three points
    extension = float((N @ np.array([1.0, 4.0, 1.0])).sum() / 6.0 * RADIUS * angle / elements / EA)
    return (
        abs(float(run.reaction("draw", step=-1)[1])),
        float(whole[1]),
        np.exp(fit(np.array([0.0, 1.0]))),
        extension,
        run,
    )


def _running() -> float:
    """Tension where a cable leaves the cylinder that runs over it with SPEED; it is pulled up to it in 0.05 s."""
    model, cable, _, _ = _model(np.pi, 0.02, 0.5, 104, SPEED)
    run = fx.simulate(model, 0.1, step=1e-4, output=fx.Output(every=2e-3), integrator=fx.GeneralizedAlpha(rho_inf=0.5))
    N = run.resultant(cable, "N")[:, :, 1]
    return float(N[run.t > 0.07, -5:].mean())


def run(progress: Progress) -> Outcome:
    """Three arcs at rest, and a cable that runs."""
    figures = load_reference("capstan")
    quantities: list[Any] = []
    drawing, axes = figure(6.4, 2.8)
    for i, degrees in enumerate((90, 180, 540)):
        progress(f"{degrees} degrees")
        tension, up, ends, extension, found = _at_rest(degrees)
        quantities += [
            *beside(figures, "T1/T0 for 90, 180, 540 deg", [tension / T0], rtol=0.01, first=i),
            *beside(figures, "force per length at both ends of the arc", ends, rtol=0.03, first=2 * i),
            *beside(figures, "extension of the arc", [extension], rtol=0.01, first=i),
            *beside(figures, "friction force on the cylinder, T1 - T0", [tension - T0], rtol=0.01, first=i),
        ]  # fmt: skip
        if degrees == 180:
            name = "resultant on the cylinder for 180 deg: along the two parallel strands"
            quantities += beside(figures, name, tension + T0, rtol=0.001, label=name)
            along = found.contact("drum").along[0]
            at = np.degrees(np.pi - np.arctan2(along.point[-1, :, 1], along.point[-1, :, 0]))
            axes.plot(at, along.normal[-1], ".", color=COLOURS[0], markersize=3.0, label="points of elements")
            axes.plot(at, T0 / RADIUS * np.exp(MU * np.radians(at)), "-", color="black", lw=1.0, label="Euler")
            quantities.append(
                measured("sum of contact forces, 180 deg, less that of the strands", "N", up - tension - T0, 0.0,
                         "equilibrium", atol=0.01)
            )  # fmt: skip
    progress("running")
    quantities += beside(figures, "T1 of the running cable, 180 deg", _running(), rtol=0.01)
    axes.set_xlabel("angle in degrees")
    axes.set_ylabel("force per length in N/m")
    axes.set_ylim(0.0, 300.0)
    axes.legend(frameon=False)
    return Outcome(quantities, [], [], [("Force per length on an arc of 180 degrees.", drawing)])


CASE = Case(
    id="capstan",
    title="Cable drawn over a fixed cylinder: Euler's formula",
    area="contact",
    summary=(
        "A thin cable lies on a cylinder over 90, 180 and 540 degrees; one end carries 10 N, the other is drawn at "
        "1 mm/s until the whole arc slips. Then a cable runs over 180 degrees with 4 m/s, where its momentum counts. "
        "A planar cable with a tube, forces per length at points of its elements, regularised friction."
    ),
    run=run,
    source="L. Euler, 1769; with the momentum of a running cable.",
    equations=(r"T_1 - \rho A v^2 = (T_0 - \rho A v^2)\, e^{\mu\varphi}",),
)
