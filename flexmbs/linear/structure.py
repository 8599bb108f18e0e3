"""What every analysis of a linear structure takes: a part or its operators."""

from __future__ import annotations

from flexmbs.core.checks import show
from flexmbs.core.errors import ModelError
from flexmbs.linear.operators import Operators
from flexmbs.linear.part import Part

__all__ = ["as_operators", "part_of"]


def as_operators(owner: str, value: object) -> Operators:
    """The operators of a part, or the operators themselves."""
    if isinstance(value, Operators):
        return value
    if isinstance(value, Part):
        return value.assemble()
    raise ModelError(f"{owner}: expected a Part or Operators, not {show(value)}.")


def part_of(owner: str, operators: Operators) -> Part:
    """The part that operators were assembled from; refuses those that came as matrices."""
    if operators.part is None:
        raise ModelError(
            f"{owner}: needs the elements, but the operators were {operators.origin}; give a Part, or its assemble()."
        )
    return operators.part
