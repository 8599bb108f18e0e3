"""Paths under loads that follow what they act on: bifurcations are zeros of the determinant, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx


def column(following: float) -> fx.Model:
    """Two bars of length one on springs of one, under a force of which a part follows the upper bar (Ziegler)."""
    low = fx.PlanarRigidBody(2.0, 1e-3, position=(1, 0), name="low")
    high = fx.PlanarRigidBody(1.0, 1e-3, position=(2, 0), name="high")
    foot = fx.RevoluteJoint(fx.ground, low, at=(0, 0), name="foot")
    knee = fx.RevoluteJoint(low, high, at=(1, 0), name="knee")
    springs = [fx.TorsionSpring(j, stiffness=1.0, name=f"spring of {j.name}") for j in (foot, knee)]
    loads = fx.PointForce(high.centre, (-following, 0), follower=True), fx.PointForce(high.centre, (following - 1.0, 0))
    return fx.Model(low, high, foot, knee, *springs, *loads)


@pytest.mark.parametrize("following", [0.2, 0.4, 0.6])
def test_where_the_determinant_is_zero(following: float) -> None:
    """det K = 1 - (3 - 3 a) P + (1 - a) P^2 with the share a that follows; none from a = 5/9 on."""
    a = following
    zeros = np.roots([1.0 - a, -3.0 * (1.0 - a), 1.0])
    expected = np.sort(zeros[np.isreal(zeros)].real)
    found = fx.trace_static(column(a), until=10.0, progress=False)
    assert [p.parameter for p in found.points] == pytest.approx(expected.tolist(), rel=1e-6)
    assert all(p.kind == "bifurcation" for p in found.points)
    assert found.paths[0].ending == "reached p = 10"


def test_two_directions_at_once() -> None:
    """A bar on a universal joint, with springs alike both ways, under a force that does not turn and one that does."""
    body = fx.RigidBody(1.0, (0.1, 0.1, 0.1), position=(0, 0, 1), name="bar")
    joint = fx.UniversalJoint(fx.ground, body, at=(0, 0, 0), axes=((1, 0, 0), (0, 1, 0)), name="foot")
    spring = fx.Bushing(fx.ground, body, (0, 0, 0, 8.0, 8.0, 0), at=(0, 0, 0))
    loads = fx.PointForce(body.centre, (0, 0, -1.0)), fx.PointForce(body.centre, (0, 0, -0.7), follower=True)
    found = fx.trace_static(fx.Model(body, joint, spring, *loads), until=12.0, progress=False)
    assert [p.parameter for p in found.points] == pytest.approx([8.0], rel=1e-6)
