"""Parts that are held by their own stiffness are told from free ones, and refused where they have to be free."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import flexmbs as fx
from flexmbs import trees
from flexmbs.linear.operators import Operators
from flexmbs.reduction.free_parts import HELD

LENGTH, WIDTH, HEIGHT, DENSITY = 0.5, 0.06, 0.04, 7850.0
MASS = DENSITY * LENGTH * WIDTH * HEIGHT


def part(*connections: Any, unit: float = 1.0, cells: int = 8, length: float = LENGTH) -> fx.linear.Part:
    """A steel bar of solids along x; ``unit`` is the metre in its unit of length, and the kilogram and second stay."""
    mesh = fx.meshes.box((0, 0, 0), (length * unit, WIDTH * unit, HEIGHT * unit), (cells, 1, 1))
    steel = fx.Elastic(youngs_modulus=2.1e11 / unit, poissons_ratio=0.3, density=DENSITY / unit**3, name="steel")
    region = fx.linear.Region(None, fx.elements.Hexahedron8(), steel)
    return fx.linear.Part(mesh, regions=[region], connections=connections, name="bar")


def springs(stiffness: tuple[float, ...]) -> list[fx.linear.NodalSpring]:
    """One to the ground at each of the four nodes at x = 0."""
    return [fx.linear.NodalSpring(int(n), stiffness) for n in part().mesh.node_set("left")]


def reduced(what: Any, interfaces: Any = ("left", "right"), modes: int = 4) -> fx.reduction.ReducedModel:
    return fx.reduction.reduce(what, list(interfaces), modes, progress=False)


def rounded(operators: Operators, digits: int) -> Operators:
    """As a file with so many digits gives it."""

    def short(A: Any) -> Any:
        A = sparse.csc_matrix(A, copy=True)
        A.data = np.array([float(f"{x:.{digits - 1}e}") for x in A.data])
        return 0.5 * (A + A.T)

    return Operators(
        short(operators.K), short(operators.M), operators.dofs, operators.points, node_sets=operators.node_sets
    )


@pytest.mark.parametrize("reference", ["mean", "left", ("left", "right")])
def test_springs_to_the_ground_are_refused_in_every_frame(reference: Any) -> None:
    """Four springs k along x: 4 k against the translation, on which the bar would swing at sqrt(4 k / m)."""
    small = reduced(part(*springs((2e6, 0.0, 0.0))))
    speed = np.sqrt(8e6 / MASS)
    with pytest.raises(fx.ModelError, match="must be free") as told:
        fx.FloatingBody(small, reference=reference, name="body")
    for words in (
        "FloatingBody 'body'", "translation along x", "8e+06 [force/length]", "at nodes 0, 9, 18, 27",
        f"{speed:.3g} rad/time", "LinearBody", "Bushing or SpringDamper",
    ):  # fmt: skip
        assert words in str(told.value), words
    assert fx.LinearBody(small).modes == small.size


def test_flexible_links_and_substructures_are_refused_too(tmp_path: Path) -> None:
    """And what a file holds, and a part without elastic coordinates."""
    small = reduced(part(*springs((1e3, 1e3, 1e3))))
    hub, tip = (fx.RigidBody(1.0, (1, 1, 1), position=(x, 0.03, 0.02), name=f"{x}") for x in (0.0, LENGTH))
    for make in (
        lambda: trees.FlexibleLink("link", small, "left"),
        lambda: fx.Substructure(small, hub, tip, ("left", "right"), geometric_stiffening=False),
        lambda: fx.FloatingBody(fx.reduction.load_reduced(small.save(tmp_path / "held.h5")), reference="right"),
        lambda: fx.FloatingBody(reduced(part(*springs((1e3, 1e3, 1e3))), ["left"], 0), reference="left"),
    ):
        with pytest.raises(fx.ModelError, match=r"translation along .* is resisted with 4e\+03"):
            make()


@pytest.mark.filterwarnings("ignore::flexmbs.core.errors.UnitsWarning")
@pytest.mark.parametrize("unit", [1.0, 1e3, 1e-6])
@pytest.mark.parametrize("stiffness", [10.0, 1e7, 1e12])
def test_neither_units_nor_the_size_of_a_spring_matter(unit: float, stiffness: float) -> None:
    """One of 10 N/m on a bar of 2 GN/m, too; stiffnesses are per mass and time^2, whatever the unit of length."""
    held = fx.linear.NodalSpring(3, (0.0, stiffness, 0.0))
    assert f"{stiffness:.3g} [force/length] at node 3" in reduced(part(held, unit=unit)).provenance[HELD]
    assert HELD not in reduced(part(unit=unit)).provenance


def test_springs_between_nodes_strain_in_rotations_unless_they_act_along_their_line() -> None:
    """Nodes 0 and 8 are apart by L along x: a spring k across resists the rotation about z with k L^2."""
    along = reduced(part(fx.linear.NodalSpring(0, (1e6, 0.0, 0.0), b=8)))
    assert HELD not in along.provenance
    assert fx.FloatingBody(along).modes == along.size - 6
    across = reduced(part(fx.linear.NodalSpring(0, (0.0, 1e6, 0.0), b=8)))
    assert "rotation about z is resisted with 2.5e+05 [force length] at nodes 0, 8" in across.provenance[HELD]


@pytest.mark.parametrize("reference", ["left", ("left", "right")])
def test_a_free_part_is_free_however_slender_it_is(reference: Any) -> None:
    """A wire, in bending 1e10 times softer than its elements: round-off of these is more than its own stiffness."""
    wire = reduced(part(cells=200, length=40.0))
    assert HELD not in wire.provenance
    assert fx.FloatingBody(wire, reference=reference).modes == wire.size - 6


@pytest.mark.parametrize("digits", [7, 9, 15])
def test_matrices_of_few_digits_are_free(digits: int) -> None:
    given = rounded(part().assemble(), digits)
    assert HELD not in reduced(given).provenance
    held = rounded(part(*springs((1e6, 1e6, 1e6))).assemble(), digits)
    assert "4e+06 [force/length]" in reduced(held).provenance[HELD]


def test_beams_and_couplings_are_free() -> None:
    """Rows of trusses and beams on a slope across their axis hold round-off only."""
    rod = fx.BeamStiffness(EA=1e9, EI_z=1e-3, GJ=1e-3, mass_per_length=1.0, rhoI_y=1e-6, rhoI_z=1e-6)
    mesh = fx.meshes.polyline([(0, 0, 0), (1, 0.3, 0.2), (1.5, 1.0, -0.4)], [7, 5])
    frame = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Frame(section=rod))], name="frame")
    ends = [fx.reduction.Interface("a", nodes=[0]), fx.reduction.Interface("b", nodes=[12])]
    assert HELD not in reduced(frame, ends).provenance
    tied = part(
        fx.linear.RigidCoupling("hub", "left"), fx.linear.DistributingCoupling("load", "right"),
        fx.linear.NodalMass("hub", 3.0),
    )  # fmt: skip
    assert HELD not in reduced(tied, [fx.reduction.Interface("hub", nodes="hub")]).provenance
    on_hub = replace(tied, connections=(*tied.connections, fx.linear.NodalSpring("hub", (0, 0, 0, 5.0, 0, 0))))
    assert (
        "rotation about x is resisted with 5 [force length]"
        in reduced(on_hub, [fx.reduction.Interface("hub", nodes="hub")]).provenance[HELD]
    )


def test_formats_with_moving_frames_refuse_it_and_linear_ones_take_it(tmp_path: Path) -> None:
    small = reduced(part(*springs((1e3, 1e3, 1e3))))
    for name in ("sid", "mbdyn"):
        with pytest.raises(fx.ModelError, match="must be free"):
            small.export(tmp_path / f"bar.{name}", to=name, reference="left")
    with pytest.warns(fx.LossWarning, match="held by its own stiffness"):
        small.export(tmp_path / "bar", to="exudyn")
