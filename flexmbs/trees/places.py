"""Where the coordinates of a tree lie in the vectors of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.trees.columns import columns_of
from flexmbs.trees.group import SCREW
from flexmbs.trees.joints import Free

if TYPE_CHECKING:
    from flexmbs.trees.tree import Tree

__all__ = ["TreePlaces"]


class TreePlaces:
    """Numbers the coordinates of one tree.

    Columns of screws are coordinates of a vector space; a rotation by quaternion is numbered as a rigid body is, 7 in
    q and 6 in v, of which the translation is that of a free root, or idle.

    Attributes
    ----------
    tree : Tree
    columns : Columns
    node : int
        Number of the tree among nodes and bodies.
    dof, qi, rot : (n_c,) int array
        As in `flexmbs.trees.group.TreeGroup`.
    idle : int array
        Places in v of translations that never move.
    """

    def __init__(self, tree: Tree, node: int) -> None:
        self.tree, self.node = tree, node
        self.columns = columns_of(tree)
        n = len(self.columns.kind)
        self.dof, self.qi, self.rot = (np.full(n, -1, dtype=np.int64) for _ in range(3))
        self.idle = np.zeros(0, dtype=np.int64)

    def own(self, link: int) -> IntArray:
        """Numbers of the columns of the joint of a link."""
        return np.flatnonzero(self.columns.joint == link)

    def number_columns(self, first: int, q: list[FloatArray], v: list[FloatArray], node_of: list[IntArray]) -> int:
        """Columns of vector spaces from ``first`` on; appends their start, and returns the next place."""
        for i, link in enumerate(self.tree.links):
            own = self.own(i)
            if not link.joint.ball and len(own):
                self.dof[own] = self.qi[own] = first + np.arange(len(own))
                q.append(np.asarray(link.start))
                v.append(np.asarray(link.rate))
                node_of.append(np.full(len(own), self.node))
                first += len(own)
        return first

    def number_rotations(
        self, iq: int, iv: int, n_linear: int, q: list[FloatArray], v: list[FloatArray],
        node_of: list[IntArray],
    ) -> tuple[int, int]:  # fmt: skip
        """Rotations by quaternion from iq and iv on; appends their start, and returns the next places."""
        idle = []
        for i, link in enumerate(self.tree.links):
            if not link.joint.ball:
                continue
            own = self.own(i)
            free = isinstance(link.joint, Free)
            shift = np.zeros(0) if free else np.zeros(3)
            q.append(np.concatenate((shift, link.start)))
            v.append(np.concatenate((shift, link.rate)))
            node_of.append(np.full(6, self.node))
            if free:
                self.dof[own[:3]], self.qi[own[:3]] = iv + np.arange(3), iq + np.arange(3)
            else:
                idle += [iv, iv + 1, iv + 2]
            self.dof[own[-3:]], self.qi[own[-3:]] = iv + np.arange(3, 6), iq + 3
            self.rot[own[-3:]] = (iv - n_linear) // 6
            iq, iv = iq + 7, iv + 6
        self.idle = np.array(idle, dtype=np.int64)
        return iq, iv

    def path(self, link: int) -> IntArray:
        """The columns on the way from the base to a link."""
        way = []
        c = int(self.columns.behind[link])
        while c >= 0:
            way.append(c)
            c = int(self.columns.parent[c])
        return np.array(way[::-1], dtype=np.int64)

    def related(self) -> FloatArray:
        """(n_c, n_c): one where two columns are on one way, so that they can be coupled."""
        n = len(self.columns.kind)
        found = np.eye(n)
        for c in range(n):
            m = int(self.columns.parent[c])
            while m >= 0:
                found[c, m] = found[m, c] = 1.0
                m = int(self.columns.parent[m])
        return found

    @property
    def in_q(self) -> IntArray:
        """Places in q of all coordinates of the joints, link by link; of rotations the four of the quaternion."""
        places = [self.qi[:0]]
        for i, link in enumerate(self.tree.links):
            own = self.qi[self.own(i)]
            places.append(own if not link.joint.ball else np.concatenate((own[:-3], own[-1] + np.arange(4))))
        return np.concatenate(places)

    def describe(self, dof: int) -> str | None:
        """An entry of v in words, if it is of this tree."""
        found = np.flatnonzero(self.dof == dof)
        if len(found):
            c = int(found[0])
            link = self.tree.links[int(self.columns.joint[c])]
            own = self.own(int(self.columns.joint[c]))
            return f"{link.joint.names[int(np.flatnonzero(own == c)[0])]} of joint {link.name!r} of {self.tree}"
        return f"idle translation of {self.tree}" if dof in self.idle else None

    @property
    def displacements(self) -> IntArray:
        """Places in v of displacements."""
        moving = (self.columns.kind == SCREW) & ~np.any(self.columns.screw[:, 3:], axis=1)
        return np.asarray(self.dof[moving])
