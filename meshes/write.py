"""Writing meshes: Gmsh and Abaqus files with all sets, other formats through meshio without them."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import warnings
from collections import Counter
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.errors import MeshError, ReadError
from flexmbs.meshes.abaqus_format import write_abaqus
from flexmbs.meshes.foreign import read_foreign
from flexmbs.meshes.gmsh_format import write_gmsh
from flexmbs.meshes.hdf5_write import write_in_a_process
from flexmbs.meshes.mesh import Mesh
from flexmbs.meshes.read import FOREIGN_ERRORS, Quiet, suffixes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["write_mesh"]

#: formats that are, or have beside them, an HDF5 file
HDF5 = (".med", ".xdmf", ".xmf", ".h5m", ".cgns")
#: formats that meshio does not read
PICTURES = (".svg",)
#: formats whose meshio writers keep point data
WITH_DATA = (".vtk", ".vtu", ".xdmf", ".xmf", ".h5m", ".med", ".e", ".exo", ".ex2", ".cgns", ".avs", ".dat", ".tec")


def write_mesh(mesh: Mesh, path: str | PathLike[str]) -> None:
    """Write a mesh to a file; the suffix tells the format, and an existing file is replaced at the very end.

    Gmsh (``.msh``, version 2.2 in text) and Abaqus (``.inp``) files keep all sets and every digit. A Gmsh file lists a
    cell of several sets once for each of them, as Gmsh itself does in this version: `read_mesh` makes one cell of it
    again, and adds node sets for the cell sets, but other programs may count such a cell twice. No other
    format keeps sets, and Abaqus files hold no point data: one warning names what was lost. Files of other formats are
    read back, and refused where cells are missing or have become others.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    path : path-like
        The file.

    Raises
    ------
    MeshError
        If the folder does not exist, the suffix is unknown, or the format cannot hold all cells or names; if there is
        no room for the file, of which then nothing is left.

    Examples
    --------
    >>> import tempfile
    >>> from flexmbs.meshes import read_mesh, rectangle
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_mesh(rectangle((0, 0), (2, 1), (2, 1)), f"{folder}/plate.inp")
    ...     read_mesh(f"{folder}/plate.inp").node_set("left").tolist()
    [0, 3]
    """
    if not isinstance(mesh, Mesh):
        raise MeshError(f"write_mesh: mesh must be a Mesh, not {show(mesh)}.")
    if not isinstance(path, str | PathLike):
        raise MeshError(f"write_mesh: path must be a string or a path, not {show(path)}.")
    path = Path(path)
    if not path.parent.is_dir():
        raise MeshError(f"write_mesh: there is no folder {path.parent}; make it first.")
    if path.is_dir():
        raise MeshError(f"write_mesh: {path} is a folder.")
    suffix, known = path.suffix.lower(), suffixes()
    if not any(path.name.lower().endswith(end) for end in known):
        raise MeshError(f"write_mesh: the suffix {suffix!r} is of no known mesh format. Known: {', '.join(known)}.")
    text = io.StringIO()
    if suffix == ".inp":
        write_abaqus(mesh, text)
        _write_text(path, text.getvalue())
        _warn_of_losses(path, (), (), list(mesh.point_data))
    elif suffix == ".msh":
        lost = write_gmsh(mesh, text)
        _write_text(path, text.getvalue())
        _warn_of_losses(path, (), (), lost)
    else:
        remarks = _through_meshio(mesh, path)
        data = () if suffix in WITH_DATA else tuple(mesh.point_data)
        _warn_of_losses(path, tuple(mesh.node_sets), tuple(mesh.cell_sets), data, remarks)


@contextmanager
def _placed(path: Path) -> Iterator[Path]:
    """The name of a file in a folder beside it; what is written there gets to its place when all went well."""
    folder = None
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        yield folder / path.name
        for file in sorted(folder.iterdir(), key=lambda file: file.name == path.name):  # companions first
            with file.open("rb") as raw:
                os.fsync(raw.fileno())
            file.replace(path.parent / file.name)
    except OSError as error:
        raise MeshError(
            f"write_mesh: cannot write {path}: {error.strerror or error}; make room, or give another folder."
        ) from error
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _write_text(path: Path, text: str) -> None:
    with _placed(path) as draft:
        draft.write_text(text, encoding="utf-8")


def _through_meshio(mesh: Mesh, path: Path) -> str:
    """Write points, cells and point data by a meshio object of its own; returns what meshio remarks."""
    import meshio

    data = {name: np.array(v[:, 0] if v.shape[1] == 1 else v) for name, v in mesh.point_data.items()}
    cells = [(block.cell_type, np.array(block.nodes)) for block in mesh.cells]
    with Quiet() as output, _placed(path) as draft:
        if path.suffix.lower() in HDF5:
            said, why = write_in_a_process(draft, np.array(mesh.points), cells, data)
        else:
            said, why = "", ""
            try:
                meshio.write(draft, meshio.Mesh(np.array(mesh.points), cells, point_data=data))
            except OSError:
                raise
            except (*FOREIGN_ERRORS, meshio.WriteError) as error:
                why = f"{type(error).__name__}: {error}"
        if not why and path.suffix.lower() not in PICTURES:
            why = _lost_cells(draft, mesh)
        if why:
            raise MeshError(
                f"write_mesh: this mesh cannot be written as {path.suffix!r} ({why}); use .msh, .inp, .vtu or another "
                f"format that holds its cells."
            )
    said = said or output.said
    # that a third coordinate is added to plane points is no loss
    return "" if "2D" in said or "third component" in said else said


def _lost_cells(file: Path, mesh: Mesh) -> str:
    """What became of the cells in a file, read back by meshio; empty if all are there."""
    try:
        found, _ = read_foreign(file)
    except ReadError as error:
        return f"what is written cannot be read back: {error}"
    there, wanted = Counter[str](), Counter[str]()
    for block in found.cells:
        there[block.type] += len(block.data)
    for block in mesh.cells:
        wanted[block.cell_type] += block.n_cells
    if +there == wanted:
        return ""
    kept = ", ".join(f"{n} {kind}" for kind, n in (+there).items()) or "none"
    return f"of its cells {', '.join(f'{n} {kind}' for kind, n in wanted.items())} the file would have {kept}"


def _warn_of_losses(
    path: Path, nodes: Sequence[str], cells: Sequence[str], data: Sequence[str], remarks: str = ""
) -> None:
    """One warning for everything that the format could not hold."""
    lost = [
        f"the {what}{'s' if what.endswith('t') and len(names) > 1 else ''} {', '.join(map(repr, names))}"
        for what, names in (("node set", nodes), ("cell set", cells), ("point data", data))
        if names
    ]
    if lost:
        remarks = f"this format does not hold {', '.join(lost)}. {remarks}".strip()
    if remarks:
        warnings.warn(f"{path}: {remarks}", stacklevel=3)
