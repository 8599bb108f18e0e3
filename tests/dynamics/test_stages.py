"""Kernels are called by machine code that was looked up once: what that code does not check is made sure before."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.jit import kernel
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.stage_calls import machine_code, state_of
from flexmbs.dynamics.stages import STATE, WEIGHTS


@kernel
def doubled(x, out):
    for i in range(x.shape[0]):
        out[i] = 2.0 * x[i]


@kernel
def shifted(x, by=1.0):
    return x[0] + by


@kernel
def scaled(state, weights):
    return state.q[0] * weights[0]


@pytest.fixture
def dynamics() -> Dynamics:
    a = fx.RigidBody(2.0, (0.1, 0.2, 0.3), position=(0.5, 0, 0), angular_velocity=(1, 2, 3), name="a")
    hinge = fx.RevoluteJoint(fx.ground, a, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    found = Dynamics(fx.compile_model(fx.Model(a, hinge, fx.Gravity((0, 0, -9.81)))))
    found.set_time(0.0)
    return found


def state_at(dyn: Dynamics) -> list[np.ndarray]:
    made = np.random.default_rng(7)
    return [dyn.coordinates.reference.copy(), *(made.normal(size=n) for n in (dyn.n_v, dyn.n_v, dyn.n_c))]


@pytest.mark.parametrize("change", ["strided", "reversed", "single", "whole numbers", "read-only"])
def test_states_of_any_layout_and_type_give_the_same_residual(dynamics: Dynamics, change: str) -> None:
    parts = state_at(dynamics)
    if change == "whole numbers":
        parts = [np.round(x) for x in parts]
    elif change == "single":
        parts = [x.astype(np.float32).astype(float) for x in parts]
    for _ in range(3):  # the first call looks the code up, and those after it use it
        expected = dynamics.residual(*parts).copy()
    given = {
        "strided": lambda x: np.column_stack((x, -x))[:, 0],
        "reversed": lambda x: x[::-1].copy()[::-1],
        "single": lambda x: x.astype(np.float32),
        "whole numbers": lambda x: x.astype(np.int64),
        "read-only": lambda x: np.frombuffer(x.tobytes()),
    }[change]
    assert np.array_equal(dynamics.residual(*(given(x) for x in parts)), expected)
    weights = (1, 0)  # whole numbers are floats there too
    blocks = dynamics.tangent(*parts, (1.0, 0.0)).copy(), dynamics.B.copy()
    assert np.array_equal(dynamics.tangent(*(given(x) for x in parts), weights), blocks[0])
    assert np.array_equal(dynamics.B, blocks[1])


def test_a_state_of_results_compiles_nothing_anew(dynamics: Dynamics) -> None:
    """Arrays that cannot be written to are of another type to numba."""
    parts = [np.array(x, dtype=float) for x in state_at(dynamics)]
    expected = dynamics.residual(*parts).copy()
    for x in parts:
        x.setflags(write=False)
    assert all(x.flags.writeable for x in state_of(*parts))
    assert np.array_equal(dynamics.residual(*parts), expected)


def test_weights_that_were_whole_numbers_first_do_not_stay_so(dynamics: Dynamics) -> None:
    parts = state_at(dynamics)
    other = Dynamics(dynamics.system)
    other.set_time(0.0)
    other.tangent(*parts, (1, 0))
    other.tangent(*parts, (0.25, 0.5))
    dynamics.tangent(*parts, (0.25, 0.5))
    assert np.array_equal(other.B, dynamics.B)
    assert np.abs(other.B).max() > 0.0


def test_code_for_one_set_of_types_and_for_several() -> None:
    x, out = np.arange(3.0), np.zeros(3)
    assert machine_code(doubled, (x, out)) is doubled  # not called yet: there is none
    doubled(x, out)
    code = machine_code(doubled, (x, out))
    assert code is not doubled
    code(np.ones(3), out)
    assert out.tolist() == [2.0, 2.0, 2.0]
    whole = np.arange(3)
    doubled(whole, out)
    machine_code(doubled, (whole, out))(whole, out)
    assert out.tolist() == [0.0, 2.0, 4.0]
    machine_code(doubled, (x, out))(x + 0.25, out)
    assert out.tolist() == [0.5, 2.5, 4.5]


def test_code_that_was_compiled_for_other_numbers_is_not_taken() -> None:
    x = np.ones(1)
    state = state_of(x, x, x, x)
    assert scaled(state, (1, 0)) == 1.0  # compiled for whole numbers
    assert machine_code(scaled, (STATE, WEIGHTS)) is scaled
    assert scaled(state, (0.5, 0.0)) == 0.5
    assert machine_code(scaled, (STATE, WEIGHTS))(state, (0.5, 0.0)) == 0.5


def test_arguments_by_default_are_left_to_numba() -> None:
    x = np.ones(1)
    assert shifted(x) == 2.0
    assert machine_code(shifted, (x,))(x) == 2.0


def test_what_is_not_compiled_is_called_as_it_is() -> None:
    def plain() -> int:
        return 3

    assert machine_code(plain, ()) is plain
