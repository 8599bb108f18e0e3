"""D17 and D18 in a tilted plane: the falling pendulum and the spin-up, by beams with shear and by the spatial cable."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.rotations import from_vector
from flexmbs.elements import ANCFBeam, ANCFCable3D, GeometricallyExactBeam
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.flexible_motion.spinup import TIMES, driven
from flexmbs.verification.cases.moving import CONSERVED, extrapolated, orders, over_time, worst
from flexmbs.verification.reference.data import load_reference

AXES = from_vector((0.4, -0.7, 0.5))
"""Axes of the plane of motion, as columns: the beam lies along the first, the third is normal to the plane."""
UP = (float(AXES[0, 2]), float(AXES[1, 2]), float(AXES[2, 2]))
FALL = (0.2, 0.4, 0.6)
STEP = 5e-4
WIDTH, HEIGHT = 0.2, 0.009


def beams() -> dict[str, Any]:
    """The beams with their sections in the tilted plane."""
    return {
        "directors": ANCFBeam(up=UP),
        "exact": GeometricallyExactBeam(up=UP),
        "exact, 2 nodes": GeometricallyExactBeam(nodes=2, up=UP),
    }


def falling(element: Any, elements: int, step: float, until: float = 0.6) -> tuple[fx.TimeSolution, FloatArray]:
    """The pendulum of D17, and its tip (n_t, 3) in the axes of the plane every 0.1 s."""
    p = load_reference("d17").parameters
    E, A, I, rho = p["E"], p["A"], p["I"], p["rho"]  # noqa: E741
    stiffness = fx.BeamStiffness(EA=E * A, EI_z=E * I, mass_per_length=rho * A)
    if not isinstance(element, ANCFCable3D):
        G, other = E / (2.0 + 2.0 * p["nu"]), HEIGHT * WIDTH**3 / 12.0
        stiffness = replace(
            stiffness, EI_y=E * other, GJ=G * fx.Rectangle(width=WIDTH, height=HEIGHT).J, GA_y=5.0 / 6.0 * G * A,
            GA_z=5.0 / 6.0 * G * A, rhoI_z=rho * I, rhoI_y=rho * other,
        )  # fmt: skip
    body = fx.FlexibleBody.line(
        (0, 0, 0), (p["L"] * AXES[:, 0]).tolist(), elements=elements, element=element, stiffness=stiffness,
        name="pendulum",
    )  # fmt: skip
    model = fx.Model(body, fx.Pin(body.start), fx.Gravity((-p["g"] * AXES[:, 1]).tolist()))
    run = fx.simulate(model, until, step=step, output=fx.Output(every=0.1))
    return run, run.position(body.end) @ AXES


def run_pendulum(progress: Progress) -> Outcome:
    """Fall for 0.6 s."""
    p = load_reference("d17").parameters
    scale = p["rho"] * p["A"] * p["g"] * p["L"] ** 2
    kinds: dict[str, Any] = {"exact": beams()["exact"], "cable": ANCFCable3D()}
    names = {"exact": ("d17", "shear-flexible (ks=5/6, nu=0.3) "), "cable": ("d17-cable", "")}
    quantities, paths = [], {}
    for label, element in kinds.items():
        progress(f"{label}, 48 elements")
        run, tip = falling(element, 48, STEP)
        paths[label] = tip
        stored = load_reference(names[label][0])
        for t, atol in zip(FALL, (4e-4, 4e-4, 6e-4), strict=True):
            name = f"{names[label][1]}t={t} s tip (x,y)"
            for i in range(2):
                reference = stored.reference(name, i)
                quantities.append(
                    measured(f"{label}, t = {t} s, tip: {'xy'[i]}", "m", tip[round(10 * t), i], reference.value,
                             stored.source, reference.uncertainty, atol=atol)
                )  # fmt: skip
        quantities += [
            measured(f"{label}, out of its plane, largest", "m", float(np.abs(tip[:, 2]).max()), 0.0, "symmetry",
                     atol=1e-9),
            measured(f"{label}, largest change of energy / (m g L), step {STEP * 1e3:g} ms", "-",
                     float(np.abs(run.energy.balance).max()) / scale, 0.0, CONSERVED, atol=1e-4),
        ]  # fmt: skip
    progress("exact and directors")
    one, two = (falling(beams()[name], 16, 2.0 * STEP)[1][-1] for name in ("exact", "directors"))
    quantities.append(
        measured("directors against exact, t = 0.6 s, 16 elements", "m", float(np.linalg.norm(two - one)), 0.0,
                 "another formulation on the same mesh", atol=4e-4)
    )  # fmt: skip
    studies = []
    fine = falling(beams()["exact"], 64, 2.0 * STEP, 0.2)[1][-1:]
    for label, counts in (("exact", (8, 16, 32)), ("directors", (8, 16, 32)), ("exact, 2 nodes", (16, 32, 64))):
        progress(label)
        errors = [worst(falling(beams()[label], n, 2.0 * STEP, 0.2)[1][-1:], fine) for n in counts]
        studies.append(
            ConvergenceStudy(f"{label}: tip at 0.2 s, against 64 exact ones", counts, errors,
                             2.0 if "2" in label else 4.0, 1.5, counts=True)
        )  # fmt: skip
    by_step = {h: falling(beams()["exact"], 8, h, 0.4)[1][2::2] for h in (2e-3, 1e-3, 5e-4, 2.5e-4)}
    limit = extrapolated(by_step[5e-4], by_step[2.5e-4])
    errors = [worst(tip, limit) for tip in by_step.values()][:3]
    studies.append(orders("exact: tip at 0.2 and 0.4 s, 8 elements", list(by_step)[:3], errors))
    return Outcome(quantities, studies, (), [("The tip, every 0.1 s, in the tilted plane.", _tips(paths))])


def _tips(paths: dict[str, FloatArray]) -> Any:
    drawing, axes = figure()
    for (label, path), colour in zip(paths.items(), COLOURS, strict=False):
        axes.plot(path[:, 0], path[:, 1], "o-", markersize=3, color=colour, label=label)
    axes.set_aspect("equal")
    axes.set_xlabel("x in m")
    axes.set_ylabel("y in m")
    axes.legend(frameon=False)
    return drawing


def spun(element: Any, elements: int, step: float, until: float = 20.0) -> tuple[fx.TimeSolution, FloatArray]:
    """The motion of D18, and (u1, u2, rotation, u3) of the tip in the rotating frame every 0.1 s."""
    p = load_reference("d18").parameters
    EI, GA, rhoI = p["EI"], p["GA"], p["rhoI"]
    body = fx.FlexibleBody.line(
        (0, 0, 0), (p["L"] * AXES[:, 0]).tolist(), elements=elements, element=element,
        stiffness=fx.BeamStiffness(EA=p["EA"], EI_y=EI, EI_z=EI, GJ=EI, GA_y=GA, GA_z=GA, mass_per_length=p["rhoA"],
                                   rhoI_y=rhoI, rhoI_z=rhoI),
        name="beam",
    )  # fmt: skip
    hub = fx.RevoluteJoint(fx.ground, body.start, at=(0, 0, 0), axis=UP, name="hub")
    drive, angle = driven(hub)
    run = fx.simulate(fx.Model(body, hub, drive), until, step=step, output=fx.Output(every=0.1))
    psi = np.array([angle(t) for t in run.t])
    x, y, z = (run.position(body.end) @ AXES).T
    tangent = (AXES.T @ run.rotation(body.end))[:, :2, 0]
    c, s = np.cos(psi), np.sin(psi)
    turn = np.arctan2(c * tangent[:, 1] - s * tangent[:, 0], c * tangent[:, 0] + s * tangent[:, 1])
    return run, np.column_stack([c * x + s * y - p["L"], c * y - s * x, turn, z])


def run_spinup(progress: Progress) -> Outcome:
    """Spin up for 15 s and turn on for 5 s; directors up to 10 s."""
    stored = load_reference("d18")
    names = [f"t={t:g} s tip displacement in the rotating frame (u1, u2, rotation)" for t in TIMES]
    exact = np.array([[stored.value(name, i) for i in range(3)] for name in names])
    rows = [round(10 * t) for t in TIMES]
    last = slice(161, None)
    quantities: list[Measured] = []
    lags = []
    for label, until in (("directors", 10.0), ("exact", 20.0)):
        progress(label)
        run, tip = spun(beams()[label], 4, 5e-3, until)
        lags.append((label, run.t, tip[:, 1]))
        for name, row, t in zip(names, rows, TIMES, strict=True):
            if t > until:
                continue
            for i, (what, atol) in enumerate((("u1", 2e-5), ("u2", 3e-4), ("rotation", 5e-5))):
                reference = stored.reference(name, i)
                quantities.append(
                    measured(f"{label}, {name.split(' tip')[0]}: {what}", "rad" if i == 2 else "m", tip[row, i],
                             reference.value, stored.source, reference.uncertainty, atol=atol)
                )  # fmt: skip
        root = run.position(run.system.model.body("beam").start)
        balance = float(run.energy.balance[-1] / run.energy.total[-1])
        quantities += [
            measured(f"{label}, (energy - work of the drive) / energy at the end", "-", balance, 0.0, "work and energy",
                     atol=1e-3),
            measured(f"{label}, largest distance of the root from its axis", "m", float(np.abs(root).max()), 0.0,
                     "joints stay closed", atol=1e-9),
            measured(f"{label}, out of its plane, largest", "m", float(np.abs(tip[:, 3]).max()), 0.0, "symmetry",
                     atol=1e-9),
        ]  # fmt: skip
    name = "steady extension, closed form tan(lam L)/lam - L with lam=omega sqrt(rhoA/EA)"
    reference = stored.reference(name)
    # A tip that swings by u2 on a circle of radius L seems shorter.
    extension = float(np.mean(tip[last, 0] + 0.6 * tip[last, 1] ** 2 / stored.parameters["L"]))
    quantities.append(
        measured("exact, mean extension from 16 s", "m", extension, reference.value, stored.source,
                 reference.uncertainty, atol=5e-7)
    )  # fmt: skip
    studies = []
    meshes = {"directors": (1, 2, 4), "exact": (1, 2, 4), "exact, 2 nodes": (2, 4, 8)}
    fine = spun(beams()["exact"], 16, 2e-2, 5.0)[1][rows[:2], 1]
    for label, counts in meshes.items():
        progress(f"{label}, meshes")
        errors = [float(np.abs(spun(beams()[label], n, 2e-2, 5.0)[1][rows[:2], 1] - fine).max()) for n in counts]
        order = 2.0 if "2" in label else 4.0
        studies.append(
            ConvergenceStudy(f"{label}: lag at 2.5, 5 s, against 16 exact ones", counts, errors, order,
                             order - 0.5, floor=1e-9, counts=True)
        )  # fmt: skip
    steps = (2e-2, 1e-2, 5e-3)
    by_step = [float(np.abs(spun(beams()["exact"], 8, h, 5.0)[1][rows[:2], 1] - exact[:2, 1]).max()) for h in steps]
    studies.append(orders("exact: lag at 2.5, 5 s, 8 elements", steps, by_step, floor=1e-6))
    drawing = over_time(lags, "lag of the tip in m", [(np.array(TIMES), exact[:, 1])])
    return Outcome(quantities, studies, (), [("Lag of the tip behind the rotating root.", drawing)])


PENDULUM = Case(
    id="d17-in-space",
    title="Very flexible falling pendulum in a tilted plane",
    area="flexible motion",
    summary=(
        "The soft strip of D17 falls in a plane that lies obliquely in space: the exact beam against the rod with "
        "shear and rotary inertia, the spatial cable against the one without, and the beam with directors against the "
        "exact one on the same mesh."
    ),
    run=run_pendulum,
    source="Data: Escalona, Hussien and Shabana, J. Sound Vib. 214 (1998) 833; Berzeri and Shabana, J. Sound Vib. 235 "
    "(2000) 539. References computed, by polynomials over the whole length.",
    equations=(r"\mu\,\ddot r = n' + \mu g, \quad \rho I\,\ddot\theta = m' + r' \times n",),
    limits=(
        "Up to 0.6 s; the reference with shear is uncertain by 1e-4 m.",
        "The release excites all wavelengths, so that the error falls irregularly and, on these meshes, with less than "
        "the fourth order of the elements.",
    ),
)
SPIN_UP = Case(
    id="d18-in-space",
    title="Spin-up of beams in a tilted plane",
    area="flexible motion",
    summary=(
        "The spin-up of D18 about an axis that lies obliquely in space, with both beams that shear and twist. The root "
        "is held by a hinge and driven; the centrifugal tension keeps the beam from being lost."
    ),
    run=run_spinup,
    source=(
        "Data: Kane, Ryan and Banerjee, J. Guidance 10 (1987) 139; Simo and Vu-Quoc, J. Sound Vib. 119 (1987) 487. "
        "References computed, the steady extension in closed form."
    ),
    equations=(
        r"\psi(t) = \dfrac{6}{15}\left[\dfrac{t^2}{2} + \left(\dfrac{15}{2\pi}\right)^2 "
        r"\left(\cos\dfrac{2\pi t}{15} - 1\right)\right]",
    ),
    limits=(
        "Axial vibrations are not resolved by the steps. With steps of 20 ms they grow after 15 s, when the drive has "
        "stopped to accelerate, and the beam with directors stops.",
    ),
)
