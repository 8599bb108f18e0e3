"""A point of B on a line or a plane of A."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.model.bodies.ends import two_ended
from flexmbs.model.joints.lower_pairs import ON_LINE, ON_PLANE, LowerPair

__all__ = ["PointOnLineConstraint", "PointOnPlaneConstraint"]


@two_ended
@dataclass(frozen=True, eq=False)
class PointOnLineConstraint(LowerPair):
    """The point of B stays on the line through p_A along z_A (2 equations): a pin in a slot.

    The rows are x_A.d = y_A.d = 0 with d = p_B - p_A. Its coordinate is ``displacement``. The reaction acts at the
    point of B. B may turn as it likes and may be a point.

    Parameters
    ----------
    a : body, Marker or Attachment of one node
        That the line is fixed to.
    b : body, Marker or Attachment of one node
    at : (3,) array, optional
        Where the point is at the start, inertial frame [length]; not needed if b is a node, a point mass or a marker.
    axis : (3,) array
        Direction of the line at the start, inertial frame.
    name : str, optional
        For messages and results.

    Raises
    ------
    ModelError
        If point or axis are missing or wrong, a has no orientation, or both sides are the same body.

    Examples
    --------
    >>> import flexmbs as fx
    >>> bead = fx.PointMass(1.0, position=(1, 1), name="bead")
    >>> [e.label for e in fx.PointOnLineConstraint(fx.ground, bead, axis=(1, 1)).equations]
    ['position along x', 'position along y']
    """

    word = "point on line"
    conditions = ON_LINE
    free = ("displacement",)
    planar_axis = False


@two_ended
@dataclass(frozen=True, eq=False)
class PointOnPlaneConstraint(LowerPair):
    """The point of B stays in the plane through p_A with the normal z_A (1 equation), on both sides of it.

    The row is z_A.d = 0 with d = p_B - p_A. The reaction acts at the point of B. Parameters as in
    `PointOnLineConstraint`; ``axis`` is the normal.

    Examples
    --------
    >>> import flexmbs as fx
    >>> bead = fx.PointMass(1.0, position=(1, 1, 0), name="bead")
    >>> fx.PointOnPlaneConstraint(fx.ground, bead, axis=(0, 0, 1)).name
    'point on plane of ground and bead'
    """

    word = "point on plane"
    conditions = ON_PLANE
    planar_axis = False
