"""A seat on a shaken floor: the vibration dose that its mass takes, by the weighting for seated persons."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import orders, over_time

MASS, FREQUENCY, RATIO = 60.0, 2.5, 0.3
"""What sits [kg], its natural frequency on the cushion [Hz], damping over critical."""
AMPLITUDE, SHAKEN = 2e-3, 4.0
"""Of the floor [m], [Hz]."""
SETTLES, LASTS = 8.0, 2.0
"""Time until seat and filter are periodic to 1e-9, and time that is judged [s]: whole periods."""
TABLE = {
    "Wk": ((1, 482), (2, 531), (2.5, 631), (3.15, 804), (4, 967), (5, 1039), (6.3, 1054), (8, 1036), (10, 988),
           (12.5, 902), (16, 768), (20, 636), (25, 513), (31.5, 405), (40, 314), (50, 246), (63, 186), (80, 132)),
    "Wd": ((0.5, 853), (0.63, 944), (0.8, 992), (1, 1011), (1.25, 1008), (1.6, 968), (2, 890), (2.5, 776), (3.15, 642),
           (4, 512), (5, 409), (6.3, 323), (8, 253)),
}  # fmt: skip
"""Nominal frequency [Hz] and factor in thousandths, as the standard lists them in thirds of an octave."""
DECIBEL = 10.0**0.05 - 1.0
"""What the standard allows an instrument."""
STANDARD = "ISO 2631-1:1997, table 3; its factors differ by up to 1.5 % from its own filters"


def _seat(step: float) -> tuple[float, FloatArray, FloatArray, fx.TimeSolution]:
    """The dose of the last two seconds, times, weighted acceleration, the run."""
    stiffness = MASS * (2.0 * math.pi * FREQUENCY) ** 2
    floor = fx.PlanarRigidBody(1.0, 1.0, position=(0, 0), name="floor")
    seat = fx.PlanarRigidBody(MASS, 1.0, position=(0, 1.0), name="seat")
    guides = [
        fx.PrismaticJoint(fx.ground, body, at=body.position, axis=(0, 1), name=f"guide of the {body.name}")
        for body in (floor, seat)
    ]
    shake = fx.TranslationDriver(guides[0], motion=fx.motions.Sine(AMPLITUDE, frequency=SHAKEN), name="shaker")
    cushion = fx.SpringDamper(
        floor.centre, seat.centre, stiffness=stiffness, damping=2.0 * RATIO * math.sqrt(stiffness * MASS),
        free_length=1.0, name="cushion",
    )  # fmt: skip
    model = fx.Model(floor, seat, *guides, shake, cushion, name="seat")
    run = fx.simulate(model, SETTLES + LASTS, step=step, progress=False)
    felt = fx.weighted_acceleration(run.t, run.acceleration(seat)[:, 1], "Wk")
    late = run.t > SETTLES - 0.5 * step
    return fx.vibration_dose(run.t[late], felt[late]), run.t, felt, run


def run(progress: Progress) -> Outcome:
    """The filters against the table, the dose of a sine and of a seat against closed forms."""
    quantities = []
    for name, table in TABLE.items():
        f, listed = np.array(table, dtype=float).T
        thirds = 10.0 ** (np.round(10.0 * np.log10(f)) / 10.0)  # what the nominal frequencies stand for
        off = np.abs(fx.frequency_weighting(name, thirds) / (listed / 1e3) - 1.0).max()
        quantities.append(measured(f"{name}: largest difference from the table", "-", float(off), 0.0, STANDARD, 0.015,
                                   atol=DECIBEL))  # fmt: skip
    t = np.linspace(0.0, 3.0, 6001)
    quantities.append(
        measured("dose of a sine", "m/s^1.75", fx.vibration_dose(t, 1.7 * np.sin(2.0 * np.pi * 5.0 * t)),
                 1.7 * (3.0 * 3.0 / 8.0) ** 0.25, "closed form", 1e-12, rtol=2.0 * (2.0 * np.pi * 5.0 * t[1]) ** 2 / 12)
    )  # fmt: skip
    both = np.column_stack([np.sin(2.0 * np.pi * 5.0 * t), 2.0 * np.cos(2.0 * np.pi * 5.0 * t)])
    each = [fx.vibration_dose(t, a) for a in both.T]
    total = math.hypot(each[0] ** 2, each[1] ** 2) ** 0.5
    quantities.append(
        measured("total of two directions", "m/s^1.75", fx.vibration_dose(t, both), total, "fourth powers", rtol=1e-12)
    )
    w, wn = 2.0 * math.pi * SHAKEN, 2.0 * math.pi * FREQUENCY
    passed = abs((wn**2 + 2j * RATIO * wn * w) / (wn**2 - w**2 + 2j * RATIO * wn * w))
    gain = float(fx.frequency_weighting("Wk", [SHAKEN])[0])
    exact = AMPLITUDE * w**2 * passed * gain * (3.0 * LASTS / 8.0) ** 0.25
    sizes, errors = [8e-3, 4e-3, 2e-3, 1e-3], []
    for step in sizes:
        progress(f"seat, steps of {1e3 * step:g} ms")
        dose, times, felt, motion = _seat(step)
        errors.append(abs(dose - exact))
    quantities.append(
        measured("dose of the seat", "m/s^1.75", dose, exact, "transmissibility and gain in closed form", 1e-9,
                 atol=errors[-2])
    )  # fmt: skip
    balance = motion.energy.balance
    quantities.append(measured("largest error of the energy balance, by the work of the shaker", "-",
                               float(np.abs(balance).max() / np.abs(motion.energy.work_drivers).max()), 0.0,
                               "conservation law", atol=1e-3))  # fmt: skip
    late = times > SETTLES + LASTS - 0.5
    drawing = over_time([("of the seat", times[late], motion.acceleration("seat")[late, 1]),
                         ("weighted", times[late], felt[late])], "acceleration in m/s^2")  # fmt: skip
    study = orders("Dose of the seat", sizes, errors)
    return Outcome(quantities, [study], [], [("Half a second of the seat.", drawing)])


CASE = Case(
    id="ride-comfort",
    title="Seat on a shaken floor: weighted acceleration and vibration dose",
    area="control",
    summary=(
        "The weightings for whole-body vibration against the factors of the standard, the dose of a sine, and "
        "that of a mass on a cushion above a floor that shakes at 4 Hz, against its transmissibility in closed form."
    ),
    run=run,
    source=(
        "P. P. Valentini, L. Vita, eqs. (6) and (7), for the dose and its total; the dummy: `seated-dummy`. "
        "ISO 2631-1:1997, Annex A and table 3, for the weightings."
    ),
    equations=(
        r"VDV = \left(\int_0^T a_w^4\,dt\right)^{1/4},\qquad "
        r"|T| = \left|\frac{\omega_n^2 + 2i\zeta\omega_n\omega}{\omega_n^2 - \omega^2 + 2i\zeta\omega_n\omega}\right|",
    ),
)
