"""What an element, a load, a support, a force or a joint of your own is made of, in one import.

The contracts are `flexmbs.core.contracts` (elements and kernels), `flexmbs.forces.items` (loads), `flexmbs.supports`
(supports) and `flexmbs.joints.contracts` (joints; kinds of rows in `flexmbs.joints.rows`); the documentation has a
worked example of each. Items of models are `Description`s: frozen dataclasses that say what they refer to
(`flexmbs.core.references`).
"""

from __future__ import annotations

from flexmbs.bodies.marker import Marker, as_marker, joint_frame
from flexmbs.core.checks import as_array, as_count, as_direction, as_name, as_number
from flexmbs.core.contracts import (
    Element,
    Env,
    FloatArray,
    ForceKernel,
    IntArray,
    NodeLayout,
    Resultant,
    State,
    SurfaceElement,
    SurfaceShape,
    TangentKernel,
    Work,
)
from flexmbs.core.errors import ModelError
from flexmbs.core.history import History
from flexmbs.core.jit import kernel
from flexmbs.core.references import Description, Named, refers_to
from flexmbs.core.section import BeamStiffness
from flexmbs.core.sheet import SheetStiffness
from flexmbs.forces.items import Items, Kind, Load, Places, dead_items
from flexmbs.forces.row_force import RowForce
from flexmbs.joints.contracts import Equation, Joint, Motion, Pair, Row
from flexmbs.supports import Condition, Support

__all__ = [
    "BeamStiffness",
    "Condition",
    "Description",
    "Element",
    "Env",
    "Equation",
    "FloatArray",
    "ForceKernel",
    "History",
    "IntArray",
    "Items",
    "Joint",
    "Kind",
    "Load",
    "Marker",
    "ModelError",
    "Motion",
    "Named",
    "NodeLayout",
    "Pair",
    "Places",
    "Resultant",
    "Row",
    "RowForce",
    "SheetStiffness",
    "State",
    "Support",
    "SurfaceElement",
    "SurfaceShape",
    "TangentKernel",
    "Work",
    "as_array",
    "as_count",
    "as_direction",
    "as_marker",
    "as_name",
    "as_number",
    "dead_items",
    "joint_frame",
    "kernel",
    "refers_to",
]
