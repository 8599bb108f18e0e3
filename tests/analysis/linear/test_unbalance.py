"""Responses to unbalance against closed forms and a motion."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx

MASS, KX, KY, C, E = 10.0, 1.0e5, 1.6e5, 60.0, 1e-4


def rotor(speed: float, offset: float = 0.0) -> fx.Model:
    """A disc that cannot tilt; its mass centre lies ``offset`` beside the axis, along x at the start."""
    disc = fx.RigidBody(
        MASS, (0.1, 0.1, 0.2), position=(offset, 0, 0), velocity=(0, speed * offset, 0),
        angular_velocity=(0, 0, speed), name="disc",
    )  # fmt: skip
    bearing = fx.Bushing(
        fx.ground.marker((0, 0, 0)), disc.marker((-offset, 0, 0)), stiffness=(KX, KY, 1e6, 1e6, 1e6, 0),
        damping=(C, C, 0, 0, 0, 0), free_coordinates=(0, 0, 0, 0, 0, 0), name="bearing",
    )  # fmt: skip
    return fx.Model(disc, bearing)


def sensors(model: fx.Model) -> list[object]:
    disc = model.body("disc")
    return [fx.control.PositionSensor(disc, (1, 0, 0), name="x"), fx.control.PositionSensor(disc, (0, 1, 0), name="y")]


def test_two_directions_of_unlike_stiffness() -> None:
    speeds, angle = np.array([40.0, 100.0, 130.0, 400.0]), 0.4
    found = fx.unbalance_response(rotor, speeds, [("disc", MASS * E, angle)], sensors)
    force = MASS * E * speeds**2 * np.exp(1j * angle)
    for name, k, turn in (("x", KX, 1.0), ("y", KY, -1j)):
        exact = force * turn / (k - MASS * speeds**2 + 1j * C * speeds)
        assert np.abs(found.of(name) - exact).max() < 1e-8 * np.abs(exact).max()
    assert found.amplitudes.shape == (4, 2)
    assert found.plot().get_ylabel() == "amplitude"
    with pytest.raises(fx.ModelError, match="output named 'z'"):
        found.of("z")


def test_a_motion_with_the_mass_beside_the_axis_ends_there() -> None:
    speed = 150.0
    found = fx.unbalance_response(rotor, [speed, 2 * speed], [("disc", MASS * E)], sensors)
    heavy = rotor(speed, E)
    run = fx.simulate(heavy, until=1.6, step=5e-4)
    t = run.t[-400:]
    around = run.position(heavy.body("disc").marker((-E, 0, 0)))[-400:, :2]
    turn = np.exp(1j * speed * t)
    exact = np.real(found.values[0] * turn[:, None])
    assert np.abs(around - exact).max() < 2e-2 * np.abs(exact).max()


def test_what_is_refused() -> None:
    with pytest.raises(fx.ModelError, match="above zero"):
        fx.unbalance_response(rotor, [0.0, 1.0], [("disc", 1.0)], sensors)
    with pytest.raises(fx.ModelError, match="list of"):
        fx.unbalance_response(rotor, [1.0, 2.0], [], sensors)
    with pytest.raises(fx.ModelError, match="place, amount"):
        fx.unbalance_response(rotor, [1.0, 2.0], ["disc"], sensors)
    flat = fx.RigidBody(MASS, (0.1, 0.15, 0.2), angular_velocity=(0, 0, 10.0), name="disc")
    bearing = fx.Bushing(fx.ground.marker((0, 0, 0)), flat.centre, stiffness=(KX, KX, 1e6, 1e6, 1e6, 0), name="bearing")
    with pytest.raises(fx.ModelError, match="body 'disc'"):
        fx.unbalance_response(fx.Model(flat, bearing), [10.0, 20.0], [("disc", 1.0)], sensors)


def test_a_rotor_of_another_speed_is_refused() -> None:
    """Of two rotors the faster one has the speed; an unbalance on the other would have another frequency."""
    rotors = [
        fx.RigidBody(1.0, (0.1, 0.1, 0.2), position=(x, 0, 0), angular_velocity=(0, 0, spin), name=name)
        for x, spin, name in ((0.0, 10.0, "slow"), (1.0, 30.0, "fast"))
    ]
    bearings = [fx.Bushing(fx.ground, r, (1e3, 2e3, 1e3, 1e2, 1e2, 0), at=r.position, name=r.name) for r in rotors]
    model = fx.Model(*rotors, *bearings)
    with pytest.raises(fx.ModelError, match="speed 20: marker 'centre' of RigidBody 'slow' turns with 6"):
        fx.unbalance_response(model, [20.0, 40.0], [("slow", 1e-3)], [fx.control.PositionSensor(rotors[0], (1, 0, 0))])
    found = fx.unbalance_response(
        model, [20.0, 40.0], [("fast", 1e-3)], [fx.control.PositionSensor(rotors[1], (1, 0, 0))]
    )
    assert found.values[:, 0].real == pytest.approx([0.4 / 600.0, -1.6 / 600.0])
