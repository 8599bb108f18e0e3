"""What an unbalance does over the speed: amplitudes and phases of sensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.data_frames import data_frame
from flexmbs.core.distinct_names import number_meant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["UnbalanceResponse"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class UnbalanceResponse:
    r"""Steady vibration of sensors under an unbalance, :math:`y(t) = \mathrm{Re}(Y e^{i\Omega t})`.

    Attributes
    ----------
    speeds : (n,) array
        [rad/time]
    outputs : tuple of str
    values : (n, n_y) complex array
        Y; its phase counts from the moment at which angle zero points along the first transverse axis.
    unit_of_time : str
    """

    speeds: FloatArray
    outputs: tuple[str, ...]
    values: Any
    unit_of_time: str = "s"

    def __repr__(self) -> str:
        return f"<unbalance response of {len(self.outputs)} outputs over {len(self.speeds)} speeds>"

    @property
    def amplitudes(self) -> FloatArray:
        """abs(Y), (n, n_y)."""
        return np.asarray(np.abs(self.values))

    @property
    def phases(self) -> FloatArray:
        """arg(Y) [rad], (n, n_y), unwrapped over the speed."""
        return np.asarray(np.unwrap(np.angle(self.values), axis=0))

    def of(self, output: str | int) -> Any:
        """Y (n,) of one output, by name or number."""
        return self.values[:, number_meant("UnbalanceResponse", "output", output, self.outputs)]

    def to_dataframe(self) -> Any:
        """A row per speed; amplitude and phase of each output (needs pandas)."""
        columns: dict[str, Any] = {"speed": self.speeds}
        for j, name in enumerate(self.outputs):
            columns[f"amplitude of {name}"] = self.amplitudes[:, j]
            columns[f"phase of {name}"] = self.phases[:, j]
        return data_frame(columns, unit=f"rad/{self.unit_of_time}")

    def plot(self, ax: Any = None) -> Axes:
        """Draw amplitudes (logarithmic) and, without ``ax``, phases below, over the speed."""
        from flexmbs.visualization.response_plots import plot_unbalance

        return plot_unbalance(self, ax)
