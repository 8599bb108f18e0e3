"""A run of verification cases on the terminal: a row per finished case, what is doing now below, and a summary.

On a terminal the last line shows the cases under way; elsewhere (a file, a pipe) there are plain rows only.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from flexmbs.verification.report import worst_ratio
from flexmbs.verification.runner import CaseResult, Listener, Status, VerificationRun

if TYPE_CHECKING:
    from flexmbs.verification.case import CaseEntry
    from flexmbs.verification.outcome import Table

__all__ = ["TerminalListener", "list_cases", "summary", "text_table"]

_MARKS: dict[Status, tuple[str, str]] = {
    "pass": ("✓ pass", "32"),
    "fail": ("✗ FAIL", "31;1"),
    "error": ("! ERROR", "33;1"),
}
_TITLE_WIDTH = 44


class TerminalListener(Listener):
    """Print the course of a run of ``entries`` to ``stream``; ``details`` adds every quantity, order and table."""

    def __init__(self, entries: Sequence[CaseEntry], stream: TextIO, *, details: bool = False) -> None:
        self._stream = stream
        self._total = len(entries)
        self._id_width = max([4, *(len(entry.id) for entry in entries)])
        self._title_width = min(_TITLE_WIDTH, max([7, *(len(entry.title) for entry in entries)]))
        self._details = details
        self._live = stream.isatty() and os.environ.get("TERM", "") != "dumb"
        self._running: dict[str, str] = {}
        self._done = 0
        self._shown = 0.0
        head = f"{'case':<{self._id_width}}  {'problem':<{self._title_width}}"
        self._line(self._style(f"{head}  {'err/tol':>8}  {'order':>6}  {'time':>8}  result", "1"))

    def begin(self, entry: CaseEntry) -> None:
        """Show that a case has begun."""
        self._running[entry.id] = ""
        self._show_running(force=True)
        self._shown = 0.0

    def progress(self, entry: CaseEntry, message: str) -> None:
        """Show what a case is doing."""
        self._running[entry.id] = " ".join(message.split())
        self._show_running()

    def end(self, result: CaseResult) -> None:
        """Print the row of a case, and what is wrong with it."""
        self._running.pop(result.entry.id, None)
        self._done += 1
        mark, colour = _MARKS[result.status]
        ratio = worst_ratio(result)
        rates = [study.rate for study in result.convergence if study.rate == study.rate]
        row = (
            f"{result.entry.id:<{self._id_width}}  {_cut(result.entry.title, self._title_width):<{self._title_width}}  "
            f"{'-' if ratio is None else f'{ratio:.2g}':>8}  {f'{min(rates):.2f}' if rates else '-':>6}  "
            f"{result.wall_s:>6.2f} s  {self._style(mark, colour)}"
        )
        lines = [row] + [self._style(f"    {line}", colour) for line in result.failures]
        if self._details:
            lines += _details(result)
        self._clear()
        for line in lines:
            self._line(line)
        self._show_running(force=True)

    def close(self) -> None:
        """Remove the line of the cases under way."""
        self._running.clear()
        self._clear()

    def _show_running(self, *, force: bool = False) -> None:
        """Redraw the last line, at most ten times a second unless forced."""
        if not self._live or (not force and time.monotonic() - self._shown < 0.1):
            return
        self._shown = time.monotonic()
        self._clear()
        if self._running:
            doing = "   ".join(f"{name}: {text}" if text else name for name, text in self._running.items())
            width = shutil.get_terminal_size().columns - 1
            self._stream.write(_cut(f"[{self._done}/{self._total}] {doing}", width))
            self._stream.flush()

    def _clear(self) -> None:
        """Empty the last line."""
        if self._live:
            self._stream.write("\r\x1b[2K")

    def _line(self, text: str) -> None:
        """Print a line at once."""
        self._stream.write(text + "\n")
        self._stream.flush()

    def _style(self, text: str, code: str) -> str:
        """Colour, on a terminal that has not been told otherwise."""
        return f"\x1b[{code}m{text}\x1b[0m" if self._live and not os.environ.get("NO_COLOR") else text


def summary(run: VerificationRun) -> str:
    """A line or two about the whole run."""
    parts = [f"{run.count('pass')} of {len(run.results)} cases passed"]
    parts += [f"{run.count('fail')} failed"] if run.count("fail") else []
    parts += [f"{run.count('error')} ended in an error"] if run.count("error") else []
    compiling = sum(result.compile_s for result in run.results)
    took = f"{run.wall_s:.1f} s" + (
        f" ({compiling:.1f} s of compiling in {run.jobs} processes)" if compiling > 0.05 else ""
    )
    text = f"{', '.join(parts)}; {took}."
    if run.interrupted:
        text += f"\nInterrupted; not run: {', '.join(entry.id for entry in run.not_run)}."
    return text


def list_cases(entries: Sequence[CaseEntry]) -> str:
    """The cases by area: id and title, slow ones marked."""
    width = max((len(entry.id) for entry in entries), default=0)
    lines: list[str] = []
    for area in dict.fromkeys(entry.area for entry in entries):
        lines.append(area)
        lines += [
            f"  {entry.id:<{width}}  {entry.title}{'  (slow)' * entry.slow}{'  (basic)' * entry.basic}"
            for entry in entries
            if entry.area == area
        ]
    return "\n".join(lines)


def _details(result: CaseResult) -> list[str]:
    """Every quantity, order and table of a case."""
    lines = [
        f"    {quantity.name}: {quantity.value:.10g}{quantity.unit_text}, reference {quantity.reference.value:.10g}, "
        f"error {quantity.error:.1e}, tolerance {quantity.allowed:.1e}"
        for quantity in result.quantities
    ]
    lines += [
        f"    {study.name}: order {study.rate:.2f}, expected {study.expected:g}, least {study.minimum:g}"
        for study in result.convergence
    ]
    for table in result.tables:
        lines += text_table(table)
    lines += [f"    {remark}" for remark in result.remarks]
    lines += [f"    warning: {text}" for text in result.warnings]
    return lines


def text_table(table: Table) -> list[str]:
    """A table as lines of text, its title above."""
    cells = [list(table.header)] + [[f"{e:.6g}" if isinstance(e, float) else str(e) for e in row] for row in table.rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(table.header))]
    return [f"    {table.title}"] + [
        "      " + "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) for row in cells
    ]


def _cut(text: str, width: int) -> str:
    """Text no longer than ``width``."""
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"
