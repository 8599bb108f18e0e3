"""Vibrations: rigid motions by the geometry, effective masses, prestress."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import jv

import flexmbs as fx
from flexmbs.elements import Frame, Hexahedron8, Hexahedron20

RHO, VOLUME = 8000.0, 0.02
SIDES = np.array([1.0, 0.1, 0.2])
CENTRE = 0.5 * SIDES
INERTIA = RHO * VOLUME / 12 * (SIDES @ SIDES - SIDES**2)


@pytest.mark.parametrize("element", [Hexahedron8(), Hexahedron20()], ids=lambda e: e.cell_type)
def test_free_block_has_six_rigid_motions_to_round_off(block, element) -> None:
    operators = block(element, n=(6, 2, 2)).assemble()
    modes = fx.linear.vibration_modes(operators, 10)
    assert modes.n_rigid == 6
    assert (modes.eigenvalues[:6] == 0.0).all()
    rigid, K = modes.vectors[:, :6], operators.K
    # the energy that the stiffness gives them, against the lowest elastic one
    assert np.abs(np.einsum("ij,ij->j", rigid, K @ rigid)).max() < 1e-9 * modes.eigenvalues[6]
    gram = modes.vectors.T @ (operators.M @ modes.vectors)
    assert np.abs(gram - np.eye(10)).max() < 1e-10
    assert modes.residuals[:6].max() < 1e-14
    assert modes.residuals[6:].max() < 1e-8


def test_masses_and_centre(block) -> None:
    modes = fx.linear.vibration_modes(block(Hexahedron20()), 6)
    assert np.abs(modes.centre_of_mass - CENTRE).max() < 1e-12
    assert modes.masses() == pytest.approx([RHO * VOLUME] * 3 + list(INERTIA), rel=1e-12)
    # all of it is in the rigid motions
    assert modes.effective_masses().sum(axis=0) == pytest.approx(modes.masses(), rel=1e-10)


def test_effective_masses_of_all_modes_add_up(block) -> None:
    operators = block(Hexahedron8(), n=(3, 1, 1)).assemble()
    free = fx.linear.vibration_modes(operators, operators.n)
    assert free.effective_masses().sum(axis=0) == pytest.approx(free.masses(), rel=1e-9)
    n_free = operators.n - 3 * len(operators.node_set("left"))
    held = fx.linear.vibration_modes(operators, n_free, {"left": "all"})
    f = held.supports.free
    MR = (operators.M @ operators.rigid_motions(held.centre_of_mass))[f]
    M = operators.M[f][:, f].toarray()
    exact = np.einsum("ij,ij->j", MR, np.linalg.solve(M, MR))
    assert held.effective_masses().sum(axis=0) == pytest.approx(exact, rel=1e-9)
    assert (exact < held.masses()).all()


def test_partly_held(block) -> None:
    modes = fx.linear.vibration_modes(block(Hexahedron8(), n=(8, 2, 2)), 6, {"left": "ux"})
    assert modes.n_rigid == 3
    assert modes.eigenvalues[3] > 0.0
    shape = modes.shape(0)
    assert np.ptp(shape[:, 1]) + np.ptp(shape[:, 2]) < 1e-9 * np.abs(shape).max()


def test_rigid_motions_of_parts_of_any_size_and_place(block) -> None:
    """A micromachine far from the origin and a bridge: the same count, and frequencies that scale."""
    near = block(Hexahedron8(), n=(6, 1, 1))
    exact = fx.linear.vibration_modes(near, 8).frequencies[6:]
    for scale, shift in ((1e-4, (1.0, 2.0, 3.0)), (1e3, (-1e5, 0.0, 0.0))):
        mesh = near.mesh.transformed(scale=scale, translation=shift)
        far = fx.linear.Part(mesh, regions=near.regions)
        modes = fx.linear.vibration_modes(far, 8)
        assert modes.n_rigid == 6
        # coordinates that far from the origin have lost the digits of |shift| / size
        assert modes.frequencies[6:] * scale == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("length", [1e-6, 1e-3, 1e7])
def test_free_frames_in_any_unit_of_length(length: float) -> None:
    """Forces and times kept: masses go by 1 / L, and frequencies stay; rotations stand beside displacements."""

    def frequencies(unit: float, place: tuple[float, float, float]) -> np.ndarray:
        bending = unit**2
        stiffness = fx.BeamStiffness(EA=3e6, EI_z=900 * bending, EI_y=400 * bending, GJ=300 * bending, GA_y=1e5,
                                     GA_z=6e4, mass_per_length=3 / bending, rhoI_y=0.01, rhoI_z=0.02)  # fmt: skip
        start = np.array(place) * unit
        mesh = fx.meshes.line(tuple(start), tuple(start + np.array([1.2, 1.6, 0.0]) * unit), 4)
        part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Frame(section=stiffness))])
        modes = fx.linear.vibration_modes(part, 8)
        assert modes.n_rigid == 6
        assert modes.residuals.max() < 1e-8
        return modes.frequencies[6:]

    expected = frequencies(1.0, (0, 0, 0))
    for place in ((0, 0, 0), (50, -30, 20)):
        assert frequencies(length, place) == pytest.approx(expected, rel=1e-7)


def test_held_by_springs_is_not_rigid(block) -> None:
    bed = [fx.linear.NodalSpring(int(n), (1e3, 1e3, 1e3)) for n in (0, 4, 10, 20)]
    modes = fx.linear.vibration_modes(block(Hexahedron8(), connections=bed), 7)
    assert modes.n_rigid == 0
    mass = RHO * VOLUME
    assert modes.frequencies[:6].max() < 40.0 < modes.frequencies[6]
    assert 0.2 < modes.angular_frequencies[:3].mean() / np.sqrt(4e3 / mass) < 2.0


def test_modes_of_a_part_on_a_rigid_link(block) -> None:
    part = block(Hexahedron8(), n=(6, 1, 1), connections=[fx.linear.RigidCoupling("hub", "left")])
    linked = fx.linear.vibration_modes(part, 3, {"hub": "all"})
    clamped = fx.linear.vibration_modes(block(Hexahedron8(), n=(6, 1, 1)), 3, {"left": "all"})
    assert linked.frequencies == pytest.approx(clamped.frequencies, rel=1e-9)


def test_chain_without_geometry_for_bending(chain) -> None:
    modes = fx.linear.vibration_modes(chain(300, k=2.0, m=3.0), 5)
    exact = 2.0 * np.sqrt(2.0 / 3.0) * np.sin(np.arange(5) * np.pi / 600)
    assert modes.n_rigid == 1
    assert np.abs(modes.angular_frequencies - exact).max() < 1e-10 * exact[-1]


def test_a_mechanism_within_is_found_with_a_shift(chain) -> None:
    """Two masses without spring between them: a second motion without energy, which no geometry tells."""
    free = chain(6)
    K = free.K.tolil()
    K[2, 3] = K[3, 2] = 0.0
    K[2, 2] -= 1.0
    K[3, 3] -= 1.0
    cut = fx.linear.Operators(K, free.M, free.dofs, free.points)
    modes = fx.linear.vibration_modes(cut, 3)
    assert modes.angular_frequencies[1] < 1e-6
    assert modes.angular_frequencies[2] == pytest.approx(1.0, rel=1e-9)


def cantilever_under_load(factor: float) -> float:
    """Lowest omega^2 of a slender cantilever (EI = mass per length = L = 1) under its critical load times a factor."""
    P = factor * np.pi**2 / 4

    def determinant(square: float) -> float:
        # w = exp(r x) with r^4 + P r^2 = omega^2; clamped at x = 0, without moment and shear force at x = 1
        r = np.roots([1.0, 0.0, P, 0.0, -square]).astype(complex)
        end = np.exp(r)
        A = np.array([np.ones(4), r, r**2 * end, (r**3 + P * r) * end])
        return float((np.linalg.det(A) / np.prod([r[i] - r[j] for i in range(4) for j in range(i)])).real)

    grid = np.linspace(1e-4, 40.0, 4001)
    values = [determinant(x) for x in grid]
    i = int(np.argmax(np.diff(np.sign(values)) != 0))
    return float(brentq(determinant, grid[i], grid[i + 1]))


def test_tension_raises_and_compression_lowers(block) -> None:
    operators = block(Hexahedron8(), n=(10, 1, 1)).assemble()
    plain = fx.linear.vibration_modes(operators, 2, {"left": "all"})
    critical = fx.linear.buckling_loads(
        operators, {"left": "all"}, fx.linear.SurfaceLoad("right", traction=(-1.0, 0, 0))
    )
    squares = []
    for factor in (-0.5, 0.5, 0.999):
        pushed = fx.linear.static_response(
            operators, {"left": "all"}, fx.linear.SurfaceLoad("right", traction=(-factor * critical.factors[0], 0, 0))
        )
        squares.append(fx.linear.vibration_modes(operators, 1, {"left": "all"}, prestress=pushed).eigenvalues[0])
    relative = np.array(squares) / plain.eigenvalues[0]
    # shear and the mesh shift load and frequency alike: their ratios are those of the slender beam to (h/L)^2
    exact = [cantilever_under_load(factor) / cantilever_under_load(0.0) for factor in (-0.5, 0.5, 0.999)]
    assert relative == pytest.approx(exact, rel=0.01)
    beyond = fx.linear.static_response(
        operators, {"left": "all"}, fx.linear.SurfaceLoad("right", traction=(-1.01 * critical.factors[0], 0, 0))
    )
    with pytest.raises(fx.SingularError, match="unstable under the prestress"):
        fx.linear.vibration_modes(operators, 1, {"left": "all"}, prestress=beyond)


def test_euler_column(block) -> None:
    slender = fx.meshes.box((0, 0, 0), (1.0, 0.01, 0.02), (40, 1, 1)).quadratic()
    material = fx.Elastic(youngs_modulus=2e11, density=8000.0, poissons_ratio=0.0)
    part = fx.linear.Part(slender, regions=[fx.linear.Region(None, Hexahedron20(), material)])
    found = fx.linear.buckling_loads(
        part, {"left": "all"}, fx.linear.SurfaceLoad("right", traction=(-1.0 / 2e-4, 0, 0)), 2
    )
    euler = np.pi**2 / 4 * 2e11 * np.array([0.02 * 0.01**3, 0.01 * 0.02**3]) / 12
    # shear and shortening change the loads by P / (G A_s) + P / (E A) < 3e-4
    assert found.factors == pytest.approx(euler, rel=3e-4)
    assert found.residuals.max() < 1e-9


def free_column(n: int) -> fx.linear.Part:
    """A column of unit length along x, EI = 1 and 2."""
    section = fx.BeamStiffness(EA=1e6, EI_y=1.0, EI_z=2.0, GJ=1.0, mass_per_length=3.0)
    column = fx.meshes.line((0, 0, 0), (1, 0, 0), n)
    return fx.linear.Part(column, regions=[fx.linear.Region(None, Frame(section=section, shear=False))])


@pytest.mark.parametrize("n", [16, 60])
def test_free_column_buckles_as_a_hinged_one(n: int) -> None:
    """P = (k pi)^2 EI / L^2, the whole spectrum; ends on one line, the middle sin(pi x) away; dense and Lanczos."""
    press = [fx.linear.NodalForce("start", (1.0, 0, 0)), fx.linear.NodalForce("end", (-1.0, 0, 0))]
    found = fx.linear.buckling_loads(free_column(n), None, press, 5)
    euler = np.sort(np.concatenate([(np.pi * np.arange(1, 4)) ** 2, 2.0 * (np.pi * np.arange(1, 4)) ** 2]))[:5]
    assert found.factors == pytest.approx(euler, rel=0.1 * (np.pi * 3 / n) ** 4)  # of fourth order
    assert found.factors == pytest.approx(
        fx.linear.buckling_loads(
            free_column(n), {"start": ("ux", "uy", "uz", "rx"), "end": ("uy", "uz")}, press[1], 5
        ).factors,
        rel=1e-9,
    )
    assert found.residuals.max() < 1e-9
    shape = found.shape(0)[:, 2]
    wave = np.sin(np.pi * np.linspace(0.0, 1.0, n + 1))
    assert shape - shape[0] == pytest.approx((shape[n // 2] - shape[0]) * wave, abs=1e-4)
    assert np.abs(found.shape(0)[:, 2:3].sum()) < 1e-9 * (n + 1)


def test_column_pushed_through_space() -> None:
    r"""Thrust P at one end against the inertia: EI t'' + P (x / L) t = 0 for the slope t, with t' = 0 at both ends.

    With t' in proportion to :math:`x J_{2/3}(\tfrac23 \sqrt{P L^2 / EI}\,(x/L)^{3/2})`, P follows from its first zero.
    """
    x = np.linspace(3.0, 3.6, 1001)
    zero = brentq(lambda z: jv(2 / 3, z), x[0], x[-1])
    mass = 3.0
    thrust = [fx.linear.NodalForce("end", (-1.0, 0, 0)), fx.linear.Acceleration((1.0 / mass, 0, 0))]
    errors = [
        abs(fx.linear.buckling_loads(free_column(n), None, thrust).factors[0] / (1.5 * zero) ** 2 - 1) for n in (20, 40)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)  # the force is constant in an element
    assert errors[1] < 1.0 / 40**2
    with pytest.raises(fx.ModelError, match=r"moves along x.*loads push it there.*Acceleration"):
        fx.linear.buckling_loads(free_column(4), None, thrust[0])
    with pytest.raises(fx.ModelError, match="do not buckle"):
        fx.linear.buckling_loads(
            free_column(4),
            None,
            [fx.linear.NodalForce("start", (-1.0, 0, 0)), fx.linear.NodalForce("end", (1.0, 0, 0))],
        )


@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_free_solid_column(turn: float) -> None:
    """Of solids, along any direction, moved aside; shear and the mesh change the load by (h/L)^2."""
    slender = fx.meshes.box((0, 0, 0), (1.0, 0.01, 0.02), (20, 1, 1)).quadratic()
    R = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    mesh = replace(slender, points=slender.points @ R.T + 3.0 * turn)
    material = fx.Elastic(youngs_modulus=2e11, density=8000.0, poissons_ratio=0.0)
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, Hexahedron20(), material)])
    press = [
        fx.linear.SurfaceLoad(end, traction=tuple(sign / 2e-4 * R[:, 0])) for end, sign in (("left", 1), ("right", -1))
    ]
    found = fx.linear.buckling_loads(part, None, press, 2)
    assert found.factors == pytest.approx(np.pi**2 * 2e11 * np.array([0.02 * 0.01**3, 0.01 * 0.02**3]) / 12, rel=2e-3)


def test_what_cannot_buckle_is_refused(block) -> None:
    part = fx.linear.Part(fx.meshes.box((0, 0, 0), (1, 1, 1), (1, 1, 1)), material=fx.steel)
    guided = {"left": "ux", "front": "uy", "back": "uy", "bottom": "uz", "top": "uz"}
    with pytest.raises(fx.ModelError, match="do not buckle"):
        fx.linear.buckling_loads(part, guided, fx.linear.SurfaceLoad("right", traction=(1.0, 0, 0)))


def test_bad_arguments(block) -> None:
    part = block(Hexahedron8(), n=(2, 1, 1))
    other = fx.linear.static_response(block(Hexahedron8()), {"left": "all"}, fx.linear.Acceleration((0, 0, 1.0)))
    for make, words in (
        (lambda: fx.linear.vibration_modes(part, 0), "at least 1"),
        (lambda: fx.linear.vibration_modes(part, 10**5), "only 36 free unknowns have mass"),
        (lambda: fx.linear.vibration_modes(part, 1, {"left": {"ux": 1.0}}), "must be zero"),
        (lambda: fx.linear.vibration_modes(part, 1, {"left": "all"}, prestress=3.0), "must be a LinearSolution"),
        (lambda: fx.linear.vibration_modes(part, 1, {"left": "all"}, prestress=other), "solve the same one"),
        (lambda: fx.linear.vibration_modes(part, 2).shape(2), "no mode 2"),
        (lambda: fx.linear.geometric_stiffness(part), "expected a LinearSolution"),
        (
            lambda: fx.linear.buckling_loads(part, {"left": "all"}, {"a": fx.linear.Acceleration((1.0, 0, 0))}),
            "one load case",
        ),
    ):
        with pytest.raises(fx.ModelError, match=words):
            make()


@pytest.mark.parametrize("digits", [14, 10, 8, 6])
def test_operators_from_files_with_few_digits(block, digits) -> None:
    """Elastic modes keep about the digits of the file, less the ratio of the largest eigenvalue to theirs."""
    operators = block(Hexahedron20(), n=(4, 2, 2)).assemble()
    exact = fx.linear.vibration_modes(operators, 9).frequencies

    def rounded(A):
        A = A.tocsc(copy=True)
        A.eliminate_zeros()
        size = 10.0 ** (np.floor(np.log10(np.abs(A.data))) - digits + 1)
        A.data = np.round(A.data / size) * size
        return A

    file = fx.linear.Operators(rounded(operators.K), rounded(operators.M), operators.dofs, operators.points)
    modes = fx.linear.vibration_modes(file, 9)
    largest = (operators.K.diagonal() / operators.M.diagonal()).max()
    noise = 10.0 ** (1 - digits) * largest
    found = modes.frequencies
    assert found[:6].max() <= np.sqrt(noise) / (2.0 * np.pi)
    lost = noise / (2.0 * np.pi * exact[6:]) ** 2
    assert (np.abs(found[6:] / exact[6:] - 1.0) < lost + 1e-9).all()
    with pytest.raises(fx.SingularError, match="leave 6 rigid motions free"):
        fx.linear.static_response(file, None, fx.linear.Acceleration((0, 0, 1.0)))


@pytest.mark.parametrize("element", [Hexahedron8(), Hexahedron20()], ids=lambda e: e.cell_type)
def test_loads_of_operators_without_elements(block, element) -> None:
    """For solids the mass matrix alone gives the same body forces."""
    operators = block(element).assemble()
    alone = fx.linear.Operators(operators.K, operators.M, operators.dofs, operators.points)
    for load in (fx.linear.Acceleration((1.0, 2.0, 3.0)), fx.linear.Centrifugal((10.0, 5.0, 3.0), (0.3, 0.0, -0.2))):
        one, two = load.forces(operators), load.forces(alone)
        assert np.abs(one - two).max() < 1e-11 * np.abs(one).max()


def test_unstable_modes_of_a_prestressed_free_structure_are_shown() -> None:
    """A free bar under the stresses of a load P of its clamped state: turns grow by 12 P / (m L)."""
    slender = fx.meshes.box((0, 0, 0), (1.0, 0.01, 0.02), (20, 1, 1)).quadratic()
    material = fx.Elastic(youngs_modulus=2e11, density=8000.0, poissons_ratio=0.0)
    operators = fx.linear.Part(slender, regions=[fx.linear.Region(None, Hexahedron20(), material)]).assemble()
    load = 0.05 * np.pi**2 * 2e11 * 0.02 * 0.01**3 / 12  # of Euler's load: bending changes little
    pushed = fx.linear.static_response(
        operators, {"left": "all"}, fx.linear.SurfaceLoad("right", traction=(-load / 2e-4, 0, 0))
    )
    with pytest.warns(RuntimeWarning, match="2 modes are unstable under the prestress"):
        modes = fx.linear.vibration_modes(operators, 8, prestress=pushed)
    kappa = np.sqrt(12.0 * load / 1.6)
    assert modes.unstable.sum() == 2
    assert modes.angular_frequencies[modes.unstable] == pytest.approx([-kappa, -kappa], rel=0.02)
    assert "2 unstable" in repr(modes)
    assert not fx.linear.vibration_modes(operators, 8).unstable.any()


def test_a_free_motion_without_mass_is_named() -> None:
    """Of a free bar without inertia about its axis nothing resists the turning about it."""
    stiffness = fx.BeamStiffness(EA=1e4, EI_z=1.0, GJ=1.0, mass_per_length=1.0)
    region = fx.linear.Region(None, fx.elements.Frame(section=stiffness))
    bar = fx.linear.Part(fx.meshes.line((0, 0, 0), (1, 0, 0), 4), regions=[region], name="bar")
    with pytest.raises(fx.SingularError, match=r"turns about x through.*moves no mass.*rhoI_y"):
        fx.linear.vibration_modes(bar, 3)
