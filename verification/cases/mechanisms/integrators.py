"""Order and cost of the time integration on constrained and free motions known in closed form."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.integrators.contracts import Integrator
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.moving import G, orders

STEPS = (4e-2, 2e-2, 1e-2, 5e-3)
SCHEMES = (
    ("index 2, rho 0.9", fx.GeneralizedAlpha(rho_inf=0.9, index=2)),
    ("index 3, rho 0.6", fx.GeneralizedAlpha(rho_inf=0.6, index=3)),
    ("index 2, HHT 0.1", fx.GeneralizedAlpha.hht(0.1, index=2)),
)
UNTIL, SETTLED = 2.0, 1.0
"""Errors count from SETTLED on, when the start of the multipliers of index 3 has faded."""
CLOSED = "closed form"


@dataclass(frozen=True)
class Known:
    """A model, and its errors of position, velocity and force of a joint for a run.

    ``prescribed``: which of these the constraints alone determine, by the index of the scheme.
    """

    name: str
    model: fx.Model
    errors: Callable[[fx.TimeSolution], tuple[float, float, float]]
    prescribed: dict[int, tuple[int, ...]]


def cone() -> Known:
    """A mass on a rod goes round on a circle: tension m g / cos(a), rate sqrt(g / (l cos(a)))."""
    length, tilt, mass = 1.0, 1.0, 2.0
    radius, depth = length * math.sin(tilt), length * math.cos(tilt)
    rate = math.sqrt(G / depth)
    ball = fx.PointMass(mass, position=(radius, 0.0, -depth), velocity=(0.0, radius * rate, 0.0), name="ball")
    rod = fx.DistanceConstraint(fx.ground.marker_at((0.0, 0.0, 0.0)), ball.centre, name="rod")

    def errors(run: fx.TimeSolution) -> tuple[float, float, float]:
        late, t = run.t >= SETTLED, run.t
        r = np.column_stack([radius * np.cos(rate * t), radius * np.sin(rate * t), np.full_like(t, -depth)])
        v = rate * np.column_stack([-r[:, 1], r[:, 0], np.zeros_like(t)])
        pull = -r * (mass * G / depth)
        return _largest(run.position(ball) - r, run.velocity(ball) - v, run.reaction(rod) - pull, late)

    return Known("conical pendulum", fx.Model(ball, rod, fx.Gravity((0.0, 0.0, -G))), errors, {2: (), 3: ()})


def driven() -> Known:
    """A bar turned about its end by a motor, angle sin(2 t) about an axis across space: force and torque follow."""
    arm, mass, J = 0.5, 1.5, 0.2
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    across = np.cross(axis, (0.0, 0.0, 1.0))
    across /= np.linalg.norm(across)
    third = np.cross(axis, across)
    bar = fx.RigidBody(mass, (J, J, J), position=arm * across, velocity=arm * 2.0 * third, angular_velocity=2.0 * axis,
                       name="bar")  # fmt: skip
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0.0, 0.0, 0.0), axis=axis, name="hinge")
    motor = fx.RotationDriver(hinge, fx.motions.Sine(1.0, frequency=1.0 / math.pi), name="motor")

    def errors(run: fx.TimeSolution) -> tuple[float, float, float]:
        late, t = run.t >= SETTLED, run.t[:, None]
        angle, rate, late_rate = np.sin(2.0 * t), 2.0 * np.cos(2.0 * t), -4.0 * np.sin(2.0 * t)
        out = np.cos(angle) * across + np.sin(angle) * third
        on = np.cos(angle) * third - np.sin(angle) * across
        force = mass * arm * (late_rate * on - rate**2 * out)
        return _largest(
            run.position(bar) - arm * out, run.velocity(bar) - arm * rate * on, run.reaction(hinge) - force, late
        )

    return Known("driven bar", fx.Model(bar, hinge, motor), errors, {2: (0, 1), 3: (0,)})


def _largest(r: FloatArray, v: FloatArray, force: FloatArray, late: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Largest lengths of the differences at late times."""
    found = [float(np.linalg.norm(x[late], axis=1).max()) for x in (r, v, force)]
    return found[0], found[1], found[2]


def spinning(step: float, scheme: Integrator) -> tuple[float, fx.TimeSolution]:
    """Angle between the attitude of a free symmetric body after 2 s and the exact one."""
    J, J3 = 1.0, 1.8
    omega = np.array([2.0, 0.0, 5.0])
    body = fx.RigidBody(1.0, (J, J, J3), angular_velocity=omega, name="body")
    run = fx.simulate(fx.Model(body), UNTIL, step=step, integrator=scheme)
    momentum = np.array([J, J, J3]) * omega
    exact = Rotation.from_rotvec(momentum / J * UNTIL) * Rotation.from_rotvec((0.0, 0.0, (1.0 - J3 / J) * 5.0 * UNTIL))
    return float((exact.inv() * Rotation.from_matrix(run.rotation(body)[-1])).magnitude()), run


def run(progress: Progress) -> Outcome:
    """Errors over the step for every scheme."""
    quantities: list[Measured] = []
    studies: list[ConvergenceStudy] = []
    rows = []
    drawing, axes = figure(5.0, 3.8)
    for known in (cone(), driven()):
        system = fx.compile_model(known.model)
        for (label, scheme), colour in zip(SCHEMES, COLOURS, strict=False):
            progress(f"{known.name}, {label}")
            runs = [fx.simulate(system, UNTIL, step=h, integrator=scheme) for h in STEPS]
            errors = np.array([known.errors(r) for r in runs])
            for i, what in enumerate(("position", "velocity", "force of the joint")):
                name = f"{known.name}, {label}: {what}"
                if i in known.prescribed[scheme.index]:
                    quantities.append(measured(name, ("m", "m/s")[i], errors[:, i].max(), 0.0, CLOSED, atol=1e-12))
                else:
                    studies.append(orders(name, STEPS, errors[:, i].tolist(), floor=1e-11))
            iterations = np.concatenate([r.steps[:, 2] for r in runs])
            rows.append([known.name, label, float(iterations.mean()), float(iterations.max())])
            most = measured(f"{known.name}, {label}: iterations of the costliest step beyond 4", "-",
                            max(0.0, float(iterations.max()) - 4.0), 0.0, "bounded work", atol=0.5)  # fmt: skip
            gaps = np.array([r.residuals.max(axis=0) for r in runs]).max(axis=0)
            quantities += [
                most,
                measured(f"{known.name}, {label}: constraints g", "m", gaps[0], 0.0, CLOSED, atol=1e-9),
            ]
            if scheme.index == 2:
                quantities.append(
                    measured(f"{known.name}, {label}: velocities dg/dt", "m/s", gaps[1], 0.0, CLOSED, atol=1e-9)
                )
            if known.name == "conical pendulum":
                axes.loglog(STEPS, errors[:, 0], "o-", color=colour, label=f"position, {label}")
                axes.loglog(STEPS, errors[:, 2], "s--", color=colour, label=f"force, {label}")
    progress("free spinning body")
    turned = [spinning(h, fx.GeneralizedAlpha(rho_inf=0.9)) for h in STEPS]
    studies.append(orders("free symmetric body: attitude after 2 s", STEPS, [angle for angle, _ in turned]))
    spin = turned[-1][1].momentum()[1]
    drift = float(np.linalg.norm(spin - spin[0], axis=1).max() / np.linalg.norm(spin[0]))
    quantities.append(measured("free body, step 5 ms: change of angular momentum", "-", drift, 0.0, CLOSED, atol=1e-3))
    progress("free flight")
    ball = fx.PointMass(1.0, position=(0.0, 0.0), velocity=(1.0, 2.0), name="ball")
    flight = fx.simulate(fx.Model(ball, fx.Gravity((0.0, -G))), UNTIL, step=0.1)
    x, y = flight.position(ball)[-1, :2]
    quantities += [
        measured("free flight: x after 2 s", "m", x, UNTIL, CLOSED, 1e-15, atol=1e-12),
        measured("free flight: y after 2 s", "m", y, 2.0 * UNTIL - G * UNTIL**2 / 2.0, CLOSED, 1e-15, atol=1e-12),
    ]
    axes.set_xlabel("step in s")
    axes.set_ylabel("error in m, N")
    axes.legend(frameon=False, fontsize="x-small")
    return Outcome(
        quantities, studies, [Table("Iterations per step", ("problem", "scheme", "mean", "largest"), rows)],
        [("Conical pendulum: errors over the step.", drawing)],
    )  # fmt: skip


CASE = Case(
    id="integrators",
    title="Order of the time integration",
    area="mechanisms",
    summary=(
        "Two constrained motions with closed forms, a mass on a rod going round a cone and a bar turned by a motor "
        "about an inclined axis: positions, velocities and joint forces converge with the second order of the step, "
        "whichever form the constraints have. A free spinning body and a free flight show the unconstrained scheme."
    ),
    run=run,
    source="Closed forms: steady cone, prescribed rotation, torque-free symmetric body, parabola.",
    equations=(
        r"\Omega^2 = \dfrac{g}{\ell \cos\alpha}, \quad N = \dfrac{m g}{\cos\alpha}, \quad "
        r"R(t) = e^{t \mathbf{L}/J}\, R_0\, e^{t (1 - J_3/J)\,\omega_3 \mathbf{e}_3}",
    ),
    limits=(
        "Errors are taken after 1 s: with index 3 the joint forces start with an error of first order, which fades.",
    ),
)
