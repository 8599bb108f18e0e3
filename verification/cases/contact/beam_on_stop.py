"""A cantilever that strikes an elastic stop with its tip."""

from __future__ import annotations

import numpy as np

import flexmbs as fx
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.contact.beside import beside
from flexmbs.verification.cases.moving import over_time
from flexmbs.verification.reference.data import load_reference

LENGTH, WIDTH, HEIGHT, STOP, START = 1.0, 0.02, 0.005, 5000.0, 0.005
STEEL = fx.Elastic(youngs_modulus=2.1e11, poissons_ratio=0.0, density=7800.0, name="steel without lateral contraction")
BENDING = STEEL.youngs_modulus * WIDTH * HEIGHT**3 / 12.0


def run(progress: Progress) -> Outcome:
    """Held by a force, and let go."""
    figures = load_reference("beam-on-stop")
    beam = fx.FlexibleBody.line(
        (0, 0), (LENGTH, 0), elements=10, element=fx.elements.ANCFCable2D(),
        section=fx.Rectangle(width=WIDTH, height=HEIGHT), material=STEEL, name="beam",
    )  # fmt: skip
    stop = fx.contact.Plane(fx.ground.marker((LENGTH, 0), axis=(0, 1)))
    law = fx.contact.HuntCrossleyLaw(stiffness=STOP, exponent=1.0)
    touch = fx.Contact((stop, fx.contact.Vertex(beam.end)), law, name="stop")
    clamp = fx.Clamp(beam.start)
    lift = fx.PointForce(beam.end, (0.0, 3.0 * BENDING * START / LENGTH**3))
    progress("held")
    held = fx.solve_static(fx.Model(beam, clamp, touch, lift))
    progress("let go")
    model = fx.Model(beam, clamp, touch)
    closes = touch.event("closes")
    run = fx.simulate(
        model, 0.2, step=5e-5, start=held, output=fx.Output(every=1e-3), events=[closes],
        integrator=fx.GeneralizedAlpha(rho_inf=0.9),
    )  # fmt: skip
    tip = run.displacement(beam.end)[:, 1]
    first = run.events[0].t
    times = np.array(figures.quantities["tip displacement"]["time"])
    energy = run.energy.kinetic + run.energy.strain + run.energy.springs
    off = energy[int(np.argmax(np.abs(energy - energy[0])))]
    spring = fx.ElasticSupport(beam.end, (0.0, STOP))
    modal = [fx.solve_modal(fx.Model(beam, clamp, *more), modes=3).frequencies[:3] for more in ((), (spring,))]
    name = "first natural frequencies of the clamped beam, and with the spring"
    quantities = [
        *beside(figures, "time of the first contact", first, rtol=0.001),
        *beside(figures, "tip displacement", np.interp(times, run.t, tip), atol=5e-5),
        *beside(figures, "energy (with that in the spring)", float(off), rtol=0.001),
        *beside(figures, name, np.concatenate(modal), rtol=0.002),
    ]
    points = [(times, 1e3 * np.array(figures.quantities["tip displacement"]["value"]))]
    drawing = over_time([("tip", run.t, 1e3 * tip)], "displacement in mm", points)
    return Outcome(quantities, [], [], [("Displacement of the tip.", drawing)])


CASE = Case(
    id="beam-on-stop",
    title="Cantilever that strikes an elastic stop with its tip",
    area="contact",
    summary=(
        "A clamped beam is let go from a deflection of 5 mm and strikes a spring with its tip, twice in 0.2 s. Ten "
        "planar cables against the sum of 40 modes, with the energy that the stop keeps for a while."
    ),
    run=run,
    source="Sum of modes, exact between contacts.",
    equations=(r"EI\,w_{xxxx} + \rho A\,\ddot w = 0, \quad EI\,w_{xxx}(L) = k_s \min(w(L), 0)",),
)
