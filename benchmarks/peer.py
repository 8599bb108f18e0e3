"""Exudyn as the other side of a benchmark: a script run by an interpreter that has it, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["Peer", "find_peer"]


class Peer:
    """The other program: a problem goes in, a row of numbers comes out."""

    def __init__(self, python: str, script: str) -> None:
        path = str(Path(__file__).with_name(script))
        self.process = subprocess.Popen([python, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.version = self._answer().get("version", "")

    def solve(self, problem: dict[str, Any]) -> list[Any]:
        """The row that the script answers with."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(problem) + "\n")
        self.process.stdin.flush()
        answer = self._answer()
        if "row" not in answer:
            raise RuntimeError(f"Exudyn failed at {problem}: {answer.get('error', 'its process ended')}")
        row: list[Any] = answer["row"]
        return row

    def close(self) -> None:
        """End the process."""
        self.process.communicate()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        for line in self.process.stdout:  # Exudyn prints lines of its own
            if line.startswith("{"):
                answer: dict[str, Any] = json.loads(line)
                return answer
        return {}


def find_peer(script: str) -> Peer | None:
    """The peer, if the interpreter in EXUDYN_PYTHON, or else this one, can import exudyn."""
    python = os.environ.get("EXUDYN_PYTHON") or sys.executable
    try:
        found = subprocess.run([python, "-c", "import exudyn"], capture_output=True, check=False)
    except OSError:
        found = None
    if found is not None and found.returncode == 0:
        return Peer(python, script)
    print(
        "Exudyn cannot be imported, so there is nothing to compare with: `pip install exudyn==1.13.6`, or set\n"
        "EXUDYN_PYTHON to the interpreter of an environment that has it.\n"
    )
    return None
