"""All cases, found in their folder: a file in `flexmbs/verification/cases` that makes a `Case` is enough.

A case says its own id, title, area and whether it is slow or basic. To list a hundred of them without importing any
(which takes seconds, and numba), the statements ``NAME = Case(...)`` are read from the text of the files; what they say
is checked against the case when it is loaded.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any, cast

from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.verification.case import CaseEntry

__all__ = ["all_cases", "cases_in", "select"]

HOME = "flexmbs.verification.cases"
HEADING = ("id", "title", "area")
STATEMENT = re.compile(
    r"^\w+(?: *: *\w+)? *= *Case\((?:[^\n]*\)|[^\n]*\n.*?^\))[^\n)]*$", flags=re.MULTILINE | re.DOTALL
)


@cache
def all_cases() -> tuple[CaseEntry, ...]:
    """Every case that comes with flexmbs, by area and id."""
    return cases_in(Path(__file__).parent / "cases", HOME)


def cases_in(folder: Path, package: str) -> tuple[CaseEntry, ...]:
    """The cases of all files of a folder and the folders below it, by area and id; ``package`` is its dotted name.

    Raises
    ------
    ModelError
        For a case whose heading is not written out as text, and for two cases of one id or with the name of an area.
    """
    found = []
    for file in sorted(folder.rglob("*.py")):
        text = file.read_text("utf-8")
        if "Case(" in text:
            module = ".".join((package, *file.relative_to(folder).with_suffix("").parts))
            found += [_entry(statement, module) for statement in _statements(text, module)]
    found.sort(key=lambda entry: (entry.area, entry.id))
    seen: dict[str, CaseEntry] = {}
    areas = {entry.area.lower() for entry in found}
    for entry in found:
        if entry.id in seen or entry.id in areas:
            other = seen[entry.id].target if entry.id in seen else f"the area {entry.id!r}"
            raise ModelError(
                f"verification case {entry.id!r}: {entry.target} has the name of {other}; choose another id."
            )
        seen[entry.id] = entry
    return tuple(found)


def select(
    names: tuple[str, ...] = (),
    *,
    slow: bool = False,
    basic: bool = False,
    entries: tuple[CaseEntry, ...] | None = None,
) -> list[CaseEntry]:
    """The cases meant by ids and areas, upper and lower case alike, in the order of the list.

    No names mean all of them, or with ``basic`` the basic ones. Slow cases are left out unless ``slow`` is set or they
    are called by their id.

    Raises
    ------
    ModelError
        For a name that is neither an id nor an area; the message gives the nearest ones.

    Examples
    --------
    >>> entry = CaseEntry("s01", "Tip load", "statics", "somewhere:CASE", slow=True)
    >>> [len(select(names, entries=(entry,))) for names in ((), ("S01",), ("statics",))]
    [0, 1, 0]
    """
    entries = all_cases() if entries is None else entries
    wanted = {name.lower() for name in names}
    ids = {entry.id for entry in entries}
    areas = {entry.area.lower() for entry in entries}
    for name in names:
        if name.lower() not in ids | areas:
            raise ModelError(unknown_name("verification case or area", name.lower(), ids | areas))
    return [
        entry
        for entry in entries
        if entry.id in wanted
        or ((entry.area.lower() in wanted if names else entry.basic or not basic) and (slow or not entry.slow))
    ]


def _statements(text: str, module: str) -> list[ast.Assign | ast.AnnAssign]:
    """The statements at the left margin that make a case; only they are parsed."""
    found: list[ast.Assign | ast.AnnAssign] = []
    for piece in STATEMENT.finditer(text):
        try:
            statement, *more = ast.parse(piece[0]).body
        except SyntaxError:
            statement, more = ast.Pass(), []
        if more or not isinstance(statement, ast.Assign | ast.AnnAssign):
            raise ModelError(
                f"verification cases in {module}: {piece[0].splitlines()[0]} has to end with a parenthesis at the left "
                f"margin, or in the same line."
            )
        found.append(statement)
    return found


def _entry(statement: ast.Assign | ast.AnnAssign, module: str) -> CaseEntry:
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    call = cast("ast.Call", statement.value)
    said = dict(zip(HEADING, call.args, strict=False)) | {k.arg: k.value for k in call.keywords if k.arg}
    heading: dict[str, Any] = {name: value.value for name, value in said.items() if isinstance(value, ast.Constant)}
    place = f"{module}:{ast.unparse(target)}"
    for name in (*HEADING, *({"slow", "basic"} & set(said))):
        if name not in heading:
            raise ModelError(
                f"verification case {place}: {name} must be written out in Case(...) itself, so that cases can be "
                f"listed without importing them."
            )
    own = {name: heading[name] for name in HEADING}
    marks = {name: heading.get(name, False) for name in ("slow", "basic")}
    return CaseEntry(**own, target=place, **marks)
