"""S09, S14 and E09: thin square plates, loaded, twisted and vibrating, with both shell elements."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.elements import ShellQuad, ShellTriangle
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.reference.data import load_reference

KINDS: dict[str, Any] = {"quad": ShellQuad, "triangle": ShellTriangle}
SIDES = {"left": "rx", "right": "rx", "bottom": "ry", "top": "ry"}
"""The rotation of each side that is along its normal, and so vanishes where the deflection does."""
THIN = 1e-3
E_MODULUS = 1e9


def square(kind: str, n: int, size: tuple[float, float] = (1.0, 1.0), n_y: int | None = None) -> Any:
    """A rectangle in the x-y plane with the node set ``all``."""
    mesh = fx.meshes.rectangle((0, 0), size, (n, n_y or n), kind).in_space()
    return mesh.with_node_set("all", np.arange(len(mesh.points)))


def plate_part(mesh: Any, kind: str, nu: float, thickness: float = THIN) -> fx.linear.Part:
    """A plate whose mass per area is 1."""
    material = fx.Elastic(youngs_modulus=E_MODULUS, poissons_ratio=nu, density=1.0 / thickness)
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, KINDS[kind](thickness=thickness), material)])


def rigidity(nu: float, thickness: float = THIN) -> float:
    """D = E h^3 / 12 (1 - nu^2)."""
    return E_MODULUS * thickness**3 / (12.0 * (1.0 - nu**2))


def edges(code: str) -> dict[str, tuple[str, ...]]:
    """Supports of the sides x = 0, x = a, y = 0, y = a by their letters, all nodes held in the plane."""
    fixed: dict[str, tuple[str, ...]] = {"all": ("ux", "uy", "rz")}
    for side, letter in zip(("left", "right", "bottom", "top"), code, strict=True):
        if letter == "C":
            fixed[side] = ("uz", "rx", "ry")
        elif letter == "S":
            fixed[side] = ("uz", SIDES[side])
    return fixed


def _centre(mesh: Any, at: tuple[float, float] = (0.5, 0.5)) -> int:
    return int(np.argmin(np.linalg.norm(mesh.points[:, :2] - at, axis=1)))


def _loaded(kind: str, n: int, code: str, nu: float) -> tuple[float, float, float, float]:
    """w D for unit pressure and for a unit force in the centre; moments M_x of the pressure in the centre and at x = 0.

    Inside, stresses averaged at nodes converge with h^2; at a side the quadrilateral gives those of the middle of its
    last element. So the second moment is a parabola through the three nodes next to the side.
    """
    mesh = square(kind, n)
    centre = _centre(mesh)
    loads = {"q": fx.linear.SurfaceLoad("all", pressure=-1.0), "P": fx.linear.NodalForce(centre, (0, 0, 1.0))}
    found = fx.linear.static_response(plate_part(mesh, kind, nu), edges(code), loads)
    D = rigidity(nu)
    q, P = (float(found[name].displacements[centre, 2] * D) for name in ("q", "P"))
    top = found["q"].stresses()[0].values[:, 0] * THIN**2 / 6.0
    next_to = [top[_centre(mesh, (i / n, 0.5))] for i in (1, 2, 3)]
    return q, P, float(top[centre]), float(np.dot([3.0, -3.0, 1.0], next_to))


def run_statics(progress: Progress) -> Outcome:
    """Deflections and moments under refinement."""
    stored = load_reference("s09")
    nu = stored.parameters["nu"]
    quantities, studies, rows = [], [], []
    counts = (8, 16, 32)
    problems = (
        ("SSSS", 0, "SSSS uniform: w_c D/(q a^4)", 2.5e-3),
        ("SSSS", 1, "SSSS central point load: w_c D/(P a^2)", 4e-3),
        ("SSSS", 2, "SSSS uniform: M_c/(q a^2), nu=0.3", 0.01),
        ("CCCC", 0, "CCCC uniform: w_c D/(q a^4)", 2.5e-3),
        ("CCCC", 1, "CCCC central point load: w_c D/(P a^2)", 4e-3),
        ("CCCC", 3, "CCCC uniform: edge-midpoint moment M_n/(q a^2)", 0.01),
    )
    for kind in KINDS:
        found: dict[tuple[str, int], Any] = {}
        for code in ("SSSS", "CCCC"):
            for n in counts:
                progress(f"{kind}, {code}, {n} x {n}")
                found[code, n] = _loaded(kind, n, code, nu)
        for code, which, name, rtol in problems:
            exact = stored.reference(name)
            values = [abs(found[code, n][which]) for n in counts]
            quantities.append(
                measured(f"{kind}: {name}", "-", values[-1], exact.value, stored.source, exact.uncertainty, rtol=rtol)
            )
            errors = [value / exact.value - 1.0 for value in values]
            rows.append((kind, name, *(f"{e:+.1e}" for e in errors)))
            if which < 2:
                # under a force the moments are infinite: h^2 times a logarithm
                least = 1.5 if which == 1 else 1.85
                studies.append(
                    ConvergenceStudy(f"{kind}: {name}", counts, [abs(e) for e in errors], 2.0, least, counts=True)
                )
    table = Table("Relative errors", ("element", "quantity", "8 x 8", "16 x 16", "32 x 32"), rows)
    return Outcome(quantities, studies, [table])


def run_twist(progress: Progress) -> Outcome:
    """Three corners supported, the fourth pulled down."""
    stored = load_reference("s14")
    p = stored.parameters
    material = fx.Elastic(youngs_modulus=p["E"], poissons_ratio=p["nu"], density=7850.0)
    quantities = []
    names = (
        "deflection at the loaded corner = P a^2/(2 D (1-nu))",
        "deflection at the plate centre (a quarter of the corner value)",
        "twisting moment |m_xy| = P/2",
    )
    for kind in KINDS:
        progress(kind)
        mesh = square(kind, 8, (p["a"], p["a"]))
        one, two, three, loaded = (_centre(mesh, c) for c in ((0, 0), (1, 0), (0, 1), (1, 1)))
        part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, KINDS[kind](thickness=p["h"]), material)])
        fixed = {one: ("ux", "uy", "uz"), two: ("uy", "uz"), three: ("uz",)}
        solution = fx.linear.static_response(part, fixed, fx.linear.NodalForce(loaded, (0, 0, -1.0)))
        centre = _centre(mesh)
        moment = abs(solution.stresses()[0].values[centre, 3]) * p["h"] ** 2 / 6.0
        values = (-solution.displacements[loaded, 2], -solution.displacements[centre, 2], moment)
        for name, unit, value in zip(names, ("m", "m", "N m/m"), values, strict=True):
            known = stored.reference(name)
            quantities.append(
                measured(f"{kind}: {name}", unit, value, known.value, stored.source, known.uncertainty, rtol=2e-3)
            )
    remark = (
        "Shear makes a plate with free edges softer by a layer of the width of the thickness along them: by 0.3 to "
        "0.7 % here, once the mesh resolves that layer (64 x 64). Coarser meshes give the result of thin plates."
    )
    return Outcome(quantities, remarks=[remark])


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
"""Letters in the order x = 0, x = a, y = 0, y = b; name of the figure; nu; b / a."""


def run_modes(progress: Progress) -> Outcome:
    """All edges, both elements."""
    stored = load_reference("e09")
    quantities, studies, rows = [], [], []
    counts = (8, 16, 32)
    for code, name, nu, width in MODES:
        for kind in KINDS:
            progress(f"{code}, {kind}")
            count = 6 if "1..6" in name else 5
            exact = [stored.reference(name, i) for i in range(count)]
            found = {}
            for n in counts:
                mesh = square(kind, n, (1.0, width), max(int(n * width), 1))
                rigid = 3 if code == "FFFF" else 0
                modes = fx.linear.vibration_modes(plate_part(mesh, kind, nu), count + rigid, edges(code))
                found[n] = modes.angular_frequencies[rigid:] / np.sqrt(rigidity(nu))
            for i in range(count):
                quantities.append(
                    measured(f"{kind}: {name.split(' =')[0]}, mode {i + 1}", "-", found[32][i], exact[i].value,
                             stored.source, exact[i].uncertainty, rtol=1.5e-2)
                )  # fmt: skip
            label = f"{code}, b/a = {width:g}, nu = {nu:.3g}"
            errors = [max(abs(found[n][i] / exact[i].value - 1.0) for i in range(count)) for n in counts]
            studies.append(ConvergenceStudy(f"{kind}, {label}, worst mode", counts, errors, 2.0, 1.8, counts=True))
            rows.append((kind, label, *(f"{e:.1e}" for e in errors)))
    table = Table(
        "Largest relative error of the first modes", ("element", "edges", *(f"{n} cells" for n in counts)), rows
    )
    return Outcome(quantities, studies, [table])


STATICS = Case(
    id="s09-plates",
    title="Square plates under pressure and a central force",
    area="statics",
    summary=(
        "Deflections and moments of a thin square plate with simply supported or clamped sides, by both shell "
        "elements. The plate is a thousand times as wide as thick, so that shear plays no part."
    ),
    run=run_statics,
    source="S. Timoshenko and S. Woinowsky-Krieger, Theory of Plates and Shells, 1959; R. L. Taylor and S. Govindjee, "
    "Commun. Numer. Methods Eng. 20 (2004) 757-765.",
    equations=(r"D\,\Delta\Delta w = q, \quad D = \dfrac{E h^3}{12 (1 - \nu^2)}",),
)

TWIST = Case(
    id="s14-twist",
    title="Square plate twisted by a force at its corner",
    area="statics",
    summary="A square plate on three corners, loaded at the fourth, twists uniformly: a state all plate elements meet.",
    run=run_twist,
    source="S. Timoshenko and S. Woinowsky-Krieger, Theory of Plates and Shells, 1959, section 11.",
    equations=(r"w = \dfrac{P\,x y}{2 D (1 - \nu)}",),
)

VIBRATION = Case(
    id="e09-plates",
    title="Natural frequencies of thin square plates",
    area="modes",
    summary=(
        "The first modes of square plates with eight combinations of simply supported, clamped and free sides, by "
        "both shell elements on three meshes."
    ),
    run=run_modes,
    source="A. W. Leissa, J. Sound Vib. 31 (1973) 257-293; reference values converged anew by the Ritz method.",
    equations=(r"\lambda = \omega a^2 \sqrt{\rho h / D}",),
    slow=True,
)
