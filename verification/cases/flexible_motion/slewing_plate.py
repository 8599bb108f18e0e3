"""Slewing of a plate: shells that bend as far as one likes beside a reduced plate in a floating frame."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFShell, ShellQuad
from flexmbs.reduction.model import ReducedModel
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import over_time

LENGTH, WIDTH, THICKNESS, ELEMENTS = 1.0, 0.4, 4e-3, (10, 4)
ALLOY = fx.Elastic(youngs_modulus=7e10, density=2700.0, poissons_ratio=0.3, name="alloy")
TURN, DURATIONS = math.pi / 2.0, (1.2, 1.6, 2.2, 3.0)
STEPS = 400


@cache
def reduced_plate() -> ReducedModel:
    """Of linear shells on the same mesh; its left edge is rigid."""
    mesh = fx.meshes.rectangle((0, 0), (LENGTH, WIDTH), ELEMENTS).in_space()
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, ShellQuad(thickness=THICKNESS), ALLOY)])
    tip = int(np.argmin(np.linalg.norm(mesh.points - (LENGTH, WIDTH, 0.0), axis=1)))
    faces = [fx.reduction.Interface("root", "left"), fx.reduction.Interface("tip", [tip])]
    return fx.reduction.reduce(part, faces, 10, geometric_stiffening=True, progress=False)


def slewed(duration: float, nodal: bool, stiffening: bool = True) -> tuple[FloatArray, fx.TimeSolution]:
    """Displacement (n_t, 3) of a corner from the plane of the drive, in axes that turn with it."""
    k = 2.0 * math.pi / duration

    def angle(t: float) -> float:
        return TURN * (t / duration - math.sin(k * t) / (2.0 * math.pi))

    motion = fx.motions.Function(
        lambda t: angle(min(t, duration)),
        rate=lambda t: TURN / duration * (1.0 - math.cos(k * t)) if t < duration else 0.0,
        acceleration=lambda t: TURN / duration * k * math.sin(k * t) if t < duration else 0.0,
    )
    items: list[Any]
    if nodal:
        plate = fx.FlexibleBody.plate(
            (LENGTH, WIDTH), elements=ELEMENTS, element=ANCFShell(), section=fx.ShellSection(THICKNESS), material=ALLOY,
            name="plate",
        )  # fmt: skip
        shaft = fx.RigidBody.box(size=(0.02, WIDTH, 0.02), mass=1.0, position=(0, WIDTH / 2, 0), name="shaft")
        hub = fx.RevoluteJoint(fx.ground, shaft, at=(0, WIDTH / 2, 0), axis=(0, 1, 0), name="hub")
        items = [plate, shaft, *fx.fasten_edge(plate.set("left"), shaft)]
        tip: Any = plate.at((LENGTH, WIDTH, 0.0))
    else:
        floating = fx.FloatingBody(reduced_plate(), reference="root", geometric_stiffening=stiffening, name="plate")
        hub = fx.RevoluteJoint(fx.ground, floating.interface("root", axis=(0, 1, 0)), name="hub")
        items, tip = [floating], floating.interface("tip")
    model = fx.Model(*items, hub, fx.RotationDriver(hub, motion, name="drive"))
    run = fx.simulate(
        model, duration, step=duration / STEPS, integrator=fx.GeneralizedAlpha(rho_inf=0.8),
        output=fx.Output(every=duration / 40.0), progress=False,
    )  # fmt: skip
    turn = np.array([angle(t) for t in run.t])
    c, s = np.cos(turn), np.sin(turn)  # about y: x turns to -z
    x, y, z = run.position(tip).T
    return np.column_stack([c * x - s * z - LENGTH, y - WIDTH, s * x + c * z]), run


def run_plate(progress: Progress) -> Outcome:
    """A quarter turn in four times."""
    deflections, apart, soft, balances = [], [], [], []
    drawn: list[tuple[str, FloatArray, FloatArray]] = []
    for duration in DURATIONS:
        progress(f"turn in {duration:g} s")
        nodal, run = slewed(duration, True)
        floating, _ = slewed(duration, False)
        without, _ = slewed(duration, False, False)
        deflections.append(float(np.abs(nodal[:, 2]).max()))
        apart.append(float(np.linalg.norm(floating - nodal, axis=1).max()))
        soft.append(float(np.linalg.norm(without - nodal, axis=1).max()))
        balances.append(float(np.abs(run.energy.balance).max() / run.energy.kinetic.max()))
        drawn.append((f"turn in {duration:g} s", np.linspace(0.0, 1.0, len(nodal)), 1e3 * nodal[:, 2]))
    quantities = [
        measured(f"energy balance by the largest kinetic energy, turn in {t:g} s", "-", b, 0.0, "work of the drive",
                 atol=1e-3)
        for t, b in zip(DURATIONS, balances, strict=True)
    ]  # fmt: skip
    # third order in the deflection with the fields of second order, second order without
    studies = [
        ConvergenceStudy("with stiffening: distance of the corners", deflections, apart, 3.0, 2.3,
                         label="deflection in m"),
        ConvergenceStudy("without stiffening: distance of the corners", deflections, soft, 2.0, 1.6,
                         label="deflection in m"),
    ]  # fmt: skip
    head = ("turn in s", "deflection in m", "with stiffening", "without", "energy balance")
    rows = [
        (f"{t:g}", f"{d:.5f}", f"{a:.1e}", f"{s:.1e}", f"{b:.1e}")
        for t, d, a, s, b in zip(DURATIONS, deflections, apart, soft, balances, strict=True)
    ]
    drawing = over_time(drawn, "deflection in mm")
    drawing.axes[0].set_xlabel("share of the time of the turn")
    return Outcome(
        quantities, studies, [Table("Largest distance of the corners in m", head, rows)],
        [("Deflection of the absolute-nodal plate.", drawing)],
    )  # fmt: skip


PLATE = Case(
    id="plate-slewing",
    title="Slewing of a plate: absolute-nodal shells and a floating frame",
    area="flexible motion",
    summary=(
        "A plate is turned by a quarter about one of its edges, slower and slower, as shells that bend far and as a "
        "reduced plate of linear shells on the same mesh in a floating frame. With fields of second order the "
        "difference falls with the third power of the deflection."
    ),
    run=run_plate,
    source="Two descriptions of one plate.",
    slow=True,
)
