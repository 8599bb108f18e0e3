"""Files that are written as a whole or not at all, and HDF5 files that carry a seal.

The first 512 bytes, which HDF5 leaves to its users, hold lines of text::

    flexmbs result file, format version 1
    HDF5 from byte 512 on: 81920 bytes
    sha256 of these: 5f2c...

so that every damaged or truncated file is recognised before HDF5 opens it. HDF5's own tools read such a file as any
other.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any

import h5py

from flexmbs.core.checks import show
from flexmbs.core.errors import FlexmbsError, ModelError, ReadError
from flexmbs.core.hdf5 import RESULT_LINE, new_hdf5
from flexmbs.reduction.store import is_reduced

__all__ = ["as_target", "opened", "replaced", "sealed"]

VERSION = 1
"""Of the layout of the file; raised when older readers could no longer make sense of it."""
BLOCK = 512
FIRST_LINE = RESULT_LINE + b", format version "
HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"


def as_target(owner: str, path: str | PathLike[str], suffixes: tuple[str, ...]) -> Path:
    """The file to write, with links followed.

    Raises
    ------
    ModelError
        If it is no path or has another suffix.
    FlexmbsError
        If its folder does not exist, or it is a folder or cannot be replaced.
    """
    if not isinstance(path, str | PathLike) or not str(path):
        raise ModelError(f"{owner}: path must be a string or a path such as 'result{suffixes[0]}', not {show(path)}.")
    target = Path(path)
    if target.is_dir():
        raise FlexmbsError(f"{owner}: {target} is a folder; give the name of a file in it.")
    if target.suffix.lower() not in suffixes:
        raise ModelError(
            f"{owner}: the name of the file must end in {' or '.join(suffixes)}, but that of {target} "
            f"{f'ends in {target.suffix!r}' if target.suffix else 'has no suffix'}."
        )
    if not target.parent.is_dir():
        raise FlexmbsError(f"{owner}: there is no folder {target.parent}; make it first.")
    target = target.resolve()
    if target.exists() and not os.access(target, os.W_OK):
        raise FlexmbsError(f"{owner}: {target} is write-protected; choose another name or allow writing.")
    return target


@contextmanager
def replaced(owner: str, *targets: Path) -> Iterator[tuple[Path, ...]]:
    """Names to write to beside the targets; they replace the targets at the end if nothing went wrong.

    The last target is replaced last. Whatever happens before, older files stay as they were and nothing is left behind.
    """
    mark = secrets.token_hex(4)
    drafts = tuple(target.with_name(f".{target.name}.{mark}.part") for target in targets)
    try:
        yield drafts
        for draft, target in zip(drafts, targets, strict=True):
            with draft.open("rb") as file:
                os.fsync(file.fileno())
            draft.replace(target)
    except OSError as error:
        if isinstance(error, FlexmbsError):
            raise
        raise FlexmbsError(f"{owner}: cannot write {targets[-1]}: {_reason(error)}.") from error
    finally:
        for draft in drafts:
            with suppress(OSError):  # on a read-only file system the first error is the one to tell
                draft.unlink(missing_ok=True)


@contextmanager
def sealed(draft: Path) -> Iterator[h5py.File]:
    """A new HDF5 file that gets its seal when it is closed."""
    with new_hdf5(draft, userblock_size=BLOCK) as file:
        yield file
    size, digest = _digest(draft)
    with draft.open("r+b") as raw:
        raw.write(_block(size, digest))


@contextmanager
def opened(path: str | PathLike[str]) -> Iterator[h5py.File]:
    """A sealed file, open for reading after its seal has been checked.

    Raises
    ------
    ReadError
        If the file is missing, empty, truncated, changed, of another kind or of a newer format.
    """
    if not isinstance(path, str | PathLike) or not str(path):
        raise ReadError(f"load: path must be a string or a path such as 'result.h5', not {show(path)}.")
    source = Path(path)
    if source.is_dir():
        raise ReadError(f"load: {source} is a folder; give the name of a file in it.")
    if not source.exists():
        raise ReadError(f"load: there is no file {source}.")
    try:
        _check_seal(source)
        file = h5py.File(source, "r", locking="best-effort")
    except ReadError:
        raise
    except (OSError, ValueError) as error:
        raise ReadError(f"load: cannot read {source}: {_reason(error)}.") from error
    with file:
        yield file


def _check_seal(source: Path) -> None:
    """Compare the first block with what the rest of the file says."""
    with source.open("rb") as raw:
        block = raw.read(BLOCK)
    if not block:
        raise ReadError(f"load: {source} is empty.")
    again = "Save the result again, or take a copy of it."
    if FIRST_LINE.startswith(block):
        raise ReadError(f"load: {source} is truncated after {len(block)} bytes. {again}")
    if not block.startswith(FIRST_LINE):
        if is_reduced(source):
            raise ReadError(
                f"load: {source} is a reduced model, and no result of an analysis; flexmbs.reduction.load_reduced "
                f"reads it."
            )
        what = "an HDF5 file, but not one" if block.startswith(HDF5_SIGNATURE) else "not a result file"
        raise ReadError(f"load: {source} is {what} that flexmbs has saved.")
    version = re.match(rb"\d+", block[len(FIRST_LINE) :])
    if version is None or int(version[0]) < VERSION:
        raise ReadError(f"load: {source} is damaged: its first line is {show(bytes(block[:60]))}. {again}")
    if int(version[0]) > VERSION:
        raise ReadError(
            f"load: {source} has format version {int(version[0])}, but this flexmbs reads versions up to {VERSION}; "
            f"use a newer flexmbs."
        )
    stored = re.match(rb".*\n.* (\d+) bytes\n", block)
    expected, size = int(stored[1]) if stored else -1, source.stat().st_size - BLOCK
    if stored is None or size < expected:
        raise ReadError(f"load: {source} is truncated: {max(size, 0)} of {max(expected, 0)} bytes are left. {again}")
    if block != _block(*_digest(source)):
        raise ReadError(f"load: {source} is damaged: its contents are not those that were saved. {again}")


def _block(size: int, digest: str) -> bytes:
    """The first block of a file."""
    text = f"{FIRST_LINE.decode()}{VERSION}\nHDF5 from byte {BLOCK} on: {size} bytes\nsha256 of these: {digest}\n"
    return text.encode().ljust(BLOCK - 1) + b"\n"


def _digest(path: Path) -> tuple[int, str]:
    """Number and digest of the bytes after the first block."""
    with path.open("rb") as raw:
        raw.seek(BLOCK)
        digest: Any = hashlib.file_digest(raw, "sha256")  # type: ignore[arg-type,unused-ignore]
        return raw.tell() - BLOCK, digest.hexdigest()


def _reason(error: Exception) -> str:
    """Why the system refused, without the details that HDF5 adds."""
    number = getattr(error, "errno", None)
    return os.strerror(number) if number else str(error)
