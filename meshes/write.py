"""Writing meshes: Gmsh and Abaqus files with all sets, other formats through meshio without them."""

from __future__ import annotations

import io
import warnings
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.errors import MeshError
from flexmbs.meshes.abaqus_format import write_abaqus
from flexmbs.meshes.gmsh_format import write_gmsh
from flexmbs.meshes.mesh import Mesh
from flexmbs.meshes.read import FOREIGN_ERRORS, Quiet, suffixes

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["write_mesh"]

#: formats whose meshio writers keep point data
WITH_DATA = (".vtk", ".vtu", ".xdmf", ".xmf", ".h5m", ".med", ".e", ".exo", ".ex2", ".cgns", ".avs", ".dat", ".tec")


def write_mesh(mesh: Mesh, path: str | PathLike[str]) -> None:
    """Write a mesh to a file; the suffix tells the format, and an existing file is replaced.

    Gmsh (``.msh``, version 2.2 in text) and Abaqus (``.inp``) files keep all sets and every digit. A Gmsh file lists a
    cell of several sets once for each of them, as Gmsh itself does in this version: `read_mesh` makes one cell of it
    again, and adds node sets for the cell sets, but other programs may count such a cell twice. No other
    format keeps sets, and Abaqus files hold no point data: one warning names what was lost.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    path : path-like
        The file.

    Raises
    ------
    MeshError
        If the folder does not exist, the suffix is unknown, or the format cannot hold the cells or names.

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
        path.write_text(text.getvalue(), encoding="utf-8")
        _warn_of_losses(path, (), (), list(mesh.point_data))
    elif suffix == ".msh":
        lost = write_gmsh(mesh, text)
        path.write_text(text.getvalue(), encoding="utf-8")
        _warn_of_losses(path, (), (), lost)
    else:
        remarks = _through_meshio(mesh, path)
        data = () if suffix in WITH_DATA else tuple(mesh.point_data)
        _warn_of_losses(path, tuple(mesh.node_sets), tuple(mesh.cell_sets), data, remarks)


def _through_meshio(mesh: Mesh, path: Path) -> str:
    """Write points, cells and point data by a meshio object of its own; returns what meshio remarks."""
    import meshio

    data = {name: np.array(v[:, 0] if v.shape[1] == 1 else v) for name, v in mesh.point_data.items()}
    cells = [(block.cell_type, np.array(block.nodes)) for block in mesh.cells]
    with Quiet() as output:
        try:
            meshio.write(path, meshio.Mesh(np.array(mesh.points), cells, point_data=data))
        except (*FOREIGN_ERRORS, meshio.WriteError) as error:
            raise MeshError(
                f"write_mesh: this mesh cannot be written as {path.suffix!r} ({type(error).__name__}: {error}); use "
                ".msh, .inp, .vtu or another format that holds its cells."
            ) from error
    # that a third coordinate is added to plane points is no loss
    return "" if "2D" in output.said or "third component" in output.said else output.said


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
