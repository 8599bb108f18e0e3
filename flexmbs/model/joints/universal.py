"""The universal joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.core.checks import is_list, show
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description
from flexmbs.kernels.rows.rows import ORTHOGONAL
from flexmbs.model.bodies.ends import two_ended
from flexmbs.model.bodies.frames import as_axis
from flexmbs.model.bodies.marker import Marker, as_marker, joint_frame
from flexmbs.model.joints.contracts import Equation, Pair, Row
from flexmbs.model.joints.lower_pairs import SAME_POINT, Z
from flexmbs.model.joints.sides import Side, as_sides, check_carried, check_different, joint_name

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["UniversalJoint"]

SQUARE = 1e-6
"""Cosine up to which the axes count as perpendicular."""


@two_ended
@dataclass(frozen=True, eq=False)
class UniversalJoint(Description):
    """A cross between two forks: p_A = p_B, and an axis of A stays perpendicular to one of B (4 equations).

    The rows are p_B - p_A = 0 in inertial axes and z_A.z_B = 0, where z_A is the first of ``axes``, fixed to A, and z_B
    the second, fixed to B. The multipliers of the first three are the force in inertial axes; that of the last the
    moment about z_A x z_B.

    Parameters
    ----------
    a, b : body, Marker or Attachment of one node
        Two markers have the axes of the cross as their third axes.
    at : (3,) array, optional
        Centre of the cross at the start, inertial frame [length]; not needed if a side is a node or a marker.
    axes : two (3,) arrays, optional
        Axes of the cross in the forks of a and of b at the start, inertial frame; perpendicular.
    name : str, optional
        For messages and results.

    Raises
    ------
    ModelError
        If point or axes are missing, the axes are not perpendicular, or a side cannot carry the joint.

    Examples
    --------
    >>> import flexmbs as fx
    >>> shaft = fx.RigidBody.box(size=(1, 0.1, 0.1), mass=1.0, position=(0.5, 0, 0), name="shaft")
    >>> cross = fx.UniversalJoint(fx.ground, shaft, at=(0, 0, 0), axes=((0, 1, 0), (0, 0, 1)))
    >>> len(cross.equations)
    4
    """

    role: ClassVar[str] = "joint"
    a: Side
    b: Side
    at: InitVar[ArrayLike | None] = None
    axes: InitVar[Sequence[ArrayLike] | None] = None
    name: str = ""
    pairs: tuple[Pair, ...] = field(init=False, repr=False)
    equations: tuple[Equation, ...] = field(init=False, repr=False)

    def __post_init__(self, at: ArrayLike | None, axes: Sequence[ArrayLike] | None) -> None:
        name = joint_name("UniversalJoint", "universal", self.name, self.a, self.b)
        owner = f"UniversalJoint {name!r}"
        if isinstance(self.a, Marker) and isinstance(self.b, Marker):
            if at is not None or axes is not None:
                raise ModelError(f"{owner}: at and axes are not used with two markers; leave them out.")
            a, b = check_different(owner, self.a, self.b)
        elif isinstance(self.a, Marker) or isinstance(self.b, Marker):
            raise ModelError(f"{owner}: name two bodies and give at and axes, or name two markers.")
        else:
            first, second = _axes(owner, axes)
            point = as_sides(owner, self.a, self.b, at, needs_axis=False)[0].position0()
            a = as_marker(owner, self.a, point, joint_frame(first))
            b = as_marker(owner, self.b, point, joint_frame(second))
        cosine = float(a.rotation0()[:, 2] @ b.rotation0()[:, 2])
        if abs(cosine) > SQUARE:
            raise ModelError(
                f"{owner}: its two axes must be perpendicular at the start, but the angle between them is "
                f"{np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))):.6g} degrees."
            )
        conditions = (*SAME_POINT, (ORTHOGONAL, (*Z, *Z), "right angle of the axes"))
        pairs = (Pair(a, b, tuple(Row(kind, c, k) for k, (kind, c, _) in enumerate(conditions))),)
        check_carried(owner, pairs)
        equations = tuple(Equation(label) for *_, label in conditions)
        for key, value in (("a", a), ("b", b), ("name", name), ("pairs", pairs), ("equations", equations)):
            object.__setattr__(self, key, value)


def _axes(owner: str, axes: object) -> tuple[ArrayLike, ArrayLike]:
    """Two directions."""
    if not is_list(axes, 2):
        raise ModelError(
            f"{owner}: axes must be two directions in the inertial frame, that of a and that of b, such as "
            f"((0, 1, 0), (0, 0, 1)), not {show(axes)}."
        )
    return as_axis(owner, "axes[0]", axes[0], False), as_axis(owner, "axes[1]", axes[1], False)
