r"""Whether the stiffness of a system at rest is symmetric, known from what acts in it, never guessed from numbers.

Forces with a potential have a symmetric stiffness wherever they balance. These have none: loads that follow a body,
moments about fixed axes in space, user forces, forces with a memory, first-order states, rolling. A load whose factor
is zero does not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.kernels.contact_laws import FRICTION_OF_CONTACT, NONE
from flexmbs.kernels.rows.rows import KINDS
from flexmbs.model.forces.items import DEAD

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["without_potential"]

VELOCITY_ONLY = [kind.number for kind in KINDS if kind.velocity_only]


def without_potential(dyn: Dynamics) -> str:
    """The first item whose forces have no potential, in words; empty where the stiffness at rest is symmetric.

    Loads are judged with the factors of the time set.

    Examples
    --------
    >>> import flexmbs as fx
    >>> from flexmbs.dynamics.evaluation import Dynamics
    >>> ball = fx.RigidBody(1.0, (1.0, 1.0, 1.0), position=(0, 0, 0), name="ball")
    >>> spring = fx.Bushing(fx.ground, ball, (1.0, 1.0, 1.0, 1.0, 1.0, 1.0), at=(0, 0, 0))
    >>> dead, torque = fx.PointForce(ball.centre, (1.0, 0, 0)), fx.Moment(ball.centre, (1.0, 0, 0))
    >>> systems = [fx.compile_model(fx.Model(ball, spring, load)) for load in (dead, torque)]
    >>> [without_potential(Dynamics(system)) for system in systems][0], bool(without_potential(Dynamics(systems[1])))
    ('', True)
    """
    return next(_items(dyn), "")


def _items(dyn: Dynamics) -> Iterator[str]:
    """All items without a potential."""
    yield from _terms(dyn)
    yield from _wrenches(dyn)
    m, model = dyn.mechanics, dyn.system.model
    for item in model.states:
        yield f"{type(item).__name__} {item.name!r}"
    if m is None:
        return
    for force in model.forces:
        if hasattr(force, "differentiate"):
            yield f"force {getattr(force, 'name', force)!r}"
    for n in np.flatnonzero(m.forces.state >= 0):
        yield f"force {m.force_owners[n].name!r}"
    for number, first in enumerate(m.contacts.where):
        if m.contacts.data[first + FRICTION_OF_CONTACT] != NONE:
            yield f"force {m.contact_owners[number].name!r}"
    for owner in m.distributed_owners:
        if owner.friction is not None:
            yield f"force {owner.name!r}"
    for j in np.flatnonzero(np.isin(m.joints.kind, VELOCITY_ONLY)):
        yield f"joint {m.equations[int(m.joints.eq[j]) - dyn.n_v].joint.name!r}"


def _terms(dyn: Dynamics) -> Iterator[str]:
    """Loads on nodes and elements, and dead moments on bodies and nodes that turn in space."""
    names, scale = dyn.system.model.load_names, dyn.env.scale
    turning = np.zeros(dyn.n_v, dtype=bool)
    for b in range(dyn.coordinates.n_rotating):
        turning[dyn.n_linear + 6 * b + 3 : dyn.n_linear + 6 * b + 6] = True
    for term in dyn.system.terms:
        numbers = getattr(term.group, "load", None)
        if term.force is DEAD.force:
            odd = np.any(turning[term.group.dofs], axis=1)
        elif term.symmetric:
            continue
        else:
            odd = np.ones(len(term.group.dofs), dtype=bool)
        if numbers is None:
            if odd.any():
                yield term.name
            continue
        for i in np.unique(numbers[odd]):
            if scale[i] != 0.0:
                yield f"load {names[i]!r}"


def _wrenches(dyn: Dynamics) -> Iterator[str]:
    """Forces on markers that follow them, and moments in space; in the plane a moment has the potential -M angle."""
    m = dyn.mechanics
    if m is None:
        return
    names = dyn.system.model.load_names
    group = m.wrenches
    for i in range(len(group.mk)):
        marker, load = m.markers.markers[int(group.mk[i])], int(group.load[i])
        turning = np.any(group.F[i]) if group.follower[i] else np.any(group.M[i]) and not marker.planar
        turning = turning or (bool(group.follower[i]) and np.any(group.M[i]) and not marker.planar)
        if turning and dyn.env.scale[load] != 0.0:
            yield f"load {names[load]!r}" if load < len(names) else f"the force on {marker}"
