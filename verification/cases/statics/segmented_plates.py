"""Plates of finite rigid segments: frequencies, deflections, twist, and strips rolled up and bent far."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.statics.plates import rigidity
from flexmbs.verification.reference.data import load_reference

QUIET = fx.StaticOptions(progress=False, check_stability=False)
SIDES = ("left", "right", "bottom", "top")
THIN = 1e-3
COUNTS = (6, 12, 24)


def supports(plate: fx.segments.SegmentedPlate, code: str) -> list[Any]:
    """Sides clamped (C), simply supported (S, free to turn about both axes) or free (F) in the order of SIDES.

    A plate without clamps is held in its plane at two corners, if it is held at all.
    """
    letters: dict[int, tuple[fx.Marker, str]] = {}
    for side, letter in zip(SIDES, code, strict=True):
        for node in plate.side(side) if letter != "F" else ():
            letters[id(node)] = (node, min(letter, letters.get(id(node), (node, "S"))[1]))
    corners = (id(plate.nodes[0][0]), id(plate.nodes[-1][0])) if "C" not in code else ()
    joints: list[Any] = []
    for k, (key, (node, letter)) in enumerate(letters.items()):
        place, name = node.position0(), f"support {k}"
        if letter == "C":
            joints.append(fx.FixedJoint(fx.ground, node, name=name))
        elif key in corners[:1]:
            joints.append(fx.SphericalJoint(fx.ground.marker_at(place), node, name=name))
        elif key in corners:
            joints.append(fx.PointOnLineConstraint(fx.ground.marker_at(place, axis=(1, 0, 0)), node, name=name))
        else:
            joints.append(fx.PointOnPlaneConstraint(fx.ground.marker_at(place, axis=(0, 0, 1)), node, name=name))
    return joints


def square(n: int, nu: float = 0.3) -> fx.segments.SegmentedPlate:
    """Side 1, mass per area 1, as in the cases of shells."""
    material = fx.Elastic(youngs_modulus=1e9, poissons_ratio=nu, density=1.0 / THIN)
    return fx.segments.segmented_plate((1.0, 1.0), (n, n), thickness=THIN, material=material)


MODES = (
    ("SSSS", "SSSS lambda_1..6 = omega a^2 sqrt(rho h/D), nu=0.3"),
    ("CCCC", "CCCC lambda_1..6 = omega a^2 sqrt(rho h/D), nu=0.3"),
    ("FFFF", "FFFF (3 rigid modes removed) lambda_1..6 = omega a^2 sqrt(rho h/D), nu=0.3"),
    ("CFFF", "CFFF lambda_1..6 = omega a^2 sqrt(rho h/D), nu=0.3"),
)


def run_modes(progress: Progress) -> Outcome:
    """Six frequencies for four sets of edges."""
    stored = load_reference("e09")
    quantities, studies, rows = [], [], []
    for code, name in MODES:
        exact = np.array([stored.value(name, i) for i in range(6)])
        errors = []
        for n in COUNTS:
            progress(f"{code}, {n} x {n}")
            plate = square(n)
            rigid = 6 if code == "FFFF" else 0
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".*grow.*")  # round-off of rigid motions
                modes = fx.solve_modal(fx.Model(*plate.items, *supports(plate, code)), 6 + rigid)
            errors.append(modes.angular_frequencies[rigid:] / math.sqrt(rigidity(0.3)) / exact - 1.0)
        worst = [float(np.abs(e).max()) for e in errors]
        studies.append(ConvergenceStudy(f"{code}, worst of six modes", COUNTS, worst, 2.0, 1.8, counts=True))
        rows += [(code, f"{n} x {n}", *(f"{x:+.1e}" for x in e)) for n, e in zip(COUNTS, errors, strict=True)]
        reference = stored.reference(name, 0)
        quantities.append(
            # (k h)^2 / 24 of every direction with k of the first mode, doubled for edges
            measured(f"{code}, lambda 1, {COUNTS[-1]} x {COUNTS[-1]}", "-", (errors[-1][0] + 1.0) * exact[0],
                     reference.value, stored.source, reference.uncertainty, rtol=(math.pi / COUNTS[-1]) ** 2 / 6.0)
        )  # fmt: skip
    table = Table("Relative errors", ("edges", "cells", *(f"mode {i}" for i in range(1, 7))), rows)
    return Outcome(quantities, studies, [table])


def run_statics(progress: Progress) -> Outcome:
    """S09 and S14."""
    stored = load_reference("s09")
    quantities: list[Measured] = []
    studies = []
    D = rigidity(0.3)
    small = 1e-7  # of the side, far below the thickness
    for code, name, pressed in (
        ("SSSS", "SSSS uniform: w_c D/(q a^4)", True),
        ("SSSS", "SSSS central point load: w_c D/(P a^2)", False),
        ("CCCC", "CCCC uniform: w_c D/(q a^4)", True),
        ("CCCC", "CCCC central point load: w_c D/(P a^2)", False),
    ):
        exact = stored.reference(name)
        errors = []
        for n in COUNTS:
            progress(f"{name}, {n} x {n}")
            plate = square(n)
            centre = plate.node(n // 2, n // 2)
            size = small * D / exact.value
            loads = plate.pressure(size) if pressed else (fx.PointForce(centre, (0, 0, size)),)
            found = fx.solve_static(fx.Model(*plate.items, *supports(plate, code), *loads), QUIET)
            errors.append(abs(float(found.position(centre)[-1, 2]) / small - 1.0))
        # under a force the moments are infinite: h^2 times a logarithm
        studies.append(ConvergenceStudy(name, COUNTS, errors, 2.0, 1.8 if pressed else 1.5, counts=True))
    quantities += _twist(progress)
    quantities += _rolled(progress, studies)
    return Outcome(quantities, studies)


def _twist(progress: Progress) -> list[Measured]:
    """Three corners held, the fourth pulled down: constant twist, which the springs have exactly."""
    stored = load_reference("s14")
    p = stored.parameters
    n = 8
    progress("twist")
    material = fx.Elastic(youngs_modulus=p["E"], poissons_ratio=p["nu"], density=7850.0)
    plate = fx.segments.segmented_plate((p["a"], p["a"]), (n, n), thickness=p["h"], material=material)
    a, b, c, loaded = (plate.node(i, j) for i, j in ((0, 0), (n, 0), (0, n), (n, n)))
    joints = (
        fx.SphericalJoint(fx.ground.marker_at(a.position0()), a, name="a"),
        fx.PointOnLineConstraint(fx.ground.marker_at(b.position0(), axis=(1, 0, 0)), b, name="b"),
        fx.PointOnPlaneConstraint(fx.ground.marker_at(c.position0(), axis=(0, 0, 1)), c, name="c"),
    )
    force = 1e-3  # of the 1 N of the reference, so that the plate stays flat
    found = fx.solve_static(fx.Model(*plate.items, *joints, fx.PointForce(loaded, (0, 0, -force))), QUIET)
    places = -plate.positions(found)[-1, :, :, 2] / force
    return [
        measured(f"twist, {n} x {n}: {name}", "m", value, known.value, stored.source, known.uncertainty, rtol=2e-3)
        for name, value, known in (
            (name, value, stored.reference(name))
            for name, value in (
                ("deflection at the loaded corner = P a^2/(2 D (1-nu))", places[n, n]),
                ("deflection at the plate centre (a quarter of the corner value)", places[n // 2, n // 2]),
            )
        )
    ]


def _rolled(progress: Progress, studies: list[ConvergenceStudy]) -> list[Measured]:
    """S08a: a strip without Poisson's ratio rolled up by moments at its end; at 2 pi EI/L the polygon closes."""
    L, b, h, E = 12.0, 1.0, 0.1, 1.2e6
    material = fx.Elastic(youngs_modulus=E, poissons_ratio=0.0, density=1.0)
    moment = 2.0 * math.pi * E * b * h**3 / 12.0 / L
    found, errors = [], []
    counts = (6, 12, 24)
    for n in counts:
        progress(f"strip, {n} x 2")
        strip = fx.segments.segmented_plate((L, b), (n, 2), thickness=h, material=material)
        clamps = [fx.FixedJoint(fx.ground, node, name=f"clamp {k}") for k, node in enumerate(strip.side("left"))]
        shares = zip(strip.side("right"), (0.25, 0.5, 0.25), strict=True)
        loads = [fx.Moment(node, (0.0, -moment * share, 0.0)) for node, share in shares]
        options = fx.StaticOptions(progress=False, check_stability=False, at=(0.25,))
        rolled = fx.solve_static(fx.Model(*strip.items, *clamps, *loads), options)
        tip = rolled.position(strip.node(n, 1))
        quarter = tip[int(np.argmin(np.abs(rolled.t - 0.25)))]
        radius = 2.0 * L / math.pi
        errors.append(float(np.linalg.norm(quarter - (radius, 0.5 * b, radius))) / L)
        found.append(
            measured(f"strip {n} x 2 rolled to a circle: distance of the ends", "L",
                     float(np.linalg.norm(tip[-1] - (0.0, 0.5 * b, 0.0))) / L, 0.0, "regular polygon", atol=1e-8)
        )  # fmt: skip
    studies.append(ConvergenceStudy("strip rolled by a quarter: tip by L", counts, errors, 2.0, 1.9, counts=True))
    return found


FREQUENCIES = Case(
    id="segmented-plate-modes",
    title="Square plates of finite rigid segments: frequencies",
    area="modes",
    summary=(
        "E09 by rigid boxes at the nodes of a grid with springs along the sides and the diagonals of its cells. "
        "Simple supports leave both rotations free."
    ),
    run=run_modes,
    source="A. W. Leissa, J. Sound Vib. 31 (1973) 257-293; lattice: A. Hrennikoff, J. Applied Mechanics 8 (1941) A169.",
    slow=True,
)

DEFLECTIONS = Case(
    id="segmented-plate-statics",
    title="Square plates of finite rigid segments: deflections and twist",
    area="statics",
    summary=(
        "S09, S14 and the roll-up S08a by rigid boxes at the nodes of a grid with springs along the sides and the "
        "diagonals of its cells."
    ),
    run=run_statics,
    source="As S09 and S14; lattice: A. Hrennikoff, J. Applied Mechanics 8 (1941) A169-A175.",
    slow=True,
)
