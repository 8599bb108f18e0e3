"""Linear models against equations written by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics

G = 9.81


def hanging(damping: float = 0.0) -> tuple[fx.PlanarRigidBody, fx.Model]:
    bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.0, -0.5), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    extra = (fx.TorsionSpring(hinge, damping=damping, name="damper"),) if damping else ()
    return bar, fx.Model(bar, hinge, fx.Gravity((0, -G)), *extra)


@pytest.mark.parametrize("how", ["object", "name"])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_joint_force_of_the_model_is_an_input_that_does_not_act_at_the_initial_state(how: str, sparse: bool) -> None:
    """J = 0.6; as an input it acts by its factor alone, or the bar would not be in equilibrium."""
    bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.5, 0.0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    model = fx.Model(bar, hinge, fx.TorsionSpring(hinge, stiffness=G, name="spring"))
    torque = fx.JointForce(hinge, 2.0, name="torque")
    at = fx.control.JointSensor("hinge")
    given = [torque if how == "object" else "torque"]
    linearise = fx.linearise_sparse if sparse else fx.linearise
    omega = 3.0
    for about in (model.with_(torque), fx.solve_static(model.with_(torque))):
        linear = linearise(about, given, [at])
        assert linear.inputs == ("torque",)
        assert abs(linear.transfer(omega)[0, 0]) == pytest.approx(2.0 / abs(G - 0.6 * omega**2), rel=1e-7)


def test_pendulum_with_a_torque() -> None:
    bar, model = hanging(0.3)
    torque = fx.Moment(bar.centre, 1.0)
    linear = fx.linearise(
        model.with_(torque), [torque], [fx.control.JointSensor("hinge"), fx.control.JointSensor("hinge", rate=True)]
    )
    J = 0.6
    assert pytest.approx(np.array([[0, 1], [-2 * G * 0.5 / J, -0.3 / J]]), abs=1e-12) == linear.A
    assert pytest.approx(np.array([[0], [1 / J]]), abs=1e-12) == linear.B
    assert pytest.approx(np.eye(2), abs=1e-8) == linear.C
    assert pytest.approx(np.zeros((2, 1)), abs=1e-12) == linear.D
    assert linear.states == ("angle of body 'bar'", "rate of angle of body 'bar'")
    assert linear.poles == pytest.approx(np.roots([J, 0.3, G]), rel=1e-9)
    static = linear.transfer(0.0)
    assert static[0, 0] == pytest.approx(1.0 / G)
    assert linear.transfer([0.0, 1.0]).shape == (2, 2, 1)
    assert pytest.approx(linear.A) == linear.to_scipy().A


def test_pendulum_in_space_with_an_actuator() -> None:
    bar = fx.RigidBody(2.0, (0.3, 0.1, 0.2), position=(0, 0, -0.5), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    motor = fx.control.JointActuator("hinge", name="motor")
    command = fx.control.Command(motor, period=0.01, values=0.0)
    linear = fx.linearise(
        fx.Model(bar, hinge, fx.Gravity((0, 0, -G)), command), ["motor"], [fx.control.JointSensor("hinge")]
    )
    assert linear.states[0] == "rotation about body y of body 'bar'"
    assert pytest.approx(np.array([[0, 1], [-G / 0.6, 0]]), abs=1e-10) == linear.A
    assert pytest.approx(np.array([[0], [1 / 0.6]]), abs=1e-9) == linear.B
    assert pytest.approx(np.array([[1, 0]]), abs=1e-8) == linear.C


def test_inputs_that_are_not_in_the_model() -> None:
    """J = 0.6 about the hinge; a force at the centre, 0.5 below it, has that arm."""
    bar, model = hanging(0.3)
    hinge = model.joint("hinge")
    inputs = [
        fx.JointForce(hinge, 1.0), fx.Moment(bar.centre, 2.0), fx.control.JointActuator("hinge", name="motor"),
        fx.PointForce(bar.centre, (3.0, 0.0)), fx.JointForce(hinge, -4.0, name="weak"),
    ]  # fmt: skip
    sensors = [fx.control.JointSensor("hinge"), fx.control.AccelerationSensor(bar.centre, (1, 0))]
    started = fx.Model(
        *model.items, fx.control.Command(fx.control.JointActuator("hinge", name="own"), period=1.0, values=0.0)
    )
    for about in (model, fx.solve_static(model), started):
        linear = fx.linearise(about, inputs, sensors)
        rates = np.array([1.0, 2.0, 1.0, 1.5, -4.0]) / 0.6
        assert pytest.approx(np.array([np.zeros(5), rates]), abs=1e-9) == linear.B
        assert pytest.approx(0.5 * rates, abs=1e-6) == linear.D[1]
        assert linear.inputs[0] == "motor (1)"  # the actuator is called so, too
        assert linear.inputs[2] == "motor (2)"
        assert linear.inputs[4] == "weak"
    inside = model.with_(inputs[0])  # as an input it does not act, or nothing would balance it
    assert pytest.approx(np.array([[0], [1 / 0.6]]), abs=1e-9) == fx.linearise(inside, [inputs[0]]).B


def test_outside_load_on_a_flexible_body_about_an_equilibrium() -> None:
    """A load in the model and the same outside of it are the same input."""
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(), section=fx.Circle(diameter=0.01),
        material=fx.steel,
        name="beam",
    )  # fmt: skip
    push, weight = fx.PointForce(beam.end, (0.0, 1.0)), fx.PointForce(beam.end, (0.0, -5.0))
    still = fx.Model(beam, fx.Clamp(beam.start), weight)
    outside = fx.linearise(fx.solve_static(still), [push])
    inside = fx.linearise(fx.solve_static(still), [weight])
    assert pytest.approx(inside.B, rel=1e-9) == -5.0 * outside.B
    assert np.abs(outside.B).max() > 0.0


def test_inputs_that_cannot_be() -> None:
    bar, model = hanging()
    other = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0), name="other")
    motor = fx.JointForce(model.joint("hinge"), lambda s, rate, t: 1.0)
    for item, message in (
        (motor, "is a function"),
        (fx.JointForce(model.joint("hinge"), 0.0, name="nothing"), "'nothing' is of size zero"),
        (fx.PointForce(other.centre, (1.0, 0.0)), "body 'other' is not in the model"),
        (bar, "no load, actuator or prescribed motion named 'bar'"),
        (3.0, "no load, actuator or prescribed motion"),
    ):
        with pytest.raises(fx.ModelError, match=message):
            fx.linearise(model, [item])


def cart_pole(driven: bool) -> tuple[fx.Model, tuple[float, float, float, float]]:
    """Pole hanging (driven) or upright, on a cart along x."""
    M, m, J, arm = 1.5, 0.4, 0.02, 0.3
    cart = fx.PlanarRigidBody(M, 1.0, position=(0, 0), name="cart")
    pole = fx.PlanarRigidBody(m, J, position=(0, -arm if driven else arm), name="pole")
    rail = fx.PrismaticJoint(fx.ground, cart, at=(0, 0), axis=(1, 0), name="rail")
    items = [cart, pole, rail, fx.RevoluteJoint(cart, pole, at=(0, 0), name="pivot"), fx.Gravity((0, -G))]
    items.append(
        fx.TranslationDriver(rail, motion=0.0, name="drive") if driven else fx.PointForce(cart.centre, (1.0, 0))
    )
    return fx.Model(*items), (M, m, J, arm)


def test_cart_pole() -> None:
    """(M + m) x'' - m arm th'' = F, (J + m arm^2) th'' - m arm x'' - m g arm th = 0."""
    model, (M, m, J, arm) = cart_pole(False)
    linear = fx.linearise(model, [model.loads[1]], [fx.control.PositionSensor(model.body("pole").centre, (1, 0))])
    mass = np.array([[M + m, -m * arm], [-m * arm, J + m * arm * arm]])
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    A[2:, :2] = np.linalg.solve(mass, [[0, 0], [0, m * G * arm]])
    B = np.concatenate(([0, 0], np.linalg.solve(mass, [1.0, 0])))[:, None]
    assert linear.states[:2] == ("x of body 'cart'", "angle of body 'pole'")
    assert pytest.approx(A, abs=1e-10) == linear.A
    assert pytest.approx(B, abs=1e-10) == linear.B
    assert pytest.approx(np.array([[1.0, -arm, 0, 0]]), abs=1e-8) == linear.C


def test_prescribed_motion_as_input() -> None:
    """(J + m arm^2) th'' + m g arm th = -m arm x''; the accelerometer feels x'' + arm th''."""
    model, (_, m, J, arm) = cart_pole(True)
    sensors = [
        fx.control.PositionSensor(model.body("pole").centre, (1, 0)),
        fx.control.AccelerationSensor(model.body("pole").centre, (1, 0)),
        fx.control.MultiplierSensor("drive"),
    ]
    linear = fx.linearise(model, ["drive"], sensors)
    turn = J + m * arm * arm
    A, B = np.zeros((4, 4)), np.zeros((4, 1))
    A[0, 1] = A[2, 3] = 1.0
    A[1, 0], B[1, 0], B[3, 0] = -m * G * arm / turn, -m * arm / turn, 1.0
    assert pytest.approx(A, abs=1e-10) == linear.A
    assert pytest.approx(B, abs=1e-10) == linear.B
    assert linear.states[2:] == ("motion of drive", "rate of the motion of drive")
    assert linear.C[0] == pytest.approx([arm, 0, 1, 0], abs=1e-8)
    assert linear.C[1] == pytest.approx([-arm * m * G * arm / turn, 0, 0, 0], abs=1e-7)
    assert linear.D[1] == pytest.approx([1 - m * arm * arm / turn], abs=1e-8)
    M = 1.5
    assert abs(linear.D[2, 0]) == pytest.approx(M + m - (m * arm) ** 2 / turn, rel=1e-6)


def test_a_motion_that_a_function_keeps_constant_is_at_rest() -> None:
    """The rest is an equilibrium of a model without any force that round-off could be compared with."""
    table, mass = fx.PointMass(1.0, position=(0, 0), name="table"), fx.PointMass(1.0, position=(0, 1), name="mass")
    guides = [fx.PointOnLineConstraint(fx.ground, one, at=one.position, axis=(0, 1)) for one in (table, mass)]
    spring = fx.SpringDamper(table, mass, stiffness=100.0)
    shaker = fx.DistanceDriver(fx.ground.marker((0, -1)), table, lambda t: 1.0, name="shaker")
    found = fx.linearise(fx.Model(table, mass, *guides, spring, shaker), ["shaker"], [fx.control.PositionSensor(mass)])
    assert abs(found.poles).max() == pytest.approx(10.0)


def test_first_order_states_and_their_actuators() -> None:
    """A motor with L di/dt = u - R i - k w, u added to its output: torque k i."""
    _, model = hanging()
    speed, motor = fx.control.JointSensor("hinge", rate=True), fx.control.JointActuator("hinge", name="motor")
    coil = fx.control.FirstOrder([0.0], lambda i, w, t: (0.0 - 2.0 * i - 0.1 * w) / 0.01, speed, motor,
                         output=lambda i, w, t: 0.1 * i, name="coil")  # fmt: skip
    linear = fx.linearise(model.with_(coil), ["motor"], [fx.control.JointSensor("hinge"), fx.control.StateSensor(coil)])
    expected = np.array([[0, 1, 0], [-G / 0.6, 0, 0.1 / 0.6], [0, -10.0, -200.0]])
    assert pytest.approx(expected, abs=1e-6) == linear.A
    assert pytest.approx(np.array([[0], [1 / 0.6], [0]]), abs=1e-9) == linear.B
    assert pytest.approx(np.array([[1, 0, 0], [0, 0, 1]]), abs=1e-8) == linear.C
    assert linear.states[2] == "state 0 of 'coil'"


def test_outputs_of_all_units_beside_each_other() -> None:
    """Displacements of stiff parts are small beside their accelerations and reactions, and no round-off."""
    m, k, c = 1e-3, 2e9, 1.0
    ball = fx.PointMass(m, position=(0.0, 0.0), name="ball")
    spring = fx.Bushing(fx.ground.marker((0, 0, 0)), ball, (k, k), damping=(c, c), name="spring")
    sensors = [fx.control.PositionSensor(ball, (1, 0)), fx.control.VelocitySensor(ball, (1, 0)),
               fx.control.AccelerationSensor(ball, (1, 0))]  # fmt: skip
    linear = fx.linearise(fx.Model(ball, spring), [fx.PointForce(ball, (1.0, 0.0))], sensors)
    expected = [[1, 0, 0, 0], [0, 0, 1, 0], [-k / m, 0, -c / m, 0]]
    assert pytest.approx(np.array(expected), rel=1e-9) == linear.C
    assert linear.D[:, 0] == pytest.approx([0, 0, 1 / m], rel=1e-9)
    assert linear.transfer(0.0)[:, 0] == pytest.approx([1 / k, 0, 0], rel=1e-9, abs=1e-9)


def test_the_compliance_of_a_bar_beside_its_reaction() -> None:
    """L / EA, and all of the force goes to the joint."""
    bar = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(),
                               section=fx.Rectangle(width=0.1, height=0.1), material=fx.steel, name="bar")  # fmt: skip
    hub = fx.PlanarRigidBody(1.0, 1.0, position=(0, 0), name="hub")
    weld, ground = fx.FixedJoint(hub, bar.start, name="weld"), fx.FixedJoint(fx.ground, hub, at=(0, 0), name="ground")
    outputs = [fx.control.PositionSensor(bar.end, (1, 0)), fx.control.MultiplierSensor("ground", 0)]
    linear = fx.linearise(fx.Model(bar, hub, weld, ground), [fx.PointForce(bar.end, (1.0, 0.0))], outputs)
    tip, reaction = linear.transfer(0.0)[:, 0].real
    assert tip == pytest.approx(1.0 / (fx.steel.youngs_modulus * 0.01), rel=1e-6)
    assert abs(reaction) == pytest.approx(1.0, rel=1e-6)


def oscillator() -> tuple[fx.PointMass, fx.Bushing, tuple[float, float, float]]:
    """A ball on a spring, with first-order states that push it."""
    m, k, c = 2.0, 8.0, 0.4
    ball = fx.PointMass(m, position=(0.0, 0.0), name="ball")
    return ball, fx.Bushing(fx.ground.marker((0, 0, 0)), ball, (k, k), damping=(c, c)), (m, k, c)


def both_roads(model: fx.Model, A: np.ndarray) -> None:
    """Poles of `linearise` and roots of `solve_modal` are the eigenvalues of A and of the free direction."""
    side = np.roots([2.0, 0.4, 8.0])
    expected = np.sort_complex(np.concatenate((np.linalg.eigvals(A), side)))
    assert np.sort_complex(fx.linearise(model).poles) == pytest.approx(expected, abs=1e-6)
    found = np.sort_complex(fx.solve_modal(model).roots)
    assert found == pytest.approx(np.sort_complex(expected[expected.imag >= -1e-9]), abs=1e-6)


def test_states_that_read_accelerations() -> None:
    """m x'' = -k x - c x' - 3 z, z' = (x'' - z) / 0.3."""
    ball, spring, (m, k, c) = oscillator()
    push = fx.control.ForceActuator(ball, (1, 0), name="push")
    lag = fx.control.FirstOrder([0.0], lambda z, a, t: (a - z) / 0.3, fx.control.AccelerationSensor(ball, (1, 0)),
                                push, output=lambda z, a, t: -3.0 * z, name="lag")  # fmt: skip
    row = np.array([-k / m, -c / m, -3 / m])
    both_roads(fx.Model(ball, spring, lag), np.array([[0, 1, 0], row, (row - [0, 0, 1]) / 0.3]))


def test_states_that_read_what_others_hold() -> None:
    """Two lags behind each other: unstable, though each is not; and what the first one holds is an output."""
    ball, spring, (m, k, c) = oscillator()
    signal, push = fx.control.Signal("filtered"), fx.control.ForceActuator(ball, (1, 0), name="push")
    first = fx.control.FirstOrder([0.0], lambda z, x, t: (x - z) / 0.2, fx.control.PositionSensor(ball, (1, 0)),
                                  signal, output=lambda z, x, t: 2.0 * z, name="first")  # fmt: skip
    second = fx.control.FirstOrder([0.0], lambda z, u, t: (u - z) / 0.1, fx.control.HeldSensor(signal), push,
                                   output=lambda z, u, t: -3.0 * z, name="second")  # fmt: skip
    model = fx.Model(ball, spring, first, second)
    A = np.array([[0, 1, 0, 0], [-k / m, -c / m, 0, -3 / m], [5, 0, -5, 0], [0, 0, 20, -10.0]])
    assert np.linalg.eigvals(A).real.max() > 0.1
    with pytest.warns(RuntimeWarning, match="flutter"):
        both_roads(model, A)
    linear = fx.linearise(model, outputs=[fx.control.HeldSensor(signal)])
    assert linear.C[0, linear.states.index("state 0 of 'first'")] == pytest.approx(2.0)
    assert np.count_nonzero(linear.C) == 1


def test_held_values_that_states_read_are_inputs() -> None:
    """z1' = (x + r - z1) / 0.2 holds w = 2 z1 + r / 2, z2' = (w - z2) / 0.1 drives with -3 z2 + 0.7 w.

    Inputs are r, w and the force. Whatever the order in which the states are described; what they hold are outputs.
    """
    ball, spring, (m, k, c) = oscillator()
    ref, signal, push = fx.control.Signal("r"), fx.control.Signal("w"), fx.control.ForceActuator(ball, (1, 0), name="f")
    place, held = fx.control.PositionSensor(ball, (1, 0)), fx.control.HeldSensor
    first = fx.control.FirstOrder([0.0], lambda z, u, t: (u[0] + u[1] - z) / 0.2, [place, held(ref)], signal,
                                  output=lambda z, u, t: 2.0 * z + 0.5 * u[1], name="first")  # fmt: skip
    second = fx.control.FirstOrder([0.0], lambda z, u, t: (u - z) / 0.1, held(signal), push,
                                   output=lambda z, u, t: -3.0 * z + 0.7 * u, name="second")  # fmt: skip
    A = np.array([[0, 1, 0, 0], [-k / m, -c / m, 1.4 / m, -3 / m], [5, 0, -5, 0], [0, 0, 20, -10.0]])
    B = np.array([[0, 0, 0], [0.35 / m, 0.7 / m, 1 / m], [5, 0, 0], [5, 10, 0]])
    C = np.array([[1.0, 0, 0, 0], [0, 0, 2, 0], [0, 0, 1.4, -3]])
    D = np.array([[0, 0, 0], [0.5, 1, 0], [0.35, 0.7, 1]])
    for states in ((first, second), (second, first)):
        model = fx.Model(ball, spring, fx.control.Command(ref, 0.1, 0.0), *states)
        linear = fx.linearise(model, [ref, signal, push], [place, held(signal), held(push)])
        for s in (0.3j, 2j, 40j):
            exact = C @ np.linalg.solve(s * np.eye(4) - A, B) + D
            assert linear.transfer(s.imag) == pytest.approx(exact, abs=1e-6)


def test_states_that_read_reactions_are_refused() -> None:
    """There are no multipliers in minimal coordinates: not a silent zero."""
    _, model = hanging()
    motor = fx.control.JointActuator("hinge", name="motor")
    lag = fx.control.FirstOrder(
        [0.0], lambda z, u, t: u - z, fx.control.MultiplierSensor("hinge", 0), motor, name="lag"
    )
    with pytest.raises(fx.ModelError, match=r"FirstOrder 'lag' reads .* forces of joints"):
        fx.linearise(model.with_(lag))
    assert len(fx.solve_static(model.with_(lag)).load_factors)  # which needs no derivatives of it


def test_cable_about_its_equilibrium_has_the_poles_of_its_modes() -> None:
    cable = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(), name="cable",
        stiffness=fx.BeamStiffness(EA=1e3, EI_z=0.1, mass_per_length=1.0),
    )  # fmt: skip
    bob = fx.PlanarRigidBody(1.0, 0.01, position=(1.0, 0.0), name="bob")
    force = fx.PointForce(bob.centre, (1.0, 0.0), history=fx.Constant(0.5))
    model = fx.Model(
        cable, bob, fx.Pin(cable.start), fx.FixedJoint(cable.end, bob, name="s"), fx.Gravity((0, -G)), force
    )
    found = fx.solve_static(model)
    linear = fx.linearise(found, [force], [fx.control.PositionSensor(bob.centre, (1, 0))])
    modes = fx.solve_modal(found, modes=4)
    poles = linear.poles
    assert np.sort(poles[poles.imag > 0].imag)[:4] == pytest.approx(modes.angular_frequencies, rel=1e-7)
    # the static gain is the change of the equilibrium with the force
    moved = []
    for factor in (0.501, 0.499):
        other = fx.PointForce(bob.centre, (1.0, 0.0), history=fx.Constant(factor))
        items = [item for item in model.items if item is not force]
        moved.append(fx.solve_static(fx.Model(*items, other)).position(bob)[-1, 0])
    assert linear.transfer(0.0)[0, 0] == pytest.approx((moved[0] - moved[1]) / 0.002, rel=1e-4)


def test_flexible_model_alone() -> None:
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(), name="beam",
        stiffness=fx.BeamStiffness(EA=1e4, EI_z=1.0, mass_per_length=1.0),
    )  # fmt: skip
    force = fx.PointForce(beam.end, (0, 1.0))
    linear = fx.linearise(
        fx.Model(beam, fx.Clamp(beam.start), force), [force], [fx.control.PositionSensor(beam.end, (0, 1))]
    )
    assert linear.transfer(0.0)[0, 0] == pytest.approx(1.0 / 3.0, rel=1e-6)  # P l^3 / (3 EI)


def test_sparse_matrices_of_an_extender() -> None:
    bar, model = hanging(0.3)
    dyn = Dynamics(fx.compile_model(model))
    found = fx.solve_static(model)
    lin = dyn.linearise(found.last)
    N = np.array([0.5, 0.0, 1.0])
    assert lin.G.toarray() @ N == pytest.approx(np.zeros(2), abs=1e-12)
    assert N @ lin.M.toarray() @ N == pytest.approx(0.6)
    assert N @ lin.D.toarray() @ N == pytest.approx(0.3)
    whole = lin.combine((2.0, 3.0, 5.0)).toarray()
    assert whole.shape == (5, 5)
    assert whole[:3, :3] == pytest.approx(2 * lin.K.toarray() + 3 * lin.D.toarray() + 5 * lin.M.toarray())
    assert whole[3:, :3] == pytest.approx(lin.G.toarray())
    assert math.isclose(bar.mass, 2.0)


def test_bad_input() -> None:
    bar, model = hanging()
    with pytest.raises(fx.ModelError, match="no load, actuator or prescribed motion named 'motor'"):
        fx.linearise(model, ["motor"])
    with pytest.raises(fx.ModelError, match="expected a Model"):
        fx.linearise(bar)
    off = fx.Moment(bar.centre, 1.0, history=fx.Table((0, 1), (0, 1)))
    with pytest.raises(fx.ModelError, match="zero at t = 0"):
        fx.linearise(model.with_(off), [off])
    with pytest.raises(fx.ModelError, match="sensor"):
        fx.linearise(model, [], [bar])


def test_a_large_state_disturbs_nothing() -> None:
    """A pressure of 1e7 beside millimetres: derivatives of what else is read and driven are those without it."""
    ball, spring, _ = oscillator()
    push = fx.control.ForceActuator(ball, (0, 1), name="push")
    pressure = fx.control.FirstOrder([1e7], lambda z, u, t: (1e7 - z) / 0.1 + u * abs(u),
                                     fx.control.VelocitySensor(ball, (1, 0)), push,
                                     output=lambda z, u, t: 0.0 * z, name="pressure")  # fmt: skip
    run = fx.simulate(fx.Model(ball, spring, pressure), until=1.0, step=1e-2)
    distance = fx.control.DistanceSensor(fx.ground.marker((0.75, 1e-3, 0)), ball)
    linear = fx.linearise(run, outputs=[distance])
    row = linear.A[linear.states.index("state 0 of 'pressure'")]
    assert row[linear.states.index("rate of x of body 'ball'")] == pytest.approx(0.0, abs=1e-4)
    assert row[-1] == pytest.approx(-10.0, rel=1e-6)
    away = np.array([0.75, 1e-3]) / np.hypot(0.75, 1e-3)
    assert linear.C[0, :2] == pytest.approx(-away, abs=1e-7)


def test_feedthrough_beside_what_accelerations_are_not() -> None:
    """A bar that spins about its own hinge: what the sensor reads is centripetal, and the torque changes it."""
    link = fx.trees.Link("bar", 1.0, (0.1, 0.2, 0.3), (0.4, 0, 0), None, fx.trees.Revolute((0.36, 0.48, 0.8)),
                         rate=[3.0])  # fmt: skip
    tree = fx.trees.Tree(link, name="tree")
    motor = fx.JointForce(tree.joint("bar"), 1.0, name="motor")
    place = tree.link("bar").marker((0.7, 0.2, 0.1))
    model = fx.Model(tree, motor)
    sensor = fx.control.AccelerationSensor(place)
    linear = fx.linearise(model, [motor], [sensor], moving=True)
    axis = np.array((0.36, 0.48, 0.8))
    inertia = np.diag((0.1, 0.2, 0.3)) + 0.16 * (np.eye(3) - np.outer((1, 0, 0), (1, 0, 0)))
    expected = np.cross(axis, (0.7, 0.2, 0.1)) / (axis @ inertia @ axis)
    assert linear.D[:, 0] == pytest.approx(expected, rel=1e-6)
