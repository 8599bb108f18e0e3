"""The report of a run: a folder of plain HTML pages, an index and a page per case, that need nothing but themselves.

The pages hold their style and pictures inline, run no script, ask the network for nothing, and print well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from flexmbs.core.info import versions
from flexmbs.core.page import badge, definition_list, html_table, number, page, paragraphs, rate_text, seconds

if TYPE_CHECKING:
    from flexmbs.verification.outcome import ConvergenceStudy
    from flexmbs.verification.runner import CaseResult, VerificationRun

__all__ = ["page_name", "worst_ratio", "write_report"]


_WORTH_SAYING = 0.05
CARDS = 8
"""Pictures on the first page."""


def write_report(run: VerificationRun, folder: str | Path) -> Path:
    """Write ``index.html`` and a page per case into a folder, which is made; returns the path of the index.

    Pictures are in the report when the cases were run with ``draw=True``.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    order = run.results
    for place, result in enumerate(order):
        before = order[place - 1] if place > 0 else None
        after = order[place + 1] if place + 1 < len(order) else None
        (folder / page_name(result)).write_text(_case_page(result, before, after), encoding="utf-8")
    index = folder / "index.html"
    index.write_text(_index_page(run), encoding="utf-8")
    return index


def page_name(result: CaseResult) -> str:
    """File name of the page of a case; ``index`` is taken."""
    return f"case-{result.entry.id}.html"


def worst_ratio(result: CaseResult) -> float | None:
    """Largest error as a part of its tolerance; None without quantities."""
    ratios = [quantity.error / quantity.allowed for quantity in result.quantities if quantity.allowed > 0.0]
    finite = [ratio if ratio == ratio else float("inf") for ratio in ratios]
    return max(finite, default=None)


def _index_page(run: VerificationRun) -> str:
    """All cases at a glance, by area."""
    count = len(run.results)
    quantities = sum(len(result.quantities) for result in run.results)
    studies = sum(len(result.convergence) for result in run.results)
    passed = run.count("pass")
    verdict = "pass" if run.passed else "error" if run.count("error") else "fail"
    summary = f"{passed} of {_plural(count, 'case', 'cases')} passed"
    if run.count("fail"):
        summary += f", {run.count('fail')} failed"
    if run.count("error"):
        summary += f", {run.count('error')} ended in an error"
    if run.not_run:
        summary += f", {len(run.not_run)} not run"
    compile_s = sum(result.compile_s for result in run.results)
    compiling = f" ({seconds(compile_s)} of compiling in all processes)" if compile_s > _WORTH_SAYING else ""
    body = [
        "<header><p class=kicker>flexmbs verification</p><h1>Known answers</h1>",
        f"<p class=verdict>{badge(verdict)} <span>{summary}</span></p>",
        f"<p class=lead>{_plural(quantities, 'quantity', 'quantities')} compared with independent references, "
        f"{_plural(studies, 'order', 'orders')} of convergence measured, in {seconds(run.wall_s)}{compiling}.</p>",
        "</header><main>",
    ]
    if run.interrupted:
        names = ", ".join(escape(entry.id) for entry in run.not_run)
        body.append(f"<p class=notice>The run was interrupted; not run: {names}.</p>")
    body.append(_cards(run))
    for area in dict.fromkeys(result.entry.area for result in run.results):
        rows = [_index_row(result) for result in run.results if result.entry.area == area]
        header = ("Case", "Problem", "Quantities", "Largest error / tolerance", "Order (expected)", "Time", "Result")
        body.append(f"<h2>{escape(_heading(area))}</h2>")
        body.append(html_table(header, rows, numeric=(2, 3, 4, 5), css="wide index"))
    body.append(
        "<h2>How to read this</h2><p>A quantity passes when its error is within its tolerance; the tolerance is more "
        "than three times the uncertainty of the reference. An order of convergence is the slope of the error in "
        "logarithms, fitted through the points above round-off, and passes when it reaches the least order stated on "
        "the page of the case. <em>Fail</em>: a number is off. <em>Error</em>: the case could not be evaluated.</p>"
    )
    body.append(
        "<h2>Made with</h2>"
        + definition_list([*versions().items(), ("run", f"{run.started[:16].replace('T', ' ')} UTC")])
    )
    body.append("</main>")
    return page("Verification of flexmbs", "".join(body))


def _cards(run: VerificationRun) -> str:
    """A picture of a case of each area, up to `CARDS` of them, that leads to its page."""
    shown: dict[str, str] = {}
    for result in run.results:
        if result.pictures and result.entry.area not in shown and len(shown) < CARDS:
            _, svg = result.pictures[0]
            own = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{result.entry.id}-", svg)  # several pictures on one page
            shown[result.entry.area] = (
                f'<a href="{page_name(result)}">{own}<span>{escape(result.entry.title)}</span></a>'
            )
    return f"<div class=cards>{''.join(shown.values())}</div>" if shown else ""


def _orders(result: CaseResult) -> str:
    """Measured orders beside the expected ones, in one line; several of one expected order as a range."""
    groups: dict[float, list[float]] = {}
    for study in result.convergence:
        groups.setdefault(study.expected, []).append(study.rate)
    texts = []
    for expected, rates in groups.items():
        low, high = rate_text(min(rates)), rate_text(max(rates))
        texts.append(f"{low if low == high else f'{low} to {high}'} ({expected:g})")
    return ", ".join(text.replace(" ", "\N{NO-BREAK SPACE}") for text in texts) or "–"


def _plural(count: int, one: str, many: str) -> str:
    """A number and its noun."""
    return f"{count} {one if count == 1 else many}"


def _heading(area: str) -> str:
    """An area with a capital."""
    return area[:1].upper() + area[1:]


def _index_row(result: CaseResult) -> list[str]:
    """A case in the index."""
    link = page_name(result)
    ratio = worst_ratio(result)
    passed = sum(quantity.passed for quantity in result.quantities)
    total = len(result.quantities)
    return [
        f'<a href="{link}"><code>{escape(result.entry.id)}</code></a>',
        f'<a href="{link}">{escape(result.entry.title)}</a>',
        (f"{passed} of {total}" if passed < total else str(total)) if total else "–",
        f"{ratio:.2g}" if ratio is not None else "–",
        _orders(result),
        seconds(result.wall_s),
        badge(result.status),
    ]


def _case_page(result: CaseResult, before: CaseResult | None, after: CaseResult | None) -> str:
    """Problem, equations, figure, results, convergence, source and limits of one case."""
    case = result.case
    body = [
        _navigation(before, after),
        f"<header><p class=kicker>{escape(_heading(result.entry.area))} · <code>{escape(result.entry.id)}</code></p>",
        f"<h1>{escape(result.entry.title)}</h1>",
        f"<p class=verdict>{badge(result.status)} <span>{_timing(result)}</span></p>",
        "</header><main>",
    ]
    if result.failures:
        body.append(f"<section class=notice><h2>What is wrong</h2>{_items(result.failures)}</section>")
    if case is not None:
        body.append(_section("Problem", paragraphs(case.summary)))
    if case is not None and case.equations:
        shown = result.equations or tuple(f"<code>{escape(latex)}</code>" for latex in case.equations)
        body.append(_section("Equations", "".join(f"<div class=equation>{formula}</div>" for formula in shown)))
    for caption, svg in result.pictures:
        body.append(f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>")
    if result.quantities:
        body.append(_section("Results", _quantities(result)))
    if result.convergence:
        body.append(_section("Convergence", _convergence(result)))
    for table in result.tables:
        rows = [[escape(entry) if isinstance(entry, str) else number(entry) for entry in row] for row in table.rows]
        columns = [i for i in range(len(table.header)) if all(not isinstance(row[i], str) for row in table.rows)]
        shown_table = html_table([escape(text) for text in table.header], rows, numeric=columns)
        body.append(_section(escape(table.title), shown_table))
    if result.remarks:
        body.append(
            "<section><h2>Remarks</h2>" + "".join(paragraphs(remark) for remark in result.remarks) + "</section>"
        )
    if case is not None and case.limits:
        body.append(_section("Limits", _items(case.limits)))
    if result.warnings:
        body.append(_section("Warnings while running", _items(result.warnings)))
    if case is not None:
        body.append(_section("Source", _sources(result)))
    if result.traceback:
        body.append(f"<section><h2>Traceback</h2><pre>{escape(result.traceback)}</pre></section>")
    body.append("</main>")
    return page(f"{result.entry.title}: verification of flexmbs", "".join(body))


def _section(title: str, content: str) -> str:
    """A section with its heading."""
    return f"<section><h2>{title}</h2>{content}</section>"


def _items(texts: Iterable[str]) -> str:
    """A list of plain texts."""
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


def _navigation(before: CaseResult | None, after: CaseResult | None) -> str:
    """Links to the neighbours, not printed."""
    left = f'<a href="{page_name(before)}" rel=prev>← {escape(before.entry.title)}</a>' if before else ""
    right = f'<a href="{page_name(after)}" rel=next>{escape(after.entry.title)} →</a>' if after else ""
    return f'<nav><span>{left}</span><a href="index.html">All cases</a><span>{right}</span></nav>'


def _timing(result: CaseResult) -> str:
    """Time of a case in words."""
    compiling = f", of which {seconds(result.compile_s)} compiling" if result.compile_s > _WORTH_SAYING else ""
    return f"{seconds(result.wall_s)}{compiling}"


def _quantities(result: CaseResult) -> str:
    """Value, reference, error and tolerance; references with their uncertainty where it is not zero."""
    rows = []
    for quantity in result.quantities:
        uncertainty = quantity.reference.uncertainty
        rows.append(
            [
                escape(quantity.name),
                number(quantity.value, 10),
                number(quantity.reference.value, 10)
                + (f" <small>± {number(uncertainty, 1)}</small>" if uncertainty else ""),
                escape(quantity.unit_text.strip()),
                number(quantity.error, 2),
                number(quantity.allowed, 2),
                badge("pass" if quantity.passed else "fail"),
            ]
        )
    header = ("Quantity", "Computed", "Reference", "Unit", "Error", "Tolerance", "Result")
    return html_table(header, rows, numeric=(1, 2, 4, 5), css="wide stack")


def _convergence(result: CaseResult) -> str:
    """A plot and a table for each study."""
    pictures = result.convergence_pictures or ("",) * len(result.convergence)
    return "".join(_study(study, svg) for study, svg in zip(result.convergence, pictures, strict=True))


def _study(study: ConvergenceStudy, svg: str) -> str:
    """One study: plot beside numbers."""
    rows, previous = [], None
    for size, error, used in zip(study.sizes, study.errors, study.usable, strict=True):
        local = "–"
        if previous is not None and used and previous[1] > 0.0:
            local = rate_text(_local_rate(previous, (size, error), study.counts))
        rows.append([f"{size:.6g}", number(error, 3) + ("" if used else " <small>not fitted</small>"), local])
        previous = (size, error) if used else None
    mark = badge("pass" if study.passed else "fail")
    text = (
        f"<p>{escape(study.name)}: measured order <strong>{rate_text(study.rate)}</strong>, "
        f"expected {study.expected:g}, least accepted {study.minimum:g} {mark}</p>"
    )
    table = html_table((escape(study.label), "Error", "Order"), rows, numeric=(0, 1, 2))
    plot = (
        f"<figure>{svg}<figcaption>{escape(study.name)}: error under refinement.</figcaption></figure>" if svg else ""
    )
    return f"<div class=study>{text}<div class=pair>{plot}{table}</div></div>"


def _local_rate(first: tuple[float, float], second: tuple[float, float], counts: bool) -> float:
    """Order between two points."""
    sign = -1.0 if counts else 1.0
    return math.log(second[1] / first[1]) / (sign * math.log(second[0] / first[0]))


def _sources(result: CaseResult) -> str:
    """The citation of the case and, where they differ, of its references."""
    own = result.case.source if result.case else ""
    others = [text for text in dict.fromkeys(q.reference.source for q in result.quantities) if text != own]
    return paragraphs(own) + (f"<p>References of the quantities:</p>{_items(others)}" if others else "")
