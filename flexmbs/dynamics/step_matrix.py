"""The matrix of a step: from blocks to factors, without entries that are zero whatever the state.

The blocks of joints, of wrenches and of held forces are mostly zero: rows of a joint know few coordinates, a dead force
has no stiffness. Their derivatives are analytic functions of the state, so an entry that is zero in several states
drawn at random is zero in all. Factorisation is tried without interchanges, which suits systems that are numbered from
the leaves to the ground, and repeated with them if need be.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.core.linsolve.static_band import BandShape, StaticBand
from flexmbs.core.sparsity import rotate_blocks
from flexmbs.dynamics.stage_calls import Prepared
from flexmbs.dynamics.stages import ENV, ON_RATES, SCALE, STATE, STIFFNESS_WEIGHT, WEIGHTS, Stage
from flexmbs.kernels.pairs import joint_tangent
from flexmbs.kernels.row_forces import row_force_tangent
from flexmbs.kernels.wrenches import wrench_tangent
from flexmbs.system.moving_mass import moving_entries, structure
from flexmbs.system.python_items import HeldLaw

if TYPE_CHECKING:
    from flexmbs.core.linsolve import LinearSolver
    from flexmbs.system.build import Mechanics
    from flexmbs.system.layout import Layout
    from flexmbs.system.system import System

__all__ = ["StepMatrix", "mass_in_frames", "possible_entries"]

Slots = NDArray[np.int32]
SAMPLES = 3


class _Places(NamedTuple):
    """Which entries the matrix of a step has, and where: it depends on the layout and on what can differ from zero.

    ``band``: None where it is not narrow; ``in_band``: places of all entries there, of the masses behind them, and of
    the diagonal of the constraints behind these.
    """

    entries: Slots
    equations: IntArray
    cut: tuple[int, int]
    band: BandShape | None
    in_band: Slots | None


def _places(layout: Layout, possible: bytes, massive: bytes) -> _Places:
    """For the numbers of two arrays: which entries of the buffer are possible, and the places of the masses."""
    keep = np.flatnonzero(layout.live & np.frombuffer(possible, dtype=bool))
    masses = np.frombuffer(massive, dtype=np.int64)
    equations = layout.free[_constraints(layout)] - len(layout.node_of)
    row, column = _rows_and_columns(layout, keep, masses)
    band = BandShape.of(len(layout.free), row, column, layout.border)
    in_band = None if band is None else band.slots(row, column).astype(np.int32)
    return _Places(keep.astype(np.int32), equations, (len(keep), len(keep) + len(masses)), band, in_band)


def _constraints(layout: Layout) -> IntArray:
    """Which unknowns are multipliers."""
    return np.flatnonzero(layout.free >= len(layout.node_of))


def _rows_and_columns(layout: Layout, entries: Any, masses: IntArray) -> tuple[IntArray, IntArray]:
    """Of entries, of masses behind them, and of the diagonal of the constraints."""
    diagonal = _constraints(layout)
    row = np.concatenate((layout.entry_rows[entries], layout.entry_rows[masses], diagonal))
    return row, np.concatenate((layout.entry_columns[entries], layout.entry_columns[masses], diagonal))


class StepMatrix:
    """Assembles, factorises and solves for one system.

    ``possible (n_b,)``: which entries of the buffer of blocks can differ from zero; ``seconds``: where the time of the
    assembly and the factorisation is added; ``solver``: what to factorise with where that is not done here.

    Attributes
    ----------
    static : StaticBand or None
        Factorises without interchanges where the band is narrow; ``pivoting`` tells whether the solver has to.
    entries, massive : int arrays
        Places in the buffer of blocks of all entries that are assembled, and of the masses among them, those that
        change with the state behind the others.
    mass : array
        The masses at the latter.
    equations : int array
        Numbers of the constraints, in the order of their unknowns.
    static_slots : int array
        Places in the storage of ``static`` of the entries, from ``cut[0]`` on of the masses, from ``cut[1]`` on of the
        diagonal of the constraints.
    """

    def __init__(
        self,
        system: System,
        possible: NDArray[np.bool_],
        seconds: dict[str, float],
        solver: LinearSolver,
    ) -> None:
        self.seconds = seconds
        self.solver = solver
        mass = mass_in_frames(system, structure(system))
        massive = np.flatnonzero(system.layout.live[: len(mass)] & (mass != 0.0))
        moves = moving_entries(system)[massive]
        massive = np.concatenate((massive[~moves], massive[moves]))  # in frames of supports is only what does not move
        self._still = int(np.count_nonzero(~moves))
        self.mass = mass_in_frames(system, system.mass_blocks)[massive]
        self.massive = massive
        self._layout = layout = system.layout
        places: _Places = layout.once(_places, possible.tobytes(), massive.tobytes())
        self.entries, self.equations, self.cut = places.entries, places.equations, places.cut
        self.static = None if places.band is None else StaticBand(places.band)
        self.static_slots = places.in_band
        self.pivoting = self.static is None

    @cached_property
    def _slots(self) -> Slots:
        """Places in the storage of the solver, as ``static_slots``."""
        return self.solver.slots(*self.places).astype(np.int32)

    @property
    def places(self) -> tuple[IntArray, IntArray]:
        """Rows and columns of all entries, of the masses behind them, and of the diagonal of the constraints."""
        return _rows_and_columns(self._layout, self.entries, self.massive)

    @property
    def moving(self) -> tuple[IntArray, FloatArray]:
        """Places in the mass blocks of the masses that change with the state, and these, the last of ``mass``."""
        return self.massive[self._still :], self.mass[self._still :]

    def renew_mass(self, blocks: FloatArray) -> None:
        """Masses at another state, in the layout of the mass blocks (n_mass,)."""
        places, mass = self.moving
        mass[:] = blocks[places]

    def factorise(self, B: FloatArray, wa: float, compliance: FloatArray) -> None:
        """Add up B, ``wa`` times the mass, -``compliance (n_c,)`` on the multipliers; factorise, or SingularError."""
        if self.static is not None and self.static_slots is not None:
            self._add(B, wa, compliance, self.static_slots, self.static.data)
            began = perf_counter()
            self.pivoting = not self.static.refactor()
            self.seconds["factorisation"] += perf_counter() - began
        if self.pivoting:
            self._add(B, wa, compliance, self._slots, self.solver.data)
            began = perf_counter()
            self.solver.refactor()
            self.seconds["factorisation"] += perf_counter() - began

    def _add(self, B: FloatArray, wa: float, compliance: FloatArray, slots: Slots, data: FloatArray) -> None:
        began = perf_counter()
        first, second = self.cut
        masses, diagonal = slots[first:second], slots[second:]
        scatter(B, self.entries, slots[:first], self.mass, wa, masses, compliance, self.equations, diagonal, data)
        self.seconds["assembly"] += perf_counter() - began

    def solve(self, b: FloatArray) -> FloatArray:
        """The solution, in an array that may be overwritten by the next call; so may be ``b``."""
        if self.pivoting or self.static is None:
            return self.solver.direct(b)
        return self.static.direct(b)


@kernel
def scatter(
    B: FloatArray, source: Slots, slots: Slots, mass: FloatArray, wa: float, mass_slots: Slots,
    compliance: FloatArray, equations: IntArray, diagonal: Slots, data: FloatArray,
) -> None:  # fmt: skip
    """Clear ``data``; add entries of B, wa times masses, and -compliance (n_c,) of equations at their slots."""
    data[:] = 0.0
    for i in range(mass.shape[0]):
        data[mass_slots[i]] += wa * mass[i]
    for i in range(source.shape[0]):
        data[slots[i]] += B[source[i]]
    for i in range(diagonal.shape[0]):
        data[diagonal[i]] -= compliance[equations[i]]


def mass_in_frames(system: System, blocks: FloatArray) -> FloatArray:
    """Mass as blocks, turned into the frames of supports as those of the stiffness are; the frames do not move."""
    mass = blocks.copy()
    where = system.turned_blocks
    inside = where[where[:, 0] + where[:, 1] ** 2 <= len(mass)] if len(where) else where
    if len(inside):
        rotate_blocks(mass, np.ascontiguousarray(inside), np.ascontiguousarray(system.fixation.frames0))
    return mass


def possible_entries(system: System, m: Mechanics) -> NDArray[np.bool_]:
    """Entries of the buffer of blocks (n_b,) that are not zero for every state; found once for a system.

    Looked at are those of joints, markers, wrenches and held forces; all others count.

    A held force is that of an actuator without a law of its own: constant from sample to sample. ``m``: the mechanics
    of a workspace, whose tables of given forces are written to.
    """
    if system not in _possible:
        _possible[system] = _possible_entries(system, m)
    return _possible[system]


_possible: WeakKeyDictionary[System, NDArray[np.bool_]] = WeakKeyDictionary()


class _Drawn(NamedTuple):
    """Numbers of a state drawn at random; kernels take them for arrays of a model, which they do not change."""

    linear: FloatArray
    poses: FloatArray
    v: FloatArray
    lam: FloatArray
    T: FloatArray
    scale: FloatArray
    given: FloatArray
    W: FloatArray


@lru_cache(maxsize=4)
def _drawn(
    n_linear: int, n_rot: int, n_v: int, n_c: int, n_loads: int, n_given: int, wrenches: tuple[int, ...]
) -> tuple[_Drawn, ...]:  # fmt: skip
    """The states at which the entries of a system of these sizes are looked at, the same for all such systems."""
    random, found = np.random.default_rng(1), []
    draw = random.standard_normal
    for _ in range(SAMPLES):
        linear, poses = draw(n_linear), draw((n_rot, 7))
        poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1)[:, None]
        rest = (draw(n_v), draw(n_c), draw((n_rot, 3, 3)), draw(n_loads), draw(n_given), draw(wrenches))
        found.append(_Drawn(linear, poses.ravel(), *rest))
    return tuple(found)


def _possible_entries(system: System, m: Mechanics) -> NDArray[np.bool_]:
    """The same, from what blocks hold at a few random states."""
    possible = np.ones(system.size, dtype=bool)
    for moving in (group.moving for group in m.groups if group.moving is not None):
        for offset, pattern in zip(moving.offsets, moving.pattern, strict=True):
            possible[offset : offset + pattern.size] = pattern.ravel()
    if any(kind.wanders for kind, _ in m.markers.groups):
        return possible
    analytic = np.zeros_like(possible)
    for _, group in m.markers.groups:
        n, k = group.pdofs.shape
        analytic[group.b1 : group.b1 + n * k * k] = True
    for o, N in zip(m.joints.off, m.joints.order, strict=True):
        analytic[o : o + N * N] = True
    for o, i in zip(m.wrench_offsets, m.wrenches.mk, strict=True):
        N = m.markers.ptr[i + 1] - m.markers.ptr[i]
        analytic[o : o + N * N] = True
    held = [n for n, f in m.given if isinstance(f, HeldLaw) and f.actuator.law is None]
    for n in held:
        analytic[m.forces.off[n] : m.forces.off[n] + m.forces.order[n] ** 2] = True
    for o, k in system.turned_blocks[:, :2]:
        analytic[o : o + k * k] = False
    n_v, n_linear, n_rot = system.coordinates.n_v, system.coordinates.n_linear, system.coordinates.n_rotating
    B = np.zeros(len(possible))
    work = m.markers.work(np.zeros(n_v + m.n_c), B)
    acting, pulling = _of_blocks(m, work, bool(held))
    seen = np.zeros_like(possible)
    n_loads = int(m.wrenches.load.max(initial=0)) + 1
    for drawn in _drawn(n_linear, n_rot, n_v, m.n_c, n_loads, len(m.forces.given), work.W.shape):
        q = system.coordinates.reference.copy()
        q[:n_linear] += 0.1 * drawn.linear
        q[n_linear:] = drawn.poses
        state, env = State(q, drawn.v, np.zeros(n_v), drawn.lam), Env(0.0, drawn.scale)
        work.T[:] = drawn.T
        if held:
            m.forces.given[:] = 0.0
            m.forces.given[:, 0] = drawn.given
        try:
            acting.run(state, env, (0.7, 0.6), 1)
        except _RefusedError:
            return possible
        work.W[:] = drawn.W
        pulling.run(state, env, (0.7, 0.6))
        seen |= B != 0.0
    return possible & (seen | ~analytic)


class _RefusedError(ArithmeticError):
    """A kernel refuses a state that was drawn."""


def _refuse(item: int) -> NoReturn:
    raise _RefusedError(item)


def _of_blocks(m: Mechanics, work: MarkerWork, held: bool) -> tuple[Prepared, Prepared]:
    """What writes the blocks that are looked at, up to the wrenches on markers, and behind them."""
    name, none = "entries", np.zeros(0)
    stages = [Stage(name, k.place_tangent, (group, STATE, ENV, work), _refuse) for k, group in m.markers.groups]
    if len(m.wrenches.mk):
        offsets = m.wrench_offsets, m.markers.ptr
        stages.append(Stage(name, wrench_tangent, (m.wrenches, *offsets, SCALE, work, STIFFNESS_WEIGHT)))
    if held:
        stages.append(Stage(name, row_force_tangent, (m.forces, STATE, ENV, work, WEIGHTS), _refuse))
    if len(m.joints.mA):
        stages.append(Stage(name, joint_tangent, (m.joints, STATE, ENV, work, WEIGHTS, ON_RATES)))
    pulls = [Stage(name, k.pull, (group, STATE, ENV, work, WEIGHTS)) for k, group in m.markers.groups]
    return Prepared(tuple(stages), none), Prepared(tuple(pulls), none)
