"""Seven muscles hold an elbow: activations between bounds from accelerations at rest, then a load is added."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq, lsq_linear

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured

MUSCLES = (
    ("biceps, long head", (0.025, 0.28), (0.045, 0.0), 320.0),
    ("biceps, short head", (0.015, 0.27), (0.043, 0.0), 280.0),
    ("brachialis", (0.012, 0.12), (0.030, 0.0), 600.0),
    ("brachioradialis", (0.010, 0.08), (0.220, 0.0), 200.0),
    ("triceps, long head", (-0.030, 0.27), (-0.022, 0.0), 300.0),
    ("triceps, lateral head", (-0.020, 0.18), (-0.021, 0.0), 250.0),
    ("triceps, medial head", (-0.015, 0.12), (-0.020, 0.0), 250.0),
)
"""On the upper arm, which is held and points up from the elbow; on the forearm, along x; largest force."""
AGONISTS = 4
MASS, LENGTH, INERTIA, G = 1.5, 0.30, 0.012, 9.80665
P_1, P_2 = 1.0 * G, 4.0 * G
"""In the hand; in the middle of the forearm, 4 kgf as printed."""
STIFFENING = 12.0
"""Instantaneous stiffness by the force and the length: what a tendon spread over the muscle has."""


def pull(force: float, rest: float) -> Callable[[float, float, float], float]:
    """Of a muscle on the distance of its ends, which it shortens; stiffer the stronger."""
    return lambda length, rate, t: -force * (1.0 + STIFFENING * (length / rest - 1.0))


def elbow(activations: FloatArray, added: float = 0.0, begin: float = 0.05, weight: bool = True) -> fx.Model:
    """The forearm on its hinge; a muscle pulls with its activation and stiffens when it is stretched."""
    forearm = fx.PlanarRigidBody(MASS, INERTIA, position=(LENGTH / 2, 0), name="forearm")
    hinge = fx.RevoluteJoint(fx.ground, forearm, at=(0, 0), name="elbow")
    pulls = []
    for (name, above, below, largest), a in zip(MUSCLES, activations, strict=True):
        rest, force = float(np.hypot(above[0] - below[0], above[1] - below[1])), float(a * largest)
        pulls.append(
            fx.JointForce(
                (fx.ground.marker(above), forearm.marker_at(below)), pull(force, rest), coordinate="distance", name=name
            )
        )
    loads = [fx.PointForce(forearm.marker_at((LENGTH, 0)), (0, -P_1)), fx.Gravity((0, -G))] if weight else []
    if added:
        loads.append(
            fx.PointForce(forearm.marker_at((LENGTH / 2, 0)), (0, -added), history=lambda t: 1.0 if t >= begin else 0.0)
        )
    return fx.Model(forearm, hinge, *pulls, *loads, name="elbow")


def turning(model: fx.Model) -> float:
    """Angular acceleration of the forearm in the frozen state."""
    return float(fx.constraint_forces.ReducedSystem(model).solve().a[2])


def frozen() -> tuple[FloatArray, float]:
    """What each muscle adds at full activation, and what the loads do, as accelerations of the elbow."""
    none = np.zeros(len(MUSCLES))
    each = [turning(elbow(one, weight=False)) for one in np.eye(len(MUSCLES))]
    return np.array(each), turning(elbow(none))


def distribute(each: FloatArray, loads: float, level: float) -> FloatArray:
    """Activations in 0..1 nearest to ``level`` for the agonists, without acceleration; antagonists have the level."""
    A, rest = each[:AGONISTS], loads + level * each[AGONISTS:].sum()
    stiff = 1e7 / np.abs(each).max()
    rows, right = np.vstack([stiff * A, np.eye(AGONISTS)]), np.append(-stiff * rest, np.full(AGONISTS, level))
    found = lsq_linear(rows, right, (0.0, 1.0), method="bvls", tol=1e-15)
    return np.append(found.x, np.full(len(MUSCLES) - AGONISTS, level))


def by_multiplier(arms: FloatArray, loads: float, level: float) -> FloatArray:
    """The same in closed form up to one number: activations are the level plus mu times the arm, cut at the bounds."""
    A, rest = arms[:AGONISTS], loads + level * arms[AGONISTS:].sum()

    def left(mu: float) -> float:
        return float(A @ np.clip(level + mu * A, 0.0, 1.0) + rest)

    far = 2.0 / np.abs(A).min()
    mu = float(brentq(left, -far, far, xtol=1e-18, rtol=1e-15))
    return np.append(np.clip(level + mu * A, 0.0, 1.0), np.full(len(MUSCLES) - AGONISTS, level))


def run(progress: Progress) -> Outcome:
    """Frozen accelerations, three levels of contraction, the added load."""
    progress("accelerations at rest")
    each, loads = frozen()
    about = INERTIA + MASS * (LENGTH / 2) ** 2
    exact = []
    for _, above, below, largest in MUSCLES:
        along = np.subtract(above, below) / np.hypot(*np.subtract(above, below))
        exact.append((below[0] * along[1] - below[1] * along[0]) * largest / about)
    arms = np.array(exact)
    held = -(MASS * G * LENGTH / 2 + P_1 * LENGTH) / about
    hand, source = "moment arm, by hand", "stationary point, one multiplier by bisection"
    quantities = [
        measured("largest error of the accelerations by each muscle", "rad/s^2", np.abs(each - arms).max(), 0.0, hand,
                 atol=1e-10 * np.abs(arms).max()),
        measured("acceleration by the loads", "rad/s^2", loads, held, hand, rtol=1e-12),
    ]  # fmt: skip
    drawing, axes = figure()
    excursions, strains = [], {}
    for colour, level in zip(COLOURS, (0.0, 0.5, 1.0), strict=False):
        progress(f"contraction of {100 * level:g} %")
        a = distribute(each, loads, level)
        text = f"contraction of {100 * level:g} %: "
        quantities.append(
            measured(f"{text}acceleration that is left", "rad/s^2", turning(elbow(a)), 0.0, "equilibrium", atol=1e-9)
        )
        gap = float(np.abs(a - by_multiplier(arms, held, level)).max())
        quantities.append(measured(f"{text}error of the activations", "-", gap, 0.0, source, atol=1e-9))
        strains[level] = a
        moved = fx.simulate(elbow(a, added=P_2), 0.25, step=2.5e-3)
        angle = np.degrees(moved.angle("elbow"))
        excursions.append(float(np.abs(angle).max()))
        axes.plot(moved.t, angle, color=colour, label=f"contraction of {100 * level:g} %")
    heavy = distribute(each, 9.6 * loads, 0.5)
    gap = float(np.abs(heavy - by_multiplier(arms, 9.6 * held, 0.5)).max())
    full = int((heavy[:AGONISTS] > 1.0 - 1e-12).sum())
    quantities += [
        measured("9.6 times the load: error of the activations", "-", gap, 0.0, source, atol=1e-9),
        measured("9.6 times the load: some muscles are at their bound, not all", "-", float(0 < full < AGONISTS), 1.0,
                 source, atol=0.5),
    ]  # fmt: skip
    still = fx.simulate(elbow(strains[0.5]), 0.1, step=2.5e-3)
    quantities.append(
        measured("without the added load the elbow stays", "rad", np.abs(still.angle("elbow")).max(), 0.0,
                 "equilibrium", atol=1e-9)
    )  # fmt: skip
    falls = float(excursions[0] > excursions[1] > excursions[2])
    quantities.append(
        measured(
            "the more contraction the smaller the jerk by the added load", "-", falls, 1.0, "K. Benes, text", atol=0.5
        )
    )
    axes.set_xlabel("t in s")
    axes.set_ylabel("angle of the elbow in degrees")
    axes.set_ylim(-30, 5)
    axes.legend(frameon=False)
    return Outcome(quantities, (), (), [("A load of 4 kgf is put on the forearm at 0.05 s.", drawing)])


CASE = Case(
    id="muscles-of-an-elbow",
    title="Muscles of an elbow: activations between bounds, and an added load",
    area="equilibrium",
    summary=(
        "Four flexors and three extensors hold a forearm. The accelerations that each gives at rest lead to "
        "activations between "
        "0 and 1 that are nearest to a wished contraction and leave no acceleration. A load that is added suddenly "
        "moves the "
        "elbow the less the more all muscles are contracted, because they stiffen with their activation."
    ),
    run=run,
    source="K. Benes (ergonomics and comfort); moment arms and stationary point by hand.",
    equations=(r"\min \sum_i (\alpha_i - c)^2, \quad \sum_i a_i \alpha_i + a_0 = 0, \quad 0 \leq \alpha_i \leq 1",),
    limits=("Attachments, forces and masses are chosen: the paper prints none. One hinge stands for the upper body.",),
)
