r"""Structure-preserving moment matching: second-order Krylov subspaces about real expansion points.

With inputs and outputs at the same unknowns, B their columns of the identity, the transfer function is
:math:`H(s) = B^T (s^2 M + s D + K)^{-1} B`. For proportional damping :math:`D = \alpha M + \beta K`

.. math:: H(s) = \frac{1}{1 + \beta s}\, G(\sigma), \qquad G(\sigma) = B^T (K + \sigma M)^{-1} B, \qquad
          \sigma = \frac{s^2 + \alpha s}{1 + \beta s},

so one basis serves all damping of this kind: the block Krylov subspace of :math:`(K + \sigma_0 M)^{-1} M` from
:math:`(K + \sigma_0 M)^{-1} B`. With j blocks at :math:`\sigma_0 = s_0^2`, projection of symmetric operators matches
the first 2 j derivatives of G there (orders 0 to 2 j - 1), and so 2 j moments of H about each s with :math:`\sigma(s)
= \sigma_0`; without damping, 4 j of them about s = 0, every second one zero. With any other damping two moments are
left at :math:`s_0 = 0`: the value and the first derivative.

Real points keep :math:`K + \sigma_0 M` definite: they lie beside the imaginary axis, not on it, and resolve the
response from low frequencies upward. One point serves up to about its own size; further ones widen the band.

A free structure has its rigid motions R as columns of their own and the elastic flexibility
:math:`G_e(\sigma) = B^T P^T (K + \sigma M)^{-1} P B`, :math:`P = 1 - M R R^T`, is matched.

Source: Z. Bai, Y. Su, Dimension reduction of large-scale second-order dynamical systems via a second-order Arnoldi
method, SIAM J. Sci. Comput. 26 (2005) 1692-1709; C. Beattie, S. Gugercin, Krylov-based model reduction of second-order
systems with proportional damping, 44th IEEE CDC (2005) 2278-2283.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import linalg

from flexmbs.core.checks import as_count, as_flag, as_number, is_list, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.core.linsolve.definite import Definite
from flexmbs.reduction.basis import Basis
from flexmbs.reduction.border import as_labels, as_operator
from flexmbs.reduction.interface_coordinates import interface_first
from flexmbs.reduction.methods.craig_bampton import Report, as_boundary
from flexmbs.reduction.methods.flexibility import Flexibility, rigid_or_found
from flexmbs.reduction.methods.orthonormal import orthonormal

__all__ = ["krylov"]


def krylov(
    K: Any,
    M: Any,
    boundary: IntArray,
    blocks: int = 5,
    points: Sequence[float] = (0.0,),
    rigid: FloatArray | None = None,
    interface: bool = True,
    labels: Any = None,
    progress: Report | None = None,
) -> Basis:
    r"""Match moments of the transfer function of the given unknowns.

    Parameters
    ----------
    K, M : sparse matrices (n, n)
        Stiffness and mass, symmetric.
    boundary : (n_b,) array of int
        Unknowns of inputs and outputs.
    blocks : int
        Blocks j of n_b columns at each point; 2 j moments are matched there.
    points : sequence of float
        Expansion points :math:`s_0 \ge 0` [rad/time], all different; each needs a factorisation.
    rigid : (n, r) array, optional
        Rigid motions; looked for if not given, which costs another factorisation. Shape (n, 0) for a held structure.
    interface : bool
        Whether the coordinates are displacements of the boundary and modes with it held, as those of Craig-Bampton.
        The static shapes of the boundary are among the columns then, whatever the points. Otherwise they are rigid
        motions and modes of the whole.
    labels : sequence of str, optional
        Names of the interface coordinates.
    progress : callable, optional
        Called with the fraction done and a text.

    Returns
    -------
    Basis
        Fewer than j n_b columns for a point where directions repeat (deflation).

    Raises
    ------
    ModelError
        If operators are not symmetric, the boundary is empty, repeated or out of range, a point is negative or
        repeated, or a column of ``rigid`` strains the structure.
    SingularError
        If the structure can move in other ways than the rigid motions.

    Examples
    --------
    >>> from scipy.sparse import csc_matrix, identity
    >>> chain = csc_matrix([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    >>> basis = krylov(chain, identity(3, format="csc"), [2], blocks=1, interface=False)
    >>> (basis.vectors / basis.vectors[0]).round(12).ravel().tolist()  # one block: the shape under a static force
    [1.0, 2.0, 3.0]
    """
    owner = "krylov"
    K = as_operator(owner, "K", K)
    n = K.shape[0]
    M = as_operator(owner, "M", M, n)
    boundary = as_boundary(boundary, n)
    names = as_labels(owner, labels, len(boundary))
    blocks = as_count(owner, "blocks", blocks, minimum=1)
    interface = as_flag(owner, "interface", interface)
    places = _points(owner, points)
    say = progress or (lambda fraction, text: None)
    began = time.perf_counter()
    say(0.02, "rigid motions")
    R = rigid_or_found(owner, K, M, rigid)
    load = np.zeros((n, len(boundary)))
    load[boundary, np.arange(len(boundary))] = 1.0
    load -= M @ (R @ R[boundary].T)
    V = np.zeros((n, 0))
    solves = 0
    runs = [(p, blocks) for p in places]
    if interface and 0.0 not in places:
        runs = [(0.0, 1), *runs]  # these shapes span the static ones of unit displacements
    energy = _energy(K, M)
    for number, (point, count) in enumerate(runs):
        say(0.1 + 0.8 * number / len(runs), f"point {point:g}")
        solver = _solver(K, M, R, point)
        V = _blocks(solver, M, energy, R, load, V, count)
        solves += solver.solves
    done = time.perf_counter()
    settings = {"blocks": blocks, "points": show(places), "rigid motions": R.shape[1]}
    stats = {"Krylov blocks [s]": done - began, "solves": solves, "moments matched": 2 * blocks}
    if interface:
        vectors, frequencies = interface_first(K, M, np.hstack([R, V]), boundary, R, owner)
        left = vectors.shape[1] - len(boundary)
        names = (*names, *(f"Krylov mode {i + 1}" for i in range(left)))
    else:
        V, squares = _uncoupled(K, M, V)
        vectors = np.hstack([R, V])
        frequencies = np.concatenate([np.zeros(R.shape[1]), np.sqrt(squares)])
        names = (
            *(f"rigid motion {i + 1}" for i in range(R.shape[1])),
            *(f"Krylov mode {i + 1}" for i in range(V.shape[1])),
        )
    say(1.0, "basis done")
    return Basis(vectors, names, len(boundary) if interface else 0, frequencies, "Krylov", settings, stats)


def _points(owner: str, points: object) -> tuple[float, ...]:
    """Expansion points, checked."""
    if not is_list(points) or not len(points):
        raise ModelError(
            f"{owner}: points must be a list of expansion points such as (0.0, 300.0), not {show(points)}."
        )
    places = tuple(as_number(owner, "each of points", p, minimum=0.0, unit="rad/time") for p in points)
    if len(set(places)) != len(places):
        raise ModelError(f"{owner}: the points must differ, not {places}.")
    return places


def _energy(K: Any, M: Any) -> Any:
    """M + K / w^2 with w about the highest frequency: a product that sees shapes without mass and rounds as M does."""
    massive = M.diagonal() > 0.0
    if not massive.any():
        raise ModelError("krylov: the structure has no mass.")
    return M + K / np.median(K.diagonal()[massive] / M.diagonal()[massive])


def _solver(K: Any, M: Any, R: FloatArray, point: float) -> Definite:
    """The factor at one point."""
    if point == 0.0:
        return Flexibility(K, M, R)
    try:
        return Definite(K + point**2 * M, f"K + {point:g}^2 M")
    except SingularError as error:
        raise SingularError(f"krylov: {error}; a stiffness and a mass are positive.", error.unknown) from None


def _blocks(
    solver: Definite, M: Any, energy: Any, R: FloatArray, load: FloatArray, V: FloatArray, count: int
) -> FloatArray:
    """V and the new directions of ``count`` blocks about one point.

    Only what is new is carried on: what lies in V already, of this point or of others, leads to nothing outside of V
    and the first block of this point, by the resolvent identity.
    """
    for _ in range(count):
        block = orthonormal(energy, solver.solve(load), np.hstack([R, V]))
        V = np.hstack([V, block])
        if not block.shape[1]:
            break
        load = M @ block
    return V


def _uncoupled(K: Any, M: Any, V: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Modes of the space by ascending frequency, mass-normalised where they have mass, and squared frequencies."""
    stiffness, mass = V.T @ (K @ V), V.T @ (M @ V)
    inverse, Y = linalg.eigh(0.5 * (mass + mass.T), 0.5 * (stiffness + stiffness.T))
    inverse, Y = inverse[::-1], Y[:, ::-1]
    massive = inverse > 1e-15 * inverse[0]
    Y = Y / np.sqrt(np.where(massive, inverse, 1.0))
    return np.asarray(V @ Y), np.where(massive, 1.0 / np.where(massive, inverse, 1.0), np.nan)
