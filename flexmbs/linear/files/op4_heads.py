"""Sizes that an OP4 file claims, checked before pyNastran takes memory for them.

A text file has a line "columns rows form type name format" for each matrix. A binary one consists of records between
two counts of bytes: a head of four whole numbers and a name of 8 characters, then a record for each column, of which
the one behind the last ends the matrix. Whole numbers have 4 or 8 bytes.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

from flexmbs.core.errors import ReadError

__all__ = ["check_heads"]

SURPLUS, FREE = 100, 100_000_000
"""A matrix may take so many times the bytes of its file, and so many bytes beyond."""
HEADS = {24: 4, 48: 8}
"""Bytes of a head by those of its whole numbers."""
_TEXT = re.compile(rb"^ *(\d+) *(-?\d+) +\d+ +\d+ *[A-Za-z]\w{0,7} ", re.MULTILINE)


def check_heads(path: Path) -> None:
    """Refuse a file whose matrices could not be in it.

    Raises
    ------
    ReadError
        If a record of a binary file is not whole, or a matrix is far larger than the file.
    """
    data = path.read_bytes()
    order = next((o for o in "<>" if struct.unpack(f"{o}i", data[:4].ljust(4, b"\0"))[0] in HEADS), None)
    if order is None:
        for columns, rows in _TEXT.findall(data):
            _check(path, int(columns), int(rows), len(data))
        return
    at, columns = 0, -1
    while at < len(data):
        size = struct.unpack_from(f"{order}i", data, at)[0] if at + 4 <= len(data) else -1
        end = at + 4 + size
        if size < 4 or end + 4 > len(data) or struct.unpack_from(f"{order}i", data, end)[0] != size:
            raise ReadError(f"{path} cannot be read: the record at byte {at} is not whole; it is cut off or damaged.")
        if columns < 0:
            if size not in HEADS:
                raise ReadError(f"{path} cannot be read: at byte {at} there is no head of a matrix; it is damaged.")
            word = HEADS[size]
            kind = f"{order}{'i' if word == 4 else 'q'}"
            columns = struct.unpack_from(kind, data, at + 4)[0]
            _check(path, columns, struct.unpack_from(kind, data, at + 4 + word)[0], len(data))
        elif struct.unpack_from(kind, data, at + 4)[0] > columns:
            columns = -1
        at = end + 4


def _check(path: Path, columns: int, rows: int, size: int) -> None:
    if columns < 0 or 8 * columns * abs(rows) > SURPLUS * size + FREE:
        raise ReadError(f"{path} is damaged: a matrix of {columns} columns and {rows} rows cannot be in {size} bytes.")
