"""The one call: continuing an interrupted reduction, provenance, refusals, forces and displacements of the model."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import flexmbs as fx
from flexmbs.linear.operators import DofMap
from flexmbs.meshes import box, read_mesh, sample
from flexmbs.reduction.kept import Kept, fingerprint
from flexmbs.reduction.methods import craig_bampton as module
from flexmbs.reduction.methods.craig_bampton import guyan


@pytest.fixture(scope="module")
def lug() -> fx.linear.Operators:
    return fx.linear.Part(read_mesh(sample("lug.inp")), material=fx.steel, name="lug").assemble()


def test_static_solutions_are_exact(lug):
    """A force on one interface, the other held: the full part and the reduced one move alike, everywhere."""
    model = fx.reduction.reduce(lug, [fx.reduction.Interface("ROOT", kind="nodes"), "BORE"], modes=3, progress=False)
    force, moment = np.array([100.0, -20.0, 5.0]), np.array([0.1, 0.2, 0.3])
    f = model.force("BORE", force, moment)
    root = model.frame("ROOT").coordinates
    free = np.setdiff1d(np.arange(model.size), root)
    q = np.zeros(model.size)
    q[free] = np.linalg.solve(model.K[np.ix_(free, free)], f[free])
    full = model.source.attached.operators
    held = np.setdiff1d(np.arange(full.n), full.dofs.of(model.frame("ROOT").nodes))
    u = np.zeros(full.n)
    load = np.zeros(full.n)
    load[model.source.attached.boundary[model.frame("BORE").coordinates]] = [*force, *moment]
    u[held] = sparse.linalg.spsolve(full.K.tocsr()[held].tocsc()[:, held], load[held])
    assert model.reconstruct(q) == pytest.approx(full.displacements(u), abs=1e-9 * np.abs(u).max())


def test_forces_do_the_work_of_displacements(lug):
    model = fx.reduction.reduce(lug, ["ROOT", "BORE"], modes=5, progress=False)
    q = np.random.default_rng(0).standard_normal(model.size)
    node = int(model.frame("BORE").nodes[3])
    u = model.reconstruct(q)[node]
    assert model.force(node, (1.0, 2.0, 3.0)) @ q == pytest.approx(u[:3] @ [1.0, 2.0, 3.0], rel=1e-12)
    assert model.force("BORE", (0, 0, 1)) @ q == q[model.frame("BORE").coordinates[2]]


def test_stresses_without_the_part(lug, tmp_path):
    model = fx.reduction.reduce(lug, ["ROOT", "BORE"], modes=5, stresses="BORE", progress=False)
    q = np.random.default_rng(1).standard_normal(model.size) * 1e-6
    from flexmbs.linear.stresses import stress_operator

    operator, names = stress_operator(lug.part, model.stress_nodes)
    u = model.source.attached.operators.expand(model.source.basis.vectors @ q)
    wanted = (operator @ u).reshape(len(model.stress_nodes), len(names))
    back = fx.reduction.load_reduced(model.save(tmp_path / "lug.h5"))
    assert back.stress_names == tuple(names)
    assert back.stresses(q) == pytest.approx(wanted, rel=1e-10, abs=1e-6 * np.abs(wanted).max())


def test_an_interrupted_reduction_goes_on(lug, tmp_path, monkeypatch):
    whole = fx.reduction.reduce(lug, ["ROOT", "BORE"], modes=6, progress=False)

    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "lowest_modes", stop)
        with pytest.raises(KeyboardInterrupt):
            fx.reduction.reduce(lug, ["ROOT", "BORE"], modes=6, work=tmp_path, progress=False)
    assert [p.name for p in tmp_path.rglob("*.npy")] == ["constraint_modes_0.npy"]
    again = fx.reduction.reduce(lug, ["ROOT", "BORE"], modes=6, work=tmp_path, progress=False)
    assert again.source.basis.stats["solves"] < whole.source.basis.stats["solves"]
    with monkeypatch.context() as patch:
        patch.setattr(module, "lowest_modes", stop)  # not needed any more
        third = fx.reduction.reduce(lug, ["ROOT", "BORE"], modes=6, work=tmp_path, progress=False)
    for model in (again, third):
        assert np.array_equal(model.K, whole.K)
        assert np.array_equal(model.M, whole.M)


def test_kept_work_belongs_to_one_model(lug, tmp_path):
    one, other = fingerprint(lug.K, np.arange(3), "6"), fingerprint(lug.K, np.arange(3), "7")
    assert one != other
    Kept(tmp_path, one).put("a", np.arange(3.0))
    assert Kept(tmp_path, other).get("a") is None
    assert Kept(tmp_path, one).get("a").tolist() == [0, 1, 2]
    (tmp_path / one[:16] / "a.npy").write_bytes(b"\x93NUMPY")  # cut short
    assert Kept(tmp_path, one).get("a") is None


def test_another_method(lug):
    model = fx.reduction.reduce(
        lug, ["ROOT"], method=lambda a: guyan(a.operators.K, a.boundary, a.labels), progress=False
    )
    assert model.size == 6
    assert model.provenance["method"] == "Guyan"
    # one rigid interface and no modes: the rigid body itself
    assert np.abs(model.K).max() < 1e-9 * abs(lug.K).max()
    assert model.M[0, 0] == pytest.approx(model.inertia.mass, rel=1e-9)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"interfaces": ["HUB"]}, "no node set named 'HUB'"),
        ({"interfaces": ["ROOT", "ROOT"]}, "named twice"),
        ({"interfaces": ["ROOT", fx.reduction.Interface("X", nodes="ROOT")]}, "shares"),
        ({"interfaces": 5}, "names of node sets"),
        ({"interfaces": []}, "one interface or more"),
        ({"modes": 10_000}, "modes were asked for"),
        ({"modes": "many"}, "whole number or a selection"),
        ({"stresses": "NOWHERE"}, "no node set named"),
        ({"method": lambda a: 3}, "must return a Basis"),
        ({"method": lambda a: fx.reduction.macneal(a.operators.K, a.operators.M, a.boundary, 2)}, "return its .basis"),
        ({"name": ""}, "non-empty"),
    ],
)
def test_bad_input(lug, change, text):
    with pytest.raises(fx.ModelError, match=text):
        fx.reduction.reduce(lug, **({"interfaces": ["ROOT"], "modes": 2, "progress": False} | change))


def test_not_a_part():
    with pytest.raises(fx.ModelError, match="Part or Operators"):
        fx.reduction.reduce("part.inp", ["A"])


def test_a_loose_piece_is_told():
    mesh = box((0, 0, 0), (1, 1, 1), (2, 2, 2))
    operators = fx.linear.Part(mesh, material=fx.steel).assemble()
    twin = fx.linear.Operators(
        sparse.block_diag([operators.K, operators.K], format="csc"),
        sparse.block_diag([operators.M, operators.M], format="csc"),
        DofMap(
            np.concatenate([operators.dofs.node, operators.dofs.node + len(operators.points)]),
            np.tile(operators.dofs.component, 2),
        ),
        np.vstack([operators.points, operators.points + 5.0]),
        node_sets={"left": operators.node_sets["left"]},
    )
    with pytest.raises(fx.SingularError, match="interface is held"):
        fx.reduction.reduce(twin, ["left"], modes=2, progress=False)


def test_an_interface_of_all_nodes_is_refused():
    mesh = box((0, 0, 0), (1, 1, 1), (1, 1, 1)).with_node_set("all", lambda p: p[:, 0] > -1.0)
    with pytest.raises(fx.ModelError, match="hold every node of the part"):
        fx.reduction.reduce(fx.linear.Part(mesh, material=fx.steel), ["all"], modes=1, progress=False)


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ({"lenght": "mm", "mass": "t", "time": "s"}, r"no quantity named 'lenght'; did you mean 'length'\?"),
        ({"length": 1}, "units: length must be a non-empty string, not 1"),
        ("mm", r"units must be a Units object such as flexmbs\.SI, or map any of length, mass, time, force"),
        (["mm", "t", "s"], "units must be a Units object"),
    ],
)
def test_names_that_are_no_units_are_refused(lug, units, message):
    with pytest.raises(fx.ModelError, match=message):
        fx.reduction.reduce(lug, ["ROOT"], modes=1, units=units, progress=False)


def test_units_of_a_model_are_units_of_a_part(lug, tmp_path):
    mm = fx.Units(length="mm", mass="t", time="s", force="N")
    with pytest.warns(fx.UnitsWarning, match="named mm-t-s"):  # the lug is in metres
        model = fx.reduction.reduce(lug, ["ROOT"], modes=1, units=mm, progress=False)
    assert dict(model.units) == {"length": "mm", "mass": "t", "time": "s", "force": "N"}
    assert dict(fx.reduction.load_reduced(model.save(tmp_path / "lug.h5")).units) == dict(model.units)
    assert "units: length mm, mass t, time s, force N" in model.export(tmp_path / "lug", "dmig")[0].path.read_text()


def test_coordinates_without_inertia_are_named():
    """A beam whose section has no rotary inertia turns about its axis without any."""
    section = fx.BeamStiffness(EA=1e6, EI_z=2.0, GJ=1.0, mass_per_length=1.0)
    region = fx.linear.Region(None, fx.elements.Frame(section=section))
    beam = fx.linear.Part(fx.meshes.line((0, 0, 0), (1, 0, 0), 4), regions=[region])
    model = fx.reduction.reduce(beam, ["start", "end"], 2, progress=False)
    with pytest.raises(fx.ModelError, match=r"(start|end) rx.* can move without inertia"):
        model.angular_frequencies()


def test_operators_are_printed_in_a_line(lug):
    text = repr(lug)
    assert text.startswith("operators: ")
    assert len(text) < 120
