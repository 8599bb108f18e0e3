"""Where the coordinates of a tree lie in the vectors of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.kernels.trees.group import SCREW
from flexmbs.model.trees.columns import columns_of
from flexmbs.model.trees.flexible_link import FlexibleLink
from flexmbs.model.trees.joints import Free, TreeJoint

if TYPE_CHECKING:
    from flexmbs.model.trees.tree import Tree

__all__ = ["TreePlaces"]


class TreePlaces:
    """Numbers the coordinates of one tree.

    Columns of screws are coordinates of a vector space; a rotation by quaternion is numbered as a rigid body is, 7 in
    q and 6 in v, of which the translation is that of a free root, or idle. Screws before a rotation (those of a
    prismatic-spherical joint) are of the vector space, but for a free root.

    Attributes
    ----------
    tree : Tree
    columns : Columns
    dof, qi, rot, place : (n_c,) int array
        As in `flexmbs.kernels.trees.group.TreeGroup`.
    unknowns : int array
        Places in v in the order of the block of the tree: of joints, then of shapes, which several columns share.
    eta : dict
        By link the places of its shapes.
    idle : int array
        Places in v of translations that never move.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.columns = columns_of(tree)
        n = len(self.columns.kind)
        self.dof, self.qi, self.rot = (np.full(n, -1, dtype=np.int64) for _ in range(3))
        self.idle = np.zeros(0, dtype=np.int64)
        self.eta: dict[int, IntArray] = {}

    def own(self, link: int) -> IntArray:
        """Numbers of the columns of the joint of a link."""
        return np.flatnonzero((self.columns.joint == link) & (self.columns.shape < 0))

    def start_of_columns(self) -> tuple[FloatArray, FloatArray]:
        """Coordinates of vector spaces at the start and their rates: of joints, then shapes, link by link."""
        q, v = [np.zeros(0)], [np.zeros(0)]
        for link in self.tree.links:
            k = _in_vector_space(link.joint)
            q.append(np.asarray(link.start[:k]))
            v.append(np.asarray(link.rate[:k]))
            if isinstance(link, FlexibleLink):
                q.append(link.deformation)
                v.append(link.deformation_rate)
        return np.concatenate(q), np.concatenate(v)

    def start_of_rotations(self) -> tuple[FloatArray, FloatArray]:
        """Translations and quaternions at the start, 7 in q each, and their rates, 6 in v."""
        q, v = [np.zeros(0)], [np.zeros(0)]
        for link in self.tree.links:
            if link.joint.ball:
                k = _in_vector_space(link.joint)
                shift = np.zeros(0) if isinstance(link.joint, Free) else np.zeros(3)
                q.append(np.concatenate((shift, link.start[k:])))
                v.append(np.concatenate((shift, link.rate[k:])))
        return np.concatenate(q), np.concatenate(v)

    def number(self, first: int, iq: int, iv: int, n_linear: int) -> None:
        """Columns of vector spaces from ``first`` on, rotations by quaternion from ``iq`` and ``iv`` on."""
        idle = []
        for i, link in enumerate(self.tree.links):
            own = self.own(i)
            plain = own[: _in_vector_space(link.joint)]
            self.dof[plain] = self.qi[plain] = first + np.arange(len(plain))
            first += len(plain)
            if link.joint.ball:
                if isinstance(link.joint, Free):
                    self.dof[own[:3]], self.qi[own[:3]] = iv + np.arange(3), iq + np.arange(3)
                else:
                    idle += [iv, iv + 1, iv + 2]
                self.dof[own[-3:]], self.qi[own[-3:]] = iv + np.arange(3, 6), iq + 3
                self.rot[own[-3:]] = (iv - n_linear) // 6
                iq, iv = iq + 7, iv + 6
            if isinstance(link, FlexibleLink):
                self.eta[i] = first + np.arange(link.modes)
                mine = (self.columns.joint == i) & (self.columns.shape >= 0)
                self.dof[mine] = self.qi[mine] = first + self.columns.shape[mine]
                first += link.modes
        self.idle = np.array(idle, dtype=np.int64)

    @property
    def unknowns(self) -> IntArray:
        """See above; complete when all is numbered."""
        joints = self.dof[self.columns.shape < 0]
        return np.concatenate([joints, *self.eta.values()]).astype(np.int64)

    @property
    def place(self) -> IntArray:
        """See above."""
        at = {int(k): i for i, k in enumerate(self.unknowns)}
        return np.array([at[int(k)] for k in self.dof], dtype=np.int64)

    def path(self, link: int, interface: str | None = None) -> IntArray:
        """The columns on the way from the base to a link, or to an interface of it."""
        way = []
        c = int(self.columns.behind[link] if interface is None else self.columns.outlets[link, interface])
        while c >= 0:
            way.append(c)
            c = int(self.columns.parent[c])
        return np.array(way[::-1], dtype=np.int64)

    def related(self) -> FloatArray:
        """(n, n) in the order of ``unknowns``: one where two can be coupled, as they move one link."""
        found, place = np.eye(len(self.unknowns)), self.place
        at = {int(k): i for i, k in enumerate(self.unknowns)}
        for c in range(len(place)):
            way = [place[c]]
            m = int(self.columns.parent[c])
            while m >= 0:
                way.append(place[m])
                m = int(self.columns.parent[m])
            found[place[c], way] = found[way, place[c]] = 1.0
        for link, eta in self.eta.items():
            own = np.array([at[int(k)] for k in eta], dtype=np.int64)
            moving = np.concatenate((own, place[self.path(link)]))
            found[np.ix_(own, moving)] = found[np.ix_(moving, own)] = 1.0
        return found

    @property
    def in_q(self) -> IntArray:
        """Places in q of all coordinates of the joints, link by link, the shapes of each link behind its joint."""
        places = [self.qi[:0]]
        for i in range(len(self.tree.links)):
            places += [self.joint_in_q(i), self.eta.get(i, self.qi[:0])]
        return np.concatenate(places)

    def joint_in_q(self, link: int) -> IntArray:
        """Places in q of the coordinates of the joint of a link; of a rotation the four of the quaternion."""
        own = self.qi[self.own(link)]
        return np.concatenate((own[:-3], own[-1] + np.arange(4))) if self.tree.links[link].joint.ball else own

    def describe(self, dof: int) -> str | None:
        """An entry of v in words, if it is of this tree."""
        for i, eta in self.eta.items():
            if dof in eta:
                return f"shape {dof - eta[0] + 1} of {self.tree.links[i]} of {self.tree}"
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
        moving = (self.columns.kind == SCREW) & (self.columns.shape < 0) & ~np.any(self.columns.screw[:, 3:], axis=1)
        return np.asarray(self.dof[moving])


def _in_vector_space(joint: TreeJoint) -> int:
    """Number of columns of a joint, its first ones, that are coordinates of the vector space."""
    return 0 if isinstance(joint, Free) else len(joint.screws)
