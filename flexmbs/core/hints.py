"""What was meant by a name that does not exist: the same name elsewhere, or its words, before what is spelt alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

__all__ = ["meant_by"]

MOST_HINTS = 3


def meant_by(name: str, names: Iterable[str], rooms: Mapping[str, Iterable[str]]) -> list[str]:
    """The names that somebody who wrote ``name`` most likely meant, at most three, the likeliest first.

    Parameters
    ----------
    name : str
        What does not exist.
    names : iterable of str
        What exists.
    rooms : mapping of str to iterable of str
        Names that exist in rooms, and are written with the room before them.

    Examples
    --------
    >>> meant_by("Spring", ["NodalSpring", "SpringDamper", "Sprite"], {})
    ['SpringDamper', 'NodalSpring']
    >>> meant_by("read_urdf", ["read_sid"], {"trees": ["read_urdf", "Tree"]})
    ['trees.read_urdf']
    >>> meant_by("Revolut", ["Revolute", "Prismatic"], {})
    ['Revolute']
    """
    known = list(names)
    elsewhere = [f"{room}.{n}" for room, inside in rooms.items() for n in inside if n.lower() == name.lower()]
    same = [n for n in known if n.lower() == name.lower()]
    if elsewhere or same:
        return [*same, *elsewhere][:MOST_HINTS]
    wanted = _words(name)
    akin = [n for n in known if wanted and set(wanted) <= set(_words(n))]
    akin.sort(key=lambda n: (_words(n)[: len(wanted)] != wanted, len(n), n))
    return akin[:MOST_HINTS] or get_close_matches(name, known, n=MOST_HINTS, cutoff=0.7)


def _words(name: str) -> list[str]:
    """The words of a name: SpringDamper and spring_damper are spring and damper."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]
