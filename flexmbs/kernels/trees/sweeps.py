"""The recursions over a tree by itself as single calls: what `flexmbs.dynamics.tree_dynamics` hands its arrays to."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.kernels.trees.articulated import eliminate, substitute
from flexmbs.kernels.trees.group import TreeGroup
from flexmbs.kernels.trees.inverse import accelerate, gather
from flexmbs.kernels.trees.local import load_columns, place_local, subtract_wrenches
from flexmbs.kernels.trees.moves import not_unit

__all__ = ["forward_sweeps", "inverse_sweeps", "motion_sweep"]

Links = tuple[IntArray, FloatArray, FloatArray]
"""Columns behind which links are, their origins there, and the wrenches on them."""


@kernel
def motion_sweep(group: TreeGroup, q: FloatArray, v: FloatArray, w: FloatArray) -> int:
    """Frames and velocities of all columns; -1, or a column whose quaternion is none."""
    bad = not_unit(group, q)
    place_local(group, q, w)
    load_columns(group, v, w)
    return bad


@kernel
def inverse_sweeps(
    group: TreeGroup,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    scale: FloatArray,
    links: Links,
    w: FloatArray,
    out: FloatArray,
) -> bool:
    """out (n_v,): forces of the joints for the accelerations a; whether all is well."""
    place_local(group, q, w)
    load_columns(group, v, w)
    accelerate(group, a, scale, w)
    subtract_wrenches(links[0], links[1], links[2], w)
    gather(group, w, out)
    return not_unit(group, q) < 0 and np.isfinite(out.sum())


@kernel
def forward_sweeps(
    group: TreeGroup,
    q: FloatArray,
    v: FloatArray,
    tau: FloatArray,
    scale: FloatArray,
    links: Links,
    w: FloatArray,
    out: FloatArray,
) -> bool:
    """out (n_v,): accelerations under the forces tau by articulated bodies; whether all is well."""
    place_local(group, q, w)
    load_columns(group, v, w)
    subtract_wrenches(links[0], links[1], links[2], w)
    failed = eliminate(group, tau, w)
    substitute(group, scale, w, out)
    return failed < 0 and not_unit(group, q) < 0 and np.isfinite(out.sum())
