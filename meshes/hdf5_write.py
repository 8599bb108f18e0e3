"""Writing HDF5 files by meshio in a process of its own: on a full disk their library may end it, or say nothing.

The process gets the mesh as plain arrays, writes, and reads back what it has written.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["write_in_a_process"]

REFUSED = 3
"""Exit status where meshio does not write this mesh in this format."""


def write_in_a_process(path: Path, points: Any, cells: list[tuple[str, Any]], data: dict[str, Any]) -> tuple[str, str]:
    """Write a file; returns what meshio said, and why it refused the mesh, empty if it did not.

    Raises
    ------
    OSError
        If the file is not complete.
    """
    names = {"cells": [kind for kind, _ in cells], "data": list(data)}
    arrays = {f"cells {i}": nodes for i, (_, nodes) in enumerate(cells)}
    arrays |= {f"data {i}": values for i, values in enumerate(data.values())}
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, points=points, names=np.array(json.dumps(names)), **arrays)
    program = (
        f"import sys, importlib.util; sys.path[:] = {sys.path!r}; "
        f"spec = importlib.util.spec_from_file_location('flexmbs_hdf5', {str(Path(__file__).resolve())!r}); "
        "module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module); module.main(*sys.argv[1:])"
    )
    done = subprocess.run(  # noqa: S603  # this interpreter, with this file
        [sys.executable, "-I", "-B", "-c", program, path.name], cwd=path.parent, input=packed.getvalue(),
        capture_output=True, check=False,
    )  # fmt: skip
    said, wrong = (" ".join(text.decode("utf-8", "replace").split()) for text in (done.stdout, done.stderr))
    if done.returncode == REFUSED:
        return said, wrong
    if done.returncode:
        reason = re.search(r"error message = '([^']*)'", wrong)
        raise OSError(reason[1] if reason else wrong[-200:] or f"its writer ended with the code {done.returncode}")
    return said, ""


def main(name: str) -> None:
    """Write a file from the arrays at the standard input."""
    import gc
    import os

    import h5py
    import meshio

    found = np.load(io.BytesIO(sys.stdin.buffer.read()), allow_pickle=False)
    names = json.loads(str(found["names"]))
    cells = [(kind, found[f"cells {i}"]) for i, kind in enumerate(names["cells"])]
    data = {kind: found[f"data {i}"] for i, kind in enumerate(names["data"])}
    try:
        meshio.write(name, meshio.Mesh(found["points"], cells, point_data=data))
    except OSError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001  # meshio has many
        sys.stderr.write(f"{type(error).__name__}: {error}")
        sys.exit(REFUSED)
    gc.collect()  # some of its writers leave it to this to close their files
    for file in Path().iterdir():
        if h5py.is_hdf5(file):
            with h5py.File(file) as written:
                written.visititems(lambda _, item: item[()] is None if isinstance(item, h5py.Dataset) else None)
        elif file.suffix in (".med", ".h5m", ".cgns", ".h5"):
            raise OSError("its contents are not complete")
    sys.stdout.flush()
    os._exit(0)  # nothing is left to do, not even for HDF5
