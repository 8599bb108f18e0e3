r"""The input of a nonlinear model whose response is a measured one, by its linear model.

A drive d(t) is improved with the spectrum of what is missing, :math:`D \leftarrow D + g\,H^{-1}(T - Y)`, with phases,
the response Y of the nonlinear model, the target T and the linear frequency response H (W.-S. Yoo, M.-G. Kim and K.-S.
Kim: road profiles from measured wheel accelerations). Of a linear model one step with the gain 1 is enough.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from flexmbs.analysis.linear_model import LinearModel
from flexmbs.core.checks import as_array, as_count, as_number, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import AccuracyWarning, ConvergenceError, ModelError
from flexmbs.results.matched_response import MatchedResponse

__all__ = ["match_response"]


def match_response(
    run: Callable[[FloatArray], Any],
    target: Sequence[float] | FloatArray,
    step: float,
    linear: LinearModel | Callable[[FloatArray], Any],
    band: tuple[float, float] | None = None,
    gain: float = 1.0,
    improvements: int = 10,
    tolerance: float = 1e-3,
) -> MatchedResponse:
    """The drive with which a model answers as measured.

    Parameters
    ----------
    run : function of the drive (n,) that returns the response (n,)
        It simulates the model with the drive as a table over time.
    target : (n,) array
        The measured response, beginning at rest.
    step : float
        Time between its values.
    linear : LinearModel of one input and one output, or function of frequencies (n_f,) [1/time] that returns H (n_f,)
        From the drive to the response.
    band : (low, high), optional
        Frequencies [1/time] that are improved; by default all but zero where H is below 1e-6 of its largest value.
    gain : float, default 1
        From 0.5 to 1; smaller where the model is strongly nonlinear.
    improvements : int, default 10
        At most.
    tolerance : float, default 1e-3
        Error, relative to the rms of the target, at which it ends.

    Returns
    -------
    MatchedResponse
        The best drive that was found; an `AccuracyWarning` tells if it is not the last one.

    Raises
    ------
    ModelError
        If a length is wrong, the band is not within zero and half of the sampling frequency, or H is zero in it.
    ConvergenceError
        If the error grows to ten times that at rest; its ``solution`` is the best drive.

    Examples
    --------
    >>> import numpy as np
    >>> import flexmbs as fx
    >>> t = 0.01 * np.arange(200)
    >>> found = fx.match_response(lambda d: 2.0 * d + 0.1 * d**3, np.sin(3 * t), 0.01, lambda f: np.full(len(f), 2.0))
    >>> bool(found.errors[-1] < 1e-3), bool(len(found.errors) < 8)
    (True, True)
    """
    if not callable(run):
        raise ModelError(
            f"match_response: run must be a function of the drive (n,) that returns the response (n,), not {show(run)}."
        )
    goal = as_array("match_response", "target", target, (None,))
    h = as_number("match_response", "step", step, above=0.0, unit="time")
    g = as_number("match_response", "gain", gain, above=0.0, maximum=1.0)
    most = as_count("match_response", "improvements", improvements, minimum=1)
    least = as_number("match_response", "tolerance", tolerance, above=0.0)
    n = len(goal)
    size = float(np.sqrt(np.mean(goal**2))) if n else 0.0
    if n < 2 or size == 0.0:
        raise ModelError("match_response: the target must have two values or more, not all zero.")
    f = np.asarray(np.fft.rfftfreq(2 * n, h), dtype=np.float64)
    inverse = _inverse(linear, f, band, 0.5 / h)

    def answered(drive: FloatArray) -> FloatArray:
        return as_array("match_response", "what run returns", run(drive), (n,))

    drive = np.zeros(n)
    response = answered(drive)
    errors = [float(np.sqrt(np.mean((goal - response) ** 2))) / size]
    best = (errors[0], drive, response)
    for _ in range(most):
        if errors[-1] <= least:
            break
        missing = np.fft.rfft(np.concatenate((goal - response, np.zeros(n))))
        drive = drive + g * np.fft.irfft(inverse * missing, 2 * n)[:n]
        response = answered(drive)
        errors.append(float(np.sqrt(np.mean((goal - response) ** 2))) / size)
        if errors[-1] < best[0]:
            best = (errors[-1], drive, response)
        if not np.isfinite(errors[-1]) or errors[-1] > 10.0 * errors[0]:
            raise ConvergenceError(
                f"match_response: the error grew to {errors[-1]:.3g} of the target; take a smaller gain or band.",
                MatchedResponse(h, best[1], best[2], goal, np.array(errors)),
            )
    found = MatchedResponse(h, best[1], best[2], goal, np.array(errors))
    if best[0] < errors[-1] or best[0] == errors[0] > least:
        number = errors.index(best[0])
        which = f"after improvement {number} of {len(errors) - 1}" if number else "zero, before any improvement"
        warnings.warn(
            f"match_response: the error went from {errors[0]:.3g} to {errors[-1]:.3g} of the target; the drive that is "
            f"returned is the best one, {which}, with {best[0]:.3g}. Take a smaller gain, a band in which the model "
            f"answers, and a target that begins at rest.",
            AccuracyWarning,
            stacklevel=2,
        )
    return found


def _inverse(linear: Any, f: FloatArray, band: tuple[float, float] | None, highest: float) -> Any:
    """1 / H within the band, zero outside (n_f,)."""
    if isinstance(linear, LinearModel):
        if len(linear.inputs) != 1 or len(linear.outputs) != 1:
            raise ModelError("match_response: the linear model must have one input and one output; take its part(...).")
        H = linear.transfer(2.0 * np.pi * f)[:, 0, 0]
    elif callable(linear):
        H = np.asarray(linear(f), dtype=complex)
        if H.shape != f.shape:
            raise ModelError(f"match_response: linear must return one value per frequency, not shape {H.shape}.")
    else:
        raise ModelError(f"match_response: linear must be a LinearModel or a function, not {show(linear)}.")
    size = np.abs(H)
    if band is None:
        inside = size > 1e-6 * float(np.nanmax(size))
    else:
        low, high = as_array("match_response", "band", band, (2,), unit="1/time")
        inside = (f >= low) & (f <= high)
        if low < 0.0 or high > highest * (1.0 + 1e-12) or not inside.any():
            raise ModelError(
                f"match_response: band {show(band)} has no frequencies or goes beyond what the samples hold; expected "
                f"(low, high) from 0 to {highest:.6g} 1/time, which is half of the sampling frequency, and at least "
                f"{f[1]:.3g} apart."
            )
        if np.any(size[inside] == 0.0):
            raise ModelError("match_response: the linear model does not answer at some frequencies of the band.")
    return np.where(inside, 1.0 / np.where(inside, H, 1.0), 0.0)
