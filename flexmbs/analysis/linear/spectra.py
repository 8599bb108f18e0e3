"""Spectra of random inputs: white, of first order, from a table. All are one-sided, over the frequency f [1/time]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.core.checks import as_array, as_number, as_places, frozen_copy, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError

__all__ = ["FirstOrderSpectrum", "TableSpectrum", "WhiteSpectrum"]

NARROW = 1e-9
"""Least relative distance of points of a table: values between them keep six digits over ten decades."""


@dataclass(frozen=True)
class WhiteSpectrum:
    r"""G(f) = level at all frequencies.

    A two-sided density :math:`S_0` over :math:`\omega` has the level :math:`4\pi S_0`.

    Parameters
    ----------
    level : float
        [unit^2 time], one-sided.

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.WhiteSpectrum(0.5)([1.0, 2.0]).tolist()
    [0.5, 0.5]
    """

    level: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", as_number("WhiteSpectrum", "level", self.level, minimum=0.0))

    def __call__(self, f: Any) -> FloatArray:
        return np.full(as_places("WhiteSpectrum", "f", f).shape, self.level)

    @property
    def white(self) -> tuple[float, float | None]:
        """Level of the white noise behind it, and the corner [1/time] of the filter, if there is one."""
        return self.level, None


@dataclass(frozen=True)
class FirstOrderSpectrum:
    r"""G(f) = strength / (f^2 + corner^2): white noise through a first-order filter; roads, turbulence.

    A road with :math:`G(n) = G_d n_0^2/(n^2 + n_c^2)` over the wave number n [1/length] at the speed V has the strength
    :math:`G_d n_0^2 V` and the corner :math:`n_c V`.

    Parameters
    ----------
    strength : float
        [unit^2 / time]
    corner : float
        [1/time], above zero.

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.FirstOrderSpectrum(2.0, corner=1.0)([0.0, 1.0]).tolist()
    [2.0, 1.0]
    """

    strength: float
    corner: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "strength", as_number("FirstOrderSpectrum", "strength", self.strength, minimum=0.0))
        object.__setattr__(self, "corner", as_number("FirstOrderSpectrum", "corner", self.corner, above=0.0))

    def __call__(self, f: Any) -> FloatArray:
        return np.asarray(self.strength / (as_places("FirstOrderSpectrum", "f", f) ** 2 + self.corner**2))

    @property
    def white(self) -> tuple[float, float | None]:
        """Level of the white noise behind 1 / (s + 2 pi corner), and the corner."""
        return self.strength * (2.0 * np.pi) ** 2, self.corner


@dataclass(frozen=True, eq=False)
class TableSpectrum:
    """Between points straight in log-log scales, zero outside.

    Parameters
    ----------
    frequencies : (n,) array
        Ascending, above zero, farther apart than 1e-9 of themselves [1/time].
    values : (n,) array
        G, above zero [unit^2 time].

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.TableSpectrum([1.0, 100.0], [1.0, 0.01])([0.5, 10.0]).round(12).tolist()
    [0.0, 0.1]
    """

    frequencies: Sequence[float] | FloatArray
    values: Sequence[float] | FloatArray

    def __post_init__(self) -> None:
        f = as_array("TableSpectrum", "frequencies", self.frequencies, (None,), unit="1/time")
        G = as_array("TableSpectrum", "values", self.values, (len(f),))
        if len(f) < 2 or f[0] <= 0.0 or np.any(np.diff(f) <= 0.0):
            raise ModelError(f"TableSpectrum: frequencies must ascend from above zero, not {show(f.tolist())}.")
        near = np.diff(f) < NARROW * f[:-1]
        if near.any():
            i = int(near.argmax())
            raise ModelError(
                f"TableSpectrum: the frequencies {f[i]!r} and {f[i + 1]!r} are nearer to each other than {NARROW:g} of "
                f"themselves, where rounding decides about what is between them; take them farther apart."
            )
        if np.any(G <= 0.0):
            raise ModelError(f"TableSpectrum: values must be above zero, not {show(G.tolist())}.")
        object.__setattr__(self, "frequencies", frozen_copy(f))
        object.__setattr__(self, "values", frozen_copy(G))

    def __call__(self, f: Any) -> FloatArray:
        x = as_places("TableSpectrum", "f", f)
        known = np.asarray(self.frequencies)
        inside = (x >= known[0]) & (x <= known[-1])
        safe = np.where(inside, x, known[0])
        return np.asarray(np.where(inside, np.exp(np.interp(np.log(safe), np.log(known), np.log(self.values))), 0.0))
