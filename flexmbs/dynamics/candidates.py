r"""Pairs of contacts that are searched: candidates of one run, their forces, and their part of the matrix.

Each shape has a slack. Candidates are the pairs whose shapes may touch when both have moved by their slacks; before
every evaluation it is looked whether a shape has moved by more since the search, and if so, there is another search.
So no contact is ever missed, in whatever order states are evaluated. Open candidates add nothing, and those that touch
come in the order of their shapes: forces and matrices do not depend on when was searched, to the last bit, and nothing
has to be remembered for rejected steps or for runs that go on.

What contacts do on one body goes into the matrix that is factorised, what couples two bodies is iterated
(`flexmbs.core.linsolve.coupled`); where this takes too many products, the whole is factorised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import coo_array, csc_array
from scipy.sparse.linalg import splu

from flexmbs.core.contracts import Env, FloatArray, IntArray, State
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.core.jit import numbers_of_kinds
from flexmbs.core.linsolve.coupled import solve_coupled
from flexmbs.kernels.contact_laws import COULOMB, FRICTION_OF_CONTACT, SECANT
from flexmbs.kernels.contacts import ContactGroup, contact_energy, contact_force, contact_tangent
from flexmbs.kernels.rows.contact_rows import USUAL
from flexmbs.kernels.searched_contacts import coupling_product, split_blocks, used_up
from flexmbs.model.contacts.searching import PairRows, kinds_that_meet, shapes_near
from flexmbs.system.system import EvaluationError

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.dynamics.step_matrix import StepMatrix
    from flexmbs.system.system import System

__all__ = ["ENOUGH", "LINEAR", "Candidates", "exchange_laws", "has_regularised"]

SLACK = 0.1
"""Slack of a shape at rest, over its size."""
MOST_SLACK = 1.0
"""Slack of a shape that moves, over its size, at most."""
LASTING = 60
"""Evaluations for which a search should do."""
ENOUGH = 1e-4
"""What is left of a right side, over its size, where what couples bodies is iterated: Newton's method goes on."""
LINEAR = 1e-2
"""The same where Newton's method does not count on more than a rate of convergence, which it measures.

R. S. Dembo, S. C. Eisenstat, T. Steihaug, Inexact Newton methods, SIAM J. Numer. Anal. 19 (1982) 400-408: it then
converges at a rate no worse than this beside that of the matrix, and most of the products are saved.
"""
ROOM = 60
"""Products with what couples bodies, in one solution, from which the whole is factorised."""


class Candidates:
    """Pairs that may touch, and what acts between them, in one workspace.

    Attributes
    ----------
    group : ContactGroup
        The candidates, with blocks in a buffer of their own.
    searches, solutions, products, whole : int
        How often was searched, solved, multiplied with what couples bodies, and how often the whole was factorised.
    """

    def __init__(self, dyn: Dynamics) -> None:
        system, m = dyn.system, dyn.mechanics
        self.tables = m.searched
        self.mptr, self.dof = m.markers.ptr, m.markers.dof
        self._markers = dyn.markers
        self._prescribed = dyn.prescribed
        self.markers = np.concatenate([table.markers for table in self.tables])
        self._rows = [PairRows(table.owner.parts, table.owner.pair) for table in self.tables]
        self._size = [_sizes(table.places.reach, dyn.length) for table in self.tables]
        self._diagonal = np.full(len(m.markers.markers), -1, dtype=np.int64)
        for table in self.tables:
            self._diagonal = np.maximum(self._diagonal, table.diagonal)
        self._refuse_frames(dyn)
        self._kinds = numbers_of_kinds(kinds_that_meet([table.owner.parts for table in self.tables]), USUAL).dtype
        self.place = system.unknown[self.dof]
        self._weight = np.zeros(system.n)
        moves = system.free < dyn.n_v
        self._weight[moves] = dyn.mass[system.free[moves]]
        self._basis = np.zeros((ROOM + 1, system.n))
        self._turned = np.zeros((2, len(self.place)))
        self._start, self._slack = np.zeros((0, 3)), np.zeros(0)
        self._pace, self._since, self._time = 0.0, 0, 0.0
        self.searches = self.solutions = self.products = self.whole = 0
        self._coupled, self._secants = 0, False
        self._live = np.zeros(0, dtype=np.int64)
        self._of: tuple[Any, ...] | None = None
        self._whole: Any = None
        self._factored: tuple[float, FloatArray] = (1.0, np.zeros(0))

    def _refuse_frames(self, dyn: Dynamics) -> None:
        """Supports in inclined directions turn blocks, but not those of candidates."""
        for table in self.tables:
            for part, i in zip(table.owner.parts, table.markers, strict=True):
                if np.isin(self.dof[self.mptr[i] : self.mptr[i + 1]], dyn.frame_dofs).any():
                    raise ModelError(
                        f"Model {dyn.system.model.name!r}: contact {table.owner.name!r}: {part} is held in an inclined "
                        f"direction by a support, where contacts cannot be searched; name its pairs in pairs=."
                    )

    # --- search ------------------------------------------------------------------------------------------------------

    def follow(self, t: float) -> None:
        """Search, if a shape has moved by more than its slack; the markers being in place."""
        self._since += 1
        if not len(self._start) or used_up(self._markers.p, self.markers, self._start, self._slack):
            self._search(t)

    def _search(self, t: float) -> None:
        """All candidates at the present places, with slacks by the present speeds."""
        p, R, twist = self._markers.p, self._markers.R, self._markers.twist
        at = p[self.markers]
        if not np.isfinite(at).all():
            bad = int(self.markers[np.flatnonzero(~np.isfinite(at).all(axis=1))[0]])
            raise EvaluationError(f"contacts: marker number {bad} has no finite place")
        if self.searches:
            self._pace = LASTING * abs(t - self._time) / max(self._since, 1)
        self._since, self._time = 0, t
        speed = np.linalg.norm(twist[self.markers, :3], axis=1)
        size = np.concatenate(self._size)
        self._slack = np.clip(self._pace * speed, SLACK * size, MOST_SLACK * size)
        self._start = at
        parts = []
        first = 0
        for table, rows in zip(self.tables, self._rows, strict=True):
            n = len(table.markers)
            slack = self._slack[first : first + n]
            near = shapes_near(table.places, at[first : first + n], R[table.markers], slack)
            pairs = table.between_free_bodies(near)
            number = rows.numbers(pairs)
            parts.append((table, rows, pairs[number >= 0], number[number >= 0]))
            first += n
        self.searches += 1
        self.group = self._compile(parts)
        if self._secants:
            self.by_secants(True)

    def _compile(self, parts: list[Any]) -> ContactGroup:
        """Candidates as contacts."""
        mA, mB, count, kind, c, where, data, owner = [], [], [], [], [], [], [], []
        n_data = 0
        for number, (table, rows, pairs, of) in enumerate(parts):
            ends = table.markers[pairs]
            swapped = rows.swapped[of].astype(bool)
            mA.append(np.where(swapped, ends[:, 1], ends[:, 0]))
            mB.append(np.where(swapped, ends[:, 0], ends[:, 1]))
            n = rows.count[of]
            own = np.arange(n.sum()) + np.repeat(rows.first[of] - np.concatenate(([0], np.cumsum(n)[:-1])), n)
            count.append(n)
            kind.append(rows.kind[own])
            c.append(rows.constants[own])
            where.append(rows.where[of] + n_data)
            data.append(rows.data)
            n_data += len(rows.data)
            owner.append(np.full(len(of), number))
        a, b = np.concatenate(mA), np.concatenate(mB)
        width = np.diff(self.mptr)
        order = width[a] + width[b]
        end = np.cumsum(order * order)
        self._own = np.zeros(int(end[-1]) if len(end) else 0)
        self._work = self._markers._replace(B=self._own)
        self._owner = np.concatenate(owner)
        none = np.zeros(len(a), dtype=np.int64)
        kinds = np.concatenate(kind)
        if kinds.max(initial=0) <= USUAL:
            kinds = kinds.astype(self._kinds)  # the same from search to search
        return ContactGroup(
            mA=a, mB=b, ptr=np.concatenate(([0], np.cumsum(np.concatenate(count)))).astype(np.int64),
            off=end - order * order, order=order, kind=kinds, c=np.concatenate(c), mptr=self.mptr,
            where=np.concatenate(where), data=np.concatenate(data), state=none - 1, n_states=none,
        )  # fmt: skip

    def owner(self, bad: int) -> tuple[Any, int, int]:
        """The contact of candidate number ``bad``, and the numbers of its markers."""
        return self.tables[int(self._owner[bad])].owner, int(self.group.mA[bad]), int(self.group.mB[bad])

    def longest(self) -> float:
        """Largest step in which no shape moves by more than half its size, so that none flies through another one.

        The markers have to be in place.
        """
        speed = np.linalg.norm(self._markers.twist[self.markers, :3], axis=1)
        return float((0.5 * np.concatenate(self._size) / np.maximum(speed, 1e-300)).min(initial=np.inf))

    def by_secants(self, wanted: bool) -> None:
        """Whether tangents of regularised friction are by its secants, until this is called again."""
        self._secants = wanted
        if self.searches:
            exchange_laws(self.group.data, self.group.where, wanted)

    # --- forces ------------------------------------------------------------------------------------------------------

    def force(self, state: State, env: Env) -> int:
        """Wrenches of all contacts."""
        self.follow(env.t)
        return int(contact_force(self.group, state, env, self._work))

    def tangent(self, state: State, env: Env, weights: tuple[float, float]) -> int:
        """Wrenches and blocks."""
        self.follow(env.t)
        bad = int(contact_tangent(self.group, state, env, self._work, weights))
        if len(self._live) < len(self.group.mA):
            self._live = np.zeros(2 * len(self.group.mA), dtype=np.int64)
        self._coupled = int(split_blocks(self.group, self._own, self._diagonal, self._markers.B, self._live))
        self._of = self.group, self._own
        return bad

    def energy(self, v: FloatArray) -> tuple[float, float]:
        """Energy stored in all contacts, and the power that they feed into the system; the markers being in place."""
        self.follow(self._prescribed.env.t)
        found = np.zeros((2, len(self.group.mA)))
        contact_energy(self.group, v, self._markers, found[0], found[1])
        return float(found[0].sum()), float(found[1].sum())

    # --- matrix ------------------------------------------------------------------------------------------------------

    def uncouple(self) -> None:
        """From now on the matrix is that of the common buffer alone."""
        self._coupled, self._of = 0, None

    def factorised(self, wa: float, compliance: FloatArray) -> None:
        """The common buffer has been factorised, with these weights."""
        self._factored, self._whole = (wa, compliance), None

    def solve(self, matrix: StepMatrix, b: FloatArray, system: System, B: FloatArray, enough: float) -> FloatArray:
        """The solution for the factors that there are; ``enough``: what may be left, over the size of b."""
        if self._of is None or not self._coupled:
            return matrix.solve(b)
        group, own = self._of

        def product(x: FloatArray, y: FloatArray) -> None:
            self.products += 1
            coupling_product(group, own, self._live, self._coupled, self.place, x, y, self._turned)

        if self._whole is None:
            self.solutions += 1
            found = solve_coupled(matrix.solve, product, b, self._weight, self._basis, enough)
            if found is not None:
                return found
            self._whole = self._factorise_whole(matrix, system, B)
        return np.asarray(self._whole.solve(b))

    def _factorise_whole(self, matrix: StepMatrix, system: System, B: FloatArray) -> Any:
        """Factors of the common buffer and of what couples bodies together."""
        self.whole += 1
        assert self._of is not None  # noqa: S101 - as asked before
        group, own = self._of
        wa, compliance = self._factored
        behind = np.flatnonzero(system.free >= len(system.mass_diagonal))
        rows = [system.entry_rows[matrix.entries], system.entry_rows[matrix.massive], behind]
        columns = [system.entry_columns[matrix.entries], system.entry_columns[matrix.massive], behind]
        values = [B[matrix.entries], wa * matrix.mass, -compliance[matrix.equations]]
        for c in self._live[: self._coupled]:
            i, k, N = group.mA[c], group.mB[c], int(group.order[c])
            ends = [self.place[self.mptr[j] : self.mptr[j + 1]] for j in (i, k)]
            block = own[group.off[c] : group.off[c] + N * N].reshape(N, N)
            n = len(ends[0])
            for u, v, part in ((ends[0], ends[1], block[:n, n:]), (ends[1], ends[0], block[n:, :n])):
                rows.append(np.repeat(u, len(v)))
                columns.append(np.tile(v, len(u)))
                values.append(part.ravel())
        row, column, value = np.concatenate(rows), np.concatenate(columns), np.concatenate(values)
        free = (row >= 0) & (column >= 0)
        whole = csc_array(coo_array((value[free], (row[free], column[free])), shape=(system.n, system.n)))
        whole.indices, whole.indptr = whole.indices.astype(np.int32), whole.indptr.astype(np.int32)
        try:
            return splu(whole, permc_spec="NATURAL" if len(behind) else "COLAMD")
        except RuntimeError:
            raise SingularError("the matrix is singular") from None


def has_regularised(data: FloatArray, where: IntArray) -> bool:
    """Whether a law whose numbers begin at ``where`` is one of regularised friction."""
    return bool((data[np.unique(where) + FRICTION_OF_CONTACT] == COULOMB).any())


def exchange_laws(data: FloatArray, where: IntArray, secants: bool) -> None:
    """Laws of regularised friction, whose numbers begin at ``where``, with tangents by their secants, or back."""
    places = np.unique(where) + FRICTION_OF_CONTACT
    one, other = (COULOMB, SECANT) if secants else (SECANT, COULOMB)
    data[places[data[places] == one]] = other


def _sizes(reach: FloatArray, length: float) -> FloatArray:
    """Sizes (n,) of shapes: radii of the balls that hold them, of points as small as the smallest of the others."""
    real = reach[np.isfinite(reach) & (reach > 0.0)]
    return np.where(reach > 0.0, reach, float(real.min()) if len(real) else 1e-2 * length)
