r"""Rotations: quaternions, matrices and rotation vectors, as kernels and as small helpers of descriptions.

R maps body axes to inertial axes; a quaternion (w, x, y, z) has its scalar first and unit length. Increments are
composed on the right, R exp(th~) and q * exp(th/2), so that th has its components in body axes. With t = |th|,

.. math::

    \exp\tilde\theta = I + \frac{\sin t}{t}\tilde\theta + \frac{1-\cos t}{t^2}\tilde\theta^2, \qquad
    T(\theta) = I - \frac{1-\cos t}{t^2}\tilde\theta + \frac{t-\sin t}{t^3}\tilde\theta^2,

    T^{-1}(\theta) = I + \tfrac12\tilde\theta + \frac{1-\tfrac t2\cot\tfrac t2}{t^2}\tilde\theta^2,

where T gives the change of the rotation in its own axes: exp((th + d)~) = exp(th~) exp((T(th) d)~) to first order in
d. T is singular at t = 2 pi.

Kernels take and give tuples of numbers, or write into a place of an array that exists; they allocate nothing.
Source: M. Geradin, A. Cardona, Flexible Multibody Dynamics, Wiley 2001, chapter 4.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from flexmbs.core.checks import as_array, has_shape, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.jit import kernel
from flexmbs.core.triples import Matrix, Vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "Quaternion",
    "RotationLike",
    "as_rotation",
    "axis_rotation",
    "exponential",
    "from_quaternion",
    "from_vector",
    "inverse_tangent",
    "logarithm",
    "matrix_quaternion",
    "matrix_vector",
    "orthogonal",
    "quaternion_matrix",
    "quaternion_product",
    "retract_quaternion",
    "skew",
    "tangent",
    "tangent_operator",
    "to_quaternion",
    "to_vector",
]

Quaternion = tuple[float, float, float, float]


class HasMatrix(Protocol):
    """An object that knows its rotation matrix, such as scipy's ``Rotation``."""

    def as_matrix(self) -> Any:
        """The matrix (3, 3)."""


RotationLike: TypeAlias = "ArrayLike | HasMatrix | None"
"""What may be given for a rotation: None, a matrix (3, 3), a quaternion (4,) scalar first, or scipy's ``Rotation``."""


# --- kernels ---------------------------------------------------------------------------------------------------------


@kernel
def quaternion_product(a: Quaternion, b: Quaternion) -> Quaternion:
    """The product a * b: first b, then a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel
def exponential(x: float, y: float, z: float) -> Quaternion:
    """The unit quaternion of a rotation vector."""
    h = 0.5 * math.sqrt(x * x + y * y + z * z)
    f = 0.5 if h < 1e-8 else 0.5 * math.sin(h) / h
    return math.cos(h), f * x, f * y, f * z


@kernel
def logarithm(a: Quaternion) -> Vector:
    """The rotation vector of a unit quaternion, at most pi long."""
    n = math.sqrt(a[1] * a[1] + a[2] * a[2] + a[3] * a[3])
    if n == 0.0:
        f = 2.0 if a[0] >= 0.0 else -2.0
    elif a[0] >= 0.0:
        f = 2.0 * math.atan2(n, a[0]) / n
    else:
        f = -2.0 * math.atan2(n, -a[0]) / n
    return f * a[1], f * a[2], f * a[3]


@kernel
def quaternion_matrix(q: FloatArray, i: int, R: FloatArray, k: int) -> None:
    """R[k] = matrix of the unit quaternion q[i:i+4]."""
    w, x, y, z = q[i], q[i + 1], q[i + 2], q[i + 3]
    R[k, 0, 0] = 1.0 - 2.0 * (y * y + z * z)
    R[k, 0, 1] = 2.0 * (x * y - w * z)
    R[k, 0, 2] = 2.0 * (x * z + w * y)
    R[k, 1, 0] = 2.0 * (x * y + w * z)
    R[k, 1, 1] = 1.0 - 2.0 * (x * x + z * z)
    R[k, 1, 2] = 2.0 * (y * z - w * x)
    R[k, 2, 0] = 2.0 * (x * z - w * y)
    R[k, 2, 1] = 2.0 * (y * z + w * x)
    R[k, 2, 2] = 1.0 - 2.0 * (x * x + y * y)


@kernel
def matrix_quaternion(R: FloatArray, k: int) -> Quaternion:
    """The unit quaternion of the rotation matrix R[k] with w >= 0, computed from its largest component."""
    xx, yy, zz = R[k, 0, 0], R[k, 1, 1], R[k, 2, 2]
    trace = xx + yy + zz
    if trace >= xx and trace >= yy and trace >= zz:
        w, x = 1.0 + trace, R[k, 2, 1] - R[k, 1, 2]
        y, z = R[k, 0, 2] - R[k, 2, 0], R[k, 1, 0] - R[k, 0, 1]
    elif xx >= yy and xx >= zz:
        w, x = R[k, 2, 1] - R[k, 1, 2], 1.0 + xx - yy - zz
        y, z = R[k, 0, 1] + R[k, 1, 0], R[k, 0, 2] + R[k, 2, 0]
    elif yy >= zz:
        w, x = R[k, 0, 2] - R[k, 2, 0], R[k, 0, 1] + R[k, 1, 0]
        y, z = 1.0 + yy - xx - zz, R[k, 1, 2] + R[k, 2, 1]
    else:
        w, x = R[k, 1, 0] - R[k, 0, 1], R[k, 0, 2] + R[k, 2, 0]
        y, z = R[k, 1, 2] + R[k, 2, 1], 1.0 + zz - xx - yy
    f = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    if w < 0.0:
        f = -f
    return f * w, f * x, f * y, f * z


@kernel
def matrix_vector(R: FloatArray, k: int) -> Vector:
    """The rotation vector of the rotation matrix R[k], at most pi long; at pi one of the two opposite ones."""
    return logarithm(matrix_quaternion(R, k))


@kernel
def retract_quaternion(q: FloatArray, i: int, x: float, y: float, z: float, out: FloatArray, o: int) -> None:
    """out[o:o+4] = q[i:i+4] * exp(th/2) of the rotation vector th = (x, y, z), scaled to unit length."""
    a, b, c, d = quaternion_product((q[i], q[i + 1], q[i + 2], q[i + 3]), exponential(x, y, z))
    f = 1.0 / math.sqrt(a * a + b * b + c * c + d * d)
    out[o], out[o + 1], out[o + 2], out[o + 3] = f * a, f * b, f * c, f * d


@kernel
def _of_vector(f: float, g: float, x: float, y: float, z: float) -> Matrix:
    """The matrix I + f th~ + g th~^2, row by row."""
    return (
        1.0 - g * (y * y + z * z),
        g * x * y - f * z,
        g * x * z + f * y,
        g * x * y + f * z,
        1.0 - g * (x * x + z * z),
        g * y * z - f * x,
        g * x * z - f * y,
        g * y * z + f * x,
        1.0 - g * (x * x + y * y),
    )


@kernel
def tangent_operator(x: float, y: float, z: float) -> Matrix:
    """T(th), row by row."""
    s = x * x + y * y + z * z
    h = 0.5 * math.sqrt(s)
    c = 1.0 if h < 1e-8 else math.sin(h) / h
    if s < 0.0625:
        series = 1.0 - s / 110.0 * (1.0 - s / 156.0)
        g = (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * series))) / 6.0
    else:
        t = 2.0 * h
        g = (t - math.sin(t)) / (s * t)
    return _of_vector(-0.5 * c * c, g, x, y, z)


@kernel
def inverse_tangent(x: float, y: float, z: float) -> Matrix:
    """The inverse of T(th), row by row; not finite where |th| is a multiple of 2 pi other than 0."""
    s = x * x + y * y + z * z
    if s < 0.0625:
        series = 1.0 / 1209600.0 + s * (1.0 / 47900160.0 + s * (691.0 / 1307674368000.0))
        g = 1.0 / 12.0 + s * (1.0 / 720.0 + s * (1.0 / 30240.0 + s * series))
    else:
        h = 0.5 * math.sqrt(s)
        g = (1.0 - h * math.cos(h) / math.sin(h)) / s
    return _of_vector(0.5, g, x, y, z)


# --- helpers on arrays -----------------------------------------------------------------------------------------------


def skew(vector: ArrayLike) -> FloatArray:
    """The matrix (3, 3) of the vector product: skew(a) @ b = a x b.

    Examples
    --------
    >>> skew((1.0, 2.0, 3.0)) @ (0.0, 0.0, 1.0)
    array([ 2., -1.,  0.])
    """
    x, y, z = np.asarray(vector, dtype=float)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def axis_rotation(axis: int, angle: float) -> FloatArray:
    """The rotation (3, 3) by an angle [rad] about the coordinate axis 0, 1 or 2."""
    cos, sin = math.cos(angle), math.sin(angle)
    R = IDENTITY.copy()
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i], R[i, j], R[j, i], R[j, j] = cos, -sin, sin, cos
    return R


def from_vector(vector: ArrayLike) -> FloatArray:
    """The matrix (3, 3) of a rotation vector (3,) [rad]."""
    return from_quaternion(exponential(*_three(vector)))


def to_vector(R: ArrayLike) -> FloatArray:
    """The rotation vector (3,) [rad] of a rotation matrix (3, 3), at most pi long.

    Examples
    --------
    >>> to_vector(axis_rotation(2, 3.0))
    array([0., 0., 3.])
    """
    return np.array(matrix_vector(np.array(R, dtype=float, order="C")[None], 0))


def from_quaternion(q: ArrayLike) -> FloatArray:
    """The matrix (3, 3) of a unit quaternion (4,)."""
    R = np.empty((1, 3, 3))
    quaternion_matrix(np.array(q, dtype=float), 0, R, 0)
    return np.asarray(R[0])


def to_quaternion(R: ArrayLike) -> FloatArray:
    """The unit quaternion (4,) with w >= 0 of a rotation matrix (3, 3)."""
    return np.array(matrix_quaternion(np.array(R, dtype=float, order="C")[None], 0))


def tangent(vector: ArrayLike, inverse: bool = False) -> FloatArray:
    """T(th) (3, 3) of a rotation vector [rad], or its inverse."""
    operator = inverse_tangent if inverse else tangent_operator
    return np.array(operator(*_three(vector))).reshape(3, 3)


IDENTITY = np.eye(3)
IDENTITY.setflags(write=False)


def _distance_from_rotations(R: FloatArray) -> tuple[float, float]:
    """The largest entry of R^T R - 1, and det R; with numbers of Python, ten times as fast as with arrays."""
    (a, b, c), (d, e, f), (g, h, i) = R.tolist()
    error = max(
        abs(a * a + d * d + g * g - 1.0), abs(b * b + e * e + h * h - 1.0), abs(c * c + f * f + i * i - 1.0),
        abs(a * b + d * e + g * h), abs(b * c + e * f + h * i), abs(c * a + f * d + i * g),
    )  # fmt: skip
    return error, a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


TOLERANCE = 1e-6
"""How far a given rotation may be from a rotation: typed with seven digits or more it is meant as one."""


def as_rotation(owner: str, name: str, value: RotationLike) -> FloatArray:
    """The rotation matrix (3, 3) that a user means, made orthogonal to the last digit.

    Raises
    ------
    ModelError
        If it is neither a matrix nor a quaternion, or farther than 1e-6 from a proper rotation.
    """
    if value is None:
        return IDENTITY.copy()
    given = value.as_matrix() if hasattr(value, "as_matrix") else value
    if has_shape(given, (4,)):
        q = as_array(owner, name, given, (4,))
        length = float(np.linalg.norm(q))
        if abs(length - 1.0) > TOLERANCE:
            raise ModelError(
                f"{owner}: {name} given as a quaternion (w, x, y, z) must have unit length, not {length:.7g}; divide "
                f"it by its length."
            )
        return from_quaternion(q / length)
    if not has_shape(given, (3, 3)):
        raise ModelError(
            f"{owner}: {name} must be a rotation matrix (3, 3), a unit quaternion (w, x, y, z) or a scipy Rotation, "
            f"not {show(value)}."
        )
    return orthogonal(owner, name, as_array(owner, name, given, (3, 3)))


def orthogonal(owner: str, name: str, R: FloatArray) -> FloatArray:
    """A matrix (3, 3) of floats made orthogonal to the last digit; as it is if it is orthogonal.

    Raises
    ------
    ModelError
        If it is farther than 1e-6 from a proper rotation.
    """
    error, det = _distance_from_rotations(R)
    if not error <= TOLERANCE or not det > 0.0:  # what is not a number is in the determinant
        raise ModelError(
            f"{owner}: {name} must be orthogonal with determinant +1, but R^T R differs from 1 by {error:.2g} and "
            f"det R = {det:.6g}; its columns are the body axes in inertial components. Give all digits, "
            f"for example with scipy.spatial.transform.Rotation."
        )
    if error <= 1e-14:
        return R  # as it is, so that a stored matrix comes back unchanged
    U, _, Vt = np.linalg.svd(R)
    return np.asarray(U @ Vt)


def _three(vector: ArrayLike) -> Vector:
    """Three floats."""
    x, y, z = np.asarray(vector, dtype=float).tolist()
    return x, y, z
