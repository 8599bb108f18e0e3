"""Slewing of a beam in floating frames beside absolute-nodal elements, and a stiffened beam in free flight."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs import trees
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFCable2D
from flexmbs.elements.linear.frame import Frame
from flexmbs.reduction.model import ReducedModel
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import CONSERVED, orders, over_time

EA, EI, ELEMENTS = 1e5, 20.0, 16
"""Of a beam of 1 m and 1 kg."""
TURN, DURATIONS = math.pi / 2.0, (0.9, 1.1, 1.4, 1.8)
SLOW = (3.5, 4.5, 5.5, 7.0)
"""Times of the turn of an arm of two links, which bends eight times as far."""
FRAMES: tuple[tuple[str, Any], ...] = (("tangent", "root"), ("mean axes", "mean"), ("chord", ("root", "tip")))
FLIGHT_STEPS = (2e-3, 1e-3, 5e-4)


@cache
def beam(elements: int) -> ReducedModel:
    """Of frame elements without shear, as the absolute-nodal cable."""
    section = fx.BeamStiffness(EA=EA, EI_y=EI, EI_z=EI, GJ=EI, mass_per_length=1.0, rhoI_y=1e-8, rhoI_z=1e-8)
    part = fx.linear.Part(
        fx.meshes.line((0, 0, 0), (1, 0, 0), elements),
        regions=[fx.linear.Region(None, Frame(section=section, shear=False))],
    )
    faces = [fx.reduction.Interface("root", [0]), fx.reduction.Interface("tip", [elements])]
    return fx.reduction.reduce(part, faces, 16, geometric_stiffening=True, progress=False)


def _turned(share: float) -> float:
    return TURN * (share - math.sin(2.0 * math.pi * share) / (2.0 * math.pi))


def _slewed(duration: float, reference: Any, stiffening: bool = True) -> FloatArray:
    """Displacement (n_t, 2) of the tip from the line of the drive; an absolute-nodal beam for None."""
    k = 2.0 * math.pi / duration
    motion = fx.motions.Function(
        lambda t: _turned(min(t / duration, 1.0)),
        rate=lambda t: TURN / duration * (1.0 - math.cos(k * t)) if t < duration else 0.0,
        acceleration=lambda t: TURN / duration * k * math.sin(k * t) if t < duration else 0.0,
    )
    body: Any
    if reference is None:
        body = fx.FlexibleBody.line(
            (0, 0), (1, 0), elements=ELEMENTS, element=ANCFCable2D(),
            stiffness=fx.BeamStiffness(EA=EA, EI_z=EI, mass_per_length=1.0), name="beam",
        )  # fmt: skip
        hub, tip = fx.RevoluteJoint(fx.ground, body.start, name="hub"), body.end
    else:
        body = fx.FloatingBody(beam(ELEMENTS), reference=reference, geometric_stiffening=stiffening, name="beam")
        hub = fx.RevoluteJoint(fx.ground, body.interface("root", axis=(0, 0, 1)), name="hub")
        tip = body.interface("tip")
    run = fx.simulate(
        fx.Model(body, hub, fx.RotationDriver(hub, motion, name="drive")), duration, step=1e-3 * duration,
        integrator=fx.GeneralizedAlpha(rho_inf=0.8), output=fx.Output(every=duration / 50.0, energy=False),
    )  # fmt: skip
    place = run.position(tip)[:, :2]
    turn = np.array([_turned(t / duration) for t in run.t])
    c, s = np.cos(turn), np.sin(turn)
    return np.column_stack([c * place[:, 0] + s * place[:, 1] - 1.0, c * place[:, 1] - s * place[:, 0]])


def _arm(duration: float, links: int, nodal: bool) -> FloatArray:
    """Tip (n_t, 2) of an arm whose hub turns by a quarter and whose elbow, with two links, back by half of that."""
    k = 2.0 * math.pi / duration

    def motion(factor: float) -> Any:
        return fx.motions.Function(
            lambda t: factor * _turned(min(t / duration, 1.0)),
            rate=lambda t: factor * TURN / duration * (1.0 - math.cos(k * t)) if t < duration else 0.0,
            acceleration=lambda t: factor * TURN / duration * k * math.sin(k * t) if t < duration else 0.0,
        )

    items: list[Any]
    if nodal:
        bodies = [
            fx.FlexibleBody.line(
                (i, 0), (i + 1, 0), elements=ELEMENTS, element=ANCFCable2D(),
                stiffness=fx.BeamStiffness(EA=EA, EI_z=EI, mass_per_length=1.0), name=f"link {i}",
            )
            for i in range(links)
        ]  # fmt: skip
        hubs: list[Any] = [fx.RevoluteJoint(fx.ground, bodies[0].start, name="hub")]
        hubs += [fx.RevoluteJoint(a.end, b.start, name="elbow") for a, b in pairwise(bodies)]
        items = [*bodies, *hubs]
        tip: Any = bodies[-1].end
    else:
        made = [trees.FlexibleLink("link 0", beam(ELEMENTS), "root"),
                trees.FlexibleLink("link 1", beam(ELEMENTS), "root", "link 0", at="tip")][:links]  # fmt: skip
        tree = trees.Tree(*made, name="arm")
        hubs = [tree.joint(link.name) for link in made]
        items, tip = [tree], tree.bodies[-1].interface("tip")
    drives = [fx.RotationDriver(hub, motion(f), name=f"drive {f}") for hub, f in zip(hubs, (1.0, -0.5), strict=False)]
    run = fx.simulate(
        fx.Model(*items, *drives), duration, step=1e-3 * duration, integrator=fx.GeneralizedAlpha(rho_inf=0.8),
        output=fx.Output(every=duration / 50.0, energy=False),
    )  # fmt: skip
    return run.position(tip)[:, :2]


def _gap(duration: float, links: int) -> float:
    """Largest distance of the tips of an arm as a tree of flexible links and of absolute-nodal elements."""
    one, other = (_arm(duration, links, nodal) for nodal in (False, True))
    return float(np.linalg.norm(one - other, axis=1).max())


def run_slewing(progress: Progress) -> Outcome:
    """A quarter turn in four times, with and without stiffening, in three frames, and in joint coordinates."""
    one_link: list[float] = []
    deflections: list[float] = []
    apart: dict[str, list[float]] = {name: [] for name, _ in FRAMES}
    soft: list[float] = []
    drawn: list[tuple[str, FloatArray, FloatArray]] = []
    for duration in DURATIONS:
        progress(f"turn in {duration:g} s")
        nodal = _slewed(duration, None)
        deflections.append(float(np.abs(nodal[:, 1]).max()))
        for name, reference in FRAMES:
            apart[name].append(float(np.linalg.norm(_slewed(duration, reference) - nodal, axis=1).max()))
        soft.append(float(np.linalg.norm(_slewed(duration, "root", False) - nodal, axis=1).max()))
        one_link.append(_gap(duration, 1))
        drawn.append((f"turn in {duration:g} s", np.linspace(0.0, 1.0, len(nodal)), 1e3 * nodal[:, 1]))
    # third order in the deflection with the fields of second order, second order without
    studies = [
        ConvergenceStudy(f"{name}: distance of the tips", deflections, errors, 3.0, 2.3, floor=3e-8,
                         label="deflection in m")
        for name, errors in apart.items()
    ]  # fmt: skip
    studies.append(
        ConvergenceStudy("tangent, without stiffening: distance of the tips", deflections, soft, 2.0, 1.6,
                         label="deflection in m")
    )  # fmt: skip
    studies.append(
        ConvergenceStudy("tree of a link: distance of the tips", deflections, one_link, 2.0, 1.6,
                         label="deflection in m")
    )  # fmt: skip
    slow = []
    for duration in SLOW:
        progress(f"two links, turn in {duration:g} s")
        slow.append(_gap(duration, 2))
    # deflections grow with accelerations
    studies.append(
        ConvergenceStudy("tree of two links: distance of the tips", [t**-2 for t in SLOW], slow, 2.0, 1.6,
                         label="one by the square of the time")
    )  # fmt: skip
    quantities = [
        measured(f"{name}: distance of the tips by the deflection, turn in {DURATIONS[0]:g} s", "-",
                 errors[0] / deflections[0], 0.0, "absolute-nodal beam", atol=2.0 * deflections[0] ** 2)
        for name, errors in apart.items()
    ]  # fmt: skip
    head = ("turn in s", "deflection in m", *apart, "tangent, without stiffening", "tree")
    rows = [
        (f"{t:g}", f"{d:.5f}", *(f"{errors[i]:.1e}" for errors in (*apart.values(), soft, one_link)))
        for i, (t, d) in enumerate(zip(DURATIONS, deflections, strict=True))
    ]
    drawing = over_time(drawn, "deflection in mm")
    drawing.axes[0].set_xlabel("share of the time of the turn")
    return Outcome(
        quantities, studies, [Table("Largest distance of the tips in m", head, rows)],
        [("Deflection of the absolute-nodal beam.", drawing)],
    )  # fmt: skip


def run_flight(progress: Progress) -> Outcome:
    """A soft beam that tumbles and vibrates, stiffened, in each frame."""
    quantities, studies = [], []
    section = fx.BeamStiffness(EA=1e4, EI_z=1.0, EI_y=1.0, GJ=1.0, mass_per_length=1.0, rhoI_y=1e-3, rhoI_z=1e-3)
    part = fx.linear.Part(
        fx.meshes.line((-2, 0, 0), (2, 0, 0), 16), regions=[fx.linear.Region(None, Frame(section=section))]
    )
    faces = [fx.reduction.Interface("left", [0]), fx.reduction.Interface("right", [16])]
    reduced = fx.reduction.reduce(part, faces, 6, geometric_stiffening=True, progress=False)
    for name, reference in (("tangent", "left"), ("mean axes", "mean"), ("chord", ("left", "right"))):
        energy, spin, linear = [], [], []
        for step in FLIGHT_STEPS:
            progress(f"{name}, step {step:g} s")
            free = fx.FloatingBody(reduced, reference=reference)
            deformation = np.zeros(free.modes)
            deformation[:2] = 0.15
            body = fx.FloatingBody(
                reduced, reference=reference, deformation=deformation, velocity=(1.0, 0.5, 0.0),
                angular_velocity=(0.3, 1.0, 1.2),
            )  # fmt: skip
            run = fx.simulate(fx.Model(body), 1.0, step=step, integrator=fx.GeneralizedAlpha(rho_inf=1.0))
            P, L = run.momentum()
            energy.append(float(np.abs(run.energy.balance).max() / run.energy.total[0]))
            spin.append(float(np.linalg.norm(L - L[0], axis=1).max() / np.linalg.norm(L[0])))
            linear.append(float(np.linalg.norm(P - P[0], axis=1).max() / np.linalg.norm(P[0])))
        if reference == "mean":  # the momentum is the mass times the rate of three coordinates
            label = f"{name}, step {FLIGHT_STEPS[-1]:g} s: change of linear momentum, by its size"
            quantities.append(measured(label, "-", linear[-1], 0.0, CONSERVED, atol=1e-12))
        else:
            studies.append(orders(f"{name}: linear momentum, by its size", FLIGHT_STEPS, linear))
        studies += [
            orders(f"{name}: energy, by its size", FLIGHT_STEPS, energy),
            orders(f"{name}: angular momentum, by its size", FLIGHT_STEPS, spin),
        ]
    return Outcome(quantities, studies)


SLEWING = Case(
    id="floating-slewing",
    title="Slewing of a beam in floating frames",
    area="flexible motion",
    summary=(
        "A beam is turned by a quarter on a drive, slower and slower, as a reduced body in three frames and as "
        "absolute-nodal elements. With fields of second order the difference falls with the third power of the "
        "deflection."
    ),
    run=run_slewing,
    source="Two descriptions of one beam.",
    slow=True,
)
FLIGHT = Case(
    id="stiffened-free-flight",
    title="Free flight with geometric stiffening",
    area="flexible motion",
    summary=(
        "A soft beam tumbles and vibrates with deflections of some per cent. With geometric stiffening energy and "
        "momentum are kept to the order of the scheme in each frame, and linear momentum to round-off in mean axes."
    ),
    run=run_flight,
    source="Conservation laws.",
    slow=True,
)
