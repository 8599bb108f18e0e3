"""Second-order fields: reciprocity, foreshortening of beams, frames of reference, files, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.elements.linear.frame import Frame
from flexmbs.elements.linear.hexahedron import Hexahedron20
from flexmbs.reduction.stiffening import Stiffening, projected_stress_stiffness

RUBBER = fx.Elastic(youngs_modulus=2e6, poissons_ratio=0.3, density=1000.0)
LENGTH = 2.0
STIFFNESS = fx.BeamStiffness(
    EA=1e6, EI_z=1.0, EI_y=1.0, GJ=1.0, mass_per_length=3.0, rhoI_y=1e-9, rhoI_z=1e-9
)  # fmt: skip


def beam(elements: int, modes: int = 4, **options: Any) -> Any:
    """A Bernoulli-Euler beam from the origin along x, with rotary inertia too small to count."""
    mesh = fx.meshes.line((0, 0, 0), (LENGTH, 0, 0), elements)
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, Frame(section=STIFFNESS, shear=False))], name="beam")
    faces = [fx.reduction.Interface("root", [0]), fx.reduction.Interface("tip", [elements])]
    return fx.reduction.reduce(part, faces, modes, **({"geometric_stiffening": True} | options))


def solid(modes: int = 3) -> Any:
    """A bar of solids, small enough for dense algebra."""
    mesh = fx.meshes.box((0.0, 0.0, 0.0), (1.0, 0.1, 0.2), (3, 1, 1))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), RUBBER)], name="bar")
    return part, fx.reduction.reduce(part, ["left", "right"], modes, geometric_stiffening=True)


def test_moments_are_those_of_the_fields() -> None:
    """The fields themselves, K phi2 = -d(phi_k K_g(u) phi_l)/du with the root held, one unknown after the other."""
    part, reduced = solid()
    operators = reduced.source.attached.operators
    basis = reduced.source.basis.vectors
    body = fx.FloatingBody(reduced, reference="left", modes=4)
    shapes = reduced.shapes @ body.basis
    every = operators.expand(np.eye(operators.n))
    slope = projected_stress_stiffness(part, every, shapes).reshape(operators.n, -1)
    held = reduced.source.attached.boundary[reduced.frame("left").coordinates]
    free = np.setdiff1d(np.arange(operators.n), held)
    field = np.zeros_like(slope)
    field[free] = -np.linalg.solve(operators.K[free][:, free].toarray(), slope[free])
    free_operators = reduced.source.attached.free
    assert free_operators is not None
    everything = operators.expansion @ field
    x = free_operators.points[free_operators.dofs.node] - body.origin
    loads = []
    for a in range(4):
        for b in range(3):
            force = np.where(free_operators.dofs.component == b, x[:, a - 1] if a else 1.0, 0.0)
            loads.append(free_operators.M @ force)
    wanted = (np.array(loads) @ everything).reshape(4, 3, 4, 4)
    found = body.second_order
    assert found is not None
    assert np.abs(found.moments - wanted).max() < 1e-9 * np.abs(wanted).max()
    tip = field[reduced.source.attached.boundary[reduced.frame("right").coordinates]].reshape(6, 4, 4)
    assert np.abs(found.interfaces["right"] - tip).max() < 1e-9 * np.abs(tip).max()
    assert np.abs(found.interfaces["left"]).max() < 1e-9 * np.abs(tip).max()
    assert len(basis) == operators.n


def foreshortening(elements: int) -> tuple[float, float, float, FloatArray]:
    """Second-order moment, moment times x, and tip displacement of the lowest mode, relative to exact integrals."""
    reduced = beam(elements, 12)
    body = fx.FloatingBody(reduced, reference="root", modes=2)
    tip = body.interface("tip")
    # lowest mode of a cantilever, mass-normalised, by its exact shape
    root = 1.8751040687119611664 / LENGTH
    s = np.linspace(0.0, LENGTH, 20001)
    k = (np.cosh(root * LENGTH) + np.cos(root * LENGTH)) / (np.sinh(root * LENGTH) + np.sin(root * LENGTH))
    slope = root * (np.sinh(root * s) + np.sin(root * s) - k * (np.cosh(root * s) - np.cos(root * s)))
    slope /= np.sqrt(STIFFNESS.mass_per_length * LENGTH)
    integral = lambda f: float(np.trapezoid(f * slope**2, s))  # noqa: E731
    mu = STIFFNESS.mass_per_length
    exact = (
        -mu * integral(LENGTH - s), -0.5 * mu * integral(LENGTH**2 - s**2), -integral(np.ones_like(s))
    )  # fmt: skip
    second = body.second_order
    assert second is not None
    values = (second.moments[0, 0, 0, 0], second.moments[1, 0, 0, 0], tip.second[0, 0, 0])
    return *(v / e - 1.0 for v, e in zip(values, exact, strict=True)), np.asarray(tip.second)


def test_beam_gets_shorter_as_it_should() -> None:
    """phi2_x = -integral of w'^2; tension is constant in an element, which costs an error of order two."""
    coarse, fine = foreshortening(8), foreshortening(16)
    for i in range(2):
        assert abs(fine[i]) < 2e-3
        assert 3.6 < coarse[i] / fine[i] < 4.4
    assert abs(fine[2]) < 2e-5  # under a tip force the tension is constant; what is left is the shape of the mode
    across = np.delete(fine[3], 0, axis=0)  # a straight beam moves along its axis only
    assert np.abs(across).max() < 1e-9 * np.abs(fine[3]).max()


def test_modes_across_each_other_do_not_shorten() -> None:
    reduced = beam(6)
    second = fx.FloatingBody(reduced, reference="root", modes=2).second_order
    assert second is not None
    square = second.moments[0, 0]
    rotated = np.linalg.eigvalsh(square)
    values = reduced.modes("root")[0]  # round-off of the lowest is that of the highest, 1e9 as large
    rounding = len(values) * np.finfo(float).eps * values[-1] / values[0]
    assert abs(rotated[0] / rotated[1] - 1.0) < rounding < 1e-5  # equal both ways, whatever directions were chosen


def test_mean_axes_take_off_momentum() -> None:
    body = fx.FloatingBody(beam(6))
    second = body.second_order
    assert second is not None
    size = np.abs(second.moments).max()
    spin = second.moments[1:] - second.moments[1:].swapaxes(0, 1)
    assert np.abs(second.moments[0]).max() < 1e-8 * size
    assert np.abs(spin).max() < 1e-8 * size
    # with one mode, even or odd, both ends come in by the same amount
    ends = second.interfaces
    assert np.abs(np.diag(ends["root"][0] + ends["tip"][0])).max() < 1e-6 * np.abs(ends["tip"]).max()


def test_frames_differ_by_a_rigid_motion() -> None:
    """Relative displacements of second order do not depend on the reference, for the same shapes."""
    reduced = beam(6)
    body = fx.FloatingBody(reduced, reference="root")
    assert reduced.stiffening is not None
    places = {f.name: np.asarray(f.origin) for f in reduced.frames}
    own = reduced.stiffening.transformed(body.basis)
    held = own.in_frame(body.inertia, body.origin, places, "root")
    mean = own.in_frame(body.inertia, body.origin, places, None)
    arm = places["tip"] - places["root"]
    root, tip = mean.interfaces["root"], mean.interfaces["tip"]
    moved = tip[:3] - root[:3] - np.cross(root[3:], arm, axisa=0, axisc=0)
    assert np.abs(held.interfaces["tip"][:3] - moved).max() < 1e-9 * np.abs(moved).max()


def test_a_chord_frame_turns_with_its_line() -> None:
    """To second order, too, the far end moves along the chord, and the near one neither moves nor turns about it."""
    reduced = beam(6)
    body = fx.FloatingBody(reduced, reference=("root", "tip"))
    tangent = fx.FloatingBody(reduced, reference="root")
    assert body.second_order is not None
    assert reduced.stiffening is not None
    ends = body.second_order.interfaces
    size = np.abs(ends["tip"][0]).max()
    assert np.abs(ends["root"][:4]).max() < 1e-9 * size
    assert np.abs(ends["tip"][1:3]).max() < 1e-9 * size
    # the ends come closer by the same amount in each frame, for the same shapes
    places = {f.name: np.asarray(f.origin) for f in reduced.frames}
    held = reduced.stiffening.transformed(body.basis).in_frame(tangent.inertia, tangent.origin, places, "root")
    assert np.abs(held.interfaces["tip"][0] - ends["tip"][0]).max() < 1e-9 * size
    with pytest.raises(ModelError, match="node 3 of its reference moves to second order is not known"):
        fx.FloatingBody(reduced, reference=("root", 3))
    fx.FloatingBody(reduced, reference=("root", 3), geometric_stiffening=False)


def test_affine_fields_have_the_same_moments() -> None:
    """The fields that the equations of motion use, for a solid and for a line of mass, which is flat."""
    for reduced in (solid()[1], beam(6)):
        body = fx.FloatingBody(reduced, reference=reduced.frames[0].name)
        second = body.second_order
        assert second is not None
        found = np.einsum("ac,cbkl->abkl", body.inertia.gram, second.fields)
        size = np.sqrt(np.diag(body.inertia.gram))[:, None, None, None] * np.sqrt(body.mass)
        fields = np.abs(second.moments / size).max()
        assert np.abs((found - second.moments) / size).max() < 1e-6 * fields


def test_tip_mass_counts() -> None:
    """A mass at the tip adds its own shortening to the moments."""
    mesh = fx.meshes.line((0, 0, 0), (LENGTH, 0, 0), 6)
    region = fx.linear.Region(None, Frame(section=STIFFNESS, shear=False))
    faces = [fx.reduction.Interface("root", [0]), fx.reduction.Interface("tip", [6])]
    bodies = []
    for masses in ([], [fx.linear.NodalMass(6, 5.0)]):
        part = fx.linear.Part(mesh, regions=[region], connections=masses, name="beam")
        bodies.append(fx.reduction.reduce(part, faces, 3, geometric_stiffening=True))
    bare, loaded = (fx.FloatingBody(b, reference="root") for b in bodies)
    T = loaded.basis
    places = {f.name: np.asarray(f.origin) for f in bodies[0].frames}
    # bases of both: static shapes first, then modes with both ends held, in which the mass at the tip does not move
    assert np.abs(bodies[0].shapes[:, :12] - bodies[1].shapes[:, :12]).max() < 1e-9
    T = np.vstack([T[:12], np.zeros((3, T.shape[1]))])
    a = bodies[0].stiffening.transformed(T).in_frame(bare.inertia, bare.origin, places, "root")
    b = bodies[1].stiffening.transformed(T).in_frame(loaded.inertia, loaded.origin, places, "root")
    difference = b.moments[0, 0] - a.moments[0, 0]
    wanted = 5.0 * a.interfaces["tip"][0]
    assert np.abs(difference - wanted).max() < 1e-8 * np.abs(wanted).max()


def test_solids_agree_with_the_beam() -> None:
    """A slender bar of solids, bent about its thin axis: the shortening per unit of the tip deflection."""
    E, b, h = 2e9, 0.02, 0.01
    rubber = fx.Elastic(youngs_modulus=E, poissons_ratio=0.0, density=1000.0)
    mesh = fx.meshes.box((0, -b / 2, -h / 2), (1.0, b, h), (16, 1, 1)).quadratic()
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, Hexahedron20(), rubber)], name="bar")
    body = fx.FloatingBody(
        fx.reduction.reduce(part, ["left", "right"], 4, geometric_stiffening=True), reference="left", modes=1
    )
    tip = body.interface("right")
    exact = foreshortening_of_cantilever()
    assert tip.second[0, 0, 0] / tip.phi[2, 0] ** 2 == pytest.approx(exact, rel=5e-3)


def foreshortening_of_cantilever() -> float:
    """-integral of w'^2 for the lowest mode of a cantilever of length 1 with unit tip deflection."""
    root = 1.8751040687119611664
    s = np.linspace(0.0, 1.0, 20001)
    k = (np.cosh(root) + np.cos(root)) / (np.sinh(root) + np.sin(root))
    slope = root * (np.sinh(root * s) + np.sin(root * s) - k * (np.cosh(root * s) - np.cos(root * s)))
    tip = np.cosh(root) - np.cos(root) - k * (np.sinh(root) - np.sin(root))
    return float(-np.trapezoid(slope**2, s) / tip**2)


def test_files_keep_it(tmp_path: Path) -> None:
    reduced = beam(4)
    again = fx.reduction.load_reduced(reduced.save(tmp_path / "beam.h5"))
    assert again.stiffening is not None
    assert reduced.stiffening is not None
    assert np.array_equal(again.stiffening.moments, reduced.stiffening.moments)
    assert np.array_equal(again.stiffening.interfaces, reduced.stiffening.interfaces)
    assert again.stiffening.frames == ("root", "tip")
    bare = fx.reduction.load_reduced(beam(4, geometric_stiffening=False).save(tmp_path / "bare.h5"))
    assert bare.stiffening is None


def test_only_free_parts_have_it() -> None:
    mesh = fx.meshes.line((0, 0, 0), (LENGTH, 0, 0), 4)
    region = fx.linear.Region(None, Frame(section=STIFFNESS, shear=False))
    spring = fx.linear.NodalSpring(2, (1.0, 1.0, 1.0))
    part = fx.linear.Part(mesh, regions=[region], connections=[spring], name="beam")
    with pytest.raises(ModelError, match="free rigid motions, not 6"):
        fx.reduction.reduce(part, [fx.reduction.Interface("root", [0])], 2, geometric_stiffening=True)
    operators = fx.linear.Part(mesh, regions=[region], name="beam").assemble()
    matrices = fx.linear.Operators(operators.K, operators.M, operators.dofs, operators.points)
    with pytest.raises(ModelError, match="stresses need a Part"):
        fx.reduction.reduce(matrices, [fx.reduction.Interface("root", [0])], 2, geometric_stiffening=True)
    with pytest.raises(ModelError, match="not symmetric"):
        Stiffening(np.triu(np.ones((4, 3, 2, 2))), (), np.zeros((0, 6, 2, 2)))
    with pytest.raises(ModelError, match="stiffening"):
        beam(4, geometric_stiffening="yes")


def test_prestress_makes_a_string() -> None:
    """A beam with next to no bending stiffness under a tension: omega_n = n pi sqrt(T / mu) / L, both ends held."""
    tension, mu = 12.0, 3.0
    section = fx.BeamStiffness(EA=1e6, EI_z=1e-6, EI_y=1e-6, GJ=1.0, mass_per_length=mu, rhoI_y=1e-9, rhoI_z=1e-9)
    mesh = fx.meshes.line((0, 0, 0), (LENGTH, 0, 0), 40)
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, Frame(section=section, shear=False))], name="string")
    pulled = fx.linear.static_response(part, {0: "all"}, fx.linear.NodalForce(40, (tension, 0.0, 0.0)))
    faces = [fx.reduction.Interface("root", [0]), fx.reduction.Interface("tip", [40])]
    reduced = fx.reduction.reduce(part, faces, 8, prestress=pulled, geometric_stiffening=True)
    found = reduced.angular_frequencies(["root", "tip"])
    wanted = np.repeat(np.arange(1, 5), 2) * np.pi / LENGTH * np.sqrt(tension / mu)
    # clamped ends shorten the string by a part of an element each
    assert np.abs(found[:8] / wanted - 1.0).max() < 0.5 / 40
    full = fx.linear.vibration_modes(part, 8, {0: "all", 40: "all"}, prestress=pulled).angular_frequencies
    assert np.abs(found[:8] / full - 1.0).max() < 1e-8
    assert reduced.stiffening is not None  # fields of the part without stress, which is free
    with pytest.raises(ModelError, match="unknowns, the structure"):
        fx.reduction.reduce(beam_part(4), [fx.reduction.Interface("root", [0])], 2, prestress=pulled)
    with pytest.raises(ModelError, match="six rigid motions"):
        fx.FloatingBody(reduced)


def test_stresses_beside_a_prestress_are_told_to_be_without_it() -> None:
    part = beam_part(4)
    pulled = fx.linear.static_response(part, {0: "all"}, fx.linear.NodalForce(4, (12.0, 0.0, 0.0)))
    faces = [fx.reduction.Interface("root", [0]), fx.reduction.Interface("tip", [4])]
    with pytest.warns(UserWarning, match="zero in the prestressed state"):
        fx.reduction.reduce(part, faces, 2, prestress=pulled, stresses="all", progress=False)


def beam_part(elements: int) -> fx.linear.Part:
    mesh = fx.meshes.line((0, 0, 0), (LENGTH, 0, 0), elements)
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, Frame(section=STIFFNESS, shear=False))], name="beam")


@pytest.mark.parametrize("reference", ["root", "mean", ("root", "tip")])
def test_force_at_the_tip_acts_as_prestress(reference: Any) -> None:
    """A clamped beam under a tip force vibrates as one reduced with the stresses of that force."""
    tension = 5.0
    part = beam_part(12)
    pulled = fx.linear.static_response(part, {0: "all"}, fx.linear.NodalForce(12, (tension, 0.0, 0.0)))
    faces = [fx.reduction.Interface("root", [0]), fx.reduction.Interface("tip", [12])]
    wanted = fx.reduction.reduce(part, faces, 16, prestress=pulled).angular_frequencies("root")[:4]
    soft = fx.reduction.reduce(part, faces, 16).angular_frequencies("root")[:4]
    body = fx.FloatingBody(fx.reduction.reduce(part, faces, 16, geometric_stiffening=True), reference=reference)
    clamp = fx.FixedJoint(fx.ground, body, at=(0, 0, 0), name="clamp")
    pull = fx.PointForce(body.interface("tip"), (tension, 0.0, 0.0))
    still = fx.solve_static(fx.Model(body, clamp, pull))
    found = np.linalg.eigvals(fx.linearise(still).A)
    assert np.abs(found.real).max() < 1e-6 * np.abs(found).max()
    lowest = np.sort(found.imag[found.imag > 0.0])[:4]
    assert np.abs(lowest / wanted - 1.0).max() < 1e-4
    assert np.abs(soft / wanted - 1.0).max() > 0.1
