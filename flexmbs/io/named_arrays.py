"""Arrays with names and a few words beside them as bytes and back, to the last bit.

Layout: length of the directory (8 bytes, little-endian), the directory as JSON text, filled up with spaces to a
multiple of 8, then the bytes of each array in row-major order, each filled up with zeros to a multiple of 8. The
directory is ``{"meta": {...}, "arrays": [{"name", "dtype", "shape"}, ...]}``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.checks import show
from flexmbs.core.describe import Plain
from flexmbs.core.errors import ModelError, ReadError

__all__ = ["NamedArrays", "as_named_arrays", "pack", "to_json", "unpack"]

KINDS = "biufc"
"""Kinds of numbers, in numpy's letters: truth values, integers, floats, complex numbers."""
STEP = 8


class NamedArrays(NamedTuple):
    """Arrays by name, and plain data beside them."""

    arrays: dict[str, NDArray[Any]]
    meta: dict[str, Plain]


def as_named_arrays(owner: str, arrays: object) -> dict[str, NDArray[Any]]:
    """Arrays of numbers by name; numbers become arrays without dimensions.

    Raises
    ------
    ModelError
        If it is no mapping, a name is no string, or a value is not made of numbers.
    """
    if not isinstance(arrays, Mapping):
        raise ModelError(f"{owner}: arrays must be a mapping of names to arrays, not {show(arrays)}.")
    made = {}
    for name, value in arrays.items():
        if not isinstance(name, str) or not name:
            raise ModelError(f"{owner}: the name of an array must be a string, not {show(name)}.")
        try:
            array = np.asarray(value)
        except ValueError:
            array = np.asarray(None)
        if array.dtype.kind not in KINDS or array.dtype.itemsize > 16 or array.dtype == np.longdouble:
            raise ModelError(f"{owner}: {name} must be an array of numbers, not {show(value)}.")
        made[name] = array
    return made


def to_json(owner: str, plain: Plain) -> bytes:
    """Plain data as JSON text.

    Raises
    ------
    ModelError
        If it is not plain data, or has numbers that are not finite.
    """
    try:
        return json.dumps(plain, allow_nan=False, ensure_ascii=False).encode("utf-8")
    except (TypeError, ValueError, RecursionError, UnicodeEncodeError) as error:
        raise ModelError(
            f"{owner}: only None, truth values, finite numbers, strings, lists and dictionaries of these can be "
            f"written beside arrays: {error}. Put other numbers into an array."
        ) from error


def pack(owner: str, arrays: Mapping[str, Any], meta: Mapping[str, Plain] | None = None) -> bytes:
    """Arrays and plain data as bytes.

    Raises
    ------
    ModelError
        If an array is not made of numbers or ``meta`` is not plain data.

    Examples
    --------
    >>> again = unpack("it", pack("it", {"q": [0.0, -0.0]}, {"step": 3}))
    >>> again.arrays["q"], again.meta
    (array([ 0., -0.]), {'step': 3})
    """
    made = as_named_arrays(owner, arrays)
    little = {name: np.asarray(a, dtype=a.dtype.newbyteorder("<"), order="C") for name, a in made.items()}
    entries = [{"name": name, "dtype": a.dtype.str, "shape": list(a.shape)} for name, a in little.items()]
    directory = to_json(owner, {"meta": dict(meta or {}), "arrays": entries})
    directory += b" " * (-len(directory) % STEP)
    parts = [len(directory).to_bytes(STEP, "little"), directory]
    for array in little.values():
        parts += [array.tobytes(), bytes(-array.nbytes % STEP)]
    return b"".join(parts)


def unpack(owner: str, data: bytes | memoryview) -> NamedArrays:
    """The arrays and plain data that `pack` made bytes of; new arrays.

    Raises
    ------
    ReadError
        If the bytes are not what `pack` writes.
    """
    size = int.from_bytes(data[:STEP], "little")
    try:
        directory = json.loads(bytes(data[STEP : STEP + size]).decode("utf-8"))
        arrays, begin = {}, STEP + size
        for entry in directory["arrays"]:
            dtype, shape = np.dtype(entry["dtype"]), tuple(entry["shape"])
            if dtype.kind not in KINDS or not all(isinstance(n, int) and n >= 0 for n in shape):
                raise ValueError(f"{show(entry)} is no array of numbers")
            count = math.prod(shape) * dtype.itemsize
            if len(data) < begin + count:
                raise ValueError(f"the array {entry['name']!r} is cut off")
            array = np.frombuffer(data[begin : begin + count], dtype).reshape(shape)
            arrays[str(entry["name"])] = array.astype(dtype.newbyteorder("="))
            begin += count + (-count % STEP)
        return NamedArrays(arrays, dict(directory["meta"]))
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise ReadError(f"{owner}: the arrays cannot be read: {error}.") from error
