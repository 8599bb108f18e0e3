"""Named problems for extensible, shear-rigid planar rods, each solved by `flexmbs.verification.reference.rod`.

Lengths are by the length L of the member (or the radius R), forces by EI/L^2, unless a problem takes dimensions. The
axial stiffness is EA L^2/EI. Estimated errors (``.error`` of the solutions) are about 1e-13.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from flexmbs.verification.reference.rod import ENGINEERING, Rod, RodLaw
from flexmbs.verification.reference.rod_solver import RodSolution, solve_rod

__all__ = [
    "ClampedBeam",
    "Diamond",
    "cantilever_dead_tip",
    "cantilever_follower_tip",
    "clamped_clamped_point_load",
    "column_under_load",
    "diamond_frame",
    "quarter_circle_uniform_load",
]


_PUSH = 0.1  # side force by EI/L^2 that leads a column well around its buckling load


class ClampedBeam(NamedTuple):
    """A beam between clamps: deflection of the middle, horizontal reaction (tension positive), solution of a half."""

    deflection: float
    reaction: float
    half: RodSolution


class Diamond(NamedTuple):
    """A diamond frame, by its symmetry one side: all displacements positive in the sense the load drives them.

    ``hinge``: displacement of a loaded corner along the load, from the centre; ``corner``: displacement of a rigid
    corner across the load, from the centre; ``rotation`` of the side at the hinge [rad]; ``side``: solution of a side.
    """

    hinge: float
    corner: float
    rotation: float
    side: RodSolution


def cantilever_dead_tip(load: float, axial: float = math.inf, law: RodLaw = ENGINEERING) -> RodSolution:
    """Cantilever along x with a dead tip force ``load`` = P L^2/EI along y; ``axial`` = EA L^2/EI.

    Examples
    --------
    >>> x, y, theta = cantilever_dead_tip(1.0).tip
    >>> round(theta, 10)
    0.4613519497
    """
    return solve_rod(Rod(EI=1.0, EA=axial, force=(0.0, load), law=law))


def cantilever_follower_tip(load: float, axial: float = math.inf, law: RodLaw = ENGINEERING) -> RodSolution:
    """Cantilever along x with a tip force ``load`` = P L^2/EI that stays normal to the tip (along y at first).

    Examples
    --------
    >>> solution = cantilever_follower_tip(1.0)
    >>> solution.error < 1e-12
    True
    """
    return solve_rod(Rod(EI=1.0, EA=axial, follower=(0.0, load), law=law))


def quarter_circle_uniform_load(load: float, axial: float = math.inf, law: RodLaw = ENGINEERING) -> RodSolution:
    """Quarter circle of radius 1, stress-free when curved, clamped at its foot, under a uniform dead load downwards.

    It stands at the origin with its tangent along +y, bends towards +x and ends at (1, 1) with its tangent along +x.
    The load acts along -y: ``load`` = w R^3/EI per reference arc length (a negative one lifts); ``axial`` = EA R^2/EI.

    Examples
    --------
    >>> x, y, theta = quarter_circle_uniform_load(1e-9).tip
    >>> round(x, 6), round(y, 6)
    (1.0, 1.0)
    """
    return solve_rod(
        Rod(
            EI=1.0,
            EA=axial,
            length=math.pi / 2,
            kappa0=-1.0,
            start_angle=math.pi / 2,
            load=(0.0, -load),
            law=law,
        )
    )


def clamped_clamped_point_load(
    EI: float, EA: float, length: float, force: float, law: RodLaw = ENGINEERING
) -> ClampedBeam:
    """Beam between two clamps that do not give, with a dead force in the middle; in any consistent units.

    Examples
    --------
    >>> beam = clamped_clamped_point_load(EI=4882.8125, EA=3.75e6, length=20.0, force=640.0)
    >>> round(beam.deflection, 9)
    0.501505684
    """
    rod = Rod(EI=EI, EA=EA, length=length / 2, force=(0.0, force / 2), end_x=length / 2, end_angle=0.0, law=law)
    half = solve_rod(rod, points=60)
    return ClampedBeam(float(half.y[-1]), float(half.force[-1, 0]), half)


def diamond_frame(load: float, axial: float = math.inf, law: RodLaw = ENGINEERING) -> Diamond:
    """Square frame of sides 1 standing on a corner, pulled (``load`` > 0) or pushed (< 0) at its two hinged corners.

    ``load`` = P L^2/EI with P the whole force at a corner. The other two corners keep their right angles, so a side is
    a cantilever at 45 degrees with half the force at its end.

    Examples
    --------
    >>> round(diamond_frame(-4.0).hinge, 8)
    0.58235985
    """
    side = solve_rod(Rod(EI=1.0, EA=axial, start_angle=math.pi / 4, force=(0.0, load / 2), law=law))
    half_diagonal = math.sqrt(0.5)
    x, y, theta = side.tip
    sense = math.copysign(1.0, load)
    return Diamond(sense * (y - half_diagonal), sense * (half_diagonal - x), sense * (theta - math.pi / 4), side)


def column_under_load(
    load: float, *, side: float = 0.0, curvature: float = 0.0, axial: float = math.inf, law: RodLaw = ENGINEERING
) -> RodSolution:
    """Column along x, clamped at x = 0, under a dead tip force ``load`` = P L^2/EI along -x, with a small imperfection.

    The imperfection, a ``side`` force along y (Q L^2/EI) or a stress-free ``curvature`` (kappa0 L), must not be zero:
    it chooses the branch. Buckling is near pi^2/4. A larger side force leads to that branch and is then taken away.

    Examples
    --------
    >>> x, y, theta = column_under_load(3.0, side=1e-6).tip
    >>> round(theta, 2)
    1.22
    """
    rod = Rod(EI=1.0, EA=axial, kappa0=curvature, force=(-load, side), law=law)
    sense = math.copysign(_PUSH, side if side else curvature)
    return solve_rod(rod, via=replace(rod, force=(-load, side + sense)))
