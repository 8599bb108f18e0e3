"""Forces of inertia of bodies whose mass changes: in floating frames, substructures, trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flexmbs.core.contracts import Env, MarkerWork, State
from flexmbs.mechanics.floating import floating_force
from flexmbs.mechanics.floating_tangent import floating_tangent
from flexmbs.trees.dynamics import tree_force, tree_tangent

if TYPE_CHECKING:
    from flexmbs.mechanics.build import Mechanics

__all__ = ["moving_forces", "moving_tangents"]


def moving_forces(m: Mechanics, state: State, env: Env, work: MarkerWork) -> None:
    """r += inertia and gravity; M a only of trees, as that of the others is added with the rest of the mass."""
    for floats in m.floating:
        floating_force(floats, state, env, work)
    for shared in m.substructures:
        shared.force(state, env, work)
    if m.flexible is not None:
        m.flexible.force(state, env, work)
    elif len(m.trees.kind):
        tree_force(m.trees, state, env, work)


def moving_tangents(m: Mechanics, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]) -> None:
    """The same, and the blocks."""
    for floats in m.floating:
        floating_tangent(floats, state, env, work, weights)
    for shared in m.substructures:
        shared.tangent(state, env, work, weights)
    if m.flexible is not None:
        m.flexible.tangent(state, env, work, weights)
    elif len(m.trees.kind):
        tree_tangent(m.trees, state, env, work, weights)
