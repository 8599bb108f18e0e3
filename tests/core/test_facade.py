"""Public names are those of the stubs: one line in one file; older names go on with a warning."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import flexmbs as fx
from flexmbs.core import facade as room
from flexmbs.core.renamed import RENAMED

STUB = Path(fx.__file__).with_suffix(".pyi")


def lines_of(stub: Path) -> list[tuple[str, str]]:
    """The module and the name of each line of a stub, and whether the name is one that others may import."""
    found = []
    for node in ast.parse(stub.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            assert [a.asname for a in node.names] == [a.name for a in node.names], ast.unparse(node)
            found += [(node.module or "", a.name) for a in node.names]
    return found


def test_every_name_of_the_stub_is_what_its_line_says():
    names = [name for _, name in lines_of(STUB)]
    assert len(set(names)) == len(names)
    assert sorted(names) == sorted(fx.__all__) == dir(fx)
    for module, name in lines_of(STUB):
        value = getattr(fx, name)
        if module:
            home = sys.modules[f"flexmbs.{module}"]
            assert value is getattr(home, name), name
        else:
            assert value is sys.modules[f"flexmbs.{name}"]


def test_a_new_name_is_one_line_in_one_file(tmp_path: Path):
    package = tmp_path / "flexmbs_sample"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from flexmbs.core.facade import facade\n__getattr__, __dir__, __all__ = facade(__name__, __file__)\n", "utf-8"
    )
    (package / "things.py").write_text("def first(x): return 1\ndef second(x): return 2\n", "utf-8")
    stub, line = package / "__init__.pyi", "from .things import first as first\n"
    for text, names in ((line, ["first"]), (line + line.replace("first", "second"), ["first", "second"])):
        stub.write_text(text, "utf-8")
        code = (
            "import sys, flexmbs_sample as s\n"
            "assert 'flexmbs_sample.things' not in sys.modules\n"
            "print(*dir(s), *(getattr(s, name)(x=0) for name in s.__all__))\n"
        )
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
        run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        assert run.stdout.split() == [*names, *("12"[: len(names)])]


@pytest.mark.parametrize("old", sorted(RENAMED))
def test_older_names_go_on_and_warn(old: str):
    *home, last = old.split(".")
    place = fx
    for part in home:
        place = getattr(place, part)
    assert last not in dir(place)
    with pytest.warns(DeprecationWarning, match=r"the older name will go") as caught:
        found = getattr(place, last)
    assert caught[0].filename == __file__
    new: object = fx
    for part in RENAMED[old].split("."):
        new = getattr(new, part)
    assert found is new


def test_a_name_that_changed_twice(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(room, "RENAMED", {"First": "Second", "Second": "Model"})
    with pytest.warns(DeprecationWarning, match=r"flexmbs\.First is now flexmbs\.Model;"):
        assert fx.First is fx.Model


def test_importing_flexmbs_brings_nothing_heavy():
    code = "import sys, flexmbs; print(*sorted({'numpy', 'numba', 'scipy', 'matplotlib', 'h5py'} & set(sys.modules)))"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
