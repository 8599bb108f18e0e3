"""A closed loop in space from a table of Denavit and Hartenberg: a tree whose last joint is cut."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs import trees
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.reference.rusr import LENGTHS, ball_frame, follow_loop

SOURCE = "products of 4 x 4 matrices, closed by least squares"
START, TURN = 0.3, 1.2


def loop(q: FloatArray) -> tuple[fx.Model, trees.Tree]:
    """The tree in a position in which it is closed, and the cut as a joint."""
    n = LENGTHS
    solid = {"mass": 1.0, "inertia": (0.01, 0.02, 0.02), "centre": (0.1, 0.05, 0.0)}
    ball = _ball(q)
    tree = trees.dh_tree(
        trees.DHRow("1", d=n["r_1"], start=q[0], **solid),  # type: ignore[arg-type]
        trees.DHRow("2", "universal", alpha=n["alpha_1"], a=n["d_1"], d_star=n["r_2_star"], alpha_star=0.5 * math.pi,
                    d=n["r_2"], start=q[1:3], **solid),  # type: ignore[arg-type]
        trees.DHRow("3", "spherical", a=n["d_2"], start=ball, **solid),  # type: ignore[arg-type]
        trees.DHRow("4", "fixed", a=n["d_3"]),
        trees.DHRow("5", alpha=n["alpha_01"], a=n["d_01"], d=n["r_5"], parent="base", start=q[6],
                    **solid),  # type: ignore[arg-type]
        convention="modified", name="loop",
    )  # fmt: skip
    cut = fx.FixedJoint(tree.link("4").marker((0, 0, 0)), tree.link("5").marker((0, 0, 0)), name="cut")
    return fx.Model(tree, cut, fx.Gravity((0.0, 0.0, -9.81)), name="hinge, universal joint, ball, hinge"), tree


def _ball(q: FloatArray) -> FloatArray:
    """Its rotation by Euler angles z, x, z."""
    a, b, c = q[3:6]
    (s, u, w), (f, g, h) = np.sin((a, b, c)), np.cos((a, b, c))
    return np.array([[f * h - s * g * w, -f * w - s * g * h, s * u],
                     [s * h + f * g * w, -s * w + f * g * h, -f * u],
                     [u * w, u * h, g]])  # fmt: skip


def run(progress: Progress) -> Outcome:
    """The crank turned there and back by a motion."""
    (begin,) = follow_loop([START])
    model, tree = loop(begin)
    turn = fx.motions.Constant(START) + fx.motions.Sine(TURN, frequency=0.25)
    motor = fx.RotationDriver(tree.joint("1"), turn, name="motor")
    driven = fx.kinematics.solve_kinematics(model.with_(motor), until=4.0, step=0.1)
    progress("driven")
    exact = follow_loop([turn.at(t)[0] for t in driven.t])
    places = np.array([ball_frame(q)[:3, 3] for q in exact])
    angles = {
        "crank": driven.angle(tree.joint("1")) - exact[:, 0],
        "universal joint, first angle": driven.coordinate(tree.joint("2"), "angle 1") - exact[:, 1],
        "universal joint, second angle": driven.coordinate(tree.joint("2"), "angle 2") - exact[:, 2],
        "hinge on the other side of the cut": driven.angle(tree.joint("5")) - exact[:, 6],
    }
    quantities: list[Measured] = [
        measured(f"{name}: largest error", "rad", float(np.abs(error).max()), 0.0, SOURCE, 1e-11, atol=1e-10)
        for name, error in angles.items()
    ]
    found = driven.position(tree.link("3").marker((0, 0, 0)))
    quantities += [
        measured("place of the ball: largest error", "m", float(np.abs(found - places).max()), 0.0, SOURCE, 1e-11,
                 atol=1e-10),
        measured("equations that follow from others", "-", len(driven.redundant), 0.0, "seven freedoms less six",
                 atol=0.5),
    ]  # fmt: skip
    drawing, axes = figure()
    order = np.argsort(exact[:, 0])
    for k, label, colour in ((1, "universal joint 1", COLOURS[0]), (2, "universal joint 2", COLOURS[1]),
                             (6, "last hinge", COLOURS[2])):  # fmt: skip
        axes.plot(exact[order, 0], exact[order, k], color=colour, linewidth=1.2, label=label)
    for joint, label, colour in (
        ("2", "angle 1", COLOURS[0]),
        ("2", "angle 2", COLOURS[1]),
        ("5", "angle", COLOURS[2]),
    ):
        axes.plot(driven.angle(tree.joint("1")), driven.coordinate(tree.joint(joint), label), ".", color=colour)
    axes.set_xlabel("angle of the crank [rad]")
    axes.set_ylabel("angle [rad]")
    axes.legend(frameon=False)
    return Outcome(quantities, (), (), [("Angles over that of the crank; lines: products of matrices.", drawing)])


CASE = Case(
    "bernier-loop",
    "A loop from a table: hinge, universal joint, ball, hinge",
    "mechanisms",
    "The closed loop of Bernier, Dequidt and Valdes from its table of Denavit and Hartenberg, with lengths of our own. "
    "The tree has seven velocities; its last hinge is on a branch of its own, and a rigid joint closes the cut: six "
    "equations, so that one freedom is left, which a motor drives.",
    run,
    "The frames at the cut as products of 4 x 4 matrices, made equal by least squares, Euler angles for the ball.",
    (r"{}^0T_4 = C_{00} L_1 C_{10} L_2 C_{20} L_3 C_{30} = {}^0T_5 = C_{01} L_5",),
    ("The paper has no lengths; kinematics only.",),
)
