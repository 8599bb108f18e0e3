"""Beams that bend, twist and shear in space: S03, S12, S06, and a helical spring against Kirchhoff's rod."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from scipy.optimize import brentq

import flexmbs as fx
from flexmbs.core.contracts import Element, FloatArray
from flexmbs.elements import ANCFBeam, ANCFBeamFullyParameterized, GeometricallyExactBeam
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.reference.data import load_reference

COUNTS = (4, 8, 16)
BENDS = (("Simo data GJ=G/6, GA_s=GA", 1.0 / 6.0, 1.0), ("St-Venant J=0.140577, ks=5/6", None, 5.0 / 6.0))
LOADS = (300, 450, 600)


ELEMENTS = (
    ("directors", ANCFBeam(), 4.0),
    ("exact", GeometricallyExactBeam(), 4.0),
    ("exact, 2 nodes", GeometricallyExactBeam(nodes=2), 2.0),
    ("continuum", ANCFBeamFullyParameterized(poissons_ratio=0.0), 2.0),
)
"""Elements with their order of convergence."""


def bend(element: Element, elements: int, torsion: float | None, shear: float) -> fx.Model:
    """S03 under its largest load; ``torsion`` is J, None for that of the square."""
    p = load_reference("s03").parameters
    E, G, A, I = p["E"], p["G"], p["A"], p["I"]  # noqa: E741
    J = fx.Rectangle(width=1.0, height=1.0).J if torsion is None else torsion
    stiffness = fx.BeamStiffness(
        EA=E * A, EI_y=E * I, EI_z=E * I, GJ=G * J, GA_y=shear * G * A, GA_z=shear * G * A,
        mass_per_length=1.0, rhoI_y=I, rhoI_z=I,
    )  # fmt: skip
    body = fx.FlexibleBody(
        arc(element, (p["R"], 0.0, 0.0), p["R"], math.pi, 0.75 * math.pi, elements),
        element,
        stiffness=stiffness,
        name="bend",
    )
    return fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0.0, 0.0, 600.0)), name="bend")


def arc(
    element: Element, centre: tuple[float, float, float], radius: float, first: float, last: float, elements: int
) -> fx.meshes.Mesh:
    """An arc of so many cells of the element's type."""
    if element.cell_type == "line":
        return fx.meshes.arc(centre, radius=radius, start_angle=first, end_angle=last, elements=elements)
    return fx.meshes.three_node(
        fx.meshes.arc(centre, radius=radius, start_angle=first, end_angle=last, elements=2 * elements)
    )


def run_bend(progress: Progress) -> Outcome:
    """Three loads, both torsion constants, three elements."""
    stored = load_reference("s03")
    quantities, studies, shapes = [], [], []
    at = tuple(load / 600.0 for load in LOADS)
    for name, torsion, shear in BENDS:
        exact = np.array([_tip(stored, load, name) for load in LOADS])
        for label, element, order in ELEMENTS if torsion else ELEMENTS[:2]:
            errors = []
            for elements in COUNTS:
                progress(f"{name}, {label}, {elements} elements")
                model = bend(element, elements, torsion, shear)
                solution = fx.solve_static(model, fx.StaticOptions(at=at[:-1]))
                body = model.body("bend")
                if isinstance(solution, fx.StaticSolution):
                    tips = np.array([solution.position(body.end, solution.at_parameter(s)) for s in at])
                    shapes = [
                        (p, solution.shape(body, solution.at_parameter(s))) for p, s in zip(LOADS, at, strict=True)
                    ]
                else:
                    steps = [int(np.argmin(np.abs(solution.t - s))) for s in at]
                    tips = solution.position(body.end)[steps]
                errors.append(float(np.linalg.norm(tips - exact, axis=1).max() / 100.0))
            for load, tip in zip(LOADS, tips, strict=True) if order == 4.0 else ():
                figures = f"P={load} {name} tip position (x,y,z)"
                for i, axis in enumerate("xyz"):
                    reference = stored.reference(figures, i)
                    quantities.append(
                        measured(f"P = {load}, {name}, {label}: tip {axis}", "in", tip[i], reference.value,
                                 stored.source, reference.uncertainty, rtol=1e-4)
                    )  # fmt: skip
            studies.append(
                ConvergenceStudy(f"tip position by R, {name}, {label}", COUNTS, errors, order, order - 0.3, floor=1e-9,
                                 counts=True)
            )  # fmt: skip
    return Outcome(quantities, studies, (), [("The bend, from above and from the side.", _bends(shapes))])


def _tip(stored: Any, load: int, name: str) -> list[float]:
    return [stored.value(f"P={load} {name} tip position (x,y,z)", i) for i in range(3)]


def _bends(shapes: list[tuple[int, FloatArray]]) -> Any:
    drawing, axes = figure(6.0, 4.2)
    angle = np.linspace(math.pi, 0.75 * math.pi, 50)
    rest = np.column_stack((100 + 100 * np.cos(angle), 100 * np.sin(angle)))
    axes.plot(rest[:, 1], rest[:, 0], color="#7c8794", linewidth=0.9, linestyle=":", label="free of load, x")
    for (load, shape), colour in zip(shapes, COLOURS, strict=False):
        line = shape.reshape(-1, 3)
        axes.plot(line[:, 1], line[:, 2], color=colour, label=f"P = {load}, z")
        axes.plot(line[:, 1], line[:, 0], color=colour, linestyle=(0, (4, 2)), label=f"P = {load}, x")
    axes.set_xlabel("y [in]")
    axes.set_ylabel("x, z [in]")
    axes.set_aspect("equal")
    axes.legend(frameon=False, fontsize="small")
    return drawing


def princeton(elements: int, load: float, degrees: float) -> tuple[fx.StaticSolution, FloatArray]:
    """S12; returns the solution and the axes (x, along the thickness, along the height) as rows."""
    p = load_reference("s12").parameters
    a = math.radians(degrees)
    axes = np.array([[1.0, 0.0, 0.0], [0.0, math.cos(a), math.sin(a)], [0.0, -math.sin(a), math.cos(a)]])
    section = fx.GeneralSection(
        area=p["A"], I_z=p["I_edge"], I_y=p["I_flat"], J=p["J"], shear_y=p["ks"], shear_z=p["ks"]
    )
    material = fx.Elastic(youngs_modulus=p["E"], poissons_ratio=p["nu"], density=2700.0)
    up = np.cross(axes[0], axes[2])  # the height lies along y of the section, so the thickness along its z
    body = fx.FlexibleBody.line(
        (0, 0, 0), (p["L"], 0, 0), elements=elements, element=ANCFBeam(up=(up[0], up[1], up[2])),
        section=section, material=material, name="beam",
    )  # fmt: skip
    model = fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0.0, 0.0, -load)), name="Princeton")
    return fx.solve_static(model), axes


def run_princeton(progress: Progress) -> Outcome:
    """Three loads at five angles."""
    stored = load_reference("s12")
    quantities, errors, drawn = [], [], []
    figures = ("tip displacement (x, along thickness T, along height H)", "tip twist proxy atan2(R32-R23, R22+R33)")
    for elements in COUNTS:
        worst = 0.0
        for load in (4.448, 8.896, 13.345):
            for degrees in (0, 30, 45, 60, 90):
                progress(f"{elements} elements, {load} N at {degrees} degrees")
                solution, axes = princeton(elements, load, degrees)
                end = solution.model.body("beam").end
                moved = axes @ solution.displacement(end, step=-1)
                turned = axes @ solution.section_frame(end, step=-1) @ _section(axes).T @ axes.T
                twist = math.atan2(turned[2, 1] - turned[1, 2], turned[1, 1] + turned[2, 2])
                name = f"P={load:g} angle={degrees} "
                exact = np.array([stored.value(name + figures[0], i) for i in range(3)])
                worst = max(worst, float(np.linalg.norm(moved - exact)) / stored.parameters["L"])
                if elements != COUNTS[-1]:
                    continue
                for i, axis in enumerate(("x", "thickness", "height")):
                    reference = stored.reference(name + figures[0], i)
                    quantities.append(
                        measured(f"{load:g} N, {degrees} degrees: u along {axis}", "m", moved[i], reference.value,
                                 stored.source, reference.uncertainty, rtol=1e-4, atol=1e-8)
                    )  # fmt: skip
                reference = stored.reference(name + figures[1])
                quantities.append(
                    measured(f"{load:g} N, {degrees} degrees: twist", "rad", twist, reference.value, stored.source,
                             reference.uncertainty, rtol=1e-4, atol=1e-8)
                )  # fmt: skip
                drawn.append((load, degrees, moved))
        errors.append(worst)
    study = ConvergenceStudy("largest error of a tip by L", COUNTS, errors, 4.0, 3.7, floor=1e-9, counts=True)
    drawing, axes_ = figure()
    for load, colour in zip((4.448, 8.896, 13.345), COLOURS, strict=False):
        own = [(d, u) for p, d, u in drawn if p == load]
        axes_.plot([d for d, _ in own], [-u[1] for _, u in own], color=colour, marker="o", label=f"{load:g} N, T")
        axes_.plot([d for d, _ in own], [-u[2] for _, u in own], color=colour, marker="s", linestyle=(0, (4, 2)),
                   label=f"{load:g} N, H")  # fmt: skip
    axes_.set_xlabel("angle of the section [degrees]")
    axes_.set_ylabel("tip displacement [m]")
    axes_.legend(frameon=False, fontsize="small")
    return Outcome(
        quantities,
        [study],
        (),
        [("Displacements of the tip along thickness T and height H.", drawing)],
    )


def _section(axes: FloatArray) -> FloatArray:
    """Axes of the section in the stress-free shape, as columns: x, height, and the third."""
    return np.stack((axes[0], axes[2], np.cross(axes[0], axes[2])), axis=1)


def run_buckling(progress: Progress) -> Outcome:
    """The load at which the lowest squared frequency is zero, with a stiffness in the stiff plane beyond all others."""
    stored = load_reference("s06")
    p = stored.parameters
    E, G, L, J, A = p["E"], p["G"], p["L"], p["J"], p["b"] * p["h"]
    weak, material = E * p["Iz"], fx.Elastic(youngs_modulus=E, poissons_ratio=p["nu"], density=7850.0)
    quantities: list[Measured] = []
    found = []
    for elements in COUNTS:
        progress(f"{elements} elements")
        stiffness = fx.BeamStiffness(
            EA=E * A, EI_y=weak, EI_z=1e4 * weak, GJ=G * J, GA_y=G * A, GA_z=G * A, mass_per_length=7850.0 * A,
            rhoI_y=1e-4, rhoI_z=1e-4,
        )  # fmt: skip
        body = _deep(elements, L, stiffness=stiffness)
        found.append(_critical(body, math.sqrt(weak * G * J) / L**2) * L**2 / math.sqrt(weak * G * J))
    name = "P_cr L^2/sqrt(EIz GJ)"
    reference = stored.reference(name)
    quantities.append(
        measured("P L²/sqrt(EI_z GJ), 16 elements", "-", found[-1], reference.value, stored.source,
                 reference.uncertainty, rtol=5e-4)
    )  # fmt: skip
    progress("by a path")
    path = fx.trace_static(_pushed(body, math.sqrt(weak * G * J) / L**2), until=4.6, branches=1)
    quantities.append(
        measured("the same as a bifurcation of a path", "-", path.bifurcations[0].parameter, reference.value,
                 stored.source, reference.uncertainty, rtol=5e-4)
    )  # fmt: skip
    aside = [abs(s.displacement(body.end, -1)[1]) for s in path.at(4.3)]
    quantities.append(
        measured("equilibria at 1.07 of it: straight, and aside to both sides", "-", float(len(aside)), 3.0,
                 "symmetry of the branch", atol=0.1)
    )  # fmt: skip
    progress("the section as it is")
    section = fx.Rectangle(width=p["b"], height=p["h"])
    real = _critical(_deep(16, L, section=section, material=material), math.sqrt(weak * G * J) / L**2)
    stiff = E * p["b"] * p["h"] ** 3 / 12.0
    raised = stored.value("P_cr") / math.sqrt((1.0 - weak / stiff) * (1.0 - G * J / stiff))
    quantities.append(
        measured("P of the section as it is, with its deflection before", "N", real, raised,
                 "the same, divided by sqrt((1 - EI_z/EI_y)(1 - GJ/EI_y))", 0.0, rtol=1e-3)
    )  # fmt: skip
    exact = reference.value
    errors = [abs(f / exact - 1.0) for f in found]
    remark = (
        f"Errors of the first figure with {', '.join(map(str, COUNTS))} elements: "
        f"{', '.join(f'{e:.1e}' for e in errors)}. What remains is the deflection in the stiff plane, which the "
        "reference neglects, and shear."
    )
    return Outcome(quantities, (), (), (), [remark])


def _deep(elements: int, length: float, **made_of: Any) -> fx.FlexibleBody:
    """A beam along x whose height, y of the section, is upright."""
    return fx.FlexibleBody.line(
        (0, 0, 0), (length, 0, 0), elements=elements, element=ANCFBeam(up=(0, -1, 0)), name="beam", **made_of
    )


def _pushed(body: fx.FlexibleBody, load: float) -> fx.Model:
    """Clamped, with a dead force at the tip."""
    return fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0.0, 0.0, -load)), name="deep cantilever")


def _critical(body: fx.FlexibleBody, unit: float) -> float:
    """Tip load at which the tangent of the equilibrium becomes singular."""

    def lowest(factor: float) -> float:
        solution = fx.solve_static(_pushed(body, factor * unit))
        return float(fx.solve_modal(solution, modes=1).eigenvalues[0])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # beyond the critical load the equilibrium is unstable, as it must be
        return float(unit * brentq(lowest, 3.9, 4.1, xtol=1e-7))


def helix(turns: float, radius: float, pitch: float, elements: int) -> fx.meshes.Mesh:
    """A helix about z from (radius, 0, 0), rising at the angle ``pitch``."""
    n = 2 * elements + 1
    angle = np.linspace(0.0, 2 * math.pi * turns, n)
    c, s = np.cos(angle), np.sin(angle)
    points = np.column_stack((radius * c, radius * s, radius * math.tan(pitch) * angle))
    tangent = np.column_stack((-s * math.cos(pitch), c * math.cos(pitch), np.full(n, math.sin(pitch))))
    outward = np.column_stack((c, s, 0.0 * c))
    cells = np.array([[2 * i, 2 * i + 2, 2 * i + 1] for i in range(elements)])
    ends = {"start": np.array([0]), "end": np.array([n - 1])}
    return fx.meshes.Mesh(
        points, (fx.meshes.CellBlock("line3", cells),), ends, point_data={"tangent": tangent, "up": outward}
    )


def run_spring(progress: Progress) -> Outcome:
    """A spring of two turns is pulled from a pitch of 0.1 to one of 0.4 rad: helices both, with uniform strains."""
    turns, pitch0, pitch1, EI, GJ = 2.0, 0.1, 0.4, 1.0, 0.77
    r0 = 1.0
    r1 = r0 * math.cos(pitch1) / math.cos(pitch0)  # as many turns of the same wire
    length = 2 * math.pi * turns * r0 / math.cos(pitch0)
    bending = EI * (math.cos(pitch1) ** 2 / r1 - math.cos(pitch0) ** 2 / r0)
    torsion = GJ * (math.sin(pitch1) * math.cos(pitch1) / r1 - math.sin(pitch0) * math.cos(pitch0) / r0)
    force = (torsion * math.cos(pitch1) - bending * math.sin(pitch1)) / r1
    moment = torsion * math.sin(pitch1) + bending * math.cos(pitch1)
    quantities, errors, counts = [], [], (16, 32, 64)
    stiff = 1e6
    for elements in counts:
        progress(f"{elements} elements")
        wire = fx.FlexibleBody(
            helix(turns, r0, pitch0, elements),
            ANCFBeam(),
            stiffness=fx.BeamStiffness(
                EA=stiff, EI_y=EI, EI_z=EI, GJ=GJ, GA_y=stiff, GA_z=stiff, mass_per_length=1.0, rhoI_y=0.01, rhoI_z=0.01
            ),
            name="spring",
        )
        rise = length * (math.sin(pitch1) - math.sin(pitch0))
        tilt = (pitch1 - pitch0, 0.0, 0.0)  # about the radius, which at both ends lies along x
        model = fx.Model(
            wire,
            fx.Prescribe(wire.start, (r1 - r0, 0.0, 0.0), tilt),
            fx.Prescribe(wire.end, (r1 - r0, 0.0, rise), tilt),
        )
        solution = fx.solve_static(model)
        pull = solution.reaction(wire.end, step=-1)
        about_axis = solution.reaction_moment(wire.end, step=-1) + np.cross(solution.position(wire.end, step=-1), pull)
        errors.append(abs(pull[2] / force - 1.0))
    for name, unit, value, exact in (
        ("pull along the axis", "N", pull[2], force),
        ("pull across the axis, x", "N", pull[0], 0.0),
        ("pull across the axis, y", "N", pull[1], 0.0),
        ("moment about the axis", "N m", about_axis[2], moment),
        ("twisting moment in the middle", "N m", solution.resultant(wire, "M_x", xi=[0.0], step=-1)[32, 0], torsion),
    ):
        quantities.append(measured(name, unit, value, exact, "Love, article 270", 0.0, rtol=1e-4, atol=2e-5))
    study = ConvergenceStudy("pull along the axis", counts, errors, 4.0, 3.6, floor=1e-6, counts=True)
    drawing, axes = figure(5.0, 4.0)
    for which, colour in ((0, "#7c8794"), (-1, COLOURS[0])):
        line = solution.shape(wire, which).reshape(-1, 3)
        axes.plot(line[:, 0], line[:, 2], color=colour, label="free of load" if which == 0 else "pulled")
    axes.set_aspect("equal")
    axes.set_xlabel("x / R")
    axes.set_ylabel("z / R")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return Outcome(quantities, [study], (), [("The spring from the side.", drawing)])


BEND = Case(
    id="s03-bend",
    title="45-degree bend under a load out of its plane",
    area="statics",
    summary=(
        "A clamped arc of 45 degrees with a square section is bent out of its plane, twisted and sheared by a dead "
        "force at its tip; with the torsion constant of the literature and with that of the square."
    ),
    run=run_bend,
    source="K. J. Bathe and S. Bolourchi, Int. J. Numer. Meth. Engng 14 (1979) 961-986; J. C. Simo and L. Vu-Quoc, "
    "Comput. Methods Appl. Mech. Engng 58 (1986) 79-116. Figures: boundary-value problem of the Simo-Reissner rod.",
    equations=(r"n' = 0, \quad m' + r' \times n = 0, \quad N = C_N \Gamma, \quad M = C_M \kappa",),
)
PRINCETON = Case(
    id="s12-princeton",
    title="Princeton beam: bending, torsion and their coupling",
    area="statics",
    summary=(
        "A thin strip of aluminium is clamped with its section turned by 0 to 90 degrees and loaded at its tip by a "
        "dead force: bending in both planes, coupled through twist."
    ),
    run=run_princeton,
    source="E. H. Dowell and J. J. Traybar, AFDL TR-1194 (1975) (experiment); O. A. Bauchau et al., Multibody Syst. "
    "Dyn. 37 (2016) 29-48. Figures: boundary-value problem of the Simo-Reissner rod.",
    equations=(r"n' = 0, \quad m' + r' \times n = 0",),
)
BUCKLING = Case(
    id="s06-lateral-buckling",
    title="Lateral buckling of a deep cantilever",
    area="statics",
    summary=(
        "A cantilever much higher than thick carries a dead force at the centroid of its tip, until it moves sideways "
        "and twists. The load is where the lowest natural frequency about the equilibrium is zero, and where a path of "
        "equilibria has its bifurcation, whose branch is followed."
    ),
    run=run_buckling,
    source="L. Prandtl and A. G. M. Michell (1899); S. P. Timoshenko and J. M. Gere, Theory of Elastic Stability, 6.3.",
    equations=(r"J_{-1/4}(\lambda/2) = 0, \quad \lambda = P L^2 / \sqrt{EI_z\,GJ}",),
)
SPRING = Case(
    id="helical-spring",
    title="Helical spring pulled to four times its pitch",
    area="statics",
    summary=(
        "A wire that is a helix when free is held at both ends and moved into another helix of as many turns. "
        "Curvature and twist are then uniform, and the forces and moments at the ends are known."
    ),
    run=run_spring,
    source="A. E. H. Love, A Treatise on the Mathematical Theory of Elasticity, 4th ed., articles 270 and 271.",
    equations=(
        r"\kappa = \cos^2\alpha / r, \quad \tau = \sin\alpha\cos\alpha / r,",
        r"F = \left(GJ(\tau_1 - \tau_0)\cos\alpha_1 - EI(\kappa_1 - \kappa_0)\sin\alpha_1\right)/r_1, \quad "
        r"M = GJ(\tau_1 - \tau_0)\sin\alpha_1 + EI(\kappa_1 - \kappa_0)\cos\alpha_1",
    ),
    limits=("Kirchhoff's rod is inextensible and rigid in shear: here EA = GA = 1e6 EI/R².",),
    basic=True,
)
