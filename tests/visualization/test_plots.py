"""Plots: the lines drawn are the shapes of the result, and the axes say what they show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

import flexmbs as fx
from flexmbs.visualization.plots import plot_mode, plot_path, plot_shape

Solved = Callable[[str], fx.StaticSolution]


def segments(axes: Any, number: int) -> np.ndarray:
    """The lines of a collection, in the plane or in space."""
    lines = axes.collections[number]
    return np.array(lines._segments3d if axes.name == "3d" else lines.get_segments())


def bar(axes: Any) -> Any:
    """The axes of the bar of colours."""
    (other,) = (a for a in axes.figure.axes if a is not axes)
    return other


@pytest.mark.parametrize("end", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.3, 0.0, 1.0), (0.7, 0.7, 0.0), (1.0, 1.0, 1.0)])
def test_labels_are_beside_the_ticks(end: tuple[float, float, float]) -> None:
    """Of long and flat models, in whose boxes matplotlib puts them on one another; all of them within the figure."""
    line = fx.FlexibleBody.line(
        (0, 0, 0), 1e3 * np.array(end), elements=2, element=fx.elements.GeometricallyExactBeam(),
        section=fx.Rectangle(width=20.0, height=20.0), material=fx.steel,
    )  # fmt: skip
    model = fx.Model(line, fx.Clamp(line.start), fx.PointForce(line.end, (1e5, 1e5, 1e5)))
    axes = fx.solve_static(model).plot_shape()
    axes.figure.canvas.draw()
    whole = axes.figure.bbox
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        box = axis.label.get_window_extent()
        assert whole.x0 <= box.x0 < box.x1 <= whole.x1
        assert whole.y0 <= box.y0 < box.y1 <= whole.y1
        # Points along the middle of the label, which is turned.
        angle, height = np.radians(axis.label.get_rotation()), axis.label.get_fontsize() * axes.figure.dpi / 72.0
        length = np.hypot(box.width, box.height) - height
        line = np.linspace(-0.5, 0.5, 9)[:, None] * length * np.array([np.cos(angle), np.sin(angle)])
        label = line + 0.5 * np.array([box.x0 + box.x1, box.y0 + box.y1])
        for tick in axis.get_major_ticks():
            if tick.label1.get_text():
                number = tick.label1.get_window_extent().padded(0.3 * height)
                assert not any(number.contains(*point) for point in label), (axis, tick.label1.get_text())


@pytest.mark.parametrize("name", ["cantilever", "frame", "guided", "spatial", "linear", "planar_linear"])
def test_shape_is_drawn_where_it_is(name: str, solved: Solved) -> None:
    solution = solved(name)
    axes = solution.plot()
    drawn = segments(axes, 1)
    expected = [solution.shape(b, -1, 9)[..., : b.mesh.dim] for b in solution.model.bodies]
    np.testing.assert_allclose(drawn[:, 0], np.concatenate([s[:, :-1].reshape(-1, s.shape[-1]) for s in expected]))
    np.testing.assert_allclose(drawn[:, 1], np.concatenate([s[:, 1:].reshape(-1, s.shape[-1]) for s in expected]))
    rest = segments(axes, 0)
    body = solution.model.bodies[0]
    np.testing.assert_allclose(rest[0, 0], body.mesh.points[body.cells[0, 0]], atol=1e-12)
    unit = solution.model.units.length
    assert (axes.get_xlabel(), axes.get_ylabel()) == (f"x [{unit}]", f"y [{unit}]")
    assert axes.get_title() == f"{solution.model.name}, load factor 1"


def test_colours_are_the_resultant(solved: Solved) -> None:
    solution = solved("cantilever")
    axes = solution.plot()
    lines = axes.collections[1]
    x = segments(axes, 1).mean(axis=1)[:, 0]
    tip = solution.position(solution.model.bodies[0].end, step=-1)[0]
    np.testing.assert_allclose(lines.get_array(), -8.4 * (tip - x), atol=0.1)  # the moment of the end force
    assert bar(axes).get_ylabel() == "M [N m]"
    assert axes.get_aspect() == 1.0


def test_normal_force_is_that_of_statics(solved: Solved) -> None:
    # at Gauss' points it would be wrong by hundreds of newtons, since the strain is under control elsewhere
    solution = solved("cantilever")
    axes = solution.plot("N")
    values = axes.collections[1].get_array()
    angle = -solution.angle(solution.model.bodies[0].end, step=-1)
    assert values[-1] == pytest.approx(8.4 * np.sin(angle), rel=0.02)
    assert -0.3 < values.min() < 1.5
    assert bar(axes).get_ylabel() == "N [N]"


def test_defaults_and_labels_in_space(solved: Solved) -> None:
    axes: Any = solved("spatial").plot()
    assert axes.name == "3d"
    assert bar(axes).get_ylabel() == "|M| [N m]"
    assert axes.get_zlabel() == "z [m]"
    scale = np.array([np.ptp(limits) for limits in (axes.get_xlim(), axes.get_ylim(), axes.get_zlim())])
    np.testing.assert_allclose(scale / axes.get_box_aspect(), (scale / axes.get_box_aspect())[0], rtol=1e-9)
    assert bar(solved("linear").plot("M_x")).get_ylabel() == "$M_x$ [N m]"


def test_colours_of_both_signs_are_about_zero_and_constants_start_there(solved: Solved, models: Any) -> None:
    low, high = solved("frame").plot().collections[1].get_clim()
    assert low == -high
    body = models.cantilever().bodies[0]
    rolled = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.Moment(body.end, 2.0)))
    low, high = rolled.plot().collections[1].get_clim()
    assert low == 0.0
    assert high == pytest.approx(2.0, rel=1e-4)


def test_steps_are_chosen_or_overlaid(solved: Solved) -> None:
    solution = solved("cantilever")
    body = solution.model.bodies[0]
    np.testing.assert_allclose(segments(solution.plot(step=1), 1)[0, 1], solution.shape(body, 1, 9)[0, 1, :2])
    axes = plot_shape(solution, step="all")
    assert len(segments(axes, 1)) == solution.n_steps * 4 * 8
    assert axes.get_title() == "strip, 3 equilibria up to load factor 1"


def test_supports_and_hinges_are_marked_where_they_are(solved: Solved) -> None:
    solution = solved("frame")
    model = solution.model
    marked = [line for line in solution.plot().get_lines() if line.get_marker() not in ("None", None)]
    places = {tuple(np.round(line.get_xydata()[0], 9)) for line in marked}
    ats = [s.at for s in model.supports] + [h.a for h in model.hinges] + [model.body("Träger").set("middle")]
    assert places == {tuple(np.round(solution.position(at, step=-1)[:2], 9)) for at in ats}


def test_bodies_without_the_resultant_are_plain(models: Any) -> None:
    cable = models.cantilever().bodies[0]
    beam = fx.FlexibleBody.line(
        (0, 1), (1, 1), elements=2, element=fx.elements.LinearBeam2D(), stiffness=models.STRIP, name="beam"
    )
    model = fx.Model(cable, beam, fx.Clamp(cable.start), fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -0.1)))
    axes = fx.solve_static(model).plot("Q")
    assert len(axes.collections) == 3
    assert len(segments(axes, 1)) == len(cable.cells)
    np.testing.assert_allclose(np.abs(axes.collections[2].get_array()), 0.1, rtol=1e-9)


def test_mode_is_drawn_at_both_signs(models: Any) -> None:
    modes = fx.solve_modal(models.cantilever(), modes=2)
    axes = modes.plot(1)
    rest, minus, plus = (segments(axes, i) for i in range(3))
    np.testing.assert_allclose(plus + minus, 2 * rest, atol=1e-12)
    assert np.linalg.norm(plus - rest, axis=-1).max() == pytest.approx(0.1, rel=1e-12)
    assert axes.get_title() == f"strip, mode 1: f = {modes.frequencies[1]:.4g} 1/s"
    # Euler and Bernoulli: (beta L)^2 = 22.034 for the second mode of a cantilever
    assert f"{22.0345 / (2 * np.pi) * np.sqrt(2.1e11 * 0.002**2 / 12 / 7850):.2g}" in axes.get_title()


def test_unstable_and_fluttering_modes_say_so(models: Any) -> None:
    modes = fx.solve_modal(models.cantilever(), modes=1)
    unstable = replace(modes, roots=np.abs(modes.roots), growing=np.array([True]))
    assert "unstable" in plot_mode(unstable).get_title()
    flutter = replace(modes, roots=np.array([1.0 + 2.0j]), growing=np.array([True]), conservative=False)
    assert "flutter, ω = 2 ± 1 i rad/s" in plot_mode(flutter).get_title()


def test_path_shows_displacements_and_rotation(solved: Solved) -> None:
    solution = solved("cantilever")
    end = solution.model.bodies[0].end
    axes = solution.plot_path(end)
    x, y = axes.get_lines()
    np.testing.assert_array_equal(x.get_xdata(), solution.parameters)
    np.testing.assert_allclose(x.get_ydata(), solution.position(end)[:, 0] - 1.0)
    np.testing.assert_allclose(y.get_ydata(), solution.position(end)[:, 1])
    (angle,) = bar(axes).get_lines()
    np.testing.assert_array_equal(angle.get_ydata(), solution.angle(end))
    assert axes.get_ylabel() == "displacement [m]"
    assert bar(axes).get_ylabel() == "rotation [rad]"
    assert len(solved("spatial").plot_path(solved("spatial").model.bodies[0].end).get_lines()) == 3


def test_given_axes_are_used_and_nothing_global_is_touched(solved: Solved, models: Any) -> None:
    before = dict(mpl.rcParams)
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert solved("cantilever").plot(ax=left) is left
    assert solved("cantilever").plot_path(solved("cantilever").model.bodies[0].end, ax=right) is right
    space = Figure().add_subplot(projection="3d")
    assert solved("spatial").plot(ax=space) is space
    assert fx.solve_modal(models.spatial(), modes=1).plot(0, ax=Figure().add_subplot(projection="3d")).name == "3d"
    assert pyplot.get_fignums() == []
    solved("cantilever").plot()
    assert len(pyplot.get_fignums()) == 1
    assert dict(mpl.rcParams) == before


def test_pictures_can_be_written(solved: Solved, tmp_path: Any) -> None:
    for name in ("frame", "guided", "spatial"):
        axes = solved(name).plot()
        for suffix in ("png", "svg"):
            axes.figure.savefig(tmp_path / f"{name}.{suffix}")
        assert (tmp_path / f"{name}.png").stat().st_size > 5000


def test_wrong_arguments_are_refused(solved: Solved, models: Any) -> None:
    solution = solved("cantilever")
    with pytest.raises(fx.ModelError, match=r"no stress resultant named 'Mx'.*Known: 'M', 'N'"):
        solution.plot("Mx")
    with pytest.raises(fx.ModelError, match="no step 7"):
        solution.plot(step=7)
    for step in ("last", 1.5, True, None):
        with pytest.raises(fx.ModelError, match="step must be"):
            plot_shape(solution, step=step)  # type: ignore[arg-type]
    with pytest.raises(fx.ModelError, match="ax must be matplotlib axes"):
        solution.plot(ax=Figure())  # type: ignore[arg-type]
    with pytest.raises(fx.ModelError, match="projection='3d'"):
        solved("spatial").plot(ax=Figure().add_subplot())
    with pytest.raises(fx.ModelError, match="plane axes"):
        solution.plot(ax=Figure().add_subplot(projection="3d"))
    with pytest.raises(fx.ModelError, match="expected a StaticSolution"):
        plot_shape(solution.model)
    with pytest.raises(fx.ModelError, match="expected a ModalSolution"):
        plot_mode(solution)  # type: ignore[arg-type]
    with pytest.raises(fx.ModelError, match="there is no mode 5"):
        plot_mode(fx.solve_modal(models.cantilever(), modes=1), 5)
    with pytest.raises(fx.ModelError, match="plot_path: expected a place"):
        plot_path(solution, (1, 0))  # type: ignore[arg-type]
    with pytest.raises(fx.ModelError, match="is not the one in this model"):
        plot_path(solution, models.cantilever().bodies[0].end)
