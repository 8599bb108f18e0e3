"""Zero-energy modes: the rigid ones and no others, and the rules of quadrature that have more.

An element without support has as many zero eigenvalues as it has coordinates, less the number of independent strains.
A spatial cable does not feel spin about a straight axis (5 rigid modes, not 6). A spatial cable that is an arc when
free has no stiffness out of its plane at first order, so all its 2 (n + 1) coordinates out of the plane are free.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmbs.elements import ANCFCable2D, ANCFCable3D, Gauss, Lobatto


def zeros(chain) -> int:
    """Number of zero eigenvalues of the stiffness of the stress-free shape."""
    _, K = chain.matrix(chain.reference)
    scale = np.sqrt(np.abs(np.diag(K)).max() / np.maximum(np.abs(np.diag(K)), 1e-3 * np.abs(np.diag(K)).max()))
    values = np.abs(np.linalg.eigvalsh(scale[:, None] * K * scale))
    return int((values < 1e-10 * values.max()).sum())


def expected(element, curved, n_e) -> int:
    if element.layout.dim == 2:
        return 3
    if element.layout.rotation or element.layout.directors:
        return 6
    return 3 + 2 * (n_e + 1) if curved else 5


@pytest.mark.parametrize("n_e", [1, 3])
def test_no_zero_energy_modes_but_the_known_ones(element, curved, n_e, build):
    assert zeros(build(element, curved, n_e=n_e)) == expected(element, curved, n_e)


def test_extra_modes_of_a_spatial_arc_are_out_of_its_plane(build):
    chain = build(ANCFCable3D(), True)
    _, K = chain.matrix(chain.reference)
    normal = np.cross(*(chain.points[[1, 2]] - chain.points[0]))
    normal /= np.linalg.norm(normal)
    values, modes = np.linalg.eigh(K)
    modes = modes[:, np.abs(values) < 1e-10 * values.max()]
    vectors = modes.reshape(-1, 3, modes.shape[1])
    in_plane = vectors - np.einsum("c,d,vdm->vcm", normal, normal, vectors)
    assert modes.shape[1] == 11
    assert np.linalg.matrix_rank(in_plane.reshape(modes.shape), tol=1e-8) == 3


def test_a_spatial_arc_under_tension_holds_out_of_its_plane(build):
    chain = build(ANCFCable3D(), True)
    arms = chain.reference.copy().reshape(-1, 2, 3)
    arms[:, 0] += 0.02 * (arms[:, 0] - arms[0, 0])
    arms[:, 1] *= 1.02
    _, K = chain.matrix(arms.ravel())
    normal = np.cross(*(chain.points[[1, 2]] - chain.points[0]))
    normal /= np.linalg.norm(normal)
    bump = np.zeros((4, 2, 3))
    bump[1:3, 0] = normal
    assert bump.ravel() @ K @ bump.ravel() > 1.0


RULES = [
    # axial, bending, elements, zero-energy modes beyond the rigid ones
    (Lobatto(3), Gauss(3), 1, 0),
    (Lobatto(3), Gauss(3), 3, 0),
    (Lobatto(3), Gauss(2), 1, 0),
    (Lobatto(3), Gauss(2), 3, 0),
    (Gauss(3), Gauss(3), 3, 0),
    (Gauss(1), Gauss(3), 1, 2),  # three axial modes, one strain
    (Gauss(1), Gauss(3), 3, 4),  # seven, three
    (Gauss(2), Gauss(3), 1, 1),
    (Gauss(2), Gauss(3), 3, 1),  # seven, six
    (Lobatto(2), Gauss(3), 1, 1),
    (Lobatto(2), Gauss(3), 3, 3),  # seven, four: neighbours share the strain at their node
]


@pytest.mark.parametrize(("axial", "bending", "n_e", "extra"), RULES)
@pytest.mark.parametrize("element", [ANCFCable2D(), ANCFCable3D()], ids=["plane", "space"])
def test_axial_rules_of_a_straight_cable(element, axial, bending, n_e, extra, build):
    chain = build(replace(element, axial=axial, bending=bending), n_e=n_e)
    assert zeros(chain) == expected(element, False, n_e) + extra


@pytest.mark.parametrize("n_e", [1, 3])
@pytest.mark.parametrize("element", [ANCFCable2D(), ANCFCable3D()], ids=["plane", "space"])
def test_one_bending_point_leaves_a_mode_per_element_and_plane(element, n_e, build):
    chain = build(replace(element, bending=Gauss(1)), n_e=n_e)
    assert zeros(chain) == expected(element, False, n_e) + n_e * (element.layout.dim - 1)


@pytest.mark.parametrize("n_e", [1, 3])
def test_one_bending_point_of_a_curved_cable(n_e, build):
    chain = build(replace(ANCFCable2D(), bending=Gauss(1)), True, n_e=n_e)
    strains = (2 * n_e + 1) + n_e
    assert zeros(chain) == 4 * (n_e + 1) - strains
