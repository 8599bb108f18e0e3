"""Static response: closed forms, reactions, load cases, and what is free."""

from __future__ import annotations

import contextlib
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.elements import Hexahedron8, Hexahedron20
from flexmbs.linear.loads import refuse_turned

LENGTH, WIDTH, HEIGHT = 1.0, 0.1, 0.2  # of the block
MATERIAL = fx.Elastic(youngs_modulus=2e11, density=8000.0, poissons_ratio=0.3)
BAR = fx.Elastic(youngs_modulus=2e11, density=8000.0, poissons_ratio=0.0)
E, NU, RHO = MATERIAL.youngs_modulus, MATERIAL.poissons_ratio, MATERIAL.density
SECTION = WIDTH * HEIGHT
STATICALLY_DETERMINATE = {"left": "ux", "front": "uy", "bottom": "uz"}


@pytest.mark.parametrize("element", [Hexahedron8(), Hexahedron20()], ids=lambda e: e.cell_type)
def test_bar_under_traction_is_exact(block, element) -> None:
    part = block(element)
    pull = fx.linear.static_response(part, STATICALLY_DETERMINATE, fx.linear.SurfaceLoad("right", traction=(1e6, 0, 0)))
    x = pull.operators.points
    exact = 1e6 / E * np.column_stack([x[:, 0], -NU * x[:, 1], -NU * x[:, 2]])
    used = pull.operators.part.nodes.n_dofs > 0
    assert np.abs(pull.displacements[used, :3] - exact[used]).max() < 1e-12 * 1e6 / E
    stress = pull.stresses()[0].values
    assert np.abs(stress - [1e6, 0, 0, 0, 0, 0]).max() < 1e-6
    assert np.abs(pull.von_mises[used] - 1e6).max() < 1e-6
    assert pull.strain_energy == pytest.approx(0.5 * 1e6**2 / E * SECTION * LENGTH, rel=1e-12)
    assert pull.residual < 1e-14


@pytest.mark.parametrize("element", [Hexahedron8(), Hexahedron20()], ids=lambda e: e.cell_type)
def test_pressure_on_all_faces_is_hydrostatic(block, element) -> None:
    faces = [fx.linear.SurfaceLoad(name, pressure=3e6) for name in ("right", "back", "top")]
    squeezed = fx.linear.static_response(block(element), STATICALLY_DETERMINATE, faces)
    assert np.abs(squeezed.stresses()[0].values - [-3e6, -3e6, -3e6, 0, 0, 0]).max() < 1e-5
    assert squeezed.reaction("left")[0] == pytest.approx(3e6 * SECTION, rel=1e-12)


@pytest.mark.parametrize("element", [Hexahedron8(), Hexahedron20()], ids=lambda e: e.cell_type)
@pytest.mark.parametrize(
    "load", [fx.linear.Acceleration((1.0, -2.0, 9.81)), fx.linear.Centrifugal((1.0, 20.0, 3.0), (0.2, 0.0, -0.1))],
    ids=["acceleration", "centrifugal"],
)  # fmt: skip
def test_reactions_balance_body_loads(block, element, load) -> None:
    held = fx.linear.static_response(block(element), {"left": "all"}, load)
    mass, centre = RHO * SECTION * LENGTH, 0.5 * np.array([LENGTH, WIDTH, HEIGHT])
    if isinstance(load, fx.linear.Acceleration):
        force = mass * load.vector
        moment = np.cross(centre, force)
    else:
        w, c = load.rate, load.centre
        force = mass * load.field(centre)
        # integral of x cross b(x), with the second moments of the block about its centre
        second = mass / 12 * np.diag([LENGTH**2, WIDTH**2, HEIGHT**2])
        A = np.eye(3) * (w @ w) - np.outer(w, w)
        spin = A @ second
        moment = np.cross(centre, force)
        moment += np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]])
        assert np.allclose(load.field(np.zeros(3)), A @ (-c))
    total = np.concatenate([force, moment])
    assert np.abs(held.reaction("left", about=(0, 0, 0)) + total).max() < 1e-11 * np.abs(total).max()


@pytest.mark.parametrize("element", [Hexahedron8(), Hexahedron20()], ids=lambda e: e.cell_type)
def test_centrifugal_bar_is_exact_at_the_nodes(block, element) -> None:
    """In one dimension consistent loads give the exact solution at the nodes, whatever the mesh."""
    w = 100.0
    guided = {"left": "ux", "front": "uy", "back": "uy", "bottom": "uz", "top": "uz"}
    part = block(element, n=(3, 1, 1), material=BAR)
    spun = fx.linear.static_response(part, guided, fx.linear.Centrifugal((0, 0, w), (0, WIDTH / 2, 0)))
    x = part.nodes.points[:, 0]
    exact = BAR.density * w**2 / BAR.youngs_modulus * (LENGTH**2 * x / 2 - x**3 / 6)
    assert np.abs(spun.displacements[:, 0] - exact).max() < 1e-12 * exact.max()


def test_free_thermal_expansion_has_no_stress(block) -> None:
    part = block(Hexahedron20())
    warm = fx.linear.static_response(part, STATICALLY_DETERMINATE, fx.linear.ThermalLoad(50.0, 1.2e-5))
    used = part.nodes.n_dofs > 0
    assert np.abs(warm.displacements[used, :3] - 6e-4 * part.nodes.points[used]).max() < 1e-15
    assert np.abs(warm.stresses()[0].values).max() < 1e-9 * E * 6e-4


def test_held_thermal_expansion(block) -> None:
    hot = fx.linear.static_response(
        block(Hexahedron8()),
        {"left": "ux", "right": "ux", "front": "uy", "bottom": "uz"},
        fx.linear.ThermalLoad(50.0, 1.2e-5),
    )
    assert np.abs(hot.stresses()[0].values - [-E * 6e-4, 0, 0, 0, 0, 0]).max() < 1e-9 * E * 6e-4
    assert hot.reaction("right")[0] == pytest.approx(-E * 6e-4 * SECTION, rel=1e-11)


def test_temperature_at_the_points(block) -> None:
    part = block(Hexahedron8())
    by_point = fx.linear.ThermalLoad(np.full(part.mesh.n_points, 50.0), 1.2e-5)
    both = fx.linear.static_response(
        part, {"left": "all"}, {"one": fx.linear.ThermalLoad(50.0, 1.2e-5), "many": by_point}
    )
    assert np.allclose(both["one"].u, both["many"].u, rtol=1e-12, atol=0.0)
    with pytest.raises(fx.ModelError, match="3 values"):
        fx.linear.static_response(part, {"left": "all"}, fx.linear.ThermalLoad([1.0, 2.0, 3.0], 1e-5))


def test_prescribed_displacement_pulls_the_bar(block) -> None:
    part = block(Hexahedron8(), material=BAR)
    drawn = fx.linear.static_response(part, {"left": "all", "right": {"ux": 1e-3}})
    assert drawn.reaction("right")[0] == pytest.approx(BAR.youngs_modulus * SECTION * 1e-3 / LENGTH, rel=1e-11)
    assert np.abs(drawn.reaction("left") + drawn.reaction("right")).max() < 1e-6 * abs(drawn.reaction("left")[0])


@pytest.mark.parametrize("share", ["equal", "faces"])
@pytest.mark.parametrize("element", [Hexahedron8(), Hexahedron20()], ids=lambda e: e.cell_type)
def test_shared_forces_keep_their_resultant(block, element, share) -> None:
    load = fx.linear.NodalForce("right", (1.0, 2.0, 3.0), moment=(0.3, 0.2, 0.1), share=share)
    pulled = fx.linear.static_response(block(element), {"left": "all"}, load)
    centre = (LENGTH, WIDTH / 2, HEIGHT / 2)
    assert pulled.reaction("left", about=centre) == pytest.approx([-1.0, -2.0, -3.0, -0.3, -0.2, -0.1], abs=1e-10)


def test_a_force_shared_by_faces_is_a_traction(block) -> None:
    operators = block(Hexahedron20()).assemble()
    shared = fx.linear.NodalForce("right", (5.0, 0, 0), share="faces").forces(operators)
    traction = fx.linear.SurfaceLoad("right", traction=(5.0 / SECTION, 0, 0)).forces(operators)
    nodes = range(len(operators.points))  # a sequence of int like any other; all outer faces
    pressed = fx.linear.SurfaceLoad(nodes, pressure=1.0).forces(operators)
    np.testing.assert_array_equal(pressed, fx.linear.SurfaceLoad(list(nodes), pressure=1.0).forces(operators))
    assert np.abs(shared - traction).max() < 1e-14


def test_load_on_a_rigid_link(block) -> None:
    part = block(Hexahedron8(), connections=[fx.linear.RigidCoupling("hub", "right", at=(LENGTH + 0.3, 0.0, 0.0))])
    moved = fx.linear.static_response(
        part, {"left": "all"}, fx.linear.NodalForce("hub", (0, 0, 7.0), moment=(1.0, 0, 0))
    )
    assert moved.reaction("left", about=(LENGTH + 0.3, 0, 0)) == pytest.approx([0, 0, -7.0, -1.0, 0, 0], abs=1e-10)
    with pytest.raises(fx.ModelError, match="is moved by a link"):
        fx.linear.static_response(part, {"right": "ux"}, fx.linear.NodalForce("hub", (0, 0, 7.0)))


def test_centrifugal_force_of_a_lump_on_a_link(block) -> None:
    """A heavy disc beside the axis: force m w^2 r, and the moment of its products of inertia."""
    J = np.array([[2.0, 0.0, 0.5], [0.0, 2.0, 0.0], [0.5, 0.0, 3.0]])
    lump = fx.linear.NodalMass("hub", mass=10.0, inertia=J, offset=(0.0, 0.0, 0.1))
    part = block(Hexahedron8(), connections=[fx.linear.RigidCoupling("hub", "right"), lump])
    bare = block(Hexahedron8(), connections=[fx.linear.RigidCoupling("hub", "right")])
    w = np.array([0.0, 0.0, 30.0])
    at = part.nodes.points[part.nodes.reference["hub"]]
    added = [
        fx.linear.static_response(p, {"left": "all"}, fx.linear.Centrifugal(w)).reaction("left", about=at)
        for p in (part, bare)
    ]
    force = 10.0 * 900.0 * np.array([at[0], at[1], 0.0])
    moment = np.cross([0.0, 0.0, 0.1], force) - np.cross(w, J @ w)
    assert np.abs(added[1] - added[0] - np.concatenate([force, moment])).max() < 1e-9 * np.abs(added[0]).max()


def test_load_cases_share_a_factorisation(block, monkeypatch) -> None:
    from flexmbs.linear import statics

    made = []
    monkeypatch.setattr(statics, "Definite", lambda *a: made.append(1) or Definite(*a))
    from flexmbs.core.linsolve.definite import Definite

    part = block(Hexahedron8())
    cases = {
        "pull": fx.linear.NodalForce("right", (1.0, 0, 0)),
        "both": [fx.linear.NodalForce("right", (1.0, 0, 0))] * 2,
    }
    found = fx.linear.static_response(part, {"left": "all"}, cases)
    assert len(made) == 1
    assert list(found) == ["pull", "both"]
    assert np.allclose(found["both"].u, 2.0 * found["pull"].u, rtol=1e-12, atol=1e-25)


FREE = [
    ({"left": "ux"}, 3, ["moves along y", "moves along z", "turns about x"]),
    ({"left": ("ux", "uy")}, 1, ["moves along z"]),
    ({0: "all"}, 3, ["turns about x", "turns about y", "turns about z"]),
    (None, 6, ["moves along x"]),
]


@pytest.mark.parametrize(("fixed", "count", "words"), FREE, ids=["face", "two", "ball", "none"])
def test_what_is_free_is_named(block, fixed, count, words) -> None:
    with pytest.raises(fx.SingularError, match=f"leave {count} rigid motion") as error:
        fx.linear.static_response(block(Hexahedron8()), fixed, fx.linear.Acceleration((0, 0, 1.0)))
    assert all(word in str(error.value) for word in words)


def test_a_hinge_about_an_edge_is_named_with_its_place(block) -> None:
    part = block(Hexahedron8())
    edge = np.flatnonzero((part.mesh.points[:, 0] == 0.0) & (part.mesh.points[:, 2] == HEIGHT))
    part = fx.linear.Part(part.mesh.with_node_set("edge", edge), material=MATERIAL, name="block")
    with pytest.raises(fx.SingularError, match=r"turns about y through \(0, 0.05, 0.2\)"):
        fx.linear.static_response(part, {"edge": "all"}, fx.linear.Acceleration((0, 0, 1.0)))


def test_unknown_without_stiffness_is_named(chain) -> None:
    free = chain(4)
    K = free.K.tolil()
    K[1, :] = K[:, 1] = 0.0
    broken = fx.linear.Operators(K, free.M, free.dofs, free.points, node_sets=dict(free.node_sets))
    with pytest.raises(fx.SingularError, match="ux of node 1"):
        fx.linear.static_response(broken, {"left": "all"}, fx.linear.NodalForce("right", (1.0, 0, 0)))


BAD = [
    ({"lft": "all"}, "did you mean 'left'"),
    ({"left": "ux uy"}, "expected 'all' or some of"),
    ({"left": ()}, "expected 'all' or some of"),
    ({"left": {"ux": "far"}}, "ux must be a number"),
    ({"left": ("ux", "rx")}, "has no rx"),
    ({10**6: "all"}, "no node 1000000"),
    ({"left": "all", 0: {"ux": 1.0}}, "ux of node 0 is held at another value"),
    ({3.5: "all"}, "whole number"),
    (["left"], "must be a mapping"),
]


@pytest.mark.parametrize(("fixed", "words"), BAD, ids=[w for _, w in BAD])
def test_bad_supports(block, fixed, words) -> None:
    with pytest.raises(fx.ModelError, match=words):
        fx.linear.static_response(block(Hexahedron8()), fixed, fx.linear.Acceleration((0, 0, 1.0)))


BAD_LOADS = [
    (fx.linear.NodalForce("rigth", (1, 0, 0)), "did you mean 'right'"),
    (fx.linear.NodalForce(0, (1, 0, 0), moment=(1, 0, 0)), "no rotations"),
    (fx.linear.SurfaceLoad([0, 1], pressure=1.0), "none of the outer faces"),
    (fx.linear.ThermalLoad(1.0, 1e-5, cells="hot"), "no region named 'hot'"),
    (np.ones(3), "shape"),
    ("heavy", "a load must be"),
    (fx.linear.NodalForce, "a load must be"),
    ({}, "no load case"),
]


@pytest.mark.parametrize(("load", "words"), BAD_LOADS, ids=[w for _, w in BAD_LOADS])
def test_bad_loads(block, load, words) -> None:
    with pytest.raises(fx.ModelError, match=words):
        fx.linear.static_response(block(Hexahedron8()), {"left": "all"}, load)


def test_loads_refuse_nonsense() -> None:
    for make in (
        lambda: fx.linear.SurfaceLoad("a"),
        lambda: fx.linear.SurfaceLoad("a", pressure=1.0, traction=(1, 0, 0)),
        lambda: fx.linear.NodalForce("a", (1, 0)),
        lambda: fx.linear.NodalForce("a", (1, 0, np.nan)),
        lambda: fx.linear.NodalForce("a", (1, 0, 0), share="volume"),
        lambda: fx.linear.Acceleration(9.81),
        lambda: fx.linear.Centrifugal((0, 0)),
        lambda: fx.linear.ThermalLoad("hot", 1e-5),
    ):
        with pytest.raises(fx.ModelError):
            make()


KEYS = st.one_of(st.text(max_size=6), st.integers(-5, 10), st.floats(), st.none())
VALUES = st.one_of(
    st.sampled_from(["all", "ux", "rx", ""]), st.floats(), st.none(),
    st.dictionaries(st.sampled_from(["ux", "q"]), st.floats(), max_size=2), st.tuples(st.text(max_size=2)),
)  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(st.one_of(st.dictionaries(KEYS, VALUES, max_size=3), VALUES))
def test_any_supports_are_understood_or_refused(chain, fixed) -> None:
    with contextlib.suppress(fx.FlexmbsError):
        fx.linear.static_response(chain(4), fixed, fx.linear.NodalForce("right", (1.0, 0, 0)))


def test_structure_must_be_one() -> None:
    with pytest.raises(fx.ModelError, match="expected a Part or Operators"):
        fx.linear.static_response("lug.inp", {}, fx.linear.Acceleration((0, 0, 1)))


NUMBERS = st.one_of(st.floats(), st.integers(-3, 3), st.text(max_size=2), st.none(), st.booleans())
VECTORS = st.one_of(NUMBERS, st.lists(NUMBERS, max_size=4), st.just((1.0, 2.0, 3.0)))
PLACES = st.one_of(st.sampled_from(["left", "right", "lft"]), NUMBERS, st.lists(st.integers(-2, 9), max_size=3))


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_any_load_is_understood_or_refused(chain, data) -> None:
    make = data.draw(
        st.sampled_from(
            [
                fx.linear.NodalForce,
                fx.linear.SurfaceLoad,
                fx.linear.Acceleration,
                fx.linear.Centrifugal,
                fx.linear.ThermalLoad,
            ]
        )
    )
    with contextlib.suppress(fx.FlexmbsError):
        if make is fx.linear.NodalForce:
            load = make(
                data.draw(PLACES), data.draw(VECTORS), data.draw(VECTORS), data.draw(st.just("equal") | NUMBERS)
            )
        elif make is fx.linear.SurfaceLoad:
            load = make(data.draw(PLACES), data.draw(NUMBERS), data.draw(VECTORS))
        elif make is fx.linear.ThermalLoad:
            load = make(data.draw(VECTORS), data.draw(NUMBERS))
        else:
            load = make(data.draw(VECTORS))
        found = fx.linear.static_response(chain(4), {"left": "ux"}, load)
        assert np.isfinite(found.u).all()


@pytest.mark.parametrize("layers", [1, 2, 4, 8])
def test_a_temperature_that_varies_over_the_thickness_bends_a_strip(layers: int) -> None:
    """Curvature alpha dT/t; each element takes a mean, so that few layers bend too little, and say so."""
    t, rise, alpha = 0.1, 60.0, 1.2e-5
    mesh = fx.meshes.box((0, 0, 0), (1.0, 0.05, t), (8, 1, layers))
    regions = [fx.linear.Region(None, fx.elements.Hexahedron8(), fx.Elastic(youngs_modulus=2e11, density=1.0))]
    part = fx.linear.Part(mesh, regions=regions, name="strip")
    load = fx.linear.ThermalLoad(rise * mesh.points[:, 2] / t, alpha)
    few = pytest.warns(fx.AccuracyWarning, match="varies by up to") if layers < 4 else nullcontext()
    with few:
        bent = fx.linear.static_response(part, {"left": "all"}, load)
    found = float(np.mean(bent.displacement("right")[:, 2]))
    exact = -0.5 * alpha * rise / t  # means over layers have the moment 1 - 1/n^2; the clamp bends a little as well
    assert abs(found / exact - (1.0 - 1.0 / layers**2)) < 0.07


@pytest.mark.parametrize("turned", [(), (3,), (4,), (0, 1, 2, 3, 4)])
def test_a_pressure_on_shells_with_opposite_normals_is_refused(turned: tuple[int, ...]) -> None:
    """All of them turned over, it pulls where it has pushed; some of them, it would do both."""
    mesh = fx.meshes.rectangle((0, 0), (1, 0.1), (5, 1)).in_space()
    cells = np.array(mesh.cells[0].nodes)
    for cell in turned:
        cells[cell] = cells[cell][::-1]
    mesh = fx.meshes.Mesh(mesh.points, [fx.meshes.CellBlock("quad", cells)], node_sets=dict(mesh.node_sets))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.ShellQuad(thickness=0.01), fx.steel)])
    load = fx.linear.SurfaceLoad(range(len(mesh.points)), pressure=100.0)
    if len(turned) in (0, 5):
        found = fx.linear.static_response(part, {"left": "all"}, load)
        assert found.reaction("left")[2] == pytest.approx(10.0 if not turned else -10.0, rel=1e-9)
    else:
        edges = "1 such edge in" if turned == (4,) else "2 such edges in"
        with pytest.raises(fx.ModelError, match=rf"node \d+ to node \d+ have opposite normals.*\({edges} all\)"):
            fx.linear.static_response(part, {"left": "all"}, load)


def test_quadrilaterals_that_are_collapsed_onto_one_node_take_a_pressure() -> None:
    """Two in the corner of a square, whose normals agree."""
    faces = {"quad": np.array([[0, 1, 2, 2], [0, 2, 2, 3]])}
    refuse_turned("load", faces)
    faces["quad"][1] = [3, 2, 2, 0]
    with pytest.raises(fx.ModelError, match=r"the edge from node 0 to node 2 have opposite normals"):
        refuse_turned("load", faces)
