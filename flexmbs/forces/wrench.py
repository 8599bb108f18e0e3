"""A force or a moment on one marker, dead or following it: the data, and the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from flexmbs.bodies.ground import Ground
from flexmbs.bodies.marker import Body, Marker, as_marker
from flexmbs.body import Attachment, as_attachment
from flexmbs.core.checks import as_array
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.core.jit import kernel
from flexmbs.core.references import Description

__all__ = [
    "Wrench",
    "WrenchGroup",
    "as_place",
    "in_space",
    "wrench_force",
    "wrench_group",
    "wrench_stiffness",
    "wrench_value",
]


@dataclass(frozen=True, eq=False)
class Wrench(Description):
    """A force F and a moment M on a marker, in inertial directions or, as a follower, in the marker's axes.

    With the marker's rotation R it adds to the sum of wrenches w = (force, moment in marker axes) of the marker, which
    enters the residual as J^T w, so with a minus sign:

        dead:      w -= (F, R^T M)        follower:  w -= (R F, M)
    """

    marker: Marker
    force: tuple[float, float, float] = (0.0, 0.0, 0.0)
    moment: tuple[float, float, float] = (0.0, 0.0, 0.0)
    follower: bool = False

    @property
    def markers(self) -> tuple[Marker, ...]:
        """The marker, in the form of what acts on several."""
        return (self.marker,)


def as_place(owner: str, value: object) -> Attachment | Marker:
    """Where a load acts: an attachment, or the marker of a body that moves."""
    if isinstance(value, Marker | Body):
        marker = as_marker(owner, value)
        if isinstance(marker.body, Ground):
            raise ModelError(f"{owner}: the ground does not move, so a load on it does nothing.")
        return marker
    return as_attachment(owner, value)


def in_space(owner: str, name: str, value: object, planar: bool, unit: str) -> FloatArray:
    """Three components; on what is planar two will do, and a third must be zero."""
    if not planar:
        return as_array(owner, name, value, (3,), unit=unit)
    given = as_array(owner, name, value, (None,), unit=unit)
    if len(given) not in (2, 3) or (len(given) == 3 and given[2] != 0.0):
        raise ModelError(f"{owner}: {name} lies in the plane: give two components, not {given.tolist()}.")
    return np.append(given[:2], 0.0)


class WrenchGroup(NamedTuple):
    """Markers ``mk (n,)``, ``F (n, 3)``, ``M (n, 3)``, ``follower (n,)`` 0 or 1, load factors ``load (n,)``."""

    mk: IntArray
    F: FloatArray
    M: FloatArray
    follower: IntArray
    load: IntArray


def wrench_group(wrenches: list[Wrench], markers: list[int], loads: list[int]) -> WrenchGroup:
    """The group of ``wrenches`` on the markers and with the load factors of the given numbers."""
    return WrenchGroup(
        np.array(markers, dtype=np.int64),
        np.array([w.force for w in wrenches], dtype=np.float64).reshape(-1, 3),
        np.array([w.moment for w in wrenches], dtype=np.float64).reshape(-1, 3),
        np.array([w.follower for w in wrenches], dtype=np.int64),
        np.array(loads, dtype=np.int64),
    )


@kernel
def wrench_force(group: WrenchGroup, R: FloatArray, scale: FloatArray, W: FloatArray) -> int:
    """Add all wrenches of the group to ``W (n_m, 6)``."""
    for i in range(group.mk.shape[0]):
        wrench_value(i, group, R, scale, W)
    return -1


@kernel
def wrench_value(i: int, group: WrenchGroup, R: FloatArray, scale: FloatArray, W: FloatArray) -> None:
    """Add wrench i to the row of its marker in ``W (n_m, 6)``; ``R (n_m, 3, 3)``, ``scale (n_loads,)``."""
    k, s = group.mk[i], scale[group.load[i]]
    if group.follower[i]:
        for a in range(3):
            W[k, a] -= s * (R[k, a, 0] * group.F[i, 0] + R[k, a, 1] * group.F[i, 1] + R[k, a, 2] * group.F[i, 2])
            W[k, 3 + a] -= s * group.M[i, a]
    else:
        for a in range(3):
            W[k, a] -= s * group.F[i, a]
            W[k, 3 + a] -= s * (R[k, 0, a] * group.M[i, 0] + R[k, 1, a] * group.M[i, 1] + R[k, 2, a] * group.M[i, 2])


@kernel
def wrench_stiffness(i: int, group: WrenchGroup, R: FloatArray, scale: FloatArray, X: FloatArray) -> bool:
    """d(w)/d(pose) of wrench i into ``X (6, 6)``; returns whether it is not zero.

    Follower: (force, rotation) block R F~. Dead: (moment, rotation) block -(R^T M)~. Both unsymmetric.
    """
    k, s = group.mk[i], scale[group.load[i]]
    X[:6, :6] = 0.0
    if group.follower[i]:
        x, y, z = s * group.F[i, 0], s * group.F[i, 1], s * group.F[i, 2]
        for a in range(3):
            X[a, 3] = R[k, a, 1] * z - R[k, a, 2] * y
            X[a, 4] = R[k, a, 2] * x - R[k, a, 0] * z
            X[a, 5] = R[k, a, 0] * y - R[k, a, 1] * x
        return bool(x != 0.0 or y != 0.0 or z != 0.0)
    x = s * (R[k, 0, 0] * group.M[i, 0] + R[k, 1, 0] * group.M[i, 1] + R[k, 2, 0] * group.M[i, 2])
    y = s * (R[k, 0, 1] * group.M[i, 0] + R[k, 1, 1] * group.M[i, 1] + R[k, 2, 1] * group.M[i, 2])
    z = s * (R[k, 0, 2] * group.M[i, 0] + R[k, 1, 2] * group.M[i, 1] + R[k, 2, 2] * group.M[i, 2])
    X[3, 4], X[3, 5] = z, -y
    X[4, 3], X[4, 5] = -z, x
    X[5, 3], X[5, 4] = y, -x
    return bool(x != 0.0 or y != 0.0 or z != 0.0)
