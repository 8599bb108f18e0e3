"""Older names and arguments: the present ones, with a warning that names them."""

from __future__ import annotations

import inspect
from operator import attrgetter
from typing import Any

import pytest

import flexmbs as fx
from flexmbs.core.renamed import ARGUMENTS, RENAMED, VALUES, present_plain


def public(name: str) -> Any:
    """What goes by a name, in the namespace where it is now."""
    path = RENAMED.get(name, name)
    return attrgetter(path if path.partition(".")[0] in dir(fx) else f"meshes.{path}")(fx)


@pytest.mark.parametrize("owner", ARGUMENTS)
def test_arguments_exist(owner: str) -> None:
    named = set(inspect.signature(public(owner)).parameters)
    assert set(ARGUMENTS[owner].values()) <= named
    assert not set(ARGUMENTS[owner]) & named


def test_older_arguments_are_taken_with_a_warning_at_the_line_of_the_user() -> None:
    with pytest.warns(DeprecationWarning, match=r"GeneralizedAlpha: rho is now rho_inf;") as caught:
        scheme = fx.GeneralizedAlpha(rho=0.6)
    assert scheme == fx.GeneralizedAlpha(rho_inf=0.6)
    assert caught[0].filename == __file__


def test_older_values_of_older_arguments() -> None:
    with pytest.warns(DeprecationWarning, match="refresh is now jacobian_update"):
        options = fx.NewtonOptions(refresh="demand")
    assert options == fx.NewtonOptions(jacobian_update="on_demand")
    assert set(VALUES.values()) == {"on_demand"}


def test_plain_data_of_older_files() -> None:
    older = {
        "class": "TorsionSpring",
        "rest": 0.1,
        "side": {"class": "Revolute"},
        "list": [{"class": "joints:Revolute"}],
    }
    assert present_plain(older) == {
        "class": "TorsionSpring",
        "free_angle": 0.1,
        "side": {"class": "RevoluteJoint"},
        "list": [{"class": "joints:Revolute"}],
    }


def test_other_wrong_arguments_stay_errors() -> None:
    with pytest.raises(fx.FlexmbsError, match="no argument named 'roh'"):
        fx.GeneralizedAlpha(roh=0.6)
