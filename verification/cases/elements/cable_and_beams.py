"""Slender members: cable against beams, in statics and motion; paths of loading and rotations of the exact beam."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFBeam, ANCFCable3D, GeometricallyExactBeam
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.statics.spatial_rods import arc

FORCE = (-1.0, 3.0, 4.0)
"""On the tip of a cantilever of length, bending stiffness and mass one."""
STATIC, MOVING = (10, 30, 100, 300), (20, 40, 80, 160)
"""Length over height of the square section."""
PULSE = 0.5
SECTION = fx.BeamStiffness(
    EA=1e4, EI_y=2.0, EI_z=3.0, GJ=1.5, GA_y=4e3, GA_z=3e3, mass_per_length=1.0, rhoI_y=0.003, rhoI_z=0.004
)


def cantilever(element: Any, elements: int, slender: float) -> fx.FlexibleBody:
    """A cantilever along x; a cable knows of its section what it has degrees of freedom for."""
    h = 1.0 / slender
    EA = 12.0 / h**2
    GA = 5.0 / 6.0 * EA / 2.6
    more = {}
    if not isinstance(element, ANCFCable3D):
        GJ = fx.Rectangle(width=h, height=h).J * 12.0 / h**4 / 2.6
        more = {"EI_y": 1.0, "GJ": GJ, "GA_y": GA, "GA_z": GA, "rhoI_y": h * h / 12.0, "rhoI_z": h * h / 12.0}
    stiffness = fx.BeamStiffness(EA=EA, EI_z=1.0, mass_per_length=1.0, **more)
    return fx.FlexibleBody.line(
        (0, 0, 0), (1, 0, 0), elements=elements, element=element, stiffness=stiffness, name="rod"
    )


def bent(element: Any, elements: int, slender: float) -> FloatArray:
    """The tip (3,) under a dead force."""
    body = cantilever(element, elements, slender)
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, FORCE)))
    return solution.position(body.end, step=-1)


def _pulse(t: float) -> float:
    return math.sin(math.pi * t / PULSE) ** 2 if t < PULSE else 0.0


def moved(element: Any, elements: int, slender: float) -> FloatArray:
    """The tip (n_t, 3) every 0.1 units of time after a pulse of the force."""
    body = cantilever(element, elements, slender)
    model = fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, FORCE, history=_pulse))
    return np.asarray(fx.simulate(model, 1.0, step=2e-3, output=fx.Output(every=0.1)).position(body.end))


def run(progress: Progress) -> Outcome:
    """Differences of cable and beams over slenderness."""
    quantities, rows = [], []
    gaps: dict[str, list[float]] = {}
    for slender in (*STATIC, 1000):
        progress(f"statics, L/h = {slender}")
        cable, directors, exact = (
            bent(ANCFCable3D(), 64, slender), bent(ANCFBeam(), 32, slender), bent(GeometricallyExactBeam(), 32, slender)
        )  # fmt: skip
        found = [float(np.linalg.norm(b - cable)) for b in (directors, exact)]
        both = float(np.linalg.norm(directors - exact))
        rows.append(("statics", str(slender), *(f"{g:.2e}" for g in (*found, both))))
        if slender in STATIC:
            for name, gap in zip(("directors", "exact"), found, strict=True):
                gaps.setdefault(f"statics, {name}", []).append(gap)
        else:
            quantities += [
                measured(f"statics, L/h = {slender}: {name} and cable", "L", gap, 0.0, "same limit", atol=2e-6)
                for name, gap in zip(("directors", "exact"), found, strict=True)
            ]
        quantities.append(
            measured(f"statics, L/h = {slender}: directors and exact", "L", both, 0.0, "same strains", atol=1e-6)
        )
    for slender in MOVING:
        progress(f"motion, L/h = {slender}")
        cable, directors = moved(ANCFCable3D(), 24, slender), moved(ANCFBeam(), 32, slender)
        gap = float(np.linalg.norm(directors - cable, axis=1).max())
        gaps.setdefault("motion, directors", []).append(gap)
        same = [moved(element, 8, slender) for element in (ANCFBeam(), GeometricallyExactBeam())]
        both = float(np.linalg.norm(same[1] - same[0], axis=1).max())
        rows.append(("motion", str(slender), f"{gap:.2e}", "-", f"{both:.2e}"))
        quantities.append(
            measured(f"motion, L/h = {slender}: directors and exact, 8 elements", "L", both, 0.0, "same strains",
                     atol=1e-5)
        )  # fmt: skip
    studies = [
        ConvergenceStudy(f"{name}: distance from the cable", STATIC if "statics" in name else MOVING, values, 2.0, 1.9,
                         counts=True, label="length over height")
        for name, values in gaps.items()
    ]  # fmt: skip
    drawing, axes = figure()
    for (name, values), colour, style in zip(gaps.items(), COLOURS, ("o-", "x--", "s-"), strict=False):
        axes.loglog(STATIC if "statics" in name else MOVING, values, style, color=colour, label=name)
    axes.set_xlabel("length over height")
    axes.set_ylabel("distance of the tip from the cable's / L")
    axes.legend(frameon=False)
    head = ("analysis", "L/h", "directors - cable", "exact - cable", "directors - exact")
    table = Table("Distances of the tips by the length", head, rows)
    return Outcome(quantities, studies, [table], [("Beams become cables as they become slender.", drawing)])


def _arc(nodes: int) -> fx.FlexibleBody:
    element = GeometricallyExactBeam(nodes=nodes)
    return fx.FlexibleBody(
        arc(element, (0.0, 0.0, 0.0), 2.0, 0.0, 0.5 * math.pi, 4), element, stiffness=SECTION, name="arc"
    )


def on_path(nodes: int, first: str, steps: int | None = None) -> FloatArray:
    """Coordinates of an arc under a force and a torque of fixed directions, one ``first`` and then the other."""
    body = _arc(nodes)
    early, late = fx.Table((0.0, 0.5, 1.0), (0.0, 1.0, 1.0)), fx.Table((0.0, 0.5, 1.0), (0.0, 0.0, 1.0))
    histories: dict[str, Any] = {"force": (early, late), "torque": (late, early), "both": (None, None)}
    force, torque = histories[first]
    model = fx.Model(
        body, fx.Clamp(body.start), fx.PointForce(body.end, (0.4, -0.3, 0.9), history=force),
        fx.Moment(body.end, (1.2, 0.7, -1.5), history=torque),
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # torques of fixed direction have no potential
        return np.asarray(fx.solve_static(model, fx.StaticOptions(steps=steps)).q[-1])


def there_and_back(nodes: int) -> float:
    """Largest coordinate by which an arc is off after force and torque have come and gone, one after the other."""
    body = _arc(nodes)
    force = fx.Table((0.0, 0.25, 0.5, 0.75, 1.0), (0.0, 1.0, 1.0, 0.0, 0.0))
    torque = fx.Table((0.0, 0.25, 0.5, 0.75, 1.0), (0.0, 0.0, 1.0, 1.0, 0.0))
    model = fx.Model(
        body, fx.Clamp(body.start), fx.PointForce(body.end, (0.4, -0.3, 0.9), history=force),
        fx.Moment(body.end, (1.2, 0.7, -1.5), history=torque),
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        q = fx.solve_static(model, fx.StaticOptions(steps=20)).q
    return float(np.abs(q[-1] - q[0]).max())


def turned(nodes: int, turns: float, load: float) -> tuple[FloatArray, FloatArray]:
    """Strain energies and largest resultants while a bent arc is turned, its load with it, about an oblique axis."""
    body = _arc(nodes)
    rate = 2.0 * math.pi * turns / 0.9
    hub = fx.RevoluteJoint(
        fx.ground, body.start, at=tuple(body.mesh.points[0].tolist()), axis=(0.48, 0.6, 0.64), name="hub"
    )  # fmt: skip
    motion = fx.motions.Function(
        lambda t: rate * max(t - 0.1, 0.0), rate=lambda t: rate if t > 0.1 else 0.0, acceleration=lambda t: 0.0
    )
    grown = fx.Table((0.0, 0.1, 1.0), (0.0, 1.0, 1.0))
    push = fx.PointForce(body.end, (0.4 * load, -0.3 * load, 0.9 * load), follower=True, history=grown)
    model = fx.Model(body, hub, fx.RotationDriver(hub, motion, name="drive"), push)
    solution = fx.solve_static(model, fx.StaticOptions(steps=10 * math.ceil(turns)))
    late = [k for k, s in enumerate(solution.t) if s >= 0.1]
    energies = np.array([solution.system.strain_energy(solution.q[k]) for k in late])
    largest = np.array([np.abs(solution.resultant(body, "M_x", k)).max() for k in late])
    return energies, largest


def run_path(progress: Progress) -> Outcome:
    """Orders of loading, numbers of steps, two turns of everything."""
    quantities = []
    for nodes in (2, 3):
        progress(f"{nodes} nodes, paths")
        both = on_path(nodes, "both")
        ways = {"force first": on_path(nodes, "force"), "torque first": on_path(nodes, "torque"),
                "in 20 steps": on_path(nodes, "both", 20)}  # fmt: skip
        for name, q in ways.items():
            quantities.append(
                measured(f"{nodes} nodes, {name}: largest difference of coordinates", "-",
                         float(np.abs(q - both).max()), 0.0, "path independence", atol=1e-10)
            )  # fmt: skip
        quantities.append(
            measured(f"{nodes} nodes, loads come and go: largest difference of coordinates", "-",
                     there_and_back(nodes), 0.0, "path independence", atol=1e-10)
        )  # fmt: skip
        progress(f"{nodes} nodes, turning")
        energies, moments = turned(nodes, 2.0, 1.0)
        quantities += [
            measured(f"{nodes} nodes, bent and turned twice: change of strain energy", "-",
                     float(np.ptp(energies) / energies[0]), 0.0, "objectivity", atol=1e-10),
            measured(f"{nodes} nodes, bent and turned twice: change of torsional moment", "-",
                     float(np.ptp(moments) / moments[0]), 0.0, "objectivity", atol=1e-9),
        ]  # fmt: skip
        energies, _ = turned(nodes, 2.0, 0.0)
        quantities.append(
            measured(f"{nodes} nodes, unloaded and turned twice: strain energy", "J", float(energies.max()), 0.0,
                     "objectivity", atol=1e-20)
        )  # fmt: skip
    return Outcome(quantities)


LIMIT = Case(
    id="cable-and-beams",
    title="Slender members: cable, beam with directors and exact beam",
    area="elements",
    summary=(
        "A cantilever is bent far out of both planes by a force at its tip, at rest and by a pulse. The cable has no "
        "shear, no torsion and no rotary inertia; the beams have. Their difference falls with the square of the "
        "slenderness, and both beams, which share their strains only, agree."
    ),
    run=run,
    source="Terms that the cable leaves out: EI/(GA L^2), rhoI/(rhoA L^2).",
    equations=(r"|r_{beam} - r_{cable}| = O\left((h/L)^2\right)",),
    limits=("In motion the beam with directors has 32 elements, since the pulse excites short waves.",),
    slow=True,
)
PATH = Case(
    id="exact-beam-paths",
    title="Exact beam: any path of loading, any rotation of everything",
    area="elements",
    summary=(
        "An arc is bent and twisted far by a force and a torque in different orders and numbers of steps; and it is "
        "turned twice about an oblique axis, unloaded and with a load that turns with it. Interpolations of "
        "rotation vectors fail both."
    ),
    run=run_path,
    source="M. A. Crisfield and G. Jelenic, Proc. R. Soc. A 455 (1999) 1125-1147; I. Romero, Comput. Mech. 34 (2004) "
    "121-133.",
    equations=(r"\Gamma = R^T r' - e_1, \quad \kappa = axial(R^T R')",),
    basic=True,
)
