r"""Balanced truncation of second-order systems: the shapes that forces reach with most energy and outputs see best.

With inputs and outputs at the same unknowns and symmetric operators, the Gramian of positions
:math:`P_p = \int h B B^T h\,dt` (h the impulse response) also gives the energy that an initial velocity leaves in the
output, :math:`Q_v = M P_p M`. Position-velocity balancing therefore needs one Gramian and one projection:

.. math:: P_p = Z_p Z_p^T, \qquad Z_p^T M Z_p = U S U^T, \qquad T = Z_p U_1 S_1^{-1/2}, \quad T^T M T = 1,

with the position-velocity values S. Reduced operators stay symmetric and definite, so the reduced model is passive and
stable.

**What is known of the error.** The Hankel values :math:`\sigma_j` of the first-order system, here
:math:`|\lambda(Z^T L Z)|`, :math:`L = [[D, M], [M, 0]]`, bound the error of *any* model with r coordinates from below:
:math:`\max_\omega \|H - H_r\| \ge \sigma_{2r+1}`. Balanced truncation in first-order form has an error of at most
:math:`2 \sum_{j > 2r} \sigma_j`, but gives up the structure. For this projection **no upper bound is known**; measured
errors are in the documentation.

Source: T. Reis, T. Stykel, Balanced truncation model reduction of second-order systems, Math. Comput. Model. Dyn.
Syst. 14 (2008) 391-406; Y. Chahlaoui, D. Lemonnier, A. Vandendorpe, P. Van Dooren, Second-order balanced truncation,
Linear Algebra Appl. 415 (2006) 373-384; two steps: M. Lehner, P. Eberhard, Multibody Syst. Dyn. 17 (2007) 191-212.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from flexmbs.core.checks import as_array, as_count, as_flag, as_number
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.eigen import EigenPairs
from flexmbs.core.errors import ModelError
from flexmbs.reduction.basis import Basis
from flexmbs.reduction.border import as_labels, as_operator
from flexmbs.reduction.interface_coordinates import interface_first
from flexmbs.reduction.methods.attachment import deformations
from flexmbs.reduction.methods.craig_bampton import Report, as_boundary
from flexmbs.reduction.methods.flexibility import Flexibility, rigid_or_found
from flexmbs.reduction.methods.gramian import gramian, modal_shifts
from flexmbs.reduction.methods.orthonormal import orthonormal

__all__ = ["Balanced", "balanced_truncation"]

COUPLED = 1e-8
"""Damping force of a rigid motion that deforms, relative to the forces that cancel in it."""


class Balanced(NamedTuple):
    """A balanced basis and what is known of its error.

    ``basis``; ``values (k,)``, all position-velocity values, descending; ``hankel (2 k,)``, the Hankel values of the
    elastic motion, descending; ``lower_bound``, which no model of as many coordinates can beat; ``tail``, twice the
    sum of the Hankel values beyond them, which bounds unstructured balanced truncation only.
    """

    basis: Basis
    values: FloatArray
    hankel: FloatArray
    lower_bound: float
    tail: float


class System(NamedTuple):
    """Operators and inputs of the structure, or of it within the space of a start."""

    K: Any
    M: Any
    D: Any
    B: FloatArray


def balanced_truncation(
    K: Any,
    M: Any,
    D: Any,
    boundary: IntArray,
    size: int | None = None,
    tolerance: float = 1e-4,
    rigid: FloatArray | None = None,
    start: Basis | None = None,
    interface: bool = False,
    inputs: FloatArray | None = None,
    shifts: int = 40,
    accuracy: float = 1e-8,
    labels: Any = None,
    progress: Report | None = None,
) -> Balanced:
    r"""Position-velocity balanced truncation with inputs and outputs at the given unknowns.

    Parameters
    ----------
    K, M, D : sparse matrices (n, n)
        Stiffness, mass and damping, symmetric. D must damp all elastic motions and not couple them to rigid ones, as
        :math:`\alpha M + \beta K` does.
    boundary : (n_b,) array of int
        Unknowns of inputs and outputs.
    size : int, optional
        Elastic coordinates; by default as many as ``tolerance`` needs.
    tolerance : float
        Sum of the position-velocity values that are left out, relative to the sum of all.
    rigid : (n, r) array, optional
        Rigid motions, which are kept as columns of their own; looked for if not given. Shape (n, 0) for a held
        structure.
    start : Basis, optional
        Shapes of an earlier reduction, by `krylov` say, within which the Gramian is computed: the way for large
        structures, since no complex factorisation of their own order is needed.
    interface : bool
        Whether the coordinates are displacements of the boundary and modes with it held; adds the static shapes.
    inputs : (n_b, k) array, optional
        Combinations of forces that count, one per column; outputs are the displacements that they work on. By default
        each force for itself, which compares forces with moments by their numbers: scale them where units differ, by
        the static flexibility say.
    shifts : int
        Modes whose eigenvalues serve as shifts, if there is no ``start``.
    accuracy : float
        Of the Gramian: its iteration ends when steps add less than this part.
    labels : sequence of str, optional
        Names of the interface coordinates.
    progress : callable, optional
        Called with the fraction done and a text.

    Raises
    ------
    ModelError
        If operators are not symmetric, D is missing, couples rigid motions or does not damp, the boundary is empty,
        repeated or out of range, or ``size`` is greater than the rank of the Gramian.
    ConvergenceError
        If the Gramian does not converge.
    SingularError
        If the structure can move in other ways than the rigid motions.

    Examples
    --------
    >>> from scipy.sparse import csc_matrix, identity
    >>> chain = csc_matrix([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    >>> small = balanced_truncation(chain, identity(3, format="csc"), 0.02 * chain, [2], size=1)
    >>> small.basis.vectors.shape, bool(small.lower_bound < small.hankel[0])
    ((3, 1), True)
    """
    owner = "balanced_truncation"
    K = as_operator(owner, "K", K)
    n = K.shape[0]
    M = as_operator(owner, "M", M, n)
    if D is None:
        raise ModelError(f"{owner}: D is missing; Gramians are finite with damping only. Give D = alpha M + beta K.")
    D = as_operator(owner, "D", D, n)
    boundary = as_boundary(boundary, n)
    names = as_labels(owner, labels, len(boundary))
    size = None if size is None else as_count(owner, "size", size, minimum=1)
    tolerance = as_number(owner, "tolerance", tolerance, above=0.0, below=1.0)
    accuracy = as_number(owner, "accuracy", accuracy, above=0.0, below=1.0)
    interface = as_flag(owner, "interface", interface)
    say = progress or (lambda fraction, text: None)
    began = time.perf_counter()
    say(0.02, "rigid motions")
    R = rigid_or_found(owner, K, M, rigid)
    _refuse_coupling(owner, M, D, R)
    flexibility = None if start is not None and not interface else Flexibility(K, M, R)
    pairs = _modes(K, M, R, start, flexibility, as_count(owner, "shifts", shifts, minimum=1))
    found = time.perf_counter()
    say(0.2, "Gramian")
    weights = np.eye(len(boundary)) if inputs is None else as_array(owner, "inputs", inputs, (len(boundary), None))
    B = -M @ (R @ (R[boundary].T @ weights))
    B[boundary] += weights
    damping = pairs.vectors.T @ (D @ pairs.vectors)
    at_input = pairs.vectors.T @ B
    poles = modal_shifts(pairs.values, _checked(damping.diagonal(), pairs.values), (at_input**2).sum(axis=1))
    system = System(K, M, D, B)
    if start is not None:
        K_s, M_s, D_s = (sparse.csc_matrix(A) for A in (np.diag(pairs.values), np.eye(len(pairs.values)), damping))
        system = System(K_s, M_s, D_s, at_input)
    Zp, Zv, steps, _ = gramian(
        *system,
        poles,
        accuracy,
        each=lambda step: say(0.2 + 0.7 * min(1.0, step / len(poles)), f"Gramian, step {step + 1}"),
    )
    mass = Zp.T @ (system.M @ Zp)
    values, U = linalg.eigh(0.5 * (mass + mass.T))
    values, U = values[::-1], U[:, ::-1]
    rank = int((values > 1e-14 * values[0]).sum())
    if size is None:
        left = values[:rank].sum() - np.cumsum(values[:rank])
        size = int(np.argmax(left <= tolerance * values[:rank].sum())) + 1
    if size > rank:
        raise ModelError(f"{owner}: {size} shapes were asked for, but forces at the boundary reach only {rank}.")
    T = Zp @ (U[:, :size] / np.sqrt(values[:size]))
    T = T if start is None else pairs.vectors @ T
    T = T - R @ (R.T @ (M @ T))
    # to round-off orthonormal already; by Cholesky, so that the order of the shapes stays
    T = linalg.solve_triangular(np.linalg.cholesky(T.T @ (M @ T)), T.T, lower=True).T
    mixed = Zp.T @ (system.M @ Zv)
    hankel = np.sort(np.abs(linalg.eigvalsh(Zp.T @ (system.D @ Zp) + mixed + mixed.T)))[::-1]
    vectors, frequencies = np.hstack([R, T]), np.full(R.shape[1] + size, np.nan)
    own = tuple(f"rigid motion {i + 1}" for i in range(R.shape[1]))
    if interface:
        assert flexibility is not None  # noqa: S101  # made above for this
        static = orthonormal(M, deformations(flexibility, boundary), vectors)
        vectors, frequencies = interface_first(K, M, np.hstack([vectors, static]), boundary, R, owner)
        own = names
    say(1.0, "basis done")
    basis = Basis(
        vectors,
        (*own, *(f"balanced shape {i + 1}" for i in range(vectors.shape[1] - len(own)))),
        len(boundary) if interface else 0,
        frequencies,
        "balanced truncation" + ("" if start is None else f" after {start.method}"),
        {"size": size, "rigid motions": R.shape[1]},
        {"modes [s]": found - began, "Gramian [s]": time.perf_counter() - found, "ADI steps": steps},
    )
    beyond = hankel[2 * size :]
    return Balanced(basis, values[:rank], hankel, float(beyond[:1].sum()), 2.0 * float(beyond.sum()))


def _refuse_coupling(owner: str, M: Any, D: Any, R: FloatArray) -> None:
    """Complain where damping couples rigid with elastic motions."""
    if R.shape[1]:
        force = D @ R
        rest = force - (M @ R) @ (R.T @ force)
        if np.abs(rest).max() > COUPLED * (abs(D) @ np.abs(R)).max():
            raise ModelError(f"{owner}: D couples rigid motions with deformation; balanced truncation splits them.")


def _modes(
    K: Any, M: Any, R: FloatArray, start: Basis | None, flexibility: Flexibility | None, shifts: int
) -> EigenPairs:
    """Elastic modes: of the structure, as many as there are shifts, or all of those within the start."""
    if start is None:
        assert flexibility is not None  # noqa: S101  # made by the caller
        return flexibility.modes(min(shifts, flexibility.mode_count))
    if start.vectors.shape[0] != K.shape[0]:
        raise ModelError(f"balanced_truncation: start has {len(start.vectors)} rows for {K.shape[0]} unknowns.")
    V = orthonormal(M, start.vectors, R)
    stiffness = V.T @ (K @ V)
    squares, Y = linalg.eigh(0.5 * (stiffness + stiffness.T))
    return EigenPairs(squares, V @ Y, np.zeros(len(squares)))


def _checked(damping: FloatArray, squares: FloatArray) -> FloatArray:
    """Damping of modes, all of it positive."""
    if not (damping > 0.0).all():
        raise ModelError(
            f"balanced_truncation: D does not damp the elastic mode of {np.sqrt(squares[np.argmin(damping)]):.6g} "
            f"rad/time; its Gramian is infinite."
        )
    return damping
