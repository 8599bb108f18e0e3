"""Work that a long reduction keeps on disk, so that an interrupted one goes on where it was.

A folder holds arrays (``.npy``, read without executing anything) under the fingerprint of the operators and the
settings; another part or other settings begin anew. Factorisations are not kept: they are made again.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import FlexmbsError

__all__ = ["Kept", "fingerprint"]


class Kept:
    """Arrays by name in a folder, for one fingerprint.

    Parameters
    ----------
    folder : path
        Made if it does not exist.
    mark : str
        What the arrays belong to.

    Raises
    ------
    FlexmbsError
        If the folder cannot be written.
    """

    def __init__(self, folder: str | Path, mark: str) -> None:
        self.folder = Path(folder) / mark[:16]
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FlexmbsError(f"reduce: cannot keep work in {folder}: {error.strerror or error}.") from None

    def get(self, name: str) -> FloatArray | None:
        """An array of an earlier run, or None; one that was cut short while written counts as missing."""
        path = self.folder / f"{name}.npy"
        if not path.exists():
            return None
        try:
            return np.asarray(np.load(path, allow_pickle=False))
        except (OSError, ValueError):
            return None

    def put(self, name: str, array: FloatArray) -> None:
        """Keep an array; it appears under its name when it is complete."""
        path = self.folder / f"{name}.npy"
        part = path.with_suffix(".part")
        with part.open("wb") as stream:
            np.save(stream, np.ascontiguousarray(array), allow_pickle=False)
        part.replace(path)


def fingerprint(*things: Any) -> str:
    """A hash of arrays, sparse matrices and words."""
    digest = hashlib.sha256()
    for thing in things:
        for piece in (thing.data, thing.indices, thing.indptr) if hasattr(thing, "indptr") else (thing,):
            digest.update(
                np.ascontiguousarray(piece).tobytes() if isinstance(piece, np.ndarray) else repr(piece).encode()
            )
    return digest.hexdigest()
