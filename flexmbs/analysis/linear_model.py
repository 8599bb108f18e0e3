r"""A linear model with inputs and outputs, dx/dt = A x + B u, y = C x + D u."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.attributes import Hinted
from flexmbs.core.contracts import FloatArray
from flexmbs.reduction.export import export

if TYPE_CHECKING:
    from flexmbs.reduction.export import ExportResult

__all__ = ["LinearModel"]


@dataclass(frozen=True, eq=False, repr=False)
class LinearModel(Hinted):
    r"""Small deviations from an operating point: :math:`\dot x = A x + B u`, :math:`y = C x + D u`.

    Attributes
    ----------
    A, B, C, D : (n, n), (n, n_u), (n_y, n), (n_y, n_u) arrays
    states, inputs, outputs : tuples of str
        What the entries of x, u and y are.
    operating_outputs : (n_y,) array
        What the sensors read at the operating point; y is the deviation from it.

    Examples
    --------
    >>> import flexmbs as fx
    >>> cart = fx.PointMass(2.0, position=(0.0, 0.0), name="cart")
    >>> spring = fx.Bushing(fx.ground.marker((0, 0, 0)), cart, (8.0, 8.0), damping=(0.4, 0.4))
    >>> push = fx.PointForce(cart, (1.0, 0.0))
    >>> linear = fx.linearise(fx.Model(cart, spring, push), [push], [fx.control.PositionSensor(cart, (1, 0))])
    >>> round(float(linear.transfer(0.0)[0, 0].real), 6), len(linear.poles)
    (0.125, 4)
    """

    A: FloatArray
    B: FloatArray
    C: FloatArray
    D: FloatArray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    operating_outputs: FloatArray

    def __repr__(self) -> str:
        return f"<linear model: {len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs>"

    @property
    def poles(self) -> Any:
        """Eigenvalues of A (n,) [1/time], complex, by ascending size."""
        s = np.linalg.eigvals(self.A)
        return s[np.argsort(np.abs(s), kind="stable")]

    def transfer(self, omega: Any) -> Any:
        """Frequency response C (i omega - A)^-1 B + D: (n_y, n_u), or (n_w, n_y, n_u) for several omega [rad/time]."""
        w = np.asarray(omega, dtype=np.float64)
        one = np.eye(len(self.A))
        values = np.array([self.C @ np.linalg.solve(1j * x * one - self.A, self.B) + self.D for x in np.atleast_1d(w)])
        return values[0] if w.ndim == 0 else values

    def to_scipy(self) -> Any:
        """The same as `scipy.signal.StateSpace`."""
        from scipy.signal import StateSpace

        return StateSpace(self.A, self.B, self.C, self.D)

    def export(
        self, output: str | Path, to: str | Sequence[str] | None = None, **options: Any
    ) -> tuple[ExportResult, ...]:
        """Write files for other tools, such as a functional mock-up unit; see `flexmbs.reduction.export`."""
        return export(self, output, to, **options)
