"""A stop below a node that pushes back once it is reached; an example of a user-defined load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import flexmbs as fx
from flexmbs.extend import Description, Env, FloatArray, History, IntArray, Items, Kind, Places, State, Work, kernel


class StopGroup(NamedTuple):
    """``dofs (n, 1)`` of the heights, ``floor (n,)`` where contact begins, ``c (n,)`` stiffness."""

    dofs: IntArray
    b1: int
    floor: FloatArray
    c: FloatArray


@kernel
def stop_force(group: StopGroup, state: State, env: Env, work: Work) -> int:
    """r += c (y - floor) below the floor."""
    for i in range(group.dofs.shape[0]):
        depth = state.q[group.dofs[i, 0]] - group.floor[i]
        if depth < 0.0:
            work.r[group.dofs[i, 0]] += group.c[i] * depth
    return -1


@kernel
def stop_tangent(group: StopGroup, state: State, env: Env, work: Work, weights: tuple[float, float]) -> int:
    """The same with c below the floor and zero above; every block is overwritten, also where nothing acts."""
    stop_force(group, state, env, work)
    for i in range(group.dofs.shape[0]):
        touching = state.q[group.dofs[i, 0]] < group.floor[i]
        work.B[group.b1 + i] = weights[0] * group.c[i] if touching else 0.0
    return -1


STOP = Kind("stop", StopGroup, stop_force, stop_tangent)


@dataclass(frozen=True, eq=False)
class Stop(Description):
    """An elastic stop ``gap`` [length] below the nodes of ``at``, of ``stiffness`` [force/length]."""

    at: fx.Attachment
    gap: float
    stiffness: float
    history: History = None

    @property
    def label(self) -> str:
        return f"stop below {self.at}"

    @property
    def targets(self) -> tuple[fx.FlexibleBody, ...]:
        return (self.at.body,)

    def items(self, places: Places, index: int) -> tuple[Items, ...]:
        height = self.at.body.element.layout.position[1]
        dofs = places.dofs(self.at)[:, [height]]
        floor = places.reference(self.at)[:, height] - self.gap
        return (Items(STOP, np.ascontiguousarray(dofs), (floor, np.full(len(dofs), self.stiffness))),)
