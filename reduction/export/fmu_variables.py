"""The variables of a functional mock-up unit (FMU), in the order of their value references."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from flexmbs.core.errors import ModelError
from flexmbs.reduction.export.linear_system import LinearSystem
from flexmbs.reduction.export.ports import QUANTITIES, Signal

__all__ = ["Unit", "Variable", "identifier", "units_of", "variables"]


class Variable(NamedTuple):
    """A variable: ``kind`` time, input, output, state or derivative; its entries ``first`` to ``first + size - 1``.

    ``of`` is the value reference of the state that a derivative belongs to.
    """

    name: str
    kind: str
    first: int
    size: int
    quantity: str
    description: str
    of: int = -1


class Unit(NamedTuple):
    """Name of a unit, its exponents of kg, m, s and its factor to SI."""

    name: str
    kg: int
    m: int
    s: int
    factor: float


LENGTHS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "in": 0.0254, "ft": 0.3048}
MASSES = {"kg": 1.0, "g": 1e-3, "t": 1e3}


def variables(system: LinearSystem, scalar: bool) -> list[Variable]:
    """All variables: time, inputs, outputs, states, derivatives.

    Parameters
    ----------
    system : LinearSystem
    scalar : bool
        Whether each number is a variable (FMI 2), or each signal (FMI 3).
    """
    out = [Variable("time", "time", 0, 1, "time", "Time")]
    used = {"time"}
    for kind, signals in (("input", system.inputs), ("output", system.outputs)):
        first = 0
        for signal in signals:
            name = unique(identifier(signal.name), used)
            out += _entries(name, kind, first, signal, scalar)
            first += len(signal)
    states = _states(system)
    n_states = len(states) if not scalar else sum(len(s) for s in states)
    first = 0
    derivatives: list[Variable] = []
    for signal in states:
        name = unique(signal.name, used)
        mine = _entries(name, "state", first, signal, scalar)
        derivatives += [
            v._replace(
                name=f"der({v.name})", kind="derivative", description=f"Derivative of {v.name}",
                of=len(out) + k,
            )
            for k, v in enumerate(mine)
        ]  # fmt: skip
        out += mine
        first += len(signal)
    assert len(derivatives) == n_states  # noqa: S101  # one for each state
    return out + derivatives


def _states(system: LinearSystem) -> list[Signal]:
    """States of a system: of modes their coordinates and rates."""
    if not system.is_modal:
        return [Signal("x", system.states_in_words(), "number")]
    n = len(system.stiffness)
    return [
        Signal("modes.q", tuple(f"coordinate of {s}, mass-normalised" for s in system.states), "number"),
        Signal("modes.v", tuple(f"rate of {s}, mass-normalised" for s in system.states), "number"),
    ][: 2 * (n > 0)]


def _entries(name: str, kind: str, first: int, signal: Signal, scalar: bool) -> list[Variable]:
    """A signal as one variable, or as one for each of its numbers."""
    n = len(signal)
    if not scalar:
        text = f"{signal.name}: {', '.join(signal.entries[:6])}{', ...' if n > 6 else ''}"
        return [Variable(name, kind, first, n, signal.quantity, text)]
    if n == 1:
        return [Variable(name, kind, first, 1, signal.quantity, f"{signal.name}: {signal.entries[0]}")]
    return [
        Variable(f"{name}[{k + 1}]", kind, first + k, 1, signal.quantity, f"{signal.name}: {text}")
        for k, text in enumerate(signal.entries)
    ]


def identifier(text: str) -> str:
    """Names of C and of FMI's structured convention: letters, digits and underscores between dots."""
    parts = [re.sub(r"[^A-Za-z0-9_]", "_", part) or "_" for part in text.split(".")]
    return ".".join(p if not p[0].isdigit() else f"_{p}" for p in parts)


def unique(name: str, used: set[str]) -> str:
    """A name that is not used yet, which then is."""
    found, k = name, 2
    while found in used:
        found, k = f"{name}_{k}", k + 1
    used.add(found)
    return found


def units_of(names: Mapping[str, str], quantities: Sequence[str]) -> dict[str, Unit]:
    """Units of quantities, from the names of the units of length, mass and time; empty where these are not known.

    Raises
    ------
    ModelError
        If time is in another unit than seconds, which is the unit of all importing tools.
    """
    time = names.get("time")
    if time is not None and time != "s":
        raise ModelError(f"FMU: time is in seconds in tools that import it, but the model has the unit {time!r}.")
    length, mass = names.get("length"), names.get("mass")
    if length not in LENGTHS or mass not in MASSES or time is None:
        return {}
    out = {"time": Unit("s", 0, 0, 1, 1.0)}
    for quantity in quantities:
        if quantity not in QUANTITIES or not any(QUANTITIES[quantity]):
            continue
        m, kg, s = QUANTITIES[quantity]
        factor = LENGTHS[length] ** m * MASSES[mass] ** kg
        out[quantity] = Unit(_unit_name(length, mass, m, kg, s, factor), kg, m, s, factor)
    for quantity in ("rotation", "angular velocity", "angular acceleration"):
        if quantity in quantities:
            s = QUANTITIES[quantity][2]
            out[quantity] = Unit("rad" + ("" if not s else "/s" if s == -1 else "/s2"), 0, 0, s, 1.0)
    return out


def _unit_name(length: str, mass: str, m: int, kg: int, s: int, factor: float) -> str:
    """The name of a derived unit."""
    if kg and np.isclose(factor, 1.0, rtol=1e-12):
        for name, exponents in {"N": (1, 1, -2), "N.m": (2, 1, -2), "Pa": (-1, 1, -2)}.items():
            if exponents == (m, kg, s):
                return name
    if kg and np.isclose(factor, 1e6, rtol=1e-12) and (m, kg, s) == (-1, 1, -2):
        return "MPa"
    above = [f"{u}{e if e > 1 else ''}" for u, e in ((mass, kg), (length, m)) if e > 0]
    below = [f"{u}{-e if e < -1 else ''}" for u, e in ((length, m), ("s", s)) if e < 0]
    text = ".".join(above) or "1"
    return text + (f"/({'.'.join(below)})" if len(below) > 1 else f"/{below[0]}" if below else "")
