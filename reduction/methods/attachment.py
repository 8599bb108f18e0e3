r"""Residual attachment modes: the static deformation by interface forces that kept modes leave out.

.. math:: F = G_e e_b - \sum_{j\ \mathrm{kept}} \frac{\phi_j \phi_j^T e_b}{\omega_j^2}, \qquad
          \hat F = F V, \quad \hat F^T K \hat F = 1 .

F is mass-orthogonal to the kept modes and the rigid motions. Its own energy :math:`F^T K F = F_b` is the residual
flexibility of the interface; combinations V that hold less than 1e-12 of the energy of the whole flexibility are
spanned by the modes already and left out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.eigen import EigenPairs
from flexmbs.reduction.methods.flexibility import Flexibility
from flexmbs.reduction.selection import inverse_root

__all__ = ["deformations", "interface_feel", "residual_attachment"]

SPANNED = 1e-12
"""Energy, relative to that of the whole flexibility, below which a combination is spanned by the kept modes."""


def deformations(flexibility: Flexibility, boundary: IntArray) -> FloatArray:
    """Elastic deformations G_e e_b (n, n_b) by unit forces at the interface."""
    load = np.zeros((flexibility.order, len(boundary)))
    load[boundary, np.arange(len(boundary))] = 1.0
    return flexibility.solve(load)


def residual_attachment(
    flexibility: Flexibility, modes: EigenPairs, boundary: IntArray, whole: FloatArray
) -> FloatArray:
    """Residual attachment modes (n, at most n_b) of unit energy, from the elastic deformations (n, n_b)."""
    kept = np.hstack([flexibility.rigid, modes.vectors])
    F = whole - modes.vectors @ (modes.vectors[boundary].T / modes.values[:, None])
    F -= kept @ (kept.T @ (flexibility.M @ F))
    size = np.sqrt(np.maximum(whole[boundary, np.arange(len(boundary))], 0.0))
    used = size > 0.0
    energy = F[boundary][:, used][used] / size[used] / size[used][:, None]  # F^T K F, since K F is the load
    values, V = linalg.eigh(0.5 * (energy + energy.T)) if used.any() else (np.empty(0), np.empty((0, 0)))
    new = values > SPANNED
    F = (F[:, used] / size[used]) @ (V[:, new] / np.sqrt(values[new]))
    return np.asarray(F - kept @ (kept.T @ (flexibility.M @ F)))


def interface_feel(boundary: IntArray, whole: FloatArray) -> Callable[[EigenPairs], tuple[FloatArray, FloatArray]]:
    r"""What the interface feels of free modes, for `flexmbs.reduction.selection.until_sure`.

    The flexibility of the interface is :math:`G_b = \sum_j \phi_{jb}\phi_{jb}^T / \omega_j^2`, so that the rows
    :math:`\hat c_j = \phi_{jb}^T G_b^{-1/2} / \omega_j` have :math:`\sum_j \hat c_j^T \hat c_j = 1`. With residual
    attachment modes a left-out mode errs by :math:`\hat c_j^T \hat c_j\, x/(1-x)`, :math:`x = \omega^2/\omega_j^2`,
    as a fixed-interface mode does in the dynamic stiffness.
    """
    whiten = inverse_root(whole[boundary])

    def feel(pairs: EigenPairs) -> tuple[FloatArray, FloatArray]:
        at_interface = pairs.vectors[boundary].T / np.sqrt(pairs.values)[:, None]
        return np.zeros((len(pairs.values), 0)), at_interface @ whiten

    return feel
