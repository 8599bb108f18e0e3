r"""Frequencies of hanging chains, and of strings and beams that an axial force has stretched.

Circular frequencies [rad/s] throughout.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.special import j0, j1, jn_zeros

from flexmbs.core.checks import as_count, as_number
from flexmbs.verification.reference.rod import ENGINEERING, RodLaw

__all__ = [
    "hanging_chain",
    "hinged_bars",
    "point_masses",
    "stretch_under_force",
    "stretched_beam",
    "stretched_string",
]

FloatArray = NDArray[np.float64]


def hanging_chain(length: float, gravity: float, count: int) -> FloatArray:
    r"""Chain without bending stiffness, fixed at the top: :math:`\omega_n = \tfrac12 j_{0,n}\sqrt{g/L}`.

    D. Bernoulli 1733; j are the zeros of the Bessel function J0, here to round-off.

    Examples
    --------
    >>> float(hanging_chain(10.0, 9.81, 1)[0].round(10))
    1.1909350769
    """
    zeros = jn_zeros(0, as_count("chain", "count", count, minimum=1))
    zeros = zeros + j0(zeros) / j1(zeros)
    return np.asarray(zeros / 2.0 * math.sqrt(gravity / length), dtype=np.float64)


def hinged_bars(bars: int) -> FloatArray:
    """omega^2 l/g of a hanging chain of uniform rigid bars, each of length l, by its exact eigenproblem, ascending.

    Examples
    --------
    >>> hinged_bars(1).round(12).tolist()
    [1.5]
    """
    n = as_count("chain", "bars", bars, minimum=1)
    mass = np.zeros((n, n))
    for bar in range(n):
        speed = np.zeros(n)  # of the centre of a bar, by the rates of all angles
        speed[:bar] = 1.0
        speed[bar] = 0.5
        mass += np.outer(speed, speed)
        mass[bar, bar] += 1.0 / 12.0
    return np.asarray(eigh(np.diag(n - np.arange(n) - 0.5), mass, eigvals_only=True), dtype=np.float64)


def point_masses(masses: int) -> FloatArray:
    """omega^2 l/g of equal point masses on massless links of length l: the zeros of the Laguerre polynomial, ascending.

    Examples
    --------
    >>> point_masses(2).round(10).tolist()
    [0.5857864376, 3.4142135624]
    """
    n = as_count("chain", "masses", masses, minimum=1)
    below = n - np.arange(n, dtype=np.float64)
    return np.asarray(eigh(np.diag(below), np.minimum.outer(below, below), eigvals_only=True), dtype=np.float64)


def stretch_under_force(force: float, EA: float, law: RodLaw = ENGINEERING) -> float:
    r"""Stretch of a straight rod under an axial force (tension positive).

    Engineering law: :math:`\lambda = 1 + N/EA`. Green law: :math:`\tfrac12 EA(\lambda^3 - \lambda) = N`.

    Examples
    --------
    >>> stretch_under_force(1.0, 100.0)
    1.01
    """
    EA = as_number("rod", "EA", EA, above=0.0)
    ratio = as_number("rod", "force", force) / EA
    if not law.green:
        return 1.0 + as_number("rod", "force/EA", ratio, above=-1.0)
    as_number("rod", "force/EA", ratio, above=-1.0 / math.sqrt(27.0))
    stretch = 1.0 + ratio
    for _ in range(60):
        stretch -= (0.5 * (stretch**3 - stretch) - ratio) / (1.5 * stretch**2 - 0.5)
    return stretch


def stretched_string(
    n: int, *, EA: float, mass: float, length: float, force: float, law: RodLaw = ENGINEERING
) -> float:
    r"""Mode n of a string of unstretched length L and mass m per unstretched length, under a tension N.

    .. math:: \omega_n = \frac{n\pi}{L}\sqrt{\frac{N}{\lambda m}}

    Examples
    --------
    >>> import math
    >>> round(stretched_string(1, EA=3.0, mass=1.0, length=math.pi, force=1.0), 12) == round(math.sqrt(0.75), 12)
    True
    """
    return stretched_beam(n, EI=0.0, EA=EA, mass=mass, length=length, force=force, law=law)


def stretched_beam(
    n: int, *, EI: float, EA: float, mass: float, length: float, force: float, law: RodLaw = ENGINEERING
) -> float:
    r"""Mode n of a simply supported rod that an axial force N (tension positive) has stretched by lambda before.

    Transverse waves w(X) over the reference coordinate, with r' = (lambda, w'). To second order
    :math:`|\mathbf r'| = \lambda + w'^2/2\lambda` and :math:`\theta' = w''/\lambda`, so that the energy per reference
    length grows by :math:`\tfrac12 (N/\lambda) w'^2 + \tfrac12 (EI/\lambda^2) w''^2` for the engineering law; for the
    Green law the geometric curvature is :math:`w''/\lambda^2` and the last factor is :math:`EI/\lambda^4`. Hence

    .. math:: \omega_n^2 = \frac{k^2}{m}\left(\frac{N}{\lambda} + \frac{EI\,k^2}{\lambda^p}\right), \qquad
              k = \frac{n\pi}{L}, \qquad p = 2 \text{ or } 4 .

    L, m: length and mass per length before stretching. Below buckling a compressive force gives a positive square.

    Raises
    ------
    ModelError
        When the rod is buckled.

    Examples
    --------
    >>> import math
    >>> round(stretched_beam(1, EI=1.0, EA=1e12, mass=1.0, length=math.pi, force=3.0), 9)
    2.0
    """
    k2 = (as_count("rod", "n", n, minimum=1) * math.pi / as_number("rod", "length", length, above=0.0)) ** 2
    stretch = stretch_under_force(force, EA, law)
    square = k2 / mass * (force / stretch + EI * k2 / stretch ** (4 if law.green else 2))
    return math.sqrt(as_number("rod", "omega^2 under this force", square, minimum=0.0))
