"""Modes and linear models about steady motions: closed forms, a boundary-value problem, spectra of simulations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eig

import flexmbs as fx

M, JP, JD = 2.0, 0.02, 0.012


def whirl(spin: float, a: float, b: float, ka: float, kb: float) -> np.ndarray:
    """Signed frequencies of a rigid rotor on isotropic springs at -a and b, in complex displacement and tilt."""
    K = np.array([[ka + kb, kb * b - ka * a], [kb * b - ka * a, ka * a * a + kb * b * b]], dtype=complex)
    G = np.diag([0.0, -1j * spin * JP])
    mass = np.diag([M, JD])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(mass, K), -np.linalg.solve(mass, G)]])
    return np.sort(np.linalg.eigvals(A).imag)


def rotor(
    spin: float, a: float, b: float, ka: float, kb: float, inertia: tuple[float, float, float] = (JP, JD, JD),
    other: float = 1.0,
) -> fx.Model:  # fmt: skip
    body = fx.RigidBody(mass=M, inertia=inertia, angular_velocity=(spin, 0, 0), name="rotor")
    held = [
        fx.Bushing(fx.ground.marker((x, 0, 0)), body.marker((x, 0, 0)), (1e5, k, other * k), name=f"spring {x}")
        for x, k in ((-a, ka), (b, kb))
    ]
    return fx.Model(body, *held)


@pytest.mark.parametrize("springs", [(0.2, 0.2, 5e4, 5e4), (0.3, 0.15, 4e4, 6e4)])
@pytest.mark.parametrize("spin", [300.0, 1000.0])
def test_rigid_rotor_whirls(springs: tuple[float, float, float, float], spin: float) -> None:
    """The signs of the roots are those of the sense of whirl; poles of the linear model are the same."""
    model = rotor(spin, *springs)
    modes = fx.solve_modal(model)
    assert modes.frame == "inertial"
    exact = whirl(spin, *springs)
    around = modes.whirl != ""
    assert np.sort(modes.roots[around].imag) == pytest.approx(exact, rel=1e-9)
    assert np.array_equal(modes.whirl[around] == "forward", modes.roots[around].imag > 0.0)
    assert not modes.growing.any()
    poles = fx.linearise(model).poles
    assert all(np.abs(np.abs(poles) - abs(w)).min() < 1e-7 * abs(w) for w in exact)


def test_disc_off_its_bearing_has_the_lines_of_its_simulation() -> None:
    mass, jp, jd, k, off, spin = 10.0, 0.1125, 0.05625, 4e5, 0.1, 300.0

    def model(push: float) -> fx.Model:
        disc = fx.RigidBody(
            mass, (jp, jd, jd), angular_velocity=(spin, 10.0 * push, 0), velocity=(0, 0, push), name="disc"
        )
        return fx.Model(disc, fx.Bushing(fx.ground, disc, (1e8, k, k, 0, 500.0, 500.0), at=(off, 0, 0)))

    modes = fx.solve_modal(model(0.0))
    found = np.sort(modes.roots[modes.whirl != ""].imag)
    K = np.array([[k, k * off], [k * off, k * off * off + 500.0]], dtype=complex)
    A = np.block([
        [np.zeros((2, 2)), np.eye(2)],
        [-np.diag([1 / mass, 1 / jd]) @ K, np.diag([0.0, 1j * spin * jp / jd])],
    ])  # fmt: skip
    exact = np.sort(np.linalg.eigvals(A).imag)
    assert exact == pytest.approx([-248.48, -13.92, 142.92, 719.47], abs=0.01)
    assert found == pytest.approx(exact, rel=1e-8)
    run = fx.simulate(model(1e-3), until=2.0, step=2e-4)
    x = run.position(model(0.0).body("disc").name)
    signal = (x[:, 1] + 1j * x[:, 2]) * np.hanning(len(x))
    spectrum = np.abs(np.fft.fft(signal, 8 * len(x)))
    frequencies = 2.0 * np.pi * np.fft.fftfreq(8 * len(x), run.t[1] - run.t[0])
    for w in exact[:3]:  # each a peak within the width of a line of 2 s
        near = np.abs(frequencies - w) < 2.0
        beside = (np.abs(frequencies - w) < 40.0) & (np.abs(frequencies - w) > 15.0)
        assert spectrum[near].max() > 10.0 * spectrum[beside].max()


def test_unsymmetric_rotor_in_symmetric_springs_is_seen_from_the_rotor() -> None:
    """In axes that turn: J_y ty'' - (J_y + J_z - J_p) W tz' + [(J_p - J_z) W^2 + k] ty = 0, and the like."""
    spin, k, jy, jz = 200.0, 4e3, 0.012, 0.018
    model = rotor(spin, 0.2, 0.2, 5e4, 5e4, inertia=(0.025, jy, jz))
    modes = fx.solve_modal(model)
    assert modes.frame == "body 'rotor'"
    c = (jy + jz - 0.025) * spin
    S = np.diag([(0.025 - jz) * -(spin**2) * -1.0 + k, (0.025 - jy) * spin**2 + k])
    A = np.block([
        [np.zeros((2, 2)), np.eye(2)],
        [-np.diag([1 / jy, 1 / jz]) @ S, -np.diag([1 / jy, 1 / jz]) @ np.array([[0.0, -c], [c, 0.0]])],
    ])  # fmt: skip
    exact = np.abs(np.linalg.eigvals(A).imag)
    for w in exact:
        assert np.abs(np.abs(modes.roots.imag) - w).min() < 1e-7 * w
    with pytest.raises(fx.ModelError, match="Floquet"):
        fx.solve_modal(rotor(spin, 0.2, 0.2, 5e4, 5e4, inertia=(0.025, jy, jz), other=1.5))


def test_symmetric_rotor_in_unsymmetric_springs_is_seen_in_inertial_axes() -> None:
    """Two tilts: JD ty'' + JP W tz' + ky ty = 0, JD tz'' - JP W ty' + kz tz = 0."""
    spin, a, k = 500.0, 0.2, 5e4
    modes = fx.solve_modal(rotor(spin, a, a, k, k, other=1.5))
    assert modes.frame == "inertial"
    g, ky, kz = JP * spin / JD, 1.5 * 2 * k * a * a / JD, 2 * k * a * a / JD
    exact = np.sqrt(np.roots([1.0, -(ky + kz + g * g), ky * kz]))
    for w in exact:
        assert np.abs(np.abs(modes.roots.imag) - w).min() < 1e-7 * w


# --- blades ----------------------------------------------------------------------------------------------------------


def blade(rate: float, EA: float, driven: bool = True, elements: int = 16) -> fx.Model:
    body = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=elements, element=fx.elements.ANCFCable2D(), name="blade",
        stiffness=fx.BeamStiffness(EA=EA, EI_z=1.0, mass_per_length=1.0),
    )  # fmt: skip
    hub = fx.PlanarRigidBody(mass=1.0, inertia=1.0, position=(0, 0), angular_velocity=rate, name="hub")
    axle = fx.RevoluteJoint(fx.ground, hub, at=(0, 0), name="axle")
    items = [hub, body, axle, fx.FixedJoint(hub, body.start), fx.InitialVelocity(body, angular_velocity=rate)]
    return fx.Model(*items, *([fx.RotationDriver(axle, rate=rate)] if driven else []))


def stretched_blade(rate: float, EA: float, n: int = 28) -> np.ndarray:
    """Frequencies in the plane of a clamped blade stretched by its turning, by Chebyshev collocation.

    r' = 1 + e with (EA e)' + rate^2 r = 0; about it u'' and w'' with Coriolis forces, N = EA e, slope w' / (1 + e).
    """
    x = np.cos(np.pi * np.arange(n + 1) / n)
    c = np.r_[2.0, np.ones(n - 1), 2.0] * (-1.0) ** np.arange(n + 1)
    X = np.tile(x, (n + 1, 1)).T
    D = np.outer(c, 1.0 / c) / (X - X.T + np.eye(n + 1))
    D = 2.0 * (D - np.diag(D.sum(axis=1)))
    s, k = 0.5 * (x + 1.0), rate / np.sqrt(EA)
    stretch = np.cos(k * s) / np.cos(k)
    slope = np.diag(1.0 / stretch) @ D
    moment = D @ slope
    across = np.diag(EA * (stretch - 1.0)) @ slope - np.diag(1.0 / stretch) @ D @ moment
    one, zero = np.eye(n + 1), np.zeros((n + 1, n + 1))
    A = np.block([
        [zero, zero, one, zero], [zero, zero, zero, one], [EA * D @ D + rate**2 * one, zero, zero, 2.0 * rate * one],
        [zero, D @ across + rate**2 * one, -2.0 * rate * one, zero],
    ])  # fmt: skip
    B = np.eye(4 * (n + 1))
    rows = [(2, n, 0, one[n]), (2, 0, 0, D[0]), (3, n, 1, one[n]), (3, n - 1, 1, D[n]), (3, 0, 1, moment[0]),
            (3, 1, 1, across[0])]  # fmt: skip
    for block, place, field, values in rows:
        row = block * (n + 1) + place
        A[row], B[row] = 0.0, 0.0
        A[row, field * (n + 1) : (field + 1) * (n + 1)] = values
    s = eig(A, B, right=False)
    s = s[np.isfinite(s)]
    return np.sort(s.imag[(np.abs(s.real) < 1e-3 * np.abs(s)) & (s.imag > 1e-3)])


@pytest.mark.parametrize("EA", [4900.0, 1e6])
def test_blade_on_a_driven_hub_vibrates_about_the_shape_in_which_it_turns(EA: float) -> None:
    exact = stretched_blade(10.0, EA)[:3]
    found = fx.solve_modal(blade(10.0, EA), modes=3)
    assert found.frame == "body 'hub'"
    assert found.roots.imag == pytest.approx(exact, rel=2e-4)
    finer = fx.solve_modal(blade(10.0, EA, elements=32), modes=3)
    assert np.all(np.abs(finer.roots.imag - exact) < 0.1 * np.abs(found.roots.imag - exact) + 1e-7 * exact)
    assert fx.solve_modal(blade(0.0, EA), modes=1).roots.imag == pytest.approx([3.516015], rel=1e-5)


def test_free_blade_keeps_its_spin() -> None:
    """The turn about the axis is a mode of frequency zero; nothing grows."""
    modes = fx.solve_modal(blade(10.0, 4900.0, driven=False), modes=3)
    assert abs(modes.roots[0]) < 1e-2
    assert not modes.growing.any()


def test_end_of_a_run_that_vibrates_is_refused_with_the_way() -> None:
    run = fx.simulate(blade(10.0, 4900.0), until=0.05, step=1e-3)
    with pytest.raises(fx.ModelError, match=r"no steady motion.*pass the model with its initial velocities"):
        fx.solve_modal(run)


def slot(rate: float, k: float = 100.0, rest: float = 4.0) -> fx.Model:
    far = fx.PlanarRigidBody(1.0, 1.0, position=(1.0, 0.0), velocity=(0, rate), angular_velocity=rate, name="far")
    bar = fx.PlanarRigidBody(1.0, 1.0, position=(0, 0), angular_velocity=rate, name="bar")
    axle = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="axle")
    slide = fx.PrismaticJoint(bar, far, at=(1.0, 0), axis=(1, 0), name="slide")
    force = fx.JointForce(slide, lambda s, sd, t: -k * s - rest)
    return fx.Model(bar, far, axle, slide, fx.RotationDriver(axle, rate=rate), force)


@pytest.mark.parametrize("rest", [4.0, 0.0])
def test_mass_in_a_turning_slot(rest: float) -> None:
    """omega^2 = k/m - rate^2, also where the shape in which it turns has to be found."""
    modes = fx.solve_modal(slot(2.0, rest=rest))
    assert modes.roots == pytest.approx([1j * np.sqrt(96.0)], rel=1e-8)
    linear = fx.linearise(slot(2.0, rest=rest))
    assert np.sort(linear.poles.imag) == pytest.approx([-np.sqrt(96.0), np.sqrt(96.0)], rel=1e-8)


@pytest.mark.parametrize("guided", [True, False])
def test_shape_that_balances_to_the_last_bit(guided: bool) -> None:
    """A mass on a table that turns, along a slot or free in the plane: increments of Newton's method end at zero."""
    rate, m, k = 3.0, 2.0, (60.0, 90.0)
    table = fx.RigidBody(1.0, (0.1, 0.1, 0.1), angular_velocity=(0, 0, rate), name="table")
    bearing = fx.RevoluteJoint(fx.ground, table, at=(0, 0, 0), axis=(0, 0, 1))
    turning = {"velocity": (0, rate, 0), "angular_velocity": (0, 0, rate)}
    mass = fx.RigidBody(m, (0.01, 0.01, 0.02), position=(1, 0, 0), name="mass", **turning)
    joint, axis = (fx.PrismaticJoint, (1, 0, 0)) if guided else (fx.PlanarJoint, (0, 0, 1))
    springs = fx.Bushing(table.marker((1, 0, 0)), mass.centre, (*k, 0, 0, 0, 4.0))
    driver = fx.RotationDriver(bearing, rate=rate)
    modes = fx.solve_modal(fx.Model(table, mass, bearing, driver, joint(table, mass, at=(1, 0, 0), axis=axis), springs))
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    A[2:, :2] = np.diag(rate**2 - np.array(k) / m)
    A[2:, 2:] = [[0, 2 * rate], [-2 * rate, 0]]
    swings = [np.sqrt(k[0] / m - rate**2)] if guided else np.abs(np.linalg.eigvals(A).imag)
    assert modes.angular_frequencies[0] == pytest.approx(np.min(swings), rel=1e-9)


def test_what_swings_through_its_lowest_place_is_not_steady() -> None:
    swinging = fx.PlanarRigidBody(2.0, 0.1, position=(0.0, -0.5), velocity=(0.5, 0), angular_velocity=1.0, name="bar")
    model = fx.Model(swinging, fx.RevoluteJoint(fx.ground, swinging, at=(0, 0), name="h"), fx.Gravity((0, -9.81)))
    for call in (fx.solve_modal, fx.linearise):
        with pytest.raises(fx.ModelError, match="not"):
            call(model)


def test_heavy_top_in_steady_precession() -> None:
    """Precession with nutation about it: the roots of the reduced equations at a tilt that stays."""
    A, C, arm, m, g, spin, tilt = 0.6, 0.1, 0.5, 2.0, 9.81, 90.0, 0.4  # A about the tip, C about the axis
    rate = (C * spin - np.sqrt((C * spin) ** 2 - 4 * A * np.cos(tilt) * m * g * arm)) / (2 * A * np.cos(tilt))
    R = np.array([[np.cos(tilt), 0, np.sin(tilt)], [0, 1, 0], [-np.sin(tilt), 0, np.cos(tilt)]])
    axis = R[:, 2]
    across = rate * (np.array([0, 0, 1.0]) - np.cos(tilt) * axis)
    omega = across + spin * axis  # spin: whole rate about the axis
    centre = arm * axis
    top = fx.RigidBody(
        m, (A - m * arm**2, A - m * arm**2, C), position=centre, rotation=R, angular_velocity=R.T @ omega,
        velocity=np.cross(omega, centre), name="top",
    )  # fmt: skip
    model = fx.Model(top, fx.SphericalJoint(fx.ground, top, at=(0, 0, 0), name="tip"), fx.Gravity((0, 0, -g)))
    modes = fx.solve_modal(model)

    def torque(x: np.ndarray) -> np.ndarray:
        """(tilt, tilt rate, precession rate) -> rates, with C spin constant."""
        th, w, p = x
        return np.array([
            w,
            (A * p * p * np.sin(th) * np.cos(th) - C * spin * p * np.sin(th) + m * g * arm * np.sin(th)) / A,
            (C * spin * w - 2 * A * p * w * np.cos(th)) / (A * np.sin(th)),
        ])  # fmt: skip

    start = np.array([tilt, 0.0, rate])
    assert np.abs(torque(start)).max() < 1e-9
    J = np.array([(torque(start + h) - torque(start - h)) / 2e-6 for h in 1e-6 * np.eye(3)]).T
    exact = np.abs(np.linalg.eigvals(J).imag).max()
    assert np.abs(np.abs(modes.roots.imag) - exact).min() < 1e-6 * exact


@pytest.mark.parametrize("spin", [30.0, 150.0])
def test_spinning_shaft_of_exact_beams(spin: float) -> None:
    """Pinned Rayleigh shaft: (m + J k^2) w^2 - 2 spin J k^2 w - EI k^4 = 0 with k = n pi / L, in inertial axes."""
    J = 0.02
    stiffness = fx.BeamStiffness(
        EA=1e7, EI_y=10.0, EI_z=10.0, GJ=100.0, GA_y=1e7, GA_z=1e7, mass_per_length=1.0, rhoI_y=J, rhoI_z=J
    )
    errors = []
    for elements in (8, 16):
        shaft = fx.FlexibleBody.line(
            (0, 0, 0),
            (1, 0, 0),
            elements=elements,
            element=fx.elements.GeometricallyExactBeam(),
            stiffness=stiffness,
            name="shaft",
        )
        held = [
            fx.SphericalJoint(fx.ground, shaft.start, at=(0, 0, 0), name="pin"),
            fx.Bushing(fx.ground, shaft.end, (0.0, 1e8, 1e8), at=(1, 0, 0), name="bearing"),
        ]
        turning = fx.InitialVelocity(shaft, angular_velocity=(spin, 0, 0))
        modes = fx.solve_modal(fx.Model(shaft, *held, turning), modes=24)
        assert modes.frame == "inertial"
        k2 = (np.pi * np.arange(1, 3)) ** 2
        exact = np.sort([w for k in k2 for w in np.roots([1.0 + J * k, -2.0 * spin * J * k, -10.0 * k**2])])
        found = modes.roots.imag
        nearest = np.array([found[np.argmin(np.abs(found - w))] for w in exact])
        errors.append(np.abs(nearest / exact - 1.0).max())
    assert errors[1] < 3e-2
    assert errors[1] < 0.3 * errors[0]


def test_motion_that_has_settled_counts_as_rest() -> None:
    bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.0, -0.5), angular_velocity=0.2, velocity=(0.1, 0.0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    model = fx.Model(bar, hinge, fx.Gravity((0, -9.81)), fx.TorsionSpring(hinge, damping=3.0, name="damper"))
    run = fx.simulate(model, until=16.0, step=1e-2)
    assert np.any(run.v[-1])
    assert fx.solve_modal(run).roots == pytest.approx(fx.solve_modal(fx.solve_static(model)).roots, rel=1e-6)


@pytest.mark.parametrize("spin", [0.0, 50.0, 100.0])
def test_rotor_that_turns_freely_does_not_grow_and_its_torsion_has_no_sense(spin: float) -> None:
    """A free turn is a double root at zero, found as a pair of the root of round-off; torsion does not whirl."""
    shaft = fx.FlexibleBody.line(
        (0, 0, 0), (0.4, 0, 0), elements=4, element=fx.elements.GeometricallyExactBeam(),
        section=fx.Circle(diameter=0.02),
        material=fx.steel, name="shaft",
    )  # fmt: skip
    disk = fx.RigidBody.cylinder(
        radius=0.15, length=0.018, mass=10.0, position=(0.4, 0, 0), rotation=[[0, 0, 1], [1, 0, 0], [0, 1, 0]],
        angular_velocity=(0, 0, spin), name="disk",
    )  # fmt: skip
    bearing, turning = fx.RevoluteJoint(fx.ground, shaft.start, axis=(1, 0, 0), name="bearing"), (spin, 0, 0)
    free = [shaft, disk, bearing, fx.FixedJoint(shaft.end, disk, name="seat")]
    modes = fx.solve_modal(fx.Model(*free, fx.InitialVelocity(shaft, angular_velocity=turning)), modes=4)
    assert not modes.growing.any()
    driver = fx.RotationDriver(bearing, rate=spin) if spin else fx.RotationDriver(bearing, 0.0)
    driven = fx.solve_modal(fx.Model(*free, driver, fx.InitialVelocity(shaft, angular_velocity=turning)), modes=4)
    G, J = fx.steel.youngs_modulus / 2 / (1 + fx.steel.poissons_ratio), np.pi * 0.02**4 / 32
    polar = 0.5 * 10.0 * 0.15**2
    torsion = int(np.argmin(np.abs(np.abs(driven.roots) - np.sqrt(G * J / 0.4 / polar))))
    assert abs(driven.roots[torsion]) == pytest.approx(np.sqrt(G * J / 0.4 / polar), rel=2e-3)
    assert driven.whirl[torsion] == ""
    assert ("forward" in driven.whirl) == (spin > 0.0)
