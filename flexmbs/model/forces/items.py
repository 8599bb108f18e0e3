"""What a load or spring compiles to: items of a kind, which the system gathers into one group per kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, ForceKernel, IntArray, State, TangentKernel, Work
from flexmbs.core.history import History
from flexmbs.core.jit import kernel
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.model.bodies.flexible import FlexibleBody
from flexmbs.model.bodies.marker import Body

if TYPE_CHECKING:
    from flexmbs.system.groups.contract import BodyGroup

__all__ = ["DEAD", "Items", "Kind", "Load", "Places", "dead_items"]


@dataclass(frozen=True)
class Kind:
    """A type of item: its group (a NamedTuple class whose first fields are ``dofs`` and ``b1``) and its kernels."""

    name: str
    group: Any
    force: ForceKernel
    tangent: TangentKernel | None
    symmetric: bool = True
    diagnosis: str = ""
    support: bool = False
    energy: Callable[[Any, FloatArray], float] | None = None
    gaps: Callable[[Any, State, FloatArray, FloatArray], None] | None = None
    power: Callable[[Any, State], float] | None = None


class Items(NamedTuple):
    """Items of one kind: coordinates ``dofs (n, k)`` and the arrays ``columns``, each (n, ...), of the group."""

    kind: Kind
    dofs: IntArray
    columns: tuple[Any, ...]


class Places(Protocol):
    """Where the bodies' coordinates are in the system: what a load sees while it is compiled."""

    def dofs(self, at: Attachment) -> IntArray:
        """Coordinates (n, n_node) of the nodes of ``at``."""

    def reference(self, at: Attachment) -> FloatArray:
        """Nodal coordinates (n, n_node) in the stress-free shape."""

    def element_group(self, body: FlexibleBody) -> Any:
        """The group of the body's elements."""

    @property
    def groups(self) -> tuple[BodyGroup, ...]:
        """All bodies of the model, by kind (`flexmbs.system.groups.contract`)."""

    def shapes(self, body: Any) -> IntArray:
        """Coordinates of the shapes of a body of a reduced model."""


class Load(Protocol):
    """Anything that adds forces. ``history`` scales it over time or load factor; ``label`` names it in messages."""

    history: History

    @property
    def label(self) -> str:
        """For messages and reports."""

    @property
    def targets(self) -> tuple[Body | FlexibleBody, ...]:
        """The bodies it refers to; empty for one that acts on all."""

    def items(self, places: Places, index: int) -> tuple[Items, ...]:
        """The compiled items; ``index`` is the load's place in ``env.scale``."""


class DeadGroup(NamedTuple):
    """Constant generalised forces ``value (n,)`` on ``dofs (n, 1)``, scaled by the load factor number ``load (n,)``."""

    dofs: IntArray
    b1: int
    value: FloatArray
    load: IntArray


@kernel
def dead_force(group: DeadGroup, state: State, env: Env, work: Work) -> int:
    """r -= scale * value."""
    for i in range(group.dofs.shape[0]):
        work.r[group.dofs[i, 0]] -= env.scale[group.load[i]] * group.value[i]
    return -1


DEAD = Kind("dead load", DeadGroup, dead_force, None)


def dead_items(dofs: IntArray, values: FloatArray, index: int) -> Items:
    """Dead load ``values`` on the coordinates ``dofs`` (same shape); coordinates named twice are added up."""
    places: IntArray = dofs.ravel()
    total: FloatArray = values.ravel()
    if not (places[1:] > places[:-1]).all():  # as those of one body are
        places, inverse = np.unique(places, return_inverse=True)
        total = np.asarray(np.bincount(inverse, weights=total))
    used = total != 0.0
    places = places[used]
    return Items(DEAD, places[:, None], (total[used], np.full(len(places), index, dtype=np.int64)))
