r"""Stationary response to random inputs.

White noise, also behind a first-order filter, by Lyapunov's equation for the covariance X of the states,

.. math:: A X + X A^T + \tfrac12\,b\,G_0\,b^T = 0,

with the one-sided level :math:`G_0`. Tables by quadrature; see `flexmbs.analysis.linear.spectral_quadrature`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import matrix_balance, solve_continuous_lyapunov

from flexmbs.analysis.linear.spectra import TableSpectrum, WhiteSpectrum
from flexmbs.analysis.linear.spectral_quadrature import mean_squares_of_table
from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.distinct_names import number_meant
from flexmbs.core.errors import ModelError
from flexmbs.results.random_response import RandomResponse

if TYPE_CHECKING:
    from flexmbs.analysis.linear_model import LinearModel

__all__ = ["random_response"]

DECAYING = 1e-12
"""Real part of a pole, relative to the largest pole, below which its vibration has no stationary state."""


def random_response(linear: LinearModel, spectra: Mapping[Any, Any]) -> RandomResponse:
    """The response of all outputs to independent inputs; see `LinearModel.random`."""
    if not isinstance(spectra, Mapping) or not spectra:
        raise ModelError(f"random: expected a mapping of inputs to spectra, not {show(spectra)}.")
    given: dict[int, Any] = {}
    for key, value in spectra.items():
        number = number_meant("random", "input", key, linear.inputs, linear.sources)
        if number in given:
            raise ModelError(f"random: the input {linear.inputs[number]!r} is given two spectra; give one.")
        given[number] = _spectrum(key, value)
    poles = linear.poles
    largest = float(np.abs(poles).max(initial=0.0))
    bad = poles[poles.real >= -DECAYING * largest]
    if len(bad):
        raise ModelError(
            f"random: the pole {bad[0]:.5g} does not decay, so that there is no stationary state; damp every motion."
        )
    n_y = len(linear.outputs)
    squares, rates = np.zeros(n_y), np.zeros(n_y)
    for j, spectrum in given.items():
        white = getattr(spectrum, "white", None)
        of_one = _by_lyapunov(linear, j, *white) if white else mean_squares_of_table(linear, j, spectrum)
        squares, rates = squares + of_one[0], rates + of_one[1]

    def density(f: FloatArray) -> FloatArray:
        size = np.abs(linear.transfer(2.0 * np.pi * f)) ** 2
        return np.asarray(sum(size[:, :, j] * spectrum(f)[:, None] for j, spectrum in given.items()))

    return RandomResponse(outputs=linear.outputs, mean_squares=squares, rate_mean_squares=rates, density=density)


def _spectrum(key: Any, value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return WhiteSpectrum(value)
    if not hasattr(value, "white") and not isinstance(value, TableSpectrum):
        raise ModelError(
            f"random: the spectrum of {show(key)} must be a level, WhiteSpectrum, FirstOrderSpectrum or TableSpectrum, "
            f"not {show(value)}."
        )
    return value


def _by_lyapunov(linear: LinearModel, j: int, level: float, corner: float | None) -> tuple[FloatArray, FloatArray]:
    """Mean squares of outputs and of their rates."""
    A, B, C, D = linear.A, linear.B[:, j], linear.C, linear.D[:, j]
    if corner is not None:  # x_f' = -2 pi corner x_f + w, u = x_f
        a = 2.0 * np.pi * corner
        n = len(A)
        A = np.block([[A, B[:, None]], [np.zeros((1, n)), np.full((1, 1), -a)]])
        C, B, D = np.hstack((C, D[:, None])), np.append(np.zeros(n), 1.0), np.zeros_like(D)
    if np.any(D):
        name = linear.outputs[int(np.flatnonzero(D)[0])]
        raise ModelError(
            f"random: white noise goes straight to the output {name!r}, whose mean square is then infinite; take a "
            f"FirstOrderSpectrum or a TableSpectrum."
        )
    # In units in which rows and columns are of one size: rates of a part of 20 kHz are 1e5 times its displacements.
    balanced, (unit, _) = matrix_balance(A, permute=False, separate=True)
    X = solve_continuous_lyapunov(balanced, -0.5 * level * np.outer(B / unit, B / unit)) * np.outer(unit, unit)
    squares = np.einsum("ij,jk,ik->i", C, X, C)
    rate = C @ A
    rates = np.einsum("ij,jk,ik->i", rate, X, rate)
    jumps = np.abs(C @ B) > 1e-12 * np.linalg.norm(C, axis=1) * np.linalg.norm(B)
    return squares, np.where(jumps & (level > 0.0), np.inf, rates)
