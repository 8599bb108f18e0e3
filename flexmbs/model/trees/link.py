"""Rigid links of trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import as_array, as_name, as_number, frozen_copy, has_shape, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.rotations import RotationLike, as_rotation
from flexmbs.model.bodies.inertia import as_inertia
from flexmbs.model.bodies.wireframe import Wireframe
from flexmbs.model.trees.joints import TreeJoint, checked_joint

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Link"]


@dataclass(frozen=True, eq=False, init=False)
class Link:
    r"""A rigid link of a tree, with the joint to the link before it.

    The joint frame is fixed to the link before, at ``at`` with the axes ``rotation``; the link frame is where the joint
    takes it, the same at zero coordinates.

    Parameters
    ----------
    name : str
        Unique in the tree.
    mass : float
        [mass]; zero for a link that only leads to others.
    inertia : (3,) or (3, 3) array
        About the centre of mass in axes of the link [mass length^2].
    centre : (3,) array
        Centre of mass in the link frame [length].
    parent : str, optional
        Name of the link before; without it the link is joined to the base of the tree.
    joint : TreeJoint, default ``trees.Revolute()``
        A hinge about z by default; ``trees.Fixed()`` for none.
    at : (3,) array or str
        Origin of the joint frame in the frame of the link before, or of the base [length]; on a `FlexibleLink` the name
        of one of its interfaces.
    rotation : (3, 3) array, (4,) array or scipy Rotation, optional
        Axes of the joint frame in those of the link before, or of its interface.
    start : array, rotation or (array, rotation), optional
        Coordinates of the joint at the start; for a `Spherical` joint a rotation, for a `Free` one place and rotation.
    rate : array, optional
        Velocities of the joint at the start.
    shape : Wireframe, optional
        What is drawn, from the centre of mass in axes of the link; by default lines between joints, and of a last link
        through its centre of mass (`flexmbs.model.trees.link_shapes`).

    Raises
    ------
    ModelError
        If the mass is negative, no body can have the inertia, or an array has another shape.

    Examples
    --------
    >>> from flexmbs import trees
    >>> arm = trees.Link("arm", 2.0, (0.01, 0.1, 0.1), centre=(0.3, 0, 0), joint=trees.Revolute((0, 1, 0)), start=0.5)
    >>> arm.start.tolist()
    [0.5]
    """

    name: str
    mass: float
    inertia: FloatArray
    centre: FloatArray
    parent: str | None
    joint: TreeJoint
    at: FloatArray | str
    rotation: FloatArray
    start: FloatArray
    rate: FloatArray
    shape: Wireframe | None

    def __init__(
        self,
        name: str,
        mass: float = 0.0,
        inertia: ArrayLike = (0.0, 0.0, 0.0),
        centre: ArrayLike = (0.0, 0.0, 0.0),
        parent: str | None = None,
        joint: TreeJoint | None = None,
        at: ArrayLike | str = (0.0, 0.0, 0.0),
        rotation: RotationLike = None,
        start: Any = None,
        rate: ArrayLike | None = None,
        shape: Wireframe | None = None,
    ) -> None:
        owner = f"Link {as_name('Link', 'name', name)!r}"
        joint = checked_joint(owner, joint, parent)
        if shape is not None and not isinstance(shape, Wireframe):
            raise ModelError(f"{owner}: shape must be a Wireframe, not {show(shape)}.")
        heavy = as_number(owner, "mass", mass, minimum=0.0, unit="mass")
        given = np.asarray(inertia if has_shape(inertia, (3,)) or has_shape(inertia, (3, 3)) else ())
        none = given.size and given.dtype.kind in "fiu" and not given.any()
        if none:
            tensor = np.zeros((3, 3))
        elif heavy > 0.0:
            tensor = as_inertia(owner, inertia)
        else:
            raise ModelError(f"{owner}: it has an inertia but no mass; give mass=....")
        values = {
            "name": name, "mass": heavy, "parent": parent, "joint": joint, "shape": shape,
            "inertia": tensor,
            "centre": as_array(owner, "centre", centre, (3,), unit="length"),
            "at": at if isinstance(at, str) else as_array(owner, "at", at, (3,), unit="length"),
            "rotation": as_rotation(owner, "rotation", rotation),
            "start": joint.start(owner, start),
            "rate": as_array(owner, "rate", np.zeros(joint.n_v) if rate is None else np.atleast_1d(rate), (joint.n_v,)),
        }  # fmt: skip
        for key, value in values.items():
            object.__setattr__(self, key, frozen_copy(value) if isinstance(value, np.ndarray) else value)

    def __str__(self) -> str:
        return f"Link {self.name!r}"
