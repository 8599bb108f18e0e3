"""A dead force on nodes of a linear body, such as the pressure on a zone of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from flexmbs.core.checks import as_array, as_counts, as_name, show
from flexmbs.core.errors import ModelError
from flexmbs.core.history import History, check_history
from flexmbs.core.references import Description
from flexmbs.model.bodies.linear import LinearBody
from flexmbs.model.forces.items import Items, Places, dead_items

__all__ = ["NodalLoad"]


@dataclass(frozen=True, eq=False)
class NodalLoad(Description):
    r"""A force shared equally by nodes of a linear body, in a fixed direction: :math:`\Phi^T f` on its modes.

    It is one vector of modal forces however many nodes it has. A force on a single marker is a `PointForce`.

    Parameters
    ----------
    body : LinearBody
    nodes : str, int or sequence of int
        Node set of the reduced model, or rows of its points.
    force : (3,) array
        Resultant, inertial axes [force].
    history : function, optional
        Factor over time, such as a `BandNoise`.
    name : str

    Raises
    ------
    ModelError
        If the body is of another kind, or the nodes are unknown or have no displacements.

    Examples
    --------
    >>> import flexmbs as fx
    >>> lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    >>> body = fx.LinearBody(fx.reduction.reduce(lug, ["ROOT", "BORE"], modes=4), fixed="ROOT")
    >>> load = fx.NodalLoad(body, "BORE", (0, 0, -10.0), history=fx.control.BandNoise(1.0, (0.2, 10.0), seed=1))
    >>> load.label
    "nodal load on 'lug'"
    """

    role: ClassVar[str] = "load"
    body: LinearBody
    nodes: Any
    force: Any
    history: History = None
    name: str = ""

    def __post_init__(self) -> None:
        if not hasattr(self.body, "nodal_force"):
            raise ModelError(f"NodalLoad: body must be a LinearBody, not {show(self.body)}.")
        owner = f"NodalLoad on {self.body.name!r}"
        check_history(owner, self.history, force=self.force)
        if self.name:
            as_name(owner, "name", self.name)
        force = as_array(owner, "force", self.force, (3,), unit="force")
        object.__setattr__(self, "force", tuple(force.tolist()))
        nodes = self.nodes
        if isinstance(nodes, str):
            sets = self.body.reduced.node_sets
            if nodes not in sets:
                raise ModelError(f"{owner}: there is no node set {nodes!r}; there are {', '.join(sets) or 'none'}.")
            nodes = sets[nodes]
        object.__setattr__(self, "nodes", tuple(np.unique(as_counts(owner, "each of nodes", nodes)).tolist()))
        self.body.nodal_force(self.nodes, force)

    @property
    def label(self) -> str:
        return self.name or f"nodal load on {self.body.name!r}"

    @property
    def targets(self) -> tuple[LinearBody, ...]:
        return (self.body,)

    def items(self, places: Places, index: int) -> tuple[Items, ...]:
        return (dead_items(places.shapes(self.body), self.body.nodal_force(self.nodes, self.force), index),)
