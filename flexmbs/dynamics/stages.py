r"""One evaluation of the equations of motion as a list of stages: what Python runs, and what the compiler prints.

.. math:: r = M a + C v + f(q, v, t) + G^T \lambda, \qquad g(q, t) = 0.

A stage is a kernel with its arguments: tables and arrays that stay where they are for a run, and names of what differs
from evaluation to evaluation (`Given`). The residual is one tuple of stages, the residual with its blocks another; both
are made once per run (`motion_stages`), and `flexmbs.integrators.compiled.text` writes the same tuples as calls.

Inertia and dead loads come first, since they overwrite r; elements, gyroscopic forces and bodies whose mass changes add
to it. Then markers are placed, everything that acts on them adds to their wrenches W, and these are pulled down to the
coordinates, :math:`r \mathrel{+}= J^T W`. In the second list every stage also writes its blocks. No stage refers to the
`Dynamics` that it belongs to, so that a run leaves no cycle of references behind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from flexmbs.core.given import (
    ACCELERATION,
    BLOCKS,
    COORDINATES,
    ENV,
    LOADS,
    MASS,
    ON_RATES,
    OPERATORS,
    RESIDUAL,
    SCALE,
    STATE,
    STIFFNESS_WEIGHT,
    VELOCITY,
    WEIGHTS,
    WORK,
    Given,
)
from flexmbs.kernels.contacts import contact_force, contact_tangent
from flexmbs.kernels.distributed_contacts import distributed_force, distributed_tangent
from flexmbs.kernels.held import held_forces
from flexmbs.kernels.inertia import (
    add_block_damping,
    add_rows_product,
    clear_wrenches,
    inertia_force,
)
from flexmbs.kernels.pairs import joint_force, joint_tangent, pull_down
from flexmbs.kernels.row_forces import row_force, row_force_tangent
from flexmbs.kernels.wrenches import wrench_force, wrench_tangent
from flexmbs.system.groups.inertia import InertiaCalls
from flexmbs.system.moving_mass import copy_entries, renew_masses, sum_entries
from flexmbs.system.refusals import refuse_along, refuse_contact, refuse_force, refuse_marker, refuse_pair
from flexmbs.system.system import EvaluationError, System

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flexmbs.core.contracts import Term
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.system.groups.inertia import Calls, MovingBlocks
    from flexmbs.system.python_items import Evaluate

__all__ = [
    "ACCELERATION", "COORDINATES", "ENV", "LOADS", "ON_RATES", "SCALE", "STATE", "STIFFNESS_WEIGHT", "VELOCITY",
    "WEIGHTS", "Given", "MotionStages", "Stage", "in_python", "motion_stages",
]  # fmt: skip


class Stage(NamedTuple):
    """A kernel with its arguments.

    ``owner``: whose it is, for messages; ``refuse(item)`` raises for an item that the kernel returned as one it cannot
    treat (-1: none); without it nothing is refused. ``compiled_only``: in Python this is done where it is asked for.
    ``failed(error)`` raises for what a user's function within the kernel raised. ``python``: it is no kernel, but a
    function in Python of (state, env, weights).
    """

    owner: str
    kernel: Any
    arguments: tuple[Any, ...]
    refuse: Callable[[int], None] | None = None
    compiled_only: bool = False
    failed: Callable[[Exception], Any] | None = None
    python: bool = False


def in_python(owner: str, function: Evaluate) -> Stage:
    """The stage of a function in Python."""
    return Stage(owner, function, (STATE, ENV, WEIGHTS), python=True)


Pair = tuple[Stage | None, Stage | None]
"""A stage of the residual and the one that takes its place where blocks are wanted too."""


class MotionStages(NamedTuple):
    """``force``: the residual; ``tangent``: the same with blocks; and parts of these that are evaluated by themselves.

    ``states``: the rates of first-order states; ``place``, ``place_tangent``: poses and twists of the markers, without
    and with the derivatives of J; ``pull``: the stiffness that wrenches on markers have; ``rows``: G and G^T of joints;
    ``masses``: what changes of the mass into the matrix of a step, where no tangent is evaluated; for compiled steps.
    """

    force: tuple[Stage, ...]
    tangent: tuple[Stage, ...]
    states: tuple[Stage, ...]
    place: tuple[Stage, ...]
    place_tangent: tuple[Stage, ...]
    pull: tuple[Stage, ...]
    rows: tuple[Stage, ...]
    masses: tuple[Stage, ...]


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
        pairs += [(clear, clear), *placed, *_functions(dyn), *joints, *_forces(dyn), *_contacts(dyn), *_along(dyn)]
        pairs += [(None, stage) for stage in pull] + [(down, down)]
    else:
        pairs += [*_functions(dyn), *_along(dyn)]
    return MotionStages(
        force=_column(pairs, 0),
        tangent=_column(pairs, 1),
        states=_column(list(dyn.laws.states), 0),
        place=_column(placed, 0),
        place_tangent=_column(placed, 1),
        pull=tuple(pull),
        rows=_column(joints, 1),
        masses=tuple(_masses(dyn)),
    )


def _column(pairs: list[Pair], k: int) -> tuple[Stage, ...]:
    """Those of the residual (0), or those with blocks (1)."""
    return tuple(stage for pair in pairs if (stage := pair[k]) is not None)


def _inertia(dyn: Dynamics) -> Iterator[Pair]:
    """M a and the dead loads, and damping in proportion to the mass."""
    r = dyn.r
    moving = [(g.moving, g.kind) for g in dyn.mechanics.groups if g.moving is not None and not g.moving.recursive]
    for blocks, kind in moving:
        for renewed in _renewed_mass(dyn, blocks, kind):
            yield renewed, renewed
    if moving:
        rows = Stage("mass", copy_entries, dyn.moving_mass.row_arrays, compiled_only=True)
        yield rows, rows
    if any(blocks.shared for blocks, _ in moving):
        shared = Stage("mass", sum_entries, dyn.moving_mass.shared_arrays, compiled_only=True)
        yield shared, shared
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
            if isinstance(part, InertiaCalls):
                yield from ((stage, None) for stage in _in_place(dyn, part.name, part.force))
                yield from ((None, stage) for stage in _in_place(dyn, part.name, part.tangent))
                continue
            work = dyn.markers if part.on_markers else dyn.workspace.work
            yield (
                Stage(part.name, part.force, (part.group, STATE, ENV, work)),
                Stage(part.name, part.tangent, (part.group, STATE, ENV, work, WEIGHTS)),
            )
        if group.moving is not None and group.moving.recursive:
            for renewed in _renewed_mass(dyn, group.moving, group.kind):
                yield None, renewed
    if dyn.mass_changes:
        yield None, _renewed_matrix(dyn)


def _masses(dyn: Dynamics) -> Iterator[Stage]:
    """The mass of trees, which their forces do not need, and all that changes into the matrix of a step."""
    for group in dyn.mechanics.groups:
        if group.moving is not None and group.moving.recursive:
            yield from _in_place(dyn, group.kind, group.moving.alone)
    if dyn.mass_changes:
        yield _renewed_matrix(dyn)


def _renewed_matrix(dyn: Dynamics) -> Stage:
    """The masses that change into the matrix of a step."""
    return Stage("mass", renew_masses, dyn.moving_mass.step_arrays, compiled_only=True)


def _renewed_mass(dyn: Dynamics, moving: MovingBlocks, kind: str) -> list[Stage]:
    """The mass of the bodies of a kind at the present place, where no call in Python renews it."""
    return [stage._replace(compiled_only=True) for stage in _in_place(dyn, kind, moving.renew)]


def _in_place(dyn: Dynamics, name: str, calls: Calls) -> list[Stage]:
    """Calls of a group of bodies with the arrays of one workspace."""
    work = dyn.markers
    own = {WORK: work, RESIDUAL: work.r, BLOCKS: work.B, OPERATORS: work.T}
    if dyn.mass_changes:
        own[MASS] = dyn.moving_mass.buffer
    return [Stage(name, kernel, tuple(own.get(a, a) if isinstance(a, Given) else a for a in arguments))
            for kernel, arguments in calls]  # fmt: skip


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
    """First-order states and what they drive, and forces of users."""
    python, laws = dyn.python, dyn.laws
    yield from laws.states
    if python.wrenches:
        factors = in_python("actuators", python.factors)
        yield factors, factors
    if len(python.held.number):
        held = Stage("actuators", held_forces, (python.held, dyn.mechanics.held, dyn.mechanics.forces.given, SCALE))
        yield held, held
    yield from laws.users
    yield from laws.blocks


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
        yield from dyn.laws.rows
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


def _contacts(dyn: Dynamics) -> Iterator[Pair]:
    """Forces of contacts."""
    m, work, prescribed = dyn.mechanics, dyn.markers, dyn.prescribed

    def refuse(bad: int) -> None:
        refuse_contact(m, bad, prescribed.env.t)

    if len(m.contacts.mA):
        yield (
            Stage("contacts", contact_force, (m.contacts, STATE, ENV, work), refuse),
            Stage("contacts", contact_tangent, (m.contacts, STATE, ENV, work, WEIGHTS), refuse),
        )
    found = dyn.candidates
    if found is not None:

        def refuse_candidate(bad: int) -> None:
            owner, *ends = found.owner(bad)
            refuse_pair(m, owner, ends[0], ends[1], prescribed.env.t)

        yield (
            Stage("contacts", found.force, (STATE, ENV), refuse_candidate),
            Stage("contacts", found.tangent, (STATE, ENV, WEIGHTS), refuse_candidate),
        )


def _along(dyn: Dynamics) -> Iterator[Pair]:
    """Forces of contacts along flexible bodies."""
    m, work, prescribed = dyn.mechanics, dyn.markers, dyn.prescribed

    def refuse(bad: int) -> None:
        refuse_along(m, bad, prescribed.env.t)

    if len(m.distributed.mA):
        yield (
            Stage("contacts along bodies", distributed_force, (m.distributed, STATE, ENV, work), refuse),
            Stage("contacts along bodies", distributed_tangent, (m.distributed, STATE, ENV, work, WEIGHTS), refuse),
        )


def _refusal(system: System, term: Term) -> Any:
    """What is raised for an item of a term."""

    def refuse(bad: int) -> None:
        raise EvaluationError(system.refusal(term, bad))

    return refuse
