r"""The contract of a kind of bodies: all bodies of one kind in a model, compiled.

A description (`flexmbs.core.body_description`) is what a user gives; a **group** is all descriptions of one ``kind`` as
arrays. Numbering, mass, forces of inertia, energies, momentum, markers and pictures are asked of the groups of a model,
in the order of `flexmbs.system.groups.KINDS`; nothing else knows what kinds there are.

A group lives through three calls: it is made of its descriptions, which says what coordinates there are (``spans``);
`BodyGroup.numbered` tells that these have their places in q and v; `BodyGroup.compile` lays out the blocks of mass and
tangent. After that it is constant: what kernels write to for themselves is named by ``scratch``, and a run evaluates a
copy of the group with such arrays of its own (`BodyGroup.for_run`).

**Coordinates.** Those of vector spaces have the same place in q and in v; frames take 7 places in q (position, unit
quaternion with its scalar first) and 6 in v (velocity in inertial axes, angular velocity in body axes). `Section` gives
their order. All numbers of coordinates are places in v, unless a name says "in_q".

**Equations.** The residual is :math:`r = M a + f`. The mass of a group is that of its ``blocks``, as ``mass`` at the
start, and the ``diagonal`` entries. Where it changes with the state, ``moving`` says so and writes it. What inertia
adds to f (gyroscopic and Coriolis forces, elasticity of shapes, gravity that depends on the place) comes from
``stages``; linear elasticity of whole groups of items from ``terms``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from copy import copy
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray, IntArray, Term
from flexmbs.core.errors import ModelError, a_or_an
from flexmbs.core.sparsity import Blocks
from flexmbs.model.forces.items import Items, dead_items
from flexmbs.system.groups.drawing import Drawing
from flexmbs.system.groups.gravity import check_in_space
from flexmbs.system.groups.inertia import InertiaCalls, InertiaStage, MovingBlocks
from flexmbs.system.groups.linear_turns import LinearTurn
from flexmbs.system.groups.own_arrays import Own, own_arrays, with_own
from flexmbs.system.groups.spans import Section, Span, joined

if TYPE_CHECKING:
    from flexmbs.kernels.markers.kind import MarkerEntry
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.model import Model
    from flexmbs.system.coordinates import Coordinates

__all__ = ["BodyGroup", "Drawing", "InertiaStage", "MovingBlocks", "RigidFields", "Section", "Span", "least_ratio"]


class RigidFields(NamedTuple):
    """How the coordinates of bodies turn when everything is turned as one, by their places in v.

    ``points``: of positions of points, each (n, 2) or (n, 3); ``vectors``: of vectors; ``turns``: of the first angular
    velocity of a frame, in its own axes; ``alone``: those of ``turns`` whose frame has no position of its own;
    ``deforming``: those of ``turns`` in whose axes further coordinates are told, which do not turn.
    """

    points: list[IntArray]
    vectors: list[IntArray]
    turns: list[int]
    alone: list[int]
    deforming: tuple[int, ...] = ()


def least_ratio(frequencies: FloatArray, viscosity: FloatArray) -> float:
    """Least damping ratio of modes of unit mass with the angular ``frequencies (m,)`` and ``viscosity (m, m)``.

    Modes of zero frequency do not vibrate.
    """
    vibrate = frequencies > 0.0
    ratios = np.diag(viscosity)[vibrate] / (2.0 * frequencies[vibrate])
    return float(ratios.min(initial=math.inf))


class BodyGroup:
    """All bodies of one kind, compiled; a kind of bodies is a subclass and its line in `flexmbs.system.groups.KINDS`.

    What is here suits bodies that have one span of coordinates each, the first of which are the position, and a
    constant mass on the diagonal: a subclass that says no more than ``kind``, ``section`` and ``names`` is a point
    mass.

    Parameters
    ----------
    bodies : tuple of BodyDescription
        In the order of the model.
    model : Model

    Attributes
    ----------
    kind : str
        That of the descriptions.
    section : Section
        Where the coordinates are, if there is one span for each body.
    bodies : tuple of BodyDescription
    spans : tuple of Span
    node_dofs, elements : tuples
        Of bodies with a mesh: places (n_nodes, n) of the coordinates of the nodes, and the table of the elements, of
        each body; empty for other kinds.
    blocks : tuple of Blocks
        Of mass and stages in the common buffer; ``mass``: the numbers there (n,), at the start.
    stages : tuple of InertiaStage
    moving : MovingBlocks or None
    own_gravity : (n_g,) int array, (n_g, 3) array
        Numbers of loads and their accelerations that the stages apply themselves; none by default.
    """

    kind: ClassVar[str] = ""
    section: ClassVar[Section] = Section.POINTS

    def __init__(self, bodies: tuple[Any, ...], model: Model) -> None:
        self.bodies, self.model = bodies, model
        self.spans: tuple[Span, ...] = tuple(Span(self.section, b, b.initial_q, b.initial_v) for b in bodies)
        self.node_dofs: tuple[IntArray, ...] = ()
        self.elements: tuple[Any, ...] = ()
        self.n_linear = -1
        self.blocks: tuple[Blocks, ...] = ()
        self.mass = np.zeros(0)
        self.stages: tuple[InertiaStage | InertiaCalls, ...] = ()
        self.moving: MovingBlocks | None = None
        self.own_gravity: tuple[IntArray, FloatArray] = (np.zeros(0, dtype=np.int64), np.zeros((0, 3)))

    # ------------------------------------------------------------------------------------------------- coordinates

    def numbered(self, n_linear: int) -> None:
        """All spans have their places; ``n_linear``: number of coordinates of vector spaces in the model."""
        self.n_linear = n_linear

    @property
    def members(self) -> tuple[Any, ...]:
        """What the group answers for: its bodies, and the parts of them that carry markers."""
        return self.bodies

    def spans_of(self, body: Any) -> list[Span]:
        """The spans of a body."""
        return self._spans_of[body]

    @cached_property
    def _spans_of(self) -> dict[Any, list[Span]]:
        found: dict[Any, list[Span]] = {body: [] for body in self.bodies}
        for span in self.spans:
            found[span.body].append(span)
        return found

    def velocities(self, body: Any) -> IntArray:
        """All places of a body in v, in the order of ``names``."""
        spans = self.spans_of(body)
        return spans[0].places if len(spans) == 1 else np.concatenate([span.places for span in spans])

    def in_q(self, body: Any) -> IntArray:
        """All places of a body in q."""
        spans = self.spans_of(body)
        return spans[0].in_q if len(spans) == 1 else np.concatenate([span.in_q for span in spans])

    def shapes(self, body: Any) -> IntArray:
        """Places of the amplitudes of shapes, the same in q and v; empty for a body without."""
        return np.zeros(0, dtype=np.int64)

    def translations(self, body: Any) -> IntArray:
        """Places in v of the velocity of a body as a whole (dim,)."""
        return self.velocities(body)[: len(body.position)]

    @property
    def displacements(self) -> IntArray:
        """Places in v of all velocities that are lengths per time."""
        return joined([self.translations(body) for body in self.bodies])

    @property
    def angles(self) -> IntArray:
        """Places of angles in the plane that turn a body."""
        return np.zeros(0, dtype=np.int64)

    @property
    def idle(self) -> IntArray:
        """Places in v that never move."""
        return np.zeros(0, dtype=np.int64)

    def rotation_number(self, iv: int) -> int:
        """Number in ``work.T`` of the quaternion whose coordinates begin at ``iv`` in v."""
        return (iv - self.n_linear) // 6

    def names(self, body: Any) -> Sequence[str]:
        """What its velocities are called."""
        return body.coordinate_names  # type: ignore[no-any-return]

    def describe(self, dof: int) -> str | None:
        """A place in v in words; None if it is not of this group."""
        for body in self.bodies:
            found = np.flatnonzero(self.velocities(body) == dof)
            if len(found):
                return f"{self.names(body)[int(found[0])]} of body {body.name!r}"
        return None

    def sizes(self, length: float) -> Iterator[tuple[Any, IntArray, FloatArray]]:
        """Each body, its places in v and what increments there count by, with the ``length`` of the model.

        By default displacements count by the length, all others by one; `own_sizes` says more.
        """
        places, lengths = [(body, self.velocities(body)) for body in self.bodies], self.displacements
        last = max(int(dofs.max(initial=-1)) for dofs in (lengths, *(dofs for _, dofs in places)))
        sizes = np.ones(last + 1)
        sizes[lengths] = length
        for dofs, own in self.own_sizes(length):
            sizes[dofs] = own
        for body, dofs in places:
            yield body, dofs, sizes[dofs]

    def own_sizes(self, length: float) -> Iterator[tuple[IntArray, FloatArray | float]]:
        """Places in v that are neither displacements nor angles nor slopes, and what increments there count by."""
        return iter(())

    def moves(
        self, before: FloatArray, after: FloatArray, step: FloatArray
    ) -> Iterator[tuple[Any, IntArray, float, float]]:
        """Each body, its places in v, and how far it moves [length] and turns [rad] from one q to another.

        ``step (n_v,)``: the increment between them.
        """
        for body in self.bodies:
            dofs, first = self.spans_of(body)[0].places, self.translations(body)
            moves = frozenset(first.tolist())
            turn = [i for i in dofs.tolist() if i not in moves]
            yield body, dofs, math.hypot(*step[first].tolist()), math.hypot(*step[turn].tolist())

    def rigid_fields(self) -> RigidFields:
        """How the coordinates turn when everything is turned as one; by default positions and frames do."""
        frames = [span.iv + 3 for span in self.spans if span.section == Section.FRAMES]
        points = [self.translations(body)[None, :] for body in self.bodies]
        return RigidFields([part for part in points if part.size], [], frames, [])

    def carry(self, q: FloatArray, v: FloatArray) -> None:
        """Turn the initial velocities in ``v`` with the bodies to the positions ``q``; by default they stay."""

    def soft(self, q: FloatArray, v: FloatArray) -> Iterator[tuple[Any, FloatArray, str]]:
        """Bodies with shapes and without geometric stiffening, the rates (n_t,) at which they turn, and what helps.

        In states q (n_t, n_q), v (n_t, n_v).
        """
        return iter(())

    @property
    def turns_little(self) -> bool:
        """Whether any of its bodies is for small rotations only."""
        return False

    def linear_turns(self, q: FloatArray) -> Iterator[LinearTurn]:
        """How far those bodies turned in states q (n_t, n_q)."""
        return iter(())

    # ------------------------------------------------------------------------------------------ mass, forces, sums

    @property
    def scratch(self) -> tuple[FloatArray, ...]:
        """Work arrays that kernels keep in the tables of the group."""
        return ()

    def for_run(self) -> Self:
        """The same with work arrays of its own, which one run at a time writes to."""
        if not self.scratch:
            return self
        own = own_arrays(self.scratch)
        run = copy(self)
        run.take_own(own)
        run.stages = with_own(self.stages, own)
        if self.moving is not None:
            renew, alone = (with_own(calls, own) for calls in (self.moving.renew, self.moving.alone))
            run.moving = self.moving._replace(write=run.write, renew=renew, alone=alone)
        return run

    def take_own(self, own: Own) -> None:
        """Take the arrays of ``own`` for those of ``scratch``, but in ``stages`` and ``moving``."""

    def write(self, q: FloatArray, blocks: FloatArray) -> None:
        """Mass at q into its blocks, where it changes with the state."""
        raise NotImplementedError

    def terms(self, coordinates: Coordinates, b1: int) -> tuple[list[Term], FloatArray]:
        """Items with elasticity of their own, their blocks from ``b1`` on without gaps, and the mass in these (n,)."""
        return [], np.zeros(0)

    def compile(self, coordinates: Coordinates, b1: int) -> int:
        """Lay out ``blocks`` from ``b1`` on, set ``mass``, ``stages`` and ``moving``; returns where the blocks end."""
        return b1

    @property
    def diagonal(self) -> tuple[IntArray, FloatArray]:
        """Places in v, each with a constant mass of its own there."""
        dofs = [self.translations(body) for body in self.bodies]
        return joined(dofs), np.repeat([b.mass for b in self.bodies], [len(d) for d in dofs]).astype(np.float64)

    def weights(self, acceleration: FloatArray, index: int) -> list[Items]:
        """Dead loads by the acceleration (2,) or (3,) of the load number ``index``; none where stages apply it."""
        leaves = bool(acceleration[2:].any())
        places, values = [], []
        for body in self.bodies:
            dofs = self.translations(body)
            if len(dofs) == 3:
                check_in_space(f"body {body.name!r}", acceleration)
            elif leaves:
                raise ModelError(
                    f"Gravity: acceleration {show(acceleration.tolist())} leaves the plane, but body {body.name!r} is "
                    f"planar."
                )
            places.append(dofs)
            values.append(body.mass * acceleration[: len(dofs)])
        return [dead_items(np.concatenate(places), np.concatenate(values), index)]

    def strain_energy(self, q: FloatArray) -> float:
        """Elastic energy [force length]."""
        return 0.0

    def weight_energy(self, q: FloatArray, scale: FloatArray) -> float:
        """Potential of ``own_gravity`` with these factors of loads [force length]."""
        return 0.0

    def momentum(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Linear momentum, and angular momentum about the origin, (3,) each, inertial frame."""
        P, L = np.zeros(3), np.zeros(3)
        for body in self.bodies:
            dofs, places = self.translations(body), self.in_q(body)
            x, p = np.zeros(3), np.zeros(3)
            x[: len(dofs)], p[: len(dofs)] = q[places[: len(dofs)]], body.mass * v[dofs]
            P += p
            L += np.cross(x, p) + self.spin(body, q, v)
        return P, L

    def spin(self, body: Any, q: FloatArray, v: FloatArray) -> FloatArray:
        """Angular momentum (3,) of a body about its own centre, inertial frame."""
        return np.zeros(3)

    def mass_moment(self, q: FloatArray) -> tuple[float, FloatArray]:
        """Mass of all bodies and its first moment (3,) about the origin at q."""
        moment = np.zeros(3)
        for body in self.bodies:
            dim = len(body.position)
            moment[:dim] += body.mass * q[self.in_q(body)[:dim]]
        return float(sum(body.mass for body in self.bodies)), moment

    def reaches(self) -> Iterator[tuple[Any, FloatArray]]:
        """Each body, as in `sizes`, with points (n, dim) that it reaches at the start; some come several times."""
        return ((body, body.position[None, :]) for body in self.bodies)

    @property
    def damping_ratio(self) -> float:
        """Least damping of a vibration of a body in itself, over the critical one; infinite where no body deforms.

        Integrators that amplify vibrations with little damping go by it. Fast vibrations count: damping in proportion
        to the stiffness, which is critical for the fastest ones, may answer 1, damping in proportion to the mass is 0.
        """
        return math.inf

    @property
    def hindrance(self) -> str:
        """Why steps of a model with these bodies cannot be compiled, empty if they can."""
        if self.moving is None or self.moving.renew:
            return ""
        return f"it has bodies of the kind {self.kind!r}, whose mass is renewed in Python"

    # --------------------------------------------------------------------------------------------------- markers

    def marker_entry(self, marker: Marker, point: bool) -> MarkerEntry | None:
        """A marker of a body as a row of its table (`flexmbs.kernels.markers.kind`); None for one that never moves.

        ``point``: nothing depends on its orientation.
        """
        raise ModelError(f"{marker}: {a_or_an(type(marker.body).__name__)} carries no markers here.")

    def complete(self, entries: list[MarkerEntry]) -> list[MarkerEntry]:
        """All entries of one set of markers, in the same order, with what they have in common filled in.

        Rows of the Jacobian are those of the entries before; ``dofs`` may be repeated to make them equally long.
        """
        return entries

    def coordinate(self, body: Any, index: int, node: int | None) -> int:
        """Place in v of a coordinate of a body, of a node where it has some, for what acts on coordinates."""
        return int(self.velocities(body)[index])

    # -------------------------------------------------------------------------------------------------- pictures

    def pose(self, body: Any, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Place (n_t, 3) and unit quaternion (n_t, 4) of the frame of a body at states q (n_t, n_q)."""
        places = self.in_q(body)[: len(body.position)]
        return np.pad(q[:, places], ((0, 0), (0, 3 - len(places)))), np.tile([1.0, 0.0, 0.0, 0.0], (len(q), 1))

    def drawing(self, body: Any) -> Drawing | None:
        """What pictures show of a body that carries markers; by default its wireframe, or a mark without one."""
        shape = getattr(body, "shape", None)
        if shape is None or not len(shape.edges):
            return Drawing(body.name, "point", body, pose=partial(self.pose, body))
        return Drawing(body.name, "shape", body, shape.points, shape.edges, pose=partial(self.pose, body))
