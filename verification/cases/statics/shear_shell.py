"""Plates of the shear-deformable absolute-nodal shell: S09, S14, E09, S10, layers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.laminate import Ply
from flexmbs.core.material import Orthotropic
from flexmbs.elements import ANCFShell, ShellQuad
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.statics.absolute_nodal_shells import mapped, material
from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.reference.laminated_plate import CrossPly, navier_deflection, shear_stiffness

SIDES = {"left": (0, 1, 0), "right": (0, 1, 0), "bottom": (1, 0, 0), "top": (1, 0, 0)}
"""Sides in the order of the letters, and the directions along them."""
SMALL = 1e-4
"""Deflection by thickness of problems of linear theory; stretch of the middle surface adds its square."""
CARBON: dict[str, Any] = {"E_1": 25.0, "E_2": 1.0, "nu_12": 0.25, "G_12": 0.5, "G_13": 0.5, "G_23": 0.2}
COUNTS = (8, 16, 32)


def plate(n: int, section: Any, elastic: Any, side: float = 1.0, n_y: int | None = None) -> fx.FlexibleBody:
    """A plate of unit length, n by n cells."""
    return fx.FlexibleBody.plate(
        (1.0, side), elements=(n, n_y or n), element=ANCFShell(), section=section, material=elastic, name="plate"
    )


def held(body: fx.FlexibleBody, code: str, flat: bool = True) -> list[Any]:
    """Supports of the sides x = 0, x = a, y = 0, y = b by their letters; simple ones hold what lies along them.

    ``flat``: all nodes are held in the plane.
    """
    supports: list[Any] = []
    for (side, along), letter in zip(SIDES.items(), code, strict=True):
        if letter == "C":
            supports.append(fx.Clamp(body.set(side)))
        elif letter == "S":
            supports += [fx.Roller(body.set(side), (0, 0, 1)), fx.Symmetry(body.set(side), along)]
    if flat:
        everywhere = fx.Attachment(body, tuple(range(body.mesh.n_points)), "all")
        supports += [fx.Roller(everywhere, (1, 0, 0)), fx.Roller(everywhere, (0, 1, 0))]
    return supports


def deflection(
    body: fx.FlexibleBody, supports: list[Any], load: Any, at: fx.Attachment
) -> tuple[float, fx.StaticSolution]:
    """Displacement along z in one step."""
    options = fx.StaticOptions(steps=1, check_stability=False)
    solution = fx.solve_static(fx.Model(body, *supports, load), options)
    return float(solution.displacement(at, step=-1)[2]), solution


def run_plates(progress: Progress) -> Outcome:
    """Simply supported and clamped, thin and moderately thick; the plate in pure twist."""
    stored = load_reference("s09")
    quantities: list[Measured] = []
    studies, rows = [], []
    elastic = fx.Elastic(youngs_modulus=1e9, poissons_ratio=0.3, density=1.0)
    h = 1e-3
    D = 1e9 * h**3 / (12 * (1 - 0.3**2))
    problems = (
        ("SSSS", "q", "SSSS uniform: w_c D/(q a^4)"),
        ("SSSS", "P", "SSSS central point load: w_c D/(P a^2)"),
        ("CCCC", "q", "CCCC uniform: w_c D/(q a^4)"),
        ("CCCC", "P", "CCCC central point load: w_c D/(P a^2)"),
    )
    for code, load, name in problems:
        progress(name)
        exact = stored.reference(name)
        values = []
        for n in COUNTS:
            body = plate(n, fx.ShellSection(h), elastic)
            centre = body.at((0.5, 0.5, 0.0))
            size = SMALL * h * D / exact.value
            force = fx.DistributedLoad(body, (0, 0, size)) if load == "q" else fx.PointForce(centre, (0, 0, size))
            w, solution = deflection(body, held(body, code), force, centre)
            values.append(w * D / size)
            if name.startswith("SSSS uniform") and n == COUNTS[-1]:
                middle = slice(n // 2 - 1, n // 2 + 1)
                M = solution.resultant(body, "M_11", step=-1).reshape(n, n)[middle, middle]
                known = stored.reference("SSSS uniform: M_c/(q a^2), nu=0.3")
                quantities.append(
                    measured("SSSS uniform: moment in the centre / (q a^2), mean of four cells", "-",
                             abs(float(M.mean())) / size, known.value, stored.source, known.uncertainty, rtol=0.01)
                )  # fmt: skip
        quantities.append(measured(name, "-", values[-1], exact.value, stored.source, exact.uncertainty, rtol=5e-3))
        errors = [value / exact.value - 1.0 for value in values]
        rows.append((name, *(f"{e:+.1e}" for e in errors)))
        if load == "q":
            studies.append(ConvergenceStudy(name, COUNTS, [abs(e) for e in errors], 2.0, 1.8, counts=True))
    isotropic = {"E_1": 1.0, "E_2": 1.0, "nu_12": 0.3, "G_12": 0.5 / 1.3, "G_13": 0.5 / 1.3, "G_23": 0.5 / 1.3}
    for slenderness in (5.0, 10.0, 20.0):
        progress(f"a/h = {slenderness:g}")
        one = CrossPly(**isotropic, thickness=1.0 / slenderness, along_y=(False,))
        exact_w = navier_deflection(one, 1.0, 60, shear_stiffness(one))
        body = plate(
            32, fx.ShellSection(1 / slenderness), fx.Elastic(youngs_modulus=1.0, poissons_ratio=0.3, density=1.0)
        )
        size = SMALL / slenderness / exact_w
        w, _ = deflection(body, held(body, "SSSS"), fx.DistributedLoad(body, (0, 0, size)), body.at((0.5, 0.5, 0)))
        quantities.append(
            measured(f"SSSS uniform, a/h = {slenderness:g}: w_c E/(q a), with shear", "-", w / size, exact_w,
                     "Navier series of first-order theory", 1e-6 * exact_w, rtol=3e-3)
        )  # fmt: skip
        rows.append((f"SSSS uniform, a/h = {slenderness:g}", "", "", f"{w / size / exact_w - 1.0:+.1e}"))
    quantities += _twist()
    head = ("problem", *(f"{n} x {n}" for n in COUNTS))
    return Outcome(quantities, studies, [Table("Relative errors", head, rows)])


def _twist() -> list[Measured]:
    stored = load_reference("s14")
    p = stored.parameters
    elastic = fx.Elastic(youngs_modulus=p["E"], poissons_ratio=p["nu"], density=7850.0)
    body = plate(8, fx.ShellSection(p["h"]), elastic)
    one, two, three, four = (body.at((x, y, 0.0)) for x, y in ((0, 0), (1, 0), (0, 1), (1, 1)))
    supports = [fx.Pin(one), fx.Roller(two, (0, 0, 1)), fx.Roller(two, (0, 1, 0)), fx.Roller(three, (0, 0, 1))]
    w, solution = deflection(body, supports, fx.PointForce(four, (0, 0, -1.0)), four)
    middle = -float(solution.displacement(body.at((0.5, 0.5, 0.0)), step=-1)[2])
    moment = float(np.abs(solution.resultant(body, "M_12", step=-1)).mean())
    names = (
        "deflection at the loaded corner = P a^2/(2 D (1-nu))",
        "deflection at the plate centre (a quarter of the corner value)",
        "twisting moment |m_xy| = P/2",
    )
    return [
        measured(f"pure twist: {name}", unit, value, stored.value(name), stored.source, rtol=2e-3)
        for name, unit, value in zip(names, ("m", "m", "N m/m"), (-w, middle, moment), strict=True)
    ]


MODES = (
    ("SSSS", "SSSS lambda_1..6 = omega a^2 sqrt(rho h/D), nu=0.3", 0.3, 1.0),
    ("CCCC", "CCCC lambda_1..6 = omega a^2 sqrt(rho h/D), nu=0.3", 0.3, 1.0),
    ("FFFF", "FFFF (3 rigid modes removed) lambda_1..6 = omega a^2 sqrt(rho h/D), nu=0.3", 0.3, 1.0),
    ("CFFF", "CFFF lambda_1..6 = omega a^2 sqrt(rho h/D), nu=0.3", 0.3, 1.0),
    ("SSCC", "SCSC lambda_1..6 = omega a^2 sqrt(rho h/D), nu=0.3", 0.3, 1.0),
    ("SSFF", "SFSF lambda_1..6 = omega a^2 sqrt(rho h/D), nu=0.3", 0.3, 1.0),
    ("CFFF", "CFFF a/b=2 (a = free length from the clamp) lambda_1..5", 0.3, 0.5),
    ("FFFF", "FFFF nu=1/6 lambda_1..5", 1.0 / 6.0, 1.0),
)


def run_modes(progress: Progress) -> Outcome:
    """All edges on three meshes."""
    stored = load_reference("e09")
    quantities: list[Measured] = []
    studies, rows = [], []
    h = 1e-3
    for code, name, nu, width in MODES:
        count = 6 if "1..6" in name else 5
        exact = [stored.reference(name, i) for i in range(count)]
        rigid = 3 if code == "FFFF" else 0
        elastic = fx.Elastic(youngs_modulus=1e9, poissons_ratio=nu, density=1.0 / h)
        errors = []
        for n in COUNTS:
            progress(f"{code}, {n} cells")
            body = plate(n, fx.ShellSection(h), elastic, width, max(int(n * width), 1))
            modes = fx.solve_modal(fx.Model(body, *held(body, code)), count + rigid)
            found = modes.angular_frequencies[rigid:] / math.sqrt(1e9 * h**3 / (12 * (1 - nu**2)))
            errors.append(max(abs(found[i] / exact[i].value - 1.0) for i in range(count)))
        for i in range(count):
            quantities.append(
                measured(f"{name.split(' =')[0]}, mode {i + 1}", "-", found[i], exact[i].value, stored.source,
                         exact[i].uncertainty, rtol=1.5e-2)
            )  # fmt: skip
        label = f"{code}, b/a = {width:g}, nu = {nu:.3g}"
        studies.append(ConvergenceStudy(f"{label}, worst mode", COUNTS, errors, 2.0, 1.8, counts=True))
        rows.append((label, *(f"{e:.1e}" for e in errors)))
    table = Table("Largest relative error of the first modes", ("edges", *(f"{n} cells" for n in COUNTS)), rows)
    return Outcome(quantities, studies, [table])


def run_membranes(progress: Progress) -> Outcome:
    """Cook's panel with three numbers of enhanced strains; layered plates."""
    stored = load_reference("s10")
    p = stored.parameters
    corners = np.array(p["corners"], dtype=float)
    name = "vertical displacement at the midpoint of the right edge (48,52)"
    quantities: list[Measured] = []
    rows = []
    counts = (2, 4, 8, 16, 32)
    for enhanced in (0, 4, 7):
        progress(f"Cook's panel, {enhanced} enhanced strains")
        values = []
        for n in counts:

            def points(u: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
                shapes = np.stack(((1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v))
                x, y = corners.T @ shapes
                return x, y, 0.0 * x

            body = fx.FlexibleBody(
                mapped((n, n), points), ANCFShell(enhanced=enhanced), fx.ShellSection(p["t"]), material(p), name="panel"
            )
            everywhere = fx.Attachment(body, tuple(range(body.mesh.n_points)), "all")
            load = fx.EdgeLoad(body.set("right"), (0, SMALL / 16.0, 0))
            model = fx.Model(body, fx.Clamp(body.set("left")), fx.Guide(everywhere, (0, 0, 1)), load)
            solution = fx.solve_static(model, fx.StaticOptions(steps=1, check_stability=False))
            values.append(float(solution.displacement(body.at((48, 52, 0)), step=-1)[1]) / SMALL)
        rows.append((str(enhanced), *(f"{value:.3f}" for value in values)))
    known = stored.reference(name)
    quantities.append(
        measured(f"32 x 32: {name}", "-", values[-1], known.value, stored.source, known.uncertainty, rtol=2.5e-3)
    )
    table = Table("Cook: deflection by number of enhanced strains", ("number", *(f"{n} x {n}" for n in counts)), rows)
    layered, studies, errors = _layered(progress)
    return Outcome([*quantities, *layered], studies, [table, errors])


def _layered(progress: Progress) -> tuple[list[Measured], list[ConvergenceStudy], Table]:
    """[0/90] and [0/90/90/0] under pressure, against the series and the linear element."""
    quantities: list[Measured] = []
    studies, rows = [], []
    counts = (8, 12, 20)
    carbon = Orthotropic(**CARBON, E_3=1.0, nu_13=0.25, nu_23=0.25, density=1.0)
    for name, along_y in (("[0/90]", (False, True)), ("[0/90/90/0]", (False, True, True, False))):
        for slenderness in (10.0, 100.0):
            progress(f"{name}, a/h = {slenderness:g}")
            h = 1.0 / slenderness
            series = CrossPly(**CARBON, thickness=h, along_y=along_y)
            exact = navier_deflection(series, 1.0, 60, shear_stiffness(series))
            plies = tuple(Ply(carbon, h / len(along_y), 0.5 * math.pi * turned) for turned in along_y)
            size = SMALL * h / exact
            values = []
            for n in counts:
                body = plate(n, fx.Layup(plies), None)
                load = fx.DistributedLoad(body, (0, 0, size))
                w, _ = deflection(body, held(body, "SSSS", flat=False), load, body.at((0.5, 0.5, 0.0)))
                values.append(w / size)
            label = f"{name}, a/h = {slenderness:g}"
            quantities.append(
                measured(f"{label}: deflection", "-", values[-1], exact, "Navier series", 1e-6 * exact, rtol=2.5e-3)
            )
            linear = _linear(plies, counts[-1])
            quantities.append(
                measured(f"{label}: deflection, against the linear ShellQuad", "-", values[-1], linear,
                         "flexmbs.elements.ShellQuad, the same mesh", 1e-9, rtol=1e-6)
            )  # fmt: skip
            errors = [value / exact - 1.0 for value in values]
            if len(along_y) == 2:
                studies.append(ConvergenceStudy(label, counts, [abs(e) for e in errors], 2.0, 1.6, counts=True))
            rows.append((label, *(f"{e:+.1e}" for e in errors), f"{values[-1] / linear - 1.0:+.1e}"))
    head = ("plate", *(f"{n} x {n}" for n in counts), "ShellQuad, 20 x 20")
    return quantities, studies, Table("Layered plates: relative errors, and difference from ShellQuad", head, rows)


def _linear(plies: tuple[Ply, ...], n: int) -> float:
    flat = fx.meshes.rectangle((0, 0), (1, 1), (n, n)).in_space()
    mesh = flat.with_node_set("all", np.arange(flat.n_points))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, ShellQuad(layers=plies, reference=(1.0, 0.0, 0.0)))])
    across, up = ("uy", "uz", "rx"), ("ux", "uz", "ry")
    supports = {"left": across, "right": across, "bottom": up, "top": up}
    solution = fx.linear.static_response(part, supports, fx.linear.SurfaceLoad("all", pressure=-1.0))
    centre = int(np.argmin(np.linalg.norm(mesh.points[:, :2] - 0.5, axis=1)))
    return float(solution.displacements[centre, 2])


_PLATES = "S. Timoshenko and S. Woinowsky-Krieger, Theory of Plates and Shells, 1959"

PLATES = Case(
    id="shear-shell-plates",
    title="Absolute-nodal shells: square plates and pure twist",
    area="statics",
    summary=(
        "Small deflections of square plates by the shear-deformable absolute-nodal shell: thin ones against "
        "Kirchhoff's theory, moderately thick ones against Navier's series with shear, and a plate in pure twist."
    ),
    run=run_plates,
    slow=True,
    source=_PLATES + ".",
    equations=(r"D\,\Delta\Delta w = q, \quad D = \dfrac{E h^3}{12 (1 - \nu^2)}",),
    limits=("Simple supports are hard: director and point are held along the side.",),
)
VIBRATION = Case(
    id="shear-shell-modes",
    title="Absolute-nodal shells: frequencies of square plates",
    area="modes",
    summary="The first modes of thin square plates with eight combinations of sides, on three meshes.",
    run=run_modes,
    slow=True,
    source="A. W. Leissa, J. Sound Vib. 31 (1973) 257-293; reference values converged anew by the Ritz method.",
    equations=(r"\lambda = \omega a^2 \sqrt{\rho h / D}",),
)
MEMBRANES = Case(
    id="shear-shell-membranes",
    title="Absolute-nodal shells: Cook's panel and layered plates",
    area="elements",
    summary=(
        "A tapered panel in its plane with none, four and seven enhanced strains; plates of unidirectional layers, "
        "[0/90] and [0/90/90/0], against Navier's series and against the linear shell on the same mesh."
    ),
    run=run_membranes,
    slow=True,
    source="R. D. Cook, J. Struct. Div. ASCE 100 (1974); J. N. Reddy, Mechanics of Laminated Composite Plates and "
    "Shells, 2nd ed., 2004.",
)
