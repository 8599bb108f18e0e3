r"""Free-interface modes with residual attachment modes: Rubin's method, and MacNeal's without residual inertia.

Modes of the part with its interface *free*, rigid motions R among them, and what they leave out of the static
response to interface forces,

.. math:: u = R\,\rho + \Phi\,\eta + F g, \qquad F = G_e e_b - \Phi \Omega^{-2} \Phi_b^T ,

with the flexibility :math:`G_e` by inertia relief (`flexmbs.reduction.methods.flexibility`). The interface forces g are
then given up for displacements of the interface (`flexmbs.reduction.interface_coordinates`), so that the part couples
as one by Craig-Bampton does. The constraint modes of the interface lie in this space: its static response is exact.

The projection is that of Rubin, and Craig and Chang: F has its own inertia. MacNeal left that out; then the interface
flexibility is exact at zero frequency only, and the mass matrix is singular.

Source: S. Rubin, Improved component-mode representation for structural dynamic analysis, AIAA Journal 13 (1975)
995-1006; R. H. MacNeal, A hybrid method of component mode synthesis, Computers & Structures 1 (1971) 581-601; R. R.
Craig, C.-J. Chang, On the use of attachment modes in substructure coupling for dynamic analysis, AIAA/ASME 18th SDM
(1977) 89-99.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.eigen import EigenPairs
from flexmbs.reduction.basis import Basis
from flexmbs.reduction.border import as_labels, as_operator
from flexmbs.reduction.interface_coordinates import interface_first
from flexmbs.reduction.methods.attachment import deformations, interface_feel, residual_attachment
from flexmbs.reduction.methods.craig_bampton import Report, as_boundary
from flexmbs.reduction.methods.flexibility import Flexibility, rigid_or_found
from flexmbs.reduction.selection import ModeSelection, until_sure

__all__ = ["WithMatrices", "macneal", "rubin"]


class WithMatrices(NamedTuple):
    """A basis whose reduced matrices are not its projection: ``basis``, ``K (m, m)``, ``M (m, m)``."""

    basis: Basis
    K: FloatArray
    M: FloatArray


def rubin(
    K: Any,
    M: Any,
    boundary: IntArray,
    modes: ModeSelection | int = 20,
    rigid: FloatArray | None = None,
    labels: Any = None,
    progress: Report | None = None,
) -> Basis:
    """Free-interface modes and residual attachment modes, in coordinates of the interface.

    Parameters
    ----------
    K, M : sparse matrices (n, n)
        Stiffness and mass, symmetric; the structure may be free.
    boundary : (n_b,) array of int
        Numbers of the unknowns of the interface.
    modes : int or ModeSelection
        How many elastic free modes, or which: `Lowest`, `UpToFrequency` or `TransferFunction`, whose tolerance then is
        one of the dynamic flexibility at the interface relative to the static one.
    rigid : (n, r) array, optional
        Rigid motions; looked for if not given, which costs another factorisation. Shape (n, 0) for a held structure.
    labels : sequence of str, optional
        Names of the interface coordinates.
    progress : callable, optional
        Called with the fraction done and a text.

    Returns
    -------
    Basis
        Interface coordinates first; then modes of the reduced part with its interface held, whose frequencies are
        given. Its free modes are among the shapes: the free frequencies of the reduced model are those kept, exactly.

    Raises
    ------
    ModelError
        If operators are not symmetric, the boundary is empty, repeated or out of range, a column of ``rigid`` strains
        the structure, there are fewer modes, or the part is rigid between interface unknowns.
    SingularError
        If the structure can move in other ways than the rigid motions.

    Examples
    --------
    A chain of three unit masses; its first free mode, of frequency 1, and its ends as interface.

    >>> from scipy.sparse import csc_matrix, identity
    >>> chain = csc_matrix([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    >>> rubin(chain, identity(3, format="csc"), [0, 2], 1).vectors.round(12).tolist()
    [[1.0, 0.0, 0.0], [0.5, 0.5, 1.0], [0.0, 1.0, 0.0]]
    """
    return _reduce("rubin", K, M, boundary, modes, rigid, labels, progress)[0]


def macneal(
    K: Any,
    M: Any,
    boundary: IntArray,
    modes: ModeSelection | int = 20,
    rigid: FloatArray | None = None,
    labels: Any = None,
    progress: Report | None = None,
) -> WithMatrices:
    """The shapes of `rubin` and reduced matrices without the inertia of residual attachment modes.

    The reduced mass is singular: n_b of the m coordinates have none. Frequencies of coupled parts converge more slowly
    than with `rubin`, and not from above.

    Parameters and errors are those of `rubin`.

    Examples
    --------
    >>> from scipy.sparse import csc_matrix, identity
    >>> chain = csc_matrix([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    >>> small = macneal(chain, identity(3, format="csc"), [0, 2], 1)
    >>> np.linalg.matrix_rank(small.M)  # the rigid motion and one mode
    np.int64(2)
    """
    basis, K, M, T0, massive = _reduce("macneal", K, M, boundary, modes, rigid, labels, progress)
    T = basis.vectors
    # coordinates of T in (R, Phi): mass-orthonormal, and mass-orthogonal to what is left out
    seen = T0[:, :massive].T @ (M @ T)
    return WithMatrices(basis, np.asarray(T.T @ (K @ T)), np.asarray(seen.T @ seen))


def _reduce(
    owner: str, K: Any, M: Any, boundary: Any, modes: Any, rigid: Any, labels: Any, progress: Report | None
) -> tuple[Basis, Any, Any, FloatArray, int]:
    """The basis, the checked operators, the columns (R, Phi, F) and how many of them have inertia for MacNeal."""
    K = as_operator(owner, "K", K)
    M = as_operator(owner, "M", M, K.shape[0])
    boundary = as_boundary(boundary, K.shape[0])
    names = as_labels(owner, labels, len(boundary))
    say = progress or (lambda fraction, text: None)
    began = time.perf_counter()
    say(0.02, "rigid motions")
    R = rigid_or_found(owner, K, M, rigid)
    say(0.1, "factorising the stiffness")
    flexibility = Flexibility(K, M, R)
    factored = time.perf_counter()
    say(0.2, "attachment modes")
    whole = deformations(flexibility, boundary)
    attached = time.perf_counter()
    say(0.3, "free modes")
    pairs: EigenPairs = until_sure(modes, flexibility.modes, flexibility.mode_count, interface_feel(boundary, whole))
    found = time.perf_counter()
    F = residual_attachment(flexibility, pairs, boundary, whole)
    T0 = np.hstack([R, pairs.vectors, F])
    say(0.9, "coordinates of the interface")
    vectors, frequencies = interface_first(K, M, T0, boundary, R, owner)
    highest = float(np.sqrt(pairs.values[-1])) if len(pairs.values) else 0.0
    say(1.0, "basis done")
    basis = Basis(
        vectors,
        (*names, *(f"free-interface mode {i + 1}" for i in range(vectors.shape[1] - len(boundary)))),
        len(boundary),
        frequencies,
        "Rubin" if owner == "rubin" else "MacNeal",
        {"modes": show(modes), "rigid motions": R.shape[1], "highest free mode [rad/time]": highest},
        {
            "factorisation [s]": factored - began,
            "attachment modes [s]": attached - factored,
            "modes [s]": found - attached,
            "coordinates [s]": time.perf_counter() - found,
            "solves": flexibility.solves,
            "largest residual of a mode": float(pairs.residuals.max(initial=0.0)),
        },
    )
    return basis, K, M, T0, R.shape[1] + len(pairs.values)
