r"""The signed distance of a point from a closed surface of triangles, negative inside.

The nearest place is on a face, an edge or a vertex. With y the way from there to the point, of length d,

========  ==============================  ======================  ===================================
nearest   distance                        gradient n              derivative of n
========  ==============================  ======================  ===================================
face      N . (x - p)                     N                       0
edge      s d, s the sign of y . (N + N') s y / d                 s (I - t t^T - n n^T) / d
vertex    s d, s the sign of y . N_a      s y / d                 s (I - n n^T) / d
========  ==============================  ======================  ===================================

with the normals N and N' of the faces at an edge of direction t, and N_a, the sum of the normals about a vertex times
the angles of their faces: it tells inside from outside (Baerentzen and Aanaes, Signed distance computation using the
angle weighted pseudonormal, IEEE Transactions on Visualization and Computer Graphics 11, 2005, section 4). An edge or a
vertex about which the surface is flat is a face.

The faces are the leaves of a complete binary tree of boxes. It is walked through without a stack: the nearer box of two
first, and of each level a bit tells whether both have been seen.

A table begins at ``at`` in ``data``: the depth d of the tree; where the faces of each of the 2^d leaves begin, and
where those of the last one end; of all 2^(d+1) - 1 boxes, children of i being 2 i + 1 and 2 i + 2, the lowest and the
highest corner; and of each face its corners a, b, c, its normal, and, not of unit length, those of the edges a b, b c,
c a and of the corners: null where the surface is flat.
"""

from __future__ import annotations

import math

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.triples import IDENTITY, NULL, Vector, dot, mixed, outer, plus, scaled, times
from flexmbs.kernels.distances import Distance

__all__ = ["mesh_distance"]

FACE_NUMBERS = 30
NORMAL, EDGES, CORNERS = 9, 12, 21
"""Where the normal of a face stands, those of its edges, and those of its corners."""


@kernel
def _three(data: FloatArray, at: int) -> Vector:
    return data[at], data[at + 1], data[at + 2]


@kernel
def _to_box(data: FloatArray, at: int, x: Vector) -> float:
    """Square of the distance of x from a box, 0 inside."""
    total = 0.0
    for k in range(3):
        past = max(data[at + k] - x[k], x[k] - data[at + 3 + k], 0.0)
        total += past * past
    return total


@kernel
def _nearest(data: FloatArray, at: int, x: Vector) -> tuple[int, Vector]:
    """What of a face is nearest to x, and the way from there: 0 the face, 1-3 an edge, 4-6 a corner."""
    a, b, c = _three(data, at), _three(data, at + 3), _three(data, at + 6)
    u, v, w = plus(b, -1.0, a), plus(c, -1.0, a), plus(x, -1.0, a)
    d1, d2 = dot(u, w), dot(v, w)
    if d1 <= 0.0 and d2 <= 0.0:
        return 4, w
    q = plus(x, -1.0, b)
    d3, d4 = dot(u, q), dot(v, q)
    if d3 >= 0.0 and d4 <= d3:
        return 5, q
    part_c = d1 * d4 - d3 * d2
    if part_c < 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return 1, plus(w, -d1 / (d1 - d3), u)
    r = plus(x, -1.0, c)
    d5, d6 = dot(u, r), dot(v, r)
    if d6 >= 0.0 and d5 <= d6:
        return 6, r
    part_b = d5 * d2 - d1 * d6
    if part_b < 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return 3, plus(w, -d2 / (d2 - d6), v)
    part_a = d3 * d6 - d5 * d4
    if part_a < 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        return 2, plus(q, -(d4 - d3) / ((d4 - d3) + (d5 - d6)), plus(c, -1.0, b))
    total = part_a + part_b + part_c
    return 0, plus(plus(w, -part_b / total, u), -part_c / total, v)


@kernel
def _nearest_face(data: FloatArray, at: int, x: Vector) -> int:
    """Where the numbers of a face that is nearest to x begin."""
    depth = int(data[at])
    leaves = 1 << depth
    boxes = at + 2 + leaves
    faces = boxes + 6 * (2 * leaves - 1)
    found, square = faces, math.inf
    node, level, seen = 0, 0, 0
    while True:
        if _to_box(data, boxes + 6 * node, x) < square:
            if level < depth:
                left = boxes + 6 * (2 * node + 1)
                node = 2 * node + (1 if _to_box(data, left, x) <= _to_box(data, left + 6, x) else 2)
                level += 1
                seen <<= 1
                continue
            leaf = at + 1 + node - (leaves - 1)
            for k in range(int(data[leaf]), int(data[leaf + 1])):
                _, y = _nearest(data, faces + FACE_NUMBERS * k, x)
                other = dot(y, y)
                if other < square:
                    found, square = faces + FACE_NUMBERS * k, other
        while level > 0 and seen & 1 == 1:
            seen >>= 1
            node = (node - 1) // 2
            level -= 1
        if level == 0:
            return found
        seen |= 1
        node += 1 if node % 2 == 1 else -1


@kernel
def mesh_distance(b: Vector, x: Vector, data: FloatArray, where: int) -> Distance:
    """Surface whose table begins b[0] behind ``where`` in ``data``."""
    face = _nearest_face(data, where + int(b[0]), x)
    part, y = _nearest(data, face, x)
    N = _three(data, face + NORMAL)
    if part == 0:
        return dot(N, plus(x, -1.0, _three(data, face))), N, NULL
    at = face + EDGES + 3 * (part - 1) if part < 4 else face + CORNERS + 3 * (part - 4)
    outwards = _three(data, at)
    size = dot(outwards, outwards)
    if size == 0.0:
        return dot(N, plus(x, -1.0, _three(data, face))), N, NULL
    outwards = scaled(1.0 / math.sqrt(size), outwards)
    length = math.sqrt(dot(y, y))
    if length == 0.0:
        return 0.0, outwards, NULL
    sign = 1.0 if dot(y, outwards) >= 0.0 else -1.0
    n = scaled(sign / length, y)
    turning = mixed(1.0, IDENTITY, -1.0, outer(n, n))
    if part < 4:
        i, k = part - 1, part % 3
        t = plus(_three(data, face + 3 * k), -1.0, _three(data, face + 3 * i))
        turning = mixed(1.0, turning, -1.0 / dot(t, t), outer(t, t))
    return sign * length, n, times(sign / length, turning)
