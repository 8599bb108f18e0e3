"""Rigid bodies, point masses and the ground, and the markers that joints and forces know them by."""

from __future__ import annotations

from flexmbs.model.bodies.ground import Ground, ground
from flexmbs.model.bodies.initial_velocity import InitialVelocity
from flexmbs.model.bodies.marker import Body, Marker, as_marker, joint_frame
from flexmbs.model.bodies.planar import PlanarRigidBody
from flexmbs.model.bodies.point_mass import PointMass
from flexmbs.model.bodies.rigid import RigidBody
from flexmbs.model.bodies.wireframe import Wireframe

__all__ = [
    "Body",
    "Ground",
    "InitialVelocity",
    "Marker",
    "PlanarRigidBody",
    "PointMass",
    "RigidBody",
    "Wireframe",
    "as_marker",
    "ground",
    "joint_frame",
]
