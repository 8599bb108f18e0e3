"""A wheel on a slope that cannot slip: constraints on velocities that are none on positions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.kernels.rows.rows import HEIGHT, ORTHOGONAL, SLIP
from flexmbs.model.bodies.marker import Marker
from flexmbs.model.joints.contracts import Equation, Pair, Row
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import CONSERVED, G, joint_matrix, on_paths, orders, worst

SLOPE, YAW, MASS, RADIUS, AXIAL = 0.2, 3.0, 2.0, 0.25, 0.04
PULL = G * math.sin(SLOPE) / (1.0 + AXIAL / (MASS * RADIUS**2))
STEPS = (2e-2, 1e-2, 5e-3)


@dataclass(frozen=True, eq=False)
class UprightWheel:
    """A disk that stands upright on the plane z = 0 of a and rolls without slip (2 positions, 2 velocities)."""

    a: Marker
    b: Marker
    radius: float
    name: str = "wheel"
    pairs: tuple[Pair, ...] = field(init=False)
    equations: tuple[Equation, ...] = (
        Equation("height"), Equation("upright"), Equation("slip along x", level=1), Equation("slip along y", level=1),
    )  # fmt: skip

    def __post_init__(self) -> None:
        x, y, z = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        slips = (Row(SLIP, (*e, 0.0, 0.0, 0.0, self.radius), 2 + i) for i, e in enumerate((x, y)))
        rows = (Row(HEIGHT, (*z, 0.0, 0.0, 0.0, self.radius), 0), Row(ORTHOGONAL, (*z, *z), 1), *slips)
        object.__setattr__(self, "pairs", (Pair(self.a, self.b, rows),))


def _cycloid(t: FloatArray) -> FloatArray:
    """Centre (n_t, 2): down the slope and across."""
    phase, size = YAW * t, PULL / (2.0 * YAW**2)
    return size * np.column_stack([np.sin(phase) ** 2, phase - np.sin(2.0 * phase) / 2.0])


def run(progress: Progress) -> Outcome:
    """Two turns of a wheel that is let go while it spins about the normal of the slope."""
    turn = np.column_stack([(1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)])  # its axis along -y: it heads for x
    wheel = fx.RigidBody(MASS, (0.02, 0.02, AXIAL), position=(0.0, 0.0, RADIUS), rotation=turn,
                         angular_velocity=turn.T @ (0.0, 0.0, YAW), name="wheel")  # fmt: skip
    joint = UprightWheel(fx.ground.marker((0.0, 0.0, 0.0)), wheel.centre, RADIUS)
    model = fx.Model(wheel, joint, fx.Gravity((G * math.sin(SLOPE), 0.0, -G * math.cos(SLOPE))))
    until = 4.0 * math.pi / YAW
    system, errors, forces, slips = fx.compile_model(model), [], [], []
    for step in STEPS:
        progress(f"step {step:g} s")
        run_ = fx.simulate(system, until, step=step)
        t, phase = run_.t, YAW * run_.t
        errors.append(worst(run_.position(wheel)[:, :2], _cycloid(t)))
        speed = PULL / YAW * np.sin(phase)
        c, s = np.cos(phase), np.sin(phase)
        heading, left = np.column_stack([c, s]), np.column_stack([-s, c])
        held = MASS * (PULL * c[:, None] * heading + (speed * YAW)[:, None] * left)
        held[:, 0] -= MASS * G * math.sin(SLOPE)
        found = -run_.multipliers(joint)[:, 2:4]
        late = t >= until / 2.0
        forces.append(worst(found[late], held[late]))
        slips.append(float(np.abs((run_.velocity(wheel)[:, :2] * left).sum(axis=1)).max()))
    size = PULL / (2.0 * YAW**2)
    quantities = [
        measured("step 5 ms: largest error of the centre, by the depth", "-", errors[-1] / size, 0.0, "closed form",
                 atol=1e-3),
        measured("step 5 ms: lowest point after two turns, down the slope", "m", run_.position(wheel)[:, 0].max(), size,
                 "closed form", rtol=1e-3),
        measured("step 5 ms: way across the slope after two turns", "m", run_.position(wheel)[-1, 1],
                 4.0 * math.pi * size, "closed form", rtol=1e-3),
        measured("step 5 ms: largest velocity across the wheel", "m/s", slips[-1], 0.0, "no slip", atol=1e-3),
        measured("step 5 ms: largest change of the energy, by m g times the depth", "-",
                 np.abs(run_.energy.balance).max() / (MASS * G * math.sin(SLOPE) * size), 0.0, CONSERVED, atol=1e-3),
        measured("rank of the four equations", "-", np.linalg.matrix_rank(joint_matrix(model)[0], 1e-9), 4,
                 "count of equations", atol=0.5),
    ]  # fmt: skip
    studies = [
        orders("centre", STEPS, errors),
        orders("force at the contact in the second turn", STEPS, forces),
    ]
    path = run_.position(wheel)[:, 1::-1] * (1.0, -1.0)
    exact = _cycloid(np.linspace(0.0, until, 41))[:, ::-1] * (1.0, -1.0)
    drawing = on_paths([("centre of the wheel", path)], exact, ("across the slope in m", "up the slope in m"))
    return Outcome(quantities, studies, (), [("Path on the slope; dots: closed form.", drawing)])


CASE = Case(
    id="wheel-on-a-slope",
    title="Wheel on a slope: a cycloid across, not down",
    area="mechanisms",
    summary=(
        "An upright wheel is let go on a slope while it turns about the normal. It cannot slip sideways, and this is a "
        "condition on velocities that is no derivative of one on positions: the wheel can get anywhere. It goes across "
        "the slope on a cycloid and comes back to its height again and again. With no inertia about its axis it is the "
        "skate, or knife edge, of the textbooks.\n\n"
        "The joint is one of the case's own: two rows on positions (height, upright) and two on velocities (slip)."
    ),
    run=run,
    source="Closed form; Ju.I. Neimark and N.A. Fufaev, Dynamics of Nonholonomic Systems (skate on an inclined plane).",
    equations=(
        r"x = \dfrac{g'}{2\omega^2} \sin^2 \omega t, \quad "
        r"y = \dfrac{g'}{2\omega^2} \left(\omega t - \dfrac{1}{2} \sin 2\omega t\right), \quad "
        r"g' = \dfrac{g \sin\alpha}{1 + J/(m r^2)}",
    ),
    limits=(
        "The acceleration and the force at the start are smoothed by the scheme; forces are compared in the second "
        "turn.",
    ),
)
