"""Which pairs of contacts take part: those of bodies that a joint connects are left out, unless they are named."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexmbs.model.forces.row_force import RowForce
    from flexmbs.model.model import Model

__all__ = ["between_free_bodies"]
MOST = 5
"""Pairs that the warning names."""


def between_free_bodies(model: Model, items: list[tuple[Any, RowForce]]) -> list[tuple[Any, RowForce]]:
    """The pairs but for those between bodies that a joint connects.

    The ground is no such body: a pendulum that hangs on it may well touch it. Pairs that the contact names are kept.
    """
    joined = {frozenset((id(pair.a.body), id(pair.b.body))) for joint in model.joints for pair in joint.pairs}
    kept, left_out = [], []
    for owner, force in items:
        bodies = force.a.body, force.b.body
        free = any(body.is_ground for body in bodies) or getattr(owner, "pairs", None) is not None
        if free or frozenset(map(id, bodies)) not in joined:
            kept.append((owner, force))
        else:
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
