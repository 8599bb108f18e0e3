"""Initial velocities of flexible bodies: given at once, or several times where they agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx


def bar(start: tuple[float, float] = (0, 0), name: str = "bar") -> fx.FlexibleBody:
    return fx.FlexibleBody.line(
        start, (start[0] + 1.0, start[1]), elements=2, element=fx.elements.ANCFCable2D(),
        section=fx.Circle(diameter=0.01), material=fx.steel, name=name,
    )  # fmt: skip


def started(*items: Any) -> Any:
    return fx.simulate(fx.Model(*items), until=1e-3, step=1e-3)


@pytest.mark.parametrize("order", [1, -1])
def test_two_that_contradict_each_other_are_refused(order: int) -> None:
    body = bar()
    both = fx.InitialVelocity(body, velocity=(1, 0)), fx.InitialVelocity(body, angular_velocity=2.0)
    with pytest.raises(fx.ModelError, match=r"two initial velocities of 'bar' differ.*velocity= and angular_velocity="):
        started(body, *both[::order])


def test_one_with_both_is_a_rigid_motion() -> None:
    body = bar()
    run = started(body, fx.InitialVelocity(body, velocity=(1, 0), angular_velocity=2.0))
    np.testing.assert_allclose(run.velocity(body.end)[0], (1, 2, 0), atol=1e-12)


def test_two_that_agree_are_taken() -> None:
    body = bar()
    about = fx.InitialVelocity(body, velocity=(0, 2), angular_velocity=2.0, about=(1, 0))
    run = started(body, about, fx.InitialVelocity(body, angular_velocity=2.0))
    np.testing.assert_allclose(run.velocity(body.end)[0], (0, 2, 0), atol=1e-12)


@pytest.mark.parametrize("fits", [True, False])
def test_nodes_that_bodies_share(fits: bool) -> None:
    """Two bars on a hinge: the second one may turn about the hinge, which goes with the first one."""
    one, two = bar(name="one"), bar((1, 0), name="two")
    turn = fx.InitialVelocity(one, angular_velocity=2.0)
    other = fx.InitialVelocity(two, velocity=(0, 2) if fits else (0, 1), angular_velocity=-1.0, about=(1, 0))
    items = one, two, fx.Hinge(one.end, two.start), turn, other
    if fits:
        np.testing.assert_allclose(started(*items).velocity(two.end)[0], (0, 1, 0), atol=1e-12)
    else:
        with pytest.raises(fx.ModelError, match=r"of 'one' and 'two' at a node that they share differ: .* 2 .* 1 "):
            started(*items)
