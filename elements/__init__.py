"""Element formulations: one file, one element. Docstring, declaration, tables, kernel."""

if __name__ != "flexmbs.elements":
    raise ImportError("import this package as flexmbs.elements, not as a top-level module")

from flexmbs.elements.hermite import CableStrain
from flexmbs.elements.planar_cable import PlanarCable

__all__ = ["CableStrain", "PlanarCable"]
