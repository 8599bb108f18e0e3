"""Loops with more equations than they need, of one freedom each."""

from __future__ import annotations

import itertools

import numpy as np

import flexmbs as fx


def rod(a: np.ndarray, b: np.ndarray, name: str, mass: float = 1.0, thick: float = 1e-4) -> fx.RigidBody:
    """A bar from a to b with the inertia of a line, and a little about it."""
    e, length = (b - a) / np.linalg.norm(b - a), np.linalg.norm(b - a)
    across = np.eye(3) - np.outer(e, e)
    inertia = mass * (across * length**2 / 12.0 + thick * np.outer(e, e))
    return fx.RigidBody(mass, inertia, position=0.5 * (a + b), name=name)


def closed(points: np.ndarray, axes: np.ndarray, gravity: tuple[float, ...], thick: float = 1e-4) -> fx.Model:
    """Bars from point to point, hinged at all of them; the last bar is the ground."""
    bars = [rod(a, b, f"bar {k}", thick=thick) for k, (a, b) in enumerate(itertools.pairwise(points))]
    sides = [fx.ground, *bars, fx.ground]
    hinges = [
        fx.RevoluteJoint(a, b, at=p, axis=z, name=f"hinge {k}")
        for k, (a, b, p, z) in enumerate(zip(sides[:-1], sides[1:], points, axes, strict=True))
    ]
    return fx.Model(*bars, *hinges, fx.Gravity(gravity))


def bennett() -> fx.Model:
    """Four skew hinges: opposite bars have equal length and twist, sines of the twists go with the lengths."""
    points = np.array(
        [[0, 0, 0], [0.3420201433256688, 0.9396926207859083, 0],
         [0.32112346173916045, 0.3591549226650075, -0.1501309753487199], [-0.6, 0, 0]]
    )  # fmt: skip
    axes = np.array(
        [[0, 0, 1], [0.6040227735550536, -0.21984631039295421, 0.766044443118978],
         [0.25021829224786646, -0.25083805737338183, 0.9351315817561233], [0, 0.3856725658119235, 0.9226357200867779]]
    )  # fmt: skip
    return closed(points, axes, (0, -9.81, 0), thick=1e-3)


def bricard() -> fx.Model:
    """Six hinges at right angles, on edges of a cube; IFToMM benchmark A04, with 1e-6 kg m^2 about the bars."""
    points = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    axes = np.array([(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)], dtype=float)
    return closed(points, axes, (0, -9.81, 0), thick=1e-6)


def parallelogram() -> fx.Model:
    """In a plane, of hinges in space; its coupler moves on a circle."""
    points = np.array([[0, 0, 0], [0.3, 1, 0], [2.3, 1, 0], [2, 0, 0]])
    return closed(points, np.tile([0.0, 0.0, 1.0], (4, 1)), (0, -9.81, 0))


def parallelograms() -> fx.Model:
    """Two that share a coupler: three cranks."""
    crank = np.array([0.3, 1.0, 0.0])
    feet = np.array([[0.0, 0, 0], [1.0, 0, 0], [2.5, 0, 0]])
    coupler = rod(feet[0] + crank, feet[2] + crank, "coupler")
    cranks = [rod(p, p + crank, f"crank {k}") for k, p in enumerate(feet)]
    hinges = []
    for k, p in enumerate(feet):
        hinges.append(fx.RevoluteJoint(fx.ground, cranks[k], at=p, axis=(0, 0, 1), name=f"foot {k}"))
        hinges.append(fx.RevoluteJoint(cranks[k], coupler, at=p + crank, axis=(0, 0, 1), name=f"head {k}"))
    return fx.Model(coupler, *cranks, *hinges, fx.Gravity((0, -9.81, 0)))


def sarrus() -> fx.Model:
    """A plate on two pairs of hinged legs at right angles, which go straight up and down."""
    height, reach = 0.6, 0.8
    plate = fx.RigidBody.box(size=(1, 1, 0.1), mass=2.0, position=(0, 0, 2 * height), name="plate")
    items: list = [plate]
    for k, (out, axis) in enumerate((((1.0, 0, 0), (0, 1.0, 0)), ((0, 1.0, 0), (1.0, 0, 0)))):
        d = np.array(out)
        points = [0.5 * d, (0.5 + reach) * d + (0, 0, height), 0.5 * d + (0, 0, 2 * height)]
        legs = [rod(a, b, f"leg {k}{n}", thick=1e-2) for n, (a, b) in enumerate(itertools.pairwise(points))]
        sides = [fx.ground, *legs, plate]
        items += legs
        items += [
            fx.RevoluteJoint(sides[n], sides[n + 1], at=p, axis=axis, name=f"hinge {k}{n}")
            for n, p in enumerate(points)
        ]
    return fx.Model(*items, fx.Gravity((0, 0, -9.81)))


LOOPS = {
    "Bennett": (bennett, 3), "Bricard": (bricard, 1), "parallelogram": (parallelogram, 3),
    "parallelograms": (parallelograms, 7), "Sarrus": (sarrus, 1),
}  # fmt: skip
"""With the number of equations that follow from others: equations less coordinates plus one."""
