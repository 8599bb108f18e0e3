"""Nastran files through pyNastran, which is optional: places of grids, DMIG matrices and OP4 matrices.

DMIG: header ``DMIG NAME 0 IFO TIN``, then columns of (grid, component, value). IFO 6 gives one triangle, IFO 1 both.
Components are 1 to 6 at a grid and 0 at a scalar point. Printed fields hold about ten digits.
OP4: matrices alone; what the rows are has to be said beside it, usually 6 at every grid in the order of their numbers.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import IntArray
from flexmbs.core.errors import ModelError, ReadError, unknown_name
from flexmbs.linear.files.build import Matrices, built, from_entries, mirrored
from flexmbs.linear.files.op4_heads import check_heads
from flexmbs.linear.files.places import NASTRAN_SUFFIXES, Places, as_places
from flexmbs.linear.files.tables import open_file
from flexmbs.linear.files.unknowns import Unknowns, as_unknowns
from flexmbs.linear.operators import Operators
from flexmbs.meshes.read import FOREIGN_ERRORS, Quiet

__all__ = ["read_dmig", "read_grids", "read_op4"]

CARDS = ("GRID", "SPOINT", "SET1", "DMIG", "CORD1R", "CORD1C", "CORD1S", "CORD2R", "CORD2C", "CORD2S", "ENDDATA")
INITIALS = {"K": "K", "M": "M", "D": "BD"}
"""How the names of stiffness, mass and damping begin in these files."""

FORMS = {1: "square", 2: "rectangular", 6: "symmetric", 9: "rectangular"}


def read_dmig(path: Path, names: Mapping[str, str] | None, nodes: Any, definite: bool) -> Operators:
    """Operators of DMIG cards; ``nodes`` where the file has no GRID cards."""
    owner = f"operators {path}"
    model = _bulk(path)
    chosen = _chosen(owner, names, model.dmig)
    if nodes is None and not model.nodes:
        raise ModelError(f"{owner}: there are no GRID cards in it; give nodes= with a .bdf or a .csv of node, x, y, z.")
    places = _places(path, model) if nodes is None else as_places(owner, nodes)
    scalars = set(model.spoints)
    keys = np.unique(np.vstack([_pairs(model.dmig[n]) for n in chosen.values()]), axis=0)
    matrices = {role: _dmig(owner, model.dmig[name], keys) for role, name in chosen.items()}
    loose = keys[:, 1] == 0
    wrong = [int(g) for g in keys[loose, 0] if scalars and int(g) not in scalars]
    if wrong:
        raise ReadError(f"{owner}: component 0 of {wrong[0]} is given, but it is no SPOINT.")
    labels = np.where(loose, -1, keys[:, 0])
    unknowns = Unknowns(labels, np.where(loose, 0, keys[:, 1] - 1), str(path))
    origin = f"read from {', '.join(chosen.values())} in {path.name}"
    return built(owner, Matrices(matrices["K"], matrices["M"], matrices.get("D")), unknowns, places, origin, definite)


def read_op4(path: Path, names: Mapping[str, str] | None, nodes: Any, dofs: Any, definite: bool) -> Operators:
    """Operators of an OP4 file; ``nodes`` and ``dofs`` say what its rows are."""
    owner = f"operators {path}"
    open_file(path)
    beside = {"nodes": path.with_name("nodes.csv"), "dofs": path.with_name("dofs.csv")}
    nodes = beside["nodes"] if nodes is None and beside["nodes"].is_file() else nodes
    dofs = beside["dofs"] if dofs is None and beside["dofs"].is_file() else dofs
    if nodes is None or dofs is None:
        raise ModelError(
            f"{owner}: an OP4 file holds matrices only; give nodes= (.bdf or .csv) and dofs= (.csv of node and "
            "component, or 6 for all six at every node in the order of nodes)."
        )
    check_heads(path)
    op4 = _pynastran("op4.op4").OP4(debug=None)
    try:
        with Quiet():
            found = op4.read_op4(str(path))
    except FOREIGN_ERRORS as error:
        raise ReadError(f"{path} cannot be read: it is cut off, damaged or no OP4 file ({_said(error)}).") from None
    chosen = _chosen(owner, names, found)
    places = as_places(owner, nodes)
    unknowns = as_unknowns(owner, dofs, places)
    matrices: dict[str, Any] = {}
    for role, name in chosen.items():
        A = found[name][1] if isinstance(found[name], tuple) else found[name].data
        if isinstance(A, list):
            raise ReadError(f"{path}: matrix {name!r} is there {len(A)} times; leave one of them in the file.")
        if A.dtype.kind != "f":
            raise ReadError(f"{owner}: {name} is of type {A.dtype}; operators are real.")
        matrices[role] = mirrored(f"{owner}: {name}", A)
    origin = f"read from {', '.join(chosen.values())} in {path.name}"
    return built(owner, Matrices(matrices["K"], matrices["M"], matrices.get("D")), unknowns, places, origin, definite)


def read_grids(path: Path) -> Places:
    """The GRID cards of a file, and SET1 cards that name grids as node sets ``SET1_<number>``."""
    return _places(path, _bulk(path))


def _pynastran(module: str) -> Any:
    """A module of pyNastran, or what to do without it."""
    try:
        return import_module(f"pyNastran.{module}")
    except ImportError as error:
        raise ModelError(
            f"Nastran files need pyNastran ({error}). Install it with pip install 'flexmbs[nastran]'; versions from "
            "1.4 on need numpy < 2, 1.3.4 does not."
        ) from None


def _bulk(path: Path) -> Any:
    """The model of a bulk data or punch file, of the few cards that matter here."""
    if path.suffix.lower() not in NASTRAN_SUFFIXES:
        raise ReadError(f"{path}: the suffix is none of {', '.join(NASTRAN_SUFFIXES)}.")
    open_file(path)
    model = _pynastran("bdf.bdf").BDF(debug=None)
    model.set_cards(CARDS)
    text = path.read_text(encoding="latin-1")
    if not text.endswith("\n") and not text.rstrip().upper().endswith("ENDDATA"):
        raise ReadError(f"{path}: the last line has no end; the file is cut off.")
    punch = re.search(r"^\s*BEGIN\s+BULK", text, re.IGNORECASE | re.MULTILINE) is None
    with _in_utf_8(path, text) as readable:
        try:
            with Quiet():
                model.read_bdf(str(readable), punch=punch, xref=False, validate=False)
        except FOREIGN_ERRORS as error:
            raise ReadError(
                f"{path} cannot be read: it is cut off, damaged or no Nastran file ({_said(error)})."
            ) from None
    return model


@contextmanager
def _in_utf_8(path: Path, text: str) -> Iterator[Path]:
    """The file itself, or a copy in ASCII if it is not in UTF-8: pyNastran reads no other, not even in comments."""
    try:
        path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        if re.search(r"^\s*INCLUDE\b", text, re.IGNORECASE | re.MULTILINE):
            raise ReadError(
                f"{path} includes other files and is not in UTF-8; save it in UTF-8, or in ASCII."
            ) from None
    else:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="flexmbs-") as folder:
        copy = Path(folder) / path.name
        copy.write_text(text.encode("ascii", "replace").decode(), encoding="ascii")
        yield copy


def _said(error: BaseException) -> str:
    """The first words of a foreign error."""
    return " ".join(str(error).split())[:160] or type(error).__name__


def _places(path: Path, model: Any) -> Places:
    """Grids in ascending order, in the basic system."""
    if not model.nodes:
        raise ReadError(f"{path}: there are no GRID cards in it.")
    labels = np.array(sorted(model.nodes), dtype=np.int64)
    turned = [int(n) for n in labels if model.nodes[n].Cd() not in (0, -1)]
    if turned:
        raise ReadError(
            f"{path}: the directions of grid {turned[0]} are turned (CD is {model.nodes[turned[0]].Cd()}; "
            f"{len(turned)} such in all), which is not supported; export in the basic system, CD 0."
        )
    try:
        points = np.array([model.nodes[n].get_position_no_xref(model) for n in labels], dtype=float)
    except FOREIGN_ERRORS as error:
        raise ReadError(f"{path}: a GRID is in a coordinate system that is not there ({_said(error)}).") from None
    sets = {f"SET1_{number}": np.array(card.get_ids(), dtype=np.int64) for number, card in sorted(model.sets.items())}
    places = Places(labels, points, {}, str(path))
    rows = {name: places.rows(members) for name, members in sets.items()}
    return places._replace(node_sets={name: found for name, found in rows.items() if (found >= 0).all()})


def _chosen(owner: str, names: Mapping[str, str] | None, found: Iterable[str]) -> dict[str, str]:
    """Which matrix of a file is which operator: by name, or the only one with the usual initial."""
    known = list(found)
    if names is not None:
        if not isinstance(names, Mapping) or not {"K", "M"} <= set(names) <= {"K", "M", "D"}:
            raise ModelError(f"{owner}: names must be {{'K': 'KAAX', 'M': 'MAAX'}}, maybe with 'D', not {show(names)}.")
        for name in names.values():
            if name not in known:
                raise ReadError(f"{owner}: {unknown_name('matrix', name, known)}")
        return dict(names)
    chosen = {}
    for role, initials in INITIALS.items():
        fitting = [name for name in known if name[:1].upper() in initials]
        if len(fitting) > 1 or (not fitting and role != "D"):
            raise ReadError(
                f"{owner}: which matrix is {role} cannot be told; give names={{'K': ..., 'M': ...}}. There are: "
                f"{', '.join(known) or 'none'}."
            )
        if fitting:
            chosen[role] = fitting[0]
    return chosen


def _pairs(card: Any) -> IntArray:
    """Grid and component of all rows and columns (n, 2)."""
    both = [np.asarray(x, dtype=np.int64).reshape(-1, 2) for x in (card.GCi, card.GCj)]
    return np.vstack(both)


def _dmig(owner: str, card: Any, keys: IntArray) -> Any:
    """One matrix over the grids and components (n, 2) of all of them."""
    form = int(card.matrix_form)
    if form not in (1, 6):
        raise ReadError(
            f"{owner}: {card.name} is {FORMS.get(form, form)} (IFO {form}); operators are square or symmetric."
        )
    if card.tin not in (1, 2):
        raise ReadError(f"{owner}: {card.name} is complex (TIN {card.tin}); operators are real.")
    flat = keys[:, 0] * 7 + keys[:, 1]
    row, col = (
        np.searchsorted(flat, pairs[:, 0] * 7 + pairs[:, 1])
        for pairs in (np.asarray(x, dtype=np.int64).reshape(-1, 2) for x in (card.GCi, card.GCj))
    )
    values = np.asarray(card.Real, dtype=float)
    if not len(row) == len(col) == len(values):
        raise ReadError(f"{owner}: {card.name} has {len(values)} values for {len(row)} rows; the file is cut off.")
    A = from_entries(f"{owner}: {card.name}", row, col, values, (len(keys), len(keys)), triangle=form == 6)
    return A if form == 6 else mirrored(f"{owner}: {card.name}", A)
