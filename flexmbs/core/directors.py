r"""The frame of a section that is given by two directors, its rotation and the change of that rotation.

A section is spanned by two vectors, the directors d2 and d3, which are orthonormal where it is undeformed. Its frame
R = (t1, t2, t3) is

    t1 = d2 x d3 / |d2 x d3|,   t3 = d3 / |d3|,   t2 = t3 x t1,

so that the directors have the components R^T d2 = (0, a, b) and R^T d3 = (0, 0, c). For increments with the components
u = R^T delta d2 and w = R^T delta d3 the frame turns, in its own axes, by

    th1 = -w2 / c,   th2 = w1 / c,   th3 = (b th2 - u1) / a,

and a, b, c grow by u2 + th1 b, u3 - th1 a and w3. `Shape` is (a, b, c). Everything here is a function of numbers, so
that kernels may use it without allocating.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import inlined
from flexmbs.core.rotations import to_quaternion
from flexmbs.core.triples import Matrix, Vector, columns, cross, dot, scaled

__all__ = [
    "directed",
    "director_moment",
    "director_moment_change",
    "frame_of",
    "growth",
    "quaternions",
    "section_axes_of",
    "spin",
    "spin_change",
]


@inlined
def frame_of(d2: Vector, d3: Vector) -> tuple[Matrix, Vector]:
    """The frame R and (a, b, c); not finite where the directors are parallel or zero."""
    n = cross(d2, d3)
    c = np.sqrt(dot(d3, d3))
    size = np.sqrt(dot(n, n))
    t1, t3 = scaled(1.0 / size, n), scaled(1.0 / c, d3)
    t2 = cross(t3, t1)
    return columns(t1, t2, t3), (size / c, dot(d2, t3), c)


@inlined
def spin(shape: Vector, u: Vector, w: Vector) -> Vector:
    """Rotation of the frame, in its own axes, by increments u and w of the directors in its axes."""
    th2 = w[0] / shape[2]
    return -w[1] / shape[2], th2, (shape[1] * th2 - u[0]) / shape[0]


@inlined
def growth(shape: Vector, th: Vector, u: Vector, w: Vector) -> Vector:
    """Increments of (a, b, c) that go with a rotation ``th = spin(shape, u, w)``."""
    return u[1] + th[0] * shape[1], u[2] - th[0] * shape[0], w[2]


@inlined
def spin_change(shape: Vector, th: Vector, u: Vector, w: Vector, by: Vector, grown: Vector) -> Vector:
    """Change of ``th = spin(shape, u, w)``, u and w fixed in space, when the frame turns and (a, b, c) grow.

    ``by`` is the rotation of the frame and ``grown`` the increment of (a, b, c).
    """
    a, b, c = shape
    du, dw = cross(u, by), cross(w, by)
    x = -(dw[1] + th[0] * grown[2]) / c
    y = (dw[0] - th[1] * grown[2]) / c
    return x, y, (grown[1] * th[1] + b * y - du[0] - th[2] * grown[0]) / a


@inlined
def director_moment(shape: Vector, m: Vector) -> tuple[Vector, Vector]:
    """Forces on d2 and d3, in the axes of the frame, that do the work of the moment m on its rotation."""
    a, b, c = shape
    return (-m[2] / a, 0.0, 0.0), ((m[1] + m[2] * b / a) / c, -m[0] / c, 0.0)


@inlined
def director_moment_change(shape: Vector, m: Vector, dm: Vector, by: Vector, grown: Vector) -> tuple[Vector, Vector]:
    """Change of the forces of `director_moment` in fixed axes, as the frame turns and (a, b, c) grow and m by dm.

    The result is in the axes of the frame.
    """
    a, b, c = shape
    fu, fw = director_moment(shape, m)
    h = b / a
    dh = (grown[1] - h * grown[0]) / a
    x = -(dm[2] + fu[0] * grown[0]) / a
    y = (dm[1] + dm[2] * h + m[2] * dh - fw[0] * grown[2]) / c
    z = -(dm[0] + fw[1] * grown[2]) / c
    gu, gw = cross(by, fu), cross(by, fw)
    return (x + gu[0], gu[1], gu[2]), (y + gw[0], z + gw[1], gw[2])


def directed(tangents: FloatArray, up: FloatArray) -> FloatArray:
    """Directors (n, 6) of sections normal to the unit tangents (n, 3): d3 is the part of ``up`` normal to them.

    d2 = d3 x tangent. Where ``up`` (3,) or (n, 3) is parallel to a tangent the result is not finite.
    """
    across = up - (tangents * up).sum(axis=1, keepdims=True) * tangents
    size = np.linalg.norm(across, axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        d3 = np.where(size > 1e-6 * np.linalg.norm(up, axis=-1, keepdims=True), across / size, np.nan)
    return np.hstack((np.cross(d3, tangents), d3))


def section_axes_of(directors: FloatArray) -> FloatArray:
    """The frame (3, 3) of two directors (6,), its columns t1, t2, t3."""
    d2, d3 = directors[:3], directors[3:]
    t1, t3 = np.cross(d2, d3), d3 / np.linalg.norm(d3)
    t1 = t1 / np.linalg.norm(t1)
    return np.stack((t1, np.cross(t3, t1), t3), axis=1)


def quaternions(directors: FloatArray) -> FloatArray:
    """Unit quaternions (n, 4), scalar first, of the frames of orthonormal directors (n, 6)."""
    d2, d3 = directors[:, :3], directors[:, 3:]
    R = np.stack((np.cross(d2, d3), d2, d3), axis=-1)
    found = [to_quaternion(r) for r in R]
    return np.array(found).reshape(len(found), 4)
