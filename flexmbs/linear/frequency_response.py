"""Frequency responses: complex amplitudes over frequency, from inputs to outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.contracts import FloatArray
from flexmbs.core.data_frames import data_frame
from flexmbs.core.distinct_names import distinct_names, number_meant
from flexmbs.core.names_in_pictures import as_drawn
from flexmbs.linear.response_pictures import bode_axes, draw_bode, draw_nyquist

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FrequencyResponse"]


@dataclass(frozen=True, eq=False, repr=False)
class FrequencyResponse:
    """Complex amplitudes, as `harmonic_response` and `LinearModel.sweep` give them; the time law is exp(i omega t).

    Parameters
    ----------
    frequencies : (n_w,) array
        [1/time]
    values : (n_w, n_out, n_in) complex array
        Amplitudes of the outputs for each input.
    outputs, inputs : tuple of str
        Their names; equal ones are numbered from 1.
    """

    frequencies: FloatArray
    values: NDArray[np.complex128]
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]

    def __post_init__(self) -> None:
        for side in ("outputs", "inputs"):
            object.__setattr__(self, side, distinct_names(getattr(self, side)))

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

    @property
    def decibels(self) -> FloatArray:
        """20 log10 of the absolute values (n_w, n_out, n_in); minus infinity where there is no response."""
        with np.errstate(divide="ignore"):
            return np.asarray(20.0 * np.log10(self.amplitudes))

    def of(self, output: str | int = 0, source: str | int = 0) -> NDArray[np.complex128]:
        """The response (n_w,) of one output to one input, by name or number."""
        places = []
        for kind, wanted, names in (("output", output, self.outputs), ("input", source, self.inputs)):
            places.append(number_meant("FrequencyResponse", kind, wanted, names))
        return np.asarray(self.values[:, places[0], places[1]])

    def to_dataframe(self) -> Any:
        """A row per frequency; amplitude and phase of each output for each input (needs pandas)."""
        columns: dict[str, Any] = {"frequency": self.frequencies}
        for (o, i), name in zip(np.ndindex(self.values.shape[1:]), self._labels(), strict=True):
            columns[f"amplitude of {name}"] = self.amplitudes[:, o, i]
            columns[f"phase of {name}"] = np.unwrap(self.phases[:, o, i])
        return data_frame(columns)

    def _labels(self) -> tuple[str, ...]:
        """Names of the columns of (n_w, n_out n_in)."""
        alone = len(self.inputs) == 1
        return tuple(o if alone else f"{o} for {i}" for o in self.outputs for i in self.inputs)

    def bode(self, ax: Any = None) -> Axes:
        """Amplitudes and phases over frequency, both axes logarithmic; ``ax``: two axes, or one for amplitudes."""
        upper, lower = bode_axes("bode", ax)
        draw_bode(upper, lower, self.frequencies, self.values.reshape(len(self.frequencies), -1), self._labels())
        upper.set_xscale("log")
        upper.set_ylabel("amplitude")
        below = upper if lower is None else lower
        below.set_xscale("log")
        below.set_xlabel("frequency [1/time]")
        return upper  # type: ignore[no-any-return]

    def nyquist(self, ax: Axes | None = None) -> Axes:
        """The response in the complex plane, its mirror image dashed, and the point -1.

        A curve that would be a dot beside -1, such as a compliance, is drawn without it, which the picture says.
        """
        values = self.values.reshape(len(self.frequencies), -1)
        return draw_nyquist(ax, values, self._labels())  # type: ignore[no-any-return]

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
                ax.plot(self.frequencies, self.amplitudes[:, o, i], label=as_drawn(label))
        ax.set_yscale("log")
        ax.set_xlabel("frequency [1/time]")
        ax.set_ylabel("amplitude")
        if len(self.outputs) * len(self.inputs) > 1:
            ax.legend(frameon=False)
        return ax
