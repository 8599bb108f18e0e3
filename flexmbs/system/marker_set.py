"""Numbered markers of any bodies with their tables: where everything that acts between markers gets its kinematics."""

from __future__ import annotations

from collections.abc import Container
from copy import copy
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, MarkerWork, State
from flexmbs.core.identity import IdentityMap
from flexmbs.core.rotations import IDENTITY
from flexmbs.core.sparsity import Blocks
from flexmbs.kernels.markers.kind import MarkerEntry, MarkerKind

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.system.coordinates import Coordinates
    from flexmbs.system.groups import BodyGroup

__all__ = ["MarkerSet"]


def _sort(entry: MarkerEntry) -> tuple[Any, ...]:
    """What markers of one group have in common: their kind and the shapes of their columns."""
    shapes = (c.shape if isinstance(c, np.ndarray) else np.shape(c) for c in entry.columns.values())
    return entry.kind, len(entry.dofs), len(entry.pdofs), *shapes


class MarkerSet:
    """Markers of a model, compiled.

    Attributes
    ----------
    markers : tuple of Marker
    ptr : (n_m + 1,) int array
        Rows of marker i in ``JT`` are ``ptr[i]`` to ``ptr[i + 1]``.
    dof : (n_r,) int array
        Coordinate of each row.
    groups : list of (MarkerKind, group)
    blocks : list of Blocks
        Of the pullback stiffness.
    size : int
        End of these blocks in the common buffer.
    """

    def __init__(self, coordinates: Coordinates, markers: list[Marker], points: Container[Marker], b1: int) -> None:
        self.coordinates, self.markers = coordinates, tuple(markers)
        self.number = IdentityMap.numbers(markers)
        entries = self._entries(points)
        counts = [len(entries[i].dofs) if i in entries else 0 for i in range(len(markers))]
        self.ptr = np.array([0, *accumulate(counts)], dtype=np.int64)
        self.dof = np.concatenate([np.zeros(0, dtype=np.int64), *(entries[i].dofs for i in sorted(entries))])
        self._complete(entries)
        self.groups: list[tuple[MarkerKind, Any]] = []
        self.blocks: list[Blocks] = []
        self._fixed = [(i, *m.pose0()) for i, m in enumerate(markers) if i not in entries]
        alike: dict[tuple[Any, ...], list[int]] = {}
        for i in sorted(entries):
            alike.setdefault(_sort(entries[i]), []).append(i)
        for numbers in alike.values():
            rows = [entries[i] for i in numbers]
            kind, mk = rows[0].kind, np.array(numbers, dtype=np.int64)
            pdofs = np.array([e.pdofs for e in rows], dtype=np.int64).reshape(len(rows), len(rows[0].pdofs))
            columns = {name: np.ascontiguousarray([e.columns[name] for e in rows]) for name in rows[0].columns}
            group = kind.group(
                mk=mk,
                row=self.ptr[mk],
                dofs=np.array([e.dofs for e in rows], dtype=np.int64),
                pdofs=pdofs,
                b1=b1,
                **columns,
                **rows[0].shared,
            )
            self.groups.append((kind, group))
            if pdofs.shape[1]:
                self.blocks.append(Blocks(pdofs, b1))
                b1 += len(rows) * pdofs.shape[1] ** 2
        self.size = b1

    def for_run(self) -> MarkerSet:
        """The same with all that one run writes to of its own: work arrays, and reference frames, which follow it."""
        own = copy(self)
        own.groups = []
        for kind, group in self.groups:
            names = kind.scratch if kind.rebase is None else (*kind.scratch, "R0")
            own.groups.append((kind, group._replace(**{name: getattr(group, name).copy() for name in names})))
        return own

    def work(self, r: FloatArray, B: FloatArray) -> MarkerWork:
        """Work arrays with everything in place that never changes."""
        n, n_r, n_rot = len(self.markers), len(self.dof), self.coordinates.n_rotating
        T = np.zeros((n_rot, 3, 3))
        T[:] = IDENTITY
        work = MarkerWork(
            r, B, np.zeros((n, 3)), np.zeros((n, 3, 3)), np.zeros((n, 6)), np.zeros((n, 6)),
            np.zeros((n_r, 6)), np.zeros((n_r, 6)), np.zeros((n_r, 6)), T, np.zeros((64, 12)),
        )  # fmt: skip
        for i, p, R in self._fixed:
            work.p[i], work.R[i] = p, R
        for kind, group in self.groups:
            kind.constants(group, work)
        return work

    def poses(self, work: MarkerWork, q: FloatArray, v: FloatArray, tangent: bool = False) -> MarkerWork:
        """Fill positions, orientations and twists of the markers at a state; with ``tangent`` also ``JvT``."""
        state = State(q, v, v, v)
        for kind, group in self.groups:
            (kind.place_tangent if tangent else kind.place)(group, state, Env(0.0, np.zeros(0)), work)
        return work

    def rebase(self, q: FloatArray) -> None:
        """Reference frames start from their present place, so that they can be followed round."""
        for kind, group in self.groups:
            if kind.rebase is not None:
                kind.rebase(group, q, 1.0)

    def _entries(self, points: Container[Marker]) -> dict[int, MarkerEntry]:
        """By number the entries of the markers that move."""
        found: dict[int, MarkerEntry] = {}
        for i, marker in enumerate(self.markers):
            entry = None if marker.body.is_ground else marker.entry(self.coordinates, marker in points)
            if entry is not None:
                found[i] = entry
        return found

    def _complete(self, entries: dict[int, MarkerEntry]) -> None:
        """Fill in what entries of one kind of bodies have in common."""
        owned: dict[BodyGroup, list[int]] = {}
        for i in entries:
            owned.setdefault(self.coordinates.group_of(self.markers[i].body), []).append(i)
        for group, numbers in owned.items():
            entries.update(zip(numbers, group.complete([entries[i] for i in numbers]), strict=True))
