"""Frames of sections: bodies without inertia of their own, which neighbouring substructures share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import as_array, as_name, frozen_copy
from flexmbs.core.errors import ModelError
from flexmbs.core.rotations import RotationLike, as_rotation
from flexmbs.model.bodies.rigid import RigidBody

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from flexmbs.model.model import Model

__all__ = ["SectionFrame"]


@dataclass(frozen=True, eq=False, init=False)
class SectionFrame(RigidBody):
    """The frame of a section, {r0, u, v, w}, in which one `Substructure` ends and the next one begins.

    It has the coordinates of a rigid body and no inertia of its own: its mass is that of the substructures that end in
    it. Joints, forces and sensors attach to it as to a rigid body.

    Parameters
    ----------
    position : (3,) array
        Of the section at the start, inertial frame [length].
    rotation : (3, 3) array, (4,) array or scipy Rotation, optional
        Orientation at the start; by default along the inertial axes.
    velocity, angular_velocity : (3,) array, optional
        At the start, in inertial [length/time] and in body axes [rad/time].
    name : str

    Raises
    ------
    ModelError
        If a number is not finite; in a model, if no substructure ends in it.

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.SectionFrame((1.0, 0, 0), name="middle").mass
    0.0
    """

    def __init__(
        self,
        position: ArrayLike,
        rotation: RotationLike = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        name: str = "section",
    ) -> None:
        owner = f"SectionFrame {as_name('SectionFrame', 'name', name)!r}"
        arrays = {
            "inertia": np.zeros((3, 3)),
            "position": as_array(owner, "position", position, (3,), unit="length"),
            "rotation": as_rotation(owner, "rotation", rotation),
            "velocity": as_array(owner, "velocity", velocity, (3,), unit="length/time"),
            "angular_velocity": as_array(owner, "angular_velocity", angular_velocity, (3,), unit="rad/time"),
        }
        object.__setattr__(self, "mass", 0.0)
        for field, array in arrays.items():
            object.__setattr__(self, field, frozen_copy(array))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "shape", None)

    def check_in(self, owner: str, model: Model) -> None:
        """Refuse it where no substructure ends in it."""
        if not any(self is end for part in model.substructures for end in (part.start, part.end)):
            raise ModelError(f"{owner}: {self} has no inertia of its own, and no Substructure ends in it.")

    def __str__(self) -> str:
        return f"SectionFrame {self.name!r}"

    def _with(self, **changes: Any) -> SectionFrame:
        given = ("position", "rotation", "velocity", "angular_velocity", "name")
        return SectionFrame(**{field: changes.get(field, getattr(self, field)) for field in given})
