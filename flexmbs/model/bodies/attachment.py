"""Places on meshed bodies: nodes, to which supports, loads, joints and results refer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from flexmbs.core.body_description import BodyDescription
from flexmbs.core.checks import as_count, as_name, is_list, show
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description

if TYPE_CHECKING:
    from flexmbs.model.bodies.flexible import FlexibleBody
    from flexmbs.model.bodies.marker import Marker

__all__ = ["Attachment", "as_attachment"]


@dataclass(frozen=True, eq=False, repr=False)
class Attachment(Description):
    """Some nodes of a body, to which supports, loads and hinges refer; made by ``body.end``, ``body.at(...)``."""

    role: ClassVar[str] = "place"
    body: FlexibleBody
    nodes: tuple[int, ...]
    label: str

    def __post_init__(self) -> None:
        if not getattr(self.body, "has_mesh", False):
            raise ModelError(f"Attachment: body must be a FlexibleBody, not {show(self.body)}.")
        as_name("Attachment", "label", self.label)
        given = self.nodes if is_list(self.nodes) else (self.nodes,)
        nodes = tuple(as_count(f"Attachment to {self.body.name!r}", "each of nodes", n) for n in given)
        if nodes and max(nodes) >= self.body.mesh.n_points:
            raise ModelError(
                f"Attachment to {self.body.name!r}: there is no node {max(nodes)}; nodes are numbered 0 to "
                f"{self.body.mesh.n_points - 1}."
            )
        object.__setattr__(self, "nodes", nodes)

    def marker(self, axis: Sequence[float] | None = None, x: Sequence[float] | None = None) -> Marker:
        """A marker on the single node, with a frame of your own; see `flexmbs.model.bodies.marker` for the default one.

        Parameters
        ----------
        axis : (3,) sequence, optional
            Its third axis in the stress-free shape, inertial frame; two components suffice for what is planar.
        x : (3,) sequence, optional
            Direction of its first axis, made normal to ``axis``.
        """
        from flexmbs.model.bodies.frames import frame_along  # markers are built on bodies, not the other way round
        from flexmbs.model.bodies.marker import as_marker

        owner = f"marker at {self}"
        if axis is None and x is None:
            return as_marker(owner, self)
        return as_marker(owner, self, frame=frame_along(owner, axis, x, self.body.element.layout.dim == 2))

    def __repr__(self) -> str:
        return f"Attachment({self.body.name}, {self.label!r})"

    def __str__(self) -> str:
        return f"{self.label!r} of body {self.body.name!r}"


def as_attachment(owner: str, value: object, single: bool = False) -> Attachment:
    """Refuse what is not a place on a body, or not a single node where one is needed."""
    if not isinstance(value, Attachment):
        hint = ""
        if isinstance(value, BodyDescription):
            mesh = " Name the place, such as its start, end, node(0) or set('name')."
            hint = mesh if value.has_mesh else " A body without a mesh is held by a joint to the ground."
        raise ModelError(
            f"{owner}: expected a place on a body such as beam.end or beam.at((1, 0)), not {show(value)}.{hint}"
        )
    if not value.nodes:
        raise ModelError(f"{owner}: the set {value} is empty.")
    if single and len(value.nodes) != 1:
        raise ModelError(f"{owner}: expected one node, but {value} has {len(value.nodes)}.")
    return value
