"""Equal names are numbered; who is meant is told by the thing itself, never by a name that several bear."""

from __future__ import annotations

import pytest

from flexmbs.core.distinct_names import distinct_names, number_meant, numbers_meant
from flexmbs.core.errors import ModelError


def test_equal_names_are_numbered_and_no_name_is_given_twice() -> None:
    assert distinct_names(["a", "b"]) == ("a", "b")
    assert distinct_names(["a", "b", "a"]) == ("a (1)", "b", "a (2)")
    assert distinct_names(["a", "a (1)", "a"]) == ("a (2)", "a (1)", "a (3)")
    assert distinct_names([]) == ()


def test_a_thing_is_found_by_identity_though_it_equals_another() -> None:
    one, other = [1], [1]
    names = distinct_names(["load", "load"])
    assert numbers_meant("x", "load", other, names, (one, other)) == [1]
    assert numbers_meant("x", "load", "load (1)", names, (one, other)) == [0]
    assert numbers_meant("x", "load", 1, names, (one, other)) == [1]
    with pytest.raises(ModelError, match="not a load of this model"):
        numbers_meant("x", "load", [1], names, (one, other))
    with pytest.raises(ModelError, match=r"more than one load.*'load \(1\)' or 'load \(2\)', or the object itself"):
        numbers_meant("x", "load", "load", names, (one, other))
    with pytest.raises(ModelError, match="there is no load number 2; there are 2"):
        numbers_meant("x", "load", 2, names)
    with pytest.raises(ModelError, match="not a load"):
        numbers_meant("x", "load", True, names)


def test_names_that_are_equal_as_given_are_ambiguous() -> None:
    with pytest.raises(ModelError, match="more than one input"):
        numbers_meant("x", "input", "a", ("a", "a"))


def test_one_is_needed() -> None:
    sensor = object()
    assert numbers_meant("x", "output", sensor, ("s[0]", "s[1]"), (sensor, sensor)) == [0, 1]
    with pytest.raises(
        ModelError, match=r"stands for 2 outputs, and one is needed; give its name: 's\[0\]' or 's\[1\]'"
    ):
        number_meant("x", "output", sensor, ("s[0]", "s[1]"), (sensor, sensor))
