"""Results over time as plain data: what a journal and a result file hold, whoever computed it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.checks import as_count, as_name, show
from flexmbs.core.describe import Plain
from flexmbs.core.errors import ModelError
from flexmbs.io.named_arrays import as_named_arrays, to_json

__all__ = ["Column", "Rows", "TimeData", "columns_of"]

DTYPES = ("float64", "int64")


@dataclass(frozen=True)
class Column:
    """One quantity that every recorded step has a value of.

    Parameters
    ----------
    name : str
        Such as ``"t"``, ``"q"``, ``"lam"``.
    shape : tuple of int
        Of the value at one step; empty for a number.
    dtype : str
        ``"float64"`` or ``"int64"``.
    unit, meaning : str
        For whoever reads the file.

    Raises
    ------
    ModelError
        If one of them is something else.

    Examples
    --------
    >>> Column("q", (3,), unit="by coordinate", meaning="all coordinates").size
    3
    """

    name: str
    shape: tuple[int, ...] = ()
    dtype: str = "float64"
    unit: str = "-"
    meaning: str = ""

    def __post_init__(self) -> None:
        owner = f"Column {as_name('Column', 'name', self.name)!r}"
        if "/" in self.name or self.name.startswith("."):
            raise ModelError(f"{owner}: the name must not hold '/' or begin with a dot.")
        if self.dtype not in DTYPES:
            raise ModelError(f"{owner}: dtype must be 'float64' or 'int64', not {show(self.dtype)}.")
        if not isinstance(self.shape, tuple | list):
            raise ModelError(f"{owner}: shape must be a tuple of whole numbers, not {show(self.shape)}.")
        object.__setattr__(self, "shape", tuple(as_count(owner, "each entry of shape", n) for n in self.shape))
        for name in ("unit", "meaning"):
            if not isinstance(getattr(self, name), str):
                raise ModelError(f"{owner}: {name} must be a string, not {show(getattr(self, name))}.")

    @property
    def size(self) -> int:
        """Numbers per step."""
        return int(np.prod(self.shape, dtype=np.int64))


class Rows(Protocol):
    """Results that can be read piece by piece: `TimeData`, or a journal too large for the memory."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """What every step has."""

    @property
    def n_rows(self) -> int:
        """Number of steps."""

    @property
    def constants(self) -> Mapping[str, NDArray[Any]]:
        """Arrays that do not belong to steps."""

    @property
    def meta(self) -> Mapping[str, Plain]:
        """Settings, status, versions, statistics."""

    @property
    def model(self) -> Plain:
        """The description of the model."""

    @property
    def note(self) -> str:
        """Why it is incomplete; empty if it is not."""

    def rows(self, start: int, stop: int) -> dict[str, NDArray[Any]]:
        """The values (stop - start, ...) of some steps, by name."""


@dataclass(frozen=True, eq=False)
class TimeData:
    """Results over time by name, with everything else that a file says of them.

    Parameters
    ----------
    arrays : mapping of str to (n_t, ...) array
        float64 or int64; ``"t"`` (n_t,) must be among them. They are not copied.
    meta : mapping of str to plain data
        Settings, status, versions, statistics.
    model : plain data
        Description of the model, as `flexmbs.io.model_data.describe_model` gives it.
    constants : mapping of str to array
        What does not belong to steps: meshes, places of nodes in q, times of events.
    columns : tuple of Column, optional
        Units and meanings of the arrays; left out, they have none.
    note : str
        Why the results are incomplete; empty if they are not.

    Raises
    ------
    ModelError
        If ``t`` is missing, the lengths differ, an array does not fit its column, or something is not plain data.

    Examples
    --------
    >>> data = TimeData({"t": np.linspace(0.0, 1.0, 5), "q": np.zeros((5, 2))}, {"status": "DONE"})
    >>> data.n_rows, [column.shape for column in data.columns]
    (5, [(), (2,)])
    """

    arrays: Mapping[str, NDArray[Any]]
    meta: Mapping[str, Plain] = field(default_factory=dict)
    model: Plain = None
    constants: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    columns: tuple[Column, ...] = ()
    note: str = ""

    def __post_init__(self) -> None:
        arrays = as_named_arrays("TimeData", self.arrays)
        if "t" not in arrays or arrays["t"].ndim != 1:
            raise ModelError("TimeData: arrays must hold the times 't' of shape (n_t,).")
        columns = tuple(self.columns) or columns_of(arrays)
        if [c.name for c in columns] != list(arrays):
            raise ModelError(f"TimeData: the columns are {[c.name for c in columns]}, but the arrays {list(arrays)}.")
        n = len(arrays["t"])
        for column in columns:
            array = arrays[column.name]
            if array.shape != (n, *column.shape) or array.dtype != column.dtype:
                raise ModelError(
                    f"TimeData: {column.name} must have the shape {(n, *column.shape)} and be {column.dtype}, not "
                    f"{array.shape} and {array.dtype}."
                )
        if not isinstance(self.meta, Mapping) or not isinstance(self.note, str):
            raise ModelError(f"TimeData: meta must be a mapping, not {show(self.meta)}, and note a string.")
        to_json("TimeData", [dict(self.meta), self.model])
        for name, value in (("arrays", arrays), ("columns", columns), ("meta", dict(self.meta))):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "constants", as_named_arrays("TimeData", self.constants))

    @property
    def n_rows(self) -> int:
        """Number of steps."""
        return len(self.arrays["t"])

    @property
    def complete(self) -> bool:
        """Whether the analysis came to its end and closed its file."""
        return not self.note

    def rows(self, start: int, stop: int) -> dict[str, NDArray[Any]]:
        """The values (stop - start, ...) of some steps, by name."""
        return {name: array[start:stop] for name, array in self.arrays.items()}


def columns_of(arrays: Mapping[str, NDArray[Any]], about: Iterable[Column] = ()) -> tuple[Column, ...]:
    """The columns of arrays (n_t, ...), with units and meanings where ``about`` has a column of that name."""
    known = {column.name: column for column in about}
    made = []
    for name, array in arrays.items():
        words = known.get(name, Column(name))
        made.append(Column(name, array.shape[1:], str(array.dtype), words.unit, words.meaning))
    return tuple(made)
