r"""Stresses of reduced bodies over very long runs, piece by piece, at chosen points.

Stresses are linear in the coordinates of a body, :math:`\sigma = S\,\eta` with S (n_s, n_c, m) at the chosen nodes, so
that nothing but the coordinates has to be kept while a run goes on. Here they are computed for some stored states at a
time and handed on or written, so that the memory depends on the size of a piece, not on the length of the run. A run
that was written to a file is not loaded either.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np

from flexmbs.core.checks import as_count
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.io.sealed import as_target, replaced, sealed
from flexmbs.io.stored_states import stored_states
from flexmbs.linear.stresses import von_mises
from flexmbs.model.model import Model
from flexmbs.results.deformation import stress_shapes
from flexmbs.results.drawings import reduced_drawing
from flexmbs.results.time import TimeSolution

__all__ = ["StressBlock", "stress_blocks", "write_stresses"]

PIECE = 1 << 24
"""Bytes of stresses that are computed at a time, about."""


class StressBlock(NamedTuple):
    """Some stored states: ``t (n,)``, ``values (n, n_s, n_c)`` in axes of the frame of the body.

    ``nodes (n_s,)`` and ``names (n_c,)`` say what the columns are. A node stands there as often as it has stresses that
    are kept apart (`ReducedModel.stress_rows`).
    """

    t: FloatArray
    values: FloatArray
    nodes: IntArray
    names: tuple[str, ...]


def stress_blocks(
    run: TimeSolution | str | PathLike[str],
    body: Any,
    nodes: Any = None,
    *,
    states: int | None = None,
    model: Model | None = None,
) -> Iterator[StressBlock]:
    """Stresses of a floating or linear body over a run, some stored states at a time.

    Parameters
    ----------
    run : TimeSolution or path
        Or the file of a run, ``simulate(..., file=...)``, which is read piece by piece: a result or a journal, also
        one that is still written.
    body : FloatingBody, LinearBody or str
        Or its name; of a file it must be the name.
    nodes : (n_s,) array of int or str, optional
        Or the name of a node set; among those that the part was reduced with, ``reduce(..., stresses=...)``. All of
        them by default.
    states : int, optional
        How many at a time; by default as many as make 16 megabytes.
    model : Model, optional
        That of a file which holds Python functions.

    Yields
    ------
    StressBlock
        In the order of time.

    Raises
    ------
    ModelError
        If there is no such body, or its model has no stresses at these nodes.
    ReadError
        If the file cannot be read.

    Examples
    --------
    >>> import flexmbs as fx
    >>> bar = fx.linear.Part(fx.meshes.box((0, 0, 0), (1, 0.1, 0.1), (4, 1, 1)), material=fx.steel, name="bar")
    >>> body = fx.FloatingBody(fx.reduction.reduce(bar, ["left", "right"], 2, stresses="left", progress=False))
    >>> hinge = fx.RevoluteJoint(fx.ground, body.interface("left", axis=(0, 1, 0)), name="hinge")
    >>> run = fx.simulate(fx.Model(body, hinge, fx.Gravity((0, 0, -9.81))), 0.1, step=1e-3)
    >>> [len(block.t) for block in fx.io.stress_blocks(run, body, states=40)]
    [40, 40, 21]
    """
    with stored_states("stress_blocks", run, model) as (system, n, rows, _):
        drawing = reduced_drawing("stress_blocks", system, body)
        owner = drawing.source
        chosen, shapes = stress_shapes(owner, nodes)
        names = tuple(owner.reduced.stress_names)
        size = max(1, PIECE // (8 * max(1, shapes[:, :, 0].size)))
        size = size if states is None else as_count("stress_blocks", "states", states, minimum=1)
        for start in range(0, n, size):
            t, q = rows(start, min(n, start + size))
            eta = q[:, drawing.first]
            yield StressBlock(t, np.einsum("scm,tm->tsc", shapes, eta), chosen, names)


def write_stresses(
    path: str | PathLike[str],
    run: TimeSolution | str | PathLike[str],
    body: Any,
    nodes: Any = None,
    *,
    states: int | None = None,
    model: Model | None = None,
) -> Path:
    """Write the stresses of a body over a run to an HDF5 file, with bounded memory.

    The file has the datasets ``t (n_t,)``, ``nodes (n_s,)``, ``names (n_c,)``, ``stresses (n_t, n_s, n_c)`` in axes of
    the frame of the body, ``peaks (n_s,)``: the largest von Mises stress of each entry of ``nodes``, and ``peak_times
    (n_s,)``. It replaces an older one of that name when it is complete.

    Parameters
    ----------
    path : path-like
        Its name must end in ``.h5`` or ``.hdf5``.
    run, body, nodes, states, model
        As for `stress_blocks`.

    Returns
    -------
    Path
        Of the file.

    Raises
    ------
    ModelError
        As `stress_blocks`, or if the run has no states.
    FlexmbsError
        If the file cannot be written.
    """
    target = as_target("write_stresses", path, (".h5", ".hdf5"))
    blocks = stress_blocks(run, body, nodes, states=states, model=model)
    with replaced("write_stresses", target) as (draft,), sealed(draft) as file:
        n = 0
        peaks = times = np.empty(0)
        for block in blocks:
            if n == 0:
                made = _datasets(file, block)
                peaks, times = np.full(len(block.nodes), -np.inf), np.zeros(len(block.nodes))
            m = n + len(block.t)
            for name, values in (("t", block.t), ("stresses", block.values)):
                made[name].resize(m, axis=0)
                made[name][n:m] = values
            size = von_mises(block.values, block.names)
            row = size.argmax(axis=0)
            largest = size[row, np.arange(len(row))]
            times = np.where(largest > peaks, block.t[row], times)
            peaks = np.maximum(peaks, largest)
            n = m
        if not n:
            raise ModelError("write_stresses: the run has no stored states.")
        file.create_dataset("peaks", data=peaks)
        file.create_dataset("peak_times", data=times)
    return target


def _datasets(file: h5py.File, block: StressBlock) -> dict[str, Any]:
    """Growing arrays, and what does not grow."""
    file.attrs["format"] = "flexmbs stresses"
    file.create_dataset("nodes", data=block.nodes)
    file.create_dataset("names", data=[name.encode() for name in block.names])
    shape = block.values.shape[1:]
    rows = max(1, (1 << 19) // (8 * max(1, int(np.prod(shape)))))
    return {
        "t": file.create_dataset("t", (0,), "float64", maxshape=(None,), chunks=(1 << 16,)),
        "stresses": file.create_dataset(
            "stresses", (0, *shape), "float64", maxshape=(None, *shape), chunks=(rows, *shape), compression="gzip",
            compression_opts=1, shuffle=True,
        ),
    }  # fmt: skip
