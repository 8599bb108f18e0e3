"""Operators as Matrix Market files, with tables of nodes and of unknowns beside them.

A folder holds ``K.mtx``, ``M.mtx`` and maybe ``D.mtx``; ``nodes.csv`` with node, x, y, z; ``dofs.csv`` with node and
component (1 to 6, or ux to rz; 0 for a scalar) in the order of the rows; and maybe ``node_sets.csv`` with set and node.
All numbers are written so that they are read back to the last bit.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy import io, sparse

from flexmbs.core.checks import MOST, as_path, show
from flexmbs.core.errors import ModelError, ReadError
from flexmbs.elements.linear.contract import COMPONENTS
from flexmbs.linear.files.build import Matrices, built, from_entries, mirrored
from flexmbs.linear.files.places import as_places, read_sets
from flexmbs.linear.files.tables import numbers, open_file
from flexmbs.linear.files.unknowns import as_unknowns
from flexmbs.linear.operators import Operators

__all__ = ["read_matrix_market", "write_operators_matrix_market"]


def read_matrix_market(
    path: Path, mass: Path | None, damping: Path | None, nodes: Any, dofs: Any, definite: bool
) -> Operators:
    """Operators by the file of the stiffness; what is not given is looked for beside it by the names above."""
    owner = f"operators {path}"
    mass = path.with_name("M.mtx") if mass is None else mass
    if damping is None and path.with_name("D.mtx").is_file():
        damping = path.with_name("D.mtx")
    sets = path.with_name("node_sets.csv")
    with_sets = nodes is None and sets.is_file()
    nodes = path.with_name("nodes.csv") if nodes is None else nodes
    dofs = path.with_name("dofs.csv") if dofs is None else dofs
    places = as_places(owner, nodes)
    if with_sets:
        places = read_sets(sets, places)
    unknowns = as_unknowns(owner, dofs, places)
    matrices = Matrices(read_matrix(path), read_matrix(mass), None if damping is None else read_matrix(damping))
    names = ", ".join(p.name for p in (path, mass, damping) if p is not None)
    return built(owner, matrices, unknowns, places, f"read from {names}", definite)


def read_matrix(path: Path) -> Any:
    """A real square matrix; where only one triangle is stored, both are filled in.

    SciPy's reader is not used: it ends the process at some damaged files.
    """
    open_file(path)
    layout, symmetric, sizes, skip = _head(path)
    rows, columns = sizes[:2]
    if rows != columns:
        raise ReadError(f"{path}: a matrix of shape {(rows, columns)} is not square.")
    if layout == "coordinate":
        count, width = sizes[2], 3
    else:
        count, width = (rows * (rows + 1) // 2 if symmetric else rows * columns), 1
    read = numbers(path, width, skip) if count else np.empty((0, width))
    if len(read) != count:
        raise ReadError(
            f"{path}: there are {len(read)} entries, but its head promises {count}; the file is cut off or damaged."
        )
    if layout == "array":
        if symmetric:
            A = np.zeros((rows, rows))
            A.T[np.triu_indices(rows)] = read[:, 0]  # the lower triangle, column by column
            return sparse.csc_matrix(A + np.tril(A, -1).T)
        return mirrored(str(path), read[:, 0].reshape((columns, rows)).T)
    with np.errstate(invalid="ignore"):  # what is no index is found next
        row, col = (read[:, k].astype(np.int64) - 1 for k in (0, 1))
    whole = (read[:, 0] == row + 1) & (read[:, 1] == col + 1)
    if not whole.all():
        raise ReadError(f"{path}: row and column of entry {int(np.argmin(whole)) + 1} must be whole numbers.")
    A = from_entries(str(path), row, col, read[:, 2], (rows, columns), triangle=symmetric)
    return A if symmetric else mirrored(str(path), A)


def _head(path: Path) -> tuple[str, bool, list[int], int]:
    """Layout, whether one triangle stands for both, sizes, and how many lines the head has."""
    with path.open(encoding="utf-8", errors="replace") as file:
        words = file.readline().lower().split()
        if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"] or words[2] not in ("coordinate", "array"):
            raise ReadError(f"{path} is no Matrix Market file: its first line is none of one.")
        layout, field, symmetry = words[2:]
        if field not in ("real", "double", "integer") or symmetry not in ("general", "symmetric"):
            raise ReadError(f"{path}: a {field} {symmetry} matrix is no operator of a structure; it is real.")
        skip, line = 2, file.readline()
        while line and (not line.strip() or line.startswith("%")):
            skip, line = skip + 1, file.readline()
    if not line:
        raise ReadError(f"{path} is cut off: it ends in its head.")
    sizes = line.split()
    if len(sizes) != (3 if layout == "coordinate" else 2) or not all(s.isdecimal() and len(s) < 12 for s in sizes):
        raise ReadError(f"{path}, line {skip}: expected the sizes of the matrix, not {line.strip()[:60]!r}.")
    if max(int(s) for s in sizes[:2]) > MOST:
        raise ReadError(f"{path}: a matrix of {' x '.join(sizes[:2])} is larger than {MOST}.")
    return layout, symmetry == "symmetric", [int(s) for s in sizes], skip


def write_operators_matrix_market(operators: Operators, folder: str | PathLike[str]) -> None:
    """Write operators into a folder, as `flexmbs.linear.files.read_operators` reads them.

    Parameters
    ----------
    operators : Operators
        Without dependent unknowns: an expansion has no place in these files.
    folder : path-like
        Made if it is not there; files of the same names are replaced.

    Raises
    ------
    ModelError
        If there is an expansion, or the name of a set cannot be kept in a table.

    Examples
    --------
    >>> import tempfile, scipy.sparse as sp
    >>> from flexmbs.linear.files import read_operators
    >>> from flexmbs.linear.operators import DofMap, Operators
    >>> two = Operators(sp.diags([1.0, 2.0]), sp.eye(2), DofMap([0, 1], [0, 0]), [[0, 0, 0], [0.1, 0, 0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_operators_matrix_market(two, folder)
    ...     print(read_operators(folder).points[1, 0])
    0.1
    """
    owner = "write_operators_matrix_market"
    if not isinstance(operators, Operators):
        raise ModelError(f"{owner}: operators must be Operators, not {show(operators)}.")
    if operators.expansion is not None:
        raise ModelError(f"{owner}: operators with links have an expansion, which only write_operators_npz keeps.")
    for name in operators.node_sets:
        if name != name.strip() or any(c in name for c in ",;#\n\r"):
            raise ModelError(f"{owner}: the name {name!r} of a node set cannot be kept in a table.")
    folder = as_path(owner, "folder", folder)
    folder.mkdir(parents=True, exist_ok=True)
    labels = operators.node_labels if operators.node_labels is not None else np.arange(len(operators.points))
    for name in "KMD":
        (folder / f"{name}.mtx").unlink(missing_ok=True)
        matrix = getattr(operators, name)
        if matrix is not None:
            io.mmwrite(folder / f"{name}.mtx", matrix)
    rows = ["node,x,y,z"]
    rows += [f"{n},{x!r},{y!r},{z!r}" for n, (x, y, z) in zip(labels, operators.points.tolist(), strict=True)]
    (folder / "nodes.csv").write_text("\n".join(rows) + "\n")
    dofs = operators.dofs
    rows = ["node,component"]
    rows += [
        f"{labels[n]},{COMPONENTS[c]}" if n >= 0 else "-1,0" for n, c in zip(dofs.node, dofs.component, strict=True)
    ]
    (folder / "dofs.csv").write_text("\n".join(rows) + "\n")
    (folder / "node_sets.csv").unlink(missing_ok=True)
    if operators.node_sets:
        rows = ["set,node"]
        rows += [f"{name},{labels[n]}" for name, members in operators.node_sets.items() for n in members]
        (folder / "node_sets.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
