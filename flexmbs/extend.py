"""What an element, a load or a support of your own is made of, in one import.

The contracts are `flexmbs.core.contracts` (elements and kernels), `flexmbs.forces.items` (loads) and
`flexmbs.supports` (supports); the documentation has a worked example of each.
"""

from __future__ import annotations

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
    TangentKernel,
    Work,
)
from flexmbs.core.errors import ModelError
from flexmbs.core.history import History
from flexmbs.core.jit import kernel
from flexmbs.core.section import BeamStiffness
from flexmbs.forces.items import Items, Kind, Load, Places, dead_items
from flexmbs.supports import Condition, Support

__all__ = [
    "BeamStiffness",
    "Condition",
    "Element",
    "Env",
    "FloatArray",
    "ForceKernel",
    "History",
    "IntArray",
    "Items",
    "Kind",
    "Load",
    "ModelError",
    "NodeLayout",
    "Places",
    "Resultant",
    "State",
    "Support",
    "TangentKernel",
    "Work",
    "as_array",
    "as_count",
    "as_direction",
    "as_name",
    "as_number",
    "dead_items",
    "kernel",
]
