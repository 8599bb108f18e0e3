"""Root loci: poles over a parameter or a gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.data_frames import data_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RootLocus"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RootLocus:
    """Poles of a family of linear models, followed as branches.

    Attributes
    ----------
    values : (n,) array
        Of the parameter.
    roots : (n, m) complex array
        [1/time], a branch per column.
    growth : (n,) array
        The largest real part at each value [1/time]; 0 where a pole rests and none grows, but for round-off.
    crossings : (k,) array
        Values at which poles begin to grow, or cease to: where stability is won or lost.
    parameter : str
    """

    values: FloatArray
    roots: Any
    growth: FloatArray
    crossings: FloatArray
    parameter: str

    def __repr__(self) -> str:
        n, m = self.roots.shape
        at = ", ".join(f"{x:.5g}" for x in self.crossings)
        return f"<root locus of {m} poles over {n} values of {self.parameter}; stability changes at: {at or 'none'}>"

    @property
    def stable(self) -> Any:
        """Whether all poles decay or rest, at each value (n,)."""
        return self.growth <= 0.0

    @property
    def damping_ratios(self) -> FloatArray:
        """-Re s / |s| (n, m)."""
        size = np.abs(self.roots)
        return np.asarray(np.where(size > 0.0, -np.real(self.roots) / np.where(size > 0.0, size, 1.0) + 0.0, 0.0))

    def to_dataframe(self) -> Any:
        """A row per value and branch: real and imaginary part, damping ratio (needs pandas)."""
        n, m = self.roots.shape
        return data_frame(
            {
                self.parameter: np.repeat(self.values, m), "branch": np.tile(np.arange(m), n),
                "real": self.roots.real.ravel(), "imaginary": self.roots.imag.ravel(),
                "damping_ratio": self.damping_ratios.ravel(),
            }
        )  # fmt: skip

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the poles in the complex plane; a cross at the first value, a dot at the last."""
        from flexmbs.visualization.linear_plots import plot_root_locus

        return plot_root_locus(self, ax)
