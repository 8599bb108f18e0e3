"""Element formulations: one file, one element. Docstring, declaration, tables, kernel.

``ALL`` holds one default instance of every element; the property tests run over it, so a new element belongs there.
"""

from __future__ import annotations

if __name__ != "flexmbs.elements":
    raise ImportError("import this package as flexmbs.elements, not as a top-level module")

from flexmbs.core.calls import explain
from flexmbs.core.contracts import Element
from flexmbs.core.laminate import Ply
from flexmbs.elements.continuum_beam import ContinuumBeam
from flexmbs.elements.continuum_plate import ContinuumPlate
from flexmbs.elements.corner_plate import CornerPlate
from flexmbs.elements.director_beam import DirectorBeam
from flexmbs.elements.exact_beam import ExactBeam
from flexmbs.elements.hermite import CableStrain
from flexmbs.elements.linear.frame import Frame
from flexmbs.elements.linear.hexahedron import Hexahedron8, Hexahedron20
from flexmbs.elements.linear.shell_quad import ShellQuad
from flexmbs.elements.linear.shell_triangle import ShellTriangle
from flexmbs.elements.linear.tetra import Tetra4, Tetra10
from flexmbs.elements.linear.truss import Truss
from flexmbs.elements.planar_beam import PlanarBeam
from flexmbs.elements.planar_cable import PlanarCable
from flexmbs.elements.quadrature import Gauss, Lobatto
from flexmbs.elements.shear_shell import ShearShell
from flexmbs.elements.spatial_beam import SpatialBeam
from flexmbs.elements.spatial_cable import SpatialCable
from flexmbs.elements.thin_plate import PlateCurvature, ThinPlate

__all__ = [
    "ALL",
    "CableStrain",
    "ContinuumBeam",
    "ContinuumPlate",
    "CornerPlate",
    "DirectorBeam",
    "ExactBeam",
    "Frame",
    "Gauss",
    "Hexahedron8",
    "Hexahedron20",
    "Lobatto",
    "PlanarBeam",
    "PlanarCable",
    "PlateCurvature",
    "Ply",
    "ShearShell",
    "ShellQuad",
    "ShellTriangle",
    "SpatialBeam",
    "SpatialCable",
    "Tetra4",
    "Tetra10",
    "ThinPlate",
    "Truss",
]

ALL: tuple[Element, ...] = (PlanarCable(), SpatialCable(), PlanarBeam(), SpatialBeam(), DirectorBeam(), ContinuumBeam())
"""One default instance of every element."""

explain(globals(), __all__)
