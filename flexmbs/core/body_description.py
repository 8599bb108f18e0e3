"""What a description of bodies answers, so that nobody has to ask for its class.

A **description** says what a user knows of a body: mass, place, shape. Models, markers, joints, forces, reports and
files ask it for what is below. How all bodies of a kind become arrays is the matter of a group
(`flexmbs.system.groups.contract`), which finds its bodies by ``kind``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from flexmbs.core.references import Description

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.core.units import Units

__all__ = ["BodyDescription", "class_in_words"]


def class_in_words(item: object) -> str:
    """The name of a class in words: RigidBody -> rigid body."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(item).__name__).lower()


class BodyDescription(Description):
    """Base of all descriptions of bodies, frozen dataclasses that are compared by identity (``eq=False``).

    Attributes
    ----------
    name : str
        Unique in a model.
    mass : float
        [mass].
    kind : str
        Which group compiles it: that with this ``kind`` in `flexmbs.system.groups.KINDS`.
    collection : str
        In which tuple of a `Model` it is listed, such as ``"rigid_bodies"``; empty for what is no item of a model.
    is_ground : bool
        Whether it is the inertial frame, which never moves and need not be an item.
    has_mesh : bool
        Whether it is made of finite elements: it has ``mesh``, ``element`` and nodes that carry markers, supports and
        loads.
    not_an_item : str
        What to do instead, for a body that comes with another item.
    """

    role: ClassVar[str] = "body"
    name: str
    kind: ClassVar[str] = ""
    collection: ClassVar[str] = "rigid_bodies"
    is_ground: ClassVar[bool] = False
    has_mesh: ClassVar[bool] = False
    not_an_item: ClassVar[str] = ""

    if TYPE_CHECKING:  # a field of some classes, a property of others

        @property
        def mass(self) -> float:
            """[mass]."""

    @property
    def planar(self) -> bool:
        """Whether it moves in the plane z = 0 only."""
        return False

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of its coordinates, where these are of a vector space, for whatever acts on one by its name."""
        return ()

    @property
    def words(self) -> str:
        """What it is, in words: "rigid body"."""
        return class_in_words(self)

    @property
    def members(self) -> tuple[BodyDescription, ...]:
        """The bodies that it brings into a model and that carry markers: itself, or the links of a tree."""
        return (self,)

    @property
    def part_of(self) -> tuple[BodyDescription, int] | None:
        """The item that it comes with and its number there, of a link the tree; None for what is an item itself."""
        return None

    @property
    def gyration_length(self) -> float | None:
        """Length of the rod with the same radius of gyration [length]; None where it says nothing of the size."""
        return None

    @property
    def held_to_ground(self) -> bool:
        """Whether it is held to the ground by its own description, without joints and supports."""
        return False

    def line_in_model(self, units: Units) -> str:
        """Its line in the text of a model."""
        return f"{self.words} {self.name!r}: mass {self.mass:.3g} {units.mass}"

    def check_in(self, owner: str, model: Any) -> None:
        """Refuse a model in which it cannot be; raises `ModelError`."""

    @property
    def stored_shapes(self) -> dict[tuple[str | int, ...], FloatArray]:
        """Modes that a file has to keep as they are, by the way to the field they belong to.

        Of equal frequencies the computation leaves open which modes they have, so that it may find others again.
        """
        return {}
