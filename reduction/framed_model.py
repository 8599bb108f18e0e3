"""Reduced models from files that describe a body in a floating frame: rigid motions of the frame, and modes in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.elements.linear.contract import COMPONENTS
from flexmbs.linear.operators import DofMap
from flexmbs.reduction.inertia import InertiaInvariants
from flexmbs.reduction.interfaces import Frame
from flexmbs.reduction.model import ReducedModel
from flexmbs.reduction.stiffening import Stiffening

__all__ = ["Place", "framed_model", "with_rigid"]


class Place(NamedTuple):
    """A node: its name, place (3,), and shapes phi and psi (3, n) along the axes of the frame; psi None without any."""

    name: str
    point: FloatArray
    phi: FloatArray
    psi: FloatArray | None


def framed_model(
    name: str,
    K: FloatArray,
    D: FloatArray,
    inertia: InertiaInvariants,
    places: Sequence[Place],
    labels: Sequence[str],
    provenance: Mapping[str, str],
    stiffening: Stiffening | None = None,
) -> ReducedModel:
    """A reduced model whose first six coordinates are the motion of the frame, an interface named "frame".

    Parameters
    ----------
    name : str
    K, D : (n, n) arrays
        Stiffness and damping of the modes.
    inertia : InertiaInvariants
        Of the six rigid motions and the modes (`with_rigid`).
    places : sequence of Place
    labels : sequence of str
        Of the modes; others than n are replaced.
    provenance : mapping of str to str
    stiffening : Stiffening, optional
    """
    n, own = len(K), len(places)
    stiffness, damping = np.zeros((6 + n, 6 + n)), np.zeros((6 + n, 6 + n))
    stiffness[6:, 6:], damping[6:, 6:] = K, D
    mass = np.diag(inertia.modal_mass)[6:]
    frequencies = np.full(6 + n, np.nan)
    frequencies[6:] = np.sqrt(np.maximum(np.diag(K) / np.where(mass > 0, mass, np.nan), 0.0))
    frame = Frame("frame", "rigid", np.array([own]), np.zeros(3), np.arange(6), np.full(6, own), np.arange(6))
    modes = list(labels) if len(labels) == n else [f"mode {k + 1}" for k in range(n)]
    blocks, node, component = [np.zeros((0, 6 + n))], [], []
    sets: dict[str, list[int]] = {}
    for k, (label, x, phi, psi) in enumerate(places):
        turn = np.array([[0, x[2], -x[1]], [-x[2], 0, x[0]], [x[1], -x[0], 0]])
        blocks.append(np.hstack([np.eye(3), turn, phi]))
        node += [k] * 3
        component += [0, 1, 2]
        if psi is not None:
            blocks.append(np.hstack([np.zeros((3, 3)), np.eye(3), psi]))
            node += [k] * 3
            component += [3, 4, 5]
        sets.setdefault(label, []).append(k)
    return ReducedModel(
        name=name, K=stiffness, M=inertia.modal_mass, D=damping if damping.any() else None,
        labels=(*(f"frame {c}" for c in COMPONENTS), *modes), n_interface=6, frames=(frame,), frequencies=frequencies,
        shapes=np.vstack(blocks), dofs=DofMap(np.array(node, dtype=np.int64), np.array(component, dtype=np.int64)),
        points=np.array([*(p.point for p in places), np.zeros(3)]), inertia=inertia, node_sets=sets,
        provenance=provenance, stiffening=stiffening,
    )  # fmt: skip


def with_rigid(
    mass: float, first: FloatArray, second: FloatArray, P: FloatArray, Q: FloatArray, R: FloatArray
) -> InertiaInvariants:
    """Invariants of three translations, three rotations about the origin, and modes.

    Parameters
    ----------
    mass, first, second, P, Q, R
        Of the modes alone, as in `InertiaInvariants`.
    """
    n = P.shape[1]
    turn = np.zeros((3, 3, 3))  # component b of e_a x x is turn[b, a, c] x_c
    for b, a, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        turn[b, a, c], turn[b, c, a] = 1.0, -1.0
    P6 = np.hstack([mass * np.eye(3), np.einsum("brc,c->br", turn, first), P])
    Q6 = np.concatenate(
        [np.einsum("a,bt->abt", first, np.eye(3)), np.einsum("brc,ac->abr", turn, second), Q], axis=2
    )  # fmt: skip
    R6 = np.zeros((3, 3, 6 + n, 6 + n))
    t, r, e = slice(0, 3), slice(3, 6), slice(6, 6 + n)
    one = np.eye(3)
    R6[:, :, t, t] = mass * np.einsum("ak,bl->abkl", one, one)
    R6[:, :, t, r] = np.einsum("ak,blc,c->abkl", one, turn, first)
    R6[:, :, t, e] = np.einsum("ak,bl->abkl", one, P)
    R6[:, :, r, r] = np.einsum("akc,bld,cd->abkl", turn, turn, second)
    R6[:, :, r, e] = np.einsum("akc,cbl->abkl", turn, Q)
    R6[:, :, e, e] = R
    for x, y in ((t, r), (t, e), (r, e)):
        R6[:, :, y, x] = R6[:, :, x, y].transpose(1, 0, 3, 2)
    return InertiaInvariants(mass, first, second, P6, Q6, R6)
