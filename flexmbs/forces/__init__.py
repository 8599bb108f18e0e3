"""Loads and springs: descriptions in words with their kernels, one concept a file."""

from __future__ import annotations

from flexmbs.forces.distributed import DistributedLoad, Gravity
from flexmbs.forces.elastic_support import ElasticSupport
from flexmbs.forces.moment import Moment
from flexmbs.forces.point_force import PointForce

__all__ = ["DistributedLoad", "ElasticSupport", "Gravity", "Moment", "PointForce"]
