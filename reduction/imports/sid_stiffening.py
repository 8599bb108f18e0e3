r"""Geometric stiffening in Standard Input Data: second-order fields from the objects that hold them.

With the fields :math:`\phi^{(2)}_{ik}` of `flexmbs.reduction.stiffening`, their moments :math:`N_{ab,ik} = \int r_a
\phi^{(2)}_{b,ik}\,dm`, and :math:`R_{ab,ik} = \int \phi_{a,i}\phi_{b,k}\,dm`, a file holds

- in Ct of order 1 :math:`\int\phi^{(2)}_{ik}\,dm`,
- in Cr of order 1, its part symmetric in i and k, the antisymmetric part of N in a and b,
- in Oe of order 1 the symmetric part of :math:`R + N`,
- in phi and psi of order 1 the fields at nodes.

The sum in Oe is all that the centrifugal forces, and the inertia tensor to second order, depend on. Its trace is that
of N and Me, so that the trace of N is known; the rest of the sum is shared out as if the fields shrank the body evenly,
:math:`N_{ab} \sim \int r_a r_b\,dm`, as the foreshortening of a slender body is. Another share would change terms of
third order in the kinetic energy only.

How the fields change when the body turns in its frame, which other frames need, a file does not say: the frame of the
file must be the reference of a floating body.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ReadError
from flexmbs.reduction.imports.sid_file import SidFile
from flexmbs.reduction.stiffening import Stiffening, node_name

__all__ = ["has_stiffening", "moments_of_second_order", "stiffening_of_file"]

SYMMETRIC = 1e-3
"""Relative, of what should vanish, as files with few digits hold it."""


def has_stiffening(file: SidFile) -> bool:
    """Whether a file has geometric stiffening: order 1 in Ct, or a symmetric part of Cr of order 1."""
    Cr = file.objects["Cr"].m1
    return bool(
        np.any(file.objects["Ct"].m1)
        or np.abs(Cr + Cr.swapaxes(0, 1)).max(initial=0.0) > 2.0 * SYMMETRIC * np.abs(Cr).max(initial=0.0)
    )


def moments_of_second_order(
    owner: str, file: SidFile, sums: FloatArray, Me: FloatArray, second: FloatArray
) -> FloatArray:
    """Integrals (4, 3, n, n) of (1, r)_a phi2_b over the mass.

    Parameters
    ----------
    owner : str
        For messages.
    file : SidFile
    sums : (3, 3, n, n) array
        Symmetric part of R + N, from Oe.
    Me : (n, n) array
    second : (3, 3) array
        Integral of r r^T.

    Raises
    ------
    ReadError
        If an object that it takes is missing or not symmetric in the modes.
    """
    if not file.objects["Cr"].order:
        raise ReadError(f"{owner}: Ct has order 1, but Cr has not: the geometric stiffening is not complete.")
    Ct, Cr = file.objects["Ct"].m1, file.objects["Cr"].m1
    moments = np.zeros((4, 3, file.n, file.n))
    moments[0] = np.moveaxis(_even(owner, "Ct", Ct), 2, 0)
    trace = np.einsum("aaik->ik", sums) - Me
    moments[1:] = np.multiply.outer(second / np.trace(second), 0.5 * (trace + trace.T))
    turned = 0.5 * np.moveaxis(0.5 * (Cr + Cr.swapaxes(0, 1)), 2, 0)
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        moments[1 + a, b] += turned[c]
        moments[1 + b, a] -= turned[c]
    return moments


def stiffening_of_file(owner: str, file: SidFile, moments: FloatArray) -> Stiffening:
    """The fields in the frame of the file, of the six motions of the frame (none) and the modes, and at its nodes.

    Parameters
    ----------
    owner : str
        For messages.
    file : SidFile
    moments : (4, 3, n, n) array
        Of the modes.
    """
    n = file.n
    whole = np.zeros((4, 3, 6 + n, 6 + n))
    whole[:, :, 6:, 6:] = moments
    names, values = ["frame"], [np.zeros((6, 6 + n, 6 + n))]
    for k, (label, found) in enumerate(file.nodes):
        if not np.any(found["phi"].m1):
            continue
        value = np.zeros((6, 6 + n, 6 + n))
        value[:3, 6:, 6:] = np.moveaxis(_even(owner, f"phi of node {label}", np.moveaxis(found["phi"].m1, 0, 2)), 2, 0)
        if "psi" in found and np.any(found["psi"].m1):
            turns = _even(owner, f"psi of node {label}", np.moveaxis(found["psi"].m1, 0, 2))
            value[3:, 6:, 6:] = np.moveaxis(turns, 2, 0)
        names.append(node_name(k))
        values.append(value)
    return Stiffening(whole, tuple(names), np.array(values), "frame")


def _even(owner: str, what: str, A: FloatArray) -> FloatArray:
    """(n, n, any), symmetric in the modes."""
    if A.shape[0] != A.shape[1] or np.abs(A - A.swapaxes(0, 1)).max() > SYMMETRIC * np.abs(A).max():
        raise ReadError(f"{owner}: {what} of order 1 is not symmetric in the modes.")
    return np.asarray(0.5 * (A + A.swapaxes(0, 1)))
