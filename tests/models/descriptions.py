"""A sample of every description that a model is made of, for properties that all of them have."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs import trees
from flexmbs.core.references import Description
from flexmbs.kernels.laws import LINEAR
from flexmbs.kernels.rows.rows import DISTANCE
from flexmbs.model.contacts.sensor import LeastGap, SlipSpeed
from flexmbs.model.control.filters import moving_average
from flexmbs.model.forces.row_force import RowForce
from flexmbs.model.forces.wrench import Wrench
from flexmbs.model.joints.contracts import Pair, Row
from flexmbs.model.joints.coordinate_joint import CoordinateMarker
from flexmbs.model.joints.sliding import CablePoint
from tests.models.floating import bar

BASES = {
    "Body",
    "Shape",
    "Along",
    "BodyDescription",
    "ShapedBody",
    "ShapedMarker",
    "LowerPair",
    "Scalar",
    "_Force",
    "_VectorSensor",
}
"""Classes of which no object is made."""


TETRAHEDRON = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))


def every_class() -> set[type]:
    """All descriptions that come with flexmbs."""
    import flexmbs

    for module in pkgutil.walk_packages(flexmbs.__path__, "flexmbs."):
        if not module.name.startswith("flexmbs.verification") and not module.name.endswith("__main__"):
            importlib.import_module(module.name)

    def below(cls: type) -> Iterator[type]:
        for sub in cls.__subclasses__():
            yield sub
            yield from below(sub)

    def of_the_package(cls: type) -> bool:  # examples of docstrings call themselves by their module, too
        return getattr(sys.modules.get(cls.__module__), cls.__name__, None) is cls

    found = {c for c in below(Description) if c.__module__.startswith("flexmbs.") and of_the_package(c)}
    return {c for c in found if c.__name__ not in BASES}


class World:
    """Bodies, joints and whatever else the samples refer to."""

    def __init__(self) -> None:
        self.ball = fx.PointMass(1.0, position=(1.0, 2.0, 0.0), name="ball")
        self.box = fx.RigidBody.box(size=(1, 1, 1), mass=2.0, position=(0, 0, 1), name="box")
        self.hull = fx.RigidBody.box(size=(1, 2, 1), mass=2.0, position=(3, 0, 1), name="hull")
        self.flat = fx.PlanarRigidBody(1.0, 0.1, position=(0.5, 0.0), name="flat")
        self.disc = fx.PlanarRigidBody(1.0, 0.1, position=(2.0, 0.0), name="disc")
        self.beam = self._line((0, 0), (1, 0), "beam")
        self.rope = self._line((1, 0), (2, 0), "rope")
        self.sheet = fx.FlexibleBody.plate(
            (1, 0.5),
            elements=(2, 1),
            element=fx.elements.ANCFShell(),
            section=fx.ShellSection(0.01),
            material=fx.steel,
            name="sheet",
        )
        self.membrane = fx.FlexibleBody.plate(
            (1, 0.5),
            elements=(2, 1),
            element=fx.elements.ANCFThinPlate(),
            section=fx.ShellSection(0.01),
            material=fx.steel,
            name="membrane",
        )
        self.floating = fx.FloatingBody(bar(), name="floating")
        self.linear = fx.LinearBody(bar(), name="linear")
        links = (
            trees.Link("upper", 1.0, (0.1, 0.1, 0.1), (0, 0, -0.5), joint=trees.Revolute((0, 1, 0))),
            trees.FlexibleLink("lower", bar(), "left", "upper", trees.Revolute((0, 1, 0)), at=(0, 0, -1)),
        )
        self.tree = trees.Tree(*links, name="tree")
        self.hinge = fx.RevoluteJoint(fx.ground, self.flat, at=(0, 0), name="hinge")
        self.shaft = fx.RevoluteJoint(self.flat, self.disc, at=(2, 0), name="shaft")
        self.rail = fx.PrismaticJoint(fx.ground, self.disc, at=(2, 0), axis=(1, 0), name="rail")
        self.motor = fx.control.JointActuator(self.hinge, name="motor")
        self.coil = fx.control.FirstOrder([0.0], lambda x, u, t: -x, name="coil")
        self.command = fx.control.Command(self.motor, period=0.1, values=0.0, name="command")

    @staticmethod
    def _line(start: Any, end: Any, name: str) -> fx.FlexibleBody:
        return fx.FlexibleBody.line(
            start, end, elements=2, element=fx.elements.ANCFCable2D(), section=fx.Circle(diameter=0.01),
            material=fx.steel,
            name=name,
        )  # fmt: skip


def _distance(marker: Any, t: float, view: Any) -> float:
    return float(np.linalg.norm(view.position(marker)))


@cache
def samples() -> tuple[World, dict[str, tuple[Any, ...]]]:
    """The world and, by the names of the classes, one or more samples of each."""
    w = World()
    origin = fx.ground.marker((0, 0, 0))
    tip, side = w.box.marker((0, 0, 1)), w.hull.marker((0, 1, 0))
    position = fx.control.PositionSensor(tip, (1, 0, 0), side, name="reading")
    push = fx.control.ForceActuator(tip, (1, 0, 0), name="push")
    joints: dict[str, tuple[Any, ...]] = {
        name: (make(w.box, w.hull, at=(0, 0, 0), axis=(0, 0, 1), name="joint"),)
        for name, make in {
            "CylindricalJoint": fx.CylindricalJoint,
            "ParallelAxesConstraint": fx.ParallelAxesConstraint,
            "PlanarJoint": fx.PlanarJoint,
            "PointOnLineConstraint": fx.PointOnLineConstraint,
            "PointOnPlaneConstraint": fx.PointOnPlaneConstraint,
            "PrismaticJoint": fx.PrismaticJoint,
            "RevoluteJoint": fx.RevoluteJoint,
        }.items()
    }
    joints |= {
        "FixedJoint": (fx.FixedJoint(w.box, w.hull, name="joint"),),
        "SphericalJoint": (fx.SphericalJoint(w.box, w.beam.end, name="joint"),),
        "UniversalJoint": (fx.UniversalJoint(w.box, w.hull, at=(0, 0, 0), axes=((0, 1, 0), (0, 0, 1)), name="joint"),),
        "DistanceConstraint": (fx.DistanceConstraint(w.ball, tip, name="joint"),),
        "ScrewJoint": (fx.ScrewJoint(w.box, w.hull, pitch=0.1, at=(0, 0, 0), axis=(0, 0, 1), name="joint"),),
        "RollingDisk": (fx.RollingDisk(fx.ground, w.box, radius=0.5, axis=(0, 1, 0), name="joint"),),
        "RollingBall": (fx.RollingBall(fx.ground, w.box, radius=0.5, name="joint"),),
        "AverageEdge": (fx.AverageEdge(w.sheet.set("right"), w.hull, name="joint"),),
        "CoordinateJoint": (fx.CoordinateJoint(w.beam.end, "y"), fx.CoordinateJoint(w.ball, "x")),
        "SlidingJoint": (fx.SlidingJoint(w.beam, w.disc, at=(0.5, 0), sleeve=True, name="joint"),),
        "Gear": (fx.Gear(w.hinge, w.shaft, ratio=-2.0, name="joint"),),
        "RackAndPinion": (fx.RackAndPinion(w.hinge, w.rail, radius=0.5, name="joint"),),
        "RotationDriver": (
            fx.RotationDriver(w.hinge, 0.0, name="joint"), fx.RotationDriver(w.tree.joint("upper"), 0.0, name="other"),
            fx.RotationDriver((fx.ground.marker((0, 0, 0)), w.flat.centre), 0.0, name="third"),
        ),
        "TranslationDriver": (fx.TranslationDriver(w.rail, rate=1.0, name="joint"),),
        "DistanceDriver": (fx.DistanceDriver(w.ball, tip, rate=1.0, name="joint"),),
    }  # fmt: skip
    on: dict[str, Callable[..., Any]] = {
        "TorsionSpring": partial(fx.TorsionSpring, stiffness=1.0),
        "JointForce": partial(fx.JointForce, force=lambda s, rate, t: -rate),
        "CoulombFriction": partial(fx.CoulombFriction, coefficient=0.1, load=1.0, speed=0.1),
        "BristleFriction": partial(fx.BristleFriction, coefficient=0.1, load=1.0, deflection=0.01, damping=0.1),
        "JointStop": partial(fx.JointStop, upper=1.0, stiffness=10.0),
        "Latch": partial(fx.Latch, at=1.0, stiffness=10.0, damping=0.1, closing_time=0.01),
    }
    forces: dict[str, tuple[Any, ...]] = {
        name: (make(w.hinge, name="force"), make(w.tree.joint("lower"), name="other"))
        for name, make in on.items()
    }  # fmt: skip
    forces |= {
        "SpringDamper": (fx.SpringDamper(w.ball, w.linear.node(3), stiffness=1.0, name="force"),),
        "Bushing": (fx.Bushing(tip, w.floating.node(3), stiffness=(1, 1, 1), name="force"),),
        "UserForce": (fx.UserForce([w.box.centre, side], lambda p, R, u, t: np.zeros((2, 6)), name="force"),),
    }
    loads: dict[str, tuple[Any, ...]] = {
        "PointForce": (fx.PointForce(w.beam.end, (0, 1)), fx.PointForce(tip, (0, 1, 0), follower=True)),
        "Moment": (fx.Moment(w.beam.end, 1.0), fx.Moment(tip, (0, 1, 0))),
        "ElasticSupport": (fx.ElasticSupport(w.beam.end, (1.0, 1.0)),),
        "MembraneStress": (fx.MembraneStress(w.membrane, (1.0, 1.0, 0.0)),),
        "ThermalStrain": (fx.ThermalStrain(w.membrane, (1e-3, 1e-3, 0.0)),),
        "EdgeLoad": (fx.EdgeLoad(w.sheet.set("right"), (0, 0, 1)),),
        "EdgeMoment": (fx.EdgeMoment(w.sheet.set("right"), (0, 1, 0)),),
        "NodalLoad": (fx.NodalLoad(w.linear, 3, (0, 0, 1)),),
        "Pressure": (fx.Pressure(w.sheet, 1.0),),
        "DistributedLoad": (fx.DistributedLoad(w.beam, (0, 1)),),
        "Gravity": (fx.Gravity((0, -9.81, 0)),),
    }
    substructure = fx.Substructure(
        bar(), w.box, w.hull, ("left", "right"), geometric_stiffening=False, name="substructure"
    )
    held: dict[str, tuple[Any, ...]] = {
        "Pin": (fx.Pin(w.beam.start),), "Clamp": (fx.Clamp(w.beam.start),), "Guide": (fx.Guide(w.beam.start, (1, 0)),),
        "Roller": (fx.Roller(w.beam.start, (0, 1)),), "Symmetry": (fx.Symmetry(w.beam.start, (1, 0)),),
        "Prescribe": (fx.Prescribe(w.beam.end, (0.1, None)),), "Hinge": (fx.Hinge(w.beam.end, w.rope.start),),
        "RayleighDamping": (fx.RayleighDamping(w.beam, 0.1),), "InitialVelocity": (fx.InitialVelocity(w.beam, (1, 0)),),
        "Substructure": (substructure,),
        "SubstructurePoint": (substructure.node(1),),
    }  # fmt: skip
    sensors: dict[str, tuple[Any, ...]] = {
        "PositionSensor": (position,),
        "VelocitySensor": (fx.control.VelocitySensor(w.ball, frame=tip),),
        "AccelerationSensor": (fx.control.AccelerationSensor(w.beam.end),),
        "AngularVelocitySensor": (fx.control.AngularVelocitySensor(tip),),
        "DistanceSensor": (fx.control.DistanceSensor(w.ball, tip),),
        "JointSensor": (
            fx.control.JointSensor(w.hinge),
            fx.control.JointSensor("hinge"),
            fx.control.JointSensor(w.tree.joint("lower")),
        ),
        "MultiplierSensor": (fx.control.MultiplierSensor(w.hinge), fx.control.MultiplierSensor("hinge")),
        "CoordinateSensor": (fx.control.CoordinateSensor(w.ball, 1), fx.control.CoordinateSensor("ball", 1)),
        "StateSensor": (fx.control.StateSensor(w.coil), fx.control.StateSensor("coil")),
        "HeldSensor": (fx.control.HeldSensor(w.motor), fx.control.HeldSensor("motor")),
        "FunctionSensor": (fx.control.FunctionSensor(partial(_distance, tip), markers=(side,), name="distance"),),
        "NoisySensor": (fx.control.NoisySensor(position, lambda t: 0.1 * t),),
    }
    actuators: dict[str, tuple[Any, ...]] = {
        "JointActuator": (
            fx.control.JointActuator(w.hinge, name="drive"),
            fx.control.JointActuator("hinge", name="other drive"),
        ),
        "LineActuator": (fx.control.LineActuator(w.ball, tip, name="strut"),),
        "ForceActuator": (push,),
        "MomentActuator": (fx.control.MomentActuator(tip, name="turn"),),
        "Signal": (fx.control.Signal("signal"),),
    }
    feedback = fx.control.StateFeedback(position, push, 0.1, [[1.0]], name="control")
    control: dict[str, tuple[Any, ...]] = {
        "Controller": (fx.control.Controller((position,), (push,), 0.1, lambda x, u, t: u, name="control"),),
        "StateFeedback": (feedback,),
        "DiscreteStateSpace": (fx.control.DiscreteStateSpace(position, push, 0.1, moving_average(2), name="control"),),
        "Command": (fx.control.Command(push, 0.1, 1.0, name="control"),),
        "FilteredController": (fx.control.FilteredController(feedback, moving_average(2)),),
        "PID": (
            fx.control.PID(position, push, 0.1, 1.0, rate=fx.control.JointSensor("hinge", rate=True), name="control"),
        ),
        "FirstOrder": (fx.control.FirstOrder([0.0], lambda x, u, t: -x, position, push, name="states"),),
        "Event": (fx.control.Event(position, name="event"),),
    }
    floor, knob = fx.contact.Plane(fx.ground.marker((0, 0, 0))), fx.contact.Sphere(w.ball, radius=0.1)
    touch = fx.Contact((floor, knob), fx.contact.HuntCrossleyLaw(stiffness=1e5), allow_overlap=True, name="touch")
    contacts: dict[str, tuple[Any, ...]] = {
        "Contact": (touch,),
        "Plane": (floor,),
        "Sphere": (knob,),
        "Vertex": (fx.contact.Vertex(tip),),
        "Rim": (fx.contact.Rim(tip, radius=0.1),),
        "Cylinder": (fx.contact.Cylinder(tip, radius=0.1),),
        "Capsule": (fx.contact.Capsule(tip, radius=0.1, length=1.0),),
        "Box": (fx.contact.Box(tip, size=(1, 1, 1)),),
        "HeightField": (fx.contact.HeightField(tip, x=(0, 1), heights=(0, 0)),),
        "TriangleMesh": (
            fx.contact.TriangleMesh(tip, vertices=TETRAHEDRON, triangles=((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))),
        ),
        "Triangle": (fx.contact.Triangle(tip, corners=((0, 0, 0), (1, 0, 0), (0, 1, 0))),),
        "LeastGap": (LeastGap(touch),),
        "SlipSpeed": (SlipSpeed(touch),),
        "Tube": (fx.contact.Tube(w.beam, radius=0.001),),
        "Skin": (fx.contact.Skin(w.sheet, thickness=0.01),),
    }
    parts: dict[str, tuple[Any, ...]] = {
        "Pair": (Pair(origin, tip, (Row(DISTANCE),)),),
        "RowForce": (RowForce(tip, side, (Row(DISTANCE),), LINEAR, (1.0, 0.0, 0.0, 0.0)),),
        "Wrench": (Wrench(tip, (1.0, 0.0, 0.0)),),
        "Attachment": (w.beam.end,),
        "Marker": (tip, w.beam.end.marker()),
        "FloatingMarker": (w.floating.node(3),),
        "LinearMarker": (w.linear.node(3),),
        "CoordinateMarker": (CoordinateMarker(w.beam.end, "y"),),
        "CablePoint": (CablePoint(w.beam, (0.25, 0)),),
        "TreeCoordinate": (w.tree.joint("upper"),),
        "TreeCoordinateMarker": (w.tree.joint("upper").coordinates["angle"].b,),
        "OutletMarker": (w.tree.link("lower").interface("right"),),
    }
    bodies: dict[str, tuple[Any, ...]] = {
        "PointMass": (w.ball,), "RigidBody": (w.box,), "PlanarRigidBody": (w.flat,), "Ground": (fx.ground,),
        "FlexibleBody": (w.beam,), "FloatingBody": (w.floating,), "LinearBody": (w.linear,),
        "SectionFrame": (fx.SectionFrame((0, 0, 0)),), "Tree": (w.tree,), "TreeLink": (w.tree.link("upper"),),
    }  # fmt: skip
    return w, joints | forces | loads | held | sensors | actuators | control | contacts | parts | bodies
