r"""Which modes to keep: by count, by frequency, by effective mass, or by what the interface feels of them.

Fixed-interface modes :math:`\phi_j` meet the rest of the world in two numbers each. A rigid acceleration of the
interface (rigid motion R) loads mode j by the participation :math:`L_j = \phi_j^T M R`, and a general one, which
deforms the structure by its constraint modes :math:`T_c`, by the coupling :math:`c_j = \phi_j^T M T_c`. Both are made
dimensionless here: :math:`L_j^2` is a fraction of the inertia in its direction, and with the mass at the interface
:math:`M_c = T_c^T M T_c = C C^T` the rows :math:`\hat c_j = c_j C^{-T}` obey :math:`\sum_j \hat c_j^T \hat c_j \le 1`.

`candidates` computes modes in doubling batches until a selection is sure of its choice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy import linalg

from flexmbs.core.checks import as_count, as_number, is_list, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.eigen import EigenPairs
from flexmbs.core.errors import ConvergenceError, ModelError

__all__ = [
    "EffectiveMass",
    "Lowest",
    "ModeSelection",
    "TransferFunction",
    "UpToFrequency",
    "as_selection",
    "candidates",
    "inverse_root",
    "until_sure",
]

FIRST = 20
"""Modes of the first batch where nothing is known about how many are needed."""


@runtime_checkable
class ModeSelection(Protocol):
    r"""A rule that picks modes from the lowest k ones.

    All arrays are in ascending order of frequency: ``frequencies (k,)`` [rad/time], ``participation (k, r)`` whose
    squares are fractions of the inertia in r rigid motions, ``coupling (k, n_b)`` with rows :math:`\hat c_j`.
    """

    @property
    def first(self) -> int:
        """How many modes to compute at first."""

    @property
    def max_modes(self) -> int:
        """How many modes to compute at most."""

    def enough(self, frequencies: FloatArray, participation: FloatArray, coupling: FloatArray) -> bool:
        """Whether modes above these ones cannot change the choice."""

    def choose(self, frequencies: FloatArray, participation: FloatArray, coupling: FloatArray) -> IntArray:
        """Numbers of the modes to keep, ascending."""


@dataclass(frozen=True)
class Lowest:
    """The ``count`` modes of lowest frequency.

    Examples
    --------
    >>> Lowest(2).choose(np.array([1.0, 2.0, 3.0]), np.zeros((3, 6)), np.zeros((3, 1))).tolist()
    [0, 1]
    """

    count: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", as_count("selection Lowest", "count", self.count))

    @property
    def first(self) -> int:
        return self.count

    @property
    def max_modes(self) -> int:
        return self.count

    def enough(self, frequencies: FloatArray, participation: FloatArray, coupling: FloatArray) -> bool:
        return len(frequencies) >= self.count

    def choose(self, frequencies: FloatArray, participation: FloatArray, coupling: FloatArray) -> IntArray:
        return np.arange(min(self.count, len(frequencies)), dtype=np.int64)


@dataclass(frozen=True)
class UpToFrequency:
    """All modes up to ``factor`` times a frequency.

    Parameters
    ----------
    hz : float
        Highest frequency of interest [1/time].
    factor : float
        Modes are kept up to this multiple of it; at least 1. A band needs modes somewhat beyond it, since those above
        it deform quasi-statically within it; 1.5 to 2 is usual.
    max_modes : int
        More modes than this raise an error.

    Examples
    --------
    >>> UpToFrequency(1.0, factor=2.0).choose(2 * np.pi * np.array([0.5, 1.9, 2.1]), np.zeros((3, 6)), None).tolist()
    [0, 1]
    """

    hz: float
    factor: float = 1.5
    max_modes: int = 2000

    def __post_init__(self) -> None:
        owner = "selection UpToFrequency"
        object.__setattr__(self, "hz", as_number(owner, "hz", self.hz, above=0.0, unit="1/time"))
        object.__setattr__(self, "factor", as_number(owner, "factor", self.factor, minimum=1.0))
        object.__setattr__(self, "max_modes", as_count(owner, "max_modes", self.max_modes, minimum=1))

    @property
    def cut_off(self) -> float:
        """Highest angular frequency that is kept [rad/time]."""
        return 2.0 * math.pi * self.hz * self.factor

    @property
    def first(self) -> int:
        return min(FIRST, self.max_modes)

    def enough(self, frequencies: FloatArray, participation: FloatArray, coupling: FloatArray) -> bool:
        return bool(len(frequencies) and frequencies[-1] > self.cut_off)

    def choose(self, frequencies: FloatArray, participation: FloatArray, coupling: FloatArray) -> IntArray:
        return np.flatnonzero(frequencies <= self.cut_off)


@dataclass(frozen=True)
class EffectiveMass:
    """As few modes as hold a fraction of the effective mass in every direction.

    Modes are taken by their largest effective mass in any direction that still lacks some, so a mode without mass is
    left out however low it is. What moves with the interface itself is in no mode; of that share a fraction cannot be
    reached, and then the message says so.

    Parameters
    ----------
    fraction : float
        Between 0 and 1.
    directions : sequence of int
        Columns of the rigid motions that count: 0 to 2 along x, y, z and 3 to 5 about them.
    max_modes : int
        More modes than this raise an error.

    Examples
    --------
    >>> L = np.sqrt([[0.6, 0.0], [0.0, 0.9], [0.3, 0.0], [0.05, 0.05]])
    >>> EffectiveMass(0.85, directions=(0, 1)).choose(np.arange(1.0, 5.0), L, None).tolist()
    [0, 1, 2]
    """

    fraction: float
    directions: Sequence[int] = (0, 1, 2)
    max_modes: int = 500

    def __post_init__(self) -> None:
        owner = "selection EffectiveMass"
        object.__setattr__(self, "fraction", as_number(owner, "fraction", self.fraction, above=0.0, below=1.0))
        if not is_list(self.directions) or not len(self.directions):
            raise ModelError(f"{owner}: directions must be a list of columns 0 to 5, not {show(self.directions)}.")
        directions = tuple(as_count(owner, "each of directions", d) for d in self.directions)
        if max(directions) > 5 or len(set(directions)) != len(directions):  # six rigid motions
            raise ModelError(f"{owner}: directions must be different columns 0 to 5, not {directions}.")
        object.__setattr__(self, "directions", directions)
        object.__setattr__(self, "max_modes", as_count(owner, "max_modes", self.max_modes, minimum=1))

    @property
    def first(self) -> int:
        return min(FIRST, self.max_modes)

    def _masses(self, participation: FloatArray) -> FloatArray:
        columns = [d for d in self.directions if d < participation.shape[1]]
        if not columns:
            raise ModelError("selection EffectiveMass: it needs the rigid motions of the interface.")
        return np.asarray(participation[:, columns] ** 2)

    def enough(self, frequencies: FloatArray, participation: FloatArray, coupling: FloatArray) -> bool:
        return bool((self._masses(participation).sum(axis=0) >= self.fraction).all())

    def choose(self, frequencies: FloatArray, participation: FloatArray, coupling: FloatArray) -> IntArray:
        masses = self._masses(participation)
        held = np.zeros(masses.shape[1])
        left = list(range(len(masses)))
        kept = []
        while left and (held < self.fraction).any():
            useful = masses[left][:, held < self.fraction].max(axis=1)
            j = left.pop(int(np.argmax(useful)))
            held += masses[j]
            kept.append(j)
        return np.array(sorted(kept), dtype=np.int64)


@dataclass(frozen=True)
class TransferFunction:
    r"""The modes that the interface feels within a band, to a tolerance.

    Without mode j the dynamic stiffness at the interface errs by
    :math:`\omega^4 c_j^T c_j / (\omega_j^2 - \omega^2 + 2 i \zeta \omega_j \omega)`. By the inertia of the interface,
    :math:`\omega^2 M_c`, this is the dominance

    .. math:: g_j = \max_{\omega \le \Omega} \frac{|\hat c_j|^2 \omega^2}
        {|\omega_j^2 - \omega^2 + 2 i \zeta \omega_j \omega|},

    and all modes above :math:`\omega_k > \Omega` together err by at most
    :math:`\lambda_{max}(1 - \sum_{j \le k} \hat c_j^T \hat c_j)\, \Omega^2 / (\omega_k^2 - \Omega^2)`. One half of the
    tolerance is left to modes that are not computed, the other half to computed ones that are dropped: the sum of their
    dominances. So
    :math:`\| C^{-1} (Z - Z_r) C^{-T} \|_2 \le \text{tolerance}\; \omega^2` for every frequency of the band.

    Parameters
    ----------
    band : float
        Its highest frequency [1/time].
    tolerance : float
        Largest error of the dynamic stiffness, relative to the inertia at the interface.
    damping : float
        Modal damping ratio that limits resonances.
    max_modes : int
        More modes than this raise an error.

    Notes
    -----
    At a resonance of the whole structure stiffness and inertia at the interface nearly cancel, and the response errs by
    more than the tolerance: by that much the frequencies shift.

    Examples
    --------
    >>> rule = TransferFunction(band=1.0, tolerance=0.1)
    >>> omega = 2 * np.pi * np.array([0.5, 0.7, 30.0])
    >>> rule.choose(omega, np.zeros((3, 6)), np.array([[0.8], [1e-5], [0.1]])).tolist()
    [0]
    """

    band: float
    tolerance: float = 0.01
    damping: float = 0.01
    max_modes: int = 2000

    def __post_init__(self) -> None:
        owner = "selection TransferFunction"
        object.__setattr__(self, "band", as_number(owner, "band", self.band, above=0.0, unit="1/time"))
        object.__setattr__(self, "tolerance", as_number(owner, "tolerance", self.tolerance, above=0.0))
        object.__setattr__(self, "damping", as_number(owner, "damping", self.damping, above=0.0, below=1.0))
        object.__setattr__(self, "max_modes", as_count(owner, "max_modes", self.max_modes, minimum=1))

    @property
    def first(self) -> int:
        return min(FIRST, self.max_modes)

    def enough(self, frequencies: FloatArray, participation: FloatArray, coupling: FloatArray) -> bool:
        top = 2.0 * math.pi * self.band
        if not len(frequencies) or frequencies[-1] <= top:
            return False
        lowest = linalg.eigvalsh(coupling.T @ coupling)[0] if coupling.shape[1] else 1.0
        return bool((1.0 - lowest) * top**2 / (frequencies[-1] ** 2 - top**2) <= 0.5 * self.tolerance)

    def dominance(self, frequencies: FloatArray, coupling: FloatArray) -> FloatArray:
        """g (k,): the largest error within the band that leaving out one mode makes."""
        top, zeta = 2.0 * math.pi * self.band, self.damping
        # with x = (omega/omega_j)^2 the amplification x / |1 - x + 2 i zeta sqrt(x)| peaks at 1 / (1 - 2 zeta^2)
        peak = 1.0 / (1.0 - 2.0 * zeta**2) if 2.0 * zeta**2 < 1.0 else math.inf
        x = np.minimum((top / np.maximum(frequencies, 1e-6 * top)) ** 2, peak)  # far below the top: at its peak
        return np.asarray((coupling**2).sum(axis=1) * x / np.hypot(1.0 - x, 2.0 * zeta * np.sqrt(x)))

    def choose(self, frequencies: FloatArray, participation: FloatArray, coupling: FloatArray) -> IntArray:
        g = self.dominance(frequencies, coupling)
        order = np.argsort(g, kind="stable")
        dropped = np.cumsum(g[order]) <= 0.5 * self.tolerance
        return np.sort(order[~dropped]).astype(np.int64)


def as_selection(modes: Any) -> ModeSelection:
    """A selection from itself or from a count.

    Raises
    ------
    ModelError
        For anything else.
    """
    if isinstance(modes, ModeSelection):
        return modes
    if isinstance(modes, int | np.integer) and not isinstance(modes, bool):
        return Lowest(int(modes))
    raise ModelError(
        f"modes must be a whole number or a selection such as UpToFrequency(200.0) or EffectiveMass(0.95), "
        f"not {show(modes)}."
    )


def candidates(
    modes: ModeSelection | int,
    solve: Callable[[int], EigenPairs],
    limit: int,
    coupling: FloatArray,
    interface_mass: FloatArray,
    rigid: FloatArray | None = None,
    total: FloatArray | None = None,
) -> EigenPairs:
    r"""Compute modes in doubling batches until a selection is sure, and return those that it chooses.

    Parameters
    ----------
    modes : ModeSelection or int
        The rule.
    solve : callable
        ``solve(count)``: the ``count`` lowest mass-normalised modes of the n unknowns that are free to move.
    limit : int
        How many modes there are.
    coupling : (n, n_b) array
        Rows :math:`(M T_c)_i` of the free unknowns.
    interface_mass : (n_b, n_b) array
        :math:`M_c = T_c^T M T_c`.
    rigid : (n_b, r) array, optional
        Displacements :math:`R_b` of the interface in the rigid motions; effective masses need them.
    total : (r,) array, optional
        What effective masses are a fraction of; by default the inertia of the whole body,
        :math:`R_b^T M_c R_b`. All modes together hold less,
        :math:`R_b^T (M T_c)_i^T M_{ii}^{-1} (M T_c)_i R_b`,
        by what moves with the interface itself.

    Raises
    ------
    ModelError
        If a count is greater than ``limit``, modes is no selection, or rigid motions are needed and not given.
    ConvergenceError
        If ``modes.max_modes`` modes are not enough.

    Examples
    --------
    >>> omega2, vectors = np.arange(1.0, 41.0) ** 2, np.eye(40)
    >>> def solve(count):
    ...     return EigenPairs(omega2[:count], vectors[:, :count], np.zeros(count))
    >>> rule = UpToFrequency(25 / (2 * np.pi), factor=1.0)
    >>> len(candidates(rule, solve, 40, np.zeros((40, 1)), np.eye(1)).values)
    25
    """
    motions = np.zeros((len(interface_mass), 0)) if rigid is None else rigid
    inertia = coupling @ motions
    if total is None:
        total = np.einsum("ij,ij->j", motions, interface_mass @ motions)
    scale = np.where(total > 0.0, 1.0 / np.sqrt(np.where(total > 0.0, total, 1.0)), 0.0)
    whiten = inverse_root(interface_mass)

    def feel(pairs: EigenPairs) -> tuple[FloatArray, FloatArray]:
        return (pairs.vectors.T @ inertia) * scale, (pairs.vectors.T @ coupling) @ whiten

    return until_sure(modes, solve, limit, feel)


def until_sure(
    modes: ModeSelection | int,
    solve: Callable[[int], EigenPairs],
    limit: int,
    feel: Callable[[EigenPairs], tuple[FloatArray, FloatArray]],
) -> EigenPairs:
    """As `candidates`, with participation and coupling of computed modes from a function ``feel(pairs)``."""
    rule = as_selection(modes)
    if isinstance(rule, Lowest) and rule.count > limit:
        raise ModelError(f"{rule.count} modes were asked for, but there are only {limit}.")
    count = min(rule.first, limit)
    while True:
        pairs = solve(count)
        frequencies = np.sqrt(np.maximum(pairs.values, 0.0))
        felt = (frequencies, *feel(pairs))
        if count >= limit or rule.enough(*felt):
            break
        if count >= rule.max_modes:
            raise ConvergenceError(f"{rule}: {count} modes, up to {frequencies[-1]:.6g} rad/time, are not enough.")
        count = min(2 * count, limit, rule.max_modes)
    chosen = rule.choose(*felt)
    return EigenPairs(pairs.values[chosen], np.ascontiguousarray(pairs.vectors[:, chosen]), pairs.residuals[chosen])


def inverse_root(A: FloatArray) -> FloatArray:
    """W with W W^T = A^-1 on the range of a positive semidefinite A."""
    if not len(A):
        return np.zeros((0, 0))
    diagonal = A.diagonal()
    size = np.where(diagonal > 0.0, 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0)), 0.0)  # units differ
    values, vectors = linalg.eigh(0.5 * (A + A.T) * size[:, None] * size)
    keep = values > 1e-13 * max(float(values[-1]), 0.0)
    return np.asarray(size[:, None] * vectors[:, keep] / np.sqrt(values[keep]))
