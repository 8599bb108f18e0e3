r"""Stationary response to random inputs.

White noise, also behind a first-order filter, by Lyapunov's equation for the covariance X of the states,

.. math:: A X + X A^T + \tfrac12\,b\,G_0\,b^T = 0,

with the one-sided level :math:`G_0`. Tables by quadrature; see `flexmbs.analysis.linear.spectral_quadrature`. States
that outputs do not see are left out, as displacement and rate of a shaken base; see
`flexmbs.analysis.linear.input_integrals`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.analysis.linear.covariance_factor import covariance_factor
from flexmbs.analysis.linear.input_integrals import Apart, integrals_apart, integrals_of_inputs, states_seen
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
    apart = _settling(states_seen(linear))
    n_y = len(linear.outputs)
    squares, rates = np.zeros(n_y), np.zeros(n_y)
    parts: list[tuple[LinearModel, int, Any]] = []
    for j, spectrum in given.items():
        model = _model_for(apart, j, spectrum)
        white = getattr(spectrum, "white", None)
        of_one = _by_lyapunov(model, j, *white) if white else mean_squares_of_table(model, j, spectrum)
        squares, rates = squares + of_one[0], rates + of_one[1]
        parts.append((model, j, spectrum))

    def density(f: FloatArray) -> FloatArray:
        return np.asarray(sum(_density(*part, f) for part in parts))

    return RandomResponse(outputs=linear.outputs, mean_squares=squares, rate_mean_squares=rates, density=density)


def _settling(linear: LinearModel) -> Apart:
    """The model and its integrals of inputs, of which the model decays."""
    others = np.setdiff1d(np.arange(len(linear.A)), integrals_of_inputs(linear.A))
    poles = np.linalg.eigvals(linear.A[np.ix_(others, others)])
    bad = poles[poles.real >= -DECAYING * float(np.abs(poles).max(initial=0.0))]
    if len(bad):
        slowest = bad[np.abs(bad).argmin()]
        raise ModelError(
            f"random: the pole {slowest:.5g} does not decay, so that there is no stationary state; damp every motion."
        )
    return integrals_apart(linear)


def _model_for(apart: Apart, j: int, spectrum: Any) -> LinearModel:
    """Without the integrals of input j where no output sees them."""
    seen = apart.seen(j)
    if seen is None:
        return apart.settling
    if isinstance(spectrum, TableSpectrum):
        return apart.together()
    output, integral = apart.settling.outputs[seen[0]], apart.names[seen[1]]
    raise ModelError(
        f"random: the output {output!r} depends on {integral!r}, an integral of the input "
        f"{apart.settling.inputs[j]!r}, whose mean square grows without end under this spectrum; take a TableSpectrum, "
        f"which begins above zero, or leave this output out with part(outputs=...)."
    )


def _density(linear: LinearModel, j: int, spectrum: Any, f: FloatArray) -> FloatArray:
    """Spectra (n_f, n_y) of the outputs, zero where that of the input is."""
    level = spectrum(f)
    found, given = np.zeros((len(f), len(linear.outputs))), level > 0.0
    if given.any():
        found[given] = np.abs(linear.part(j).transfer(2.0 * np.pi * f[given])[:, :, 0]) ** 2 * level[given, None]
    return found


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
    R, rate = covariance_factor(A, np.sqrt(0.5 * level) * B)
    squares, rates = (np.sum(np.abs(C @ part) ** 2, axis=1) for part in (R, rate))
    jumps = np.abs(C @ B) > 1e-12 * np.linalg.norm(C, axis=1) * np.linalg.norm(B)
    return squares, np.where(jumps & (level > 0.0), np.inf, rates)
