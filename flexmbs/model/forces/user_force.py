"""Forces by a Python function of the poses and velocities of markers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from flexmbs.core.checks import as_array, as_name, show, warn_user
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import AccuracyWarning, FlexmbsError, ModelError
from flexmbs.core.references import Description
from flexmbs.core.rotations import from_vector
from flexmbs.core.user_functions import called, check_arguments
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.model.bodies.marker import Body, Marker, as_marker
from flexmbs.model.forces.row_force import RowForce
from flexmbs.model.forces.user_law import STEP, USER_ERRORS
from flexmbs.model.forces.wrench import Wrench

__all__ = ["UserForce"]

LOST = 1e-9
"""Part of a moment about an axis that carries none, relative to all of it, that is round-off."""

WrenchFunction: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray, float], FloatArray]
"""(p (n, 3), R (n, 3, 3), twist (n, 6), t) -> applied wrenches (n, 6)."""

WrenchDerivatives: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray, float], Sequence[FloatArray]]
"""The same arguments -> (d wrench/d pose (6n, 6n), d wrench/d twist (6n, 6n))."""


@dataclass(frozen=True, eq=False)
class UserForce(Description):
    """Forces and moments on markers by a function of yours.

    The function gets copies of the positions p (n, 3) and orientations R (n, 3, 3) of the n markers in the inertial
    frame, their twists (n, 6) (velocity of the point in inertial axes, angular velocity in the axes of the marker) and
    the time, and returns the wrenches (n, 6) it applies: force in inertial axes, moment in the axes of the marker. It
    is called in each iteration, must not remember anything, and must be smooth for Newton's method to settle.

    A node of a spatial cable or an `ANCFShell` carries no moment about its tangent or director, the first axis of a
    marker on it: an `AccuracyWarning` tells of a function that gives one, of compiled functions where an analysis
    starts.

    Parameters
    ----------
    markers : sequence of Marker, Attachment or PointMass
        On which it acts and of which it knows.
    function : function (p, R, twist, t) -> (n, 6)
    jacobian : function (p, R, twist, t) -> ((6n, 6n), (6n, 6n)), optional
        Derivatives of the wrenches by the poses and by the twists, in the order of the markers. The increment of a pose
        is (change of p, rotation dth in the axes of the marker: R <- R exp(dth~)), the twist being held. Without it
        central differences are taken, which needs 24 n calls for each tangent matrix.
    name : str

    Raises
    ------
    ModelError
        If a marker is not one, or, when it runs, a function fails or returns anything but finite numbers of the right
        shape; the message has the time.

    Examples
    --------
    Air drag on a point, quadratic in its speed:

    >>> import flexmbs as fx
    >>> ball = fx.PointMass(0.1, position=(0.0, 0.0, 1.0), name="ball")
    >>> def drag(p, R, twist, t):
    ...     v = twist[0, :3]
    ...     return np.concatenate((-0.01 * np.linalg.norm(v) * v, np.zeros(3)))[None]
    >>> air = fx.UserForce([ball], drag, name="air")
    >>> air.report
    'jacobian by central differences'
    """

    role: ClassVar[str] = "force"
    markers: Sequence[Marker | Attachment | Body]
    function: WrenchFunction
    jacobian: WrenchDerivatives | None = None
    name: str = "user force"
    row_forces: ClassVar[tuple[RowForce, ...]] = ()
    wrenches: ClassVar[tuple[Wrench, ...]] = ()
    size = 1.0  # what places count by; `in_model` knows better
    lost: ClassVar[tuple[int, ...]] = ()  # numbers of markers that carry no moment about an axis; of that in a model
    told: ClassVar[bool] = False  # whether this was warned of

    def __post_init__(self) -> None:
        owner = self._owner(as_name("UserForce", "name", self.name))
        if not isinstance(self.markers, list | tuple) or not self.markers:
            raise ModelError(f"{owner}: markers must be a list of at least one marker, not {show(self.markers)}.")
        object.__setattr__(self, "markers", tuple(as_marker(owner, marker) for marker in self.markers))
        for name in ("function", "jacobian"):
            value = getattr(self, name)
            if not (callable(value) or (value is None and name == "jacobian")) or isinstance(value, type):
                raise ModelError(f"{owner}: {name} must be a function of (p, R, twist, t), not {show(value)}.")
            if value is not None:
                check_arguments(owner, name, value, "(p, R, twist, t)")

    def in_model(self, length: float) -> UserForce:
        """The same in a model of a length, for steps of differences; it tells of moments that are lost."""
        found = copy(self)
        object.__setattr__(found, "size", length)
        markers: Any = self.markers
        object.__setattr__(found, "lost", tuple(i for i, m in enumerate(markers) if not _turns(m)))
        return found

    @property
    def report(self) -> str:
        """How the derivatives are obtained."""
        return "jacobian given" if self.jacobian is not None else "jacobian by central differences"

    def evaluate(self, p: FloatArray, R: FloatArray, twist: FloatArray, t: float, W: FloatArray) -> None:
        """Subtract the applied wrenches from ``W (n, 6)``, with which they enter the residual."""
        wrench = self._wrench(p, R, twist, t)
        if self.lost and not self.told:
            self._tell_of_lost(wrench[:, 3:], t)
        W -= wrench

    def differentiate(
        self, p: FloatArray, R: FloatArray, twist: FloatArray, t: float, X: FloatArray, Y: FloatArray
    ) -> None:
        """X, Y (6n, 6n): derivatives of what `evaluate` adds, by poses and by twists."""
        n = 6 * len(self.markers)
        if self.jacobian is not None:
            given = self._call("jacobian", p, R, twist, t)
            where = f"jacobian at t = {t:g}"
            if not isinstance(given, list | tuple) or len(given) != 2:
                raise ModelError(f"{self._owner()}: {where} must be a pair of arrays, not {show(given)}.")
            X[:] = -as_array(self._owner(), f"first part of the {where}", given[0], (n, n))
            Y[:] = -as_array(self._owner(), f"second part of the {where}", given[1], (n, n))
            return
        for k in range(n):
            i, axis = divmod(k, 6)
            size = self.size if axis < 3 else 1.0
            h = STEP * (max(size, abs(float(p[i, axis]))) if axis < 3 else 1.0)
            X[:, k] = (self._moved(p, R, twist, t, i, axis, -h) - self._moved(p, R, twist, t, i, axis, h)) / (2 * h)
            h = STEP * max(size, abs(float(twist[i, axis])))
            side = np.zeros_like(twist)
            side[i, axis] = h
            Y[:, k] = ((self._wrench(p, R, twist - side, t) - self._wrench(p, R, twist + side, t)) / (2 * h)).ravel()

    def _moved(
        self, p: FloatArray, R: FloatArray, twist: FloatArray, t: float, i: int, axis: int, h: float
    ) -> FloatArray:
        """Wrenches (6n,) after a small move of marker i."""
        p, R = p.copy(), R.copy()
        if axis < 3:
            p[i, axis] += h
        else:
            turn = np.zeros(3)
            turn[axis - 3] = h
            R[i] = R[i] @ from_vector(turn)
        return self._wrench(p, R, twist, t).ravel()

    def _wrench(self, p: FloatArray, R: FloatArray, twist: FloatArray, t: float) -> FloatArray:
        value = self._call("function", p, R, twist, t)
        return as_array(self._owner(), f"the value of the function at t = {t:g}", value, (len(self.markers), 6))

    def _call(self, name: str, p: FloatArray, R: FloatArray, twist: FloatArray, t: float) -> object:
        """The value of a function of the user's, or an error with the time."""
        try:
            return called(getattr(self, name), p.copy(), R.copy(), twist.copy(), t)
        except FlexmbsError:
            raise
        except USER_ERRORS as error:
            raise ModelError(
                f"{self._owner()}: {name} at t = {t:g} failed with {type(error).__name__}: {error}."
            ) from error

    def _tell_of_lost(self, moments: FloatArray, t: float) -> None:
        """Warn once of moments (n, 3) with parts about axes that carry none."""
        for i in self.lost:
            marker: Any = self.markers[i]
            if not marker.rotates and np.any(moments[i]):
                object.__setattr__(self, "told", True)
                warn_user(
                    f"{self._owner()}: at t = {t:g} it gives {marker} a moment, which has no orientation that it could "
                    f"turn: the moment is lost. Return zeros for it, or take a RigidBody.",
                    AccuracyWarning,
                )
                return
            if not marker.rotates:
                continue
            part = float(marker.spin_axis @ moments[i])
            if abs(part) > LOST * float(np.linalg.norm(moments[i])):
                object.__setattr__(self, "told", True)
                kind, axis, use = marker.spin_words
                warn_user(
                    f"{self._owner()}: at t = {t:g} it gives {marker} a moment with a part of {part:.3g} about the "
                    f"{axis}, where {kind} carries none: that part has no meaning. Give moments across it. {use}",
                    AccuracyWarning,
                )
                return

    def _owner(self, name: str | None = None) -> str:
        return f"UserForce {self.name if name is None else name!r}"


def _turns(marker: Any) -> bool:
    """Whether a moment about any axis acts on a marker."""
    return marker.rotates and marker.spin_axis is None
