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
