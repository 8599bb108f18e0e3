"""The two ends of what lies between two places, in whichever form they are given."""

from __future__ import annotations

from dataclasses import fields
from functools import wraps
from typing import Any, TypeGuard, TypeVar

from flexmbs.core.calls import wrapped
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.model.bodies.flexible import FlexibleBody
from flexmbs.model.bodies.marker import Body, Marker

__all__ = ["two_ended"]

C = TypeVar("C", bound=type)


def two_ended(cls: C) -> C:
    """Let the constructor of a dataclass take its ends one by one, or as a pair.

    Classes differ in what they hold: ``a`` and ``b``, or one field ``on`` (or ``joint``) that may be a joint as well.
    Whoever makes one need not know: ``SpringDamper(a, b, ...)`` and ``SpringDamper((a, b), ...)`` are the same, and so
    are ``JointStop((a, b), ...)`` and ``JointStop(a, b, ...)``, by position as well as by the keywords ``a``, ``b`` and
    ``on``.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(0.0, -0.5), name="ball")
    >>> origin = fx.ground.marker((0, 0, 0))
    >>> fx.SpringDamper((origin, ball), stiffness=1.0).free_length
    0.5
    >>> fx.JointStop(origin, ball, upper=1.0, stiffness=1e4, coordinate="distance").upper
    1.0
    """
    made = wrapped(cls.__init__, cls.__name__)  # type: ignore[misc]  # behind the ends, so that they count as given
    first = fields(cls)[0].name
    ends = _apart if first == "a" else _together

    @wraps(made)
    def constructor(self: Any, *args: Any, **keywords: Any) -> None:
        made(self, *ends(first, args, keywords), **keywords)

    cls.__init__ = constructor  # type: ignore[misc]
    return cls


def _apart(first: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
    """Arguments with a and b one by one."""
    if args and _is_pair(args[0]):
        return (*args[0], *args[1:])
    if not args and "b" not in keywords:
        for key in ("on", "a"):
            if _is_pair(keywords.get(key)):
                keywords["a"], keywords["b"] = keywords.pop(key)
                break
    return args


def _together(first: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
    """Arguments with (a, b) in the field ``first``."""
    if len(args) > 1 and _is_end(args[0]) and _is_end(args[1]):
        return ((args[0], args[1]), *args[2:])
    if args and _is_end(args[0]) and "b" in keywords:
        return ((args[0], keywords.pop("b")), *args[1:])
    if not args and first not in keywords and {"a", "b"} <= keywords.keys():
        keywords[first] = keywords.pop("a"), keywords.pop("b")
    return args


def _is_end(value: object) -> bool:
    return isinstance(value, Marker | Attachment | Body | FlexibleBody)


def _is_pair(value: object) -> TypeGuard[tuple[Any, Any]]:
    return isinstance(value, tuple | list) and len(value) == 2 and all(_is_end(end) for end in value)
