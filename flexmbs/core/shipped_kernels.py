"""Machine code of kernels that comes with the package, so that who installs a wheel waits for no compilation.

A wheel for one processor family may hold a file of kernels as `flexmbs.core.kernel_cache` keeps them, compiled for a
level of instructions that most processors of the family have (``tools/build_wheel.py`` makes it). It is only read. An
entry is taken if the stamp of its kernel is that of the sources at hand, of the versions of Python, numba, llvmlite and
numpy and of the settings of the compiler, and if the processor at hand has all instructions of the level; whatever else
is needed is compiled, as without the file.

The file begins with the length of its head, eight bytes. The head is JSON: ``triple`` (system that the code is for),
``features`` (instructions it uses), ``kernels``: by name the stamp and, by a digest of the types of arguments, where an
entry lies behind the head and how long it is. Entries are compressed one by one.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm  # type: ignore[import-untyped]
from numba.core import config

__all__ = ["FILE", "Kernels", "entry_name", "fits", "shipped", "write"]

FILE = Path(__file__).with_name("shipped_kernels.bin")
"""Where the kernels of a wheel are; there is none in a clone, and in wheels for any processor."""
LENGTH = 8
"""Bytes of the length of the head."""


class Kernels:
    """The entries of one file."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDONLY)
        size = int.from_bytes(os.pread(self._file, LENGTH, 0), "little")
        self._begin = LENGTH + size
        head = json.loads(os.pread(self._file, size, LENGTH))
        self.triple: str = head["triple"]
        self.features: list[str] = head["features"]
        self._kernels: dict[str, tuple[str, dict[str, tuple[int, int]]]] = head["kernels"]

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            os.close(self._file)

    def __contains__(self, kernel: str) -> bool:
        return kernel in self._kernels

    def holds(self, kernel: str, stamp: str, entry: str) -> bool:
        """Whether there is an entry of this kernel with this stamp."""
        made_with, entries = self._kernels.get(kernel, ("", {}))
        return made_with == stamp and entry in entries

    def read(self, kernel: str, entry: str) -> bytes:
        """An entry that is there; ValueError if the file is cut off."""
        first, length = self._kernels[kernel][1][entry]
        try:
            return zlib.decompress(os.pread(self._file, length, self._begin + first))
        except zlib.error as error:
            raise ValueError("cut off") from error


def write(
    path: Path, triple: str, features: Iterable[str], kernels: Mapping[str, tuple[str, Mapping[str, bytes]]]
) -> None:
    """A file of kernels: by name the stamp and the entries."""
    places: dict[str, tuple[str, dict[str, tuple[int, int]]]] = {}
    packed: list[bytes] = []
    end = 0
    for name, (stamp, entries) in sorted(kernels.items()):
        places[name] = stamp, {}
        for entry, data in sorted(entries.items()):
            packed.append(zlib.compress(data, 9))
            places[name][1][entry] = end, len(packed[-1])
            end += len(packed[-1])
    head = json.dumps({"triple": triple, "features": sorted(features), "kernels": places}).encode()
    path.write_bytes(b"".join((len(head).to_bytes(LENGTH, "little"), head, *packed)))


def entry_name(sig: Any, fields: Any) -> str:
    """Digest of what tells the entries of a kernel apart: types of arguments, their fields, the form of the code."""
    return hashlib.sha256(repr((sig, fields)).encode()).hexdigest()[:32]


def fits(kernels: Kernels, triple: str, features: Mapping[str, bool]) -> bool:
    """Whether a processor with these features, under this system, can run the code."""
    return kernels.triple == triple and all(features.get(name, False) for name in kernels.features)


@cache
def shipped() -> Kernels | None:
    """What came with the package, if this processor can run it and nothing else is asked for by numba's settings."""
    asked = (config.CPU_NAME, config.CPU_FEATURES, config.BOUNDSCHECK or None, config.DEBUGINFO_DEFAULT or None)
    if asked != (None, None, None, None) or not FILE.exists():
        return None
    try:
        kernels = Kernels(FILE)
        return kernels if fits(kernels, llvm.get_process_triple(), llvm.get_host_cpu_features()) else None
    except (OSError, ValueError, LookupError, RuntimeError):  # cut off, or a processor that llvm cannot tell
        return None
