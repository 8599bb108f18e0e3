"""Plots over time: the lines are the numbers that were given."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

import flexmbs as fx
from flexmbs.visualization.time_plots import plot_energy, plot_histories, plot_steps

T = np.linspace(0.0, 2.0, 11)


def lines(axes: Any) -> dict[str, np.ndarray]:
    return {str(line.get_label()): np.array(line.get_ydata()) for line in axes.lines}


def test_histories_are_drawn_and_gaps_stay() -> None:
    gap = np.where(T > 1.0, np.nan, T)
    axes = plot_histories(T, {"x": T**2, "y": gap}, "position [m]", title="tip")
    np.testing.assert_array_equal(lines(axes)["x"], T**2)
    np.testing.assert_array_equal(lines(axes)["y"], gap)
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("t [s]", "position [m]", "tip")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["x", "y"]
    assert len({(line.get_color(), line.get_linestyle()) for line in axes.lines}) == 2


def test_a_single_history_that_is_named_by_its_axis_has_no_legend() -> None:
    assert plot_histories(T, {"x": T}, "x [m]").get_legend() is None
    assert plot_histories(T, {"x": T}).get_legend() is not None


def test_energies_have_their_sum_and_its_change_below() -> None:
    axes = plot_energy(T, {"kinetic": T, "potential": 3.0 - T**2, "strain": 0.0 * T}, unit="J", title="crank")
    assert set(lines(axes)) == {"kinetic", "potential", "total"}
    np.testing.assert_allclose(lines(axes)["total"], 3.0 + T - T**2, rtol=1e-15)
    (below,) = (a for a in axes.figure.axes if a is not axes)
    np.testing.assert_allclose(below.lines[0].get_ydata(), T - T**2, atol=1e-15)
    assert (axes.get_ylabel(), below.get_ylabel(), below.get_xlabel()) == ("energy [J]", "change [J]", "t [s]")


def test_balance_of_the_caller_is_drawn() -> None:
    axes = plot_energy(T, {"kinetic": T}, total=2 * T, balance=1e-9 * T)
    np.testing.assert_array_equal(lines(axes)["total"], 2 * T)
    (below,) = (a for a in axes.figure.axes if a is not axes)
    np.testing.assert_array_equal(below.lines[0].get_ydata(), 1e-9 * T)
    assert below.get_ylabel() == "balance [J]"


def test_steps_with_iterations_errors_and_refusals() -> None:
    h = np.full(10, 0.2)
    h[5:] = 0.01
    top, middle, bottom = plot_steps(
        np.cumsum(h), h, np.arange(10), np.linspace(0, 1, 10), rejected=[(0.5, 0.4)], title="run"
    )
    np.testing.assert_array_equal(lines(top)["accepted"], h)
    np.testing.assert_array_equal(lines(top)["refused"], [0.4])
    assert top.get_yscale() == "log"
    np.testing.assert_array_equal(middle.lines[0].get_ydata(), np.arange(10))
    assert (middle.get_ylabel(), bottom.get_ylabel(), bottom.get_xlabel()) == (
        "iterations",
        "error / tolerance",
        "t [s]",
    )


def test_constant_steps_without_more_are_one_diagram() -> None:
    (axes,) = plot_steps(T[1:], np.full(10, 0.2), errors=np.full(10, np.nan))
    assert axes.get_yscale() == "linear"
    assert axes.get_ylim()[0] == 0.0


@pytest.mark.parametrize("plot", [plot_histories, plot_energy])
def test_own_axes_are_used_and_nothing_else_is_changed(plot: Any) -> None:
    figure = Figure()
    axes = figure.subplots()
    before = dict(mpl.rcParams)
    assert plot(T, {"x": T}, ax=axes) is axes
    plot(T, {"x": T})
    assert dict(mpl.rcParams) == before
    assert len(figure.axes) == 1
    with pytest.raises(fx.ModelError, match="needs plane axes"):
        plot(T, {"x": T}, ax=Figure().add_subplot(projection="3d"))
    with pytest.raises(fx.ModelError, match="ax must be matplotlib axes"):
        plot(T, {"x": T}, ax=3)


@pytest.mark.parametrize("plot", [plot_histories, plot_energy])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((T, {}), "at least one"),
        ((T, [T]), "histories must map names"),
        ((T, {"x": T[1:]}), r"x must be an array of numbers of shape \(11,\)"),
        ((T, {"x": "text"}), "x must be an array of numbers"),
        (([], {"x": []}), "x must be an array of numbers"),
        ((T[:, None], {"x": T}), "t must have shape"),
        ((np.full(11, np.nan), {"x": T}), "t must be finite"),
        ((T, {"": T}), "non-empty string"),
    ],
)
def test_wrong_histories_are_refused(plot: Any, arguments: Any, message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        plot(*arguments)


@pytest.mark.parametrize(
    ("arguments", "options"),
    [(([], []), {}), ((T, T[1:]), {}), ((T, T, T[1:]), {}), ((T, T), {"errors": [1.0]}), ((T, T), {"rejected": [1.0]})],
)
def test_wrong_steps_are_refused(arguments: Any, options: Any) -> None:
    with pytest.raises(fx.ModelError, match="plot_steps: "):
        plot_steps(*arguments, **options)
