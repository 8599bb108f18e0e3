"""Gaps, normals and nearest points of pairs of shapes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray, State
from flexmbs.kernels.contacts import contact_states
from flexmbs.kernels.crossing_contacts import CrossingGroup, crossing_gaps, crossing_place
from flexmbs.model.contacts.pair import alone, two_markers
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import figure
from flexmbs.verification.cases.contact.beside import beside
from flexmbs.verification.reference.data import load_reference

C = fx.contact
LAW = C.HuntCrossleyLaw(stiffness=1.0)
HALF = np.array((0.5, 0.4, 0.3))
Found = tuple[float, FloatArray, FloatArray, FloatArray]


def turn(axis: int, degrees: float) -> FloatArray:
    """Rotation about x, y or z."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    i, k = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i] = R[k, k] = c
    R[i, k], R[k, i] = -s, s
    return R


def fixed(at: Any = (0, 0, 0), axis: Any = (0, 0, 1)) -> Any:
    """A marker on the ground."""
    return fx.ground.marker(at, axis=axis)


def moving(at: Any, rotation: FloatArray | None = None) -> Any:
    """The centre of a body."""
    R = np.eye(3) if rotation is None else rotation
    return fx.RigidBody(1.0, (1.0, 1.0, 1.0), position=tuple(at), rotation=R, name="b").centre


def between(a: Any, *others: Any) -> Found:
    """Gap, normal, and the points on A and B of that of the pairs which is nearest."""
    best: Found | None = None
    for b in others:
        [pair] = fx.Contact((a, b), LAW, allow_overlap=True).touching
        ends = (pair.a.marker, pair.b.marker)
        p, R = np.array([[m.position0() for m in ends]]), np.array([[m.rotation0() for m in ends]])
        out, normal = np.empty((1, 11)), np.empty((1, 3))
        contact_states(alone(pair), p, R, np.zeros((1, 2, 6)), np.zeros((1, 1)), two_markers(), out, normal)
        gap, n = float(out[0, 0]), normal[0].copy()
        point = pair.b.point(pair.a, p[0], R[0], n)
        if best is None or gap < best[0]:
            best = gap, n, point - gap * n, point
    assert best is not None  # noqa: S101 - there is one at least
    return best


def capsule(start: Any, end: Any, radius: float, make: Any) -> Any:
    """A capsule from the centre of one end to that of the other."""
    a, b = np.array(start, dtype=float), np.array(end, dtype=float)
    return C.Capsule(make(tuple(0.5 * (a + b)), b - a), radius=radius, length=float(np.linalg.norm(b - a)))


def along(at: Any, axis: FloatArray) -> Any:
    """A marker of a body, its z axis along a direction."""
    return moving(at).body.marker((0, 0, 0), axis=tuple(axis))


def pairs() -> dict[int, Found]:
    """What is found, by the numbers of the reference."""
    plane, box = C.Plane(fixed()), C.Box(fixed(), size=tuple(2 * HALF))
    n = np.array((1.0, 2.0, 2.0)) / 3.0
    ball = [C.Sphere(moving(x), radius=0.25) for x in (
        (0.3, -0.2, 0.5), (0.3, 0.2, 0.9), (0.8, 0.7, 0.1), (0.7, 0.6, 0.7), (0.3, 0.1, 0.05)
    )]  # fmt: skip
    rod = capsule((0, 0, 0), (1, 0, 0), 0.1, fixed)
    tilt, axle = turn(1, 20.0), np.array((math.sin(math.radians(20.0)), 0.0, math.cos(math.radians(20.0))))
    centre = np.array((0.1, 0.2, 0.6))
    ends = [C.Rim(moving(centre + s * axle, tilt), radius=0.2) for s in (-0.5, 0.5)]
    diagonal = np.column_stack((
        np.array((1.0, -1.0, 0.0)) / math.sqrt(2), np.array((1.0, 1.0, -2.0)) / math.sqrt(6), np.ones(3) / math.sqrt(3)
    )).T  # fmt: skip
    turned = C.Box(moving((0, 0, 0.55), turn(0, 20.0) @ turn(2, 30.0)), size=tuple(2 * HALF))
    standing = C.Box(moving((0.05, -0.1, 1.3), diagonal), size=(1.0, 1.0, 1.0))
    sheet = C.Triangle(fixed(), corners=((0, 0, 0), (1, 0, 0), (0, 1, 0)))
    above = {13: (0.2, 0.3, 0.35), 14: (0.8, 0.7, 0.2), 15: (1.3, -0.2, 0.1)}
    return {
        1: between(C.Plane(fixed(0.1 * n, n)), ball[0]),
        2: between(C.Sphere(fixed((0.3, -0.2, 0.5)), radius=0.25), C.Sphere(moving((0.5, 0.1, 0.4)), radius=0.2)),
        **{k: between(box, ball[k - 2]) for k in (3, 4, 5, 6)},
        7: between(rod, capsule((0.4, -0.5, 0.3), (0.7, 0.6, 0.5), 0.2, along)),
        8: between(rod, capsule((1.3, 0.4, 0.0), (2.0, 1.0, 0.5), 0.2, along)),
        9: between(plane, *ends),
        10: between(plane, *turned.corners),
        12: between(C.Box(fixed(), size=(1.0, 1.0, 1.0)), *standing.corners),
        **{k: between(sheet, C.Sphere(moving(x), radius=0.25)) for k, x in above.items()},
    }


def beams() -> tuple[Found, FloatArray]:
    """The beams of number 17, whose centre lines are polynomials, and their parameters s and t."""
    # of z in [-1, 1], with s = (1 + z)/2: monomials as the vectors' polynomials, their coefficients as coordinates
    monomials = np.eye(4)[:3]
    first = np.array([(0.5, 0.0, 0.075), (0.5, 0.0, 0.15), (0.0, 0.0, 0.075)])
    second = np.array([(0.55, 0.1, 0.5), (0.1, 0.5, 0.0), (0.05, 0.0, 0.0)])
    q = np.concatenate((first, second)).ravel()
    places = np.arange(18)[None]
    group = CrossingGroup(
        places, 0, places[:, ::3], np.concatenate((monomials, monomials))[None], np.array([[3, 3]]),
        np.array([[0.1, 1.0, 1.0]]), np.zeros(1, dtype=np.int64),
    )  # fmt: skip
    gap, rate = np.full(1, np.inf), np.zeros(1)
    crossing_gaps(group, State(q, q, q, q), gap, rate)
    s, t = crossing_place(group, 0, q)
    a, b = (np.array((1.0, z, z * z)) @ x for z, x in ((s, first), (t, second)))
    normal = (b - a) / np.linalg.norm(b - a)
    return (float(gap[0]), normal, a + 0.05 * normal, b - 0.05 * normal), 0.5 * (1.0 + np.array((s, t)))


def run(progress: Progress) -> Outcome:
    """All pairs."""
    figures = load_reference("distances-of-shapes")
    found = pairs()
    found[17], places = beams()
    quantities: list[Measured] = []
    names = "gaps, in the order of the list", "normals from A to B", "points on A", "points on B"
    for k, (gap, *vectors) in sorted(found.items()):
        values = np.array([gap]), *vectors
        for name, value, atol in zip(names, values, (1e-10, 1e-9, 1e-9, 1e-9), strict=True):
            first = (k - 1) * len(value)
            quantities += beside(figures, name, value, label=f"pair {k}: {name.split(',')[0]}", first=first, atol=atol)
    quantities += beside(figures, "arc parameters (s, t) of beam-beam", places, atol=1e-10)
    drawing, axes = figure()
    errors = {k: abs(values[0] - figures.reference(names[0], k - 1).value) for k, values in found.items()}
    axes.semilogy(list(errors), [max(e, 1e-17) for e in errors.values()], "o")
    axes.set_xlabel("number of the pair")
    axes.set_ylabel("error of the gap [m]")
    axes.set_xticks(list(errors))
    return Outcome(quantities, [], [], [("Errors of the gaps; below round-off drawn at 1e-17.", drawing)])


CASE = Case(
    id="distances-of-shapes",
    title="Distances of pairs of shapes",
    area="contact",
    summary=(
        "Gap, normal from A to B and the nearest (or deepest) points of both: planes, balls, boxes from all sides and "
        "from within, capsules side by side and at their ends, a cylinder by its two rims, boxes by their corners on a "
        "plane and in another box, a triangle on its face, an edge and a corner, two curved beams. Not there, and left "
        "out: edges of boxes against each other (11), and the nearest point of a beam to a ball (16), which a tube "
        "takes at points along it."
    ),
    run=run,
    source="Closed forms; a minimisation agrees to 1e-8.",
    equations=(r"g = \min_{x \in A,\, y \in B} |x - y|",),
)
