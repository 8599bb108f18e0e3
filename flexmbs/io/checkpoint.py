"""Checkpoints: everything that an analysis needs to go on exactly where it was, in one small file.

Layout: the line ``flexmbs checkpoint, format version 1``, the line ``sha256 <digest> of <n> bytes``, then n bytes of
`flexmbs.io.named_arrays`. Arrays come back to the last bit, with the payloads of NaN and the signs of zeros.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from flexmbs.core.checks import as_name, show
from flexmbs.core.describe import Plain
from flexmbs.core.errors import FlexmbsError, ModelError, ReadError
from flexmbs.io.named_arrays import as_named_arrays, pack, to_json, unpack
from flexmbs.io.sealed import as_target, replaced

__all__ = ["Checkpoint", "load_checkpoint", "save_checkpoint"]

VERSION = 1
SUFFIXES = (".checkpoint",)
FIRST_LINE = b"flexmbs checkpoint, format version "


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Arrays by name and plain data, as an integrator hands them over.

    Parameters
    ----------
    arrays : mapping of str to array
        State of the system and of the scheme; copied.
    meta : mapping of str to plain data
        What else has to be known: counters, the state of random generators, settings.
    model : str
        Fingerprint of the model they belong to.

    Raises
    ------
    ModelError
        If an array is not made of numbers, or ``meta`` is not plain data.

    Examples
    --------
    >>> import tempfile
    >>> state = Checkpoint({"t": 0.1, "q": [1.0, -0.0]}, {"step": 7}, model="5f2c")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = load_checkpoint(save_checkpoint(state, f"{folder}/run.checkpoint"))
    >>> again.arrays["q"], again.meta
    (array([ 1., -0.]), {'step': 7})
    """

    arrays: Mapping[str, NDArray[Any]]
    meta: Mapping[str, Plain] = field(default_factory=dict)
    model: str = "unknown"

    def __post_init__(self) -> None:
        arrays = {name: a.copy() for name, a in as_named_arrays("Checkpoint", self.arrays).items()}
        if not isinstance(self.meta, Mapping):
            raise ModelError(f"Checkpoint: meta must be a mapping, not {show(self.meta)}.")
        to_json("Checkpoint", dict(self.meta))
        as_name("Checkpoint", "model", self.model)
        object.__setattr__(self, "arrays", arrays)
        object.__setattr__(self, "meta", dict(self.meta))


def save_checkpoint(checkpoint: Checkpoint, path: str | PathLike[str]) -> Path:
    """Write a checkpoint; an older file of that name is replaced at the very end.

    Parameters
    ----------
    checkpoint : Checkpoint
    path : path-like
        Its name must end in ``.checkpoint``.

    Raises
    ------
    ModelError
        If it is no checkpoint or the suffix is another one.
    FlexmbsError
        If the file cannot be written.
    """
    if not isinstance(checkpoint, Checkpoint):
        raise ModelError(f"save_checkpoint: expected a Checkpoint, not {show(checkpoint)}.")
    target = as_target("save_checkpoint", path, SUFFIXES)
    meta = {"model": checkpoint.model, "meta": dict(checkpoint.meta)}
    content = pack("save_checkpoint", checkpoint.arrays, meta)
    with replaced("save_checkpoint", target) as (draft,):
        draft.write_bytes(_head(content) + content)
    return target


def load_checkpoint(path: str | PathLike[str], model: str | None = None) -> Checkpoint:
    """Read a checkpoint.

    Parameters
    ----------
    path : path-like
    model : str, optional
        Fingerprint of the model that shall go on; a checkpoint of another one is refused.

    Raises
    ------
    ReadError
        If the file is missing, truncated, damaged, foreign, of a newer format, or of another model.
    """
    owner = f"load_checkpoint: {path}"
    try:
        data = Path(path).read_bytes()
    except (OSError, TypeError, ValueError) as error:
        raise ReadError(f"{owner}: cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    found = re.match(re.escape(FIRST_LINE) + rb"(\d{1,9})\nsha256 ([0-9a-f]{64}) of (\d{1,18}) bytes\n", data)
    if found is None:
        kind = "truncated or damaged" if data[:10] == FIRST_LINE[:10] or not data else "not a checkpoint of flexmbs"
        raise ReadError(f"{owner} is {kind}.")
    if int(found[1]) > VERSION:
        raise ReadError(
            f"{owner} has format version {int(found[1])}, but this flexmbs reads versions up to {VERSION}; use a "
            f"newer flexmbs."
        )
    content = data[found.end() :]
    if data[: found.end()] != _head(content):
        raise ReadError(f"{owner} is truncated or damaged: its contents are not those that were saved.")
    arrays, meta = unpack(owner, content)
    try:
        again = Checkpoint(arrays, meta["meta"], meta["model"])
    except (KeyError, FlexmbsError) as error:
        raise ReadError(f"{owner} does not hold what a checkpoint should: {error}.") from error
    if model is not None and again.model != model:
        raise ReadError(
            f"{owner} belongs to another model (fingerprint {again.model[:12]}, this model has {model[:12]}); "
            f"go on with the model that wrote it, or start anew."
        )
    return again


def _head(content: bytes) -> bytes:
    """The two lines before the contents."""
    digest = hashlib.sha256(content).hexdigest()
    return FIRST_LINE + f"{VERSION}\nsha256 {digest} of {len(content)} bytes\n".encode()
