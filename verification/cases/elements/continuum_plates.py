"""The fully parameterised plate, as printed and with cures: S14, S09, S08a, S08b, and slenderness."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFPlateFullyParameterized
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.reference.data import load_reference

CURED = ANCFPlateFullyParameterized()
VARIANTS = (
    ("cured", CURED),
    ("mixed derivative zero", ANCFPlateFullyParameterized(twist=False)),
    ("that, and shears not assumed", ANCFPlateFullyParameterized(assumed_shear=False, twist=False)),
    ("shears not assumed", ANCFPlateFullyParameterized(assumed_shear=False)),
    ("not split", ANCFPlateFullyParameterized(split=False)),
    ("thickness not nodal", ANCFPlateFullyParameterized(nodal=False)),
    ("as printed", ANCFPlateFullyParameterized(split=False, nodal=False, assumed_shear=False, twist=False)),
)
PRINTED = VARIANTS[-1][1]


def solved(model: fx.Model) -> fx.StaticSolution:
    """Without the warnings of round-off of very thin plates, and of the rigid motion of none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fx.AccuracyWarning)
        return fx.solve_static(model)


def twisted(element: ANCFPlateFullyParameterized, n: int) -> float:
    """S14: deflection of the loaded corner under a small force, by that of thin plates."""
    stored = load_reference("s14")
    p = stored.parameters
    material = fx.Elastic(youngs_modulus=p["E"], poissons_ratio=p["nu"], density=7850.0)
    plate = fx.FlexibleBody.plate((p["a"], p["a"]), elements=(n, n), element=element, section=fx.ShellSection(p["h"]),
                                  material=material)  # fmt: skip
    one, two, three, loaded = (plate.at((p["a"] * x, p["a"] * y, 0)) for x, y in ((0, 0), (1, 0), (0, 1), (1, 1)))
    held = (fx.Pin(one), fx.Roller(two, (0, 0, 1)), fx.Roller(two, (0, 1, 0)), fx.Roller(three, (0, 0, 1)))
    small = 1e-3
    found = solved(fx.Model(plate, *held, fx.PointForce(loaded, (0, 0, -small)))).displacement(loaded, step=-1)
    exact = stored.value("deflection at the loaded corner = P a^2/(2 D (1-nu))")
    return float(-found[2] / (small * exact))


def run_twist(progress: Progress) -> Outcome:
    """Which choice has the state of constant twist."""
    counts = (1, 2, 4, 8)
    rows, quantities = [], []
    for name, element in VARIANTS:
        progress(name)
        found = [twisted(element, n) for n in counts]
        rows.append((name, *(f"{f:.4f}" for f in found)))
        if element is CURED:
            quantities = [
                measured(f"cured, {n} x {n}: deflection by that of thin plates", "-", f, 1.0, "Timoshenko", rtol=2e-3)
                for n, f in zip(counts, found, strict=True)
            ]
    remark = (
        "As printed the mixed derivative of the middle surface is zero at the nodes, so that w = xy leaves shear, "
        "which costs more than the twist as long as the elements are wider than the plate is thick. Shears "
        "interpolated from the edges, where w = xy is exact, are zero."
    )
    head = ("element", *(f"{n} x {n}" for n in counts))
    return Outcome(
        quantities, (), [Table("Deflection of the loaded corner by the exact one", head, rows)], (), [remark]
    )


def quarter(element: ANCFPlateFullyParameterized, code: str, n: int) -> tuple[float, float]:
    """S09: w D / (q a^4) and w D / (P a^2) of a quarter of a square plate of side 1, 1/1000 thick."""
    h, E, nu = 1e-3, 1e9, 0.3
    D = E * h**3 / (12.0 * (1.0 - nu**2))
    material = fx.Elastic(youngs_modulus=E, poissons_ratio=nu, density=1.0 / h)
    plate = fx.FlexibleBody.plate(
        (0.5, 0.5), elements=(n, n), element=element, section=fx.ShellSection(h), material=material
    )
    outer = fx.Attachment(plate, tuple(sorted({*plate.set("left").nodes, *plate.set("bottom").nodes})), "outer")
    held: list[Any] = [fx.Clamp(outer)] if code == "C" else [fx.Roller(outer, (0, 0, 1))]
    held += [fx.Symmetry(plate.set("right"), (1, 0, 0)), fx.Symmetry(plate.set("top"), (0, 1, 0))]
    centre, small = plate.at((0.5, 0.5, 0.0)), 1e-4 * D * h
    loads = (fx.Gravity((0, 0, -small)), fx.PointForce(centre, (0, 0, -0.25 * small)))
    q, P = (-solved(fx.Model(plate, *held, load)).displacement(centre, step=-1)[2] * D / small for load in loads)
    return float(q), float(P)


def run_statics(progress: Progress) -> Outcome:
    """Deflections of a thin square plate."""
    stored, counts = load_reference("s09"), (4, 8, 16)
    quantities, studies, rows = [], [], []
    names = ("uniform: w_c D/(q a^4)", "central point load: w_c D/(P a^2)")
    for code, word in (("S", "SSSS"), ("C", "CCCC")):
        for label, element in (("cured", CURED), ("as printed", PRINTED)):
            progress(f"{word}, {label}")
            found = [quarter(element, code, n) for n in counts]
            for i, name in enumerate(names):
                known = stored.reference(f"{word} {name}")
                ratios = [f[i] / known.value for f in found]
                rows.append((label, f"{word} {name}", *(f"{r:.4f}" for r in ratios)))
                if element is not CURED:
                    continue
                quantities.append(
                    measured(f"cured: {word} {name}", "-", found[-1][i], known.value, stored.source, known.uncertainty,
                             rtol=5e-3)
                )  # fmt: skip
                errors = [abs(r - 1.0) for r in ratios]
                # under a force the moments are infinite: h^2 times a logarithm
                studies.append(ConvergenceStudy(f"{word} {name}", counts, errors, 2.0, 1.5, counts=True))
    head = ("element", "deflection by the exact one", *(f"{n} x {n}" for n in counts))
    return Outcome(quantities, studies, [Table("Square plate, elements of a quarter", head, rows)])


def strip(element: ANCFPlateFullyParameterized, identity: str, n: int) -> FloatArray:
    """S08a or S08b at full load: displacement of the tip, one row of elements."""
    p = load_reference(identity).parameters
    material = fx.Elastic(youngs_modulus=p["E"], poissons_ratio=p["nu"], density=1.0)
    body = fx.FlexibleBody.plate((p["L"], p["b"]), elements=(n, 1), element=element, section=fx.ShellSection(p["h"]),
                                 material=material)  # fmt: skip
    end = body.set("right")
    load = (
        fx.EdgeMoment(end, (0, -p["Mmax"] / p["b"], 0)) if identity == "s08a" else fx.EdgeLoad(end, (0, 0, p["Pmax"]))
    )
    tip = solved(fx.Model(body, fx.Clamp(body.set("left")), load)).displacement(body.node(n), step=-1)
    return np.asarray(tip)


def run_strips(progress: Progress) -> Outcome:
    """Strips that bend far."""
    quantities: list[Measured] = []
    rows = []
    shear = load_reference("s08b")
    U, W = (shear.value(f"P/Pmax=1: {name}") for name in ("-U tip", "W tip"))
    errors = []
    for label, element, counts in (("cured", CURED, (16, 32, 64)), ("as printed", PRINTED, (16, 32, 64))):
        for n in counts:
            progress(f"{label}, {n} elements")
            rolled, pushed = strip(element, "s08a", n), strip(element, "s08b", n)
            off = float(np.hypot(rolled[0] + 12.0, rolled[2])) / 12.0
            rows.append(
                (label, str(n), f"{-rolled[0]:.4f}", f"{rolled[2]:.4f}", f"{-pushed[0]:.4f}", f"{pushed[2]:.4f}")
            )
            if element is not CURED:
                continue
            errors.append(off)
            if n == 64:
                quantities += [
                    measured("s08a: distance from the full circle, by the length", "-", off, 0.0, "circle", atol=5e-3),
                    measured("s08b: -U", "-", -pushed[0], U, shear.source, 1e-9, rtol=5e-3),
                    measured("s08b: W", "-", pushed[2], W, shear.source, 1e-9, rtol=5e-3),
                ]
    rows.append(("exact", "-", "12.0000", "0.0000", f"{U:.4f}", f"{W:.4f}"))
    study = ConvergenceStudy("s08a, cured: full circle", (16, 32, 64), errors, 2.0, 1.7, counts=True)
    head = ("element", "elements", "s08a: -U", "s08a: W", "s08b: -U", "s08b: W")
    return Outcome(quantities, [study], [Table("Tip at full load", head, rows)])


SAME_IN_STRIPS = ("not split", "mixed derivative zero", "that, and shears not assumed")
"""Choices that change nothing where there is no Poisson's ratio and no twist."""
SLENDERNESS = (10, 100, 1_000, 10_000)


def ratio(element: ANCFPlateFullyParameterized, slender: float, curved: bool, n: int = 16) -> float:
    """Displacement along a small force at the tip of a strip of length 1 by Castigliano's; nu = 0."""
    h, b, R = 1.0 / slender, 0.1, 2.0 / math.pi
    flat = fx.meshes.rectangle((0, 0), (1, b), (n, 1)).in_space()
    mesh, force, place = flat, np.array([0.0, 0.0, 1.0]), (1.0, 0.0, 0.0)
    EI, EA, GA = 1.0, 12.0 / h**2, 5.0 / h**2
    exact = 1.0 / 3.0 + 1.0 / GA
    if curved:
        s = flat.points[:, 0] / R
        points = np.stack((R * np.sin(s), flat.points[:, 1], R * (1.0 - np.cos(s))), axis=1)
        mesh = fx.meshes.Mesh(points, flat.cells, flat.node_sets)
        place = (R, 0.0, R)
        exact = R**3 * (0.75 * math.pi - 2.0) / EI + R * math.pi / 4.0 * (1.0 / EA + 1.0 / GA)
    material = fx.Elastic(youngs_modulus=12.0 / (b * h**3), density=1.0, poissons_ratio=0.0)
    body = fx.FlexibleBody(mesh, element, section=fx.ShellSection(h), material=material)
    small = 1e-5
    solution = solved(
        fx.Model(body, fx.Clamp(body.set("left")), fx.EdgeLoad(body.set("right"), tuple(small / b * force)))
    )
    return float(solution.displacement(body.at(place), step=-1) @ force / small / exact)


def run_slenderness(progress: Progress) -> Outcome:
    """The ratio must not depend on slenderness."""
    quantities, rows = [], []
    drawing, axes = figure()
    for curved, shape in ((False, "straight"), (True, "quarter circle")):
        for k, (name, element) in enumerate(v for v in VARIANTS if v[0] not in SAME_IN_STRIPS):
            progress(f"{shape}, {name}")
            found = [ratio(element, s, curved) for s in SLENDERNESS]
            rows.append((name, shape, *(f"{f:.5f}" for f in found)))
            axes.loglog(SLENDERNESS, found, "o--" if curved else "o-", color=COLOURS[k], label=f"{name}, {shape}")
            if element is CURED:
                source = "Castigliano"
                quantities += [
                    measured(f"{shape}: L/h = 10 000", "-", found[-1], 1.0, source, atol=1e-2),
                    measured(f"{shape}: 10 000 against 100", "-", found[3] / found[1], 1.0, "no locking", atol=5e-4),
                ]
    axes.set_xlabel("L / h")
    axes.set_ylabel("displacement by the exact one")
    axes.legend(frameon=False, fontsize=7)
    head = ("element", "strip", *(f"L/h = {s}" for s in SLENDERNESS))
    table = Table("Displacement along the force by the exact one, 16 elements", head, rows)
    return Outcome(quantities, (), [table], [("Locking as printed, and without one of the cures", drawing)])


def hemisphere(element: ANCFPlateFullyParameterized, n: int) -> tuple[float, float]:
    """S08d at full load: displacements outwards and inwards under the loads, n x n cells on a quarter."""
    p = load_reference("s08d").parameters
    flat = fx.meshes.rectangle((0, 0), (1, 1), (n, n))
    around, up = 0.5 * math.pi * flat.points[:, 0], math.radians(90.0 - p["hole_deg"]) * flat.points[:, 1]
    normals = np.stack((np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)), axis=1)
    mesh = fx.meshes.Mesh(p["R"] * normals, flat.cells, flat.node_sets, point_data={"normal": normals})
    material = fx.Elastic(youngs_modulus=p["E"], poissons_ratio=p["nu"], density=1.0)
    body = fx.FlexibleBody(mesh, element, section=fx.ShellSection(p["h"], axis=(0, 0, 1)), material=material)
    one, two = body.at((p["R"], 0, 0)), body.at((0, p["R"], 0))
    loads = (fx.PointForce(one, (0.5 * p["Pmax"], 0, 0)), fx.PointForce(two, (0, -0.5 * p["Pmax"], 0)))
    planes = (fx.Symmetry(body.set("left"), (0, 1, 0)), fx.Symmetry(body.set("right"), (1, 0, 0)))
    solution = solved(fx.Model(body, *planes, fx.Roller(one, (0, 0, 1)), *loads))
    return float(solution.displacement(one, step=-1)[0]), float(-solution.displacement(two, step=-1)[1])


def run_hemisphere(progress: Progress) -> Outcome:
    """Curved reference geometry."""
    stored, counts = load_reference("s08d"), (8, 16, 24)
    names = [q for q in stored.quantities if q.startswith("P/Pmax=1: ")]
    known = [stored.reference(name) for name in names]
    rows, found = [], (0.0, 0.0)
    for n in counts:
        progress(f"{n} x {n}")
        found = hemisphere(CURED, n)
        rows.append((f"{n} x {n}", *(f"{f:.4f} ({f / k.value - 1.0:+.2%})" for f, k in zip(found, known, strict=True))))
    quantities = [
        measured(f"24 x 24: {word}", "length", f, k.value, stored.source, k.uncertainty, rtol=1.5e-2)
        for word, f, k in zip(("outwards", "inwards"), found, known, strict=True)
    ]
    head = ("cells", "outwards", "inwards")
    return Outcome(quantities, (), [Table("Displacements under the loads, errors", head, rows)])


_SOURCE = "A. Mikkola and A. A. Shabana, Multibody Syst. Dyn. 9 (2003) 283-309 (element); "

TWIST = Case(
    id="continuum-plate-twist",
    title="Fully parameterised plate: constant twist",
    area="elements",
    summary="S14: three corners of a square plate are held, the fourth is loaded; every cure is left out in turn.",
    run=run_twist,
    source=_SOURCE + "S. Timoshenko and S. Woinowsky-Krieger, Theory of Plates and Shells, section 11.",
    slow=True,
)
STATICS = Case(
    id="continuum-plate-statics",
    title="Fully parameterised plate: deflections",
    area="elements",
    summary="S09: a quarter of a thin square plate under its weight and a central force, as printed and cured.",
    run=run_statics,
    source=_SOURCE + "S. Timoshenko and S. Woinowsky-Krieger, Theory of Plates and Shells.",
    slow=True,
)
STRIPS = Case(
    id="continuum-plate-strips",
    title="Fully parameterised plate: strips that bend far",
    area="elements",
    summary="S08a and S08b at full load: a strip rolled up to a circle by a moment, and pushed across at its end.",
    run=run_strips,
    source=_SOURCE + "K. Y. Sze, X. H. Liu and S. H. Lo, Finite Elem. Anal. Des. 40 (2004) 1551-1569.",
    slow=True,
)
SLENDER = Case(
    id="continuum-plate-slenderness",
    title="Fully parameterised plate: from thick to very thin",
    area="elements",
    summary=(
        "A straight strip and a quarter circle, 10 to 10 000 times as long as thick, with a small force at the tip."
    ),
    run=run_slenderness,
    source=_SOURCE + "Castigliano's theorem with bending, stretch and shear.",
    slow=True,
)
HEMISPHERE = Case(
    id="continuum-plate-hemisphere",
    title="Fully parameterised plate: hemisphere with a hole",
    area="elements",
    summary="S08d at full load: a thin curved shell under alternating forces, a quarter with planes of symmetry.",
    run=run_hemisphere,
    source=_SOURCE + "K. Y. Sze, X. H. Liu and S. H. Lo, Finite Elem. Anal. Des. 40 (2004) 1551-1569.",
    slow=True,
)
