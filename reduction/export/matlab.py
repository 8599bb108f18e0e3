"""MATLAB files (version 5): a state space, and the data of Simscape's block Reduced Order Flexible Solid.

``write_mat``: ``A``, ``B``, ``C``, ``Dft`` (feed-through; its name is not D, which is damping elsewhere), ``offset`` of
the outputs, and the names of states, inputs and outputs. In MATLAB ``s = load("part.mat"); sys = ss(s.A, s.B, s.C,
s.Dft)``; in Python ``control.ss`` of what `scipy.io.loadmat` gives.

``write_simscape``: ``origins`` (n_F, 3) and ``quaternions`` (n_F, 4) of the interfaces, ``stiffness``, ``mass`` and
``damping`` of size 6 n_F + modes, interfaces first, each with its translations and then its rotations along common
axes, as the block's page asks for (mathworks.com/help/sm/ref/reducedorderflexiblesolid.html).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import io

from flexmbs.core.errors import ModelError
from flexmbs.core.info import version
from flexmbs.reduction.export.exposed import interface_frames
from flexmbs.reduction.export.format import Format
from flexmbs.reduction.export.linear_system import LinearSystem
from flexmbs.reduction.export.ports import Signal
from flexmbs.reduction.export.written import ExportResult, left_out, placed
from flexmbs.reduction.model import ReducedModel

__all__ = ["FORMATS", "write_mat", "write_simscape"]

FREE = 1e-9
"""Stiffness of rigid motions, relative to the largest entry, up to which a part is free."""


def write_mat(system: LinearSystem, path: Path, overwrite: bool, units: Mapping[str, str]) -> ExportResult:
    """Write a linear system as a state space.

    Parameters
    ----------
    system : LinearSystem
        Of a reduced model or of a mechanism.
    path : path
    overwrite : bool
    units : mapping of str to str
        Names of the units, kept as a text.
    """
    A, B, C, F = system.first_order()
    content = {
        "A": A, "B": B, "C": C, "Dft": F, "offset": system.offset[:, None],
        "states": _cells(system.states_in_words()),
        "inputs": _cells(_names(system.inputs)),
        "outputs": _cells(_names(system.outputs)),
    }  # fmt: skip
    _save(path, overwrite, content, system.name, units, system.losses)
    return ExportResult("mat", path, system.losses)


def write_simscape(model: ReducedModel, path: Path, overwrite: bool = False) -> ExportResult:
    """Write what the block Reduced Order Flexible Solid takes.

    Parameters
    ----------
    model : ReducedModel
        Of a free part, with one or more interfaces of six coordinates each.
    path : path
    overwrite : bool, default False

    Raises
    ------
    ModelError
        If there is no interface, one of them is of kind "nodes" with other than six coordinates, or the part is held or
        prestressed, so that rigid motions strain it.
    """
    owner = f"Simscape file of {model.name!r}"
    frames = interface_frames(model)
    if not frames or model.n_interface != 6 * len(frames):
        raise ModelError(f"{owner}: every interface needs six coordinates; take kind='rigid' or 'averaged'.")
    order: list[int] = []
    rigid = np.zeros((model.size, 6))
    for frame in frames:
        if sorted(frame.component.tolist()) != [0, 1, 2, 3, 4, 5] or len(np.unique(frame.node)) != 1:
            raise ModelError(f"{owner}: interface {frame.name!r} has other coordinates than those of one frame.")
        mine = frame.coordinates[np.argsort(frame.component)]
        x, y, z = frame.origin
        rigid[mine] = np.eye(6)
        rigid[mine[:3], 3:] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
        order += mine.tolist()
    strain = np.abs(model.K @ rigid).max(initial=0.0)
    if strain > FREE * np.abs(model.K).max() * max(1.0, np.abs(rigid).max()):
        raise ModelError(f"{owner}: rigid motions strain the part; the block needs a free part without prestress.")
    every = np.array(order + [k for k in range(model.size) if k >= model.n_interface])
    block = np.ix_(every, every)
    losses = ("motion inside of the part", *left_out(model))
    content = {
        "origins": np.array([f.origin for f in frames]),
        "quaternions": np.tile([1.0, 0.0, 0.0, 0.0], (len(frames), 1)),
        "stiffness": model.K[block],
        "mass": model.M[block],
        "damping": np.zeros_like(model.K) if model.D is None else model.D[block],
        "interfaces": _cells([f.name for f in frames]),
    }
    _save(path, overwrite, content, model.name, model.units, losses)
    return ExportResult("simscape", path, losses)


def _names(signals: Sequence[Signal]) -> list[str]:
    """One name for each number."""
    return [f"{s.name}: {entry}" if entry != s.name else entry for s in signals for entry in s.entries]


def _cells(words: Sequence[str]) -> Any:
    """A column of texts, which MATLAB reads as a cell array."""
    out = np.empty((len(words), 1), dtype=object)
    out[:, 0] = list(words)
    return out


def _save(
    path: Path, overwrite: bool, content: dict[str, Any], name: str, units: Mapping[str, str], losses: Sequence[str]
) -> None:
    said = ", ".join(f"{k} {v}" for k, v in units.items()) or "not said"
    content = content | {
        "description": f"{name}; units: {said}; written by flexmbs {version()}",
        "losses": _cells(losses),
    }
    with placed(path, overwrite) as part, part.open("wb") as stream:
        io.savemat(stream, content, do_compression=True, oned_as="column")


FORMATS = {
    "mat": Format(".mat", "state space for MATLAB, Octave and python-control", write_system=write_mat, family="matlab"),
    "simscape": Format("_simscape.mat", "Simscape's Reduced Order Flexible Solid", write_simscape),
}
