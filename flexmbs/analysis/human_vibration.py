r"""Vibration as people feel it: weighted accelerations and the vibration dose value of a motion."""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import ArrayLike

from flexmbs.core.checks import as_array, is_among, shape_of, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError

__all__ = ["frequency_weighting", "vibration_dose", "weighted_acceleration"]

BAND = 0.4, 100.0
"""Limits of the band [Hz] of both weightings, by filters of second order without overshoot."""
WEIGHTINGS = {"Wk": (12.5, 0.63, (2.37, 0.91, 3.35, 0.91)), "Wd": (2.0, 0.63, None)}
"""f3 = f4 [Hz] and Q4 of the transition from acceleration to velocity; f5, Q5, f6, Q6 of the upward step."""
EVEN = 1e-6
"""Part of a step by which times may be uneven."""


def frequency_weighting(weighting: str, frequency: ArrayLike) -> FloatArray:
    r"""Gains of a frequency weighting for whole-body vibration.

    With :math:`s = 2\pi i f` and :math:`\omega_j = 2\pi f_j`

    .. math::

       H = \frac{s^2}{s^2 + \sqrt2\,\omega_1 s + \omega_1^2}\,\frac{\omega_2^2}{s^2 + \sqrt2\,\omega_2 s + \omega_2^2}\,
       \frac{1 + s/\omega_3}{1 + s/(Q_4\omega_4) + (s/\omega_4)^2}\,
       \frac{1 + s/(Q_5\omega_5) + (s/\omega_5)^2}{1 + s/(Q_6\omega_6) + (s/\omega_6)^2}
       \Bigl(\frac{\omega_5}{\omega_6}\Bigr)^2 ,

    the last factor for ``"Wk"`` alone.

    Parameters
    ----------
    weighting : 'Wk' or 'Wd'
        Of ISO 2631-1: vertical vibration of a seated person, and horizontal vibration.
    frequency : (n,) array
        Frequencies [Hz], greater than 0.

    Returns
    -------
    ndarray
        The gains (n,).

    Raises
    ------
    ModelError
        If there is no such weighting, or a frequency is not greater than 0.

    Notes
    -----
    Source: ISO 2631-1:1997, Annex A.

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.frequency_weighting("Wk", [1.0, 8.0, 31.5]).round(3).tolist()
    [0.482, 1.036, 0.405]
    """
    over, under = _transfer("frequency_weighting", weighting)
    f = as_array("frequency_weighting", "frequency", frequency, (None,))
    if not (f > 0.0).all():
        raise ModelError(f"frequency_weighting: frequencies must be greater than 0, not {show(f[~(f > 0.0)][0])}.")
    s = 2j * np.pi * f
    return np.asarray(np.abs(over(s) / under(s)), dtype=np.float64)


def weighted_acceleration(t: ArrayLike, acceleration: ArrayLike, weighting: str) -> FloatArray:
    """An acceleration behind the filter of `frequency_weighting`, from rest.

    Parameters
    ----------
    t : (n,) array
        Times [s], evenly spaced.
    acceleration : (n,) or (n, m) array
        Acceleration at these times, of m directions or places each by itself; between the times it is a cubic spline,
        for which the filter is solved exactly.
    weighting : 'Wk' or 'Wd'

    Returns
    -------
    ndarray
        The weighted acceleration, in the shape and the unit of the acceleration.

    Raises
    ------
    ModelError
        If there is no such weighting, the times are uneven, or the arrays do not fit.

    Notes
    -----
    The filter begins at rest: of a motion that does not, leave out the first seconds. `simulate` stores evenly spaced
    states with ``output=fx.Output(every=1e-3)``. Of a sine with ten states a period the amplitude is 0.03 % off, with
    five 0.6 %, with three 8 %.

    Examples
    --------
    >>> import numpy as np, flexmbs as fx
    >>> t = np.linspace(0.0, 20.0, 20001)
    >>> felt = fx.weighted_acceleration(t, np.sin(2 * np.pi * 8.0 * t), "Wk")
    >>> round(float(felt[-1000:].max()), 3)
    1.036
    """
    over, under = _transfer("weighted_acceleration", weighting)
    times, a = _signal("weighted_acceleration", t, acceleration)
    steps = np.diff(times)
    if np.ptp(steps) > EVEN * steps.mean():
        raise ModelError(
            "weighted_acceleration: the times must be evenly spaced; store states with output=fx.Output(every=...)."
        )
    if a.ndim > 2:
        raise ModelError(f"weighted_acceleration: acceleration must be (n,) or (n, m), not of shape {a.shape}.")
    return _filtered(over, under, float(steps.mean()), a.reshape(len(a), -1)).reshape(a.shape)


def _filtered(over: Polynomial, under: Polynomial, step: float, a: FloatArray) -> FloatArray:
    """Cubic splines through the columns of ``a (n, m)`` behind the filter over / under, from rest."""
    from scipy.interpolate import CubicSpline  # of 0.3 s with the others, for this alone
    from scipy.linalg import expm
    from scipy.signal import tf2ss

    # In steps as unit of time: s = z / step.
    above, below = (np.asarray(p.coef, dtype=np.float64) / step ** np.arange(len(p.coef)) for p in (over, under))
    A, B, C, D = tf2ss(above[::-1], below[::-1])
    n = len(A)
    # A spline and its derivatives are states too; the third stays as it is in a step.
    both = np.zeros((n + 4, n + 4))
    both[:n, :n], both[:n, n], both[n : n + 3, n + 1 :] = A, B[:, 0], np.eye(3)
    forward = expm(both)[:n]
    spline = CubicSpline(np.arange(len(a)), a)
    within = np.stack([spline(np.arange(len(a) - 1), order) for order in range(4)])
    gained = np.tensordot(forward[:, n:], within, 1)
    x = np.zeros((len(a), n, a.shape[1]))
    for k in range(len(a) - 1):
        x[k + 1] = forward[:, :n] @ x[k] + gained[:, k]
    return np.asarray(np.tensordot(x, C[0], (1, 0)) + D[0, 0] * a)


def vibration_dose(t: ArrayLike, acceleration: ArrayLike) -> float:
    r"""Vibration dose value :math:`\left(\int a^4\,dt\right)^{1/4}` of a weighted acceleration.

    Parameters
    ----------
    t : (n,) array
        Times [s], growing.
    acceleration : (n,) or (n, m) array
        Weighted accelerations [m/s^2]; of m directions or places the total is :math:`(\sum VDV_i^4)^{1/4}`.

    Returns
    -------
    float
        [m/s^1.75]

    Raises
    ------
    ModelError
        If times do not grow, or the arrays do not fit.

    Notes
    -----
    Accelerations are straight between the times, and their fourth power is integrated exactly. A sine of amplitude A
    over whole periods has :math:`A\,(3T/8)^{1/4}`; with n states a period it is :math:`\pi^2/(3n^2)` low, 3 % with ten.

    Source: BS 6841:1987; P. P. Valentini, L. Vita, eqs. (6) and (7), for the dose and the total.

    Examples
    --------
    >>> import numpy as np, flexmbs as fx
    >>> t = np.linspace(0.0, 10.0, 10001)
    >>> round(fx.vibration_dose(t, 2.0 * np.sin(2 * np.pi * 5.0 * t)), 2), round(2.0 * (3 * 10 / 8) ** 0.25, 2)
    (2.78, 2.78)
    """
    times, a = _signal("vibration_dose", t, acceleration)
    first, last = a[:-1], a[1:]
    powers = sum(first**i * last ** (4 - i) for i in range(5))
    return float((np.tensordot(np.diff(times), powers, 1) / 5.0).sum() ** 0.25)


def _signal(who: str, t: ArrayLike, acceleration: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Times that grow, and as many finite accelerations."""
    times = as_array(who, "t", t, (None,))
    a = as_array(who, "acceleration", acceleration, (len(times), *shape_of(acceleration)[1:]))
    if len(times) < 2 or not (np.diff(times) > 0.0).all():
        raise ModelError(f"{who}: expected two times or more that grow.")
    return times, a


def _transfer(who: str, weighting: str) -> tuple[Polynomial, Polynomial]:
    """Numerator and denominator in s."""
    if not is_among(weighting, WEIGHTINGS):
        raise ModelError(f"{who}: weighting must be one of {sorted(WEIGHTINGS)}, not {show(weighting)}.")
    turn, q4, step = WEIGHTINGS[weighting]
    w1, w2 = (2.0 * math.pi * f for f in BAND)
    w3 = 2.0 * math.pi * turn
    over = Polynomial([0.0, 0.0, w2**2]) * Polynomial([1.0, 1.0 / w3])
    under = Polynomial([w1**2, math.sqrt(2.0) * w1, 1.0]) * Polynomial([w2**2, math.sqrt(2.0) * w2, 1.0])
    under = under * Polynomial([1.0, 1.0 / (q4 * w3), 1.0 / w3**2])
    if step is not None:
        w5, w6 = 2.0 * math.pi * step[0], 2.0 * math.pi * step[2]
        over = over * Polynomial([1.0, 1.0 / (step[1] * w5), 1.0 / w5**2]) * (w5 / w6) ** 2
        under = under * Polynomial([1.0, 1.0 / (step[3] * w6), 1.0 / w6**2])
    return over, under
