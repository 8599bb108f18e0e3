"""Geometry and strains of thin plates over whole groups, as arrays: what tables, descriptions and outputs need.

Suffixes of arrays: e element, g point, i vector, c component. Tangents and second derivatives are by x and y in [0, 1].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.elements.plate_shape import plate_shape
from flexmbs.elements.quadrature import Gauss, Lobatto
from flexmbs.meshes.surface import tangents_along

__all__ = ["Surface", "grid", "material_matrix", "scales", "surface", "vectors"]


class Surface(NamedTuple):
    """A surface at points: ``J (e, g)`` area per dx dy, ``y (e, g, 5, 3)`` derivatives by x, y, xx, yy, xy, normals."""

    J: FloatArray
    y: FloatArray
    normal: FloatArray

    @property
    def forms(self) -> FloatArray:
        """y1.y1, y2.y2, y1.y2 and the curvatures -y11.n, -y22.n, -2 y12.n, (e, g, 6)."""
        y1, y2 = self.y[:, :, 0], self.y[:, :, 1]
        bent = -np.einsum("egkc,egc->egk", self.y[:, :, 2:], self.normal) * np.array([1.0, 1.0, 2.0])
        first = np.stack(((y1 * y1).sum(-1), (y2 * y2).sum(-1), (y1 * y2).sum(-1)), axis=-1)
        return np.concatenate((first, bent), axis=-1)

    @property
    def dual(self) -> FloatArray:
        """Dual tangents (e, g, 2, 3)."""
        y = self.y[:, :, :2]
        inverse = np.linalg.inv(np.einsum("egkc,eglc->egkl", y, y))
        return np.asarray(np.einsum("egkl,eglc->egkc", inverse, y))


def grid(rule: Gauss | Lobatto) -> tuple[FloatArray, FloatArray]:
    """Points (n, 2) of a rule in both directions, xi running first, and weights whose sum is one."""
    xi, w = rule.rule()
    x, y = np.meshgrid(xi, xi)
    return np.column_stack((x.ravel(), y.ravel())), np.outer(w, w).ravel() / 4.0


def scales(sizes: FloatArray, mixed: bool) -> FloatArray:
    """What turns nodal coordinates into the vectors that shape functions multiply, (n_e, 16 or 12)."""
    a, b = sizes.T
    parts = [np.ones(len(a)), a, b, a * b] if mixed else [np.ones(len(a)), a, b]
    return np.ascontiguousarray(np.tile(np.stack(parts, axis=-1), (1, 4)))


def vectors(q_e: FloatArray, scale: FloatArray) -> FloatArray:
    """The vectors (n_e, nv, 3) that shape functions multiply."""
    return np.asarray(q_e.reshape(*scale.shape, 3) * scale[:, :, None])


def surface(d: FloatArray, xi: FloatArray) -> Surface:
    """The surface of the vectors d (n_e, nv, 3) at natural coordinates (n, 2)."""
    y = np.einsum("gki,eic->egkc", plate_shape(xi, d.shape[1] == 16).D, d)
    c = np.cross(y[:, :, 0], y[:, :, 1])
    J = np.linalg.norm(c, axis=-1)
    return Surface(J, y, c / J[..., None])


def material_matrix(at: Surface, axis: FloatArray) -> FloatArray:
    """T (n_e, n, 3, 3) from (E11, E22, 2 E12) in curvilinear components to those in the axes of the material.

    The first of these is the projection of ``axis (n_e, 3)``, see `flexmbs.meshes.surface.tangents_along`.
    """
    t1 = np.zeros_like(at.normal)
    for one in np.unique(axis, axis=0):
        same = (axis == one).all(axis=1)
        t1[same] = tangents_along(at.normal[same], tuple(one))
    t = np.stack((t1, np.cross(at.normal, t1)), axis=2)
    g = np.einsum("egkc,egac->egka", at.dual, t)
    (g11, g12), (g21, g22) = np.moveaxis(g, (2, 3), (0, 1))
    T = np.stack(
        (g11 * g11, g21 * g21, g11 * g21, g12 * g12, g22 * g22, g12 * g22, 2 * g11 * g12, 2 * g21 * g22,
         g11 * g22 + g21 * g12), axis=-1,
    )  # fmt: skip
    return T.reshape(*g.shape[:2], 3, 3)
