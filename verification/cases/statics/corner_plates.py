"""Plates in frames that follow their corners: strips that bend far, square plates, frequencies."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import CorotationalShell
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.statics.plates import E_MODULUS, THIN, rigidity
from flexmbs.verification.reference.data import load_reference

QUIET = fx.StaticOptions(progress=False, check_stability=False)
SIDES = ("left", "right", "bottom", "top")
STRIPS = (8, 16, 32)
COUNTS = (8, 16, 32)


def strip(length: float, n: int) -> fx.FlexibleBody:
    """Of S08a and S08b, one element wide."""
    material = fx.Elastic(youngs_modulus=1.2e6, poissons_ratio=0.0, density=1.0)
    return fx.FlexibleBody.plate(
        (length, 1.0),
        elements=(n, 1),
        element=CorotationalShell(),
        section=fx.ShellSection(0.1),
        material=material,
        name="strip",
    )


def square(n: int) -> fx.FlexibleBody:
    """Side 1, mass per area 1, as in the cases of linear shells."""
    material = fx.Elastic(youngs_modulus=E_MODULUS, poissons_ratio=0.3, density=1.0 / THIN)
    return fx.FlexibleBody.plate(
        (1.0, 1.0),
        elements=(n, n),
        element=CorotationalShell(),
        section=fx.ShellSection(THIN),
        material=material,
        name="plate",
    )


def supports(plate: fx.FlexibleBody, code: str) -> list[Any]:
    """Sides clamped (C), simply supported (S, free to turn) or free (F); in the plane all S sides are held."""
    held: list[Any] = []
    for side, letter in zip(SIDES, code, strict=True):
        if letter == "C":
            held.append(fx.Clamp(plate.set(side)))
        elif letter == "S":
            held.append(fx.Pin(plate.set(side)))
    return held


def run_strips(progress: Progress) -> Outcome:
    """Roll-up by a moment, bending by a force."""
    rolled, sheared = load_reference("s08a"), load_reference("s08b")
    quantities, studies = [], []
    parts = (0.25, 0.5, 1.0)
    moment = 2.0 * math.pi * 1.2e6 * 0.1**3 / 12.0 / 12.0
    errors: dict[float, list[float]] = {part: [] for part in parts}
    tips: dict[float, tuple[float, float]] = {}
    for n in STRIPS:
        progress(f"moment, {n} elements")
        body = strip(12.0, n)
        ends = [body.node(k) for k in body.set("right").nodes]
        loads = [fx.Moment(node, (0.0, -0.5 * moment, 0.0)) for node in ends]
        model = fx.Model(body, fx.Clamp(body.set("left")), *loads)
        options = fx.StaticOptions(progress=False, check_stability=False, at=parts[:-1])
        found = fx.solve_static(model, options)
        for part in parts:
            tip = found.position(ends[0])[int(np.argmin(np.abs(found.t - part)))] - (12.0, 0.0, 0.0)
            tips[part] = (-tip[0], tip[2])
            exact = [rolled.value(f"M/Mmax={part:g}: {name}") for name in ("-U tip (towards the clamp)", "W tip")]
            errors[part].append(float(np.hypot(tips[part][0] - exact[0], tips[part][1] - exact[1])) / 12.0)
    for part in parts:
        for i, name in enumerate(("-U tip (towards the clamp)", "W tip")):
            reference = rolled.reference(f"M/Mmax={part:g}: {name}")
            # a polygon of n sides of an arc: (angle of an element)^2 / 24, of the length
            atol = 12.0 * (2.0 * math.pi * part / STRIPS[-1]) ** 2 / 24.0
            quantities.append(
                measured(f"M/Mmax = {part:g}, {STRIPS[-1]} elements: {name}", "-", tips[part][i], reference.value,
                         rolled.source, reference.uncertainty, atol=atol)
            )  # fmt: skip
        if part < 1.0:
            studies.append(ConvergenceStudy(f"M/Mmax = {part:g}: tip", STRIPS, errors[part], 2.0, 1.9, counts=True))
    shear_errors = []
    for n in STRIPS:
        progress(f"force, {n} elements")
        body = strip(10.0, n)
        ends = [body.node(k) for k in body.set("right").nodes]
        forces = [fx.PointForce(node, (0.0, 0.0, 2.0)) for node in ends]
        found = fx.solve_static(fx.Model(body, fx.Clamp(body.set("left")), *forces), QUIET)
        tip = found.position(ends[0])[-1] - (10.0, 0.0, 0.0)
        exact = [sheared.value(f"P/Pmax=1: {name}") for name in ("-U tip", "W tip")]
        shear_errors.append(float(np.hypot(-tip[0] - exact[0], tip[2] - exact[1])) / 10.0)
    studies.append(ConvergenceStudy("P/Pmax = 1: tip", STRIPS, shear_errors, 2.0, 1.9, counts=True))
    for i, name in enumerate(("-U tip", "W tip")):
        reference = sheared.reference(f"P/Pmax=1: {name}")
        quantities.append(
            measured(f"P/Pmax = 1, {STRIPS[-1]} elements: {name}", "-", (-tip[0], tip[2])[i], reference.value,
                     sheared.source, reference.uncertainty, rtol=1e-3)
        )  # fmt: skip
    return Outcome(quantities, studies)


MODES = (
    ("SSSS", "SSSS lambda_1..6 = omega a^2 sqrt(rho h/D), nu=0.3"),
    ("CCCC", "CCCC lambda_1..6 = omega a^2 sqrt(rho h/D), nu=0.3"),
    ("FFFF", "FFFF (3 rigid modes removed) lambda_1..6 = omega a^2 sqrt(rho h/D), nu=0.3"),
    ("CFFF", "CFFF lambda_1..6 = omega a^2 sqrt(rho h/D), nu=0.3"),
)


def run_plates(progress: Progress) -> Outcome:
    """E09 and the deflections of S09."""
    quantities, studies, rows = [], [], []
    stored = load_reference("e09")
    for code, name in MODES:
        exact = np.array([stored.value(name, i) for i in range(6)])
        errors = []
        for n in COUNTS:
            progress(f"{code}, {n} x {n}")
            plate = square(n)
            rigid = 6 if code == "FFFF" else 0
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".*grow.*")  # round-off of rigid motions
                modes = fx.solve_modal(fx.Model(plate, *supports(plate, code)), 6 + rigid)
            errors.append(modes.angular_frequencies[rigid:] / math.sqrt(rigidity(0.3)) / exact - 1.0)
        worst = [float(np.abs(e).max()) for e in errors]
        studies.append(ConvergenceStudy(f"{code}, worst of six modes", COUNTS, worst, 2.0, 1.8, counts=True))
        rows += [(code, f"{n} x {n}", *(f"{x:+.1e}" for x in e)) for n, e in zip(COUNTS, errors, strict=True)]
        for i in range(6):
            reference = stored.reference(name, i)
            quantities.append(
                measured(f"{code}, lambda {i + 1}, {COUNTS[-1]} x {COUNTS[-1]}", "-", (errors[-1][i] + 1.0) * exact[i],
                         exact[i], stored.source, reference.uncertainty, rtol=1.5e-2)
            )  # fmt: skip
    _deflections(progress, studies)
    table = Table("Relative errors", ("edges", "cells", *(f"mode {i}" for i in range(1, 7))), rows)
    return Outcome(quantities, studies, [table])


def _deflections(progress: Progress, studies: list[ConvergenceStudy]) -> None:
    stored = load_reference("s09")
    small = 1e-7  # of the side, far below the thickness
    for code in ("SSSS", "CCCC"):
        exact = stored.reference(f"{code} uniform: w_c D/(q a^4)")
        errors = []
        for n in COUNTS:
            progress(f"{code} under a load, {n} x {n}")
            plate = square(n)
            load = fx.DistributedLoad(plate, (0.0, 0.0, small * rigidity(0.3) / exact.value))
            found = fx.solve_static(fx.Model(plate, *supports(plate, code), load), QUIET)
            centre = found.position(plate.at((0.5, 0.5, 0.0)))[-1, 2]
            errors.append(abs(float(centre) / small - 1.0))
        studies.append(ConvergenceStudy(f"{code}, deflection under a load", COUNTS, errors, 2.0, 1.8, counts=True))


def thrown(step: float) -> tuple[FloatArray, float]:
    """A soft plate thrown and spun by forces at one end for 0.4 s; relative changes of momenta and energy in 2.5 s."""
    material = fx.Elastic(youngs_modulus=1e6, poissons_ratio=0.3, density=1000.0)
    plate = fx.FlexibleBody.plate(
        (1.0, 0.3),
        elements=(8, 3),
        element=CorotationalShell(),
        section=fx.ShellSection(0.02),
        material=material,
        name="plate",
    )
    ends = [plate.node(k) for k in plate.set("right").nodes]
    pulse = fx.Table((0.0, 0.2, 0.4), (0.0, 1.0, 0.0))
    loads = [fx.PointForce(node, (0.3, 0.5, 2.0), history=pulse) for node in ends]
    twist = fx.Moment(ends[0], (0.0, 0.3, 0.05), history=pulse)
    run = fx.simulate(
        fx.Model(plate, *loads, twist), 3.0, step=step, output=fx.Output(every=0.1), progress=False,
        integrator=fx.GeneralizedAlpha(rho_inf=0.9),
    )  # fmt: skip
    free = run.t > 0.45
    P, L = run.momentum()
    E = run.energy.total[free]
    changes = np.array([np.ptp(P[free], axis=0).max(), np.ptp(L[free], axis=0).max(), np.ptp(E)])
    sizes = np.array([np.linalg.norm(P[-1]), np.linalg.norm(L[-1]), E[-1]])
    return changes / sizes, float(run.energy.strain[free].max() / E[-1])


def run_flight(progress: Progress) -> Outcome:
    """Momentum to round-off, the others with the order of the integrator."""
    steps = (8e-3, 4e-3, 2e-3)
    found = []
    for step in steps:
        progress(f"step {step:g} s")
        changes, share = thrown(step)
        found.append(changes)
    quantities = [
        measured("change of the momentum, relative", "-", found[-1][0], 0.0, "conserved", atol=1e-9),
        measured("change of the angular momentum, relative", "-", found[-1][1], 0.0, "conserved", atol=1e-4),
        measured("change of the energy, relative", "-", found[-1][2], 0.0, "conserved", atol=1e-3),
    ]
    studies = [
        ConvergenceStudy(f"change of the {name}", steps, [float(c[i]) for c in found], 2.0, 1.7)
        for i, name in ((1, "angular momentum"), (2, "energy"))
    ]
    remark = f"Up to {100.0 * share:.0f} % of the energy are strain energy: the plate bends far."
    return Outcome(quantities, studies, remarks=[remark])


STRIP = Case(
    id="corner-strips",
    title="Strips in frames that follow their corners",
    area="statics",
    summary="S08a and S08b: a strip rolled up by a moment, and bent by a force, one element wide.",
    run=run_strips,
    source="K. Y. Sze, X. H. Liu and S. H. Lo, Finite Elem. Anal. Des. 40 (2004) 1551-1569, problems 1 and 2.",
    basic=True,
)

PLATES = Case(
    id="corner-plates",
    title="Square plates in frames that follow their corners",
    area="modes",
    summary="E09: frequencies of square plates, and two deflections of S09.",
    run=run_plates,
    source="A. W. Leissa, J. Sound Vib. 31 (1973) 257-293.",
    slow=True,
)

FLIGHT = Case(
    id="corner-flight",
    title="Free flight of a plate in frames that follow its corners",
    area="flexible motion",
    summary="A soft plate is thrown and spun by forces at one end; then momenta and energy must stay.",
    run=run_flight,
    source="Conservation of momentum, angular momentum and energy.",
    slow=True,
)
