"""The page of papers names cases that exist, and has a row for each paper."""

from __future__ import annotations

import re
from pathlib import Path

from flexmbs.verification.collection import all_cases

PAGE = Path(__file__).resolve().parents[1] / "docs" / "papers.md"
ROWS = [line.strip("| ").split(" | ") for line in PAGE.read_text("utf-8").splitlines() if re.match(r"\| \d", line)]


def test_has_all_papers() -> None:
    assert [int(row[0]) for row in ROWS] == list(range(1, 46))


def test_names_cases_that_exist() -> None:
    known = {case.id for case in all_cases()}
    named = {name for row in ROWS for name in re.findall(r"`([^`]+)`", row[3])}
    assert len(named) > 50
    assert named <= known
