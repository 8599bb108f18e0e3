"""Inertia invariants: exact integrals of the mesh, whatever the element, and the peer's own integrals."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.meshes import box, line, read_mesh, rectangle, sample
from flexmbs.reduction.inertia import inertia_of_mass_matrix, inertia_of_part

STEEL = fx.steel


def solid(name: str) -> fx.linear.Part:
    mesh = box((0.1, -0.2, 0.3), (0.4, 0.2, 0.1), (3, 2, 2), "tetra" if "Tetra" in name else "hexahedron")
    if name in ("Tetra10", "Hexahedron20"):
        mesh = mesh.quadratic()
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, getattr(fx.elements, name)(), STEEL)], name=name)


def frame() -> fx.linear.Part:
    mesh = line((0.1, 0.2, 0.3), (1.1, 0.7, 0.2), 4)
    return fx.linear.Part(
        mesh,
        regions=[fx.linear.Region(None, fx.elements.Frame(section=fx.Rectangle(width=0.1, height=0.05)), STEEL)],
        name="frame",
    )


def shell() -> fx.linear.Part:
    mesh = rectangle((0.1, 0.2), (1.0, 0.5), (4, 3)).in_space()
    return fx.linear.Part(
        mesh, regions=[fx.linear.Region(None, fx.elements.ShellQuad(thickness=0.02), STEEL)], name="shell"
    )


def with_masses() -> fx.linear.Part:
    part = solid("Hexahedron8")
    inertia = np.diag([0.02, 0.03, 0.04])
    return fx.linear.Part(
        part.mesh, regions=part.regions, name="loaded",
        connections=[fx.linear.RigidCoupling("hub", "left"), fx.linear.NodalMass("hub", 3.0, inertia, (0.1, 0.0, -0.2)),
                     fx.linear.NodalMass(int(part.mesh.node_set("right")[0]), 1.5)],
    )  # fmt: skip


PARTS = {
    **{n: lambda n=n: solid(n) for n in ("Tetra4", "Tetra10", "Hexahedron8", "Hexahedron20")},
    "frame": frame, "shell": shell, "masses": with_masses,
}  # fmt: skip


@pytest.mark.parametrize("name", PARTS)
def test_rigid_shapes_give_the_rigid_integrals(name):
    """For shapes that are rigid motions every invariant follows from mass, centre and second moments alone."""
    part = PARTS[name]()
    operators = part.assemble()
    shapes = operators.expand(operators.rigid_motions())
    inertia = inertia_of_part(part, shapes)
    M = operators.rigid_motions().T @ (operators.M @ operators.rigid_motions())
    size = np.abs(M).max()
    assert np.abs(inertia.modal_mass - M).max() < 1e-12 * size
    assert inertia.mass == pytest.approx(M[0, 0], rel=1e-12)
    assert inertia.tensor == pytest.approx(M[3:, 3:], abs=1e-12 * size)
    turned = np.stack([np.cross(e, inertia.first) for e in np.eye(3)], axis=1)
    assert inertia.P[:, 3:] == pytest.approx(turned, abs=1e-12 * size)
    assert inertia.P[:, :3] == pytest.approx(inertia.mass * np.eye(3), abs=1e-12 * size)
    assert inertia.rotation[:, 3:] == pytest.approx(inertia.tensor, abs=1e-12 * size)
    for k in range(3):  # change of the tensor by a translation along k and by a rotation about k, both by hand
        e, c = np.eye(3)[k], inertia.first
        shift = 2 * (c @ e) * np.eye(3) - np.outer(c, e) - np.outer(e, c)
        assert inertia.tensor_change(k) == pytest.approx(shift, abs=1e-11 * size)
        skew = np.cross(np.eye(3), e).T * -1.0
        turn = skew @ inertia.tensor - inertia.tensor @ skew
        assert np.abs(inertia.tensor_change(3 + k)) == pytest.approx(np.abs(turn), abs=1e-11 * size)
    assert np.abs(inertia.gyroscopic() + inertia.gyroscopic().transpose(0, 2, 1)).max() < 1e-12 * size


@pytest.mark.parametrize("name", ["Tetra10", "Hexahedron20"])
def test_mass_points_and_scalar_mass_agree(name):
    """The two ways to the same integrals, for shapes of any kind."""
    part = solid(name)
    shapes = np.random.default_rng(0).standard_normal((int(part.nodes.n_dofs.sum()), 4))
    one = inertia_of_part(part, shapes)
    R = np.zeros((3, 3, 4, 4))
    Q, P = np.zeros((3, 3, 4)), np.zeros((3, 4))
    for piece, cells, group in part.groups():
        points = piece.region.element.mass_points(group)
        phi = np.einsum("egak,ekn->egan", points.shapes, shapes[part.element_dofs(piece, cells)])
        R += np.einsum("eg,egak,egbl->abkl", points.weights, phi, phi)
        Q += np.einsum("eg,ega,egbk->abk", points.weights, points.positions, phi)
        P += np.einsum("eg,egak->ak", points.weights, phi)
    for a, b in ((one.R, R), (one.Q, Q), (one.P, P)):
        assert np.abs(a - b).max() < 1e-12 * np.abs(b).max()


def test_of_a_mass_matrix():
    part = solid("Tetra10")
    operators = part.assemble()
    shapes = np.random.default_rng(1).standard_normal((operators.n, 3))
    by_part = inertia_of_part(part, shapes)
    by_matrix = inertia_of_mass_matrix(
        operators.M, operators.dofs.node, operators.dofs.component, operators.points, shapes
    )
    assert by_matrix.exact
    for name in ("first", "second", "P", "Q", "R"):
        a, b = getattr(by_part, name), getattr(by_matrix, name)
        assert np.abs(a - b).max() < 1e-12 * np.abs(a).max()
    operators = shell().assemble()
    rough = inertia_of_mass_matrix(
        operators.M, operators.dofs.node, operators.dofs.component, operators.points, np.ones((operators.n, 1))
    )
    assert not rough.exact
    assert rough.mass == pytest.approx(STEEL.density * 0.02 * 0.5, rel=1e-12)


def test_an_impossible_tensor_is_refused():
    part = solid("Hexahedron8")
    links = [fx.linear.RigidCoupling("hub", "left"), fx.linear.NodalMass("hub", 1.0, np.diag([1.0, 0.1, 0.1]))]
    part = fx.linear.Part(part.mesh, regions=part.regions, connections=links)
    with pytest.raises(fx.ModelError, match="no distribution of a mass"):
        inertia_of_part(part, np.zeros((int(part.nodes.n_dofs.sum()), 1)))


def test_against_the_integrals_of_exudyn():
    """Optional: Exudyn computes the same integrals from M and the shapes by itself."""
    fem_module = pytest.importorskip("exudyn.FEM")
    lug = fx.linear.Part(read_mesh(sample("lug.inp")), material=STEEL)
    operators = lug.assemble()
    model = fx.reduction.reduce(operators, ["ROOT", "BORE"], modes=4, progress=False)
    used = np.unique(operators.dofs.node)
    fem = fem_module.FEMinterface()
    fem.nodes = {"Position": operators.points[used]}
    fem.massMatrix, fem.stiffnessMatrix = operators.M.tocsr(), operators.K.tocsr()
    shapes = np.asarray(model.shapes)[:, 6:]
    fem.modeBasis = {"matrix": shapes, "type": "NormalModes"}
    peer = fem_module.ObjectFFRFreducedOrderInterface(fem)
    inertia = inertia_of_part(lug, shapes)
    assert peer.totalMass == pytest.approx(inertia.mass, rel=1e-12)
    for theirs, ours in (
        (peer.inertiaLocal, inertia.tensor),
        (peer.chiU, inertia.centre),
        (peer.massMatrixReduced, inertia.modal_mass),
        (peer.mPhitTPsi, inertia.P),
        (peer.mXRefTildePsi, -inertia.rotation),  # its tilde is on the other side
        # its products of tilde matrices: row block k is the integral of phi_k~^T phi_l = -(phi_k x phi_l)
        (np.asarray(peer.mPsiTildePsi).reshape(-1, 3, shapes.shape[1]).transpose(1, 0, 2), -inertia.gyroscopic()),
    ):
        theirs = np.asarray(theirs)
        assert np.abs(theirs - ours).max() < 1e-10 * np.abs(ours).max()
