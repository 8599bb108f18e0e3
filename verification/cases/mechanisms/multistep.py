"""Backward differentiation formulas: orders, and mechanisms with known motions under error control."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.mechanisms.integrators import cone
from flexmbs.verification.cases.mechanisms.linkages import squeezer, squeezer_angles
from flexmbs.verification.cases.mechanisms.pendulums import double_pendulum, pendulum_angles
from flexmbs.verification.cases.mechanisms.spatial_mechanisms import governor
from flexmbs.verification.cases.moving import G, against, closed, stored_times
from flexmbs.verification.reference.squeezer import Squeezer

STEPS = {1: (4e-3, 2e-3, 1e-3), 2: (2e-2, 1e-2, 5e-3), 3: (1e-2, 5e-3, 2.5e-3), 4: (2e-2, 1e-2, 5e-3),
         5: (2e-2, 1e-2, 5e-3)}  # fmt: skip
UNTIL = 2.0
WHATS = ("position", "velocity", "force of the rod")
CLOSED_FORM = "closed form"


def _studies(progress: Progress) -> tuple[list[ConvergenceStudy], dict[int, list[float]]]:
    """Orders 1 to 5 with fixed steps on a conical pendulum and on a free symmetric body."""
    known = cone()
    system = fx.compile_model(known.model)
    J, J3, omega = 1.0, 1.8, np.array([2.0, 0.0, 5.0])
    body = fx.RigidBody(1.0, (J, J, J3), angular_velocity=omega, name="body")
    free = fx.compile_model(fx.Model(body))
    momentum = np.array([J, J, J3]) * omega
    exact = Rotation.from_rotvec(momentum / J * UNTIL) * Rotation.from_rotvec((0.0, 0.0, (1.0 - J3 / J) * 5.0 * UNTIL))
    studies, drawn = [], {}
    for order, steps in STEPS.items():
        progress(f"order {order}")
        scheme = fx.BDF(max_order=order)
        errors = np.array([known.errors(fx.simulate(system, UNTIL, step=h, integrator=scheme)) for h in steps])
        least = order - (0.2 if order < 3 else 0.3)
        for what, column in zip(WHATS, errors.T, strict=True):
            name = f"conical pendulum, order {order}: {what}"
            studies.append(ConvergenceStudy(name, steps, column.tolist(), order, least, 1e-11, label="step size in s"))
        drawn[order] = errors[:, 0].tolist()
        turned = []
        for h in steps:
            run = fx.simulate(free, UNTIL, step=h, integrator=scheme)
            turned.append(float((exact.inv() * Rotation.from_matrix(run.rotation(body)[-1])).magnitude()))
        name = f"free symmetric body, order {order}: attitude"
        studies.append(ConvergenceStudy(name, steps, turned, order, least, 1e-10, label="step size in s"))
    return studies, drawn


def _squeezed(progress: Progress) -> tuple[list[Measured], list[object]]:
    """Andrews' mechanism to 1e-6, and its evaluations beside those of another code of the family."""
    progress("squeezing mechanism")
    model, bodies, pairs = squeezer()
    system, reference = fx.compile_model(model), Squeezer()
    exact = reference.motion((0.03,), 1e-12)[0, :7]
    run = fx.simulate(
        system, 0.03, step=fx.ErrorControl(rtol=1e-11), integrator=fx.BDF(), output=fx.Output(every=0.001)
    )
    error = float(np.abs(squeezer_angles(run, bodies)[-1] - exact).max())
    work = run.counts["residuals"] + run.counts["tangents"]
    progress("squeezing mechanism, another code")
    peer = _peer(reference, exact, error)
    published = "t=0.03 s (beta,Theta,gamma,Phi,delta,Omega,epsilon)"
    quantities = [
        measured("squeezing mechanism, 1e-11 per step: largest error of the angles at the end", "rad", error, 0.0,
                 "integration in seven angles, order 8", 1e-10, atol=1e-6),
        measured("squeezing mechanism: evaluations beyond twice those of SciPy's BDF for this error", "-",
                 max(0.0, work / peer - 2.0), 0.0, "SciPy, solve_ivp, BDF on the equations solved for seven angles",
                 atol=0.1),
        *against("d12", published, f"published, {published}", squeezer_angles(run, bodies)[-1], 1e-6),
        closed(run, pairs, label="squeezing mechanism: ", atol=1e-10),
    ]  # fmt: skip
    row = [error, len(run.steps), work, run.counts["factorisations"], peer]
    return quantities, row


def _peer(reference: Squeezer, exact: FloatArray, wanted: float) -> float:
    """Evaluations of SciPy's BDF for an error, between those of two tolerances a power of ten apart."""
    found = [(0, math.inf)]
    for exponent in range(7, 13):
        if found[-1][1] <= wanted:
            break
        tolerance = 10.0**-exponent
        done = solve_ivp(
            lambda _, y: np.concatenate([y[7:], reference.linkage.acceleration(y[:7], y[7:])]), (0.0, 0.03),
            np.concatenate([reference.start, np.zeros(7)]), method="BDF", rtol=tolerance, atol=tolerance,
        )  # fmt: skip
        found.append((int(done.nfev), float(np.abs(done.y[:7, -1] - exact).max())))
    (few, coarse), (many, fine) = found[-2:]
    return float(few * (many / few) ** (math.log(coarse / wanted) / math.log(coarse / fine)))


def _pendulums(progress: Progress) -> list[Measured]:
    """Simple and double pendulum against stored solutions."""
    progress("pendulums")
    ball = fx.PointMass(1.0, position=(-1.0, 0.0), name="ball")
    rod = fx.DistanceConstraint(fx.ground.marker_at((0.0, 0.0)), ball.centre, name="rod")
    control = fx.ErrorControl(rtol=1e-10)
    single = fx.simulate(
        fx.Model(ball, rod, fx.Gravity((0.0, -G))), 10.0, step=control, integrator=fx.BDF(), output=fx.Output(every=0.5)
    )
    quantities = []
    for t in (0.5, 1.0, 2.0, 5.0, 10.0):
        name = f"t={t:g} s position (x,y)"
        where = single.position(ball)[stored_times(single, (t,))[0], :2]
        quantities += against("d01", name, f"simple pendulum, {name}", where, 1e-5)
    gain = float(np.abs(single.energy.balance).max()) / G
    quantities.append(measured("simple pendulum, 10 s: largest change of the energy, by m g l", "-", gain, 0.0,
                               "conservation law", atol=1e-5))  # fmt: skip
    model, masses, _ = double_pendulum()
    double = fx.simulate(model, 3.0, step=control, integrator=fx.BDF(), output=fx.Output(every=0.5))
    every = fx.simulate(model, 3.0, step=control, integrator=fx.BDF())
    for t in (0.5, 1.0, 2.0, 3.0):
        name = f"t={t:g} s angles (theta1, theta2)"
        full = pendulum_angles(every, masses)
        near = full[int(np.argmin(np.abs(every.t - t)))]
        angles = pendulum_angles(double, masses)[stored_times(double, (t,))[0]]
        angles = angles + 2.0 * math.pi * np.round((near - angles) / (2.0 * math.pi))
        quantities += against("d03", name, f"double pendulum, {name}", angles, 1e-4)
    return quantities


def _governed(progress: Progress) -> list[Measured]:
    """The stiff governor."""
    progress("governor")
    model, shaft, slider, pairs = governor()
    run = fx.simulate(model, 2.0, step=fx.ErrorControl(rtol=1e-8), integrator=fx.BDF(), output=fx.Output(every=0.1))
    quantities = []
    for t in (0.1, 0.5, 1.0, 2.0):
        row = stored_times(run, (t,))[0]
        name = f"t={t:g} s slider height s"
        quantities += against("d15", name, f"governor, {name}", [run.position(slider)[row, 2]], 1e-5)
        name = f"t={t:g} s shaft angular velocity"
        quantities += against("d15", name, f"governor, {name}", [run.angular_velocity(shaft)[row, 2]], 1e-4)
    return [*quantities, closed(run, pairs, label="governor: ", atol=1e-8)]


def run(progress: Progress) -> Outcome:
    """All of them."""
    studies, drawn = _studies(progress)
    quantities, row = _squeezed(progress)
    quantities += _pendulums(progress) + _governed(progress)
    drawing, axes = figure(5.0, 3.8)
    for (order, errors), colour in zip(drawn.items(), COLOURS, strict=False):
        axes.loglog(STEPS[order], errors, "o-", color=colour, label=f"order {order}")
    axes.set_xlabel("step in s")
    axes.set_ylabel("error of the position in m")
    axes.legend(frameon=False, fontsize="small")
    header = ("error", "steps", "evaluations", "factorisations", "evaluations of SciPy's BDF for this error")
    return Outcome(
        quantities, studies, [Table("Squeezing mechanism up to 0.03 s", header, [row])],
        [("Conical pendulum: errors over the step.", drawing)],
    )  # fmt: skip


CASE = Case(
    id="multistep",
    title="Backward differentiation of order 1 to 5",
    area="mechanisms",
    summary=(
        "With fixed steps every order is seen as a slope, on a conical pendulum and on a free spinning body. With "
        "error control the formulas follow pendulums, the stiff governor and Andrews' squeezing mechanism to stored "
        "solutions; for the last one the evaluations are counted beside those of another variable-order code on the "
        "equations solved for seven angles."
    ),
    run=run,
    source=(
        "Closed forms; stored solutions of cases d01, d03, d12, d15; E. Hairer, G. Wanner, Solving Ordinary "
        "Differential Equations II (squeezing mechanism); SciPy's solve_ivp with method BDF."
    ),
    equations=(
        r"\dot\theta_{n+1} = \dot\theta^P + \alpha\,(\theta - y - \theta^P), \quad "
        r"v_{n+1} = T(\theta)\,\dot\theta_{n+1}, \quad \alpha = \sum_{j=1}^{k} \dfrac{1}{t_{n+1} - t_{n+1-j}}",
    ),
    limits=(
        "Evaluations of SciPy are of seven accelerations in closed loops solved for, those here of 21 coordinates and "
        "20 constraints: the numbers compare formulas and step control, not programs.",
    ),
    slow=True,
)
