"""A rod that slides on its tip: regularly, and thrown up from within Painleve's paradox."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.contact.beside import G, beside, peak
from flexmbs.verification.cases.moving import over_time
from flexmbs.verification.reference.data import load_reference

HALF, MASS, INERTIA, SPEED = 0.5, 1.0, 1.0 / 12.0, -3.0
REGULAR = fx.contact.HuntCrossleyLaw(stiffness=1e7, exponent=1.0, damping=100.0)
TIMES = (0.05, 0.1, 0.15)
STICKS = 1e-3
"""Slip velocity below which the tip counts as stuck: ten times that of the regularisation, a part of 3e-4 of 3 m/s."""


def compliance(mu: float, angle: float) -> float:
    """Normal acceleration of the sliding tip for a unit normal force, times the mass."""
    return 1.0 + 3.0 * math.cos(angle) * (math.cos(angle) - mu * math.sin(angle))


def _rod(
    angle: float, mu: float, normal: fx.contact.HuntCrossleyLaw, speed: float, depth: float = 0.0
) -> tuple[fx.PlanarRigidBody, fx.Contact, fx.Model]:
    """A rod that slides to the left with its lower tip at the origin, its centre to the right of it."""
    c, s = math.cos(angle), math.sin(angle)
    rod = fx.PlanarRigidBody(
        MASS, INERTIA, position=(HALF * c, HALF * s - depth), angle=angle, velocity=(SPEED, 0), name="rod"
    )
    floor = fx.contact.Plane(fx.ground.marker((0, 0), axis=(0, 1)))
    tip = fx.contact.Vertex(rod.marker((-HALF, 0)))
    touch = fx.Contact(
        (floor, tip), normal, fx.contact.CoulombLaw(mu, speed=speed), allow_overlap=depth > 0.0, name="touch"
    )
    return rod, touch, fx.Model(rod, touch, fx.Gravity((0, -G)))


def _spin(run: fx.TimeSolution, rod: fx.PlanarRigidBody) -> FloatArray:
    spin = run.angular_velocity(rod)
    return np.asarray(spin[:, 2] if spin.ndim == 2 else spin)


def _sliding() -> FloatArray:
    """(a): x, y, theta, their rates, and N at three times (3, 7)."""
    angle, mu = math.radians(30.0), 0.4
    depth = MASS * G / compliance(mu, angle) / REGULAR.stiffness
    rod, touch, model = _rod(angle, mu, REGULAR, 1e-3, depth)
    run = fx.simulate(model, TIMES[-1], step=fx.ErrorControl(rtol=1e-9), output=fx.Output(at=[0.0, *TIMES]))
    rows = [int(np.argmin(np.abs(run.t - t))) for t in TIMES]
    place, speed = run.position(rod)[rows, :2], run.velocity(rod)[rows, :2]
    turn, spin = angle + run.angle(rod)[rows], _spin(run, rod)[rows]
    return np.column_stack((place, turn, speed, spin, run.contact(touch).normal[rows, 0]))


def _thrown(stiffness: float, until: float) -> dict[str, FloatArray]:
    """(b): the jam and the throw of a tip of this stiffness: sticking, largest force, lift-off."""
    law = fx.contact.HuntCrossleyLaw(stiffness=stiffness, exponent=1.0)
    rod, touch, model = _rod(math.radians(60.0), 1.8, law, STICKS / 10.0)
    run = fx.simulate(model, until, step=fx.ErrorControl(rtol=1e-10))
    history = run.contact(touch)
    t, normal, slip = run.t, history.normal[:, 0], np.abs(history.slip[:, 0, 0])
    stuck = int(np.argmax(slip < STICKS))
    part = (slip[stuck - 1] - STICKS) / (slip[stuck - 1] - slip[stuck])
    at = t[stuck - 1] + part * (t[stuck] - t[stuck - 1])
    top = int(normal.argmax())
    off = top + int(np.argmax(normal[top:] <= 0.0))
    spin = _spin(run, rod)[off]
    return {
        "stick": np.array((at, np.interp(at, t, normal))),
        "top": np.array(peak(t, normal)),
        "off": np.array((t[off], *run.velocity(rod)[off, :2], spin)),
        "tip": np.array(((history.gap[off + 1, 0] - history.gap[off, 0]) / (t[off + 1] - t[off]), slip[off])),
        "t": t,
        "normal": normal,
    }


def run(progress: Progress) -> Outcome:
    """Regular sliding, and the impact without collision."""
    figures = load_reference("painleve-rod")
    progress("(a) slides")
    quantities = beside(
        figures, "(a) x, y, theta, their rates, and N", _sliding().ravel(), rtol=1e-3,
        units=("m", "m", "rad", "m/s", "m/s", "rad/s", "N"),
    )  # fmt: skip
    progress("(b) is thrown up")
    soft = _thrown(1e6, 9e-3)
    progress("(b) stiffer")
    hard = _thrown(1e8, 1.2e-3)
    quantities += [
        *beside(figures, "(b) k = 1e6 N/m: time of sticking, N then", soft["stick"], rtol=0.01),
        *beside(figures, "(b) time and value of the largest N", soft["top"], rtol=0.01),
        *beside(figures, "(b) time of lift-off, and x', y', theta' then", soft["off"], rtol=0.01,
                units=("s", "m/s", "m/s", "rad/s")),
        *beside(figures, "(b) normal and tangential velocity of the tip at lift-off", soft["tip"], rtol=0.01,
                atol=1e-3),
        *beside(figures, "(b) x', y', theta' at lift-off for k = 1e8 N/m", hard["off"][1:], rtol=0.01,
                units=("m/s", "m/s", "rad/s")),
    ]  # fmt: skip
    drawing = over_time([("1e6 N/m", 1e3 * soft["t"], soft["normal"])], "normal force in N")
    drawing.axes[0].set_xlabel("t in ms")
    return Outcome(quantities, [], [], [("Force on the tip.", drawing)])


CASE = Case(
    id="painleve-rod",
    title="Sliding rod: regular sliding, limits of the paradox, and an impact without collision",
    area="contact",
    summary=(
        "A rod slides on its lower tip, which friction presses into the floor. (a) With mu = 0.4 at 30 degrees "
        "it slides as with a rigid contact. (b) With mu = 1.8 at 60 degrees no rigid contact force exists; on a stiff "
        "floor friction jams the tip within milliseconds, it sticks, and the rod is thrown up."
    ),
    run=run,
    source="Integration with DOP853 and events; F. Genot, B. Brogliato, 1999, for the regions of the paradox.",
    limits=("Regularised friction of 0.1 mm/s in (b); the reference has Coulomb's with true sticking.",),
    equations=(r"1 + 3\cos\theta\,(\cos\theta - \mu\sin\theta) < 0",),
)
