"""An assembly cell: an arm of six hinges and a SCARA on one table, under which a sensor of six components stands."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs import trees
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import over_time
from flexmbs.verification.cases.trees.tree_models import FINE
from flexmbs.verification.cases.trees.tree_robots import A2, A3, D4, MASSES
from flexmbs.verification.reference.open_chain import ChainLink, ChainLoads, chain_loads

STEP = FINE | {"step": 1e-2}
"""All freedoms are driven: each step meets the constraints."""
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
TABLE, TABLE_INERTIA, TABLE_CENTRE = 60.0, (9.0, 12.0, 20.0), (0.0, 0.0, 0.35)
PUMA_AT, SCARA_AT = (-0.5, 0.0, 0.7), (0.6, 0.1, 0.7)
GRAVITY = np.array((0.0, 0.0, -9.81))
PUSH = np.array((15.0, -8.0, 40.0))
"""Of the part that is assembled, on the tool of the arm, growing as (1 - cos 2t) / 2 [N]."""
TOOL = np.array((0.0, 0.0, 0.12))

ARM = tuple(
    (f"arm {i + 1}", joint, axis, at, mass, mass * np.array((0.02, 0.021, 0.015)), centre, start)
    for i, (joint, axis, at, mass, centre, start) in enumerate((
        ("hinge", Z, PUMA_AT, MASSES[0], (0, 0, 0.5), 0.1),
        ("hinge", Y, (0, 0.24, 0.67), MASSES[1], (0.2, 0, 0.02), -0.6),
        ("hinge", Y, (A2, -0.09, 0), MASSES[2], (0, 0.01, 0.14), 0.9),
        ("hinge", Z, (A3, 0, D4), MASSES[3], (0, 0, -0.05), 0.3),
        ("hinge", Y, (0, 0, 0), MASSES[4], (0, 0, 0.01), 0.5), ("hinge", Z, (0, 0, 0), MASSES[5], (0, 0, 0.03), -0.2),
    ))
)  # fmt: skip
SCARA = tuple(
    (f"scara {i + 1}", joint, axis, at, mass, mass * np.array((0.004, 0.02, 0.022)), centre, start)
    for i, (joint, axis, at, mass, centre, start) in enumerate((
        ("hinge", Z, SCARA_AT, 8.0, (-0.18, 0, 0.02), 0.4), ("hinge", Z, (-0.35, 0, 0.05), 5.0, (-0.12, 0, 0.03), -0.9),
        ("slide", Z, (-0.25, 0, 0.0), 1.5, (0, 0, -0.1), 0.05), ("hinge", Z, (0, 0, -0.2), 0.5, (0.01, 0, -0.02), 0.0),
    ))
)  # fmt: skip
"""Name, joint, axis, place on the link before, mass, inertia, centre, and coordinate at the start; chosen."""
ALL = (*ARM, *SCARA)
SWING = np.array((0.5, 0.3, -0.4, 0.6, 0.5, 0.8, -0.6, 0.9, -0.04, 1.2))


def motion(t: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Coordinates of all joints with two derivatives; at rest at the start."""
    start = np.array([row[-1] for row in ALL])
    turn = np.array([1.5 + 0.2 * k for k in range(len(ALL))])
    return (
        start + SWING * (1.0 - np.cos(turn * t)), SWING * turn * np.sin(turn * t), SWING * turn**2 * np.cos(turn * t)
    )  # fmt: skip


class _Swing:
    """The motion of one joint."""

    def __init__(self, k: int) -> None:
        self.k = k

    def at(self, t: float) -> tuple[float, float, float]:
        """Value and two derivatives."""
        q, v, a = (float(x[self.k]) for x in motion(t))
        return q, v, a


def exact(t: float) -> ChainLoads:
    """Newton and Euler's equations of the table with both robots."""
    links = [ChainLink(-1, "fixed", Z, (0, 0, 0), TABLE, np.diag(TABLE_INERTIA), TABLE_CENTRE)]
    for chain in (ARM, SCARA):
        before = 0
        for _, joint, axis, at, mass, inertia, centre, _ in chain:
            links.append(ChainLink(before, joint, axis, at, mass, np.diag(inertia), centre))
            before = len(links) - 1
    q, v, a = (np.concatenate(([0.0], x)) for x in motion(t))
    return chain_loads(links, q, v, a, GRAVITY, (len(ARM), TOOL, 0.5 * (1.0 - np.cos(2.0 * t)) * PUSH))


def _links(chain: Any, root: str | None) -> list[trees.Link]:
    kinds = {"hinge": trees.Revolute, "slide": trees.Prismatic}
    found: list[trees.Link] = []
    for name, joint, axis, at, mass, inertia, centre, start in chain:
        before = found[-1].name if found else root
        found.append(trees.Link(name, mass, inertia, centre, before, kinds[joint](axis), at=at, start=start))
    return found


def _driven(joints: dict[str, Any], tool: Any) -> list[Any]:
    """Motors of all joints, the push on the tool, and gravity."""
    items: list[Any] = [fx.Gravity(tuple(GRAVITY))]
    for k, (name, joint, *_) in enumerate(ALL):
        motor = fx.RotationDriver if joint == "hinge" else fx.TranslationDriver
        items.append(motor(joints[name], _Swing(k), name=f"motor of {name}"))
    items.append(fx.PointForce(tool, tuple(PUSH), history=lambda t: 0.5 * (1.0 - np.cos(2.0 * t))))
    return items


def branched(joint: trees.TreeJoint) -> trees.Tree:
    """The table with both robots, on a joint to the ground."""
    root = trees.Link("table", TABLE, TABLE_INERTIA, TABLE_CENTRE, joint=joint)
    return trees.Tree(root, *_links(ARM, "table"), *_links(SCARA, "table"), name="cell")


def one_tree() -> tuple[fx.Model, Any]:
    """The table is the free root of a tree with two branches; what fixes it to the ground is the sensor."""
    cell = branched(trees.Free())
    joints = {name: cell.joint(name) for name, *_ in ALL}
    tool = cell.link(ARM[-1][0]).marker(TOOL)
    sensor = fx.FixedJoint(fx.ground, cell.link("table"), at=(0, 0, 0), name="sensor")
    return fx.Model(cell, sensor, *_driven(joints, tool), name="assembly cell"), sensor


def two_trees() -> tuple[fx.Model, Any]:
    """The table is a rigid body; each robot a tree whose pedestal is screwed to it, the sensor a fixed joint."""
    table = fx.RigidBody(TABLE, TABLE_INERTIA, TABLE_CENTRE, name="table")
    sensor = fx.FixedJoint(fx.ground, table, at=(0, 0, 0), name="sensor")
    items: list[Any] = [table, sensor]
    joints: dict[str, Any] = {}
    for chain, name in ((ARM, "arm"), (SCARA, "scara")):
        foot = trees.Link(f"pedestal of {name}", 1e-6, (1e-8,) * 3, joint=trees.Free())
        robot = trees.Tree(foot, *_links(chain, foot.name), name=name)
        joints |= {row[0]: robot.joint(row[0]) for row in chain}
        items += [robot, fx.FixedJoint(table, robot.link(foot.name), at=(0, 0, 0), name=f"screws of {name}")]
        if chain is ARM:
            tool = robot.link(ARM[-1][0]).marker(TOOL)
    return fx.Model(*items, *_driven(joints, tool), name="assembly cell of two trees"), sensor


def run(progress: Progress) -> Outcome:
    """The wrench at the sensor and the loads of all drives by both roads; then the motion from these loads."""
    quantities = []
    lines = []
    for label, (model, sensor) in (("one tree", one_tree()), ("two trees", two_trees())):
        progress(label)
        motion_ = fx.simulate(model, 1.0, **STEP)
        known = [exact(float(t)) for t in motion_.t]
        force, moment = motion_.reaction(sensor), motion_.reaction_moment(sensor)
        for name, unit, value, wanted in (
            ("force", "N", force, np.array([k.force for k in known])),
            ("moment", "N m", moment, np.array([k.moment for k in known])),
        ):
            for c, axis in enumerate("xyz"):
                quantities.append(
                    measured(f"{label}: {name} {axis} at the sensor, largest error", unit,
                             float(np.abs(value[:, c] - wanted[:, c]).max()), 0.0, "Newton and Euler, written out",
                             atol=1e-6 * float(np.abs(wanted).max()))
                )  # fmt: skip
        loads = np.column_stack([-motion_.multipliers(f"motor of {name}")[:, 0] for name, *_ in ALL])
        wanted = np.array([k.joints[1:] for k in known])
        for c, (name, *_) in enumerate(ALL):
            quantities.append(
                measured(f"{label}: load of {name}, largest error", "N m, N",
                         float(np.abs(loads[:, c] - wanted[:, c]).max()), 0.0, "Newton and Euler, written out",
                         atol=1e-6 * float(np.abs(wanted).max()))
            )  # fmt: skip
        if label == "one tree":
            lines = [
                (f"{n} {a}", motion_.t, (force if n == "F" else moment)[:, c])
                for n in "FM"
                for c, a in enumerate("xyz")
            ]
    progress("forward dynamics")
    quantities += _forward()
    return Outcome(
        quantities, figures=[("Wrench that the sensor exerts on the table, N and N m.", over_time(lines, "N, N m"))]
    )


def _forward() -> list[Any]:
    """Accelerations from the loads of the drives, as the paper has them: q'' = A^-1 (T - H)."""
    dynamics = trees.TreeDynamics(branched(trees.Fixed()), gravity=GRAVITY)
    worst = 0.0
    for t in (0.1, 0.4, 0.9):
        q, v, a = motion(t)
        known = exact(t)
        wrench = np.zeros((len(ALL) + 1, 6))
        tip = len(ARM)
        push = 0.5 * (1.0 - np.cos(2.0 * t)) * PUSH
        R = _rotation(q[: len(ARM)])
        wrench[tip] = np.concatenate((push, np.cross(R @ TOOL, push)))
        found = dynamics.forward(q, v, known.joints[1:], wrench)
        worst = max(worst, float(np.abs(found - a).max() / np.abs(a).max()))
    return [measured("forward dynamics: largest error of an acceleration, by the largest", "-", worst, 0.0,
                     "the prescribed motion", atol=1e-9)]  # fmt: skip


def _rotation(q: FloatArray) -> FloatArray:
    """Of the tool of the arm."""
    R = np.eye(3)
    for angle, (_, _, axis, *_) in zip(q, ARM, strict=True):
        c, s = np.cos(angle), np.sin(angle)
        R = R @ (
            np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) if axis == Z else np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
        )
    return R


CASE = Case(
    id="assembly-cell",
    title="Assembly cell: two robots on a table over a force sensor",
    area="trees",
    summary=(
        "An arm of six hinges and a SCARA stand on one table, and a part pushes at the tool of the arm. A sensor of "
        "six components under the table feels both: its force and moment, and the loads of all ten drives, against "
        "Newton and Euler's equations written out, for a tree with two branches and for two trees screwed to a rigid "
        "body. Forward dynamics gives the motion back from the loads."
    ),
    run=run,
    source=(
        "K. E. Georgiev, T. Ivanova, Mechatronic approach for simulation of robots and walking machines (main robot, "
        "assisting robot, base station with a sensor of six components; no data, so these are chosen)."
    ),
    equations=(r"\ddot q = A^{-1}(T - H), \quad H = B\dot q + Q + F_f + J^T N",),
    limits=("The paper prints no number: the geometry is chosen, and what is verified is the method.",),
)
