"""What an element, a load, a support, a force, a joint or a kind of bodies of your own is made of, in one import.

The contracts are `flexmbs.core.contracts` (elements and kernels), `flexmbs.model.forces.items` (loads),
`flexmbs.model.supports` (supports), `flexmbs.model.joints.contracts` (joints; kinds of rows in
`flexmbs.kernels.rows.rows`) and `flexmbs.system.groups.contract` (kinds of bodies, which are listed in `BODY_KINDS`);
the documentation has a worked example of each. Items of models are `Description`s: frozen dataclasses that say what
they refer to (`flexmbs.core.references`).
"""

from __future__ import annotations

from flexmbs.core.body_description import BodyDescription
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
from flexmbs.core.sparsity import Blocks
from flexmbs.kernels.markers.kind import MarkerEntry, MarkerKind
from flexmbs.kernels.markers.points import POINT
from flexmbs.kernels.markers.rigid import RIGID
from flexmbs.model.bodies.marker import Body, Marker, as_marker, joint_frame
from flexmbs.model.forces.items import Items, Kind, Load, Places, dead_items
from flexmbs.model.forces.row_force import RowForce
from flexmbs.model.joints.contracts import Equation, Joint, Motion, Pair, Row
from flexmbs.model.supports import Condition, Support
from flexmbs.system.coordinates import Coordinates
from flexmbs.system.groups import KINDS as BODY_KINDS
from flexmbs.system.groups import BodyGroup, Drawing, InertiaStage, MovingBlocks, Section, Span

__all__ = [
    "BODY_KINDS",
    "POINT",
    "RIGID",
    "BeamStiffness",
    "Blocks",
    "Body",
    "BodyDescription",
    "BodyGroup",
    "Condition",
    "Coordinates",
    "Description",
    "Drawing",
    "Element",
    "Env",
    "Equation",
    "FloatArray",
    "ForceKernel",
    "History",
    "InertiaStage",
    "IntArray",
    "Items",
    "Joint",
    "Kind",
    "Load",
    "Marker",
    "MarkerEntry",
    "MarkerKind",
    "ModelError",
    "Motion",
    "MovingBlocks",
    "Named",
    "NodeLayout",
    "Pair",
    "Places",
    "Resultant",
    "Row",
    "RowForce",
    "Section",
    "SheetStiffness",
    "Span",
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
