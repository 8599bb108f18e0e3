"""What an element, a load, a support, a force, a joint or a kind of bodies of your own is made of, in one import.

The contracts are `flexmbs.core.contracts` (elements and kernels), `flexmbs.model.forces.items` (loads),
`flexmbs.model.supports` (supports), `flexmbs.model.joints.contracts` (joints; kinds of rows in
`flexmbs.kernels.rows.kind`) and `flexmbs.system.groups.contract` (kinds of bodies, which are listed in `BODY_KINDS`);
the documentation has a worked example of each. Items of models are `Description`s: frozen dataclasses that say what
they refer to (`flexmbs.core.references`).
"""

from __future__ import annotations

from flexmbs.core import facade as _facade
from flexmbs.core.body_description import BodyDescription as BodyDescription
from flexmbs.core.checks import as_array as as_array
from flexmbs.core.checks import as_count as as_count
from flexmbs.core.checks import as_direction as as_direction
from flexmbs.core.checks import as_name as as_name
from flexmbs.core.checks import as_number as as_number
from flexmbs.core.contracts import Element as Element
from flexmbs.core.contracts import Env as Env
from flexmbs.core.contracts import FloatArray as FloatArray
from flexmbs.core.contracts import ForceKernel as ForceKernel
from flexmbs.core.contracts import IntArray as IntArray
from flexmbs.core.contracts import NodeLayout as NodeLayout
from flexmbs.core.contracts import Resultant as Resultant
from flexmbs.core.contracts import State as State
from flexmbs.core.contracts import SurfaceElement as SurfaceElement
from flexmbs.core.contracts import SurfaceShape as SurfaceShape
from flexmbs.core.contracts import TangentKernel as TangentKernel
from flexmbs.core.contracts import Work as Work
from flexmbs.core.errors import ModelError as ModelError
from flexmbs.core.history import History as History
from flexmbs.core.jit import kernel as kernel
from flexmbs.core.references import Description as Description
from flexmbs.core.references import Named as Named
from flexmbs.core.references import refers_to as refers_to
from flexmbs.core.section import BeamStiffness as BeamStiffness
from flexmbs.core.shell_section import ShellStiffness as ShellStiffness
from flexmbs.core.sparsity import Blocks as Blocks
from flexmbs.kernels.markers.kind import MarkerEntry as MarkerEntry
from flexmbs.kernels.markers.kind import MarkerKind as MarkerKind
from flexmbs.kernels.markers.points import POINT as POINT
from flexmbs.kernels.markers.rigid import RIGID as RIGID
from flexmbs.kernels.rows.kind import RowKind as RowKind
from flexmbs.model.bodies.marker import Body as Body
from flexmbs.model.bodies.marker import Marker as Marker
from flexmbs.model.bodies.marker import as_marker as as_marker
from flexmbs.model.bodies.marker import joint_frame as joint_frame
from flexmbs.model.forces.items import Items as Items
from flexmbs.model.forces.items import Kind as Kind
from flexmbs.model.forces.items import Load as Load
from flexmbs.model.forces.items import Places as Places
from flexmbs.model.forces.items import dead_items as dead_items
from flexmbs.model.forces.row_force import RowForce as RowForce
from flexmbs.model.joints.contracts import Equation as Equation
from flexmbs.model.joints.contracts import Joint as Joint
from flexmbs.model.joints.contracts import Motion as Motion
from flexmbs.model.joints.contracts import Pair as Pair
from flexmbs.model.joints.contracts import Row as Row
from flexmbs.model.supports import Condition as Condition
from flexmbs.model.supports import Support as Support
from flexmbs.system.coordinates import Coordinates as Coordinates
from flexmbs.system.groups import KINDS as BODY_KINDS  # noqa: F401 - offered under this name
from flexmbs.system.groups import BodyGroup as BodyGroup
from flexmbs.system.groups import Drawing as Drawing
from flexmbs.system.groups import InertiaStage as InertiaStage
from flexmbs.system.groups import MovingBlocks as MovingBlocks
from flexmbs.system.groups import Section as Section
from flexmbs.system.groups import Span as Span

_facade.gather(globals(), explained=False)
