"""What a start does to what was described: velocities carried to an equilibrium, and warnings of changes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from flexmbs.bodies.floating import FloatingBody
from flexmbs.bodies.planar import PlanarRigidBody
from flexmbs.bodies.rigid import RigidBody
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import AccuracyWarning, ModelError
from flexmbs.core.rotations import from_quaternion
from flexmbs.dynamics import Dynamics
from flexmbs.mechanics.marker_set import MarkerSet
from flexmbs.mechanics.refusals import refuse_moving_supports
from flexmbs.mechanics.steps import local
from flexmbs.trees.flexible_link import FlexibleLink

__all__ = ["carry_velocities", "check_supports", "warn_of_changes", "warn_of_softening"]

MOVED, TURNED = 1e-3, 1e-3
"""Displacements, in lengths of the model, and turns [rad] by the assembly that are worth a warning."""
FASTER = 1e-2
"""Change of the velocity of a body, as a share of it in the metric of the mass, that is worth a warning."""
SPIN = 1e-9
"""Velocities along the spin, and turns across it, up to which a body counts as spinning about a point."""

SOFTENED = 0.1
"""Squared spin by squared lowest frequency that is worth a warning where nothing stiffens."""


def check_supports(dyn: Dynamics, q: FloatArray | None) -> None:
    """Refuse prescribed displacements and rotations that the start ``q`` (None: as described) does not have.

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
            f"{name}: {fixation.drives[turning[0]].owner} prescribes a rotation, which only statics of "
            f"flexible bodies alone covers; describe the body turned as it is to start, or join it to the "
            f"ground and drive that joint."
        )
    if q is None:
        remedy = "solve the statics first and pass what it found: start=solve_static(model)"
        if dyn.system.model.moves:
            remedy = "join that place to the ground and drive the joint, or describe the body where it is to start"
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
            f"the same supports, at load parameter 1."
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
    for body, (iq, iv) in zip(c.rigid, c.places, strict=True):
        if isinstance(body, PlanarRigidBody):
            if body.angular_velocity:
                turn = q[iq + 2] - body.angle
                cosine, sine = np.cos(turn), np.sin(turn)
                v[iv : iv + 2] = np.array([[cosine, -sine], [sine, cosine]]) @ body.velocity
        elif isinstance(body, RigidBody | FloatingBody):
            turn = from_quaternion(q[iq + 3 : iq + 7]) @ body.rotation.T
            omega = body.rotation @ body.angular_velocity
            rate, speed = float(np.linalg.norm(omega)), float(np.linalg.norm(body.velocity))
            along = np.abs(turn @ omega - omega).max() <= 1e-6 * rate
            if rate > 0.0 and along and abs(omega @ body.velocity) <= SPIN * rate * speed:
                v[iv : iv + 3] = turn @ body.velocity


def warn_of_changes(
    dyn: Dynamics, q: FloatArray, v: FloatArray, found_q: FloatArray, found_v: FloatArray, kept: bool
) -> None:
    """Warn where assembly moved bodies far (unless ``kept``: some were named to stay), or changed their velocity."""
    name = f"Model {dyn.system.model.name!r}"
    step = np.zeros(dyn.n_v)
    local(q, found_q, dyn.n_linear, step)
    largest: tuple[float, str] = (1.0, "")
    faster: tuple[float, str] = (FASTER, "")
    for body, dofs, move, turn in _bodies(dyn, step):
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
            f"{name}: the assembly {largest[1]} to meet the joints; give positions that fit, or keep=(body, ...) for "
            f"what is to stay.",
            RuntimeWarning,
            stacklevel=4,
        )
    if faster[1]:
        warnings.warn(
            f"{name}: the joints changed the initial velocity {faster[1]}; give velocities that fit the joints.",
            RuntimeWarning,
            stacklevel=4,
        )


def warn_of_softening(dyn: Dynamics, q: FloatArray, v: FloatArray) -> None:
    """Warn where a body in a floating frame, or a flexible link, starts in a fast spin without geometric stiffening."""
    for body, rate, remedy in _soft_bodies(dyn, q, v):
        lowest = body.frequencies[0]
        share = (rate / lowest) ** 2
        if share > SOFTENED:
            warnings.warn(
                f"Model {dyn.system.model.name!r}: body {body.name!r} spins with {rate:.3g} rad/time, and its lowest "
                f"angular frequency is {lowest:.3g}. Without geometric stiffening the square of that frequency is "
                f"wrong by about {100.0 * share:.0f} %; {remedy}.",
                AccuracyWarning,
                stacklevel=4,
            )


def _soft_bodies(dyn: Dynamics, q: FloatArray, v: FloatArray) -> list[tuple[FloatingBody, float, str]]:
    """Bodies with shapes and without stiffening, the rate at which their frames turn, and what helps."""
    c = dyn.coordinates
    found = []
    for body, (_, iv) in zip(c.rigid, c.places, strict=True):
        if isinstance(body, FloatingBody) and body.second_order is None and body.modes:
            found.append((body, float(np.linalg.norm(v[iv + 3 : iv + 6])), "use reduce(..., stiffening=True)"))
    links = [(b, b.link) for t in c.trees for b in t.tree.bodies if isinstance(b.link, FlexibleLink) and b.link.modes]
    if links:
        markers = MarkerSet(c, [link.marker((0.0, 0.0, 0.0)) for link, _ in links], set(), 0)
        work = markers.poses(markers.work(np.zeros(dyn.n_v), np.zeros(markers.size)), q, v)
        advice = "take a FloatingBody of a model reduced with stiffening=True in place of the flexible link"
        found += [
            (b.floating, float(np.linalg.norm(t[3:])), advice) for (_, b), t in zip(links, work.twist, strict=True)
        ]
    return found


def _bodies(dyn: Dynamics, step: FloatArray) -> list[tuple[Any, Any, float, float]]:
    """Each body, its entries of v, and how far the increment moves [length] and turns it [rad]."""
    c = dyn.coordinates
    found: list[tuple[Any, Any, float, float]] = []
    for body, dofs in zip(c.bodies, c.node_dofs, strict=True):
        moves = step[dofs[:, list(body.element.layout.position)]]
        found.append((body, np.unique(dofs), float(np.linalg.norm(moves, axis=1).max()), 0.0))
    for body, (_, iv) in zip(c.rigid, c.places, strict=True):
        n, dim = len(body.initial_v), len(body.position)
        own = step[iv : iv + n]
        found.append((body, np.arange(iv, iv + n), float(np.linalg.norm(own[:dim])), float(np.linalg.norm(own[dim:]))))
    for tree in c.trees:
        dofs = tree.unknowns
        lengths = np.isin(dofs, tree.displacements)
        most = [float(np.abs(step[dofs[part]]).max(initial=0.0)) for part in (lengths, ~lengths)]
        found.append((tree.tree, dofs, most[0], most[1]))
    return found


def _from_to(dofs: Any, v: FloatArray, met: FloatArray) -> str:
    """Few velocities before and after."""
    if len(dofs) > 6:
        return ""
    least = 1e-12 * float(np.abs(v[dofs]).max())
    shown = (np.where(np.abs(y[dofs]) > least, y[dofs], 0.0) for y in (v, met))
    before, after = ("(" + ", ".join(f"{x:.4g}" for x in y) + ")" for y in shown)
    return f", from {before} to {after}"
