"""Cases are found in their folder: one more file is one more case."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from flexmbs.core.errors import ModelError
from flexmbs.verification import Case, cases, run_cases
from flexmbs.verification.collection import all_cases, cases_in, select

DISC = """
from flexmbs.verification import Case, Measured, Outcome, Reference, Tolerance

def run(progress):
    reference = Reference(3.141592653589793, "Archimedes")
    return Outcome([Measured("area", "m^2", 3.14159, reference, Tolerance(rtol=1e-5))])

DISC: Case = Case(
    id="{id}",
    title="Area of a disc "
    "(radius 1)",
    area="geometry",
    summary="A disc (round).",
    run=run,
    source="Measurement of a Circle",{more}
)
"""


def sample(folder: Path, file: str, text: str) -> None:
    path = folder / "more_cases" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def test_a_new_file_is_a_new_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    sample(tmp_path, "geometry/disc.py", DISC.format(id="unit-disc", more=""))
    sample(tmp_path, "geometry/slow_disc.py", DISC.format(id="slow-disc", more=" slow=True"))
    sample(tmp_path, "common.py", "COLOURS = ()\n")
    entries = cases_in(tmp_path / "more_cases", "more_cases")
    assert [(e.id, e.area, e.slow) for e in entries] == [
        ("slow-disc", "geometry", True),
        ("unit-disc", "geometry", False),
    ]
    assert {e.title for e in entries} == {"Area of a disc (radius 1)"}
    assert not [name for name in sys.modules if name.startswith("more_cases")]
    fast = select(("geometry",), entries=entries)
    run = run_cases(fast)
    assert [result.status for result in run.results] == ["pass"]
    assert run.results[0].quantities[0].name == "area"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (DISC.format(id="x", more="").replace('id="x"', "id=NAME"), r"disc:DISC: id must be written out in Case"),
        (DISC.format(id="x", more=" slow=SLOW"), r"disc:DISC: slow must be written out"),
        (DISC.format(id="x", more="").replace("\n)\n", "\n    )\n"), r"end with a parenthesis at the left"),
        (DISC.format(id="Not an id", more=""), r"id must be lower-case letters"),
        (DISC.format(id="geometry", more=""), r"has the name of the area 'geometry'"),
    ],
)  # fmt: skip
def test_what_cannot_be_listed_is_refused(tmp_path: Path, text: str, words: str) -> None:
    sample(tmp_path, "disc.py", text + "\nEND = (\n    1,\n)\n")
    with pytest.raises(ModelError, match=words):
        cases_in(tmp_path / "more_cases", "more_cases")


def test_two_cases_of_one_id_are_refused(tmp_path: Path) -> None:
    for file in ("a.py", "b.py"):
        sample(tmp_path, file, DISC.format(id="disc", more=""))
    with pytest.raises(ModelError, match=r"'disc': more_cases\.b:DISC has the name of more_cases\.a:DISC"):
        cases_in(tmp_path / "more_cases", "more_cases")


def test_every_case_that_a_module_makes_is_listed_as_it_says() -> None:
    listed = {id(entry.load()) for entry in all_cases()}
    assert len(listed) == len(all_cases())
    for file in Path(cases.__file__).parent.rglob("*.py"):
        inside = file.relative_to(Path(cases.__file__).parent).with_suffix("").parts
        module = importlib.import_module(".".join((cases.__name__, *inside)))
        assert {id(item) for item in vars(module).values() if isinstance(item, Case)} <= listed, file
