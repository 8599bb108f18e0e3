"""Functional mock-up units in FMPy, which is not ours: validation, co-simulation and model exchange, in FMI 2 and 3."""

from __future__ import annotations

import platform
import shutil
from dataclasses import replace

import numpy as np
import pytest
from scipy import linalg

import flexmbs as fx
from flexmbs.reduction.export import uncoupled
from flexmbs.reduction.export.linear_system import modal_system
from tests.reduction.export.zero_order_hold import damping_of, free_of, held_response

fmpy = pytest.importorskip("fmpy")
pytestmark = pytest.mark.skipif(
    shutil.which("gcc") is None or (platform.system(), platform.machine()) != ("Linux", "x86_64"),
    reason="needs gcc on Linux, x86_64",
)
VERSIONS = pytest.mark.parametrize("version", [2, 3])
H, STEPS, RATIO = 2e-4, 400, 0.01


def force_signal(version, u):
    """A step at each time for FMPy, which takes the value after a step where a time is there twice."""
    names = [f"end.force[{k}]" for k in (1, 2, 3)] if version == 2 else ["end.force"]
    types = [("time", float)] + [(n, float) if version == 2 else (n, float, (3,)) for n in names]
    out = np.zeros(len(u), dtype=types)
    out["time"] = H * np.arange(len(u))
    for k, name in enumerate(names):
        out[name] = u[:, k] if version == 2 else u
    return out


def displacement(version, result):
    if version == 3:
        return result["end.displacement"]
    return np.stack([result[f"end.displacement[{k}]"] for k in (1, 2, 3)], axis=1)


def exact(model, u):
    free = free_of(model, ["start"])
    block = np.ix_(free, free)
    B = np.eye(model.size)[free][:, model.frame("end").coordinates[:3]]
    q, _ = held_response(model.K[block], damping_of(model, RATIO, free), model.M[block], B, u, H)
    return q[:, :3]


@pytest.fixture
def written(strut, lug, tmp_path):
    def make(version, model=strut, fixed="start", **options):
        [one] = fx.reduction.export(model, tmp_path / "x.fmu", f"fmu{version}", fixed=fixed, damping=RATIO, **options)
        return str(one.path)

    return make


@VERSIONS
def test_fmpy_finds_no_fault(lug, written, version):
    from fmpy.validation import validate_fmu

    assert validate_fmu(written(version)) == []
    options = {"accelerations": True, "modal_forces": True, "stresses": True, "nodes": [7], "overwrite": True}
    assert validate_fmu(written(version, lug, "ROOT", **options)) == []
    assert validate_fmu(written(version, lug, driven=["ROOT", "BORE"], fixed=(), overwrite=True)) == []


@VERSIONS
def test_co_simulation_is_the_exact_solution(strut, written, version):
    u = np.random.default_rng(2).standard_normal((STEPS, 3)) * 50.0
    found = fmpy.simulate_fmu(
        written(version), fmi_type="CoSimulation", input=force_signal(version, u), stop_time=STEPS * H,
        output_interval=H, step_size=H,
    )  # fmt: skip
    expected = exact(strut, u)
    error = np.abs(displacement(version, found) - expected).max(axis=0) / np.abs(expected).max(axis=0)
    assert (error < 1e-8).all()


@VERSIONS
def test_model_exchange_to_the_tolerance_of_cvode(strut, written, version):
    """A constant force, since FMPy holds inputs in co-simulation only."""
    u = np.tile([0.0, 30.0, -20.0], (STEPS, 1))
    found = fmpy.simulate_fmu(
        written(version), fmi_type="ModelExchange", input=force_signal(version, u), stop_time=STEPS * H,
        output_interval=H, relative_tolerance=1e-7,
    )  # fmt: skip
    expected = exact(strut, u)
    at = np.rint(found["time"] / H).astype(int)
    error = np.abs(displacement(version, found) - expected[at]).max() / np.abs(expected).max()
    assert error < 1e-4


@pytest.mark.slow
@VERSIONS
def test_co_simulation_is_our_own_integration(strut, written, version):
    """The same part as a linear body, integrated by Radau IIA under a constant force."""
    u = np.tile([0.0, 0.0, 40.0], (100, 1))
    found = fmpy.simulate_fmu(
        written(version), fmi_type="CoSimulation", input=force_signal(version, u), stop_time=100 * H,
        output_interval=H, step_size=H,
    )  # fmt: skip
    body = fx.LinearBody(strut, fixed="start", damping=RATIO, name="strut")
    tip = body.node(12)
    model = fx.Model(body, fx.PointForce(tip, (0.0, 0.0, 40.0)))
    run = fx.simulate(model, 100 * H, step=H / 10, integrator=fx.RadauIIA(), progress=False)
    own = (run.position(tip) - tip.position0())[:: len(run.t) // 100]
    assert len(own) == len(found)
    assert np.abs(displacement(version, found) - own)[:, 2].max() < 1e-5 * np.abs(own[:, 2]).max()


@VERSIONS
def test_reactions_of_a_driven_interface(strut, written, version, tmp_path):
    """A motion in samples, as FMPy hands it over; reference from the matrices, held in the same way."""
    t = H * np.arange(STEPS)
    w = 2 * np.pi * 12.0
    motion = {"displacement": 1e-3 * np.sin(w * t), "velocity": 1e-3 * w * np.cos(w * t),
              "acceleration": -1e-3 * w**2 * np.sin(w * t)}  # fmt: skip
    [one] = fx.reduction.export(strut, tmp_path / "d.fmu", f"fmu{version}", driven="start", damping=RATIO)
    names = [f"start.{k}[2]" if version == 2 else f"start.{k}" for k in motion]
    signal = np.zeros(STEPS, [("time", float)] + [(n, float) if version == 2 else (n, float, (3,)) for n in names])
    signal["time"] = t
    for name, values in zip(names, motion.values(), strict=True):
        signal[name] = values if version == 2 else np.outer(values, [0, 1, 0])
    found = fmpy.simulate_fmu(
        str(one.path), fmi_type="CoSimulation", input=signal, stop_time=STEPS * H, output_interval=H, step_size=H
    )
    K, M = strut.K, strut.M
    i, b = np.arange(6, strut.size), 1
    block = np.ix_(i, i)
    D = damping_of(strut, RATIO, i)
    load = -np.stack([K[i, b], M[i, b]], axis=1)
    u = np.stack([motion["displacement"], motion["acceleration"]], axis=1)
    q, v = held_response(K[block], D, M[block], load, u, H)
    a = np.linalg.solve(M[block], load @ u[-1] - K[block] @ q[-1] - D @ v[-1])
    expected = K[b, b] * u[-1, 0] + M[b, b] * u[-1, 1] + K[b, i] @ q[-1] + M[b, i] @ a
    last = found["start.force[2]"][-1] if version == 2 else found["start.force"][-1, 1]
    assert last == pytest.approx(expected, rel=1e-6, abs=1e-6 * np.abs(K[b, b] * u[-1, 0]))


@VERSIONS
def test_coupled_damping(strut, written, version):
    L = np.random.default_rng(1).standard_normal(strut.K.shape) * 0.3
    model = replace(strut, D=L @ L.T)
    u = np.random.default_rng(4).standard_normal((STEPS, 3)) * 50.0
    found = fmpy.simulate_fmu(
        written(version, model), fmi_type="CoSimulation", input=force_signal(version, u), stop_time=STEPS * H,
        output_interval=H, step_size=H,
    )  # fmt: skip
    expected = exact(model, u)
    assert np.abs(displacement(version, found) - expected).max() < 1e-8 * np.abs(expected).max()


@VERSIONS
def test_derivatives_of_fmi_3_are_the_system(strut, written, version, tmp_path):
    """Read back through FMPy, and its ten frequencies."""
    path = written(version)
    description = fmpy.read_model_description(path)
    folder = fmpy.extract(path, str(tmp_path / "unit"))
    from fmpy.fmi2 import FMU2Slave
    from fmpy.fmi3 import FMU3Slave

    made = FMU2Slave if version == 2 else FMU3Slave
    unit = made(
        guid=description.guid, unzipDirectory=folder,
        modelIdentifier=description.coSimulation.modelIdentifier, instanceName="x",
    )  # fmt: skip
    unit.instantiate()
    if version == 2:
        unit.setupExperiment()
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    system = modal_system(strut, "start", damping=RATIO)
    A = system.first_order()[0]
    states = [v.valueReference for v in description.modelVariables if v.name.startswith("modes.")]
    rates = [v.valueReference for v in description.modelVariables if v.name.startswith("der(")]
    n = len(A)
    found = np.zeros((n, n))
    for k in range(n):
        seed = np.eye(n)[k].tolist()
        if version == 2:
            found[:, k] = unit.getDirectionalDerivative(rates, states, seed)
        else:
            found[:, k] = unit.getDirectionalDerivative(rates, states, seed, n)
    unit.terminate()
    unit.freeInstance()
    assert np.array_equal(found, A)
    w = np.sort(np.abs(np.linalg.eigvals(found)))[::2][:10]
    assert w == pytest.approx(strut.angular_frequencies("start")[:10], rel=1e-9)


@VERSIONS
def test_a_whole_mechanism(tmp_path, version):
    """A cart on a spring beside another one, linearised: the linear model in FMPy against the exact solution."""
    from scipy.signal import cont2discrete

    one = fx.PointMass(2.0, position=(0.0, 0.0), name="one")
    two = fx.PointMass(1.0, position=(1.0, 0.0), name="two")
    push = fx.PointForce(one, (1.0, 0.0))
    model = fx.Model(
        one, two, push, fx.Bushing(fx.ground.marker((0, 0, 0)), one, (80.0, 80.0), damping=(0.4, 0.4)),
        fx.SpringDamper(one, two, 50.0, 0.2),
    )  # fmt: skip
    linear = fx.linearise(model, [push], [fx.control.PositionSensor(two, (1, 0), name="x of two")])
    [written] = linear.export(tmp_path / "carts.fmu", f"fmu{version}", name="two carts")
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(written.path)) == []
    names = {v.causality: v.name for v in fmpy.read_model_description(str(written.path)).modelVariables}
    h, n = 0.02, 300
    signal = np.zeros(n, [("time", float), (names["input"], float)])
    signal["time"] = h * np.arange(n)
    u = np.random.default_rng(0).standard_normal(n)
    signal[names["input"]] = u
    found = fmpy.simulate_fmu(
        str(written.path), fmi_type="CoSimulation", input=signal, stop_time=n * h, output_interval=h, step_size=h
    )
    A, B, C, *_ = cont2discrete((linear.A, linear.B, linear.C, linear.D), h)
    x, expected = np.zeros(len(A)), []
    for k in range(n):
        x = A @ x + B[:, 0] * u[k]
        expected.append(C[0] @ x + linear.operating_outputs[0])
    assert found[names["output"]][1:].ravel() == pytest.approx(np.array(expected), rel=1e-10, abs=1e-12)


@pytest.mark.slow
def test_a_mechanism_with_a_reduced_part(lug, tmp_path, monkeypatch):
    """A damped lug on a hinge and a spring, linearised, its states in small groups: exact under a held force."""
    monkeypatch.setattr(uncoupled, "FEW", 0)
    body = fx.FloatingBody(lug, reference="ROOT", damping=0.01)
    hinge = fx.RevoluteJoint(fx.ground, body, at=tuple(lug.frame("ROOT").origin), axis=(0, 0, 1))
    tip = body.interface("BORE")
    at = fx.ground.marker(tuple(lug.frame("BORE").origin))
    push = fx.PointForce(tip, (0.0, 1.0, 0.0))
    model = fx.Model(body, hinge, fx.Bushing(at, tip, (1e6, 1e6, 1e6), damping=(50.0, 50.0, 50.0)), push)
    linear = fx.linearise(model, [push], [fx.control.PositionSensor(tip, (0, 1, 0), name="y")])
    [written] = linear.export(tmp_path / "x.fmu", name="hinged lug")
    description = fmpy.read_model_description(str(written.path))
    [force], [output] = (
        [v.name for v in description.modelVariables if v.causality == kind] for kind in ("input", "output")
    )
    h, n = 1e-5, 400
    held = np.array([(0.0, 100.0)], dtype=[("time", float), (force, float)])
    found = fmpy.simulate_fmu(
        str(written.path), fmi_type="CoSimulation", stop_time=n * h, output_interval=h, step_size=h, input=held,
        output=[output],
    )[output]  # fmt: skip
    m = len(linear.A)
    E = linalg.expm(np.block([[linear.A, linear.B], [np.zeros((1, m + 1))]]) * h)[:m]
    x, expected = np.zeros(m), []
    for _ in range(n + 1):
        expected.append((linear.C @ x + linear.D[:, 0] * 100.0 + linear.operating_outputs)[0])
        x = E @ np.append(x, 100.0)
    moved = np.abs(np.array(expected) - expected[0]).max()
    assert np.abs(found[1 : n + 1] - expected[1:]).max() < 1e-9 * moved
