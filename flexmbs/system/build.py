"""Compiling what acts between markers: numbering of markers and equations, groups, blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.core.identity import IdentityMap
from flexmbs.core.jit import numbers_of_kinds
from flexmbs.core.sparsity import Blocks
from flexmbs.kernels.contacts import ContactGroup
from flexmbs.kernels.distributed_contacts import DistributedGroup
from flexmbs.kernels.inertia import RigidGroup, gyroscopic_force
from flexmbs.kernels.laws import CONTACT, GIVEN
from flexmbs.kernels.pairs import AngleGroup, JointGroup
from flexmbs.kernels.row_forces import RowForceGroup
from flexmbs.kernels.rows.contact_rows import USUAL
from flexmbs.kernels.rows.rows import kind_of
from flexmbs.kernels.wrenches import WrenchGroup
from flexmbs.model.control.actuators import JointTarget, RowTarget, WrenchTarget
from flexmbs.model.control.calling import only_label
from flexmbs.model.forces.row_force import RowForce, pack
from flexmbs.model.forces.wrench import Wrench, wrench_group
from flexmbs.model.joints.coordinate_joint import unit_of
from flexmbs.system.contact_pairs import between_free_bodies
from flexmbs.system.distributed_contacts import distributed_group, refuse_overlap
from flexmbs.system.marker_set import MarkerSet
from flexmbs.system.python_items import HeldLaw, is_held
from flexmbs.system.row_table import RowTable, constants_of, padded
from flexmbs.system.rows_in_plane import RowsInPlane
from flexmbs.system.searched_contacts import SearchedContact, note_shapes, searched_contacts

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.joints.contracts import Equation, Joint, Row
    from flexmbs.model.model import Model
    from flexmbs.system.coordinates import Coordinates
    from flexmbs.system.groups import BodyGroup, InertiaStage
    from flexmbs.system.groups.inertia import InertiaCalls

__all__ = ["ActiveEquation", "Mechanics"]


class ActiveEquation(NamedTuple):
    """A constraint of the compiled model: its joint, its number there, and what it says."""

    joint: Joint
    number: int
    equation: Equation

    @property
    def label(self) -> str:
        """In words, for messages."""
        return f"{self.equation.label} of joint {self.joint.name!r}"


@dataclass(frozen=True, eq=False)
class Mechanics:
    """Everything that acts between markers, compiled.

    ``equations``: the constraints, in the order of the multipliers; ``dropped``: those that cannot be violated in the
    plane; ``angles``: those of joints that are counted for results alone; ``groups``: the bodies by kind;
    ``wrenches`` with one row of blocks each; ``size``: end of the common buffer of blocks; ``mass``: of all bodies
    whose mass is not that of elements, in their blocks, from ``mass_start`` on;
    ``given``: the functions of forces that Python evaluates, with the number of their force; ``actuators``: those of
    controllers, then those of first-order states, with the values ``held`` for them (work data) and, for those that are
    wrenches, their places in the load factors; ``user_offsets``, ``state_offsets``: blocks of what Python evaluates.
    """

    markers: MarkerSet
    equations: tuple[ActiveEquation, ...]
    dropped: tuple[ActiveEquation, ...]
    joints: JointGroup
    forces: RowForceGroup
    angles: AngleGroup
    force_owners: tuple[Any, ...]
    contacts: ContactGroup
    contact_owners: tuple[Any, ...]
    distributed: DistributedGroup
    distributed_owners: tuple[Any, ...]
    distributed_shapes: tuple[Any, ...]
    searched: tuple[SearchedContact, ...]
    wrenches: WrenchGroup
    wrench_offsets: IntArray
    groups: tuple[BodyGroup, ...]
    blocks: tuple[Blocks, ...]
    size: int
    mass_start: int
    mass: FloatArray
    given: tuple[tuple[int, Any], ...]
    actuators: tuple[Any, ...]
    held: FloatArray
    actuator_wrenches: tuple[tuple[int, int], ...]
    user_offsets: tuple[int, ...]
    state_offsets: tuple[int, ...]

    def for_run(self) -> Mechanics:
        """The same with tables of its own for what a run writes: work arrays of bodies, turns, frames, held values."""
        held = self.held.copy()
        given = tuple((n, f.holding(held) if isinstance(f, HeldLaw) else f) for n, f in self.given)
        return replace(
            self,
            markers=self.markers.for_run(),
            groups=tuple(group.for_run() for group in self.groups),
            joints=self.joints._replace(near=self.joints.near.copy()),
            forces=self.forces._replace(near=self.forces.near.copy(), given=self.forces.given.copy()),
            angles=self.angles._replace(near=self.angles.near.copy()),
            contacts=self.contacts._replace(data=self.contacts.data.copy()),
            held=held,
            given=given,
        )

    @property
    def symmetric(self) -> bool:
        """Whether nothing here makes the matrix of statics unsymmetric or indefinite: masses, and no more."""
        acting = self.markers.groups or self.user_offsets or self.state_offsets or self.distributed_owners
        return not (acting or self.n_c or self.stages)

    @cached_property
    def of_actuators(self) -> FloatArray:
        """Of each force between markers 1 if it is that of an actuator, whose work is that of a load, else 0."""
        found = np.zeros(len(self.force_owners))
        found[[n for n, law in self.given if isinstance(law, HeldLaw)]] = 1.0
        return found

    @property
    def n_c(self) -> int:
        """Number of constraints."""
        return len(self.equations)

    @property
    def stages(self) -> tuple[InertiaStage | InertiaCalls, ...]:
        """The forces of inertia of all bodies, in the order in which they are evaluated."""
        return tuple(stage for group in self.groups for stage in group.stages)

    @property
    def rigid(self) -> RigidGroup:
        """The gyroscopic forces of the rigid bodies; empty without any."""
        found: list[RigidGroup] = [stage.group for stage in self.stages if stage.force is gyroscopic_force]
        return found[0] if found else RigidGroup(np.zeros((0, 3), dtype=np.int64), 0, np.zeros((0, 3, 3)))

    @property
    def levels(self) -> IntArray:
        """0 or 1 (velocity) for each constraint."""
        return np.array([e.equation.level for e in self.equations], dtype=np.int64)

    @property
    def names(self) -> tuple[str, ...]:
        """The constraints in words."""
        return tuple(e.label for e in self.equations)

    def equations_of(self, joint: Joint) -> IntArray:
        """Numbers of the multipliers of a joint."""
        return np.array([i for i, e in enumerate(self.equations) if e.joint is joint], dtype=np.int64)

    @classmethod
    def of(cls, model: Model, coordinates: Coordinates, size: int) -> Mechanics:
        """Compile joints, forces between markers and rigid bodies; their blocks lie from ``size`` on."""
        return _Builder(model, coordinates, size).build()


class _Builder:
    """Collects the parts in order: inertia, markers, joints, forces."""

    def __init__(self, model: Model, coordinates: Coordinates, size: int) -> None:
        self.model, self.coordinates, self.size = model, coordinates, size
        self.joints = [(joint, tuple(joint.pairs), tuple(joint.equations)) for joint in model.joints]
        self._check_rows()
        self.in_plane = RowsInPlane(model)
        self.blocks: list[Blocks] = []
        supports = [b for load in model.loads for b in getattr(load, "bushings", ())]
        items = [(f, r) for f in (*model.forces, *supports) for r in getattr(f, "row_forces", ())]
        self.force_items = [(f, r) for f, r in items if r.law != CONTACT]
        self.contact_items = between_free_bodies(model, [(f, r) for f, r in items if r.law == CONTACT])
        along = [(f, pair.ends) for f in model.forces for pair in getattr(f, "distributed", ())]
        self.along_items = [(f, ends.pair) for f, ends in between_free_bodies(model, along)]
        refuse_overlap(coordinates, self.along_items)
        loads = list(enumerate(model.loads))
        constant = len(loads)
        self.wrench_items = [(w, i) for i, load in loads for w in getattr(load, "wrenches", ())]
        self.wrench_items += [(w, constant) for f in model.forces for w in getattr(f, "wrenches", ())]
        self.users = [f for f in model.forces if hasattr(f, "differentiate")]
        self._actuators(constant + 1)

    def _check_rows(self) -> None:
        """Refuse rows that belong to no equation, and equations without a row."""
        for joint, pairs, equations in self.joints:
            used = {row.equation for pair in pairs for row in pair.rows}
            if used != set(range(len(equations))):
                raise ModelError(
                    f"Model {self.model.name!r}: joint {joint.name!r} has {len(equations)} equations, numbered from 0, "
                    f"but its rows name {sorted(used)}; each equation needs a row."
                )

    def _actuators(self, place: int) -> None:
        """Actuators become forces on rows, or wrenches with load factors from ``place`` on.

        A held force along a fixed direction is a wrench on each of its two markers: it has no stiffness.
        """
        self.actuators = [a for item in self.model.controllers + self.model.states for a in item.actuators]
        self.held = np.zeros(len(self.actuators))
        self.actuator_wrenches: list[tuple[int, int]] = []
        for i, actuator in enumerate(self.actuators):
            target = actuator.acts_on
            if target is None:
                continue
            wrenches: list[Wrench] = []
            if isinstance(target, WrenchTarget):
                wrenches = [target.wrench]
            else:
                a, b, row = self._row_of(actuator, target)
                if is_held(actuator) and kind_of(row.kind).curvature == 0:
                    wrenches = _fixed_wrenches(a, b, row)
                else:
                    force = RowForce(a, b, (row,), GIVEN, (), HeldLaw(actuator, self.held, i))
                    self.force_items.append((actuator, force))
            if wrenches:
                self.actuator_wrenches.append((i, place))
                self.wrench_items += [(wrench, place) for wrench in wrenches]
                place += 1

    def _row_of(self, actuator: Any, target: JointTarget | RowTarget) -> tuple[Marker, Marker, Row]:
        """The markers and the row that an actuator acts on."""
        if not isinstance(target, JointTarget):
            return target
        joint = self.model.joint(target.joint)
        offered = getattr(joint, "coordinates", {})
        label = only_label(joint, target.label)
        if label not in offered:
            raise ModelError(
                f"Model {self.model.name!r}: actuator {actuator.name!r}: joint {target.joint!r} has no "
                f"coordinate {label!r}; it has {', '.join(offered) or 'none'}."
            )
        pair = offered[label]
        return pair.a, pair.b, pair.rows[0]

    def build(self) -> Mechanics:
        mass_start = self.size
        mass = self._inertia()
        between = [pair for _, pairs, _ in self.joints for pair in pairs]
        between += [force for _, force in (*self.force_items, *self.contact_items)]
        self.in_plane.sample((pair.a, pair.b, pair.rows) for pair in between)
        active, dropped, rows_kept = self._active_equations()
        markers, points = self._markers()
        marker_set = MarkerSet(self.coordinates, markers, points, self.size)
        self.size = marker_set.size
        self.blocks += marker_set.blocks
        self.markers = marker_set
        joints = self._joints(active, rows_kept)
        forces, contacts = self._forces(), self._contacts()
        angles = self._angles(points, (joints, forces))
        distributed = distributed_group(
            self.coordinates, marker_set, [pair for _, pair in self.along_items], self.add_blocks
        )
        searched = searched_contacts(self.model, marker_set, self.add_block)
        offsets = self._wrench_blocks()
        users = tuple(self.add_block(self._dofs(f.markers)) for f in self.users)
        states = tuple(self.add_block(self.coordinates.state_places(s)) for s in self.model.states)
        given = []
        for n, (_, force) in enumerate(self.force_items):
            if force.function is not None:
                law = force.function
                if hasattr(law, "of_unit"):
                    law = law.of_unit(unit_of(force.rows[0].kind, force.b))
                given.append((n, law))
        return Mechanics(
            marker_set, tuple(active), tuple(dropped), joints, forces, angles, tuple(f for f, _ in self.force_items),
            contacts, tuple(f for f, _ in self.contact_items), distributed, tuple(f for f, _ in self.along_items),
            tuple(pair.b for _, pair in self.along_items),
            searched,
            wrench_group(
                [w for w, _ in self.wrench_items],
                [marker_set.number[w.marker] for w, _ in self.wrench_items],
                [i for _, i in self.wrench_items],
            ), offsets, self.coordinates.groups, tuple(self.blocks), self.size, mass_start, mass, tuple(given),
            tuple(self.actuators), self.held, tuple(self.actuator_wrenches), users, states,
        )  # fmt: skip

    def _inertia(self) -> FloatArray:
        """Blocks of all bodies with the mass there: those of the groups, then masses on the diagonal, of order one."""
        masses = []
        for group in self.coordinates.groups:
            self.size = group.compile(self.coordinates, self.size)
            self.blocks += group.blocks
            masses.append(group.mass)
        extra = self.coordinates.extra
        first = self.coordinates.n_linear - len(extra)
        single = [group.diagonal for group in self.coordinates.groups]
        dofs = np.concatenate([*(dofs for dofs, _ in single), first + np.arange(len(extra))]).astype(np.int64)
        self.blocks.append(Blocks(dofs[:, None], self.size))
        self.size += len(dofs)
        return np.concatenate([*masses, *(mass for _, mass in single), [item.mass for item in extra]])

    def _active_equations(
        self,
    ) -> tuple[list[ActiveEquation], list[ActiveEquation], IdentityMap[Joint, dict[int, int]]]:
        """Constraints that remain, those dropped in the plane, and the number of each that remains."""
        active: list[ActiveEquation] = []
        dropped: list[ActiveEquation] = []
        number: IdentityMap[Joint, dict[int, int]] = IdentityMap()
        for joint, pairs, equations in self.joints:
            vanish, number[joint] = set(range(len(equations))), {}
            for pair in pairs:
                vanish -= self.in_plane.changing(joint, pair)
            for k, equation in enumerate(equations):
                item = ActiveEquation(joint, k, equation)
                if k in vanish:
                    dropped.append(item)
                else:
                    number[joint][k] = len(active)
                    active.append(item)
        return active, dropped, number

    def _markers(self) -> tuple[list[Marker], IdentityMap[Marker, None]]:
        """All markers, and those of which only the position matters."""
        turning: IdentityMap[Marker, bool] = IdentityMap()
        for _, pairs, _ in self.joints:
            for pair in pairs:
                self.in_plane.note_ends(pair.a, pair.b, pair.rows, turning)
        for _, force in (*self.force_items, *self.contact_items):
            self.in_plane.note_ends(force.a, force.b, force.rows, turning)
        for _, pair in self.along_items:
            turning[pair.a.marker] = True
        note_shapes(self.model, self.in_plane, turning)
        for wrench, _ in self.wrench_items:
            turning[wrench.marker] = turning.get(wrench.marker, False) or wrench.follower or any(wrench.moment)
        for marker in [m for f in self.users for m in f.markers]:
            turning[marker] = True
        return list(turning), IdentityMap((marker, None) for marker, turns in turning.items() if not turns)

    def _joints(self, active: list[ActiveEquation], number: IdentityMap[Joint, dict[int, int]]) -> JointGroup:
        table = RowTable(self.markers, self.add_block)
        eq: list[int] = []
        local: list[int] = []
        level: list[int] = []
        n_v = self.coordinates.n_v
        for joint, pairs, every in self.joints:
            own = number[joint]
            for pair in pairs:
                rows = [r for r in pair.rows if r.equation in own]
                if not rows:
                    continue
                equations = list(dict.fromkeys(own[r.equation] for r in rows))
                table.add(pair.a, pair.b, rows, [n_v + e for e in equations])
                k = table.order[-1] - len(equations)
                for row in rows:
                    e = own[row.equation]
                    eq.append(n_v + e)
                    local.append(k + equations.index(e))
                    level.append(every[row.equation].level)
        ints = [np.array(x, dtype=np.int64) for x in (eq, local, level)]
        return JointGroup(**table.columns(), eq=ints[0], level=ints[2], local=ints[1], mptr=self.markers.ptr, n_v=n_v)

    def _angles(self, points: IdentityMap[Marker, None], tables: tuple[Any, ...]) -> AngleGroup:
        """Angles that joints leave free and no row of the tables has, between markers whose orientation is known."""
        there: set[tuple[Any, ...]] = set()
        for table in tables:
            kind, sides = table.kind.tolist(), zip(table.mA.tolist(), table.mB.tolist(), strict=True)
            for (a, b), (begin, end) in zip(sides, pairwise(table.ptr.tolist()), strict=True):
                there |= {(a, b, k) for k in kind[begin:end]}
        found: list[tuple[int, int, int, tuple[float, ...]]] = []
        number = self.markers.number
        for joint in self.model.joints:
            for pair in getattr(joint, "coordinates", {}).values():
                row, ends = pair.rows[0], (pair.a, pair.b)
                if not kind_of(row.kind).counts_turns or any(m not in number or m in points for m in ends):
                    continue
                key = number[pair.a], number[pair.b], row.kind
                if key not in there:
                    there.add(key)
                    found.append((*key, padded(row.constants)))
        ints = [np.array([row[k] for row in found], dtype=np.int64) for k in range(3)]
        c = constants_of([row[3] for row in found])
        return AngleGroup(ints[0], ints[1], np.arange(len(found) + 1), ints[2], c, np.zeros(len(found)))

    def _forces(self) -> RowForceGroup:
        table = RowTable(self.markers, self.add_block)
        for _, force in self.force_items:
            states = [self.coordinates.extra_place(e) for e in force.states]
            table.add(force.a, force.b, list(force.rows), states)
        law, where, data = pack([f for _, f in self.force_items])
        n_given = sum(f.function is not None for _, f in self.force_items)
        states = [self.coordinates.extra_place(f.states[0]) if f.states else -1 for _, f in self.force_items]
        return RowForceGroup(
            **table.columns(), mptr=self.markers.ptr, law=law, where=where, data=data, given=np.zeros((n_given, 4)),
            state=np.array(states, dtype=np.int64),
        )  # fmt: skip

    def _contacts(self) -> ContactGroup:
        table = RowTable(self.markers, self.add_block)
        places = [[self.coordinates.extra_place(e) for e in force.states] for _, force in self.contact_items]
        for (_, force), states in zip(self.contact_items, places, strict=True):
            table.add(force.a, force.b, list(force.rows), states)
        _, where, data = pack([f for _, f in self.contact_items])
        columns = table.columns()
        del columns["near"], columns["factor"]
        columns["kind"] = numbers_of_kinds(columns["kind"].tolist(), USUAL)
        return ContactGroup(
            **columns, mptr=self.markers.ptr, where=where, data=data,
            state=np.array([states[0] if states else -1 for states in places], dtype=np.int64),
            n_states=np.array([len(states) for states in places], dtype=np.int64),
        )  # fmt: skip

    def _wrench_blocks(self) -> IntArray:
        """Offsets of the blocks of wrenches, k by k for a marker with k coordinates."""
        offsets = []
        ptr, dof = self.markers.ptr, self.markers.dof
        for wrench, _ in self.wrench_items:
            i = self.markers.number[wrench.marker]
            self.blocks.append(Blocks(dof[ptr[i] : ptr[i + 1]][None, :], self.size))
            offsets.append(self.size)
            self.size += int(ptr[i + 1] - ptr[i]) ** 2
        return np.array(offsets, dtype=np.int64)

    def _dofs(self, markers: tuple[Marker, ...]) -> IntArray:
        """Coordinates of some markers, one after the other."""
        ptr, dof = self.markers.ptr, self.markers.dof
        numbers = [self.markers.number[m] for m in markers]
        return np.concatenate([dof[ptr[i] : ptr[i + 1]] for i in numbers])

    def add_block(self, dofs: IntArray) -> int:
        """Room for one block; its offset."""
        return self.add_blocks(dofs[None, :])

    def add_blocks(self, dofs: IntArray) -> int:
        """Room for the blocks of coordinates ``dofs (n, k)``, one after the other; the offset of the first."""
        offset = self.size
        self.blocks.append(Blocks(dofs, offset))
        self.size += dofs.shape[0] * dofs.shape[1] ** 2
        return offset


def _fixed_wrenches(a: Marker, b: Marker, row: Row) -> list[Wrench]:
    """A unit force that drives a row of fixed direction up, as forces on its markers that move."""
    sides = ((a, -row.factor), (b, row.factor))
    return [
        Wrench(marker, force=(side * row.constants[0], side * row.constants[1], side * row.constants[2]))
        for marker, side in sides
        if not marker.body.is_ground
    ]
