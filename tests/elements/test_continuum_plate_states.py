"""Patches of the fully parameterised plate: which choice has which constant state, and what it cannot do as printed."""

from __future__ import annotations

import numpy as np
import pytest

from flexmbs.elements import ANCFPlateFullyParameterized
from tests.models.plate_sample import NU, PRINTED, VARIANTS, Sample, curvature, distorted, flat, membrane, skew, twist


@pytest.fixture(params=VARIANTS)
def name(request):
    return request.param


def patch_error(element, place, state, size=1e-6, h=0.02):
    """Distance of the inner nodes from the state that is given at the others, by its largest coordinate."""
    s = Sample(element, place, 3, h=h)
    u = state(s, size)
    count = np.bincount(s.cells.ravel())
    free = (np.flatnonzero(count == 4)[:, None] * 12 + np.arange(12)).ravel()
    _, K = s.matrix(s.q0)
    held = np.setdiff1d(np.arange(s.n), free)
    found = np.linalg.solve(K[np.ix_(free, free)], -K[np.ix_(free, held)] @ u[held])
    return np.abs(found - u[free]).max() / np.abs(u).max(), s, u


@pytest.mark.parametrize("place", [flat, skew, distorted])
def test_constant_membrane_strain_in_any_mesh(name, place):
    error, s, u = patch_error(VARIANTS[name], place, membrane)
    assert error < 1e-12
    A = s.stiffness.matrix[:3, :3]
    strain = 1e-6 * np.array([1.0, -0.3, 0.8])
    np.testing.assert_allclose(s.resultants(u)[..., :3], np.broadcast_to(A @ strain, (9, 9, 3)), atol=1e-11 * A[0, 0])


@pytest.mark.parametrize("place", [flat, skew, distorted])
@pytest.mark.parametrize(("state", "kappa"), [(curvature, (1.0, 0.0, 0.0)), (twist, (0.0, 0.0, 2.0))])
def test_cured_has_constant_curvature_and_twist(place, state, kappa):
    error, s, u = patch_error(ANCFPlateFullyParameterized(), place, state)
    assert error < 1e-11
    D = s.stiffness.matrix[3:6, 3:6]
    found = s.resultants(u)
    bent = -1e-6 * D @ kappa  # z w,xx with the sign of -z
    np.testing.assert_allclose(found[..., 3:6], np.broadcast_to(bent, (9, 9, 3)), atol=1e-6 * np.abs(bent).max())
    assert np.abs(found[..., 6:]).max() < 1e-9 * np.abs(bent).max() / s.stiffness.thickness
    assert u @ s.matrix(s.q0)[1] @ u == pytest.approx(
        1e-12 * np.array(kappa) @ D @ kappa * s.element.areas(s.group).sum(), rel=1e-9
    )


def test_without_the_mixed_derivative_other_quadrilaterals_are_near_constant_curvature():
    """They are not bilinear then, while the vectors across the thickness are."""
    for state in (curvature, twist):
        error, _, _ = patch_error(ANCFPlateFullyParameterized(twist=False), distorted, state)
        assert 1e-8 < error < 1e-5


def test_as_printed_bending_is_locked_by_poissons_ratio():
    _, s, u = patch_error(PRINTED, flat, curvature)
    D = s.stiffness.matrix[3, 3]
    assert u @ s.matrix(s.q0)[1] @ u == pytest.approx(1e-12 * D * (1 - NU) ** 2 / (1 - 2 * NU), rel=1e-9)


def test_as_printed_it_has_no_constant_twist():
    """Interpolating w = xy leaves -xy (x-a)(2x-a)(y-b)(2y-b)/(a^2 b^2), whose slopes are shears without stiffness."""
    h = 0.02
    s = Sample(PRINTED, flat, 1, h=h)
    u = twist(s, 1.0)
    xi, w = np.polynomial.legendre.leggauss(8)
    grid = np.array([(a, b) for b in xi for a in xi])
    x, y = 0.5 * (1.0 + grid.T)
    f, g = x * (x - 1) * (2 * x - 1), y * (y - 1) * (2 * y - 1)
    found = s.element.positions(s.group, s.q0 + u, grid)[0, :, 2]
    np.testing.assert_allclose(found, x * y - f * g, atol=1e-14)
    largest = np.full(2, -1.0 + 2.0 * (3.0 - np.sqrt(3.0)) / 6.0)  # x = y = (3 - sqrt 3) / 6
    off = s.element.positions(s.group, s.q0 + u, largest[None])[0, 0, 2] - (0.5 * (1.0 + largest[0])) ** 2
    assert abs(off) == pytest.approx(1.0 / 108.0, rel=1e-12)
    shear = ((6 * x**2 - 6 * x + 1) * g) ** 2 + ((6 * y**2 - 6 * y + 1) * f) ** 2
    C = s.stiffness.matrix
    twisting, spurious = 4.0 * C[5, 5], C[6, 6] * (0.25 * np.outer(w, w).ravel() * shear).sum()
    assert u @ s.matrix(s.q0)[1] @ u == pytest.approx(twisting + spurious, rel=1e-9)
    assert spurious > 5.0 * twisting  # a plate fifty times as wide as thick
    cured = Sample(ANCFPlateFullyParameterized(), flat, 1, h=h)
    assert u @ cured.matrix(cured.q0)[1] @ u == pytest.approx(twisting, rel=1e-9)
