"""Matrices and frequencies of a bracket of quadratic tetrahedra as CalculiX computed them.

The files lie in the folder ``calculix``; its README says how they were made. Units: mm, N, t, s.
"""

from __future__ import annotations

import gzip
import io
import re
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["DENSITY", "POISSONS_RATIO", "YOUNGS_MODULUS", "deck", "frequencies", "matrix"]

YOUNGS_MODULUS, POISSONS_RATIO, DENSITY = 210_000.0, 0.3, 7.85e-9
"""Steel in N/mm^2 and t/mm^3."""


def _file(name: str) -> Any:
    return resources.files("flexmbs.verification").joinpath(f"reference/calculix/bracket{name}")


def deck() -> str:
    """Text of the input file: nodes, elements, node sets LEFT and RIGHT, material, the step that wrote the files."""
    return str(_file(".inp").read_text("utf-8"))


def matrix(name: str) -> Any:
    """Stiffness (``"sti"``) or mass (``"mas"``), both triangles (189, 189), in the order node by node, x, y, z."""
    raw = gzip.decompress(_file(f".{name}.gz").read_bytes()).decode("ascii")
    return assembled(raw, _file(".dof").read_text("ascii"))


def assembled(entries: str, dofs: str) -> Any:
    """The matrix of lines ``row column value`` of one triangle, where lines ``node.direction`` name the rows."""
    row, column, value = np.loadtxt(io.StringIO(entries), unpack=True)
    named = np.array([[int(part) for part in line.split(".")] for line in dofs.split()])
    place = 3 * (named[:, 0] - 1) + named[:, 1] - 1
    i, j = place[row.astype(int) - 1], place[column.astype(int) - 1]
    upper = sparse.coo_matrix((value, (i, j)), shape=(len(place),) * 2).tocsc()
    diagonal = sparse.diags(upper.diagonal())
    return (upper + upper.T - diagonal).tocsc()


def frequencies(name: str) -> NDArray[np.float64]:
    """Printed frequencies [Hz] of the free bracket (``"free"``) or with LEFT held (``"clamped"``), rigid ones as 0."""
    return printed_frequencies(_file(f"-{name}.dat").read_text("ascii"))


def printed_frequencies(text: str) -> NDArray[np.float64]:
    """The column CYCLES/TIME of the first table of eigenvalues."""
    rows = re.findall(r"^ +\d+((?: +-?\d\.\d+E[+-]\d+){4})$", text.split("P A R T I C")[0], flags=re.MULTILINE)
    return np.array([float(row.split()[2]) for row in rows])
