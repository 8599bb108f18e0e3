"""Bushings: elastic connections in all directions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from flexmbs.core.checks import as_array, as_name, frozen_copy, shape_of, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import AxesWarning, ModelError
from flexmbs.core.references import Description
from flexmbs.core.rotations import skew
from flexmbs.kernels.laws import MATRIX
from flexmbs.kernels.rows.rows import ALONG, ANGLE, SWING, VECTOR
from flexmbs.model.bodies.ends import two_ended
from flexmbs.model.bodies.marker import Marker, as_marker
from flexmbs.model.forces.coordinate import start_value
from flexmbs.model.forces.row_force import RowForce
from flexmbs.model.forces.wrench import Wrench
from flexmbs.model.joints.contracts import Row
from flexmbs.model.joints.sides import check_different

__all__ = ["Bushing"]

TILTED = 0.02
"""Angle [rad] between the axes of a bearing at the start from which on it is told."""
SAME = 1e-9
"""Relative difference up to which stiffness is the same in two directions."""

Numbers = Sequence[float] | Sequence[Sequence[float]] | FloatArray


@two_ended
@dataclass(frozen=True, eq=False)
class Bushing(Description):
    r"""Springs and dampers between two frames, in the axes of the first.

    With s = (position of b in the axes of a, rotation vector from a to b in the axes of a) and the rates ds/dt

    .. math:: F = K (s - s_0) + C \dot s + F_0,

    where :math:`s_0` is ``free_coordinates`` and :math:`F_0` the ``preload``; the wrenches are those that do the work
    :math:`-F \cdot ds`. Where both sides are planar, as the ground is, too, s = (x, y, angle), the angle counted
    over all turns.

    Parameters
    ----------
    a, b : Marker or Attachment of one node; with ``at`` also bodies
    stiffness : (6,) or (6, 6) array, in the plane (3,) or (3, 3)
        Diagonal, or symmetric and not negative [force/length, force/rad, force length/rad]. The rotations can be left
        out: (3,) or (3, 3), in the plane (2,) or (2, 2).
    damping : array of one of these shapes, optional
        [force time/length, ...]
    free_coordinates : array, optional
        s at which the springs are free of force [length, rad]; by default that of the initial configuration.
    preload : array, optional
        [force, force length]
    at : (3,) or (2,) array, optional
        Where the sides are at the start [length], inertial frame, for sides given as bodies.
    name : str

    Raises
    ------
    ModelError
        If a shape is wrong, a matrix is not symmetric or negative, or a side has no orientation that is needed.

    Warns
    -----
    AxesWarning
        If a moves and may turn, b is the ground, and what acts is not the same in all directions across the axis of
        turning: the stiffness of a bearing that is softer across than up turns with its rotor then, which parametric
        excitation and other critical speeds come from. Fixed axes are those of ``Bushing(ground, rotor)``.
        If it is a bearing (see below) and the axes of its two sides are not one at the start.

    Notes
    -----
    A bushing with no stiffness, damping and preload about just one of its axes is a bearing: b may turn about that axis
    by any angle, and the other two rotations are those of the tilt of the axis alone, the rotation vector of the
    shortest way between its directions on a and on b (`flexmbs.kernels.rows.swing_rows`).

    Limit: else, in space, the rotation must stay below half a turn, where the rotation vector jumps; a tilt must in any
    case. `simulate` warns of what has passed it.

    Examples
    --------
    >>> import flexmbs as fx
    >>> engine = fx.RigidBody.box(size=(0.6, 0.4, 0.4), mass=100.0, name="engine")
    >>> mount = fx.Bushing(fx.ground, engine, stiffness=(1e5, 1e5, 2e5), at=(0.3, 0.2, -0.2), name="mount")
    >>> len(mount.row_forces[0].rows)
    3
    """

    role: ClassVar[str] = "force"
    a: Marker
    b: Marker
    stiffness: Numbers
    damping: Numbers | None = None
    free_coordinates: Sequence[float] | FloatArray | None = None
    preload: Sequence[float] | FloatArray | None = None
    at: Sequence[float] | FloatArray | None = None
    name: str = "bushing"
    row_forces: tuple[RowForce, ...] = field(init=False, repr=False)
    wrenches: ClassVar[tuple[Wrench, ...]] = ()

    def __post_init__(self) -> None:
        owner = f"Bushing {as_name('Bushing', 'name', self.name)!r}"
        a, b = check_different(owner, as_marker(owner, self.a, self.at), as_marker(owner, self.b, self.at))
        planar = a.planar and b.planar
        linear, full = (2, 3) if planar else (3, 6)
        n = (*shape_of(self.stiffness), 0)[0]
        if n not in (linear, full):
            raise ModelError(
                f"{owner}: stiffness must have {full} components (or {linear} without rotations), or as many rows and "
                f"columns, not {show(self.stiffness)}."
            )
        K = _matrix(owner, "stiffness", self.stiffness, n)
        C = np.zeros((n, n)) if self.damping is None else _matrix(owner, "damping", self.damping, n)
        preload = np.zeros(n) if self.preload is None else as_array(owner, "preload", self.preload, (n,))
        free = None if planar else _free_axis(K, C, preload)
        rows = _rows(owner, a, b, planar, n, free)
        if free is not None:
            _warn_of_tilt(owner, a, b, free)
        if b.body.is_ground and not a.body.is_ground and _turns_with(planar, K, C, preload):
            warnings.warn(
                f"{owner}: {a} is the first side, so that stiffness, damping and preload, which are not alike in all "
                f"directions, turn with it against the ground. If their axes stand still, give the ground first: "
                f"Bushing(ground, body).",
                AxesWarning,
                stacklevel=4,
            )
        free_coordinates = np.array([start_value(a, b, row) for row in rows])
        if self.free_coordinates is not None:
            free_coordinates = as_array(owner, "free_coordinates", self.free_coordinates, (n,), unit="length, rad")
        data = np.concatenate(([float(n)], K.ravel(), C.ravel(), free_coordinates, preload))
        for key, value in (("a", a), ("b", b), ("stiffness", frozen_copy(K)), ("damping", frozen_copy(C))):
            object.__setattr__(self, key, value)
        object.__setattr__(self, "free_coordinates", frozen_copy(free_coordinates))
        object.__setattr__(self, "preload", frozen_copy(preload))
        object.__setattr__(self, "row_forces", (RowForce(a, b, rows, MATRIX, tuple(data.tolist())),))

    @property
    def follows_rotation_vector(self) -> bool:
        """Whether moments follow `rotation_vectors`, which jump at half a turn."""
        return len(np.asarray(self.stiffness)) == 6

    def rotation_vectors(self, R: FloatArray) -> FloatArray:
        """Rotation vectors (n, 3) of orientations R (n, 3, 3) of b in the axes of a; of a bearing those of its tilt.

        Where they jump they are not known (nan).
        """
        free = _free_axis(*(np.asarray(x, dtype=float) for x in (self.stiffness, self.damping, self.preload)))
        if free is None:
            axial = 0.5 * np.stack([R[:, k, j] - R[:, j, k] for j, k in ((1, 2), (2, 0), (0, 1))], axis=1)
            cosine = 0.5 * (np.trace(R, axis1=1, axis2=2) - 1.0)
        else:
            axial, cosine = np.cross(np.eye(3)[free], R[:, :, free]), R[:, free, free]
        sine = np.linalg.norm(axial, axis=1)
        known = sine > 0.0
        angle = np.arctan2(sine, cosine)
        factor = np.where(known, angle / np.where(known, sine, 1.0), np.where(cosine > 0.0, 1.0, np.nan))
        return np.asarray(factor[:, None] * axial)


def _matrix(owner: str, name: str, value: object, n: int) -> FloatArray:
    """A symmetric matrix (n, n), not negative; of (n,) the diagonal one."""
    try:
        flat = len(shape_of(value)) < 2
    except ValueError:  # rows of different lengths, which as_array refuses
        flat = False
    given = as_array(owner, name, value, (n,) if flat else (n, n))
    matrix = np.diag(given) if flat else given
    d = np.sqrt(np.abs(np.diag(matrix)))
    scaled = matrix / np.outer(np.where(d > 0.0, d, 1.0), np.where(d > 0.0, d, 1.0))
    if np.abs(scaled - scaled.T).max() > 1e-12 or np.linalg.eigvalsh(scaled).min() < -1e-12:
        raise ModelError(f"{owner}: {name} must be symmetric and not negative, not {given.tolist()}.")
    return matrix


def _free_axis(K: FloatArray, C: FloatArray, preload: FloatArray) -> int | None:
    """The axis about which nothing acts, where there is one: the axis of a bearing."""
    if len(K) < 6:
        return None
    free = [i for i in range(3) if not (np.any(K[3 + i]) or np.any(C[3 + i]) or preload[3 + i])]
    return free[0] if len(free) == 1 else None


def _warn_of_tilt(owner: str, a: Marker, b: Marker, free: int) -> None:
    """Say that the axes of the two sides about which the bushing is free are not one at the start."""
    one, other = (marker.rotation0()[:, free] for marker in (a, b))
    tilt = float(np.arctan2(np.linalg.norm(np.cross(one, other)), one @ other))
    if tilt > TILTED:
        name = ("first", "second", "third")[free]
        warnings.warn(
            f"{owner}: nothing acts about the {name} axes, which are to turn on each other as in a bearing, but at the "
            f"start that of {b} is turned by {np.degrees(tilt):.3g} degrees against that of {a}: what turns about "
            f"one is held by the other. Give the side a marker whose axes are those of the other side.",
            AxesWarning,
            stacklevel=5,
        )


def _turns_with(planar: bool, K: FloatArray, C: FloatArray, preload: FloatArray) -> bool:
    """Whether b can turn on a, as far as the bushing knows, and what acts is another one in axes that turned with a.

    What is the same in all turned axes commutes with the infinitesimal rotation G about the axis, and G annuls vectors.
    """
    n = len(K)
    if planar:
        if n == 3 and (np.any(K[2]) or np.any(C[2]) or preload[2]):
            return False
        axes, size = [2], 2
    else:
        free = _free_axis(K, C, preload)
        if n == 6 and free is None and any(np.any(A[3:, 3:]) for A in (K, C)):
            return False
        axes, size = [0, 1, 2] if free is None else [free], 3
    for axis in axes:
        one = skew(np.eye(3)[axis])[:size, :size]
        G = np.kron(np.eye(n // size), one) if not planar else one
        m = len(G)
        for A in (K[:m, :m], C[:m, :m]):
            if np.abs(A @ G - G @ A).max() > SAME * np.abs(A).max():
                return True
        if np.abs(G @ preload[:m]).max() > SAME * np.abs(preload).max():
            return True
    return False


def _rows(owner: str, a: Marker, b: Marker, planar: bool, n: int, free: int | None) -> tuple[Row, ...]:
    """Translations and rotations of b in the axes of a; what turns freely about an axis tilts as that axis does."""
    if not (a.rotates and a.spin):
        raise ModelError(f"{owner}: {a} has no orientation about all axes; make it the second side.")
    if planar and abs(abs(a.rotation0()[2, 2]) - 1.0) > 1e-9:
        raise ModelError(f"{owner}: the third axis of {a} must be normal to the plane.")
    axes = [(float(i == 0), float(i == 1), float(i == 2)) for i in range(3)]
    if n == (2 if planar else 3):
        return tuple(Row(ALONG, e) for e in axes[:n])
    if not (b.rotates and b.spin):
        raise ModelError(f"{owner}: {b} has no orientation about all axes; give the stiffness of translations only.")
    if planar:
        return (Row(ALONG, axes[0]), Row(ALONG, axes[1]), Row(ANGLE))
    turns = [
        Row(VECTOR, e) if free is None or i == free else Row(SWING, (*e, *axes[free])) for i, e in enumerate(axes)
    ]  # fmt: skip
    return (*(Row(ALONG, e) for e in axes), *turns)
