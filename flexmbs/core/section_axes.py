"""Axes of the sections of beams in their stress-free shape, from vectors at the points."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray, NodeLayout
from flexmbs.core.directors import directed
from flexmbs.core.errors import MeshError
from flexmbs.core.nodes import reference_of_sections, section_frames

__all__ = ["refuse_twisted", "section_axes"]


def section_axes(
    owner: str, layout: NodeLayout, points: FloatArray, tangents: FloatArray, up: FloatArray
) -> FloatArray:
    """Nodal coordinates of the stress-free shape with z of each section along the part of ``up`` across the tangent.

    Raises
    ------
    MeshError
        If ``up`` does not hold a vector for every point, or is parallel to the body somewhere.
    """
    if up.shape != points.shape:
        raise MeshError(f"{owner}: point data 'up' must hold a vector for every point.")
    directors = directed(tangents, up)
    bad = np.flatnonzero(~np.isfinite(directors).all(axis=1))
    if len(bad):
        raise MeshError(
            f"{owner}: point data 'up' of point {int(bad[0])}, {up[bad[0]].tolist()}, is zero or parallel to the body."
        )
    return reference_of_sections(layout, points, tangents, directors)


def refuse_twisted(owner: str, layout: NodeLayout, reference: FloatArray, pairs: IntArray) -> None:
    """Refuse sections of neighbouring nodes ``pairs (n, 2)`` that are turned by more than a right angle.

    Raises
    ------
    MeshError
        With the two points and the angle.
    """
    R = section_frames(layout, reference)
    if R is None:
        return
    cosine = 0.5 * (np.einsum("nij,nij->n", R[pairs[:, 0]], R[pairs[:, 1]]) - 1.0)
    if len(pairs) and cosine.min() < -1e-9:
        worst = int(np.argmin(cosine))
        angle = np.degrees(np.arccos(np.clip(cosine[worst], -1.0, 1.0)))
        raise MeshError(
            f"{owner}: the sections at points {int(pairs[worst, 0])} and {int(pairs[worst, 1])} are turned by "
            f"{angle:.0f} degrees against each other, 90 at most. The direction `up` passes the tangent there, or "
            f"changes its sign: give another one, point data 'up' at every point, or refine."
        )
