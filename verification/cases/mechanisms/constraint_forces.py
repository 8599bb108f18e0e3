"""Constraint forces by topology: published counts of operations, chains, stars, the squeezer, iterations."""

from __future__ import annotations

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import figure, measured
from flexmbs.verification.cases.mechanisms.linkages import squeezer
from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.reference.squeezer import ANGLES, Squeezer

CLOSED_FORM = "closed form"
G = 9.81
COUNTS = ("additions", "multiplications", "inversions", "fill")
SIDES = {
    "1": ("K1",), "2": ("K1", "K2"), "3": ("K2", "K4"), "4": ("K2", "K3"), "5": ("K3", "K6"), "6": ("K6", "K7"),
    "7": ("K7",), "8": ("K5",), "9": ("K4", "K5"), "10": ("K3",),
}  # fmt: skip
"""The joints of the squeezer by the numbers of the paper, without the ground; the hub as hinges of K2-K4, K2-K3,
K3-K6."""
ORDERS = {"good": "1 2 7 6 5 8 9 3 4 10", "bad": "4 2 3 5 6 9 1 7 8 10"}


def numbered_squeezer() -> tuple[fx.Model, list[fx.PlanarRigidBody]]:
    """The squeezer with the joints of the paper under their numbers, which hold the same four bodies at the hub."""
    model, bodies, _ = squeezer()
    of_name = {body.name: body for body in bodies}
    joints = {frozenset(side.body.name for side in (j.pairs[0].a, j.pairs[0].b)): j for j in model.joints}
    at = joints[frozenset(("K2", "K3"))].pairs[0].a.position0()[:2]
    kept = [item for item in model.items if item not in model.joints]
    for number, sides in SIDES.items():
        held = joints.get(frozenset((*sides, "ground")[:2]))
        place = at if held is None else held.pairs[0].a.position0()[:2]
        first, second = [fx.ground, *(of_name[name] for name in sides)][-2:]
        kept.append(fx.RevoluteJoint(first, second, at=place, name=number))
    return fx.Model(*kept, name="squeezer"), bodies


def _published() -> list[Measured]:
    """Both rows of the table, from the names of joints alone and from the model."""
    figures = load_reference("negrut").quantities
    source = load_reference("negrut").source
    graph = fx.constraint_forces.JointGraph.of(SIDES)
    model, _ = numbered_squeezer()
    quantities = []
    for name, order in ORDERS.items():
        alone = fx.constraint_forces.eliminate(graph, order.split())
        reduced = fx.constraint_forces.ReducedSystem(model, order=order.split()).elimination
        for found, where in ((alone, "from names"), (reduced, "from the model")):
            for k, what in enumerate(COUNTS):
                value = figures[f"{name} order (A,M,I,F)"]["value"][k]
                quantities.append(
                    measured(f"squeezer, {name} order, {where}: {what}", "-", getattr(found, what), value, source,
                             atol=0.5)
                )  # fmt: skip
    best = fx.constraint_forces.eliminate(graph, fx.constraint_forces.low_fill_order(graph))
    quantities += [
        measured("squeezer: blocks of E", "-", best.nonzeros, 21, "10 joints and 11 pairs that share a body", atol=0.5),
        measured("squeezer, order of least fill: fill", "-", best.fill, 0, "the good order of the paper", atol=0.5),
        measured("squeezer, order of least fill: multiplications", "-", best.multiplications, 35,
                 "the good order of the paper", atol=0.5),
    ]  # fmt: skip
    return quantities


def _counts() -> tuple[list[Measured], list[tuple[int, ...]]]:
    """Chains and stars of any size."""
    quantities: list[Measured] = []
    growth: list[tuple[int, ...]] = []
    n = 200
    graph = fx.constraint_forces.JointGraph.of({f"{i}": (i,) if i == 0 else (i - 1, i) for i in range(n)})
    chain = fx.constraint_forces.eliminate(graph, fx.constraint_forces.low_fill_order(graph))
    quantities += [
        measured(f"chain of {n}: multiplications", "-", chain.multiplications, 3 * (n - 1), CLOSED_FORM, atol=0.5),
        measured(f"chain of {n}: fill", "-", chain.fill, 0, CLOSED_FORM, atol=0.5),
    ]
    for k in (4, 8, 16, 32, 64):
        whole = fx.constraint_forces.JointGraph.of({f"{i}": ("hub", i) for i in range(k)})
        split = whole.split(4)[0]
        counts = [
            fx.constraint_forces.eliminate(g, fx.constraint_forces.low_fill_order(g)).multiplications
            for g in (whole, split)
        ]
        growth.append((k, *counts))
        quantities.append(
            measured(f"star of {k}: multiplications", "-", counts[0], k * (k * k - 1) / 6 + k * (k - 1), CLOSED_FORM,
                     atol=0.5)
        )  # fmt: skip
    steps = np.diff(np.array(growth)[:, 2]) / np.diff(np.array(growth)[:, 0])
    quantities.append(
        measured("stars split to 4 joints: multiplications for each more joint, largest by smallest beyond 8", "-",
                 steps[1:].max() / steps[1:].min(), 1.0, "linear growth", atol=0.02)
    )  # fmt: skip
    return quantities, growth


def hanging(n: int) -> fx.Model:
    """A chain that hangs straight down."""
    rods = [fx.PlanarRigidBody.rod((0, -i), (0, -i - 1), mass=2.0, name=f"rod {i}") for i in range(n)]
    pins = [
        fx.RevoluteJoint(a, b, at=(0, -i), name=f"pin {i}")
        for i, (a, b) in enumerate(zip((fx.ground, *rods[:-1]), rods, strict=True))
    ]
    return fx.Model(*rods, *pins, fx.Gravity((0.0, -G)), name="chain")


def _forces() -> list[Measured]:
    """A chain that hangs, and the accelerations of the squeezer at the start."""
    n = 50
    chain = fx.constraint_forces.ReducedSystem(hanging(n)).solve()
    weights = 2.0 * G * np.arange(n, 0, -1)
    quantities = [
        measured(f"hanging chain of {n}: largest error of a force", "N",
                 float(np.abs(np.abs(chain.lam.reshape(n, 2)[:, 1]) - weights).max()), 0.0, "weight below", atol=1e-9),
        measured(f"hanging chain of {n}: largest acceleration", "m/s^2", float(np.abs(chain.a).max()), 0.0, "at rest",
                 atol=1e-10),
    ]  # fmt: skip
    model, bodies = numbered_squeezer()
    reduced = fx.constraint_forces.ReducedSystem(model)
    found = reduced.solve()
    data = Squeezer()
    exact = ANGLES @ data.linkage.acceleration(np.array(data.start), np.zeros(7))
    system = fx.compile_model(model)
    places = [system.coordinates.place(body)[1] + 2 for body in bodies]
    quantities.append(
        measured("squeezer at the start: largest error of an angular acceleration, by the largest", "-",
                 float(np.abs(found.a[places] - exact).max() / np.abs(exact).max()), 0.0, "minimal coordinates",
                 atol=1e-9)
    )  # fmt: skip
    run = fx.simulate(model, until=0.002, step=1e-4, progress=False)
    direct = fx.constraint_forces.ReducedSystem(model).solve(run.q[-1], run.v[-1], float(run.t[-1]))
    iterated = reduced.solve_iteratively(run.q[-1], run.v[-1], float(run.t[-1]), tolerance=1e-13)
    quantities += [
        measured("squeezer 2 ms later, factors of the start: iterations up to 1e-13", "-",
        iterations_over(iterated.iterations, 20),
                 0.0, "at most the number of equations", atol=0.5),
        measured("squeezer 2 ms later: largest difference of multipliers, iterated and direct, by the largest", "-",
                 float(np.abs(iterated.lam - direct.lam).max() / np.abs(direct.lam).max()), 0.0, "direct solution",
                 atol=1e-9),
    ]  # fmt: skip
    return quantities


def iterations_over(count: int, most: int) -> float:
    """By how many iterations a limit is passed."""
    return float(max(0, count - most))


def _split() -> list[Measured]:
    """A hub with twelve arms that spin, whole and split."""
    hub = fx.RigidBody.box(size=(1, 1, 1), mass=5.0, name="hub")
    arms, pins = [], []
    for i in range(12):
        u: FloatArray = np.array([np.cos(np.pi * i / 6), np.sin(np.pi * i / 6), 0.0])
        arms.append(fx.RigidBody.box(size=(0.5, 0.1, 0.1), mass=1.0 + 0.1 * i, position=u, name=f"arm {i}"))
        pins.append(fx.RevoluteJoint(hub, arms[-1], at=0.7 * u, axis=(-u[1], u[0], 0), name=f"pin {i}"))
    spring = fx.SpringDamper(fx.ground.marker((0, 1, 3)), hub.centre, stiffness=100.0, free_length=2.0, name="spring")
    model = fx.Model(hub, *arms, *pins, spring, fx.Gravity((0, 0, -G)))
    whole = fx.constraint_forces.ReducedSystem(model).solve()
    quantities = []
    for most in (3, 4, 6):
        reduced = fx.constraint_forces.ReducedSystem(model, split=most)
        parts = reduced.solve()
        error = float(np.abs(parts.lam - whole.lam).max() / np.abs(whole.lam).max())
        quantities += [
            measured(f"hub with 12 arms split to {most} joints: largest difference of multipliers, by the largest", "-",
                     error, 0.0, "hub that is not split", atol=1e-11),
            measured(f"hub with 12 arms split to {most} joints: fill", "-", reduced.elimination.fill, 0, CLOSED_FORM,
                     atol=0.5),
        ]  # fmt: skip
    momentum = sum(body.mass * whole.a[6 * k : 6 * k + 3] for k, body in enumerate([hub, *arms]))
    pull = spring_force(np.array([0.0, 1.0, 3.0])) + np.array([0.0, 0.0, -G]) * (5.0 + sum(arm.mass for arm in arms))
    quantities.append(
        measured("hub with 12 arms: largest error of mass times acceleration", "N", float(np.abs(momentum -
        pull).max()),
                 0.0, "momentum of all bodies", atol=1e-9)
    )  # fmt: skip
    return quantities


def spring_force(place: FloatArray) -> FloatArray:
    """On the hub at the origin."""
    length = float(np.linalg.norm(place))
    return np.asarray(100.0 * (length - 2.0) * place / length)


def run(progress: Progress) -> Outcome:
    """Counts, forces, iterations."""
    counts, growth = _counts()
    quantities = [*_published(), *counts, *_forces(), *_split()]
    drawing, axes = figure(5.6, 3.4)
    k, whole, split = np.array(growth).T
    axes.loglog(k, whole, "-o", color="#c8553d", label="hub with all joints")
    axes.loglog(k, split, "-o", color="#1f5fa8", label="split to four joints")
    axes.set_xticks(k, [str(x) for x in k])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("joints on the hub")
    axes.set_ylabel("multiplications of blocks")
    axes.legend(frameon=False)
    return Outcome(quantities, (), (), [("Work of the elimination of a star.", drawing)])


CASE = Case(
    "constraint-forces",
    "Constraint forces by the topology of joints",
    "mechanisms",
    "The reduced system G M^-1 G^T has a block for every two joints that share a body. For Andrews' squeezing "
    "mechanism the "
    "counts of operations on blocks of a good and a bad order of elimination are compared with the published table, "
    "digit "
    "by digit, from the names of joints and from the model; chains and stars with their closed forms.\n\nForces "
    "follow for a "
    "hanging chain, for the squeezer at its start, and for a hub with twelve arms, whole and split into virtual "
    "bodies; "
    "conjugate gradients with the factors of an earlier state give the same.",
    run,
    "D. Negrut, On the issue of iterative linear algorithms for the multi-threaded simulation of mechanical systems "
    "represented in Cartesian coordinates, table 1.",
    (
        r"E\,\lambda = \gamma - G M^{-1} f, \quad E = G M^{-1} G^T",
        r"M = \sum_j \dfrac{d_j (d_j + 1)}{2} + 2 d_j, \quad I = \sum_j (d_j + 1), \quad A = M - F",
    ),
    (
        "The figure with the numbers of the joints is lost; they were found from the counts of fill, and those of "
        "the other "
        "operations then agree.",
        "The table of a vehicle in the same paper lacks its list of joints and cannot be repeated.",
    ),
)
