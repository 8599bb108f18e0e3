"""The mass matrix as one for a scalar field: where it is one, and where that is refused."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from flexmbs.core.errors import ModelError
from flexmbs.core.material import Elastic
from flexmbs.linear.files import read_operators
from flexmbs.linear.operators import DofMap, Operators
from flexmbs.linear.part import Part
from flexmbs.linear.scalar_mass import scalar_mass
from flexmbs.meshes import box

REFERENCE = Path(str(resources.files("flexmbs.verification.reference") / "calculix"))
POINTS = [[0, 0, 0], [1, 0, 0], [9, 9, 9]]
ORDER = np.array([4, 0, 3, 1, 5, 2])  # rows of the unknowns are mixed
SIX = DofMap(np.repeat([0, 1], 3)[ORDER], np.tile([0, 1, 2], 2)[ORDER])


def body(M, dofs=SIX, **more):
    M = sparse.csc_matrix(M)
    return Operators(sparse.eye(M.shape[0]), M, dofs, POINTS, **more)


def mixed(small):
    return np.kron(small, np.eye(3))[np.ix_(ORDER, ORDER)]


def test_what_it_was_made_from():
    small = np.array([[2.0, 0.5], [0.5, 1.0]])
    expected = np.zeros((3, 3))
    expected[:2, :2] = small
    assert (scalar_mass(body(mixed(small))).toarray() == expected).all()


def test_round_off_is_within_the_tolerance():
    M = mixed(np.array([[2.0, 0.5], [0.5, 1.0]]))
    M[0, 0] *= 1 + 1e-12
    assert abs(scalar_mass(body(M))[1, 1] - 1.0) < 1e-11
    with pytest.raises(ModelError, match="M differs between"):
        scalar_mass(body(M), tolerance=1e-14)


def test_rotations_without_mass_do_not_matter():
    M = np.zeros((7, 7))
    M[:6, :6] = mixed(np.eye(2))
    dofs = DofMap([*SIX.node, 0], [*SIX.component, 3])
    assert scalar_mass(body(M, dofs)).toarray().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ((0, 0, 2.0), r"differs between uy and ux: 2 and 1 at nodes 1 and 1"),
        ((0, 2, 0.1), r"its entry of .* and .* is 0\.1"),
        ((1, 3, 0.1), r"its entry of u[xy] of node . and u[xy] of node . is 0\.1"),
    ],
)
def test_refused(entry, message):
    i, j, value = entry
    M = mixed(np.eye(2))
    M[i, j] = M[j, i] = value
    with pytest.raises(ModelError, match=message):
        scalar_mass(body(M))


def test_rotations_and_scalars_with_mass():
    M = np.eye(7)
    for extra, name in ((DofMap([*SIX.node, 0], [*SIX.component, 3]), "rx of node 0"),
                        (DofMap([*SIX.node, -1], [*SIX.component, 0]), "scalar unknown 6")):  # fmt: skip
        with pytest.raises(ModelError, match=f"its entry of {name} and {name} is 1"):
            scalar_mass(body(M, extra))


def test_a_fixed_displacement_of_a_node_with_mass():
    with pytest.raises(ModelError, match="needs all three displacements"):
        scalar_mass(body(np.eye(5), DofMap(SIX.node[1:], SIX.component[1:])))


def test_links():
    T = sparse.csr_matrix(np.eye(7, 6))
    everything = DofMap([*SIX.node, 2], [*SIX.component, 0])
    with pytest.raises(ModelError, match="links have made unknowns dependent"):
        scalar_mass(body(np.eye(6), expansion=T, all_dofs=everything))


def moments(operators):
    """Mass, first and second moments, of a field that is the place itself."""
    M_s, x = scalar_mass(operators), operators.points
    return M_s.sum(), np.asarray(M_s.sum(axis=0) @ x).ravel(), x.T @ M_s @ x


def test_inertia_of_a_box():
    sides, corner = np.array([2.0, 1.0, 0.8]), np.array([0.3, -0.2, 0.1])
    mesh = box(corner, sides, (3, 2, 2))
    mass, first, second = moments(Part(mesh, material=Elastic(youngs_modulus=1.0, density=3.0)).assemble())
    exact = 3.0 * sides.prod()
    centre = corner + sides / 2
    assert mass == pytest.approx(exact, rel=1e-13)
    assert first == pytest.approx(exact * centre, rel=1e-13)
    assert second == pytest.approx(exact * (np.outer(centre, centre) + np.diag(sides**2) / 12), rel=1e-12)


def test_inertia_of_operators_of_calculix():
    # the block is the unit cube under x = 0.06 s, y = (0.02 - 0.006 s) e + 0.004 s, z = (0.012 - 0.003 s) f, which its
    # elements reproduce; density 7850
    points, weights = np.polynomial.legendre.leggauss(5)
    points, weights = (points + 1) / 2, weights / 2
    s, e, f = np.meshgrid(points, points, points, indexing="ij")
    x = np.array([0.06 * s, (0.02 - 0.006 * s) * e + 0.004 * s, (0.012 - 0.003 * s) * f]).reshape(3, -1)
    jacobian = 0.06 * (0.02 - 0.006 * s) * (0.012 - 0.003 * s)
    dm = 7850.0 * (jacobian * np.einsum("i,j,k->ijk", weights, weights, weights)).ravel()
    mass, first, second = moments(read_operators(REFERENCE / "operators_block.sti"))
    assert mass == pytest.approx(dm.sum(), rel=1e-12)
    # CalculiX sums the mass of this element over four points only, which is not exact where edges are curved
    assert first == pytest.approx(x @ dm, rel=2e-5)
    assert second == pytest.approx((x * dm) @ x.T, rel=1e-3)
