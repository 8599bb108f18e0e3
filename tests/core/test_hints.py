"""Names that do not exist: what was meant is named, not what is spelt alike."""

from __future__ import annotations

import pytest

import flexmbs as fx


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Spring", "SpringDamper or "),
        ("read_urdf", r"trees\.read_urdf\?"),
        ("Tree", r"trees\.Tree\?"),
        ("PlanarCable", r"elements\.PlanarCable\?"),
        ("Sine", r"motions\.Sine\?"),
        ("simulat", r"simulate\?"),
        ("rigidbody", r"RigidBody\?"),
    ],
)
def test_what_was_meant_is_named(name: str, hint: str) -> None:
    with pytest.raises(AttributeError, match=rf"no attribute '{name}'; did you mean {hint}"):
        getattr(fx, name)


def test_private_names_and_nonsense_have_no_hint() -> None:
    for name in ("_repr_html_", "qqqqqq"):
        with pytest.raises(AttributeError, match=rf"no attribute '{name}'$"):
            getattr(fx, name)
