"""A conveyor with a hanging belt: absolute-nodal cable elements beside rigid segments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFCable2D
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.reference.catenary import cable_with_bending
from flexmbs.verification.reference.rod_solver import RodSolution

LENGTH, SPAN, DROP = 12.0, 10.0, 1.5
BELT = fx.BeamStiffness(EA=8e5, EI_z=20.0 / 3.0, GA_y=2.2e5, mass_per_length=9.6)
"""0.8 m wide, 10 mm thick, E = 100 MPa, G = 33 MPa, 1200 kg/m^3; only segments have shear."""
GRAVITY = 9.81
CARRIAGE = 40.0
MATERIAL = 400.0
LOADED = fx.Table((0.0, 0.3, 1.2, 1.5), (0.0, 1.0, 1.0, 0.0))
UNTIL, STEP = 3.0, 4e-3
CURVE = "cable with bending, boundary-value problem by Chebyshev collocation"


@dataclass(frozen=True)
class Conveyor:
    """The model without material, and where it is looked at."""

    model: fx.Model
    middle: Any
    nodes: tuple[Any, ...]
    carriage: Any


def conveyor(form: str, n: int, tension: float) -> Conveyor:
    """A belt of n elements from a pin to a carriage that a counterweight pulls; straight at the start, without weight.

    ``form`` is "nodal", "segments" or "no stretch".
    """
    there = (float(np.sqrt(LENGTH**2 - DROP**2)), -DROP)
    if form == "nodal":
        body = fx.FlexibleBody.line(
            (0.0, 0.0), there, elements=n, element=ANCFCable2D(), stiffness=BELT, name="belt"
        )  # fmt: skip
        items: tuple[Any, ...] = (body,)
        nodes: tuple[Any, ...] = tuple(body.node(k) for k in range(n + 1))
    else:
        # joints that match statics are too soft across the belt for its tension
        belt = fx.segments.segmented_beam(
            [(0.0, 0.0), there], n=n, stiffness=BELT, stretch=form == "segments", match="modes", name="belt"
        )
        items, nodes = belt.items, belt.nodes
    carriage = fx.PlanarRigidBody(CARRIAGE, 1.0, position=there, name="carriage")
    model = fx.Model(
        *items,
        carriage,
        _hinge(fx.ground, nodes[0], (0.0, 0.0), "pin"),
        _hinge(carriage, nodes[-1], there, "end of the belt"),
        fx.PrismaticJoint(fx.ground, carriage, at=there, axis=(1.0, 0.0), name="rail"),
        fx.PointForce(carriage.centre, (tension, 0.0), history=fx.Constant()),
        fx.Gravity((0.0, -GRAVITY)),
        name=f"conveyor, {form}",
    )
    return Conveyor(model, nodes[n // 2], nodes, carriage)


def _hinge(body: Any, node: Any, place: tuple[float, float], name: str) -> Any:
    """Between a body and a node of either form."""
    return fx.SphericalJoint(body.marker_at(place), node, name=name)


def hanging(one: Conveyor) -> tuple[Any, FloatArray]:
    """The equilibrium, and its nodes (n + 1, 2)."""
    found = fx.solve_static(one.model, fx.StaticOptions(progress=False))
    return found, np.array([found.position(node)[-1, :2] for node in one.nodes])


def moved(one: Conveyor, start: Any) -> fx.TimeSolution:
    """Material falls on the middle of the belt and off again."""
    model = one.model.with_(fx.PointForce(one.middle, (0.0, -MATERIAL), history=LOADED))
    return fx.simulate(
        model, UNTIL, step=STEP, start=start, output=fx.Output(every=0.02), progress=False,
        integrator=fx.GeneralizedAlpha(rho_inf=0.8),
    )  # fmt: skip


def reference() -> RodSolution:
    """The belt between hinges at their places in equilibrium."""
    return cable_with_bending(BELT.EI_z, BELT.EA, GRAVITY * BELT.mass_per_length, LENGTH, SPAN, DROP)


def _tension(exact: RodSolution) -> float:
    """Horizontal force at the ends."""
    return float(exact.force[-1, 0])


def run(progress: Progress) -> Outcome:
    """Equilibria and motions of both forms."""
    exact = reference()
    H = _tension(exact)
    quantities: list[Measured] = []
    studies, rows = [], []
    paths: dict[tuple[str, int], FloatArray] = {}
    drawing, axes = figure()
    axes.plot(exact.x, exact.y, color="black", linewidth=0.9, linestyle=(0, (4, 3)), label="exact")
    forms = {"nodal": (8, 16, 32), "segments": (16, 32, 64), "no stretch": (16, 32, 64)}
    for number, (form, counts) in enumerate(forms.items()):
        errors = []
        for n in counts:
            progress(f"{form}, {n} elements")
            one = conveyor(form, n, H)
            rest, places = hanging(one)
            there = np.array([exact.at(s)[:2] for s in np.linspace(0.0, LENGTH, n + 1)])
            errors.append(float(np.linalg.norm(places - there, axis=1).max()))
            run = moved(one, rest)
            middle, carriage = run.position(one.middle)[:, :2], run.position(one.carriage.centre)[:, :1]
            paths[form, n] = np.hstack((middle, carriage))
            energy = float(np.abs(run.energy.balance).max() / np.ptp(run.energy.kinetic))
            drift = float(run.residuals[:, 0].max())
            rows.append((form, n, f"{errors[-1]:.1e}", f"{energy:.1e}", f"{drift:.1e}"))
            if n == counts[1]:
                axes.plot(*places.T, "o", markersize=3.0, color=COLOURS[number], label=f"{form}, {n} elements")
        quantities.append(
            measured(f"{form}, {n} elements: energy balance by the largest kinetic energy", "-", energy, 0.0,
                     "work of the material", atol=1e-3)
        )  # fmt: skip
        quantities.append(
            measured(f"{form}, {n} elements: drift of the constraints", "m", drift, 0.0, "exact", atol=1e-8)
        )
        if form == "no stretch":
            continue
        if form == "segments":
            studies.append(
                ConvergenceStudy(f"{form}: worst node in equilibrium [m]", counts, errors, 2.0, 1.8, counts=True)
            )
        else:
            quantities.append(
                measured(f"{form}, {n} elements: worst node in equilibrium", "m", errors[-1], 0.0, CURVE, 1e-9,
                         atol=1e-5 * LENGTH)
            )  # fmt: skip
        quantities.append(
            measured(f"{form}, {n} elements: carriage in equilibrium", "m", places[-1, 0], SPAN, CURVE, 1e-9,
                     rtol=1e-3)
        )  # fmt: skip
    fine = paths["nodal", 32]
    apart = [float(np.abs(paths["segments", n] - fine).max()) for n in forms["segments"]]
    studies.append(
        ConvergenceStudy("segments against nodal elements in motion [m]", forms["segments"], apart, 2.0, 1.5,
                         counts=True)
    )  # fmt: skip
    stiff = float(np.abs(paths["no stretch", 64] - fine).max())
    table = Table("Both forms", ("form", "elements", "equilibrium [m]", "energy balance", "drift [m]"), rows)
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    axes.set_aspect("equal")
    axes.legend(frameon=False, fontsize="small")
    figures = [("The belt in equilibrium.", drawing), ("Material falls on and off.", _motion(paths))]
    remark = f"Without stretching the middle and the carriage are up to {1e3 * stiff:.1f} mm off in the motion."
    return Outcome(quantities, studies, [table], figures, [remark])


def _motion(paths: dict[tuple[str, int], FloatArray]) -> Any:
    drawing, axes = figure()
    for number, (key, path) in enumerate((k, p) for k, p in paths.items() if k in DRAWN):
        t = np.linspace(0.0, UNTIL, len(path))
        label = f"{key[0]}, {key[1]}"
        axes.plot(t, path[:, 1] - path[0, 1], color=COLOURS[number], linewidth=1.2, label=f"middle, {label}")
        axes.plot(t, path[:, 2] - path[0, 2], color=COLOURS[number], linewidth=1.2, linestyle=(0, (4, 2)))
    axes.set_xlabel("t [s]")
    axes.set_ylabel("middle, vertical; carriage (dashed) [m]")
    axes.legend(frameon=False, fontsize="small")
    return drawing


DRAWN = (("nodal", 32), ("segments", 16), ("segments", 64))

CASE = Case(
    id="conveyor",
    title="Conveyor with a hanging belt in two forms",
    area="flexible motion",
    summary=(
        "A belt hangs between a pin and a carriage that a counterweight pulls. Material of 400 N falls on its middle "
        "and off again. The belt is an absolute-nodal cable, or finite rigid segments with elastic joints, or segments "
        "with hinges and torsion springs.\n\n"
        "In equilibrium all are compared with the exact curve of a cable with bending, in motion with each other."
    ),
    run=run,
    source="O. N. Dmitrotchenko, Efficient simulation of rigid-flexible multibody dynamics, Virtual Nonlinear "
    "Multibody Systems, NATO ASI, Prague 2002, section 3.3.3; its data are not printed, so these are others.",
    limits=("There is no contact between belt and drums: the strand between them is looked at.",),
    slow=True,
)
