r"""Frequency responses as universal file (data set 58), as tools of experimental modal analysis exchange them.

One function for each output and each input of the system, :math:`H(\omega) = C\,(i\omega - A)^{-1} B + F`, so of a part
the displacements and velocities of its places per unit force, under the same numbers of places as in the file of mode
shapes (`flexmbs.reduction.export.universal`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from flexmbs.core.checks import as_count, as_number
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.reduction.export.format import Format
from flexmbs.reduction.export.linear_system import LinearSystem
from flexmbs.reduction.export.ports import Signal
from flexmbs.reduction.export.universal_sets import FREQUENCY, Function, Point, function_lines, header, units
from flexmbs.reduction.export.written import ExportResult, placed

__all__ = ["FORMATS", "transfer", "write_frequency_functions"]

MOST = 20_000_000
"""Numbers in a file."""
NEAR = 1e-9
"""An undamped resonance so near to a line, relative, that the response there would be made of round-off."""


def write_frequency_functions(
    system: LinearSystem,
    path: Path,
    overwrite: bool,
    unit_names: Mapping[str, str],
    maximum: float | None = None,
    lines: int = 800,
) -> ExportResult:
    """Write the frequency responses of all outputs to all inputs.

    Parameters
    ----------
    system : LinearSystem
    path : path
    overwrite : bool
    unit_names : mapping of str to str
        Names of the units of length, mass and time; empty where unknown.
    maximum : float, optional
        Highest frequency [1/time], rounded to six digits; by default a quarter above that of the tenth oscillation.
    lines : int, default 800
        How many frequencies, evenly spaced from maximum/lines on.

    Raises
    ------
    ModelError
        If a line lies at an undamped resonance, the system has no input, or there are too many numbers.
    """
    owner = f"frequency responses of {system.name!r}"
    count = as_count(owner, "lines", lines, minimum=2)
    n_y, n_u = system.F.shape
    if not n_u:
        raise ModelError(f"{owner}: there is no input.")
    if count * n_y * n_u > MOST:
        raise ModelError(f"{owner}: {n_y} outputs, {n_u} inputs and {count} lines are more than {MOST} numbers.")
    highest = _usual(owner, system) if maximum is None else as_number(owner, "maximum", maximum, above=0.0)
    spacing = float(f"{highest / count:.5E}")  # as the file holds it
    hertz = np.asarray(spacing * np.arange(1, count + 1))
    values = transfer(owner, system, hertz)
    said = units(unit_names)
    losses = ["digits beyond the thirteenth", *system.losses]
    if np.any(system.offset):
        losses.append("outputs at rest")
    if unit_names and said is None:
        losses.append("units, whose names are not known here")
    outputs, inputs = (_points(signals) for signals in (system.outputs, system.inputs))
    with placed(path, overwrite) as part, part.open("w", encoding="ascii") as stream:
        stream.writelines(line + "\n" for line in (*header(system.name, losses), *(said or ())))
        number = 0
        for i, given in enumerate(inputs):
            for o, seen in enumerate(outputs):
                number += 1
                one = Function(FREQUENCY, hertz, values[:, o, i], seen, given, f"{seen.name} per {given.name}")
                stream.writelines(line + "\n" for line in function_lines(number, one))
    return ExportResult("uff58", path, tuple(losses))


def transfer(owner: str, system: LinearSystem, hertz: FloatArray) -> NDArray[np.complex128]:
    """Complex amplitudes of the outputs per unit of the inputs (n_f, n_y, n_u).

    Raises
    ------
    ModelError
        If a frequency is an undamped resonance.
    """
    s = 2j * np.pi * hertz
    out = np.empty((len(s), *system.F.shape), dtype=np.complex128)
    if system.is_modal:
        n = len(system.stiffness)
        for k, x in enumerate(s):
            below = system.stiffness + x * x + x * system.damping
            _refuse(owner, hertz[k], np.abs(below), np.abs(x * x))
            q = system.B / below[:, None]
            out[k] = system.C[:, :n] @ q + x * (system.C[:, n:] @ q) + system.F
        return out
    A, B, C, F = system.first_order()
    T, Z = linalg.schur(A, output="complex")
    B, C, one = Z.conj().T @ B, C @ Z, np.eye(len(A))
    for k, x in enumerate(s):
        _refuse(owner, hertz[k], np.abs(x - T.diagonal()), np.abs(x))
        out[k] = C @ linalg.solve_triangular(x * one - T, B, check_finite=False) + F
    return out


def _refuse(owner: str, hertz: float, distance: FloatArray, scale: float) -> None:
    if distance.min(initial=np.inf) <= NEAR * scale:
        raise ModelError(
            f"{owner}: at {hertz:.6g} there is an undamped resonance, where the response has no bound; give damping, "
            f"or another maximum or number of lines."
        )


def _usual(owner: str, system: LinearSystem) -> float:
    """A quarter above the tenth frequency of oscillation."""
    if system.is_modal:
        w = np.sqrt(system.stiffness)
    else:
        poles = linalg.eigvals(system.first_order()[0])
        w = np.sort(np.abs(poles[poles.imag > 0.0]))
    w = w[w > 1e-6 * w.max(initial=0.0)]
    if not len(w):
        raise ModelError(f"{owner}: it has no oscillation; give the highest frequency, maximum=.")
    return float(1.25 * w[min(9, len(w) - 1)] / (2.0 * np.pi))


def _points(signals: tuple[Signal, ...]) -> list[Point]:
    """A point for each number of the signals."""
    out = []
    for signal in signals:
        for entry in signal.entries:
            found = re.search(r" (along|about) ([xyz])$", entry)
            direction = 0 if found is None else "xyz".index(found[2]) + (1 if found[1] == "along" else 4)
            name = signal.name if len(signal) == 1 else f"{signal.name}, {entry}"
            out.append(Point(name, signal.place, direction, signal.quantity))
    return out


FORMATS = {
    "uff58": Format("_frf.unv", "frequency responses as universal file", write_system=write_frequency_functions),
}
