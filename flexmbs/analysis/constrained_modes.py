r"""Natural modes of models that can move, about an equilibrium or a steady spin.

On the directions that the constraints allow, :math:`\delta q = N z` with G N = 0:

.. math:: N^T M N \ddot z + N^T D N \dot z + N^T K N z = 0

at rest; a steady spin adds that N turns with it (`flexmbs.analysis.operating_point.transport`). Without damping and
gyroscopic terms this is the symmetric problem :math:`(K - \omega^2 M) z = 0`; otherwise, and with
first-order states x, the roots s of the first-order equations of (z, dz/dt, x). Above 1 500 unknowns the sparse
matrices with the constraints beside them are factorised, and the roots nearest to zero found by Arnoldi's method.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, eig, eigh
from scipy.sparse import block_array, csc_array, diags_array, eye_array
from scipy.sparse.linalg import ArpackError, LinearOperator, eigs, eigsh, splu

from flexmbs.analysis.minimal import DENSE, dependent_first, orthonormal_basis, partitioned_basis
from flexmbs.analysis.operating_point import (
    OperatingPoint,
    Transport,
    check_steady,
    is_moving,
    operating_point,
    transport,
)
from flexmbs.core.checks import as_count, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ConvergenceError, ModelError
from flexmbs.linearisation import ConstrainedLinearisation
from flexmbs.results.modal import ModalSolution, OperatingState

__all__ = ["solve_constrained_modes"]

GROWING = 1e-6
"""Real part of a root, relative to the largest root, above which it is not round-off."""
SYMMETRIC = 1e-9
"""Asymmetry of the projected stiffness, relative to its largest entry, that is round-off."""


def solve_constrained_modes(model: object, modes: int | None) -> ModalSolution:
    """What `flexmbs.solve_modal` calls for models that can move, which see."""
    point = operating_point("solve_modal", model)
    n = len(point.lin.free)
    if n <= DENSE:
        check_steady(point)
        roots, Z, V, conservative = _dense(point)
    else:
        check_steady(point)
        if is_moving(point):
            raise ModelError(f"solve_modal: about a motion it goes up to {DENSE} unknowns; this model has {n}.")
        roots, Z, V, conservative = _sparse(point, 10 if modes is None else modes)
    if not len(roots):
        raise ModelError(f"Model {point.dyn.system.model.name!r}: the joints leave nothing that can vibrate.")
    wanted = min(10, len(roots)) if modes is None else as_count("solve_modal", "modes", modes, minimum=1)
    if wanted > len(roots):
        raise ModelError(
            f"solve_modal: {show(modes)} modes of a model with {len(roots)} (one of each conjugate pair); ask for "
            f"fewer."
        )
    order = np.argsort(np.where(roots.real > GROWING * np.abs(roots).max(), -1.0, 1.0) * np.abs(roots))[:wanted]
    growing = int((roots.real > GROWING * max(float(np.abs(roots).max()), 1e-300)).sum())
    if growing:
        what = f"{growing} modes grow" if growing > 1 else "1 mode grows"
        warnings.warn(
            f"Model {point.dyn.system.model.name!r}: {what}: the state is not a stable equilibrium.",
            RuntimeWarning,
            stacklevel=3,
        )
    roots, E = roots[order], point.lin.directions
    state = point.state
    return ModalSolution(
        system=point.dyn.system, state=OperatingState(state.q, state.v, state.lam, state.t), roots=roots,
        vectors=E @ Z[:, order], state_vectors=E @ V[:, order], conservative=conservative,
    )  # fmt: skip


def _basis(point: OperatingPoint) -> tuple[FloatArray, Transport]:
    """Directions that the constraints allow, and how they turn with a motion."""
    lin = point.lin
    still = np.flatnonzero(~lin.states)
    inner, pseudo, independent = partitioned_basis(lin.G.toarray()[:, still], dependent_first(point.dyn, lin)[still])
    N, P = np.zeros((len(lin.free), inner.shape[1])), np.zeros((len(lin.free), point.dyn.n_c))
    N[still], P[still] = inner, pseudo
    return N, transport(point, N, P, still[independent])


def _orthonormal(lin: ConstrainedLinearisation) -> FloatArray:
    """Orthonormal directions (n, m) that the constraints allow to what is no state."""
    still = np.flatnonzero(~lin.states)
    inner = orthonormal_basis(lin.G.toarray()[:, still])
    N = np.zeros((len(lin.free), inner.shape[1]))
    N[still] = inner
    return N


def _dense(point: OperatingPoint) -> tuple[Any, Any, Any, bool]:
    """All roots and vectors (z, rates) by LAPACK."""
    lin = point.lin
    name = point.dyn.system.model.name
    M, D, K = lin.M.toarray(), lin.D.toarray(), lin.K.toarray()
    moving = is_moving(point)
    N, along = _basis(point) if moving else (_orthonormal(lin), None)
    Mz, Kz, Dz = (N.T @ x @ N for x in (M, K, D))
    size = np.abs(Kz).max(initial=0.0)
    calm = (
        not moving
        and not lin.states.any()
        and np.abs(Dz).max(initial=0.0) <= 1e-14 * np.sqrt(max(size * np.abs(Mz).max(initial=0.0), 1e-300))
    )
    try:
        if calm and np.abs(Kz - Kz.T).max(initial=0.0) <= SYMMETRIC * size:
            values, vectors = eigh(0.5 * (Kz + Kz.T), 0.5 * (Mz + Mz.T))
            roots = np.where(values > 0.0, 1j, 1.0) * np.sqrt(np.abs(values))
            Z = N @ vectors
            return roots, Z, Z * roots, True
        A = first_order_matrix(lin, N, along)
        s, X = eig(A)
    except (LinAlgError, np.linalg.LinAlgError):
        raise ModelError(f"Model {name!r}: something that moves has no mass; give it some.") from None
    scale = np.abs(s).max(initial=0.0)
    s = np.where(np.abs(s.imag) <= 1e-10 * scale, s.real, s)
    keep = s.imag >= 0.0
    m = N.shape[1]
    E_s = np.eye(len(lin.free))[:, lin.states]
    Z, V = N @ X[:m], N @ X[m : 2 * m] + E_s @ X[2 * m :]
    if along is not None:
        V = V + along.V @ X[:m]
    return s[keep], *_unit(Z[:, keep], V[:, keep], M), False


def first_order_matrix(lin: ConstrainedLinearisation, N: FloatArray, along: Transport | None) -> FloatArray:
    """A of d/dt (z, dz/dt, x) = A (z, dz/dt, x), without inputs; ``along`` a motion."""
    n, m, n_x = len(lin.free), N.shape[1], int(lin.states.sum())
    M, D, K = lin.M.toarray(), lin.D.toarray(), lin.K.toarray()
    E_s = np.eye(n)[:, lin.states]
    Q = np.hstack((N, np.zeros((n, m + n_x))))
    V = np.hstack((np.zeros((n, m)) if along is None else along.V, N, E_s))
    S = np.zeros((n, 2 * m + n_x))
    if along is not None:
        S[:, :m], S[:, m : 2 * m] = along.A_z, along.A_w
    whole = np.hstack((N, E_s))
    rates = -np.linalg.solve(whole.T @ M @ whole, whole.T @ (K @ Q + D @ V + M @ S))
    return np.vstack((np.hstack((np.zeros((m, m)), np.eye(m), np.zeros((m, n_x)))), rates))


def _unit(Z: Any, V: Any, M: Any) -> tuple[Any, Any]:
    """Unit modal mass; modes that move nothing (states alone) keep the length one."""
    mass = np.sqrt(np.abs(np.real(np.einsum("ij,ij->j", Z.conj(), M @ Z))))
    mass = np.where(mass > 1e-12, mass, np.maximum(np.abs(V).max(axis=0, initial=1e-300), 1e-300))
    return Z / mass, V / mass


def _sparse(point: OperatingPoint, modes: int) -> tuple[Any, Any, Any, bool]:
    """Roots nearest to zero with the factors of the matrix and its constraints."""
    lin, dyn = point.lin, point.dyn
    n, n_c = len(lin.free), dyn.n_c
    if lin.states.any():
        raise ModelError(f"solve_modal: models with first-order states go up to {DENSE} unknowns; this has {n}.")
    D, K = lin.D, lin.K
    slack = diags_array(dyn.multiplier_compliance)
    ratio = np.abs(lin.K.diagonal()) / np.maximum(lin.M.diagonal(), 1e-300)
    shift = 1e-8 * float(np.median(ratio[ratio > 0.0])) if np.any(ratio > 0.0) else 1e-8
    start = np.random.default_rng(0).standard_normal(n + n_c)
    symmetric = abs(K - K.T).max() <= SYMMETRIC * abs(K).max()
    calm = D.nnz == 0 or abs(D).max() == 0.0
    try:
        if calm and symmetric:
            A = csc_array(block_array([[0.5 * (K + K.T), lin.G.T], [lin.G, -slack]]))
            B = csc_array(block_array([[lin.M, None], [None, csc_array((n_c, n_c))]]))
            lu = splu(csc_array(A + shift * B))
            inverse = LinearOperator(A.shape, matvec=lu.solve, dtype=np.float64)
            values, X = eigsh(A, k=modes, M=B, sigma=-shift, OPinv=inverse, v0=lu.solve(B @ start))
            roots = np.where(values > 0.0, 1j, 1.0) * np.sqrt(np.abs(values))
            Z = X[:n]
            Z, V = _unit(Z, Z * roots, lin.M)
            return roots, Z, V, True
        one = eye_array(n)
        A = csc_array(block_array([[None, None, one], [-K, -lin.G.T, -D], [lin.G, -slack, None]]))
        B = csc_array(block_array([[one, None, None], [None, None, lin.M], [None, csc_array((n_c, n_c)), None]]))
        sigma = float(np.sqrt(shift))
        lu = splu(csc_array(A - sigma * B))
        inverse = LinearOperator(A.shape, matvec=lambda x: lu.solve(B @ x), dtype=np.float64)
        mu, X = eigs(inverse, k=2 * modes + 2, which="LM", v0=np.concatenate((start, start[:n])))
    except (ArpackError, RuntimeError) as error:
        raise ConvergenceError(f"Model {dyn.system.model.name!r}: the modes were not found: {error}.") from None
    s = sigma + 1.0 / mu
    s = np.where(np.abs(s.imag) <= 1e-10 * np.abs(s).max(), s.real, s)
    keep = s.imag >= 0.0
    return s[keep], *_unit(X[:n, keep], X[n + n_c :, keep], lin.M), False
