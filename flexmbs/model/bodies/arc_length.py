r"""How far the ends of a straight line draw together when it bends without getting longer.

Along a chain of line cells with the arc length s let y be the place across the line and e its direction. Where the line
keeps its length, :math:`x' = \sqrt{1 - |y'|^2}` exactly, and with the slopes :math:`y' = S z` of the shapes its second
end moves along e by

.. math:: g(z) = \int \sqrt{1 - |S z|^2} - 1\, ds .

The term of second order is that of the stress stiffness of an axial force; those of higher order matter where a line is
much stiffer along than across. The bending stiffness, one for the whole line, is what the end turns by under a moment;
curvature beyond what is linear in the slopes (`flexmbs.kernels.substructure_curvature`) needs it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.reduction.interfaces import Frame
from flexmbs.reduction.model import ReducedModel

__all__ = ["ArcLength", "arc_length"]

GAUSS = np.polynomial.legendre.leggauss(3)
"""Exact for squares of slopes of cubic shapes."""
BENT = 1e-6
"""Largest slope of a line that counts as straight."""


class ArcLength(NamedTuple):
    """Slopes of a line in m shapes at g points.

    ``direction (3,)``: from the first end to the second, axes of the body at the start; ``weights (g,)``: lengths;
    ``slopes, curvatures (g, 2, m)``: S and dS/ds in two directions across; ``stiffness (2, 2)``: EI in these.
    """

    direction: FloatArray
    weights: FloatArray
    slopes: FloatArray
    curvatures: FloatArray
    stiffness: FloatArray


def arc_length(
    owner: str, reduced: ReducedModel, first: Frame, last: Frame, basis: FloatArray, K: FloatArray, Q: FloatArray
) -> ArcLength | None:
    """Slopes of a reduced model in the shapes ``basis (n, m)``; None unless it is one chain of lines between its ends.

    ``K (m, m)``: stiffness of the shapes, whose first six are motions of the end along the axes of the body; Q: axes of
    the mesh in these.

    Raises
    ------
    ModelError
        If the line is not straight.
    """
    order = _chain(reduced, first, last)
    if order is None:
        return None
    points = reduced.points[order]
    moved = reduced.reconstruct(basis)[order]
    chord = points[-1] - points[0]
    direction = chord / np.linalg.norm(chord)
    across = np.linalg.svd(direction[None, :])[2][1:]
    steps = np.diff(points, axis=0)
    h = np.linalg.norm(steps, axis=1)
    bent = float(np.abs(steps / h[:, None] - direction).max())
    if bent > BENT:
        raise ModelError(
            f"{owner}: its line is not straight (slope {bent:.2g} to the chord between its ends). A curved line that "
            f"is bent far needs straight substructures one after the other; or pass geometric_stiffening=False."
        )
    mean = np.einsum("ca,iam->icm", across, np.diff(moved[:, :3], axis=0)) / h[:, None, None]
    turned = np.einsum("ca,iam->icm", across, np.cross(moved[:, 3:], direction, axisa=1, axisc=1))
    ends = turned[:-1], turned[1:]
    middle = 1.5 * mean - 0.25 * (ends[0] + ends[1])
    weights, slopes, curvatures = [], [], []
    for x, w in zip(*GAUSS, strict=True):
        weights.append(0.5 * w * h)
        slopes.append(0.5 * x * (x - 1.0) * ends[0] + (1.0 - x * x) * middle + 0.5 * x * (x + 1.0) * ends[1])
        by_x = (x - 0.5) * ends[0] - 2.0 * x * middle + (x + 0.5) * ends[1]
        curvatures.append(by_x * (2.0 / h)[:, None, None])
    axes = np.cross(direction, across) @ Q.T  # of the turns that make these slopes
    turns = np.linalg.inv(K[:6, :6])[3:, 3:]
    stiffness = np.asarray(float(h.sum()) * np.linalg.inv(axes @ turns @ axes.T), dtype=np.float64)
    return ArcLength(
        Q @ direction, np.concatenate(weights), np.concatenate(slopes), np.concatenate(curvatures), stiffness
    )


def _chain(reduced: ReducedModel, first: Frame, last: Frame) -> IntArray | None:
    """Nodes from the first interface to the last one, or None."""
    if set(reduced.cells) != {"line"}:
        return None
    cells = np.asarray(reduced.cells["line"])
    count = np.bincount(cells.ravel(), minlength=len(reduced.points))
    begin, end = (_node(reduced, frame) for frame in (first, last))
    if begin is None or end is None or len(cells) != len(reduced.points) - 1 or count.max() > 2:
        return None
    order, left = [begin], [tuple(cell) for cell in cells.tolist()]
    while left:
        found = next((c for c in left if order[-1] in c), None)
        if found is None:
            return None
        left.remove(found)
        order.append(found[1] if found[0] == order[-1] else found[0])
    return np.array(order, dtype=np.int64) if order[-1] == end else None


def _node(reduced: ReducedModel, frame: Frame) -> int | None:
    """The node that an interface consists of, where it is one node."""
    distance = np.linalg.norm(reduced.points - np.asarray(frame.origin), axis=1)
    node = int(np.argmin(distance))
    return node if distance[node] <= 1e-9 * float(np.ptp(reduced.points, axis=0).max()) else None
