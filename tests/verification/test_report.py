"""The report: complete, self-contained, safe against odd texts."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import ModuleType

import pytest
from matplotlib.figure import Figure

from flexmbs.core.page import number, seconds
from flexmbs.core.svg import figure_svg
from flexmbs.verification import ConvergenceStudy, run_cases
from flexmbs.verification.drawing import convergence_svg, equation_svg
from flexmbs.verification.report import write_report


@pytest.fixture
def pages(samples: ModuleType, tmp_path: Path) -> dict[str, str]:
    run = run_cases([samples.PASSES, samples.FAILS, samples.RAISES, samples.UNCERTAIN], draw=True)
    index = write_report(run, tmp_path / "deep" / "report")
    assert index.name == "index.html"
    return {path.name: path.read_text(encoding="utf-8") for path in index.parent.iterdir()}


def test_a_page_per_case_and_every_link_leads_somewhere(pages: dict[str, str]) -> None:
    assert set(pages) == {
        "index.html",
        "case-passes.html",
        "case-fails.html",
        "case-raises.html",
        "case-uncertain.html",
    }
    for text in pages.values():
        targets = set(re.findall(r'<a href="([^"#]*)"', text))
        assert targets <= set(pages)


def test_pages_need_nothing_from_outside(pages: dict[str, str]) -> None:
    for text in pages.values():
        assert not re.search(r"<script|<link|<img|@import|\bsrc=", text)
        assert not re.search(r'(href|action)="(https?:|//)', text)
        assert not re.search(r"url\((?!#)", text)


def test_the_first_page_has_a_picture_that_leads_to_its_case(pages: dict[str, str]) -> None:
    text = pages["index.html"]
    [card] = re.findall(
        r'<div class=cards><a href="([^"]+)">(<svg.*?</svg>)<span>([^<]+)</span></a></div>', text, re.DOTALL
    )
    assert card[0] == "case-passes.html"
    assert ElementTree.fromstring(card[1]).tag.endswith("svg")
    own = set(re.findall(r'\bid="([^"]+)"', card[1]))
    assert own
    assert all(name.startswith("passes-") for name in own)
    used = set(re.findall(r'href="#([^"]+)"', card[1])) | set(re.findall(r"url\(#([^)]+)\)", card[1]))
    assert used <= own


def test_rows_know_their_headings_for_narrow_pages(pages: dict[str, str]) -> None:
    text = pages["index.html"]
    row = re.search(r"<tr>(<td.*?)</tr>", text, re.DOTALL)
    assert row is not None
    found = re.findall(r'data-of="([^"]*)"', row[1])
    assert found == ["Case", "Problem", "Quantities", "Largest error / tolerance", "Order (expected)", "Time", "Result"]
    assert "<br>" not in text  # orders stand in one line
    assert "@media (max-width:46rem)" in text
    assert 'data-of="Tolerance"' in pages["case-passes.html"]


def test_identifiers_on_a_page_are_unique(pages: dict[str, str]) -> None:
    for text in pages.values():
        ids = re.findall(r'\bid="([^"]+)"', text)
        assert len(ids) == len(set(ids))
        references = set(re.findall(r'href="#([^"]+)"', text)) | set(re.findall(r"url\(#([^)]+)\)", text))
        assert references <= set(ids)


def test_page_of_a_case_holds_all_its_parts(pages: dict[str, str]) -> None:
    text = pages["case-passes.html"]
    for heading in (
        "Problem",
        "Equations",
        "Results",
        "Convergence",
        "Errors by refinement",
        "Remarks",
        "Limits",
        "Source",
    ):
        assert f"<h2>{heading}</h2>" in text
    assert text.count("<svg") == 4
    assert "1.718281828" in text
    assert "measured order <strong>2.00</strong>" in text


def test_texts_are_escaped(pages: dict[str, str]) -> None:
    assert "A case &lt;that&gt; raises &amp; stops" in pages["index.html"]
    assert "<that>" not in "".join(pages.values())


def test_failures_and_tracebacks_are_shown(pages: dict[str, str]) -> None:
    assert "What is wrong" in pages["case-fails.html"]
    assert "not a number" in pages["case-fails.html"]
    assert "ZeroDivisionError: nothing to divide by" in pages["case-raises.html"]
    assert "Traceback" in pages["case-raises.html"]
    assert "too uncertain" in pages["case-uncertain.html"]
    assert "1 of 4 cases passed, 1 failed, 2 ended in an error" in pages["index.html"]


def test_status_is_told_in_words(pages: dict[str, str]) -> None:
    for word in ("pass", "fail", "error"):
        assert re.search(rf'class="badge {word}"><span aria-hidden=true>.</span> {word}<', pages["index.html"])


def test_pictures_are_well_formed_and_labelled() -> None:
    figure = Figure(figsize=(2, 2))
    figure.add_subplot().plot([0, 1], [0, 1])
    study = ConvergenceStudy("x", [1, 2, 4, 8, 16], [1.0, 0.25, 0.0625, 1e-15, float("nan")], 2, 1.9, counts=True)
    empty = ConvergenceStudy("x", [1, 2, 4], [0.0, 0.0, float("inf")], 2, 1.9)
    svgs = [figure_svg(figure, 'a "quoted" <caption>'), equation_svg(r"\dfrac{a}{b} = x_1"), convergence_svg(study)]
    for svg in [*svgs, convergence_svg(empty)]:
        root = ElementTree.fromstring(f'<x xmlns:xlink="http://www.w3.org/1999/xlink">{svg}</x>')
        assert root[0].get("role") == "img"
    assert ElementTree.fromstring(svgs[0]).get("aria-label") == 'a "quoted" <caption>'


def test_pictures_are_the_same_every_time() -> None:
    assert equation_svg("a+b") == equation_svg("a+b")


def test_formula_that_cannot_be_read() -> None:
    with pytest.raises(ValueError, match="frac"):
        equation_svg(r"\frac{a}{")


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (1.5, 6, "1.5"),
        (0.0, 2, "0"),
        (0.013, 3, "0.0130"),
        (120.0, 3, "120"),
        (3.5e-5, 2, "3.5·10<sup>−5</sup>"),
        (1e-13, 3, "1.00·10<sup>−13</sup>"),
        (-2.5e10, 6, "−2.5·10<sup>10</sup>"),
        (12, 2, "12"),
        (True, 2, "True"),
        (None, 2, "–"),
        (float("nan"), 2, "not a number"),
        ("<b>", 2, "&lt;b&gt;"),
    ],
)
def test_numbers(value: object, digits: int, text: str) -> None:
    assert number(value, digits) == text


def test_durations() -> None:
    assert [seconds(t).replace("\N{NO-BREAK SPACE}", " ") for t in (0.0123, 1.26, 300.0)] == [
        "12 ms",
        "1.3 s",
        "5.0 min",
    ]
