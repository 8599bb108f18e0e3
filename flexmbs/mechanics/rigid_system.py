"""Systems of rigid bodies and joints alone, evaluated in one call: a call from Python costs as much as a few bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.markers.rigid import RIGID, RigidMarkers, rigid_place, rigid_place_tangent, rigid_pull
from flexmbs.mechanics.inertia import RigidGroup, gyroscopic_force, gyroscopic_tangent, inertia_force
from flexmbs.mechanics.moving_mass import mass_moves
from flexmbs.mechanics.pairs import JointGroup, joint_force, joint_tangent, pull_down

if TYPE_CHECKING:
    from flexmbs.mechanics.build import Mechanics
    from flexmbs.system import System

__all__ = ["rigid_alone", "rigid_residual", "rigid_tangent"]


def rigid_alone(system: System, m: Mechanics) -> tuple[RigidGroup, Any, JointGroup, IntArray] | None:
    """What `rigid_residual` needs where rigid bodies and joints are all that acts between markers, else None."""
    if len(m.markers.groups) != 1 or mass_moves(m):
        return None
    (kind, points), *_ = m.markers.groups
    others = len(m.forces.mA) or len(m.wrenches.mk) or m.actuator_wrenches or m.user_offsets or system.model.states
    if others or kind is not RIGID or len(m.stages) != 1 or not (len(m.rigid.dofs) and len(m.joints.mA)):
        return None
    return m.rigid, points, m.joints, m.markers.dof


@kernel
def rigid_residual(
    indptr: IntArray, indices: IntArray, mass: FloatArray, given: FloatArray, bodies: RigidGroup, points: RigidMarkers,
    joints: JointGroup, dof: IntArray, state: State, env: Env, work: MarkerWork,
) -> None:  # fmt: skip
    """Inertia, loads and joints into ``r``; the mass in compressed rows, ``dof`` as in `MarkerSet`."""
    inertia_force(indptr, indices, mass, state.a, given, work.r)
    gyroscopic_force(bodies, state, env, work)
    work.W[:] = 0.0
    rigid_place(points, state, env, work)
    joint_force(joints, state, env, work)
    pull_down(joints.mptr, dof, work.JT, work.W, work.r)


@kernel
def rigid_tangent(
    indptr: IntArray, indices: IntArray, mass: FloatArray, given: FloatArray, bodies: RigidGroup, points: RigidMarkers,
    joints: JointGroup, dof: IntArray, state: State, env: Env, work: MarkerWork, weights: tuple[float, float],
    on_rates: int,
) -> None:  # fmt: skip
    """The same, and the blocks."""
    inertia_force(indptr, indices, mass, state.a, given, work.r)
    gyroscopic_tangent(bodies, state, env, work, weights)
    work.W[:] = 0.0
    rigid_place_tangent(points, state, env, work)
    joint_tangent(joints, state, env, work, weights, on_rates)
    rigid_pull(points, state, env, work, weights)
    pull_down(joints.mptr, dof, work.JT, work.W, work.r)
