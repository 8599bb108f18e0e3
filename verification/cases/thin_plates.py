"""Thin absolute-nodal plates: S09, S14 and E09 by small loads, S08a to S08c far from rest, a strip, a pendulum."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import AccuracyWarning
from flexmbs.elements import Gauss, PlateCurvature, ThinPlate
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.plates import MODES
from flexmbs.verification.reference.data import load_reference

KINDS = (("48", ThinPlate(), 4.0), ("36", ThinPlate(mixed=False), 2.0))
"""Label, element, order of convergence of displacements and frequencies."""
THIN, E_MODULUS = 1e-2, 1e7


def quarter(element: ThinPlate, n: int, code: str, load: str) -> tuple[float, float, float]:
    """S09 of a quarter plate of n x n elements: w in the centre over that of unit stiffness, moments there and at x = 0.

    The load is so small that the plate is linear to about 1e-6.
    """
    nu = load_reference("s09").parameters["nu"]
    D = E_MODULUS * THIN**3 / (12.0 * (1.0 - nu**2))
    material = fx.Elastic(youngs_modulus=E_MODULUS, density=1.0, poissons_ratio=nu)
    body = fx.FlexibleBody.plate(
        (0.5, 0.5), elements=(n, n), element=element, section=fx.Sheet(THIN), material=material
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
    return -solution.displacement(centre)[2] * D / scale, moments[-1] / scale, moments[-n] / scale


def _moments(body: fx.FlexibleBody, solution: fx.Solution) -> FloatArray:
    """M_11 of the elements at their corner (1, 1) and, in the first column of the last row, at (-1, 1); all others."""
    group = solution.system.group(body)
    q = solution.q[-1]
    rows = int(round(math.sqrt(len(group.dofs))))
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
    counts = (2, 4, 8)
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
                # the best of 48 coordinates are at the round-off of thin plates, so that the rate is of the first two
                studies.append(
                    ConvergenceStudy(f"{label}: {name}", counts, errors, order, 1.7 if order == 2.0 else 3.3,
                                     floor=2e-6, counts=True)
                )  # fmt: skip
    table = Table("Relative errors, elements along half a side", ("plate", "quantity", "2", "4", "8"), rows)
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
    kinds = (*((label, element) for label, element, _ in KINDS), ("simple", ThinPlate(curvature=PlateCurvature.SIMPLE)))
    for label, element in kinds:
        progress(label)
        body = fx.FlexibleBody.plate(
            (p["a"], p["a"]), elements=(2, 2), element=element, section=fx.Sheet(p["h"]), material=material
        )
        held = (fx.Pin(body.node(0)), fx.Prescribe(body.node(2), (None, 0.0, 0.0)), fx.Roller(body.node(6), (0, 0, 1)))
        force = fx.PointForce(body.node(8), (0.0, 0.0, -1.0))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AccuracyWarning)
            solution = fx.solve_static(fx.Model(body, *held, force))
        group: Any = solution.system.group(body)
        q = solution.q[-1]
        moment = abs(element.stress_resultants(group, q, 0.0 * q, np.zeros((1, 2)))[0, 0, 5])
        values = (-solution.displacement(body.node(8))[2], -solution.displacement(body.node(4))[2], moment)
        for name, unit, value in zip(names, ("m", "m", "N m/m"), values, strict=True):
            known = stored.reference(name)
            quantities.append(  # round-off and membrane strains of the second order in w/h = 4e-3
                measured(f"{label}: {name}", unit, value, known.value, stored.source, known.uncertainty, rtol=2e-5)
            )
    return Outcome(quantities)


def modes(element: ThinPlate, n: int, code: str, nu: float, width: float, count: int) -> FloatArray:
    """omega a^2 sqrt(rho h / D) of the lowest bending modes."""
    D = E_MODULUS * 1e-9 / (12.0 * (1.0 - nu**2))
    material = fx.Elastic(youngs_modulus=E_MODULUS, density=1e3, poissons_ratio=nu)
    body = fx.FlexibleBody.plate(
        (1.0, width), elements=(n, max(int(n * width), 1)), element=element, section=fx.Sheet(1e-3), material=material
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
            for i in range(count):
                quantities.append(
                    measured(f"{label}: {name.split(' =')[0]}, mode {i + 1}", "-", found[16][i], exact[i].value,
                             stored.source, exact[i].uncertainty, rtol=5e-4 if order == 4.0 else 1.5e-2)
                )  # fmt: skip
            text = f"{code}, b/a = {width:g}, nu = {nu:.3g}"
            errors = [max(abs(found[n][i] / exact[i].value - 1.0) for i in range(count)) for n in counts]
            # corners between clamped and free sides are singular
            least = (2.2 if code == "CFFF" else 3.5) if order == 4.0 else 1.5
            studies.append(ConvergenceStudy(f"{label}, {text}, worst mode", counts, errors, order, least, counts=True))
            rows.append((label, text, *(f"{e:.1e}" for e in errors)))
    table = Table(
        "Largest relative error of the first modes", ("plate", "edges", *(f"{n} cells" for n in counts)), rows
    )
    return Outcome(quantities, studies, [table])


ROLL = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0)
SHEAR = (0.1, 0.3, 0.5, 0.7, 1.0)


def strip(element: ThinPlate, id_: str, cells: int) -> fx.FlexibleBody:
    """S08a and S08b: a strip along x with one row of cells."""
    p = load_reference(id_).parameters
    material = fx.Elastic(youngs_modulus=p["E"], poissons_ratio=p["nu"], density=1.0)
    section = fx.Sheet(p["h"])
    return fx.FlexibleBody.plate(
        (p["L"], p["b"]), elements=(cells, 1), element=element, section=section, material=material
    )


def run_strips(progress: Progress) -> Outcome:
    """Rolled up to a circle, and bent by a shear force."""
    quantities, drawn = [], []
    roll, shear = load_reference("s08a"), load_reference("s08b")
    for label, element, _ in KINDS:
        progress(f"{label}: rolled up")
        p = roll.parameters
        body = strip(element, "s08a", 16)
        moment = 2.0 * math.pi * p["E"] * p["h"] ** 3 / 12.0 / p["L"]
        model = fx.Model(body, fx.Clamp(body.set("left")), fx.EdgeMoment(body.set("right"), (0.0, -moment, 0.0)))
        solution = fx.solve_static(model, fx.StaticOptions(at=ROLL))
        tip = body.node(16)
        for load in ROLL:
            u = solution.displacement(tip, solution.at_parameter(load))
            for name, value in (
                (f"M/Mmax={load:g}: -U tip (towards the clamp)", -u[0]),
                (f"M/Mmax={load:g}: W tip", u[2]),
            ):
                known = roll.reference(name)
                quantities.append(
                    measured(f"{label}, S08a, {name}", "-", value, known.value, roll.source, known.uncertainty,
                             rtol=5e-3, atol=0.06)
                )  # fmt: skip
            if label == "48":
                drawn.append((f"M/Mmax = {load:g}", solution.shape(body, solution.at_parameter(load))))
        progress(f"{label}: end shear")
        p = shear.parameters
        body = strip(element, "s08b", 10)
        line = p["Pmax"] / p["b"]
        model = fx.Model(body, fx.Clamp(body.set("left")), fx.EdgeLoad(body.set("right"), (0.0, 0.0, line)))
        solution = fx.solve_static(model, fx.StaticOptions(at=SHEAR))
        for load in SHEAR:
            u = solution.displacement(body.node(10), solution.at_parameter(load))
            for name, value in ((f"P/Pmax={load:g}: -U tip", -u[0]), (f"P/Pmax={load:g}: W tip", u[2])):
                known = shear.reference(name)
                quantities.append(  # the reference is a rod with shear, which a thin plate has not
                    measured(
                        f"{label}, S08b, {name}", "-", value, known.value, shear.source, known.uncertainty, rtol=3e-3
                    )
                )
    drawing, axes = figure(5.6, 3.6)
    for (text, shape), colour in zip(drawn, COLOURS * 2, strict=False):
        axes.plot(shape[..., 0].ravel(), shape[..., 2].ravel(), ".", markersize=2, color=colour, label=text)
    axes.set_aspect("equal")
    axes.set_xlabel("x")
    axes.set_ylabel("z")
    axes.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    return Outcome(quantities, figures=[("S08a with 16 plates of 48 coordinates.", drawing)])


LIPS = (0.1, 0.3, 0.5, 1.0)


def run_ring(progress: Progress) -> Outcome:
    """The slit ring lifted at one lip, on two meshes."""
    stored = load_reference("s08c")
    p = stored.parameters
    material = fx.Elastic(youngs_modulus=p["E"], poissons_ratio=p["nu"], density=1.0)
    quantities, rows, views = [], [], []
    for label, element, _ in KINDS:
        for cells in ((2, 16), (4, 32)):
            progress(f"{label}, {cells[0]} x {cells[1]}")
            mesh = fx.meshes.ring(p["Ri"], p["Ro"], cells, slit=True)
            body = fx.FlexibleBody(mesh, element, section=fx.Sheet(p["h"]), material=material, name="ring")
            model = fx.Model(body, fx.Clamp(body.set("start")), fx.EdgeLoad(body.set("end"), (0.0, 0.0, 0.8)))
            solution = fx.solve_static(model, fx.StaticOptions(at=LIPS))
            last = body.mesh.n_points - 1
            for corner, node in (("W_A (inner)", last - cells[0]), ("W_B (outer)", last)):
                errors = []
                for load in LIPS:
                    known = _starting(stored, f"P/Pmax={load:g}: {corner}")
                    value = solution.displacement(body.node(node), solution.at_parameter(load))[2]
                    errors.append(value / known.value - 1.0)
                    quantities.append(
                        measured(f"{label}, {cells[0]} x {cells[1]}, P/Pmax = {load:g}: {corner}", "-", value,
                                 known.value, stored.source, known.uncertainty, rtol=0.03 if cells[0] == 2 else 0.01)
                    )  # fmt: skip
                rows.append((label, f"{cells[0]} x {cells[1]}", corner, *(f"{e:+.2%}" for e in errors)))
            views.append(solution)
    table = Table("Errors against the published table", ("plate", "cells", "corner", *(f"{x:g}" for x in LIPS)), rows)
    drawing = views[1].plot()
    return Outcome(quantities, tables=[table], figures=[("The ring, 4 x 32 plates of 48 coordinates.", drawing)])


def _starting(stored: Any, beginning: str) -> Any:
    """The figure whose name begins so."""
    return stored.reference(next(name for name in stored.quantities if name.startswith(beginning)))


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
                (p["L"], p["b"]), elements=(n, 1), element=element, section=fx.Sheet(p["t"]), material=material
            )
            left, right = body.set("left"), body.set("right")
            held = (fx.Roller(left, (1, 0, 0)), fx.Roller(left, (0, 0, 1)), fx.Roller(right, (0, 0, 1)))
            held += (fx.Roller(body.node(0), (0, 1, 0)), fx.Roller(body.node(n), (0, 1, 0)))
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


def _kinds(found: fx.Modes, body: fx.FlexibleBody) -> tuple[list[float], list[float]]:
    """The first four frequencies [Hz] of bending out of the plane and of twist."""
    bending, twisting = [], []
    for m in range(len(found)):
        low, high = (np.asarray(found.displacement(body.set(side), m)) for side in ("bottom", "top"))
        both, opposed = np.abs(low + high)[:, 2].max(), np.abs(low - high)[:, 2].max()
        if max(both, opposed) > np.abs(low[:, 1]).max():
            (bending if both > opposed else twisting).append(float(found.frequencies[m]))
    return bending[:4], twisting[:4]


def pendulum(element: ThinPlate, n: int, until: float, joint: bool = False) -> tuple[fx.TimeSolution, fx.FlexibleBody]:
    """A square plate of 0.3 m and 10 mm, E = 1 MPa, that falls from the horizontal, held at a corner."""
    material = fx.Elastic(youngs_modulus=1e6, density=1000.0, poissons_ratio=0.3)
    body = fx.FlexibleBody.plate(
        (0.3, 0.3), elements=(n, n), element=element, section=fx.Sheet(0.01), material=material
    )
    held = fx.Spherical(fx.ground, body.node(0)) if joint else fx.Pin(body.node(0))
    model = fx.Model(body, held, fx.Gravity((0.0, 0.0, -9.81)))
    run = fx.simulate(model, until, step=1e-3, output=fx.Output(every=0.02), progress=False)
    return run, body


def run_pendulum(progress: Progress) -> Outcome:
    """Refinement, both elements, energy, and the constraints of a joint in the place of a support."""
    until, paths, quantities = 0.4, {}, []
    runs: tuple[tuple[str, ThinPlate, int], ...] = (
        ("48", ThinPlate(), 4),
        ("48", ThinPlate(), 8),
        ("48", ThinPlate(), 12),
        ("36", ThinPlate(mixed=False), 12),
    )
    for label, element, n in runs:
        progress(f"{label}, {n} x {n}")
        run, body = pendulum(element, n, until)
        paths[label, n] = run.t, np.asarray(run.position(body.node(body.mesh.n_points - 1)))
    fine = paths["48", 12][1]

    def off(key: tuple[str, int]) -> float:
        return float(np.abs(paths[key][1] - fine).max())

    rows = [(f"{label}, {n} x {n}", f"{1e3 * off((label, n)):.2f}") for label, n in paths if (label, n) != ("48", 12)]
    source = "the same plate with 12 x 12 elements of 48 coordinates"
    for key, allowed in ((("48", 8), 3e-3), (("36", 12), 6e-3)):
        quantities.append(
            measured(f"{key[0]}, {key[1]} x {key[1]}: largest distance of the corner", "m", off(key), 0.0, source,
                     atol=allowed)
        )  # fmt: skip
    progress("energy")
    run, _ = pendulum(ThinPlate(), 8, until)
    released = float(np.ptp(run.energy.potential))
    quantities.append(  # second order in the step, with numerical damping
        measured("error of the energy over what the fall releases", "-", np.abs(run.energy.balance).max() / released, 0.0,
                 "conservation", atol=2e-3)
    )  # fmt: skip
    progress("joint")
    run, body = pendulum(ThinPlate(), 8, until, joint=True)
    gap = float(np.abs(np.asarray(run.position(body.node(0)))).max())
    apart = float(np.abs(np.asarray(run.position(body.node(body.mesh.n_points - 1))) - paths["48", 8][1]).max())
    quantities.append(
        measured("largest gap of a spherical joint at the corner", "m", gap, 0.0, "constraint", atol=1e-12)
    )
    quantities.append(
        measured("joint against support: distance of the corner", "m", apart, 0.0, "the same motion", atol=1e-5)
    )
    drawing, axes = figure()
    for (label, n), (t, path) in paths.items():
        axes.plot(t, path[:, 2], label=f"{label}, {n} x {n}", linewidth=1.5)
    axes.set_xlabel("t [s]")
    axes.set_ylabel("height of the free corner [m]")
    axes.legend(frameon=False)
    table = Table(
        "Largest distance of the free corner from that of 12 x 12 plates, 48 coordinates", ("plates", "mm"), rows
    )
    return Outcome(quantities, tables=[table], figures=[("Free corner.", drawing)])


SLENDER = (10.0, 100.0, 1000.0, 10_000.0)


def run_slender(progress: Progress) -> Outcome:
    """A strip bent to a quarter of a circle with 2 elements, by its length over its thickness."""
    rows, quantities = [], []
    full = {"membrane": Gauss(4), "bending": Gauss(4)}
    kinds = (("48", ThinPlate()), ("36", ThinPlate(mixed=False)), ("48, full", ThinPlate(**full)),
             ("36, full", ThinPlate(mixed=False, **full)))  # fmt: skip
    for label, element in kinds:
        errors = []
        for slenderness in SLENDER:
            progress(f"{label}, {slenderness:g}")
            errors.append(_arc_error(element, 1.0 / slenderness))
        rows.append((label, *(f"{e:.1e}" for e in errors)))
        if "full" not in label:
            # without locking the error does not grow with the slenderness
            quantities += [
                measured(f"{label}: tip of a quarter circle, L/h = {s:g}", "L", e, 0.0, "circular arc", atol=5e-3)
                for s, e in zip(SLENDER[1:], errors[1:], strict=True)
            ]
    table = Table("Distance of the tip from that of the arc, by L", ("plate", *(f"L/h = {s:g}" for s in SLENDER)), rows)
    return Outcome(quantities, tables=[table])


def _arc_error(element: ThinPlate, thickness: float) -> float:
    """Two plates along a strip of length 1 without lateral contraction, under a moment of a quarter turn."""
    E = 1e6
    material = fx.Elastic(youngs_modulus=E, density=1.0, poissons_ratio=0.0)
    section = fx.Sheet(thickness)
    body = fx.FlexibleBody.plate((1.0, 0.25), elements=(2, 1), element=element, section=section, material=material)
    moment = 0.5 * math.pi * E * thickness**3 / 12.0
    load = fx.EdgeMoment(body.set("right"), (0.0, -moment, 0.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)
        solution = fx.solve_static(fx.Model(body, fx.Clamp(body.set("left")), load))
    tip = np.asarray(solution.position(body.set("right"))).mean(axis=0)
    return float(math.hypot(tip[0] - 2.0 / math.pi, tip[2] - 2.0 / math.pi))


SZE = "K. Y. Sze, X. H. Liu and S. H. Lo, Finite Elem. Anal. Des. 40 (2004) 1551-1569"
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
)

TWIST = Case(
    id="thin-plate-twist",
    title="Constant twist of absolute-nodal thin plates",
    area="statics",
    summary="A square plate on three corners, loaded at the fourth, twists uniformly, which thin plates represent exactly.",
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

STRIPS = Case(
    id="thin-plate-strips",
    title="Strips rolled up, and bent by a shear force",
    area="statics",
    summary=f"A cantilever strip is rolled up to a circle by an end moment, another bent by an end force, {PLATES}.",
    run=run_strips,
    source=SZE + ", problems 1 and 2; circular arc, and exact rod.",
    equations=(r"U = L - L \dfrac{\sin\theta}{\theta}, \quad W = L\,\dfrac{1 - \cos\theta}{\theta}",),
    limits=("The moment acts at the nodes of the edge, not evenly along it, which 48 coordinates feel.",),
    slow=True,
)

RING = Case(
    id="thin-plate-ring",
    title="Slit ring lifted at one lip",
    area="statics",
    summary=f"A flat ring, cut open along a radius, is clamped at one lip and lifted at the other, {PLATES}.",
    run=run_ring,
    source=SZE + ", problem 3.",
    slow=True,
)

TENSION = Case(
    id="thin-plate-strip-modes",
    title="Tensioned strip of plates",
    area="modes",
    summary=f"Bending and twisting vibrations of a strip of 50 m under tension, {PLATES}, against a string with stiffness.",
    run=run_tension,
    source="Strip of a galvanizing line: O. Bruels and J.-C. Golinval; closed form.",
)

PENDULUM = Case(
    id="thin-plate-pendulum",
    title="Plate hung by a corner",
    area="dynamics",
    summary=(
        "A soft square plate falls from the horizontal, held at one corner. There is no published figure: refinement, the "
        "other element, the energy, and a joint in the place of the support are compared."
    ),
    run=run_pendulum,
    source="Conservation and convergence.",
    slow=True,
)

SLENDERNESS = Case(
    id="thin-plate-slenderness",
    title="Locking of absolute-nodal thin plates",
    area="elements",
    summary="A strip of two plates is bent to a quarter of a circle, from thick to very thin.",
    run=run_slender,
    source="Circular arc.",
    limits=("At L/h = 10 Green's strains and those of the arc differ by some (h/R)^2.",),
)
