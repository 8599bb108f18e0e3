"""Meshes: the container, generators, reading and writing with named sets, and quality."""

from __future__ import annotations

if __name__ != "flexmbs.meshes":
    raise ImportError("import this package as flexmbs.meshes; a second copy of its classes would not match the first.")

from flexmbs.core.calls import explain
from flexmbs.meshes.arclength import curve
from flexmbs.meshes.block import CellBlock
from flexmbs.meshes.generate import annular_sector, arc, box, line, polyline, rectangle
from flexmbs.meshes.generate_surfaces import cylinder, ring, sphere_sector
from flexmbs.meshes.mesh import Mesh
from flexmbs.meshes.quality import Quality, quality
from flexmbs.meshes.read import read_mesh
from flexmbs.meshes.samples import sample
from flexmbs.meshes.surface import oriented
from flexmbs.meshes.three_node import three_node
from flexmbs.meshes.write import write_mesh

__all__ = [
    "CellBlock",
    "Mesh",
    "Quality",
    "annular_sector",
    "arc",
    "box",
    "curve",
    "cylinder",
    "line",
    "oriented",
    "polyline",
    "quality",
    "read_mesh",
    "rectangle",
    "ring",
    "sample",
    "sphere_sector",
    "three_node",
    "write_mesh",
]

explain(globals(), __all__)
