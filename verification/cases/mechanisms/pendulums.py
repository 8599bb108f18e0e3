"""D01 to D04: pendulums of point masses and of bars, in the plane and in space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress
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
    redundant,
    refine,
    stored_times,
    worst,
)
from flexmbs.verification.reference import pendulums
from flexmbs.verification.reference.data import load_reference

TIMES = (0.5, 1.0, 2.0, 5.0, 10.0)
STUDY = (8e-3, 4e-3, 2e-3)
SHORT = 2.0
EXTRAPOLATED = "extrapolated to step 0"


# --- D01 and D02: one mass -------------------------------------------------------------------------------------------


def _single(
    position: Sequence[float], velocity: Sequence[float], progress: Progress
) -> tuple[fx.PointMass, fx.DistanceConstraint, list[fx.TimeSolution]]:
    """A mass of 1 kg held at its distance from the origin, the last coordinate up; the coarsest run is short."""
    ball = fx.PointMass(1.0, position=position, velocity=velocity, name="ball")
    rod = fx.DistanceConstraint(fx.ground.marker_at((0.0, 0.0, 0.0)), ball.centre, name="rod")
    down = [0.0] * (len(position) - 1) + [-G]
    model = fx.Model(ball, rod, fx.Gravity(down))
    return ball, rod, refine(model, SHORT, STUDY[:1], progress) + refine(model, 10.0, STUDY[1:], progress)


def _grid() -> FloatArray:
    """The stored times of the studies."""
    return np.asarray(STUDY[0] * np.arange(1, round(SHORT / STUDY[0]) + 1), dtype=np.float64)


def _studies(
    ball: fx.PointMass, rod: fx.DistanceConstraint, runs: Sequence[fx.TimeSolution], exact: FloatArray
) -> list[ConvergenceStudy]:
    """Errors of position, velocity and force; ``exact`` (n_t, 2 dim) is at the times of the grid."""
    errors = np.zeros((3, len(runs)))
    dim = len(ball.position)
    for i, run in enumerate(runs):
        rows = stored_times(run, _grid())
        r, v = run.position(ball)[rows, :dim], run.velocity(ball)[rows, :dim]
        pull = (exact[:, dim:] ** 2).sum(axis=1) - G * exact[:, dim - 1]
        off = np.abs(run.multipliers(rod)[rows, 0] - pull).max()
        errors[:, i] = worst(r, exact[:, :dim]), worst(v, exact[:, dim:]), off
    names = ("position", "velocity", "force of the rod")
    return [orders(f"{n} up to 2 s", STUDY, row.tolist()) for n, row in zip(names, errors, strict=True)]


def _positions(
    identity: str, name: str, ball: fx.PointMass, runs: Sequence[fx.TimeSolution], exact: FloatArray
) -> list[Measured]:
    """Positions at TIMES with the smallest step and extrapolated, energy and length."""
    dim = len(ball.position)
    rough, fine = (run.position(ball)[stored_times(run, TIMES), :dim] for run in runs[-2:])
    quantities = [largest("step 2 ms: largest error of the position at five times", "m", fine, exact, 1e-3)]
    for t, better in zip(TIMES, extrapolated(rough, fine), strict=True):
        figure = f"t={t:g} s {name}"
        quantities += against(identity, figure, f"{EXTRAPOLATED}: {figure}", better, 1e-5)
    change = np.abs(np.linalg.norm(runs[-1].position(ball), axis=1) - 1.0).max()
    return [
        *quantities,
        energy_change(runs[-1], G, 1e-4),
        measured("largest change of length of the rod", "m", change, 0.0, CONSERVED, atol=1e-11),
    ]


def run_simple(progress: Progress) -> Outcome:
    """Ten seconds of the simple pendulum."""
    ball, rod, runs = _single((-1.0, 0.0), (0.0, 0.0), progress)
    theta, rate = pendulums.simple_pendulum(math.pi / 2.0, _grid()).T
    exact = np.column_stack([-np.sin(theta), -np.cos(theta), -rate * np.cos(theta), rate * np.sin(theta)])
    final = pendulums.simple_pendulum(math.pi / 2.0, TIMES)[:, 0]
    quantities = _positions("d01", "position (x,y)", ball, runs, np.column_stack([-np.sin(final), -np.cos(final)]))
    t, p = runs[-1].t, runs[-1].position(ball)
    quantities += [_period(t, p[:, 0]), _controlled(ball, runs[-1].system)]
    angle = pendulums.simple_pendulum(math.pi / 2.0, t[::60])[:, 0]
    drawing = over_time(
        [("x", t, p[:, 0]), ("y", t, p[:, 1])],
        "position in m",
        [(t[::60], -np.sin(angle)), (t[::60], -np.cos(angle))],
    )
    return Outcome(quantities, _studies(ball, rod, runs, exact), (), [("Ten seconds with a step of 2 ms.", drawing)])


def _period(t: FloatArray, x: FloatArray) -> Measured:
    """Mean period from the first and last passage to the right through x = 0."""
    up = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    when = t[up] - x[up] * (t[up + 1] - t[up]) / (x[up + 1] - x[up])
    return against("d01", "period", "period, from the passages", [(when[-1] - when[0]) / (len(when) - 1)], 1e-4)[0]


def _controlled(ball: fx.PointMass, system: fx.System) -> Measured:
    """Largest error with steps chosen by the program."""
    run = fx.simulate(system, until=10.0, step=fx.ErrorControl(rtol=1e-7), output=fx.Output(every=0.25))
    theta = pendulums.simple_pendulum(math.pi / 2.0, run.t)[:, 0]
    exact = np.column_stack([-np.sin(theta), -np.cos(theta)])
    label = "error control with 1e-7 per step: largest error of the position"
    return largest(label, "m", run.position(ball)[:, :2], exact, 1e-3)


def run_spherical(progress: Progress) -> Outcome:
    """Ten seconds of the spherical pendulum."""
    ball, rod, runs = _single((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), progress)
    exact = pendulums.spherical_pendulum((1, 0, 0), (0, 2, 0), [*_grid(), 5.0, 10.0])
    final = exact[[*(round(t / STUDY[0]) - 1 for t in TIMES[1:3]), -2, -1], :3]
    final = np.vstack([pendulums.spherical_pendulum((1, 0, 0), (0, 2, 0), TIMES[:1])[:, :3], final])
    quantities = _positions("d02", "position (x,y,z)", ball, runs, final)
    p, v = runs[-1].position(ball), runs[-1].velocity(ball)
    spin = p[:, 0] * v[:, 1] - p[:, 1] * v[:, 0]
    name = "z range (zeros of 2(E-gz)(1-z^2)-lz^2)"
    quantities += against("d02", name, "lowest (1) and highest (2) point", [p[:, 2].min(), p[:, 2].max()], 1e-4)
    change = np.abs(spin - 2.0).max()
    quantities.append(
        measured("largest change of the vertical angular momentum", "kg m²/s", change, 0.0, CONSERVED, atol=1e-4)
    )
    drawing = on_paths([("mass, seen from above", p[:, :2])], exact[:-2:5, :2])
    studies = _studies(ball, rod, runs, exact[:-2])
    return Outcome(quantities, studies, (), [("Ten seconds from above; the reference up to 2 s.", drawing)])


# --- D03: double pendulum --------------------------------------------------------------------------------------------


def double_pendulum() -> tuple[fx.Model, list[fx.Marker], HeldPoints]:
    """Two point masses held by two distances."""
    first, second = (fx.PointMass(1.0, position=(x, 0.0), name=f"mass {x:g}") for x in (1.0, 2.0))
    rods = [
        fx.DistanceConstraint(fx.ground.marker_at((0.0, 0.0)), first.centre, name="upper rod"),
        fx.DistanceConstraint(first.centre, second.centre, name="lower rod"),
    ]
    return fx.Model(first, second, *rods, fx.Gravity((0.0, -G))), [first.centre, second.centre], []


def _double_space() -> tuple[fx.Model, list[fx.Marker], HeldPoints]:
    """Two spatial bodies with nearly no inertia; a second hinge on the first one makes five equations redundant."""
    small = (1e-9, 1e-9, 1e-9)
    first, second = (fx.RigidBody(1.0, small, position=(x, 0.0, 0.0), name=f"mass {x:g}") for x in (1.0, 2.0))
    hinges = [
        fx.RevoluteJoint(fx.ground, first, at=(0.0, 0.0, 0.0), axis=(0, 0, 1), name="upper hinge"),
        fx.RevoluteJoint(fx.ground, first, at=(0.0, 0.0, 0.3), axis=(0, 0, 1), name="the same hinge farther out"),
        fx.RevoluteJoint(first, second, at=(1.0, 0.0, 0.0), axis=(0, 0, 1), name="lower hinge"),
    ]
    pairs = [
        (fx.ground.marker_at((0.0, 0.0, 0.0)), first.marker_at((0.0, 0.0, 0.0))),
        (first.centre, second.marker_at((1.0, 0.0, 0.0))),
    ]
    return fx.Model(first, second, *hinges, fx.Gravity((0.0, -G, 0.0))), [first.centre, second.centre], pairs


def pendulum_angles(run: fx.TimeSolution, masses: Sequence[fx.Marker]) -> FloatArray:
    """Angles of both links from the downward vertical (n_t, 2)."""
    p = np.stack([run.position(m)[:, :2] for m in masses], axis=1)
    links = np.diff(p, axis=1, prepend=np.zeros((len(p), 1, 2)))
    return np.unwrap(np.arctan2(links[..., 0], -links[..., 1]), axis=0)


def run_double(progress: Progress) -> Outcome:
    """Five seconds of the double pendulum in the plane, one second in space."""
    times, steps = (0.5, 1.0, 2.0, 3.0, 5.0), (4e-3, 2e-3, 1e-3)
    model, masses, _ = double_pendulum()
    runs = refine(model, 2.0, steps[:1], progress) + refine(model, 5.0, steps[1:], progress, every=steps[0])
    angles = [pendulum_angles(run, masses) for run in runs]
    found = [a[stored_times(run, times[:3])] for a, run in zip(angles, runs, strict=True)]
    rough, fine = (a[stored_times(run, times)] for a, run in zip(angles[1:], runs[1:], strict=True))
    exact = pendulums.masses(2).motion([0, 0], [0, 0], times)[:, :2] + math.pi / 2.0
    quantities = [largest("step 1 ms: largest error of the angles at five times", "rad", fine, exact, 1e-3)]
    for t, better in zip(times, extrapolated(rough, fine), strict=True):
        name = f"t={t:g} s angles (theta1, theta2)"
        quantities += against("d03", name, f"{EXTRAPOLATED}: {name}", better, 1e-5)
    quantities.append(energy_change(runs[-1], 2.0 * G, 1e-4))
    space, bodies, pairs = _double_space()
    progress("in space")
    run = refine(space, 1.0, steps[:1], progress)[0]
    gap = float(np.abs(pendulum_angles(run, bodies) - angles[0][: len(run.t)]).max())
    quantities += [
        measured("in space with 5 of 15 equations redundant: largest difference to the plane up to 1 s", "rad", gap,
                 0.0, "the same masses, rods and steps", atol=1e-6),
        closed(run, pairs, label="in space: "),
        redundant(run, 5, "in space: "),
    ]  # fmt: skip
    drawing = over_time(
        [(f"angle {i + 1}", runs[-1].t, angles[-1][:, i]) for i in (0, 1)],
        "angle from the downward vertical in rad",
        [(np.array(times), exact[:, i]) for i in (0, 1)],
    )
    studies = [orders("angles at 0.5, 1 and 2 s", steps, [worst(a, exact[:3]) for a in found])]
    return Outcome(quantities, studies, (), [("Five seconds with a step of 1 ms.", drawing)])


# --- D04: chain of bars ----------------------------------------------------------------------------------------------


def _chain(count: int, spatial: bool) -> tuple[fx.Model, fx.Marker, HeldPoints]:
    """Bars along x, hinged at the origin: model, tip and the pairs of hinged points."""
    ends = np.linspace(0.0, 1.0, count + 1)
    pad = [0.0, 0.0] if spatial else [0.0]
    kind = fx.RigidBody if spatial else fx.PlanarRigidBody
    bars = [kind.rod([a, *pad], [b, *pad], mass=1.0 / count, name=f"bar {i}")
            for i, (a, b) in enumerate(pairwise(ends))]  # fmt: skip
    sides, hinges, pairs = [fx.ground, *bars], [], []
    for i, x in enumerate(ends[:-1]):
        at = [x, *pad]
        pairs.append((sides[i].marker_at(at), sides[i + 1].marker_at(at)))
        hinges.append(fx.RevoluteJoint(sides[i], sides[i + 1], at=at, axis=(0, 0, 1), name=f"hinge {i}"))
    gravity = fx.Gravity([0.0, -G, *pad[1:]])
    return fx.Model(*bars, *hinges, gravity), bars[-1].marker_at([1.0, *pad]), pairs


def _chains(counts: Sequence[int], steps: Sequence[float], allowed: float, progress: Progress) -> Outcome:
    """Chains in the plane, the shortest one also in space."""
    times, quantities, studies, curves, points = (0.25, 0.5, 0.75, 1.0), [], [], [], []
    for count in counts:
        model, tip, pairs = _chain(count, False)
        own = [h / 2.0 for h in steps] if count == 10 else steps  # the whip of ten bars is quicker
        runs = refine(model, 1.0, own, prefixed(progress, f"{count} bars"))
        found = [run.position(tip)[stored_times(run, times), :2] for run in runs]
        names = [f"N={count} t={t:g} s tip position (x,y)" for t in times]
        exact = np.array([[load_reference("d04").value(name, i) for i in (0, 1)] for name in names])
        quantities.append(
            largest(f"N={count}, step {own[-1] * 1e3:g} ms: largest error of the tip at four times", "m", found[-1],
                    exact, 2e-3)
        )  # fmt: skip
        for name, better in zip(names, extrapolated(found[-2], found[-1]), strict=True):
            quantities += against("d04", name, f"{EXTRAPOLATED}: {name}", better, allowed)
        quantities += [
            energy_change(runs[-1], G / 2.0, 2e-3, f"N={count}: "),
            closed(runs[-1], pairs, label=f"N={count}: ", atol=1e-8),
        ]
        studies.append(orders(f"tip of {count} bars", own, [worst(p, exact) for p in found]))
        curves.append((f"{count} bars", runs[-1].position(tip)[:, :2]))
        points.append(exact)
        if count == counts[0]:
            quantities += _in_space(count, runs[0], tip, steps[0])
    drawing = on_paths(curves, np.concatenate(points))
    return Outcome(quantities, studies, (), [("Paths of the tip during the first second.", drawing)])


def _in_space(count: int, plane: fx.TimeSolution, tip: fx.Marker, step: float) -> list[Measured]:
    """The same chain of spatial bodies, which keeps to the plane."""
    model, spatial_tip, pairs = _chain(count, True)
    run = fx.simulate(model, until=1.0, step=step)
    gap = float(np.abs(run.position(spatial_tip) - plane.position(tip)).max())
    return [
        measured(f"{count} bars in space: largest difference of the tip to the plane", "m", gap, 0.0,
                 "the same bars and steps", atol=1e-7),
        closed(run, pairs, label=f"{count} bars in space: ", atol=1e-8),
    ]  # fmt: skip


def run_chain(progress: Progress) -> Outcome:
    """2 to 10 bars."""
    return _chains((2, 3, 5, 10), (5e-3, 2.5e-3, 1.25e-3), 5e-5, progress)


def run_long_chain(progress: Progress) -> Outcome:
    """40 bars."""
    return _chains((40,), (1.25e-3, 6.25e-4, 3.125e-4), 1e-4, progress)


TAYLOR = "equations in minimal coordinates, two methods of order 8 and higher"

SIMPLE = Case(
    id="d01-pendulum",
    title="Simple pendulum",
    area="mechanisms",
    summary=(
        "A point mass of 1 kg on a massless rod of 1 m, released at rest from the height of its pivot. Benchmark A01 "
        "of the IFToMM library.\n\nThe mass has two coordinates and the rod one equation; positions, velocities and "
        "the force of the rod converge with order 2."
    ),
    run=run_simple,
    source="Jacobi's elliptic functions; M. Gonzalez et al., Multibody Syst. Dyn. 16 (2006) 295 (benchmark A01).",
    equations=(r"\sin(\theta/2) = k\, cd(\omega_0 t, k), \quad k = \sin(\alpha/2)",),
    limits=(
        "Generalized-alpha damps: the energy falls with the square of the step, by 2e-5 of m g L in 10 s at 2 ms.",
    ),
)

SPHERICAL = Case(
    id="d02-spherical",
    title="Spherical pendulum",
    area="mechanisms",
    summary="A point mass on a massless rod in space, thrown sideways from the height of its pivot with 2 m/s.",
    run=run_spherical,
    source=TAYLOR + ".",
    equations=(r"\ddot r = -g e_z - (\dot r^2 - g z)\, r",),
)

DOUBLE = Case(
    id="d03-double",
    title="Double pendulum of point masses",
    area="mechanisms",
    summary=(
        "Two masses of 1 kg on massless rods of 1 m, released at rest from the horizontal.\n\n"
        "In space the rods are bodies on hinges, one of which is doubled: five equations are redundant, and the motion "
        "must stay the same."
    ),
    run=run_double,
    source=TAYLOR + ".",
    limits=("Nearby motions part exponentially; beyond some 10 s only the energy can be compared.",),
)

CHAIN = Case(
    id="d04-chain",
    title="Chains of 2, 3, 5 and 10 bars",
    area="mechanisms",
    summary=(
        "Uniform bars, 1 m and 1 kg in all, hinged to each other and to the origin, fall from the horizontal. The tip "
        "whips, the faster the more bars there are.\n\nThe shortest chain is repeated in space with full hinges."
    ),
    run=run_chain,
    source="Equations in the angles, order 8 at two tolerances.",
    equations=(
        r"\sum_j M_{ij} \left[\cos(\theta_i-\theta_j)\, \ddot\theta_j + \sin(\theta_i-\theta_j)\, "
        r"\dot\theta_j^2\right] + J_i \ddot\theta_i + g_i \cos\theta_i = 0",
    ),
)

LONG = Case(
    id="d04-long-chain",
    title="Chain of 40 bars",
    area="mechanisms",
    summary="As the shorter chains: uniform bars, 1 m and 1 kg in all, fall from the horizontal.",
    run=run_long_chain,
    source="Equations in the angles, order 8 at two tolerances.",
    slow=True,
)
