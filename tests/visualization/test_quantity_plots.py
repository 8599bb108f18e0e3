"""``run.plot`` of quantities: the lines are their numbers, the axes say what and in which unit."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

import flexmbs as fx


@cache
def run() -> fx.TimeSolution:
    rod = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="rod")
    hinge = fx.RevoluteJoint(fx.ground, rod, at=(0, 0), name="hinge")
    spring = fx.SpringDamper(fx.ground.marker((1, 1)), rod.marker_at((1, 0)), stiffness=10.0, name="spring")
    return fx.simulate(
        fx.Model(rod, hinge, spring, fx.Gravity((0, -9.81)), name="swing"), 1.0, step=1e-2, progress=False
    )


def curves(axes: Any) -> dict[str, np.ndarray]:
    return {str(line.get_label()): np.array(line.get_ydata()) for line in axes.lines}


def test_one_quantity_is_named_by_its_axis() -> None:
    axes = run().plot("hinge")
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("t [s]", "hinge angle [rad]", "swing")
    [line] = axes.lines
    np.testing.assert_array_equal(line.get_xdata(), run().t)
    np.testing.assert_array_equal(line.get_ydata(), run().angle("hinge"))
    assert axes.get_legend() is None


def test_several_have_a_diagram_for_each_unit() -> None:
    axes = run().plot("hinge", "rod.velocity", "spring.force", "hinge.force", title="all")
    all_of_them = axes.figure.axes
    assert [a.get_ylabel() for a in all_of_them] == ["hinge angle [rad]", "rod velocity [m/s]", "force [N]"]
    assert [a.get_xlabel() for a in all_of_them] == ["", "", "t [s]"]
    assert list(curves(all_of_them[2])) == ["spring.force", "hinge.force.x", "hinge.force.y"]
    np.testing.assert_array_equal(curves(all_of_them[2])["hinge.force.y"], run().reaction("hinge")[:, 1])
    assert [text.get_text() for text in all_of_them[1].get_legend().get_texts()] == ["rod.velocity.x", "rod.velocity.y"]
    assert axes.get_title() == "all"


def test_phase_plot() -> None:
    axes = run().plot("hinge.angle_rate", against="hinge.angle")
    np.testing.assert_array_equal(axes.lines[0].get_xdata(), run().angle("hinge"))
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), run().coordinate_rate("hinge", "angle"))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("hinge angle [rad]", "hinge angle rate [rad/s]")
    path = run().plot("rod.position.y", against="rod.position.x")
    assert (path.get_xlabel(), path.get_ylabel()) == ("rod position x [m]", "rod position y [m]")
    with pytest.raises(
        fx.ModelError, match=r"against must be one number per state, not rod\.position\.x, rod\.position\.y"
    ):
        run().plot("hinge", against="rod")


def test_components_of_all_vectors() -> None:
    axes = run().plot("rod", component="x")
    assert list(curves(axes)) == ["rod.position.x"]
    assert list(curves(run().plot("rod.velocity", component="norm"))) == ["rod.velocity.norm"]
    with pytest.raises(fx.ModelError, match="no component named 'u'"):
        run().plot("rod", component="u")


def test_own_axes_take_one_unit_and_files_are_written(tmp_path: Path) -> None:
    own = Figure().subplots()
    assert run().plot("hinge", ax=own) is own
    with pytest.raises(fx.ModelError, match="units rad, m do not fit"):
        run().plot("hinge", "rod", ax=own)
    with pytest.raises(fx.ModelError, match="name what to draw"):
        run().plot()
    with pytest.raises(fx.ModelError, match=r"\.png"):
        run().plot("hinge", path=tmp_path / "x.txt")
    run().plot("hinge", path=tmp_path / "x.png")
    picture = np.asarray(Image.open(tmp_path / "x.png").convert("RGB")).astype(int)
    blue = np.abs(picture - (0x1F, 0x5F, 0xA8)).max(axis=2) < 40
    rows, columns = np.nonzero(blue)
    assert np.ptp(columns) > 0.8 * picture.shape[1]  # the curve goes from end to end
    assert np.ptp(rows) > 0.6 * picture.shape[0]
    run().plot("hinge", path=tmp_path / "x.svg")
    assert "hinge angle" in (tmp_path / "x.svg").read_text() or "<path" in (tmp_path / "x.svg").read_text()


def test_equilibria_have_the_same_plots() -> None:
    beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(),
                                section=fx.Rectangle(width=0.02, height=0.002),
                                material=fx.steel, name="beam")  # fmt: skip
    model = fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -1.0)), name="strip")
    bent = fx.solve_static(model, fx.StaticOptions(steps=2))
    axes = bent.plot("beam.end.displacement.y")
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("load factor", "beam.end displacement y [m]")
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), bent.displacement(beam.end)[:, 1])
    moved = fx.simulate(model, 0.01, step=1e-3, progress=False)
    shape = moved.plot_shape("M", step=-1)
    assert shape.get_title() == "strip, t = 0.01 s"
    with pytest.raises(fx.ModelError, match="no stress resultant named 'Q'"):
        bent.plot("Q")
