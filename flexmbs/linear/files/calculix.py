"""Operators of CalculiX: ``*FREQUENCY, SOLVER=MATRIXSTORAGE`` writes ``.sti``, ``.mas`` and ``.dof`` beside the job.

``.sti`` and ``.mas`` hold lines "row column value" of the upper triangle, from 1, with 14 digits and without any count;
``.dof`` holds "node.direction" for each row. Rows that ``*BOUNDARY`` fixes are not in them: leave it out for
a free part. The places and sets of the nodes come from the input file itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.core.errors import ReadError
from flexmbs.linear.files.build import Matrices, built, from_entries
from flexmbs.linear.files.places import as_places
from flexmbs.linear.files.tables import numbers, open_file
from flexmbs.linear.files.unknowns import read_ccx_dofs
from flexmbs.linear.operators import Operators

__all__ = ["read_calculix"]


def read_calculix(path: Path, nodes: Any, definite: bool) -> Operators:
    """Operators of a job by one of its three files; ``nodes`` in place of the ``.inp`` beside them."""
    stiffness, mass, dofs = (path.with_suffix(s) for s in (".sti", ".mas", ".dof"))
    for part in (stiffness, mass, dofs):
        if not part.is_file():
            raise ReadError(
                f"{part} is missing; CalculiX writes .sti, .mas and .dof for a step with *FREQUENCY, "
                "SOLVER=MATRIXSTORAGE."
            )
    if nodes is None:
        nodes = path.with_suffix(".inp")
        if not nodes.is_file():
            raise ReadError(f"{nodes} is missing, where the places of the nodes are; or give nodes=.")
    owner = f"operators {path.with_suffix('')}"
    unknowns = read_ccx_dofs(dofs)
    places = as_places(owner, nodes)
    K, M = (_matrix(part, len(unknowns.labels)) for part in (stiffness, mass))
    return built(owner, Matrices(K, M, None), unknowns, places, f"read from {stiffness.name} and {mass.name}", definite)


def _matrix(path: Path, n: int) -> Any:
    """One matrix; every row must have its diagonal entry, so that a file that ends early is noticed."""
    open_file(path)
    read = numbers(path, 3)
    with np.errstate(invalid="ignore"):  # what is no index is found next
        row, col = (read[:, k].astype(np.int64) - 1 for k in (0, 1))
    whole = (read[:, 0] == row + 1) & (read[:, 1] == col + 1)
    if not whole.all():
        raise ReadError(f"{path}, line {int(np.argmin(whole)) + 1}: row and column must be whole numbers.")
    A = from_entries(str(path), row, col, read[:, 2], (n, n), triangle=True)
    there = np.zeros(n, dtype=bool)
    there[row[row == col]] = True
    if not there.all():
        raise ReadError(
            f"{path}: row {int(np.argmin(there)) + 1} of {n} has no diagonal entry; the file is cut off, or the .dof "
            "file belongs to another model."
        )
    return A
