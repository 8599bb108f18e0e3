"""What a start does to what was described: velocities carried to an equilibrium, and warnings of changes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.kernels.steps import local
from flexmbs.system.refusals import refuse_moving_supports

__all__ = ["carry_velocities", "check_supports", "warn_of_changes"]

MOVED, TURNED = 1e-3, 1e-3
"""Displacements, in lengths of the model, and turns [rad] by the assembly that are worth a warning."""
FASTER = 1e-2
"""Change of the velocity of a body, as a share of it in the metric of the mass, that is worth a warning."""


def check_supports(dyn: Dynamics, q: FloatArray | None, passed: str = "") -> None:
    """Refuse prescribed displacements and rotations that the start ``q`` (None: as described) does not have.

    ``passed``: how the caller takes what statics finds, if it does.

    Raises
    ------
    ModelError
    """
    fixation, name = dyn.system.fixation, f"Model {dyn.system.model.name!r}"
    if not fixation.drives:
        return
    refuse_moving_supports(dyn.system)
    owners = ", ".join(drive.owner for drive in fixation.drives)
    turning = np.unique(fixation.frame_drive[fixation.frame_drive >= 0])
    if len(turning):
        raise ModelError(
            f"{name}: {fixation.drives[turning[0]].owner} prescribes a rotation, which only statics covers; describe "
            f"the body turned as it is to start, or join it to the ground and drive that joint."
        )
    if q is None:
        remedy = "join that place to the ground and drive the joint, or describe the body where it is to start"
        if passed:
            remedy = f"solve the statics first and pass what it found: {passed}"
        raise ModelError(
            f"{name}: {owners} prescribes a displacement without history, which the described positions do not have; "
            f"{remedy}."
        )
    held = fixation.to_frames(q, fixation.frames0)[fixation.fixed]
    driven = np.any(fixation.matrix != 0.0, axis=1)
    gap = np.abs(held - fixation.values(fixation.drives_at(0.0, 1.0)))[driven]
    if gap.max() > 1e-6 * dyn.length:
        raise ModelError(
            f"{name}: start is off by {gap.max():.3g} from what {owners} prescribes; pass what solve_static found with "
            f"the same supports, at load factor 1."
        )


def carry_velocities(dyn: Dynamics, q: FloatArray, v: FloatArray) -> None:
    """Turn the initial velocities in ``v`` with the bodies, from where they are described to the positions ``q``.

    Fields of flexible bodies are evaluated at q. A rigid body that spins about a point, its velocity across its angular
    velocity, keeps spinning about it if it was turned about the same direction; others keep their velocity in inertial
    axes.
    """
    c = dyn.coordinates
    for item in dyn.system.model.initial:
        item.velocity_field(c.node_dofs[c.index(item.body)], q, v)
    for group in c.groups:
        group.carry(q, v)


def warn_of_changes(
    dyn: Dynamics, q: FloatArray, v: FloatArray, found_q: FloatArray, found_v: FloatArray, kept: bool
) -> None:
    """Warn where assembly moved bodies far (unless ``kept``: some were named to stay), or changed their velocity."""
    if np.array_equal(q, found_q) and np.array_equal(v, found_v):
        return
    name = f"Model {dyn.system.model.name!r}"
    step = np.zeros(dyn.n_v)
    local(q, found_q, dyn.n_linear, step)
    largest: tuple[float, str] = (1.0, "")
    faster: tuple[float, str] = (FASTER, "")
    changes = (found for group in dyn.coordinates.groups for found in group.moves(q, found_q, step))
    for body, dofs, move, turn in changes:
        far = max(move / (MOVED * dyn.length), turn / TURNED)
        if far > largest[0]:
            words = [f"moved {body.name!r} by {move:.3g}"] if move > MOVED * dyn.length else []
            turned = f"turned {'it' if words else repr(body.name)} by {turn:.3g} rad"
            largest = far, " and ".join(words + ([turned] if turn > TURNED else []))
        before = float(dyn.mass[dofs] @ v[dofs] ** 2)
        change = float(dyn.mass[dofs] @ (found_v[dofs] - v[dofs]) ** 2)
        if change > faster[0] ** 2 * before > 0.0:
            share = float(np.sqrt(change / before))
            faster = share, f"of {body.name!r} by {100 * share:.3g} %{_from_to(dofs, v, found_v)}"
    if largest[1] and not kept:
        warnings.warn(
            f"{name}: the assembly {largest[1]} to meet the joints; give positions that fit, or keep_initial=(body, "
            f"...) for what is to stay.",
            RuntimeWarning,
            stacklevel=4,
        )
    if faster[1]:
        warnings.warn(
            f"{name}: the joints changed the initial velocity {faster[1]}; give velocities that fit the joints.",
            RuntimeWarning,
            stacklevel=4,
        )


def _from_to(dofs: Any, v: FloatArray, met: FloatArray) -> str:
    """Few velocities before and after."""
    if len(dofs) > 6:
        return ""
    least = 1e-12 * float(np.abs(v[dofs]).max())
    shown = (np.where(np.abs(y[dofs]) > least, y[dofs], 0.0) for y in (v, met))
    before, after = ("(" + ", ".join(f"{x:.4g}" for x in y) + ")" for y in shown)
    return f", from {before} to {after}"
