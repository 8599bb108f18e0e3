"""Campbell diagrams against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import eig, eigh

import flexmbs as fx

M, DIAMETRAL, POLAR, L1, L2, K1, K2 = 12.0, 0.35, 0.5, 0.3, 0.2, 4e5, 7e5


def rotor(speed: float, y: float = 1.0, damping: float = 0.0) -> fx.Model:
    """A rigid rotor about z on two bearings, of which the stiffness along y is ``y`` times that along x."""
    body = fx.RigidBody(M, (DIAMETRAL, DIAMETRAL, POLAR), angular_velocity=(0, 0, speed), name="rotor")
    bearings = [
        fx.Bushing(
            fx.ground.marker((0, 0, z)), body.marker((0, 0, z)), stiffness=(k, y * k, 1e6),
            damping=(damping, damping, 0.0), name=f"bearing at {z}",
        )
        for z, k in ((-L1, K1), (L2, K2))
    ]  # fmt: skip
    return fx.Model(body, *bearings)


def by_hand(y: float) -> tuple[Any, Any, Any]:
    """M, G (times the speed) and K of (x, tilt about y, y, minus the tilt about x)."""
    a, b, c = K1 + K2, K2 * L2 - K1 * L1, K1 * L1**2 + K2 * L2**2
    one = np.array([[a, b], [b, c]])
    mass = np.diag([M, DIAMETRAL, M, DIAMETRAL])
    gyroscopic = np.zeros((4, 4))
    gyroscopic[1, 3], gyroscopic[3, 1] = POLAR, -POLAR
    return mass, gyroscopic, np.kron(np.diag([1.0, y]), one)


def roots_by_hand(speed: float, y: float, damping: float = 0.0) -> Any:
    mass, G, K = by_hand(y)
    C = np.kron(np.eye(2), damping * np.array([[2.0, L2 - L1], [L2 - L1, L1**2 + L2**2]]))
    A = np.block([[np.zeros((4, 4)), np.eye(4)], [-np.linalg.solve(mass, K), -np.linalg.solve(mass, C + speed * G)]])
    s = np.linalg.eigvals(A)
    return s[s.imag > 0.0]


def test_unlike_bearings_that_are_stiffer_one_way() -> None:
    """Roots at all speeds, and critical speeds as eigenvalues of Omega^2 (M - i G) x = K x."""
    y = 0.6
    found = fx.campbell(lambda speed: rotor(speed, y), np.linspace(0.0, 600.0, 13), modes=5)
    assert found.frame == "inertial"
    across = [j for j in range(5) if not np.allclose(np.abs(found.roots[:, j]), np.sqrt(2e6 / M))]
    for speed, roots in zip(found.speeds, found.roots[:, across], strict=True):
        exact = np.sort(roots_by_hand(speed, y).imag)
        assert np.sort(np.abs(roots.imag)) == pytest.approx(exact, rel=1e-8)
    mass, G, K = by_hand(y)
    squares = 1.0 / eigh(mass - 1j * G, K, eigvals_only=True)
    exact = np.sort(np.sqrt(squares[squares > 0.0]))
    assert [c.speed for c in found.critical_speeds if c.branch in across] == pytest.approx(exact, rel=1e-8)
    assert np.ptp(np.diff(np.abs(found.angular_frequencies), axis=0), axis=0).max() < 60.0  # no branch jumps
    assert found.senses.count("backward") == 2
    assert found.senses[4] == "forward"


def test_damped_bearings() -> None:
    found = fx.campbell(rotor(100.0, damping=300.0), [50.0, 150.0, 250.0], modes=5)
    for speed, roots in zip(found.speeds, found.roots, strict=True):
        exact = roots_by_hand(speed, 1.0, 300.0)
        for s in exact:
            assert min(np.minimum(np.abs(roots - s), np.abs(roots - s.conj()))) < 1e-7 * abs(s)
    assert np.all(found.damping_ratios[:, [c.branch for c in found.critical_speeds]] > 0.0)


def test_one_model_is_scaled_and_branches_begin_at_rest() -> None:
    one = fx.campbell(rotor(70.0), [0.0, 100.0, 200.0], modes=4)
    many = fx.campbell(rotor, [0.0, 100.0, 200.0], modes=4)
    assert np.allclose(one.roots, many.roots, rtol=1e-9)
    assert one.senses == many.senses == ("backward", "forward", "backward", "")
    a, b, c = K1 + K2, K2 * L2 - K1 * L1, K1 * L1**2 + K2 * L2**2
    at_rest = np.sqrt(eigh(np.array([[a, b], [b, c]]), np.diag([M, DIAMETRAL]), eigvals_only=True))
    assert np.abs(one.angular_frequencies[0, :3]) == pytest.approx(at_rest[[0, 0, 1]])


def test_branches_do_not_depend_on_the_speeds() -> None:
    """Two backward branches come near to each other between 200 and 350 rad/s, and do not cross."""
    coarse, fine = fx.campbell(rotor, [0.0, 400.0], modes=5), fx.campbell(rotor, np.linspace(0.0, 400.0, 41), modes=5)
    order = [int(np.argmin(np.abs(s - coarse.roots[-1]))) for s in fine.roots[-1]]
    assert np.allclose(np.abs(coarse.roots[0, order]), np.abs(fine.roots[0]))
    near, far = (fine.angular_frequencies[:, j] for j in np.flatnonzero(np.array(fine.senses) == "backward"))
    assert np.all(np.abs(near) < np.abs(far))


def test_flexible_shaft_splits_as_the_closed_form_tells() -> None:
    """A hollow shaft on hinges: for half a wave of deflection w and slope p (complex, in the plane y + iz) the rotating
    beam of Timoshenko is (K - omega^2 M + omega Omega G) (w, p) = 0.
    """
    E, nu, rho, outer, inner, length, n = 2e11, 0.3, 7800.0, 0.3, 0.26, 2.0, 1
    section = fx.Pipe(diameter=outer, thickness=0.5 * (outer - inner))
    material = fx.Elastic(youngs_modulus=E, poissons_ratio=nu, density=rho)

    def shaft(speed: float, elements: int) -> fx.Model:
        line = fx.FlexibleBody.line(
            (0, 0, 0), (length, 0, 0), elements=elements, element=fx.elements.GeometricallyExactBeam(),
            section=section, material=material, name="shaft",
        )  # fmt: skip
        ends = [
            fx.Bushing(fx.ground.marker((x, 0, 0)), end, stiffness=(1e9 * (x == 0.0), 1e14, 1e14), name=f"at {x}")
            for x, end in ((0.0, line.start), (length, line.end))
        ]
        return fx.Model(line, *ends, fx.InitialVelocity(line, angular_velocity=(speed, 0, 0)))

    speed, k = 500.0, n * np.pi / length
    body = shaft(speed, 4).flexible_bodies[0].beam_stiffness
    EI, GA, mass, inertia = body.EI_y, body.GA_y, body.mass_per_length, body.rhoI_y
    K = np.array([[GA * k**2, -GA * k], [-GA * k, GA + EI * k**2]])
    Mh, G = np.diag([mass, inertia]), np.diag([0.0, 2.0 * inertia])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [np.linalg.solve(Mh, K), np.linalg.solve(Mh, speed * G)]])
    omega = np.sort(eig(A, right=False).real)
    exact = np.array([omega[omega < 0.0].max(), omega[omega > 0.0].min()])
    errors = []
    for elements in (8, 16):
        found = fx.campbell(lambda s, e=elements: shaft(s, e), [0.5 * speed, speed], modes=2, orders=())
        errors.append(np.abs(np.sort(found.angular_frequencies[-1]) / exact - 1.0).max())
    split = exact[1] + exact[0]
    assert errors[1] < 0.01 * split / exact[1]
    assert errors[0] / errors[1] > 3.5


def test_a_shaft_that_is_softer_one_way_has_no_balance_at_its_lower_speed() -> None:
    """In axes of the shaft x'' - 2 W y' + (k / m - W^2) x = 0 and likewise y: nothing holds x at sqrt(k / m)."""
    mass, soft, stiff = 2.0, 900.0, 1500.0

    def rotor(speed: float) -> fx.Model:
        hub = fx.RigidBody(50.0, (1, 1, 1), angular_velocity=(0, 0, speed), name="hub")
        disc = fx.PointMass(mass, position=(0, 0, 0), name="disc")
        pin = fx.RevoluteJoint(fx.ground, hub, at=(0, 0, 0), axis=(0, 0, 1), name="pin")
        shaft = fx.Bushing(hub, disc, (soft, stiff, 1e5), damping=(4.0, 4.0, 0), at=(0, 0, 0))
        return fx.Model(hub, disc, pin, shaft, fx.RotationDriver(pin, rate=speed))

    found = fx.campbell(rotor, [21.0, 22.0], modes=1, orders=[0.0])
    assert np.allclose(found.critical(0.0), [np.sqrt(soft / mass)], rtol=1e-6)
    with pytest.raises(fx.ModelError, match=r"order 1.* were located, but those of 0"):
        found.critical()
    with pytest.raises(fx.ModelError, match="whirl must be one of"):
        found.critical(0.0, whirl="fwd")


def test_the_free_spin_of_a_disc_on_a_light_stiff_shaft_is_no_branch() -> None:
    """Pinned shaft, disc at a quarter: its flexibility inverted, and z = y + i z' in complex numbers of the plane."""
    EI, length, mass, diametral, polar = 200.0, 1.0, 5.0, 0.05, 0.1
    a, b = 0.25 * length, 0.75 * length
    flexibility = np.array([[a**2 * b**2, a * b * (b - a)], [a * b * (b - a), a**2 - a * b + b**2]]) / (3 * EI * length)

    def rotor(speed: float) -> fx.Model:
        stiffness = fx.BeamStiffness(
            EA=1e7, EI_z=EI, GJ=150.0, GA_y=1e8, GA_z=1e8, mass_per_length=1e-4, rhoI_y=1e-9, rhoI_z=1e-9
        )
        shaft = fx.FlexibleBody.line(
            (0, 0, 0), (length, 0, 0), elements=8, element=fx.elements.GeometricallyExactBeam(), stiffness=stiffness
        )
        disc = fx.RigidBody(
            mass, (polar, diametral, diametral), position=(a, 0, 0), angular_velocity=(speed, 0, 0), name="disc"
        )
        pins = [
            fx.Bushing(fx.ground, end, (along, 1e8, 1e8, 0, 0, 0), at=(x, 0, 0), name=f"pin at {x}")
            for end, along, x in ((shaft.start, 1e8, 0.0), (shaft.end, 0.0, length))
        ]
        spin = fx.InitialVelocity(shaft, angular_velocity=(speed, 0, 0))
        return fx.Model(shaft, disc, fx.FixedJoint(shaft.at((a, 0, 0)), disc.centre), *pins, spin)

    found = fx.campbell(rotor, [30.0, 60.0], modes=4)
    inverse, stiffness = np.diag([1.0 / mass, 1.0 / diametral]), np.linalg.inv(flexibility)
    for speed, roots in zip(found.speeds, found.roots, strict=True):
        turning = np.diag([0.0, -1j * polar * speed])
        A = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ stiffness, -inverse @ turning]])
        assert np.allclose(np.sort(roots.imag), np.sort(np.linalg.eigvals(A).imag), rtol=5e-4)
    assert [c.whirl for c in found.critical_speeds] == ["backward"]
    backward = np.sqrt(eigh(stiffness, np.diag([mass, diametral + polar]), eigvals_only=True)[0])
    assert found.critical() == pytest.approx([backward], rel=1e-4)
    modes = fx.solve_modal(rotor(30.0), 3)
    assert modes.roots[0] == 0.0
    assert np.allclose(np.sort(np.abs(modes.roots[1:])), np.sort(np.abs(found.roots[0]))[:2], rtol=1e-6)
