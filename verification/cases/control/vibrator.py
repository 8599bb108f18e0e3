"""A mass on a hardening spring that an electromagnet shakes: flux and motion together, with a load."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured

MASS, DAMPING, SPRING, HARDENING = 2.0, 25.0, 2.0e4, 4.0e8
GAP, RESISTANCE, TURNS, AREA, SHAPE = 4e-3, 2.0, 400.0, 6e-4, 0.1
"""Air gap at rest [m], coil, core [m^2], factor of its geometry."""
RELUCTANCE = (2.0 + SHAPE) / (4e-7 * math.pi * TURNS**2 * AREA)
"""Current by flux linkage and gap [A/(Wb m)]."""
STEADY, SWING, FREQUENCY = 3.0, 3.0, 12.0
"""Voltage U0 + U1 sin(2 pi f t)."""
UNTIL, STEPS = 0.25, (2e-3, 1e-3, 5e-4)


def voltage(t: float) -> float:
    """Of the supply."""
    return STEADY + SWING * math.sin(2 * math.pi * FREQUENCY * t)


def vibrator(load: float = 0.0, free: bool = False, flux: float = 0.0) -> fx.Model:
    """The mass moves along x, towards the magnet; ``free``: no resistance, voltage or damping."""
    mass = fx.PointMass(MASS, position=(0.0, 0.0), name="mass")
    behind = fx.ground.marker((-1.0, 0.0))
    spring = fx.SpringDamper(
        behind, mass, stiffness=(SPRING, 0.0, HARDENING), damping=0.0 if free else DAMPING, name="suspension"
    )
    guide = fx.CoordinateJoint(mass, "y", name="guide")
    place = fx.control.PositionSensor(mass, (1, 0), name="place")
    magnet = fx.control.ForceActuator(mass, (1, 0), name="magnet")

    def rates(x: FloatArray, u: FloatArray, t: float) -> FloatArray:
        # by the law of induction; the current is flux times reluctance times gap
        return np.zeros(1) if free else np.array([voltage(t) - RESISTANCE * x[0] * RELUCTANCE * (GAP - u[0])])

    coil = fx.control.FirstOrder(
        [flux], rates, place, magnet, output=lambda x, u, t: x**2 * RELUCTANCE / 2.0, name="coil"
    )
    push = [fx.PointForce(mass, (-load, 0.0))] if load else []
    return fx.Model(mass, spring, guide, coil, *push, name="vibrator")


def reference(load: float, times: FloatArray) -> FloatArray:
    """Displacement, velocity and flux by DOP853."""

    def rates(t: float, y: FloatArray) -> list[float]:
        x, v, flux = y
        force = flux**2 * RELUCTANCE / 2.0 - SPRING * x - HARDENING * x**3 - DAMPING * v - load
        return [v, force / MASS, voltage(t) - RESISTANCE * flux * RELUCTANCE * (GAP - x)]

    out = solve_ivp(rates, (0.0, times[-1]), [0.0] * 3, method="DOP853", rtol=1e-12, atol=1e-14, t_eval=times)
    return np.asarray(out.y)


def run(progress: Progress) -> Outcome:
    """Energy without resistance, the driven motion at two loads."""
    progress("without resistance")
    flux = 0.02
    model = vibrator(free=True, flux=flux)
    free = fx.simulate(model, 0.1, step=5e-4)
    x, v = free.position(model.bodies[0])[:, 0], free.velocity(model.bodies[0])[:, 0]
    energy = MASS * v**2 / 2 + SPRING * x**2 / 2 + HARDENING * x**4 / 4 + flux**2 * (GAP - x) * RELUCTANCE / 2
    given = np.abs(flux**2 * RELUCTANCE / 2 * x).max()
    rest = float(brentq(lambda s: SPRING * s + HARDENING * s**3 - flux**2 * RELUCTANCE / 2, 0.0, GAP))
    omega = math.sqrt((SPRING + 3 * HARDENING * rest**2) / MASS)
    quantities = [
        measured("no resistance: change of the energy with that of the magnet, by the work of the magnet", "-",
                 np.ptp(energy) / given, 0.0, "flux^2 (lambda - x)(2 + K)/(2 mu_0 Z^2 S) belongs to the force",
                 atol=(omega * 5e-4) ** 2)
    ]  # fmt: skip
    studies = []
    drawing, axes = figure()
    for colour, load in zip(COLOURS, (0.0, 30.0), strict=False):
        errors = []
        for step in STEPS:
            progress(f"load {load:g} N, step {1e3 * step:g} ms")
            model = vibrator(load)
            moved = fx.simulate(model, UNTIL, step=step)
            exact = reference(load, moved.t)
            place = moved.position(model.bodies[0])[:, 0]
            errors.append(float(np.abs(place - exact[0]).max() / np.abs(exact[0]).max()))
        studies.append(ConvergenceStudy(f"load {load:g} N: displacement", STEPS, errors, 2.0, 1.9, label="step [s]"))
        late = moved.t > UNTIL - 2.0 / FREQUENCY
        source, swing = "DOP853 of three states", float(np.ptp(exact[0][late])) / 2
        quantities += [
            measured(f"load {load:g} N: amplitude", "m", np.ptp(place[late]) / 2, swing, source, rtol=5e-3),
            measured(f"load {load:g} N: mean place", "m", place[late].mean(), float(exact[0][late].mean()), source,
                     atol=2e-6),
        ]  # fmt: skip
        axes.plot(moved.t, 1e3 * place, color=colour, label=f"load {load:g} N")
        axes.plot(moved.t[::10], 1e3 * exact[0][::10], "k.", markersize=2.5)
    axes.set_xlabel("t in s")
    axes.set_ylabel("displacement in mm")
    axes.legend(frameon=False)
    return Outcome(quantities, studies, (), [("A load shifts the vibration; dots: DOP853.", drawing)])


CASE = Case(
    id="electromagnetic-vibrator",
    title="Electromagnetic vibrator under a load",
    area="control",
    summary=(
        "A mass on a hardening spring is pulled by an electromagnet whose flux follows the voltage, the resistance "
        "and the "
        "gap. The printed force lacks a factor 1/2, without which the energy of the magnet is not conserved. A load of "
        "30 N shifts the vibration."
    ),
    run=run,
    source="S. F. Jatsun, A. S. Zaisev, S. M. Jatsun (vibrating system with active control); DOP853.",
    equations=(
        r"m \ddot x + b \dot x + c x + c_3 x^3 = \dfrac{\Phi^2 (2 + K_s)}{2 \mu_0 Z^2 S} - P",
        r"\dot\Phi + R\,\Phi\,(\lambda - x)\,\dfrac{2 + K_s}{\mu_0 Z^2 S} = U_0 + U_1 \sin k t",
    ),
    limits=(
        "All data are chosen: the paper prints none. Its laws U0(a) and U1(a), which keep the amplitude under the "
        "load, and "
        "the impacts where the gap closes, are not computed.",
    ),
)
