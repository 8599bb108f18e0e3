"""Two damped masses on springs: logarithmic norms of the linear model, and the bound that they are for a motion."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_continuous_lyapunov

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import energy_change, over_time

MASSES, STIFFNESS, DAMPING = (1.0, 2.0), (4.0, 9.0), (0.3, 0.15)
"""[kg], [N/m], [N s/m], from the wall on."""
START = (0.02, -0.05)
"""Velocities at the start [m/s]."""
UNTIL, STEP = 10.0, 2e-3
NORMS = {"euclidean": 2, "1": 1, "inf": np.inf}


def _model(start: tuple[float, float] = (0.0, 0.0)) -> fx.Model:
    bodies = [
        fx.PlanarRigidBody(m, 1.0, position=(i + 1.0, 0), velocity=(v, 0), name=f"mass {i}")
        for i, (m, v) in enumerate(zip(MASSES, start, strict=True))
    ]
    guides = [
        fx.PrismaticJoint(fx.ground, body, at=body.position, axis=(1, 0), name=f"guide of {body.name}")
        for body in bodies
    ]
    ends = [fx.ground.marker((0, 0)), *(body.centre for body in bodies)]
    springs = [
        fx.SpringDamper(ends[i], ends[i + 1], stiffness=k, damping=c, free_length=1.0, name=f"spring {i}")
        for i, (k, c) in enumerate(zip(STIFFNESS, DAMPING, strict=True))
    ]
    return fx.Model(*bodies, *guides, *springs, name="two masses")


def _by_hand() -> FloatArray:
    """x' = A x of displacements and velocities."""

    def chain(a: float, b: float) -> FloatArray:
        return np.array([[a + b, -b], [-b, b]])

    inverse = np.diag(1.0 / np.array(MASSES))
    return np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ chain(*STIFFNESS), -inverse @ chain(*DAMPING)]])


def _limit(A: FloatArray, norm: float, h: float) -> float:
    """(|1 + h A| - 1)/h, whose limit is the logarithmic norm: extrapolated once, which leaves an error of h^2."""

    def quotient(h: float) -> float:
        return float((np.linalg.norm(np.eye(len(A)) + h * A, norm) - 1.0) / h)

    return 2.0 * quotient(h / 2) - quotient(h)


def run(progress: Progress) -> Outcome:
    """Norms against their definition as a limit; a motion against its bounds."""
    progress("linear model")
    linear, A = fx.linearise(_model()), _by_hand()
    quantities: list[Measured] = [
        measured("largest difference of A", "1/s^2", float(np.abs(linear.A - A).max()), 0.0, "by hand", 1e-15,
                 atol=1e-12),
    ]  # fmt: skip
    orders: list[ConvergenceStudy] = []
    for name, norm in NORMS.items():
        value = linear.logarithmic_norm(name)
        quantities.append(
            measured(f"logarithmic norm, {name}", "1/s", value, _limit(A, norm, 1e-5), "definition as a limit", 1e-6,
                     rtol=1e-6)
        )  # fmt: skip
        if name == "euclidean":
            sizes = [1e-2, 5e-3, 2.5e-3, 1.25e-3]
            gaps = [abs(float((np.linalg.norm(np.eye(4) + h * A, 2) - 1.0) / h) - value) for h in sizes]
            orders.append(ConvergenceStudy("Definition as a limit", sizes, gaps, 1.0, 0.9, label="h in s"))
    energy = linear.logarithmic_norm("energy")
    quantities.append(
        measured("logarithmic norm of the energy", "1/s", energy, 0.0, "springs keep what dampers do not take",
                 atol=1e-12)
    )  # fmt: skip
    metric = solve_continuous_lyapunov(A.T, -np.eye(4))  # P A + A^T P = -1
    decay = linear.logarithmic_norm(metric)
    quantities.append(
        measured("logarithmic norm with P A + A' P = -1", "1/s", decay, -0.5 / float(np.linalg.eigvalsh(metric)[-1]),
                 "-1 over twice the largest eigenvalue of P", 1e-12, rtol=1e-9)
    )  # fmt: skip
    progress("a motion")
    motion = fx.simulate(_model(START), UNTIL, step=STEP, progress=False)
    bodies = motion.model.rigid_bodies
    places = np.column_stack([motion.position(body)[:, 0] - body.position[0] for body in bodies])
    state = np.hstack([places, np.column_stack([motion.velocity(body)[:, 0] for body in bodies])])
    size = np.sqrt(np.einsum("ti,ij,tj->t", state, metric, state))
    bound = size[0] * np.exp(decay * motion.t)
    whole = motion.energy.total / motion.energy.total[0]
    slowest = float(linear.poles.real.max())
    quantities += [
        measured("largest of |x|_P over its bound, less 1", "-", max(0.0, float((size / bound).max()) - 1.0), 0.0,
                 "no motion passes it", atol=1e-9),
        measured("largest growth of the energy in a step, over the first", "-", max(0.0, float(np.diff(whole).max())),
                 0.0, "no motion passes it", atol=1e-9),
        measured("slowest pole less the norm", "1/s", max(0.0, slowest - decay), 0.0, "a norm is no less than any pole",
                 atol=1e-12),
        energy_change(motion, float(motion.energy.total[0]), 1e-5),
    ]  # fmt: skip
    curves = [("|x| in the norm of P", motion.t, size / size[0]), ("its bound", motion.t, bound / size[0]),
              ("root of the energy", motion.t, np.sqrt(np.maximum(whole, 0.0)))]  # fmt: skip
    drawing = over_time(curves, "over the first value")
    remark = (
        f"In the Euclidean norm the bound grows with exp({linear.logarithmic_norm('euclidean'):.3g} t), although every "
        f"motion dies out with exp({slowest:.3g} t): what a norm tells of stability is a matter of its metric."
    )
    return Outcome(quantities, orders, [], [("A motion and its bound.", drawing)], [remark])


CASE = Case(
    id="logarithmic-norm",
    title="Logarithmic norms of two damped masses, and the bounds they are",
    area="modes",
    summary=(
        "Two masses on springs and dampers in a row. Logarithmic norms of the linear model against their definition "
        "as a limit; in that of the energy it is zero, in that of a Lyapunov equation it is negative, and "
        "the motion from two velocities stays below the bound."
    ),
    run=run,
    source="I. V. Boikov, A. I. Boikova: stability by logarithmic norms. The paper has theorems only; own numbers.",
    equations=(r"\mu(A) = \lim_{h\to 0}\frac{|1 + hA| - 1}{h},\qquad |x(t)| \leq e^{\mu t}\,|x(0)|",),
)
