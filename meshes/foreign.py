"""Reading files of other programs by meshio in a process of its own, so that no damage in them reaches this one.

Readers of meshio may wait for ever for the rest of a file that is cut off, ask for more memory than there is, or end
the process with a library that they call. The process reads one file with the limits below; its results come back as
plain arrays, never as objects. Files that end in the middle are told at once: a reader that goes on asking at the end
of a file is stopped.
"""

from __future__ import annotations

import builtins
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np

from flexmbs.core.errors import ReadError

__all__ = ["read_foreign"]

SECONDS, SECONDS_PER_BYTE = 60.0, 2e-5
"""Time for a file: readers written in Python take some 1e-6 s a byte."""
MEMORY, MEMORY_PER_BYTE = 4 << 30, 100
"""Addresses for a file, in bytes, where the system can limit them."""
READS_AT_END = 1000
SPLIT = {
    ".stl": re.compile(rb"^[ \t]*(?:vertex|facet)\b.*?[ \t]([-+.0-9]*[0-9]_[0-9]\S*)", re.MULTILINE),
    ".obj": re.compile(rb"^[ \t]*(?:v|vn|vt|f)\b.*?[ \t]([-+./0-9]*[0-9]_[0-9]\S*)", re.MULTILINE),
}
"""Lines with a word that Python takes for a number, and nobody else: 1_0."""
WORD_BY_WORD = {
    ".avs", ".bdf", ".dat", ".dato", ".f3grid", ".fem", ".msh", ".nas", ".ply", ".post", ".tec", ".xml",
}  # fmt: skip
"""Formats whose readers turn words into numbers one by one; those of the others take no underscores."""
JOINED = re.compile(rb"[-+.]?[0-9][-+.0-9eE]*_[0-9][-+.0-9eE_]*(?=[\s,\"]|$)")
"""A word that Python takes for a number, and nobody else."""
BEFORE = re.compile(
    rb"[ \t,]*(?!comment|obj_info)(?:[A-Za-z][A-Za-z0-9*]{0,7}[ \t,]+){0,2}"
    rb"(?:(?:[-+.0-9][-+.0-9eE]*|tri|quad|tet|hex)[ \t,]+)*"
)
"""What stands before a number in a line of numbers: the name of a card or kind, and other numbers."""
ATTRIBUTE = re.compile(rb".*\b(?:[xyz]|index|value|v[0-9]+)=\"", re.DOTALL)
"""What stands before a number in a line of XML."""
BACKWARDS = re.compile(rb"^[ \t]*f\b[^#\n]*?[ \t](-[0-9]+)", re.MULTILINE)
"""A face of an OBJ file that counts its vertices from the last one."""
REFUSED = 3
"""Exit status of a file that is refused with a message of its own."""
OPEN = builtins.open


def read_foreign(path: Path) -> tuple[Any, str]:
    """What meshio reads from a file, with its fields as plain arrays, and what it said meanwhile.

    Raises
    ------
    ReadError
        If the file cannot be read, takes too long, or is made of files outside its folder.
    """
    size = path.stat().st_size
    seconds = SECONDS + SECONDS_PER_BYTE * size
    with tempfile.TemporaryDirectory(prefix="flexmbs-") as folder:
        out = Path(folder) / "mesh.npz"
        # the folder of the file is where its reader looks for others
        command = [sys.executable, "-I", "-c", _program(), path.name, str(out), str(MEMORY + MEMORY_PER_BYTE * size)]
        try:
            done = subprocess.run(  # noqa: S603  # this interpreter, with this file
                command, cwd=path.resolve().parent, capture_output=True, timeout=seconds, check=False,
                stdin=subprocess.DEVNULL,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},  # each takes addresses
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise ReadError(
                f"{path} cannot be read within {seconds:.0f} s: it is damaged, or too large for its format; write it "
                "as .msh or .vtu."
            ) from None
        said = " ".join((done.stdout + done.stderr).decode("utf-8", "replace").split())
        if done.returncode == REFUSED:
            raise ReadError(f"{path}: {said}")
        if done.returncode != 0 or not out.exists():
            raise ReadError(said or f"the reader ended with the code {done.returncode}")
        with np.load(out, allow_pickle=False) as found:
            return _unpacked(found), said


def _program() -> str:
    """The text of the process: this file alone, which imports little, with modules from where this process has them."""
    return (
        f"import sys, importlib.util; sys.path[:] = {sys.path!r}; "
        f"spec = importlib.util.spec_from_file_location('flexmbs_foreign', {str(Path(__file__).resolve())!r}); "
        "module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module); module.main(*sys.argv[1:])"
    )


def main(name: str, out: str, memory: str) -> None:
    """Read a file and write its arrays; what goes wrong is printed, and the exit status is 1."""
    import meshio

    _limit(int(memory))
    builtins.open = _opened
    warnings.simplefilter("ignore")
    # numpy warns of numbers that it could not read, and returns fewer
    warnings.filterwarnings("error", message="string or file could not be read", category=DeprecationWarning)
    try:
        _stay_in_folder(Path(name))
        _no_other_numbers(Path(name))
        with np.errstate(all="ignore"):
            packed = _packed(meshio.read(name))
    except SystemExit:  # meshio has printed why
        sys.exit(1)
    except ReadError as error:
        sys.stdout.write(str(error))
        sys.exit(REFUSED)
    except BaseException as error:  # noqa: BLE001
        sys.stdout.write(f"{type(error).__name__}: {error}")
        sys.exit(1)
    np.savez(out, allow_pickle=False, **packed)


def _limit(memory: int) -> None:
    """Let the system refuse memory beyond a number of bytes, where it can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (memory if hard < 0 else min(memory, hard), hard))


class _AtEnd:
    """Counts reads at the end of a file."""

    reads = 0

    def _counted(self, found: Any) -> Any:
        self.reads = 0 if found else self.reads + 1
        if self.reads > READS_AT_END:
            raise EOFError("the file ends in the middle")
        return found


class _Binary(_AtEnd, io.BufferedReader):
    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(size)
        return found if size == 0 else bytes(self._counted(found))

    def readline(self, size: int | None = -1, /) -> bytes:
        return bytes(self._counted(super().readline(size)))


class _Text(_AtEnd, io.TextIOWrapper):
    def read(self, size: int | None = -1, /) -> str:
        found = super().read(size)
        return found if size == 0 else str(self._counted(found))

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        return str(self._counted(super().readline(size)))


def _opened(file: Any, mode: str = "r", *rest: Any, **options: Any) -> Any:
    """In place of `open`: files that are read only tell a reader that goes on at their end."""
    if set(mode) - set("rbt") or rest or isinstance(file, int):
        return OPEN(file, mode, *rest, **options)
    binary = _Binary(io.FileIO(file))
    if "b" in mode:
        return binary
    return _Text(binary, options.get("encoding"), options.get("errors"), options.get("newline"))


def _packed(read: Any) -> dict[str, Any]:
    """A mesh of meshio as arrays, with the names of all in one text."""
    arrays: dict[str, Any] = {"points": np.asarray(read.points, dtype=np.float64)}
    for i, block in enumerate(read.cells):
        data = np.asarray(block.data) if isinstance(block.data, np.ndarray) else np.empty((0, 0), dtype=np.int64)
        arrays[f"cells {i}"] = data if data.dtype.kind in "iu" else np.empty((0, 0), dtype=np.int64)
    for i, values in enumerate(read.point_data.values()):
        array = np.asarray(values)
        arrays[f"data {i}"] = array if array.dtype.kind in "iuf" else np.full(len(array), "?")
    for i, members in enumerate(read.point_sets.values()):
        arrays[f"point set {i}"] = np.asarray(members, dtype=np.int64)
    for i, parts in enumerate(read.cell_sets.values()):
        for j, cells in enumerate(parts):
            arrays[f"cell set {i} {j}"] = np.asarray([] if cells is None else cells, dtype=np.int64)
    names = {
        "cells": [str(block.type) for block in read.cells],
        "dims": [int(block.dim) for block in read.cells],
        "data": [str(name) for name in read.point_data],
        "point sets": [str(name) for name in read.point_sets],
        "cell sets": [str(name) for name in read.cell_sets],
    }
    return {**arrays, "names": np.array(json.dumps(names))}


def _unpacked(found: Any) -> Any:
    """What looks like the mesh of meshio, as far as it is read here."""
    names = json.loads(str(found["names"]))
    n = range(len(names["cells"]))
    return SimpleNamespace(
        points=found["points"],
        cells=[SimpleNamespace(type=names["cells"][i], dim=names["dims"][i], data=found[f"cells {i}"]) for i in n],
        cell_data={},
        point_data={name: found[f"data {i}"] for i, name in enumerate(names["data"])},
        point_sets={name: found[f"point set {i}"] for i, name in enumerate(names["point sets"])},
        cell_sets={name: [found[f"cell set {i} {j}"] for j in n] for i, name in enumerate(names["cell sets"])},
    )


def _stay_in_folder(path: Path) -> None:
    """Refuse XDMF files whose numbers are in files elsewhere: a mesh that somebody sent must not read other folders."""
    if path.suffix.lower() not in (".xdmf", ".xmf"):
        return
    folder = path.resolve().parent
    try:
        tree = ElementTree.parse(path)  # noqa: S314  # here the limits hold
        items = [item for item in tree.iter() if item.tag.rpartition("}")[2] == "DataItem"]
    except (ElementTree.ParseError, OSError, ValueError, LookupError):
        return  # its reader will say why
    for item in items:
        kind, text = item.get("Format", "XML").strip().upper(), "".join(item.itertext()).strip()
        name = text if kind == "BINARY" else text.partition(":")[0]
        if kind == "XML" or not name:
            continue
        try:
            inside = (folder / name).resolve().is_relative_to(folder)
        except (OSError, ValueError):
            inside = False
        if not inside:
            raise ReadError(
                f"its numbers are said to be in {name[:200]!r}, outside its folder, where nothing is read; put that "
                "file beside it, and its name without folders into the XDMF file."
            )


def _no_number(data: bytes, at: int, word: bytes) -> ReadError:
    """What to say of a word in the place of a number."""
    line = data.count(b"\n", 0, at) + 1
    return ReadError(f"line {line}: expected a number, not {word[:40].decode('utf-8', 'replace')!r}.")


def _no_joined_numbers(path: Path) -> None:
    """Refuse underscores between digits in lines of numbers; names and comments may have them."""
    data = path.read_bytes()
    if b"\0" in data or b"_" not in data:
        return
    before = ATTRIBUTE if path.suffix.lower() == ".xml" else BEFORE
    for found in JOINED.finditer(data):
        start = data.rfind(b"\n", 0, found.start()) + 1
        if before.fullmatch(data, start, found.start()):
            raise _no_number(data, found.start(), found[0])


def _no_other_numbers(path: Path) -> None:
    """Refuse numbers that the reader would misread: underscores between digits, vertices counted from the last one."""
    split = SPLIT.get(path.suffix.lower())
    data = b"" if split is None else path.read_bytes()
    found = None if split is None or b"\0" in data else split.search(data)
    if found is not None:
        raise _no_number(data, found.start(1), found[1])
    suffix = path.suffix.lower()
    if suffix == ".gz":
        suffix = Path(path.stem).suffix.lower()
    if suffix in WORD_BY_WORD:
        _no_joined_numbers(path)
    backwards = BACKWARDS.search(data) if path.suffix.lower() == ".obj" else None
    if backwards is not None:
        line = data.count(b"\n", 0, backwards.start(1)) + 1
        raise ReadError(
            f"line {line}: the vertex {backwards[1].decode()} is counted backwards from the last one, which is not "
            "read; write the file with the numbers of vertices from 1."
        )
