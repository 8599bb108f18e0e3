"""Trusses and frames against closed forms: statics, offsets, releases, mass, buckling, and what they refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, optimize

import flexmbs as fx
from flexmbs.core.errors import MeshError, ModelError, SingularError
from flexmbs.core.material import Orthotropic
from flexmbs.core.rotations import from_vector
from flexmbs.elements import Frame, LinearBeam3D, Truss
from flexmbs.linear.stresses import element_stresses
from flexmbs.meshes.generate import chain

THICK = fx.BeamStiffness(
    EA=500.0, EI_z=3.0, EI_y=5.0, GJ=2.0, GA_y=40.0, GA_z=30.0, mass_per_length=1.3, rhoI_y=0.05, rhoI_z=0.03
)
L = 1.7
UP = np.array([0.0, 0.0, 1.0])
ARMS = ((0.1, -0.2, 0.3), (-0.15, 0.25, 0.05))
HINGES = ("", "ry rz")
turns = st.tuples(*[st.floats(-3.0, 3.0)] * 3).map(lambda v: from_vector(np.array(v)))


def along(direction, n_e=1, length=L):
    """A straight chain from the origin."""
    return chain(np.outer(np.linspace(0.0, length, n_e + 1), direction))


def part(mesh, element, material=None, connections=()):
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, element, material)], connections=connections)


def group(element, points, material=None):
    """One element between two points."""
    return element.tabulate("test", np.array([points], dtype=float), material, np.array([0]))


def clamped(operators, load, node=0):
    """Displacements (n,) under a load (n,), with all unknowns of one node held."""
    free = np.setdiff1d(np.arange(operators.n), operators.dofs.of([node]))
    u = np.zeros(operators.n)
    u[free] = np.linalg.solve(operators.K.toarray()[np.ix_(free, free)], load[free])
    return u


def variants():
    return {
        "plain": Frame(section=THICK),
        "Euler-Bernoulli": Frame(section=THICK, shear=False),
        "offsets": Frame(section=THICK, offsets=ARMS),
        "releases": Frame(section=THICK, releases=HINGES),
        "both": Frame(section=THICK, offsets=ARMS, releases=("rx", "uy ry rz")),
        "truss": Truss(section=THICK),
    }


every = pytest.mark.parametrize("element", variants().values(), ids=variants().keys())
SLANTED = np.array([[0.3, -0.2, 0.5], [1.1, 0.9, 0.2]])


# --- statics --------------------------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None, derandomize=True)
@given(R=turns, shear=st.booleans(), n_e=st.sampled_from([1, 3]))
def test_cantilever_in_any_direction_is_exact(R, shear, n_e):
    operators = part(along(R[:, 0], n_e), Frame(section=THICK, up=R[:, 2], shear=shear)).assemble()
    N, P_y, P_z, T, M_y, M_z = 7.0, 2.0, -1.5, 0.4, 0.8, 0.6
    load = np.zeros(operators.n)
    load[-6:] = np.concatenate([R @ [N, P_y, P_z], R @ [T, M_y, M_z]])
    tip = clamped(operators, load)[-6:]
    s, EI_y, EI_z = THICK, THICK.EI_y, THICK.EI_z
    GA_y, GA_z = (s.GA_y, s.GA_z) if shear else (np.inf, np.inf)
    shift = [
        N * L / s.EA,
        P_y * L**3 / (3 * EI_z) + P_y * L / GA_y + M_z * L**2 / (2 * EI_z),
        P_z * L**3 / (3 * EI_y) + P_z * L / GA_z - M_y * L**2 / (2 * EI_y),
    ]
    turn = [T * L / s.GJ, M_y * L / EI_y - P_z * L**2 / (2 * EI_y), M_z * L / EI_z + P_y * L**2 / (2 * EI_z)]
    assert np.concatenate([R.T @ tip[:3], R.T @ tip[3:]]) == pytest.approx(np.array(shift + turn), rel=1e-10)


def test_section_and_material_give_the_same_as_their_stiffness():
    section = fx.Rectangle(width=0.02, height=0.03)
    E, G = fx.steel.youngs_modulus, fx.steel.shear_modulus
    stiffness = fx.BeamStiffness(
        EA=E * 6e-4, EI_z=E * 0.02 * 0.03**3 / 12, EI_y=E * 0.03 * 0.02**3 / 12, GJ=G * section.J,
        GA_y=5 / 6 * G * 6e-4, GA_z=5 / 6 * G * 6e-4, mass_per_length=7850 * 6e-4,
        rhoI_y=7850 * 0.03 * 0.02**3 / 12, rhoI_z=7850 * 0.02 * 0.03**3 / 12,
    )  # fmt: skip
    for a, b in (
        (Frame(section=section), Frame(section=stiffness)),
        (Truss(section=section), Truss(section=stiffness)),
        (Truss(6e-4), Truss(section=stiffness)),
    ):
        one, other = group(a, SLANTED, fx.steel), group(b, SLANTED)
        assert a.needs_material
        assert not b.needs_material
        assert a.stiffness(one) == pytest.approx(b.stiffness(other), rel=1e-12)
        assert a.mass(one) == pytest.approx(b.mass(other), rel=1e-12, abs=1e-18)


def test_tripod_of_trusses():
    """Three bars at angles of 120 degrees and height h over radius r, vertical load: u = P l / (3 EA sin^2)."""
    r, h, EA, P = 0.6, 0.8, 2.0e3, 5.0
    angles = 2 * np.pi / 3 * np.arange(3)
    feet = np.column_stack([r * np.cos(angles), r * np.sin(angles), np.zeros(3)])
    mesh = fx.meshes.Mesh(np.vstack([feet, [[0, 0, h]]]), [fx.meshes.CellBlock("line", [[0, 3], [1, 3], [2, 3]])])
    bars = part(mesh, Truss(section=replace(THICK, EA=EA)))
    K = bars.assemble().K.toarray()[-3:, -3:]
    length = np.hypot(r, h)
    u = np.linalg.solve(K, [0, 0, -P])
    assert u == pytest.approx([0, 0, -P * length / (3 * EA * (h / length) ** 2)], rel=1e-12, abs=1e-15)
    side = np.linalg.solve(K, [P, 0, 0])
    assert side == pytest.approx([P * length / (1.5 * EA * (r / length) ** 2), 0, 0], rel=1e-12, abs=1e-15)
    _, _, table = next(bars.groups())
    N = Truss(section=replace(THICK, EA=EA)).stresses(table, np.hstack([np.zeros((3, 3)), np.tile(u, (3, 1))]))
    assert N.ravel() == pytest.approx(-np.full(3, P * length / (3 * h)), rel=1e-12)


def test_cantilever_hung_on_a_bar():
    """A frame and a truss in one part; the bar takes P k / (k + 3EI/L^3), k = EA/h."""
    h, EA = 0.9, 4.0
    points = np.array([[0, 0, 0], [L, 0, 0], [L, h, 0]])
    mesh = fx.meshes.Mesh(points, [fx.meshes.CellBlock("line", [[0, 1], [1, 2]])], cell_sets={"bar": [[1]]})
    frame, bar = Frame(section=THICK, shear=False), Truss(section=replace(THICK, EA=EA))
    both = fx.linear.Part(mesh, regions=[fx.linear.Region(None, frame), fx.linear.Region("bar", bar)])
    operators = both.assemble()
    assert operators.n == 15
    u = np.linalg.solve(operators.K.toarray()[6:12, 6:12], [0, 1.0, 0, 0, 0, 0])
    assert u[1] == pytest.approx(1 / (EA / h + 3 * THICK.EI_z / L**3), rel=1e-12)


# --- offsets and releases -------------------------------------------------------------------------------------------


def test_offset_beam_equals_rigid_links():
    nodes = np.array([[0.1, 0.2, 0.3], [1.5, -0.4, 0.9]])
    offset = part(chain(nodes), Frame(section=THICK, offsets=ARMS)).assemble()
    links = [fx.linear.RigidCoupling("first", [0], at=nodes[0]), fx.linear.RigidCoupling("second", [1], at=nodes[1])]
    linked = part(chain(nodes + np.array(ARMS)), Frame(section=THICK), connections=links).assemble()
    for name in "KM":
        a, b = getattr(offset, name).toarray(), getattr(linked, name).toarray()
        assert a == pytest.approx(b, rel=0, abs=1e-13 * np.abs(b).max())


def test_cantilever_beside_its_nodes():
    """A pull P at a node at the height e over the axis: u = P L / EA + P e^2 L / EI, rotation P e L / EI."""
    e, P = 0.3, 2.0
    arms = ((0, -e, 0), (0, -e, 0))
    operators = part(along([1, 0, 0]), Frame(section=THICK, offsets=arms)).assemble()
    load = np.zeros(12)
    load[6] = P
    tip = clamped(operators, load)[6:]
    turn = -P * e * L / THICK.EI_z
    exact = [P * L / THICK.EA - turn * e, turn * L / 2, 0, 0, 0, turn]
    assert tip == pytest.approx(exact, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("shear", [True, False])
def test_stiffness_and_mass_of_a_beam_hinged_at_one_end(shear):
    element = Frame(section=THICK, shear=shear, releases=HINGES)
    g = group(element, [[0, 0, 0], [L, 0, 0]])
    K = element.stiffness(g)[0]
    Phi = 12 * THICK.EI_z / (THICK.GA_y * L**2) if shear else 0.0
    k = 3 * THICK.EI_z / L**3 / (1 + Phi / 4)
    assert K[np.ix_([1, 5, 7, 11], [1, 5, 7, 11])] == pytest.approx(
        k * np.array([[1, L, -1, 0], [L, L**2, -L, 0], [-1, -L, 1, 0], [0, 0, 0, 0]]), rel=1e-12, abs=1e-13
    )
    if not shear:  # deflection (3x^2 - x^3) / 2 of the hinged end, without rotary inertia
        bare = Frame(section=replace(THICK, rhoI_y=0.0, rhoI_z=0.0), shear=False, releases=HINGES)
        M = bare.mass(group(bare, [[0, 0, 0], [L, 0, 0]]))[0]
        assert M[7, 7] == pytest.approx(33 / 140 * 1.3 * L, rel=1e-12)
        assert M[8, 8] == pytest.approx(33 / 140 * 1.3 * L, rel=1e-12)
        assert np.abs(M[11]).max() == 0.0


def test_released_beam_of_hinges_moves_like_a_bar():
    """Hinged at both ends it stays straight: mass m/3 and m/6 as for a truss, no bending stiffness."""
    bare = replace(THICK, rhoI_y=0.0, rhoI_z=0.0)
    element = Frame(section=bare, releases=("rx ry rz", "ry rz"))
    g, truss = group(element, SLANTED), group(Truss(section=bare), SLANTED)
    at = np.ix_([0, 1, 2, 6, 7, 8], [0, 1, 2, 6, 7, 8])
    K = element.stiffness(g)[0]
    assert K[at] == pytest.approx(Truss(section=bare).stiffness(truss)[0], rel=0, abs=1e-12 * K.max())
    assert element.mass(g)[0][at] == pytest.approx(Truss(section=bare).mass(truss)[0], rel=1e-12, abs=1e-13)


def test_beam_clamped_and_pinned_under_a_load_at_midspan():
    """7 P L^3 / 768 EI under the load, reaction 5/16 P at the hinge."""
    mesh = along([1, 0, 0], 2).with_cell_set("last", [1])
    first, last = Frame(section=THICK, shear=False), Frame(section=THICK, shear=False, releases=("", ["rz"]))
    operators = fx.linear.Part(mesh, regions=[fx.linear.Region("last", last), fx.linear.Region(None, first)]).assemble()
    K = operators.K.toarray()
    u = np.linalg.solve(K[6:12, 6:12], [0, 1.0, 0, 0, 0, 0])
    assert u[1] == pytest.approx(7 * L**3 / (768 * THICK.EI_z), rel=1e-12)
    assert K[13, 6:12] @ u == pytest.approx(-5 / 16, rel=1e-12)


def test_sliding_end_transmits_no_normal_force():
    element = Frame(section=THICK, releases=("", "ux"))
    g = group(element, SLANTED)
    x = (SLANTED[1] - SLANTED[0]) / np.linalg.norm(SLANTED[1] - SLANTED[0])
    u = np.zeros((1, 12))
    u[0, 6:9] = 0.01 * x
    assert np.abs(element.nodal_stresses(g, u)).max() < 1e-14 * THICK.EA
    assert np.abs(element.stiffness(g)[0] @ u[0]).max() < 1e-14 * THICK.EA


# --- rigid motions, symmetry and mass -------------------------------------------------------------------------------


@every
def test_matrices_are_symmetric_and_free_of_force_in_rigid_motions(element):
    points = SLANTED
    g = group(element, points)
    K, M = element.stiffness(g)[0], element.mass(g)[0]
    assert (K == K.T).all()
    assert (M == M.T).all()
    operators = part(chain(points), element).assemble()
    rigid = operators.rigid_motions()
    assert np.abs(operators.K @ rigid).max() < 1e-13 * np.abs(K).max()
    values = np.linalg.eigvalsh(K)
    released = sum(map(len, element.releases)) if isinstance(element, Frame) else 0
    zero = 5 if isinstance(element, Truss) else 6 + released
    assert np.abs(values[:zero]).max() < 1e-13 * values[-1]
    assert values[zero] > 1e-4 * values[-1]
    assert np.linalg.eigvalsh(M)[0] > -1e-14 * np.abs(M).max()


@every
def test_mass_of_rigid_motions_is_that_of_the_rod(element):
    points = SLANTED
    arms = np.array(element.offsets) if isinstance(element, Frame) else np.zeros((2, 3))
    ends = points + arms
    operators = part(chain(points), element).assemble()
    rigid = operators.rigid_motions(about=(0.2, 0.1, -0.4))
    d = ends[1] - ends[0]
    length = np.linalg.norm(d)
    x = d / length
    z = UP - x * (x @ UP)
    z /= np.linalg.norm(z)
    y = np.cross(z, x)
    c = ends.mean(axis=0) - [0.2, 0.1, -0.4]
    m = 1.3 * length
    J = m * (c @ c * np.eye(3) - np.outer(c, c)) + m * length**2 / 12 * (np.eye(3) - np.outer(x, x))
    if isinstance(element, Frame):
        J += length * (0.08 * np.outer(x, x) + 0.05 * np.outer(y, y) + 0.03 * np.outer(z, z))
    skew = np.cross(np.eye(3), c)
    exact = np.block([[m * np.eye(3), m * skew.T], [m * skew, J]])
    assert rigid.T @ (operators.M @ rigid) == pytest.approx(exact, rel=1e-12, abs=1e-12)


@every
def test_points_carry_the_consistent_mass(element):
    g = group(element, SLANTED)
    weights, positions, shapes = element.mass_points(g)[:3]
    M = element.mass(g)
    assert np.einsum("eg,egci,egcj->eij", weights, shapes, shapes) == pytest.approx(
        M, rel=0, abs=4e-15 * np.abs(M).max()
    )
    operators = part(chain(SLANTED), element).assemble()
    moved = shapes[0] @ operators.rigid_motions()
    for axis in range(3):  # a rigid motion of the nodes is one of the points
        assert moved[:, :, axis] == pytest.approx(np.tile(np.eye(3)[axis], (len(moved), 1)), abs=1e-13)
        assert moved[:, :, 3 + axis] == pytest.approx(np.cross(np.eye(3)[axis], positions[0]), abs=1e-13)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(R=turns, name=st.sampled_from(sorted(variants())))
def test_turning_everything_turns_the_matrices(R, name):
    element = variants()[name]
    other = element
    if isinstance(element, Frame):
        other = replace(element, up=tuple(R @ element.up), offsets=tuple(map(tuple, np.array(element.offsets) @ R.T)))
    g, h = group(element, SLANTED), group(other, SLANTED @ R.T)
    turn = np.kron(np.eye(element.n_components // 3 * 2), R)
    u = np.cos(np.arange(len(turn)))
    for a, b in (
        (element.stiffness(g), other.stiffness(h)),
        (element.mass(g), other.mass(h)),
        (element.geometric_stiffness(g, u[None]), other.geometric_stiffness(h, (turn @ u)[None])),
    ):
        assert turn @ a[0] @ turn.T == pytest.approx(b[0], rel=0, abs=1e-12 * np.abs(a).max())
    stress = element.stresses(g, u[None])
    assert other.stresses(h, (turn @ u)[None]) == pytest.approx(stress, rel=0, abs=1e-12 * np.abs(stress).max())
    assert turn @ element.thermal_load(g, [0.1])[0] == pytest.approx(
        other.thermal_load(h, [0.1])[0], rel=0, abs=1e-12 * THICK.EA
    )


# --- resultants and heat --------------------------------------------------------------------------------------------


def test_resultants_of_a_cantilever():
    element = Frame(section=THICK)
    beam = part(along([1, 0, 0], 3), element)
    load = np.zeros(24)
    N, P_y, P_z, T, M_y, M_z = load[-6:] = 7.0, 2.0, -1.5, 0.4, 0.8, 0.6
    u = clamped(beam.assemble(), load)
    piece, cells, g = next(beam.groups())
    u_e = u[beam.element_dofs(piece, cells)]
    for found, x in (
        (element.nodal_stresses(g, u_e), beam.nodes.points[cells][..., 0]),
        (element.stresses(g, u_e), element.stress_positions(g)[..., 0]),
    ):
        a = L - x
        flat = np.ones_like(a)
        exact = np.stack((N * flat, P_y * flat, P_z * flat, T * flat, M_y - P_z * a, M_z + P_y * a), axis=-1)
        assert found == pytest.approx(exact, rel=1e-10)
    assert element.stress_names == ("N", "Qy", "Qz", "Mx", "My", "Mz")


@pytest.mark.parametrize("element", [Frame(section=THICK, releases=HINGES), Truss(section=THICK)])
def test_heat_pushes_along_the_axis(element):
    f = element.thermal_load(group(element, SLANTED), np.array([0.01]))[0].reshape(2, -1)
    x = SLANTED[1] - SLANTED[0]
    push = 0.01 * THICK.EA * x / np.linalg.norm(x)
    assert f[:, :3] == pytest.approx(np.array([-push, push]), rel=1e-12, abs=1e-12)
    assert f[:, 3:] == pytest.approx(np.zeros_like(f[:, 3:]), abs=1e-12)
    slides = Frame(section=THICK, releases=("ux", ""))
    assert np.abs(slides.thermal_load(group(slides, SLANTED), np.array([0.01]))).max() < 1e-14 * THICK.EA


BENT = np.array([[0.3, -0.2, 0.5], [1.1, 0.9, 0.2], [1.6, 0.4, 0.9], [0.5, 0.3, 1.4]])


@pytest.mark.parametrize("offsets", [((0, 0, 0), (0, 0, 0)), ARMS])
def test_heat_dilates_a_free_part_and_presses_a_held_one(offsets):
    """Offsets of different length, too: their arms take the heat as the beam does."""
    mesh, heat = chain(BENT), fx.linear.ThermalLoad(100.0, 1e-5)
    bent = part(mesh, Frame(section=THICK, offsets=offsets))
    solution = fx.linear.static_response(bent, {0: "all"}, heat)
    free = np.hstack([1e-3 * (BENT - BENT[0]), np.zeros((4, 3))])
    assert solution.displacements == pytest.approx(free, abs=1e-13)
    for found in element_stresses(bent, solution.operators.expand(solution.u), solution.thermal):
        assert np.abs(found.values).max() < 1e-12 * THICK.EA
    straight = part(along([0.6, 0.8, 0.0], 3), Frame(section=THICK))
    pressed = fx.linear.static_response(straight, {"start": "all", "end": "all"}, heat)
    (found,) = element_stresses(straight, pressed.operators.expand(pressed.u), pressed.thermal)
    assert found.values[:, :, 0] == pytest.approx(np.full((3, 2), -1e-3 * THICK.EA), rel=1e-11)
    assert np.abs(found.values[:, :, 1:]).max() < 1e-11 * THICK.EA


def test_heated_tripod_rises_without_force():
    """Three bars of length l, height h: the apex rises by eps l^2 / h."""
    r, h = 0.6, 0.8
    angles = 2 * np.pi / 3 * np.arange(3)
    feet = np.column_stack([r * np.cos(angles), r * np.sin(angles), np.zeros(3)])
    mesh = fx.meshes.Mesh(np.vstack([feet, [[0, 0, h]]]), [fx.meshes.CellBlock("line", [[0, 3], [1, 3], [2, 3]])])
    tripod = part(mesh, Truss(section=THICK))
    solution = fx.linear.static_response(tripod, dict.fromkeys(range(3), "all"), fx.linear.ThermalLoad(1.0, 1e-3))
    assert solution.displacement(3)[:3] == pytest.approx([0, 0, 1e-3 * (r**2 + h**2) / h], abs=1e-15)
    (found,) = element_stresses(tripod, solution.u, solution.thermal)
    assert np.abs(found.values).max() < 1e-13 * THICK.EA


def test_gravity_of_a_hinged_beam_loads_its_supports_as_a_simple_beam():
    """Half the weight at each node and no moment: the mass of the condensed shapes carries gravity, too."""
    element = Frame(section=THICK, releases=("ry rz", "ry rz"))
    beam = part(along([1, 0, 0]), element)
    solution = fx.linear.static_response(beam, {"start": "all", "end": "all"}, fx.linear.Acceleration((0, 0, -9.81)))
    weight = 1.3 * L * 9.81
    assert solution.reaction("start") == pytest.approx([0, 0, weight / 2, 0, 0, 0], abs=1e-12)


@pytest.mark.parametrize(
    ("ends", "factor"), [({"start": "all"}, 2.0), ({"start": "all", "end": ("uy", "uz")}, 0.6991557)]
)
def test_buckling_of_a_part(ends, factor):
    """Cantilever, and clamped with a guided hinge: tan(k L) = k L, k L = 4.4934095 = pi / 0.6991557."""
    found = fx.linear.buckling_loads(euler(12), ends, fx.linear.NodalForce("end", (-1.0, 0, 0)))
    assert found.factors[0] == pytest.approx(np.pi**2 * THICK.EI_z / (factor * L) ** 2, rel=1e-4)


def test_damping_is_that_of_the_material():
    viscous = replace(fx.steel, retardation_time=2e-4)
    operators = part(along([1, 0, 0], 2), Frame(section=fx.Circle(diameter=0.01)), viscous).assemble()
    assert abs(operators.D - 2e-4 * operators.K).max() < 1e-12 * abs(operators.D).max()


# --- geometric stiffness --------------------------------------------------------------------------------------------


def buckling_load(column, free):
    """Lowest load P that K + P K_g(1) makes singular; ``free`` picks the unknowns of a chain along x."""
    operators = column.assemble()
    K, n = operators.K.toarray(), operators.n
    push = np.zeros(n - 6)
    push[-6] = -1.0
    u = np.append(np.zeros(6), np.linalg.solve(K[6:, 6:], push))  # N does not depend on the supports
    K_g = np.zeros((n, n))
    for piece, cells, g in column.groups():
        dofs = column.element_dofs(piece, cells)
        for at, block in zip(dofs, piece.region.element.geometric_stiffness(g, u[dofs]), strict=True):
            K_g[np.ix_(at, at)] += block
    at = np.ix_(free(n), free(n))
    return 1.0 / linalg.eigh(-K_g[at], K[at], eigvals_only=True)[-1]


def euler(n_e, section=THICK, shear=False):
    """A column along x."""
    return part(along([1, 0, 0], n_e), Frame(section=section, shear=shear))


def in_plane(n, held):
    """Unknowns v, theta_z of all nodes, but those held (counted in the plane)."""
    return np.delete(np.arange(n).reshape(-1, 6)[:, [1, 5]].ravel(), held)


ENDS = {
    "cantilever": (lambda n: in_plane(n, [0, 1]), 2.0),
    "pinned": (lambda n: in_plane(n, [0, -2]), 1.0),
    "clamped": (lambda n: in_plane(n, [0, 1, -2, -1]), 0.5),
}


@pytest.mark.parametrize("ends", ENDS)
def test_buckling_loads_of_euler_converge_with_order_four(ends):
    free, factor = ENDS[ends]
    exact = np.pi**2 * THICK.EI_z / (factor * L) ** 2
    counts = np.array([4, 8, 16, 32])
    errors = np.array([buckling_load(euler(n), free) / exact - 1 for n in counts])
    assert (errors > 0).all()  # from above: the deflections are admissible
    rate = -np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert rate == pytest.approx(4.0, abs=0.15)
    assert errors[-1] < 1e-5


def test_buckling_in_the_other_plane():
    free = ENDS["cantilever"][0]
    stiff = replace(THICK, EI_z=100.0)  # then it bends in the x-z plane
    everything = buckling_load(euler(8, stiff), lambda n: np.arange(6, n))
    assert everything == pytest.approx(np.pi**2 * THICK.EI_y / (2 * L) ** 2, rel=1e-4)
    assert buckling_load(euler(8, stiff), free) == pytest.approx(np.pi**2 * 100 / (2 * L) ** 2, rel=1e-4)


def test_shear_lowers_the_buckling_load_as_engesser_has_it():
    rigid = np.pi**2 * THICK.EI_z / L**2
    exact = rigid / (1 + rigid / THICK.GA_y)
    errors = [buckling_load(euler(n, shear=True), ENDS["pinned"][0]) / exact - 1 for n in (8, 16, 32)]
    assert abs(errors[-1]) < 1e-3
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.1)


def test_column_with_stiff_ends():
    """A rigid arm of length a at each end of a flexible column, pinned: k a tan(k l / 2) = 1."""
    a = 0.2 * L
    flexible = L - 2 * a
    root = optimize.brentq(lambda k: k * a * np.sin(k * flexible / 2) - np.cos(k * flexible / 2), 0.1, np.pi / flexible)
    exact = root**2 * THICK.EI_z
    errors, counts = [], (2, 4, 8)
    for n_e in counts:
        x = np.linspace(a, L - a, n_e + 1)
        x[0], x[-1] = 0.0, L  # the nodes; the axis begins and ends where the arms do
        mesh = chain(np.outer(x, [1, 0, 0]))
        mesh = mesh.with_cell_set("first", [0]).with_cell_set("last", [n_e - 1])
        first = Frame(section=THICK, shear=False, offsets=((a, 0, 0), (0, 0, 0)))
        last = Frame(section=THICK, shear=False, offsets=((0, 0, 0), (-a, 0, 0)))
        regions = [fx.linear.Region("first", first), fx.linear.Region("last", last)]
        if n_e > 2:
            regions.append(fx.linear.Region(None, Frame(section=THICK, shear=False)))
        errors.append(buckling_load(fx.linear.Part(mesh, regions=regions), ENDS["pinned"][0]) / exact - 1)
    assert min(errors) > 0
    assert -np.polyfit(np.log(counts), np.log(errors), 1)[0] == pytest.approx(4.0, abs=0.15)


def test_truss_keeps_its_force_when_it_turns():
    """K_g is the change of the nodal forces of the bar by its rotation alone."""
    element = Truss(section=THICK)
    g = group(element, SLANTED)
    u0 = np.array([0.0, 0.0, 0.0, 0.001, -0.002, 0.003])
    N = element.stresses(g, u0[None])[0, 0, 0]

    def force(u):
        d = (SLANTED[1] + u[3:]) - (SLANTED[0] + u[:3])
        x = N * d / np.linalg.norm(d)
        return np.concatenate([-x, x])

    h = 1e-5
    derivative = np.column_stack([(force(h * e) - force(-h * e)) / (2 * h) for e in np.eye(6)])
    assert element.geometric_stiffness(g, u0[None])[0] == pytest.approx(derivative, abs=1e-9 * abs(N))


def test_hinged_frame_beside_its_nodes_keeps_its_force_when_it_turns():
    """K_g is N times the second derivative of the distance of its ends, with finite rotations of the arms."""
    element = Frame(section=THICK, offsets=ARMS, releases=("rx ry rz", "ry rz"))
    g = group(element, SLANTED)
    u0 = 1e-3 * np.cos(np.arange(12.0))
    N = element.stresses(g, u0[None])[0, 0, 0]

    def distance(u):
        ends = [SLANTED[i] + u[6 * i : 6 * i + 3] + from_vector(u[6 * i + 3 : 6 * i + 6]) @ ARMS[i] for i in range(2)]
        return np.linalg.norm(ends[1] - ends[0])

    h = 1e-3
    e = h * np.eye(12)
    hessian = np.array(
        [
            [distance(a + b) - distance(a - b) - distance(b - a) + distance(-a - b) for b in e]
            for a in e
        ]
    ) / (4 * h**2)  # fmt: skip
    assert element.geometric_stiffness(g, u0[None])[0] == pytest.approx(N * hessian, abs=1e-5 * abs(N))


# --- beside the engine ----------------------------------------------------------------------------------------------


def test_frequencies_are_those_of_the_spatial_beam_of_the_engine():
    points = np.array([[0, 0, 0], [0.4, 0, 0.1], [0.8, 0.2, 0.1], [0.9, 0.6, 0.4], [1.0, 1.0, 0.5]])
    section = fx.Rectangle(width=0.02, height=0.03)
    body = fx.FlexibleBody(chain(points), LinearBeam3D(), section=section, material=fx.steel, name="bent")
    modes = fx.solve_modal(fx.Model(body, fx.Clamp(body.start)), modes=12)
    operators = part(chain(points), Frame(section=section), fx.steel).assemble()
    values = linalg.eigh(operators.K.toarray()[6:, 6:], operators.M.toarray()[6:, 6:], eigvals_only=True)
    assert np.sqrt(values[:12]) == pytest.approx(modes.angular_frequencies, rel=1e-9)


# --- bad input ------------------------------------------------------------------------------------------------------

NO_TORSION = replace(THICK, GJ=None)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Frame(section=NO_TORSION), "torsional stiffness"),
        (lambda: Frame(section=3.0), "section must be a Rectangle"),
        (lambda: Frame(section=fx.Circle), "not the class Circle"),
        (
            lambda: Frame(section=replace(THICK, retardation_time=1e-3)),
            "retardation time 0.001 of a BeamStiffness would be lost",
        ),
        (lambda: Frame(section=THICK, up=(0, 0, 0)), "up must not be the zero vector"),
        (lambda: Frame(section=THICK, shear=1), "shear must be True or False"),
        (lambda: Frame(section=THICK, offsets=(0, 0, 1)), "offsets must have shape"),
        (lambda: Frame(section=THICK, releases="rz"), "two sets of components"),
        (lambda: Frame(section=THICK, releases=("rz",)), "two sets of components"),
        (lambda: Frame(section=THICK, releases=("", "phi_z")), "no released component named 'phi_z'"),
        (lambda: Frame(section=THICK, releases=("", [5])), "released component"),
        (lambda: Frame(section=THICK, releases=("", 5)), "must be names such as 'ry rz'"),
        (lambda: Frame(section=THICK, releases=("rx", "rx")), "rigid motion 'rx'"),
        (lambda: Frame(section=THICK, releases=("ux", "ux")), "rigid motion 'ux'"),
        (lambda: Frame(section=THICK, releases=("rz", "uy rz")), "rigid motion"),
        (Truss, "either area or section"),
        (lambda: Truss(1.0, THICK), "either area or section"),
        (lambda: Truss(-1.0), "area must be greater than 0"),
        (lambda: Truss(section="pipe"), "section must be a Rectangle"),
    ],
)
def test_bad_descriptions_are_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_bad_cells_are_named():
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 2.0]])
    for element in (Frame(section=THICK), Truss(section=THICK)):
        with pytest.raises(MeshError, match="line cell 1 of length zero"):
            part(chain(points), element).assemble()
    upright = chain(points[[0, 1, 3]])
    with pytest.raises(MeshError, match="parallel to line cell 1,"):
        part(upright, Frame(section=THICK)).assemble()
    with pytest.raises(MeshError, match="line cells 0, 1, 2, 3, 4 and 2 more of length zero"):
        Frame(section=THICK, offsets=((1.0, 0, 0), (0, 0, 0))).tabulate(
            "test", np.tile([[0.0, 0, 0], [1, 0, 0]], (7, 1, 1)), None, np.arange(7)
        )


def test_materials_that_do_not_fit_are_refused():
    ply = Orthotropic(
        E_1=1e9, E_2=1e9, E_3=1e9, nu_12=0.3, nu_13=0.3, nu_23=0.3, G_12=4e8, G_13=4e8, G_23=4e8, density=1.0
    )
    mesh = along([1, 0, 0])
    with pytest.raises(ModelError, match="holds its material already"):
        part(mesh, Frame(section=THICK), fx.steel).assemble()
    with pytest.raises(ModelError, match="needs a material"):
        part(mesh, Frame(section=fx.Circle(diameter=0.1)))
    for element in (Truss(0.1), Frame(section=fx.Circle(diameter=0.1))):
        with pytest.raises(ModelError, match="takes an Elastic material"):
            part(mesh, element, ply).assemble()


def test_node_that_all_beams_release_is_named():
    beam = part(along([1, 0, 0]), Frame(section=THICK, releases=HINGES))
    push = fx.linear.NodalForce("end", (0, 1.0, 0))
    with pytest.raises(SingularError, match="ry of node 1 has no support"):
        fx.linear.static_response(beam, {"start": "all"}, push)
    held = fx.linear.static_response(beam, {"start": "all", "end": ("ry", "rz")}, push)
    assert held.displacement(1)[1] == pytest.approx(L**3 / (3 * THICK.EI_z) + L / THICK.GA_y, rel=1e-11)
