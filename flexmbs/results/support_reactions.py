r"""What supports exert on flexible bodies, in statics and in motion: they have no equations and no multipliers.

Of fixed coordinates the residual does not vanish; with inertia, internal and applied forces and those of joints,

.. math:: r = M a + f_{int} - f_{ext} + G^T\lambda

is the force that the supports exert. Springs of supports count as supports.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray, State, Work
from flexmbs.core.errors import ModelError
from flexmbs.core.nodes import moments, places_in_q
from flexmbs.core.rotations import to_vector
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.model.bodies.marker import Marker

if TYPE_CHECKING:
    from flexmbs.model.bodies.attachment import Attachment
    from flexmbs.results.states import States

__all__ = ["evaluated", "support_reaction"]


def support_reaction(states: States, at: Attachment, rows: IntArray) -> FloatArray:
    """Force, and moments about the nodes, that supports exert on the nodes of ``at`` together, (n, 6), inertial axes.

    Raises
    ------
    ModelError
        If the body is not in the model, or the model has controllers, whose held values are not stored with every
        state.
    """
    model = states.model
    states.system.coordinates.index(at.body)
    found = zip(rows, _residuals(states, at, rows), strict=True)
    out = np.array([_wrench(states, at, states.q[i], r) for i, r in found])
    for load in model.loads:
        if getattr(load, "bushings", ()) and load.targets[0] is at.body:
            out += _of_springs(states, at, load, rows)
    return out


def evaluated(owner: str, states: States, rows: IntArray) -> Iterator[tuple[int, Dynamics]]:
    """Stored states by number, in ascending order, with the equations of motion evaluated there.

    States before them are evaluated, too, where turns have to be followed.

    Raises
    ------
    ModelError
        If the model has controllers or first-order states.
    """
    model, system = states.model, states.system
    if model.controllers or model.states:
        raise ModelError(
            f"{owner}: model {model.name!r} has controllers or states of its own, whose forces cannot be evaluated "
            f"again. Hold the place by a joint to the ground, which has a reaction."
        )
    dyn = Dynamics(system)
    states.set_loads(dyn, 0)
    dyn.start_turns(dyn.env.t)
    wanted = {int(i) for i in rows}
    for i in range(max(wanted) + 1):
        states.set_loads(dyn, i)
        q, v, a, lam = (np.array(x[i]) for x in (states.q, states.v, states.a, states.lam))
        dyn.residual(q, v, a, lam)
        dyn.accept(q)
        if i in wanted:
            yield i, dyn


def _residuals(states: States, at: Attachment, rows: IntArray) -> Iterator[FloatArray]:
    """What supports exert on all coordinates, (n_v,), in some states in ascending order."""
    for i, dyn in evaluated(f"reaction at {at}", states, rows):
        springs = Work(np.zeros_like(dyn.r), np.zeros(0))
        state = State(*(np.array(x[i]) for x in (states.q, states.v, states.a, states.lam)))
        r = dyn.r.copy()
        for term in states.system.terms:
            if term.support:
                term.force(term.group, state, dyn.env, springs)
        yield r - springs.r


def _wrench(states: States, at: Attachment, q: FloatArray, r: FloatArray) -> FloatArray:
    """Force and moment (6,) of the generalised forces ``r`` at the nodes."""
    layout = at.body.element.layout
    c = states.system.coordinates
    dofs, dim = c.dofs(at), layout.dim
    force, moment = np.zeros(3), np.zeros(3)
    # a hinge shares the coordinates of two nodes
    force[:dim] = r[np.unique(dofs[:, list(layout.position)], axis=0)].sum(axis=0)
    for part in moments(layout, q[places_in_q(layout, dofs, c.n_linear)], r[dofs]):
        moment += part
    return np.concatenate((force, moment))


def _of_springs(states: States, at: Attachment, load: Any, rows: IntArray) -> FloatArray:
    """Force and moment (n, 6) of an elastic support on nodes with quaternions."""
    out = np.zeros((len(rows), 6))
    for n in set(at.nodes) & set(load.at.nodes):
        node = Marker(at.body, node=n)
        if load.stiffness is not None:
            out[:, :3] -= states.displacement(node)[rows] @ np.asarray(load.stiffness)
        if load.rotation is not None:
            turns = states.rotation(node)[rows] @ node.rotation0().T
            out[:, 3:] -= load.rotation * np.array([to_vector(R) for R in turns])
    return out
