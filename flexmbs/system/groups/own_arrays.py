"""Work arrays of groups of bodies, which each run has of its own, so that a compiled system is constant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flexmbs.core.contracts import FloatArray
from flexmbs.core.identity import IdentityMap

__all__ = ["Own", "own_arrays", "with_own"]

Own = IdentityMap[Any, Any]
"""What takes the place of each work array, and of each object that holds some."""


def own_arrays(shared: Iterable[FloatArray]) -> Own:
    """A copy of each array, by the array that it takes the place of."""
    return IdentityMap((array, array.copy()) for array in shared)


def with_own(thing: Any, own: Own) -> Any:
    """The same with what ``own`` has in place of its parts, in tuples and named tuples however deep.

    What takes the place of a tuple is kept in ``own``: one table stays one, however many calls take it, since the
    compiled step writes each table once.

    Examples
    --------
    >>> import numpy as np
    >>> a, b = np.zeros(2), np.ones(2)
    >>> own = own_arrays([a])
    >>> found = with_own((a, (b, a)), own)
    >>> found[0] is a, found[1][0] is b, found[1][1] is found[0]
    (False, True, True)
    >>> table = (a, b)
    >>> with_own(table, own) is with_own(table, own)
    True
    """
    if not isinstance(thing, tuple) or thing in own:
        return own.get(thing, thing)
    parts = [with_own(part, own) for part in thing]
    if all(new is old for new, old in zip(parts, thing, strict=True)):
        return thing
    make = getattr(thing, "_make", tuple)
    own[thing] = make(parts)
    return own[thing]
