"""Which pairs of contacts take part: those of bodies that a joint connects are left out, unless they are named."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexmbs.model.model import Model

__all__ = ["between_free_bodies", "contacts_of", "taking_part"]
MOST = 5
"""Pairs that the warning names."""


def contacts_of(model: Model) -> tuple[Any, ...]:
    """The contacts of a model, whatever their pairs are: forces that open and close."""
    return tuple(force for force in model.forces if hasattr(force, "touching"))


def taking_part(model: Model, items: list[tuple[Any, Any]]) -> list[bool]:
    """Whether each pair takes part: all but those between bodies that a joint connects, one of the model or of a tree.

    Items are contacts and what they connect, ``a`` and ``b`` of which have a ``body``.
    The ground is no such body: a pendulum that hangs on it may well touch it. Pairs that the contact names are kept.
    """
    joined = {frozenset((id(pair.a.body), id(pair.b.body))) for joint in model.joints for pair in joint.pairs}
    joined |= {frozenset(map(id, links)) for tree in model.trees for links in tree.joined}
    found = []
    for owner, force in items:
        bodies = force.a.body, force.b.body
        free = any(body.is_ground for body in bodies) or getattr(owner, "pairs", None) is not None
        found.append(free or frozenset(map(id, bodies)) not in joined)
    return found


def between_free_bodies(model: Model, items: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """The pairs that take part, with a warning that names the others."""
    kept, left_out = [], []
    for item, takes_part in zip(items, taking_part(model, items), strict=True):
        if takes_part:
            kept.append(item)
        else:
            owner, force = item
            left_out.append(f"{owner.name!r} between {force.a} and {force.b}")
    if left_out:
        more = f" and {len(left_out) - MOST} more" if len(left_out) > MOST else ""
        warnings.warn(
            f"Model {model.name!r}: contacts of bodies that a joint connects are left out: "
            f"{'; '.join(left_out[:MOST])}{more}. To have one, name it in pairs=.",
            UserWarning,
            stacklevel=3,
        )
    return kept
