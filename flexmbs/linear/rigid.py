r"""Rigid motions that supports leave free, as combinations of the six motions of the geometry.

A motion :math:`v(x) = t + w \times x` is free if it vanishes at all held unknowns and the stiffness answers with no
force beyond round-off.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.linear.operators import Operators

__all__ = ["describe_motion", "free_motions", "scaled_motions", "smooth_fields", "unstressed_motions"]

ROUND_OFF = 1e-11
"""Force of a rigid motion, relative to the forces that cancel in it, that is no more than round-off."""

AXES = ("x", "y", "z")


def free_motions(operators: Operators, held: IntArray, K: Any = None, tolerance: float = ROUND_OFF) -> FloatArray:
    """Combinations (6, r) of rigid motions about the mean of the points that are free; translations come first.

    Parameters
    ----------
    operators : Operators
    held : (n_h,) array of int
        Unknowns that do not move.
    K : sparse matrix (n, n), optional
        The stiffness; that of the operators by default.
    tolerance : float
        Largest force of a free motion relative to the forces that cancel in it.
    """
    K = operators.K if K is None else K
    R = scaled_motions(operators)
    if not np.abs(R).max(initial=0.0) > 0.0:
        return np.empty((6, 0))
    lengths = _lengths(operators)
    moved = lengths * R
    at_rest = linalg.null_space(_small(moved[held]), rcond=1e-9) if len(held) else np.eye(6)
    if not at_rest.shape[1]:
        return np.empty((6, 0))
    V = R @ at_rest
    cancelling = (abs(K) @ np.abs(V) / lengths).max(initial=0.0)
    left = (K @ V) / lengths / (cancelling if cancelling > 0.0 else 1.0)
    _, size, turn = np.linalg.svd(_small(left))
    # a motion that moves no unknown (about the line of all points) is none
    chosen = at_rest @ turn.T[:, size <= tolerance * np.sqrt(len(R))]
    chosen = chosen @ _moving(moved @ chosen)
    return _echelon(chosen)


def unstressed_motions(operators: Operators, motions: FloatArray, G: Any, tolerance: float = 1e-9) -> FloatArray:
    """Those combinations of free motions (6, r) that the stress stiffness G does not resist, nor push on."""
    V, lengths = scaled_motions(operators) @ motions, _lengths(operators)
    cancelling = float((abs(G) @ np.abs(V) / lengths).max(initial=0.0))
    if not cancelling or not motions.shape[1]:
        return motions
    _, size, turn = np.linalg.svd(_small((G @ V) / lengths / cancelling))
    return _echelon(motions @ turn.T[:, size <= tolerance * np.sqrt(len(V))])


def _small(A: FloatArray) -> FloatArray:
    """A square matrix with the singular values and right vectors of a tall one (n, m)."""
    m = A.shape[1]
    tall = np.vstack([A, np.zeros((max(m - len(A), 0), m))])
    return np.asarray(np.linalg.qr(tall, mode="r"), dtype=float)


def scaled_motions(operators: Operators) -> FloatArray:
    """Rigid motions (n, 6) about the mean of the points, rotations multiplied with the size of the structure."""
    centre, size = centre_and_size(operators)
    R = operators.rigid_motions(centre)
    R[:, 3:] /= size
    return R


def _lengths(operators: Operators) -> FloatArray:
    """What makes unknowns (n, 1) displacements, and divides moments to forces: the size of the structure for rotations.

    Without it turns of a node would count as one over the size, in nanometres 1e9 times a displacement.
    """
    turns = (operators.dofs.node >= 0) & (operators.dofs.component >= 3)
    return np.asarray(np.where(turns, centre_and_size(operators)[1], 1.0)[:, None])


def centre_and_size(operators: Operators) -> tuple[FloatArray, float]:
    """Mean of the points that have unknowns, and the largest distance from it."""
    used = np.unique(operators.dofs.node[operators.dofs.node >= 0])
    points = operators.points[used]
    centre = points.mean(axis=0) if len(points) else np.zeros(3)
    size = float(np.linalg.norm(points - centre, axis=1).max(initial=0.0))
    return centre, size if size > 0.0 else 1.0


def describe_motion(operators: Operators, motion: FloatArray) -> str:
    """A combination (6,) of `free_motions` in words."""
    centre, size = centre_and_size(operators)
    t, w = motion[:3], motion[3:] / size
    if np.linalg.norm(w) * size <= 1e-6 * np.linalg.norm(t):
        return f"moves along {_direction(t)}"
    foot = centre + np.cross(w, t) / (w @ w)
    foot[np.abs(foot) < 1e-9 * size] = 0.0
    along = t @ w / np.linalg.norm(w)
    text = f"turns about {_direction(w)} through ({', '.join(f'{x:.4g}' for x in foot)})"
    return text + (f" and moves along it, {along / np.linalg.norm(w):.4g} per rad" if abs(along) > 1e-6 else "")


def _direction(v: FloatArray) -> str:
    v = v / np.linalg.norm(v)
    main = int(np.argmax(np.abs(v)))
    return AXES[main] if abs(v[main]) > 1.0 - 1e-9 else f"({', '.join(f'{x:.4g}' for x in v * np.sign(v[main]))})"


def _moving(V: FloatArray) -> FloatArray:
    """The combinations (r, s) of columns that are not zero."""
    if not V.shape[1]:
        return np.empty((0, 0))
    _, size, turn = np.linalg.svd(_small(V))
    return turn.T[:, size > 1e-9 * size[0]] if size[0] > 0 else np.empty((V.shape[1], 0))


def _echelon(C: FloatArray) -> FloatArray:
    """The same space (6, r) with a basis along the axes where that is possible, translations first."""
    rows = C.T.copy()
    order = [3, 4, 5, 0, 1, 2]  # rotations are eliminated first, so that what is left are translations
    done = 0
    for column in order:
        if done == len(rows):
            break
        best = done + int(np.argmax(np.abs(rows[done:, column])))
        if abs(rows[best, column]) < 1e-8:
            continue
        rows[[done, best]] = rows[[best, done]]
        rows[done] /= rows[done, column]
        for other in range(len(rows)):
            if other != done:
                rows[other] -= rows[other, column] * rows[done]
        done += 1
    rows[np.abs(rows) < 1e-12] = 0.0
    turning = np.abs(rows[:, 3:]).max(axis=1, initial=0.0) > 0
    return np.ascontiguousarray(np.vstack([rows[~turning], rows[turning]]).T)


def smooth_fields(operators: Operators, turn: float = 0.5) -> FloatArray:
    """The rigid motions and all quadratic displacement fields (n, 30), as trial shapes of the lowest modes.

    Rotations of nodes are ``turn`` times the curl of the field: a half as in solids and membranes, one for deflections
    of beams and plates, whose normals follow the slope.
    """
    centre, size = centre_and_size(operators)
    dofs = operators.dofs
    x = np.zeros((operators.n, 3))
    held = dofs.node >= 0
    x[held] = (operators.points[dofs.node[held]] - centre) / size
    monomials = [
        (0, 0, 0),
        (1, 0, 0),
        (0, 1, 0),
        (0, 0, 1),
        (2, 0, 0),
        (0, 2, 0),
        (0, 0, 2),
        (1, 1, 0),
        (0, 1, 1),
        (1, 0, 1),
    ]
    out = np.zeros((operators.n, 3 * len(monomials)))
    for i, powers in enumerate(monomials):
        p = np.array(powers)
        value = (x**p).prod(axis=1)
        slopes = [p[a] * (x ** np.maximum(p - np.eye(3, dtype=int)[a], 0)).prod(axis=1) / size for a in range(3)]
        for component in range(3):
            column = out[:, 3 * i + component]
            column[held & (dofs.component == component)] = value[held & (dofs.component == component)]
            # curl of e_c g: the derivatives of g along the two other axes
            b, c = (component + 1) % 3, (component + 2) % 3
            for axis, slope in ((b, slopes[c]), (c, -slopes[b])):
                rows = held & (dofs.component == 3 + axis)
                column[rows] = turn * slope[rows]
    return out
