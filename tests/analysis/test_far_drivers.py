"""Equilibria of flexible bodies that drivers hold far from where they are described."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.elements import ANCFBeam, ANCFCable2D, GeometricallyExactBeam

SECTION = fx.Rectangle(width=0.01, height=0.01)
ELEMENTS = [ANCFCable2D(), ANCFBeam(), GeometricallyExactBeam()]


def beam(element: Any, angle: float = 0.0) -> fx.FlexibleBody:
    dim = element.layout.dim
    end = (np.cos(angle), np.sin(angle), 0.0)
    return fx.FlexibleBody.line(
        (0,) * dim, end[:dim], elements=8, element=element, section=SECTION, material=fx.steel, name="beam"
    )


def driven(element: Any, *loads: Any) -> fx.Model:
    body = beam(element)
    hinge = fx.RevoluteJoint(fx.ground, body.start, axis=None if body.mesh.dim == 2 else (0, 0, 1), name="hinge")
    return fx.Model(body, hinge, fx.RotationDriver(hinge, fx.motions.Linear(1.0), name="motor"), *loads)


@pytest.mark.parametrize("element", ELEMENTS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("angle", [1.5, 2.8, 4.0])
def test_a_beam_without_load_is_turned_as_a_whole(element: Any, angle: float) -> None:
    model = driven(element)
    held = fx.solve_static(model, time=angle)
    end = held.position(model.body("beam").end, step=-1)
    assert np.abs(end - [np.cos(angle), np.sin(angle), 0.0]).max() < 1e-9
    assert held.angle("hinge")[-1] == pytest.approx(angle, abs=1e-9)


def test_a_beam_under_its_weight_is_that_clamped_where_the_driver_holds_it() -> None:
    weight = fx.Gravity((0, -9.81), history=fx.Constant())
    model = driven(ANCFCable2D(), weight)
    held = fx.solve_static(model, time=2.5)
    clamped = beam(ANCFCable2D(), 2.5)
    expected = fx.solve_static(fx.Model(clamped, fx.Clamp(clamped.start), fx.Gravity((0, -9.81))))
    end = held.position(model.body("beam").end, step=-1)
    assert np.abs(end - expected.position(clamped.end, step=-1)).max() < 1e-8
    moment = held.reaction_moment("motor")[-1, 2]
    assert moment == pytest.approx(expected.reaction_moment(clamped.start)[-1, 2], rel=1e-7)


@pytest.mark.parametrize("element", [ANCFCable2D(), GeometricallyExactBeam()], ids=lambda e: type(e).__name__)
def test_a_simulation_warns_that_a_node_is_turned(element: Any) -> None:
    body = beam(element)
    hinge = fx.RevoluteJoint(fx.ground, body.start, axis=None if body.mesh.dim == 2 else (0, 0, 1), name="hinge")
    motor = fx.RotationDriver(hinge, fx.motions.Constant(0.5), name="motor")
    with pytest.warns(RuntimeWarning, match=r"turned (it|'beam') by 0\.5 rad"):
        fx.simulate(fx.Model(body, hinge, motor), until=0.0)
