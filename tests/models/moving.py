"""Mechanisms in any motion: a spatial pair of bars, and a four-bar linkage in the plane."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx

G = 9.81


def spatial() -> fx.Model:
    """A bar on a ball joint, and another hinged to it, both turning about several axes."""
    one = fx.RigidBody(1.0, (0.1, 0.2, 0.15), position=(0.5, 0, 0), name="one", angular_velocity=(0.4, 2.0, 1.0),
                       velocity=(0.0, 0.5, -1.0))  # fmt: skip
    two = fx.RigidBody(0.7, (0.05, 0.02, 0.04), position=(1.5, 0, 0), name="two", angular_velocity=(0.4, -1.0, 1.0),
                       velocity=(0.0, 1.5, -1.5))  # fmt: skip
    ball = fx.SphericalJoint(fx.ground, one, at=(0, 0, 0), name="ball")
    knee = fx.RevoluteJoint(one, two, at=(1, 0, 0), axis=(0, 1, 0), name="knee")
    spring = fx.TorsionSpring(knee, stiffness=3.0, damping=0.2)
    return fx.Model(one, two, ball, knee, spring, fx.Gravity((0, 0, -G)), name="spatial")


def four_bar(angle: float = 1.0, rate: float = 4.0) -> fx.Model:
    """A crank, a coupler and a rocker in the plane: one freedom, whose basis changes along the motion."""
    a = np.array([0.3 * math.cos(angle), 0.3 * math.sin(angle)])
    d = np.array([1.0, 0.0])
    along = d - a
    far = float(np.hypot(*along))
    coupler, rocker = 0.9, 0.7
    x = (coupler**2 - rocker**2 + far**2) / (2.0 * far)
    e = along / far
    b = a + x * e + math.sqrt(coupler**2 - x**2) * np.array([-e[1], e[0]])
    points = [np.zeros(2), a, b, d]
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    spins = np.linalg.solve(np.column_stack((turn @ (b - a), -turn @ (b - d))), -rate * turn @ a)
    bodies = []
    for name, p, q, spin in (("crank", 0, 1, rate), ("coupler", 1, 2, spins[0]), ("rocker", 3, 2, spins[1])):
        middle = 0.5 * (points[p] + points[q])
        velocity = (rate * turn @ a if p == 1 else 0.0) + spin * turn @ (middle - points[p])
        bodies.append(fx.PlanarRigidBody(1.0, 0.02, position=tuple(middle), angular_velocity=spin, name=name,
                                         velocity=tuple(velocity)))  # fmt: skip
    crank, link, rock = bodies
    joints = [
        fx.RevoluteJoint(fx.ground, crank, at=(0, 0), name="A"), fx.RevoluteJoint(crank, link, at=tuple(a), name="B"),
        fx.RevoluteJoint(link, rock, at=tuple(b), name="C"), fx.RevoluteJoint(fx.ground, rock, at=tuple(d), name="D"),
    ]  # fmt: skip
    return fx.Model(*bodies, *joints, fx.Gravity((0, -G)), name="four-bar")
