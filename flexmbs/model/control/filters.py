r"""Discrete linear systems: filters, averages, delays, and what transfer functions become at a sampling period.

.. math:: x_{k+1} = A x_k + B u_k, \qquad y_k = C x_k + D u_k
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmbs.core.checks import as_array, as_count, as_number, frozen_copy, shape_of, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError

__all__ = ["DiscreteSystem", "bilinear", "delay_line", "low_pass", "moving_average", "state_space"]

Matrix = Sequence[Sequence[float]] | FloatArray
Coefficients = Sequence[float] | FloatArray


@dataclass(frozen=True, eq=False)
class DiscreteSystem:
    """A discrete linear system x' = A x + B u, y = C x + D u.

    Parameters
    ----------
    A : (n, n) array
    B : (n, n_u) array
    C : (n_y, n) array
    D : (n_y, n_u) array

    Raises
    ------
    ModelError
        If the shapes do not go together, or a number is not finite.

    Examples
    --------
    >>> low_pass(10.0, period=0.001).then(delay_line(2)).n_states
    3
    """

    A: Matrix
    B: Matrix
    C: Matrix
    D: Matrix

    def __post_init__(self) -> None:
        D = as_array("DiscreteSystem", "D", self.D, (None, None))
        n = len(as_array("DiscreteSystem", "A", self.A, (None, None))) if 0 not in shape_of(self.A) else 0
        for name, shape in (("A", (n, n)), ("B", (n, D.shape[1])), ("C", (D.shape[0], n))):
            given = getattr(self, name)
            empty = 0 in shape and 0 in shape_of(given)
            array = np.zeros(shape) if empty else as_array("DiscreteSystem", name, given, shape)
            object.__setattr__(self, name, frozen_copy(array))
        object.__setattr__(self, "D", frozen_copy(D))

    @property
    def n_states(self) -> int:
        """How many states it has."""
        return len(self.A)

    @property
    def n_inputs(self) -> int:
        """How many inputs it has."""
        return int(np.shape(self.D)[1])

    @property
    def n_outputs(self) -> int:
        """How many outputs it has."""
        return len(self.D)

    def state_after(self, x: FloatArray, u: FloatArray) -> FloatArray:
        """A x + B u."""
        return np.asarray(self.A) @ x + np.asarray(self.B) @ u

    def output_of(self, x: FloatArray, u: FloatArray) -> FloatArray:
        """C x + D u."""
        return np.asarray(self.C) @ x + np.asarray(self.D) @ u

    def then(self, following: DiscreteSystem) -> DiscreteSystem:
        """This system and another one that gets its outputs."""
        if not isinstance(following, DiscreteSystem):
            raise ModelError(f"DiscreteSystem: following must be a DiscreteSystem, not {show(following)}.")
        if following.n_inputs != self.n_outputs:
            raise ModelError(
                f"DiscreteSystem: the following system has {following.n_inputs} inputs, but this one has "
                f"{self.n_outputs} outputs."
            )
        a, b = [[np.asarray(getattr(s, m)) for m in "ABCD"] for s in (self, following)]
        A = np.block([[a[0], np.zeros((self.n_states, following.n_states))], [b[1] @ a[2], b[0]]])
        return DiscreteSystem(A, np.vstack((a[1], b[1] @ a[3])), np.hstack((b[3] @ a[2], b[2])), b[3] @ a[3])

    def repeated(self, count: int) -> DiscreteSystem:
        """``count`` of these side by side, one for each of several signals."""
        count = as_count("DiscreteSystem", "count", count, minimum=1)
        A, B, C, D = (np.kron(np.eye(count), np.asarray(m)) for m in (self.A, self.B, self.C, self.D))
        return DiscreteSystem(A, B, C, D)


def low_pass(cutoff: float, period: float, order: int = 1, damping: float = math.sqrt(0.5)) -> DiscreteSystem:
    r"""A low pass of first or second order, by the bilinear transform that keeps the cutoff frequency.

    With s in units of the cutoff, :math:`1/(1 + s)` or :math:`1/(1 + 2\zeta s + s^2)`, and
    :math:`s = (z - 1) / (c\,(z + 1))`, :math:`c = \tan(\pi f T)`.

    Parameters
    ----------
    cutoff : float
        f [1/time], below half the sampling frequency.
    period : float
        T [time].
    order : int, default 1
        1 or 2.
    damping : float, default sqrt(1/2)
        Of second order; the default is a Butterworth filter.

    Examples
    --------
    >>> filter = low_pass(10.0, period=0.001, order=2)
    >>> filter.n_states
    2
    """
    owner = "low_pass"
    period = as_number(owner, "period", period, above=0.0, unit="time")
    cutoff = as_number(owner, "cutoff", cutoff, above=0.0, below=0.5 / period, unit="1/time")
    damping = as_number(owner, "damping", damping, above=0.0)
    c = math.tan(math.pi * cutoff * period)
    if as_count(owner, "order", order, minimum=1) == 1:
        return state_space((c, c), (1.0 + c, c - 1.0))
    if order != 2:
        raise ModelError(f"{owner}: order must be 1 or 2, not {order}; for more put filters in series with .then(...).")
    return state_space(
        (c * c, 2.0 * c * c, c * c),
        (1.0 + 2.0 * damping * c + c * c, 2.0 * (c * c - 1.0), 1.0 - 2.0 * damping * c + c * c),
    )


def moving_average(count: int) -> DiscreteSystem:
    """The mean of the last ``count`` samples, this one included; samples before the start count as zero.

    Examples
    --------
    >>> moving_average(4).D.tolist()
    [[0.25]]
    """
    n = as_count("moving_average", "count", count, minimum=1)
    return state_space(np.full(n, 1.0 / n), [1.0, *[0.0] * (n - 1)])


def delay_line(count: int) -> DiscreteSystem:
    """The sample of ``count`` periods ago; zero before the start.

    Examples
    --------
    >>> delay_line(3).n_states
    3
    """
    n = as_count("delay_line", "count", count)
    return state_space([*[0.0] * n, 1.0], [1.0, *[0.0] * n])


def state_space(numerator: Coefficients, denominator: Coefficients) -> DiscreteSystem:
    """The system of a transfer function in z, (b_0 + b_1 z^-1 + ...) / (a_0 + a_1 z^-1 + ...).

    Parameters
    ----------
    numerator, denominator : (n,) sequence
        b and a; a_0 must not be zero.

    Examples
    --------
    >>> state_space([1.0], [1.0, -0.5]).A.tolist()
    [[0.5]]
    """
    b = as_array("state_space", "numerator", numerator, (None,))
    a = as_array("state_space", "denominator", denominator, (None,))
    n = max(len(a), len(b))
    if not len(a) or a[0] == 0.0 or not len(b):
        raise ModelError(f"state_space: the denominator must not start with zero, as {show(a.tolist())} does.")
    b, a = np.pad(b, (0, n - len(b))) / a[0], np.pad(a, (0, n - len(a))) / a[0]
    A = np.eye(n - 1, k=-1)
    A[:1] = -a[1:]
    return DiscreteSystem(A, np.eye(n - 1, 1), (b[1:] - b[0] * a[1:])[None], [[b[0]]])


def bilinear(numerator: Coefficients, denominator: Coefficients, period: float) -> DiscreteSystem:
    """A transfer function in s at a sampling period, by the bilinear transform s = 2 (z - 1) / (T (z + 1)).

    Parameters
    ----------
    numerator, denominator : (n,) sequence
        Coefficients of s, highest power first.
    period : float
        T [time].

    Examples
    --------
    A lead compensator:

    >>> bilinear([0.1, 1.0], [0.01, 1.0], period=0.001).n_states
    1
    """
    period = as_number("bilinear", "period", period, above=0.0, unit="time")
    b, a = as_transfer_function("bilinear", numerator, denominator)
    n = len(a) - 1
    powers = [_power((2.0 / period, -2.0 / period), n - i, (1.0, 1.0), i) for i in range(n + 1)]
    return state_space(b @ np.array(powers), a @ np.array(powers))


def _power(p: Coefficients, m: int, q: Coefficients, n: int) -> FloatArray:
    """Coefficients of the polynomial p^m q^n."""
    found = np.ones(1)
    for factor in (p,) * m + (q,) * n:
        found = np.convolve(found, factor)
    return found


def as_transfer_function(owner: str, numerator: object, denominator: object) -> tuple[FloatArray, FloatArray]:
    """Coefficients in s of the same length, checked to be proper."""
    b = as_array(owner, "numerator", numerator, (None,))
    a = as_array(owner, "denominator", denominator, (None,))
    b = np.trim_zeros(b, "f")
    if not len(a) or a[0] == 0.0:
        raise ModelError(f"{owner}: the first coefficient of the denominator must not be zero, not {show(a.tolist())}.")
    if len(b) > len(a):
        raise ModelError(
            f"{owner}: the numerator has degree {len(b) - 1}, more than the {len(a) - 1} of the denominator; such a "
            f"system differentiates and has no states. Add a pole."
        )
    return np.pad(b, (len(a) - len(b), 0)), a
