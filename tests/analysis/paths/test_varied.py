"""Paths over a number of the description: heights, lengths, imperfections, what supports hold."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import flexmbs as fx
from flexmbs.elements import ANCFCable2D, CableStrain, GeometricallyExactBeam


def truss(height: float, push: float = 1.0) -> fx.Model:
    """Two bars of stiffness 100 to an apex that is pushed down."""
    apex = fx.PointMass(1.0, position=(0.0, height), name="apex")
    ends = [fx.ground.marker((x, 0, 0)) for x in (-1, 1)]
    bars = [fx.SpringDamper(end, apex, stiffness=100.0, name=f"bar {i}") for i, end in enumerate(ends)]
    return fx.Model(apex, *bars, fx.PointForce(apex.centre, (0.0, -push)), name="truss")


def limit_load(height: float) -> float:
    """Closed form: l^3 = l0 a^2 with a = 1."""
    l0 = math.hypot(1.0, height)
    short = l0 ** (1 / 3)
    return 200.0 * (l0 - short) * math.sqrt(short**2 - 1.0) / short


def apex_height(s: Any) -> Any:
    return s.position(s.model.body("apex"))[:, 1]


def test_the_height_at_which_a_truss_snaps() -> None:
    paths = fx.trace_static(truss, by="height", begin=0.6, until=(0.2, 0.6))
    (limit,) = paths.limit_points
    assert limit.parameter == pytest.approx(brentq(lambda h: limit_load(h) - 1.0, 0.1, 0.6), rel=1e-7)
    assert paths.parameter == "height"
    assert paths[0].ending == "reached p = 0.6"
    assert paths[0].stable[0]
    assert not paths[0].stable[-1]
    for s in paths[0]:  # every point is an equilibrium of its own model
        z, l0 = float(apex_height(s)[0]), math.hypot(1.0, s.model.body("apex").position[1])
        length = math.hypot(1.0, z)
        assert 200.0 * (l0 - length) * z / length == pytest.approx(1.0, abs=1e-9)
    both = paths.at(0.4)
    assert [bool(s.stable[0]) for s in both] == [True, False]
    alone = fx.solve_static(truss(0.4))
    assert apex_height(both[0])[0] == pytest.approx(alone.position(alone.model.body("apex"), -1)[1], rel=1e-9)
    found = paths.where(apex_height, 0.3)
    assert len(found) == 1
    assert apex_height(found[0])[0] == pytest.approx(0.3, rel=1e-9)
    axes = paths.plot(apex_height, label="height of the apex")
    assert axes.get_ylabel() == "height"
    with pytest.raises(fx.ModelError, match="a model of its own"):
        paths.plot((paths[0].model.body("apex"), (0, 1)))
    assert list(paths.to_dataframe(apex=apex_height).columns)[-1] == "apex"


def column(aside: float, push: float = 9.0) -> fx.Model:
    """A hinged column of EI = L = 1 whose middle is pushed aside by a force: the imperfection."""
    rod = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=8, element=ANCFCable2D(strain=CableStrain.MATERIAL),
        stiffness=fx.BeamStiffness(EA=1e5, EI_z=1.0, mass_per_length=1.0), name="column",
    )  # fmt: skip
    load = fx.PointForce(rod.end, (-push, 0.0))
    return fx.Model(rod, fx.Pin(rod.start), fx.Roller(rod.end, (0, 1)), load,
                    fx.PointForce(rod.at((0.5, 0.0)), (0.0, aside)), name="column")  # fmt: skip


def middle(s: Any) -> Any:
    return s.displacement(s.model.body("column").at((0.5, 0.0)))[:, 1]


def test_the_force_aside_that_turns_a_buckled_column_over() -> None:
    """The same number as a load and as a number of the description gives the same path and limit points."""
    over = fx.solve_static(column(0.3, push=10.5), fx.StaticOptions(steps=20))
    options: Any = {"begin": 0.3, "until": (-1.0, 0.3), "start": over}
    by_number = fx.trace_static(lambda x: column(x, push=10.5), by="force aside", **options)
    model = column(1.0, push=10.5)
    by_load = fx.trace_static(model, by=model.loads[1], **options)
    assert len(by_number.limit_points) == 2
    np.testing.assert_allclose(
        [p.parameter for p in by_number.limit_points], [p.parameter for p in by_load.limit_points], rtol=1e-6
    )
    for x in (-0.05, 0.05):
        mine, theirs = ([float(middle(s)[0]) for s in paths.at(x)] for paths in (by_number, by_load))
        np.testing.assert_allclose(mine, theirs, rtol=1e-7, atol=1e-9)


def bent(moment: float) -> fx.Model:
    """A clamped rod of length and bending stiffness one with a moment at its end."""
    rod = fx.FlexibleBody.line(
        (0, 0, 0), (1, 0, 0), elements=4, element=GeometricallyExactBeam(),
        stiffness=fx.BeamStiffness(EA=1e3, EI_y=1.0, EI_z=1.0, GJ=1.0, GA_y=1e3, GA_z=1e3, mass_per_length=1.0,
                                   rhoI_y=1e-3, rhoI_z=1e-3), name="rod",
    )  # fmt: skip
    return fx.Model(rod, fx.Clamp(rod.start), fx.Moment(rod.end, (0.0, 0.0, moment)), name="bent")


def test_a_moment_as_a_number_bends_a_spatial_rod_into_a_circle() -> None:
    paths = fx.trace_static(bent, by="moment", begin=0.1, until=2.0 * math.pi)
    last = paths[0].equilibrium(-1)
    end = last.position(last.model.body("rod").end, -1)
    assert paths[0].values[-1] == pytest.approx(2.0 * math.pi)
    np.testing.assert_allclose(end, 0.0, atol=0.05)  # four elements
    again = fx.solve_static(bent(2.0 * math.pi), fx.StaticOptions(steps=20))
    np.testing.assert_allclose(end, again.position(again.model.body("rod").end, -1), atol=1e-8)


def stretched(length: float) -> fx.Model:
    """A cable held at both ends, a given distance apart, and weighing one; its free length is one."""
    rod = fx.FlexibleBody.line(
        (0, 0), (length, 0), elements=8, element=ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=100.0, EI_z=0.05, mass_per_length=1.0), name="cable",
    )  # fmt: skip
    return fx.Model(rod, fx.Pin(rod.start), fx.Pin(rod.end), fx.Gravity((0, -1.0)), name="stretched")


def test_supports_go_along_with_the_description() -> None:
    paths = fx.trace_static(stretched, by="length", begin=1.0, until=1.6)
    for s in (paths[0].equilibrium(0), paths[0].equilibrium(-1), paths.at(1.3)[0]):
        cable = s.model.body("cable")
        length = float(s.load_factors[-1])
        alone = fx.solve_static(stretched(length))
        own = alone.model.body("cable")
        assert s.position(cable.end, -1)[0] == pytest.approx(length, abs=1e-12)
        for x in (0.25, 0.5):
            np.testing.assert_allclose(
                s.position(cable.at((x * length, 0.0)), -1), alone.position(own.at((x * length, 0.0)), -1), atol=1e-8
            )


def tilted(angle: float) -> fx.Model:
    """A spatial rod clamped along a direction that turns, with a weight at its end."""
    c, s = math.cos(angle), math.sin(angle)
    rod = fx.FlexibleBody.line(
        (0, 0, 0), (c, 0, s), elements=3, element=GeometricallyExactBeam(up=(0, 1, 0)),
        stiffness=fx.BeamStiffness(EA=1e3, EI_y=1.0, EI_z=1.0, GJ=1.0, GA_y=1e3, GA_z=1e3, mass_per_length=1.0,
                                   rhoI_y=1e-3, rhoI_z=1e-3), name="rod",
    )  # fmt: skip
    return fx.Model(rod, fx.Clamp(rod.start), fx.PointForce(rod.end, (0.0, 0.0, -1.0)), name="tilted")


def test_clamps_turn_with_the_description() -> None:
    paths = fx.trace_static(tilted, by="slope", begin=0.0, until=1.2)
    for s in (paths[0].equilibrium(-1), paths.at(0.7)[0]):
        alone = fx.solve_static(tilted(float(s.load_factors[-1])), fx.StaticOptions(steps=5))
        np.testing.assert_allclose(
            s.position(s.model.body("rod").end, -1), alone.position(alone.model.body("rod").end, -1), atol=1e-7
        )


def four_bar(offset: float) -> fx.Model:
    """A hanging pendulum whose hinge moves aside, held by a spring to a fixed place: joints depend on the number."""
    bar = fx.PlanarRigidBody(1.0, 0.1, position=(offset, -0.5), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(offset, 0.0), name="hinge")
    spring = fx.SpringDamper(fx.ground.marker((1.0, -1.0, 0.0)), bar.marker((0.0, -0.5)), stiffness=20.0,
                             free_length=0.5, name="spring")  # fmt: skip
    return fx.Model(bar, hinge, spring, fx.Gravity((0, -9.81)), name="hanging")


def test_joints_move_with_the_description() -> None:
    paths = fx.trace_static(four_bar, by="offset", begin=0.0, until=0.6, start=fx.solve_static(four_bar(0.0)))
    for s in (paths[0].equilibrium(-1), paths.at(0.3)[0]):
        offset = float(s.load_factors[-1])

        def moment(angle: float, offset: float = offset) -> float:
            tip = np.array([offset + math.sin(angle), -math.cos(angle)])
            way = np.array([1.0, -1.0]) - tip
            far = float(np.hypot(*way))
            pull = 20.0 * (far - 0.5) * way / far
            return float(pull[0] * math.cos(angle) + pull[1] * math.sin(angle) - 9.81 * 0.5 * math.sin(angle))

        body = s.model.body("bar")
        x, y, _ = s.position(body, -1)
        found = math.atan2(x - offset, -y)
        assert moment(found) == pytest.approx(0.0, abs=1e-7)
        assert math.hypot(x - offset, y) == pytest.approx(0.5, abs=1e-9)


def test_bifurcations_along_a_number_are_found_and_followed() -> None:
    """A perfect column under P = 9 that becomes longer buckles where P L^2 = pi^2 EI; its branch is followed."""

    def longer(length: float) -> fx.Model:
        rod = fx.FlexibleBody.line(
            (0, 0), (length, 0), elements=8, element=ANCFCable2D(strain=CableStrain.MATERIAL),
            stiffness=fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0), name="column",
        )  # fmt: skip
        push = fx.PointForce(rod.end, (-9.0, 0.0))
        return fx.Model(rod, fx.Pin(rod.start), fx.Roller(rod.end, (0, 1)), push, name="column")

    paths = fx.trace_static(longer, by="length", begin=0.8, until=(0.8, 1.3), branches=1)
    (point,) = paths.bifurcations[:1]
    assert point.parameter == pytest.approx(math.pi / 3.0, rel=1e-4)  # 1e-5 by EA, 8 elements: (pi/8)^4 / 720
    assert len(paths) == 2
    s = min(paths[1], key=lambda x: abs(x.load_factors[-1] - 1.2))
    aside = abs(s.displacement(s.model.body("column").at((0.5 * s.load_factors[-1], 0.0)), -1)[1])
    assert aside > 0.2
    assert s.stable[0]


def test_bad_input() -> None:
    with pytest.raises(fx.ModelError, match="by must be the name of the number"):
        fx.trace_static(truss)
    with pytest.raises(fx.ModelError, match="begin must say at which height"):
        fx.trace_static(truss, by="height", until=0.2)
    with pytest.raises(fx.ModelError, match="the function must return a Model"):
        fx.trace_static(lambda h: h, by="height", begin=0.6, until=0.2)  # type: ignore[arg-type, return-value]
    with pytest.raises(fx.ModelError, match="expected a Model, or a function"):
        fx.trace_static(3)  # type: ignore[arg-type]

    def other(height: float) -> fx.Model:
        extra = (fx.PointMass(1.0, position=(0.0, 2.0), name="extra"),) if height < 0.5 else ()
        return truss(height).with_(*extra)

    with pytest.raises(fx.ModelError, match=r"at height = .* other coordinates"):
        fx.trace_static(other, by="height", begin=0.6, until=0.45)


def test_a_function_without_models_beyond_the_range() -> None:
    """The function refuses heights above 0.6 and below 0.35; the path ends there without asking."""

    def narrow(height: float) -> fx.Model:
        if not 0.35 <= height <= 0.6:
            raise fx.ModelError(f"no truss of height {height}")
        return truss(height)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        paths = fx.trace_static(narrow, by="height", begin=0.6, until=0.35)
    assert paths[0].ending == "reached p = 0.35"
    assert paths[0].values[-1] == 0.35
