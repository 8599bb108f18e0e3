"""Silent wrong answers, found once: follower loads on thin beams, hidden unstable modes, flipped supports, kinks."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx


def beam(elements: int, EA: float = 1e6, EI: float = 1.0, y: float = 0.0, name: str = "beam") -> fx.FlexibleBody:
    return fx.FlexibleBody.line(
        (0, y),
        (1, y),
        elements=elements,
        element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=EA, EI_z=EI, mass_per_length=1.0),
        name=name,
    )


@pytest.mark.parametrize("elements", [32, 64])
def test_follower_loads_are_seen_beside_any_axial_stiffness(elements: int) -> None:
    """Beck's column below its flutter load 20.05: both frequencies have moved towards each other."""
    column = beam(elements, EA=1e9)
    load = fx.PointForce(column.end, (-10.0, 0.0), follower=True)
    modes = fx.solve_modal(fx.solve_static(fx.Model(column, fx.Clamp(column.start), load)), modes=2)
    assert not modes.conservative
    assert np.real(modes.eigenvalues) == pytest.approx([26.79, 345.5], rel=2e-3)


def test_many_unknowns_do_not_hide_an_unstable_mode() -> None:
    values = {}
    for elements in (16, 60):
        column, soft = beam(elements, 1e9, 1000.0), beam(elements, y=3.0, name="soft")
        model = fx.Model(
            column,
            soft,
            fx.Pin(column.start),
            fx.Roller(column.end, (0, 1)),
            fx.PointForce(column.end, (-12000.0, 0.0)),
            fx.Clamp(soft.start),
        )
        solution = fx.solve_static(model, fx.StaticOptions(check_stability=False, steps=1))
        with pytest.warns(RuntimeWarning, match="unstable"):
            fx.solve_modal(solution, modes=3)  # which has lower ones
        with pytest.warns(RuntimeWarning, match="unstable"):
            modes = fx.solve_modal(solution, modes=6)
        assert np.count_nonzero(modes.growing) == 1
        values[elements] = np.concatenate((modes.eigenvalues[modes.growing], modes.eigenvalues[:3]))
    k2 = np.pi**2  # omega^2 = k^2 (EI k^2 - P) / m, but for the stretch of 1e-5
    assert values[60][0] == pytest.approx(k2 * (1000.0 * k2 - 12000.0), rel=1e-3)
    assert values[60][1] == pytest.approx(1.875104**4, rel=1e-3)  # the lowest by magnitude, of the soft beam
    assert values[60] == pytest.approx(values[16], rel=1e-3)


def test_a_support_does_not_flip_a_slope() -> None:
    rod = beam(8)
    turned = fx.Prescribe(rod.start, (0, 0), rotation=3.0, history=fx.Constant())
    with pytest.raises(fx.ModelError, match="turns a node by 3 rad at the start"):
        fx.solve_static(fx.Model(rod, turned, fx.PointForce(rod.end, (0, -0.5))))
    grown = fx.solve_static(fx.Model(rod, fx.Prescribe(rod.start, (0, 0), rotation=3.0)))
    assert grown.angle(rod.start, step=-1) == pytest.approx(3.0)
    with pytest.raises(fx.ModelError, match="at the start"):
        fx.solve_static(fx.Model(rod, fx.Clamp(rod.start), fx.PointForce(rod.end, (0, -1e-3))), start=grown)


def test_the_peak_of_a_table_is_met() -> None:
    rod = beam(4)
    load = fx.PointForce(rod.end, (0.0, 0.03), history=fx.Table((0.0, 0.05, 0.1, 1.0), (0.0, 1.0, 0.0, 0.0)))
    solution = fx.solve_static(fx.Model(rod, fx.Clamp(rod.start), load))
    assert 0.05 in solution.parameters
    assert solution.position(rod.end)[:, 1].max() == pytest.approx(0.01, rel=1e-3)
