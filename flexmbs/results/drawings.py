"""What pictures show of the bodies of a compiled model, and where the frames of these are over a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.rotations import to_quaternion
from flexmbs.results.kinematics import kinematics

if TYPE_CHECKING:
    from flexmbs.results.states import States
    from flexmbs.system.groups import Drawing
    from flexmbs.system.system import System

__all__ = ["drawings", "frames", "reduced_drawing"]


def drawings(system: System) -> list[Drawing]:
    """Of all bodies that are shown, in the order of the model."""
    members = [member for body in system.model.described for member in body.members]
    found = (system.coordinates.group_of(member).drawing(member) for member in members)
    return [drawing for drawing in found if drawing is not None]


def frames(solution: States, drawing: Drawing, steps: Any = slice(None)) -> FloatArray:
    """Places and unit quaternions (n, 7) of the frame of what is drawn, at stored times."""
    if drawing.pose is not None:
        return np.hstack(drawing.pose(np.atleast_2d(solution.q[steps])))
    found = kinematics(solution, drawing.marker)  # of points, too, whose axes are those of the start
    turns = np.array([to_quaternion(R) for R in found.R[steps].reshape(-1, 3, 3)])
    return np.hstack((found.p[steps].reshape(-1, 3), turns))


def reduced_drawing(owner: str, system: System, body: Any) -> Drawing:
    """Of a body of a reduced model whose nodes move linearly in its coordinates, by the body itself or its name."""
    known = [member for item in system.model.bodies + system.model.trees for member in item.members]
    found = system.model.body(body) if isinstance(body, str) else body
    drawing = None
    if any(found is member for member in known):
        drawing = system.coordinates.group_of(found).drawing(found)
    if drawing is None or drawing.style != "reduced":
        raise ModelError(
            f"{owner}: expected a FloatingBody, a LinearBody or a flexible link of a tree of the model, or its name, "
            f"not {show(body)}."
        )
    return drawing
