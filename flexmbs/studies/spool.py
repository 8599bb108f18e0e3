"""What workers have finished and not handed over yet, on a disk that they share with the journal.

Outcomes of a task of several runs come back together, when its last run has ended. So that a killed parent loses none
of them, the worker writes each as it comes to a file beside the journal, ``NAME.h5.journal.run-...``, one per task,
which the parent removes when it has written the outcomes to the journal. Files that are found when a study is started
again are of tasks that were not handed over; their lines become lines of the journal. Where a worker does not see the
journal, it writes nothing.
"""

from __future__ import annotations

import glob
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

__all__ = ["Part", "Spool"]


@dataclass(frozen=True)
class Spool:
    """The files beside one journal; it travels to workers.

    Parameters
    ----------
    journal : str
        Absolute path of the journal, whose first line is the header of the study.
    identity : str
        That of the study.
    """

    journal: str
    identity: str

    def part(self, key: str) -> Part:
        """In a worker: the file of a task that begins; one to which nothing is written if the journal is not there."""
        path = Path(f"{self.journal}.{key}")
        with suppress(OSError, ValueError):
            with Path(self.journal).open("rb") as lines:
                header = json.loads(lines.readline())
            if isinstance(header, dict) and header.get("identity") == self.identity:
                return Part(path.open("w", encoding="utf-8"))
        return Part(None)

    def forget(self, key: str) -> None:
        """The outcomes of a task are in the journal."""
        with suppress(OSError):
            Path(f"{self.journal}.{key}").unlink(missing_ok=True)

    def lines(self) -> Iterator[str]:
        """Outcomes that were not handed over, each as a whole line of text."""
        for path in self._files():
            with suppress(OSError):
                for line in path.read_bytes().splitlines(keepends=True):
                    if line.endswith(b"\n"):
                        yield line.decode(errors="replace").rstrip("\n")

    def clear(self) -> None:
        """Remove all files."""
        for path in self._files():
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        journal = Path(self.journal)
        return sorted(journal.parent.glob(f"{glob.escape(journal.name)}.run-*"))


class Part:
    """The file of one task, while it is under way; without one, nothing is written.

    It must never end a run: where there is no room, what is finished waits for the end of its task, as without it.
    """

    def __init__(self, file: TextIO | None) -> None:
        self._file = file

    def __enter__(self) -> Part:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._file.close()

    def append(self, outcome: Any) -> Any:
        """Write an outcome, which is returned."""
        if self._file is not None:
            try:
                self._file.write(f"{outcome.line()}\n")
                self._file.flush()
            except OSError:
                with suppress(OSError):
                    self._file.close()
                self._file = None
        return outcome
