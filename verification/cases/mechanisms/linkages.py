"""D07, D11, D12: parallelograms, a rhombus of four bars, Andrews' squeezing mechanism."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.model.bodies.ground import Ground
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import (
    CONSERVED,
    G,
    HeldPoints,
    against,
    closed,
    energy_change,
    extrapolated,
    largest,
    on_paths,
    orders,
    over_time,
    prefixed,
    refine,
    stored_times,
    worst,
)
from flexmbs.verification.reference import loops
from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.reference.squeezer import ANGLES, Squeezer

Side = fx.PlanarRigidBody | Ground


def hinged(sides: Sequence[tuple[Side, Side, tuple[float, float]]]) -> tuple[list[fx.RevoluteJoint], HeldPoints]:
    """Hinges between two bodies at a point each, and the pairs of markers they hold together."""
    joints, pairs = [], []
    for i, (a, b, at) in enumerate(sides):
        joints.append(fx.RevoluteJoint(a, b, at=at, name=f"hinge {i}"))
        pairs.append((a.marker_at(at), b.marker_at(at)))
    return joints, pairs


# --- D07: parallelograms ---------------------------------------------------------------------------------------------


def _parallelograms(count: int) -> tuple[fx.Model, fx.Marker, HeldPoints]:
    """Upright cranks and level couplers; all move with 1 m/s at the height of the couplers."""
    cranks = [
        fx.PlanarRigidBody.rod((i, 0), (i, 1), mass=1.0, name=f"crank {i}").with_spin(-1.0, about=(i, 0))
        for i in range(count + 1)
    ]
    couplers = [
        fx.PlanarRigidBody.rod((i, 1), (i + 1, 1), mass=1.0, velocity=(1.0, 0.0), name=f"coupler {i}")
        for i in range(count)
    ]
    sides: list[tuple[Side, Side, tuple[float, float]]] = [(fx.ground, crank, (i, 0)) for i, crank in enumerate(cranks)]
    for i, coupler in enumerate(couplers):
        sides += [(cranks[i], coupler, (i, 1)), (coupler, cranks[i + 1], (i + 1, 1))]
    joints, pairs = hinged(sides)
    model = fx.Model(*cranks, *couplers, *joints, fx.Gravity((0.0, -G)))
    return model, cranks[0].marker_at((0, 1)), pairs


def _rows_of_parallelograms(counts: Sequence[int], step: float, until: float, progress: Progress) -> Outcome:
    """Motion through the stretched positions, where all bars lie on a line."""
    times = tuple(t for t in (1, 2, 4, 5, 10) if t <= until)
    quantities, studies, curves, points = [], [], [], []
    steps = (4.0 * step, 2.0 * step, step)
    for count in counts:
        model, tip, pairs = _parallelograms(count)
        runs = refine(model, until, steps, prefixed(progress, f"N={count}"))
        found = [run.position(tip)[stored_times(run, times), :2] for run in runs]
        angle = loops.parallelograms(count, times)[:, 0]
        exact = np.column_stack([np.cos(angle), np.sin(angle)])
        for t, better in zip(times, extrapolated(found[-2], found[-1]), strict=True):
            name = f"N={count} t={t} s position of B0 (x,y)"
            quantities += against("d07", name, f"extrapolated to step 0: {name}", better, 1e-4)
        name = f"N={count} total kinetic energy at t=0"
        run = runs[-1]
        quantities += against("d07", name, name, [run.energy.kinetic[0]], 1e-10)
        quantities += [
            largest(f"N={count}, step {step * 1e3:g} ms: largest error of B0", "m", found[-1], exact, 2e-3),
            energy_change(run, 2.0 * G * ((count + 1) / 2.0 + count), 1e-3, f"N={count}: "),
            closed(run, pairs, label=f"N={count}: "),
        ]
        studies.append(orders(f"B0, N={count}", steps, [worst(p, exact) for p in found]))
        curves.append((f"N={count}", run.t, run.position(tip)[:, 0]))
        points.append((run.t[1::25], np.cos(loops.parallelograms(count, run.t[1::25])[:, 0])))
    drawing = over_time(curves, "x of B0 in m", points)
    return Outcome(quantities, studies, (), [(f"{until:g} seconds with a step of {step * 1e3:g} ms.", drawing)])


def run_parallelograms(progress: Progress) -> Outcome:
    """One and two parallelograms, and one that starts stretched."""
    outcome = _rows_of_parallelograms((1, 2), 2.5e-3, 4.0, progress)
    return replace(outcome, quantities=[*outcome.quantities, *_stretched(progress)])


def _stretched(progress: Progress) -> list[Measured]:
    """All bars on a line at the start, where one equation is redundant; the cranks turn by 3 rad/s."""
    cranks = [
        fx.PlanarRigidBody.rod((i, 0), (i + 1, 0), mass=1.0, name=f"crank {i}").with_spin(-3.0, about=(i, 0))
        for i in (0, 1)
    ]
    coupler = fx.PlanarRigidBody.rod((1, 0), (2, 0), mass=1.0, velocity=(0.0, -3.0), name="coupler")
    joints, pairs = hinged(
        [(fx.ground, cranks[0], (0, 0)), (fx.ground, cranks[1], (1, 0)), (cranks[0], coupler, (1, 0)),
         (coupler, cranks[1], (2, 0))]
    )  # fmt: skip
    times = np.linspace(0.25, 2.0, 8)
    model = fx.Model(*cranks, coupler, *joints, fx.Gravity((0.0, -G)))
    runs = refine(model, 2.0, (5e-3, 2.5e-3), prefixed(progress, "stretched at the start"))
    found = [run.coordinates(cranks[0])[stored_times(run, times), 2] for run in runs]
    error = np.abs(extrapolated(*found) - loops.parallelograms(1, times, (0.0, -3.0))[:, 0]).max()
    last = runs[-1]
    apart = np.abs(last.coordinates(cranks[0])[:, 2] - last.coordinates(cranks[1])[:, 2]).max()
    start = "N=1, stretched at the start: "
    return [
        measured(f"{start}largest error of the angle, extrapolated to step 0", "rad", error, 0.0, "pendulum equation",
                 1e-11, atol=1e-5),
        measured(f"{start}largest difference of the cranks", "rad", apart, 0.0, "parallel cranks", atol=1e-8),
        closed(last, pairs, label=start),
    ]  # fmt: skip


def run_forty(progress: Progress) -> Outcome:
    """Forty parallelograms."""
    return _rows_of_parallelograms((40,), 2.5e-3, 10.0, progress)


# --- D11: rhombus ----------------------------------------------------------------------------------------------------


def run_rhombus(progress: Progress) -> Outcome:
    """A square of four bars hung from one corner, folding flat again and again."""
    corners = ((0.0, 0.0), (1.0, 0.0), (1.0, -1.0), (0.0, -1.0))
    bars = [fx.PlanarRigidBody.rod(corners[i], corners[(i + 1) % 4], mass=1.0, name=f"bar {i + 1}") for i in range(4)]
    ring: list[Side] = [fx.ground, *bars, fx.ground]
    joints, pairs = hinged([(ring[i], ring[i + 1], corners[i % 4]) for i in range(5)])
    model = fx.Model(*bars, *joints, fx.Gravity((0.0, -G)))
    A, B = bars[0].marker_at(corners[1]), bars[1].marker_at(corners[2])
    times = (0.25, 0.5, 1.0, 1.5, 2.0)
    exact = loops.rhombus((0.0, -math.pi / 2.0), times)
    steps = (5e-3, 2.5e-3, 1.25e-3)
    runs = refine(model, 2.0, steps, progress)
    found = [np.column_stack([run.position(m)[stored_times(run, times), :2] for m in (A, B)]) for run in runs]
    a, b = exact[:, 0], exact[:, 1]
    table = np.column_stack([np.cos(a), np.sin(a), np.cos(a) + np.cos(b), np.sin(a) + np.sin(b)])
    quantities = [largest("step 1.25 ms: largest error of A and B", "m", found[-1], table, 2e-4)]
    for t, better in zip(times, extrapolated(found[-2], found[-1]), strict=True):
        name = f"t={t:g} s joints A and B (xA,yA,xB,yB)"
        quantities += against("d11", name, f"extrapolated to step 0: {name}", better, 1e-5)
    run = runs[-1]
    change = np.abs(run.energy.total + 19.62).max()
    quantities += [
        measured("largest change of the energy", "J", change, 0.0, CONSERVED, atol=1e-2),
        closed(run, pairs),
    ]
    diagonals = np.linalg.norm(run.position(A) - run.position(bars[2].marker_at(corners[3])), axis=1)
    progress("ten seconds")
    long = fx.simulate(model, until=10.0, step=1e-2)  # what lies between steps is not as closed
    quantities += [_first_flat(run, A, B), closed(long, pairs, label="ten seconds with steps of 10 ms: ", atol=1e-7)]
    studies = [orders("joints A and B up to 2 s", steps, [worst(p, table) for p in found])]
    drawing = on_paths([("A", run.position(A)[:, :2]), ("B", run.position(B)[:, :2])], table[:, 2:])
    remark = f"Shortest distance of the corners A and C: {diagonals.min():.1e} m."
    return Outcome(quantities, studies, (), [("Paths of two corners up to 2 s.", drawing)], [remark])


def _first_flat(run: fx.TimeSolution, A: fx.Marker, B: fx.Marker) -> Measured:
    """When A, O and B first lie on a line."""
    a, b = run.position(A), run.position(B) - run.position(A)
    area = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    i = int(np.flatnonzero(area[1:] * area[0] <= 0.0)[0])
    when = run.t[i] - area[i] * (run.t[i + 1] - run.t[i]) / (area[i + 1] - area[i])
    name = "time of the first flat (singular) configuration"
    return against("d11", name, name, [when], 1e-5)[0]


# --- D12: squeezer ---------------------------------------------------------------------------------------------------


def squeezer() -> tuple[fx.Model, list[fx.PlanarRigidBody], HeldPoints]:
    """Seven bodies and ten hinges, three of them at the hub."""
    data = Squeezer()
    d, ground = data.data, {name: (z.real, z.imag) for name, z in data.ground.items()}
    q = np.array(data.start)
    bodies = []
    for i, centre in enumerate(data.linkage.centres):
        z = centre.at(q, q)[0]
        bodies.append(
            fx.PlanarRigidBody(data.masses[i], data.inertias[i], position=(z.real, z.imag), angle=float(ANGLES[i] @ q),
                               name=f"K{i + 1}")
        )  # fmt: skip
    beta, _, gamma, _, delta, _, epsilon = q
    crank = d["rr"] * np.exp(1j * beta)
    hub = data.ground["B"] + d["ss"] * np.exp(1j * (gamma - math.pi / 2.0))
    four = data.ground["A"] + d["zt"] * np.exp(1j * delta)
    six = data.ground["A"] + d["u"] * np.exp(1j * (epsilon - math.pi / 2.0))
    K1, K2, K3, K4, K5, K6, K7 = bodies
    at = {name: (float(z.real), float(z.imag)) for name, z in zip("phef", (crank, hub, four, six), strict=True)}
    joints, pairs = hinged(
        [
            (fx.ground, K1, ground["O"]), (K1, K2, at["p"]), (K2, K3, at["h"]), (K2, K4, at["h"]), (K2, K6, at["h"]),
            (fx.ground, K3, ground["B"]), (fx.ground, K5, ground["A"]), (K5, K4, at["e"]),
            (fx.ground, K7, ground["A"]), (K7, K6, at["f"]),
        ]
    )  # fmt: skip
    hook = data.spring_point(gamma)
    spring = fx.SpringDamper(
        K3.marker_at((hook.real, hook.imag)), fx.ground.marker_at(ground["C"]),
        stiffness=d["c0"], free_length=d["l0"], name="spring",
    )  # fmt: skip
    return fx.Model(*bodies, *joints, spring, fx.Moment(K1.centre, d["mom"])), bodies, pairs


def squeezer_angles(run: fx.TimeSolution, bodies: Sequence[fx.PlanarRigidBody]) -> FloatArray:
    """The seven angles of the literature (n_t, 7) from those of the bodies."""
    turns = np.column_stack([run.coordinates(body)[:, 2] for body in bodies])
    return np.asarray(np.linalg.solve(ANGLES, turns.T).T, dtype=np.float64)


def run_squeezer(progress: Progress) -> Outcome:
    """0.03 s from rest."""
    model, bodies, pairs = squeezer()
    times, steps = (0.005, 0.01, 0.02, 0.03), (1e-4, 5e-5, 2.5e-5)
    runs = refine(model, 0.03, steps, progress)
    found = [squeezer_angles(run, bodies)[stored_times(run, times)] for run in runs]
    exact = Squeezer().motion(times, 1e-11)[:, :7]
    better = extrapolated(found[-2], found[-1])
    quantities = [largest("step 25 µs: largest error of the angles", "rad", found[-1], exact, 2e-3)]
    for angles, t in zip(better, times, strict=True):
        name = f"t={t:g} s angles, computed"
        for i, part in enumerate(("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon")):
            reference = load_reference("d12").reference(name, i)
            quantities.append(
                measured(f"extrapolated to step 0, t={t:g} s: {part}", "rad", angles[i], reference.value,
                         reference.source, reference.uncertainty, atol=5e-5)
            )  # fmt: skip
    published = "t=0.03 s (beta,Theta,gamma,Phi,delta,Omega,epsilon)"
    quantities += against("d12", published, f"published, {published}", better[-1], 5e-5)
    run = runs[-1]
    quantities += [closed(run, pairs, atol=1e-12), _balance(run, bodies), _controlled(run.system, bodies, exact[-1])]
    studies = [orders("angles", steps, [worst(a, exact) for a in found])]
    curves = [("beta", run.t, squeezer_angles(run, bodies)[:, 0]), ("Theta", run.t, squeezer_angles(run, bodies)[:, 1])]
    fine = np.linspace(0.0, 0.03, 16)[1:]
    drawing = over_time(curves, "angle in rad", [(fine, Squeezer().motion(fine, 1e-8)[:, i]) for i in (0, 1)])
    return Outcome(quantities, studies, (), [("Crank and second body with a step of 25 µs.", drawing)])


def _controlled(system: fx.System, bodies: Sequence[fx.PlanarRigidBody], exact: FloatArray) -> Measured:
    """Largest error at the end with steps chosen by the program."""
    run = fx.simulate(system, until=0.03, step=fx.ErrorControl(rtol=1e-7), output=fx.Output(every=0.03))
    label = "error control with 1e-7 per step: largest error of the angles at the end"
    return largest(label, "rad", squeezer_angles(run, bodies)[-1], exact, 2e-3)


def _balance(run: fx.TimeSolution, bodies: Sequence[fx.PlanarRigidBody]) -> Measured:
    """Energy minus the work of the torque."""
    work = Squeezer().data["mom"] * (run.coordinates(bodies[0])[:, 2] - Squeezer().start[0])
    change = np.abs(run.energy.total - work - run.energy.total[0]).max()
    return measured("largest error of energy minus work, by the work", "-", change / work[-1], 0.0, "energy balance",
                    atol=1e-3)  # fmt: skip


PARALLELOGRAMS = Case(
    id="d07-parallelograms",
    title="One and two parallelograms through their stretched positions",
    area="mechanisms",
    summary=(
        "Cranks of equal length joined by couplers, all uniform bars of 1 m and 1 kg; they start upright with 1 m/s "
        "and turn round and round. Benchmark A02 of the IFToMM library.\n\n"
        "Twice a turn all bars lie on a line, where the mechanism could go on with crossed cranks as well; it must not."
    ),
    run=run_parallelograms,
    source="Pendulum equation, order 8; M. Gonzalez et al., Multibody Syst. Dyn. 16 (2006) 295 (benchmark A02).",
    equations=(r"\left(\dfrac{N+1}{3} + N\right) \ddot\theta + \left(\dfrac{N+1}{2} + N\right) g \cos\theta = 0",),
    limits=("While moving, the stretched position is met between two steps; exactly stretched is the start alone.",),
)

FORTY = Case(
    id="d07-forty",
    title="Forty parallelograms",
    area="mechanisms",
    summary="As with one and two: 81 bars with one degree of freedom, ten seconds.",
    run=run_forty,
    source="Pendulum equation, order 8; M. Gonzalez et al., Multibody Syst. Dyn. 16 (2006) 295 (A02 with N = 40).",
    slow=True,
)

RHOMBUS = Case(
    id="d11-rhombus",
    title="Rhombus of four bars that folds flat",
    area="mechanisms",
    summary=(
        "Four uniform bars of 1 m and 1 kg, hinged to a ring and hung from one hinge, fall from the shape of a square. "
        "After 0.44 s and again and again the ring is flat: its equations lose a rank and the motion could leave the "
        "rhombus. It must stay closed and on the branch of the rhombus."
    ),
    run=run_rhombus,
    source="Equations in two angles, order 8.",
    equations=(
        r"\dfrac{5}{3} \ddot\alpha + \cos(\alpha-\beta)\, \ddot\beta + \sin(\alpha-\beta)\, \dot\beta^2 "
        r"+ 2 g \cos\alpha = 0",
    ),
    limits=("The flat shape is met between two steps, not on one.",),
)

SQUEEZER = Case(
    id="d12-squeezer",
    title="Andrews' squeezing mechanism",
    area="mechanisms",
    summary=(
        "Seven bodies with ten hinges, a spring and a constant torque of 0.033 N m on the crank, which turns two and a "
        "half times within 0.03 s. The best known test of methods for mechanisms; benchmark A03 of the IFToMM library."
    ),
    run=run_squeezer,
    source=(
        "Published solution of the IVP test set, and equations in seven angles with multipliers, order 8; E. Hairer "
        "and G. Wanner, Solving Ordinary Differential Equations II, section VII.7."
    ),
)
