r"""A linear model with inputs and outputs, dx/dt = A x + B u, y = C x + D u."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import matrix_balance, schur, solve_triangular

from flexmbs.analysis.linear.real_parts import decided_real_parts
from flexmbs.analysis.linear.zeros import transmission_zeros
from flexmbs.core.attributes import Hinted
from flexmbs.core.calls import with_methods
from flexmbs.core.checks import as_array, as_number, is_among, is_list, shape_of
from flexmbs.core.contracts import FloatArray
from flexmbs.core.data_frames import data_frame
from flexmbs.core.distinct_names import number_meant, numbers_meant
from flexmbs.core.errors import ModelError
from flexmbs.linear.frequency_response import FrequencyResponse
from flexmbs.reduction.export import export

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from flexmbs.reduction.export import ExportResult
    from flexmbs.results.random_response import RandomResponse

__all__ = ["LinearModel", "numbers_of", "telling_frequencies"]


@with_methods
@dataclass(frozen=True, eq=False, repr=False)
class LinearModel(Hinted):
    r"""Small deviations from an operating point: :math:`\dot x = A x + B u`, :math:`y = C x + D u`.

    Attributes
    ----------
    A, B, C, D : (n, n), (n, n_u), (n_y, n), (n_y, n_u) arrays
    states, inputs, outputs : tuples of str
        What the entries of x, u and y are. Inputs or outputs of one name are numbered: "force on 'tip' (1)".
    operating_outputs : (n_y,) array
        What the sensors read at the operating point; y is the deviation from it.
    energy : (n, n) array or None
        Twice the energy of small motions is :math:`x^T E x`, about states of rest of forces with a potential.
    sources, sensors : tuples
        The loads, actuators, joint forces or joints that the inputs are, and the sensor of each output, by which they
        may be asked for; empty where they are not known (`from_control`).

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
    energy: FloatArray | None = None
    sources: tuple[Any, ...] = ()
    sensors: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        def checked(name: str, *shape: int | None) -> tuple[int, ...]:
            array = as_array("LinearModel", name, getattr(self, name), shape)
            object.__setattr__(self, name, array)
            return array.shape

        n, _ = checked("A", len(self.states), len(self.states))
        _, n_u = checked("B", n, None)
        n_y, _ = checked("C", None, n)
        checked("D", n_y, n_u)

    def __repr__(self) -> str:
        return f"<linear model: {len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs>"

    @property
    def poles(self) -> Any:
        """Eigenvalues of A (n,) [1/time], complex, by ascending size."""
        s = np.linalg.eigvals(self.A)
        return s[np.argsort(np.abs(s), kind="stable")]

    def transfer(self, omega: Any) -> Any:
        """Frequency response C (i omega - A)^-1 B + D: (n_y, n_u), or (n_w, n_y, n_u) for several omega [rad/time]."""
        w = as_array("transfer", "omega", omega, (None,) * min(1, len(shape_of(omega))), unit="rad/time")
        one = np.eye(len(self.A))
        if w.ndim and len(w) > 8:  # triangular once, then cheap at every frequency
            # In units in which rows and columns are of one size: rates of 1 MHz are 1e7 times their displacements.
            balanced, (unit, _) = matrix_balance(self.A, permute=False, separate=True)
            T, U = schur(balanced, output="complex")
            B, C = U.conj().T @ (self.B / unit[:, None]), (self.C * unit) @ U
            return np.array([C @ solve_triangular(1j * x * one - T, B) + self.D for x in w])
        values = np.array([self.C @ np.linalg.solve(1j * x * one - self.A, self.B) + self.D for x in np.atleast_1d(w)])
        return values[0] if w.ndim == 0 else values

    @property
    def stable(self) -> bool:
        """Whether every pole decays; one that rests or vibrates without damping does not, whatever its last digits."""
        return bool(np.all(decided_real_parts(self.A) < 0.0))

    def zeros(self, inputs: Any = None, outputs: Any = None) -> Any:
        """Transmission zeros (k,) [1/time], complex, by ascending size: of one input to one output, or of all together.

        Inputs and outputs as `part` takes them. Where they are not equally many there are zeros only in
        special cases. A zero in the right half plane: the path is not of minimum phase.
        """
        part = self.part(inputs, outputs)
        return transmission_zeros(part.A, part.B, part.C, part.D)

    def part(self, inputs: Any = None, outputs: Any = None) -> LinearModel:
        """The same states with some of the inputs and outputs: the load, sensor ... itself, a name, a number, a list.

        A sensor of several numbers means all of them.
        """
        i = numbers_of("input", inputs, self.inputs, self.sources)
        o = numbers_of("output", outputs, self.outputs, self.sensors)
        return replace(
            self, B=self.B[:, i], C=self.C[o], D=self.D[np.ix_(o, i)], inputs=tuple(self.inputs[k] for k in i),
            outputs=tuple(self.outputs[k] for k in o), operating_outputs=self.operating_outputs[o],
            sources=tuple(self.sources[k] for k in i if self.sources),
            sensors=tuple(self.sensors[k] for k in o if self.sensors),
        )  # fmt: skip

    def sweep(self, frequencies: Any = None, inputs: Any = None, outputs: Any = None) -> FrequencyResponse:
        """Frequency response over ``frequencies`` (n_w,) [1/time], as `flexmbs.linear.FrequencyResponse`.

        Left out, they go from a decade below the lowest pole or zero to a decade above the highest, denser at each.
        """
        part = self.part(inputs, outputs)
        if frequencies is None:
            f = telling_frequencies(np.concatenate((part.poles, part.zeros())))
        else:
            f = as_array("sweep", "frequencies", frequencies, (None,), unit="1/time")
            if not len(f):
                raise ModelError(
                    "sweep: frequencies must be one or more numbers [1/time], or left out; there are none."
                )
        return FrequencyResponse(f, part.transfer(2.0 * np.pi * f), part.outputs, part.inputs)

    def bode(self, frequencies: Any = None, ax: Any = None, inputs: Any = None, outputs: Any = None) -> Axes:
        """Draw amplitudes and phases over the frequency; see `sweep`."""
        return self.sweep(frequencies, inputs, outputs).bode(ax)

    def nyquist(self, frequencies: Any = None, ax: Any = None, inputs: Any = None, outputs: Any = None) -> Axes:
        """Draw the response in the complex plane; see `sweep`."""
        return self.sweep(frequencies, inputs, outputs).nyquist(ax)

    def plot(self, ax: Any = None, inputs: Any = None, outputs: Any = None) -> Axes:
        """Draw poles and, where there are inputs and outputs, zeros in the complex plane."""
        from flexmbs.visualization.linear_plots import plot_poles

        return plot_poles(self.poles, self.zeros(inputs, outputs), ax=ax)

    def to_dataframe(self) -> Any:
        """A row per pole: real and imaginary part, frequency |s| / (2 pi), damping ratio (needs pandas)."""
        s = self.poles
        size = np.where(np.abs(s) > 0.0, np.abs(s), 1.0)
        return data_frame({"real": s.real, "imaginary": s.imag, "frequency": np.abs(s) / (2.0 * np.pi),
                           "damping_ratio": -s.real / size + 0.0})  # fmt: skip

    def closed(self, gain: float, inputs: Any = 0, outputs: Any = 0) -> LinearModel:
        """With the feedback u = -gain y + u_new from one output to one input, each as `part` takes it.

        Raises
        ------
        ModelError
            If 1 + gain D is zero, or more than one input or output is meant.
        """
        k = as_number("closed", "gain", gain)
        i = number_meant("closed", "input", inputs, self.inputs, self.sources)
        o = number_meant("closed", "output", outputs, self.outputs, self.sensors)
        through = 1.0 + k * self.D[o, i]
        if abs(through) < 1e-12:
            raise ModelError("closed: the loop of gain and feedthrough is singular, 1 + gain D = 0; change the gain.")
        g = k / through
        return replace(
            self, A=self.A - g * np.outer(self.B[:, i], self.C[o]), B=self.B - g * np.outer(self.B[:, i], self.D[o]),
            C=self.C - g * np.outer(self.D[:, i], self.C[o]), D=self.D - g * np.outer(self.D[:, i], self.D[o]),
        )  # fmt: skip

    def random(self, spectra: Mapping[Any, Any]) -> RandomResponse:
        """Stationary response of all outputs to independent random inputs: mean squares, spectra, crossings.

        Parameters
        ----------
        spectra : mapping of inputs (name, number, or the load, actuator ... itself) to spectra
            One-sided over the frequency: a level or `WhiteSpectrum`, `FirstOrderSpectrum`, `TableSpectrum`.

        Raises
        ------
        ModelError
            If a pole does not decay, or white noise goes straight to an output. Displacement and rate of a prescribed
            motion that is an input do not decay: they are left out where no output depends on them, as accelerations
            and relative motions do not. Under a `TableSpectrum` every output may.

        Examples
        --------
        The mean square of an oscillator under white noise is G / (4 k c) with the one-sided level G.

        >>> import flexmbs as fx
        >>> cart = fx.PointMass(2.0, position=(0.0, 0.0), name="cart")
        >>> spring = fx.Bushing(fx.ground.marker((0, 0, 0)), cart, (800.0, 800.0), damping=(3.0, 3.0))
        >>> push = fx.PointForce(cart, (1.0, 0.0))
        >>> linear = fx.linearise(fx.Model(cart, spring), [push], [fx.control.PositionSensor(cart, (1, 0))])
        >>> found = linear.random({push: 0.48})
        >>> found.mean_squares.round(12).tolist()
        [5e-05]
        """
        from flexmbs.analysis.linear.random import random_response

        return random_response(self, spectra)

    def logarithmic_norm(self, metric: Any = "euclidean") -> float:
        r"""The largest rate at which some state can grow at once [1/time], :math:`|x(t)| \le e^{\mu t}|x(0)|`.

        Parameters
        ----------
        metric : "euclidean", "energy", "1", "inf" or (n, n) array
            Norm of the states. "energy": twice the energy of small motions about a state of rest; it never grows where
            forces are dissipative, while the Euclidean norm may. An array P, symmetric and positive definite, means
            :math:`|x|^2 = x^T P x`.

        Raises
        ------
        ModelError
            If the metric is unknown or not positive definite, or the linear model has no energy.

        Notes
        -----
        Lozinskii and Dahlquist: the largest eigenvalue of :math:`\tfrac12(P A + A^T P)` with respect to P. Negative, it
        proves that the motion contracts in this norm.

        Examples
        --------
        >>> import flexmbs as fx
        >>> cart = fx.PointMass(2.0, position=(0.0, 0.0), name="cart")
        >>> spring = fx.Bushing(fx.ground.marker((0, 0, 0)), cart, (8.0, 8.0), damping=(0.4, 0.4))
        >>> linear = fx.linearise(fx.Model(cart, spring))
        >>> round(linear.logarithmic_norm(), 4), abs(round(linear.logarithmic_norm("energy"), 12))
        (1.4033, 0.0)
        """
        from flexmbs.analysis.linear.logarithmic_norm import logarithmic_norm

        return logarithmic_norm(self.A, self.energy if is_among(metric, ("energy",)) else metric)

    def to_scipy(self) -> Any:
        """The same as `scipy.signal.StateSpace`."""
        from scipy.signal import StateSpace

        return StateSpace(self.A, self.B, self.C, self.D)

    def to_control(self) -> Any:
        """The same as `control.StateSpace` of python-control, with the names of states, inputs and outputs.

        python-control keeps dots in names for itself; in their place stands U+2024, ONE DOT LEADER, which looks alike
        and which `from_control` turns back. There is no place for ``operating_outputs`` and ``energy``: keep this model
        for them.

        Raises
        ------
        ModelError
            If python-control is not installed.
        """
        from flexmbs.analysis.linear.python_control import to_control

        return to_control(self)

    @classmethod
    def from_control(cls, system: Any) -> LinearModel:
        """From a system of python-control in continuous time (state space; transfer functions are converted).

        Names are as in `to_control`. ``operating_outputs`` are zeros and ``energy`` is None, which a system of
        python-control does not hold; ``dataclasses.replace(model, operating_outputs=...)`` enters them.

        Raises
        ------
        ModelError
            If python-control is not installed, or the system is none or sampled.
        """
        from flexmbs.analysis.linear.python_control import from_control

        return from_control(system)

    def export(
        self, output: str | Path, to: str | Sequence[str] | None = None, **options: Any
    ) -> tuple[ExportResult, ...]:
        """Write files for other tools, such as a functional mock-up unit; see `flexmbs.reduction.export`."""
        return export(self, output, to, **options)


def numbers_of(kind: str, wanted: Any, names: tuple[str, ...], things: tuple[Any, ...]) -> list[int]:
    """Numbers of inputs or outputs that are meant by themselves, names, numbers or a list of these; None means all."""
    if wanted is None:
        return list(range(len(names)))
    each = wanted if is_list(wanted) and not isinstance(wanted, str) else (wanted,)
    return [number for one in each for number in numbers_meant("LinearModel", kind, one, names, things)]


def telling_frequencies(s: Any) -> FloatArray:
    """Frequencies [1/time] over all that poles and zeros do."""
    f = np.abs(s) / (2.0 * np.pi)
    f = f[f > 1e-9 * f.max(initial=0.0)]
    if not len(f):
        return np.geomspace(0.01, 100.0, 200)
    grid = [np.geomspace(0.1 * f.min(), 10.0 * f.max(), 400)]
    for root in s[s.imag > 0.0]:
        centre, width = root.imag / (2.0 * np.pi), max(abs(root.real), 1e-4 * abs(root)) / (2.0 * np.pi)
        grid.append(centre + width * np.tan(np.linspace(-1.5, 1.5, 31)))
    every = np.unique(np.concatenate(grid))
    return np.asarray(every[(every >= grid[0][0]) & (every <= grid[0][-1])])
