"""Masses, springs, rigid and averaging links of a part, against closed forms and the laws of statics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import linalg

import flexmbs as fx
from flexmbs.core.errors import MeshError, ModelError
from flexmbs.elements import Frame, Truss
from flexmbs.linear import DistributingCoupling, NodalMass, NodalSpring, Part, Region, RigidCoupling
from flexmbs.meshes import Mesh
from flexmbs.meshes.generate import box, chain

BEAM = fx.BeamStiffness(EA=500.0, EI_z=3.0, EI_y=5.0, GJ=2.0, mass_per_length=1.3, rhoI_y=0.05, rhoI_z=0.03)
LIGHT = replace(BEAM, mass_per_length=1e-9, rhoI_y=0.0, rhoI_z=0.0)
L = 1.7
SOFT = fx.Elastic(youngs_modulus=1000.0, density=2.0, poissons_ratio=0.0)
INERTIA = np.array([[0.4, 0.05, -0.02], [0.05, 0.5, 0.03], [-0.02, 0.03, 0.6]])


def beam(*connections, n_e=1, section=BEAM):
    points = np.outer(np.linspace(0.0, L, n_e + 1), [1.0, 0.0, 0.0])
    return Part(chain(points), regions=[Region(None, Frame(section=section))], connections=connections)


def block(*connections, extra=()):
    """Two by three by two hexahedra, perhaps with more points that belong to no element."""
    mesh = box((0, 0, 0), (2.0, 1.0, 0.8), (2, 3, 2))
    mesh = mesh.with_node_set("left", lambda p: p[:, 0] < 1e-9).with_node_set("right", lambda p: p[:, 0] > 2 - 1e-9)
    if len(extra):
        mesh = Mesh(np.vstack([mesh.points, extra]), mesh.cells, mesh.node_sets)
    return Part(mesh, material=SOFT, connections=connections)


def solved(operators, load, held):
    """Displacements under a load (n,) with unknowns ``held`` at zero."""
    free = np.setdiff1d(np.arange(operators.n), held)
    u = np.zeros(operators.n)
    u[free] = np.linalg.solve(operators.K.toarray()[np.ix_(free, free)], load[free])
    return u


# --- masses and springs ---------------------------------------------------------------------------------------------


def test_mass_beside_its_node_has_the_energy_of_a_rigid_body():
    d = np.array([0.2, -0.3, 0.5])
    M = NodalMass(0, 1.7, INERTIA, d).matrix()
    v, w = np.array([0.3, -1.0, 0.4]), np.array([0.7, 0.2, -0.9])
    velocity = v + np.cross(w, d)
    x = np.concatenate([v, w])
    assert 0.5 * x @ M @ x == pytest.approx(0.5 * 1.7 * velocity @ velocity + 0.5 * w @ INERTIA @ w, rel=1e-13)
    assert (M == M.T).all()


@pytest.mark.parametrize("arm", [0.0, 0.4])
def test_mass_at_the_tip_of_a_light_cantilever(arm):
    """Two unknowns: M = [[m, m a], [m a, J + m a^2]], K = EI/L^3 [[12, -6L], [-6L, 4L^2]]."""
    m, J = 2.0, 0.3
    part = beam(NodalMass(1, m, np.diag([J, J, J]), (arm, 0, 0)), section=LIGHT)
    operators = part.assemble()
    at = np.ix_([7, 11], [7, 11])
    found = linalg.eigh(operators.K.toarray()[at], operators.M.toarray()[at], eigvals_only=True)
    K = BEAM.EI_z / L**3 * np.array([[12, -6 * L], [-6 * L, 4 * L**2]])
    M = np.array([[m, m * arm], [m * arm, J + m * arm**2]])
    assert found == pytest.approx(linalg.eigh(K, M, eigvals_only=True), rel=1e-8)


def test_spring_under_the_tip_of_a_cantilever():
    k = 2.5
    operators = beam(NodalSpring(1, (0, k, 0))).assemble()
    load = np.zeros(12)
    load[7] = 1.0
    assert solved(operators, load, np.arange(6))[7] == pytest.approx(1 / (3 * BEAM.EI_z / L**3 + k), rel=1e-12)


def test_rotational_spring_under_a_moment():
    c = 1.5
    operators = beam(NodalSpring(1, (0, 0, 0, c, 0, 0))).assemble()
    load = np.zeros(12)
    load[9] = 1.0
    assert solved(operators, load, np.arange(6))[9] == pytest.approx(1 / (BEAM.GJ / L + c), rel=1e-12)


def test_spring_joins_two_bars_in_a_row():
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 0, 0]])
    mesh = Mesh(points, [fx.meshes.CellBlock("line", [[0, 1], [2, 3]])], {"end": [3]})
    k = np.diag([7.0, 1.0, 1.0])
    part = Part(mesh, regions=[Region(None, Truss(section=BEAM))], connections=[NodalSpring(1, k, 2)])
    K = part.assemble().K.toarray()
    flexibility = np.linalg.inv(K[np.ix_([3, 6, 9], [3, 6, 9])])  # along the bars, the first point held
    assert flexibility[2, 2] == pytest.approx(2 / BEAM.EA + 1 / 7.0, rel=1e-12)


def test_places_by_name_number_and_link():
    part = block(RigidCoupling("hub", "right"), NodalMass("hub", 3.0), NodalSpring("hub", (1, 2, 3)), NodalMass(0, 2.0))
    bare = block(RigidCoupling("hub", "right")).assemble()
    operators = part.assemble()
    hub = operators.dofs.of(operators.node_set("hub"))
    assert (operators.M - bare.M).toarray()[np.ix_(hub, hub)] == pytest.approx(np.diag([3.0, 3, 3, 0, 0, 0]))
    assert (operators.K - bare.K).toarray()[np.ix_(hub, hub)] == pytest.approx(np.diag([1.0, 2, 3, 0, 0, 0]), abs=1e-9)
    assert (operators.M - bare.M).diagonal()[operators.dofs.of([0])] == pytest.approx([2.0, 2, 2])


# --- rigid links ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "link",
    [
        RigidCoupling("r", "right"),
        RigidCoupling("r", "right", at=(3.0, 0.3, -0.2)),
        RigidCoupling("r", "right", at=2),
        DistributingCoupling("r", "right"),
        DistributingCoupling("r", "right", at=(3.0, 0.3, -0.2)),
    ],
    ids=["rigid", "rigid at a point", "rigid at a node", "averaging", "averaging at a point"],
)
def test_rigid_motions_stay_free_of_force_and_keep_their_mass(link):
    operators = block(link).assemble()
    rigid = operators.rigid_motions(about=(0.4, 0.1, 0.3))
    assert np.abs(operators.K @ rigid).max() < 1e-12 * np.abs(operators.K.data).max()
    bare = block().assemble()
    plain = bare.rigid_motions(about=(0.4, 0.1, 0.3))
    assert rigid.T @ (operators.M @ rigid) == pytest.approx(plain.T @ (bare.M @ plain), rel=1e-12, abs=1e-12)
    # and the expansion carries rigid motions to rigid motions of all nodes
    moved = operators.displacements(rigid)[:, :3]
    for axis in range(3):
        e = np.eye(3)[axis]
        assert moved[:, :, axis] == pytest.approx(np.tile(e, (len(moved), 1)), abs=1e-12)
        assert moved[:, :, 3 + axis] == pytest.approx(np.cross(e, operators.points - [0.4, 0.1, 0.3]), abs=1e-12)


def test_block_pulled_and_bent_by_rigid_links():
    """Without lateral contraction a block between rigid faces has EA/L exactly, in tension."""
    operators = block(RigidCoupling("a", "left"), RigidCoupling("b", "right")).assemble()
    held, b = operators.dofs.of(operators.node_set("a")), operators.dofs.of(operators.node_set("b"))
    load = np.zeros(operators.n)
    load[b[0]] = 5.0
    u = solved(operators, load, held)
    assert u[b] == pytest.approx([5.0 * 2.0 / (1000.0 * 0.8), 0, 0, 0, 0, 0], rel=1e-10, abs=1e-12)
    # the reaction of the other face balances force and moment
    load[b] = [5.0, 2.0, -3.0, 0.4, 0.5, 0.6]
    u = solved(operators, load, held)
    F, M = load[b[:3]], load[b[3:]]
    lever = operators.points[operators.node_set("b")[0]] - operators.points[operators.node_set("a")[0]]
    reaction = (operators.K @ u)[held]
    assert reaction[:3] == pytest.approx(-F, rel=1e-9)
    assert reaction[3:] == pytest.approx(-(M + np.cross(lever, F)), rel=1e-9)


def test_work_of_a_force_is_the_same_before_and_after():
    rng = np.random.default_rng(1)
    operators = block(RigidCoupling("a", "left"), DistributingCoupling("b", "right", at=(2.5, 0, 0))).assemble()
    f = rng.standard_normal(len(operators.all_dofs))
    u = rng.standard_normal(operators.n)
    assert (operators.expansion.T @ f) @ u == pytest.approx(f @ operators.expand(u), rel=1e-12)
    # K and M are those of all displacements, seen through the links
    bare = block().assemble()
    solid = operators.all_dofs.of(np.arange(len(block().mesh.points)))
    all_u = operators.expand(u)[solid]
    for name in "KM":
        assert u @ (getattr(operators, name) @ u) == pytest.approx(all_u @ (getattr(bare, name) @ all_u), rel=1e-11)


def test_a_beam_welded_to_a_block():
    """A frame whose node is the reference of a rigid link: the block turns with the beam."""
    mesh = box((0, 0, 0), (2.0, 1.0, 0.8), (2, 3, 2)).with_node_set("right", lambda p: p[:, 0] > 2 - 1e-9)
    n = mesh.n_points
    points = np.vstack([mesh.points, [[2.0, 0.5, 0.4], [2.0 + L, 0.5, 0.4]]])
    mesh = Mesh(points, [*mesh.cells, fx.meshes.CellBlock("line", [[n, n + 1]])], mesh.node_sets)
    part = Part(
        mesh,
        material=SOFT,
        regions=[Region(None, Frame(section=BEAM))],
        connections=[RigidCoupling("root", "right", at=n)],
    )
    operators = part.assemble()
    left = operators.dofs.of(np.flatnonzero(points[:, 0] < 1e-9))
    load = np.zeros(operators.n)
    tip, root = operators.dofs.of([n + 1]), operators.dofs.of([n])
    load[tip[2]] = 1.0
    u = solved(operators, load, left)
    # a rigid motion with the root, and the cantilever's own deflection
    assert u[tip[2]] == pytest.approx(u[root[2]] - L * u[root[4]] + L**3 / (3 * BEAM.EI_y), rel=1e-9)
    assert u[tip[4]] == pytest.approx(u[root[4]] - L**2 / (2 * BEAM.EI_y), rel=1e-9)
    assert abs(u[root[4]]) > 1e-3  # the block does bend


# --- averaging links ------------------------------------------------------------------------------------------------


def shared_out(operators, wrench):
    """Forces (n, 3) on the nodes from a wrench (6,) on the reference 'r' of a link."""
    f = np.zeros(len(operators.all_dofs))
    f[operators.all_dofs.of(operators.node_set("r"))] = wrench
    return (operators.expansion.T @ f).reshape(-1, 3)


def test_bolt_group_shares_a_force_and_a_moment():
    """Three bolts: P/3 each, and from the moment about their centre (J^-1 M) x d, with J = sum |d|^2 - d d^T."""
    at = np.array([2.3, 0.9, 0.4])
    part = block(DistributingCoupling("r", corners := [2, 11, 26], at=at))
    points = part.mesh.points[corners]
    d = points - points.mean(axis=0)
    operators = part.assemble()
    for wrench in np.eye(6):
        forces = shared_out(operators, wrench)
        centre = points.mean(axis=0)
        moment = wrench[3:] + np.cross(at - centre, wrench[:3])
        J = (d**2).sum() * np.eye(3) - d.T @ d
        exact = wrench[:3] / 3 + np.cross(np.linalg.solve(J, moment), d)
        assert forces[corners] == pytest.approx(exact, abs=1e-13)
        rest = np.delete(forces, corners, axis=0)
        assert np.abs(rest).max() == 0.0
        assert forces.sum(axis=0) == pytest.approx(wrench[:3], abs=1e-13)
        assert np.cross(part.mesh.points - at, forces).sum(axis=0) == pytest.approx(wrench[3:], abs=1e-13)


def test_four_bolts_in_a_plane_as_in_the_books():
    """A square of side 2a under a moment M about its normal: M / (4 sqrt(2) a) at each bolt, along the circle."""
    side = 0.6
    mesh = box((0, 0, 0), (side, side, 0.1), (1, 1, 1)).with_node_set("bolts", lambda p: p[:, 2] < 1e-9)
    operators = Part(mesh, material=SOFT, connections=[DistributingCoupling("r", "bolts")]).assemble()
    forces = shared_out(operators, [0, 0, 0, 0, 0, 3.0])[mesh.node_set("bolts")]
    assert np.linalg.norm(forces, axis=1) == pytest.approx(np.full(4, 3.0 / (4 * np.sqrt(2) * side / 2)), rel=1e-12)
    radius = mesh.points[mesh.node_set("bolts")] - [side / 2, side / 2, 0]
    assert np.einsum("ij,ij->i", forces, radius) == pytest.approx(np.zeros(4), abs=1e-13)


def test_weights_belong_to_their_nodes_in_any_order():
    nodes, weights = [26, 2, 11], [5.0, 1.0, 2.0]
    one = block(DistributingCoupling("r", nodes, weights=weights)).assemble()
    other = block(DistributingCoupling("r", [2, 11, 26], weights=[1.0, 2.0, 5.0])).assemble()
    assert abs(one.expansion - other.expansion).max() == 0.0
    points = block().mesh.points[nodes]
    centre = np.array(weights) @ points / 8.0
    assert one.points[one.node_set("r")[0]] == pytest.approx(centre, abs=1e-14)
    assert shared_out(one, [8.0, 0, 0, 0, 0, 0])[nodes, 0] == pytest.approx(weights, rel=1e-12)


def test_averaging_link_does_not_stiffen():
    bare, linked = block().assemble(), block(DistributingCoupling("r", "right")).assemble()
    assert linked.n == bare.n
    assert abs(linked.K - bare.K).max() == 0.0
    assert abs(linked.M - bare.M).max() == 0.0


def test_mass_on_an_averaging_link_goes_to_the_nodes():
    operators = block(DistributingCoupling("r", "right"), NodalMass("r", 4.0)).assemble()
    rigid = operators.rigid_motions()
    volume = 2.0 * 1.0 * 0.8
    assert (rigid.T @ (operators.M @ rigid))[:3, :3] == pytest.approx((2.0 * volume + 4.0) * np.eye(3), abs=1e-12)


# --- chains and circles ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turned", [False, True])
def test_a_chain_of_links_is_one_link(turned):
    extra = np.array([[2.5, 0.5, 0.4], [3.0, 0.1, 0.9]])
    near, far = len(block().mesh.points), len(block().mesh.points) + 1
    links = [RigidCoupling("a", "right", at=near), RigidCoupling("b", [near], at=far)]
    chained = block(*(links[::-1] if turned else links), extra=extra).assemble()
    direct = block(RigidCoupling("b", "right", at=extra[1])).assemble()
    assert chained.n == direct.n
    for name in "KM":
        assert abs(getattr(chained, name) - getattr(direct, name)).max() < 1e-12 * abs(getattr(direct, name)).max()


def test_averaging_link_over_a_rigid_one():
    """Reference of an average over nodes that are themselves dependent: still the mean of their motion."""
    operators = block(
        RigidCoupling("a", "right", at=(2, 0.5, 0.4)), DistributingCoupling("b", "right", at=(2, 0.5, 0.4))
    ).assemble()
    u = np.random.default_rng(3).standard_normal(operators.n)
    moved = operators.displacements(u)
    assert moved[operators.node_set("b")[0]] == pytest.approx(moved[operators.node_set("a")[0]], abs=1e-12)


def test_point_without_element_may_be_a_reference_and_be_named():
    mesh = block(extra=[[3.0, 0, 0]]).mesh
    n = mesh.n_points - 1
    mesh = mesh.with_node_set("hub", [n])
    part = Part(mesh, material=SOFT, connections=[RigidCoupling("r", "right", at=n), NodalMass("hub", 2.0)])
    operators = part.assemble()
    assert operators.node_set("hub").tolist() == [n]
    rigid = operators.rigid_motions()
    assert (rigid.T @ (operators.M @ rigid))[0, 0] == pytest.approx(3.2 + 2.0, rel=1e-12)


# --- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ([RigidCoupling("a", [1], at=0), RigidCoupling("b", [0], at=1)], "nodes 0, 1 depend on each other in a circle"),
        (
            [RigidCoupling("a", [1], at=0), RigidCoupling("b", [2], at=1), RigidCoupling("c", [0], at=2)],
            "nodes 0, 1, 2 depend on each other in a circle",
        ),
        ([RigidCoupling("a", [1, 2], at=0), RigidCoupling("b", [2, 3], at=5)], "node 2 is dependent in both"),
        ([RigidCoupling("left", [1, 2], at=0)], "a node set of that name already"),
        ([RigidCoupling("a", "left"), RigidCoupling("a", "right")], "a node set of that name already"),
        ([RigidCoupling("a", [0], at=0)], "none of its nodes, its reference aside"),
        ([RigidCoupling("a", [999], at=0)], "no point 999"),
        ([RigidCoupling("a", [0], at=999)], "no point 999"),
        ([RigidCoupling("a", "hub")], "'hub'"),
        ([DistributingCoupling("a", [0, 1, 2])], "lie on a line or in a point"),
        ([DistributingCoupling("a", [0, 3, 9], weights=[1.0, 2.0])], "2 weights for 3"),
        ([DistributingCoupling("a", [0, 3, 3, 9], weights=[1.0, 2.0, 3.0, 4.0])], "4 weights for 3 different nodes"),
        ([NodalMass("left", 1.0)], "needs one node, but 'left' has 12"),
        ([NodalMass(0, 1.0, INERTIA)], "inertia and offset need a node with rotations"),
        ([NodalMass(0, 1.0, offset=(1, 0, 0))], "inertia and offset need a node with rotations"),
        ([NodalSpring(0, (1, 1, 1, 1, 0, 0))], "rotational stiffness needs nodes with rotations"),
        ([NodalSpring(0, (1, 1, 1), "hub")], "'hub'"),
    ],
)
def test_bad_connections_are_refused(links, message):
    with pytest.raises((ModelError, MeshError), match=message):
        block(*links).assemble()


def test_pieces_that_nothing_joins_are_refused():
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [2, 1, 0], [3, 1.5, 0]])
    mesh = Mesh(points, [fx.meshes.CellBlock("line", [[0, 1], [2, 3], [3, 4]])], {"there": [2, 3]})
    regions = [Region(None, Frame(section=BEAM))]
    with pytest.raises(MeshError, match=r"2 unconnected pieces: 3 nodes with 'there'; 2 nodes near node 0.* a Dist"):
        Part(mesh, regions=regions)
    Part(mesh, regions=regions, connections=[RigidCoupling("r", [1, 2])])
    Part(mesh, regions=regions, connections=[NodalSpring(1, np.ones(6), 2)])
    with pytest.raises(MeshError, match="2 unconnected pieces"):  # an average holds no piece to another
        Part(mesh, regions=regions, connections=[DistributingCoupling("r", [0, 1, 2, 4])])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NodalMass(0, -1.0), "mass must be at least 0"),
        (lambda: NodalMass(0, 1.0, np.diag([1.0, 1.0, -1.0])), "positive semidefinite"),
        (lambda: NodalMass(0, 1.0, [[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]]), "symmetric"),
        (lambda: NodalMass(-1, 1.0), "at must be at least 0"),
        (lambda: NodalSpring(0, (1.0, 2.0)), "stiffness must have shape"),
        (lambda: NodalSpring(0, -np.eye(3)), "positive semidefinite"),
        (lambda: RigidCoupling("", [0]), "name must be a non-empty string"),
        (lambda: RigidCoupling("a", []), "nodes must be the name of a node set"),
        (lambda: RigidCoupling("a", [0.5]), "whole number"),
        (lambda: RigidCoupling("a", [0], at=(1, 2)), "at must have shape"),
        (lambda: DistributingCoupling("a", [0, 1, 2], weights=[1.0, 0.0, 1.0]), "weights must be positive"),
    ],
)
def test_bad_descriptions_are_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()
