r"""What the joints of trees transmit: they have no equations and no multipliers, so it is found from the links beyond.

With the wrench of inertia f of every link beyond a joint, gravity included, and the wrenches w of all that acts on them
(joints of the model, springs, loads), the joint exerts on its link

.. math:: R = \sum_{beyond} (f - w) .

Its component along the coordinates of the joint is zero, unless something acts on these themselves: springs, motors and
drivers at a coordinate are not part of R.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.kernels.trees.group import F_, P_, R_
from flexmbs.model.trees.coordinate import TreeCoordinateMarker
from flexmbs.results.support_reactions import evaluated

if TYPE_CHECKING:
    from flexmbs.model.trees.coordinate import TreeCoordinate
    from flexmbs.results.states import States
    from flexmbs.system.groups.trees import Trees

__all__ = ["tree_reaction"]


def tree_reaction(solution: States, joint: TreeCoordinate, rows: IntArray) -> FloatArray:
    """Force (inertial axes) and moment about the link frame, in its axes, that a joint exerts on its link, (n, 6).

    Raises
    ------
    ModelError
        If the model has controllers, whose held values are not stored with every state, or the joint is fixed to others
        and so has no coordinate of its own.
    """
    system = solution.system
    trees: Any = system.coordinates.group_of(joint.tree)
    places, number, first = trees.of(joint.tree), trees.bodies.index(joint.tree), trees.first_column(joint.tree)
    own = places.own(joint.link)
    if not len(own):
        raise ModelError(f"reaction of joint {joint.name!r}: a fixed joint makes one body of two; it has no reaction.")
    head, last = int(own[0]), int(own[-1])
    beyond = []
    for i, marker in enumerate(system.mechanics.markers.markers):
        body: Any = marker.body
        if body not in joint.tree.bodies or isinstance(marker, TreeCoordinateMarker):
            continue
        if head in places.path(body.index, getattr(marker, "outlet", None)):
            beyond.append(i)
    R_L, p_L = places.columns.R_L[joint.link], places.columns.p_L[joint.link]
    out = np.empty((len(rows), 6))
    of_trees = system.coordinates.groups.index(trees)
    for n, (_, dyn) in enumerate(evaluated(f"reaction of joint {joint.name!r}", solution, rows)):
        table = cast("Trees", dyn.mechanics.groups[of_trees]).table  # as the last evaluation has left it
        row = table.work[first + last]
        R, origin = row[R_ : R_ + 9].reshape(3, 3), table.origin[number]
        frame, place = R @ R_L, row[P_ : P_ + 3] + R @ p_L
        wrench = table.work[first + head, F_ : F_ + 6].copy()
        for k in beyond:
            force, moment = dyn.markers.W[k, :3], dyn.markers.R[k] @ dyn.markers.W[k, 3:]
            wrench[:3] += force
            wrench[3:] += moment + np.cross(dyn.markers.p[k] - origin, force)
        out[n, :3] = wrench[:3]
        out[n, 3:] = frame.T @ (wrench[3:] - np.cross(place, wrench[:3]))
    return out
