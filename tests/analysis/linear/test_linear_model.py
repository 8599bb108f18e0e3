"""Zeros, sweeps, feedback, logarithmic norms and exchange of linear models against closed forms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh, expm

import flexmbs as fx


def chain(
    masses: list[float], stiffness: list[float], damping: float = 0.0
) -> tuple[fx.Model, list[fx.PointMass], Any, Any]:
    """Carts in a row along x, the first on the ground by the first spring; with the matrices M and K."""
    carts = [fx.PointMass(m, position=(1.0 + i, 0.0), name=f"cart {i}") for i, m in enumerate(masses)]
    ends = [fx.ground.marker((0.0, 0.0, 0.0)), *carts]
    springs = [
        fx.SpringDamper(a, b, stiffness=k, damping=damping, name=f"spring {i}")
        for i, (a, b, k) in enumerate(zip(ends, carts, stiffness, strict=False))
    ]
    guides = [fx.CoordinateJoint(c, "y", name=f"guide {c.name}") for c in carts]
    n = len(masses)
    K = np.zeros((n, n))
    for i, k in enumerate(stiffness):
        K[i, i] += k
        if i:
            K[i - 1, i - 1] += k
            K[i - 1, i] -= k
            K[i, i - 1] -= k
    return fx.Model(*carts, *springs, *guides), carts, np.diag(masses), K


def place(cart: fx.PointMass) -> fx.control.PositionSensor:
    return fx.control.PositionSensor(cart, (1, 0), name=f"x of {cart.name}")


def test_zeros_are_the_roots_of_what_is_held() -> None:
    """From the force on a cart to its place: poles of the chain with it held; to another one: of what is beside."""
    model, carts, M, K = chain([1.0, 2.0, 3.0, 1.5], [400.0, 300.0, 500.0, 200.0])
    forces = [fx.PointForce(c, (1.0, 0.0)) for c in carts]
    linear = fx.linearise(model, forces, [place(c) for c in carts])
    for held in range(4):
        rest = [i for i in range(4) if i != held]
        exact = np.sqrt(eigh(K[np.ix_(rest, rest)], M[np.ix_(rest, rest)], eigvals_only=True))
        zeros = linear.zeros(forces[held], held)
        assert np.sort(zeros.imag[zeros.imag > 0.0]) == pytest.approx(exact, rel=1e-7)
        assert len(zeros) == 6
    beyond = np.sqrt(K[3, 3] / M[3, 3])
    far = linear.zeros(0, "x of cart 2")  # the force on the first, the place of the third: the last alone swings
    assert np.abs(far.imag) == pytest.approx([beyond, beyond], rel=1e-7)
    assert len(linear.zeros(0, 3)) == 0
    together = linear.zeros([0, 1], [0, 1])
    exact = np.sqrt(eigh(K[2:, 2:], M[2:, 2:], eigvals_only=True))
    assert np.sort(together.imag[together.imag > 0.0]) == pytest.approx(exact, rel=1e-7)
    with pytest.raises(fx.ModelError, match="output named 'x of cart 9'"):
        linear.zeros(0, "x of cart 9")


def test_zeros_with_feedthrough_and_of_nonminimum_phase() -> None:
    def made(A: Any, B: Any, C: Any, D: Any) -> fx.LinearModel:
        n = len(A)
        names = tuple(f"x{i}" for i in range(n))
        return fx.LinearModel(
            *(np.array(x, dtype=float) for x in (A, B, C, D)), names, ("u",), ("y",), np.zeros(1)
        )  # fmt: skip

    # (s - 3)(s + 5) / ((s + 1)(s + 2)) = 1 + (-s - 17) / (s^2 + 3 s + 2)
    linear = made([[0, 1], [-2, -3]], [[0], [1]], [[-17, -1]], [[1]])
    assert np.sort(linear.zeros().real) == pytest.approx([-5.0, 3.0])
    assert np.sort(made([[0, 1], [-2, -3]], [[0], [1]], [[-3, 1]], [[0]]).zeros().real) == pytest.approx([3.0])
    # 1e9 / (s^2 + 1e6): none, in spite of the units
    assert len(made([[0, 1], [-1e6, 0]], [[0], [1e9]], [[1, 0]], [[0]]).zeros()) == 0


def test_sweep_is_the_transfer_function() -> None:
    model, carts, M, K = chain([1.0, 2.0], [400.0, 300.0], 0.5)
    force = fx.PointForce(carts[1], (1.0, 0.0))
    linear = fx.linearise(model, [force], [place(carts[0]), place(carts[1])])
    f = np.linspace(0.5, 8.0, 40)
    found = linear.sweep(f)
    C = np.array([[1.0, -0.5], [-0.5, 0.5]])
    for k, w in enumerate(2.0 * np.pi * f):
        exact = np.linalg.solve(K + 1j * w * C - w * w * M, [0.0, 1.0])
        assert found.values[k, :, 0] == pytest.approx(exact, rel=1e-8)
    assert found.of("x of cart 1") == pytest.approx(found.values[:, 1, 0])
    assert found.decibels[0, 0, 0] == pytest.approx(20.0 * np.log10(abs(found.values[0, 0, 0])))
    every = linear.sweep(outputs=1)
    poles = np.abs(linear.poles) / (2.0 * np.pi)
    assert every.frequencies[0] < 0.2 * poles.min()
    assert every.frequencies[-1] > 5.0 * poles.max()
    top = np.abs(every.values[:, 0, 0]).max()
    assert top > 0.999 * np.abs(linear.part(None, 1).transfer(np.linspace(11.0, 12.2, 20_001))).max()
    assert linear.bode(f).get_ylabel() == "amplitude"
    assert linear.nyquist(f).get_xlabel() == "real part"
    assert linear.plot().get_xlabel().startswith("real part")
    with pytest.raises(fx.ModelError, match="output named 'y'"):
        found.of("y")


def test_feedback_and_root_locus() -> None:
    """A cart with a rate feedback: m s^2 + (c + g) s + k; the poles meet where (c + g)^2 = 4 m k."""
    model, carts, _, _ = chain([2.0], [50.0], 1.0)
    force = fx.PointForce(carts[0], (1.0, 0.0))
    speed = fx.control.VelocitySensor(carts[0], (1, 0), name="rate")
    linear = fx.linearise(model, [force], [speed])
    for gain in (-3.0, 0.0, 5.0):
        assert np.sort_complex(linear.closed(gain).poles) == pytest.approx(
            np.sort_complex(np.roots([2.0, 1.0 + gain, 50.0])), rel=1e-7
        )
    found = fx.root_locus(linear.closed, np.linspace(-3.0, 4.0, 15), "gain")
    assert found.crossings == pytest.approx([-1.0], abs=1e-7)
    assert found.stable.tolist() == [value >= -1.0 for value in found.values]
    assert np.all(np.diff(found.roots.real, axis=0) < 0.0)
    assert found.plot().get_title().startswith("gain from -3")
    with pytest.raises(fx.ModelError, match="ascend"):
        fx.root_locus(linear.closed, [1.0, 0.0])


def test_logarithmic_norms() -> None:
    """The energy of a damped chain never grows, though its Euclidean norm does; the bound is sharp at first."""
    model, _, M, K = chain([1.0, 2.0], [400.0, 300.0], 0.5)
    linear = fx.linearise(model)
    mu = linear.logarithmic_norm()
    assert mu > 10.0
    assert abs(linear.logarithmic_norm("energy")) < 1e-9
    h = 1e-7
    one = np.eye(len(linear.A))
    for metric, order in (("euclidean", 2), ("1", 1), ("inf", np.inf)):
        limit = (np.linalg.norm(one + h * linear.A, order) - 1.0) / h
        assert linear.logarithmic_norm(metric) == pytest.approx(limit, rel=1e-3)
    for t in (0.01, 0.1, 1.0):
        assert np.linalg.norm(expm(t * linear.A), 2) <= np.exp(mu * t) * (1.0 + 1e-12)
    E = linear.energy
    assert E is not None
    assert np.sort(np.linalg.eigvalsh(E)) == pytest.approx(
        np.sort(np.concatenate((np.linalg.eigvalsh(M), np.linalg.eigvalsh(K)))), rel=1e-9
    )
    P = np.linalg.inv(E)
    assert linear.logarithmic_norm(P) > 0.0
    with pytest.raises(fx.ModelError, match="symmetric"):
        linear.logarithmic_norm(linear.A)
    with pytest.raises(fx.ModelError, match="positive definite"):
        linear.logarithmic_norm(-E)
    with pytest.raises(fx.ModelError, match="'energy'"):
        linear.logarithmic_norm("2")


def test_python_control_both_ways() -> None:
    control = pytest.importorskip("control")
    model, carts, _, _ = chain([1.0, 2.0], [400.0, 300.0], 0.5)
    linear = fx.linearise(model, [fx.PointForce(carts[1], (1.0, 0.0))], [place(carts[0])])
    there = linear.to_control()
    assert all("." not in name for name in (*there.state_labels, *there.input_labels, *there.output_labels))
    assert control.frequency_response(there, [3.0]).complex[0] == pytest.approx(linear.transfer(3.0)[0, 0])
    back = fx.LinearModel.from_control(there)
    assert pytest.approx(linear.A) == back.A
    dotted = replace(linear, inputs=("0.5 N_0.5",), outputs=("tip.x",), operating_outputs=np.array([3.0]))
    again = fx.LinearModel.from_control(dotted.to_control())
    assert (again.states, again.inputs, again.outputs) == (dotted.states, ("0.5 N_0.5",), ("tip.x",))
    assert again.operating_outputs.tolist() == [0.0]  # as the documentation says
    transfer = fx.LinearModel.from_control(control.tf([1.0], [1.0, 2.0, 5.0]))
    assert transfer.transfer(0.0)[0, 0] == pytest.approx(0.2)
    with pytest.raises(fx.ModelError, match="sampled"):
        fx.LinearModel.from_control(control.tf([1.0], [1.0, 0.5], 0.1))
    with pytest.raises(fx.ModelError, match="expected a StateSpace"):
        fx.LinearModel.from_control(3)


def test_without_python_control(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "control", None)
    model, *_ = chain([1.0], [400.0])
    with pytest.raises(fx.ModelError, match="pip install"):
        fx.linearise(model).to_control()


def test_what_vibrates_without_damping_is_not_stable_by_its_last_digits() -> None:
    """Gyroscopic systems with positive stiffness: real parts are zero, and found as round-off of either sign."""
    random = np.random.default_rng(1)
    for n in (2, 3) * 20:
        turn, stiffness = random.normal(size=(n, n)), np.diag(random.uniform(1.0, 100.0, n))
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-stiffness, 10.0 * (turn.T - turn)]])
        names = tuple(f"state {i}" for i in range(2 * n))
        linear = fx.LinearModel(
            A, np.zeros((2 * n, 0)), np.zeros((0, 2 * n)), np.zeros((0, 0)), names, (), (), np.zeros(0)
        )
        assert not linear.stable
        assert replace(linear, A=A - 1e-6 * np.eye(2 * n)).stable


def test_the_slow_decay_of_a_stiff_beam_is_decay() -> None:
    """Of material damping tau the lowest root has -tau w^2 / 2 = -6.2e-4, beside roots of 1.5e7."""
    stiffness = fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0, retardation_time=1e-4)
    beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=30, element=fx.elements.ANCFCable2D(), stiffness=stiffness)
    assert fx.linearise(fx.Model(beam, fx.Clamp(beam.start))).stable


def test_matrices_that_do_not_fit_are_told() -> None:
    one, names = np.eye(1), (("x",), ("u",), ("y",))
    with pytest.raises(fx.ModelError, match=r"LinearModel: B must have shape \(1, any\), not \(2, 1\)"):
        fx.LinearModel(one, np.ones((2, 1)), one, one, *names, np.zeros(1))
    with pytest.raises(fx.ModelError, match="A must be finite"):
        fx.LinearModel(np.nan * one, one, one, one, *names, np.zeros(1))
    with pytest.raises(fx.ModelError, match="there are none"):
        fx.LinearModel(-one, one, one, one, *names, np.zeros(1)).sweep([])
