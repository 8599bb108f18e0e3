"""Kernels of two directions: a post held by n equal ropes at its top buckles in n directions, on both sides of each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import flexmbs as fx


def post(ropes: int) -> tuple[Any, fx.Model]:
    """A rigid post of length one on a ball joint, ropes of stiffness and length one at its top, pushed down there."""
    bar = fx.RigidBody(1.0, (0.1, 0.1, 0.01), position=(0, 0, 0.5), name="bar")
    top = bar.marker((0, 0, 0.5))
    angles = 2.0 * math.pi * np.arange(ropes) / ropes
    held = [
        fx.SpringDamper(fx.ground.marker((math.cos(a), math.sin(a), 1.0)), top, stiffness=1.0, free_length=1.0,
                        name=f"rope {i}")
        for i, a in enumerate(angles)
    ]  # fmt: skip
    twist = fx.Bushing(fx.ground.marker((0, 0, 0.5)), bar.centre, stiffness=(0, 0, 0, 0, 0, 1.0), name="twist")
    foot = fx.SphericalJoint(fx.ground, bar, at=(0, 0, 0), name="foot")
    return top, fx.Model(bar, foot, *held, twist, fx.PointForce(top, (0, 0, -1.0)), name="post")


def pulls(ropes: int, top: Any) -> Any:
    """Force of the ropes on the top (3,)."""
    out = np.zeros(3)
    for a in 2.0 * math.pi * np.arange(ropes) / ropes:
        way = np.array([math.cos(a), math.sin(a), 1.0]) - top
        far = float(np.linalg.norm(way))
        out += (far - 1.0) * way / far
    return out


@pytest.mark.parametrize("ropes", [3, 4, 5])
def test_all_branches_of_a_post_on_ropes(ropes: int) -> None:
    """P = n / 2; n branches along and between the ropes; each point in balance across the post."""
    top, model = post(ropes)
    paths = fx.trace_static(
        model, until=0.6 * ropes, branches=12, stop=lambda s: bool(s.position(top, step=-1)[2] < 0.6), progress=False
    )
    (point,) = [p for p in paths.bifurcations if p.path == 0]
    assert point.parameter == pytest.approx(0.5 * ropes, rel=1e-5)
    assert point.kernel.shape[1] == 2
    assert point.branches == tuple(range(1, ropes + 1))
    ways = []
    for k in point.branches:
        at = paths[k].position(top)
        for end in (at[0], at[-1]):
            ways.append(math.degrees(math.atan2(end[1], end[0])) % 360.0)
        for place, load in zip(at[::4], paths[k].load_factors[::4], strict=True):
            force = pulls(ropes, place) - (0, 0, load)
            assert np.linalg.norm(np.cross(place, force)) < 1e-6
    wanted = 180.0 / ropes * np.arange(2 * ropes)
    gap = [min(abs((way - w + 180.0) % 360.0 - 180.0) for way in ways) for w in wanted]
    assert max(gap) < 0.01


def test_fewer_branches_are_told() -> None:
    _, model = post(4)
    paths = fx.trace_static(model, until=2.4, branches=1, most=12, progress=False)
    point = paths.bifurcations[0]
    assert point.branches == (1,)
    assert "4 branches leave" in point.message


def test_what_is_round_is_told_and_not_followed() -> None:
    """The force of an isotropic spring at the top; every direction is an equilibrium, whatever the load."""
    bar = fx.RigidBody(1.0, (0.1, 0.1, 0.01), position=(0, 0, 0.5), name="bar")
    top = bar.marker((0, 0, 0.5))
    foot = fx.SphericalJoint(fx.ground, bar, at=(0, 0, 0), name="foot")
    spring = fx.Bushing(fx.ground.marker((0, 0, 1.0)), top, stiffness=(1.0, 1.0, 1.0, 0, 0, 1.0), name="spring")
    model = fx.Model(bar, foot, spring, fx.PointForce(top, (0, 0, -1.0)), name="round")
    paths = fx.trace_static(model, until=2.0, branches=3, progress=False)
    point = paths.bifurcations[0]
    assert point.kernel.shape[1] == 2
    assert not point.branches
    assert "every direction" in point.message
