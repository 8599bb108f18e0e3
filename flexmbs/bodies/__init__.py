"""Rigid bodies, point masses and the ground, and the markers that joints and forces know them by."""

from __future__ import annotations

from flexmbs.bodies.ground import Ground, ground
from flexmbs.bodies.initial_velocity import InitialVelocity
from flexmbs.bodies.marker import Body, Marker, as_marker, joint_frame
from flexmbs.bodies.planar import PlanarRigidBody
from flexmbs.bodies.point_mass import PointMass
from flexmbs.bodies.rigid import RigidBody
from flexmbs.bodies.wireframe import Wireframe

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
