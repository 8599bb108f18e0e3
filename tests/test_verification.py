"""Every verification case passes: the same objects that `flexmbs verify` runs."""

from __future__ import annotations

import pytest

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
