"""Functional mock-up units (FMU) without FMPy: descriptions, sources, and what they compute, by a small master."""

from __future__ import annotations

import platform
import shutil
import subprocess
import zipfile
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.reduction.export import fmu, fmu_source, uncoupled
from flexmbs.reduction.export.linear_system import modal_system
from tests.reduction.export.fmi2_master import Refused, Unit
from tests.reduction.export.zero_order_hold import damping_of, free_of, held_response

compiled = pytest.mark.skipif(
    shutil.which("gcc") is None or (platform.system(), platform.machine()) != ("Linux", "x86_64"),
    reason="needs gcc on Linux, x86_64",
)
FORCE = ("end.force[1]", "end.force[2]", "end.force[3]", "end.moment[1]", "end.moment[2]", "end.moment[3]")
MOVED = (*(f"end.displacement[{k}]" for k in (1, 2, 3)), *(f"end.rotation[{k}]" for k in (1, 2, 3)))
H = 2e-4


@pytest.fixture
def unit(strut, tmp_path):
    """A running unit of a reduced model (the strut by default) with ``start`` held."""
    made = []

    def make(model=strut, **options):
        [written] = fx.reduction.export(model, tmp_path / "x.fmu", fixed="start", overwrite=True, **options)
        made.append(Unit(written.path, tmp_path / f"unit {len(made)} ü"))
        made[-1].start()
        return made[-1]

    yield make
    for one in made:
        one.close()


def run(unit, u, h=H, names=MOVED):
    """Outputs (steps + 1, n) under held inputs (steps, 6)."""
    out = [unit.get(names)]
    for k, held in enumerate(u):
        unit.set(FORCE, held)
        unit.step(k * h, h)
        out.append(unit.get(names))
    return np.array(out)


def forces(steps, seed=0):
    return np.random.default_rng(seed).standard_normal((steps, 6)) * [50, 50, 50, 5, 5, 5]


def exact(model, u, ratio=0.0, h=H):
    free = free_of(model, ["start"])
    block = np.ix_(free, free)
    B = np.eye(model.size)[free][:, model.frame("end").coordinates]
    q, _ = held_response(model.K[block], damping_of(model, ratio, free), model.M[block], B, u, h)
    return q[:, :6]


@compiled
@pytest.mark.parametrize("ratio", [0.0, 0.01, 0.7, 1.0, 3.0])
def test_steps_are_exact_for_held_inputs(unit, strut, ratio):
    """Undamped, damped, critically damped and overdamped modes."""
    u = forces(200)
    expected = exact(strut, u, ratio)
    found = run(unit(damping=ratio), u)
    assert np.abs(found - expected).max(axis=0) == pytest.approx(0.0, abs=1e-9 * np.abs(expected).max())
    assert (np.abs(found - expected).max(axis=0) <= 1e-8 * np.abs(expected).max(axis=0)).all()


@compiled
@pytest.mark.parametrize("few", [0, 1000])
def test_steps_are_exact_with_coupled_damping(unit, strut, monkeypatch, few):
    """With a full propagator, and with one of small groups."""
    monkeypatch.setattr(uncoupled, "FEW", few)
    L = np.random.default_rng(1).standard_normal(strut.K.shape) * 0.3
    model = replace(strut, D=L @ L.T)
    u = forces(200)
    expected = exact(model, u)
    one = unit(model)
    assert "x[1]" in one.named
    assert np.abs(run(one, u) - expected).max() < 1e-9 * np.abs(expected).max()


@compiled
def test_free_parts_fly(strut, tmp_path):
    """Rigid modes of frequency zero: under a constant force the centre goes by t^2 F / 2 m."""
    [written] = fx.reduction.export(strut, tmp_path / "x.fmu")
    one = Unit(written.path, tmp_path / "u")
    one.start()
    for name in ("start.force[1]", "end.force[1]"):
        one.set([name], [3.0])
    for k in range(100):
        one.step(0.01 * k, 0.01)
    moved = one.get(["start.displacement[1]", "end.displacement[1]"]).mean()
    mass = 7850.0 * 0.02 * 0.03
    assert strut.inertia.mass == pytest.approx(mass, rel=1e-12)
    assert moved == pytest.approx(0.5 * 6.0 / mass, rel=1e-6)
    one.close()


@compiled
def test_long_runs_keep_their_energy(unit, strut):
    """Undamped, after 20 000 steps: displacements as far as those of the first 1 000."""
    one = unit()
    one.set(FORCE, [0, 0, 100.0, 0, 0, 0])
    seen = np.array([(one.step(k * H, H), one.get(MOVED[2:3])[0])[1] for k in range(20_000)])
    assert np.abs(seen[-1000:]).max() == pytest.approx(np.abs(seen[:1000]).max(), rel=1e-2)
    static = 100.0 / np.linalg.inv(np.linalg.inv(strut.K[6:, 6:])[2:3, 2:3])[0, 0]
    assert seen.mean() == pytest.approx(static, rel=5e-3)  # of 68 periods, the last one in part


@compiled
def test_derivatives_are_the_system(unit, strut):
    one = unit(accelerations=True, damping=0.02)
    system = modal_system(strut, "start", accelerations=True, damping=0.02)
    A, B, C, F = system.first_order()
    names = list(one.named)
    states = [n for n in names if n.startswith("modes.")]
    inputs = [n for n in names if ".force" in n or ".moment" in n]
    outputs = [n for n in names if n.startswith("end.") and n not in inputs]
    assert np.array_equal(one.jacobian([f"der({n})" for n in states], states), A)
    assert np.array_equal(one.jacobian([f"der({n})" for n in states], inputs), B)
    assert np.array_equal(one.jacobian(outputs, states), C)
    assert np.array_equal(one.jacobian(outputs, inputs), F)
    found = np.sort(np.abs(np.linalg.eigvals(A)))[::2]
    assert found[:10] == pytest.approx(strut.angular_frequencies("start")[:10], rel=1e-9)


@compiled
def test_large_models_read_their_numbers_from_the_resources(unit, monkeypatch, tmp_path):
    u = forces(20)
    inline = run(unit(damping=0.01), u)
    monkeypatch.setattr(fmu_source, "INLINE", 0)
    one = unit(damping=0.01)
    assert np.array_equal(run(one, u), inline)
    [written] = tmp_path.glob("*.fmu")
    whole = (one.folder / "resources" / "system.bin").read_bytes()
    for damaged in (whole[:-8], whole + b"\0", b"\0" * len(whole)):
        (tmp_path / "other").mkdir(exist_ok=True)
        (tmp_path / "other" / "system.bin").write_bytes(damaged)
        with pytest.raises(Refused, match="not the one of this unit"):
            Unit(written, tmp_path / "again", resources=(tmp_path / "other").as_uri())
    with pytest.raises(Refused, match="cannot be read"):
        Unit(written, tmp_path / "again", resources=(tmp_path / "nowhere").as_uri())
    swapped = np.frombuffer(whole, "<f8").astype(">f8").tobytes()
    (tmp_path / "other" / "system.bin").write_bytes(swapped)
    other = Unit(written, tmp_path / "again", resources=(tmp_path / "other").as_uri() + "/")
    other.start()
    assert np.array_equal(run(other, u), inline)
    other.close()


@compiled
def test_states_are_kept_and_brought_back(unit):
    import ctypes as c

    one = unit()
    run(one, forces(5))
    kept, size = c.c_void_p(), c.c_size_t()
    one.call("fmi2GetFMUstate", c.byref(kept))
    one.call("fmi2SerializedFMUstateSize", kept, c.byref(size))
    data = c.create_string_buffer(size.value)
    one.call("fmi2SerializeFMUstate", kept, data, size)
    first = run(one, forces(5, seed=1))
    one.call("fmi2SetFMUstate", kept)
    assert np.array_equal(run(one, forces(5, seed=1)), first)
    again = c.c_void_p()
    one.call("fmi2DeSerializeFMUstate", data, size, c.byref(again))
    one.call("fmi2SetFMUstate", again)
    assert np.array_equal(run(one, forces(5, seed=1)), first)
    one.call("fmi2FreeFMUstate", c.byref(kept))
    assert kept.value is None
    c.memset(data, 255, size.value)  # not a number
    one.call("fmi2DeSerializeFMUstate", data, size, c.byref(again))
    with pytest.raises(Refused, match="damaged"):
        one.call("fmi2SetFMUstate", again)
    one.call("fmi2FreeFMUstate", c.byref(again))
    one.call("fmi2Reset")
    one.start()
    assert np.array_equal(one.get(MOVED), np.zeros(6))


@compiled
def test_mistakes_of_the_master_are_refused(unit, tmp_path):
    one = unit()
    with pytest.raises(Refused, match="not finite"):
        one.set(FORCE[:1], [float("nan")])
    for h in (0.0, -1e-3, float("nan"), float("inf")):
        with pytest.raises(Refused, match="must be positive"):
            one.step(0.0, h)
    with pytest.raises(Refused, match="cannot be set"):
        one.set(MOVED[:1], [1.0])
    with pytest.raises(Refused, match="before the end of the initialization"):
        one.set(["modes.q[1]"], [1.0])
    one.named["nothing"] = 10**6
    with pytest.raises(Refused, match="no variable"):
        one.get(["nothing"])
    with pytest.raises(Refused, match="entered already"):
        one.start()
    [written] = tmp_path.glob("*.fmu")
    with pytest.raises(Refused, match="token"):
        Unit(written, tmp_path / "other", guid="{00000000-0000-0000-0000-000000000000}")
    early = Unit(written, tmp_path / "early")
    with pytest.raises(Refused, match="initialized"):
        early.step(0.0, 1e-3)
    early.set(["modes.q[1]"], [1.0])
    early.close()


@compiled
@pytest.mark.parametrize("version", [2, 3])
def test_sources_compile_without_a_warning(strut, tmp_path, version):
    [written] = fx.reduction.export(strut, tmp_path / "x.fmu", f"fmu{version}", binary=False)
    assert written.notes == ("without a binary, C sources only",)
    with zipfile.ZipFile(written.path) as archive:
        archive.extractall(tmp_path)
    names = [p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.so")]
    assert names == []
    command = ["gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wno-overlength-strings", "-c"]
    prefix = f"-DFMI{version}_FUNCTION_PREFIX=strut_"
    subprocess.run([*command, prefix, f"fmi{version}.c", "-o", "a.o"], cwd=tmp_path / "sources", check=True)
    symbols = subprocess.run(["nm", "-g", "a.o"], cwd=tmp_path / "sources", check=True, capture_output=True, text=True)
    defined = [line.split()[-1] for line in symbols.stdout.splitlines() if " T " in line]
    assert len(defined) > 40
    assert all(name.startswith(f"strut_fmi{version}") for name in defined)  # so that units can be linked together


def test_without_a_compiler_there_are_sources(strut, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    [written] = fx.reduction.export(strut, tmp_path / "x.fmu")
    assert "no C compiler" in written.notes[0] or "no folder" in written.notes[0]
    with pytest.raises(fx.FlexmbsError, match=r"no C compiler|no folder"):
        fx.reduction.export(strut, tmp_path / "y.fmu", binary=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.fmu"]


def test_a_compiler_that_fails_is_told(strut, tmp_path, monkeypatch):
    monkeypatch.setattr(fmu, "FLAGS", ("--no-such-flag",))
    [written] = fx.reduction.export(strut, tmp_path / "x.fmu")
    assert "C sources only" in written.notes[0]


def xml(path):
    with zipfile.ZipFile(path) as archive:
        return ElementTree.fromstring(archive.read("modelDescription.xml")), archive.namelist()


def test_description_2(lug, tmp_path):
    [written] = fx.reduction.export(lug, tmp_path / "x.fmu", fixed="ROOT", binary=False)
    root, names = xml(written.path)
    assert {"sources/fmi2.c", "sources/model_data.h", "documentation/index.html"} <= set(names)
    found = list(root.iter("ScalarVariable"))
    by_name = {v.get("name"): v for v in found}
    assert by_name["BORE.force[1]"].find("Real").get("unit") == "N"
    assert by_name["BORE.displacement[3]"].find("Real").get("unit") == "m"
    units = {u.get("name"): u.find("BaseUnit").attrib for u in root.iter("Unit")}
    assert units["N"] == {"kg": "1", "m": "1", "s": "-2"}
    for v in found:  # the index of a state counts from one
        state = v.find("Real").get("derivative")
        if state is not None:
            assert v.get("name") == f"der({found[int(state) - 1].get('name')})"
    outputs = root.find("ModelStructure/Outputs")
    for unknown in outputs:  # displacements and velocities do not depend on forces at once
        causes = {found[int(d) - 1].get("causality") for d in unknown.get("dependencies").split()}
        assert causes == {"local"}


def test_units_are_converted_by_factors(lug, tmp_path):
    milli = replace(lug, units={"length": "mm", "mass": "t", "time": "s"})
    [written] = fx.reduction.export(milli, tmp_path / "x.fmu", fixed="ROOT", stresses=True, binary=False)
    root, _ = xml(written.path)
    units = {u.get("name"): float(u.find("BaseUnit").get("factor", 1)) for u in root.iter("Unit")}
    assert units == {
        "N": 1.0, "t.mm2/s2": pytest.approx(1e-3), "mm": 1e-3, "rad": 1.0, "mm/s": 1e-3, "rad/s": 1.0,
        "MPa": pytest.approx(1e6), "s": 1.0,
    }  # fmt: skip


def test_units_that_fmi_cannot_hold(lug, tmp_path):
    with pytest.raises(fx.ModelError, match="time is in seconds"):
        fx.reduction.export(replace(lug, units={"length": "mm", "mass": "kg", "time": "ms"}), tmp_path / "x.fmu")
    odd = replace(lug, units={"length": "cubit", "mass": "kg", "time": "s"})
    [written] = fx.reduction.export(odd, tmp_path / "x.fmu", binary=False)
    assert "units are not known to FMI and were left out" in written.notes


def test_names_of_any_kind(strut, tmp_path):
    frames = tuple(f._replace(name="a b/ü" if f.name == "start" else "a b:ü") for f in strut.frames)
    [written] = fx.reduction.export(replace(strut, name="3<&>", frames=frames), tmp_path / "x.fmu", binary=False)
    root, _ = xml(written.path)
    names = [v.get("name") for v in root.iter("ScalarVariable")]
    assert len(set(names)) == len(names)
    assert "a_b__.force[1]" in names
    assert "a_b__.force_2[1]" in names
    assert root.get("modelName") == "3<&>"
    assert root.find("CoSimulation").get("modelIdentifier") == "_3___"


def test_the_same_model_gives_the_same_token(strut, tmp_path):
    one, two = (
        xml(fx.reduction.export(strut, tmp_path / f"{k}.fmu", binary=False)[0].path)[0].get("guid") for k in "ab"
    )
    other = xml(fx.reduction.export(strut, tmp_path / "c.fmu", damping=0.1, binary=False)[0].path)[0].get("guid")
    assert one == two != other
