"""The reference pages have every public name, once, where it is imported from."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from pathlib import Path

import flexmbs

PAGES = sorted((Path(__file__).resolve().parents[1] / "docs" / "api").glob("*.md"))
DIRECTIVE = re.compile(
    r"^\.\. (currentmodule|auto(?:class|function|data|exception)):: (?:~?)(\S+)$", flags=re.MULTILINE
)


def documented() -> Counter[str]:
    """Full names of all that the pages describe."""
    found: Counter[str] = Counter()
    for page in PAGES:
        module = ""
        for directive, name in DIRECTIVE.findall(page.read_text("utf-8")):
            if directive == "currentmodule":
                module = name
            else:
                found[name if name.startswith("flexmbs.") else f"{module}.{name}"] += 1
    return found


def public() -> dict[str, object]:
    """Full names of what `flexmbs` and the namespaces below it offer."""
    rooms = [flexmbs, *(item for name in flexmbs.__all__ if inspect.ismodule(item := getattr(flexmbs, name)))]
    rooms.remove(flexmbs.extend)  # what stands there is described where it comes from
    return {f"{room.__name__}.{name}": getattr(room, name) for room in rooms for name in room.__all__}


def test_every_public_name_is_on_a_reference_page() -> None:
    names = {name: item for name, item in public().items() if not inspect.ismodule(item)}
    described = {id(names[name]) for name in documented() if name in names}
    left = [name for name, item in names.items() if id(item) not in described]
    assert sorted(left) == []


def test_what_is_described_is_public_there_and_once() -> None:
    names = documented()
    assert [name for name, times in names.items() if times > 1] == []
    top = {f"flexmbs.{name}" for name in flexmbs.__all__}
    short = {name for name in names if name.rpartition(".")[0] in {"flexmbs", *top}}
    assert sorted(short - set(public())) == []


def test_pages_list_the_names_below() -> None:
    missing = [
        p.stem for p in PAGES if ".. currentmodule::" in (t := p.read_text("utf-8")) and ".. names-below::" not in t
    ]
    assert missing == []


def test_all_pages_are_in_the_index() -> None:
    index = next(page for page in PAGES if page.stem == "index").read_text("utf-8")
    assert {page.stem for page in PAGES} - {"index"} <= set(re.findall(r"^\w+$", index, flags=re.MULTILINE))
