"""The drive with which a model answers as measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.data_frames import data_frame

__all__ = ["MatchedResponse"]


@dataclass(frozen=True, eq=False, repr=False)
class MatchedResponse:
    """The best drive that was found.

    Attributes
    ----------
    step : float
        Time between the values.
    drive, response, target : (n,) arrays
    errors : (k,) array
        Rms of target minus response relative to that of the target, before each improvement and at the end; ``drive``
        and ``response`` are those of the smallest.
    """

    step: float
    drive: FloatArray
    response: FloatArray
    target: FloatArray
    errors: FloatArray

    def __repr__(self) -> str:
        return f"<matched response: error {self.errors.min():.2e} after {int(self.errors.argmin())} improvements>"

    @property
    def times(self) -> FloatArray:
        """Of the values, from zero (n,)."""
        return np.asarray(self.step * np.arange(len(self.drive)))

    def to_dataframe(self) -> Any:
        """A row per time: drive, response, target (needs pandas)."""
        return data_frame({"t": self.times, "drive": self.drive, "response": self.response, "target": self.target})

    def plot(self, ax: Any = None) -> Any:
        """Draw target and response over time."""
        from flexmbs.visualization.linear_plots import plot_match

        return plot_match(self, ax)
