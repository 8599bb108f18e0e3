"""S05, S04, S07: a beam between clamps, the diamond frame, a buckled column."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs.elements import ANCFCable2D
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress
from flexmbs.verification.cases.common import cantilever, draw_shapes, figure, measured
from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.reference.elastica import buckled_column
from flexmbs.verification.reference.rod_problems import clamped_clamped_point_load, column_under_load, diamond_frame

ROD = "extensible elastica, boundary-value problem by Chebyshev collocation"


def run_clamped(progress: Progress) -> Outcome:
    """Mondkar and Powell's beam, whole, with the load in the middle."""
    stored = load_reference("s05")
    data = stored.parameters
    section = fx.Rectangle(width=data["b"], height=data["h"])
    material = fx.Elastic(youngs_modulus=data["E"], density=1.0)
    loads = data["P"]
    quantities, errors, path = [], [], []
    exact = clamped_clamped_point_load(data["E"] * section.I_z, data["E"] * section.area, data["L"], loads[-1])
    counts = (16, 32, 64, 128)
    for elements in counts:
        progress(f"{elements} elements")
        beam = fx.FlexibleBody.line(
            (0.0, 0.0), (data["L"], 0.0), elements=elements, element=ANCFCable2D(), section=section, material=material
        )
        middle = beam.at((data["L"] / 2, 0.0))
        model = fx.Model(beam, fx.Clamp(beam.start), fx.Clamp(beam.end), fx.PointForce(middle, (0.0, loads[-1])))
        solution = fx.solve_static(model, fx.StaticOptions(at=[p / loads[-1] for p in loads]))
        errors.append(abs(solution.displacement(middle, step=-1)[1] - exact.deflection) / exact.deflection)
        if elements != 128:
            continue
        for load in loads:
            step = solution.at_parameter(load / loads[-1])
            for name, unit, value in (
                ("central deflection", "in", solution.displacement(middle, step)[1]),
                ("horizontal support reaction", "lb", -solution.reaction(beam.start, step)[0]),
            ):
                reference = stored.reference(f"shear rigid P={load} {name}")
                quantities.append(
                    measured(
                        f"P = {load} lb: {name}", unit, value, reference.value, ROD, reference.uncertainty, rtol=1e-5
                    )
                )
        path = [(p * loads[-1], solution.displacement(middle, i)[1]) for i, p in enumerate(solution.parameters)]
    drawing, axes = figure()
    load, deflection = np.array(path).T
    axes.plot(deflection, load, color="#1f5fa8", label="clamped, stretching (128 elements)")
    linear = data["L"] ** 3 / (192 * data["E"] * section.I_z)
    axes.plot(
        [0, linear * loads[-1] * 0.4], [0, loads[-1] * 0.4], color="#7c8794", linestyle=":", label="linear bending"
    )
    axes.plot(
        [stored.value(f"shear rigid P={p} central deflection") for p in loads],
        loads,
        "ko",
        mfc="none",
        label="reference",
    )
    axes.set_xlabel("central deflection [in]")
    axes.set_ylabel("load [lb]")
    axes.legend(frameon=False)
    study = ConvergenceStudy(
        f"central deflection at {loads[-1]} lb", counts, errors, 4.0, 3.8, floor=1e-11, counts=True
    )
    return Outcome(quantities, [study], (), [("Load-deflection curve: the beam stiffens as it stretches.", drawing)])


def _diamond(elements: int, force: float) -> tuple[fx.FlexibleBody, fx.Model]:
    """Upper half: rigid corners left and right on the line of symmetry, a hinge at the top."""
    half = math.sqrt(0.5)
    stiffness = fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0)
    left, right = (
        fx.FlexibleBody.line(
            (x, 0.0), (0.0, half), elements=elements, element=ANCFCable2D(), stiffness=stiffness, name=name
        )
        for x, name in ((-half, "left"), (half, "right"))
    )
    model = fx.Model(
        left,
        right,
        fx.Hinge(left.end, right.end),
        fx.Guide(left.start, normal=(0, 1)),
        fx.Guide(right.start, normal=(0, 1)),
        fx.Roller(left.end, normal=(1, 0)),
        fx.PointForce(left.end, (0.0, force)),
    )
    return right, model


def run_diamond(progress: Progress) -> Outcome:
    """Pull and push at the hinged corners up to P L²/EI = 10."""
    loads = (1.0, 2.0, 4.0, 6.0, 8.0, 10.0)
    stored = load_reference("s04")
    counts = (8, 16, 32, 64)
    quantities, studies, shapes = [], [], []
    for kind, sign in (("tension", 1.0), ("compression", -1.0)):
        errors = []
        exact = diamond_frame(sign * loads[-1], 1e6)
        for elements in counts:
            progress(f"{kind}, {elements} elements")
            right, model = _diamond(elements, sign * loads[-1])
            solution = fx.solve_static(model, fx.StaticOptions(at=[p / loads[-1] for p in loads]))
            errors.append(abs(sign * solution.displacement(right.end, step=-1)[1] - exact.hinge))
            if elements != 16:
                continue
            for load in loads:
                step = solution.at_parameter(load / loads[-1])
                for name, short, unit, value in (
                    ("hinge displacement along load / L (one hinge, relative to the frame centre)",
                     "hinge displacement", "L", sign * solution.displacement(right.end, step)[1]),
                    ("rigid-corner displacement across load / L (one corner, relative to the centre)",
                     "rigid-corner displacement", "L", -sign * solution.displacement(right.start, step)[0]),
                    ("tip rotation relative to the initial 45 deg", "rotation at the hinge", "rad",
                     -sign * solution.angle(right.end, step)),
                ):  # fmt: skip
                    reference = stored.reference(f"{kind} PL2/EI={load:g} {name}")
                    quantities.append(
                        measured(f"{kind}, P L²/EI = {load:g}: {short}", unit, value, reference.value, stored.source,
                                 reference.uncertainty, rtol=1e-4)
                    )  # fmt: skip
            shapes.append((kind, _whole(solution)))
        studies.append(
            ConvergenceStudy(
                f"hinge displacement, {kind}, P L²/EI = 10", counts, errors, 4.0, 3.7, floor=1e-10, counts=True
            )
        )
    drawing, axes = figure(5.0, 4.2)
    half = math.sqrt(0.5)
    axes.plot([half, 0, -half, 0, half], [0, half, 0, -half, 0], color="#7c8794", linewidth=0.9, linestyle=":")
    for (label, pieces), colour in zip(shapes, ("#1f5fa8", "#c8553d"), strict=True):
        for i, piece in enumerate(pieces):
            axes.plot(*piece.T, color=colour, label=label if i == 0 else None)
    axes.set_aspect("equal")
    axes.set_xlabel("x / L")
    axes.set_ylabel("y / L")
    axes.legend(frameon=False, loc="upper right")
    return Outcome(
        quantities, studies, (), [("The frame at P L²/EI = 10, drawn whole from its upper half.", drawing)],
        ["EA L²/EI = 1e6 against an inextensible reference: the shift is below P/EA = 1e-5 L."],
    )  # fmt: skip


def _whole(solution: fx.StaticSolution) -> list[np.ndarray]:
    """Upper half and its mirror image."""
    pieces = [solution.shape(b, step=-1)[..., :2].reshape(-1, 2) for b in solution.model.bodies]
    return pieces + [p * (1.0, -1.0) for p in pieces]


def run_column(progress: Progress) -> Outcome:
    """Compress a column beyond its buckling load, led by a small side force."""
    critical = math.pi**2 / 4.0
    axial, side = 1e6, 1e-4
    angles = (20, 40, 60, 80, 100, 120, 140, 160, 176)
    points = [buckled_column(math.radians(a)) for a in angles]
    last = points[-1].load * critical
    counts = (8, 16, 32, 64)
    quantities, errors, shapes = [], [], []
    probe = 3.0 * critical
    exact = column_under_load(probe, side=side, axial=axial)
    for elements in counts:
        progress(f"{elements} elements")
        beam = cantilever(elements, axial)
        model = fx.Model(
            beam,
            fx.Clamp(beam.start),
            fx.PointForce(beam.end, (0.0, side), history=fx.Constant()),
            fx.PointForce(beam.end, (-last, 0.0)),
        )
        at = sorted({*(p.load * critical / last for p in points), probe / last})
        solution = fx.solve_static(model, fx.StaticOptions(at=at, initial_step=0.02))
        position = solution.position(beam.end, solution.at_parameter(probe / last))[:2]
        errors.append(float(np.hypot(position[0] - exact.tip[0], position[1] - exact.tip[1])))
        if elements != 64:
            continue
        for angle, point in zip(angles, points, strict=True):
            step = solution.at_parameter(point.load * critical / last)
            # With the side force the exact tip differs from the perfect column's; both are shown, the former is judged.
            reference = column_under_load(point.load * critical, side=side, axial=axial).tip
            tip = (*solution.position(beam.end, step)[:2], solution.angle(beam.end, step))
            for name, unit, value, wanted in zip(
                ("tip x/L", "tip y/L", "tip rotation"), ("-", "-", "rad"), tip, reference, strict=True
            ):
                quantities.append(
                    measured(
                        f"P/Pcr = {point.load:.4f} ({angle} deg): {name}", unit, value, wanted, ROD, 1e-11, atol=2e-5
                    )
                )
            if angle >= 60:
                quantities.append(
                    measured(f"P/Pcr = {point.load:.4f}: tip y/L of the perfect column", "-", tip[1], point.y,
                             "Timoshenko and Gere, elliptic integrals", 1e-12, atol=2e-3)
                )  # fmt: skip
            if angle in (40, 80, 120, 160, 176):
                shapes.append((f"P/Pcr = {point.load:.2f}", solution.shape(beam, step)[..., :2]))
    drawing, axes = figure()
    draw_shapes(axes, shapes)
    study = ConvergenceStudy("tip position at P/Pcr = 3", counts, errors, 4.0, 3.8, floor=1e-10, counts=True)
    return Outcome(
        quantities, [study], (),
        [("Buckled shapes; the clamp is at the origin, the load pushes to the left.", drawing)],
        [f"Imperfection: a side force of {side:g} EI/L² that is there from the start; the reference has the same."],
    )  # fmt: skip


CLAMPED = Case(
    id="s05-clamped",
    title="Beam between two clamps under a central load",
    area="statics",
    summary=(
        "Both ends are clamped and cannot approach each other, so the beam must stretch as it bends: a load of 700 lb "
        "deflects it by four times its height. Geometry of Mondkar and Powell (inch, pound)."
    ),
    run=run_clamped,
    source="D. P. Mondkar and G. H. Powell, IJNME 11 (1977) 499-520 (geometry); reference for the rod without shear.",
    equations=(r"U = \dfrac{1}{2}\int_0^L \left( EA\,(|r'| - 1)^2 + EI\,\theta'^2 \right) ds",),
)

DIAMOND = Case(
    id="s04-diamond",
    title="Diamond frame pulled and pushed at two hinged corners",
    area="statics",
    summary=(
        "A square frame stands on a corner. The loaded corners, top and bottom, are hinges, the other two keep their "
        "right angle. The upper half is modelled: two beams that share their position, not their slope, at the top, "
        "and guided ends on the line of symmetry."
    ),
    run=run_diamond,
    source="Problem of K. Mattiasson, IJNME 17 (1981) 145-153; reference by shooting, inextensible.",
    equations=(r"EI\,\theta'' + \dfrac{P}{2}\cos\theta = 0, \quad \theta(0) = 45^\circ, \quad \theta'(L) = 0",),
)

COLUMN = Case(
    id="s07-column",
    title="Column far beyond its buckling load",
    area="statics",
    summary=(
        "A clamped-free column is compressed by a dead axial load up to nine times the buckling load, where its tip "
        "has turned by 176 degrees. A side force of 1e-4 EI/L² chooses the branch."
    ),
    run=run_column,
    source="S. P. Timoshenko and J. M. Gere, Theory of Elastic Stability, section 2.7; reference with the same side "
    "force by a boundary-value problem.",
    equations=(r"EI\,\theta'' + P\sin\theta = 0, \quad P_{cr} = \dfrac{\pi^2 EI}{4 L^2}",),
)
