"""The pages by task name what there is, and their listings print what the pages say, which Exudyn finds as well."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import flexmbs as fx

DOCS = Path(__file__).parents[1] / "docs"
PAGES = ("glossary", "how_do_i", "choosing", "troubleshooting", "moving_from_exudyn", "limits", "index")
LISTINGS = ("pendulum", "slider_crank", "cantilever", "frequencies", "spring", "part")
ELSEWHERE = {"ProcessPoolExecutor", "DataFrame", "ArgumentError"}
"""Names in capitals on these pages that are of other packages, or are not offered by name."""


def offered(path):
    found = fx
    for part in path.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("page", PAGES)
def test_names_with_their_namespace(page):
    text = (DOCS / f"{page}.md").read_text()
    paths = {path.rstrip(".") for path in re.findall(r"\bfx\.([A-Za-z][\w.]*)", text)}
    if page == "glossary":
        text, old = text.split("(renamed)=")
        assert "fx.linear.Part" in old
        paths = {path.rstrip(".") for path in re.findall(r"\bfx\.([A-Za-z][\w.]*)", text)} - {"RBE2"}
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # older names
        for path in paths:
            offered(path)


@pytest.mark.parametrize("page", ["choosing"])
def test_names_alone(page):
    text = (DOCS / f"{page}.md").read_text()
    spaces = (fx, fx.elements, fx.linear, fx.reduction, fx.trees, fx.kinematics, fx.integrators)
    names = set(re.findall(r"`([A-Z][A-Za-z0-9]+)[`(]", text)) - ELSEWHERE
    assert len(names) > 60
    assert {name for name in names if not any(hasattr(space, name) for space in spaces)} == set()


def test_names_that_changed():
    """The glossary lists as present only what is there."""
    rows = (DOCS / "glossary.md").read_text().split("(renamed)=")[1]
    present = [row.split("|")[2] for row in rows.splitlines() if row.startswith("| ") and row.count("|") == 4]
    names = {name for cell in present for name in re.findall(r"`(?:fx\.)?((?:\w+\.)*[A-Z]\w+)`", cell)}
    assert len(names) > 20
    for name in names:
        assert any(_has(space + name) for space in ("", "elements.")), name


def _has(path):
    try:
        offered(path)
    except AttributeError:
        return False
    return True


@pytest.mark.parametrize("name", LISTINGS)
def test_listings(name, capsys):
    """Each number was found by the listing for Exudyn beside it as well, but the last digit of the reduced part."""
    page = (DOCS / "moving_from_exudyn.md").read_text()
    said = re.search(rf"listings/{name}\.py\n.*?```text\n(.*?)\n```", page, flags=re.DOTALL).group(1)
    with np.printoptions(legacy=False):  # pyyeti changes how arrays are printed
        exec(compile((DOCS / "listings" / f"{name}.py").read_text(), name, "exec"), {})
    assert capsys.readouterr().out.strip().replace("-0.  ", " 0.  ") == said


def test_searched_words():
    """Words by which people of other programs look for things."""
    pages = "\n".join(path.read_text() for path in DOCS.glob("**/*.md"))
    words = (
        "Campbell", "Bode", "Adams", "parameter study", "ANCF", "FFRF", "RBE2", "Lagrange multiplier",
        "boundary condition", "corotational", "floating frame of reference", "functional mock-up unit",
    )  # fmt: skip
    for word in words:
        assert word in pages
