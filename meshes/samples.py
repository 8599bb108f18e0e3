"""The mesh files that come with the package."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from flexmbs.core.checks import is_among
from flexmbs.core.errors import MeshError, unknown_name

__all__ = ["sample"]

NOT_MESHES = (".md", ".py")


def sample(name: str) -> Path:
    """The path of a mesh file that comes with the package, to try things on.

    ``frame.msh`` (line cells), ``l_bracket.msh`` (plane triangles) and ``lug.inp`` (tetrahedra of second order);
    ``README.md`` beside them says what they show and how they were made.

    Parameters
    ----------
    name : str
        The name of the file.

    Raises
    ------
    MeshError
        If there is no such file; the message lists those there are.

    Examples
    --------
    >>> sample("frame.msh").name
    'frame.msh'
    """
    folder = Path(str(files("flexmbs.meshes"))) / "data"
    known = sorted(file.name for file in folder.iterdir() if file.is_file() and file.suffix not in NOT_MESHES)
    if not is_among(name, known):
        raise MeshError(unknown_name("sample mesh", name, known))
    return folder / name
