"""What pictures show of a body."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker

__all__ = ["Drawing"]


class Drawing(NamedTuple):
    """What pictures show of a body.

    Parameters
    ----------
    name : str
    style : str
        ``"mesh"``: the elements of ``source``, a meshed body; ``"reduced"``: the mesh of ``source.reduced``, deformed
        by its shapes; ``"shape"``: ``points (n, 3)`` and ``edges (m, 2)`` in axes of the frame; ``"point"``: a mark,
        with arms to the joints of ``source``.
    source : object
        See above.
    points, edges : array
        See above.
    first : int array
        Places in q of the amplitudes of the shapes of ``source``.
    nodes : function, optional
        ``nodes(q) -> (n_t, n_nodes, 3)``: nodes of ``source.reduced`` in axes of the frame at states ``q (n_t, n_q)``,
        where these are not linear in q.
    axes : (3, 3) array
        Of the mesh of ``source.reduced`` in those of the frame.
    pose : function, optional
        ``pose(q) -> (n_t, 3), (n_t, 4)``: place and quaternion of the frame at states ``q (n_t, n_q)``, inertial frame.
    marker : Marker, optional
        What the frame follows, where it is not a function of few coordinates.
    """

    name: str
    style: str
    source: Any
    points: FloatArray = np.zeros((0, 3))
    edges: IntArray = np.zeros((0, 2), dtype=np.int64)
    first: IntArray = np.zeros(0, dtype=np.int64)
    nodes: Callable[[FloatArray], FloatArray] | None = None
    axes: FloatArray = np.eye(3)
    pose: Callable[[FloatArray], tuple[FloatArray, FloatArray]] | None = None
    marker: Marker | None = None
