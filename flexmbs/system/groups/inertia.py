"""What the inertia of a kind of bodies adds to the equations: forces in stages, mass that changes with the state."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.given import Given

__all__ = ["Calls", "InertiaCalls", "InertiaStage", "MovingBlocks", "call_all"]

Calls = tuple[tuple[Any, tuple[Any, ...]], ...]
"""Kernels with their arguments, among which are names of what differs (`flexmbs.core.given`)."""


def call_all(calls: Calls, given: dict[Given, Any]) -> None:
    """Call the kernels with what is ``given`` for the names."""
    for kernel, arguments in calls:
        kernel(*[given[a] if isinstance(a, Given) else a for a in arguments])


class InertiaStage(NamedTuple):
    """A part of the forces of inertia, evaluated for all bodies of a group.

    ``force(group, state, env, work)`` adds it to ``work.r``; ``tangent(group, state, env, work, weights)`` adds the
    same and writes ``wq df/dq T + wv df/dv`` into the blocks. ``on_markers``: whether ``work`` has to be a `MarkerWork`
    (which has T), else a `Work`. Kernels return the first item they refuse or -1, functions may return None.
    """

    name: str
    group: Any
    force: Callable[..., int | None]
    tangent: Callable[..., int | None]
    on_markers: bool = True


class InertiaCalls(NamedTuple):
    """The same as `InertiaStage` by several kernels, one after the other."""

    name: str
    group: Any
    force: Calls
    tangent: Calls


class MovingBlocks(NamedTuple):
    """Mass that changes with the state.

    Block i couples the coordinates ``dofs[i] (k,)`` and lies at ``offsets[i]`` of the buffer, k by k; ``pattern[i] (k,
    k)``: where it can differ from zero. ``write(q, blocks)`` renews all of them. ``recursive``: the stage of the group
    adds M a itself, so that the matrix is made only where it is asked for. ``shared``: other blocks have entries at the
    same places, to which these are added. ``renew``: kernels that together do what ``write`` does, for compiled steps;
    of a recursive kind they stand right behind its stage with blocks. ``alone``: the same for a recursive kind
    whose stage with blocks is not evaluated.
    """

    dofs: tuple[IntArray, ...]
    offsets: tuple[int, ...]
    pattern: tuple[NDArray[np.bool_], ...]
    write: Callable[[FloatArray, FloatArray], None]
    recursive: bool = False
    shared: bool = False
    renew: Calls = ()
    alone: Calls = ()

    @classmethod
    def whole(
        cls, tables: Iterable[Any], write: Callable[[FloatArray, FloatArray], None], shared: bool = False
    ) -> MovingBlocks:
        """Full blocks, one for each row of ``dofs`` of the tables, side by side from their ``b1`` on."""
        rows = [(dofs, t.b1 + i * len(dofs) ** 2) for t in tables for i, dofs in enumerate(t.dofs)]
        return cls(
            tuple(dofs for dofs, _ in rows), tuple(offset for _, offset in rows),
            tuple(np.ones((len(dofs), len(dofs)), dtype=bool) for dofs, _ in rows), write, shared=shared,
        )  # fmt: skip
