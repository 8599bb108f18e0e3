"""Floquet multipliers: what one period of a periodic motion makes of small deviations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.data_frames import data_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FloquetMultipliers"]

STABLE = 1e-5
"""Excess of a multiplier over one that still counts as round-off: a free motion is a double one, of half the digits."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FloquetMultipliers:
    r"""Eigenvalues of the map of small deviations over one period, :math:`x(t+T) = \Phi\,x(t)`.

    Attributes
    ----------
    multipliers : (m,) complex array
        By descending size.
    period : float
        [time]
    map : (m, m) array
        :math:`\Phi`, in independent coordinates and their rates.
    states : tuple of str
        Names of these.
    """

    multipliers: Any
    period: float
    map: FloatArray
    states: tuple[str, ...]

    @property
    def exponents(self) -> Any:
        """log(multiplier) / period (m,) [1/time]; imaginary parts are known up to multiples of 2 pi / period."""
        return np.log(self.multipliers.astype(complex)) / self.period

    @property
    def growing(self) -> Any:
        """Which of them lie outside of the unit circle (m,), beyond round-off."""
        return np.abs(self.multipliers) > 1.0 + STABLE

    @property
    def stable(self) -> bool:
        """Whether none grows."""
        return not bool(np.any(self.growing))

    def __repr__(self) -> str:
        some = ", ".join(f"{abs(m):.5g}" for m in self.multipliers[:4]) + (" ..." if len(self.multipliers) > 4 else "")
        word = "stable" if self.stable else f"{int(np.sum(self.growing))} growing"
        return f"<{len(self.multipliers)} Floquet multipliers of period {self.period:g}, {word}: sizes {some}>"

    def to_dataframe(self) -> Any:
        """A row per multiplier: real and imaginary part, size, exponent (needs pandas)."""
        m, e = self.multipliers, self.exponents
        return data_frame(
            {
                "real": np.real(m), "imaginary": np.imag(m), "size": np.abs(m), "exponent_real": np.real(e),
                "exponent_imaginary": np.imag(e), "growing": self.growing,
            },
            period=self.period,
        )  # fmt: skip

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw them beside the unit circle."""
        from flexmbs.visualization.linear_plots import plot_multipliers

        return plot_multipliers(self, ax)
