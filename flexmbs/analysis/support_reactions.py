r"""What supports exert on flexible bodies of models that move: they have no equations and no multipliers.

Of fixed coordinates the residual does not vanish; with inertia, internal and applied forces and those of joints,

.. math:: r = M a + f_{int} - f_{ext} + G^T\lambda

is the force that the supports exert. Springs of supports count as supports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.bodies.marker import Marker
from flexmbs.core.contracts import FloatArray, State, Work
from flexmbs.core.errors import ModelError
from flexmbs.core.rotations import from_quaternion, to_vector
from flexmbs.dynamics import Dynamics

if TYPE_CHECKING:
    from flexmbs.body import Attachment
    from flexmbs.time_solution import TimeSolution

__all__ = ["support_reaction"]


def support_reaction(solution: TimeSolution, at: Attachment) -> FloatArray:
    """Force, and moments about the nodes, that supports exert on the nodes of ``at`` together, (n_t, 6), inertial axes.

    Raises
    ------
    ModelError
        If the body is not in the model, or the model has controllers, whose held values are not stored with every
        state.
    """
    model, system = solution.model, solution.system
    owner = f"reaction at {at}"
    if not any(at.body is body for body in model.flexible_bodies):
        raise ModelError(f"{owner}: body {at.body.name!r} is not in model {model.name!r}.")
    if model.controllers or model.states:
        raise ModelError(
            f"{owner}: model {model.name!r} has controllers or states of its own, whose forces cannot be evaluated "
            f"again. Hold the place by a joint to the ground, which has a reaction."
        )
    dyn = Dynamics(system)
    static = "static" in solution.settings
    out = np.zeros((len(solution), 6))
    dyn.start_turns(float(solution.t[0]))
    for i in range(len(solution)):
        s = float(solution.t[i])
        if static:
            dyn.prescribed.ramp(s, s)
        else:
            dyn.set_time(s)
        q, v, a, lam = (np.array(x[i]) for x in (solution.q, solution.v, solution.a, solution.lam))
        r = dyn.residual(q, v, a, lam).copy()
        dyn.accept(q)
        springs = Work(np.zeros_like(r), np.zeros(0))
        for term in system.terms:
            if term.support:
                term.force(term.group, State(q, v, a, lam), dyn.env, springs)
        out[i] = _wrench(solution, at, q, r - springs.r)
    for load in model.loads:
        if getattr(load, "bushings", ()) and load.targets[0] is at.body:
            out += _of_springs(solution, at, load)
    return out


def _wrench(solution: TimeSolution, at: Attachment, q: FloatArray, r: FloatArray) -> FloatArray:
    """Force and moment (6,) of the generalised forces ``r`` at the nodes."""
    layout = at.body.element.layout
    c = solution.system.coordinates
    dofs, dim = c.dofs(at), layout.dim
    force, moment = np.zeros(3), np.zeros(3)
    # a hinge shares the coordinates of two nodes
    force[:dim] = r[np.unique(dofs[:, list(layout.position)], axis=0)].sum(axis=0)
    if layout.quaternion:
        for k in dofs[:, 0]:
            place = c.n_linear + 7 * ((int(k) - c.n_linear) // 6) + 3
            moment += from_quaternion(q[place : place + 4]) @ r[k + 3 : k + 6]
    elif layout.rotation:
        moment[-len(layout.rotation) :] = r[dofs[:, list(layout.rotation)]].sum(axis=0)
    else:
        for part in layout.vectors:
            vector, pull = np.zeros((2, len(dofs), 3))
            vector[:, :dim], pull[:, :dim] = q[dofs[:, list(part)]], r[dofs[:, list(part)]]
            moment += np.cross(vector, pull).sum(axis=0)
    return np.concatenate((force, moment))


def _of_springs(solution: TimeSolution, at: Attachment, load: object) -> FloatArray:
    """Force and moment (n_t, 6) of an elastic support on nodes with quaternions."""
    out = np.zeros((len(solution), 6))
    stiffness, rotation = getattr(load, "stiffness", None), getattr(load, "rotation", None)
    for n in set(at.nodes) & set(load.at.nodes):  # type: ignore[attr-defined]
        node = Marker(at.body, node=n)
        if stiffness is not None:
            out[:, :3] -= (solution.position(node) - at.body.mesh.points[n]) @ np.asarray(stiffness)
        if rotation is not None:
            turns = solution.rotation(node) @ node.rotation0().T
            out[:, 3:] -= rotation * np.array([to_vector(R) for R in turns])
    return out
