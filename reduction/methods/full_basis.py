"""The basis that leaves nothing out: every unknown of a part is a coordinate of its model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.errors import ModelError
from flexmbs.reduction.basis import Basis

if TYPE_CHECKING:
    from flexmbs.reduction.interfaces import Attached

__all__ = ["full_basis"]

MOST = 2000
"""Unknowns; the inertia invariants of so many shapes take 300 megabytes."""


def full_basis(attached: Attached) -> Basis:
    """All unknowns of a part, those of its interfaces first: a method for `reduce`.

    A `FloatingBody` of such a model is the part itself in a floating frame, with nothing left out but the six motions
    of the frame. It is what reduced bodies are measured against, and for small meshes.

    Parameters
    ----------
    attached : Attached
        What `reduce` hands to its methods.

    Returns
    -------
    Basis
        The identity, its rows in the order of the unknowns.

    Raises
    ------
    ModelError
        If there are more than 2000 unknowns, whose invariants would fill the memory, or an unknown has no mass.

    Notes
    -----
    The cost of a step grows with the square of the unknowns, beside a dense solution with the third power.

    Examples
    --------
    >>> import flexmbs as fx
    >>> bar = fx.linear.Part(fx.meshes.box((0, 0, 0), (1, 0.1, 0.1), (4, 1, 1)), material=fx.steel, name="bar")
    >>> whole = fx.reduction.reduce(bar, ["left", "right"], method=fx.reduction.full_basis)
    >>> whole.size, fx.FloatingBody(whole).modes
    (48, 42)
    """
    operators, boundary = attached.operators, attached.boundary
    n = operators.n
    if n > MOST:
        raise ModelError(
            f"unreduced: the part has {n} unknowns, more than {MOST}; the inertia invariants of so many shapes would "
            f"fill the memory. Reduce it, by reduce(..., modes=...)."
        )
    bare = np.flatnonzero(~(operators.M.diagonal() > 0.0))
    if len(bare):
        raise ModelError(
            f"unreduced: {len(bare)} of {n} unknowns have no mass, the first is number {int(bare[0])}; give them some, "
            f"such as rotary inertia, or reduce the part."
        )
    inside = np.setdiff1d(np.arange(n), boundary)
    vectors = np.zeros((n, n))
    vectors[np.concatenate([boundary, inside]), np.arange(n)] = 1.0
    labels = (*attached.labels, *(f"unknown {i}" for i in inside))
    return Basis(vectors, labels, len(boundary), None, "full_basis")
