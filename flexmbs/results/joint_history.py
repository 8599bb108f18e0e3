"""What joints and forces between markers did over stored states: coordinates, angles over full turns, reactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.dynamics.turns import counted_rows
from flexmbs.kernels.rows.rows import kind_of, row_gradient, row_value
from flexmbs.model.bodies.marker import Marker
from flexmbs.model.trees.coordinate import TreeCoordinate, TreeCoordinateMarker
from flexmbs.results.kinematics import angle_in_plane, joint_of, kinematics, meant_joint
from flexmbs.results.tree_motion import angles_of
from flexmbs.results.unseen_turns import warn_of_unseen_turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flexmbs.model.joints.contracts import Joint, Row
    from flexmbs.results.states import States

__all__ = [
    "AnglesAtEnd",
    "JointHistory",
    "angles_at_end",
    "at_tree_coordinate",
    "force_rows",
    "joint_efforts",
    "joint_torque",
    "names_of_rows",
    "reaction_wrench",
    "rows_over_time",
]

MANY_JOINTS = 200
"""Joints and forces beyond which a resumed run counts angles anew; looking at all of the run before takes too long."""


class JointHistory:
    """The history of one joint: ``run["crank"].angle``."""

    def __init__(self, solution: States, joint: Joint) -> None:
        self.solution, self.joint = solution, joint

    def __repr__(self) -> str:
        known = ", ".join(getattr(self.joint, "coordinates", {})) or "no coordinate"
        return f"<history of joint {self.joint.name!r}: {len(self.solution)} states; {known}, force, moment>"

    @property
    def angle(self) -> FloatArray:
        """Angle (n_t,) about the common axis [rad], over full turns."""
        return np.asarray(self.solution.angle(self.joint))

    @property
    def translation(self) -> FloatArray:
        """Translation (n_t,) along the axis [length]."""
        return np.asarray(self.solution.translation(self.joint))

    @property
    def force(self) -> FloatArray:
        """Force (n_t, 3) on side b, inertial axes [force]."""
        return self.solution.reaction(self.joint)

    @property
    def moment(self) -> FloatArray:
        """Moment (n_t, 3) on side b about its marker, in the axes of that marker [force length].

        Of a joint or driver of a tree about the origin of the link frame, in its axes.
        """
        return self.solution.reaction_moment(self.joint)

    @property
    def torque(self) -> FloatArray:
        """Moment (n_t,) on side b about the axis of the joint, of several the last one [force length]."""
        return joint_torque(self.solution, self.joint)


def joint_torque(solution: States, joint: Any) -> FloatArray:
    """Moment (n,) of a joint, or driver, on its side b about its axis, of several about the last one."""
    marker = at_tree_coordinate(joint)
    if marker is not None:
        turns = cast("Any", marker.body).link.joint.rotational[marker.index]
        rows = np.arange(len(solution))
        return joint_efforts(solution, meant_joint(solution, joint), rows) if turns else np.zeros(len(rows))
    moment = solution.reaction_moment(joint)
    if not isinstance(joint, TreeCoordinate) or joint.joint.ball:
        return moment[:, 2]
    v, w = np.split(joint.joint.screws[-1], 2)
    if not w.any():
        return np.asarray(moment @ (v / np.linalg.norm(v)))
    R = solution.rotation(joint.tree.bodies[joint.link].marker((0.0, 0.0, 0.0)))
    force = np.einsum("nji,nj->ni", R, solution.reaction(joint))
    return np.asarray(moment @ w + force @ (v - (v @ w) * w))  # the axis may pass beside the origin of the link frame


def at_tree_coordinate(joint: Any) -> TreeCoordinateMarker | None:
    """The coordinate of a tree that a driver or coupling acts on first, None for all other joints."""
    pairs = getattr(joint, "pairs", ())
    return pairs[0].b if pairs and isinstance(pairs[0].b, TreeCoordinateMarker) else None


def joint_efforts(solution: States, joint: Any, rows: IntArray) -> FloatArray:
    """Force or moment (n,) of a driver or coupling on the first coordinate that it acts on: -lam times its factor."""
    row = joint.pairs[0].rows[0]
    number = solution.system.mechanics.equations_of(joint_of(solution, joint))[row.equation]
    return np.asarray(-row.factor * solution.lam[rows, number])


def rows_over_time(
    solution: States, a: Marker, b: Marker, rows: Sequence[Row], begin: list[float], rates_alone: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Rows and rates over time without factors; ``rates_alone``: whether nothing else is asked for.

    Turns are those that the analysis counted, or those of the angles of planar bodies, which are coordinates; of other
    rows they are followed by the rates, and begin near ``begin``.

    Warns
    -----
    AccuracyWarning
        If turns are followed by rates, and states are stored so far apart that whole turns may be missed.
    """
    pa, Ra, ta = _pose(solution, a)
    pb, Rb, tb = _pose(solution, b)
    out, rate, near = np.empty((len(solution), len(rows))), np.empty((len(solution), len(rows))), np.array(begin)
    c, G = np.zeros((len(rows), 12)), np.zeros((1, 12))
    for j, row in enumerate(rows):
        c[j, : len(row.constants)] = row.constants
    counted = [_counted(solution, a, b, row.kind, c[j]) for j, row in enumerate(rows)]
    turned, unsure = _turned_in_plane(solution, a, b), np.zeros(max(len(solution) - 1, 0))
    for i in range(len(solution)):
        p, R = np.array([pa[i], pb[i]]), np.array([Ra[i], Rb[i]])
        for j, row in enumerate(rows):
            row_gradient(row.kind, j, c, near, 0, 1, p, R, G, 0)
            rate[i, j] = G[0, :6] @ ta[i] + G[0, 6:] @ tb[i]
            turns = counted[j]
            if turns is not None:
                near[j] = turns[i]
            elif i and turned is not None:
                near[j] = out[0, j] + Ra[0, 2, 2] * (turned[i] - turned[0])
            elif i:
                near[j] = out[i - 1, j] + 0.5 * (solution.t[i] - solution.t[i - 1]) * (rate[i - 1, j] + rate[i, j])
            out[i, j] = row_value(row.kind, j, c, near, 0, 1, p, R)
            if i and turns is None and turned is None and kind_of(row.kind).counts_turns:
                most = (solution.t[i] - solution.t[i - 1]) * np.abs(rate[i - 1 : i + 1, j]).max()
                unsure[i - 1] = max(unsure[i - 1], most, abs(out[i, j] - near[j]))
    if not rates_alone:
        warn_of_unseen_turns(f"that of {b.body} against {a.body}", solution, unsure)
    return out, rate


def _turned_in_plane(solution: States, a: Marker, b: Marker) -> FloatArray | None:
    """By how much b has turned against a in the plane (n,) [rad], where coordinates tell; None where they do not."""
    angles = [np.zeros(len(solution)) if m.body.is_ground else angle_in_plane(solution, m) for m in (a, b)]
    if angles[0] is None or angles[1] is None:
        return None
    return np.asarray(angles[1] - angles[0])


def _counted(solution: States, a: Marker, b: Marker, kind: int, constants: FloatArray) -> FloatArray | None:
    """The angles (n,) of a row that the analysis counted in every state; None of others."""
    angles = solution.counted_angles
    if angles is None or not kind_of(kind).counts_turns:
        return None
    found = None
    for k, row in enumerate(solution.system.once(counted_rows)):
        if row.a is a and row.b is b and row.kind == kind and np.array_equal(row.constants, constants):
            found = angles[:, k]
            if not row.coupled:
                break
    return found


def force_rows(solution: States, force: Any) -> tuple[FloatArray, FloatArray]:
    """Rows of a force between markers and their rates (n_t, m), with the factors of the rows."""
    item = force.row_forces[0]
    before, factors = solution.extra.get("before", {}), np.array([row.factor for row in item.rows])
    begin = [before.get((force.name, _force_label(j)), 0.0) for j in range(len(item.rows))]
    values, rates = rows_over_time(solution, item.a, item.b, item.rows, begin)
    return values * factors, rates * factors


def reaction_wrench(solution: States, joint: Any, rows: IntArray) -> FloatArray:
    """Wrench (n, 6) that a joint exerts on its side b (the second marker of ``joint.markers``): -G^T lam."""
    joint = joint_of(solution, joint)
    number = {e.number: i for i, e in enumerate(solution.system.mechanics.equations) if e.joint is joint}
    lam = solution.lam[rows]
    if hasattr(joint, "about"):
        return _summed(solution, joint, number, rows)
    pair = joint.pairs[0]
    markers = getattr(joint, "markers", (pair.a, pair.b))
    side = 0 if pair.a is markers[1] else 6
    pa, Ra, _ = _pose(solution, pair.a, rows)
    pb, Rb, _ = _pose(solution, pair.b, rows)
    out, G = np.zeros((len(rows), 6)), np.zeros((1, 12))
    for row in pair.rows:
        if row.equation not in number:
            continue
        c = np.zeros((1, 12))
        c[0, : len(row.constants)] = row.constants
        for i in range(len(rows)):
            row_gradient(row.kind, 0, c, np.zeros(1), 0, 1, np.array([pa[i], pb[i]]), np.array([Ra[i], Rb[i]]), G, 0)
            out[i] -= row.factor * lam[i, number[row.equation]] * G[0, side : side + 6]
    return out


def _pose(solution: States, marker: Marker, rows: IntArray | None = None) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Position (n, 3), orientation (n, 3, 3) and twist (n, 6) of a marker."""
    found = kinematics(solution, marker, rows)
    return found.p[:, 0], found.R[:, 0], found.twist[:, 0]


def _summed(solution: States, joint: Any, number: dict[int, int], rows: IntArray) -> FloatArray:
    """Wrench (n, 6) on the body of a joint of many pairs, whose side a is the body, about the marker ``about``."""
    lam = solution.lam[rows]
    p, R, _ = _pose(solution, joint.about, rows)
    out, G = np.zeros((len(rows), 6)), np.zeros((1, 12))
    for pair in joint.pairs:
        pa, Ra, _ = _pose(solution, pair.a, rows)
        pb, Rb, _ = _pose(solution, pair.b, rows)
        for row in pair.rows:
            if row.equation not in number:
                continue
            c = np.zeros((1, 12))
            c[0, : len(row.constants)] = row.constants
            for i in range(len(rows)):
                places, axes = np.array([pa[i], pb[i]]), np.array([Ra[i], Rb[i]])
                row_gradient(row.kind, 0, c, np.zeros(1), 0, 1, places, axes, G, 0)
                wrench = -row.factor * lam[i, number[row.equation]] * G[0, :6]
                out[i, :3] += wrench[:3]
                out[i, 3:] += R[i].T @ (Ra[i] @ wrench[3:] + np.cross(pa[i] - p[i], wrench[:3]))
    return out


def angles_at_end(solution: States) -> dict[tuple[str, str], float]:
    """Angles of all joints and forces at the end of a run, by name and label, for the run that goes on from there."""
    found: dict[tuple[str, str], float] = {}
    model, ends = solution.model, AnglesAtEnd(solution)
    if len(model.joints) + len(model.forces) > MANY_JOINTS:
        return found
    for joint in model.joints:
        for label, pair in getattr(joint, "coordinates", {}).items():
            if kind_of(pair.rows[0].kind).counts_turns:
                found[joint.name, label] = ends.get((joint.name, label))
    form = solution.extra.get("form")  # of a long tree, whose joints count by themselves
    for tree in form.relative.trees if form is not None else ():
        found |= {(joint, label): float(values[-1]) for (joint, label), values in angles_of(solution, tree).items()}
    for force in model.forces:
        items = list(getattr(force, "row_forces", ()))
        rows = list(items[0].rows) if len(items) == 1 else []
        if any(kind_of(row.kind).counts_turns for row in rows):
            found |= {key: ends.get(key) for key in ((force.name, _force_label(j)) for j in range(len(rows)))}
    return found


def names_of_rows(model: Any) -> dict[tuple[int, int, int], tuple[str, str]]:
    """Under which name and label the angle of a row is remembered, by its markers and its kind."""
    found: dict[tuple[int, int, int], tuple[str, str]] = {}
    for force in model.forces:
        items = list(getattr(force, "row_forces", ()))
        for j, row in enumerate(items[0].rows if len(items) == 1 else ()):
            found[id(items[0].a), id(items[0].b), row.kind] = force.name, _force_label(j)
    for joint in model.joints:
        for label, pair in getattr(joint, "coordinates", {}).items():
            found[id(pair.a), id(pair.b), pair.rows[0].kind] = joint.name, label
    return found


class AnglesAtEnd:
    """Angles of joints and forces at the end of a solution, by name and label, as they are asked for."""

    def __init__(self, solution: States) -> None:
        self._solution = solution
        self._kept: dict[tuple[str, str], float | None] = {}

    def get(self, key: tuple[str, str] | None, default: float = 0.0) -> float:
        """The value over full turns; ``default`` where the model of the solution has no such joint or force."""
        if key is None:
            return default
        if key not in self._kept:
            self._kept[key] = self._found(*key)
        found = self._kept[key]
        return default if found is None else found

    def _found(self, name: str, label: str) -> float | None:
        model = self._solution.model
        for joint in model.joints:
            if joint.name == name and label in getattr(joint, "coordinates", {}):
                return float(self._solution.coordinate(joint, label)[-1])
        for force in model.forces:
            items = list(getattr(force, "row_forces", ()))
            if force.name == name and len(items) == 1:
                values, _ = force_rows(self._solution, force)
                labels = [_force_label(j) for j in range(len(items[0].rows))]
                if label in labels:
                    j = labels.index(label)
                    return float(values[-1, j] / items[0].rows[j].factor)
        return None


def _force_label(row: int) -> str:
    """Under which the angle of a row of a force is remembered beside the coordinates of joints."""
    return f"force row {row}"
