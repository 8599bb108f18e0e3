"""A model as plain data and back: bodies, supports, hinges, loads, units and names; meshes and functions apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.describe import Plain, Vocabulary, from_plain
from flexmbs.core.errors import FlexmbsError, ReadError
from flexmbs.core.history import Constant, History, Table, value_at
from flexmbs.core.identity import IdentityMap
from flexmbs.core.laminate import Ply
from flexmbs.core.material import Elastic, Orthotropic
from flexmbs.core.section import BeamStiffness, Circle, GeneralSection, Pipe, Rectangle
from flexmbs.core.section_matrix import SectionStiffness
from flexmbs.core.shell_section import Layup, ShellSection, ShellStiffness
from flexmbs.core.units import Units
from flexmbs.meshes import Mesh
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.model.bodies.flexible import FlexibleBody
from flexmbs.model.forces import (
    DistributedLoad,
    EdgeLoad,
    EdgeMoment,
    ElasticSupport,
    Gravity,
    MembraneStress,
    Moment,
    PointForce,
    Pressure,
    ThermalStrain,
)
from flexmbs.model.model import Model
from flexmbs.model.supports import Clamp, Guide, Hinge, Pin, Prescribe, Roller, Symmetry
from flexmbs.results.static_options import StaticOptions

if TYPE_CHECKING:
    from flexmbs.system.system import System

__all__ = ["CLASSES", "Sampler", "model_from_plain", "read_mesh"]

CLASSES: tuple[type, ...] = (
    Attachment, BeamStiffness, Circle, Clamp, Constant, DistributedLoad, EdgeLoad, EdgeMoment, Elastic, ElasticSupport,
    FlexibleBody, MembraneStress, Pressure, ThermalStrain,
    GeneralSection, Gravity, Guide, Hinge, Layup, Moment, Orthotropic, Pin, Pipe, Ply, PointForce, Prescribe, Rectangle,
    Roller, SectionStiffness, ShellSection, ShellStiffness, StaticOptions, Symmetry, Table, Units,
)  # fmt: skip
"""Everything but elements that a model of flexmbs is described with."""

GROUPS = ("bodies", "supports", "hinges", "loads")
FUNCTION_POINTS = 65
"""Points at which a function is tabulated over load factors 0 to 1 where no computed factors are at hand."""


class Sampler:
    """Tables in place of histories that are functions, which no file can hold.

    Parameters
    ----------
    load_factors : (n_s,) array, optional
        The points of the tables; without them a function is evaluated at equally spaced ones from 0 to 1.
    factors : sequence of (history, (n_s,) array)
        Values of histories there that are known.
    """

    def __init__(
        self, load_factors: FloatArray | None = None, factors: Iterable[tuple[History, FloatArray]] = ()
    ) -> None:
        self.sampled: list[str] = []
        self._points = np.linspace(0.0, 1.0, FUNCTION_POINTS)
        self._factors: IdentityMap[Any, FloatArray] = IdentityMap()
        if load_factors is not None:
            self._points, first = np.unique(load_factors, return_index=True)
            self._factors.update((history, values[first]) for history, values in factors)

    @classmethod
    def of(cls, system: System, load_factors: FloatArray, scales: FloatArray, drives: FloatArray) -> Sampler:
        """That of equilibria: the factors of their loads and prescribed motions."""
        known = [(load.history, scales[:, i]) for i, load in enumerate(system.model.loads)]
        known += [(drive.history, drives[:, i]) for i, drive in enumerate(system.fixation.drives)]
        return cls(load_factors, known)

    def table(self, owner: str, history: History) -> Table:
        """The table that stands for a function."""
        self.sampled.append(owner)
        values = self._factors.get(history)
        if values is None:
            values = np.array([value_at(owner, history, float(t), 1.0) for t in self._points])
        return Table(self._points, values)


def model_from_plain(plain: Plain, meshes: Sequence[Mesh], elements: Iterable[type]) -> Model:
    """The model of a file of flexmbs 0.1, which lists bodies, supports, hinges and loads apart.

    Raises
    ------
    ReadError
        If a class is not known, or the description does not make a model.
    """
    vocabulary = Vocabulary((*CLASSES, *elements))
    if not isinstance(plain, Mapping) or not all(isinstance(plain.get(key), list) for key in GROUPS):
        raise ReadError("the description of the model lacks its bodies, supports, hinges or loads.")
    bodies: dict[str, FlexibleBody] = {}
    resolve = {"mesh": lambda d: meshes[d["body"]], "body": lambda d: bodies[d["name"]]}

    def build(label: str, part: Plain) -> Any:
        return from_plain(label, part, vocabulary, resolve)

    try:
        for i, part in enumerate(plain["bodies"]):
            body = build(f"body {part.get('name', i)!r}", part)
            bodies[body.name] = body
        rest = [build(f"{key} number {i}", part) for key in GROUPS[1:] for i, part in enumerate(plain[key])]
        return Model(*bodies.values(), *rest, units=build("units", plain["units"]), name=plain["name"])
    except ReadError:
        raise
    except (FlexmbsError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise ReadError(f"the description does not make a model: {error}") from error


def read_mesh(group: Any) -> Mesh:
    """The mesh in a group ``bodies/<i>`` of a file of flexmbs 0.1."""
    cells: Any = [(str(block.attrs["cell_type"]), block[()]) for block in _numbered(group, "cells")]
    named = {
        kind: {str(d.attrs["name"]): d[()] for d in _numbered(group, kind)} for kind in ("node_sets", "point_data")
    }
    cell_sets = {
        str(parts.attrs["name"]): tuple(parts[str(j)][()] for j in range(len(parts)))
        for parts in _numbered(group, "cell_sets")
    }
    return Mesh(group["points"][()], cells, named["node_sets"], cell_sets, named["point_data"])


def _numbered(group: Any, name: str) -> list[Any]:
    """The members 0, 1, ... of a group, which may be missing."""
    return [group[f"{name}/{i}"] for i in range(len(group[name]))] if name in group else []
