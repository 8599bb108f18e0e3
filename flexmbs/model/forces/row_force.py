"""What a force between markers compiles to: scalar laws on rows, wrenches on markers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.references import Description
from flexmbs.kernels.laws import GIVEN
from flexmbs.model.joints.contracts import Row

if TYPE_CHECKING:
    from flexmbs.core.extra_coordinate import ExtraCoordinate
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.forces.wrench import Wrench

__all__ = ["GivenLaw", "MarkerForce", "RowForce", "pack"]

GivenLaw = Callable[[float, float, float], tuple[float, float, float, float]]
"""(s, sdot, t) -> (F, dF/ds, dF/dsdot, energy), with the sign of `flexmbs.kernels.laws`."""


@dataclass(frozen=True, eq=False)
class RowForce(Description):
    """A force between two markers.

    With a scalar law there is one row s and the wrenches on (a, b) are F G^T with G the gradient (12,) of s; the rate
    is sdot = G twist. With the law MATRIX there are n rows and the wrenches are the sum of F_i G_i^T. Exactly

        dw/d(pose) = F dG^T/d(pose) + G^T F_s G + G^T F_sdot d(G twist)/d(pose),    dw/d(twist) = G^T F_sdot G.

    Parameters
    ----------
    a, b : Marker
    rows : tuple of Row
        ``equation`` is not used; ``factor`` multiplies the row.
    law : int
        Of `flexmbs.kernels.laws`.
    data : tuple of float
        Its numbers; not used by GIVEN.
    function : callable, optional
        For GIVEN: (s, sdot, t) -> (F, F_s, F_sdot, energy).
    states : tuple of ExtraCoordinate
        First-order states of the law: one for BRISTLE and LATCH. The state z is the **rate** of its extra coordinate e,
        whose equation of motion is de/dt^2 - zdot = 0 with what `flexmbs.kernels.laws.state_law` gives. With the
        velocities v of both markers' coordinates and J their Jacobian

            W += G^T F,  r_e -= zdot,  dr/de_dot: column J^T G^T F_z, row -zdot_sdot G J, diagonal -zdot_z;
            the terms with F_s and F_sdot as for the other laws, and for dr_e/dq: -zdot_s G J - zdot_sdot d(G twist)/dq.
    """

    a: Marker
    b: Marker
    rows: tuple[Row, ...]
    law: int
    data: tuple[float, ...] = ()
    function: GivenLaw | None = None
    states: tuple[ExtraCoordinate, ...] = ()


class MarkerForce(Protocol):
    """What the compiler reads of a force between markers."""

    @property
    def name(self) -> str:
        """For messages and results."""

    @property
    def row_forces(self) -> tuple[RowForce, ...]:
        """Its laws on rows."""

    @property
    def wrenches(self) -> tuple[Wrench, ...]:
        """Its wrenches on single markers."""


def pack(forces: Sequence[RowForce]) -> tuple[IntArray, IntArray, FloatArray]:
    """Laws (n,), where their numbers begin (n,) and the numbers of all, as `flexmbs.kernels.laws.law` reads them.

    The forces with the law GIVEN are numbered in their order: the i-th reads row i of ``given``.
    """
    where = np.zeros(len(forces), dtype=np.int64)
    numbers: list[float] = []
    n_given = 0
    for i, force in enumerate(forces):
        where[i] = len(numbers)
        if force.law == GIVEN:
            numbers.append(float(n_given))
            n_given += 1
        else:
            numbers.extend(force.data)
    return np.array([force.law for force in forces], dtype=np.int64), where, np.array(numbers, dtype=np.float64)
