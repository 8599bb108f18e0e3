"""New HDF5 files whose writing may fail: on a full disk there is an error, and the process lives.

HDF5 writes much of a file when it is closed. If the system refuses that, its library cannot close the file, and ends
the process later. So the bytes go through an object that keeps the first failure and from then on only says that all
went well; the failure is raised when HDF5 has closed the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import h5py

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["RESULT_LINE", "new_hdf5"]

RESULT_LINE = b"flexmbs result file"
"""With which files of results begin, before HDF5 does."""


@contextmanager
def new_hdf5(path: Path, **options: Any) -> Iterator[h5py.File]:
    """A new HDF5 file, open for writing; ``options`` are those of `h5py.File`.

    Raises
    ------
    OSError
        If it cannot be written; what lies under that name then is of no use.
    """
    bytes_ = _Bytes(path)
    try:
        try:
            with h5py.File(bytes_, "w", **options) as file:
                yield file
        except Exception:
            if bytes_.failure is None:
                raise
        if bytes_.failure is not None:
            raise bytes_.failure
    finally:
        bytes_.close()


class _Bytes:
    """A file for HDF5 to write to, which keeps the first failure to itself."""

    def __init__(self, path: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        self._file = os.open(path, flags, 0o666)
        self._place = 0
        self._size = 0
        self.failure: BaseException | None = None

    def write(self, data: Any) -> int:
        rest = memoryview(data).cast("B")
        n = len(rest)
        try:
            if self.failure is None:
                os.lseek(self._file, self._place, os.SEEK_SET)
                while len(rest):
                    rest = rest[os.write(self._file, rest) :]
        except BaseException as error:  # noqa: BLE001  # Ctrl-C, too: HDF5 must come to its end
            self.failure = error
        self._place += n
        self._size = max(self._size, self._place)
        return n

    def readinto(self, data: Any) -> int:
        target = memoryview(data).cast("B")
        n = 0
        try:
            os.lseek(self._file, self._place, os.SEEK_SET)
            while n < len(target):
                found = os.read(self._file, len(target) - n)
                if not found:
                    break
                target[n : n + len(found)] = found
                n += len(found)
        except BaseException as error:  # noqa: BLE001
            self.failure = self.failure or error
        target[n:] = bytes(len(target) - n)
        self._place += len(target)
        return len(target)

    def read(self, size: int = -1) -> bytes:
        """What makes this a file in the eyes of h5py, which calls `readinto`."""
        data = bytearray(self._size - self._place if size < 0 else size)
        self.readinto(data)
        return bytes(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._place = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._size}[whence]
        return self._place

    def tell(self) -> int:
        return self._place

    def truncate(self, size: int | None = None) -> int:
        self._size = self._place if size is None else size
        try:
            if self.failure is None:
                os.ftruncate(self._file, self._size)
        except BaseException as error:  # noqa: BLE001
            self.failure = error
        return self._size

    def flush(self) -> None:
        """Nothing is kept back here."""

    def close(self) -> None:
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)
