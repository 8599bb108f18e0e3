"""Plates of rigid segments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import ModelError

QUIET = fx.StaticOptions(progress=False)

SOFT = fx.Elastic(youngs_modulus=1e6, density=100.0, poissons_ratio=0.25)
PLY = fx.Orthotropic(
    E_1=4e6, E_2=1e6, E_3=1e6, nu_12=0.3, nu_13=0.3, nu_23=0.3, G_12=8e5, G_13=6e5, G_23=4e5, density=100.0
)
H = 0.02


def _held(plate: fx.segments.SegmentedPlate) -> list[Any]:
    """Statically determinate: a corner, a slot along x, a plane."""
    a, b, c = plate.node(0, 0), plate.node(plate.areas.shape[0] - 1, 0), plate.node(0, plate.areas.shape[1] - 1)
    x = [marker.position0() for marker in (a, b, c)]
    return [
        fx.SphericalJoint(fx.ground.marker_at(x[0]), a, name="a"),
        fx.PointOnLineConstraint(fx.ground.marker_at(x[1], axis=(1, 0, 0)), b, name="b"),
        fx.PointOnPlaneConstraint(fx.ground.marker_at(x[2], axis=(0, 0, 1)), c, name="c"),
    ]


@pytest.mark.parametrize("material", [SOFT, PLY])
def test_uniform_tension(material: fx.Elastic | fx.Orthotropic) -> None:
    """Strains e_1 = s/E_1 and -nu_12 s/E_1, exactly, whatever the cells."""
    plate = fx.segments.segmented_plate((1.2, 0.8), (3, 3), thickness=H, material=material)
    s = 1.0  # small against E, so that it stays linear
    widths = np.array((0.5, 1.0, 1.0, 0.5)) * 0.8 / 3 * H
    loads: list[Any] = []
    for side, sign in (("left", -1.0), ("right", 1.0)):
        for node, A in zip(plate.side(side), widths, strict=True):
            loads.append(fx.PointForce(node, (sign * s * A, 0.0, 0.0)))
    found = plate.positions(fx.solve_static(fx.Model(*plate.items, *_held(plate), *loads), QUIET))[-1]
    E_1 = material.youngs_modulus if isinstance(material, fx.Elastic) else material.E_1
    nu = material.poissons_ratio if isinstance(material, fx.Elastic) else material.nu_12
    assert found[3, :, 0] - 1.2 == pytest.approx(1.2 * s / E_1, rel=1e-5)
    assert found[:, 3, 1] - 0.8 == pytest.approx(-0.8 * nu * s / E_1, rel=1e-5)


@pytest.mark.parametrize("material", [SOFT, PLY])
def test_uniform_bending_moment(material: fx.Elastic | fx.Orthotropic) -> None:
    """M_1 on two sides: curvatures M_1 12/(E_1 h^3) and -nu_12 times it."""
    plate = fx.segments.segmented_plate((1.2, 0.8), (4, 4), thickness=H, material=material)
    M = 1e-6
    loads: list[Any] = []
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for node, w in zip(plate.side(side), np.array((0.5, 1.0, 1.0, 1.0, 0.5)) * 0.2, strict=True):
            loads.append(fx.Moment(node, (0.0, sign * M * w, 0.0)))
    w = plate.positions(fx.solve_static(fx.Model(*plate.items, *_held(plate), *loads), QUIET))[-1, :, :, 2]
    E_1 = material.youngs_modulus if isinstance(material, fx.Elastic) else material.E_1
    nu = material.poissons_ratio if isinstance(material, fx.Elastic) else material.nu_12
    curvature = 12.0 * M / (E_1 * H**3)
    # second differences of the nodes, of which the segments at the edges are half as wide
    assert np.diff(w, 2, axis=0)[:, 2] / 0.3**2 == pytest.approx(curvature, rel=1e-5)
    assert np.diff(w, 2, axis=1)[2, :] / 0.2**2 == pytest.approx(-nu * curvature, rel=1e-5)


def test_mass_and_inertia_are_those_of_the_plate() -> None:
    plate = fx.segments.segmented_plate((1.2, 0.8), (3, 2), thickness=H, material=SOFT, position=(1, 2, 3))
    whole, box = fx.RigidBody.combined(*plate.bodies), fx.RigidBody.box(size=(1.2, 0.8, H), material=SOFT)
    assert whole.mass == pytest.approx(box.mass)
    assert whole.inertia == pytest.approx(box.inertia, abs=1e-12)
    assert whole.position == pytest.approx((1.6, 2.4, 3.0))
    assert plate.areas.sum() == pytest.approx(0.96)


def test_a_turned_plate_is_the_same_plate() -> None:
    R = fx.RigidBody(1.0, (1, 1, 1), rotation=(0.5, 0.5, 0.5, 0.5)).rotation
    modes = []
    for rotation in (None, R):
        plate = fx.segments.segmented_plate((1.0, 0.7), (3, 2), thickness=H, material=SOFT, rotation=rotation)
        clamps = [fx.FixedJoint(fx.ground, node, name=f"clamp {j}") for j, node in enumerate(plate.side("left"))]
        modes.append(fx.solve_modal(fx.Model(*plate.items, *clamps), 6).frequencies)
    assert modes[0] == pytest.approx(modes[1], rel=1e-9)


def test_pressure_is_the_sum_of_its_forces() -> None:
    plate = fx.segments.segmented_plate((1.2, 0.8), (3, 2), thickness=H, material=SOFT)
    forces = plate.pressure(2.0)
    assert sum(force.force[2] for force in forces) == pytest.approx(2.0 * 0.96)
    assert all(force.follower for force in forces)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"size": (1.0, -1.0)}, "greater than 0"),
        ({"size": 1.0}, "two numbers"),
        ({"n": (3, 0)}, "at least 1"),
        ({"thickness": 0.0}, "greater than 0"),
        ({"n": (1, 3)}, "too narrow"),
        ({"material": fx.Elastic(youngs_modulus=1.0, density=1.0, poissons_ratio=0.34)}, "Poisson's ratio"),
        ({"material": fx.Elastic(youngs_modulus=1.0, density=1.0, poissons_ratio=-0.1)}, "Poisson's ratio"),
        ({"material": None}, "material"),
    ],
)
def test_bad_input(change: dict[str, Any], word: str) -> None:
    given: dict[str, Any] = {"size": (1.0, 1.0), "n": (2, 2), "thickness": H, "material": SOFT} | change
    with pytest.raises(ModelError, match=word):
        fx.segments.segmented_plate(**given)


def test_unknown_places() -> None:
    plate = fx.segments.segmented_plate((1.0, 1.0), (2, 2), thickness=H, material=SOFT)
    with pytest.raises(ModelError, match="end with"):
        plate.node(3, 0)
    with pytest.raises(ModelError, match="one of 'left'"):
        plate.side("front")
