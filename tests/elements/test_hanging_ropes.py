"""Vibrations of a rope that hangs under its weight: zeros of Bessel's function of order zero."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import jn_zeros

import flexmbs as fx


@pytest.mark.parametrize("element", [fx.elements.ANCFCable2D, fx.elements.ANCFCable3D])
def test_with_gauss_points_along_the_axis(element) -> None:
    stiffness = fx.BeamStiffness(EA=1e6, EI_z=1e-7, mass_per_length=1.0)
    down = (0, -1) if element is fx.elements.ANCFCable2D else (0, 0, -1)
    rope = fx.FlexibleBody.line(
        np.zeros(len(down)), down, elements=10, element=element(axial=fx.elements.Gauss(3)), stiffness=stiffness
    )
    weight = fx.Gravity(9.81 * np.array(down), history=fx.Constant())
    modes = fx.solve_modal(fx.solve_static(fx.Model(rope, fx.Pin(rope.start), weight)), 2 * (len(down) - 1))
    expected = np.repeat(0.5 * jn_zeros(0, 2) * np.sqrt(9.81), len(down) - 1)
    assert modes.angular_frequencies == pytest.approx(expected, rel=1e-4)
