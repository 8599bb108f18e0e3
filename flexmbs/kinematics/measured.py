"""Coordinates of joints and poses of markers at a state, with their derivatives by all velocities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.kernels.rows.rows import row_gradient
from flexmbs.model.bodies.marker import Marker
from flexmbs.model.joints.contracts import Row
from flexmbs.system.coordinates import Coordinates
from flexmbs.system.marker_set import MarkerSet

__all__ = ["MeasuredMarkers", "MeasuredRows", "Poses"]


class Poses(NamedTuple):
    """Poses of k markers and their derivatives.

    Positions (k, 3), orientations (k, 3, 3), twists (k, 6), and J (k, 6, n_v): velocities of the points in inertial
    axes, angular velocities in the axes of the markers.
    """

    p: FloatArray
    R: FloatArray
    twist: FloatArray
    J: FloatArray


class MeasuredMarkers:
    """Markers of a model, apart from those that its joints and forces use."""

    def __init__(self, coordinates: Coordinates, markers: Sequence[Marker]) -> None:
        self.n_v = coordinates.n_v
        self._set = MarkerSet(coordinates, list(markers), set(), 0)
        self._work = self._set.work(np.zeros(self.n_v), np.zeros(self._set.size))

    def at(self, q: FloatArray, v: FloatArray) -> Poses:
        """Everything at a state."""
        work, found = self._set.poses(self._work, q, v), self._set
        J = np.zeros((len(found.markers), 6, self.n_v))
        for i in range(len(found.markers)):
            part = slice(found.ptr[i], found.ptr[i + 1])
            np.add.at(J[i].T, found.dof[part], work.JT[part])  # a coordinate may stand there twice
        found.rebase(q)
        return Poses(work.p.copy(), work.R.copy(), work.twist.copy(), J)


class MeasuredRows:
    """Rows between two markers each; angles are counted on from their last values."""

    def __init__(self, coordinates: Coordinates, rows: Sequence[tuple[Marker, Marker, Row]]) -> None:
        self._markers = MeasuredMarkers(coordinates, [m for a, b, _ in rows for m in (a, b)])
        self.rows = [row for _, _, row in rows]
        self.near = np.zeros(len(rows))

    def at(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Values (k,), rates (k,) and gradients (k, n_v), each with the factor of its row."""
        poses = self._markers.at(q, v)
        value, gradient = np.zeros(len(self.rows)), np.zeros((len(self.rows), poses.J.shape[2]))
        g, c = np.zeros((1, 12)), np.zeros((1, 12))
        for j, row in enumerate(self.rows):
            c[:] = 0.0
            c[0, : len(row.constants)] = row.constants
            a, b = 2 * j, 2 * j + 1
            value[j] = row.factor * row_gradient(row.kind, 0, c, self.near[j : j + 1], a, b, poses.p, poses.R, g, 0)
            gradient[j] = row.factor * (g[0, :6] @ poses.J[a] + g[0, 6:] @ poses.J[b])
            self.near[j] = value[j] / row.factor
        return value, gradient @ v, gradient
