"""Targets of inverse kinematics, limits of joints, and the pose that was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from flexmbs.core.checks import as_number, as_turns, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.rotations import as_rotation, axis_rotation
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.model.bodies.marker import Body, Marker, as_marker
from flexmbs.model.forces.coordinate import Coordinate, Place, What, coordinate
from flexmbs.results.time import TimeSolution

__all__ = ["JointLimit", "Pose", "PoseTarget", "errors_of"]


@dataclass(frozen=True, eq=False)
class PoseTarget:
    """Where a marker shall be.

    Parameters
    ----------
    at : Marker, Attachment of one node, or body
        Of a body its centre of mass with its axes.
    position : (3,) or (2,) sequence, optional
        Inertial frame [length]; None in place of a number leaves that component free.
    rotation : (3, 3) array, quaternion or number, optional
        Orientation: columns are the axes of the marker in the inertial frame; a number is an angle about z [rad].
    weight : float, default 1
        Of errors of position, by the length of the model, where targets cannot all be reached.
    turn_weight : float, default 1
        Of errors of orientation [1/rad].

    Raises
    ------
    ModelError
        If neither position nor rotation is given, or a weight is not positive.

    Examples
    --------
    >>> import flexmbs as fx
    >>> hand = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="hand")
    >>> fx.kinematics.PoseTarget(hand.marker_at((1, 0)), position=(0.5, None)).position
    (0.5, None, None)
    """

    at: Any
    position: Any = None
    rotation: Any = None
    weight: float = 1.0
    turn_weight: float = 1.0
    marker: Marker = field(init=False, repr=False)

    def __post_init__(self) -> None:
        owner = "PoseTarget"
        if not isinstance(self.at, Marker | Attachment | Body):
            raise ModelError(f"{owner}: at must be a marker, a body or a node such as beam.end, not {show(self.at)}.")
        marker = self.at.centre if isinstance(self.at, Body) else as_marker(owner, self.at)
        if self.position is None and self.rotation is None:
            raise ModelError(f"{owner} of {marker}: give a position, a rotation, or both.")
        if self.position is not None:
            object.__setattr__(self, "position", _components(f"{owner} of {marker}", self.position))
        if self.rotation is not None:
            turn = self.rotation
            if isinstance(turn, Real) and not isinstance(turn, bool):
                turn = axis_rotation(2, as_number(owner, "rotation", turn, unit="rad"))
            object.__setattr__(self, "rotation", as_rotation(f"{owner} of {marker}", "rotation", turn))
            if not marker.rotates:
                raise ModelError(f"{owner}: {marker} has no orientation; give a position only.")
        for name in ("weight", "turn_weight"):
            object.__setattr__(self, name, as_number(owner, name, getattr(self, name), above=0.0))
        object.__setattr__(self, "marker", marker)


@dataclass(frozen=True, eq=False)
class JointLimit:
    """Bounds of the coordinate of a joint, or of two markers.

    Parameters
    ----------
    on : joint, or two markers (a, b)
    lower, upper : float
        [rad or length]; either may be infinite.
    coordinate : 'angle', 'displacement' or 'distance', optional
        Needed where the joint leaves several free, and between two markers.

    Raises
    ------
    ModelError
        If lower is not below upper, or it is not clear which coordinate is meant.

    Examples
    --------
    >>> import flexmbs as fx
    >>> arm = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="arm")
    >>> JointLimit(fx.RevoluteJoint(fx.ground, arm, at=(0, 0), name="shoulder"), -1.0, 2.0).name
    'shoulder'
    """

    on: Place
    lower: float
    upper: float
    coordinate: What | None = None
    place: Coordinate = field(init=False, repr=False)
    name: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        place = coordinate("JointLimit", self.on, self.coordinate)
        name = getattr(self.on, "name", None) or f"{place.a} and {place.b}"
        for key in ("lower", "upper"):
            value = getattr(self, key)
            if isinstance(value, bool) or not isinstance(value, Real) or np.isnan(float(value)):
                raise ModelError(f"JointLimit of {name!r}: {key} must be a number, not {show(value)}.")
            object.__setattr__(self, key, float(value))
            if place.unit == "rad" and np.isfinite(float(value)):
                as_turns(f"JointLimit of {name!r}", key, value)
        if not self.lower < self.upper:
            raise ModelError(
                f"JointLimit of {name!r}: lower must be below upper, not {self.lower:g} and {self.upper:g}."
            )
        object.__setattr__(self, "place", place)
        object.__setattr__(self, "name", name)


@dataclass(frozen=True, eq=False, repr=False)
class Pose(TimeSolution):
    """A position of a model that inverse kinematics found: a `TimeSolution` of one state at rest.

    Positions, angles and distances are asked for in the same way, as arrays over one time. Accelerations, multipliers
    and energies are not known (NaN). `simulate` may begin there: ``start=pose``. A file keeps the state alone.

    Attributes
    ----------
    reached : bool
        Whether all targets are met.
    errors : (n, 2) array
        Distance from the position [length] and angle from the orientation [rad] of each target; zero if not asked for.
    iterations : int
    limited : tuple of str
        Names of the limits that hold coordinates there.
    """

    reached: bool = False
    errors: Any = None
    iterations: int = 0
    limited: tuple[str, ...] = ()

    def __repr__(self) -> str:
        how = "reached" if self.reached else f"off by {self.errors[:, 0].max():.3g}, {self.errors[:, 1].max():.3g} rad"
        return f"<pose of model {self.model.name!r}: {how} after {self.iterations} iterations>"


def _components(owner: str, value: object) -> tuple[float | None, ...]:
    """Three components, of which some may be None."""
    try:
        parts = list(value)  # type: ignore[call-overload]
    except TypeError:
        parts = []
    if len(parts) not in (2, 3) or isinstance(value, str):
        raise ModelError(f"{owner}: position must be 2 or 3 numbers, or None for those left free, not {show(value)}.")
    found = [None if p is None else as_number(owner, "a component of position", p, unit="length") for p in parts]
    if all(p is None for p in found):
        raise ModelError(f"{owner}: position leaves all components free; leave it out.")
    return (*found, None) if len(found) == 2 else tuple(found)


def errors_of(targets: tuple[PoseTarget, ...], p: FloatArray, turns: list[FloatArray]) -> FloatArray:
    """Distance and angle (n, 2) from each target; ``turns``: rotation vectors from the targets."""
    found = np.zeros((len(targets), 2))
    for i, target in enumerate(targets):
        if target.position is not None:
            gap = [p[i, k] - wanted for k, wanted in enumerate(target.position) if wanted is not None]
            found[i, 0] = np.linalg.norm(gap)
        if target.rotation is not None:
            found[i, 1] = np.linalg.norm(turns[i])
    return found
