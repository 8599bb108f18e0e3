r"""Natural frequencies of beams and strings in closed form or by their exact characteristic equations.

All frequencies are circular [rad/s]. A beam under an axial force T (tension positive) with bending stiffness B and mass
mu per length obeys :math:`B w'''' - T w'' + \mu \ddot w = 0`; its solutions are sums of exponentials, and the four
conditions at the ends give a determinant whose zeros are bracketed by scanning and refined to round-off. The
determinant is formed with decaying exponentials, so that high modes do not overflow. Accuracy: about 1e-12 relative.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from flexmbs.core.checks import as_count, as_number
from flexmbs.core.errors import ModelError, unknown_name

__all__ = [
    "beam_frequencies",
    "beam_roots",
    "timoshenko_cutoff",
    "timoshenko_frequencies",
    "timoshenko_simply_supported",
]

FloatArray = NDArray[np.float64]

#: What an end can be, and which two of (deflection, rotation, moment, transverse force) vanish there.
ENDS = {"clamped": (0, 1), "pinned": (0, 2), "guided": (1, 3), "free": (2, 3)}

_SCAN = 0.02  # step of the scan in beta L; neighbouring roots are about pi apart


def beam_roots(start: str, end: str, count: int) -> FloatArray:
    r"""The first ``count`` elastic roots beta L of an Euler-Bernoulli beam; :math:`\omega = \beta^2\sqrt{EI/\rho A}`.

    Ends are ``"clamped"``, ``"pinned"``, ``"guided"`` (slides across, does not turn) or ``"free"``; rigid-body modes
    are not counted.

    Examples
    --------
    >>> beam_roots("clamped", "free", 2).round(10).tolist()
    [1.8751040687, 4.694091133]
    """
    return np.sqrt(beam_frequencies(start, end, count))


def beam_frequencies(
    start: str,
    end: str,
    count: int,
    *,
    bending: float = 1.0,
    mass: float = 1.0,
    length: float = 1.0,
    tension: float = 0.0,
) -> FloatArray:
    """The first ``count`` elastic frequencies of a beam under a dead axial force (no shear, no rotary inertia).

    Parameters
    ----------
    start, end : str
        ``"clamped"``, ``"pinned"``, ``"guided"`` or ``"free"``.
    bending, mass, length, tension : float
        B, mu, length, and T; a negative T is compression, which must be below buckling.

    Examples
    --------
    >>> import math
    >>> omega = beam_frequencies("pinned", "pinned", 1, tension=2.0)[0]
    >>> bool(abs(omega - math.pi * math.sqrt(2.0 + math.pi**2)) < 1e-10)
    True
    """
    rows = _end_rows(start, end)
    count = as_count("beam", "count", count, minimum=1)
    for name, value in (("bending", bending), ("mass", mass), ("length", length)):
        as_number("beam", name, value, above=0.0)
    pull = as_number("beam", "tension", tension) * length**2 / bending

    def determinant(beta: float) -> float:
        root = math.hypot(pull, 2.0 * beta**2)
        r = math.sqrt((root + pull) / 2.0) if pull >= 0.0 else beta**2 / math.sqrt((root - pull) / 2.0)
        b = beta**2 / r
        return _determinant(rows, r, b, lambda p: (p, p * p, p**3 - pull * p))

    beta = _zeros(determinant, count)
    return beta**2 * math.sqrt(bending / mass) / length**2


def timoshenko_simply_supported(
    n: int, *, EI: float, GA: float, mass: float, inertia: float, length: float
) -> tuple[float, float]:
    r"""Bending-branch and shear-branch frequency of mode n of a simply supported Timoshenko beam.

    .. math:: \frac{m J}{GA}\,\omega^4 - \left(m + J k^2 + \frac{EI\, m\, k^2}{GA}\right)\omega^2 + EI\,k^4 = 0,
              \qquad k = n\pi/L

    ``GA`` contains the shear factor; ``mass`` m = rho A and ``inertia`` J = rho I are per length.

    References
    ----------
    S. P. Timoshenko, On the correction for shear of the differential equation for transverse vibrations of prismatic
    bars, Phil. Mag. 41 (1921) 744-746.

    Examples
    --------
    >>> low, high = timoshenko_simply_supported(1, EI=1.0, GA=1e12, mass=1.0, inertia=1e-12, length=1.0)
    >>> round(low, 6)
    9.869604
    """
    k2 = (as_count("beam", "n", n, minimum=1) * math.pi / length) ** 2
    a = mass * inertia / GA
    b = mass + inertia * k2 + EI * mass * k2 / GA
    c = EI * k2 * k2
    big = (b + math.sqrt(b * b - 4.0 * a * c)) / 2.0
    return math.sqrt(c / big), math.sqrt(big / a)


def timoshenko_cutoff(*, GA: float, inertia: float) -> float:
    """Frequency sqrt(GA/J) of pure thickness shear, above which the second branch begins."""
    return math.sqrt(GA / inertia)


def timoshenko_frequencies(
    start: str, end: str, count: int, *, EI: float, GA: float, mass: float, inertia: float, length: float
) -> FloatArray:
    r"""The first ``count`` elastic frequencies of a Timoshenko beam with any ends, all below the cut-off frequency.

    State: deflection w, rotation psi, moment :math:`M = EI\psi'`, force :math:`Q = GA(w' - \psi)` with
    :math:`M' = -Q - J\omega^2\psi`, :math:`Q' = -m\omega^2 w`.

    Raises
    ------
    ModelError
        When fewer than ``count`` lie below the cut-off.

    Examples
    --------
    >>> omega = timoshenko_frequencies("clamped", "free", 1, EI=1.0, GA=1e9, mass=1.0, inertia=1e-9, length=1.0)
    >>> float(omega[0].round(5))
    3.51602
    """
    rows = _end_rows(start, end)
    count = as_count("beam", "count", count, minimum=1)
    highest = timoshenko_cutoff(GA=GA, inertia=inertia)
    unit = math.sqrt(EI / mass) / length**2
    shear, turning = EI / (GA * length**2), inertia / (mass * length**2)

    def determinant(beta: float) -> float:
        w2 = beta**4
        total, gap = w2 * (shear + turning), w2 * (shear - turning)
        root = math.sqrt(gap * gap + 4.0 * w2)
        b = math.sqrt((root + total) / 2.0)
        r = math.sqrt(w2 * (1.0 - w2 * shear * turning)) / b

        def state(p: complex) -> tuple[complex, complex, complex]:
            force = -w2 / p
            turn = p - shear * force
            return turn, p * turn, force

        return _determinant(rows, r, b, state)

    limit = math.sqrt(highest / unit)
    beta = _zeros(determinant, count, limit)
    return beta**2 * unit


def _end_rows(start: str, end: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Which quantities vanish at the two ends."""
    for name in (start, end):
        if name not in ENDS:
            raise ModelError(unknown_name("end of a beam", name, ENDS))
    return ENDS[start], ENDS[end]


def _determinant(
    rows: tuple[tuple[int, int], tuple[int, int]],
    r: float,
    b: float,
    state: Callable[[complex], tuple[complex, complex, complex]],
) -> float:
    """Determinant of the end conditions on [0, 1] in exp(-r x), exp(-r (1 - x)), cos(b x), sin(b x), rows scaled.

    ``state(p)`` gives rotation, moment and force of the solution w = exp(p x).
    """
    fade, wave = math.exp(-r), complex(math.cos(b), math.sin(b))
    down, up, turn = (np.array([1.0, *state(p)]) for p in (-r, r, 1j * b))
    table = np.zeros((2, 4, 4))
    table[0] = np.stack([down.real, up.real * fade, turn.real, turn.imag], axis=1)
    turned = turn * wave
    table[1] = np.stack([down.real * fade, up.real, turned.real, turned.imag], axis=1)
    matrix = np.concatenate([table[0][list(rows[0])], table[1][list(rows[1])]])
    matrix /= np.abs(matrix).max(axis=1, keepdims=True)
    return float(np.linalg.det(matrix))


def _zeros(function: Callable[[float], float], count: int, limit: float = math.inf) -> FloatArray:
    """The first zeros above 0, by scanning for changes of sign."""
    found: list[float] = []
    low = _SCAN / 10.0
    value = function(low)
    while len(found) < count:
        high = low + _SCAN
        if high >= limit:
            raise ModelError(f"beam: only {len(found)} of {count} frequencies lie below the cut-off frequency.")
        if high > math.pi * (count + 3) * 10.0:
            raise ModelError(f"beam: only {len(found)} of {count} frequencies were found; is the beam buckled?")
        there = function(high)
        if value * there < 0.0:
            found.append(float(brentq(function, low, high, xtol=1e-15, rtol=1e-15, maxiter=200)))
        low, value = high, there
    return np.array(found)
