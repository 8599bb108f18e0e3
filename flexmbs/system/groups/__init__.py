"""Bodies compiled: the contract of a kind of bodies, one file for each kind, and the list of all kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flexmbs.core.errors import ModelError
from flexmbs.system.groups.contract import BodyGroup, Drawing, InertiaStage, MovingBlocks, Section, Span
from flexmbs.system.groups.floating import FloatingBodies
from flexmbs.system.groups.linear import LinearBodies
from flexmbs.system.groups.meshed import MeshedBodies
from flexmbs.system.groups.planar import PlanarRigidBodies
from flexmbs.system.groups.points import PointMasses
from flexmbs.system.groups.rigid import RigidBodies
from flexmbs.system.groups.substructures import Substructures
from flexmbs.system.groups.trees import Trees

if TYPE_CHECKING:
    from flexmbs.model.model import Model

__all__ = ["KINDS", "BodyGroup", "Drawing", "InertiaStage", "MovingBlocks", "Section", "Span", "groups_of"]

KINDS: list[type[BodyGroup]] = [
    MeshedBodies,
    LinearBodies,
    RigidBodies,
    PlanarRigidBodies,
    PointMasses,
    FloatingBodies,
    Substructures,
    Trees,
]
"""All kinds of bodies, in the order in which they are compiled."""


def groups_of(model: Model) -> tuple[BodyGroup, ...]:
    """The groups of a model: one for each kind of which it has bodies.

    Raises
    ------
    ModelError
        If a body is of a kind that is not listed.
    """
    known = {kind.kind for kind in KINDS}
    for body in model.described:
        if body.kind not in known:
            raise ModelError(
                f"Model {model.name!r}: {body.name!r} is of the kind {body.kind!r}, which no group compiles; append "
                f"its group to flexmbs.extend.BODY_KINDS."
            )
    found = ((kind, tuple(body for body in model.described if body.kind == kind.kind)) for kind in KINDS)
    return tuple(kind(bodies, model) for kind, bodies in found if bodies)
