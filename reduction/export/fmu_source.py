"""What the C sources of a unit need to know of its system: sizes, variables and numbers."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.reduction.export.fmu_variables import Variable
from flexmbs.reduction.export.linear_system import LinearSystem

__all__ = ["SOURCES", "Source", "source"]

SOURCES = ("instance.c", "instance.h", "linear_system.c", "linear_system.h")
"""Of both versions, included by ``fmi2.c`` or ``fmi3.c``, the only file to be compiled."""

INLINE = 20_000
"""So many numbers are constants of the C file; more are read from the resources."""

KINDS = {"time": "KIND_TIME", "input": "KIND_INPUT", "output": "KIND_OUTPUT", "state": "KIND_STATE",
         "derivative": "KIND_DERIVATIVE"}  # fmt: skip


class Source(NamedTuple):
    """``files`` by name, ``token`` of the unit, and ``resource``, its numbers as bytes where they are not in a file."""

    files: dict[str, str]
    token: str
    resource: bytes | None


def source(system: LinearSystem, table: Sequence[Variable], version: int) -> Source:
    """The sources of a unit of FMI version 2 or 3."""
    numbers = _numbers(system)
    rows = [f"{{{KINDS[v.kind]}, {v.first}, {v.size}}}" for v in table]
    digest = hashlib.sha256(numbers.tobytes() + "\n".join([str(version), *map(repr, table)]).encode()).digest()
    token = "{" + str(uuid.UUID(bytes=digest[:16])) + "}"
    mark = float(int.from_bytes(digest[16:22], "big"))  # 48 bits: exact
    from_file = len(numbers) > INLINE
    head = [
        "/* Written by flexmbs: the numbers of one system, in the order of instance.c. */",
        f'#define MODEL_TOKEN "{token}"',
        f"#define MODEL_MODAL {int(system.is_modal)}",
        f"#define MODEL_STATES {system.n_states}",
        f"#define MODEL_INPUTS {system.B.shape[1]}",
        f"#define MODEL_OUTPUTS {len(system.C)}",
        f"#define MODEL_VARIABLES {len(table)}u",
        f"#define MODEL_BLOCKS {len(system.blocks)}u",
        # C has no arrays without entries
        f"static const size_t model_blocks[] = {{\n{_joined([str(size) for size in system.blocks or (0,)])}\n}};",
        f"static const variable model_variables[] = {{\n{_joined(rows)}\n}};",
    ]
    if from_file:
        head += ["#define MODEL_FROM_FILE", f"#define MODEL_DOUBLES {len(numbers)}", f"#define MODEL_MARK {mark!r}"]
    else:
        head += [f"static const double model_numbers[] = {{\n{_joined([repr(x) for x in numbers.tolist()])}\n}};"]
    found = {name: (files("flexmbs.reduction.export") / "c" / name).read_text("ascii") for name in SOURCES}
    wrapper = f"fmi{version}.c"
    found[wrapper] = (files("flexmbs.reduction.export") / "c" / wrapper).read_text("ascii")
    found["model_data.h"] = "\n".join(head) + "\n"
    return Source(found, token, np.concatenate([[mark], numbers]).astype("<f8").tobytes() if from_file else None)


def _joined(words: list[str]) -> str:
    """Words between commas, a few on a line."""
    return ",\n".join(", ".join(words[i : i + 6]) for i in range(0, len(words), 6))


def _numbers(system: LinearSystem) -> FloatArray:
    """All numbers in the order that instance.c has."""
    if system.is_modal:
        first = [system.stiffness, system.damping]
    else:
        assert system.A is not None  # noqa: S101  # coupled modes were brought to first order
        first = system.diagonal_blocks()
    arrays = [*first, system.B, system.C, system.F, system.offset, _nominal(system)]
    return np.concatenate([np.asarray(a, dtype=float).ravel() for a in arrays])


def _nominal(system: LinearSystem) -> FloatArray:
    """Usual sizes of the states, for the tolerances of integrators: what unit forces do to modes, one otherwise.

    A mode answers a force b by b / w^2, a slow or rigid one within a second by b.
    """
    if not system.is_modal:
        return np.ones(system.n_states)
    force = np.abs(system.B).max(axis=1, initial=0.0)
    size = np.maximum(np.sqrt(system.stiffness), 1.0)
    moved = force / size**2
    moved = np.maximum(moved, 1e-6 * moved.max(initial=0.0))
    moved[moved == 0.0] = 1.0
    return np.concatenate([moved, moved * size])
