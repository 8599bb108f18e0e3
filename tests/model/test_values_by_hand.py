"""What is asked of motions, histories, curves, noises, spectra and ground by hand is checked where it comes in."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.history import Constant

M = fx.motions
NOISES = [fx.control.WhiteNoise(0.1, period=0.01, seed=3), fx.control.BandNoise(0.1, (1.0, 2.0), seed=3)]
MOTIONS = [
    M.Constant(1.0),
    M.Linear(1.0),
    M.Sine(1.0, frequency=2.0),
    M.Ramp(0.0, 1.0, 2.0),
    M.Spline((0.0, 1.0), (0.0, 1.0)),
    M.Function(math.sin),
    M.Function(math.sin, math.cos, lambda t: -math.sin(t)),
    M.Linear(1.0) + M.Constant(2.0),
]
CURVES: list[tuple[str, Callable[[Any], Any]]] = [
    *((type(m).__name__, m.at) for m in MOTIONS),
    *((type(m).__name__, m) for m in MOTIONS),
    *((type(n).__name__, n) for n in NOISES),
    ("Table", fx.Table((0.0, 1.0), (0.0, 1.0))),
    ("Constant", Constant()),
    ("ForceCurve", fx.ForceCurve((0.0, 1.0), (0.0, 1.0))),
]
SPECTRA: list[Any] = [
    fx.WhiteSpectrum(1.0),
    fx.FirstOrderSpectrum(1.0, corner=2.0),
    fx.TableSpectrum([1.0, 2.0], [1.0, 1.0]),
]
FIELD = fx.contact.HeightField(
    fx.ground.marker((0, 0, 0)), x=np.linspace(0, 1, 5), heights=np.zeros((5, 4)), y=np.linspace(0, 1, 4)
)


@pytest.mark.parametrize(("owner", "curve"), CURVES)
@pytest.mark.parametrize("value", [math.nan, -math.inf, "0.5", None, (0.0, 1.0), np.zeros(2), 1j, True])
def test_curves_refuse_what_is_no_number(owner: str, curve: Callable[[Any], Any], value: object) -> None:
    with pytest.raises(fx.ModelError, match=f"^{owner}: [tx] must be (a|finite)"):
        curve(value)


@pytest.mark.parametrize(("owner", "curve"), CURVES)
def test_curves_take_numbers_of_any_kind(owner: str, curve: Callable[[Any], Any]) -> None:
    assert curve(1) == curve(1.0) == curve(np.float64(1.0)) == curve(np.array(1.0)) == curve(np.int64(1))


@pytest.mark.parametrize("number", [0.5, "1", None, True, 2**63, math.nan])
def test_samples_have_whole_numbers(number: Any) -> None:
    with pytest.raises(fx.ModelError, match="WhiteNoise: number must be a whole number"):
        NOISES[0].sample(number)  # type: ignore[union-attr]


@pytest.mark.parametrize("spectrum", SPECTRA)
@pytest.mark.parametrize("value", [math.nan, "f", None, [1.0, "x"], [1.0, math.inf], [[1.0], [2.0, 3.0]]])
def test_spectra_refuse_what_are_no_numbers(spectrum: Any, value: object) -> None:
    with pytest.raises(fx.ModelError, match=f"^{type(spectrum).__name__}: f must be "):
        spectrum(value)
    assert spectrum(1.5).shape == ()
    assert spectrum(np.ones((2, 3))).shape == (2, 3)


@pytest.mark.parametrize("value", [math.nan, "x", None])
def test_ground_refuses_what_are_no_places(value: Any) -> None:
    for ask in (FIELD.height, FIELD.normal):
        with pytest.raises(fx.ModelError, match="HeightField: x must be"):
            ask(value)
        with pytest.raises(fx.ModelError, match="HeightField: y must be"):
            ask(0.5, value)
    with pytest.raises(fx.ModelError, match=r"x and y must be of one shape, not \(2,\) and \(3,\)"):
        FIELD.height(np.zeros(2), np.zeros(3))
    assert FIELD.height(np.zeros(2), 0.5).shape == (2,)
