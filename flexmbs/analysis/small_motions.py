r"""Linear equations of motion with constraints, and what their roots are.

.. math:: M\ddot y + C\dot y + S y + G^T\lambda = 0, \qquad G y = 0

and first-order states among the y, whose velocities are the states. The roots are those of the motions
:math:`e^{st}` on the directions N that the constraints allow, G N = 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import qr
from scipy.sparse import csc_array

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.dynamics.minimal import Sizes
from flexmbs.results.modal import GROWING, which_grow

__all__ = [
    "REAL",
    "ROUNDING",
    "Rolling",
    "Roots",
    "SmallMotions",
    "at_rest",
    "beside",
    "better_shift",
    "distance_to_quotient",
    "finished",
    "free_motions_once",
    "of_squares",
    "real_where_it_is",
    "rounding",
    "rounding_of_parts",
    "stiffness_by_mass",
]  # fmt: skip

ROUNDING = 100.0 * float(np.finfo(float).eps)
"""Share of |x|^T |S| |x|, all terms taken positive, up to which x^T S x is round-off."""
OF_PAIRS, SAME_MODE = 10.0, 1e-4
"""Round-off of a double root at zero, in that of the stiffness; part of a mode that counts as a motion of its own."""
REAL = 1e-10
"""Imaginary part of a root, relative to the largest, up to which it counts as real."""


class Rolling(NamedTuple):
    """y = Q z, dy/dt = N u + V z, z = y at ``independent``: `flexmbs.analysis.directions.Directions`.

    ``unbalanced (n,)``: forces that are left of the balance at the state.
    """

    positions: FloatArray
    N: FloatArray
    turning: FloatArray
    independent: IntArray
    unbalanced: FloatArray


class SmallMotions(NamedTuple):
    """Matrices of the equations above: ``M, C, S`` (n, n) and ``G`` (n_c, n) sparse, on n free velocities.

    ``states (n,)``: which of the y are first-order states (their columns of S are zero). ``symmetric``: whether S is
    known to be symmetric. ``compliance (n_c,)`` of multipliers of redundant constraints. ``sizes``: what the y and the
    constraints are counted in (`flexmbs.dynamics.minimal.Sizes`). ``rolling``: of motions with constraints on
    velocities.
    """

    M: csc_array
    C: csc_array
    S: csc_array
    G: csc_array
    states: Any
    symmetric: bool
    compliance: FloatArray
    sizes: Sizes
    rolling: Rolling | None = None

    @property
    def undamped(self) -> bool:
        """Whether nothing depends on velocities, and there are no states: the problem is one in omega^2."""
        return self.rolling is None and not self.states.any() and (self.C.nnz == 0 or not np.any(self.C.data))


class Roots(NamedTuple):
    """The lowest roots ``s (m,)``, one of each conjugate pair, and of a real pair +-s the growing one alone.

    ``y, dy (n, m)``: the modes and their rates (of states: the states); of unit modal mass. ``growing (m,)``: real part
    above round-off. ``n_growing``: how many of all that were looked at, ``n`` of them, grow. ``symmetric``: whether of
    a symmetric problem in omega^2.
    """

    s: Any
    y: Any
    dy: Any
    growing: Any
    n_growing: int
    n: int
    symmetric: bool


def rounding(S: Any, y: Any) -> FloatArray:
    """Round-off (m,) of y^H S y for columns y (n, m)."""
    size = np.abs(y)
    return np.asarray(ROUNDING * np.einsum("ij,ij->j", size, abs(S) @ size))


def rounding_of_parts(sizes: FloatArray, M: FloatArray, x: FloatArray) -> FloatArray:
    """Round-off (m,) of x^T K x for columns x (n, m) in coordinates of which stiffness ``sizes`` adds up to K.

    What cancels in K was rounded before it did, and the columns are known to round-off of the stiffest motion.
    """
    massive = np.diag(M) > 0.0
    highest = float((np.diag(sizes)[massive] / np.diag(M)[massive]).max(initial=0.0))
    beside: FloatArray = ROUNDING**2 * highest * np.einsum("ij,ij->j", x, M @ x)
    return rounding(sizes, x) + beside


def stiffness_by_mass(p: SmallMotions) -> float:
    """The least K_ii / M_ii above round-off, which lies far above the lowest omega^2 of what has many elements.

    Round-off is what cancels within a row, and what the stiffest coordinate leaves of sums over the whole model.
    """
    ratio = np.abs(p.S.diagonal()) / np.maximum(p.M.diagonal(), 1e-300)
    some = np.abs(p.S.diagonal()) > ROUNDING * np.asarray(abs(p.S).sum(axis=1)).ravel()
    ratio = ratio[(p.M.diagonal() > 0.0) & some]
    ratio = ratio[ratio > ROUNDING * ratio.max(initial=0.0)]
    return float(ratio.min()) if len(ratio) else 1.0


def distance_to_quotient(p: SmallMotions, s: Any, y: Any) -> FloatArray:
    """How far roots are from those of s^2 y^H M y + s y^H C y + y^H S y = 0, which exact ones fulfil.

    Double roots at zero are found as pairs +-s of the root of round-off; the quotient knows that they are zero.
    """
    if p.rolling is not None or p.states.any():
        return np.zeros(len(s))
    a, b, c = (np.einsum("ij,ij->j", y.conj(), A @ y).astype(complex) for A in (p.M, p.C, p.S))
    a = np.where(np.abs(a) > 0.0, a, 1.0)
    half = np.sqrt(b * b - 4.0 * a * c)
    return np.asarray(np.minimum(np.abs(2.0 * a * s + b - half), np.abs(2.0 * a * s + b + half)) / np.abs(2.0 * a))


def at_rest(p: SmallMotions, s: Any, y: Any, margin: float) -> Any:
    """Which roots (m,) with modes of unit modal mass are zero: by the round-off of the stiffness, or by the quotient.

    A heavy body that is free on light, stiff parts is found with roots far above the round-off of its stiffness.
    """
    size = np.abs(s)
    massive = np.real(np.einsum("ij,ij->j", y.conj(), p.M @ y)) > 0.5
    return (size**2 <= margin * rounding(p.S, y)) | (massive & (distance_to_quotient(p, s, y) > 0.5 * size))


def finished(p: SmallMotions, s: Any, y: Any, dy: Any) -> Roots:
    """Unit modal mass; which grow."""
    mass = np.sqrt(np.abs(np.real(np.einsum("ij,ij->j", y.conj(), p.M @ y))))
    largest = np.maximum(np.abs(dy).max(axis=0, initial=1e-300), 1e-300)
    scale = np.where(mass > 1e-12 * largest, mass, largest)
    y, dy = y / scale, dy / scale
    stiffness = rounding(p.S, y)
    slope = np.abs(np.einsum("ij,ij->j", y.conj(), 2.0 * (p.M @ y) * s + p.C @ y))
    noise = stiffness / np.maximum(slope, np.sqrt(np.maximum(stiffness, 1e-300)))
    growing = which_grow(s, noise + distance_to_quotient(p, s, y))
    return Roots(s, y, dy, growing, int(growing.sum()), len(s), p.symmetric and p.undamped)


def free_motions_once(p: SmallMotions, found: Roots) -> Roots:
    """Free motions, whose double root at zero the first-order equations find as two, taken once, as of undamped models.

    Two are one motion where their roots are round-off and their modes are the same.
    """
    still = np.flatnonzero(at_rest(p, found.s, found.y, OF_PAIRS))
    if len(still) < 2:
        return found
    scaled = np.sqrt(np.maximum(p.M.diagonal(), 0.0))[:, None] * found.y[:, still]
    size = np.linalg.norm(scaled, axis=0)
    if not size.all():
        return found
    _, R, order = qr(scaled / size, mode="economic", pivoting=True)
    rank = int((np.abs(np.diag(R)) > SAME_MODE).sum())
    if rank == len(still):
        return found
    kept = np.ones(len(found.s), dtype=bool)
    kept[still[order[rank:]]] = False
    s, dy, growing = found.s.copy(), found.dy.copy(), found.growing.copy()
    if 2 * rank == len(still) + int((s[still].imag != 0.0).sum()):  # all of them are pairs: free to the last digit
        s[still], dy[:, still], growing[still] = 0.0, 0.0, False
    fewer = int(found.growing.sum()) - int(growing[kept].sum())
    return found._replace(
        s=s[kept], y=found.y[:, kept], dy=dy[:, kept], growing=growing[kept], n_growing=found.n_growing - fewer
    )


def of_squares(p: SmallMotions, values: Any, y: Any) -> Roots:
    """Roots of omega^2: i omega of +-i omega, the growing one of a real pair; of flutter one that grows, one not."""
    values = np.asarray(values, dtype=complex)
    s = 1j * np.sqrt(values)
    still = values.imag == 0.0
    s = np.where(still, np.where(values.real >= 0.0, 1j, 1.0) * np.sqrt(np.abs(values.real)), s)
    # a pair of conjugate squares has the roots s and -conj(s) in the upper half
    s = np.where(~still & (s.imag < 0.0), -s, s)
    if not np.any(np.imag(y)):
        y = np.real(y)
    return finished(p, s, y, y * s)


def real_where_it_is(values: Any, noise: Any = 0.0) -> Any:
    """Imaginary parts that are round-off of double roots set to zero."""
    small = np.abs(values.imag) <= GROWING * np.abs(values) + noise
    return np.where(small, values.real, values)


def better_shift(K: Any, M: Any, values: FloatArray, x: FloatArray, sigma: float) -> float:
    """A shift near the lowest elastic omega^2 where rigid motions make one necessary; it costs no digits there."""
    mass = np.einsum("ij,ij->j", x, M @ x)
    noise = rounding(K, x) / np.where(mass > 0.0, mass, 1.0) + ROUNDING * abs(sigma)
    elastic = values[values > 100.0 * noise]
    if sigma == 0.0 or not len(elastic) or np.any(values < -100.0 * noise):
        return sigma
    best = -0.1 * float(elastic.min())
    return best if abs(sigma) > 10.0 * abs(best) or abs(sigma) < 0.01 * abs(best) else sigma


def beside(values: FloatArray, sigma: float) -> FloatArray:
    """Values found beside a shift: what is round-off of the shift has no sign, and does not grow."""
    return np.where(np.abs(values) <= ROUNDING * abs(sigma), np.abs(values), values)
