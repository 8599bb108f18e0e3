"""A quarter circle that is free of stress when curved, under a uniform load; and the elastic catenary S13."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

import flexmbs as fx
from flexmbs.elements import ANCFCable2D
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress
from flexmbs.verification.cases.common import draw_shapes, figure, measured, tip_error
from flexmbs.verification.reference.catenary import cable_with_bending
from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.reference.rod_problems import quarter_circle_uniform_load

ROD = "curved extensible elastica, boundary-value problem by Chebyshev collocation"


def run_quarter(progress: Progress) -> Outcome:
    """Uniform dead load, upwards and downwards."""
    loads, axial, counts = (-5.0, 1.0, 3.0), 1e5, (8, 16, 32, 64)
    quantities, studies, shapes, exact = [], [], [], []
    for load in loads:
        reference = quarter_circle_uniform_load(load, axial)
        errors = []
        for elements in counts:
            progress(f"w R^3/EI = {load:g}, {elements} elements")
            # From (0, 0) with tangent +y to (1, 1) with tangent +x: the circle about (1, 0), run through clockwise.
            beam = fx.FlexibleBody(
                fx.meshes.arc((1.0, 0.0), radius=1.0, start_angle=math.pi, end_angle=math.pi / 2, elements=elements),
                ANCFCable2D(),
                stiffness=fx.BeamStiffness(EA=axial, EI_z=1.0, mass_per_length=1.0),
                name="arc",
            )
            model = fx.Model(beam, fx.Clamp(beam.start), fx.DistributedLoad(beam, (0.0, -load)))
            solution = fx.solve_static(model)
            errors.append(tip_error(solution.position(beam.end, step=-1)[:2], reference))
        x, y, theta = reference.tip
        position = solution.position(beam.end, step=-1)[:2]
        for name, unit, value, wanted in (
            ("tip x/R", "-", position[0], x), ("tip y/R", "-", position[1], y),
            ("tip rotation", "rad", solution.angle(beam.end, step=-1), theta),
        ):  # fmt: skip
            quantities.append(measured(f"w R³/EI = {load:g}: {name}", unit, value, wanted, ROD, 1e-12, atol=1e-6))
        studies.append(
            ConvergenceStudy(f"tip position, w R³/EI = {load:g}", counts, errors, 4.0, 3.7, floor=1e-11, counts=True)
        )
        shapes.append((f"w R³/EI = {load:g}", solution.shape(beam, step=-1)[..., :2]))
        exact.append((reference.x, reference.y))
    rest = beam.element.positions(
        beam.tabulate(np.arange(4 * beam.mesh.n_points).reshape(-1, 4), 0),
        beam.reference.ravel(),
        np.linspace(-1, 1, 9),
    )
    drawing, axes = figure()
    axes.plot(*rest.reshape(-1, 2).T, color="#7c8794", linewidth=0.9, linestyle=":", label="free of stress")
    draw_shapes(axes, shapes, exact)
    axes.set_xlabel("x / R")
    axes.set_ylabel("y / R")
    return Outcome(quantities, studies, (), [("Shapes with 64 elements (colours) and reference (dashed).", drawing)])


def _way(data: dict[str, float], axis: int, s: float) -> float:
    """Displacement of the lower end: swung out by 60 degrees while pulled tight by 0.1 %, then carried to its place.

    Hung between pins at its free length, or carried away from there straight, the cable would buckle first.
    """
    angle, reach = math.radians(60.0) * min(2.0 * s, 1.0), 1.001 * data["L0"]
    swung = np.array([reach * math.sin(angle), -reach * math.cos(angle)])
    there = np.array([data["span"], -data["drop"]])
    return float((swung + max(0.0, 2.0 * s - 1.0) * (there - swung) - (0.0, -data["L0"]))[axis])


def run_catenary(progress: Progress) -> Outcome:
    """Hang the cable straight down, swing it out, then carry its lower end to the other support."""
    stored = load_reference("s13")
    data = stored.parameters
    EI = 1.0
    exact = cable_with_bending(EI, data["EA"], data["w"], data["L0"], data["span"], data["drop"])
    counts = (25, 50, 100, 200)
    errors, quantities = [], []
    for elements in counts:
        progress(f"{elements} elements")
        cable = fx.FlexibleBody.line(
            (0.0, 0.0), (0.0, -data["L0"]), elements=elements, element=ANCFCable2D(),
            stiffness=fx.BeamStiffness(EA=data["EA"], EI_z=EI, mass_per_length=1.0), name="cable",
        )  # fmt: skip
        model = fx.Model(
            cable,
            fx.Pin(cable.start),
            fx.Prescribe(cable.end, (1.0, None), history=partial(_way, data, 0)),
            fx.Prescribe(cable.end, (None, 1.0), history=partial(_way, data, 1)),
            fx.DistributedLoad(cable, (0.0, -data["w"]), history=fx.Constant()),
        )
        solution = fx.solve_static(model)
        middle = solution.position(cable.at((0.0, -50.0 if elements % 2 == 0 else -48.0)), step=-1)[:2]
        s = 50.0 if elements % 2 == 0 else 48.0
        errors.append(float(np.hypot(*(middle - exact.at(s)[:2]))))
    upper = solution.reaction(cable.start, step=-1)[:2]
    shape = solution.shape(cable, points=33, step=-1)[..., :2].reshape(-1, 2)
    lowest = shape[np.argmin(shape[:, 1])]
    middle = solution.position(cable.at((0.0, -50.0)), step=-1)[:2]
    H, V = "horizontal tension H", "vertical force at the upper support (s=0)"
    depth, across = "sag point: depth below the upper support", "sag point: horizontal distance"
    halfway = "position (x, depth) at s=50"
    for name, unit, value, wanted, tolerance in (
        (H, "N", -upper[0], stored.reference(H), {"rtol": 1e-3}),
        (V, "N", upper[1], stored.reference(V), {"rtol": 1e-3}),
        (depth, "m", -lowest[1], stored.reference(depth), {"rtol": 1e-3}),
        (across, "m", lowest[0], stored.reference(across), {"rtol": 5e-3}),
        ("x at s = 50 m", "m", middle[0], stored.reference(halfway, 0), {"rtol": 1e-3}),
        ("depth at s = 50 m", "m", -middle[1], stored.reference(halfway, 1), {"rtol": 1e-3}),
    ):
        quantities.append(measured(name, unit, value, wanted.value, stored.source, wanted.uncertainty, **tolerance))
    x, y, _ = exact.at(50.0)
    quantities.append(measured("x at s = 50 m, with bending", "m", middle[0], x, ROD, 1e-9, atol=1e-4))
    quantities.append(measured("depth at s = 50 m, with bending", "m", -middle[1], -y, ROD, 1e-9, atol=1e-4))
    drawing, axes = figure()
    draw_shapes(axes, [("cable, 200 elements", shape)], [(exact.x, exact.y)])
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    study = ConvergenceStudy(
        "position at the middle (error in m, against the cable with bending)",
        counts,
        errors,
        4.0,
        3.5,
        floor=1e-8,
        counts=True,
    )
    return Outcome(
        quantities, [study], (),
        [("The hanging cable and the reference with the same bending stiffness (dashed).", drawing)],
        [f"EI = {EI:g} N m²: the catenary has none. The ends bend over sqrt(EI/T) = {math.sqrt(EI / 717):.2f} m, which "
         "the coarsest mesh does not resolve; hence somewhat less than the fourth order there."],
    )  # fmt: skip


QUARTER = Case(
    id="quarter-circle",
    title="Stress-free quarter circle under a uniform load",
    area="statics",
    summary=(
        "A clamped quarter circle of radius R that is free of stress when curved carries a uniform dead load per "
        "length. It is pressed down and lifted; EA R²/EI = 1e5."
    ),
    run=run_quarter,
    source="Own reference: boundary-value problem of the curved elastica.",
    equations=(r"\theta' = \kappa_0 + M/EI, \quad M' = -\lambda\, n_\nu, \quad n' = -w",),
)

CATENARY = Case(
    id="s13-catenary",
    title="Elastic catenary",
    area="statics",
    summary=(
        "A cable of 100 m hangs between supports 80 m apart, the right one 20 m lower. It is hung straight down first, "
        "swung out, and its lower end is then carried to its place: displacement control under weight."
    ),
    run=run_catenary,
    source="H. M. Irvine, Cable Structures (1981), chapter 2; and the same with a small bending stiffness.",
    equations=(
        r"x(s) = \dfrac{H s}{EA} + \dfrac{H}{w}\left(\mathrm{arsinh}\dfrac{V}{H} - "
        r"\mathrm{arsinh}\dfrac{V - w s}{H}\right)",
    ),
)
