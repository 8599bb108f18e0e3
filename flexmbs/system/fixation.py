"""What supports do to the coordinates: nodal frames, fixed components, prescribed values.

The position (and the slope) of a supported node is written in a nodal frame F, q = F s, chosen so that each support
fixes single components of s; these are eliminated. Supports along the axes need no frame. The frame of a slope turns
with a prescribed orientation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array, csc_array

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError, a_or_an
from flexmbs.core.history import History, value_at
from flexmbs.model.bodies.node_planes import mirrored, slopes_along_edges, tangent_planes

if TYPE_CHECKING:
    from flexmbs.model.model import Model
    from flexmbs.system.coordinates import Coordinates

__all__ = ["Fixation"]

SAME = 1e-9
"""Directions closer than this count as one, and prescribed values that differ by less of their size as equal."""


ALIGNED = 1e-14
"""Other components of a unit vector up to which it counts as one along an axis."""


class Drive(NamedTuple):
    """A prescribed motion: its owner in words and its history."""

    owner: str
    history: History


@dataclass(frozen=True, eq=False)
class Fixation:
    """Fixed coordinates and nodal frames of a model.

    ``fixed (n_fix,)``: entries of s that are fixed, at ``base + matrix @ drives``; ``frame_dofs (n_f, dim)``,
    ``frames0 (n_f, dim, dim)``: entries of q in a frame, whose axes are the columns at zero drive; a frame turns by the
    rotation vector ``drives[frame_drive] * frame_axis`` (-1: it does not).
    """

    fixed: IntArray
    base: FloatArray
    matrix: FloatArray
    frame_dofs: IntArray
    frames0: FloatArray
    frame_drive: IntArray
    frame_axis: FloatArray
    drives: tuple[Drive, ...]

    @classmethod
    def of(cls, model: Model, coordinates: Coordinates) -> Fixation:
        """Gather the supports of a model."""
        return _Gather(model, coordinates).finish()

    def drives_at(self, t: float, ramp: float) -> FloatArray:
        """The factor of each prescribed motion at t; ``ramp`` where it has no history."""
        return np.array([value_at(d.owner, d.history, t, ramp) for d in self.drives])

    def frames(self, drives: FloatArray) -> FloatArray:
        """Axes (n_f, dim, dim) of the frames."""
        turning = np.flatnonzero(self.frame_drive >= 0)
        if not len(turning):
            return self.frames0
        from scipy.spatial.transform import Rotation  # slow to import, seldom needed

        R = self.frames0.copy()
        vectors = self.frame_axis[turning] * drives[self.frame_drive[turning], None]
        dim = R.shape[1]
        R[turning] = Rotation.from_rotvec(vectors).as_matrix()[:, :dim, :dim] @ R[turning]
        return R

    def turn(self, old: FloatArray, new: FloatArray) -> float:
        """Largest angle [rad] by which a frame turns between two sets of drives."""
        turning = self.frame_drive >= 0
        if not turning.any():
            return 0.0
        by = np.abs(new - old)[self.frame_drive[turning]]
        return float((np.linalg.norm(self.frame_axis[turning], axis=1) * by).max(initial=0.0))

    def check_turn(self, model: str, q: FloatArray, R: FloatArray, most: float) -> None:
        """Refuse slopes in ``q`` that the frames ``R`` would turn by more than ``most`` [rad], or flip."""
        if not len(R):
            return
        free_axis = ~np.isin(self.frame_dofs[:, 0], self.fixed)
        slopes, axes = q[self.frame_dofs[free_axis]], R[free_axis, :, 0]
        cosine = (slopes * axes).sum(axis=1) / np.linalg.norm(slopes, axis=1)
        if len(cosine) and cosine.min() < np.cos(most):
            raise ModelError(
                f"Model {model!r}: a support turns a node by {np.arccos(np.clip(cosine.min(), -1, 1)):.3g} rad at the "
                f"start, more than {most:g}. Let a prescribed rotation grow from where the body is, for example with "
                f"history=Table((0, 1), (0, 1))."
            )

    def values(self, drives: FloatArray) -> FloatArray:
        """Values (n_fix,) of the fixed entries of s."""
        return self.base + self.matrix @ drives if len(self.drives) else self.base

    def to_frames(self, x: FloatArray, R: FloatArray) -> FloatArray:
        """F^T x: a vector over q in the nodal frames, as a copy."""
        out = x.copy()
        if len(R):
            out[self.frame_dofs] = np.einsum("fij,fi->fj", R, x[self.frame_dofs])
        return out

    def from_frames(self, s: FloatArray, R: FloatArray) -> FloatArray:
        """F s, as a copy."""
        out = s.copy()
        if len(R):
            out[self.frame_dofs] = np.einsum("fij,fj->fi", R, s[self.frame_dofs])
        return out

    def directions(self, n_v: int, free: IntArray, R: FloatArray) -> csc_array:
        """Columns: what each of the velocities ``free`` of those in the nodal frames is on all n_v velocities."""
        dofs = self.frame_dofs
        dim = dofs.shape[1]
        plain = np.setdiff1d(np.arange(n_v), dofs)
        row = np.concatenate((plain, np.repeat(dofs, dim, axis=1).ravel()))
        col = np.concatenate((plain, np.tile(dofs, (1, dim)).ravel()))
        turn = csc_array(coo_array((np.concatenate((np.ones(len(plain)), R.ravel())), (row, col)), shape=(n_v, n_v)))
        return csc_array(turn[:, free])

    def by_free(self, rows: Any, free: IntArray, R: FloatArray) -> Any:
        """Derivatives (n, n_v) by all velocities as those by the velocities ``free`` of the nodal frames."""
        return rows @ self.directions(rows.shape[1], free, R) if len(self.frame_dofs) else rows[:, free]


class _Gather:
    """Collects conditions node by node; refuses those that contradict each other."""

    def __init__(self, model: Model, coordinates: Coordinates) -> None:
        self.model, self.coordinates = model, coordinates
        self.dim = model.flexible_bodies[0].mesh.dim if model.flexible_bodies else 3
        self.drives: list[Drive] = []
        self.still: list[int] = []
        self.held: dict[tuple[int, ...], list[tuple[FloatArray, float, int, str]]] = {}
        self.oriented: dict[tuple[int, ...], tuple[FloatArray, int, str, bool]] = {}
        self.turned: dict[tuple[int, ...], tuple[FloatArray, int, int, FloatArray, str]] = {}
        self.edges: dict[tuple[int, ...], list[tuple[FloatArray, float, int, str]]] = {}
        for support in model.supports:
            for condition in support.conditions():
                owner = f"{type(support).__name__} {condition.at}"
                moving = np.any(condition.values) or np.any(condition.rotation)
                drive = -1
                if moving:
                    drive = len(self.drives)
                    self.drives.append(Drive(owner, condition.history))
                self._add(condition, owner, drive)

    def _add(self, condition, owner: str, drive: int) -> None:  # type: ignore[no-untyped-def]
        layout = condition.at.body.element.layout
        if layout.quaternion:
            self._hold(condition, owner, drive)
            return
        if condition.kind == "symmetry":
            mirrored(self.held, layout, self.coordinates, condition, owner)
            return
        if condition.kind == "orientation" and layout.surface:
            planes = tangent_planes(self.coordinates, condition.at)
            for key, axes, count in planes:
                self._hold_plane(key, axes, count, condition.rotation, drive, owner)
            if not layout.slope:
                return
        if condition.kind == "position" and layout.surface:
            for key in slopes_along_edges(self.coordinates, condition.at):
                self.edges.setdefault(key, []).extend((normal, 0.0, -1, owner) for normal in condition.normals)
        for dofs in self.coordinates.dofs(condition.at):
            if condition.kind == "position":
                key = tuple(int(i) for i in dofs[list(layout.position)])
                for normal, value in zip(condition.normals, condition.values, strict=True):
                    self.held.setdefault(key, []).append((normal, float(value), drive, owner))
            elif layout.directors:
                for part in (layout.directors[:3], layout.directors[3:]):
                    self._orient(tuple(int(i) for i in dofs[list(part)]), condition.rotation, drive, owner, True)
            elif layout.slope:
                key = tuple(int(i) for i in dofs[list(layout.slope)])
                self._orient(key, condition.rotation, drive, owner, False)
            else:
                key = tuple(int(i) for i in dofs[list(layout.rotation)])
                for axis, value in zip(np.eye(len(key)), condition.rotation, strict=True):
                    self.held.setdefault(key, []).append((axis, float(value), drive, owner))

    def _hold_plane(
        self, key: tuple[int, ...], axes: FloatArray, count: int, rotation: FloatArray, drive: int, owner: str
    ) -> None:
        """Hold the first ``count`` components of a vector along the columns of ``axes``, which a drive turns."""
        if drive < 0:
            for axis in axes.T[:count]:
                self.held.setdefault(key, []).append((axis, 0.0, -1, owner))
            return
        if key in self.turned or key in self.held:
            other = self.turned[key][4] if key in self.turned else self.held[key][0][3]
            raise ModelError(
                f"Model {self.model.name!r}: {owner} and {other} both give the orientation of a node; keep one."
            )
        self.turned[key] = (axes, count, drive, rotation, owner)

    def _hold(self, condition, owner: str, drive: int) -> None:  # type: ignore[no-untyped-def]
        """Nodes with quaternions stay where they are: components of the position, or the orientation."""
        if condition.kind == "symmetry":
            raise ModelError(
                f"Model {self.model.name!r}: {owner}: nodes of {a_or_an(condition.at.body.element.name)} have "
                f"rotations, which a plane of symmetry cannot hold; use a PlanarJoint between the ground and each "
                f"node, its axis along the normal."
            )
        if drive >= 0:
            raise ModelError(
                f"Model {self.model.name!r}: {owner}: supports do not move {condition.at.body.element.name}s; join the "
                f"place to the ground and drive the joint, with a TranslationDriver or a RotationDriver."
            )
        for dofs in self.coordinates.dofs(condition.at):
            if condition.kind == "position":
                key = tuple(int(k) for k in dofs[:3])
                self.held.setdefault(key, []).extend((normal, 0.0, -1, owner) for normal in condition.normals)
            else:
                self.still += [int(k) for k in dofs[3:] if int(k) not in self.still]

    def _orient(self, key: tuple[int, ...], rotation: FloatArray, drive: int, owner: str, whole: bool) -> None:
        """Give a slope its direction, or a director (``whole``) its direction and length."""
        if key not in self.oriented:
            self.oriented[key] = (rotation, drive, owner, whole)
        elif drive >= 0 or self.oriented[key][1] >= 0:
            raise ModelError(
                f"Model {self.model.name!r}: {owner} and {self.oriented[key][2]} both give the orientation of "
                f"a node; keep one."
            )

    def _merge(self) -> None:
        """Vectors that have a direction by one support and held components by another become held ones."""
        for key in [k for k in self.oriented if k in self.held]:
            _, drive, owner, whole = self.oriented.pop(key)
            if drive >= 0:
                raise ModelError(
                    f"Model {self.model.name!r}: {owner} and {self.held[key][0][3]} both give the orientation of a "
                    f"node; keep one."
                )
            vector = self.coordinates.reference[list(key)]
            directions = np.eye(len(key)) if whole else np.linalg.svd(vector[None])[2][1:]
            self.held[key] += [(d, 0.0, -1, owner) for d in directions]

    def finish(self) -> Fixation:
        self._merge()
        for edge, conditions in self.edges.items():
            if edge not in self.turned:  # clamps hold the whole slope along an edge
                self.held.setdefault(edge, []).extend(conditions)
        n_d, reference = len(self.drives), self.coordinates.reference
        fixed = list(self.still)  # nothing asks for the value of these
        base = [0.0] * len(fixed)
        rows = [np.zeros(n_d)] * len(fixed)
        frames: list[tuple[tuple[int, ...], FloatArray, int, FloatArray]] = []
        for key, conditions in self.held.items():
            basis, moves = self._independent(conditions, len(key))
            # of nodes with quaternions, which do not move, nothing asks for the values
            here = reference[list(key)] if key[0] < self.coordinates.n_linear else np.zeros(len(key))
            if np.all((np.abs(basis) > ALIGNED).sum(axis=1) == 1):
                sign = np.sign(basis[np.arange(len(basis)), np.abs(basis).argmax(axis=1)])
                places = np.abs(basis).argmax(axis=1)
                fixed += [key[i] for i in places]
                base += here[places].tolist()
                rows += list(moves * sign[:, None])
            else:
                full = np.vstack((basis, np.linalg.svd(basis)[2][len(basis) :]))
                frames.append((key, full.T, -1, np.zeros(3)))
                fixed += list(key[: len(basis)])
                base += (basis @ here).tolist()
                rows += list(moves)
        for key, (rotation, drive, _, whole) in self.oriented.items():
            if whole:
                if drive >= 0:
                    frames.append((key, np.eye(3), drive, rotation))
                fixed += key
                base += reference[list(key)].tolist()
                rows += [np.zeros(n_d)] * 3
                continue
            tangent = reference[list(key)] / np.linalg.norm(reference[list(key)])
            full = np.vstack((tangent, np.linalg.svd(tangent[None])[2][1:]))
            axis = np.zeros(3)
            if drive >= 0:
                axis[-len(rotation) :] = rotation
            frames.append((key, full.T, drive, axis))
            fixed += list(key[1:])
            base += [0.0] * (len(key) - 1)
            rows += [np.zeros(n_d)] * (len(key) - 1)
        for key, (axes, count, drive, rotation, _) in self.turned.items():
            frames.append((key, axes, drive, rotation))
            fixed += list(key[:count])
            base += (axes.T @ reference[list(key)])[:count].tolist()
            rows += [np.zeros(n_d)] * count
        n_f = len(frames)
        return Fixation(
            fixed=np.array(fixed, dtype=np.int64),
            base=np.array(base),
            matrix=np.array(rows).reshape(len(fixed), n_d),
            frame_dofs=np.array([f[0] for f in frames], dtype=np.int64).reshape(n_f, self.dim),
            frames0=np.array([f[1] for f in frames]).reshape(n_f, self.dim, self.dim),
            frame_drive=np.array([f[2] for f in frames], dtype=np.int64),
            frame_axis=np.array([f[3] for f in frames]).reshape(n_f, 3),
            drives=tuple(self.drives),
        )

    def _independent(
        self, conditions: list[tuple[FloatArray, float, int, str]], dim: int
    ) -> tuple[FloatArray, FloatArray]:
        """Orthonormal fixed directions and their motion per drive; repeats must agree."""
        basis, moves, owners = np.zeros((0, dim)), np.zeros((0, len(self.drives))), list[str]()
        for normal, value, drive, owner in conditions:
            move = np.zeros(len(self.drives))
            if drive >= 0:
                move[drive] = value
            part = basis @ normal
            rest = normal - part @ basis
            again = basis @ rest  # projected twice, the rest is orthogonal to round-off
            rest, part = rest - again @ basis, part + again
            rest_move = move - part @ moves
            size = float(np.linalg.norm(rest))
            if size > SAME:
                basis = np.vstack((basis, rest / size))
                moves = np.vstack((moves, rest_move / size))
                owners.append(owner)
            elif np.abs(rest_move).max(initial=0.0) > SAME * float(np.abs([move, *moves]).max(initial=0.0)):
                raise ModelError(
                    f"Model {self.model.name!r}: {owner} contradicts {owners[0]}: both prescribe the same component "
                    f"{normal.round(6).tolist()} of a node; keep one."
                )
        return basis, moves
