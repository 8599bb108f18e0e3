"""States of a model that an analysis stored, with everything that can be asked of them, whatever the model is made of.

One rule of shapes holds for all methods and all models, planar ones included: what is asked of a place, joint or body
has the n stored states in front; ``step=k`` gives that of one of them. Vectors have three components.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from flexmbs.core.calls import with_methods
from flexmbs.core.checks import as_array, as_count, is_among, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError, a_or_an, unknown_name
from flexmbs.core.nodes import frames_of_vectors, slopes, small_rotations
from flexmbs.model.bodies.attachment import Attachment, as_attachment
from flexmbs.model.bodies.flexible import FlexibleBody
from flexmbs.model.trees.coordinate import TreeCoordinate
from flexmbs.results.actuator_history import actuator_history, meant_actuator
from flexmbs.results.deformation import deformed, stresses
from flexmbs.results.exerted_forces import ExertedForces
from flexmbs.results.held_values import actuators_of
from flexmbs.results.joint_history import JointHistory, rows_over_time
from flexmbs.results.kinematics import (
    in_space,
    joint_of,
    kinematics,
    marker_of,
    meant_joint,
    named_joint,
    nodal_displacements,
    nodal_positions,
    tell_of_rotation,
    turns_of,
)
from flexmbs.results.tree_motion import in_joints, joint_motion

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.system.system import System

__all__ = ["States", "as_flexible", "coordinate_of", "of_place"]


@with_methods
class States(ExertedForces):
    """Stored states of a model: what static solutions and motions have in common.

    Shapes: of one place, joint or body (n, 3) for vectors, (n, 3, 3) for rotations, (n,) for numbers; of an attachment
    of several nodes (n, n_nodes, 3), (n, n_nodes, 3, 3), (n, n_nodes). With ``step=k`` (counted from 0, from the end
    with negative numbers) the first axis is left out: (3,), (3, 3), a number. What is planar lies in z = 0, its moments
    are along z.

    A place is a marker, a node or several nodes of a flexible body (``beam.end``), or a rigid body or its name, which
    stands for its centre of mass.

    Attributes
    ----------
    system : System
    q, v, a, lam : (n, n_q), (n, n_v), (n, n_v), (n, n_c) arrays
        Coordinates, velocities, accelerations, multipliers.
    extra : dict
        What whoever goes on from the last state needs; ``counted``: angles over full turns in all states.
    """

    system: System
    q: FloatArray
    v: FloatArray
    lam: FloatArray
    extra: dict[str, Any]

    if TYPE_CHECKING:

        @property
        def t(self) -> FloatArray:
            """What the states are drawn over (n,): time, or the load factor."""

        @property
        def a(self) -> FloatArray:
            """Accelerations (n, n_v)."""

    @property
    def model(self) -> Any:
        """The model they belong to."""
        return self.system.model

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, name: Any) -> Any:
        """The `JointHistory` of a joint, or `ActuatorHistory` of an actuator, by its name."""
        try:
            return JointHistory(self, named_joint(self, name if isinstance(name, str) else self.model.joint(name)))
        except ModelError as error:
            actuator = meant_actuator(self, name)
            if actuator is not None:
                return actuator_history(self, actuator)
            known = [one.name for one in actuators_of(self.model)]
            if not known:
                raise
            raise ModelError(f"{error} Actuators: {', '.join(map(repr, known))}.") from None

    # --- places ------------------------------------------------------------------------------------------------------

    def position(self, at: Any, step: int | None = None) -> FloatArray:
        """Position (n, 3) of a place [length], inertial frame."""
        rows = self._rows(step)
        if isinstance(at, Attachment) and "form" not in self.extra:
            found = nodal_positions(self, as_attachment("position", at), rows)
        else:
            found = kinematics(self, at, rows).p
        return self._given(of_place(found, at), step)

    def displacement(self, at: Any, step: int | None = None) -> FloatArray:
        """Displacement (n, 3) of a place from where it is in the model (the stress-free shape) [length], inertial."""
        rows = self._rows(step)
        if isinstance(at, Attachment) and "form" not in self.extra:
            found = nodal_displacements(self, as_attachment("displacement", at), rows)
        else:
            found = kinematics(self, at, rows).p - marker_of(self, at).position0()
        return self._given(of_place(found, at), step)

    def rotation(self, at: Any, step: int | None = None) -> FloatArray:
        """Orientation (n, 3, 3): columns are the axes of the marker, body or node in the inertial frame.

        Of a node of a spatial cable or an `ANCFShell` it is the smallest rotation, from state to state, that takes its
        tangent or director along: a rotation about that is not known, of which an `AccuracyWarning` tells. Points have
        none: a `PointMass`, nodes of solids, which are refused.
        """
        tell_of_rotation("rotation", self, at)
        return self._given(of_place(kinematics(self, at, self._rows(step)).R, at), step)

    def angle(self, at: Any, step: int | None = None) -> Any:
        """Angle (n,) [rad] over full turns: of a joint, or of a planar node, body or marker.

        Of a joint: of its side b against side a about the common axis. Of a place in the plane: counter-clockwise, from
        its orientation in the model (the stress-free shape). Turns of joints are those that the analysis counted, and
        those of planar rigid bodies those of their coordinates, however few states are stored. At planar joints with a
        flexible body on which no spring, driver or actuator acts they are counted between stored states by the rates at
        both, at nodes of planar bodies along the body from its first node on, whose own angle is followed over the
        states: there what happens between two states must be less than half a turn, and an `AccuracyWarning` says where
        it seems to be more than a quarter. A name is that of a joint, else that of a body.
        """
        if isinstance(at, str):
            at = self._joint_or_body(at)
        found = self.coordinate(at, "angle") if _is_joint(at) else turns_of(self, at)
        return self._given(found if step is None else found[self._rows(step)], step)

    def slope(self, at: Attachment, step: int | None = None) -> FloatArray:
        """Slope vector dr/ds (n, 3) [-] of a node of an absolute-nodal body."""
        found = self._of_nodes(slopes, as_attachment("slope", at), step)
        if found is None:
            raise ModelError(f"slope: {a_or_an(at.body.element.name)} has no slopes.")
        return self._given(of_place(in_space(found), at), step)

    def section_frame(self, at: Attachment, step: int | None = None) -> FloatArray:
        """Axes (n, 3, 3) at a node with directors or of a surface, as columns, inertial components.

        The first is normal to the directors, or to the slopes of a surface; with a vector across the thickness the
        third is along that.
        """
        found = self._of_nodes(frames_of_vectors, as_attachment("section_frame", at), step)
        if found is None:
            raise ModelError(
                f"section_frame: {a_or_an(at.body.element.name)} has no directors; use rotation() or slope()."
            )
        return self._given(of_place(found, at), step)

    def rotation_vector(self, at: Attachment, step: int | None = None) -> FloatArray:
        """Small rotations (n, 3) [rad] about the inertial axes of a node of a beam with rotations."""
        found = self._of_nodes(small_rotations, as_attachment("rotation_vector", at), step)
        if found is None:
            raise ModelError(
                f"rotation_vector: {a_or_an(at.body.element.name)} has no small rotations; use rotation(), slope() or, "
                f"in the plane, angle()."
            )
        return self._given(of_place(found, at), step)

    def distance(self, a: Any, b: Any, step: int | None = None) -> Any:
        """Distance (n,) between two places [length]."""
        gap = self.position(b, step) - self.position(a, step)
        return np.linalg.norm(gap, axis=-1)

    # --- flexible bodies ---------------------------------------------------------------------------------------------

    def shape(self, body: FlexibleBody, step: int | None = None, points: int = 9) -> FloatArray:
        """Points (n, n_e, points, 3) along every element of a flexible body [length], inertial frame.

        Of a surface (n, n_e, points^2, 3), a grid on every element.
        """
        body = as_flexible("shape", self.model.meant(body))
        where = body.natural(as_count("shape", "points", points, minimum=1))
        group = self.system.group(body)
        rows = self._rows(step)
        found = [in_space(body.element.positions(group, np.array(self.q[i]), where)) for i in rows]
        return self._given(np.array(found), step)

    def resultant(self, body: FlexibleBody, symbol: str, step: int | None = None, xi: Any = None) -> FloatArray:
        """A stress resultant (n, n_e, n_s) along every element, such as ``"N"`` [force] or ``"M"`` [force length].

        ``xi (n_s,)`` are natural coordinates from -1 to 1, (n_s, 2) on a surface. The default are the points where the
        element is most accurate; elsewhere the normal force of a slender cable may be wrong by orders of magnitude. The
        largest moment is mostly at a node: ask for it with ``xi=(-1, 1)``, where it is a little less accurate.
        """
        body = as_flexible("resultant", self.model.meant(body))
        names = [r.symbol for r in body.element.resultants]
        if not is_among(symbol, names):
            raise ModelError(f"body {body.name!r}: {unknown_name('stress resultant', symbol, names)}")
        shape = (None, 2) if body.surface else (None,)
        where = body.element.accurate_points(symbol) if xi is None else as_array("resultant", "xi", xi, shape)
        if np.abs(where).max(initial=0.0) > 1.0:
            raise ModelError(f"resultant: xi must lie between -1 and 1, not {show(where.tolist())}.")
        group, k = self.system.group(body), names.index(symbol)
        found = [
            body.element.stress_resultants(group, np.array(self.q[i]), np.array(self.v[i]), where)[..., k]
            for i in self._rows(step)
        ]
        return self._given(np.array(found), step)

    def strain_energy(self, step: int | None = None) -> Any:
        """Strain energy (n,) of all bodies [force length]; springs are not included."""
        found = np.array([self.system.strain_energy(np.array(self.q[i])) for i in self._rows(step)])
        return self._given(found, step)

    def deformed(self, body: Any, steps: Any = slice(None), nodes: Any = None) -> FloatArray:
        """Places (n, n_nodes, 3) of the nodes of a floating body [length], inertial frame.

        ``steps``: which stored states, as a slice or numbers; ``nodes``: numbers or the name of a node set, all by
        default. Long runs of large meshes are looked at piece by piece, by slices of the states.
        """
        return deformed(self, body, steps, nodes)

    def stresses(self, body: Any, steps: Any = slice(None), nodes: Any = None) -> FloatArray:
        """Stresses (n, n_nodes, n_c) of a floating body in axes of its frame, as named by ``reduced.stress_names``.

        ``nodes``: among those the part was reduced with, ``reduce(..., stresses=...)``; all of them by default, in the
        order of ``reduced.stress_nodes``. Nodes at which elements are not averaged with each other (borders of regions,
        folds of shells, ends of frames) have a row for each stress: ``reduced.stress_rows(nodes)`` says which they are,
        and a warning does where such nodes are asked for.
        """
        return stresses(self, body, steps, nodes)

    # --- joints, forces, reactions -----------------------------------------------------------------------------------

    def translation(self, joint: Any, step: int | None = None) -> Any:
        """Translation (n,) [length] of side b of a joint along the axis of side a."""
        return self.coordinate(joint, "displacement", step)

    def coordinate(self, joint: Any, label: str, step: int | None = None) -> Any:
        """A coordinate (n,) that a joint leaves free, by its label: angle, displacement, distance, place."""
        joint = named_joint(self, joint)
        if isinstance(joint, TreeCoordinate):
            found = joint_motion(self, joint)[0][:, coordinate_of(joint, label).b.index]
        elif (own := own_place(self, joint, label)) is not None:
            found = np.asarray(self.q[:, own])
        else:
            joint = joint_of(self, meant_joint(self, joint))
            pair = coordinate_of(joint, label)
            begin = self.extra.get("before", {}).get((joint.name, label), 0.0)
            found = rows_over_time(self, pair.a, pair.b, pair.rows[:1], [begin])[0][:, 0]
        return self._given(found if step is None else found[self._rows(step)], step)

    def coordinate_rate(self, joint: Any, label: str, step: int | None = None) -> Any:
        """Rate (n,) of a coordinate that a joint leaves free, by its label [rad/time or length/time]."""
        joint = named_joint(self, joint)
        if isinstance(joint, TreeCoordinate):
            found = joint_motion(self, joint)[1][:, coordinate_of(joint, label).b.index]
        elif (own := own_place(self, joint, label)) is not None:
            found = np.asarray(self.v[:, own])
        else:
            joint = joint_of(self, meant_joint(self, joint))
            pair = coordinate_of(joint, label)
            found = rows_over_time(self, pair.a, pair.b, pair.rows[:1], [0.0], rates_alone=True)[1][:, 0]
        return self._given(found if step is None else found[self._rows(step)], step)

    def coordinates(self, body: Any) -> FloatArray:
        """Coordinates of a body (n, k): as listed by `System.coordinates`; of a floating body frame, then shapes.

        Of a tree those of its joints, link by link, with quaternions as four numbers, the shapes of a flexible link
        behind its joint. A body or tree may be given by its name.
        """
        form = self.extra.get("form")
        body = (self.model if form is None else form.relative).meant(body)
        found = in_joints(self, body)
        return self.q[:, self.system.coordinates.in_q(body)] if found is None else found

    # --- for the methods above ---------------------------------------------------------------------------------------

    @property
    def name_of_t(self) -> str:
        """What the states are drawn over."""
        return "load factor"

    @property
    def unit_of_t(self) -> str:
        """Unit of what the states are drawn over."""
        return "-"

    @property
    def over_time(self) -> bool:
        """Whether velocities are rates over time."""
        return False

    @property
    def is_planar(self) -> bool:
        """Whether no body can leave the plane z = 0."""
        return all(body.planar for body in self.model.described)

    def set_loads(self, dynamics: Dynamics, step: int) -> None:
        """Set the loads and prescribed motions that acted in a stored state, and the turns there."""
        raise NotImplementedError

    def event_factors(self, step: int) -> dict[str, float]:
        """Factors of loads, by name, as actions of events had set them before a stored state; empty if none did."""
        return {}

    def set_turns(self, dynamics: Dynamics, step: int) -> None:
        """Count turns from the angles of a stored state, where they are known."""
        angles = self.counted_angles
        if angles is not None:
            dynamics.turns.count_at(angles[step])

    @property
    def counted_angles(self) -> FloatArray | None:
        """Angles (n, k) over full turns of rows of `flexmbs.dynamics.turns.counted_rows`; None where nobody counted."""
        angles = self.extra.get("counted")
        return None if angles is None or len(angles) != len(self) else angles

    def number(self, step: int) -> int:
        """The number of a stored state, counted from 0, of one that may be counted from the end."""
        if isinstance(step, bool) or not isinstance(step, int | np.integer):
            raise ModelError(f"a step is a whole number, not {show(step)}.")
        if not -len(self) <= step < len(self):
            raise ModelError(f"there is no step {step}; the solution has {len(self)}, numbered from 0.")
        return int(step) % len(self)

    def _rows(self, step: int | None) -> IntArray:
        return np.arange(len(self)) if step is None else np.array([self.number(step)])

    def _of_nodes(self, asked: Any, at: Attachment, step: int | None) -> FloatArray | None:
        """What `flexmbs.core.nodes` finds of nodes in the states asked for; None where their layout has none."""
        found: FloatArray | None = asked(
            at.body.element.layout, self.q[self._rows(step)], self.system.coordinates.dofs(at)
        )
        return found

    @staticmethod
    def _given(found: Any, step: int | None) -> FloatArray:
        """All states, or the only one; numbers as such."""
        chosen: FloatArray = np.asarray(found) if step is None else found[0]
        return chosen

    def _joint_or_body(self, name: str) -> Any:
        try:
            return named_joint(self, name)
        except ModelError:
            if name not in {b.name for b in self.model.bodies}:
                raise
            return self.model.body(name)


def as_flexible(owner: str, body: object) -> FlexibleBody:
    """Refuse what is not a flexible body."""
    if not getattr(body, "has_mesh", False):
        raise ModelError(f"{owner}: expected a body such as model.body('beam'), not {show(body)}.")
    return cast("FlexibleBody", body)


def coordinate_of(joint: Any, label: str) -> Any:
    """The pair of markers of a coordinate that a joint leaves free."""
    offered = getattr(joint, "coordinates", {})
    if label not in offered:
        known = ", ".join((*offered, *getattr(joint, "own_coordinates", ())))
        raise ModelError(f"joint {joint.name!r} has no {label}; it has {known or 'no coordinate'}.")
    return offered[label]


def own_place(states: States, joint: Any, label: str) -> int | None:
    """Place in q and in v of a coordinate that a joint brings itself, such as the place of a sliding joint."""
    own = getattr(joint, "own_coordinates", {})
    if label not in own:
        return None
    return states.system.coordinates.extra_place(own[label])


def _is_joint(at: object) -> bool:
    return isinstance(at, TreeCoordinate) or hasattr(at, "equations")


def of_place(values: FloatArray, at: Any) -> FloatArray:
    """Without the axis of the nodes (n, m, ...) where there is one only."""
    several = isinstance(at, Attachment) and len(at.nodes) != 1
    return values if several else values[:, 0]
