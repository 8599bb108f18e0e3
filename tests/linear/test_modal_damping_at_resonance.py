"""Modal damping of full models at, beside and away from their own frequencies, against dense matrices."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx

ZETA = 0.02
SECTION = fx.Rectangle(width=0.02, height=0.02)
STEEL = fx.Elastic(youngs_modulus=2.1e11, poissons_ratio=0.3, density=7850.0, name="steel")


def beam() -> fx.linear.Part:
    """A square section: every bending frequency twice."""
    region = fx.linear.Region(None, fx.elements.Frame(section=SECTION), STEEL)
    return fx.linear.Part(fx.meshes.line((0, 0, 0), (1.0, 0, 0), 4), regions=[region])


@pytest.mark.parametrize("length", [1.0, 1.1, 1.2, 0.7, 0.33])
def test_a_mass_on_a_bar_at_its_resonance(length: float) -> None:
    """|u| = F / (2 zeta k), with k = E A / L, whether or not K - w^2 M is zero to the last bit."""
    E, A, rho = 2.1e11, 2e-4, 7850.0
    part = fx.linear.Part(
        fx.meshes.line((0, 0, 0), (length, 0, 0), 1),
        regions=[fx.linear.Region(None, fx.elements.Truss(A), STEEL)],
        connections=[fx.linear.NodalMass(1, 1e3 * rho * A * length)],
    )
    fixed = {0: "all", 1: ("uy", "uz")}
    modes = fx.linear.vibration_modes(part, 1, fixed)
    found = fx.linear.harmonic_response(
        part, modes.frequencies, fx.linear.NodalForce(1, (1.0, 0, 0)), [(1, "ux")],
        fx.linear.ModalDamping(0.05, modes), fixed,
    )  # fmt: skip
    assert abs(found.values[0, 0, 0]) == pytest.approx(length / (2.0 * 0.05 * E * A), rel=1e-12)


@pytest.mark.parametrize("away", [0.0, 1e-12, 1e-9, -1e-6, 1e-3, 9.99e-3, 1.001e-2, 0.3])
@pytest.mark.parametrize("fixed", [{0: "all"}, None], ids=["clamped", "free"])
def test_against_the_dense_matrix(fixed: dict[int, str] | None, away: float) -> None:
    """Pairs of equal frequencies, and six rigid modes of zero frequency.

    Rounding of K counts 1 / (2 zeta) times its size over that of w^2 M, some 1e5 here; 1e-9 is a hundred times that.
    """
    operators = beam().assemble()
    modes = fx.linear.vibration_modes(operators, 10 if fixed is None else 6, fixed)
    free = np.arange(operators.n)[0 if fixed is None else 6 :]
    K, M = operators.K.toarray()[np.ix_(free, free)], operators.M.toarray()[np.ix_(free, free)]
    phi, omega = modes.vectors[free], modes.angular_frequencies
    D = M @ phi @ np.diag(2.0 * ZETA * omega) @ phi.T @ M
    force = np.zeros(operators.n)
    force[operators.n - 6 : operators.n - 3] = 0.3, 1.0, -2.0  # of the last node, in three directions
    rows = np.eye(operators.n)[[operators.n - 5, operators.n - 4]]
    elastic = modes.frequencies[omega > 1.0]
    f = elastic * (1.0 + away)
    found = fx.linear.harmonic_response(
        operators, f, force, rows, fx.linear.ModalDamping(ZETA, modes), fixed
    ).values[:, :, 0]  # fmt: skip
    for i, w in enumerate(2.0 * np.pi * f):
        u = np.linalg.solve(K - w**2 * M + 1j * w * D, force[free])
        exact = rows[:, free] @ u
        assert np.abs(found[i] - exact).max() < 1e-9 * np.abs(exact).max()


def test_all_frequencies_of_a_plate_at_once() -> None:
    """Twelve modes of a free plate of solids."""
    part = fx.linear.Part(fx.meshes.box((0, 0, 0), (1.0, 0.8, 0.1), (3, 3, 1)).quadratic(), material=STEEL)
    operators = part.assemble()
    modes = fx.linear.vibration_modes(operators, 18)
    phi, omega = modes.vectors, modes.angular_frequencies
    K, M = operators.K.toarray(), operators.M.toarray()
    D = M @ phi @ np.diag(2.0 * ZETA * omega) @ phi.T @ M
    force = np.zeros(operators.n)
    force[2] = 1.0
    f = modes.frequencies[6:]
    found = fx.linear.harmonic_response(operators, f, force, [2, 14], fx.linear.ModalDamping(ZETA, modes))
    for i, w in enumerate(2.0 * np.pi * f):
        u = np.linalg.solve(K - w**2 * M + 1j * w * D, force)
        assert np.abs(found.values[i, :, 0] - u[[2, 14]]).max() < 1e-9 * np.abs(u[[2, 14]]).max()
