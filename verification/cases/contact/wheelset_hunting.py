"""A wheelset on conical treads: Klingel's wave, and hunting."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.contact.beside import beside
from flexmbs.verification.cases.moving import over_time
from flexmbs.verification.reference.data import load_reference

MASS, YAW, RADIUS, HALF, CONE, CREEP = 1800.0, 1000.0, 0.46, 0.75, 0.05, 1e7
LATERAL, TURNING = 1e6, 5e5
SMALL = 1e-4
"""Lateral place at the start [m]."""


def _wheelset(speed: float, frame: float, held: bool = True) -> tuple[fx.Model, fx.PlanarRigidBody]:
    """A wheelset seen from above that rolls with a speed, in a frame that moves with ``frame``.

    Its wheels turn with speed/radius; slip velocities in their axes over the speed are the creepages, with Kalker's
    linear law. Held or not by springs to the frame.
    """
    body = fx.PlanarRigidBody(
        MASS, YAW, position=(0, 0.0 if frame else SMALL), velocity=(speed - frame, 0), name="wheelset"
    )

    def creep(p: FloatArray, R: FloatArray, twist: FloatArray, t: float) -> FloatArray:
        forward, left = R[0, :, 0], R[0, :, 1]
        w = np.zeros((1, 6))
        for side in (HALF, -HALF):  # the left wheel runs on a larger circle if the set is left of the middle
            radius = RADIUS + math.copysign(CONE, side) * p[0, 1]
            v = twist[0, :3] + (frame, 0.0, 0.0) - twist[0, 5] * side * forward
            along = float(v @ forward) / speed - radius / RADIUS
            f = -CREEP * (along * forward + float(v @ left) / speed * left)
            w[0, :3] += f
            w[0, 5] += side * (left[0] * f[1] - left[1] * f[0])
        return w

    items = [body, fx.UserForce([body.centre], creep, name="creep")]
    if frame:
        items.append(fx.CoordinateJoint(body, "x", name="keeps pace"))
    if held:
        items.append(
            fx.Bushing(fx.ground.marker((0, 0)), body.centre, (0.0, LATERAL, TURNING), free_coordinates=(0.0,) * 3)
        )  # fmt: skip
    return fx.Model(*items), body


def _leading(speed: float) -> complex:
    """The root with the largest real part, seen from the frame that moves along."""
    model, _ = _wheelset(speed, speed)
    roots = np.linalg.eigvals(fx.linearise(model).A)
    vibrates = roots[np.abs(roots.imag) > 1.0]
    return complex(vibrates[vibrates.real.argmax()])


def _growth(speed: float) -> tuple[fx.TimeSolution, FloatArray, float]:
    """Rate at which the peaks of the lateral place grow, in a run along the track."""
    model, body = _wheelset(speed, 0.0)
    run = fx.simulate(model, 1.2, step=1e-3)
    y = np.asarray(run.position(body)[:, 1])
    inner = np.flatnonzero((np.abs(y[1:-1]) > np.abs(y[:-2])) & (np.abs(y[1:-1]) >= np.abs(y[2:]))) + 1
    late = inner[run.t[inner] > 0.3]
    return run, y, float(np.polyfit(run.t[late], np.log(np.abs(y[late])), 1)[0])


def _wavelength() -> float:
    """Of a free wheelset that rolls slowly, between passages of the middle in the same direction."""
    model, body = _wheelset(1.0, 0.0, held=False)
    run = fx.simulate(model, 40.0, step=0.02)
    x, y = run.position(body)[:, :2].T
    up = np.flatnonzero((y[:-1] < 0.0) & (y[1:] >= 0.0))
    at = x[up] - y[up] * (x[up + 1] - x[up]) / (y[up + 1] - y[up])
    return float(np.diff(at).mean())


def run(progress: Progress) -> Outcome:
    """Roots, runs and the wave."""
    from scipy.optimize import brentq

    figures = load_reference("wheelset-hunting")
    progress("roots")
    critical = float(brentq(lambda v: _leading(v).real, 40.0, 80.0, xtol=1e-6))
    rates = [_leading(factor * critical).real for factor in (0.8, 1.2)]
    progress("runs")
    slow, fast = (_growth(factor * critical) for factor in (0.8, 1.2))
    known = [figures.value("real part of the leading root at 0.8 and 1.2 times the critical speed", i) for i in (0, 1)]
    quantities = [
        *beside(figures, "critical speed", critical, rtol=5e-3),
        *beside(
            figures, "frequency of hunting at the critical speed", abs(_leading(critical).imag) / 2 / np.pi, rtol=5e-3
        ),
        *beside(
            figures,
            "real part of the leading root at 0.8 and 1.2 times the critical speed",
            rates,
            rtol=0.02,
            atol=0.01,
        ),
        measured("growth in a run at 0.8 times the critical speed", "1/s", slow[2], known[0], "eigenvalue", rtol=0.02),
        measured("growth in a run at 1.2 times the critical speed", "1/s", fast[2], known[1], "eigenvalue", rtol=0.02),
        *beside(figures, "wavelength of a free wheelset that rolls without slip (Klingel)", _wavelength(), rtol=2e-3),
    ]
    drawing = over_time(
        [(f"{f:g} of the critical speed", r.t, 1e3 * y) for f, (r, y, _) in ((0.8, slow), (1.2, fast))],
        "lateral place in mm",
    )
    return Outcome(quantities, [], [], [("Lateral place after a disturbance of 0.1 mm.", drawing)])


CASE = Case(
    id="wheelset-hunting",
    title="Wheelset on conical treads: Klingel's wave, and hunting",
    area="contact",
    summary=(
        "A wheelset with conical wheels, seen from above, rolls along a track; creepages follow from the slip of its "
        "wheels, creep forces from Kalker's linear law. Held by springs it hunts above a critical speed, as its roots "
        "in the frame that moves along and its motion along the track both tell; free and slow it runs in Klingel's "
        "wave."
    ),
    run=run,
    source="W. Klingel 1883; A. H. Wickens, Fundamentals of Rail Vehicle Dynamics (2003), ch. 2 and 3; closed forms.",
    limits=("A force in Python on a planar body; no spin creep, no gravitational stiffness, constant conicity.",),
    equations=(
        r"m\ddot y + \frac{2 f_{22}}{V}\dot y + k_y y - 2 f_{22}\psi = 0,\quad "
        r"J\ddot\psi + \frac{2 f_{11} b^2}{V}\dot\psi + k_\psi\psi + \frac{2 f_{11}\lambda b}{r_0} y = 0",
    ),
)
