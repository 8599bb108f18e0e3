r"""Contacts whose pairs are searched: whether the search still holds, and the product of their blocks with a vector.

The blocks of candidates lie in a buffer of their own. What a contact does on the coordinates of one of its markers goes
into a block of that marker in the common buffer, and so into the matrix P that is factorised; the rest couples two
bodies, and is multiplied block by block:

.. math:: A = P + C, \qquad C = \sum_{pairs} \begin{bmatrix} 0 & B_{12} \\ B_{21} & 0 \end{bmatrix}.

Pairs that are open add nothing, so that neither P nor C depends on which of them are candidates.
"""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.kernels.contacts import ContactGroup

__all__ = ["coupling_product", "split_blocks", "used_up"]


@kernel
def used_up(p: FloatArray, markers: IntArray, start: FloatArray, slack: FloatArray) -> bool:
    """Whether a shape, whose marker is at ``p``, has moved from its place (n, 3) by more than its slack (n,)."""
    for i in range(markers.shape[0]):
        square = 0.0
        for axis in range(3):
            d = p[markers[i], axis] - start[i, axis]
            square += d * d
        if not square <= slack[i] * slack[i]:
            return True
    return False


@kernel
def split_blocks(group: ContactGroup, own: FloatArray, diagonal: IntArray, B: FloatArray, live: IntArray) -> int:
    """Blocks ``own`` of the candidates on one marker alone into ``B``; numbers of those that couple into ``live``.

    ``diagonal (n_m,)``: where the block of a marker lies in B. Returns how many couple.
    """
    mptr = group.mptr
    for i in range(diagonal.shape[0]):
        if diagonal[i] >= 0:
            n = mptr[i + 1] - mptr[i]
            B[diagonal[i] : diagonal[i] + n * n] = 0.0
    found = 0
    for c in range(group.mA.shape[0]):
        i, k, o, N = group.mA[c], group.mB[c], group.off[c], group.order[c]
        acts = False
        for entry in range(o, o + N * N):
            if own[entry] != 0.0:
                acts = True
                break
        if not acts:
            continue
        nA = mptr[i + 1] - mptr[i]
        nB = mptr[k + 1] - mptr[k]
        for a in range(nA):
            for b in range(nA):
                B[diagonal[i] + a * nA + b] += own[o + a * N + b]
        for a in range(nB):
            for b in range(nB):
                B[diagonal[k] + a * nB + b] += own[o + (nA + a) * N + nA + b]
        if nA > 0 and nB > 0:
            live[found] = c
            found += 1
    return found


@kernel
def _add_part(
    own: FloatArray, first: int, apart: int, n: int, m: int, x: FloatArray, y: FloatArray
) -> None:  # fmt: skip
    """y += P x with the part P (n, m) of a block whose rows are ``apart``; columns in pairs."""
    even = m - m % 2
    for a in range(n):
        o = first + a * apart
        s0 = s1 = 0.0
        for b in range(0, even, 2):
            s0 += own[o + b] * x[b]
            s1 += own[o + b + 1] * x[b + 1]
        if even < m:
            s0 += own[o + even] * x[even]
        y[a] += s0 + s1


@kernel
def coupling_product(
    group: ContactGroup, own: FloatArray, live: IntArray, n_live: int, place: IntArray, x: FloatArray, y: FloatArray,
    work: FloatArray,
) -> None:  # fmt: skip
    """y = C x on the unknowns; ``place (n_r,)``: unknown of each coordinate of the markers, -1 if it is held.

    ``work (2, n_r)``: x and y by the coordinates of the markers, so that no entry of a block asks for its place.
    """
    mptr = group.mptr
    n_r = place.shape[0]
    for u in range(n_r):
        work[0, u] = x[place[u]] if place[u] >= 0 else 0.0
        work[1, u] = 0.0
    for at in range(n_live):
        c = live[at]
        a0, b0, o, N = mptr[group.mA[c]], mptr[group.mB[c]], group.off[c], group.order[c]
        nA = mptr[group.mA[c] + 1] - a0
        _add_part(own, o + nA, N, nA, N - nA, work[0, b0:], work[1, a0:])
        _add_part(own, o + nA * N, N, N - nA, nA, work[0, a0:], work[1, b0:])
    y[:] = 0.0
    for u in range(n_r):
        if place[u] >= 0:
            y[place[u]] += work[1, u]
