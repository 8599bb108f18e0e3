"""A quarter car whose tyre leaves the road behind a bump."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp

import flexmbs as fx
from flexmbs import trees
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.contact.beside import G, weight
from flexmbs.verification.cases.moving import over_time

BODY, WHEEL, SPRING, DAMPER = 250.0, 35.0, 16e3, 1000.0
TYRE, LOSS, ONSET = 160e3, 200.0, 1e-3
"""Stiffness [N/m] and damping [N s/m] of the tyre, and the depth at which the damping is full [m]."""
HIGH, TIME = 0.1, 1.0 / 12.0
"""Height of the bump [m], and the time of driving over it: 1 m at 12 m/s [s]."""
UNTIL = 1.0
TIMES = (0.05, 0.12, 0.2, 0.4, 0.8)


def _road(t: float) -> float:
    return 0.5 * HIGH * (1.0 - math.cos(2.0 * math.pi * t / TIME)) if 0.0 < t < TIME else 0.0


def _road_rate(t: float) -> float:
    return HIGH * math.pi / TIME * math.sin(2.0 * math.pi * t / TIME) if 0.0 < t < TIME else 0.0


def _road_acceleration(t: float) -> float:
    return 2.0 * HIGH * (math.pi / TIME) ** 2 * math.cos(2.0 * math.pi * t / TIME) if 0.0 < t < TIME else 0.0


def _by_hand(t: FloatArray) -> tuple[FloatArray, list[float]]:
    """Displacements from rest of body and wheel, their rates (4, n), and when the tyre leaves and meets the road."""

    def depth(t: float, y: FloatArray) -> float:
        return float(_road(t) - y[1] + (BODY + WHEEL) * G / TYRE)

    def tyre(t: float, y: FloatArray) -> float:
        d = depth(t, y)
        if d <= 0.0:
            return 0.0
        x = min(d / ONSET, 1.0)
        return max(0.0, TYRE * d + LOSS * (3.0 * x**2 - 2.0 * x**3) * (_road_rate(t) - float(y[3])))

    def rates(t: float, y: FloatArray) -> list[float]:
        held = SPRING * (y[1] - y[0]) + DAMPER * (y[3] - y[2])  # beyond the weight of the body
        return [y[2], y[3], held / BODY, (tyre(t, y) - held) / WHEEL - (BODY + WHEEL) * G / WHEEL]

    found, times, start, y = [], [0.0, TIME, UNTIL], 0.0, np.zeros(4)
    solutions = []
    for end in times[1:]:
        piece = solve_ivp(rates, (start, end), y, method="DOP853", rtol=1e-11, atol=1e-13, max_step=1e-3,
                          events=depth, dense_output=True)  # fmt: skip
        solutions.append((start, end, piece.sol))
        found += list(piece.t_events[0])
        start, y = end, piece.y[:, -1]
    values = np.empty((4, len(t)))
    for start, end, sol in solutions:
        inside = (t >= start) & (t <= end)
        values[:, inside] = sol(t[inside])
    return values, [float(x) for x in found]


def _model() -> tuple[fx.Model, trees.Tree, fx.Contact]:
    """Body and wheel on vertical guides, and a plate that is moved as the road is."""
    rest = (BODY + WHEEL) * G / TYRE
    up = trees.Prismatic((0, 0, 1))
    car = trees.Tree(
        trees.Link("body", BODY, (1, 1, 1), joint=up, at=(0, 0, 0.6)),
        trees.Link("wheel", WHEEL, (1, 1, 1), joint=up, at=(0, 0, 0.3 - rest)), name="car",
    )  # fmt: skip
    plate = trees.Tree(trees.Link("road", 1.0, (1, 1, 1), joint=up), name="plate")
    length = 0.3 + rest
    strut = fx.SpringDamper(
        car.link("wheel").centre, car.link("body").centre, stiffness=SPRING, damping=DAMPER,
        free_length=length + BODY * G / SPRING, name="strut",
    )  # fmt: skip
    bump = fx.motions.Function(_road, _road_rate, _road_acceleration, check=(0.02, 0.05))
    moves = fx.TranslationDriver(plate.joint("road"), bump, name="bump")
    tread = fx.contact.Sphere(car.link("wheel").centre, radius=0.3)
    top = fx.contact.Plane(plate.link("road").marker((0, 0, 0), axis=(0, 0, 1)))
    law = fx.contact.ImpactLaw(stiffness=TYRE, damping=LOSS, depth=ONSET)
    tyre = fx.Contact((top, tread), law, allow_overlap=True, name="tyre")
    return fx.Model(car, plate, moves, strut, tyre, weight(), name="quarter car"), car, tyre


def run(progress: Progress) -> Outcome:
    """Over the bump."""
    model, car, tyre = _model()
    progress("over the bump")
    at = np.unique(np.concatenate((np.linspace(0.0, UNTIL, 501), TIMES)))
    motion = fx.simulate(
        model, UNTIL, step=fx.ErrorControl(rtol=1e-8, max_step=5e-3), events=[tyre.event("opens"),
        tyre.event("closes")],
        output=fx.Output(at=at.tolist()),
    )  # fmt: skip
    places = {name: motion.position(car.link(name))[:, 2] for name in ("body", "wheel")}
    places = {name: z - z[0] for name, z in places.items()}
    exact, times = _by_hand(motion.t)
    rows = [int(np.argmin(np.abs(motion.t - t))) for t in TIMES]
    quantities = []
    for i, (name, z) in enumerate(places.items()):
        for t, k in zip(TIMES, rows, strict=True):
            quantities.append(
                measured(f"{name} at {t:g} s", "m", float(z[k]), float(exact[i, k]), "DOP853", atol=1e-4 * HIGH)
            )  # fmt: skip
    told = [event.t for event in motion.events]
    quantities.append(measured("changes between on and off the road", "-", len(told), len(times), "DOP853", atol=0.1))
    quantities += [
        measured(f"tyre, change {k + 1}", "s", a, b, "DOP853 with events", atol=1e-5)
        for k, (a, b) in enumerate(zip(told, times, strict=False))
    ]
    curves = [(name, motion.t, 1e3 * z) for name, z in places.items()]
    curves.append(("road", motion.t, 1e3 * np.array([_road(t) for t in motion.t])))
    drawing = over_time(curves, "height in mm", [(motion.t[::25], 1e3 * exact[i, ::25]) for i in (0, 1)])
    return Outcome(quantities, [], [], [("Body, wheel and road over time.", drawing)])


CASE = Case(
    id="quarter-car-tyre",
    title="A quarter car whose tyre leaves the road behind a bump",
    area="contact",
    summary=(
        "A body on a wheel drives over a bump of 0.1 m in 1 m with 12 m/s. The tyre is a contact of the wheel with the "
        "road, a spring with a damper that never pulls: behind the bump it leaves the road, and meets it again."
    ),
    run=run,
    source="Equations of two masses by DOP853 with events; the tyre of a vehicle as in J. Tobolar 2002.",
    limits=("Vertical force alone: no slip, no side force, no envelope of the tread over short bumps.",),
    equations=(r"F = k d + c(d)\,\dot d \geq 0",),
)
