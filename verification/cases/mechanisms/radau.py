"""Radau IIA: orders on closed forms, a stiff bushing, the squeezer and the governor with error control."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.mechanisms.integrators import Known, cone, driven, spinning
from flexmbs.verification.cases.mechanisms.linkages import squeezer, squeezer_angles
from flexmbs.verification.cases.mechanisms.spatial_mechanisms import governor
from flexmbs.verification.cases.moving import against, stored_times
from flexmbs.verification.reference.squeezer import Squeezer

CLOSED = "closed form"
SCHEME = fx.RadauIIA()
STEPS = (1e-1 / 2.0, 1e-1 / 3.0, 1e-1 / 4.0, 1e-1 / 6.0)
STIFF = (0.2, 0.1, 0.05)
TOLERANCES = (1e-6, 1e-7, 1e-8, 1e-9)


def _study(
    name: str, steps: tuple[float, ...], errors: list[float], order: float, least: float, floor: float = 1e-12
) -> ConvergenceStudy:
    """A study over the step size."""
    return ConvergenceStudy(name, steps, errors, order, least, floor=floor, label="step size in s")


def _constrained(known: Known) -> tuple[list[Measured], list[ConvergenceStudy], FloatArray]:
    """Errors over the step, and the constraints."""
    runs = [fx.simulate(known.model, 2.0, step=h, integrator=SCHEME) for h in STEPS]
    errors = np.array([known.errors(run) for run in runs])
    quantities, studies = [], []
    for i, (what, unit) in enumerate((("position", "m"), ("velocity", "m/s"), ("force of the joint", "N"))):
        name = f"{known.name}: {what}"
        if i in known.prescribed[2]:
            quantities.append(measured(name, unit, errors[:, i].max(), 0.0, CLOSED, atol=1e-12))
        else:
            studies.append(_study(name, STEPS, errors[:, i].tolist(), *((3.0, 2.85) if unit == "N" else (5.0, 4.75))))
    gaps = np.array([run.residuals.max(axis=0) for run in runs]).max(axis=0)
    quantities += [
        measured(f"{known.name}: constraints g", "m", gaps[0], 0.0, CLOSED, atol=1e-12),
        measured(f"{known.name}: velocities dg/dt", "m/s", gaps[1], 0.0, CLOSED, atol=1e-11),
    ]
    return quantities, studies, errors


def _stiff(h: float, stiffness: float = 1e8) -> float:
    """Largest error of a mass on a stiff bushing with the force under which it moves as sin t."""
    damping = 2.0 * math.sqrt(stiffness)

    def push(t: float) -> float:
        return (stiffness - 1.0) * math.sin(t) + damping * math.cos(t)

    mass = fx.PlanarRigidBody(1.0, 1.0, position=(0.0, 0.0), velocity=(1.0, 0.0), name="mass")
    mount = fx.Bushing(
        fx.ground.marker_at((0.0, 0.0)), mass.centre, stiffness=(stiffness,) * 2, damping=(damping,) * 2, name="mount"
    )
    force = fx.PointForce(mass.centre, (1.0, 0.0), history=push)
    run = fx.simulate(fx.Model(mass, mount, force), 2.0, step=h, integrator=SCHEME)
    return float(np.abs(run.position(mass)[:, 0] - np.sin(run.t)).max())


def _between(h: float) -> float:
    """Largest error of positions between steps of the conical pendulum, less those of the steps."""
    known = cone()
    run = fx.simulate(known.model, 10.0 * h, step=h, integrator=SCHEME, output=fx.Output(every=h / 4.0))
    rate = math.sqrt(9.81 / math.cos(1.0))
    x, y = math.sin(1.0) * np.cos(rate * run.t), math.sin(1.0) * np.sin(rate * run.t)
    exact = np.column_stack([x, y, np.full_like(x, -math.cos(1.0))])
    return float(np.abs(run.position("ball") - exact).max())


def _squeezed(progress: Progress) -> tuple[list[Measured], Table, tuple[list[float], list[float]]]:
    """Error control on the squeezer; evaluations beside those of scipy's Radau on the equations in angles."""
    model, bodies, _ = squeezer()
    system, data = fx.compile_model(model), Squeezer()
    exact = data.motion([0.03], 1e-12)[-1]
    rows: list[list[object]] = []
    work, errors = [], []
    for r in TOLERANCES:
        progress(f"squeezer, tolerance {r:g}")
        run = fx.simulate(
            system, 0.03, step=fx.ErrorControl(r), integrator=SCHEME, output=fx.Output(every=0.03, energy=False)
        )
        error = float(np.abs((squeezer_angles(run, bodies)[-1] - exact[:7]) / exact[:7]).max())
        counts = run.counts
        rows.append(
            [f"{r:g}", len(run.steps), counts["rejected"], counts["evaluations"], counts["factorisations"], error]
        )
        work.append(float(counts["evaluations"]))
        errors.append(error)
    published = "t=0.03 s (beta,Theta,gamma,Phi,delta,Omega,epsilon)"
    quantities = against(
        "d12", published, f"tolerance {r:g}, published, {published}", squeezer_angles(run, bodies)[-1], 2e-5
    )

    def rates(_: float, y: FloatArray) -> FloatArray:
        return np.concatenate([y[7:], data.linkage.acceleration(y[:7], y[7:])])

    progress("squeezer by scipy")
    other = solve_ivp(rates, (0.0, 0.03), [*data.start, *[0.0] * 7], method="Radau", rtol=1e-6, atol=1e-6)
    off = float(np.abs((other.y[:7, -1] - exact[:7]) / exact[:7]).max())
    same = float(np.exp(np.interp(-math.log(off), -np.log(errors), np.log(work))))
    rows.append(["scipy, 1e-6", len(other.t) - 1, 0, other.nfev, 2 * other.nlu, off])
    quantities += [
        measured(f"squeezer, tolerance {r:g}: largest relative error of the angles", "-", error, 0.0,
                 "equations in angles, order 8", 1e-9, atol=2e-6),
        measured("squeezer: evaluations over those of scipy's Radau at the same error", "-", same / other.nfev, 1.0,
                 "scipy.integrate.Radau on the equations in angles", atol=1.0),
    ]  # fmt: skip
    head = ("tolerance", "steps", "rejected", "evaluations", "factorisations", "relative error of the angles")
    return quantities, Table("Andrews' squeezer with error control", head, rows), (work, errors)


def _governed() -> list[Measured]:
    """The stiff governor with error control."""
    model, shaft, slider, _ = governor()
    times = (0.1, 0.5, 1.0, 2.0)
    control = fx.ErrorControl(1e-7)
    run = fx.simulate(model, 2.0, step=control, integrator=SCHEME, output=fx.Output(at=times))
    rows = stored_times(run, times)
    quantities = []
    for i, t in enumerate(times):
        height, speed = run.position(slider)[rows[i], 2], run.angular_velocity(shaft)[rows[i], 2]
        for what, value, near in (("slider height s", height, 1e-5), ("shaft angular velocity", speed, 1e-4)):
            name = f"t={t:g} s {what}"
            quantities += against("d15", name, f"governor, tolerance 1e-7: {name}", [value], near)
    return quantities


def run(progress: Progress) -> Outcome:
    """All of it."""
    quantities: list[Measured] = []
    studies: list[ConvergenceStudy] = []
    drawing, axes = figure(5.0, 3.8)
    for known in (cone(), driven()):
        progress(known.name)
        found, more, errors = _constrained(known)
        quantities += found
        studies += more
        if known.name == "conical pendulum":
            for i, name in enumerate(("position", "velocity", "force")):
                axes.loglog(STEPS, errors[:, i], "o-", color=COLOURS[i], label=name)
    progress("free spinning body")
    studies += [
        _study("free symmetric body: attitude after 2 s", STEPS, [spinning(h, SCHEME)[0] for h in STEPS], 5.0, 4.8),
        _study("conical pendulum: positions between the steps", STEPS, [_between(h) for h in STEPS], 4.0, 3.8),
        _study("stiff bushing, 5e2 to 2e3 time constants a step", STIFF, [_stiff(h) for h in STIFF], 3.0, 2.8),
    ]
    more_quantities, table, _ = _squeezed(progress)
    quantities += more_quantities
    progress("governor")
    quantities += _governed()
    axes.set_xlabel("step in s")
    axes.set_ylabel("error in m, m/s, N")
    axes.legend(frameon=False, fontsize="x-small")
    return Outcome(quantities, studies, [table], [("Conical pendulum: errors over the step.", drawing)])


CASE = Case(
    id="radau",
    title="Radau IIA of order 5",
    area="mechanisms",
    summary=(
        "Order 5 of positions and velocities and 3 of joint forces on the steady cone, the driven bar and the free "
        "symmetric body; a mass on a bushing far stiffer than the step resolves, moved by the force of a known motion; "
        "Andrews' squeezer and the stiff governor with error control. The evaluations for the squeezer are set beside "
        "those of another program of the same method."
    ),
    run=run,
    source=(
        "Closed forms; published solution of the IVP test set; E. Hairer and G. Wanner, Solving Ordinary Differential "
        "Equations II, sections IV.8 and VII.7; scipy.integrate.Radau."
    ),
    equations=(r"m \ddot x + c\,(\dot x - \cos t) + k\,(x - \sin t) = -m \sin t",),
    slow=True,
    limits=("Between the steps positions are of order 4, multipliers of order 3.",),
)
