"""A mass on an elastic tether; an example of a user-defined kind of bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from flexmbs.extend import (
    POINT,
    Blocks,
    Body,
    BodyGroup,
    Coordinates,
    Env,
    FloatArray,
    InertiaStage,
    IntArray,
    Marker,
    MarkerEntry,
    State,
    Work,
    as_array,
    as_name,
    as_number,
    kernel,
)


@dataclass(frozen=True, eq=False)
class TetheredMass(Body):
    """A point mass on a spring to its place at the start: m a + k (x - x_0) = f.

    ``mass`` [mass], ``stiffness`` [force/length], ``position`` x_0 (3,) [length], ``velocity`` (3,) at the start
    [length/time].
    """

    kind: ClassVar[str] = "tethered mass"

    mass: float
    stiffness: float
    position: Sequence[float] | FloatArray
    velocity: Sequence[float] | FloatArray = (0.0, 0.0, 0.0)
    name: str = "tethered mass"

    def __post_init__(self) -> None:
        owner = f"TetheredMass {as_name('TetheredMass', 'name', self.name)!r}"
        for field in ("mass", "stiffness"):
            object.__setattr__(self, field, as_number(owner, field, getattr(self, field), above=0.0))
        for field in ("position", "velocity"):
            object.__setattr__(self, field, as_array(owner, field, getattr(self, field), (3,)))

    def __str__(self) -> str:
        return f"TetheredMass {self.name!r}"

    @property
    def rotates(self) -> bool:
        return False

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        return "x", "y", "z"

    @property
    def place(self) -> tuple[FloatArray, FloatArray]:
        return np.asarray(self.position), np.eye(3)

    @property
    def initial_q(self) -> FloatArray:
        return np.array(self.position)

    @property
    def initial_v(self) -> FloatArray:
        return np.array(self.velocity)


class Tethers(NamedTuple):
    """``dofs (n, 3)``, ``b1``: places in v and of the blocks; ``k (n,)``, ``start (n, 3)``: stiffness and x_0."""

    dofs: IntArray
    b1: int
    k: FloatArray
    start: FloatArray


@kernel
def tether_force(group: Tethers, state: State, env: Env, work: Work) -> int:
    """r += k (x - x_0)."""
    for i in range(group.dofs.shape[0]):
        for c in range(3):
            j = group.dofs[i, c]
            work.r[j] += group.k[i] * (state.q[j] - group.start[i, c])
    return -1


@kernel
def tether_tangent(group: Tethers, state: State, env: Env, work: Work, weights: tuple[float, float]) -> int:
    """The same, and wq k on the diagonal of the blocks."""
    for i in range(group.dofs.shape[0]):
        for c in range(3):
            j = group.dofs[i, c]
            work.r[j] += group.k[i] * (state.q[j] - group.start[i, c])
            for d in range(3):
                work.B[group.b1 + 9 * i + 3 * c + d] = weights[0] * group.k[i] if c == d else 0.0
    return -1


class TetheredMasses(BodyGroup):
    """All tethered masses of a model."""

    kind: ClassVar[str] = TetheredMass.kind

    def compile(self, coordinates: Coordinates, b1: int) -> int:
        dofs = np.array([self.velocities(body) for body in self.bodies])
        k = np.array([body.stiffness for body in self.bodies])
        table = Tethers(dofs, b1, k, np.array([body.position for body in self.bodies]))
        self.blocks, self.mass = (Blocks(dofs, b1),), np.zeros(9 * len(k))  # the mass is on the diagonal
        self.stages = (InertiaStage("tethers", table, tether_force, tether_tangent, on_markers=False),)
        return b1 + 9 * len(k)

    def strain_energy(self, q: FloatArray) -> float:
        return sum(0.5 * b.stiffness * float(np.sum((q[self.in_q(b)] - b.position) ** 2)) for b in self.bodies)

    def marker_entry(self, marker: Marker, point: bool) -> MarkerEntry:
        dofs = self.velocities(marker.body)
        return MarkerEntry(POINT, dofs, dofs[:0], {"o": np.zeros(3), "R_BM": marker.frame})
