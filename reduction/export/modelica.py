"""Modelica text: a block with inputs and outputs, its matrices in line, without any library.

The block has ``input Real u[n_u]``, ``output Real y[n_y]``; modes as ``der(q) = v``, ``der(v) = B*u - W.*q - D.*v``, or
states ``x`` where damping couples the modes or the system is one of first order. Numbers have 17 digits. A signal block
has no mechanical flanges: for large motion in Modelica take Standard Input Data and a library that reads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.info import version
from flexmbs.reduction.export.fmu_variables import identifier
from flexmbs.reduction.export.format import Format
from flexmbs.reduction.export.linear_system import LinearSystem, balanced
from flexmbs.reduction.export.ports import Signal
from flexmbs.reduction.export.written import ExportResult, placed

__all__ = ["FORMATS", "write_modelica"]

INLINE = 200_000
"""So many numbers in a text are read by compilers in some seconds."""


def write_modelica(system: LinearSystem, path: Path, overwrite: bool, units: Mapping[str, str]) -> ExportResult:
    """Write a linear system as a Modelica block.

    Parameters
    ----------
    system : LinearSystem
        Of a reduced model or of a mechanism.
    path : path
    overwrite : bool
    units : mapping of str to str
        Names of the units, kept as a comment.
    """
    name = identifier(system.name).replace(".", "_")
    n_u, n_y = system.B.shape[1], len(system.C)
    if system.is_modal:
        n = len(system.stiffness)
        parameters = [
            _vector("W", system.stiffness, "squares of the angular frequencies"),
            _vector("D", system.damping, "damping"),
            _matrix("B", system.B), _matrix("Cq", system.C[:, :n]), _matrix("Cv", system.C[:, n:]),
            _matrix("F", system.F), _vector("offset", system.offset, "outputs at rest"),
        ]  # fmt: skip
        states = [f"  Real q[{n}](each start = 0, each fixed = true) \"modes\";",
                  f"  Real v[{n}](each start = 0, each fixed = true) \"their rates\";"]  # fmt: skip
        equations = ["  der(q) = v;", "  der(v) = B*u - W .* q - D .* v;", "  y = Cq*q + Cv*v + F*u + offset;"]
    else:
        even = balanced(system)
        assert even.A is not None  # noqa: S101  # balanced systems are of first order
        n = len(even.A)
        parameters = [
            _matrix("A", even.A), _matrix("B", even.B), _matrix("C", even.C), _matrix("F", even.F),
            _vector("offset", even.offset, "outputs at rest"),
        ]  # fmt: skip
        states = [f"  Real x[{n}](each start = 0, each fixed = true) \"states, scaled\";"]  # fmt: skip
        equations = ["  der(x) = A*x + B*u;", "  y = C*x + F*u + offset;"]
    said = ", ".join(f"{k} {v}" for k, v in units.items()) or "not said"
    text = [
        f"block {name} \"{_quoted(system.name)}\"",
        f"  // Written by flexmbs {version()}; units: {_quoted(said)}",
        *(f"  // Lost: {_quoted(loss)}" for loss in system.losses),
        *_comments("u", system.inputs), *_comments("y", system.outputs),
        f"  input Real u[{n_u}];", f"  output Real y[{n_y}];",
        "protected", *parameters, *states, "equation", *equations, f"end {name};",
    ]  # fmt: skip
    numbers = sum(A.size for A in (system.B, system.C, system.F)) + (0 if system.is_modal else n * n)
    notes = (f"{numbers} numbers in line, which compilers take long to read",) if numbers > INLINE else ()
    with placed(path, overwrite) as part:
        part.write_text("\n".join(text) + "\n", encoding="utf-8")
    return ExportResult("modelica", path, system.losses, notes)


def _comments(name: str, signals: Sequence[Signal]) -> list[str]:
    """What each input or output is."""
    words = [f"{s.name}: {entry}" if entry != s.name else entry for s in signals for entry in s.entries]
    return [f"  // {name}[{k + 1}]: {_quoted(word)}" for k, word in enumerate(words)]


def _quoted(text: str) -> str:
    return " ".join(text.replace("\\", "/").replace('"', "'").split())


def _vector(name: str, values: FloatArray, text: str) -> str:
    return f'  parameter Real {name}[{len(values)}] = {{{_numbers(values)}}} "{text}";'


def _matrix(name: str, A: FloatArray) -> str:
    rows = ",\n    ".join(f"{{{_numbers(row)}}}" for row in A)
    return f"  parameter Real {name}[{A.shape[0]}, {A.shape[1]}] = {{\n    {rows}}};"


def _numbers(values: FloatArray) -> str:
    return ", ".join(map(repr, np.asarray(values, dtype=float).tolist()))


FORMATS = {
    "modelica": Format(".mo", "Modelica text", write_system=write_modelica),
}
