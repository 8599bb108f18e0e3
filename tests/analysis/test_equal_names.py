"""Loads, inputs, sensors and outputs that are called alike are told apart, whatever asks for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx

M, C, KX, KY = 2.0, 3.0, 800.0, 8000.0


def oscillator() -> tuple[Any, ...]:
    """A mass on springs along x and y, with a unit force along each at one point; both forces have one label."""
    mass = fx.PointMass(M, position=(0.0, 0.0), name="b")
    spring = fx.Bushing(fx.ground.marker((0, 0, 0)), mass, (KX, KY), damping=(C, C))
    along_x, along_y = fx.PointForce(mass, (1.0, 0.0)), fx.PointForce(mass, (0.0, 1.0))
    assert along_x.label == along_y.label
    sensors = fx.control.PositionSensor(mass, (1, 0)), fx.control.PositionSensor(mass, (0, 1))
    return mass, spring, along_x, along_y, *sensors


@pytest.mark.parametrize("inside", [False, True])
def test_inputs_of_a_linear_model_are_told_apart(inside: bool) -> None:
    """White noise of level G: mean square G / (4 k c); one direction does nothing along the other."""
    mass, spring, x, y, at_x, at_y = oscillator()
    model = fx.Model(mass, spring, *((x, y) if inside else ()))
    linear = fx.linearise(model, [x, y], [at_x, at_y])
    assert linear.inputs == (f"{x.label} (1)", f"{x.label} (2)")
    exact = np.array([1.0 / (4.0 * KX * C), 1.0 / (4.0 * KY * C)])
    for given in (y, f"{y.label} (2)", 1):
        assert linear.random({given: 1.0}).mean_squares == pytest.approx([0.0, exact[1]], rel=1e-9, abs=1e-20)
    assert linear.random({x: 1.0, y: 1.0}).mean_squares == pytest.approx(exact, rel=1e-9)
    with pytest.raises(fx.ModelError, match="more than one input"):
        linear.random({y.label: 1.0})
    with pytest.raises(fx.ModelError, match="two spectra"):
        linear.random({y: 1.0, 1: 1.0})
    with pytest.raises(fx.ModelError, match="not an input of this model"):
        linear.random({fx.PointForce(mass, (0.0, 1.0)): 1.0})


def test_loops_sweeps_and_zeros_by_the_objects_themselves() -> None:
    """The feedback u = -g y adds g to the stiffness along y; the zeros to y are the poles along x."""
    mass, spring, x, y, at_x, at_y = oscillator()
    model, g = fx.Model(mass, spring), 100.0
    linear = fx.linearise(model, [x, y], [at_x, at_y])

    def roots(k: float) -> Any:
        s = np.roots([M, C, k])
        return s[np.argsort(s.imag)]

    closed = linear.closed(g, y, at_y).poles
    expected = np.concatenate((roots(KX), roots(KY + g)))
    assert np.sort_complex(closed) == pytest.approx(np.sort_complex(expected), rel=1e-9)
    assert np.sort_complex(linear.zeros(y, at_y)) == pytest.approx(np.sort_complex(roots(KX)), rel=1e-9)
    static = linear.sweep([0.0], [y], [at_y])
    assert static.values[0, 0, 0] == pytest.approx(1.0 / KY, rel=1e-9)
    both = linear.sweep([0.0])
    assert both.of(at_y.name, f"{y.label} (2)")[0] == pytest.approx(1.0 / KY, rel=1e-9)
    with pytest.raises(fx.ModelError, match="more than one input"):
        both.of(at_y.name, y.label)
    frame = pytest.importorskip("pandas") and both.to_dataframe()
    assert frame.shape == (1, 1 + 2 * 2 * 2)


def test_zeros_of_a_sparse_model() -> None:
    """From a force along y at the tip of a cantilever to its deflection: beta l = 3.926602, clamped and pinned.

    They would be pi sqrt(EA / m) = 3142 along x, and twenty elements are right to 1e-4.
    """
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=20, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0),
    )  # fmt: skip
    forces = [fx.PointForce(beam.end, e) for e in ((1, 0), (0, 1))]
    sensors = [fx.control.PositionSensor(beam.end, e, name="tip") for e in ((1, 0), (0, 1))]
    sparse = fx.linearise_sparse(fx.Model(beam, fx.Clamp(beam.start)), forces, sensors)
    assert sparse.inputs == (f"{forces[0].label} (1)", f"{forces[0].label} (2)")
    zeros = sparse.zeros(forces[1], sensors[1], count=2)
    assert np.abs(zeros.imag) == pytest.approx([3.926602**2] * 2, rel=1e-3)
    with pytest.raises(fx.ModelError, match="more than one output"):
        sparse.zeros(forces[1], "tip")


def test_python_control_gets_two_inputs() -> None:
    pytest.importorskip("control")
    mass, spring, x, y, at_x, _ = oscillator()
    system = fx.linearise(fx.Model(mass, spring), [x, y], [at_x]).to_control()
    assert len(set(system.input_labels)) == 2


def test_a_load_of_the_model_by_name() -> None:
    """A unit force along y on the mass M enters as 1 / M behind the rate along y."""
    mass, spring, x, y, _, at_y = oscillator()
    model = fx.Model(mass, spring, x, y)
    assert model.load_names == (f"{x.label} (1)", f"{x.label} (2)")
    about = fx.solve_static(model)
    for given in (y, model.load_names[1]):
        linear = fx.linearise(about, [given], [at_y])
        assert linear.B.ravel() == pytest.approx([0.0, 0.0, 0.0, 1.0 / M], abs=1e-12)
        assert linear.inputs == (model.load_names[1],)
    with pytest.raises(fx.ModelError, match="more than one load"):
        fx.linearise(about, [y.label], [at_y])
    with pytest.raises(fx.ModelError, match="given twice"):
        fx.linearise(about, [y, model.load_names[1]], [at_y])


def test_only_the_inputs_do_not_act_at_the_state() -> None:
    """The load along x is the input and does not act; that along y holds the weight, and the mass is at rest."""
    mass = fx.PointMass(M, position=(0.0, 0.0), name="b")
    x, y = fx.PointForce(mass, (1.0, 0.0)), fx.PointForce(mass, (0.0, M * 9.81))
    model = fx.Model(mass, x, y, fx.Gravity((0.0, -9.81)))
    linear = fx.linearise(model, [x], [fx.control.PositionSensor(mass, (1, 0))])
    assert linear.B.ravel() == pytest.approx([0.0, 0.0, 1.0 / M, 0.0], abs=1e-12)


def test_a_load_beside_one_of_the_model_that_is_called_alike() -> None:
    mass, spring, x, y, at_x, at_y = oscillator()
    linear = fx.linearise(fx.solve_static(fx.Model(mass, spring, x)), [y, x], [at_x, at_y])
    assert linear.inputs == (f"{x.label} (2)", f"{x.label} (1)")  # that of the model comes first
    assert linear.transfer(0.0).real == pytest.approx(np.array([[0.0, 1.0 / KX], [1.0 / KY, 0.0]]), abs=1e-15)


def test_outputs_that_are_called_alike() -> None:
    mass, spring, x, y, _, _ = oscillator()
    sensors = [fx.control.PositionSensor(mass, e, name="s") for e in ((1, 0), (0, 1))]
    linear = fx.linearise(fx.Model(mass, spring), [x, y], sensors)
    assert linear.outputs == ("s (1)", "s (2)")
    assert linear.closed(100.0, y, sensors[1]).poles.imag.max() == pytest.approx(
        np.sqrt((KY + 100.0) / M - (C / (2.0 * M)) ** 2), rel=1e-9
    )
    random = linear.random({y: 1.0})
    assert random.of("s (2)") == pytest.approx(np.sqrt(1.0 / (4.0 * KY * C)), rel=1e-9)
    with pytest.raises(fx.ModelError, match="more than one output"):
        random.of("s")
    with pytest.raises(fx.ModelError, match="more than one output"):
        linear.closed(1.0, y, "s")
    whole = fx.control.PositionSensor(mass, name="p")
    many = fx.linearise(fx.Model(mass, spring), [y], [whole])
    with pytest.raises(fx.ModelError, match=r"stands for \d outputs"):
        many.closed(1.0, y, whole)
    assert many.part(outputs=whole).outputs == many.outputs


def test_columns_of_sensors_that_are_called_alike() -> None:
    """Two drives along x and y of a free mass: x = t^2 / (2 M), y = 2 t^2 / (2 M)."""
    mass = fx.PointMass(M, position=(0.0, 0.0), name="b")
    sensors = [fx.control.PositionSensor(mass, e, name="s") for e in ((1, 0), (0, 1))]
    watch = fx.control.StateFeedback(sensors, fx.control.Signal("held"), 0.5, [[0.0, 0.0]], name="watch")
    model = fx.Model(mass, fx.PointForce(mass, (1.0, 0.0)), fx.PointForce(mass, (0.0, 2.0)), watch)
    run = fx.simulate(model, until=1.0, step=0.1, progress=False)
    for table in (run.table(*sensors), run.table("s (1)", "s (2)")):
        assert table.columns["s (1)"][-1] == pytest.approx(1.0 / (2.0 * M), rel=1e-9)
        assert table.columns["s (2)"][-1] == pytest.approx(2.0 / (2.0 * M), rel=1e-9)
    with pytest.raises(fx.ModelError, match="more than one joint, force, actuator, controller, sensor or body"):
        run.table("s")
    # the names are those of the model, in whatever order, and however many are asked for
    first, second = sensors
    for asked in ((second, first), (second,), (first,), (second, "s (1)"), (second, second, "s (2)")):
        table = run.table(*asked)
        names = {"s (1)" if one in (first, "s (1)") else "s (2)" for one in asked}
        assert set(table.columns) == {"t", *names}
        for name in names:
            assert table[name][-1] == pytest.approx((1 if name == "s (1)" else 2) / (2.0 * M), rel=1e-9)
    legend = [text.get_text() for text in run.plot(second, first).get_legend().get_texts()]
    assert legend == ["s (2)", "s (1)"]


def test_columns_of_sensors_that_are_not_of_the_model() -> None:
    """They are numbered among each other, after those of the model; one that reads as one of the model is this one."""
    mass = fx.PointMass(M, position=(0.0, 0.0), velocity=(1.0, 2.0), name="b")
    along = {name: fx.control.PositionSensor(mass, e, name="s") for name, e in (("x", (1, 0)), ("y", (0, 1)))}
    free = fx.simulate(fx.Model(mass), until=1.0, step=0.1, progress=False)
    assert list(free.table(along["y"]).columns) == ["t", "s"]
    both = free.table(along["y"], along["x"])
    assert [both["s (1)"][-1], both["s (2)"][-1]] == pytest.approx([2.0, 1.0])
    watch = fx.control.StateFeedback([along["x"]], fx.control.Signal("held"), 0.5, [[0.0]], name="watch")
    run = fx.simulate(fx.Model(mass, watch), until=1.0, step=0.1, progress=False)
    other = fx.control.PositionSensor(mass, (1, 0), name="s")
    assert list(run.table(other, along["x"]).columns) == ["t", "s"]
    mixed = run.table(along["y"], along["x"])
    assert [mixed["s"][-1], mixed["s (2)"][-1]] == pytest.approx([1.0, 2.0])
    assert list(run.table(along["y"]).columns) == ["t", "s (2)"]


def test_a_joint_and_a_force_of_one_name() -> None:
    """The name means the joint; the force beside it is numbered, alone as well."""
    rod = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="rod")
    hinge = fx.RevoluteJoint(fx.ground, rod, at=(0, 0), name="a")
    spring = fx.TorsionSpring(hinge, stiffness=2.0, name="a")
    run = fx.simulate(fx.Model(rod, hinge, spring, fx.Gravity((0, -9.81))), 0.1, step=1e-2, progress=False)
    table = run.table((spring, "force"), (hinge, "force"), "a.force", ("a", "force"))
    assert list(table.columns) == ["t", "a (2).force", "a.force.x", "a.force.y", "a.force.z"]
    assert np.array_equal(table["a (2).force"], run.force("a").force)


@pytest.mark.parametrize("by_name", [False, True])
def test_an_event_switches_off_the_load_that_it_means(by_name: bool, tmp_path: Any) -> None:
    """Unit forces on a unit mass; that along y acts until t = 0.5: the velocities at t = 1 are 1 and 0.5."""
    mass = fx.PointMass(1.0, position=(0.0, 0.0), name="b")
    x, y = fx.PointForce(mass, (1.0, 0.0)), fx.PointForce(mass, (0.0, 1.0))
    model = fx.Model(mass, x, y)
    key = model.load_names[1] if by_name else y
    off = fx.control.Event(lambda view: view.t - 0.5, action=lambda view: {key: 0.0}, name="off")
    run = fx.simulate(model, until=1.0, step=1e-2, events=[off], progress=False)
    assert run.velocity(mass)[-1, :2] == pytest.approx([1.0, 0.5], abs=1e-9)
    path = run.save(tmp_path / "run.h5")
    more = fx.simulate(model, until=2.0, step=1e-2, events=[off], start=fx.load(path), progress=False)
    assert more.velocity(mass)[-1, :2] == pytest.approx([2.0, 0.5], abs=1e-9)


@pytest.mark.parametrize("wrong", ["label", "twice"])
def test_an_action_that_does_not_say_which_load_is_refused(wrong: str) -> None:
    mass = fx.PointMass(1.0, position=(0.0, 0.0), name="b")
    x, y = fx.PointForce(mass, (1.0, 0.0)), fx.PointForce(mass, (0.0, 1.0))
    model = fx.Model(mass, x, y)
    changes = {y.label: 0.0} if wrong == "label" else {y: 0.0, model.load_names[1]: 1.0}
    off = fx.control.Event(lambda view: view.t - 0.5, action=lambda view: changes, name="off")
    with pytest.raises(fx.ModelError, match="more than one load" if wrong == "label" else "is given twice"):
        fx.simulate(model, until=1.0, step=1e-2, events=[off], progress=False)


@pytest.mark.parametrize("first", [False, True])
def test_jumps_of_every_history_are_seen(first: bool) -> None:
    """A unit force from t0 on moves a free unit mass by (1 - t0)^2 / 2 until t = 1, if a step ends at the jump."""
    t0 = 0.50371
    mass = fx.PointMass(1.0, position=(0.0, 0.0), name="b")
    jump = fx.PointForce(mass, (1.0, 0.0), history=lambda t: 1.0 if t >= t0 else 0.0)
    smooth = fx.PointForce(mass, (0.0, 1.0), history=np.sin)
    loads = (jump, smooth) if first else (smooth, jump)
    run = fx.simulate(fx.Model(mass, *loads), until=1.0, step=1e-2, progress=False)
    assert run.position(mass)[-1, 0] == pytest.approx(0.5 * (1.0 - t0) ** 2, abs=1e-9)


def test_two_forces_at_one_node_are_their_sum() -> None:
    """The shape without loads is looked at, so frequencies are those of the beam alone."""
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(),
        section=fx.Rectangle(width=0.02, height=0.002), material=fx.steel, name="s",
    )  # fmt: skip
    clamp = fx.Clamp(beam.start)
    alone = fx.solve_modal(fx.Model(beam, clamp), modes=3).frequencies
    for forces in ([(1.0, -2.0)], [(0.0, -2.0), (1.0, 0.0)], [(1.0, 0.0), (0.0, -2.0)]):
        loads = [fx.PointForce(beam.end, force) for force in forces]
        assert fx.solve_modal(fx.Model(beam, clamp, *loads), modes=3).frequencies == pytest.approx(alone, rel=1e-9)
