"""A platform isolated from a shaking base by a sampled drive: two laws with switching, and a third."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.signal import cont2discrete

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured

RATE, PERIOD, FREQUENCY = 13.8, 0.01, 0.5
"""Of the drive [1/s], of the samples [s], of the base [Hz]; its acceleration has the amplitude 1."""
MASS, SUB = 25.0, 4
FAR, NEAR, STABLE = 2.0, 1.0, 0.0075
GAINS = (-0.0839, 0.0850, -0.0038)
"""Of the second law, with first and last exchanged against the print."""
THIRD = (-0.85, 0.156, 0.632, -4.30, 5.19, 0.661, -0.472, -0.326)


class Plant(NamedTuple):
    """delta+ = delta + a_12 theta + b_1 u, theta+ = a_22 theta + b_2 u, x+ = a_32 theta + b_3 u + phi+."""

    a_12: float
    a_22: float
    a_32: float
    b_1: float
    b_2: float
    b_3: float


def exact_plant() -> Plant:
    """The solution of delta'' + w delta' = w u over a period, u held."""
    e = math.exp(-RATE * PERIOD)
    lag = (1.0 - e) / RATE
    return Plant(lag, e, -RATE * e, PERIOD - lag, 1.0 - e, RATE * e)


PLANT = exact_plant()


def third_law(x: FloatArray, u: FloatArray) -> tuple[float, FloatArray]:
    """Control and the next memory; x: delta, theta and phi before, u: now delta, theta, phi."""
    seen = np.array([u[0], x[0], x[1], u[1], x[2], u[2], x[3], x[4]])
    return float(np.dot(THIRD, seen)), np.array([u[0], x[0], u[1], u[2], x[3]])


def switching(x: FloatArray, u: FloatArray) -> tuple[float, FloatArray]:
    """No acceleration of the platform until it is far off, then back; x: phi twice before, whether it comes back."""
    back = 1.0 if abs(u[0]) > FAR or (x[2] > 0.5 and abs(u[0]) >= NEAR) else 0.0
    if back:
        value = float(np.dot(GAINS, u))
    else:
        expected = 3.0 * u[2] - 3.0 * x[0] + x[1]
        value = -(PLANT.a_32 * (1.0 - STABLE) * float(u[1]) + expected) / PLANT.b_3
    return value, np.array([u[2], x[0], back])


LAWS = {"third law": (third_law, 5, 800), "two laws": (switching, 3, 1720)}
"""Law, size of its memory, number of samples."""


def recursion(law: str) -> tuple[FloatArray, FloatArray]:
    """Relative displacement and acceleration of the platform at the samples, by the closed solution of the plant."""
    function, size, count = LAWS[law]
    memory, delta, theta = np.zeros(size), 0.0, 0.0
    deltas, accelerations = [0.0], [0.0]
    for i in range(count):
        t = PERIOD * i
        value, memory = function(memory, np.array([delta, theta, math.sin(2 * math.pi * FREQUENCY * t)]))
        following = math.sin(2 * math.pi * FREQUENCY * (t + PERIOD))
        accelerations.append(PLANT.a_32 * theta + PLANT.b_3 * value + following)
        delta, theta = delta + PLANT.a_12 * theta + PLANT.b_1 * value, PLANT.a_22 * theta + PLANT.b_2 * value
        deltas.append(delta)
    return np.array(deltas), np.array(accelerations)


def isolator(law: str | None) -> fx.Model:
    """Base on a driven slide, platform on a slide upon it; the drive follows its command whatever the base does."""
    w = 2.0 * math.pi * FREQUENCY
    begin = (0.0, -1.0 / w if law else 0.0)
    base = fx.PlanarRigidBody(100.0, 1.0, position=(0, 0), velocity=begin, name="base")
    platform = fx.PlanarRigidBody(MASS, 1.0, position=(0, 0.5), velocity=begin, name="platform")
    post = fx.PrismaticJoint(fx.ground, base, at=(0, 0), axis=(0, 1), name="post")
    strut = fx.PrismaticJoint(base, platform, at=(0, 0.5), axis=(0, 1), name="strut")
    if law is None:
        damper = fx.JointForce(strut, lambda s, rate, t: -MASS * RATE * rate, name="lag")
        return fx.Model(base, platform, post, strut, damper, fx.TranslationDriver(post, 0.0, name="still"))
    function, size, _ = LAWS[law]
    # v'' = sin(w t) from rest at -1/w: the base moves about a place that drifts not
    shake = fx.TranslationDriver(post, lambda t: -math.sin(w * t) / w**2, name="shaker")
    actuator = fx.control.JointActuator(
        strut, law=lambda u, s, rate, t: MASS * (RATE * (u - rate) + math.sin(w * t)), name="drive"
    )
    base_acceleration = fx.control.AccelerationSensor(base.centre, (0, 1), name="accelerometer of the base")
    sensors = [fx.control.JointSensor(strut), fx.control.JointSensor(strut, rate=True), base_acceleration]
    controller = fx.control.Controller(
        sensors, actuator, period=PERIOD, start=np.zeros(size), output=lambda x, u, t: function(x, u)[0],
        update=lambda x, u, t: function(x, u)[1], name=law,
    )  # fmt: skip
    return fx.Model(base, platform, post, strut, shake, controller, name="isolator")


def sampled() -> Plant:
    """The plant from the linearised model, its command held over a period."""
    model = isolator(None)
    drive = fx.PointForce(next(b for b in model.bodies if b.name == "platform").centre, (0.0, 1.0))
    linear = fx.linearise(model, [drive], [fx.control.JointSensor("strut"), fx.control.JointSensor("strut", rate=True)])
    A, B, _, _, _ = cont2discrete((linear.A, linear.B * MASS * RATE, linear.C, linear.D), PERIOD)
    C, rates = linear.C, linear.A
    state = np.linalg.lstsq(C, np.array([0.0, 1.0]), rcond=None)[0]  # theta = 1
    after, pushed = C @ A @ state, C @ B[:, 0]
    force = (C @ linear.B)[1, 0] * MASS * RATE
    turn = float((C @ rates @ state)[1])
    return Plant(after[0], after[1], turn * after[1], pushed[0], pushed[1], turn * pushed[1] + force)


FADING = fx.GeneralizedAlpha(rho_inf=0.3)
PRINTED = {"a_12": (0.0093, 6e-5), "a_22": (0.871, 6e-4), "a_32": (-12.02, 6e-3), "b_1": (0.00066, 6e-6),
           "b_2": (0.13, 6e-3), "b_3": (12.02, 6e-3)}  # fmt: skip
"""Value and half of its last digit; b_3 is printed as 2.02, with which the loop diverges."""


def run(progress: Progress) -> Outcome:
    """The sampled plant, then both controls of the mechanism against the recursion."""
    progress("plant")
    found = sampled()
    quantities = []
    for name, (printed, digit) in PRINTED.items():
        value, exact = getattr(found, name), getattr(PLANT, name)
        quantities += [
            measured(name, "-", value, exact, "closed solution over a period", rtol=1e-9),
            measured(f"{name}, as printed", "-", value, printed, "L. A. Rybak", atol=digit),
        ]
    shown = "L. A. Rybak, Fig. 3"
    drawing, axes = figure()
    studies: list[ConvergenceStudy] = []
    for colour, law in zip(COLOURS, LAWS, strict=False):
        progress(law)
        delta, acceleration = recursion(law)
        until = PERIOD * LAWS[law][2]
        simulated = fx.simulate(isolator(law), until, step=PERIOD / SUB, output=fx.Output(every=PERIOD, energy=False))
        moved = simulated.coordinate("strut", "displacement")
        scale = float(np.abs(delta).max())
        source = "recursion with the closed solution of the plant"
        quantities.append(
            measured(f"{law}: largest error of the relative displacement, by its size", "-",
                     np.abs(moved - delta).max() / scale, 0.0, source, atol=2e-2)
        )  # fmt: skip
        if law == "third law":
            errors, counts = [], (SUB, 2 * SUB, 4 * SUB)
            for count in counts:
                # of the order of the scheme once its own oscillation, rho_inf a step, fades within a sample
                finer = fx.simulate(isolator(law), until, step=PERIOD / count, integrator=FADING,
                                    output=fx.Output(every=PERIOD, energy=False))  # fmt: skip
                errors.append(float(np.abs(finer.coordinate("strut", "displacement") - delta).max()) / scale)
            studies.append(
                ConvergenceStudy("third law: displacement, by steps a sample", counts, errors, 2.0, 1.7, counts=True)
            )  # fmt: skip
            quantities += [
                measured("third law: largest displacement", "-", np.abs(moved).max(), 0.3455, source, 1e-4, rtol=1e-2),
                measured("third law: largest acceleration of the recursion", "-", np.abs(acceleration).max(), 0.31,
                         "derived from the printed gains", 3e-3, atol=1e-2),
                measured("third law: late amplitude of the displacement", "-", np.ptp(moved[-200:]) / 2.0,
                         float(np.ptp(delta[-200:])) / 2.0, source, rtol=2e-2),
            ]  # fmt: skip
        else:
            out = np.flatnonzero(np.abs(moved) > FAR)
            home = np.flatnonzero((np.abs(moved) < NEAR) & (np.arange(len(moved)) > out[0]))
            quantities += [
                measured("two laws: sample at which the platform is 2 off", "-", out[0], 888.0, source, atol=4.0),
                measured("two laws: the same, by the figure", "-", out[0], 900.0, shown, 10.0, atol=50.0),
                measured("two laws: sample at which it is back at 1", "-", home[0], 1667.0, source, atol=8.0),
                measured("two laws: the same, by the figure", "-", home[0], 1600.0, shown, 30.0, atol=100.0),
            ]  # fmt: skip
        axes.plot(simulated.t, moved, color=colour, label=law)
        axes.plot(simulated.t[::25], delta[::25], "k.", markersize=2)
    axes.set_xlabel("t in s")
    axes.set_ylabel("platform against base")
    axes.legend(frameon=False)
    return Outcome(quantities, studies, (), [("Displacement of the platform; dots: recursion.", drawing)])


CASE = Case(
    id="active-isolation",
    title="Active isolation of a platform: a sampled drive and three laws",
    area="control",
    summary=(
        "A platform is carried by a drive with a lag on a base that shakes. Sampled laws command the drive: one "
        "cancels "
        "the acceleration of the platform, which then drifts, a second one brings it back, and a third does both."
    ),
    run=run,
    source="L. A. Rybak (control of mechanisms of parallel structure), coefficients and gains as printed.",
    equations=(r"\ddot\delta + \omega_1 \dot\delta = \omega_1 u, \quad \ddot x = \ddot\delta + \ddot v",),
    limits=(
        "One strut stands for six: the geometry of the platform is lost.",
        "Mended: b3 = 12.02 for 2.02, the sign in the extrapolation of the base, return at 1 for 0.02; the gains k1 "
        "and k3 are "
        "exchanged, a conjecture with which the return agrees with the figure; D1 = 0.0075 with coefficients of "
        "full length.",
    ),
)
