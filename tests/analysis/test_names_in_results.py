"""What results are asked for may be given itself or by its name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs import trees


@pytest.fixture(scope="module")
def run() -> Any:
    hub = fx.PlanarRigidBody(1.0, 1.0, position=(0, 0), angular_velocity=1.0, name="hub")
    blade = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(), section=fx.Circle(diameter=0.01),
        material=fx.steel,
        name="blade",
    )  # fmt: skip
    pin = fx.RevoluteJoint(hub, blade.start, name="pin")
    arm = trees.Tree(
        trees.Link("upper", 1.0, (0.1, 0.1, 0.1), (0, 0, -0.5), joint=trees.Revolute((0, 1, 0))), name="arm"
    )
    return fx.simulate(fx.Model(hub, blade, pin, arm), until=0.02, step=1e-2, progress=False)


@pytest.mark.parametrize("name", ["hub", "blade", "arm"])
def test_coordinates(run: Any, name: str) -> None:
    thing = run.model.tree(name) if name == "arm" else run.model.body(name)
    np.testing.assert_array_equal(run.coordinates(name), run.coordinates(thing))


def test_elements(run: Any) -> None:
    blade = run.model.body("blade")
    np.testing.assert_array_equal(run.shape("blade"), run.shape(blade))
    np.testing.assert_array_equal(run.resultant("blade", "N"), run.resultant(blade, "N"))


def test_places_and_joints(run: Any) -> None:
    np.testing.assert_array_equal(run.position("hub"), run.position(run.model.body("hub")))
    np.testing.assert_array_equal(run.angle("pin"), run.angle(run.model.joint("pin")))


def test_unknown_names(run: Any) -> None:
    with pytest.raises(fx.ModelError, match="there is no body or tree named 'hup'; did you mean 'hub'"):
        run.coordinates("hup")
