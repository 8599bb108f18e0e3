"""The reference pages have every public name."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import flexmbs

PAGES = sorted((Path(__file__).resolve().parents[1] / "docs" / "api").glob("*.md"))
DIRECTIVE = re.compile(r"^\.\. auto(?:class|function|data|exception):: (\S+)", flags=re.MULTILINE)
LISTED = re.compile(r"^   ([A-Za-z_]\w*)$", flags=re.MULTILINE)


def documented() -> set[str]:
    return {name.split(".")[-1] for page in PAGES for name in DIRECTIVE.findall(page.read_text("utf-8"))}


def test_every_public_name_is_on_a_reference_page() -> None:
    public = {n for n in flexmbs.__all__ if not n.startswith("__") and not inspect.ismodule(getattr(flexmbs, n))}
    assert sorted(public - documented()) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_names_in_the_summary_are_those_below_it(page: Path) -> None:
    text = page.read_text("utf-8")
    summary = re.search(r"^\.\. autosummary::\n   :nosignatures:\n\n((?:   \w+\n)+)", text, flags=re.MULTILINE)
    if summary is not None:
        listed, below = LISTED.findall(summary[1]), DIRECTIVE.findall(text)
        assert sorted(listed) == sorted(name for name in below if "." not in name)
        assert len(set(listed)) == len(listed)


def test_all_pages_are_in_the_index() -> None:
    index = next(page for page in PAGES if page.stem == "index").read_text("utf-8")
    assert {page.stem for page in PAGES} - {"index"} <= set(re.findall(r"^\w+$", index, flags=re.MULTILINE))
