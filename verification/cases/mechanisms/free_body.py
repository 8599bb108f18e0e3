"""D05, D06a, D06b: a body without forces, and tops with a fixed point."""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import (
    CONSERVED,
    G,
    against,
    closed,
    energy_change,
    extrapolated,
    largest,
    on_paths,
    orders,
    over_time,
    prefixed,
    refine,
    stored_times,
    worst,
)
from flexmbs.verification.reference import tops

INERTIA, OMEGA = (1.0, 2.0, 3.0), (0.01, 5.0, 0.0)
TILT, MASS, ARM, AXIAL, TRANSVERSE = math.radians(60.0), 4.0, 0.025, 1e-3, 5e-3
TOP_INERTIA, TOP_MASS, TOP_OMEGA = (0.234375, 0.46875, 0.234375), 15.0, (0.0, 150.0, -4.61538)


def run_free(progress: Progress) -> Outcome:
    """Ten seconds: nearly one period, with two flips."""
    body = fx.RigidBody(1.0, INERTIA, angular_velocity=OMEGA, name="body")
    times, steps = np.linspace(0.5, 10.0, 20), (1e-2, 5e-3, 2.5e-3)
    exact = tops.free_body_rates(INERTIA, OMEGA, times)
    runs = refine(fx.Model(body), 10.0, steps, progress)
    found = [run.angular_velocity(body)[stored_times(run, times)] for run in runs]
    better = extrapolated(found[-2], found[-1])
    quantities = [
        largest("step 2.5 ms: largest error of the body angular velocity", "rad/s", found[-1], exact, 2e-3),
        largest("extrapolated to step 0: the same", "rad/s", better, exact, 1e-5),
    ]
    for t in (1, 2, 5, 10):
        name = f"t={t} s body angular velocity"
        quantities += against("d05", name, f"extrapolated to step 0: {name}", better[2 * t - 1], 1e-5)
    run = runs[-1]
    w, momentum = run.angular_velocity(body), run.momentum()[1]
    size = float(np.linalg.norm(momentum[0]))
    change = np.linalg.norm(momentum - momentum[0], axis=1).max() / size
    quantities += [
        measured("largest change of the angular momentum, by its size", "-", change, 0.0, CONSERVED, atol=1e-4),
        energy_change(run, 25.00005, 1e-4),
        _period(run.t, w),
    ]
    studies = [orders("body angular velocity up to 10 s", steps, [worst(a, exact) for a in found])]
    drawing = over_time(
        [(f"about axis {i + 1}", run.t, w[:, i]) for i in range(3)],
        "rad/s",
        [(times, exact[:, i]) for i in range(3)],
    )
    return Outcome(quantities, studies, (), [("Body angular velocity with a step of 2.5 ms.", drawing)])


def _period(t: FloatArray, w: FloatArray) -> Measured:
    """Twice the time between the passages of the second component through zero."""
    i = np.flatnonzero(w[:-1, 1] * w[1:, 1] <= 0.0)
    when = t[i] - w[i, 1] * (t[i + 1] - t[i]) / (w[i + 1, 1] - w[i, 1])
    name = "period of the body-frame angular velocity (Jacobi elliptic functions)"
    return against("d05", name, "period: twice the time between two flips", [2.0 * (when[1] - when[0])], 1e-3)[0]


# --- D06a: steady precession -----------------------------------------------------------------------------------------


def _top(rate: float) -> tuple[fx.RigidBody, fx.Model]:
    """A top of 4 kg leaning by 60 degrees towards -y, that spins with 400 rad/s and precesses with ``rate``."""
    axis = np.array([0.0, -math.sin(TILT), math.cos(TILT)])
    spin = rate * np.array([0.0, 0.0, 1.0]) + (400.0 - rate * math.cos(TILT)) * axis
    across = TRANSVERSE - MASS * ARM**2
    body = fx.RigidBody(
        MASS, (across, across, AXIAL), position=ARM * axis, rotation=Rotation.from_rotvec([TILT, 0, 0]), name="top"
    ).with_spin(spin, about=(0, 0, 0))
    hinge = fx.SphericalJoint(fx.ground, body, at=(0, 0, 0), name="tip")
    return body, fx.Model(body, hinge, fx.Gravity((0, 0, -G)))


def run_steady(progress: Progress) -> Outcome:
    """Slow precession over 0.2 s, fast precession over 0.04 s."""
    names = ("slow precession rate phi_dot: theta stays 60 deg", "fast precession rate phi_dot")
    rates = tops.precession_rates(AXIAL, TRANSVERSE, 400.0, TILT, MASS * G * ARM)
    quantities, curves, studies = [], [], []
    for rate, name, until, first in zip(rates, names, (0.2, 0.04), (8e-4, 2e-4), strict=True):
        word, steps = name[:4], (first, first / 2.0, first / 4.0)
        body, model = _top(rate)
        runs = refine(model, until, steps, prefixed(progress, word))
        t = runs[0].t
        side, turn = math.sin(TILT), rate * t
        exact = np.column_stack([side * np.sin(turn), -side * np.cos(turn), np.full(len(t), math.cos(TILT))])
        axes = [run.position(body) / ARM for run in runs]
        mean = [np.polyfit(t, np.unwrap(np.arctan2(e[:, 0], -e[:, 1])), 1)[0] for e in axes]
        lean = np.degrees(np.arccos(np.clip(axes[-1][:, 2], -1.0, 1.0))) - 60.0
        quantities += against("d06a", name, f"extrapolated to step 0: {name}", extrapolated(*mean[1:]), 1e-4 * rate)
        held = [(fx.ground.marker_at((0, 0, 0)), body.marker_at((0, 0, 0)))]
        quantities += [
            measured(f"{word} precession: largest change of the tilt", "degrees", np.abs(lean).max(), 0.0,
                     "steady motion", atol=0.02),
            energy_change(runs[-1], MASS * G * ARM, 1e-2, f"{word} precession: "),
            closed(runs[-1], held, label=f"{word} precession: "),
        ]  # fmt: skip
        studies.append(orders(f"axis of the top, {word} precession", steps, [worst(e, exact) for e in axes]))
        curves.append((word, turn / (2.0 * math.pi), lean))
    drawing = over_time(curves, "change of the tilt in degrees")
    drawing.axes[0].set_xlabel("turns of precession")
    return Outcome(quantities, studies, (), [("Tilt with the smallest steps.", drawing)])


# --- D06b: fast top --------------------------------------------------------------------------------------------------


def run_fast(progress: Progress) -> Outcome:
    """One second of the fast top."""
    body = fx.RigidBody(TOP_MASS, TOP_INERTIA, position=(0, 1, 0), name="top").with_spin(TOP_OMEGA, about=(0, 0, 0))
    hinge = fx.SphericalJoint(fx.ground, body, at=(0, 0, 0), name="tip")
    model = fx.Model(body, hinge, fx.Gravity((0, 0, -G)))
    times = (0.2, 0.5, 1.0)
    exact = tops.top(TOP_INERTIA, TOP_MASS, (0, 1, 0), TOP_OMEGA, times)
    steps = (2e-3, 1e-3, 5e-4)
    runs = refine(model, 1.0, steps, progress, every=4e-3)
    rows = [stored_times(run, times) for run in runs]
    place = [run.position(body)[i] for run, i in zip(runs, rows, strict=True)]
    rates = [run.angular_velocity(body)[i] for run, i in zip(runs, rows, strict=True)]
    force = [run.reaction(hinge)[i] for run, i in zip(runs, rows, strict=True)]
    exact_force = tops.top_support(TOP_INERTIA, TOP_MASS, (0, 1, 0), exact)
    better = extrapolated(place[-2], place[-1])
    quantities = [largest("step 0.5 ms: largest error of the centre of mass", "m", place[-1], exact[:, :3], 1e-3)]
    for i, t in enumerate(times):
        name = f"t={t:g} s centre of mass"
        quantities += against("d06b", name, f"extrapolated to step 0: {name}", better[i], 1e-5)
    name = "t=0.2 s body angular velocity"
    quantities += against("d06b", name, f"extrapolated to step 0: {name}", extrapolated(rates[-2], rates[-1])[0], 1e-4)
    run = runs[-1]
    momentum = run.momentum()[1][:, 2] / (TOP_INERTIA[1] * TOP_OMEGA[1])
    quantities += [
        energy_change(run, TOP_MASS * G, 1e-4),
        closed(run, [(fx.ground.marker_at((0, 0, 0)), body.marker_at((0, 0, 0)))]),
        measured(
            "largest change of the vertical angular momentum, by J w",
            "-",
            np.abs(momentum - momentum[0]).max(),
            0.0,
            CONSERVED,
            atol=1e-3,
        ),
    ]
    studies = [
        orders("centre of mass", steps, [worst(p, exact[:, :3]) for p in place]),
        orders("body angular velocity", steps, [worst(w, exact[:, 7:]) for w in rates]),
        orders("force at the tip", steps, [worst(f, exact_force) for f in force]),
    ]
    drawing = on_paths([("centre of mass", run.position(body)[:, [0, 2]])], exact[:, [0, 2]], ("x in m", "z in m"))
    return Outcome(
        quantities, studies, (), [("Path of the centre of mass, seen along y, and three reference points.", drawing)]
    )


FREE = Case(
    id="d05-free-body",
    title="Free body turning over",
    area="mechanisms",
    summary=(
        "A body with the moments of inertia 1, 2 and 3 kg m² spins about its middle axis, ever so slightly off, "
        "without any force. The axis turns over and back again within each period."
    ),
    run=run_free,
    source="Euler's equations, order 8; period by an elliptic integral (Landau and Lifshitz, Mechanics, section 37).",
    equations=(r"J \dot\omega + \omega \times J \omega = 0",),
    limits=(
        "Generalized-alpha conserves neither energy nor angular momentum exactly; the errors are of second order.",
    ),
)

STEADY = Case(
    id="d06-steady-top",
    title="Heavy top in slow and fast steady precession",
    area="mechanisms",
    summary=(
        "A symmetric top with 400 rad/s about its axis, leaning by 60 degrees, precesses steadily at two rates. Its "
        "tip is held by a ball joint.\n\n"
        "Mass and height of the centre of mass enter by m g l = 0.981 N m alone; 4 kg and 0.025 m are taken here."
    ),
    run=run_steady,
    source="Goldstein, Classical Mechanics, section 5.7.",
    equations=(r"J_t \cos\vartheta\, \dot\varphi^2 - J_a \omega_3 \dot\varphi + m g l = 0",),
)

FAST = Case(
    id="d06-fast-top",
    title="Fast heavy top",
    area="mechanisms",
    summary=(
        "A body of 15 kg with its centre of mass 1 m from a ball joint spins with 150 rad/s; one second of precession "
        "with nutation. A standard test of methods for large rotations."
    ),
    run=run_fast,
    source=(
        "Equations with quaternions, order 8; data of M. Geradin and A. Cardona, Flexible Multibody Dynamics (2001), "
        "and O. Bruels and A. Cardona, J. Comput. Nonlinear Dyn. 5 (2010) 031002."
    ),
    equations=(r"J \dot\omega + \omega \times J\omega = m\, c \times R^T g",),
)
