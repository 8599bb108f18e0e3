"""The journal of a study that is under way: its outcomes as lines of text, behind a line that says what it is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from flexmbs.core.errors import FlexmbsError, ReadError
from flexmbs.studies.outcomes import Outcome
from flexmbs.studies.spool import Spool

__all__ = ["FORMAT", "Journal", "check_identity", "header_of"]

FORMAT = 1


class Journal:
    """The lines of a study that is under way.

    Parameters
    ----------
    target : Path
        The file of the study.
    header : mapping
        What the study is; ``identity`` tells studies apart.
    """

    def __init__(self, target: Path, header: Mapping[str, Any]) -> None:
        self.path = target.with_name(f"{target.name}.journal")
        self.header = dict(header)
        self.spool = Spool(str(self.path.absolute()), str(self.header.get("identity", "")))
        self._file: TextIO | None = None

    def absorb(self) -> None:
        """Take up what workers of a run that was killed had finished and not handed over.

        Raises
        ------
        ReadError
            If the journal is of another study.
        FlexmbsError
            If the system refuses to write.
        """
        found = []
        for line in self.spool.lines():
            with suppress(ValueError):  # of a file that is damaged
                found.append(Outcome.of_line(line))
        if found and self.path.exists():
            for _ in self.read():
                break
            self.open()
            try:
                for outcome in found:
                    self.append(outcome)
            finally:
                self.close()
        self.spool.clear()

    def remove(self) -> None:
        """Remove it, with what is beside it: everything is in the file."""
        self.path.unlink(missing_ok=True)
        self.spool.clear()

    def read(self) -> Iterator[tuple[int, Outcome]]:
        """Outcomes that are there, each with the place of its line; half a line at the end is left out.

        Raises
        ------
        ReadError
            If the journal is of another study.
        """
        if not self.path.exists():
            return
        with self.path.open("rb") as lines:
            first = lines.readline()
            if first.endswith(b"\n"):
                check_identity(self.path, header_of(self.path, first), self.header)
            place = len(first)
            for line in lines:
                if line.endswith(b"\n"):
                    yield place, self._outcome(line)
                    place += len(line)

    def at(self, place: int) -> Outcome:
        """The outcome whose line begins there."""
        with self.path.open("rb") as lines:
            lines.seek(place)
            return self._outcome(lines.readline())

    def _outcome(self, line: bytes) -> Outcome:
        try:
            return Outcome.of_line(line.decode())
        except ValueError as error:
            raise ReadError(f"Study: a line of {self.path} is damaged; remove the file to begin again.") from error

    def open(self) -> None:
        """Make ready to append, behind the last whole line."""
        try:
            whole = self._whole()
            self._file = self.path.open("r+" if whole else "w", encoding="utf-8")
            if whole:
                self._file.truncate(whole)
                self._file.seek(whole)
            else:
                self._write(json.dumps(self.header))
        except OSError as error:
            raise FlexmbsError(f"Study: cannot write {self.path}: {error.strerror}.") from error

    def append(self, outcome: Outcome) -> None:
        """Write an outcome.

        Raises
        ------
        FlexmbsError
            If the system refuses, such as for want of space; what was written before is kept.
        """
        try:
            self._write(outcome.line())
        except OSError as error:
            raise FlexmbsError(
                f"Study: cannot write {self.path}: {error.strerror}. What was done is kept; run the study again when "
                f"there is room."
            ) from error

    def close(self) -> None:
        """No more lines."""
        if self._file is not None:
            with suppress(OSError):  # of half a line that found no room, which is told where it is written
                self._file.close()
            self._file = None

    def _whole(self) -> int:
        """Bytes up to the end of the last whole line."""
        if not self.path.exists():
            return 0
        size = 0
        with self.path.open("rb") as lines:
            for line in lines:
                if line.endswith(b"\n"):
                    size += len(line)
        return size

    def _write(self, line: str) -> None:
        assert self._file is not None  # noqa: S101  opened before
        self._file.write(f"{line}\n")
        self._file.flush()


def check_identity(place: Path, stored: Mapping[str, Any], mine: Mapping[str, Any]) -> None:
    """Refuse what belongs to another study.

    Raises
    ------
    ReadError
        With what differs.
    """
    if stored.get("identity") == mine["identity"]:
        return
    names = ("builder", "parameters", "analysis", "measures")
    different = [name for name in names if stored.get(name) != mine.get(name)] or [
        "what the builder or the analysis refer to"
    ]
    raise ReadError(
        f"Study: {place} is of another study: it differs in {', '.join(different)}. Give another file, or remove it "
        f"(Study.run does with anew=True, the command line with --anew)."
    )


def header_of(path: Path, line: bytes) -> dict[str, Any]:
    """The first line of a journal."""
    try:
        header = json.loads(line)
        if header["flexmbs study"] == FORMAT:
            return dict(header)
    except (ValueError, KeyError, TypeError):
        pass
    raise ReadError(f"Study: {path} is no journal of a study of this format; remove it, or give another file.")
