"""Structures that snap through under a load: found, said, and followed by displacement control."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import flexmbs as fx

HEIGHT, EA = 0.2, 50.0


def truss(*drive: object) -> tuple[fx.FlexibleBody, fx.Model]:
    """Two stocky inclined bars, hinged at their feet and at the top, which moves straight down (von Mises)."""
    stiffness = fx.BeamStiffness(EA=EA, EI_z=10.0, mass_per_length=1.0)
    left, right = (
        fx.FlexibleBody.line(
            (x, 0.0), (0.0, HEIGHT), elements=2, element=fx.elements.ANCFCable2D(), stiffness=stiffness, name=name
        )
        for x, name in ((-1.0, "left"), (1.0, "right"))
    )
    return left, fx.Model(
        left,
        right,
        fx.Hinge(left.end, right.end),
        fx.Pin(left.start),
        fx.Pin(right.start),
        fx.Roller(left.end, normal=(1, 0)),
    )


def force(drop: float) -> float:
    """Force at the top of two bars with the strain l/l0 - 1, for a top lowered by ``drop``."""
    long, now = math.hypot(1.0, HEIGHT), math.hypot(1.0, HEIGHT - drop)
    return -2.0 * EA * (now / long - 1.0) * (HEIGHT - drop) / now


LIMIT = max(force(d) for d in np.linspace(0.0, HEIGHT, 2001))


def test_below_the_limit_load_nothing_is_said() -> None:
    bar, model = truss()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solution = fx.solve_static(model.with_(fx.PointForce(bar.end, (0.0, -0.95 * LIMIT))))
    drop = -solution.displacement(bar.end, step=-1)[1]
    assert force(drop) == pytest.approx(0.95 * LIMIT, rel=1e-5)
    assert drop < 0.5 * HEIGHT


def test_the_analysis_stops_at_the_limit_load_and_keeps_what_it_found() -> None:
    bar, model = truss()
    model = model.with_(fx.PointForce(bar.end, (0.0, -2.0 * LIMIT)))
    with pytest.raises(fx.ConvergenceError, match=r"load factor 0\.(4999|5 )") as caught:
        fx.solve_static(model)
    solution = caught.value.solution
    assert solution.status is fx.Status.STEP_TOO_SMALL
    drops = HEIGHT - solution.position(bar.end)[:, 1]
    assert drops.max() < 0.6 * HEIGHT
    for parameter, drop in zip(solution.parameters, drops, strict=True):
        assert force(drop) == pytest.approx(2.0 * LIMIT * parameter, abs=1e-6 * LIMIT)


def test_equal_steps_snap_through() -> None:
    bar, model = truss()
    model = model.with_(fx.PointForce(bar.end, (0.0, -2.0 * LIMIT)))
    solution = fx.solve_static(model, fx.StaticOptions(steps=4))
    drop = -solution.displacement(bar.end, step=-1)[1]
    assert force(drop) == pytest.approx(2.0 * LIMIT, rel=1e-5)
    assert drop > 1.5 * HEIGHT


def test_displacement_control_follows_the_equilibria_between() -> None:
    bar, model = truss()
    drive = fx.Prescribe(bar.end, (None, -2.2 * HEIGHT))
    model = fx.Model(
        *(i for i in model.items if not isinstance(i, fx.Roller)), fx.Roller(bar.end, normal=(1, 0)), drive
    )
    solution = fx.solve_static(model, fx.StaticOptions(steps=22))
    for step in range(1, solution.n_steps):
        drop = -solution.displacement(bar.end, step)[1]
        assert -solution.reaction(bar.end, step)[1] == pytest.approx(force(drop), abs=1e-4 * LIMIT)
