"""Contacts along flexible bodies: derivatives of the residual against differences of order 4."""

from __future__ import annotations

from typing import Any

import pytest

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics
from tests.model.contacts.test_contact_tangents import FRICTION, LAW, check, hills, stone, turned

C = fx.contact
SOFT = fx.Elastic(youngs_modulus=1.0, poissons_ratio=0.0, density=1.0)
LINES: dict[str, Any] = {
    "ANCF cable": fx.elements.ANCFCable3D(),
    "ANCF beam": fx.elements.ANCFBeam(),
    "fully parameterized beam": fx.elements.ANCFBeamFullyParameterized(),
    "exact beam": fx.elements.GeometricallyExactBeam(),
}
SURFACES: dict[str, Any] = {
    "thin plate": fx.elements.ANCFThinPlate(),
    "fully parameterized plate": fx.elements.ANCFPlateFullyParameterized(),
    "shell": fx.elements.ANCFShell(),
    "corotational shell": fx.elements.CorotationalShell(),
}


def line(element: Any, elements: int = 1) -> Any:
    return fx.FlexibleBody.line((0.1, 0, 0.2), (0.9, 0.2, 0.3), elements=elements, element=element,
                                section=fx.Rectangle(width=0.1, height=0.1), material=SOFT, name="line")  # fmt: skip


def surface(element: Any) -> Any:
    return fx.FlexibleBody.plate((0.8, 0.7), elements=(1, 1), element=element, section=fx.ShellSection(0.1),
                                 material=SOFT, name="sheet")  # fmt: skip


def along(body: Any) -> Any:
    return C.Skin(body, thickness=0.4) if body.surface else C.Tube(body, radius=0.2)


def partner() -> Any:
    return fx.RigidBody(1.0, (1.0, 2.0, 2.5), position=(0.4, 0.3, -0.4), rotation=turned(), name="partner")


SHAPES: dict[str, Any] = {
    "plane": lambda at: C.Plane(at((0.1, 0.0, 0.3), (0.2, 0.1, 1.0))),
    "sphere": lambda at: C.Sphere(at((0.4, 0.1, -0.5), (0, 0, 1.0)), radius=1.1),
    "cylinder": lambda at: C.Cylinder(at((0.4, 0.1, -0.5), (0.3, 1.0, 0.1)), radius=0.9),
    "bore": lambda at: C.Cylinder(at((0.4, 0.1, 0.5), (0.3, 1.0, 0.1)), radius=0.3, inside=True),
    "capsule": lambda at: C.Capsule(at((0.4, 0.1, -0.5), (0.3, 1.0, 0.1)), radius=0.9, length=0.1),
    "box": lambda at: C.Box(at((0.4, 0.1, -0.5), (0.1, 0.1, 1.0)), size=(3.0, 3.0, 2.0)),
    "rim": lambda at: C.Rim(at((0.4, 0.1, 0.9), (0.1, 0.1, 1.0)), radius=1.0, tube=1.2),
    "hills": lambda at: hills(at((0.1, 0.0, 0.2), (0.1, 0.1, 1.0))),
    "stone": lambda at: stone(at((0.1, 0.0, -0.5), (0.1, 0.1, 1.0))),
}


def compared(body: Any, shape: Any, other: Any, friction: str) -> None:
    """The tangents of a contact; those of the body itself, which are much larger, are taken off where it can be."""
    contact = fx.Contact((shape, along(body)), LAW, FRICTION[friction], allow_overlap=True)
    alone = Dynamics(fx.compile_model(fx.Model(body, *other)))
    check(fx.Model(body, *other, contact), None if contact.extra else alone)


@pytest.mark.parametrize("friction", FRICTION)
@pytest.mark.parametrize("shape", SHAPES)
def test_tube_on_a_moving_shape(shape: str, friction: str) -> None:
    other = partner()
    found = SHAPES[shape](lambda where, axis: other.marker_at(where, axis=axis))
    compared(line(LINES["ANCF cable"]), found, (other,), friction)


@pytest.mark.parametrize("element", [*LINES, *SURFACES])
def test_every_element_on_a_moving_cylinder_and_on_the_ground(element: str) -> None:
    body = line(LINES[element]) if element in LINES else surface(SURFACES[element])
    other = partner()
    compared(body, SHAPES["cylinder"](lambda where, axis: other.marker_at(where, axis=axis)), (other,), "coulomb")
    compared(body, SHAPES["plane"](lambda where, axis: fx.ground.marker(where, axis=axis)), (), "coulomb")


@pytest.mark.parametrize("friction", FRICTION)
@pytest.mark.parametrize("moves", [False, True])
def test_planar_cable_on_a_pulley(moves: bool, friction: str) -> None:
    cable = fx.FlexibleBody.line((0.1, 0.2), (0.9, 0.3), elements=2, element=fx.elements.ANCFCable2D(),
                                 section=fx.Rectangle(width=0.1, height=0.1), material=SOFT, name="line")  # fmt: skip
    pulley = fx.PlanarRigidBody(mass=1.0, inertia=0.5, position=(0.5, -0.7), name="pulley")
    shape = C.Cylinder(pulley.centre if moves else fx.ground.marker((0.5, -0.7)), radius=1.0)
    compared(cable, shape, (pulley,), friction)


@pytest.mark.parametrize("friction", ["smooth", "coulomb", "bristle"])
def test_planar_cable_on_a_floor(friction: str) -> None:
    cable = fx.FlexibleBody.line((0.1, 0.2), (0.9, 0.3), elements=2, element=fx.elements.ANCFCable2D(),
                                 section=fx.Rectangle(width=0.1, height=0.1), material=SOFT, name="line")  # fmt: skip
    compared(cable, C.Plane(fx.ground.marker((0, 0.3), axis=(0.1, 1.0))), (), friction)
    compared(cable, hills(fx.ground.marker((0, 0.3), axis=(0.1, 1.0), x=(1.0, -0.1)), profile=True), (), friction)
