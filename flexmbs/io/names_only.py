"""What a description of a model has the name of only, since no file can hold it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexmbs.core.describe import Plain

__all__ = ["without_form"]


def without_form(plain: Plain) -> list[str]:
    """What a description has the name of only, functions and objects of a user, in words with the item."""
    found = [(str(item.get("name") or item.get("class")), part) for item in plain["items"] for part in _unformed(item)]
    return [f"the {part['class']} {part['name']} of {item!r}" for item, part in found]


def _unformed(plain: Plain) -> Iterator[dict[str, Any]]:
    """The parts of a description that `_without_plain_form` has made."""
    if isinstance(plain, Mapping):
        if plain.get("class") in ("function", "object") and set(plain) == {"class", "name"}:
            yield dict(plain)
        parts: Iterable[Any] = plain.values()
    else:
        parts = plain if isinstance(plain, list | tuple) else ()
    for part in parts:
        yield from _unformed(part)
