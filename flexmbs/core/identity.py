"""A mapping whose keys are objects themselves, whatever they say of equality."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping
from typing import Any, Generic, TypeVar, overload

__all__ = ["IdentityMap"]

K = TypeVar("K")
V = TypeVar("V")
D = TypeVar("D")


class IdentityMap(MutableMapping[K, V], Generic[K, V]):
    """What belongs to each of some objects, found by the object itself.

    Two objects that compare equal are two keys, and an object that cannot be hashed is one, too: items of a model are
    looked up so, since a user's own classes may define equality as they like. The keys are kept alive, so that no other
    object can take the place of one that is gone.

    Parameters
    ----------
    entries : iterable of (key, value)

    Examples
    --------
    >>> one, other = [1], [1]
    >>> numbers = IdentityMap([(one, "one"), (other, "other")])
    >>> numbers[other], [1] in numbers
    ('other', False)
    """

    __slots__ = ("_entries",)

    def __init__(self, entries: Iterable[tuple[K, V]] = ()) -> None:
        self._entries: dict[object, tuple[K, V]] = {}
        for key, value in entries:
            self[key] = value

    @staticmethod
    def numbers(items: Iterable[Any]) -> IdentityMap[Any, int]:
        """The place of each item in a sequence."""
        return IdentityMap((item, i) for i, item in enumerate(items))

    def __getitem__(self, key: K) -> V:
        return self._entries[id(key)][1]

    def __setitem__(self, key: K, value: V) -> None:
        self._entries[id(key)] = key, value

    def __delitem__(self, key: K) -> None:
        del self._entries[id(key)]

    @overload
    def get(self, key: K, default: None = None) -> V | None: ...

    @overload
    def get(self, key: K, default: V | D) -> V | D: ...

    def get(self, key: K, default: Any = None) -> Any:
        """As of a dict, without an exception on the way."""
        found = self._entries.get(id(key))
        return default if found is None else found[1]

    def setdefault(self, key: K, default: V) -> V:
        """As of a dict, without an exception on the way."""
        return self._entries.setdefault(id(key), (key, default))[1]

    def __contains__(self, key: object) -> bool:
        return id(key) in self._entries

    def __iter__(self) -> Iterator[K]:
        return (key for key, _ in self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)
