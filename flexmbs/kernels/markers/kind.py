"""What a marker type brings: its table, a function and three kernels.

A group is a flat NamedTuple with at least these fields, one row per marker:

- ``mk (n,)``: number of the marker in ``work.p``, ``work.R``, ``work.twist``, ``work.W``;
- ``row (n,)``: its first row in ``work.JT``, ``work.JcT``, ``work.JvT``, which have a row per coordinate;
- ``dofs (n, k)``: its coordinates, as indices into v;
- ``pdofs (n, kp)``: those between which the pullback stiffness can be other than zero;
- ``b1``: block i of the pullback stiffness lies at ``work.B[b1 + i*kp*kp : b1 + (i+1)*kp*kp]``, row by row.

With J (6, k) the Jacobian of the twist and T the tangent operator of the step (identity for all coordinates but the
rotations of rigid bodies), both taken at the present state:

- ``constants(group, work)`` writes once what never changes in ``JT``, ``JcT``, ``JvT`` and ``R``;
- ``place(group, state, env, work)`` writes ``p``, ``R``, ``twist`` and ``JT``, the rows of J^T;
- ``place_tangent(group, state, env, work)`` writes the same, ``JcT``, the rows of (J T)^T, and ``JvT``, the rows of
  (d(J v)/dq T)^T at fixed v; so with T = I, dJ/dt v = sum_k JvT[row + k] v_k;
- ``pull(group, state, env, work, weights)`` writes weights[0] * d(J^T W)/dq T, with W from ``work.W`` held fixed. It
  is called after ``place_tangent``.

d/dq is along the increments of `flexmbs.core.contracts.State`: orientations by R <- R exp(dtheta~). The last three are
kernels, which return the index of the first marker they refuse, or -1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray, MarkerWork
from flexmbs.core.jit import kernel

__all__ = ["MarkerEntry", "MarkerKind", "constant_rows"]


@dataclass(frozen=True)
class MarkerKind:
    """A type of markers.

    Parameters
    ----------
    name : str
        For messages.
    group : type
        Its NamedTuple.
    constants : function
    place, place_tangent, pull : kernels
        See above.
    diagnosis : str
        What it means when a kernel refuses a marker.
    rebase : function, optional
        ``rebase(group, q, beyond)`` takes the present frames, of markers turned by more than the angle ``beyond``, for
        the reference frames ``group.R0 (n, 3, 3)``, with poses as they are. For types whose poses exist near such
        frames only; they begin as the ``node_frame`` of each marker.
    wanders : bool, default False
        Whether the coordinates that a marker acts on change with its state, among those of ``dofs``: entries that are
        zero here and there are not zero everywhere.
    scratch : tuple of str, optional
        Fields of the group that kernels write to for themselves.

    Notes
    -----
    A run has ``R0`` of types that are rebased, and the fields of ``scratch``, of its own.
    """

    name: str
    group: type
    constants: Callable[..., None]
    place: Callable[..., int]
    place_tangent: Callable[..., int]
    pull: Callable[..., int]
    diagnosis: str = ""
    rebase: Callable[..., int] | None = None
    wanders: bool = False
    scratch: tuple[str, ...] = ()


class MarkerEntry(NamedTuple):
    """A marker while it is compiled: its kind, ``dofs`` and ``pdofs``, and what its row of the group has by name.

    ``shared``: fields of the group that are not rows; markers of one group bring the same.
    """

    kind: MarkerKind
    dofs: IntArray
    pdofs: IntArray
    columns: dict[str, Any]
    shared: Mapping[str, Any] = {}


def constant_rows(group: Any, work: MarkerWork, translations: int, rotations: FloatArray | None = None) -> None:
    """Clear the rows of all markers of a group, and write what is constant in J.

    The first ``translations`` coordinates move the point along the inertial axes, one each; the others turn the marker
    with the angular velocities ``rotations (n, k - translations, 3)`` in its own axes, if these are constant.
    """
    turning = np.zeros((len(group.row), 0, 3)) if rotations is None else np.ascontiguousarray(rotations)
    _write_constants(group.row, group.dofs.shape[1], translations, turning, work.JT, work.JcT, work.JvT)


@kernel
def _write_constants(
    row: IntArray, k: int, translations: int, rotations: FloatArray, JT: FloatArray, JcT: FloatArray, JvT: FloatArray
) -> None:
    """The same of markers with k rows each, from ``row (n,)`` on, and with their rotations, if any."""
    for i in range(row.shape[0]):
        for j in range(row[i], row[i] + k):
            for m in range(6):
                JT[j, m] = JcT[j, m] = JvT[j, m] = 0.0
        for m in range(translations):
            JT[row[i] + m, m] = JcT[row[i] + m, m] = 1.0
        for n in range(rotations.shape[1]):
            j = row[i] + translations + n
            for m in range(3):
                JT[j, 3 + m] = JcT[j, 3 + m] = rotations[i, n, m]
