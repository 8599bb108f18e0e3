"""One plane mechanism as a chain of joints, as bodies and as particles: counts, motion, reactions."""

from __future__ import annotations

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import (
    extrapolated,
    joint_matrix,
    orders,
    over_time,
    worst,
)
from flexmbs.verification.reference.five_bodies import FiveBodies, Joints, crank_angle

DATA, SAMPLE, SPEED, UNTIL = FiveBodies(), 80, 8.0, 0.6
STEPS = (4e-3, 2e-3, 1e-3)
PAPER = "Talaba, counts for his sample mechanism"
SHARED = (("B", 0, 1), ("C", 1, 2), ("E", 2, 3), ("F", 3, 4))
"""Points where two bodies meet."""
RIGID = (
    (0, "A", "B"), (1, "B", "C"), (2, "D", "C"), (2, "D", "E"), (2, "C", "E"), (3, "E", "F"), (4, "F", "G"),
    (4, "F", "H"), (4, "G", "H"),
)  # fmt: skip
"""Distances within the bodies."""

Observed = tuple[fx.Model, dict[str, fx.Marker], tuple[object, object]]
"""A model, the markers of points, and the joints on the ground at A and at D."""


def _vector(z: complex) -> tuple[float, float]:
    return z.real, z.imag


def bodies(sample: int = SAMPLE) -> Observed:
    """Five plane bodies, six hinges and a slide: 15 coordinates, 14 equations."""
    _, z, slopes = DATA.start(sample)
    made = []
    for i, group in enumerate(DATA.particles):
        mass, centre, inertia = DATA.body(i, z)
        velocity = sum((m * SPEED * slopes[name] for name, m in group), 0j) / mass
        a, b = group[0][0], group[1][0]
        turn = ((slopes[b] - slopes[a]) / (z[b] - z[a])).imag * SPEED
        made.append(
            fx.PlanarRigidBody(mass, inertia, position=_vector(centre), velocity=_vector(velocity),
                               angular_velocity=turn, name=f"body {i + 1}")
        )  # fmt: skip
    grounded = (
        fx.RevoluteJoint(fx.ground, made[0], at=_vector(z["A"]), name="A"),
        fx.RevoluteJoint(fx.ground, made[2], at=_vector(z["D"]), name="D"),
    )
    hinges = [fx.RevoluteJoint(made[i], made[k], at=_vector(z[name]), name=name) for name, i, k in SHARED]
    slide = fx.PrismaticJoint(fx.ground, made[4], at=_vector(z["F"]), axis=(1, 0), name="slide")
    model = fx.Model(*made, *grounded, *hinges, slide, fx.Gravity((0.0, -DATA.gravity)))
    return model, {name: made[i].marker_at(_vector(z[name])) for name, i, _ in SHARED}, grounded


def particles(sample: int = SAMPLE) -> Observed:
    """Twelve point masses, nine distances, six coincidences, two heights: 24 coordinates, 23 equations."""
    _, z, slopes = DATA.start(sample)
    made = {
        (i, name): fx.PointMass(
            m, position=_vector(z[name]), velocity=_vector(SPEED * slopes[name]), name=f"{name}{i + 1}"
        )
        for i, group in enumerate(DATA.particles)
        for name, m in group
    }
    grounded = (
        fx.SphericalJoint(fx.ground, made[0, "A"], at=_vector(z["A"]), name="A"),
        fx.SphericalJoint(fx.ground, made[2, "D"], at=_vector(z["D"]), name="D"),
    )
    meeting = [fx.SphericalJoint(made[i, n], made[k, n], at=_vector(z[n]), name=n) for n, i, k in SHARED]
    rods = [
        fx.DistanceConstraint(made[i, a].centre, made[i, b].centre, name=f"{a}{b} of body {i + 1}") for i, a, b in RIGID
    ]
    rail = [fx.CoordinateJoint(made[4, name], "y", name=f"height of {name}") for name in "GH"]
    model = fx.Model(*made.values(), *grounded, *meeting, *rods, *rail, fx.Gravity((0.0, -DATA.gravity)))
    return model, {name: made[i, name].centre for name, i, _ in SHARED}, grounded


def _points(run: fx.TimeSolution, at: dict[str, fx.Marker]) -> FloatArray:
    """Positions of B, C, E, F (n_t, 8)."""
    return np.column_stack([run.position(at[name])[:, :2] for name, *_ in SHARED])


def run(progress: Progress) -> Outcome:
    """Three quarters of a turn of the crank."""
    start = DATA.start(SAMPLE)[0]
    chain = Joints(DATA, SAMPLE)
    crank = DATA.one_degree()
    t: FloatArray = STEPS[0] * np.arange(round(UNTIL / STEPS[0]) + 1, dtype=np.float64)
    progress("reference in the angle of the crank")
    angle = crank.motion(start, SPEED, t)[:, 0]
    z = DATA.points(angle)
    exact = np.column_stack([part for name, *_ in SHARED for part in (z[name].real, z[name].imag)])
    progress("chain of joints")
    states, forces = chain.run(SPEED, t)
    quantities = [
        measured("chain of joints: largest error of the angle of the crank", "rad",
                 np.abs(states[:, 0] + start - angle).max(), 0.0, "energy in the angle of the crank", 1e-10, atol=1e-8)
    ]  # fmt: skip
    studies, better, drawn = [], {}, []
    for word, make in (("bodies", bodies), ("particles", particles)):
        model, at, grounded = make()
        system, found, pulls = fx.compile_model(model), [], []
        gains = []
        for step in STEPS:
            progress(f"{word}, step {step:g} s")
            run_ = fx.simulate(system, UNTIL, step=step)
            every = round(STEPS[0] / step)
            found.append(_points(run_, at)[::every])
            gains.append(float(np.abs(run_.energy.balance).max()))
            pulls.append(np.column_stack([run_.reaction(joint)[::every, :2] for joint in grounded]))
        better[word] = extrapolated(found[-2], found[-1])
        held = np.column_stack([forces[:, 0:2], forces[:, 6:8]])
        late = t >= UNTIL / 2.0
        studies += [
            orders(f"{word}: positions of B, C, E, F", STEPS, [worst(p, exact) for p in found]),
            orders(f"{word}: reactions at A, D, second half", STEPS, [worst(p[late], held[late]) for p in pulls]),
            orders(f"{word}: energy balance", STEPS, gains),
        ]
        quantities += [
            measured(f"{word}, extrapolated to step 0: largest error of B, C, E, F", "m", worst(better[word], exact),
                     0.0, "energy in the angle of the crank", 1e-10, atol=2e-6),
            measured(f"{word}, extrapolated: largest error of the reactions at A and D, by the largest", "-",
                     worst(extrapolated(pulls[-2], pulls[-1])[late], held[late]) / np.abs(held).max(), 0.0,
                     "chain of joints", 1e-8, atol=1e-4),
        ]  # fmt: skip
        drawn.append((f"{word}: angle of the crank", run_.t, crank_angle(run_.position(at["B"])[:, :2])))
    apart = worst(better["bodies"], better["particles"])
    quantities.append(measured("bodies and particles, extrapolated: largest difference", "m", apart, 0.0, "each other",
                               atol=2e-6))  # fmt: skip
    counted, table = _counts(chain, states)
    quantities += counted
    drawing = over_time(drawn, "rad", [(t[::10], angle[::10])])
    return Outcome(quantities, studies, [table], [("Angle of the crank; dots: from the energy.", drawing)])


def _counts(chain: Joints, states: FloatArray) -> tuple[list[Measured], Table]:
    """Coordinates, equations, ranks and mobility of all three, against the numbers of the paper."""
    quantities: list[Measured] = []
    ranks = [int(np.linalg.matrix_rank(chain.matrix(y[:7], y[7:])[0], 1e-9)) for y in states[::50]]
    closures = chain.matrix(states[0, :7], states[0, 7:])[0][:6, :7]
    rows: list[list[str | float]] = [["chain of joints", 7, 6 + 15, min(ranks), "6 closures + 15 Newton-Euler", 21]]
    found = [
        ("chain: relative coordinates", closures.shape[1], 7), ("chain: closures of two loops", closures.shape[0], 6),
        ("chain: mobility, coordinates minus rank of the closures", 7 - np.linalg.matrix_rank(closures, 1e-9), 1),
        ("chain: unknowns, 7 accelerations and 14 reactions", len(chain.matrix(states[0, :7], states[0, 7:])[1]), 21),
        ("chain: least rank on the way", min(ranks), 21),
    ]  # fmt: skip
    for word, make, n_v, n_c in (("bodies", bodies, 15, 14), ("particles", particles, 24, 23)):
        matrices = [joint_matrix(make(sample)[0])[0] for sample in (0, 100, 200, 300, 400)]
        rank = min(int(np.linalg.matrix_rank(G, 1e-9)) for G in matrices)
        shape = matrices[0].shape
        found += [
            (f"{word}: coordinates", shape[1], n_v), (f"{word}: equations of constraint", shape[0], n_c),
            (f"{word}: least rank at five positions", rank, n_c), (f"{word}: mobility", shape[1] - rank, 1),
            (f"{word}: unknowns, coordinates and multipliers", sum(shape), n_v + n_c),
        ]  # fmt: skip
        rows.append([word, shape[1], shape[0], rank, "G at five positions", sum(shape)])
    for label, value, expected in found:
        quantities.append(measured(label, "-", value, expected, PAPER, atol=0.5))
    header = ("formulation", "coordinates", "equations", "rank", "of", "unknowns")
    return quantities, Table("The same mechanism three times", header, rows)


CASE = Case(
    id="three-formulations",
    title="One mechanism as a chain of joints, as bodies and as particles",
    area="mechanisms",
    summary=(
        "Talaba's plane mechanism: a crank, a coupler, a triangle, a rod and a slider, five bodies and seven joints "
        "of one degree of freedom. As a chain with its loops cut it has 21 unknowns, as bodies 29, as particles 47: "
        "twelve point masses, nine distances, and points that coincide.\n\n"
        "Lengths, masses and the drive of the paper are lost; those here are chosen, and the crank runs free under "
        "gravity. Two masses in a bar and three in a plate do not make any inertia one likes, which the paper passes "
        "over: here the masses are chosen first, and the bodies get the inertia that follows, so that all three are "
        "the same mechanism exactly."
    ),
    run=run,
    source=(
        "D. Talaba, A particle model for mechanical systems simulation: a model based overview of multibody systems "
        "formulations; energy in the angle of the crank, and the chain of joints, by DOP853."
    ),
    equations=(
        r"M = \sum f_i - 3 k = 7 - 6, \quad M = 3 \cdot 5 - 2 \cdot 7, \quad M = 2 \cdot 12 - 23",
        r"J = \sum m_i |z_i - z_c|^2",
    ),
    limits=(
        "The chain of joints is solved by the reference code of this case. The trees of flexmbs cut a loop within a "
        "joint, whose own coordinates then are not counted (`tree-closures`): fewer unknowns than the 21 of the paper.",
    ),
    basic=True,
)
