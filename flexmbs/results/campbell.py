"""Campbell diagrams: roots over the speed, followed as branches, and the critical speeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.checks import is_among, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.data_frames import data_frame
from flexmbs.core.errors import ModelError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CampbellDiagram", "CriticalSpeed"]

SENSES = ("forward", "backward", "")


class CriticalSpeed(NamedTuple):
    """Where a branch meets a line of excitation, frequency = order x speed.

    Attributes
    ----------
    speed : float
        [rad/time]
    order : float
    branch : int
        Column of the diagram.
    whirl : str
        Sense of the mode there: ``"forward"``, ``"backward"`` or empty.
    root : complex
        [1/time]
    """

    speed: float
    order: float
    branch: int
    whirl: str
    root: complex

    @property
    def damping_ratio(self) -> float:
        """-Re s / |s|."""
        return -self.root.real / abs(self.root) + 0.0 if self.root else 0.0


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CampbellDiagram:
    """Roots of a model over its speed.

    Attributes
    ----------
    speeds : (n,) array
        [rad/time]
    roots : (n, m) complex array
        [1/time], a branch per column, by size at the lowest speed above zero; the imaginary part of a branch that
        whirls backward (at most speeds) is negative.
    whirl : (n, m) array of str
        Sense of whirl: ``"forward"``, ``"backward"``, or empty (torsion, tension, motion along a line, rest). In
        unlike bearings it may change along a branch.
    frame : str
        In whose axes the roots are: ``"inertial"``, or those of a body that turns.
    orders : tuple of float
        Orders of excitation of which critical speeds were located.
    critical_speeds : tuple of CriticalSpeed
        By ascending speed.
    unit_of_time : str
    """

    speeds: FloatArray
    roots: Any
    whirl: Any
    frame: str
    orders: tuple[float, ...]
    critical_speeds: tuple[CriticalSpeed, ...]
    unit_of_time: str = "s"

    @property
    def angular_frequencies(self) -> FloatArray:
        """Imaginary parts (n, m) [rad/time]; negative for backward branches."""
        return np.asarray(np.imag(self.roots))

    @property
    def damping_ratios(self) -> FloatArray:
        """-Re s / |s| (n, m); negative where a mode grows."""
        size = np.abs(self.roots)
        return np.asarray(np.where(size > 0.0, -np.real(self.roots) / np.where(size > 0.0, size, 1.0) + 0.0, 0.0))

    @property
    def senses(self) -> tuple[str, ...]:
        """The sense of each branch at most of the speeds (m,)."""
        kinds = np.array(SENSES)
        counts = np.array([np.sum(self._turning == kind, axis=0) for kind in kinds])
        return tuple(kinds[np.argmax(counts, axis=0)].tolist())

    @property
    def _turning(self) -> Any:
        """Senses at speeds above zero, where there are any."""
        return self.whirl[self.speeds > 0.0] if np.any(self.speeds > 0.0) else self.whirl

    def critical(self, order: float = 1.0, whirl: str | None = None) -> FloatArray:
        """Critical speeds (k,) [rad/time] of an order, all or those of one sense of whirl.

        Raises
        ------
        ModelError
            If the order is none of ``orders``, of which alone critical speeds were located, or the sense is unknown.
        """
        if order not in self.orders:
            known = ", ".join(f"{x:g}" for x in self.orders) or "none"
            raise ModelError(
                f"critical: no critical speeds of the order {show(order)} were located, but those of {known}; ask "
                f"campbell for it, orders=[...]."
            )
        if whirl is not None and not is_among(whirl, SENSES):
            raise ModelError(f"critical: whirl must be one of {list(SENSES)} or None, not {show(whirl)}.")
        return np.array(
            [c.speed for c in self.critical_speeds if c.order == order and (whirl is None or c.whirl == whirl)]
        )

    def __repr__(self) -> str:
        n, m = self.roots.shape
        unit = f"rad/{self.unit_of_time}"
        some = ", ".join(f"{c.speed:.5g}" + (f" ({c.whirl})" if c.whirl else "") for c in self.critical_speeds[:6])
        more = " ..." if len(self.critical_speeds) > 6 else ""
        where = "" if self.frame == "inertial" else f" in the frame of {self.frame}"
        return f"<Campbell diagram of {m} branches over {n} speeds{where}; critical: {some or 'none'}{more} [{unit}]>"

    def __str__(self) -> str:
        unit = f"rad/{self.unit_of_time}"
        lines = [repr(self), "", f"{'speed ' + unit:>16} {'order':>6} {'branch':>6} {'damping':>9}  sense"]
        lines += [
            f"{c.speed:16.8g} {c.order:6g} {c.branch:6d} {c.damping_ratio:9.2e}  {c.whirl or '-'}"
            for c in self.critical_speeds
        ]
        return "\n".join(lines)

    def to_dataframe(self) -> Any:
        """A row per speed and branch: speed, branch, frequency, growth, damping ratio, sense (needs pandas)."""
        n, m = self.roots.shape
        return data_frame(
            {
                "speed": np.repeat(self.speeds, m), "branch": np.tile(np.arange(m), n),
                "angular_frequency": self.angular_frequencies.ravel(), "real_part": np.real(self.roots).ravel(),
                "damping_ratio": self.damping_ratios.ravel(), "whirl": self.whirl.ravel(),
            },
            unit=f"rad/{self.unit_of_time}", frame=self.frame,
        )  # fmt: skip

    def plot(self, ax: Axes | None = None, rpm: bool = False) -> Axes:
        """Draw frequencies over the speed, lines of excitation and critical speeds.

        ``rpm``: revolutions per minute and Hz in place of rad/s, where the unit of time is the second.
        """
        from flexmbs.visualization.campbell_plot import plot_campbell

        return plot_campbell(self, ax, rpm)
