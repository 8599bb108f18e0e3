"""Assembling and factorising a symmetric matrix of small blocks in a given order of its block columns.

Block (i, k) with i >= k in the order of elimination lies in ``E`` at ``offset[n]``, row by row, for the entry n of its
column: the entries of column k are ``column[k]`` to ``column[k + 1]``, the diagonal block first; ``row[n]`` is i.
"""

from __future__ import annotations

import math

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel

__all__ = ["add_products", "factorise_blocks", "over_masses", "solve_blocks"]


@kernel
def over_masses(
    rows: IntArray, widths: IntArray, at: IntArray, mass_at: IntArray, share: FloatArray, W: FloatArray, G: FloatArray,
    H: FloatArray,
) -> None:  # fmt: skip
    """H = G W / share for all blocks of G, with the inverse masses W of their bodies at ``mass_at``."""
    for n in range(rows.shape[0]):
        width, o = widths[n], mass_at[n]
        for a in range(rows[n]):
            x = at[n] + a * width
            for c in range(width):
                total = 0.0
                for b in range(width):
                    total += G[x + b] * W[o + b * width + c]
                H[x + c] = total / share[n]


@kernel
def add_products(
    first: IntArray, second: IntArray, target: IntArray, rows: IntArray, widths: IntArray, at: IntArray, G: FloatArray,
    H: FloatArray, E: FloatArray,
) -> None:  # fmt: skip
    """E[target] += H_first G_second^T for pairs of blocks of G that belong to one body; ``at``: where they lie."""
    for n in range(first.shape[0]):
        i, k = first[n], second[n]
        p, q, width = rows[i], rows[k], widths[i]
        for a in range(p):
            x = at[i] + a * width
            for b in range(q):
                y = at[k] + b * width
                total = 0.0
                for c in range(width):
                    total += H[x + c] * G[y + c]
                E[target[n] + a * q + b] += total


@kernel
def factorise_blocks(
    column: IntArray, row: IntArray, offset: IntArray, size: IntArray, start: IntArray, update: IntArray,
    least: FloatArray, E: FloatArray,
) -> int:  # fmt: skip
    """E = L L^T in place; returns the first column with a pivot that is not above ``least``, or -1.

    ``update`` lists the targets of the products of blocks in a column, in their order.
    """
    u = 0
    for k in range(size.shape[0]):
        n0, n1, m = column[k], column[k + 1], size[k]
        d = offset[n0]
        for i in range(m):
            for j in range(i + 1):
                total = E[d + i * m + j]
                for c in range(j):
                    total -= E[d + i * m + c] * E[d + j * m + c]
                if i == j:
                    if not total > least[start[k] + i]:
                        return k
                    E[d + i * m + i] = math.sqrt(total)
                else:
                    E[d + i * m + j] = total / E[d + j * m + j]
        for n in range(n0 + 1, n1):
            o, p = offset[n], size[row[n]]
            for i in range(p):
                for j in range(m):
                    total = E[o + i * m + j]
                    for c in range(j):
                        total -= E[o + i * m + c] * E[d + j * m + c]
                    E[o + i * m + j] = total / E[d + j * m + j]
        for n in range(n0 + 1, n1):
            o, p = offset[n], size[row[n]]
            for other in range(n0 + 1, n + 1):
                x, q, t = offset[other], size[row[other]], update[u]
                u += 1
                for i in range(p):
                    for j in range(q):
                        total = 0.0
                        for c in range(m):
                            total += E[o + i * m + c] * E[x + j * m + c]
                        E[t + i * q + j] -= total
    return -1


@kernel
def solve_blocks(
    column: IntArray, row: IntArray, offset: IntArray, size: IntArray, start: IntArray, E: FloatArray, x: FloatArray
) -> None:
    """x <- (L L^T)^-1 x, with the unknowns of block k from ``start[k]`` on."""
    for k in range(size.shape[0]):
        m, s, d = size[k], start[k], offset[column[k]]
        for i in range(m):
            total = x[s + i]
            for c in range(i):
                total -= E[d + i * m + c] * x[s + c]
            x[s + i] = total / E[d + i * m + i]
        for n in range(column[k] + 1, column[k + 1]):
            o, p, t = offset[n], size[row[n]], start[row[n]]
            for i in range(p):
                for c in range(m):
                    x[t + i] -= E[o + i * m + c] * x[s + c]
    for k in range(size.shape[0] - 1, -1, -1):
        m, s, d = size[k], start[k], offset[column[k]]
        for n in range(column[k] + 1, column[k + 1]):
            o, p, t = offset[n], size[row[n]], start[row[n]]
            for i in range(p):
                for c in range(m):
                    x[s + c] -= E[o + i * m + c] * x[t + i]
        for i in range(m - 1, -1, -1):
            total = x[s + i]
            for c in range(i + 1, m):
                total -= E[d + c * m + i] * x[s + c]
            x[s + i] = total / E[d + i * m + i]
