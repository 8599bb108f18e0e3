r"""The stages of the equations of motion, in the order in which they are evaluated.

.. math:: r = M a + C v + f(q, v, t) + G^T \lambda, \qquad g(q, t) = 0.

Inertia and dead loads come first, since they overwrite r; elements, gyroscopic forces and bodies whose mass changes add
to it. Then markers are placed, everything that acts on them adds to their wrenches W, and these are pulled down to the
coordinates, :math:`r \mathrel{+}= J^T W`. In the second list every stage also writes its blocks. No stage refers to the
`Dynamics` that it belongs to, so that a run leaves no cycle of references behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from flexmbs.dynamics.stages import (
    ACCELERATION,
    COORDINATES,
    ENV,
    LOADS,
    ON_RATES,
    SCALE,
    STATE,
    STIFFNESS_WEIGHT,
    VELOCITY,
    WEIGHTS,
    Stage,
)
from flexmbs.kernels.inertia import (
    add_block_damping,
    add_rows_product,
    clear_wrenches,
    inertia_force,
)
from flexmbs.kernels.pairs import joint_force, joint_tangent, pull_down
from flexmbs.kernels.row_forces import row_force, row_force_tangent
from flexmbs.kernels.wrenches import wrench_force, wrench_tangent
from flexmbs.system.refusals import refuse_force, refuse_marker
from flexmbs.system.system import EvaluationError, System

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flexmbs.core.contracts import Term
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["MotionStages", "motion_stages"]

Pair = tuple[Stage | None, Stage | None]
"""A stage of the residual and the one that takes its place where blocks are wanted too."""


class MotionStages(NamedTuple):
    """``force``: the residual; ``tangent``: the same with blocks; and parts of these that are evaluated by themselves.

    ``place``, ``place_tangent``: poses and twists of the markers, without and with the derivatives of J; ``pull``: the
    stiffness that wrenches on markers have; ``rows``: G and G^T of joints.
    """

    force: tuple[Stage, ...]
    tangent: tuple[Stage, ...]
    place: tuple[Stage, ...]
    place_tangent: tuple[Stage, ...]
    pull: tuple[Stage, ...]
    rows: tuple[Stage, ...]


def motion_stages(dyn: Dynamics) -> MotionStages:
    """All stages that one system needs."""
    placed = list(_markers(dyn))
    joints = list(_joints(dyn))
    pairs = [*_inertia(dyn), *_elements(dyn), *_bodies(dyn)]
    pull: list[Stage] = []
    if placed:
        m, work = dyn.mechanics, dyn.markers
        pull = [Stage(k.name, k.pull, (g, STATE, ENV, work, WEIGHTS)) for k, g in m.markers.groups]
        down = Stage("markers", pull_down, (m.markers.ptr, m.markers.dof, work.JT, work.W, work.r))
        clear = Stage("markers", clear_wrenches, (work.W,))
        pairs += [(clear, clear), *placed, *_functions(dyn), *joints, *_forces(dyn)]
        pairs += [(None, stage) for stage in pull] + [(down, down)]
    else:
        pairs += _functions(dyn)
    return MotionStages(
        force=_column(pairs, 0),
        tangent=_column(pairs, 1),
        place=_column(placed, 0),
        place_tangent=_column(placed, 1),
        pull=tuple(pull),
        rows=_column(joints, 1),
    )


def _column(pairs: list[Pair], k: int) -> tuple[Stage, ...]:
    """Those of the residual (0), or those with blocks (1)."""
    return tuple(stage for pair in pairs if (stage := pair[k]) is not None)


def _inertia(dyn: Dynamics) -> Iterator[Pair]:
    """M a and the dead loads, and damping in proportion to the mass."""
    r = dyn.r
    mass = Stage("mass", inertia_force, (*dyn.mass_rows, ACCELERATION, LOADS, r))
    yield mass, mass
    if len(dyn.damped_mass):
        damping = Stage("damping", add_rows_product, (*dyn.damping_rows, VELOCITY, r))
        yield damping, damping


def _elements(dyn: Dynamics) -> Iterator[Pair]:
    """Elements and loads whose forces depend on the state, one stage for each kind."""
    work = dyn.workspace.work
    for term in dyn.terms:
        refuse = _refusal(dyn.system, term)
        force = Stage(term.name, term.force, (term.group, STATE, ENV, work), refuse)
        tangent = force
        if term.tangent is not None:
            tangent = Stage(term.name, term.tangent, (term.group, STATE, ENV, work, WEIGHTS), refuse)
        yield force, tangent
    if len(dyn.damped_mass):
        yield None, Stage("damping", add_block_damping, (dyn.damped_mass, dyn.B, WEIGHTS))


def _bodies(dyn: Dynamics) -> Iterator[Pair]:
    """Gyroscopic forces, and the inertia of bodies whose mass changes."""
    for group in dyn.mechanics.groups:
        for part in group.stages:
            work = dyn.markers if part.on_markers else dyn.workspace.work
            yield (
                Stage(part.name, part.force, (part.group, STATE, ENV, work)),
                Stage(part.name, part.tangent, (part.group, STATE, ENV, work, WEIGHTS)),
            )
        if group.moving is not None and group.moving.renew is not None:
            kernel, table = group.moving.renew
            arrays = dyn.moving_mass.step_arrays
            yield None, Stage(group.kind, kernel, (table, COORDINATES, *arrays), compiled_only=True)


def _markers(dyn: Dynamics) -> Iterator[Pair]:
    """Poses and twists of the markers."""
    m, work = dyn.mechanics, dyn.markers
    for kind, group in m.markers.groups:

        def refuse(bad: int, kind: Any = kind, group: Any = group) -> None:
            refuse_marker(m, kind, group, bad)

        name = f"markers on {kind.name}"
        arguments = (group, STATE, ENV, work)
        yield Stage(name, kind.place, arguments, refuse), Stage(name, kind.place_tangent, arguments, refuse)


def _functions(dyn: Dynamics) -> Iterator[Pair]:
    """What Python evaluates: first-order states and what they drive, and forces of users."""
    python = dyn.python
    if python.states or dyn.mechanics.actuator_wrenches:
        before = Stage("states", python.before, (STATE, dyn.r))
        yield before, before
    if python.users:
        forces = Stage("forces of users", python.forces, ())
        yield forces, forces
    if python.users or python.states:
        yield None, Stage("forces of users", python.tangents, (STATE, WEIGHTS))


def _joints(dyn: Dynamics) -> Iterator[Pair]:
    m, work = dyn.mechanics, dyn.markers
    if len(m.joints.mA):
        yield (
            Stage("joints", joint_force, (m.joints, STATE, ENV, work)),
            Stage("joints", joint_tangent, (m.joints, STATE, ENV, work, WEIGHTS, ON_RATES)),
        )


def _forces(dyn: Dynamics) -> Iterator[Pair]:
    """Forces along rows, those of Python functions first, and wrenches."""
    m, work, prescribed = dyn.mechanics, dyn.markers, dyn.prescribed

    def refuse(bad: int) -> None:
        refuse_force(m, bad, prescribed.env.t)

    if len(m.forces.mA):
        if m.given:
            given = Stage("forces between markers", dyn.python.given, (m.forces,))
            yield given, given
        yield (
            Stage("forces between markers", row_force, (m.forces, STATE, ENV, work), refuse),
            Stage("forces between markers", row_force_tangent, (m.forces, STATE, ENV, work, WEIGHTS), refuse),
        )
    if len(m.wrenches.mk):
        blocks = m.wrench_offsets, m.markers.ptr
        yield (
            Stage("forces on markers", wrench_force, (m.wrenches, work.R, SCALE, work.W)),
            Stage("forces on markers", wrench_tangent, (m.wrenches, *blocks, SCALE, work, STIFFNESS_WEIGHT)),
        )


def _refusal(system: System, term: Term) -> Any:
    """What is raised for an item of a term."""

    def refuse(bad: int) -> None:
        raise EvaluationError(system.refusal(term, bad))

    return refuse
