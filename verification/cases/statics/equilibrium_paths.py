"""Paths of equilibria and their branches: trusses, columns, an arch, a ring, frames, without any imperfection."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import brentq

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFCable2D, ANCFShell, CableStrain, GeometricallyExactBeam
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.reference.data import ReferenceSet, load_reference


def known(
    stored: ReferenceSet, label: str, name: str, value: float, rtol: float, index: int | None = None, unit: str = "-"
) -> Measured:
    """A figure beside the stored one."""
    reference = stored.reference(name, index)
    scale = 1e-6 if reference.value == 0.0 else 0.0
    return measured(label, unit, value, reference.value, stored.source, reference.uncertainty, rtol=rtol, atol=scale)


def pair(stored: ReferenceSet, name: str, row: int, column: int) -> float:
    """A figure of a table."""
    return float(stored.quantities[name]["value"][row][column])


def cable(start: tuple[float, float], end: tuple[float, float], elements: int, EA: float, EI: float, name: str) -> Any:
    """A planar rod, rigid in shear, whose moment goes with the turn per undeformed length."""
    return fx.FlexibleBody.line(
        start, end, elements=elements, element=ANCFCable2D(strain=CableStrain.MATERIAL),
        stiffness=fx.BeamStiffness(EA=EA, EI_z=EI, mass_per_length=1.0), name=name,
    )  # fmt: skip


# --- trusses ----------------------------------------------------------------------------------------------------------


def truss(height: float, EA: float, strain: str = "engineering") -> tuple[fx.PointMass, fx.Model]:
    """Two bars from (-1, 0) and (1, 0) to the apex (0, h), pushed down with a unit force.

    With Green's strain a bar has the energy EA (l^2 - l0^2)^2 / (8 l0^3), whose derivative is cubic in the elongation.
    """
    apex, length = fx.PointMass(1.0, position=(0.0, height), name="apex"), math.hypot(1.0, height)
    linear = EA / length
    stiffness: Any = linear if strain == "engineering" else (linear, 1.5 * linear / length, 0.5 * linear / length**2)
    bars = [
        fx.SpringDamper(fx.ground.marker((x, 0, 0)), apex.centre, stiffness=stiffness, name=f"bar from {x}")
        for x in (-1, 1)
    ]
    return apex, fx.Model(apex, *bars, fx.PointForce(apex.centre, (0.0, -1.0)), name="truss")


def run_truss(progress: Progress) -> Outcome:
    """Steep and shallow, with engineering strain."""
    steep, quantities = load_reference("n15"), []
    progress("steep truss")
    apex, model = truss(3.0, 1000.0)
    paths = fx.trace_static(model, until=1000.0, branches=1)
    first, limit = paths.bifurcations[0], paths.limit_points[0]
    name = "engineering strain: bifurcation: apex height, load"
    places = [(first, name), (limit, "engineering strain: limit point of the symmetric path: apex height, load")]
    for point, name in places:
        label = name.split(": ")[1]
        quantities += [
            known(steep, f"steep truss, {label}: height", name, point.position(apex, -1)[1], 1e-6, 0, "m"),
            known(steep, f"steep truss, {label}: load", name, point.parameter, 1e-6, 1, "N"),
        ]
    name = "engineering strain: sideways branch at |x| = 0.2, 0.5: apex height, load"
    for row, x in enumerate((0.2, 0.5)):
        for found in paths.where(lambda s: s.position(apex)[:, 0], x):
            if found.load_factors[0] > 0.0:
                values = found.position(apex, -1)[1], found.load_factors[0]
                quantities += [
                    measured(f"steep truss, branch at x = {x:g}: {what}", unit, value, pair(steep, name, row, k),
                             steep.source, rtol=1e-6)
                    for k, (what, unit, value) in enumerate(zip(("height", "load"), ("m", "N"), values, strict=True))
                ]  # fmt: skip
    quantities += _green(steep, progress)
    progress("shallow truss")
    _, model = truss(0.2, 1e6)
    shallow = fx.trace_static(model, until=5000.0)
    quantities.append(
        measured("shallow truss (S11a): limit load", "N", shallow.limit_points[0].parameter, _snaps(0.2, 1e6),
                 "closed form, l^3 = l0 a^2", rtol=1e-6)
    )  # fmt: skip
    flat = fx.trace_static(lambda height: truss(height, 1e6)[1].named("flat"), by="height", begin=0.02, until=0.001)
    quantities.append(
        measured("shallow truss under 1 N: height at which it snaps", "m", flat.limit_points[0].parameter,
                 brentq(lambda h: _snaps(h, 1e6) - 1.0, 1e-3, 0.1, xtol=1e-15), "closed form, l^3 = l0 a^2", rtol=1e-6)
    )  # fmt: skip
    axes = paths.plot((apex, (0, -1)))
    return Outcome(
        quantities, (), (), [("Load over the way of the apex of the steep truss and its branch.", axes.figure)]
    )


def _snaps(height: float, EA: float) -> float:
    """Limit load of the truss with engineering strain."""
    l0 = math.hypot(1.0, height)
    length = l0 ** (1 / 3)
    return float(2.0 * EA / l0 * (l0 - length) * math.sqrt(length**2 - 1.0) / length)


def _green(steep: ReferenceSet, progress: Progress) -> list[Measured]:
    """The steep truss with Green's strain, whose branch is a circle."""
    progress("Green's strain")
    apex, model = truss(3.0, 1000.0, "Green")
    paths = fx.trace_static(model, until=1000.0, branches=1)
    one, two = paths.bifurcations[0], paths.bifurcations[-1]
    limit = paths.limit_points[0]
    names = {
        "limit": "limit point of the symmetric path: apex height, load",
        "second": "second bifurcation (branch meets the symmetric path again): apex height, load",
        "far": "sideways branch: largest |x| and load there",
        "on": "sideways branch at |x| = 1.0, 2.0: apex height, load",
    }
    out = [
        known(
            steep, "Green: bifurcation: height", "bifurcation: apex height", one.position(apex, -1)[1], 1e-6, unit="m"
        ),
        known(steep, "Green: bifurcation: load", "bifurcation: load", one.parameter, 1e-6, unit="N"),
    ]
    for key, point in (("limit", limit), ("second", two)):
        for k, value in enumerate((point.position(apex, -1)[1], point.parameter)):
            out.append(known(steep, f"Green: {key}: {('height', 'load')[k]}", names[key], value, 1e-6, k))
    for row, x in enumerate((1.0, 2.0)):
        s = max(paths.where(lambda s: s.position(apex)[:, 0], x), key=lambda s: s.load_factors[0])
        for k, value in enumerate((s.position(apex, -1)[1], s.load_factors[0])):
            what = ("height", "load")[k]
            out.append(
                measured(f"Green: branch at x = {x:g}: {what}", "-", value, pair(steep, names["on"], row, k),
                         steep.source, rtol=1e-6)
            )  # fmt: skip
    far = max((s for s in paths.at(0.0)), key=lambda s: s.position(apex, -1)[0])
    out.append(known(steep, "Green: branch at no load: way aside", names["far"], far.position(apex, -1)[0], 1e-6, 0))
    level = fx.solve_modal(fx.solve_static(fx.Model(apex, *model.forces, name="free truss"))).eigenvalues[0]
    out.append(
        known(steep, "Green: smallest eigenvalue of the stiffness at the start",
              "smallest eigenvalue of the stiffness at the start, unloaded", level, 1e-6, unit="N/m")
    )  # fmt: skip
    return out


# --- columns ----------------------------------------------------------------------------------------------------------


def column(EA: float, elements: int = 48) -> tuple[Any, fx.Model]:
    """Hinged, the loaded end on a guide along the axis."""
    rod = cable((0, 0), (1, 0), elements, EA, 1.0, "column")
    push = fx.PointForce(rod.end, (-1.0, 0.0))
    return rod, fx.Model(rod, fx.Pin(rod.start), fx.Roller(rod.end, (0, 1)), push, name="column")


def run_column(progress: Progress) -> Outcome:
    """The perfect hinged column: three bifurcations and two branches; the clamped-free one (S07)."""
    stored, quantities = load_reference("n16"), []
    progress("extensible column")
    _, model = column(1000.0)
    found = fx.trace_static(model, until=105.0).bifurcations
    for n in range(3):
        name = (
            f"bifurcation load {n + 1} with EA L^2/EI = 1000 (moment = EI times turn per undeformed length): P L^2/EI"
        )
        label = f"hinged, EA L^2/EI = 1000: load {n + 1}"
        quantities.append(known(stored, label, name, found[n].parameter, 1e-5))
    progress("inextensible column")
    rod, model = column(1e7)
    paths = fx.trace_static(
        model, until=105.0, branches=2, stop=lambda s: abs(s.angle(rod.start, step=-1)) > math.radians(155)
    )
    for n, point in enumerate(paths.bifurcations[:3]):
        name = f"bifurcation load {n + 1}, inextensible: P L^2/EI"
        quantities.append(known(stored, f"hinged, inextensible: load {n + 1}", name, point.parameter, 1e-5))
    critical = paths.bifurcations[0].parameter
    middle, quarter = rod.at((0.5, 0.0)), rod.at((0.25, 0.0))
    on = [s for s in paths.where(lambda s: s.angle(rod.start), 0.05) if s.load_factors[0] < 15.0]
    quantities.append(
        known(stored, "hinged: curvature of branch 1", "curvature of the first branch at its start, inextensible: "
              "(P/P1 - 1)/alpha^2 for alpha -> 0, alpha = slope at the end", (on[0].load_factors[0] / critical - 1.0)
              / 0.05**2, 1e-3)
    )  # fmt: skip
    for branch, degrees in ((1, 30), (1, 60), (1, 90), (1, 120), (1, 150), (2, 60)):
        of = "deflection/L" if branch == 1 else "deflection at L/4 over L"
        name = f"branch {branch}, end slope {degrees} deg: P/P1, distance of the ends/L, {of}"
        sought = paths.where(lambda s: s.angle(rod.start), math.radians(degrees))
        want = stored.value(name, 0) * critical
        solution = min(sought, key=lambda s: abs(s.load_factors[0] - want))
        place = middle if branch == 1 else quarter
        values = (
            solution.load_factors[0] / critical, solution.position(rod.end, -1)[0],
            abs(solution.position(place, -1)[1]),
        )  # fmt: skip
        quantities += [
            known(stored, f"hinged, branch {branch} at {degrees} degrees: {what}", name, value, 1e-4, k)
            for k, (what, value) in enumerate(zip(("P/P1", "distance of the ends", "deflection"), values, strict=True))
        ]
    progress("clamped column")
    stored = load_reference("s07")
    rod = cable((0, 0), (1, 0), 32, 1e7, 1.0, "column")
    clamped = fx.trace_static(
        fx.Model(rod, fx.Clamp(rod.start), fx.PointForce(rod.end, (-1.0, 0.0)), name="clamped column"), until=12.0,
        branches=1,
    )  # fmt: skip
    for degrees in (20, 60, 100, 140):
        s = clamped.where(lambda x: x.angle(rod.end), math.radians(degrees))[0]
        x, y, _ = s.position(rod.end, -1)
        values = s.load_factors[0] / (math.pi**2 / 4.0), x, abs(y)
        quantities += [
            known(stored, f"clamped (S07) at {degrees} degrees: {what}", f"alpha={degrees} deg {what}", value, tol)
            for what, value, tol in zip(("P/Pcr", "tip x/L", "tip y/L"), values, (1e-4, 1e-3, 1e-3), strict=True)
        ]
    axes = paths.plot((middle, (0, 1)), label="deflection of the middle / L")
    return Outcome(quantities, (), (), [("Hinged column and its first two branches.", axes.figure)])


# --- arch and ring ----------------------------------------------------------------------------------------------------


def run_arch(progress: Progress) -> Outcome:
    """The two-hinged half circle: sideways before it snaps."""
    stored, quantities = load_reference("n14"), []
    R = stored.parameters["R"]
    progress("arch")
    arch = fx.FlexibleBody(
        fx.meshes.arc((0, 0), radius=R, start_angle=math.pi, end_angle=0.0, elements=48),
        ANCFCable2D(strain=CableStrain.MATERIAL),
        stiffness=fx.BeamStiffness(EA=stored.parameters["EA"], EI_z=stored.parameters["EI"], mass_per_length=1.0),
        name="arch",
    )  # fmt: skip
    top = arch.at((0.0, R))
    model = fx.Model(arch, fx.Pin(arch.start), fx.Pin(arch.end), fx.PointForce(top, (0.0, -1.0)), name="arch")
    paths = fx.trace_static(model, until=1200.0, branches=1, stop=lambda s: s.position(top, step=-1)[1] < 0.0)
    first, limit = paths.bifurcations[0], paths.limit_points[0]
    name = "bifurcation (sideways) on the symmetric path: load"
    quantities += [
        known(stored, "bifurcation: load", name, first.parameter, 0.002, unit="N"),
        known(stored, "bifurcation: P R^2/EI", "bifurcation: P R^2/EI", first.parameter * R**2 / 1e6, 0.002),
        known(stored, "bifurcation: way of the apex", "bifurcation: apex deflection", -first.displacement(top, -1)[1],
              0.005, unit="length"),
        known(stored, "limit point: load", "limit point of the symmetric path (held from going sideways): load",
              limit.parameter, 0.002, unit="N"),
        known(stored, "limit point: way of the apex", "limit point of the symmetric path: apex deflection",
              -limit.displacement(top, -1)[1], 0.01, unit="length"),
    ]  # fmt: skip
    for way in (10, 30):
        s = min(paths.where(lambda x: x.displacement(top)[:, 0], way), key=lambda x: -x.displacement(top, -1)[1])
        label = f"sideways branch at |apex sideways| = {way}"
        quantities += [
            known(stored, f"{label}: load", f"{label}: load", s.load_factors[0], 0.003, unit="N"),
            known(stored, f"{label}: way down", f"{label}: apex deflection", -s.displacement(top, -1)[1], 0.005,
                  unit="length"),
        ]  # fmt: skip
    progress("ring")
    ring = load_reference("n17")
    contact = "opposite sides meet: p R^3/EI and largest half diameter over R"
    A, B, pressed = _ring(192)
    round_ = fx.trace_static(pressed, until=6.0, branches=1, stop=lambda s: s.position(B, step=-1)[1] < 0.0)
    quantities.append(
        known(ring, "ring: bifurcation", "bifurcation pressure p R^3/EI (mode 2, pressure follows the surface)",
              round_.bifurcations[0].parameter, 0.001)
    )  # fmt: skip
    for p in ("3.1", "3.5", "4.0", "4.5", "5.0"):
        name = f"p R^3/EI = {p}: largest and smallest half diameter over R"
        s = max(round_.at(float(p)), key=lambda x: x.position(A, -1)[0])
        for k, value in enumerate((s.position(A, -1)[0], s.position(B, -1)[1])):
            quantities.append(known(ring, f"ring at {p}: half diameter {k + 1}", name, value, 0.002, k))
    s = round_.where(lambda x: x.position(B)[:, 1], 0.0)[0]
    quantities += [
        known(ring, "ring, sides meet: pressure", contact, s.load_factors[0], 0.002, 0),
        known(ring, "ring, sides meet: half diameter", contact, s.position(A, -1)[0], 0.002, 1),
    ]
    axes = paths.plot((top, (0, -1)))
    return Outcome(quantities, (), (), [("Load over the way of the apex of the arch.", axes.figure)])


def _ring(elements: int) -> tuple[Any, Any, fx.Model]:
    """A quarter of a ring of unit radius and bending stiffness, EA R^2/EI = 1e6, one shell wide."""
    thickness = math.sqrt(12e-6)
    flat = fx.meshes.rectangle((0.0, 0.0), (0.5 * math.pi / elements, 0.5 * math.pi), (1, elements))
    z, a = flat.points.T[:2]
    mesh = fx.meshes.Mesh(np.column_stack((np.cos(a), np.sin(a), z)), flat.cells, flat.node_sets)
    material = fx.Elastic(youngs_modulus=12.0 / thickness**3, poissons_ratio=0.0, density=1.0)
    ring = fx.FlexibleBody(mesh, ANCFShell(), fx.ShellSection(thickness), material, name="ring")
    sides = {"bottom": (0, 1, 0), "top": (1, 0, 0), "left": (0, 0, 1), "right": (0, 0, 1)}
    held = [fx.Symmetry(ring.set(side), normal) for side, normal in sides.items()]
    return ring.at((1, 0, 0)), ring.at((0, 1, 0)), fx.Model(ring, *held, fx.Pressure(ring, -1.0), name="ring")


# --- frames -----------------------------------------------------------------------------------------------------------


def lee(elements: int = 20) -> tuple[Any, fx.Model]:
    """Lee's frame of two cables with a rigid corner; the loaded place and the model."""
    p = load_reference("s11b").parameters
    EA, EI = p["E"] * p["A"], p["E"] * p["I"]
    post = cable((0, 0), (0, 120), elements, EA, EI, "column")
    beam = cable((0, 120), (120, 120), elements, EA, EI, "beam")
    loaded = beam.at((24.0, 120.0))
    corner = fx.FixedJoint(post.end, beam.start, name="corner")
    push = fx.PointForce(loaded, (0.0, -1.0))
    return loaded, fx.Model(post, beam, corner, fx.Pin(post.start), fx.Pin(beam.end), push, name="Lee's frame")


def right_angle(sign: float, elements: int = 10) -> tuple[Any, fx.Model]:
    """The cantilever of two legs, loaded at its end along the first leg; its end and the model."""
    p = load_reference("n18").parameters
    E, EA, leg = p["E"], p["EA"], p["leg"]
    stiffness = fx.BeamStiffness(
        EA=EA, EI_y=E * p["I_thin"], EI_z=E * p["I_deep"], GJ=E / (2.0 * (1.0 + p["nu"])) * p["J"], GA_y=EA, GA_z=EA,
        mass_per_length=1.0, rhoI_y=1.0, rhoI_z=1.0,
    )  # fmt: skip
    one, two = (
        fx.FlexibleBody.line(a, b, elements=elements, element=GeometricallyExactBeam(), stiffness=stiffness, name=name)
        for a, b, name in (((0, 0, 0), (leg, 0, 0), "first leg"), ((leg, 0, 0), (leg, leg, 0), "second leg"))
    )
    corner = fx.FixedJoint(one.end, two.start, name="corner")
    push = fx.PointForce(two.end, (sign, 0.0, 0.0))
    return two.end, fx.Model(one, two, corner, fx.Clamp(one.start), push, name="right angle")


def aside(end: Any, s: fx.StaticSolution) -> FloatArray:
    """Displacement out of the plane (n,)."""
    return np.asarray(s.displacement(end)[:, 2])


def run_frames(progress: Progress) -> Outcome:
    """Lee's frame with its three equilibria; the right-angle frame, which buckles sideways."""
    quantities, stored, several = [], load_reference("s11b"), load_reference("n29")
    progress("Lee's frame")
    loaded, model = lee()
    paths = fx.trace_static(model, until=20000.0)
    rigid = "shear rigid, EA finite"
    for n, point in enumerate(paths.limit_points):
        name = f"{rigid}: load limit point {n + 1}"
        quantities += [
            known(stored, f"Lee: limit load {n + 1}", f"{name}: P", point.parameter, 0.005, unit="force"),
            known(stored, f"Lee: way down at limit load {n + 1}",
                  f"{name}: vertical displacement" + " of the load point", -point.displacement(loaded, -1)[1], 0.01,
                  unit="length"),
        ]  # fmt: skip
    quantities.append(
        known(stored, "Lee: P where the way down is 40", f"{rigid}: P when the vertical displacement first reaches 40",
              paths.where(lambda s: s.displacement(loaded)[:, 1], -40.0)[0].load_factors[0], 0.005, unit="force")
    )  # fmt: skip
    for load in (5000, 0, 15000):
        there = [s for s in paths.at(load) if s.displacement(loaded, -1)[1] > -95.0]
        name = (
            f"all equilibria at P = {load} on the path up to a deflection of 95: deflection down, to the right, in the "
            "order of the path"
        )
        quantities.append(measured(f"Lee: equilibria at P = {load}", "-", len(there), 3, several.source, atol=0.1))
        for k, s in enumerate(there):
            x, y, _ = s.displacement(loaded, -1)
            quantities += [
                measured(f"Lee: equilibrium {k + 1} at P = {load}: {what}", "length", value, pair(several, name, k, j),
                         several.source, 1e-6, rtol=0.005, atol=0.001)
                for j, (what, value) in enumerate((("down", -y), ("right", x)))
            ]  # fmt: skip
            stable = float(s.stable[0])
            quantities.append(
                measured(f"Lee: equilibrium {k + 1} at P = {load} is stable", "-", stable, float(k != 1),
                         "the load falls there", atol=0.1)
            )  # fmt: skip
    figures = [("Lee's frame: load over the way down of the load.", paths.plot((loaded, (0, -1))).figure)]
    frame = load_reference("n18")
    for sign, way in ((-1.0, "load at the free end along -x (towards the clamped leg's root)"),
                      (1.0, "load at the free end along +x")):  # fmt: skip
        progress(way)
        end, paths = _sideways(sign)
        short = "right angle, " + way.split(" (")[0].removeprefix("load at the free end ")
        quantities.append(
            known(frame, f"{short}: bifurcation", f"{way}: bifurcation load", paths.bifurcations[0].parameter, 0.005,
                  unit="N")
        )  # fmt: skip
        for z in (10, 30, 60):
            s = paths.where(partial(aside, end), z)[0]
            name = f"{way}: load and in-plane tip position (x, y) on the branch when the tip is {z} mm out of the plane"
            values = s.load_factors[0], *s.position(end, -1)[:2]
            quantities += [
                known(frame, f"{short}, {z} mm out: {what}", name, value, 0.005, k, unit)
                for k, (what, unit, value) in enumerate(zip(("load", "x", "y"), ("N", "mm", "mm"), values, strict=True))
            ]
    return Outcome(quantities, (), (), figures)


def _sideways(sign: float) -> tuple[Any, fx.EquilibriumPaths]:
    """The right-angle frame up to 65 mm out of its plane."""
    end, model = right_angle(sign)

    def far(s: fx.StaticSolution) -> bool:
        return bool(abs(s.displacement(end, step=-1)[2]) > 65.0)

    return end, fx.trace_static(model, until=1.6, branches=1, stop=far)


STEEP_TRUSS = Case(
    id="truss-paths",
    title="Steep and shallow trusses: bifurcation, branch, limit point",
    area="statics",
    summary=(
        "Two bars to an apex that is free to go sideways, pushed down. The steep one buckles sideways before it snaps; "
        "its branch is followed without imperfection and meets the symmetric path again."
    ),
    run=run_truss,
    source="Closed form: l^3 - l0 l^2 + l0 a^2 = 0.",
    equations=(r"P = 2 EA \frac{l_0 - l}{l_0\, l} z, \qquad l^2 = x^2 + z^2 + a^2",),
)
COLUMN = Case(
    id="column-branches",
    title="Perfect columns: bifurcations and their branches",
    area="statics",
    summary=(
        "Hinged and clamped columns without imperfection. All critical loads of the straight column are found by the "
        "number of unstable directions, and the elastica is followed from there to end slopes of 150 degrees."
    ),
    run=run_column,
    source="Elliptic integrals; S. P. Timoshenko and J. M. Gere, Theory of Elastic Stability, 2.7.",
    equations=(r"P\,(1 - P/EA) = n^2\pi^2 EI / L^2",),
)
ARCH = Case(
    id="arch-and-ring",
    title="An arch that goes sideways before it snaps, a ring under pressure",
    area="statics",
    summary=(
        "The symmetric path of a two-hinged half circle passes a bifurcation long before its limit point, and only the "
        "number of unstable directions tells. A ring under outside pressure is followed until its sides meet."
    ),
    run=run_arch,
    source="J. V. Huddleston, J. Appl. Mech. 35 (1968); J. E. Flaherty, J. B. Keller and S. I. Rubinow, SIAM J. Appl. "
    "Math. 23 (1972); numbers by shooting.",
)
FRAMES = Case(
    id="frame-paths",
    title="Lee's frame and the right-angle frame: snap-back, lateral buckling, all equilibria at a load",
    area="statics",
    summary=(
        "Lee's frame through both load and displacement limit points, with its three equilibria at a load and their "
        "stability. The right-angle frame, a joint between two spatial rods, buckles out of its plane."
    ),
    run=run_frames,
    source="S. L. Lee, F. S. Manuel and E. C. Rossow, J. Eng. Mech. Div. 94 (1968); J. H. Argyris et al., Comput. "
    "Methods Appl. Mech. Engng 17/18 (1979); J. C. Simo and L. Vu-Quoc, ibid. 58 (1986); numbers by shooting.",
)
