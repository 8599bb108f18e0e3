"""Coordinates that lie side by side, and the order of all of them in q and v."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray

__all__ = ["Section", "Span", "joined"]


class Section(IntEnum):
    """Where coordinates of one nature lie in q and v, first to last; bodies of a section in the order of the model."""

    NODES = 0
    """Nodes of meshes, in vector spaces."""
    SHAPES = 1
    """Amplitudes of shapes in moving frames."""
    MODES = 2
    """Amplitudes of shapes in fixed frames."""
    JOINTS = 3
    """Displacements and angles of joints, and shapes of what they join."""
    POINTS = 4
    """Positions, and angles in the plane."""
    EXTRA = 5
    """Coordinates that belong to no body; the last ones that have the same place in q and in v."""
    FRAMES = 6
    """Positions and quaternions of bodies, 7 in q and 6 in v each; so are all that follow."""
    ROTATIONS = 7
    """Rotations by quaternion in trees."""
    NODAL_FRAMES = 8
    """Nodes with a quaternion."""


@dataclass(eq=False)
class Span:
    """Coordinates of one body that lie side by side.

    Parameters
    ----------
    section : Section
    body : object
        Whose they are.
    q, v : array
        At the start, (n_q,) and (n_v,).
    nodes : (n_v,) int array, optional
        Number of the node each belongs to, from 0; unknowns of a node stay together in the order of elimination. By
        default all are one.
    n_nodes : int
        How many of these there are; 0 for a span that belongs ``to`` another one for good.
    to : Span, optional
        Whose first node its own one is: frame and shapes of a body are one node.

    Attributes
    ----------
    iq, iv : int
        First place in q and in v, once numbered.
    """

    section: Section
    body: Any
    q: FloatArray
    v: FloatArray
    nodes: IntArray | None = None
    n_nodes: int = 1
    to: Span | None = None
    iq: int = field(default=-1, init=False)
    iv: int = field(default=-1, init=False)

    @cached_property
    def places(self) -> IntArray:
        """Places in v, once numbered."""
        return self.iv + np.arange(len(self.v))

    @cached_property
    def in_q(self) -> IntArray:
        """Places in q, once numbered."""
        return self.iq + np.arange(len(self.q))


def joined(parts: list[IntArray]) -> IntArray:
    """Arrays of places one after the other, none of none."""
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts]).astype(np.int64)
