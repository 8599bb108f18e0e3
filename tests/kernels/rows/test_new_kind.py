"""A new kind of row is one more file in `flexmbs/kernels/rows`: joints, records and kernels know it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flexmbs.kernels.rows import kind, rows
from flexmbs.kernels.rows.choice import choice
from flexmbs.kernels.rows.row_gradients import EXACT

SQUARE = '''
"""SQUARE: half the square of the distance of two points."""
from flexmbs.core.jit import inlined
from flexmbs.core.triples import IDENTITY, add_block, dot
from flexmbs.kernels.rows.kind import RowKind

SQUARE = 90
ZERO = (0.0, 0.0, 0.0)

@inlined
def square(d):
    return 0.5 * dot(d, d)

@inlined
def square_gradient(d):
    return 0.5 * dot(d, d), d, ZERO, ZERO

@inlined
def add_square_hessian(factor, H):
    add_block(H, 0, 0, factor, IDENTITY)
    add_block(H, 0, 6, -factor, IDENTITY)
    add_block(H, 6, 0, -factor, IDENTITY)
    add_block(H, 6, 6, factor, IDENTITY)

KINDS = (
    RowKind(number=SQUARE, name="SQUARE", unit="length", uses=("", ""), normal="own", value=square,
            gradient=square_gradient, add_hessian=add_square_hessian, connects=True),
)
'''

JOINT = '''
import sys
from dataclasses import dataclass

import numpy as np

import flexmbs.kernels.rows
flexmbs.kernels.rows.__path__.append(sys.argv[1])

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.extend import Description, Equation, Marker, Pair, Row
from flexmbs.integrators.contracts import StepState
from flexmbs.kernels.rows.rows import KINDS, kind_of
from flexmbs.kernels.rows.square_rows import SQUARE
from flexmbs.kernels.steps import retract

assert kind_of(SQUARE).name == "SQUARE" and KINDS[-1] is kind_of(SQUARE)


@dataclass(frozen=True, eq=False)
class Rod(Description):
    """A massless rod, by the square of its length."""

    role = "joint"
    a: Marker
    b: Marker
    length: float
    name: str = "rod"

    @property
    def pairs(self):
        return (Pair(self.a, self.b, (Row(SQUARE),)),)

    @property
    def equations(self):
        return (Equation("square of the length", offset=0.5 * self.length**2),)


body = fx.RigidBody(2.0, (0.1, 0.2, 0.3), position=(1.0, 0.2, 0.3), name="body")
corner = body.marker((0.1, -0.2, 0.05))
length = float(np.linalg.norm(corner.position0()))
model = fx.Model(body, Rod(fx.ground.marker((0, 0, 0)), corner, length), fx.Gravity((0, 0, -9.81)))
run = SIMULATED
dyn = Dynamics(fx.compile_model(model))
dyn.set_time(0.0)
q, lam = dyn.coordinates.reference, np.array([3.0])
zero = np.zeros(dyn.n_v)


def residual(x):
    out = np.empty_like(q)
    retract(q, x, dyn.n_linear, out)
    return dyn.residual(out, zero, zero, lam).copy()


assert abs(residual(zero)[-1]) < 1e-15
lin = dyn.linearise(StepState.unaccelerated(0.0, q, zero, lam))
h = 1e-3
by = np.stack([(8 * (residual(e) - residual(-e)) - residual(2 * e) + residual(-2 * e)) / (12 * h)
               for e in h * np.eye(dyn.n_v)], axis=-1)
found = np.vstack((lin.K.toarray(), lin.G.toarray()))
assert np.abs(found - by).max() < 1e-9 * np.abs(by).max(), (found, by)
assert abs(by[-1]).max() > 0.1
if run is not None:
    distance = np.linalg.norm(run.position(corner), axis=1)
    assert np.abs(distance - length).max() < 1e-8 and np.ptp(run.position(corner)[:, 2]) > 0.1
print("fine")
'''


def use_it(folder: Path, simulated: str, **environment: str) -> None:
    (folder / "square_rows.py").write_text(SQUARE, "utf-8")
    code = JOINT.replace("SIMULATED", simulated)
    known = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_CACHE_DIR": str(folder)} | environment
    command = [sys.executable, "-c", code, str(folder)]
    run = subprocess.run(command, env=known, capture_output=True, text=True, check=False)
    assert run.stdout.strip() == "fine", run.stderr


def test_a_joint_of_a_new_kind(tmp_path: Path) -> None:
    """Evaluated by the kernels as Python functions: compiling all of them again takes long."""
    use_it(tmp_path, "None", NUMBA_DISABLE_JIT="1")


@pytest.mark.slow
def test_a_simulation_with_a_joint_of_a_new_kind(tmp_path: Path) -> None:
    use_it(tmp_path, "fx.simulate(model, until=0.5, step=2e-3)")


def test_records_say_what_they_are_asked() -> None:
    """For planar models, joints, turns, symmetry, energy-momentum and pictures."""
    kinds = {k.name: k for k in rows.KINDS if not k.contact}
    assert [k.number for k in rows.KINDS] == list(range(len(rows.KINDS)))
    assert {n for n, k in kinds.items() if not k.turns} == {"INERTIAL", "DISTANCE"}
    assert {n for n, k in kinds.items() if k.turns and not k.uses[1]} == {"ALONG"}
    assert {n for n, k in kinds.items() if k.curvature == 0} == {"INERTIAL"}
    assert {n for n, k in kinds.items() if k.curvature == 1} == {"ORTHOGONAL", "ANGLE", "VECTOR", "SWING"}
    assert {n for n, k in kinds.items() if k.velocity_only} == {"SLIP", "BALL_SLIP"}
    assert {n for n, k in kinds.items() if k.counts_turns} == {"ANGLE"}
    assert {n for n, k in kinds.items() if k.connects} == {"DISTANCE"}
    assert {rows.kind_of(n).name for n in EXACT} == {"INERTIAL", "ALONG", "ORTHOGONAL", "DISTANCE", "ANGLE"}
    assert {k.coordinate[0]: n for n, k in kinds.items() if k.coordinate} == {
        "angle": "ANGLE", "displacement": "ALONG", "distance": "DISTANCE"
    }  # fmt: skip


def test_two_kinds_of_one_number_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other_rows.py").write_text(SQUARE.replace("SQUARE = 90", "SQUARE = 4"), "utf-8")
    import flexmbs.kernels.rows as package

    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    with pytest.raises(ImportError, match="ANGLE and SQUARE have the same number 4"):
        rows.collected()
    monkeypatch.delitem(sys.modules, "flexmbs.kernels.rows.other_rows")


def test_a_kernel_asks_for_what_there_is() -> None:
    def value(speed):
        return speed

    odd = kind.RowKind(number=30, name="ODD", unit="1", uses=("", ""), normal="", value=value, gradient=value)
    with pytest.raises(TypeError, match=r"value of the kind of rows ODD asks for \['speed'\]"):
        choice({"__file__": __file__, "__name__": __name__}, "_odd", [odd], "value", "e, d")
