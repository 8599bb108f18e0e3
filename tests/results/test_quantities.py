"""Quantities by name: their numbers are those of the methods, their units those of the model, unknown ones are told."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.results.quantities import asked
from flexmbs.results.quantity_names import known_names

MM = fx.Units("mm", "t", "s", "N")


@cache
def swinging() -> fx.TimeSolution:
    """A planar rod with a spring, sampled by sensors, in mm."""
    rod = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="rod")
    hinge = fx.RevoluteJoint(fx.ground, rod, at=(0, 0), name="hinge")
    spring = fx.SpringDamper(fx.ground.marker((1, 1)), rod.marker_at((1, 0), name="tip"), stiffness=10.0, damping=0.1,
                             name="spring")  # fmt: skip
    turn = fx.TorsionSpring(hinge, stiffness=2.0, name="turn")
    model = fx.Model(rod, hinge, spring, turn, fx.Gravity((0, -9.81)), units=MM, name="swing")
    return fx.simulate(model, 1.0, step=1e-2, progress=False)


@cache
def cantilever() -> fx.StaticSolution:
    beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(),
                                section=fx.Rectangle(width=0.02, height=0.002),
                                material=fx.steel, name="beam")  # fmt: skip
    load = fx.PointForce(beam.end, (0, -1.0))
    return fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), load, name="strip"), fx.StaticOptions(steps=2))


def one(run: Any, what: Any, **options: Any) -> tuple[np.ndarray, str]:
    """Values and unit of what is one quantity."""
    [found] = asked(run, what, **options)
    return found.values, found.unit


def test_a_name_gives_what_the_method_gives_with_its_unit() -> None:
    run = swinging()
    tip = next(s for s in (run.model.force("spring").row_forces[0].b,))
    known = {
        "hinge.angle": (run.angle("hinge"), "rad"),
        "hinge.force": (run.reaction("hinge"), "N"),
        "hinge.moment": (run.reaction_moment("hinge"), "N mm"),
        "rod.position": (run.position("rod"), "mm"),
        "rod.velocity": (run.velocity("rod"), "mm/s"),
        "rod.acceleration": (run.acceleration("rod"), "mm/s^2"),
        "rod.angular_velocity": (run.angular_velocity("rod"), "rad/s"),
        "rod.angle": (run.angle("rod"), "rad"),
        "spring.force": (run.force("spring").force, "N"),
        "spring.coordinate": (run.force("spring").coordinate, "mm"),
        "spring.rate": (run.force("spring").rate, "mm/s"),
        "turn.force": (run.force("turn").force, "N mm"),
        "turn.coordinate": (run.force("turn").coordinate, "rad"),
        "energy.kinetic": (run.energy.kinetic, "N mm"),
    }  # fmt: skip
    for name, (values, unit) in known.items():
        found = one(run, name)
        np.testing.assert_array_equal(found[0], values, err_msg=name)
        assert found[1] == unit, name
    np.testing.assert_array_equal(one(run, (tip, "velocity"))[0], run.velocity(tip))
    np.testing.assert_array_equal(one(run, "rod.velocity.x")[0][:, 0], run.velocity("rod")[:, 0])
    np.testing.assert_allclose(
        one(run, "rod.velocity.norm")[0], np.linalg.norm(run.velocity("rod"), axis=1), rtol=1e-15
    )
    np.testing.assert_array_equal(one(run, "t")[0], run.t)


def test_rates_of_coordinates_are_their_derivatives() -> None:
    """A rod about its end in the plane: the rate of the angle is its angular velocity; and so it is of a tree."""
    run = swinging()
    np.testing.assert_allclose(
        one(run, "hinge.angle_rate")[0], run.angular_velocity("rod")[:, 2], rtol=1e-12, atol=1e-12
    )
    link = fx.trees.Link(
        "arm", 1.0, np.diag((0.01, 0.1, 0.1)), (0.3, 0.0, 0.0), joint=fx.trees.Revolute((0.0, 1.0, 0.0))
    )
    slide = fx.trees.Link("foot", 1.0, np.diag((0.01, 0.1, 0.1)), (0.1, 0.0, 0.0), parent="arm",
                          joint=fx.trees.Prismatic((1.0, 0.0, 0.0)), at=(0.6, 0, 0))  # fmt: skip
    tree = fx.simulate(fx.Model(fx.trees.Tree(link, slide, name="robot"), fx.Gravity((0, 0, -9.81))), 0.2, step=1e-3,
                       progress=False)  # fmt: skip
    turn, push = one(tree, "robot/arm.angle_rate"), one(tree, "robot/foot.displacement_rate")
    np.testing.assert_allclose(turn[0], tree.angular_velocity("robot/arm")[:, 1], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        push[0][1:-1], (tree.translation("robot/foot")[2:] - tree.translation("robot/foot")[:-2]) / 2e-3, atol=2e-4
    )
    assert (turn[1], push[1]) == ("rad/s", "m/s")
    # a link is a body and a joint by one name
    np.testing.assert_array_equal(one(tree, "robot/arm.position")[0], tree.position("robot/arm"))


def test_sensors_read_what_they_read_in_a_run() -> None:
    """Turns are those of the joint, also where states are more than half a turn apart."""
    wheel = fx.RigidBody.sphere(radius=0.1, mass=1.0, angular_velocity=(0.0, 0.0, 40.0), name="wheel")
    hinge = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), name="axle")
    run = fx.simulate(fx.Model(wheel, hinge), 1.0, step=1e-2, output=fx.Output(every=0.1), progress=False)
    assert np.diff(run.t).min() * 40.0 > np.pi
    angle, unit = one(run, fx.control.JointSensor("axle"))
    np.testing.assert_allclose(angle, 40.0 * run.t, rtol=1e-9)
    assert unit == "rad"
    rate, unit = one(run, fx.control.JointSensor("axle", rate=True))
    np.testing.assert_allclose(rate, 40.0, rtol=1e-9)
    assert unit == "rad/s"
    place = fx.control.PositionSensor(wheel, direction=(1, 0, 0))
    np.testing.assert_allclose(one(run, place)[0], 0.0, atol=1e-12)
    assert one(run, place)[1] == "m"


def test_a_thing_alone_stands_for_what_is_mostly_asked() -> None:
    run = swinging()
    assert [q.label for q in asked(run, "hinge")] == ["hinge.angle"]
    assert [q.label for q in asked(run, "spring")] == ["spring.force"]
    assert [q.label for q in asked(run, "rod")] == ["rod.position"]
    [drawn] = asked(run, "rod.velocity", drawn=True)
    assert drawn.axes == ("x", "y")  # z is zero in the plane
    [moment] = asked(run, "hinge.moment", drawn=True)
    assert moment.axes == ("z",)


def test_places_on_flexible_bodies_and_their_supports() -> None:
    bent = cantilever()
    beam = bent.model.body("beam")
    np.testing.assert_array_equal(one(bent, "beam.end.displacement")[0], bent.displacement(beam.end))
    reaction, unit = one(bent, "beam.start.reaction")
    np.testing.assert_allclose(reaction[-1], (0.0, 1.0, 0.0), atol=1e-8)  # of the whole load
    assert unit == "N"
    assert "velocity" not in bent.table("beam.end").columns
    with pytest.raises(fx.ModelError, match=r"name one of 'beam': beam\.start, beam\.end"):
        asked(bent, beam)


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("hing", "named 'hing'; did you mean 'hinge'"),
        ("hinge.angel", "named 'angel'; did you mean 'angle'"),
        ("hinge.angle.x", "is a number and has no component 'x'"),
        ("rod.velocity.q", "no component named 'q'"),
        ("rod.velocity.x.y", r"expected thing\.quantity"),
        ("energy.heat", "no quantity named 'heat'"),
        (3, "expected a joint, force, actuator, sensor, marker, body or place"),
        (("rod", 3), "the name of a quantity"),
    ],
)
def test_what_does_not_exist_is_told(what: Any, message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        asked(swinging(), what)
    with pytest.raises(fx.ModelError, match=message):
        swinging().plot(what)
    with pytest.raises(fx.ModelError, match=message):
        swinging().table(what)


def test_every_thing_of_a_model_is_known() -> None:
    assert set(known_names(swinging())) == {"hinge", "spring", "turn", "rod", "energy"}


def test_tables_take_quantities_by_name() -> None:
    run = swinging()
    table = run.table("hinge.angle", "spring.force", "rod.velocity")
    assert table.labels == (
        "t [s]", "hinge.angle [rad]", "spring.force [N]", "rod.velocity.x [mm/s, inertial]",
        "rod.velocity.y [mm/s, inertial]", "rod.velocity.z [mm/s, inertial]",
    )  # fmt: skip
    np.testing.assert_array_equal(table["rod.velocity.y"], run.velocity("rod")[:, 1])
    assert cantilever().table("beam.end.displacement").labels[0] == "load factor [-]"


def test_data_frames_have_time_as_their_index() -> None:
    pandas = pytest.importorskip("pandas")
    run = swinging()
    frame = run.to_dataframe("hinge", "rod.velocity.x")
    assert isinstance(frame, pandas.DataFrame)
    assert frame.index.name == "t [s]"
    np.testing.assert_array_equal(frame.index, run.t)
    np.testing.assert_array_equal(frame["hinge.angle"], run.angle("hinge"))
    np.testing.assert_array_equal(frame["rod.velocity.x"], run.velocity("rod")[:, 0])
    assert frame.attrs["units"]["hinge.force.x"] == "N"
    static = cantilever().to_dataframe("beam.end.displacement.y")
    assert static.index.name == "load factor"
    np.testing.assert_array_equal(static.index, cantilever().load_factors)
    modes = fx.solve_modal(cantilever(), modes=2)
    np.testing.assert_array_equal(modes.to_dataframe()["frequency"], modes.frequencies)


def test_xarray_has_axes_and_units() -> None:
    pytest.importorskip("xarray")
    run = swinging()
    found = run.to_xarray("rod.velocity", "hinge.angle")
    assert dict(found.sizes) == {"t": len(run), "axis": 3}
    np.testing.assert_array_equal(found["rod.velocity"].sel(axis="y"), run.velocity("rod")[:, 1])
    assert found["rod.velocity"].attrs["units"] == "mm/s"
    assert found["hinge.angle"].dims == ("t",)
    np.testing.assert_array_equal(found["t"], run.t)


@pytest.mark.parametrize("name", ["pandas", "xarray"])
def test_what_is_not_installed_names_the_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    run = swinging()
    with pytest.raises(fx.ModelError, match=rf"{name} is not installed.*flexmbs\[tables\]"):
        run.to_dataframe() if name == "pandas" else run.to_xarray()


def test_files_keep_what_is_asked(tmp_path: Path) -> None:
    again = fx.load(swinging().save(tmp_path / "swing.h5"))
    np.testing.assert_array_equal(again.table("hinge", "spring")["spring.force"], swinging().force("spring").force)


def test_bushings_part_forces_and_moments() -> None:
    """A box on a bushing under a turned push: rows of lengths are forces, rows of angles moments."""
    box = fx.RigidBody(2.0, (0.1, 0.2, 0.3), name="box")
    bushing = fx.Bushing(fx.ground.marker((0, 0, 0)), box.marker((0, 0, 0)),
                         stiffness=(100.0, 200.0, 300.0, 4.0, 5.0, 6.0), name="mount")  # fmt: skip
    run = fx.simulate(fx.Model(box, bushing, fx.Gravity((1.0, -2.0, -9.81))), 0.1, step=1e-3, progress=False)
    force, unit = one(run, "mount.force")
    np.testing.assert_array_equal(force, run.force("mount").force[:, :3])
    moment, of_moment = one(run, "mount.moment")
    np.testing.assert_array_equal(moment, run.force("mount").force[:, 3:])
    moved, length = one(run, "mount.displacement")
    np.testing.assert_allclose(moved, run.position("box"), atol=1e-12)
    np.testing.assert_allclose(force, moved * (100.0, 200.0, 300.0), atol=1e-9)
    assert (unit, of_moment, length) == ("N", "N m", "m")
    assert one(run, "mount.rotation")[1] == "rad"
    assert run.plot("mount.force").get_legend().get_texts()[0].get_text() == "mount.force.x"


def test_modes_move_and_are_viewed(tmp_path: Path) -> None:
    """One period with the wanted size: the tip of a clamped strip moves most, by a tenth of the size of the model."""
    modes = fx.solve_modal(cantilever().model, modes=1)
    beam = modes.model.body("beam")
    run = modes.visible(0, share=0.1, frames=12)
    moved = run.position(beam.end) - run.position(beam.end).mean(axis=0)
    assert np.linalg.norm(moved, axis=1).max() == pytest.approx(0.1, rel=0.01)
    assert run.t[-1] * 12 / 11 == pytest.approx(1.0 / modes.frequencies[0])
    page = modes.view(tmp_path / "mode.html", show=False)
    assert page.frames == 24
    assert "strip" in page.path.read_text()
    assert modes.animate(tmp_path / "mode.gif", fps=10, dpi=30, progress=False).stat().st_size > 1000


def test_pages_are_shown_where_no_path_is_given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    written = swinging().view(speed=1.0)
    assert opened == [written.path.as_uri()]
    assert written.path.name == "swing.html"
    swinging().view(tmp_path / "x.html")
    assert len(opened) == 1
    swinging().view(tmp_path / "y.html", show=True)
    assert len(opened) == 2


def test_joints_of_trees_have_one_name_as_objects_and_by_name() -> None:
    """The object was called "tree/arm (2)"."""
    tree = fx.trees.Tree(fx.trees.Link("arm", 1.0, (1.0, 1.0, 1.0), joint=fx.trees.Revolute(), rate=1.0), name="tree")
    run = fx.simulate(fx.Model(tree), until=0.1, step=0.05)
    assert list(run.table(tree.joint("arm")).columns) == ["t", "tree/arm.angle"]
    assert list(run.table(tree.joint("arm"), "tree/arm.angle").columns) == ["t", "tree/arm.angle"]
    assert run.plot(tree.joint("arm")).get_ylabel() == "tree/arm angle [rad]"


def test_contacts_have_forces_gap_and_loss_by_name() -> None:
    """A ball falls with 2 m/s and leaves with half of it: the impulse is m (1 + e) v, the loss m v^2 (1 - e^2)/2."""
    start = {"radius": 0.1, "mass": 1.5, "velocity": (0, 0, -2.0)}
    balls = [fx.RigidBody.sphere(**start, position=(x, 0, 0.1), name=f"ball {x}") for x in (0, 1)]
    floor = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
    law = fx.contact.HuntCrossleyLaw(stiffness=1e6, restitution=0.5, at_speed=2.0)
    touch = fx.Contact((floor, *(fx.contact.Sphere(ball, radius=0.1) for ball in balls)), law, name="touch")
    run = fx.simulate(fx.Model(*balls, touch), until=0.02, step=2e-5)
    table = run.table("touch.normal", "touch.force.z", "touch.gap", "touch.loss", "touch.energy").columns
    assert np.trapezoid(table["touch.normal"], run.t) == pytest.approx(2 * 1.5 * 1.5 * 2.0, rel=1e-4)
    assert table["touch.force.z"] == pytest.approx(table["touch.normal"])
    assert table["touch.gap"][-1] == pytest.approx(run.position(balls[0])[-1, 2] - 0.1)
    assert table["touch.loss"][-1] == pytest.approx(2 * 0.5 * 1.5 * 4.0 * 0.75, rel=1e-4)
    assert run.plot("touch").get_ylabel()
    with pytest.raises(fx.ModelError, match=r"'touch' is a contact; run\.contact\('touch'\) has its forces"):
        run.force(touch)
    with pytest.raises(AttributeError, match="did you mean 'gap'"):
        _ = run.contact(touch).penetration  # type: ignore[attr-defined]
