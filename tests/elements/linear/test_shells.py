"""Shells: patch tests, rank, rigid motions, locking, in-plane bending, inertia, offsets, stresses, and bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.core.errors import MeshError, ModelError
from flexmbs.core.laminate import Ply
from flexmbs.core.rotations import from_vector
from flexmbs.elements import ShellQuad, ShellTriangle
from flexmbs.linear.prestress import geometric_stiffness
from flexmbs.meshes import Mesh

SOFT = fx.Elastic(youngs_modulus=1e6, poissons_ratio=0.25, density=3.0)
KINDS = {"quad": ShellQuad, "triangle": ShellTriangle}
CORNERS = {
    "quad": np.array([[0.0, 0, 0], [1.0, 0.1, 0], [1.2, 0.9, 0], [-0.1, 1.1, 0]]),
    "triangle": np.array([[0.0, 0, 0], [1.0, 0.1, 0], [0.3, 0.9, 0]]),
}
WARP = np.array([[0, 0, 0.04], [0, 0, -0.05], [0, 0, 0.05], [0, 0, -0.04]])
both = pytest.mark.parametrize("kind", ["quad", "triangle"])
turns = st.tuples(*[st.floats(-3.0, 3.0)] * 3).map(lambda v: from_vector(np.array(v)))


def tabulated(element, points, material=SOFT):
    """One element."""
    return element.tabulate("test", np.array([points]), material, np.array([0]))


def corners(kind, warped=False):
    return CORNERS[kind] + (WARP if warped and kind == "quad" else 0.0)


def rigid(points):
    """Rigid motions (k, 6) of nodes."""
    R = np.zeros((len(points), 6, 6))
    R[:, range(6), range(6)] = 1.0
    for i in range(3):
        R[:, :3, 3 + i] = np.cross(np.eye(3)[i], points)
    return R.reshape(-1, 6)


def blocks(Q, n):
    return np.kron(np.eye(2 * n), Q)


def plate(kind, n, size=(1.0, 1.0), distortion=0.0):
    """A rectangle of n[0] by n[1] cells in space, its inner nodes moved at random by up to this part of a cell."""
    mesh = fx.meshes.rectangle((0, 0), size, n, kind).in_space()
    points = np.array(mesh.points)
    inside = np.setdiff1d(np.arange(len(points)), np.concatenate(list(mesh.node_sets.values())))
    step = distortion * np.array(size) / n
    points[inside, :2] += np.random.default_rng(3).uniform(-step, step, (len(inside), 2))
    edge = np.setdiff1d(np.arange(len(points)), inside)
    return Mesh(points, [(kind, mesh.cells[0].nodes)], {**mesh.node_sets, "edge": edge, "all": np.arange(len(points))})


def part(mesh, element, material=SOFT, connections=()):
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, element, material)], connections=connections)


# --- patch tests, rank, rigid motions -------------------------------------------------------------------------------


def states(points):
    """Coordinates (n, 6) of constant membrane strain, of constant curvature and of constant transverse shear."""
    x, y = points[:, 0], points[:, 1]
    o = np.zeros(len(x))
    stretch = [1e-3 * (x + 0.5 * y), 1e-3 * (0.2 * x + 0.7 * y), o, o, o, o - 0.15e-3]
    bent = [o, o, -0.5 * (x * x + 0.6 * y * y + 0.8 * x * y), -(0.6 * y + 0.4 * x), x + 0.4 * y, o]
    sheared = [o, o, 0.3 * x + 0.1 * y, o + 0.5, o + 0.2, o]
    return {"membrane": np.column_stack(stretch), "bending": np.column_stack(bent), "shear": np.column_stack(sheared)}


@both
@pytest.mark.parametrize("state", ["membrane", "bending"])
@pytest.mark.parametrize("thickness", [0.3, 1e-2, 1e-4])
def test_patch_of_distorted_cells_keeps_constant_strains(kind, state, thickness):
    mesh = plate(kind, (3, 3), distortion=0.3)
    operators = part(mesh, KINDS[kind](thickness=thickness)).assemble()
    exact = states(mesh.points)[state]
    names = ("ux", "uy", "uz", "rx", "ry", "rz")
    held = {int(a): dict(zip(names, map(float, exact[a]), strict=True)) for a in mesh.node_set("edge")}
    solution = fx.linear.static_response(operators, held)
    # solved with a condition number of about thickness^-2
    np.testing.assert_allclose(
        solution.displacements, exact, atol=1e-12 * np.abs(exact).max() * max(1.0, 1e-4 / thickness**2)
    )
    stress = solution.stresses()[0].values
    np.testing.assert_allclose(stress, stress[:1].repeat(len(stress), 0), atol=1e-8 * np.abs(stress).max())


def test_constant_transverse_shear_of_the_quadrilateral_is_exact():
    """Only Q and its distributed moments resist: nothing at the inner nodes acts along z, and the work is Q gamma A."""
    mesh = plate("quad", (3, 3), distortion=0.3)
    t = 1e-2
    operators = part(mesh, ShellQuad(thickness=t)).assemble()
    u = states(mesh.points)["shear"]
    gamma = np.array([0.3 + 0.2, 0.1 - 0.5])
    energy = 0.5 * 5.0 / 6.0 * SOFT.shear_modulus * t * gamma @ gamma
    assert 0.5 * u.ravel() @ operators.K @ u.ravel() == pytest.approx(energy, rel=1e-12)
    force = (operators.K @ u.ravel()).reshape(-1, 6)
    inside = np.setdiff1d(mesh.node_set("all"), mesh.node_set("edge"))
    assert np.abs(force[inside, 2]).max() < 1e-12 * np.abs(force[:, 2]).max()


def test_shear_strain_of_the_triangle_tends_to_the_constant_one():
    """The constraints of its sides meet it for elements below the thickness, with an error of order size squared."""
    errors = []
    for h in (0.1, 0.05):
        points = h * CORNERS["triangle"]
        group = tabulated(ShellTriangle(thickness=1.0), points)
        R = group.frames[0]
        u = blocks(R, 3) @ states(points)["shear"].ravel()
        found = np.einsum("gik,k->gi", group.strains[0], u)[:, 6:8]
        errors.append(np.abs(found - R[:2, :2] @ [0.5, -0.4]).max())
    assert errors[1] < 2e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


@both
@pytest.mark.parametrize("warped", [False, True])
@pytest.mark.parametrize("thickness", [0.1, 1e-3])
@pytest.mark.parametrize("offset", [0.0, 0.03])
def test_six_rigid_motions_and_no_other_mode_without_energy(kind, warped, thickness, offset):
    points = corners(kind, warped) @ from_vector(np.array([0.4, -1.0, 0.7])).T + [3.0, -2.0, 1.0]
    element = KINDS[kind](thickness=thickness, offset=offset)
    group = tabulated(element, points)
    K, M = element.stiffness(group)[0], element.mass(group)[0]
    assert (K == K.T).all()
    assert (M == M.T).all()
    assert np.abs(K @ rigid(points)).max() < 1e-13 * np.abs(K).max()
    values = np.linalg.eigvalsh(K)
    assert np.abs(values[:6]).max() < 1e-14 * values[-1]
    # the softest deformation is bending: of the order of thickness^2 beside membranes
    assert values[6] > 1e-3 * thickness**2 * values[-1]


@both
@settings(max_examples=15, deadline=None, derandomize=True)
@given(Q=turns)
def test_matrices_turn_with_the_element(kind, Q):
    element = KINDS[kind](thickness=0.05, offset=0.02)
    points = corners(kind, warped=True)
    n = len(points)
    u = np.sin(np.arange(6.0 * n))
    straight, turned = tabulated(element, points), tabulated(element, points @ Q.T)
    for name in ("stiffness", "mass"):
        one, other = getattr(element, name)(straight)[0], getattr(element, name)(turned)[0]
        back = blocks(Q, n).T @ other @ blocks(Q, n)
        np.testing.assert_allclose(back, one, atol=1e-12 * np.abs(one).max())
    one = element.geometric_stiffness(straight, u[None])[0]
    other = element.geometric_stiffness(turned, (blocks(Q, n) @ u)[None])[0]
    np.testing.assert_allclose(blocks(Q, n).T @ other @ blocks(Q, n), one, atol=1e-11 * np.abs(one).max())


@both
def test_the_first_corner_does_not_matter(kind):
    element = KINDS[kind](thickness=0.05, offset=0.01)
    points = corners(kind, warped=True)
    n = len(points)
    shift = np.roll(np.arange(n), -1)
    order = (6 * shift[:, None] + np.arange(6)).ravel()
    one = element.stiffness(tabulated(element, points))[0]
    other = element.stiffness(tabulated(element, points[shift]))[0]
    np.testing.assert_allclose(other, one[np.ix_(order, order)], atol=1e-12 * np.abs(one).max())


# --- membrane, bending, locking -------------------------------------------------------------------------------------


@pytest.mark.parametrize("aspect", [0.25, 1.0, 16.0])
@pytest.mark.parametrize("cells", [[[0, 1, 2, 3]], [[0, 1, 2], [0, 2, 3]], [[0, 1, 3], [1, 2, 3]]])
def test_in_plane_bending_of_rectangles_is_exact(aspect, cells):
    """Energy of u = -k x y, v = k (x^2 + nu y^2) / 2 with the rotation k x: E I k^2 a / 2."""
    a, b, t, k = aspect, 1.0, 0.1, 1e-3
    points = np.array([[-a, -b, 0], [a, -b, 0], [a, b, 0], [-a, b, 0]]) / 2
    x, y, o = points[:, 0], points[:, 1], np.zeros(4)
    nu, E = SOFT.poissons_ratio, SOFT.youngs_modulus
    u = np.column_stack([-k * x * y, 0.5 * k * (x * x + nu * y * y), o, o, o, k * x])
    element = KINDS["quad" if len(cells) == 1 else "triangle"](thickness=t)
    energy = 0.0
    for cell in cells:
        K = element.stiffness(tabulated(element, points[cell]))[0]
        energy += 0.5 * u[cell].ravel() @ K @ u[cell].ravel()
    assert energy == pytest.approx(0.5 * E * t * b**3 / 12 * k * k * a, rel=1e-9)


def test_rotations_about_the_normal_are_those_of_a_beam():
    """One layer of quadrilaterals under a couple at its end: it turns, and its nodes turn, by M L / EI."""
    L, b, t = 20.0, 1.0, 0.1
    mesh = plate("quad", (5, 1), (L, b))
    low, high = (int(np.intersect1d(mesh.node_set("right"), mesh.node_set(s))[0]) for s in ("bottom", "top"))
    root = int(np.intersect1d(mesh.node_set("left"), mesh.node_set("bottom"))[0])
    fixed = {"left": ("ux",), root: ("uy",), "all": ("uz", "rx", "ry")}
    loads = [fx.linear.NodalForce(low, (1.0, 0, 0)), fx.linear.NodalForce(high, (-1.0, 0, 0))]
    u = fx.linear.static_response(part(mesh, ShellQuad(thickness=t)), fixed, loads).displacement("right")
    turn = b * L / (SOFT.youngs_modulus * t * b**3 / 12)
    np.testing.assert_allclose(u[:, 5], turn, rtol=1e-10)
    assert (u[0, 0] - u[1, 0]) / b == pytest.approx(turn, rel=1e-10)


@both
@pytest.mark.parametrize("slenderness", [10.0, 100.0, 1e3, 1e4])
def test_no_shear_locking(kind, slenderness):
    """A cantilever plate strip of distorted cells, nu = 0: P L^3 / 3 EI + P L / kGA for every thickness."""
    t = 1.0 / slenderness
    material = fx.Elastic(youngs_modulus=1e9, poissons_ratio=0.0, density=1.0)
    mesh = plate(kind, (8, 3), (1.0, 0.4), distortion=0.2)
    operators = part(mesh, KINDS[kind](thickness=t), material).assemble()
    solution = fx.linear.static_response(operators, {"left": "all"}, _edge_force(mesh))
    EI, GA = 1e9 * 0.4 * t**3 / 12, 5 / 6 * 0.5e9 * 0.4 * t
    exact = 1.0 / (3 * EI) + 1.0 / GA
    assert solution.displacement("right")[:, 2].mean() == pytest.approx(exact, rel=0.01)


def _edge_force(mesh):
    """A unit force along z, spread evenly over the right edge."""
    right = mesh.node_set("right")
    order = right[np.argsort(mesh.points[right, 1])]
    w = np.ones(len(order))
    w[[0, -1]] = 0.5
    return [fx.linear.NodalForce(int(a), (0, 0, f)) for a, f in zip(order, w / w.sum(), strict=True)]


# --- inertia --------------------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("warped", [False, True])
@pytest.mark.parametrize("offset", [0.0, 0.3])
def test_mass_is_the_sum_over_its_points(kind, warped, offset):
    points = corners(kind, warped) @ from_vector(np.array([0.4, -1.0, 0.7])).T
    element = KINDS[kind](thickness=0.2, offset=offset)
    group = tabulated(element, points)
    M, mass = element.mass(group)[0], element.mass_points(group)
    summed = np.einsum("g,gik,gil->kl", mass.weights[0], mass.shapes[0], mass.shapes[0])
    np.testing.assert_allclose(M, summed, atol=1e-14 * np.abs(M).max())
    np.testing.assert_allclose(mass.shapes[0] @ rigid(points)[:, :3], np.eye(3)[None].repeat(mass.shapes.shape[1], 0))
    turned = np.cross([1.0, 2.0, 3.0], mass.positions[0])
    np.testing.assert_allclose(mass.shapes[0] @ rigid(points)[:, 3:] @ [1.0, 2.0, 3.0], turned, atol=1e-14)
    assert np.linalg.eigvalsh(M)[0] > -1e-15 * np.abs(M).max()


@both
def test_inertia_of_a_plate_is_that_of_a_cuboid(kind):
    a, b, t, z = 2.0, 1.0, 0.3, 0.4
    operators = part(plate(kind, (3, 2), (a, b), distortion=0.2), KINDS[kind](thickness=t, offset=z)).assemble()
    R = operators.rigid_motions((a / 2, b / 2, z))
    J = R.T @ operators.M @ R
    m = SOFT.density * a * b * t
    exact = [m, m, m, m * (b**2 + t**2) / 12, m * (a**2 + t**2) / 12, m * (a**2 + b**2) / 12]
    np.testing.assert_allclose(J, np.diag(exact), atol=1e-13 * m * a * a)


# --- offset, geometric stiffness, stresses --------------------------------------------------------------------------


@both
def test_an_offset_is_a_rigid_lever(kind):
    """Element with an offset against one without whose nodes hang on rigid levers."""
    z, points = 0.15, corners(kind)
    n = len(points)
    lever = np.zeros((6 * n, 6 * n))
    for a in range(n):
        lever[6 * a : 6 * a + 6, 6 * a : 6 * a + 6] = rigid(np.array([[0, 0, z]]))
    near, far = KINDS[kind](thickness=0.1, offset=z), KINDS[kind](thickness=0.1)
    one, other = tabulated(near, points), tabulated(far, points + np.array([0, 0, z]))
    u = np.cos(np.arange(6.0 * n))
    for name, args in (
        ("stiffness", ((), ())),
        ("mass", ((), ())),
        ("geometric_stiffness", ((u[None],), ((lever @ u)[None],))),
    ):
        A = getattr(near, name)(one, *args[0])[0]
        B = lever.T @ getattr(far, name)(other, *args[1])[0] @ lever
        np.testing.assert_allclose(A, B, atol=1e-13 * np.abs(B).max())


@both
def test_stretched_plate_as_a_membrane(kind):
    """The stress stiffness of a tension N is that of a membrane: N A (w,x)^2 for any in-plane distortion."""
    mesh = plate(kind, (4, 4), distortion=0.3)
    operators = part(mesh, KINDS[kind](thickness=0.01)).assemble()
    strain = 1e-3
    names = ("ux", "uy", "uz", "rx", "ry", "rz")
    stretch = np.column_stack(
        [strain * mesh.points[:, 0], -0.25 * strain * mesh.points[:, 1], *np.zeros((4, len(mesh.points)))]
    )
    held = {int(a): dict(zip(names, map(float, stretch[a]), strict=True)) for a in mesh.node_set("edge")}
    G = geometric_stiffness(fx.linear.static_response(operators, held))
    tension = 1e6 * strain * 0.01
    for c in range(3):
        u = np.zeros((len(mesh.points), 6))
        u[:, c] = 2.0 * mesh.points[:, 0] + 3.0 * mesh.points[:, 1]
        if c == 2:  # the normals turn with the plate
            u[:, 3:5] = 3.0, -2.0
        assert u.ravel() @ G @ u.ravel() == pytest.approx(4.0 * tension, rel=1e-10)


@both
@settings(max_examples=10, deadline=None, derandomize=True)
@given(Q=turns)
def test_stresses_of_both_faces(kind, Q):
    """Pure bending and stretching of a plate turned in space: sigma = Q (eps + z kappa) at every point and node."""
    t = 0.02
    element = KINDS[kind](thickness=t)
    points = corners(kind)
    exact = states(points)
    u = blocks(Q, len(points)) @ (exact["membrane"] + 1e-2 * exact["bending"]).ravel()
    group = tabulated(element, points @ Q.T)
    strain = np.array([1e-3, 0.7e-3, 0.7e-3])
    curvature = 1e-2 * np.array([1.0, 0.6, 0.8])
    for values in (element.stresses(group, u[None])[0], element.nodal_stresses(group, u[None])[0]):
        for face, z in ((0, 0.5 * t), (6, -0.5 * t)):
            s = SOFT.plane_stress() @ (strain + z * curvature)
            full = Q @ np.array([[s[0], s[2], 0], [s[2], s[1], 0], [0, 0, 0]]) @ Q.T
            wanted = full[[0, 1, 2, 0, 1, 0], [0, 1, 2, 1, 2, 2]]
            np.testing.assert_allclose(
                values[:, face : face + 6], np.tile(wanted, (len(values), 1)), atol=1e-9 * abs(s).max()
            )
    assert element.stress_names[0] == "xx top"
    assert element.stress_names[11] == "xz bottom"
    assert element.stress_positions(group).shape == (1, len(points), 3)


@both
def test_free_thermal_strain_gives_no_stress(kind):
    mesh = plate(kind, (3, 3), distortion=0.3)
    low = int(np.intersect1d(mesh.node_set("left"), mesh.node_set("bottom"))[0])
    fixed = {"left": ("ux",), low: ("uy",), "bottom": ("uy",), "all": ("uz", "rx", "ry")}
    solution = fx.linear.static_response(
        part(mesh, KINDS[kind](thickness=0.1)), fixed, fx.linear.ThermalLoad(100.0, 2e-5)
    )
    np.testing.assert_allclose(solution.displacements[:, :2], 2e-3 * mesh.points[:, :2], atol=1e-14)
    assert np.abs(solution.stresses()[0].values).max() < 1e-10 * 1e6 * 2e-3


# --- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "either a thickness or layers"),
        ({"thickness": 0.0}, "greater than 0"),
        ({"thickness": -1.0}, "greater than 0"),
        ({"thickness": 0.1, "layers": (Ply(SOFT, 0.1),)}, "either"),
        ({"layers": (SOFT,)}, "list of Ply"),
        ({"thickness": 0.1, "offset": float("nan")}, "finite"),
        ({"thickness": 0.1, "reference": (0, 0, 0)}, "direction"),
    ],
)
@both
def test_bad_descriptions(kind, given, words):
    with pytest.raises(ModelError, match=words):
        KINDS[kind](**given)


@pytest.mark.parametrize(
    ("kind", "points", "words"),
    [
        ("quad", [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]], "has no area"),
        ("triangle", [[0, 0, 0], [1, 0, 0], [2, 0, 0]], "has no area"),
        ("quad", [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], "has no area|folded"),
        ("quad", [[0, 0, 0], [1, 0, 0], [0.2, 0.2, 0], [0, 1, 0]], "folded"),
        ("quad", [[0, 0, 0], [1, 0, 0], [0.5, 0.5, 0], [0, 1, 0]], "folded"),
        ("quad", [[0, 0, 0.3], [1, 0, -0.3], [1, 1, 0.3], [0, 1, -0.3]], "warped"),
    ],
)
def test_bad_cells_are_named(kind, points, words):
    good = CORNERS[kind]
    with pytest.raises(MeshError, match=f"cell 7.*({words})"):
        KINDS[kind](thickness=0.1).tabulate("part 'hull'", np.array([good, points]), SOFT, np.array([3, 7]))


def test_missing_and_superfluous_material():
    mesh = plate("quad", (1, 1))
    with pytest.raises(ModelError, match="needs a material"):
        part(mesh, ShellQuad(thickness=0.1), None)
    with pytest.raises(ModelError, match="brings its own"):
        part(mesh, ShellQuad(layers=(Ply(SOFT, 0.1),))).assemble()
