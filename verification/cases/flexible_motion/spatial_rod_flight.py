"""A free rod in space, pushed and turned at one end: against spectral elements, and what its flight must keep."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.rotations import from_vector
from flexmbs.elements import ANCFBeam, GeometricallyExactBeam
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.moving import extrapolated, orders
from flexmbs.verification.reference.data import load_reference

AXES = from_vector((0.4, -0.7, 0.5))
"""The axes x, y, z of the reference, as columns."""
UP = (float(AXES[0, 2]), float(AXES[1, 2]), float(AXES[2, 2]))
TIMES = (1, 2, 3, 4, 5)
STEP = 2.5e-3
ELEMENTS: dict[str, Any] = {
    "exact": GeometricallyExactBeam(up=UP),
    "directors": ANCFBeam(up=UP),
    "exact, 2 nodes": GeometricallyExactBeam(nodes=2, up=UP),
}


def flight(
    element: Any, elements: int, step: float, until: float = 5.0, integrator: Any = None
) -> tuple[fx.TimeSolution, FloatArray]:
    """The motion, and its ends (n_t, 2, 3) in the axes of the reference every second."""
    p = load_reference("rod-flight").parameters
    EI, GA, rhoI = p["EI"], p["GA"], p["rhoI"]
    rod = fx.FlexibleBody.line(
        (0, 0, 0), (p["L"] * AXES[:, 0]).tolist(), elements=elements, element=element,
        stiffness=fx.BeamStiffness(EA=p["EA"], EI_y=EI, EI_z=EI, GJ=p["GJ"], GA_y=GA, GA_z=GA,
                                   mass_per_length=p["rhoA"], rhoI_y=rhoI, rhoI_z=rhoI),
        name="rod",
    )  # fmt: skip
    duration = p["duration"]

    def pulse(t: float) -> float:
        return math.sin(math.pi * t / duration) ** 2 if t < duration else 0.0

    force, torque = AXES @ p["force"], AXES @ p["torque"]
    model = fx.Model(
        rod,
        fx.PointForce(rod.start, force.tolist(), history=pulse),
        fx.Moment(rod.start, torque.tolist(), history=pulse),
        name="rod",
    )
    given = {} if integrator is None else {"integrator": integrator}
    run = fx.simulate(model, until, step=step, output=fx.Output(every=1.0), **given)
    return run, np.stack([run.position(rod.start) @ AXES, run.position(rod.end) @ AXES], axis=1)


def _exact() -> FloatArray:
    """The ends (5, 2, 3) of the reference."""
    stored = load_reference("rod-flight")
    return np.array(
        [[[stored.value(f"t={t} s {end} end (x,y,z)", i) for i in range(3)] for end in ("loaded", "free")]
         for t in TIMES]
    )  # fmt: skip


def _drifts(run: fx.TimeSolution) -> tuple[float, float, float]:
    """Relative changes of energy, momentum and angular momentum from 2 s, when the load has ended, to 5 s."""
    total = run.energy.kinetic + run.energy.strain
    P, H = run.momentum()
    return (
        float(np.abs(total[2:] / total[2] - 1.0).max()),
        float(np.abs(P[2:] - P[2]).max() / np.linalg.norm(P[2])),
        float(np.abs(H[2:] - H[2]).max() / np.linalg.norm(H[2])),
    )


def run(progress: Progress) -> Outcome:
    """Two elements to 5 s, and meshes to 1 s."""
    stored, exact = load_reference("rod-flight"), _exact()
    quantities, studies = [], []
    p = stored.parameters
    impulse = np.linalg.norm(p["force"]) * p["duration"] / 2.0
    for label in ("exact", "directors"):
        progress(label)
        run_, ends = flight(ELEMENTS[label], 8, STEP)
        for k, t in enumerate(TIMES):
            for j, end in enumerate(("loaded", "free")):
                gap = float(np.linalg.norm(ends[k + 1, j] - exact[k, j])) / p["L"]
                quantities.append(
                    measured(f"{label}, t = {t} s, {end} end: distance by the length", "-", gap, 0.0, stored.source,
                             3e-8, atol=2e-3)
                )  # fmt: skip
        energy, momentum, angular = _drifts(run_)
        reference = stored.reference("energy after the load")
        total = run_.energy.kinetic + run_.energy.strain
        P, _ = run_.momentum()
        quantities += [
            measured(f"{label}, energy at 5 s", "J", total[-1], reference.value, stored.source, reference.uncertainty,
                     rtol=2e-3 if label == "exact" else 2e-2),
            measured(f"{label}, change of energy", "-", energy, 0.0, "conservation law", atol=3e-4),
            measured(f"{label}, momentum at 5 s", "N s", float(np.linalg.norm(P[-1])), impulse, "impulse of the force",
                     rtol=1e-5),
            measured(f"{label}, change of momentum", "-", momentum, 0.0, "conservation law", atol=1e-10),
            measured(f"{label}, change of angular momentum", "-", angular, 0.0, "conservation law", atol=5e-3),
        ]  # fmt: skip
    for label, counts in (("exact", (2, 4, 8)), ("directors", (2, 4, 8)), ("exact, 2 nodes", (4, 8, 16))):
        progress(f"{label}, meshes")
        errors = [
            float(np.linalg.norm(flight(ELEMENTS[label], n, STEP, 1.0)[1][-1] - exact[0], axis=1).max()) for n in counts
        ]
        order = 2.0 if "2" in label else 4.0
        studies.append(
            ConvergenceStudy(f"{label}: ends at 1 s", counts, errors, order, order - 1.0, counts=True)
        )  # fmt: skip
    return Outcome(quantities, studies, (), [("The rod every second, seen along z.", _shapes(run_))])


def run_drift(progress: Progress) -> Outcome:
    """What free flight must keep: generalized-alpha at three steps, and Radau IIA."""
    rows, by_step, by_energy, by_moment, steps = [], [], [], [], (1e-2, 5e-3, 2.5e-3)
    one, two = (flight(ELEMENTS["exact"], 4, h, 2.0)[1] for h in (2.5e-3, 1.25e-3))
    limit = extrapolated(one, two)
    for h in steps:
        progress(f"step {h:g} s")
        run_, ends = flight(ELEMENTS["exact"], 4, h)
        drift = _drifts(run_)
        by_step.append(float(np.linalg.norm(ends[:3] - limit, axis=2).max()))
        by_energy.append(drift[0])
        by_moment.append(drift[2])
        rows.append(("exact", "generalized-alpha", f"{h * 1e3:g} ms", *(f"{d:.1e}" for d in drift)))
    drift = _drifts(flight(ELEMENTS["directors"], 4, steps[-1])[0])
    rows.append(("directors", "generalized-alpha", f"{steps[-1] * 1e3:g} ms", *(f"{d:.1e}" for d in drift)))
    studies = [
        orders("exact: ends at 1 and 2 s, 4 elements", steps, by_step),
        orders("exact: change of energy", steps, by_energy),
        orders("exact: change of angular momentum", steps, by_moment),
    ]
    quantities = []
    for label in ("exact", "directors"):
        progress(f"{label}, Radau IIA")
        drift = _drifts(flight(ELEMENTS[label], 2, 5e-3, integrator=fx.RadauIIA())[0])
        rows.append((label, "Radau IIA of order 5", "5 ms at most", *(f"{d:.1e}" for d in drift)))
        for what, change in zip(("energy", "momentum", "angular momentum"), drift, strict=True):
            quantities.append(
                measured(f"{label}, Radau IIA: change of {what}", "-", change, 0.0, "conservation law",
                         atol=1e-4 if label == "directors" else 1e-6)
            )  # fmt: skip
    head = ("element", "scheme", "step", "energy", "momentum", "angular momentum")
    return Outcome(quantities, studies, [Table("Largest relative changes between 2 and 5 s", head, rows)])


def _shapes(run: fx.TimeSolution) -> Any:
    drawing, axes = figure()
    for k in range(len(run.t)):
        line = np.reshape(run.shape(run.system.model.body("rod"), k, 5), (-1, 3)) @ AXES
        axes.plot(line[:, 0], line[:, 1], color=COLOURS[k % len(COLOURS)], label=f"{run.t[k]:g} s")
    axes.set_aspect("equal")
    axes.set_xlabel("x")
    axes.set_ylabel("y")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return drawing


_PROBLEM = (
    "A force and a torque in oblique directions act for 2 s at the end of a straight rod at rest, which bends and "
    "twists far and flies away. "
)
_EQUATIONS = (r"\rho A\,\ddot r = n', \quad J\,\dot\Omega + \Omega\times J\Omega = R^T(m' + r' \times n)",)
CASE = Case(
    id="rod-flight",
    title="Free rod in space, pushed and turned at one end",
    area="flexible motion",
    summary=_PROBLEM + "Both beams against spectral elements with unit quaternions.",
    run=run,
    source="Problem after J. C. Simo and L. Vu-Quoc, Comput. Methods Appl. Mech. Engng 66 (1988) 125-161. Reference "
    "computed, with one polynomial of degree 28.",
    equations=_EQUATIONS,
    limits=(
        "The rod is soft and ends up spinning by 41 rad/s about its axis. The sections of the beam with directors then "
        "grow by rhoI w^2 / C11 = 0.86 per cent, and its energy is too small by 1.1 per cent.",
    ),
)
DRIFT = Case(
    id="rod-flight-drift",
    title="Free rod in space: energy and momenta",
    area="flexible motion",
    summary=_PROBLEM + "Then energy, momentum and angular momentum must stay; they do to the order of the scheme.",
    run=run_drift,
    source="Conservation laws.",
    equations=_EQUATIONS,
    limits=("Generalized-alpha keeps energy and angular momentum to the second order of its step only.",),
    slow=True,
)
