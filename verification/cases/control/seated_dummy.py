"""A seated dummy in a car that shakes: counts, weight, momentum, two integrators, doses at three places."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

import flexmbs as fx
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.control.dummy_model import CAR, JOINTS, dummy

AMPLITUDE, SHAKEN, GROWS, LASTS = 1e-3, 5.0, 1.0, 2.0
"""Of the car [m], [Hz], time in which its motion grows, and time that is judged [s]: whole periods."""
FOAM = 4e7
"""Cubic part of the cushion under the pelvis [N/m^3]."""


def _growing(t: float, phase: float = 0.0) -> float:
    """A sine that comes up smoothly."""
    s = min(1.0, t / GROWS)
    return AMPLITUDE * s**3 * (10.0 - 15.0 * s + 6.0 * s**2) * math.sin(2.0 * math.pi * SHAKEN * t - phase)


def _shaken(stiffer: float, step: float) -> tuple[fx.TimeSolution, float]:
    """The run of a dummy on one motion of the whole car, and the dose of the last two seconds at its pelvis."""
    made = dummy(_growing, stiffer=stiffer)
    run = fx.simulate(made.model, GROWS + LASTS, step=step, start=fx.solve_static(made.model), progress=False)
    late = run.t > GROWS - 0.5 * step
    felt = fx.weighted_acceleration(run.t, run.acceleration("pelvis")[:, 2], "Wk")
    return run, fx.vibration_dose(run.t[late], felt[late])


def run(progress: Progress) -> Outcome:
    """Counts, the dummy at rest, the stiff limit, then seat, pedals and wheel that move by themselves."""
    held, free = fx.topology(dummy().model), fx.topology(dummy(drivers=False).model)
    counts = "P. P. Valentini, L. Vita"
    moved = 6 * len(CAR)  # the car is moved: as many equations as it has velocities
    quantities = [
        measured("bodies", "-", len(held.bodies), 15.0, counts, atol=0.5),
        measured("coordinates with Euler parameters", "-", held.n_coordinates + len(held.bodies), 105.0, counts,
                 atol=0.5),
        measured("scalar equations of the joints", "-", free.n_equations - moved, float(JOINTS),
                 "4 balls, 6 hinges, a slide", atol=0.5),
        measured("freedoms of the dummy", "-", free.degrees_of_freedom, 6.0 * 12 - JOINTS, "6 times 12 less 47",
                 atol=0.5),
        measured("freedoms with the five drivers", "-", held.degrees_of_freedom, 20.0,
                 "25 less 5; the text says 24, which its joints do not give", atol=0.5),
    ]  # fmt: skip
    progress("at rest")
    made = dummy(hardening=FOAM, drivers=False)
    still = fx.solve_static(made.model)
    carried = -sum(float(still.force(s.name).force[-1][2]) for s in made.supports)
    seat, pelvis = (still.position(m, step=-1) for m in made.foam)
    size = float(np.linalg.norm(pelvis - seat))
    carried += FOAM * (0.1 - size) ** 3 * (pelvis - seat)[2] / size
    weight = 9.81 * sum(body.mass for name, body in made.bodies.items() if name not in CAR)
    quantities.append(measured("at rest: force on cushions, pedals and wheel", "N", carried, weight, "the weight",
                               rtol=1e-8))  # fmt: skip
    sizes, errors = [], []
    w = 2.0 * math.pi * SHAKEN
    exact = AMPLITUDE * w**2 * float(fx.frequency_weighting("Wk", [SHAKEN])[0]) * (3.0 * LASTS / 8.0) ** 0.25
    for stiffer in (25.0, 100.0, 400.0):
        progress(f"springs {stiffer:g} times as stiff")
        _, dose = _shaken(stiffer, 2e-3)
        sizes.append(1.0 / stiffer)
        errors.append(abs(dose - exact))
    studies = [
        ConvergenceStudy("dose of the pelvis, less that of the car, over the compliance", sizes, errors, 1.0, 0.9,
                         label="compliance, by that of the dummy")
    ]  # fmt: skip
    quantities.append(
        measured("dose of the pelvis on springs 400 times as stiff", "m/s^1.75", dose, exact,
                 "dose of the motion of the car in closed form", rtol=5e-3)
    )  # fmt: skip
    progress("seat, pedals and steering wheel by themselves, Radau")
    motions = {name: partial(_growing, phase=0.7 * k) for k, name in enumerate(CAR)}
    made = dummy(motions, hardening=FOAM)
    still = fx.solve_static(made.model)
    until, step = 0.6, 4e-3
    fine = fx.simulate(made.model, until, step=step / 2, integrator=fx.RadauIIA(), start=still, progress=False)
    known = fine.position("upper part")
    sizes, errors = [], []
    for each in (2 * step, step, step / 2):
        progress(f"the same, generalized-alpha, steps of {1e3 * each:g} ms")
        other = fx.simulate(made.model, until, step=each, start=still, progress=False)
        sizes.append(each)
        errors.append(float(np.linalg.norm(other.position("upper part")[-1] - known[-1])))
    studies.append(
        ConvergenceStudy("place of the upper part after 0.6 s, against Radau IIA", sizes, errors, 2.0, 1.8,
                         label="step [s]")
    )  # fmt: skip
    balance = fine.energy.balance
    quantities.append(measured("Radau: error of the energy balance, by the work of the car", "-",
                               float(np.abs(balance).max() / np.abs(fine.energy.work_drivers).max()), 0.0,
                               "conservation law", atol=1e-3))  # fmt: skip
    progress("doses")
    whole, _ = _shaken(1.0, 4e-3)
    late = whole.t > GROWS - 2e-3
    places = (("cushion", "pelvis", 2, "Wk"), ("backrest", "upper part", 0, "Wd"), ("feet", "left foot", 2, "Wk"))
    drawing, axes = figure()
    felt = []
    for colour, (name, body, axis, weighting) in zip(COLOURS, places, strict=False):
        felt.append(fx.weighted_acceleration(whole.t, whole.acceleration(body)[:, axis], weighting)[late])
        axes.plot(whole.t[late], felt[-1], color=colour, label=name)
    axes.set_xlabel("t in s")
    axes.set_ylabel("weighted acceleration in m/s^2")
    axes.legend(frameon=False)
    doses = [fx.vibration_dose(whole.t[late], one) for one in felt]
    total = fx.vibration_dose(whole.t[late], np.column_stack(felt))
    quantities.append(measured("total dose of three places", "m/s^1.75", total, sum(d**4 for d in doses) ** 0.25,
                               "eq. (7) with the fourth powers that its print lacks", rtol=1e-12))  # fmt: skip
    remark = (
        "Doses in 2 s: "
        + ", ".join(f"{name} {dose:.2f}" for (name, *_), dose in zip(places, doses, strict=True))
        + f", total {total:.2f} m/s^1.75; the car {exact:.2f}."
    )
    return Outcome(quantities, studies, (), [("Three places of the dummy.", drawing)], [remark])


CASE = Case(
    id="seated-dummy",
    title="Seated dummy on seat, pedals and steering wheel",
    area="control",
    summary=(
        "Twelve bodies on four balls, six hinges and a slide sit in a car of three bodies that shake. Bodies, "
        "coordinates and equations are counted; at rest cushions, pedals and wheel carry the weight; on stiff springs "
        "the pelvis takes the dose of the car, which has a closed form; Radau IIA, which the paper uses, and "
        "generalized-alpha agree with foam that hardens; doses of three places make a total."
    ),
    run=run,
    source="P. P. Valentini, L. Vita, David - a multibody code to simulate a dynamic virtual dummy: bodies and joints.",
    equations=(r"VDV = \left(\sum_i VDV_i^4\right)^{1/4}", r"6\cdot 12 - 47 = 25"),
    limits=(
        "Masses, lengths and stiffnesses are chosen: the paper prints none. Its seat, pedals and wheel are moved by "
        "measured accelerations in 13 directions, here vertically.",
        "Its text gives 24 freedoms, its joints 25, and 20 with its five drivers. The drivers hold the pelvis in its "
        "plane and the feet at their angles to the pedals.",
    ),
)
