"""Names of things of which several may be called alike, such as two forces on one marker, and who is meant by one.

Loads, sensors and actuators are told apart by what they are, never by what they are called. Where results name them,
equal names are numbered in their order, the first as well: a name that several bear belongs to none of them alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.errors import ModelError, a_or_an, unknown_name

__all__ = ["distinct_names", "number_meant", "numbers_meant", "repeated"]


def repeated(things: Iterable[Any]) -> list[str]:
    """The names that several of some things bear, in alphabetical order."""
    names = [thing.name for thing in things]
    if len(set(names)) == len(names):
        return []
    return sorted(name for name, count in Counter(names).items() if count > 1)


def distinct_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names, of which those that occur more than once are numbered from 1 in their order.

    Examples
    --------
    >>> distinct_names(["force on tip", "gravity", "force on tip"])
    ('force on tip (1)', 'gravity', 'force on tip (2)')
    """
    given = tuple(names)
    often = {name for name, count in Counter(given).items() if count > 1}
    taken = {name for name in given if name not in often}
    last = dict.fromkeys(often, 0)
    found = []
    for name in given:
        distinct = name
        while name in often and (distinct == name or distinct in taken):
            last[name] += 1
            distinct = f"{name} ({last[name]})"
        taken.add(distinct)
        found.append(distinct)
    return tuple(found)


def numbers_meant(owner: str, kind: str, wanted: Any, names: Sequence[str], things: Sequence[Any] = ()) -> list[int]:
    """The numbers of those that ``wanted`` means: the thing itself, its name among ``names``, or its number.

    A thing that stands at several places, as a sensor of three numbers, means all of them.

    Parameters
    ----------
    owner, kind : str
        Who asks, and what for ("input"), in messages.
    wanted : str, int or thing
    names : sequence of str
    things : sequence, optional
        What bears the names, in the same order.

    Raises
    ------
    ModelError
        If nothing, or no one alone, is meant by a name, a number is too large, or a thing is none of these.

    Examples
    --------
    >>> tip, top = object(), object()
    >>> numbers_meant("sweep", "input", top, ("force (1)", "force (2)"), (tip, top))
    [1]
    """
    if isinstance(wanted, str):
        found = [i for i, name in enumerate(names) if name == wanted]
        alike = [i for i, name in enumerate(names) if re.fullmatch(rf"{re.escape(wanted)} \(\d+\)", name)]
        if len(found) == 1:
            return found
        if len(found or alike) > 1:
            known = " or ".join(repr(names[i]) for i in found or alike)
            raise ModelError(
                f"{owner}: the name {wanted!r} is that of more than one {kind}. Give the name that one has in results: "
                f"{known}{', or the object itself' if things else ''}."
            )
        raise ModelError(f"{owner}: {unknown_name(kind, wanted, names)}")
    if isinstance(wanted, int | np.integer) and not isinstance(wanted, bool):
        if not 0 <= wanted < len(names):
            raise ModelError(
                f"{owner}: there is no {kind} number {wanted}; there are {len(names)}, counted from 0: "
                f"{', '.join(map(repr, names)) or 'none'}."
            )
        return [int(wanted)]
    found = [i for i, thing in enumerate(things) if thing is wanted]
    if not found:
        how = "Give a name or a number" if not things else "Give the object itself, a name or a number"
        name = getattr(wanted, "label", getattr(wanted, "name", None))
        called = f" ({name!r})" if isinstance(name, str) and not isinstance(wanted, type) else ""
        raise ModelError(
            f"{owner}: {show(wanted)}{called} is not {a_or_an(kind)} of this model. {how}; there are "
            f"{', '.join(map(repr, names)) or 'none'}."
        )
    return found


def number_meant(owner: str, kind: str, wanted: Any, names: Sequence[str], things: Sequence[Any] = ()) -> int:
    """The number of the one that is meant; see `numbers_meant`."""
    found = numbers_meant(owner, kind, wanted, names, things)
    if len(found) > 1:
        raise ModelError(
            f"{owner}: {show(wanted)} stands for {len(found)} {kind}s, and one is needed; give its name: "
            f"{' or '.join(repr(names[i]) for i in found)}."
        )
    return found[0]
