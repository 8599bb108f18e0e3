"""Why a system cannot be evaluated or solved, in words about its bodies, joints and forces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flexmbs.core.errors import ModelError, SingularError
from flexmbs.system.system import EvaluationError

if TYPE_CHECKING:
    from flexmbs.system.build import Mechanics
    from flexmbs.system.system import System

__all__ = [
    "refuse_along",
    "refuse_contact",
    "refuse_force",
    "refuse_marker",
    "refuse_moving_supports",
    "refuse_pair",
    "refuse_searched",
    "singular",
]


def refuse_moving_supports(system: System) -> None:
    """Supports that move need velocities, which their histories do not have."""
    for drive in system.fixation.drives:
        if drive.history is not None:
            raise ModelError(
                f"Model {system.model.name!r}: {drive.owner} moves with a history; in time, prescribe motions "
                f"with a driver joint, whose motion has velocity and acceleration."
            )


def refuse_marker(m: Mechanics, kind: Any, group: Any, bad: int) -> None:
    """Marker number ``bad`` of a group has no place."""
    marker = m.markers.markers[group.mk[bad]]
    raise EvaluationError(f"marker {marker.name!r}: {kind.diagnosis or 'its position is not a finite number'}")


def refuse_force(m: Mechanics, bad: int, t: float) -> None:
    """Force number ``bad`` has no value."""
    raise EvaluationError(
        f"force {m.force_owners[bad].name!r} at t = {t:g}: it is not a finite number; are its points apart?"
    )


def refuse_contact(m: Mechanics, bad: int, t: float) -> None:
    """Contact number ``bad`` has no gap, or no force."""
    refuse_pair(m, m.contact_owners[bad], int(m.contacts.mA[bad]), int(m.contacts.mB[bad]), t)


def refuse_pair(m: Mechanics, owner: Any, a: int, b: int, t: float) -> None:
    """The contact of the markers number a and b has no gap, or no force."""
    raise EvaluationError(
        f"contact {owner.name!r} of {m.markers.markers[a]} and {m.markers.markers[b]} at t = {t:g}: it is not a finite "
        f"number; is a centre on a centre or an axis, or does a rim lie flat?"
    )


def refuse_along(m: Mechanics, bad: int, t: float) -> None:
    """Element number ``bad`` of contacts along bodies has no gap, or no force."""
    pair = int(m.distributed.pair[bad])
    owner, shape = m.distributed_owners[pair], m.distributed_shapes[pair]
    raise EvaluationError(
        f"contact {owner.name!r} of {shape} at t = {t:g}, with {m.markers.markers[int(m.distributed.mA[bad])]}: it "
        f"is not a finite number; does the axis of the body meet a centre or an axis?"
    )


def refuse_searched(system: System, what: str) -> None:
    """Contacts whose pairs are searched are not for analyses that need all pairs beforehand."""
    for contact in system.mechanics.searched:
        owner = contact.owner
        raise ModelError(
            f"Model {system.model.name!r}: contact {owner.name!r} searches its pairs while bodies move, and {what} "
            f"needs them beforehand. Take a model with the contact's declared(), or declared(run) at the end of a "
            f"motion, in its place; or simulate with GeneralizedAlpha(), BDF(), AugmentedLagrangian() or RungeKutta()."
        )


def singular(system: System, error: SingularError) -> SingularError:
    """The error of a solver, about the coordinate or constraint behind its unknown."""
    if error.unknown is None:
        return SingularError(f"Model {system.model.name!r}: {error}")
    k, n_v = int(system.free[error.unknown]), system.coordinates.n_v
    name = system.coordinates.describe(k) if k < n_v else system.mechanics.names[k - n_v]
    return SingularError(f"Model {system.model.name!r}: the matrix is singular at {name}", unknown=error.unknown)
