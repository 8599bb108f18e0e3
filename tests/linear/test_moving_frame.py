"""Matrices of a moving frame: identities, bodies at rest in space, spinning rods and shafts."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import Frame, Hexahedron8, Hexahedron20, ShellQuad, Truss
from flexmbs.meshes import box

MATERIAL = fx.Elastic(youngs_modulus=2e9, density=1500.0, poissons_ratio=0.3)
OMEGA, OMEGA_DOT, ACCELERATION = np.array([[3.0, -2.0, 5.0], [-1.0, 4.0, 2.0], [7.0, 1.0, -3.0]])
ORIGIN = (0.2, -0.1, 0.3)
EI = 2.0


def skew(a: FloatArray) -> FloatArray:
    return np.cross(a, np.eye(3)).T


def solid(element: object) -> fx.linear.Part:
    mesh = box((0, 0, 0), (1.0, 0.2, 0.3), (3, 1, 2))
    mesh = mesh.quadratic() if isinstance(element, Hexahedron20) else mesh
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, element, MATERIAL)])


def frames() -> fx.linear.Part:
    """Beams in space with rotary inertia, an offset and a mass with an inertia tensor off its node."""
    mesh = fx.meshes.line((0, 0, 0), (1.0, 0.5, 0.2), 3)
    beam = Frame(section=fx.Rectangle(width=0.05, height=0.1), offsets=((0.0, 0.02, 0.0), (0.0, 0.0, 0.03)))
    mass = fx.linear.NodalMass(3, 2.0, np.diag([0.3, 0.2, 0.25]), (0.1, -0.2, 0.05))
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, beam, MATERIAL)], connections=[mass])


def linked() -> fx.linear.Part:
    """A solid with a rigid mass on a link at its end."""
    end = fx.linear.RigidCoupling("hub", "right", at=(1.2, 0.1, 0.1))
    mass = fx.linear.NodalMass("hub", 3.0, np.diag([0.03, 0.02, 0.025]), (0.0, 0.1, 0.0))
    return fx.linear.Part(box((0, 0, 0), (1.0, 0.2, 0.3), (3, 1, 2)), material=MATERIAL, connections=[end, mass])


def shells() -> fx.linear.Part:
    mesh = fx.meshes.rectangle((0, 0), (1, 0.5), (3, 2)).in_space()
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, ShellQuad(thickness=0.1), MATERIAL)])


PARTS = {
    "hexahedra": lambda: solid(Hexahedron8()),
    "quadratic hexahedra": lambda: solid(Hexahedron20()),
    "frames": frames,
    "shells": shells,
    "linked": linked,
    "lug": lambda: fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=MATERIAL),
}


@pytest.fixture(params=sorted(PARTS), scope="module")
def frame(request: pytest.FixtureRequest) -> fx.linear.MovingFrame:
    return fx.linear.moving_frame(PARTS[request.param](), origin=ORIGIN)


def near(found: object, expected: object, rtol: float = 1e-12) -> None:
    """Equal to round-off of the largest entry."""
    found, expected = (np.asarray(x.toarray() if hasattr(x, "toarray") else x) for x in (found, expected))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=rtol * np.abs(expected).max())


def test_coriolis_and_euler_are_antisymmetric(frame: fx.linear.MovingFrame) -> None:
    for A in (frame.coriolis(OMEGA), frame.euler(OMEGA_DOT)):
        assert abs(A).max() > 0.0
        assert abs(A + A.T).max() <= 1e-14 * abs(A).max()
    near(frame.coriolis(OMEGA_DOT), 2.0 * frame.euler(OMEGA_DOT))


def test_centrifugal_is_symmetric_and_negative_semidefinite(frame: fx.linear.MovingFrame) -> None:
    Z = frame.centrifugal(OMEGA)
    assert abs(Z - Z.T).max() <= 1e-14 * abs(Z).max()
    if frame.structure.n < 400:
        values = np.linalg.eigvalsh(Z.toarray())
        assert values[0] < 0.0
        assert values[-1] <= 1e-13 * abs(values[0])
    else:
        X = np.random.default_rng(0).normal(size=(frame.structure.n, 50))
        assert np.einsum("ij,ij->j", X, Z @ X).max() < 0.0


def test_blocks_of_solids_are_those_of_the_mass() -> None:
    """One interpolation for x, y, z: each 3x3 block is the scalar mass times 2 omega~, omega_dot~, omega~ omega~."""
    frame = fx.linear.moving_frame(solid(Hexahedron8()))
    scalar = frame.structure.M.toarray()[::3, ::3]
    near(frame.coriolis(OMEGA), np.kron(scalar, 2.0 * skew(OMEGA)))
    near(frame.euler(OMEGA_DOT), np.kron(scalar, skew(OMEGA_DOT)))
    near(frame.centrifugal(OMEGA), np.kron(scalar, skew(OMEGA) @ skew(OMEGA)))


def test_rigid_motions(frame: fx.linear.MovingFrame) -> None:
    """The mass matrix holds translations and rotations exactly; so must all matrices, by their action on them."""
    given = frame.structure
    R = given.rigid_motions(ORIGIN)
    W, E = skew(OMEGA), skew(OMEGA_DOT)
    near(frame.coriolis(OMEGA) @ R[:, :3], 2.0 * given.M @ R[:, :3] @ W)
    near(frame.euler(OMEGA_DOT) @ R[:, :3], given.M @ R[:, :3] @ E)
    near(frame.centrifugal(OMEGA) @ R[:, :3], given.M @ R[:, :3] @ W @ W)
    # Z on a rotation: omega~ omega~ theta~ X, of which the loads know the field
    theta = np.array([0.3, 0.7, -0.2])
    field = (W @ W @ skew(theta)).ravel()
    near(frame.centrifugal(OMEGA) @ (R[:, 3:] @ theta), frame.moments.loads[:, 3:] @ field)
    trace = sum(frame.moments.S[:3])
    near(trace, given.M)


def test_loads_are_those_of_other_sums(frame: fx.linear.MovingFrame) -> None:
    """Centrifugal and uniform loads of statics, and the mass matrix times a rotation."""
    given = frame.structure
    near(frame.load(omega=OMEGA), fx.linear.Centrifugal(OMEGA, ORIGIN).forces(given))
    near(frame.load(ACCELERATION), fx.linear.Acceleration(-ACCELERATION).forces(given))
    near(frame.load(omega_dot=OMEGA_DOT), -given.M @ (given.rigid_motions(ORIGIN)[:, 3:] @ OMEGA_DOT))


@pytest.mark.parametrize("kind", ["hexahedra", "quadratic hexahedra", "lug"])
def test_points_at_rest_in_space_feel_no_force(kind: str) -> None:
    """Whatever the frame does: with y'' such that the inertial acceleration is zero, the inertia forces cancel."""
    frame = fx.linear.moving_frame(PARTS[kind](), origin=ORIGIN)
    given = frame.structure
    rng = np.random.default_rng(1)
    y = given.points - ORIGIN + rng.normal(size=given.points.shape)
    rate = rng.normal(size=y.shape)
    u = y - given.points + ORIGIN
    second = -ACCELERATION - np.cross(OMEGA_DOT, y) - 2.0 * np.cross(OMEGA, rate) - np.cross(OMEGA, np.cross(OMEGA, y))
    at = (given.dofs.node, given.dofs.component)
    terms = [
        given.M @ second[at],
        frame.coriolis(OMEGA) @ rate[at],
        (frame.euler(OMEGA_DOT) + frame.centrifugal(OMEGA)) @ u[at],
        -frame.load(ACCELERATION, OMEGA, OMEGA_DOT),
    ]
    assert np.abs(sum(terms)).max() <= 1e-13 * sum(np.abs(t).max() for t in terms)


def test_stress_stiffness_is_that_of_the_static_solution() -> None:
    part = solid(Hexahedron8())
    fixed = {"left": "all"}
    frame = fx.linear.moving_frame(part, fixed)
    found = frame.geometric((1.0, 2.0, 3.0), (0.0, 30.0, 40.0))
    loads = [fx.linear.Acceleration((-1.0, -2.0, -3.0)), fx.linear.Centrifugal((0.0, 30.0, 40.0))]
    near(found, fx.linear.geometric_stiffness(fx.linear.static_response(part, fixed, loads)), 1e-10)


def rod(elements: int) -> fx.linear.Part:
    """A bar along x of unit length, mass and stiffness."""
    mesh = fx.meshes.line((0, 0, 0), (1, 0, 0), elements)
    stiff = fx.BeamStiffness(EA=1.0, EI_z=1.0, mass_per_length=1.0)
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, Truss(section=stiff))])


def guided(part: fx.linear.Part) -> dict[int, object]:
    """Held at its start, and free along x only."""
    return {0: "all"} | dict.fromkeys(range(1, part.mesh.n_points), ("uy", "uz"))


def test_spinning_rod_softens() -> None:
    """u = sin(k x) / (k cos k) - x with k = Omega; errors of the nodes fall with h^2."""
    errors = []
    for n in (8, 16, 32):
        part = rod(n)
        steady = fx.linear.moving_frame(part, guided(part)).operators((0, 0, 1.0), geometric=False).steady()
        errors.append(abs(steady.displacement(n)[0] - (math.tan(1.0) - 1.0)))
        # the support holds the force EA u'(0) = 1 / cos(1) - 1
        reaction = -steady.reaction(0)[0]
        # the node at the support carries no inertia of its own motion: the reaction is of the same order
        assert reaction == pytest.approx(1.0 / math.cos(1.0) - 1.0, rel=2.0 / n**2)
    assert np.log2(np.array(errors[:-1]) / errors[1:]).min() > 1.95


def test_frequencies_of_a_spinning_rod() -> None:
    """Along the rod Z = -Omega^2 M, so that omega^2 falls by Omega^2 in every mesh."""
    part = rod(10)
    frame = fx.linear.moving_frame(part, guided(part))
    at_rest, spinning = (frame.operators((0, 0, w), geometric=False).modes(4).angular_frequencies for w in (0.0, 1.2))
    np.testing.assert_allclose(spinning**2, at_rest**2 - 1.44, rtol=1e-12)


def shaft(mass: float, inertia: object = None, offset: object = (0.0, 0.0, 0.0)) -> fx.linear.Part:
    """A shaft along x of length 2, of next to no mass, with a disc in its middle."""
    mesh = fx.meshes.line((0, 0, 0), (2, 0, 0), 2)
    stiff = fx.BeamStiffness(EA=1e6, EI_z=EI, GJ=10.0, mass_per_length=1e-13)
    disc = fx.linear.NodalMass(1, mass, inertia, offset)
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, Frame(section=stiff, shear=False))], connections=[disc])


BEARINGS = {0: ("ux", "uy", "uz", "rx"), 2: ("uy", "uz")}


@pytest.mark.parametrize("ratio", [0.4, 1.0, 1.7])
def test_whirl_of_a_disc_on_a_shaft(ratio: float) -> None:
    """Seen in the frame: omega_0 + Omega and |omega_0 - Omega|; zero at the critical speed."""
    m, k = 3.0, 48.0 * EI / 2.0**3
    natural = math.sqrt(k / m)
    spin = ratio * natural
    found = fx.linear.moving_frame(shaft(m), BEARINGS).operators((spin, 0, 0)).modes(2)
    np.testing.assert_allclose(found.angular_frequencies, [abs(natural - spin), natural + spin], atol=1e-6 * natural)
    np.testing.assert_allclose(found.growth, 0.0, atol=1e-6 * natural)
    if ratio != 1.0:
        np.testing.assert_allclose(found.angular_frequencies, [abs(natural - spin), natural + spin], rtol=1e-11)
        assert found.residuals.max() < 1e-10


@pytest.mark.parametrize("ratio", [0.5, 3.0])
def test_unbalance_bends_the_shaft_and_centres_itself(ratio: float) -> None:
    """Deflection e Omega^2 / (omega_0^2 - Omega^2), away from the unbalance above the critical speed."""
    m, e, k = 3.0, 0.01, 48.0 * EI / 2.0**3
    spin = ratio * math.sqrt(k / m)
    frame = fx.linear.moving_frame(shaft(m, offset=(0.0, e, 0.0)), BEARINGS)
    steady = frame.operators((spin, 0, 0), geometric=False).steady()
    expected = e * ratio**2 / (1.0 - ratio**2)
    np.testing.assert_allclose(steady.displacement(1)[:3], [0.0, expected, 0.0], atol=1e-12 * abs(expected))


@pytest.mark.parametrize("spin", [0.5, 4.0, 30.0])
@pytest.mark.parametrize("polar", [0.1, 0.4])
def test_gyroscopic_moment_of_a_disc(spin: float, polar: float) -> None:
    """Conical whirl: J_d w^2 - J_p Omega w - k = 0 for the frequencies w of an observer at rest, k = 12 EI / L.

    In the frame the term is split between the Coriolis matrix and the turning of the centrifugal forces.
    """
    J, k = 0.2, 12.0 * EI / 2.0
    hold = {**BEARINGS, 1: ("ux", "uy", "uz", "rx")}
    frame = fx.linear.moving_frame(shaft(1.0, np.diag([polar, J, J])), hold)
    found = frame.operators((spin, 0, 0)).modes(2).angular_frequencies
    at_rest = np.roots([J, -polar * spin, -k])
    np.testing.assert_allclose(found, np.sort(np.abs(at_rest - spin)), rtol=1e-10)


def test_internal_damping_makes_fast_shafts_unstable() -> None:
    """m (z'' + 2 i Omega z' - Omega^2 z) + tau k z' + k z = 0 for z = y + i z, stable below the critical speed only."""
    tau, mass, side = 1e-3, 2.0, 0.01
    steel = fx.Elastic(youngs_modulus=2e11, density=1e-6, poissons_ratio=0.3, retardation_time=tau)
    k = 48.0 * 2e11 * side**4 / 12.0 / 2.0**3
    part = fx.linear.Part(
        fx.meshes.line((0, 0, 0), (2, 0, 0), 2),
        regions=[fx.linear.Region(None, Frame(section=fx.Rectangle(width=side, height=side), shear=False), steel)],
        connections=[fx.linear.NodalMass(1, mass)],
    )
    frame = fx.linear.moving_frame(part, BEARINGS)
    for ratio in (0.8, 1.2):
        spin = ratio * math.sqrt(k / mass)
        roots = np.roots([mass, 2j * mass * spin + tau * k, k - mass * spin**2])
        slow = roots[np.argmin(np.abs(roots))]
        found = frame.operators((spin, 0, 0), geometric=False).modes(1)
        assert found.growth[0] == pytest.approx(slow.real, rel=1e-5)
        assert found.angular_frequencies[0] == pytest.approx(abs(slow.imag), rel=1e-5)
        assert (found.growth[0] > 0.0) == (ratio > 1.0)


def test_a_free_solid_nutates() -> None:
    """In the frame that spins with it: Omega (J_p - J_d) / J_d, for a body without any support.

    Half of it is the stress stiffness: for solids the inertia forces turn with the points they act on.
    """
    a, b, spin = 0.2, 0.6, 10.0
    part = fx.linear.Part(box((-a / 2, -b / 2, -b / 2), (a, b, b), (2, 2, 2)), material=MATERIAL)
    free = fx.linear.moving_frame(part)
    # centrifugal forces are in balance: six supports, none of them loaded, hold the body for their stresses
    held = fx.linear.moving_frame(part, {0: "all", 8: ("uy", "uz"), 18: ("uy",)})
    omega = (spin, 0.0, 0.0)
    bare = free.operators(omega, geometric=False)
    stiff = dataclasses.replace(bare, K=(bare.K + held.geometric(omega=omega)).tocsc())
    expected = spin * (2.0 * b**2 / (a**2 + b**2) - 1.0)
    found = [np.abs(ops.modes(7).angular_frequencies - expected).min() / spin for ops in (stiff, bare)]
    assert found[0] < 2e-5  # the square of the spin by the lowest elastic frequency
    assert found[1] > 1e-2


def blade(elements: int = 20) -> fx.linear.Part:
    stiff = fx.BeamStiffness(EA=1e5, EI_y=1.0, EI_z=4.0, GJ=5.0, mass_per_length=1.0, rhoI_y=1e-3, rhoI_z=1e-3)
    mesh = fx.meshes.line((0, 0, 0), (1, 0, 0), elements)
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, Frame(section=stiff, shear=False))])


def test_arnoldi_and_lapack_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    ops = fx.linear.moving_frame(blade(), {0: "all"}).operators((2.0, 3.0, 5.0))
    dense = ops.modes(5)
    monkeypatch.setattr("flexmbs.linear.frame_operators.DENSE", 0)
    sparse = ops.modes(5)
    np.testing.assert_allclose(sparse.angular_frequencies, dense.angular_frequencies, rtol=1e-9)
    assert max(sparse.residuals.max(), dense.residuals.max()) < 1e-10


def test_at_rest_the_modes_are_the_natural_ones() -> None:
    part = blade()
    found = fx.linear.moving_frame(part, {0: "all"}).operators((0, 0, 0)).modes(4)
    expected = fx.linear.vibration_modes(part, 4, {0: "all"})
    np.testing.assert_allclose(found.angular_frequencies, expected.angular_frequencies, rtol=1e-9)
    np.testing.assert_allclose(
        np.abs(found.shape(0)), np.abs(expected.shape(0)) / np.abs(expected.shape(0)).max(), atol=1e-8
    )


def turning(t: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Orientation Rz(alpha) Ry(beta) with alpha = t^2, beta = sin t; angular velocity and its derivative, own axes."""
    c, s = math.cos(math.sin(t)), math.sin(math.sin(t))
    ca, sa = math.cos(t * t), math.sin(t * t)
    R = np.array([[ca, -sa, 0.0], [sa, ca, 0.0], [0.0, 0.0, 1.0]]) @ np.array(
        [[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]
    )
    beta1, beta2 = math.cos(t), -math.sin(t)
    omega = np.array([-s * 2.0 * t, beta1, c * 2.0 * t])
    omega_dot = np.array([-c * beta1 * 2.0 * t - 2.0 * s, beta2, -s * beta1 * 2.0 * t + 2.0 * c])
    return R, omega, omega_dot


def test_a_mass_on_an_isotropic_spring_does_not_feel_its_frame() -> None:
    """Seen from rest it swings harmonically, however the frame turns; the trapezoidal rule is of second order."""
    k, m = 9.0, 2.0
    bar = fx.BeamStiffness(EA=1e-9, EI_z=1.0, mass_per_length=1e-12)
    part = fx.linear.Part(
        fx.meshes.line((0, 0, 0), (1, 0, 0), 1),
        regions=[fx.linear.Region(None, Truss(section=bar))],
        connections=[fx.linear.NodalMass(0, m), fx.linear.NodalSpring(0, np.diag([k, k, k, 0.0, 0.0, 0.0]))],
    )
    frame = fx.linear.moving_frame(part, {1: "all"})
    x0, v0 = np.array([0.3, -0.2, 0.5]), np.array([1.0, 0.4, -0.7])
    R0, omega0, _ = turning(0.0)
    u, v = np.zeros((2, 6))
    u[:3] = R0.T @ x0
    v[:3] = R0.T @ v0 - np.cross(omega0, u[:3])
    natural, errors = math.sqrt(k / m), []
    for n in (100, 200, 400):
        t = np.linspace(0.0, 2.0, n + 1)
        motion = lambda s: (np.zeros(3), *turning(s)[1:])  # noqa: E731
        found = fx.linear.frame_response(frame, motion, t, u, v, geometric=False)
        exact = turning(2.0)[0].T @ (x0 * math.cos(2.0 * natural) + v0 / natural * math.sin(2.0 * natural))
        errors.append(float(np.abs(found.displacement(0)[-1, :3] - exact).max()))
    assert np.log2(np.array(errors[:-1]) / errors[1:]).min() > 1.95
    assert errors[-1] < 4e-3


def test_response_settles_at_the_steady_state() -> None:
    """In steady rotation, started in the steady state, nothing moves; one factorisation serves all steps."""
    frame = fx.linear.moving_frame(blade(4), {0: "all"})
    omega = (0.0, 0.5, 3.0)
    steady = frame.operators(omega, acceleration=(0.0, 0.0, 2.0)).steady()
    found = fx.linear.frame_response(frame, lambda t: ((0, 0, 2.0), omega, (0, 0, 0)), np.linspace(0, 1, 21), steady.u)
    np.testing.assert_allclose(found.u, np.tile(steady.u, (21, 1)), atol=1e-10 * np.abs(steady.u).max())
    assert found.displacement([1, 4]).shape == (21, 2, 6)


def test_refusals() -> None:
    part = blade(2)
    given = part.assemble()
    bare = fx.linear.Operators(given.K, given.M, given.dofs, given.points)
    with pytest.raises(fx.ModelError, match="needs the elements"):
        fx.linear.moving_frame(bare)
    with pytest.raises(fx.ModelError, match="prescribed values"):
        fx.linear.moving_frame(part, {0: {"ux": 1e-3}})
    with pytest.raises(fx.SingularError, match="rigid motion"):
        fx.linear.moving_frame(part).operators((0, 0, 1.0))
    frame = fx.linear.moving_frame(part, {0: "all"})
    with pytest.raises(fx.ModelError, match="omega"):
        frame.coriolis(3.0)
    with pytest.raises(fx.ModelError, match="12 free unknowns"):
        frame.operators((0, 0, 1.0)).modes(13)
    with pytest.raises(fx.ModelError, match="no mode 2"):
        frame.operators((0, 0, 1.0)).modes(2).shape(2)
    with pytest.raises(fx.SingularError, match="not held"):
        fx.linear.moving_frame(part).operators((0, 0, 0), geometric=False).steady()
    with pytest.raises(fx.SingularError, match="not held"):
        fx.linear.moving_frame(solid(Hexahedron8())).operators((0, 0, 0), geometric=False).steady()
    with pytest.raises(fx.ModelError, match="forces"):
        frame.operators((0, 0, 1.0)).steady([1.0])
    with pytest.raises(fx.ModelError, match="ascend"):
        fx.linear.frame_response(frame, lambda t: (0, 0, 0), [1.0, 0.0])
    with pytest.raises(fx.ModelError, match="acceleration, angular velocity"):
        fx.linear.frame_response(frame, lambda t: (0, 0, 1.0)[:2], [0.0, 1.0])
    with pytest.raises(fx.ModelError, match="MovingFrame"):
        fx.linear.frame_response(part, turning, [0.0, 1.0])
