"""Time histories as universal file (UFF, data set 58), for tools that treat measurements."""

from __future__ import annotations

import re
import warnings
from os import PathLike
from pathlib import Path

import numpy as np

from flexmbs.core.errors import LossWarning, ModelError
from flexmbs.io.history_table import HistoryTable
from flexmbs.io.sealed import as_target, replaced
from flexmbs.reduction.export.universal_sets import TIME, WIDTH, Function, Point, as_held, function_lines, header, plain

__all__ = ["write_universal_histories"]

SUFFIXES = (".unv", ".uff")
SHOWN = 3
"""Names in a warning, at most."""
IN_ASCII = str.maketrans({"µ": "u", "μ": "u", "°": "deg", "²": "^2", "³": "^3", "·": "*", "Ω": "Ohm"})
"""Signs of units that the format does not have."""
DIGITS = 1e-9
"""Relative: times that differ from their six digits by more are a loss."""
AXES = {"x": 1, "y": 2, "z": 3, "rx": 4, "ry": 5, "rz": 6}
QUANTITIES = {"position": "displacement", "displacement": "displacement", "velocity": "velocity",
              "acceleration": "acceleration", "force": "force", "moment": "moment"}  # fmt: skip


def write_universal_histories(table: HistoryTable, path: str | PathLike[str], time: str = "t") -> Path:
    """Write every column of a table of histories as a function of time.

    Parameters
    ----------
    table : HistoryTable
        Such as that of ``TimeSolution.table``.
    path : path
        Ending in .unv or .uff; an older file is replaced at the very end.
    time : str, default "t"
        Name of the column of times, ascending.

    Raises
    ------
    ModelError
        If there is no such column, nothing beside it, times do not ascend in the six digits of the format, or a number
        is not finite.
    FlexmbsError
        If the file cannot be written.

    Warns
    -----
    LossWarning
        Columns keep 13 digits. Times have six; evenly spaced ones are said by the first one and their spacing. Units
        and frames of the columns are in texts only. Texts are of 80 characters of ASCII: names that do not fit begin
        with the number of the column, so that they differ, and are cut before their unit; the warning names them.

    Examples
    --------
    >>> import tempfile
    >>> table = HistoryTable({"t": [0.0, 0.1, 0.2], "tip.position.x": [1.0, 0.5, 0.2]}, {"t": "s"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_universal_histories(table, folder + "/tip.unv").name
    'tip.unv'
    """
    owner = "universal file of histories"
    if not isinstance(table, HistoryTable):
        raise ModelError(f"{owner}: expected a HistoryTable, such as that of TimeSolution.table.")
    if time not in table:
        raise ModelError(f"{owner}: there is no column {time!r} of times.")
    others = [name for name in table if name != time]
    if not others:
        raise ModelError(f"{owner}: there is nothing beside the times.")
    for name in table:
        if not np.isfinite(np.asarray(table[name], dtype=float)).all():
            raise ModelError(f"{owner}: column {name!r} holds numbers that are not finite.")
    t = np.asarray(table[time], dtype=float)
    held, _ = as_held(t) if len(t) else (t, False)
    if len(t) < 2 or not (np.diff(held) > 0.0).all():
        raise ModelError(f"{owner}: times must ascend, also in the six digits of the format; give two or more, evenly.")
    losses = ["digits beyond the thirteenth"]
    if np.abs(held - t).max() > DIGITS * np.abs(t).max():
        losses.append("digits of times beyond the sixth")
    texts = {name: _text(number, name, table.label(name)) for number, name in enumerate(others, 1)}
    changed = [f"{name!r} (now {texts[name][1]!r})" for name in others if texts[name][1] != table.label(name)]
    if changed:
        more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
        losses.append(f"the names of the columns {', '.join(changed[:SHOWN])}{more}")
    target = as_target(owner, path, SUFFIXES)
    with replaced(owner, target) as (draft,), draft.open("w", encoding="ascii") as stream:
        stream.writelines(line + "\n" for line in header(table.title, losses))
        for number, name in enumerate(others, 1):
            held_name, label = texts[name]
            values = np.asarray(table[name], dtype=float)
            one = Function(TIME, t, values, _point(number, name)._replace(name=held_name), None, label)
            stream.writelines(line + "\n" for line in function_lines(number, one))
    if len(losses) > 1:
        warnings.warn(f"{target.name} does not hold: {'; '.join(losses[1:])}.", LossWarning, stacklevel=2)
    return target


def _point(number: int, name: str) -> Point:
    """Number of the column as that of the point, the direction by the end of its name."""
    words = name.split(".")
    direction = AXES.get(words[-1], 0)
    quantity = next((QUANTITIES[w] for w in words if w in QUANTITIES), "number")
    return Point(re.sub(r"\s+", " ", name), number, direction, quantity)


def _text(number: int, name: str, label: str) -> tuple[str, str]:
    """Name and label of a column as a line of the format can hold them; what does not fit begins with the number."""
    if plain(label) == label:
        return name, label
    unit = plain(label[len(name) :].translate(IN_ASCII))
    mark = f"#{number} "
    short = mark + plain(name)[: max(0, WIDTH - len(mark) - len(unit) - 1)]
    return short, f"{short} {unit}"
