"""Blades without geometric stiffening that a motor spins up: told, with the first frequency of a cantilever."""

from __future__ import annotations

import re
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs import trees

EI, MASS = 20.0, 0.8
FIRST = 1.8751040687**2 * np.sqrt(EI / MASS)
"""Lowest angular frequency of a cantilever of 1 m, Euler-Bernoulli."""


@cache
def blade(stiffening: bool = False) -> Any:
    section = fx.BeamStiffness(EA=2e5, EI_z=EI, GJ=15.0, mass_per_length=MASS, rhoI_y=1e-6, rhoI_z=1e-6)
    region = fx.linear.Region(None, fx.elements.Frame(section=section))
    part = fx.linear.Part(fx.meshes.line((0, 0, 0), (1, 0, 0), 6), regions=[region], name="blade")
    return fx.reduction.reduce(part, ["start", "end"], modes=2, geometric_stiffening=stiffening, progress=False)


def as_body(spin: float, stiffening: bool = False) -> fx.Model:
    hub = fx.RigidBody(1.0, (1, 1, 1), name="hub")
    pin = fx.RevoluteJoint(fx.ground, hub, at=(0, 0, 0), axis=(0, 0, 1), name="pin")
    body = fx.FloatingBody(blade(stiffening), reference="start", damping=0.2, name="blade")
    root = fx.FixedJoint(hub, body.interface("start"), name="clamp")
    motor = fx.RotationDriver(pin, rate=fx.motions.Ramp(0.0, spin, duration=6.0))
    return fx.Model(hub, body, pin, root, motor)


def as_link(spin: float) -> fx.Model:
    hub = trees.Link("hub", 1.0, (1, 1, 1), joint=trees.Revolute())
    link = trees.FlexibleLink("blade", blade(), "start", "hub", trees.Fixed(), damping=0.2)
    tree = trees.Tree(hub, link)
    return fx.Model(tree, fx.RotationDriver(tree.joint("hub"), rate=fx.motions.Ramp(0.0, spin, duration=6.0)))


def told(model: fx.Model, **options: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fx.simulate(model, until=8.0, step=0.02, progress=False, **options)
    return [str(w.message) for w in caught if issubclass(w.category, fx.AccuracyWarning)]


@pytest.mark.parametrize("make", [as_body, as_link])
def test_a_blade_that_is_spun_up_is_told(make: Any) -> None:
    spin = 0.5 * FIRST
    (message,) = told(make(spin))
    assert re.search(r"comes to spin with 8\.79 rad/time after t = [67]\.\d+, and its lowest.* is 17\.6\.", message)
    assert "wrong by about 25 %" in message
    assert not told(make(0.3 * FIRST))  # 9 %


def test_no_word_with_stiffening() -> None:
    assert not told(as_body(0.5 * FIRST, True))


def test_a_motion_that_goes_on_spinning_is_told_too() -> None:
    model = as_body(0.5 * FIRST)
    with pytest.warns(fx.AccuracyWarning, match="comes to spin"):
        run = fx.simulate(model, until=8.0, step=0.02, progress=False)
    with pytest.warns(fx.AccuracyWarning, match=r"comes to spin with 8\.79 rad/time after t = 8"):
        fx.simulate(model, until=9.0, step=0.02, start=run, progress=False)


def test_a_vibration_of_the_frame_is_no_spin() -> None:
    """The root is shaken by 0.04 rad to and fro, which is as fast as a spin that would be told."""
    hub = trees.Link("hub", 1.0, (1, 1, 1), joint=trees.Revolute())
    link = trees.FlexibleLink("blade", blade(), "start", "hub", trees.Fixed(), damping=0.2)
    tree = trees.Tree(hub, link)
    shaker = fx.RotationDriver(tree.joint("hub"), fx.motions.Sine(0.04, frequency=30.0, phase=np.pi / 2, offset=-0.04))
    with warnings.catch_warnings():
        warnings.simplefilter("error", fx.AccuracyWarning)
        run = fx.simulate(fx.Model(tree, shaker), until=0.5, step=1e-3, progress=False)
    assert np.abs(run.angular_velocity(tree.link("hub").centre)).max() > 0.4 * FIRST
