"""A rim that lies exactly flat over a plane: it has no lowest point, and is to fall as any other body."""

from __future__ import annotations

import pytest

import flexmbs as fx

LAWS = [None, fx.contact.CoulombLaw(0.3, speed=0.02), fx.contact.BristleLaw(0.3, stiffness=2e3, damping=5.0)]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("with_ball", [False, True])
def test_a_flat_disk_falls(with_ball: bool, law: object) -> None:
    """h = h_0 - g t^2 / 2, whatever friction there will be, beside contacts of other kinds or alone."""
    disk = fx.RigidBody(0.7, (0.004, 0.004, 0.007), position=(0, 0, 0.2), name="disk")
    normal = fx.contact.HuntCrossleyLaw(stiffness=3e4, damping=0.5)
    plane = fx.contact.Plane(fx.ground.marker((0, 0, 0)))
    items = [disk, fx.Contact([plane, fx.contact.Rim(disk, radius=0.15)], normal, friction=law, name="touch")]
    if with_ball:
        ball = fx.RigidBody(0.7, (0.004, 0.004, 0.004), position=(1, 0, 0.5), name="ball")
        other = fx.contact.Sphere(ball, radius=0.1)
        items += [ball, fx.Contact([plane, other], normal, friction=law, name="other")]
    run = fx.simulate(fx.Model(*items, fx.Gravity((0, 0, -9.81))), until=0.1, step=1e-3)
    assert run.position(disk)[-1, 2] == pytest.approx(0.2 - 9.81 * 0.1**2 / 2, rel=1e-12)
