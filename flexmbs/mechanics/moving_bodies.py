"""Forces of inertia beside M a: gyroscopic, in floating frames, of substructures, of trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flexmbs.core.contracts import Env, MarkerWork, State, Work

if TYPE_CHECKING:
    from flexmbs.groups import Stage

__all__ = ["inertia_forces", "inertia_tangents"]


def inertia_forces(stages: Sequence[Stage], state: State, env: Env, work: Work, markers: MarkerWork) -> None:
    """r += inertia and gravity of the stages; M a only of trees, as that of the others is added with their mass."""
    for stage in stages:
        stage.force(stage.group, state, env, markers if stage.on_markers else work)


def inertia_tangents(
    stages: Sequence[Stage], state: State, env: Env, work: Work, markers: MarkerWork, weights: tuple[float, float]
) -> None:
    """The same, and the blocks."""
    for stage in stages:
        stage.tangent(stage.group, state, env, markers if stage.on_markers else work, weights)
