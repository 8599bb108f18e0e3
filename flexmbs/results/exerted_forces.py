"""What joints, supports, forces, actuators and contacts exert in the stored states of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.calls import with_methods
from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.model.bodies.attachment import Attachment, as_attachment
from flexmbs.model.trees.coordinate import TreeCoordinate
from flexmbs.results.actuator_history import actuator_history, meant_actuator
from flexmbs.results.contact_history import contact_history
from flexmbs.results.force_history import force_history
from flexmbs.results.held_values import actuators_of
from flexmbs.results.joint_history import at_tree_coordinate, reaction_wrench
from flexmbs.results.kinematics import joint_of, meant_joint, named_joint
from flexmbs.results.shown_states import ShownStates
from flexmbs.results.support_reactions import support_reaction
from flexmbs.results.tree_reactions import coordinate_reaction, tree_reaction

if TYPE_CHECKING:
    from flexmbs.results.contact_history import ContactHistory

__all__ = ["ExertedForces"]


@with_methods
class ExertedForces(ShownStates):
    """Of `flexmbs.results.states.States`, whose rules of shapes hold."""

    def reaction(self: Any, at: Any, step: int | None = None) -> FloatArray:
        """Force (n, 3) of a joint on its side b, or of supports on nodes, inertial axes [force].

        Of a joint of a tree, ``tree.joint(name)``, the side b is its link; it is what the joint's constraints transmit,
        as between rigid bodies: forces of springs, motors, stops, friction and drivers at its coordinates are not in
        it. A driver at a coordinate is a joint of its own, with the force along that coordinate.

        Of a place on a flexible body, such as ``body.start``: the force of supports, elastic ones too, on its nodes
        together; zero, up to the tolerance of the analysis, where nothing is supported.
        """
        return np.asarray(self._given(self._reaction(at, step)[:, :3], step))

    def reaction_moment(self: Any, at: Any, step: int | None = None) -> FloatArray:
        """Moment (n, 3) of a joint on its side b about the marker there, in the axes of that marker [force length].

        Of a joint of a tree, and of a driver at its coordinate, about the origin of the link frame, in the axes of the
        link. It has no component along an axis that the joint leaves free; that of a driver is along its axis.

        Of a place on a flexible body that of supports, elastic ones too, each about its node, in inertial axes; along z
        in the plane.
        """
        return np.asarray(self._given(self._reaction(at, step)[:, 3:], step))

    def multipliers(self: Any, joint: Any, step: int | None = None) -> FloatArray:
        """Multipliers (n, m) of a joint, in the order of its equations."""
        equations = self.system.mechanics.equations_of(joint_of(self, meant_joint(self, joint)))
        return np.asarray(self._given(self.lam[self._rows(step)][:, equations], step))

    def force(self: Any, force: Any) -> Any:
        """The `ForceHistory` of a force between markers, or of its name: coordinate, rate, force (n,), and energy.

        The force is positive where it acts against the coordinate: a strut that pulls, a torque that turns side b back.
        Of a bushing they are (n, 6). Turns are counted as in `angle`.

        Of an actuator, or of its name, the `ActuatorHistory` of a motion: coordinate, rate, the force or torque that
        acts after law and limits, its power, and the value held for it. This force is positive where it drives the
        coordinate up.

        Forces of contacts are in `contact`.
        """
        force = self.model.present(force)
        if any(force is one or force == one.name for one in self.model.forces):
            found = self.model.force(force) if isinstance(force, str) else force
            if hasattr(found, "touching"):
                raise ModelError(f"force: {found.name!r} is a contact; run.contact({found.name!r}) has its forces.")
            return force_history(self, found)
        actuator = meant_actuator(self, force)
        if actuator is not None:
            return actuator_history(self, actuator)
        names = [one.name for one in (*self.model.forces, *actuators_of(self.model))]
        raise ModelError(f"Model {self.model.name!r}: {unknown_name('force or actuator', force, names)}")

    def contact(self: Any, contact: Any) -> ContactHistory:
        """Gaps, forces, slip and losses of the pairs of a contact over all states.

        Parameters
        ----------
        contact : Contact, or its name

        Examples
        --------
        >>> import flexmbs as fx
        >>> ball = fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), velocity=(0, 0, -2.0), name="ball")
        >>> floor = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
        >>> law = fx.contact.HuntCrossleyLaw(stiffness=1e6)
        >>> touch = fx.Contact((floor, fx.contact.Sphere(ball, radius=0.1)), law, name="touch")
        >>> run = fx.simulate(fx.Model(ball, touch), until=0.02)
        >>> run.contact("touch").normal.shape == (len(run.t), 1)
        True
        """
        found = self.model.force(getattr(self.model.present(contact), "name", contact))
        if not hasattr(found, "touching"):
            raise ModelError(
                f"contact: {show(contact)} is no Contact of model {self.model.name!r}, nor the name of one."
            )
        return contact_history(self, found)

    def _reaction(self: Any, at: Any, step: int | None) -> FloatArray:
        """Wrenches (n, 6) on side b of a joint, on a link of a tree about its frame, or on supported nodes."""
        rows = self._rows(step)
        if isinstance(at, Attachment):
            return support_reaction(self, as_attachment("reaction", at), rows)
        joint = named_joint(self, at)
        if isinstance(joint, TreeCoordinate):
            return tree_reaction(self, joint, rows)
        if at_tree_coordinate(joint) is not None:
            return coordinate_reaction(self, joint, rows)
        return reaction_wrench(self, meant_joint(self, joint), rows)
