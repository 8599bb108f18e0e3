"""Beams and cables of finite rigid segments: statics, frequencies, large rotations, a hanging cable."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.reference.catenary import elastic_catenary
from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.reference.elastica import cantilever_tip_moment
from flexmbs.verification.reference.rod_problems import cantilever_dead_tip

QUIET = fx.StaticOptions(progress=False)
SLIM = fx.BeamStiffness(EA=1e6, EI_z=1.0, GJ=0.8, GA_y=1e8, GA_z=1e8, mass_per_length=1.0, rhoI_y=1e-8, rhoI_z=1e-8)
KINDS: dict[str, dict[str, Any]] = {
    "statics": {"match": "statics"},
    "modes": {"match": "modes"},
    "no stretch": {"stretch": False},
}
COUNTS = (8, 16, 32)
SMALL = 1e-4


def straight(n: int, stiffness: fx.BeamStiffness, **options: Any) -> fx.segments.SegmentedBeam:
    """A planar beam of length 1 along x."""
    return fx.segments.segmented_beam([(0, 0), (1, 0)], n=n, stiffness=stiffness, **options)


def _clamped(beam: fx.segments.SegmentedBeam, *loads: Any) -> fx.Model:
    return fx.Model(*beam.items, fx.FixedJoint(fx.ground, beam.start), *loads)


def _deflections(progress: Progress) -> list[Measured]:
    """Tip of a cantilever under a small force, by P L^3/3 EI: exact, or too small by 1/(4 n^2)."""
    found = []
    for name, options in KINDS.items():
        for n in (4,):
            progress(f"deflection, {name}, {n} elements")
            beam = straight(n, SLIM, **options)
            model = _clamped(beam, fx.PointForce(beam.end, (0.0, SMALL)))
            tip = fx.solve_static(model, QUIET).position(beam.end)[-1, 1] * 3.0 / SMALL
            shear = 0.0 if name == "no stretch" else 3.0 / 1e8
            exact = 1.0 + shear - (0.0 if name == "statics" else 0.25 / n**2)
            # what is left is of the size of the square of the deflection
            found.append(measured(f"{name}, {n} elements: w 3 EI/(P L³)", "-", tip, exact, "closed form", atol=1e-8))
    return found


def _frequencies(n: int, ends: str, options: dict[str, Any]) -> FloatArray:
    """The first three, by those of the beam with the exact solution."""
    beam = straight(n, SLIM, **options)
    joints: list[Any] = [fx.FixedJoint(fx.ground, beam.start)]
    if ends == "pinned-pinned":
        line = fx.ground.marker_at((1.0, 0.0), axis=(1.0, 0.0, 0.0))
        joints = [fx.RevoluteJoint(fx.ground, beam.bodies[0], at=(0.0, 0.0)), fx.PointOnLineConstraint(line, beam.end)]
    stored = load_reference("e01")
    exact = np.array([stored.value(f"{ends} beta_n L, n=1..5", i) for i in range(3)]) ** 2
    return np.asarray(fx.solve_modal(fx.Model(*beam.items, *joints), 3).angular_frequencies / exact)


def run(progress: Progress) -> Outcome:
    """Statics, frequencies, roll-up, elastica, torsion."""
    quantities = _deflections(progress)
    studies, rows = [], []
    for ends in ("clamped-free", "pinned-pinned"):
        for name, options in KINDS.items():
            if (ends, name) == ("pinned-pinned", "no stretch"):  # the same figures as with "modes"
                continue
            progress(f"frequencies, {ends}, {name}")
            errors = [_frequencies(n, ends, options) - 1.0 for n in COUNTS]
            worst = [float(np.abs(e).max()) for e in errors]
            # between clamps of any kind the errors of stiffness and inertia cancel where beta = 0; pinned ends keep it
            order = 4.0 if ends == "pinned-pinned" and name != "statics" else 2.0
            studies.append(
                ConvergenceStudy(f"frequencies 1-3, {ends}, {name}", COUNTS, worst, order, order - 0.2, floor=1e-6,
                                 counts=True)
            )  # fmt: skip
            rows.append((ends, name, *(" ".join(f"{x:+.1e}" for x in e) for e in errors)))
    quantities += _rolled(progress, studies)
    _elastica(progress, studies)
    quantities += _torsion(progress, studies)
    quantities += _bend(progress, studies)
    table = Table(
        "Relative errors of the first three frequencies",
        ("ends", "joints", *(f"{n} elements" for n in COUNTS)), rows,
    )  # fmt: skip
    return Outcome(quantities, studies, [table])


def _rolled(progress: Progress, studies: list[ConvergenceStudy]) -> list[Measured]:
    """An end moment 2 pi EI/L closes the chain to a regular polygon at once, a quarter of it converges."""
    found = []
    errors = []
    arc = cantilever_tip_moment(math.pi / 2.0)
    for n in COUNTS:
        progress(f"roll-up, {n} elements")
        beam = straight(n, SLIM, stretch=False)
        model = _clamped(beam, fx.Moment(beam.end, 2.0 * math.pi))
        rolled = fx.solve_static(model, fx.StaticOptions(progress=False, at=(0.25,), check_stability=False))
        tips = rolled.position(beam.end)
        quarter = tips[int(np.argmin(np.abs(rolled.t - 0.25)))]
        errors.append(float(np.hypot(quarter[0] - arc.x, quarter[1] - arc.y)))
        gap = float(np.linalg.norm(tips[-1]))
        found.append(
            measured(f"one turn, {n} elements: distance of the tip from the clamp", "L", gap, 0.0,
                     "regular polygon", atol=1e-9)
        )  # fmt: skip
        found.append(
            measured(f"one turn, {n} elements: way to the opposite node", "L",
                     float(np.linalg.norm(rolled.position(beam.node(n // 2))[-1])), 1.0 / (n * math.tan(math.pi / n)),
                     "inscribed circle of the regular polygon", rtol=1e-9)
        )  # fmt: skip
    studies.append(ConvergenceStudy("tip after a quarter turn", COUNTS, errors, 2.0, 1.9, counts=True))
    return found


def _elastica(progress: Progress, studies: list[ConvergenceStudy]) -> None:
    """A dead force P L^2/EI = 10; the centre line stretches by 1 %, which alternating sides of the joints answer."""
    x, y, _ = cantilever_dead_tip(10.0, 1e3).tip
    errors = []
    for n in COUNTS:
        progress(f"elastica, {n} elements")
        beam = straight(n, fx.BeamStiffness(EA=1e3, EI_z=1.0, mass_per_length=1.0))
        tip = fx.solve_static(_clamped(beam, fx.PointForce(beam.end, (0.0, 10.0))), QUIET).position(beam.end)[-1]
        errors.append(float(np.hypot(tip[0] - x, tip[1] - y)))
    studies.append(ConvergenceStudy("tip under P L²/EI = 10, EA L²/EI = 1000", COUNTS, errors, 2.0, 1.9, counts=True))


def _torsion(progress: Progress, studies: list[ConvergenceStudy]) -> list[Measured]:
    """Twisting and stretching vibrations of a clamped rod with c = 1: omega = pi/2."""
    unit = fx.BeamStiffness(EA=1.0, EI_z=1e6, GJ=2.0, GA_y=1e6, GA_z=1e6, mass_per_length=1.0, rhoI_y=0.25, rhoI_z=0.25)
    exact = {"axial": math.pi / 2.0, "torsional": math.pi}
    errors: dict[str, list[float]] = {kind: [] for kind in exact}
    for n in COUNTS:
        progress(f"torsion, {n} elements")
        beam = fx.segments.segmented_beam([(0, 0, 0), (1, 0, 0)], n=n, stiffness=unit)
        found = fx.solve_modal(_clamped(beam), 3).angular_frequencies
        errors["axial"].append(abs(found[0] / exact["axial"] - 1.0))
        errors["torsional"].append(abs(found[1] / exact["torsional"] - 1.0))
    # lumped masses on springs, half a mass at the free end: sin(x)/x of x = pi/(4 n)
    x = math.pi / (4.0 * COUNTS[-1])
    wanted = 1.0 - math.sin(x) / x
    for kind, values in errors.items():
        studies.append(ConvergenceStudy(f"first {kind} frequency", COUNTS, values, 2.0, 1.9, counts=True))
    return [
        measured(f"{kind}: relative error, {COUNTS[-1]} elements", "-", values[-1], wanted, "closed form", rtol=1e-3)
        for kind, values in errors.items()
    ]


def _bend(progress: Progress, studies: list[ConvergenceStudy]) -> list[Measured]:
    """S03, the 45-degree bend, under its smallest load; bodies are bent at their nodes."""
    stored = load_reference("s03")
    p = stored.parameters
    E, G, A, I = p["E"], p["G"], p["A"], p["I"]  # noqa: E741
    stiffness = fx.BeamStiffness(
        EA=E * A, EI_z=E * I, GJ=G / 6.0, GA_y=G * A, GA_z=G * A, mass_per_length=1.0, rhoI_y=I, rhoI_z=I
    )
    name = "P=600 Simo data GJ=G/6, GA_s=GA tip position (x,y,z)"
    exact = np.array([stored.value(name, i) for i in range(3)])
    errors, tips = [], []
    for n in COUNTS:
        progress(f"bend, {n} elements")
        angle = np.linspace(math.pi, 0.75 * math.pi, n + 1)
        points = p["R"] * np.column_stack((1.0 + np.cos(angle), np.sin(angle), np.zeros(n + 1)))
        beam = fx.segments.segmented_beam(points, stiffness=stiffness)
        tip = fx.solve_static(_clamped(beam, fx.PointForce(beam.end, (0.0, 0.0, 600.0))), QUIET).position(beam.end)[-1]
        tips.append(tip)
        errors.append(float(np.linalg.norm(tip - exact)) / p["R"])
    studies.append(ConvergenceStudy("45-degree bend, P = 600: tip by R", COUNTS, errors, 2.0, 1.9, counts=True))
    return [
        measured(f"45-degree bend, P = 600, {COUNTS[-1]} elements: tip {'xyz'[i]}", "in", tips[-1][i], exact[i],
                 stored.source, stored.reference(name, i).uncertainty, rtol=1e-3)
        for i in range(3)
    ]  # fmt: skip


def hanging(n: int, EA: float | None, space: bool = False) -> tuple[fx.segments.SegmentedBeam, Any, Any]:
    """S13 by rigid segments that begin on the curve of a cable that does not stretch; with its equilibrium and pin."""
    p = load_reference("s13").parameters
    start = elastic_catenary(1e12, p["w"], p["L0"], p["span"], p["drop"]).position(np.linspace(0.0, p["L0"], n + 1))
    points = start * (1.0, -1.0)
    down: tuple[float, ...] = (0.0, -9.81)
    if space:
        points, down = np.column_stack((points[:, 0], np.zeros(n + 1), points[:, 1])), (0.0, 0.0, -9.81)
    cable = fx.segments.segmented_cable(points, mass_per_length=p["w"] / 9.81, EA=EA, GJ=1.0 if space else None)
    pins = [
        fx.SphericalJoint(fx.ground.marker_at(points[end]), node, name=f"pin {end}")
        for end, node in ((0, cable.start), (-1, cable.end))
    ]
    model = fx.Model(*cable.items, *pins, fx.Gravity(down, history=fx.Constant()))
    return cable, fx.solve_static(model, QUIET), pins[0]


def run_cable(progress: Progress) -> Outcome:
    """With and without stretching."""
    stored = load_reference("s13")
    p = stored.parameters
    quantities, studies = [], []
    counts = (10, 20, 40, 80)
    drawing, axes = figure()
    s = np.linspace(0.0, p["L0"], 200)
    for EA in (None, 1e6, 1e4):
        exact = elastic_catenary(EA or 1e12, p["w"], p["L0"], p["span"], p["drop"])
        errors, tension = [], []
        for n in counts:
            progress(f"EA = {EA}, {n} elements")
            cable, found, pin = hanging(n, EA)
            places = cable.positions(found)[-1, :, :2]
            there = exact.position(np.linspace(0.0, p["L0"], n + 1)) * (1.0, -1.0)
            errors.append(float(np.linalg.norm(places - there, axis=1).max() / p["L0"]))
            tension.append(abs(float(found.reaction(pin)[-1, 0])))
        label = "no stretch" if EA is None else f"EA = {EA:g} N"
        studies.append(ConvergenceStudy(f"{label}: worst node by L", counts, errors, 2.0, 1.9, counts=True))
        studies.append(
            ConvergenceStudy(f"{label}: horizontal tension", counts, [abs(H / exact.H - 1.0) for H in tension], 2.0,
                             1.9, counts=True)
        )  # fmt: skip
        colour = COLOURS[0 if EA is None else 1]
        if EA != 1e6:
            axes.plot(*(exact.position(s) * (1.0, -1.0)).T, color="black", linewidth=0.8, linestyle=(0, (4, 3)))
            cable, found, pin = hanging(10, EA)
            axes.plot(*cable.positions(found)[-1, :, :2].T, "o-", color=colour, markersize=3.5, label=label)
        else:
            name = "horizontal tension H"
            reference = stored.reference(name)
            quantities.append(
                measured(f"{name}, 80 elements", "N", tension[-1], reference.value, stored.source,
                         reference.uncertainty, rtol=1e-3)
            )  # fmt: skip
            for i, value in enumerate(places[counts[-1] // 2] * (1.0, -1.0)):
                reference = stored.reference("position (x, depth) at s=50", i)
                quantities.append(
                    measured(f"{('x', 'depth')[i]} at s = 50, 80 elements", "m", value, reference.value,
                             stored.source, reference.uncertainty, rtol=1e-3)
                )  # fmt: skip
    progress("in space")
    flat, found, _ = hanging(20, 1e4)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*one of many")  # all segments may spin together
        round_, solution, _ = hanging(20, 1e4, space=True)
    apart = np.abs(round_.positions(solution)[-1][:, [0, 2]] - flat.positions(found)[-1][:, :2]).max()
    quantities.append(measured("in space against the plane, 20 elements", "m", apart, 0.0, "the same cable", atol=1e-8))
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    axes.set_aspect("equal")
    axes.legend(frameon=False)
    return Outcome(quantities, studies, (), [("Ten elements and the elastic catenary (dashed).", drawing)])


BEAMS = Case(
    id="segmented-beams",
    title="Beams of finite rigid segments",
    area="statics",
    summary=(
        "Rigid bodies with elastic joints in the place of a beam: deflections of a cantilever, frequencies, an end "
        "moment that closes it to a circle, a large dead force, torsion, and the 45-degree bend S03.\n\n"
        "Joints that match statics have the flexibility of an element in shear, which makes the nodes of a straight "
        "beam exact; those that match modes leave it out."
    ),
    run=run,
    source="E. Wittbrodt, I. Adamiec-Wojcik, S. Wojciech, Dynamics of Flexible Multibody Systems, Springer 2006; "
    "closed forms; S03 and E01 as in the cases of their own.",
    equations=(r"k_\theta = \dfrac{EI}{h}, \quad \dfrac{1}{k_y} = \dfrac{h}{GA} + \beta\,\dfrac{h^3}{12\,EI}",),
)

CABLE = Case(
    id="segmented-cable",
    title="Cable of finite rigid segments",
    area="statics",
    summary=(
        "The elastic catenary S13 by rigid links with hinges, or with springs of the same stiffness in all directions. "
        "The links begin on the curve of the cable that does not stretch; their lengths are those of its polygon."
    ),
    run=run_cable,
    source="H. M. Irvine, Cable Structures, MIT Press 1981, chapter 2.",
    basic=True,
)
