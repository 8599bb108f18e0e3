"""The motion of one part at key frames: poses, targets and weights as a file in single precision holds them."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.linear.stresses import largest_at_nodes, von_mises
from flexmbs.visualization.morphs import MorphBasis, needed_modes
from flexmbs.visualization.moving_part import MovingPart, fitted, placed, poses
from flexmbs.visualization.poses import States, slerp

__all__ = ["Track"]

MOST_LEVELS = 1 << 23
"""Stresses of a part that are kept for colours, at most; of larger parts every second key frame has them, or fewer."""


class Track:
    """Collects key frames of a part; `finish` makes of them what a file holds.

    Parameters
    ----------
    part : MovingPart
    count : int
        Number of key frames.
    tolerance : float
        Share of the largest displacement by which the shape may be off.
    floor : float
        Distance that is always allowed [length].

    Attributes
    ----------
    poses : (n_f, 10) array
    base : (n, 3) array
        Of parts whose shape is not linear in their coordinates the shape at the first key frame.
    targets, weights : (m, n, 3) and (n_f, m) arrays
    levels : (n_l, n) array of uint8, optional
        Von Mises stress at every ``stride``-th key frame: 0 where there is none, 1 to 255 from zero to ``peak``.
    fits : (n_f, 7) array
        Of a shape that is not linear the rigid motion from the base that is closest; none where supports hold it.
    rigid : bool
        Whether that is most of its largest displacement.
    largest : float
        Largest displacement from the base [length].
    """

    def __init__(self, part: MovingPart, count: int, tolerance: float, floor: float) -> None:
        self.part, self._tolerance, self._floor = part, tolerance, floor
        self.poses = np.zeros((count, 10))
        self.base = part.faces.points.astype(np.float32).astype(np.float64)
        self.targets, self.weights = np.zeros((0, *self.base.shape)), np.zeros((count, 0))
        self.levels: np.ndarray | None = None
        self.largest = self.peak = 0.0
        self.fits, self.rigid = np.tile([0.0, 0, 0, 1, 0, 0, 0], (count, 1)), False
        self._morph = MorphBasis(tolerance, floor) if part.shape is not None else None
        n, modal = len(self.base), part.modal
        self._eta = np.zeros((count, 0 if modal is None else len(modal.first)))
        self.stride = max(1, -(-count * n // MOST_LEVELS))
        self._stress: list[FloatArray] = []

    def add(self, first: int, states: States) -> None:
        """Key frames from the number ``first`` on."""
        rows = slice(first, first + len(states.t))
        if self.part.place is not None:
            self.poses[rows] = self.part.place(states)
        if self._morph is not None:
            shape = self.part.local(states)
            if first == 0:
                self.base = shape[0].astype(np.float32).astype(np.float64)
            self._morph.add(shape - self.base)
            if not self.part.held:
                self._fit(rows, shape)
            self.largest = self._morph.largest
        modal = self.part.modal
        if modal is None:
            return
        self._eta[rows] = states.q[:, modal.first]
        moved = self.part.local(states) - self.part.faces.points
        self.largest = max(self.largest, float(np.linalg.norm(moved, axis=2).max(initial=0.0)))
        if modal.stress is not None:
            chosen = (np.arange(first, first + len(states.t)) % self.stride) == 0
            values = np.einsum("scm,tm->tsc", modal.stress, self._eta[rows][chosen])
            try:
                size = von_mises(values, modal.names)
            except ModelError:  # stress resultants, which have none
                return
            self._stress.append(largest_at_nodes(modal.stressed, size, len(self.base)).astype(np.float32))

    def _fit(self, rows: slice, shape: FloatArray) -> None:
        """The rigid motion from the base, and whether it is most of the displacement where that is largest so far."""
        self.fits[rows] = fitted(self.base, shape)
        moved = np.linalg.norm(shape - self.base, axis=2).max(axis=1)
        k = int(np.argmax(moved))
        if moved[k] >= self.largest:
            still = placed(self.base[None], poses(self.fits[rows][k : k + 1, :3], self.fits[rows][k : k + 1, 3:]))
            self.rigid = bool(np.linalg.norm(shape[k] - still[0], axis=1).max() < 0.5 * moved[k])
            self.largest = float(moved[k])

    def finish(self) -> None:
        """Find targets and weights, and round everything to single precision."""
        if self._morph is not None:
            self.targets, self.weights = self._morph.targets()
        elif self.part.modal is not None:
            shapes = self.part.modal.shapes
            allowed = max(self._floor, self._tolerance * self.largest)
            kept = needed_modes(shapes, self._eta, allowed)
            self.targets, self.weights = np.moveaxis(shapes[:, :, kept], 2, 0), self._eta[:, kept]
        if self._stress:
            values = np.concatenate(self._stress)
            self._stress = []
            self.peak = float(np.nanmax(values)) if np.isfinite(values).any() else 0.0
            scaled = np.rint(1.0 + 254.0 * values / (self.peak or 1.0))
            self.levels = np.where(np.isfinite(scaled), scaled, 0.0).astype(np.uint8)
        if self.part.place is not None:
            turns = self.poses[:, 3:7]
            # neighbours on the same half of the sphere, so that viewers which do not look take the shorter way, too
            flips = np.cumprod(np.where((turns[1:] * turns[:-1]).sum(axis=1) < 0.0, -1.0, 1.0))
            turns[1:] *= flips[:, None]
        for name in ("poses", "targets", "weights"):
            setattr(self, name, getattr(self, name).astype(np.float32).astype(np.float64))

    def played(self, frames: FloatArray) -> FloatArray:
        """Points (n, n_p, 3) that a viewer shows at ``frames (n,)``, 1.5 being half way from key frame 1 to 2."""
        low = np.minimum(frames.astype(np.int64), max(len(self.poses) - 2, 0))
        share = frames - low
        high = np.minimum(low + 1, len(self.poses) - 1)
        weights = self.weights[low] + share[:, None] * (self.weights[high] - self.weights[low])
        points = self.base + (weights @ self.targets.reshape(-1, self.base.size)).reshape(len(low), -1, 3)
        if self.part.place is None:
            return np.asarray(points)
        pose = self.poses[low] + share[:, None] * (self.poses[high] - self.poses[low])
        pose[:, 3:7] = slerp(self.poses[low, 3:7], self.poses[high, 3:7], share)
        return placed(points, pose)
