"""Motion of beams in space: the flying spaghetti D16 in an oblique plane, and the right-angle cantilever."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import Element, FloatArray
from flexmbs.core.rotations import from_vector
from flexmbs.elements import ANCFBeam, GeometricallyExactBeam
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.reference.data import load_reference

TIMES = (1.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0)
OBLIQUE = from_vector((0.4, -0.7, 0.5))
"""Axes of the plane of motion, as columns."""


def spaghetti(elements: int, step: float) -> tuple[fx.TimeSolution, FloatArray, FloatArray]:
    """The motion, and the loaded and the free end (n_t, 3) in the axes of the plane."""
    p = load_reference("d16").parameters
    up, ends = OBLIQUE[:, 2], OBLIQUE @ np.array([[6.0, 0.0], [0.0, 8.0], [0.0, 0.0]])
    body = fx.FlexibleBody.line(
        ends[:, 0].tolist(),
        ends[:, 1].tolist(),
        elements=elements,
        element=GeometricallyExactBeam(up=(up[0], up[1], up[2])),
        stiffness=fx.BeamStiffness(
            EA=p["EA"],
            EI_y=p["EI"],
            EI_z=p["EI"],
            GJ=p["EI"],
            GA_y=p["GA"],
            GA_z=p["GA"],
            mass_per_length=p["rhoA"],
            rhoI_y=p["rhoI"],
            rhoI_z=p["rhoI"],
        ),
        name="rod",
    )
    triangle = fx.Table((0.0, 2.5, 5.0, 100.0), (0.0, 1.0, 0.0, 0.0))
    force, moment = OBLIQUE @ [20.0, 0.0, 0.0], OBLIQUE @ [0.0, 0.0, -200.0]
    model = fx.Model(
        body,
        fx.PointForce(body.start, force.tolist(), history=triangle),
        fx.Moment(body.start, moment.tolist(), history=triangle),
        name="spaghetti",
    )
    run = fx.simulate(model, 10.0, step=step, output=fx.Output(every=0.5))
    return run, run.position(body.start) @ OBLIQUE, run.position(body.end) @ OBLIQUE


def run_spaghetti(progress: Progress) -> Outcome:
    """Load B, the triangular one."""
    stored = load_reference("d16")
    errors, counts = [], (2, 4, 8, 16)
    for elements in counts:
        progress(f"{elements} elements")
        run, loaded, free = spaghetti(elements, 2.5e-3)
        gaps = []
        for t in TIMES:
            row = int(np.argmin(np.abs(run.t - t)))
            for end, path in (("loaded", loaded), ("free", free)):
                name = f"B: triangular load t={t:g} s {end} end (x,y)"
                exact = [stored.value(name, 0), stored.value(name, 1), 0.0]
                gaps.append(float(np.linalg.norm(path[row] - exact)))
        errors.append(max(gaps[:8]))  # up to 4 s
    quantities = []
    for t in TIMES:
        row = int(np.argmin(np.abs(run.t - t)))
        for end, path in (("loaded", loaded), ("free", free)):
            for i, axis in enumerate("xy"):
                reference = stored.reference(f"B: triangular load t={t:g} s {end} end (x,y)", i)
                quantities.append(
                    measured(f"t = {t:g} s, {end} end: {axis}", "-", path[row, i], reference.value, stored.source,
                             reference.uncertainty, atol=5e-3)
                )  # fmt: skip
    quantities.append(measured("out of its plane, largest", "-", float(np.abs(free[:, 2]).max()), 0.0, "symmetry",
                               atol=1e-9))  # fmt: skip
    reference = stored.reference("B: triangular load total energy after unloading (constant)")
    total = run.energy.kinetic + run.energy.strain
    quantities.append(
        measured("energy at 10 s", "-", total[-1], reference.value, stored.source, reference.uncertainty, rtol=1e-3)
    )
    study = ConvergenceStudy("ends up to 4 s", counts[:3], errors[:3], 4.0, 3.0, floor=3e-5, counts=True)
    drawing, axes = figure(6.4, 3.0)
    shapes = np.array([run.shape(run.system.model.body("rod"), i, 5) for i in range(0, len(run.t), 2)])
    for k, shape in enumerate(shapes):
        line = shape.reshape(-1, 3) @ OBLIQUE
        axes.plot(line[:, 0], line[:, 1], color=COLOURS[k % 2], linewidth=1.4)
    axes.set_aspect("equal")
    axes.set_xlabel("x")
    axes.set_ylabel("y")
    return Outcome(quantities, [study], (), [("The rod every second.", drawing)])


def right_angle(element: Element, elements: int, step: float, until: float) -> tuple[fx.TimeSolution, FloatArray]:
    """Two legs of length 10 at a right angle, the first clamped, and a force out of their plane at the elbow.

    Returns the motion, and elbow and tip (2, n_t, 3).
    """
    stiffness = fx.BeamStiffness(
        EA=1e6, EI_y=1e3, EI_z=1e3, GJ=1e3, GA_y=1e6, GA_z=1e6, mass_per_length=1.0, rhoI_y=10.0, rhoI_z=10.0
    )
    legs = [
        fx.FlexibleBody.line(a, b, elements=elements, element=element, stiffness=stiffness, name=name)
        for name, a, b in (("first", (0, 0, 0), (10, 0, 0)), ("second", (10, 0, 0), (10, 10, 0)))
    ]
    elbow = fx.FixedJoint(legs[0].end, legs[1].start, at=(10, 0, 0), name="elbow")
    pulse = fx.Table((0.0, 1.0, 2.0, 100.0), (0.0, 1.0, 0.0, 0.0))
    model = fx.Model(
        *legs, fx.Clamp(legs[0].start), elbow, fx.PointForce(legs[0].end, (0, 0, 50.0), history=pulse), name="elbow"
    )
    run = fx.simulate(model, until, step=step, output=fx.Output(every=0.25))
    return run, np.array([run.position(legs[0].end), run.position(legs[1].end)])


def run_right_angle(progress: Progress) -> Outcome:
    """Both elements, which have nothing but the strains in common: coordinates, inertia and rotations differ."""
    found, quantities = {}, []
    elements: dict[str, Any] = {"directors": ANCFBeam(), "exact": GeometricallyExactBeam()}
    for label, element in elements.items():
        progress(label)
        run, paths = right_angle(element, 4, 0.02, 10.0)
        found[label] = run, paths
        total = run.energy.kinetic + run.energy.strain
        quantities.append(
            measured(f"{label}: energy at 10 s by that at 2", "-", total[-1] / total[8], 1.0, "no load after then", 0.0,
                     rtol=1e-3)
        )  # fmt: skip
    one, two = found["directors"][1], found["exact"][1]
    for t in (2.0, 4.0, 6.0, 8.0, 10.0):
        row = round(4 * t)
        for k, place in enumerate(("elbow", "tip")):
            quantities.append(
                measured(f"t = {t:g} s: z of the {place}, directors", "-", one[k, row, 2], two[k, row, 2],
                         "exact beam, same mesh", 0.0, atol=0.01)
            )  # fmt: skip
    drawing, axes = figure()
    times = found["exact"][0].t
    for k, place in enumerate(("elbow", "tip")):
        axes.plot(times, two[k, :, 2], color=COLOURS[k], label=f"{place}, exact beam")
        axes.plot(times, one[k, :, 2], color=COLOURS[k], linestyle="none", marker=".", label=f"{place}, directors")
    axes.set_xlabel("t [s]")
    axes.set_ylabel("z")
    axes.legend(frameon=False, fontsize="small")
    return Outcome(quantities, (), (), [("Displacements out of the plane of the legs.", drawing)])


SPAGHETTI = Case(
    id="d16-in-space",
    title="Flying spaghetti in an oblique plane",
    area="flexible motion",
    summary=(
        "A free straight rod is pushed and turned at one end, bends far and flies away. Beam with shear and rotary "
        "inertia; its plane lies obliquely in space."
    ),
    run=run_spaghetti,
    source="J. C. Simo and L. Vu-Quoc, J. Appl. Mech. 53 (1986) 855-863. Figures: spectral elements of the planar "
    "Reissner beam.",
    equations=(r"\rho A\,\ddot r = n', \quad \rho I\,\ddot\theta = m' + (r' \times n)",),
    slow=True,
)
RIGHT_ANGLE = Case(
    id="right-angle-cantilever",
    title="Right-angle cantilever in free vibration",
    area="flexible motion",
    summary=(
        "Two legs at a right angle, one clamped; a short force at the elbow, out of their plane, sets them in large "
        "vibrations with bending and torsion as large as their length. Two elements of different kinds are compared, "
        "and the energy after the load."
    ),
    run=run_right_angle,
    source="J. C. Simo and L. Vu-Quoc, Comput. Methods Appl. Mech. Engng 66 (1988) 125-161 (data).",
    equations=(r"\rho A\,\ddot r = n', \quad J\,\dot\Omega + \Omega\times J\Omega = m' + r' \times n",),
)
