"""A part cut into substructures, against the same part in one go."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

import flexmbs as fx
from flexmbs.studies import reduce_by_regions


def bracket(elements: tuple[int, int, int] = (24, 3, 3), cuts: int = 4, element: object = None) -> fx.linear.Part:
    """A tapered, twisted bar in regions, which has no symmetry."""
    mesh = fx.meshes.box((0, 0, 0), (1.2, 0.12, 0.1), elements)
    x, y, z = mesh.points.T
    y, z = y * (1.2 - 0.4 * x), z * (1.0 - 0.3 * x)
    turn = 0.5 * x
    points = np.column_stack((x, np.cos(turn) * y - np.sin(turn) * z, np.sin(turn) * y + np.cos(turn) * z))
    mesh = fx.meshes.Mesh(points, mesh.cells, mesh.node_sets)
    edges = np.linspace(0.0, 1.2, cuts + 1)
    for i in range(cuts):
        mesh = mesh.with_cell_set(
            f"piece {i}", lambda c, a=edges[i], b=edges[i + 1]: (c[:, 0] > a) & (c[:, 0] < b)
        )  # fmt: skip
    element = element or fx.elements.Hexahedron8()
    regions = [fx.linear.Region(f"piece {i}", element, fx.steel) for i in range(cuts)]  # type: ignore[arg-type]
    return fx.linear.Part(mesh, regions=regions, name="bracket")


def roots(model: fx.reduction.ReducedModel) -> np.ndarray:
    """Angular frequencies squared of the free model."""
    return np.asarray(eigh(model.K, model.M, eigvals_only=True))


FACES = ["left", "right"]


@pytest.fixture(scope="module")
def both() -> tuple[fx.reduction.ReducedModel, fx.reduction.ReducedModel]:
    part = bracket()
    return (
        fx.reduction.reduce(part, FACES, 20, progress=False),
        reduce_by_regions(part, FACES, 20, piece_modes=30, progress=False),
    )


def test_ten_frequencies_of_the_free_part_from_above(both) -> None:
    whole, cut = (roots(model) for model in both)
    assert whole.shape == cut.shape
    assert np.abs(cut[:6]).max() < 1e-6 * whole[6]  # six rigid motions
    assert np.abs(np.sqrt(cut[6:16] / whole[6:16]) - 1.0).max() < 1e-3
    T, operators = _rigid_ends(), bracket().assemble()
    elements = eigh((T.T @ operators.K @ T), (T.T @ operators.M @ T), eigvals_only=True, subset_by_index=(6, 15))
    assert (cut[6:16] > elements * (1.0 - 1e-9)).all()  # of finite elements with rigid ends, which both restrict


def _rigid_ends() -> np.ndarray:
    """All displacements of the bracket from those that its rigid ends leave: a matrix of the test's own."""
    points, sets = bracket().mesh.points, bracket().mesh.node_sets
    ends = [np.asarray(sets[name]) for name in FACES]
    inner = np.setdiff1d(np.arange(len(points)), np.concatenate(ends))
    T = np.zeros((3 * len(points), 3 * len(inner) + 12))
    dofs = (3 * inner[:, None] + np.arange(3)).ravel()
    T[dofs, np.arange(len(dofs))] = 1.0
    for k, nodes in enumerate(ends):
        first = len(dofs) + 6 * k
        for node in nodes:
            x, y, z = points[node]
            T[3 * node : 3 * node + 3, first : first + 3] = np.eye(3)
            T[3 * node : 3 * node + 3, first + 3 : first + 6] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
    return T


def test_frequencies_with_interfaces_held(both) -> None:
    whole, cut = (model.frequencies[model.n_interface :][:10] for model in both)
    ratio = cut / whole - 1.0
    assert ratio.min() > -1e-9
    assert ratio.max() < 1e-3


def test_static_stiffness_comes_down_to_that_of_the_whole(both) -> None:
    """A force at one end with the other held: the compliance of a restricted model is smaller."""
    whole, cut = both
    compliance = [np.linalg.inv(model.K[6:12, 6:12] - _without_modes(model)) for model in (whole, cut)]
    ratio = np.diag(compliance[1]) / np.diag(compliance[0])
    assert ratio.max() < 1.0 + 1e-9
    assert ratio.min() > 1.0 - 1e-3


def _without_modes(model: fx.reduction.ReducedModel) -> np.ndarray:
    """What modes take from the stiffness of the second interface: nothing, as they are orthogonal to static shapes."""
    n = model.n_interface
    coupling = model.K[6:12, n:]
    assert np.abs(coupling).max() < 1e-6 * np.abs(model.K[6:12, 6:12]).max()
    return np.asarray(coupling @ np.linalg.solve(model.K[n:, n:], coupling.T))


def test_more_polynomials_and_modes_come_closer() -> None:
    part = bracket(cuts=2)
    exact = roots(fx.reduction.reduce(part, FACES, 20, progress=False))[6:12]
    worst = []
    for degree, modes in ((1, 10), (2, 20), (4, 40)):
        found = roots(reduce_by_regions(part, FACES, 20, piece_modes=modes, degree=degree, progress=False))[6:12]
        worst.append(float((np.sqrt(found / exact) - 1.0).max()))
    assert worst[0] > 2.0 * worst[1] > 4.0 * worst[2] > 0.0


def test_inertia_and_shapes_are_those_of_the_part(both) -> None:
    whole, cut = both
    assert cut.inertia.mass == pytest.approx(whole.inertia.mass, rel=1e-12)
    error = np.abs(cut.inertia.modal_mass - cut.M).max() / np.abs(np.diag(cut.M)).max()
    assert error < 1e-9  # shapes, made from those of the pieces, give the mass matrix again
    np.testing.assert_array_equal(cut.dofs.node, whole.dofs.node)
    assert cut.labels == whole.labels


def test_workers_give_the_same_bits() -> None:
    pytest.importorskip("distributed")
    part = bracket((12, 2, 2), cuts=3)
    here = reduce_by_regions(part, FACES, 6, piece_modes=8, progress=False)
    there = reduce_by_regions(part, FACES, 6, piece_modes=8, workers=2, progress=False)
    np.testing.assert_array_equal(here.K, there.K)
    np.testing.assert_array_equal(here.M, there.M)
    np.testing.assert_array_equal(here.shapes, there.shapes)


def test_what_cannot_be_cut() -> None:
    with pytest.raises(fx.ModelError, match="has one only"):
        reduce_by_regions(bracket(cuts=1), FACES)
    part = bracket(cuts=2)
    middle = np.flatnonzero(np.abs(part.mesh.points[:, 0] - 0.6) < 1e-9)
    with pytest.raises(fx.ModelError, match="touches a cut"):
        reduce_by_regions(part, [fx.reduction.Interface("middle", middle)])
    ends = np.concatenate([part.mesh.node_set(name) for name in FACES])
    with pytest.raises(fx.ModelError, match="lies in 2 regions"):
        reduce_by_regions(part, [fx.reduction.Interface("ends", ends)])
    heavy = fx.linear.Part(part.mesh, regions=part.regions, connections=[fx.linear.NodalMass(0, 1.0)])
    with pytest.raises(fx.ModelError, match="without connections"):
        reduce_by_regions(heavy, FACES)
    with pytest.raises(fx.FlexmbsError, match="piece 0"):
        reduce_by_regions(part, ["left"], piece_modes=10**6, progress=False)
