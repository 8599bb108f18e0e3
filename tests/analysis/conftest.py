"""Small bodies that the tests of the engine share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import flexmbs as fx

UNIT = fx.BeamStiffness(
    EA=1e4, EI_z=1.0, EI_y=2.0, GJ=1.0, GA_y=1e4, GA_z=1e4, mass_per_length=1.0, rhoI_y=1e-5, rhoI_z=1e-5
)


def make(
    start: Any = (0, 0),
    end: Any = (1, 0),
    elements: int = 8,
    element: Any = None,
    stiffness: Any = UNIT,
    name: str = "b",
) -> fx.FlexibleBody:
    """A straight body, by default a planar cable of length one along x with EA = 1e4, EI = 1, unit mass per length."""
    if element is None:
        element = fx.elements.ANCFCable2D() if len(start) == 2 else fx.elements.ANCFCable3D()
    return fx.FlexibleBody.line(start, end, elements=elements, element=element, stiffness=stiffness, name=name)


@pytest.fixture
def line() -> Callable[..., fx.FlexibleBody]:
    """The maker of straight bodies."""
    return make


@pytest.fixture
def unit() -> fx.BeamStiffness:
    """EA = 1e4, EI_z = 1, unit mass per length."""
    return UNIT
