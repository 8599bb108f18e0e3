"""Thin absolute-nodal plates about their flat shape: S09, S14, E09, and the tensioned strip E06."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import AccuracyWarning
from flexmbs.elements import ANCFThinPlate, PlateCurvature
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.statics.plates import MODES
from flexmbs.verification.reference.data import load_reference

KINDS = (("48", ANCFThinPlate(), 4.0), ("36", ANCFThinPlate(mixed=False), 2.0))
"""Label, element, order of convergence of displacements and frequencies."""
THIN, E_MODULUS = 1e-2, 1e7


def quarter(element: ANCFThinPlate, n: int, code: str, load: str) -> tuple[float, float, float]:
    """S09 of a quarter plate of n x n elements: w in the centre times the stiffness, moments there and at x = 0.

    The load is so small that the plate is linear to about 1e-6.
    """
    nu = load_reference("s09").parameters["nu"]
    D = E_MODULUS * THIN**3 / (12.0 * (1.0 - nu**2))
    material = fx.Elastic(youngs_modulus=E_MODULUS, density=1.0, poissons_ratio=nu)
    body = fx.FlexibleBody.plate(
        (0.5, 0.5), elements=(n, n), element=element, section=fx.ShellSection(THIN), material=material
    )
    kind: Any = fx.Clamp if code == "CCCC" else lambda at: fx.Roller(at, (0, 0, 1))
    supports = [kind(body.set(side)) for side in ("left", "bottom")]
    supports += [fx.Symmetry(body.set("right"), (1, 0, 0)), fx.Symmetry(body.set("top"), (0, 1, 0))]
    size = 1e-3 * D * THIN
    centre = body.node(body.mesh.n_points - 1)
    q, P = (200.0 * size, 0.25 * 50.0 * size)
    force = fx.Gravity((0, 0, -q / THIN)) if load == "q" else fx.PointForce(centre, (0.0, 0.0, -P))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)
        solution = fx.solve_static(fx.Model(body, *supports, force))
    moments = _moments(body, solution)
    scale = q if load == "q" else 4.0 * P
    return -solution.displacement(centre, step=-1)[2] * D / scale, moments[-1] / scale, moments[-n] / scale


def _moments(body: fx.FlexibleBody, solution: fx.StaticSolution) -> FloatArray:
    """M_11 of the elements at their corner (1, 1) and, in the first column of the last row, at (-1, 1); all others."""
    group = solution.system.group(body)
    q = solution.q[-1]
    rows = round(math.sqrt(len(group.dofs)))
    element: Any = body.element
    at = element.stress_resultants(group, q, 0.0 * q, np.array([[1.0, 1.0], [-1.0, 1.0]]))[..., 3]
    values = np.array(at[:, 0])
    values[-rows] = at[-rows, 1] if rows > 1 else at[-1, 1]
    return values


def run_statics(progress: Progress) -> Outcome:
    """Deflections and moments under refinement."""
    stored = load_reference("s09")
    problems = (
        ("SSSS", "q", 0, "SSSS uniform: w_c D/(q a^4)", 1e-5),
        ("SSSS", "q", 1, "SSSS uniform: M_c/(q a^2), nu=0.3", 2e-3),
        ("SSSS", "P", 0, "SSSS central point load: w_c D/(P a^2)", 1e-3),
        ("CCCC", "q", 0, "CCCC uniform: w_c D/(q a^4)", 2e-5),
        ("CCCC", "q", 2, "CCCC uniform: edge-midpoint moment M_n/(q a^2)", 2e-2),
        ("CCCC", "P", 0, "CCCC central point load: w_c D/(P a^2)", 2e-3),
    )
    counts = (4, 8, 16)
    quantities, studies, rows = [], [], []
    for label, element, order in KINDS:
        found: dict[Any, Any] = {}
        for code, load in (("SSSS", "q"), ("SSSS", "P"), ("CCCC", "q"), ("CCCC", "P")):
            for n in counts:
                progress(f"{label}, {code}, {n} x {n}")
                found[code, load, n] = quarter(element, n, code, load)
        for code, load, which, name, allowed in problems:
            exact = stored.reference(name)
            errors = [abs(abs(found[code, load, n][which]) / exact.value - 1.0) for n in counts]
            rows.append((label, name, *(f"{e:.1e}" for e in errors)))
            value = abs(found[code, load, counts[-1]][which])
            rtol = allowed if order == 4.0 else 0.02  # moments at nodes and points under forces: h^2 for all plates
            quantities.append(
                measured(f"{label}: {name}", "-", value, exact.value, stored.source, exact.uncertainty, rtol=rtol)
            )
            if which == 0 and load == "q":
                studies.append(
                    ConvergenceStudy(f"{label}: {name}", counts, errors, order, 1.7 if order == 2.0 else 3.3,
                                     floor=1e-8, counts=True)
                )  # fmt: skip
    table = Table("Relative errors, elements along half a side", ("plate", "quantity", "4", "8", "16"), rows)
    return Outcome(quantities, studies, [table])


def run_twist(progress: Progress) -> Outcome:
    """Three corners held, the fourth pulled down: two elements of each kind are exact."""
    stored = load_reference("s14")
    p = stored.parameters
    material = fx.Elastic(youngs_modulus=p["E"], poissons_ratio=p["nu"], density=7850.0)
    names = (
        "deflection at the loaded corner = P a^2/(2 D (1-nu))",
        "deflection at the plate centre (a quarter of the corner value)",
        "twisting moment |m_xy| = P/2",
    )
    quantities = []
    kinds = (
        *((label, element) for label, element, _ in KINDS),
        ("simple", ANCFThinPlate(curvature=PlateCurvature.SIMPLE)),
    )
    for label, element in kinds:
        progress(label)
        body = fx.FlexibleBody.plate(
            (p["a"], p["a"]), elements=(2, 2), element=element, section=fx.ShellSection(p["h"]), material=material
        )
        held = (fx.Pin(body.node(0)), fx.Prescribe(body.node(2), (None, 0.0, 0.0)), fx.Roller(body.node(6), (0, 0, 1)))
        force = fx.PointForce(body.node(8), (0.0, 0.0, -1.0))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AccuracyWarning)
            solution = fx.solve_static(fx.Model(body, *held, force))
        group: Any = solution.system.group(body)
        q = solution.q[-1]
        moment = abs(element.stress_resultants(group, q, 0.0 * q, np.zeros((1, 2)))[0, 0, 5])
        first, second = (-solution.displacement(body.node(n), step=-1)[2] for n in (8, 4))
        values = (first, second, moment)
        for name, unit, value in zip(names, ("m", "m", "N m/m"), values, strict=True):
            known = stored.reference(name)
            quantities.append(  # round-off and membrane strains of the second order in w/h = 4e-3
                measured(f"{label}: {name}", unit, value, known.value, stored.source, known.uncertainty, rtol=2e-5)
            )
    return Outcome(quantities)


def modes(element: ANCFThinPlate, n: int, code: str, nu: float, width: float, count: int) -> FloatArray:
    """omega a^2 sqrt(rho h / D) of the lowest bending modes."""
    D = E_MODULUS * 1e-9 / (12.0 * (1.0 - nu**2))
    material = fx.Elastic(youngs_modulus=E_MODULUS, density=1e3, poissons_ratio=nu)
    body = fx.FlexibleBody.plate(
        (1.0, width),
        elements=(n, max(int(n * width), 1)),
        element=element,
        section=fx.ShellSection(1e-3),
        material=material,
    )
    kinds: dict[str, Any] = {"C": fx.Clamp, "S": fx.Pin}
    sides = zip(("left", "right", "bottom", "top"), code, strict=True)
    model = fx.Model(body, *(kinds[letter](body.set(side)) for side, letter in sides if letter != "F"))
    # free plates have six rigid motions
    found = np.sort(np.abs(fx.solve_modal(model, count + (6 if code == "FFFF" else 0)).eigenvalues))
    omega = np.sqrt(found / D)
    return np.asarray(omega[omega > 1.0][:count])


def run_modes(progress: Progress) -> Outcome:
    """Eight combinations of edges, both elements."""
    stored = load_reference("e09")
    quantities, studies, rows = [], [], []
    counts = (4, 8, 16)
    for code, name, nu, width in MODES:
        count = 6 if "1..6" in name else 5
        exact = [stored.reference(name, i) for i in range(count)]
        for label, element, order in KINDS:
            progress(f"{code}, {label}")
            found = {n: modes(element, n, code, nu, width, count) for n in counts}
            allowed = 1.5e-2 if order == 2.0 else (2e-3 if code == "CFFF" else 5e-4)
            for i in range(count):
                quantities.append(
                    measured(f"{label}: {name.split(' =')[0]}, mode {i + 1}", "-", found[16][i], exact[i].value,
                             stored.source, exact[i].uncertainty, rtol=allowed)
                )  # fmt: skip
            text = f"{code}, b/a = {width:g}, nu = {nu:.3g}"
            errors = [max(abs(found[n][i] / exact[i].value - 1.0) for i in range(count)) for n in counts]
            # corners between clamped and free sides are singular; four cells are few for a second order
            least = (2.2 if code == "CFFF" else 3.5) if order == 4.0 else 1.4
            studies.append(ConvergenceStudy(f"{label}, {text}, worst mode", counts, errors, order, least, counts=True))
            rows.append((label, text, *(f"{e:.1e}" for e in errors)))
    table = Table(
        "Largest relative error of the first modes", ("plate", "edges", *(f"{n} cells" for n in counts)), rows
    )
    return Outcome(quantities, studies, [table])


def run_tension(progress: Progress) -> Outcome:
    """E06: bending and twisting of a strip under tension, as a string with stiffness."""
    stored = load_reference("e06")
    p = stored.parameters
    material = fx.Elastic(youngs_modulus=p["E"], poissons_ratio=p["nu"], density=p["rho"])
    tension, quantities, rows = 24000.0, [], []
    names = ("T=24000 N flexion f1..4 (pinned, constant T)", "T=24000 N torsion f1..4 (constant T)")
    for label, element, _ in KINDS:
        for n in (10, 20):
            progress(f"{label}, {n} elements")
            body = fx.FlexibleBody.plate(
                (p["L"], p["b"]), elements=(n, 1), element=element, section=fx.ShellSection(p["t"]), material=material
            )
            left, right = body.set("left"), body.set("right")
            held = [fx.Roller(left, (1, 0, 0)), fx.Roller(left, (0, 0, 1)), fx.Roller(right, (0, 0, 1))]
            held += [fx.Roller(body.node(0), (0, 1, 0)), fx.Roller(body.node(n), (0, 1, 0))]
            model = fx.Model(body, *held, fx.EdgeLoad(right, (tension / p["b"], 0.0, 0.0)))
            found = fx.solve_modal(fx.solve_static(model), 12)
            bending, twisting = _kinds(found, body)
            for name, values in zip(names, (bending, twisting), strict=True):
                known = [stored.reference(name, i) for i in range(4)]
                errors = [f"{v / k.value - 1.0:+.1e}" for v, k in zip(values, known, strict=True)]
                rows.append((label, n, name.split()[2], *errors))
                for i in range(4) if n == 20 else ():
                    quantities.append(
                        measured(f"{label}: {name}, {i + 1}", "Hz", values[i], known[i].value, stored.source,
                                 known[i].uncertainty, rtol=2e-3)
                    )  # fmt: skip
    table = Table("Relative errors", ("plate", "elements", "motion", "1", "2", "3", "4"), rows)
    return Outcome(quantities, tables=[table])


def _kinds(found: fx.ModalSolution, body: fx.FlexibleBody) -> tuple[list[float], list[float]]:
    """The first four frequencies [Hz] of bending out of the plane and of twist."""
    bending: list[float] = []
    twisting: list[float] = []
    for m in range(len(found)):
        low, high = (np.asarray(found.displacement(body.set(side), m)) for side in ("bottom", "top"))
        both, opposed = np.abs(low + high)[:, 2].max(), np.abs(low - high)[:, 2].max()
        if max(both, opposed) > np.abs(low[:, 1]).max():
            (bending if both > opposed else twisting).append(float(found.frequencies[m]))
    return bending[:4], twisting[:4]


PLATES = "by the absolute-nodal thin plates with 48 and with 36 coordinates"

STATICS = Case(
    id="thin-plate-statics",
    title="Square plates by absolute-nodal thin plates",
    area="statics",
    summary=f"Deflections and moments of a thin square plate under pressure and a central force, {PLATES}.",
    run=run_statics,
    source="S. Timoshenko and S. Woinowsky-Krieger, Theory of Plates and Shells, 1959; R. L. Taylor and S. Govindjee, "
    "Commun. Numer. Methods Eng. 20 (2004) 757-765.",
    equations=(r"D\,\Delta\Delta w = q, \quad D = \dfrac{E h^3}{12 (1 - \nu^2)}",),
    limits=("Moments at nodes converge with the square of the element size.",),
    slow=True,
)

TWIST = Case(
    id="thin-plate-twist",
    title="Constant twist of absolute-nodal thin plates",
    area="statics",
    summary="A square plate on three corners, loaded at the fourth, twists uniformly: thin plates are exact.",
    run=run_twist,
    source="S. Timoshenko and S. Woinowsky-Krieger, Theory of Plates and Shells, 1959, section 11.",
    equations=(r"w = \dfrac{P\,x y}{2 D (1 - \nu)}",),
)

VIBRATION = Case(
    id="thin-plate-modes",
    title="Natural frequencies of absolute-nodal thin plates",
    area="modes",
    summary=f"The first modes of square plates with eight combinations of edges on three meshes, {PLATES}.",
    run=run_modes,
    source="A. W. Leissa, J. Sound Vib. 31 (1973) 257-293; reference values converged anew by the Ritz method.",
    equations=(r"\lambda = \omega a^2 \sqrt{\rho h / D}",),
    slow=True,
)

TENSION = Case(
    id="thin-plate-strip-modes",
    title="Tensioned strip of plates",
    area="modes",
    summary=f"Bending and twisting vibrations of a strip of 50 m under tension, {PLATES}.",
    run=run_tension,
    source="Strip of a galvanizing line: O. Bruels and J.-C. Golinval; closed form.",
)
