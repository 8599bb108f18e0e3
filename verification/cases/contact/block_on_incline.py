"""A block on an incline: it sticks, slides, stops, and slides back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.contact.beside import FLOOR, G, beside, weight
from flexmbs.verification.cases.moving import over_time
from flexmbs.verification.reference.data import load_reference

LENGTH, HEIGHT, WIDTH, MASS = 0.2, 0.1, 0.15, 2.0
NORMAL = fx.contact.HuntCrossleyLaw(stiffness=1e7, exponent=1.0, damping=1.0)
STEP = 1e-3


def _block(angle: float, friction: Any, speed: float = 0.0) -> tuple[fx.RigidBody, fx.Contact, fx.Model]:
    """A block that rests on its four lower corners, in the axes of the incline."""
    depth = MASS * G * math.cos(math.radians(angle)) / 4.0 / NORMAL.stiffness
    size = (LENGTH, WIDTH, HEIGHT)
    block = fx.RigidBody.box(
        size=size, mass=MASS, position=(0, 0, 0.5 * HEIGHT - depth), velocity=(speed, 0, 0), name="block"
    )
    lower = [c for c in fx.contact.Box(block.centre, size=size).corners if c.marker.point[2] < 0.0]
    touch = fx.Contact((FLOOR, *lower), NORMAL, friction, allow_overlap=True, name="touch")
    return block, touch, fx.Model(block, touch, weight(angle))


def _bristle(mu: float) -> fx.contact.BristleLaw:
    return fx.contact.BristleLaw(mu, stiffness=1e7, damping=5e3)


def _way(run: fx.TimeSolution, block: fx.RigidBody) -> FloatArray:
    return np.asarray(run.position(block)[:, 0])


def run(progress: Progress) -> Outcome:
    """Four motions."""
    figures = load_reference("block-on-incline")
    progress("(a) holds")
    block, _, model = _block(20.0, _bristle(0.4))
    held = fx.simulate(model, 10.0, step=STEP)
    way = _way(held, block)
    later = way[held.t > 0.5]
    elastic = MASS * G * math.sin(math.radians(20.0)) / 4e7
    quantities = [
        *beside(figures, "(a) displacement after 10 s beyond the elastic one", abs(way[-1] + elastic), atol=1e-6),
        measured("(a) creep from 0.5 s to 10 s", "m", np.ptp(later), 0.0, "sticking", atol=1e-9),
    ]
    progress("(b) slides")
    block, touch, model = _block(30.0, fx.contact.CoulombLaw(0.4, speed=1e-5))
    # Errors of the way with rtol = 1e-8, 1e-9, 1e-10: 5.2e-5, 4.3e-5, 5.0e-5 of it. 1.3e-5 of these is friction that
    # is missing below u_0; the rest that of the first tenth of a millisecond, in which the corners give way and the
    # base swings as fast as the block slides. So it is in (c) after the stop: 1.1e-4 s for corners of 1e7 N/m, with
    # any rtol, and 0.2e-4 s for 1e9 N/m.
    down = fx.simulate(model, 1.0, step=fx.ErrorControl(rtol=1e-9))
    normal = down.contact(touch).normal[-1]
    low = np.array([pair.b.marker.point[0] < 0.0 for pair in touch.touching])
    quantities += [
        *beside(figures, "(b) displacement at t = 1 s", -_way(down, block)[-1], rtol=1e-4),
        *beside(figures, "(b) normal forces on the lower and the upper edge of the base",
                [normal[low].sum(), normal[~low].sum()], rtol=1e-3),
    ]  # fmt: skip
    progress("(c) slides back")
    block, touch, model = _block(25.0, fx.contact.CoulombLaw(0.3, speed=2e-5), 3.0)
    turns = fx.control.Event(
        fx.control.VelocitySensor(block.centre, (1, 0, 0), name="speed"), direction=-1, name="stop"
    )
    back = fx.control.Event(
        fx.control.PositionSensor(block.centre, (1, 0, 0), name="way"), direction=-1, terminal=True, name="back"
    )
    there = fx.simulate(model, 2.0, step=fx.ErrorControl(rtol=1e-9), events=[turns, back])
    first = {e.name: e for e in there.events}
    lost = there.contact(touch).loss[-1].sum()
    top = float(_way(there, block).max())
    quantities += [
        *beside(figures, "(c) time and way at which it stops", [first["stop"].t, top], rtol=1e-4),
        *beside(figures, "(c) time and speed of the return through the start",
                [first["back"].t, -there.velocity(block)[-1, 0]], rtol=2e-4),
        *beside(figures, "(c) friction work up to the return", -lost, rtol=2e-4),
    ]  # fmt: skip
    progress("(d) stops")
    block, _, model = _block(25.0, _bristle(0.5), 3.0)
    stays = fx.simulate(model, 5.0, step=STEP)
    up = _way(stays, block)
    quantities += [
        *beside(figures, "(d) time and way at which it stops for good", [up.max()], rtol=1e-4, first=1),
        *beside(figures, "(d) displacement at t = 5 s", up[-1], rtol=1e-4),
        measured("(d) creep from 1 s to 5 s", "m", np.ptp(up[stays.t > 1.0]), 0.0, "sticking", atol=1e-9),
    ]
    curves = [("(b)", down.t, -_way(down, block)) for block in down.model.rigid_bodies]
    curves += [("(c)", there.t, _way(there, there.model.rigid_bodies[0])), ("(d)", stays.t, up)]
    drawing = over_time(curves, "way in m")
    drawing.axes[0].set_xlim(0.0, 1.6)
    return Outcome(quantities, [], [], [("Way along the slope.", drawing)])


CASE = Case(
    id="block-on-incline",
    title="Block on an incline: sticks, slides, stops, and slides back",
    area="contact",
    summary=(
        "A rigid block touches an incline with its four lower corners. (a) At 20 degrees with mu = 0.4 it holds "
        "for 10 s; the bristles do not creep. (b) At 30 degrees it slides from rest. (c) Launched up a slope of "
        "25 degrees with mu = 0.3 it comes back, (d) with mu = 0.5 it stops and stays. Bristles in (a) and (d), "
        "regularised friction in (b) and (c)."
    ),
    run=run,
    source="Closed form.",
    slow=True,
    equations=(r"\ddot{x} = -g (\sin\alpha + \mu\,\mathrm{sgn}(\dot{x}) \cos\alpha)",),
)
