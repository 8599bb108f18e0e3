"""A seated occupant in a crash: counts, inertia of organs, resistances of joints, belts, head acceleration."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.signal import butter, sosfiltfilt

import flexmbs as fx
from flexmbs import trees
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.trees import occupant_model as man

UNTIL, STEP = 0.15, 1e-3


def _ellipsoid(axes: FloatArray, turns: int) -> fx.meshes.Mesh:
    """A closed surface of triangles whose corners lie on an ellipsoid, from an octahedron divided ``turns`` times."""
    points = [np.array(p, dtype=float) for p in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))]
    faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    for _ in range(turns):
        known: dict[tuple[int, int], int] = {}

        def middle(i: int, j: int, known: dict[tuple[int, int], int] = known) -> int:
            key = (min(i, j), max(i, j))
            if key not in known:
                x = points[i] + points[j]
                points.append(x / np.linalg.norm(x))
                known[key] = len(points) - 1
            return known[key]

        finer = []
        for a, b, c in faces:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            finer += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = finer
    return fx.meshes.Mesh(np.array(points) * axes, (fx.meshes.CellBlock("triangle", np.array(faces)),))


ORGANS = {
    "brain": (0.08, 0.065, 0.06), "larynx": (0.02, 0.02, 0.025), "trachea": (0.01, 0.01, 0.055),
    "left lung": (0.06, 0.05, 0.12), "right lung": (0.06, 0.055, 0.12), "heart": (0.05, 0.045, 0.06),
    "diaphragm": (0.1, 0.12, 0.01), "liver": (0.075, 0.11, 0.07), "spleen": (0.03, 0.04, 0.06),
    "gall bladder": (0.015, 0.015, 0.04), "stomach": (0.04, 0.06, 0.05), "intestines": (0.08, 0.12, 0.1),
    "left kidney": (0.025, 0.03, 0.055), "right kidney": (0.025, 0.03, 0.055), "left adrenal": (0.01, 0.02, 0.005),
    "right adrenal": (0.01, 0.02, 0.005), "bladder": (0.04, 0.05, 0.04), "prostate": (0.015, 0.02, 0.015),
}  # fmt: skip
"""Half axes of ellipsoids in their place [m]; chosen."""


def _organs() -> tuple[list[Measured], list[ConvergenceStudy]]:
    """Mass and moments of inertia of closed surfaces; of a box exact, of ellipsoids to second order of the facets."""
    faces = np.array([(0, 2, 1), (0, 3, 2), (4, 5, 6), (4, 6, 7), (0, 1, 5), (0, 5, 4), (1, 2, 6), (1, 6, 5), (2, 3, 7),
                      (2, 7, 6), (3, 0, 4), (3, 4, 7)])  # fmt: skip
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)])
    box = fx.RigidBody.from_mesh(
        fx.meshes.Mesh(corners * (0.2, 0.3, 0.5), (fx.meshes.CellBlock("triangle", faces),)), density=1000.0
    )
    sizes = np.array((0.2, 0.3, 0.5)) ** 2
    exact = 30.0 / 12.0 * (sizes.sum() - sizes)
    quantities = [
        measured("box: mass", "kg", box.mass, 30.0, "closed form", rtol=1e-12),
        measured("box: largest error of the inertia tensor", "kg m^2",
                 float(np.abs(box.inertia - np.diag(exact)).max()), 0.0, "closed form", atol=1e-12),
        measured("organs", "-", len(ORGANS), 18.0, "the paper", atol=0.5),
    ]  # fmt: skip
    errors = []
    for turns in (2, 3, 4):
        off = []
        for axes in ORGANS.values():
            organ = fx.RigidBody.from_mesh(_ellipsoid(np.array(axes), turns), density=1050.0)
            mass = 1050.0 * 4.0 / 3.0 * np.pi * np.prod(axes)
            squares = np.array(axes) ** 2
            inertia = mass / 5.0 * (squares.sum() - squares)
            off += [abs(organ.mass / mass - 1.0), *np.abs(organ.inertia.diagonal() / inertia - 1.0)]
        errors.append(float(max(off)))
    study = ConvergenceStudy("organs: mass and inertia, largest error", (4, 8, 16), errors, 2.0, 1.9, counts=True)
    return quantities, [study]


def _ball() -> list[Measured]:
    """A bar in a ball joint that only its resistance turns back: period by quadrature, energy about a skew axis."""
    stiffness, J = 20.0, 0.4
    link = trees.Link("bar", 2.0, (J, 1.3, 1.5), joint=trees.Spherical(), rate=(6.0, 0.0, 0.0))
    bar = trees.Tree(link, name="bar")
    law = man.resistance(fx.ground.marker_at((0, 0, 0)), bar.link("bar").marker((0, 0, 0)), stiffness, 0.0, "ball")
    run = fx.simulate(fx.Model(bar, law), 1.0, step=1e-3, progress=False)
    rate = run.angular_velocity(bar.link("bar").marker((0, 0, 0)))[:, 0]
    crossing = np.flatnonzero((rate[:-1] > 0.0) & (rate[1:] <= 0.0))[0]
    found = float(np.interp(0.0, [-rate[crossing], -rate[crossing + 1]], run.t[crossing : crossing + 2]))
    h = man.HARDENING
    energy = 0.5 * J * 6.0**2
    top = np.sqrt((np.sqrt(1.0 + 4.0 * h * energy / stiffness) - 1.0) / h)

    def lost(x: Any) -> Any:
        """Energy in the joint at an angle."""
        return stiffness / 2.0 * (x**2 + h * x**4 / 2.0)

    quarter = quad(
        lambda s: top * np.cos(s) / np.sqrt(2.0 / J * (energy - lost(top * np.sin(s)))), 0.0, 0.5 * np.pi - 1e-9
    )[0]
    skew = trees.Tree(trees.Link("bar", 2.0, (J, 1.3, 1.5), joint=trees.Spherical(), rate=(4.0, 3.0, -2.0)), name="bar")
    law = man.resistance(fx.ground.marker_at((0, 0, 0)), skew.link("bar").marker((0, 0, 0)), stiffness, 0.0, "ball")
    turned = fx.simulate(fx.Model(skew, law), 1.0, step=5e-4, progress=False)
    theta = np.linalg.norm(
        [fx.core.rotations.to_vector(R) for R in turned.rotation(skew.link("bar").marker((0, 0, 0)))], axis=1
    )
    total = turned.energy.kinetic + lost(theta)
    return [
        measured("ball joint: time of a quarter of a swing", "s", found, quarter, "quadrature", rtol=1e-4),
        measured("ball joint, skew: change of kinetic energy and potential, relative", "-",
                 float(np.ptp(total) / total[0]), 0.0, "the resistance has a potential", atol=1e-4),
    ]  # fmt: skip


def _impulse(made: man.Occupant, run: fx.TimeSolution) -> FloatArray:
    """Force on the occupant (n_t, 3) from belts, supports, weight and pulse."""
    mass = sum(s.mass for s in man.BODIES.values())
    shape = np.where(run.t < man.TIME, np.sin(np.pi * run.t / man.TIME) ** 2, 0.0)
    total = mass * np.column_stack((man.PULSE * shape, 0.0 * shape, -man.GRAVITY + 0.0 * shape))
    for belt in made.belts.values():
        pull = run.force(belt.name).force
        a, b = (np.array(run.position(m)) for m in (belt.a, belt.b))
        total += pull[:, None] * (a - b) / np.linalg.norm(a - b, axis=1)[:, None]
    for bushing in made.supports.values():
        total -= run.force(bushing.name).force[:, :3]  # axes of the ground
    return np.asarray(total)


def run(progress: Progress) -> Outcome:
    """Counts, organs, ball joint, then the crash."""
    made = man.occupant()
    found = fx.topology(fx.Model(made.tree))
    spine = [name for name in man.SPINE if name != "lower trunk"]
    quantities = [
        measured("bodies", "-", len(found.bodies), 21.0, "the paper", atol=0.5),
        measured("joints between bodies", "-", sum(len(set(j.among) - {"ground"}) == 2 for j in found.joints), 20.0,
                 "the paper: 4 in the spine and 16 balls", atol=0.5),
        measured("joints of the spine", "-", len(spine), 4.0, "the paper", atol=0.5),
        measured("degrees of freedom", "-", found.degrees_of_freedom, 66.0, "6 + 20 times 3", atol=0.5),
    ]  # fmt: skip
    progress("organs")
    more, studies = _organs()
    progress("ball joint")
    quantities += more + _ball()
    progress("crash")
    crash = fx.simulate(made.model, UNTIL, step=STEP, progress=False)
    P = crash.momentum()[0]
    force = _impulse(made, crash)
    impulse = np.vstack((np.zeros(3), np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(crash.t)[:, None], axis=0)))
    largest = float(np.abs(P).max())
    for k, axis in enumerate("xyz"):
        quantities.append(
            measured(f"crash: momentum {axis} less the impulse of belts, seat, floor and pulse, by the largest", "-",
                     float(np.abs(P[:, k] - P[0, k] - impulse[:, k]).max()) / largest, 0.0, "Newton's second law",
                     atol=2e-3)
        )  # fmt: skip
    head = made.tree.link("head").marker(np.subtract(np.array(man.BODIES["head"][2]), np.array(man.BODIES["head"][1])))
    felt = np.linalg.norm(crash.acceleration(head), axis=1)
    kept = fx.channel_filter(crash.t, felt, 180.0)
    known = sosfiltfilt(butter(2, 2.0775 * 180.0, fs=1.0 / STEP, output="sos"), felt)
    slack = min(float(crash.force(b.name).force.min()) for b in made.belts.values())
    quantities += [
        measured("head acceleration by class 180: largest difference from SciPy's filter, by the largest", "-",
                 float(np.abs(kept - known)[20:-20].max() / known.max()), 0.0, "SciPy, second-order sections",
                 atol=1e-9),
        measured("least force of a belt", "N", slack, 0.0, "belts do not push", atol=0.05),
    ]  # fmt: skip
    drawing, axes = figure(6.4, 3.8)
    for number, (name, belt) in enumerate(made.belts.items()):
        axes.plot(1e3 * crash.t, crash.force(belt.name).force / 1e3, color=COLOURS[number], label=f"belt, {name} [kN]")
    axes.plot(1e3 * crash.t, kept / 100.0, color="black", linewidth=1.0, label="head, class 180 [100 m/s²]")
    axes.set_xlabel("time [ms]")
    axes.legend(frameon=False)
    gs = kept.clip(0.0) / man.GRAVITY
    remark = f"Head injury criterion (15 ms) of this chosen model: {fx.head_injury_criterion(crash.t, gs):.0f}."
    return Outcome(
        quantities, studies, (), [("Forces of the belt and acceleration of the head.", drawing)], remarks=[remark]
    )


CASE = Case(
    id="seated-occupant",
    title="Seated occupant in a crash",
    area="trees",
    summary=(
        "A man of 21 bodies and 20 joints sits on a seat, held by a belt of three points, in a car that is stopped. "
        "Bodies, joints and freedoms are counted; mass and inertia of 18 organs follow from closed surfaces by the "
        "divergence theorem; a ball joint resists its rotation vector; the momentum of all bodies is the impulse of "
        "belts, seat, floor and pulse; the head is judged through the filter of its channel class."
    ),
    run=run,
    source="L. Hynčík, Multi-body human model (University of West Bohemia): counts of bodies, joints and organs.",
    equations=(
        r"V = \frac{1}{3}\oint x\cdot n\,dA",
        r"M = -k\,(1 + h\,\theta^2)\,\theta - d\,\omega",
        r"P(t) - P(0) = \int F\,dt",
    ),
    limits=(
        "Masses, places, resistances and the pulse are chosen: the paper refers to tables and curves that it does not "
        "print. The seat and the floor hold both ways, no airbag, belts are bars between points that do not slide.",
    ),
)
