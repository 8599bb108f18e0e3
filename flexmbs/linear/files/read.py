"""Reading operators: one function, which goes by the suffix."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from flexmbs.core.checks import as_flag, show
from flexmbs.core.errors import ModelError, ReadError
from flexmbs.linear.files.abaqus import is_abaqus_text, read_abaqus_matrices, read_abaqus_texts
from flexmbs.linear.files.calculix import read_calculix
from flexmbs.linear.files.matrix_market import read_matrix_market
from flexmbs.linear.files.nastran import read_dmig, read_op4
from flexmbs.linear.files.npz import read_npz
from flexmbs.linear.files.places import NASTRAN_SUFFIXES
from flexmbs.linear.operators import Operators

__all__ = ["read_operators"]

CALCULIX = (".sti", ".mas", ".dof")


def read_operators(
    path: str | PathLike[str],
    *,
    mass: str | PathLike[str] | None = None,
    damping: str | PathLike[str] | None = None,
    nodes: Any = None,
    dofs: Any = None,
    names: Mapping[str, str] | None = None,
    definite: bool = True,
) -> Operators:
    r"""Read mass, damping and stiffness with the meaning of their rows; the suffix tells the format.

    - ``.npz``: of `write_operators_npz`; or of others, with ``K_data``, ``K_indices``, ``K_indptr``, ``M_data`` and so
      on in one file, or one file of ``scipy.sparse.save_npz`` for each matrix
    - ``.mtx``: Matrix Market, with ``M.mtx``, ``D.mtx``, ``nodes.csv``, ``dofs.csv``, ``node_sets.csv`` beside it
    - ``.sti``, ``.mas``, ``.dof``: CalculiX, with the job's ``.inp`` beside them
    - ``.inp``: Abaqus's ``*MATRIX INPUT``, with the nodes; ``.mtx`` of Abaqus (``job_STIF1.mtx``, beside it
      ``job_MASS1.mtx``) with ``nodes``
    - ``.pch``, ``.bdf``, ``.dat``: DMIG cards of Nastran (extra ``nastran``), grids from the same file or ``nodes``
    - ``.op4``: OP4 of Nastran (extra ``nastran``), maybe with ``nodes.csv`` and ``dofs.csv`` beside it

    A folder is read by what it holds: ``K.mtx``, or the only ``.sti``, ``.npz`` or ``.op4`` file in it. Displacements
    and rotations are taken to be along the inertial axes. Units are those of the file. The numbers that nodes have in
    the file are kept as ``node_labels``; nodes without unknowns (fixed ones) stay in ``points``.

    Parameters
    ----------
    path : path-like
        A file (that of the stiffness, where there are several) or a folder.
    mass, damping : path-like, optional
        Other files of a ``.mtx`` or ``.npz`` stiffness.
    nodes : Mesh, (n, 3) array or path-like, optional
        Places of the nodes [length], where the format has none: a table ``.csv`` of node, x, y, z, an ``.inp`` or
        Nastran bulk data. A mesh or an array numbers its nodes from 0.
    dofs : DofMap, path-like, 3 or 6, optional
        What the rows are: a table ``.csv`` of node and component (1 to 6, or ux to rz; 0 for a scalar unknown), a
        ``.dof`` file, or that many unknowns at every node in the order of ``nodes``.
    names : mapping, optional
        Names of the matrices in a DMIG or OP4 file: ``{"K": "KAAX", "M": "MAAX"}``, maybe with ``"D"``. By default the
        only ones that begin with K, M and B.
    definite : bool, default True
        Whether to check by a factorisation that K and M have no negative eigenvalue. Of a file of our own they are not
        checked again.

    Returns
    -------
    Operators

    Raises
    ------
    ReadError
        If a file is missing, empty, cut off or damaged; sizes differ; an entry is not finite, or there twice; a matrix
        is not symmetric, or indefinite; an unknown occurs twice or belongs to a node without a place; directions of
        nodes are turned (``*TRANSFORM``, CD).
    ModelError
        If an argument is of another kind or missing, or pyNastran is not installed.

    Warns
    -----
    UserWarning
        If only one triangle is stored where both are expected, or unknowns without stiffness and mass are left out.
    AccuracyWarning
        If the digits of the file are too few for the rigid motions.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, tempfile
    >>> from flexmbs.linear.operators import DofMap
    >>> K = sp.csc_matrix([[1.0, -1.0], [-1.0, 1.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(folder + "/a.npz", **{f"{n}_{k}": getattr(A, k) for n, A in (("K", K), ("M", sp.eye(2).tocsc()))
    ...                                   for k in ("data", "indices", "indptr")})
    ...     rod = read_operators(folder + "/a.npz", nodes=[[0, 0, 0], [1, 0, 0]],
    ...                          dofs=DofMap([0, 1], [0, 0]))
    >>> rod.n, rod.dofs.name(1)
    (2, 'ux of node 1')
    """
    owner = "read_operators"
    as_flag(owner, "definite", definite)
    main, other, damper = (_path(owner, n, p) for n, p in (("path", path), ("mass", mass), ("damping", damping)))
    if main is None:
        raise ModelError(f"{owner}: path must be a string or a path, not None.")
    if main.is_dir():
        main = _in_folder(main)
    suffix = main.suffix.lower()
    given = {"mass": mass, "damping": damping, "nodes": nodes, "dofs": dofs, "names": names}
    if suffix == ".npz":
        _only(main, given, "mass", "damping", "nodes", "dofs")
        return read_npz(main, other, damper, nodes, dofs, definite)
    if suffix == ".inp":
        _only(main, given, "names")
        return read_abaqus_matrices(main, names, definite)
    if suffix == ".mtx" and main.is_file() and main.stat().st_size and is_abaqus_text(main):
        _only(main, given, "mass", "damping", "nodes")
        return read_abaqus_texts(main, other, damper, nodes, definite)
    if suffix == ".mtx":
        _only(main, given, "mass", "damping", "nodes", "dofs")
        return read_matrix_market(main, other, damper, nodes, dofs, definite)
    if suffix in CALCULIX:
        _only(main, given, "nodes")
        return read_calculix(main, nodes, definite)
    if suffix in NASTRAN_SUFFIXES:
        _only(main, given, "names", "nodes")
        return read_dmig(main, names, nodes, definite)
    if suffix == ".op4":
        _only(main, given, "names", "nodes", "dofs")
        return read_op4(main, names, nodes, dofs, definite)
    known = ", ".join((".npz", ".mtx", ".inp", *CALCULIX, *NASTRAN_SUFFIXES, ".op4"))
    raise ReadError(f"{main}: the suffix {suffix!r} is of no known format of operators. Known: {known}.")


def _path(owner: str, name: str, value: object) -> Path | None:
    if value is None:
        return None
    if not isinstance(value, str | PathLike):
        raise ModelError(f"{owner}: {name} must be a string or a path, not {show(value)}.")
    return Path(value)


def _only(path: Path, given: Mapping[str, Any], *fitting: str) -> None:
    """Refuse arguments that mean nothing for a format."""
    foreign = [name for name, value in given.items() if value is not None and name not in fitting]
    if foreign:
        raise ModelError(f"read_operators: {foreign[0]} means nothing for {path.suffix} files; leave it out.")


def _in_folder(folder: Path) -> Path:
    """The file to begin with."""
    if (folder / "K.mtx").is_file():
        return folder / "K.mtx"
    found = [p for p in sorted(folder.iterdir()) if p.suffix.lower() in (".sti", ".npz", ".op4", ".pch")]
    if len(found) != 1:
        raise ReadError(
            f"{folder}: expected K.mtx or one file .sti, .npz, .op4 or .pch in this folder, but found "
            f"{', '.join(p.name for p in found) or 'none'}; name the file."
        )
    return found[0]
