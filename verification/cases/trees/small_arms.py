"""Two arms of three joints in closed form: a drilling arm, and an arm with a chosen impedance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import flexmbs as fx
from flexmbs import trees
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured

# --- hinge, slide, hinge on one axis ---------------------------------------------------------------------------------

I_1, I_2, I_3, M_2, M_3 = 0.02, 0.011, 0.0007, 1.4, 0.35
CONFIGURATIONS = ((0.7854, 0.095, 0.8727), (0.0, 0.005, 0.7854))
"""As printed: rad, m, rad."""


def drilling_arm() -> trees.TreeDynamics:
    """Everything turns about and slides along z; the drill is the last link."""
    z = (0, 0, 1)
    base = trees.Link("column", 3.0, (0.3, 0.3, I_1), joint=trees.Revolute(z))
    slide = trees.Link("slide", M_2, (0.03, 0.03, I_2), parent="column", joint=trees.Prismatic(z), at=(0, 0, 0.2))
    drill = trees.Link("drill", M_3, (0.001, 0.001, I_3), parent="slide", joint=trees.Revolute(z), at=(0, 0, 0.1))
    return trees.TreeDynamics(trees.Tree(base, slide, drill))


def run_drilling(progress: Progress) -> Outcome:
    """Mass matrix, accelerations, sensitivity to errors of the joints."""
    progress("drilling arm")
    arm = drilling_arm()
    exact = np.array([[I_1 + I_2 + I_3, 0, I_3], [0, M_2 + M_3, 0], [I_3, 0, I_3]])
    T_6, T_7, T_11, F = 0.03, 0.4, -0.11, 25.0
    quantities = []
    for i, q in enumerate(CONFIGURATIONS):
        where = f"configuration {i + 1}: "
        v = np.array([0.7, -0.2, 30.0])
        a = arm.forward(q, v, [T_7 + T_6, F, T_11 + T_6])
        first = (T_7 - T_11) / (I_1 + I_2)
        by_hand = np.array([first, F / (M_2 + M_3), (T_11 + T_6) / I_3 - first])
        J = arm.jacobian(q, "drill")
        # the tool's own x axis: d(R e_x) = dtheta x R e_x; its y component is the sine of the angle of the drill
        R = np.array(arm.poses(q)[1][arm.tree.index("drill")])
        L = np.cross(J[3:].T, R[:, 0])[:, 1]
        B_p, B_r = J[:3].T @ J[:3], np.outer(L, L)
        printed = 2.0 * np.cos(q[0] + q[2]) ** 2
        quantities += [
            measured(where + "largest error of the mass matrix", "kg m^2", np.abs(arm.mass(q) - exact).max(), 0.0,
                     "closed form", atol=1e-14),
            measured(where + "largest error of the accelerations, by their size", "-",
                     np.abs(a / by_hand - 1.0).max(), 0.0, "closed form", atol=1e-12),
            measured(where + "largest error of B_p = diag(0, 1, 0)", "-",
                     np.abs(B_p - np.diag([0.0, 1.0, 0.0])).max(), 0.0, "as printed", atol=1e-14),
            measured(where + "lambda_r of the direction cosine of the drill", "-", np.linalg.eigvalsh(B_r)[-1], printed,
                     "2 cos^2(q1 + q3), as printed", rtol=1e-12),
            measured(where + "largest eigenvalue for the turn itself", "-",
                     np.linalg.eigvalsh(J[3:].T @ J[3:])[-1], 2.0, "parallel axes", rtol=1e-12),
        ]  # fmt: skip
    quantities.append(
        measured("lambda_r printed as nearly zero", "-", 2.0 * np.cos(np.sum(np.delete(CONFIGURATIONS[0], 1))) ** 2,
                 0.015205, "value of the formula to five digits", 5e-7, atol=2e-6)
    )  # fmt: skip
    drawing, axes = figure()
    turn = np.linspace(0.0, np.pi, 100)
    axes.plot(np.degrees(turn), 2 * np.cos(turn) ** 2, color=COLOURS[0], label="direction cosine")
    axes.axhline(2.0, color=COLOURS[1], label="the turn itself")
    axes.set_xlabel("q1 + q3 in degrees")
    axes.set_ylabel("largest eigenvalue of the sensitivity")
    axes.legend(frameon=False)
    return Outcome(quantities, (), (), [("Sensitivity of the drill to errors of its two hinges.", drawing)])


DRILLING = Case(
    id="drilling-arm",
    title="Drilling arm: hinge, slide and hinge on one axis",
    area="trees",
    summary=(
        "An arm for drilling bone turns, slides and turns again about one axis. Its mass matrix and accelerations have "
        "closed forms, and so has what errors of the joints do to the drill. The printed sensitivity 2 cos^2(q1 + q3) "
        "is that of the direction cosine of the drill, as this case shows; that of the turn itself is 2 everywhere."
    ),
    run=run_drilling,
    source="G. V. Boiadjiev, D. B. Vassileva (dynamic sensibility of mechatronic systems with redundancy).",
    limits=("Masses and inertias are chosen: the paper prints none.",),
)

# --- hinge, slide, slide: directions without effect; a joint with two drives -----------------------------------------

OFFSET, REACH = 0.25, 0.15


def impedance_arm() -> trees.TreeDynamics:
    """A hinge about -z, then slides along x and y; h1 + p3 lies between the second slide and the tool."""
    arm = trees.Link("arm", 2.0, (0.1, 0.1, 0.1), joint=trees.Revolute((0, 0, -1)))
    along = trees.Link("along", 1.0, (0.1, 0.1, 0.1), parent="arm", joint=trees.Prismatic((1, 0, 0)))
    across = trees.Link(
        "across", 1.0, (0.1, 0.1, 0.1), parent="along", joint=trees.Prismatic((0, 1, 0)), at=(0, OFFSET, 0)
    )
    return trees.TreeDynamics(trees.Tree(arm, along, across))


LOAD, ROTOR, DAMPING, QUADRATIC, STEP = 0.08, 0.02, 0.15, 4.0, 0.5


def antagonistic(preload: float) -> fx.Model:
    """A joint between two springs of force k e^2 that pull against each other with the elongation ``preload``."""
    load = fx.PlanarRigidBody(1.0, LOAD, name="load")
    rotor = fx.PlanarRigidBody(0.1, ROTOR, name="rotor")
    hinge = fx.RevoluteJoint(fx.ground, load, at=(0, 0), name="hinge")

    def pull(sign: float) -> Callable[[float, float, float], float]:
        def force(angle: float, rate: float, t: float) -> float:
            e = preload - sign * angle
            return sign * QUADRATIC * e * abs(e) - 0.5 * DAMPING * rate

        return force

    pulls = [
        fx.JointForce(hinge, pull(1.0), name="drive forwards"),
        fx.JointForce(hinge, pull(-1.0), name="drive backwards"),
    ]
    return fx.Model(
        load, rotor, hinge, *pulls, fx.FixedJoint(load, rotor, name="gear"),
        fx.JointForce(hinge, STEP, name="touch"), name="antagonistic drive",
    )  # fmt: skip


def step_response(t: FloatArray, preload: float) -> FloatArray:
    """(J_S + J) phi'' + B phi' + 4 k e0 phi = T_e from rest."""
    J, K = LOAD + ROTOR, 4.0 * QUADRATIC * preload
    decay = DAMPING / (2.0 * J)
    omega = np.sqrt(K / J - decay**2)
    return np.asarray(STEP / K * (1.0 - np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))))


def run_impedance(progress: Progress) -> Outcome:
    """Eigenvalues of J^T J and their vectors, and the step of a joint with two drives."""
    progress("eigenvalues")
    arm = impedance_arm()
    quantities = []
    for q in ((0.4, 0.3, 0.1), (-1.1, 0.7, -0.2)):
        b, x = OFFSET + REACH + q[2], q[1]
        J = arm.jacobian(q, "across", (0.0, REACH, 0.0))[:2]
        product = J.T @ J
        where = f"q2 = {x:g} m, q3 = {q[2]:g} m: "
        for k, value in enumerate((0.0, 1.0, 1.0 + x**2 + b**2)):
            found = np.linalg.eigvalsh(product)[k]
            quantities.append(measured(f"{where}eigenvalue {k + 1}", "-", found, value, "as printed", atol=1e-14 * 50))
        vectors = np.array([(1 / x, -b / x, 1), (0, x / b, 1), (-(b**2 + x**2) / x, -b / x, 1)])
        for k, (vector, value) in enumerate(zip(vectors, (0.0, 1.0, 1.0 + x**2 + b**2), strict=True)):
            gap = np.abs(product @ vector - value * vector).max() / np.abs(vector).max()
            quantities.append(measured(f"{where}residual of vector {k + 1}", "-", gap, 0.0, "as printed", atol=1e-13))
    drawing, axes = figure()
    for colour, preload in zip(COLOURS, (0.5, 1.0, 2.0), strict=False):
        progress(f"preload {preload:g}")
        run = fx.simulate(antagonistic(preload), 2.0, step=2e-3)
        angle = run.angle("hinge")
        gap = np.abs(angle - step_response(run.t, preload)).max()
        scale = STEP / (4.0 * QUADRATIC * preload)
        omega = np.sqrt(4.0 * QUADRATIC * preload / (LOAD + ROTOR))
        quantities.append(
            measured(f"preload {preload:g} rad: largest error of the step response, by its final value", "-",
                     gap / scale, 0.0, "closed form", atol=(omega * 2e-3) ** 2)
        )  # fmt: skip
        axes.plot(run.t, angle, color=colour, label=f"preload {preload:g} rad")
        axes.plot(run.t[::20], step_response(run.t[::20], preload), "k.", markersize=3)
    axes.set_xlabel("t in s")
    axes.set_ylabel("angle in rad")
    axes.legend(frameon=False)
    return Outcome(quantities, (), (), [("A torque of 0.5 N m is put on; dots: closed form.", drawing)])


IMPEDANCE = Case(
    id="impedance-control",
    title="Impedance: directions without effect, and two drives against each other",
    area="trees",
    summary=(
        "A hinge and two slides move a point in the plane, so one motion of the joints has no effect. Eigenvalues and "
        "vectors of J^T J are those printed.\n\nTwo drives that pull at one joint over springs of quadratic "
        "characteristic make it exactly linear, with a stiffness set by their preload; the inertias of load and rotor "
        "count once each."
    ),
    run=run_impedance,
    source="K. G. Kostadinov, G. V. Boiadjiev (impedance control); step response in closed form.",
    equations=(
        r"\lambda = 0,\; 1,\; 1 + q_2^2 + (h_1 + p_3 + q_3)^2",
        r"(J_\Sigma + J)\,\ddot\varphi + B\,\dot\varphi + 4 k e_0\,\varphi = T_e",
    ),
    limits=(
        "Lengths, inertias and springs are chosen: the paper prints none.",
        "The arm of three hinges, whose sensitivity is printed to first order, is left out: its frames are not given.",
    ),
)
