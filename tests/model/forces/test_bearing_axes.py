"""The axes of a bushing that is a bearing, as its two sides have them at the start."""

from __future__ import annotations

import math
import warnings

import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx

BEARING = (2e4, 2e4, 1e5, 5.0, 5.0, 0.0)


@pytest.mark.parametrize("degrees", [5.0, 90.0])
def test_axes_that_differ_are_told(degrees: float) -> None:
    """By the angle between them."""
    turned = Rotation.from_rotvec((math.radians(degrees), 0.0, 0.0))
    journal = fx.RigidBody(1.0, (1.0, 1.0, 1.0), position=(0, 0, 0), rotation=turned, name="journal")
    with pytest.warns(fx.AxesWarning, match=rf"'bearing'.*third axes.*turned by {degrees:g} degrees"):
        fx.Bushing(fx.ground.marker((0, 0, 0)), journal.marker((0, 0, 0)), stiffness=BEARING, name="bearing")


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (0.005, 0.0, 0.0)])
def test_axes_that_agree_are_not(axis: tuple[float, float, float]) -> None:
    """However far the journal is turned about them, and for a bearing that is a little out of line."""
    journal = fx.RigidBody(
        1.0, (1.0, 1.0, 1.0), position=(0, 0, 0), rotation=Rotation.from_rotvec(axis), name="journal"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fx.Bushing(fx.ground, journal, stiffness=BEARING, at=(0, 0, 0), name="bearing")
        fx.Bushing(fx.ground, journal, stiffness=(*BEARING[:5], 5.0), at=(0, 0, 0), name="bushing")
