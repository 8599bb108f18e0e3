"""Bodies in floating frames, compiled: frames and shapes with a mass that changes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.given import BLOCKS, COORDINATES, ENV, MASS, OPERATORS, STATE, WEIGHTS, WORK
from flexmbs.core.rotations import from_quaternion
from flexmbs.core.sparsity import Blocks
from flexmbs.kernels.floating import floating_energy, floating_force, floating_mass
from flexmbs.kernels.floating_moments import FloatingGroup
from flexmbs.kernels.floating_tangent import floating_blocks
from flexmbs.kernels.markers.floating import FLOATING
from flexmbs.kernels.markers.kind import MarkerEntry
from flexmbs.system.groups.contract import least_ratio
from flexmbs.system.groups.drawing import Drawing
from flexmbs.system.groups.gravity import gravity_of
from flexmbs.system.groups.inertia import InertiaCalls, MovingBlocks
from flexmbs.system.groups.linear_turns import LinearTurn, of_interfaces
from flexmbs.system.groups.moving import MovingBodies
from flexmbs.system.groups.own_arrays import Own, with_own
from flexmbs.system.groups.rigid import FRAME_NAMES, carried
from flexmbs.system.groups.spans import Section, Span

if TYPE_CHECKING:
    from flexmbs.model.bodies.floating import FloatingMarker
    from flexmbs.model.model import Model
    from flexmbs.reduction.inertia import InertiaInvariants
    from flexmbs.system.coordinates import Coordinates
    from flexmbs.system.groups.contract import RigidFields

__all__ = ["FloatingBodies", "frame_momentum", "shape_sizes"]


def shape_sizes(inertia: InertiaInvariants, length: float) -> FloatArray:
    """What amplitudes (n,) of shapes count by: all together move the mass of the body by the length of the model.

    Shapes may be of unit modal mass, of unit displacement, or anything else.
    """
    modal = np.diag(inertia.modal_mass)
    usual = np.where(modal > 0.0, modal, inertia.mass)
    return np.asarray(length * np.sqrt(inertia.mass / (max(len(modal), 1) * usual)))


class FloatingBodies(MovingBodies):
    """`FloatingBody`: a frame, and the amplitudes of shapes in it.

    ``tables``: a `FloatingGroup` for each number of shapes, with and without stiffening.
    """

    kind: ClassVar[str] = "floating"
    tables: tuple[FloatingGroup, ...] = ()

    def __init__(self, bodies: tuple[Any, ...], model: Model) -> None:
        super().__init__(bodies, model)
        self._eta = {b: Span(Section.SHAPES, b, b.deformation, b.deformation_rate) for b in bodies}
        self._frame = {b: Span(Section.FRAMES, b, b.initial_q, b.initial_v, to=self._eta[b]) for b in bodies}
        self.spans = tuple(span for b in bodies for span in (self._frame[b], self._eta[b]))

    def shapes(self, body: Any) -> IntArray:
        return self._eta[body].places

    def own_sizes(self, length: float) -> Iterator[tuple[IntArray, FloatArray | float]]:
        for body in self.bodies:
            yield self.shapes(body), shape_sizes(body.inertia, length)

    def names(self, body: Any) -> tuple[str, ...]:
        return *FRAME_NAMES, *(f"shape {k + 1}" for k in range(body.modes))

    def carry(self, q: FloatArray, v: FloatArray) -> None:
        for body, span in self._frame.items():
            carried(body, q[span.in_q], v[span.iv : span.iv + 3])

    def rigid_fields(self) -> RigidFields:
        """Those of the frames, in which the deformation is told."""
        frames = (span.places[3] for body, span in self._frame.items() if body.modes)
        return super().rigid_fields()._replace(deforming=tuple(int(k) for k in frames))

    def soft(self, q: FloatArray, v: FloatArray) -> Iterator[tuple[Any, FloatArray, str]]:
        for body, span in self._frame.items():
            if body.second_order is None and body.modes:
                yield body, np.linalg.norm(v[:, span.places[3:]], axis=1), "use reduce(..., geometric_stiffening=True)"

    @property
    def turns_little(self) -> bool:
        return True

    def linear_turns(self, q: FloatArray) -> Iterator[LinearTurn]:
        for body in self.bodies:
            yield from of_interfaces(body, q[:, self._eta[body].in_q])

    def compile(self, coordinates: Coordinates, b1: int) -> int:
        self.own_gravity = gravity_of(self.model, f"body {self.bodies[0].name!r}")
        start = b1
        for m, stiffened in sorted({(b.modes, b.second_order is not None) for b in self.bodies}):
            alike = [b for b in self.bodies if (b.modes, b.second_order is not None) == (m, stiffened)]
            frames = [self._frame[b] for b in alike]
            places = (
                np.array([self.velocities(b) for b in alike], dtype=np.int64),
                np.array([span.iq for span in frames], dtype=np.int64),
                np.array([self.rotation_number(span.iv) for span in frames], dtype=np.int64),
            )
            matrices = np.array([b.stiffness for b in alike]), np.array([b.viscosity for b in alike])
            second = np.array([b.second_order.fields for b in alike]) if stiffened else None
            table = FloatingGroup.made(places, b1, [b.inertia for b in alike], matrices, self.own_gravity, second)
            self.tables += (table,)
            b1 += len(alike) * (6 + m) ** 2
        self.blocks = tuple(Blocks(t.dofs, t.b1) for t in self.tables)
        self.stages = tuple(_stage(t) for t in self.tables)
        renew = tuple((floating_mass, (t, COORDINATES, MASS)) for t in self.tables)
        self.moving = MovingBlocks.whole(self.tables, self.write)._replace(renew=renew)
        self.mass = self.mass_from(start, b1, coordinates.reference)
        return b1

    @property
    def scratch(self) -> tuple[FloatArray, ...]:
        return tuple(array for table in self.tables for array in (table.work, table.work4))

    def take_own(self, own: Own) -> None:
        self.tables = with_own(self.tables, own)

    def write(self, q: FloatArray, blocks: FloatArray) -> None:
        for table in self.tables:
            floating_mass(table, q, blocks)

    @property
    def damping_ratio(self) -> float:
        return min(least_ratio(body.frequencies, body.viscosity) for body in self.bodies)

    def _energies(self, q: FloatArray, scale: FloatArray) -> FloatArray:
        """Strain energy and potential of gravity (2,)."""
        total = np.zeros(2)
        for table in self.tables:
            found = np.zeros((len(table.dofs), 2))
            floating_energy(table, q, scale, found)
            total += found.sum(axis=0)
        return total

    def strain_energy(self, q: FloatArray) -> float:
        return float(self._energies(q, np.zeros(len(self.model.loads) + 1))[0])

    def weight_energy(self, q: FloatArray, scale: FloatArray) -> float:
        return float(self._energies(q, scale)[1])

    def momentum(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        P, L = np.zeros(3), np.zeros(3)
        for table in self.tables:
            size = table.dofs.shape[1]
            blocks = np.zeros(len(table.dofs) * size * size)
            floating_mass(table._replace(b1=0), q, blocks)
            for M, dofs, iq in zip(blocks.reshape(-1, size, size), table.dofs, table.qi, strict=True):
                p = M @ v[dofs]
                P += p[:3]
                L += frame_momentum(q[iq : iq + 7], p)
        return P, L

    def mass_moment(self, q: FloatArray) -> tuple[float, FloatArray]:
        moment = np.zeros(3)
        for body, span in self._frame.items():
            inside = body.inertia.first + body.inertia.P @ q[self._eta[body].in_q]
            moment += body.mass * q[span.in_q[:3]] + from_quaternion(q[span.in_q[3:]]) @ inside
        return float(sum(body.mass for body in self.bodies)), moment

    def reaches(self) -> Iterator[tuple[Any, FloatArray]]:
        yield from super().reaches()
        yield from ((b, b.position + b.reduced.points @ b.rotation.T) for b in self.bodies)

    def marker_entry(self, marker: FloatingMarker, point: bool) -> MarkerEntry:  # type: ignore[override]  # made by them
        span, dofs = self._frame[marker.body], self.velocities(marker.body)
        return MarkerEntry(FLOATING, dofs, dofs[3:],
                           {"qi": span.iq, "rot": self.rotation_number(span.iv), "s": marker.point,
                            "R_BM": marker.frame, "Phi": marker.phi, "Psi": marker.psi,
                            "Z": marker.second})  # fmt: skip

    def pose(self, body: Any, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        places = self._frame[body].in_q
        return q[:, places[:3]], q[:, places[3:]]

    def drawing(self, body: Any) -> Drawing:
        return Drawing(body.name, "reduced", body, first=self._eta[body].in_q, pose=partial(self.pose, body))


def _stage(table: FloatingGroup) -> InertiaCalls:
    """Forces of bodies with as many shapes, and their derivatives."""
    force = (floating_force, (table, STATE, ENV, WORK))
    derivatives = (floating_blocks, (table, STATE, ENV, OPERATORS, WEIGHTS, BLOCKS))
    return InertiaCalls("bodies in floating frames", table, (force,), (force, derivatives))


def frame_momentum(pose: FloatArray, p: FloatArray) -> FloatArray:
    """Angular momentum (3,) about the origin, of p = M v (>= 6,) and of position and quaternion ``pose (7,)``."""
    return np.asarray(np.cross(pose[:3], p[:3]) + from_quaternion(pose[3:]) @ p[3:6])
