"""Interfaces: rigid, averaged and of nodes, as a change of the unknowns of full operators."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg

import flexmbs as fx
from flexmbs.core.errors import ModelError
from flexmbs.linear.operators import rigid_motions
from flexmbs.reduction.interfaces import Interface, attach
from tests.models.lattice import lattice, tower


@pytest.fixture(scope="module")
def block():
    """A block of steel from 0 to (2, 1, 1), with the end x = 2 as END and x = 0 as ROOT."""
    mesh = fx.meshes.box((0.0, 0.0, 0.0), (2.0, 1.0, 1.0), (4, 3, 3))
    sets = {
        "ROOT": np.flatnonzero(mesh.points[:, 0] == 0.0),
        "END": np.flatnonzero(mesh.points[:, 0] == 2.0),
    }
    mesh = fx.meshes.Mesh(mesh.points, mesh.cells, node_sets=sets)
    return fx.linear.Part(mesh, material=fx.Elastic(youngs_modulus=2.0, density=1.0, poissons_ratio=0.25)).assemble()


def solve(attached, q):
    """Static displacements of all nodes and the reactions, for coordinates of the interfaces."""
    K = attached.operators.K.toarray()
    b = attached.boundary
    i = np.setdiff1d(np.arange(len(K)), b)
    u = np.zeros((len(K), q.shape[1]))
    u[b] = q
    u[i] = np.linalg.solve(K[np.ix_(i, i)], -K[np.ix_(i, b)] @ q)
    return attached.operators.displacements(u), (K @ u)[b]


def test_names_and_coordinates(block):
    found = attach(block, ["ROOT", Interface("END", kind="averaged")])
    assert [f.kind for f in found.frames] == ["rigid", "averaged"]
    assert found.labels[:3] == ("ROOT ux", "ROOT uy", "ROOT uz")
    assert found.labels[-1] == "END rz"
    np.testing.assert_array_equal(found.frames[1].coordinates, np.arange(6, 12))
    np.testing.assert_allclose(found.frames[1].origin, [2.0, 0.5, 0.5])
    # 16 nodes of the root are replaced by 6 unknowns, 6 of those of the end by its 6
    assert found.operators.n == block.n - 48 + 6
    assert found.free is block


def test_rigid_interface_moves_as_a_body(block):
    found = attach(block, [Interface("END", at=(2.0, 0.0, 0.0)), "ROOT"])
    q = np.zeros((12, 6))
    q[:6] = np.eye(6)
    u, _ = solve(found, q)
    nodes = block.node_set("END")
    d = block.points[nodes] - [2.0, 0.0, 0.0]
    for k in range(3):
        np.testing.assert_allclose(u[nodes, :3, k], np.tile(np.eye(3)[k], (len(nodes), 1)), atol=1e-14)
        np.testing.assert_allclose(u[nodes, :3, 3 + k], np.cross(np.eye(3)[k], d), atol=1e-14)


def test_averaged_interface_has_the_mean_motion(block):
    """The rigid motion nearest to that of the nodes, by least squares."""
    found = attach(block, ["ROOT", Interface("END", kind="averaged")])
    q = np.random.default_rng(1).standard_normal((12, 3))
    u, _ = solve(found, q)
    nodes = block.node_set("END")
    dofs = block.dofs.of(nodes)
    R = rigid_motions(
        fx.linear.Operators(block.K, block.M, block.dofs, block.points).dofs, block.points, (2.0, 0.5, 0.5)
    )
    nearest = np.linalg.lstsq(R[dofs], u[nodes, :3].reshape(len(dofs), 3), rcond=None)[0]
    np.testing.assert_allclose(nearest, q[6:], atol=1e-12)


def test_averaged_interface_does_not_stiffen(block):
    """Of all displacements with the same mean motion of the ends it takes the softest; rigid ends cannot contract."""
    stiffness = {}
    for kind in ("averaged", "rigid"):
        found = attach(block, [Interface("ROOT", kind=kind), Interface("END", kind=kind)])
        q = np.zeros((12, 1))
        q[6] = 1.0
        stiffness[kind] = solve(found, q)[1][6, 0]
    exact = 2.0 * 1.0 / 2.0  # E A / L, of a uniform strain with free contraction
    assert 0.8 * exact < stiffness["averaged"] <= exact  # all nodes pull alike, those at the rim too hard
    assert stiffness["rigid"] > 1.01 * exact


def test_averaged_interface_weighted_by_area_keeps_a_uniform_strain(block):
    """Forces shared out by area are a uniform traction: the bar has the stiffness E A / L of the closed form."""
    faces = []
    for name in ("ROOT", "END"):
        nodes = block.node_set(name)
        rim = np.isin(block.points[nodes, 1:], (0.0, 1.0)).sum(axis=1)  # 0 inside, 1 on an edge, 2 at a corner
        faces.append(Interface(name, nodes=nodes[::-1], kind="averaged", weights=0.5 ** rim[::-1]))
    q = np.zeros((12, 1))
    q[6] = 0.02
    u, force = solve(attach(block, faces), q)
    exact = block.points * np.array([1.0, -0.25, -0.25]) * 0.01 + np.array([0.0, 0.00125, 0.00125])
    np.testing.assert_allclose(u[: len(exact), :3, 0], exact, atol=1e-14)
    assert force[6, 0] == pytest.approx(0.02, rel=1e-12)  # E A / L = 1


def test_averaged_interface_leaves_the_free_part_as_it_is(block):
    """A change of unknowns: all frequencies are those of before."""
    found = attach(block, [Interface("ROOT", kind="averaged"), Interface("END", kind="averaged")]).operators
    before = linalg.eigvalsh(block.K.toarray(), block.M.toarray())
    after = linalg.eigvalsh(found.K.toarray(), found.M.toarray())
    np.testing.assert_allclose(after, before, atol=1e-11 * before[-1])


@pytest.mark.parametrize("kind", ["rigid", "averaged"])
def test_reactions_are_in_balance(block, kind):
    """Forces and moments of both interfaces about one point vanish together."""
    found = attach(block, [Interface("ROOT", kind=kind), Interface("END", kind=kind)])
    _, force = solve(found, np.random.default_rng(0).standard_normal((12, 4)))
    total = force[:3] + force[6:9]
    arm = found.frames[1].origin - found.frames[0].origin
    moment = force[3:6] + force[9:12] + np.cross(arm, force[6:9].T).T
    assert np.abs(total).max() < 1e-11 * np.abs(force).max()
    assert np.abs(moment).max() < 1e-11 * np.abs(force).max()


def test_rigid_motions_stay_rigid(block):
    for kind in ("rigid", "averaged", "nodes"):
        found = attach(block, [Interface("ROOT", kind=kind), Interface("END", kind=kind)]).operators
        R = found.rigid_motions()
        assert np.abs(found.K @ R).max() < 1e-12
        np.testing.assert_allclose(
            R.T @ found.M @ R, block.rigid_motions().T @ block.M @ block.rigid_motions(), rtol=1e-10, atol=1e-12
        )


def test_interface_of_nodes_keeps_its_unknowns():
    what = tower(2)
    found = attach(what, [Interface("FOOT", kind="nodes"), "TOP"])
    assert len(found.frames[0].coordinates) == 12
    assert found.labels[0] == "FOOT ux of node 0"
    np.testing.assert_array_equal(found.frames[0].node, np.repeat(np.arange(4), 3))


def test_a_single_node_without_rotations_keeps_its_displacements():
    what = tower(2)
    found = attach(what, [Interface("P", nodes=[3], kind="nodes")])
    assert found.labels == ("P ux", "P uy", "P uz")
    assert found.operators is what


@pytest.mark.parametrize(
    ("nodes", "kind", "words"),
    [
        ([3], "rigid", "one node without rotations tells no rotation"),
        ([0, 4, 8], "rigid", "3 nodes on a line without rotations tell no rotation"),
        ([0, 4], "averaged", "2 nodes on a line without rotations tell no rotation"),
    ],
)
def test_collinear_nodes_tell_no_rotation(nodes, kind, words):
    with pytest.raises(ModelError, match=words):
        attach(tower(2), [Interface("P", nodes=nodes, kind=kind)])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([Interface("A", nodes=[0, 1, 2, 3]), Interface("B", nodes=[3, 4, 5, 6])], "shares 1 nodes with interface 'A'"),
        ([Interface("A", nodes=[0, 1, 2, 99])], "there is no node 99"),
        (["NOPE"], "NOPE"),
        (["FOOT", "FOOT"], "named twice"),
        (["EMPTY"], "has no nodes"),
        (3, "must be a list"),
        ([3], "must be a list"),
        ([Interface("A", nodes=[0, 1, 12])], "have no unknowns of their own"),
        ([Interface("FOOT", kind="averaged", weights=[1.0, 2.0])], "2 weights for 4 nodes"),
    ],
)
def test_bad_interfaces_are_refused(given, words):
    points = np.vstack([tower(2).points, [[9.0, 9.0, 9.0]]])  # node 12 belongs to nothing
    what = tower(2)
    what = fx.linear.Operators(
        what.K, what.M, what.dofs, points, node_sets={**what.node_sets, "EMPTY": np.empty(0, int)}
    )
    with pytest.raises(ModelError, match=words):
        attach(what, given)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"name": ""}, "name"),
        ({"name": "A", "kind": "soft"}, "soft"),
        ({"name": "A", "kind": "nodes", "at": (0, 0, 0)}, "no frame of its own"),
        ({"name": "A", "at": (0, 0)}, "at"),
        ({"name": "A", "weights": [1.0, 2.0]}, "for kind 'averaged' only"),
        ({"name": "A", "kind": "averaged", "weights": [1.0, -2.0]}, "not negative"),
    ],
)
def test_bad_options_are_refused(options, words):
    with pytest.raises(ModelError, match=words):
        Interface(**options)


def test_a_slanted_interface_far_from_the_origin_is_well_conditioned():
    """Nodes 1000 lengths away from the origin: nothing depends on where it is."""
    near = tower(3)
    shift = np.array([700.0, -300.0, 500.0])
    far = lattice(near.points + shift, [(0, 1)], 0.0)
    far = fx.linear.Operators(near.K, near.M, near.dofs, far.points, node_sets=near.node_sets)
    q = np.random.default_rng(2).standard_normal((12, 2))
    faces = [Interface("FOOT", kind="averaged"), Interface("TOP")]
    force = [solve(attach(what, faces), q)[1] for what in (near, far)]
    np.testing.assert_allclose(force[1], force[0], rtol=1e-8, atol=1e-9 * np.abs(force[0]).max())
