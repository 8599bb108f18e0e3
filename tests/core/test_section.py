"""What is no section is refused with what it lacks."""

from __future__ import annotations

import pytest

import flexmbs as fx


def test_a_body_is_no_section() -> None:
    """Though it has an area, which a line refuses to tell."""
    given = {"elements": 2, "element": fx.elements.ANCFCable2D(), "material": fx.steel}
    body = fx.FlexibleBody.line((0, 0), (1, 0), section=fx.Circle(diameter=0.1), name="flat", **given)
    with pytest.raises(fx.ModelError, match=r"section must be a Rectangle, .* 'flat' lacks area, I_y"):
        fx.FlexibleBody.line((0, 0), (1, 0), section=body, **given)


def test_the_torsion_constant_of_no_circle_is_asked_for():
    """A strip of 40 by 2 mm has J = b h^3/3, 1/100 of I_y + I_z: the sum stood for it without a word."""
    b, h = 0.04, 0.002
    with pytest.raises(fx.ModelError, match=r"GeneralSection: I_y = .* and I_z = .* differ.*give J"):
        fx.GeneralSection(area=b * h, I_z=b * h**3 / 12, I_y=h * b**3 / 12)
    assert b * h**3 / 3 == fx.GeneralSection(area=b * h, I_z=b * h**3 / 12, I_y=h * b**3 / 12, J=b * h**3 / 3).J
    assert fx.GeneralSection(area=1.0, I_z=2.0, I_y=2.0).J == 4.0
