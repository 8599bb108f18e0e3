"""Pendulums and loops of other cases again in relative coordinates: D02, D03, D04, D07, D12, D14 as trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs import trees
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.mechanisms.linkages import _parallelograms as parallelograms
from flexmbs.verification.cases.mechanisms.linkages import squeezer
from flexmbs.verification.cases.mechanisms.spatial_mechanisms import bricard
from flexmbs.verification.cases.moving import (
    CONSERVED,
    G,
    against,
    closed,
    energy_change,
    extrapolated,
    over_time,
    redundant,
    stored_times,
)
from flexmbs.verification.cases.trees.tree_models import FINE, closed_by_points, found, in_space
from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.reference.squeezer import Squeezer

LESS = FINE | {"step": fx.ErrorControl(1e-11, 1e-12)}
MINIMAL = "count of coordinates and equations"


def _size(label: str, model: fx.Model, coordinates: int, equations: int) -> list[Measured]:
    """Unknowns and equations of a model."""
    system = fx.compile_model(model)
    n_c = 0 if system.mechanics is None else len(system.mechanics.equations)
    return [
        measured(f"{label}: coordinates", "-", sum(t.n_v for t in model.trees), coordinates, MINIMAL, atol=0.5),
        measured(f"{label}: equations", "-", n_c, equations, MINIMAL, atol=0.5),
    ]


# --- pendulums -------------------------------------------------------------------------------------------------------


def _points(lengths: Sequence[float], joints: Sequence[trees.TreeJoint], starts: Sequence[Any], rates: Sequence[Any],
            name: str) -> trees.Tree:  # fmt: skip
    """Point masses of 1 kg at the ends of massless rods along x."""
    links: list[trees.Link] = []
    for i, (length, joint, start, rate) in enumerate(zip(lengths, joints, starts, rates, strict=True)):
        before = {} if i == 0 else {"parent": f"rod {i - 1}", "at": (lengths[i - 1], 0.0, 0.0)}
        links.append(
            trees.Link(f"rod {i}", 1.0, centre=(length, 0, 0), joint=joint, start=start, rate=rate, **before)  # type: ignore[arg-type]
        )
    return trees.Tree(*links, name=name)


def run_pendulums(progress: Progress) -> Outcome:
    """Spherical and double pendulum, chains of bars: no constraint at all."""
    progress("spherical")
    ball = _points([1.0], [trees.Universal((0, 0, 1), (0, 1, 0))], [(0, 0)], [(2.0, 0.0)], "spherical")
    model = fx.Model(ball, fx.Gravity((0, 0, -G)))
    quantities = _size("spherical pendulum", model, 2, 0)
    run = fx.simulate(model, 2.0, output=fx.Output(every=0.5), **FINE)
    p = run.position(ball.link("rod 0").centre)
    for t in (0.5, 1.0, 2.0):
        name = f"t={t:g} s position (x,y,z)"
        quantities += against("d02", name, f"D02: {name}", p[stored_times(run, [t])[0]], 2e-8)
    quantities.append(energy_change(run, G, 1e-8, "D02: "))
    progress("double")
    down = trees.Revolute((0, 0, 1))
    two = _points([1.0, 1.0], [down, down], [0.0, 0.0], [0.0, 0.0], "double")
    model = fx.Model(two, fx.Gravity((0, -G, 0)))
    quantities += _size("double pendulum", model, 2, 0)
    run = fx.simulate(model, 3.0, output=fx.Output(every=0.5), **FINE)
    q = run.coordinates(two)
    angles = np.column_stack((q[:, 0], q[:, 0] + q[:, 1])) + np.pi / 2.0
    for t in (0.5, 1.0, 2.0, 3.0):
        name = f"t={t:g} s angles (theta1, theta2)"
        quantities += against("d03", name, f"D03: {name}", angles[stored_times(run, [t])[0]], 1e-7)
    quantities.append(energy_change(run, 2.0 * G, 1e-8, "D03: "))
    for count in (2, 10):
        progress(f"{count} bars")
        quantities += _chain(count)
    drawing = over_time([(f"angle {i + 1}", run.t, angles[:, i]) for i in (0, 1)], "angle in rad")
    return Outcome(quantities, (), (), [("Angles of the double pendulum.", drawing)])


def _chain(count: int) -> list[Measured]:
    """A chain of bars of 1 m and 1 kg in all that falls from the horizontal."""
    length = 1.0 / count
    inertia = length**2 / count / 12.0
    links = [
        trees.Link(f"bar {i}", length, (inertia,) * 3, (length / 2.0, 0, 0), None if i == 0 else f"bar {i - 1}",
                   trees.Revolute((0, 0, 1)), at=(0.0 if i == 0 else length, 0, 0))
        for i in range(count)
    ]  # fmt: skip
    tree = trees.Tree(*links, name="chain")
    model = fx.Model(tree, fx.Gravity((0, -G, 0)))
    run = fx.simulate(model, 1.0, output=fx.Output(every=0.25), **FINE)
    tip = run.position(tree.link(f"bar {count - 1}").marker((length, 0, 0)))
    quantities = _size(f"chain of {count} bars", model, count, 0)
    for t in (0.25, 0.5, 0.75, 1.0):
        name = f"N={count} t={t:g} s tip position (x,y)"
        quantities += against("d04", name, f"D04: {name}", tip[stored_times(run, [t])[0], :2], 1e-7)
    return quantities


# --- loops -----------------------------------------------------------------------------------------------------------


def run_loops(progress: Progress) -> Outcome:
    """Parallelogram, squeezer and Bricard loop: spanning trees with cut joints."""
    progress("parallelogram")
    model = closed_by_points(in_space(parallelograms(1)[0]))
    quantities = _size("D07, N=1", model, 3, 2)
    run = fx.simulate(model, 2.0, output=fx.Output(every=1.0), **LESS)
    place = run.position(found(model, "crank 0").marker_at((0, 1, 0)))
    for t in (1, 2):
        name = f"N=1 t={t} s position of B0 (x,y)"
        quantities += against("d07", name, f"D07: {name}", place[stored_times(run, [t])[0], :2], 1e-6)
    quantities.append(energy_change(run, 2.0 * G * 2.0, 1e-6, "D07: "))
    quantities += _squeezer(progress)
    bars, moved = _bricard(progress)
    return Outcome([*quantities, *bars], (), (), [("Joint P3 of the Bricard loop as two trees.", moved)])


def _squeezer(progress: Progress) -> list[Measured]:
    """Seven bodies as four trees of 7 coordinates, closed by three points on axes: 6 equations."""
    progress("squeezer")
    model = closed_by_points(in_space(squeezer()[0]))
    crank = model.joint(next(f"{t.name}/K1" for t in model.trees if "K1" in {link.name for link in t.links}))
    run = fx.simulate(model, 0.03, output=fx.Output(every=0.005), **LESS)
    tree = crank.tree  # type: ignore[attr-defined]  # a joint of a tree
    turned = run.coordinates(tree)[:, 0]
    quantities = _size("D12", model, 7, 6)
    for t in (0.005, 0.01, 0.02, 0.03):
        name = f"t={t:g} s angles, computed"
        from_start = turned[stored_times(run, [t])[0]] - turned[0]
        quantities += _crank_angle(name, from_start)
    gaps = max(
        float(np.abs(run.position(j.pairs[0].a) - run.position(j.pairs[0].b))[:, :2].max()) for j in model.joints
    )
    quantities.append(measured("D12: largest gap of the cut joints", "m", gaps, 0.0, "joints stay closed", atol=1e-10))
    return quantities


def _crank_angle(name: str, turned: float) -> list[Measured]:
    """The first of the seven angles, beta."""
    figure = load_reference("d12").reference(name, 0)
    beta = turned + float(Squeezer().start[0])
    return [measured(f"D12: {name}: beta", "rad", beta, figure.value, figure.source, figure.uncertainty, atol=1e-6)]


def _bricard(progress: Progress) -> tuple[list[Measured], Any]:
    """Five bars as trees of three and two, closed by a hinge of which one equation follows from the others."""
    progress("Bricard loop")
    flat, corner, _ = bricard(None)
    model = fx.trees.to_relative_coordinates(flat)
    quantities = _size("D14", model, 5, 5)
    P3 = found(model, "bar 3").marker_at(corner.position0())
    places: list[FloatArray] = []
    for step in (5e-3, 2.5e-3):
        run = fx.simulate(model, 2.0, step=step, output=fx.Output(every=0.5), progress=False)
        places.append(run.position(P3))
    for t, place in zip((0.5, 1.0, 2.0), extrapolated(*places)[[1, 2, 4]], strict=True):
        name = f"t={t:g} s position of joint P3 (between bars 3 and 4)"
        quantities += against("d14", name, f"D14, extrapolated to step 0: t={t:g} s, P3", place, 1e-5)
    hinge = model.joints[0]
    held = [(hinge.pairs[0].a, hinge.pairs[0].b)]
    quantities += [
        energy_change(run, 29.43, 2e-4, "D14: "),
        closed(run, held, label="D14: "),
        redundant(run, 1, "D14: "),
    ]
    drawing = over_time([(f"{axis} of P3", run.t, run.position(P3)[:, k]) for k, axis in enumerate("xyz")], "m")
    return quantities, drawing


PENDULUMS = Case(
    id="tree-pendulums",
    title="Pendulums in joint coordinates",
    area="trees",
    summary=(
        "The spherical pendulum (a universal joint), the double pendulum and chains of 2 and 10 bars as trees: as many "
        "unknowns as freedoms, and no constraint. The figures are those of D02, D03 and D04."
    ),
    run=run_pendulums,
    source="References of d02, d03 and d04: equations in minimal coordinates, two methods of order 8 and higher.",
    limits=("The universal joint is singular where the spherical pendulum hangs or stands; its motion stays away.",),
)

LOOPS = Case(
    id="tree-loops",
    title="Closed linkages as trees with cut joints",
    area="trees",
    summary=(
        "A parallelogram, Andrews' squeezer and the Bricard loop by `to_relative_coordinates`: hinges are cut until "
        "trees are left. Of a cut hinge of a planar linkage two equations suffice, a point of one link on the axis of "
        "the other, so that none is redundant: the squeezer has 7 coordinates and 6 equations, bodies in space 42 and "
        "50.\n\nIn the Bricard loop all five equations of the cut hinge are kept, and one follows from the others."
    ),
    run=run_loops,
    source="References of d07, d12 and d14.",
    limits=(
        f"{CONSERVED}: the parallelogram passes through stretched positions, which the closed form allows.",
        "With the redundant equation of the Bricard loop explicit Runge-Kutta is wrong by 2e-3 in 2 s: the equations "
        "get a compliance, to which thin bars (inertia 1e-6) answer. The case takes generalized-alpha.",
    ),
)
