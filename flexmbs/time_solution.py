"""What a simulation found: states over time with everything that can be asked of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.bodies.marker import Body, Marker, as_marker
from flexmbs.body import Attachment, FlexibleBody
from flexmbs.core.checks import as_array, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.joint_history import JointHistory, reaction_wrench, rows_over_time
from flexmbs.mechanics.marker_set import MarkerSet
from flexmbs.trees.coordinate import TreeCoordinate

if TYPE_CHECKING:
    from flexmbs.joints.contracts import Joint
    from flexmbs.mechanics.build import Mechanics
    from flexmbs.mechanics.force_history import ForceHistory
    from flexmbs.system import System

__all__ = ["Energy", "TimeSolution", "TimeStatus"]


class TimeStatus(Enum):
    """How a simulation ended; the value says what to do."""

    DONE = "Done."
    STOPPED = "Stopped by an event."
    INTERRUPTED = "Interrupted; everything up to there is kept. Resume with simulate(..., start=solution)."
    STEP_TOO_SMALL = (
        "The step became too small. Look at the last state: a jump in a force, a lock-up or a singular position of the "
        "mechanism, an impact; allow smaller steps, smooth the force, or take more numerical damping."
    )
    LOCKED_UP = (
        "The drivers ask for positions that the mechanism cannot reach. Change the motion or the lengths; "
        "trace_kinematics follows the mechanism through such a position."
    )
    TOO_MANY_STEPS = (
        "The steps allowed were made. Resume with simulate(..., start=solution), or allow more with most_steps=; if "
        "they are much smaller than the motion needs, take a scheme for stiff systems, more damping, or a larger rtol."
    )


@dataclass(frozen=True, eq=False)
class Energy:
    """Energies (n_t,) at the stored times [force length], and the work done since the start.

    ``kinetic``, ``strain`` (flexible bodies), ``springs`` (forces between markers), ``potential`` (dead loads, zero at
    the origin); ``work_drivers``: done on the system by prescribed motions; ``work_forces``: by forces between markers
    (together with the change of ``springs``, minus what they dissipate); ``work_loads``: by loads on markers.
    """

    kinetic: FloatArray
    strain: FloatArray
    springs: FloatArray
    potential: FloatArray
    work_drivers: FloatArray
    work_forces: FloatArray
    work_loads: FloatArray

    @property
    def total(self) -> FloatArray:
        """Kinetic, strain, spring and potential energy."""
        return np.asarray(self.kinetic + self.strain + self.springs + self.potential)

    @property
    def dissipated(self) -> FloatArray:
        """What forces between markers have taken out of the system."""
        return np.asarray(self.springs[0] - self.springs - (self.work_forces - self.work_forces[0]))

    @property
    def balance(self) -> FloatArray:
        """Total energy, plus what was dissipated, minus the work of drivers and loads, minus the total at the start.

        Zero but for the errors of the integration (and material damping, which is not counted).
        """
        change = self.total - self.total[0] + self.dissipated
        work = self.work_drivers + self.work_loads
        return np.asarray(change - (work - work[0]))


@dataclass(frozen=True, eq=False, repr=False)
class TimeSolution:
    """Motion of a model.

    Attributes
    ----------
    system : System
    t : (n_t,) array
        Stored times.
    q, v, a, lam : (n_t, n_q), (n_t, n_v), (n_t, n_v), (n_t, n_c) arrays
        Coordinates, velocities, accelerations, multipliers.
    energy : Energy
    residuals : (n_t, 3) array
        Largest violation of the constraints on positions, velocities and accelerations.
    steps : (n_steps, 4) array
        Of every accepted step, also where few states are stored (32 bytes a step): time at its end, size, iterations,
        estimated error relative to the tolerance.
    counts : dict
        Evaluations, factorisations, rejected steps, seconds by part.
    redundant : tuple of str
        Constraints that follow from the others; reactions of their joints are not unique.
    status : TimeStatus
    settings : dict
        Integrator, step control and output as they were.
    last : object
        State of the scheme at the end, from which the run can be resumed.
    """

    system: System
    t: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    energy: Energy
    residuals: FloatArray
    steps: FloatArray
    counts: dict[str, Any]
    redundant: tuple[str, ...]
    status: TimeStatus
    settings: dict[str, Any]
    last: Any = None
    message: str = ""
    events: tuple[Any, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def model(self) -> Any:
        """The model it belongs to."""
        return self.system.model

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return (
            f"<motion of model {self.model.name!r}: t = {self.t[0]:g} to {self.t[-1]:g} {self.model.units.time}, "
            f"{len(self)} states, {len(self.steps)} steps, {self.status.name.lower()}>"
        )

    def __getitem__(self, name: str) -> JointHistory:
        """The history of a joint by its name."""
        return JointHistory(self, self._meant(name if isinstance(name, str) else self.model.joint(name)))

    def position(self, at: Any) -> FloatArray:
        """Position (n_t, 3) of a marker, a node or the centre of mass of a body [length], inertial frame."""
        return self._kinematics(at)[0]

    def rotation(self, at: Any) -> FloatArray:
        """Orientation (n_t, 3, 3): columns are the axes of the marker (or body) in the inertial frame."""
        return self._kinematics(at)[1]

    def velocity(self, at: Any) -> FloatArray:
        """Velocity (n_t, 3) of the point [length/time], inertial frame."""
        return self._kinematics(at)[2][:, :3]

    def angular_velocity(self, at: Any) -> FloatArray:
        """Angular velocity (n_t, 3) [rad/time] in the axes of the marker (or body)."""
        return self._kinematics(at)[2][:, 3:]

    def acceleration(self, at: Any) -> FloatArray:
        """Acceleration (n_t, 3) of the point [length/time^2], inertial frame."""
        return self._kinematics(at, accelerations=True)[3][:, :3]

    def coordinates(self, body: Any) -> FloatArray:
        """Coordinates of a body (n_t, n): as listed by `System.coordinates`; of a floating body frame, then shapes.

        Of a tree those of its joints, link by link, with quaternions as four numbers. A body or tree may be given by
        its name.
        """
        return self.q[:, self.system.coordinates.in_q(self.model.meant(body))]

    def shape(self, body: FlexibleBody, step: int = -1, points: int = 9) -> FloatArray:
        """Points (n_e, points, dim) along every element of a flexible body at a stored time [length].

        Of a surface (n_e, points^2, 3), a grid on every element.
        """
        body = self.model.meant(body)
        if not getattr(body, "has_mesh", False):
            raise ModelError(f"shape: expected a FlexibleBody, not {show(body)}.")
        return body.element.positions(self.system.group(body), np.array(self.q[step]), body.natural(points))

    def resultant(self, body: FlexibleBody, symbol: str, step: int = -1, xi: Any = None) -> FloatArray:
        """A stress resultant (n_e, n_s) along every element of a flexible body at a stored time, such as ``"M"``.

        ``xi (n_s,)`` as for `Solution.resultant`; by default where the element is most accurate.
        """
        body = self.model.meant(body)
        if not getattr(body, "has_mesh", False):
            raise ModelError(f"resultant: expected a FlexibleBody, not {show(body)}.")
        names = [r.symbol for r in body.element.resultants]
        if symbol not in names:
            raise ModelError(f"body {body.name!r}: {unknown_name('stress resultant', symbol, names)}")
        shape = (None, 2) if body.surface else (None,)
        where = body.element.accurate_points(symbol) if xi is None else as_array("resultant", "xi", xi, shape)
        if np.abs(where).max(initial=0.0) > 1.0:
            raise ModelError(f"resultant: xi must lie between -1 and 1, not {show(where.tolist())}.")
        group, q, v = self.system.group(body), np.array(self.q[step]), np.array(self.v[step])
        return body.element.stress_resultants(group, q, v, where)[..., names.index(symbol)]

    def angle(self, joint: Any) -> FloatArray:
        """Angle (n_t,) [rad] of side b of a joint against side a about the common axis, counted over full turns.

        Between stored times turns are counted by the rates at both, so these must be less than half a turn wrong.
        """
        return self.coordinate(joint, "angle")

    def translation(self, joint: Any) -> FloatArray:
        """Translation (n_t,) [length] of side b of a joint along the axis of side a."""
        return self.coordinate(joint, "displacement")

    def coordinate(self, joint: Any, label: str) -> FloatArray:
        """A coordinate (n_t,) that a joint leaves free, by its label: angle, displacement, distance."""
        joint = self._meant(joint)
        if not isinstance(joint, TreeCoordinate):
            joint = self._joint(joint)
        offered = getattr(joint, "coordinates", {})
        if label not in offered:
            raise ModelError(f"joint {joint.name!r} has no {label}; it has {', '.join(offered) or 'no coordinate'}.")
        begin = self.extra.get("before", {}).get((joint.name, label), 0.0)
        pair = offered[label]
        if isinstance(joint, TreeCoordinate):
            places = self.system.coordinates.tree(joint.tree)
            return np.array(self.q[:, places.dof[places.own(joint.link)[pair.b.index]]])
        return rows_over_time(self, pair.a, pair.b, pair.rows[:1], [begin])[0][:, 0]

    def distance(self, a: Any, b: Any) -> FloatArray:
        """Distance (n_t,) between two markers, nodes or bodies [length]."""
        return np.asarray(np.linalg.norm(self.position(b) - self.position(a), axis=1))

    def reaction(self, joint: Any) -> FloatArray:
        """Force (n_t, 3) that a joint exerts on its side b, inertial axes [force]; see `reaction_moment`.

        Of a joint of a tree, ``tree.joint(name)``, the side b is its link; forces of springs and drivers at its
        coordinates are not in it. Of a place on a flexible body, such as ``body.start``, the force of supports on it,
        elastic ones too.
        """
        return self._reaction(joint)[:, :3]

    def reaction_moment(self, joint: Any) -> FloatArray:
        """Moment (n_t, 3) that a joint exerts on its side b about the marker there, in the axes of that marker.

        Of a place on a flexible body that of supports about its node, in inertial axes.
        """
        return self._reaction(joint)[:, 3:]

    def _reaction(self, joint: Any) -> FloatArray:
        """Wrench (n_t, 6) on side b of a joint, on a link of a tree about its frame, or on supported nodes."""
        if isinstance(joint, Attachment):
            from flexmbs.analysis.support_reactions import support_reaction

            return support_reaction(self, joint)
        joint = self._meant(joint)
        if isinstance(joint, TreeCoordinate):
            from flexmbs.analysis.tree_reactions import tree_reaction

            return tree_reaction(self, joint)
        return reaction_wrench(self, joint)

    def multipliers(self, joint: Any) -> FloatArray:
        """Multipliers (n_t, m) of a joint, in the order of its equations."""
        return np.asarray(self.lam[:, self._mechanics.equations_of(self._joint(self._meant(joint)))])

    def held(self, actuator: str) -> tuple[FloatArray, FloatArray]:
        """Times (n,) of the samples, and the values held for an actuator of a sampled controller from then on."""
        names = [a.name for c in self.model.controllers for a in c.actuators]
        if actuator not in names:
            raise ModelError(f"model {self.model.name!r}: {unknown_name('actuator', actuator, names)}")
        samples = np.asarray(self.extra["samples"])
        return samples[:, 0], samples[:, 1 + names.index(actuator)]

    def force(self, name: str) -> ForceHistory:
        """The history of a force between markers by its name: coordinate, rate, force (n_t,), and energy.

        The force is positive where it acts against the coordinate: a strut that pulls, a torque that turns side b back.
        Of a bushing they are (n_t, 6). Turns are counted as in `angle`.
        """
        from flexmbs.mechanics.force_history import force_history

        return force_history(self, self.model.force(name))

    def deformed(self, body: Any, steps: Any = slice(None), nodes: Any = None) -> FloatArray:
        """Places (n, n_nodes, 3) of the nodes of a floating body [length], inertial frame.

        ``steps``: which stored times, as a slice or numbers; ``nodes``: numbers or the name of a node set, all by
        default. Long runs of large meshes are looked at piece by piece, by slices of the times.
        """
        from flexmbs.output.deformation import deformed

        return deformed(self, body, steps, nodes)

    def stresses(self, body: Any, steps: Any = slice(None), nodes: Any = None) -> FloatArray:
        """Stresses (n, n_nodes, n_c) of a floating body in axes of its frame, as named by ``reduced.stress_names``.

        ``nodes``: among those the part was reduced with, ``reduce(..., stresses=...)``; all of them by default.
        """
        from flexmbs.output.deformation import stresses

        return stresses(self, body, steps, nodes)

    def to_paraview(self, path: Any, body: Any, steps: Any = slice(None)) -> Any:
        """Write the moving mesh of a floating body as an XDMF series: displacement, deformation, von Mises stress."""
        from flexmbs.output.deformation import write_motion

        return write_motion(self, path, body, steps)

    def to_gltf(self, path: Any, **options: Any) -> Any:
        """Write a glTF file (.glb) of the motion; see `flexmbs.write_gltf`."""
        from flexmbs.output.motion_files import write_motion

        return write_motion("write_gltf", self, path, **options)

    def momentum(self) -> tuple[FloatArray, FloatArray]:
        """Linear momentum and angular momentum about the origin, (n_t, 3) each, inertial frame.

        Of linear beams the angular momentum is one of small rotations.
        """
        from flexmbs.mechanics.momentum import momentum

        values = [momentum(self.system, q, v) for q, v in zip(self.q, self.v, strict=True)]
        return np.array([p for p, _ in values]), np.array([L for _, L in values])

    def plot_energy(self, ax: Any = None) -> Any:
        """Draw the energies over time."""
        from flexmbs.output.time_views import plot_energy

        return plot_energy(self, ax)

    def plot_steps(self) -> Any:
        """Draw step sizes, iterations and estimated errors over time."""
        from flexmbs.output.time_views import plot_steps

        return plot_steps(self)

    def plot(self, *at: Any, component: str = "y", ax: Any = None) -> Any:
        """Draw a component of the positions of markers, nodes or bodies over time."""
        from flexmbs.output.time_views import plot_positions

        return plot_positions(self, at, component, ax)

    def animate(self, path: Any, **options: Any) -> Any:
        """Write an animation (mp4 or gif by the ending of ``path``); see `flexmbs.output.animation`."""
        from flexmbs.output.time_views import animate

        return animate(self, path, **options)

    def table(self, *at: Any) -> Any:
        """Histories of places, bodies or joints for CSV files and pandas; see `flexmbs.output.time_views.table`."""
        from flexmbs.output.time_views import table

        return table(self, *at)

    def save(self, path: Any) -> Any:
        """Write to an HDF5 file that `flexmbs.load` reads."""
        from flexmbs.output.time_files import save

        return save(self, path)

    @property
    def _mechanics(self) -> Mechanics:
        return self.system.mechanics

    def _kinematics(self, at: Any, accelerations: bool = False) -> tuple[FloatArray, ...]:
        marker = self._marker(at)
        markers = MarkerSet(self.system.coordinates, [marker], set(), 0)
        p, R, twist = np.empty((len(self), 3)), np.empty((len(self), 3, 3)), np.empty((len(self), 6))
        twist_t = np.empty((len(self), 6))
        work = markers.work(np.zeros(self.system.coordinates.n_v), np.zeros(markers.size))
        dof = markers.dof
        for i in range(len(self)):
            q, v = np.array(self.q[i]), np.array(self.v[i])
            if accelerations:
                markers.poses(work, q, v, tangent=True)
                twist_t[i] = work.JT.T @ self.a[i][dof] + work.JvT.T @ v[dof]
            else:
                markers.poses(work, q, v)
            p[i], R[i], twist[i] = work.p[0], work.R[0], work.twist[0]
            markers.rebase(q)
        return p, R, twist, twist_t

    def _marker(self, at: Any) -> Marker:
        form = self.extra.get("form")  # of a long tree, integrated as rigid bodies
        if isinstance(at, str):
            at = (self.model if form is None else form.relative).body(at)
        if isinstance(at, Body):
            at = at.centre
        if isinstance(at, Marker | Attachment):
            marker = as_marker("TimeSolution", at)
            return marker if form is None else form.marker(marker)
        raise ModelError(
            f"expected a marker, a rigid body or a place on a flexible body such as beam.end, not {show(at)}."
        )

    def _meant(self, joint: Any) -> Any:
        """The joint, or joint of a tree, that a user names, in the model that was integrated."""
        form = self.extra.get("form")
        if isinstance(joint, str):
            joint = (self.model if form is None else form.relative).joint(joint)
        return joint if form is None else form.joint(joint)

    def _joint(self, joint: Any) -> Joint:
        found: Joint = self.model.joint(joint) if isinstance(joint, str) else joint
        if not any(found is j for j in self.model.joints):
            raise ModelError(f"joint {getattr(joint, 'name', show(joint))!r} is not in model {self.model.name!r}.")
        return found
