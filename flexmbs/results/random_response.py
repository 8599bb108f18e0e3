"""What random inputs do: mean squares, spectra, crossings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import as_array
from flexmbs.core.contracts import FloatArray
from flexmbs.core.data_frames import data_frame
from flexmbs.core.distinct_names import number_meant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RandomResponse"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RandomResponse:
    """Stationary response of outputs of a linear model to independent random inputs.

    Attributes
    ----------
    outputs : tuple of str
    mean_squares : (n_y,) array
        [unit^2]
    rate_mean_squares : (n_y,) array
        Mean squares of the time derivatives; infinite where white noise makes them so.
    density : function of (n_f,) frequencies [1/time]
        One-sided spectra (n_f, n_y) [unit^2 time]; see `spectrum`.
    """

    outputs: tuple[str, ...]
    mean_squares: FloatArray
    rate_mean_squares: FloatArray
    density: Callable[[FloatArray], FloatArray]

    def __repr__(self) -> str:
        some = ", ".join(f"{name}: {value:.5g}" for name, value in zip(self.outputs[:4], self.rms, strict=False))
        return f"<random response, rms of {some}{' ...' if len(self.outputs) > 4 else ''}>"

    @property
    def rms(self) -> FloatArray:
        """Roots of the mean squares (n_y,)."""
        return np.sqrt(self.mean_squares)

    def of(self, output: str | int) -> float:
        """The rms of one output, by name or number."""
        return float(self.rms[number_meant("RandomResponse", "output", output, self.outputs)])

    @property
    def crossings(self) -> FloatArray:
        """Mean rate (n_y,) at which an output crosses its mean upwards [1/time] (Rice)."""
        size = np.where(self.mean_squares > 0.0, self.mean_squares, np.nan)
        return np.asarray(np.sqrt(self.rate_mean_squares / size) / (2.0 * np.pi))

    def level_crossings(self, levels: Any) -> FloatArray:
        """Mean rate (n_y,) at which outputs cross ``levels`` above their mean upwards, for normal inputs [1/time]."""
        a = as_array("level_crossings", "levels", np.broadcast_to(levels, (len(self.outputs),)), (len(self.outputs),))
        return np.asarray(self.crossings * np.exp(-(a**2) / (2.0 * self.mean_squares)))

    def spectrum(self, frequencies: Any) -> FloatArray:
        """One-sided spectra (n_f, n_y) [unit^2 time] at frequencies [1/time]."""
        return self.density(as_array("spectrum", "frequencies", frequencies, (None,), unit="1/time"))

    def to_dataframe(self) -> Any:
        """A row per output: rms, rms of the rate, rate of crossings (needs pandas)."""
        rates = np.sqrt(self.rate_mean_squares)
        return data_frame({"output": self.outputs, "rms": self.rms, "rms_of_rate": rates, "crossings": self.crossings})

    def plot(self, frequencies: Any, ax: Axes | None = None) -> Axes:
        """Draw the spectra over frequencies (n_f,) [1/time], both axes logarithmic."""
        from flexmbs.visualization.linear_plots import plot_spectra

        return plot_spectra(self, frequencies, ax)
