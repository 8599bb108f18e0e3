r"""Modal truncation: the lowest modes of a structure as it is, with static correction if wanted.

.. math:: u = R\,\rho + \sum_j \phi_j \eta_j \;(+\; F g), \qquad K\phi_j = \omega_j^2 M\phi_j, \quad
          \phi_i^T M \phi_j = \delta_{ij} .

Rigid motions R are columns of their own, exact. The static correction adds what the kept modes leave out of the static
response to forces at given unknowns: the mode acceleration method as a projection. The columns are combined so that
:math:`K_r` and :math:`M_r` are diagonal.

Source: D. Williams, Displacements of a linear elastic system under a given transient load, The Aeronautical Quarterly 1
(1949) 123-136; R. R. Craig, A. J. Kurdila, Fundamentals of Structural Dynamics, 2nd ed. (2006), section 11.2.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from scipy import linalg

from flexmbs.core.checks import as_array, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.eigen import EigenPairs
from flexmbs.core.errors import ModelError
from flexmbs.reduction.basis import Basis
from flexmbs.reduction.border import as_operator
from flexmbs.reduction.methods.attachment import deformations, interface_feel, residual_attachment
from flexmbs.reduction.methods.craig_bampton import Report, as_boundary
from flexmbs.reduction.methods.flexibility import Flexibility, rigid_or_found
from flexmbs.reduction.selection import ModeSelection, TransferFunction, as_selection, until_sure

__all__ = ["modal_truncation"]


def modal_truncation(
    K: Any,
    M: Any,
    modes: ModeSelection | int = 20,
    corrected: IntArray | None = None,
    rigid: FloatArray | None = None,
    base: FloatArray | None = None,
    progress: Report | None = None,
) -> Basis:
    """Rigid motions, the lowest elastic modes, and static corrections for forces at some unknowns.

    Parameters
    ----------
    K, M : sparse matrices (n, n)
        Stiffness and mass, symmetric.
    modes : int or ModeSelection
        How many elastic modes, or which. `EffectiveMass` needs ``base``, `TransferFunction` needs ``corrected``.
    corrected : (n_b,) array of int, optional
        Unknowns whose forces get their exact static response.
    rigid : (n, r) array, optional
        Rigid motions; looked for if not given, which costs another factorisation. Shape (n, 0) for a held structure.
    base : (n, r_b) array, optional
        Rigid motions of the base that holds the structure, for effective masses.
    progress : callable, optional
        Called with the fraction done and a text.

    Returns
    -------
    Basis
        Rigid motions, modes, corrections; none is an interface coordinate.

    Raises
    ------
    ModelError
        If operators are not symmetric, unknowns are repeated or out of range, a column of ``rigid`` strains the
        structure, or there are fewer modes than asked for.
    SingularError
        If the structure can move in other ways than the rigid motions.

    Examples
    --------
    >>> from scipy.sparse import csc_matrix, identity
    >>> chain = csc_matrix([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    >>> basis = modal_truncation(chain, identity(3, format="csc"), 1)
    >>> basis.labels, basis.frequencies.round(12).tolist()
    (('rigid motion 1', 'mode 1'), [0.0, 1.0])
    """
    owner = "modal_truncation"
    K = as_operator(owner, "K", K)
    n = K.shape[0]
    M = as_operator(owner, "M", M, n)
    rule = as_selection(modes)
    if isinstance(rule, TransferFunction) and corrected is None:
        raise ModelError(f"{owner}: {rule} counts on static corrections; give corrected=.")
    loaded = np.empty(0, dtype=np.int64) if corrected is None else as_boundary(corrected, n)
    moved = np.zeros((n, 0)) if base is None else as_array(owner, "base", base, (n, None))
    say = progress or (lambda fraction, text: None)
    began = time.perf_counter()
    say(0.02, "rigid motions")
    R = rigid_or_found(owner, K, M, rigid)
    say(0.1, "factorising the stiffness")
    flexibility = Flexibility(K, M, R)
    factored = time.perf_counter()
    whole = deformations(flexibility, loaded)
    say(0.3, "modes")
    pairs = until_sure(rule, flexibility.modes, flexibility.mode_count, _feel(M, moved, loaded, whole))
    found = time.perf_counter()
    F = _uncoupled(K, M, residual_attachment(flexibility, pairs, loaded, whole))
    r, k, c = R.shape[1], len(pairs.values), F.shape[1]
    say(1.0, "basis done")
    return Basis(
        np.hstack([R, pairs.vectors, F]),
        (
            *(f"rigid motion {i + 1}" for i in range(r)),
            *(f"mode {i + 1}" for i in range(k)),
            *(f"static correction {i + 1}" for i in range(c)),
        ),
        0,
        np.concatenate([np.zeros(r), np.sqrt(pairs.values), np.full(c, np.nan)]),
        "modal truncation",
        {"modes": show(modes), "corrected": show(corrected)},
        {
            "factorisation [s]": factored - began,
            "modes [s]": found - factored,
            "solves": flexibility.solves,
            "largest residual of a mode": float(pairs.residuals.max(initial=0.0)),
        },
    )


def _feel(M: Any, base: FloatArray, loaded: IntArray, whole: FloatArray) -> Any:
    """What selections ask about modes: effective masses for motions of the base, coupling to the loaded unknowns."""
    inertia = M @ base
    total = np.einsum("ij,ij->j", base, inertia)
    scale = np.where(total > 0.0, 1.0 / np.sqrt(np.where(total > 0.0, total, 1.0)), 0.0)
    at_loads = interface_feel(loaded, whole)

    def feel(pairs: EigenPairs) -> tuple[FloatArray, FloatArray]:
        return (pairs.vectors.T @ inertia) * scale, at_loads(pairs)[1]

    return feel


def _uncoupled(K: Any, M: Any, F: FloatArray) -> FloatArray:
    """The same space with diagonal stiffness and mass, of unit energy."""
    if not F.shape[1]:
        return F
    stiffness, mass = F.T @ (K @ F), F.T @ (M @ F)
    return np.asarray(F @ linalg.eigh(0.5 * (mass + mass.T), 0.5 * (stiffness + stiffness.T))[1][:, ::-1])
