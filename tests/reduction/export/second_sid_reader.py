"""A reader of Standard Input Data that shares no code with the package: one pass of regular expressions."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

BLOCK = re.compile(r"^\s*(\w+)\n((?:\s*\w+ *= *\d+\n){6})((?:\s*m[01]\(.*\n)*)\s*end \1$", re.MULTILINE)
ENTRY = re.compile(r"m([01])\(([\d ,]+)\) = (\S+)")


def objects(text: str) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Name, m0 and m1 (row, mode, column) of all objects in their order."""
    out = []
    for name, head, body in BLOCK.findall(text):
        n = {key: int(value) for key, value in re.findall(r"(\w+) *= *(\d+)", head)}
        m0 = np.eye(n["nrow"]) if n["structure"] == 4 else np.zeros((n["nrow"], n["ncol"]))
        m1 = np.zeros((n["nrow"], n["nq"], n["ncol"]))
        for order, index, value in ENTRY.findall(body):
            at = tuple(int(i) - 1 for i in index.split(","))
            (m1 if order == "1" else m0)[at] = float(value.replace("D", "E"))
        out.append((name, m0, m1))
    return out


def read(path: Path):
    """First two numbers, frequencies in the text, objects of each node, and the others by name."""
    text = path.read_text(encoding="ascii")
    size = [int(word) for word in text.split(None, 2)[:2]]
    hertz = [float(f) for f in re.findall(r"ielastq.*: (\S+) Hz", text)]
    mass = float(re.search(r"mass *= (\S+)", text)[1].replace("D", "E"))
    frame, rest = text.split("end frame")
    found = objects(frame)
    nodes = [{n: (a, b) for n, a, b in found[k : k + 4]} for k in range(0, len(found), 4)]
    return size, mass, hertz, nodes, {n: (a, b) for n, a, b in objects(rest)}
