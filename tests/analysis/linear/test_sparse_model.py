"""Sparse linear models against dense ones and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import flexmbs as fx


def arm(elements: int) -> tuple[fx.Model, list[object], list[object]]:
    """A beam on a hinge with a torque there; deflections at the tip and the angle of the hinge are read."""
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=elements, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e5, EI_z=1.0, mass_per_length=1.0), name="beam",
    )  # fmt: skip
    hub = fx.PlanarRigidBody(0.5, 0.05, position=(0, 0), name="hub")
    hinge = fx.RevoluteJoint(fx.ground, hub, at=(0, 0), name="hinge")
    weld = fx.FixedJoint(hub.marker((0, 0)), beam.start, name="weld")
    torque = fx.JointForce(hinge, 1.0)
    model = fx.Model(beam, hub, hinge, weld, fx.TorsionSpring(hinge, stiffness=2.0, damping=0.02))
    tip = fx.control.PositionSensor(beam.end, (0, 1), name="tip")
    return model, [torque], [tip, fx.control.JointSensor("hinge", name="angle")]


def test_the_same_as_the_dense_model() -> None:
    model, inputs, outputs = arm(10)
    sparse, dense = fx.linearise_sparse(model, inputs, outputs), fx.linearise(model, inputs, outputs)
    for w in (0.0, 3.0, 40.0):
        assert sparse.transfer(w) == pytest.approx(dense.transfer(w), rel=1e-6)
    few = sparse.poles(8)
    for s in few:
        assert np.abs(dense.poles - s).min() < 1e-6 * abs(s)
    for output in (0, 1):
        exact = dense.zeros(0, output)
        found = sparse.zeros(0, output, count=6)
        assert len(found) >= 6
        assert np.sort(np.abs(found))[:6] == pytest.approx(np.sort(np.abs(exact))[:6], rel=1e-5)
    found = sparse.zeros(0, "tip", count=4)
    assert (found.real > 1.0).any()  # the tip goes back first: not of minimum phase
    assert sparse.sweep([1.0, 2.0]).values.shape == (2, 2, 1)
    with pytest.raises(fx.ModelError, match="equally many"):
        sparse.zeros(0, [0, 1])


def carts(direction: tuple[float, float] = (1.0, 0.0)) -> tuple[fx.Model, fx.PointForce, list[fx.PrismaticJoint]]:
    """Two masses on springs in line, driven at the first."""
    bodies = [fx.PlanarRigidBody(m, 1.0, position=(i, 0), name=f"cart {i}") for i, m in enumerate((1.0, 2.0))]
    rails = [fx.PrismaticJoint(fx.ground, b, at=(i, 0), axis=(1, 0), name=f"rail {i}") for i, b in enumerate(bodies)]
    ends = [fx.Marker(fx.ground, (-1, 0)), *(fx.Marker(b, (0, 0)) for b in bodies)]
    springs = [
        fx.SpringDamper(ends[i], ends[i + 1], stiffness=k, damping=0.1, name=f"spring {i}")
        for i, k in enumerate((10.0, 20.0))
    ]
    force = fx.PointForce(ends[1], direction)
    return fx.Model(*bodies, *rails, *springs, force), force, rails


def test_a_few_degrees_of_freedom_have_all_their_roots() -> None:
    """From the matrices, by hand; also those that are fewer than asked for."""
    model, force, rails = carts()
    M, K, D = np.diag([1.0, 2.0]), np.array([[30.0, -20.0], [-20.0, 20.0]]), np.array([[0.2, -0.1], [-0.1, 0.1]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    sparse = fx.linearise_sparse(model, [force], [fx.control.JointSensor(rail) for rail in rails])
    assert np.sort_complex(sparse.poles()) == pytest.approx(np.sort_complex(np.linalg.eigvals(A)), rel=1e-7)
    held = np.roots([2.0, 0.1, 20.0])  # the second alone, on its spring
    assert np.sort_complex(sparse.zeros(0, 0)) == pytest.approx(np.sort_complex(held), rel=1e-7)
    assert sparse.zeros(0, 1) == pytest.approx([-20.0 / 0.1], rel=1e-7)  # the spring and damper between them
    model, across, _ = carts((0.0, 1.0))
    with pytest.raises(fx.ModelError, match="no effect"):
        fx.linearise_sparse(model, [across], [fx.control.JointSensor("rail 0")]).zeros()


@pytest.mark.parametrize("output", [0, 1])
def test_rates_have_a_zero_more(output: int) -> None:
    model, force, rails = carts()
    rates = [fx.control.JointSensor(rail, rate=True) for rail in rails]
    sparse, dense = (f(model, [force], rates).zeros(0, output) for f in (fx.linearise_sparse, fx.linearise))
    assert np.sort_complex(sparse) == pytest.approx(np.sort_complex(dense), rel=1e-7, abs=1e-12)
    model, inputs, outputs = arm(10)
    rate = fx.control.JointSensor("hinge", rate=True)
    sparse = fx.linearise_sparse(model, inputs, [rate, outputs[1]])
    assert sparse.zeros(0, 0, count=7) == pytest.approx([0.0, *sparse.zeros(0, 1, count=6)])


def test_thousands_of_unknowns() -> None:
    """From a torque at the hub to its angle: the zeros are the frequencies of the clamped beam."""
    model, inputs, outputs = arm(400)
    with pytest.raises(fx.ModelError, match="linearise_sparse"):
        fx.linearise(model, inputs, outputs)
    sparse = fx.linearise_sparse(model, inputs, outputs)
    assert "1607 unknowns" in repr(sparse)
    roots = [brentq(lambda x: np.cos(x) * np.cosh(x) + 1.0, a, b) for a, b in ((1.5, 2.5), (4.0, 5.0), (7.5, 8.5))]
    found = sparse.zeros(0, "angle", count=6)
    assert np.sort(found.imag)[3:] == pytest.approx(np.square(roots), rel=1e-3)  # slender, with a little stretch


def test_what_is_refused() -> None:
    model, inputs, _ = arm(4)
    beam = model.body("beam")
    with pytest.raises(fx.ModelError, match="accelerations"):
        fx.linearise_sparse(model, inputs, [fx.control.AccelerationSensor(beam.end, (0, 1))])
    with pytest.raises(fx.ModelError, match="expected a Model"):
        fx.linearise_sparse(3)  # type: ignore[arg-type]
