"""Forces and controllers to which their user gave no name: those that are called alike are numbered in a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

from flexmbs.core.distinct_names import distinct_names
from flexmbs.core.user_calls import of_the_package

__all__ = ["numbered"]


def numbered(things: Sequence[Any]) -> Iterable[tuple[Any, Any]]:
    """Those that share the name of their class, each with a copy that has a name of its own.

    The copies are shallow: coordinates and pairs of shapes are those of the original, which sensors may refer to.
    """
    for thing, name in zip(things, distinct_names(thing.name for thing in things), strict=True):
        if name != thing.name and _is_unnamed(thing):
            other = copy(thing)
            object.__setattr__(other, "name", name)
            yield thing, other


def _is_unnamed(thing: Any) -> bool:
    """Whether it has the name that things of its class have by default."""
    return of_the_package(thing) and thing.name == getattr(type(thing), "name", None)
