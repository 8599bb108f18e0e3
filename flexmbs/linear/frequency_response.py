"""Frequency responses: complex amplitudes over frequency, from inputs to outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.contracts import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FrequencyResponse"]


@dataclass(frozen=True, eq=False, repr=False)
class FrequencyResponse:
    """Complex amplitudes, as `harmonic_response` gives them; the time law is exp(i omega t).

    Parameters
    ----------
    frequencies : (n_w,) array
        [1/time]
    values : (n_w, n_out, n_in) complex array
        Amplitudes of the outputs for each input.
    outputs, inputs : tuple of str
        Their names.
    """

    frequencies: FloatArray
    values: NDArray[np.complex128]
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]

    def __repr__(self) -> str:
        low, high = self.frequencies.min(), self.frequencies.max()
        return (
            f"FrequencyResponse: {len(self.frequencies)} frequencies from {low:g} to {high:g}; "
            f"{', '.join(self.outputs)} for {', '.join(self.inputs)}"
        )

    @property
    def amplitudes(self) -> FloatArray:
        """Absolute values (n_w, n_out, n_in)."""
        return np.abs(self.values)

    @property
    def phases(self) -> FloatArray:
        """Phase angles (n_w, n_out, n_in) [rad]; negative where the motion lags behind the force."""
        return np.angle(self.values)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Amplitudes over frequency, logarithmic, one line per output and input.

        Parameters
        ----------
        ax : matplotlib axes, optional
            To draw into; a new figure by default.
        """
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.subplots(layout="constrained")[1]
        for o, output in enumerate(self.outputs):
            for i, given in enumerate(self.inputs):
                label = output if len(self.inputs) == 1 else f"{output} for {given}"
                ax.plot(self.frequencies, self.amplitudes[:, o, i], label=label)
        ax.set_yscale("log")
        ax.set_xlabel("frequency [1/time]")
        ax.set_ylabel("amplitude")
        if len(self.outputs) * len(self.inputs) > 1:
            ax.legend(frameon=False)
        return ax
