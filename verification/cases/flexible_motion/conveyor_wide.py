"""The conveyor with a belt as a surface: rigid segments, plates in frames of their corners, absolute-nodal plates."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import CorotationalShell
from flexmbs.elements.ancf_thin_plate import ANCFThinPlate
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.flexible_motion.conveyor import BELT, CARRIAGE, GRAVITY, LENGTH
from flexmbs.verification.reference.catenary import cable_with_bending

WIDTH, THICKNESS = 0.8, 0.01
RUBBER = fx.Elastic(youngs_modulus=1e8, poissons_ratio=0.3, density=1200.0)
SPAN = 10.0
MATERIAL = 100.0
LOADED = fx.Table((0.0, 0.3, 1.2, 1.5), (0.0, 1.0, 1.0, 0.0))
UNTIL, STEP = 1.5, 4e-3
FORMS = (
    ("thin plate", (24, 2)), ("thin plate", (48, 4)), ("corner plate", (24, 2)), ("corner plate", (48, 4)),
    ("segments", (40, 2)), ("segments", (60, 3)), ("segments", (80, 4)),
)  # fmt: skip
CURVE = "cable with bending, boundary-value problem by Chebyshev collocation"


def tension() -> float:
    """Of the counterweight that keeps the ends of the belt 10 m apart."""
    return float(_hung(SPAN))


def _hung(span: float) -> float:
    exact = cable_with_bending(BELT.EI_z, BELT.EA, GRAVITY * BELT.mass_per_length, LENGTH, span, 0.0)
    return float(exact.force[-1, 0])


def conveyor(form: str, cells: tuple[int, int], pull: float) -> tuple[fx.Model, dict[str, Any]]:
    """The model without material, and the places it is looked at: both edges in the middle, and the carriage."""
    n, m = cells
    if form == "segments":
        plate = fx.segments.segmented_plate((LENGTH, WIDTH), cells, thickness=THICKNESS, material=RUBBER, name="belt")
        items: tuple[Any, ...] = plate.items
        nodes: list[list[Any]] = [[plate.node(i, j) for j in range(m + 1)] for i in (0, n // 2, n)]
    else:
        element: Any = CorotationalShell() if form == "corner plate" else ANCFThinPlate()
        body = fx.FlexibleBody.plate(
            (LENGTH, WIDTH),
            elements=cells,
            element=element,
            section=fx.ShellSection(THICKNESS),
            material=RUBBER,
            name="belt",
        )
        items = (body,)
        nodes = [
            [body.at((LENGTH * i / n, WIDTH * j / m, 0.0)) for j in range(m + 1)] for i in (0, n // 2, n)
        ]  # fmt: skip
    carriage = fx.RigidBody(CARRIAGE, (5.0, 5.0, 5.0), position=(LENGTH, WIDTH / 2.0, 0.0), name="carriage")
    joints: list[Any] = [
        fx.PrismaticJoint(fx.ground, carriage, at=(LENGTH, 0.5 * WIDTH, 0.0), axis=(1, 0, 0), name="rail")
    ]
    for j in range(m + 1):
        y = WIDTH * j / m
        joints.append(fx.SphericalJoint(fx.ground.marker_at((0.0, y, 0.0)), nodes[0][j], name=f"pin {j}"))
        joints.append(fx.SphericalJoint(carriage.marker_at((LENGTH, y, 0.0)), nodes[2][j], name=f"end {j}"))
    model = fx.Model(
        *items, carriage, *joints,
        fx.PointForce(carriage.centre, (pull, 0.0, 0.0), history=fx.Constant()),
        fx.Gravity((0.0, 0.0, -GRAVITY)),
        name=f"conveyor, {form}",
    )  # fmt: skip
    return model, {"loaded": nodes[1][-1], "other": nodes[1][0], "carriage": carriage.centre}


def moved(model: fx.Model, places: dict[str, Any]) -> tuple[Any, fx.TimeSolution]:
    """Equilibrium, and the motion under material on one edge."""
    rest = fx.solve_static(model, fx.StaticOptions(progress=False, check_stability=False))
    load = fx.PointForce(places["loaded"], (0.0, 0.0, -MATERIAL), history=LOADED)
    run = fx.simulate(
        model.with_(load), UNTIL, step=STEP, start=rest, output=fx.Output(every=0.02), progress=False,
        integrator=fx.GeneralizedAlpha(rho_inf=0.8),
    )  # fmt: skip
    return rest, run


def run(progress: Progress) -> Outcome:
    """All forms against each other."""
    pull = tension()
    quantities: list[Measured] = []
    rows = []
    paths: dict[tuple[str, tuple[int, int]], FloatArray] = {}
    times: FloatArray = np.zeros(0)
    for form, cells in FORMS:
        progress(f"{form}, {cells[0]} x {cells[1]}")
        model, places = conveyor(form, cells, pull)
        rest, motion = moved(model, places)
        times = motion.t
        paths[form, cells] = np.stack([motion.position(places[k]) for k in ("loaded", "other", "carriage")], axis=1)
        span = float(rest.position(places["carriage"])[-1, 0])
        energy = float(np.abs(motion.energy.balance).max() / np.ptp(motion.energy.kinetic))
        drift = float(motion.residuals[:, 0].max())
        rows.append([form, f"{cells[0]} x {cells[1]}", f"{span:.4f}", f"{energy:.1e}", f"{drift:.1e}"])
    # the belt is stiffer by 1/(1 - nu^2) than the cable where it cannot curl, and bends over 0.1 m at its ends
    for (form, cells), row in zip(FORMS, rows, strict=True):
        if cells in ((48, 4), (80, 4)):
            quantities.append(
                measured(f"{form}, {cells[0]} x {cells[1]}: ends apart in equilibrium", "m", float(row[2]), SPAN, CURVE,
                         1e-9, rtol=1e-3)
            )  # fmt: skip
    reference = paths["thin plate", (48, 4)]
    travel = float(np.ptp(reference[:, 0, 2]))
    for (form, cells), row in zip(FORMS, rows, strict=True):
        apart = float(np.abs(paths[form, cells] - reference).max()) / travel
        row.append(f"{apart:.1e}")
        if cells in ((48, 4), (80, 4)) and apart > 0.0:
            quantities.append(
                measured(f"{form}, {cells[0]} x {cells[1]}: largest difference in motion, by the way of the edge", "-",
                         apart, 0.0, "thin plates, 48 x 4", atol=0.1 if form == "segments" else 0.04)
            )  # fmt: skip
    lattices = [key for key in paths if key[0] == "segments"]
    errors = [float(np.abs(paths[key] - reference).max()) / travel for key in lattices]
    # of second order but for the force on a free edge, under which moments are infinite
    study = ConvergenceStudy(
        "segments against thin plates in motion", [float(cells[1]) for _, cells in lattices], errors, 1.0, 0.9,
        counts=True,
    )  # fmt: skip
    drawing, axes = figure()
    chosen = (("thin plate", (48, 4)), ("corner plate", (48, 4)), ("segments", (80, 4)))
    for key, colour in zip(chosen, COLOURS, strict=False):
        path = paths[key]
        label = f"{key[0]}, {key[1][0]} x {key[1][1]}"
        axes.plot(times, path[:, 0, 2] - path[0, 0, 2], color=colour, linewidth=1.3, label=label)
        axes.plot(times, path[:, 1, 2] - path[0, 1, 2], color=colour, linewidth=1.3, linestyle=(0, (4, 2)))
    axes.set_xlabel("t [s]")
    axes.set_ylabel("loaded edge, other edge (dashed) [m]")
    axes.legend(frameon=False, fontsize="small")
    heads = ("form", "cells", "ends apart [m]", "energy balance", "drift [m]", "against thin plates, by the way")
    return Outcome(quantities, [study], [Table("All forms", heads, rows)], [("Both edges in the middle.", drawing)])


CASE = Case(
    id="conveyor-wide",
    title="Conveyor with a belt as a surface in three forms",
    area="flexible motion",
    summary=(
        "A belt of 12 m by 0.8 m hangs between an axle and a carriage that a counterweight pulls; material of 100 N "
        "falls on one edge and twists it. Rigid boxes with springs (up to 405 bodies), plates in frames of their "
        "corners, and absolute-nodal thin plates."
    ),
    run=run,
    source="O. N. Dmitrotchenko, Efficient simulation of rigid-flexible multibody dynamics, Virtual Nonlinear "
    "Multibody Systems, NATO ASI, Prague 2002, section 3.3.3; its data are not printed, so these are others.",
    limits=("There is no contact between belt and drums: the strand between them is looked at.",),
    slow=True,
)
