"""Every verification case passes: the same objects that `flexmbs verify` runs."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from flexmbs.elements.collection import ALL as ELEMENTS
from flexmbs.verification import CaseEntry, run_case
from flexmbs.verification.collection import all_cases
from flexmbs.verification.drawing import equation_svg

ALL = all_cases()


@pytest.mark.parametrize("entry", [pytest.param(e, id=e.id, marks=[pytest.mark.slow] * e.slow) for e in ALL])
def test_case_passes(entry: CaseEntry) -> None:
    result = run_case(entry)
    assert result.status == "pass", "\n".join([*result.failures, result.traceback or ""])


@pytest.mark.parametrize("entry", [pytest.param(e, id=e.id) for e in ALL])
def test_equations_can_be_drawn(entry: CaseEntry) -> None:
    assert all(equation_svg(latex).startswith("<svg") for latex in entry.load().equations)


def test_ids_are_unique() -> None:
    assert len({entry.id for entry in ALL} | {entry.area.lower() for entry in ALL}) == len(ALL) + len(
        {e.area for e in ALL}
    )


def elements_in(entries: list[CaseEntry]) -> set[str]:
    """Names of the elements that the modules of these cases speak of."""
    places = [find_spec(entry.target.partition(":")[0]) for entry in entries]
    texts = [Path(str(place.origin)).read_text("utf-8") for place in places if place is not None]
    names = [type(element).__name__ for element in ELEMENTS]
    return {name for name in names if any(f"{name}(" in text for text in texts)}


def test_basic_cases_show_every_area_and_element_of_the_fast_ones() -> None:
    fast = [entry for entry in ALL if not entry.slow]
    basic = [entry for entry in fast if entry.basic]
    assert {entry.area for entry in basic} == {entry.area for entry in fast}
    assert elements_in(basic) == elements_in(fast)
    assert len(elements_in(fast)) >= len(ELEMENTS) - 1
    assert len(basic) < len(fast) / 3
