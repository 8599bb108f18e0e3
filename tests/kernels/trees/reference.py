"""A second implementation of trees, in numpy, for complex numbers: all as dense sums, nothing by recursion.

It follows the classical route: exponentials of screws give frames, columns of the Jacobian are the screws as they lie
in space, accelerations come from Lie brackets of these, and every link adds J^T (its Newton-Euler equations). Arrays
carry a batch of perturbations in front, so that a whole Jacobian by complex step is one call.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from flexmbs import trees

STEP = 1e-30


class Motion(NamedTuple):
    """Of each link: Jacobian at the inertial origin (B, 6, n), acceleration there (B, 6), velocity, frame and place."""

    J: list[np.ndarray]
    A: list[np.ndarray]
    V: list[np.ndarray]
    R: list[np.ndarray]
    p: list[np.ndarray]


def tilde(x):
    z = np.zeros_like(x[..., 0])
    rows = [[z, -x[..., 2], x[..., 1]], [x[..., 2], z, -x[..., 0]], [-x[..., 1], x[..., 0], z]]
    return np.stack([np.stack(row, -1) for row in rows], -2)


def cross_motion(a, b):
    """(v, w) x (s_v, s_w), batched."""
    v, w, s, t = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    return np.concatenate((np.cross(w, s) + np.cross(v, t), np.cross(w, t)), -1)


def screw_exponential(s, x):
    """Frames (B, 3, 3) and places (B, 3) of exp(s x), by the exponential series of angle x in closed form."""
    v, w = s[:3], s[3:]
    W = tilde(w)
    if not w.any():
        return np.broadcast_to(np.eye(3), (len(x), 3, 3)), x[:, None] * v
    sine, cosine = np.sin(x)[:, None, None], np.cos(x)[:, None, None]
    E = np.eye(3) + sine * W + (1 - cosine) * W @ W
    G = x[:, None, None] * np.eye(3) + (1 - cosine) * W + (x[:, None, None] - sine) * W @ W
    return E, G @ v


def ball_matrix(q):
    return Rotation.from_quat(q, scalar_first=True).as_matrix()


def at_origin(R, p, s):
    """A screw (velocity of the point p, angular velocity), in the axes R, as it lies in space."""
    w = R @ s[3:]
    return np.concatenate((R @ s[:3] - np.cross(w, p), w), -1)


def motion(tree: trees.Tree, d, v, a) -> Motion:
    """At the start of the tree moved by d (B, n); v, a (B, n)."""
    B, n = d.shape
    none = np.zeros((B, 6), dtype=complex)
    out = Motion([], [], [], [], [])
    k = 0
    for link, parent in zip(tree.links, tree.parents, strict=True):
        if parent < 0:
            J, A, V = np.zeros((B, 6, n), dtype=complex), none, none
            R = np.broadcast_to(tree.rotation, (B, 3, 3)).astype(complex)
            p = np.broadcast_to(tree.position, (B, 3)).astype(complex)
        else:
            J, A, V, R, p = (x[parent] for x in out)
        J = J.copy()
        p, R = p + R @ link.at, R @ link.rotation
        for i, s in enumerate(link.joint.screws):
            S = at_origin(R, p, s)
            J[:, :, k] = S
            A = A + S * a[:, k, None] + cross_motion(V, S) * v[:, k, None]
            V = V + S * v[:, k, None]
            E, t = screw_exponential(s, link.start[i] + d[:, k])
            p, R = p + np.einsum("bij,bj->bi", R, t), R @ E
            k += 1
        if link.joint.ball:
            K = tilde(d[:, k : k + 3])
            R = R @ ball_matrix(link.start[len(link.joint.screws) :]) @ (np.eye(3) + K + 0.5 * K @ K)
            before = V
            for i in range(3):
                S = at_origin(R, p, np.eye(6)[3 + i])
                J[:, :, k + i] = S
                A = A + S * a[:, k + i, None] + cross_motion(before, S) * v[:, k + i, None]
                V = V + S * v[:, k + i, None]
            k += 3
        for kept, value in zip(out, (J, A, V, R, p), strict=True):
            kept.append(value)
    return out


def inverse(tree: trees.Tree, d, v, a, gravity=(0, 0, 0), wrenches=None):
    """Forces of the joints (B, n), as the sum of J^T (Newton-Euler) about the centre of mass of every link."""
    m = motion(tree, d, v, a)
    tau = np.zeros(d.shape, dtype=complex)
    for i, link in enumerate(tree.links):
        J, A, V, R, p = (x[i] for x in m)
        c = p + R @ link.centre
        w = V[:, 3:]
        velocity = V[:, :3] + np.cross(w, c)
        second = A[:, :3] + np.cross(A[:, 3:], c) + np.cross(w, velocity)  # of the particle at c
        inertia = R @ link.inertia @ np.swapaxes(R, 1, 2)
        force = link.mass * (second - np.asarray(gravity))
        spin = np.einsum("bij,bj->bi", inertia, w)
        moment = np.einsum("bij,bj->bi", inertia, A[:, 3:]) + np.cross(w, spin)
        if wrenches is not None:
            force = force - wrenches[i, :3]
            moment = moment - wrenches[i, 3:] - np.cross(p - c, wrenches[i, :3])
        J_c = J[:, :3] - tilde(c) @ J[:, 3:]
        tau += np.einsum("bij,bi->bj", J_c, force) + np.einsum("bij,bi->bj", J[:, 3:], moment)
    return tau


def mass(tree: trees.Tree, d):
    """Mass matrices (B, n, n)."""
    B, n = d.shape
    zero = np.zeros((B, n))
    m = motion(tree, d, zero, zero)
    M = np.zeros((B, n, n), dtype=complex)
    for link, J, R, p in zip(tree.links, m.J, m.R, m.p, strict=True):
        J_c = J[:, :3] - tilde(p + R @ link.centre) @ J[:, 3:]
        M += link.mass * np.swapaxes(J_c, 1, 2) @ J_c
        M += np.swapaxes(J[:, 3:], 1, 2) @ (R @ link.inertia @ np.swapaxes(R, 1, 2)) @ J[:, 3:]
    return M


def potential(tree: trees.Tree, d, gravity):
    """Of the links that move (B,)."""
    zero = np.zeros(d.shape)
    m = motion(tree, d, zero, zero)
    links = zip(tree.links, m.J, m.R, m.p, strict=True)
    places = [link.mass * (p + R @ link.centre) for link, J, R, p in links if J.any()]
    return -np.sum(places, 0) @ np.asarray(gravity)


def along(function, directions):
    """Derivatives of function(d (B, n)) along rows of directions, by complex step."""
    return function(1j * STEP * np.atleast_2d(directions)).imag / STEP
