"""Reading mesh files with their named sets: Abaqus by its own reader, everything else through meshio."""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from contextlib import redirect_stderr, redirect_stdout
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.errors import ModelError, ReadError
from flexmbs.meshes.abaqus_format import read_abaqus
from flexmbs.meshes.block import CellBlock
from flexmbs.meshes.cells import CELL_TYPES, cell_type
from flexmbs.meshes.foreign import read_foreign
from flexmbs.meshes.gmsh_format import (
    damage,
    group_name,
    more_reversed,
    physical_names,
    turned,
    without_repetition,
)
from flexmbs.meshes.mesh import Mesh

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flexmbs.meshes.combine import Plain

__all__ = ["FOREIGN_ERRORS", "Quiet", "read_mesh", "suffixes"]

#: what the readers and writers of meshio raise on a file that is damaged or of another kind
FOREIGN_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    MemoryError,
    NameError,
    OSError,
    RuntimeError,
    SyntaxError,
    SystemExit,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)


def read_mesh(path: str | PathLike[str], dim: int | None = None, *, keep_unused: bool = False) -> Mesh:
    """Read a mesh file with its named sets; the suffix tells the format.

    Gmsh (``.msh``): each physical group becomes a cell set, and a node set of the points of its cells; groups of
    points become node sets. A group without a name is called by dimension and number, such as ``surface_7``.
    Abaqus and CalculiX (``.inp``): ``*ELSET`` and ``*NSET``. Other formats come as meshio reads them, mostly
    without sets, in a process of its own that is stopped if it waits or grows (half a second, and the time of reading).

    A mesh has shapes only: which element a cell is (C3D20 or C3D20R) is said by `flexmbs.linear.Part` and
    `flexmbs.linear.Region`, or read by `flexmbs.linear.part_from_inp`.

    Cells of one type become one block, in the order of the file. Points that belong to no cell are dropped, since
    they would be free to move, with a warning that counts them and names the node sets they were in.

    Parameters
    ----------
    path : path-like
        The file.
    dim : int, optional
        3 keeps three coordinates; 2 drops z, which must then be the same everywhere. By default it is dropped if it is
        0 everywhere and the mesh has no solid cells.
    keep_unused : bool
        Whether to keep points without cells.

    Raises
    ------
    ReadError
        If the file is missing, empty, a folder, cut off, of an unknown kind, or holds cells that are not supported; if
        its reader takes too long, or an XDMF file has its numbers outside its folder.

    Examples
    --------
    >>> from flexmbs.meshes import sample
    >>> sorted(read_mesh(sample("frame.msh")).cell_sets)
    ['beam', 'columns']
    """
    if not isinstance(path, str | PathLike):
        raise ReadError(f"read_mesh: path must be a string or a path, not {show(path)}.")
    if dim not in (None, 2, 3):
        raise ReadError(f"read_mesh: dim must be 2, 3 or None, not {show(dim)}.")
    path = Path(path)
    _check_file(path)
    try:
        plain = read_abaqus(path) if path.suffix.lower() == ".inp" else _through_meshio(path)
        plain = _with_dim(path, plain, dim)
        return _mesh(path, plain, keep_unused)
    except ModelError as error:
        raise ReadError(f"{path}: the mesh in it cannot be used. {error}") from error


def suffixes() -> list[str]:
    """The suffixes of all files that can be read or written here."""
    import meshio

    return sorted(meshio.extension_to_filetypes)


class Quiet:
    """Keep what meshio prints off the terminal; ``said`` has it afterwards, on one line."""

    def __enter__(self) -> Quiet:
        self._text = io.StringIO()
        self._redirects = [redirect_stdout(self._text), redirect_stderr(self._text)]
        for redirect in self._redirects:
            redirect.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        for redirect in reversed(self._redirects):
            redirect.__exit__(None, None, None)

    @property
    def said(self) -> str:
        """The captured text."""
        return " ".join(self._text.getvalue().split())


def _check_file(path: Path) -> None:
    """Refuse what is no file with something in it, or of an unknown suffix."""
    if path.is_dir():
        raise ReadError(f"{path} is a folder, not a mesh file.")
    if not path.exists():
        raise ReadError(f"there is no file {path}.")
    known = suffixes()
    if not any(path.name.lower().endswith(suffix) for suffix in known):
        raise ReadError(f"{path}: the suffix {path.suffix!r} is of no known mesh format. Known: {', '.join(known)}.")
    if path.stat().st_size == 0:
        raise ReadError(f"{path} is empty.")


def _through_meshio(path: Path) -> Plain:
    """The points, cells and sets of a file that meshio reads."""
    gmsh = path.suffix.lower() == ".msh" and path.read_bytes()[:200].lstrip().startswith((b"$MeshFormat", b"$Comments"))
    if gmsh and damage(path):
        raise ReadError(f"{path}: {damage(path)}.")
    try:
        read, said = _gmsh(path) if gmsh else read_foreign(path)
    except ReadError as error:
        said = str(error)
        if str(path) in said:
            raise
        hint = " Save without 'save all elements', or as version 2.2." if "gmsh:physical" in said else ""
        raise ReadError(
            f"{path} cannot be read: it is cut off, damaged or of another kind ({said}).{hint} Known suffixes: "
            f"{', '.join(suffixes())}."
        ) from error
    if said:
        warnings.warn(f"{path}: {said}", stacklevel=3)
    foreign = sorted({block.type for block in read.cells} - set(CELL_TYPES) - {"vertex"})
    if foreign:
        raise ReadError(f"{path}: cells of type {', '.join(foreign)} are not supported, only {', '.join(CELL_TYPES)}.")
    return _gathered(read, physical_names(path) if gmsh else {}, more_reversed(path) if gmsh else {}, gmsh)


def _gmsh(path: Path) -> tuple[Any, str]:
    """What meshio reads from a Gmsh file, whose sections have been looked at, and what it said meanwhile."""
    import meshio

    with Quiet() as output, warnings.catch_warnings():
        # numpy warns of numbers that it could not read, and returns fewer
        warnings.filterwarnings("error", message="string or file could not be read", category=DeprecationWarning)
        try:
            return meshio.read(path, file_format="gmsh"), output.said
        except (*FOREIGN_ERRORS, DeprecationWarning, meshio.ReadError) as error:
            raise ReadError(output.said or f"{type(error).__name__}: {error}") from error


def _gathered(
    read: Any, names: dict[tuple[int, int], str], against: dict[tuple[int, int], list[int]], gmsh: bool
) -> Plain:
    """One block for each cell type of a meshio mesh, with its sets and point data."""
    types = list(dict.fromkeys(block.type for block in read.cells))
    pieces: dict[str, list[NDArray[np.int64]]] = {name: [] for name in types}
    members: dict[str, dict[str, list[NDArray[np.int64]]]] = {name: {} for name in types}
    physical = read.cell_data.get("gmsh:physical")
    for i, block in enumerate(read.cells):
        offset = sum(map(len, pieces[block.type]))
        tags = np.zeros(len(block.data), dtype=np.int64) if physical is None else np.asarray(physical[i])
        pieces[block.type].append(turned(block.type, np.asarray(block.data, dtype=np.int64), tags))
        found = _groups(tags, names, block.dim)
        if against:  # meshio has one group of each entity, and knows others by positive numbers only
            entity = int(read.cell_data["gmsh:geometrical"][i][0])
            for tag in against.get((block.dim, entity), ()):
                found[group_name(names, block.dim, tag)] = np.arange(len(block.data))
        for name, parts in read.cell_sets.items():
            # in Gmsh files the group of this dimension is meant, and there may be others of its name
            if not name.startswith("gmsh:") and parts[i] is not None and len(parts[i]):
                found[name] = np.union1d(found.get(name, parts[i]), parts[i]).astype(np.int64)
        for name, cells in found.items():
            members[block.type].setdefault(name, []).append(cells + offset)
    blocks, held = {}, {}
    for kind in types:
        blocks[kind] = np.vstack(pieces[kind])
        held[kind] = {name: np.concatenate(cells) for name, cells in members[kind].items()}
        if gmsh and kind != "vertex":
            blocks[kind], held[kind] = without_repetition(blocks[kind], held[kind])
    node_sets = {name: np.asarray(nodes, dtype=np.int64) for name, nodes in read.point_sets.items()}
    for name, cells in held.pop("vertex", {}).items():
        node_sets[name] = blocks["vertex"][cells, 0]
    blocks.pop("vertex", None)
    cell_sets = {
        name: [held[kind].get(name, np.zeros(0, dtype=np.int64)) for kind in blocks]
        for name in dict.fromkeys(name for kind in held.values() for name in kind)
    }
    if gmsh:
        for name, parts in cell_sets.items():
            nodes = [blocks[kind][part].ravel() for kind, part in zip(blocks, parts, strict=True)]
            node_sets.setdefault(name, np.unique(np.concatenate(nodes)))
    data = {name: np.asarray(values) for name, values in read.point_data.items() if not name.startswith("gmsh:")}
    return np.asarray(read.points, dtype=np.float64), list(blocks.items()), node_sets, cell_sets, _columns(data)


def _groups(tags: NDArray[np.int64], names: dict[tuple[int, int], str], dim: int) -> dict[str, NDArray[np.int64]]:
    """The cells of each physical group of a block; 0 is no group."""
    size = np.abs(tags)
    return {group_name(names, dim, int(tag)): np.flatnonzero(size == tag) for tag in np.unique(size) if tag != 0}


def _columns(data: dict[str, NDArray[Any]]) -> dict[str, NDArray[np.float64]]:
    """Point data as (n, k) numbers; what is not finite numbers is dropped with a warning."""
    out = {name: values.reshape(len(values), -1) for name, values in data.items() if values.dtype.kind in "iuf"}
    out = {name: values.astype(np.float64) for name, values in out.items() if np.isfinite(values).all()}
    if len(out) < len(data):
        lost = ", ".join(repr(name) for name in data if name not in out)
        warnings.warn(f"the point data {lost} is dropped: it does not hold finite numbers.", stacklevel=5)
    return out


def _with_dim(path: Path, plain: Plain, dim: int | None) -> Plain:
    """The mesh with 2 or 3 coordinates."""
    points, blocks, node_sets, cell_sets, data = plain
    if points.ndim != 2 or not len(points) or not blocks:
        raise ReadError(f"{path}: there are no points or no cells of a supported type in it.")
    points = np.column_stack([points, np.zeros((len(points), max(0, 3 - points.shape[1])))])
    solid = any(cell_type(name).dim == 3 for name, _ in blocks)
    if dim == 2 and solid:
        raise ReadError(f"{path}: solid cells cannot be read with dim=2.")
    if dim == 2 and np.ptp(points[:, 2]) > 0:
        low, high = points[:, 2].min(), points[:, 2].max()
        raise ReadError(f"{path}: dim=2 needs the same z everywhere, but it goes from {low:g} to {high:g}; use dim=3.")
    if dim == 2 or (dim is None and not solid and not points[:, 2].any()):
        points = points[:, :2]
    data = dict(data)
    if "tangent" in data:
        width = data["tangent"].shape[1]
        data["tangent"] = np.column_stack([data["tangent"], np.zeros((len(points), max(0, 3 - width)))])
        data["tangent"] = data["tangent"][:, : points.shape[1]]
    return points, blocks, node_sets, cell_sets, data


def _mesh(path: Path, plain: Plain, keep_unused: bool) -> Mesh:
    """The mesh without empty sets and, unless wanted, without unused points."""
    points, blocks, node_sets, cell_sets, data = plain
    empty = [name for name, members in node_sets.items() if not len(members)]
    empty += [name for name, parts in cell_sets.items() if not sum(map(len, parts))]
    if empty:
        warnings.warn(f"{path}: empty sets are left out: {', '.join(map(repr, empty))}.", stacklevel=3)
    mesh = Mesh(
        points,
        tuple(CellBlock(name, nodes) for name, nodes in blocks),
        {name: members for name, members in node_sets.items() if len(members)},
        {name: tuple(parts) for name, parts in cell_sets.items() if sum(map(len, parts))},
        data,
    )
    smaller = mesh if keep_unused else mesh.without_unused_points()
    lost = mesh.n_points - smaller.n_points
    if lost:
        touched = [n for n, members in mesh.node_sets.items() if len(smaller.node_sets.get(n, ())) < len(members)]
        where = f", among them points of the node sets {', '.join(map(repr, touched))}" if touched else ""
        warnings.warn(
            f"{path}: points without cells dropped: {lost}{where}; keep_unused=True keeps them.",
            stacklevel=3,
        )
        return smaller
    return mesh
