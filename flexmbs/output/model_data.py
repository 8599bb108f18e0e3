"""A model as plain data and back: bodies, supports, hinges, loads, units and names; meshes and functions apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.analysis.static import StaticOptions
from flexmbs.body import Attachment, FlexibleBody
from flexmbs.core.contracts import FloatArray
from flexmbs.core.describe import Plain, Vocabulary, from_plain, to_plain
from flexmbs.core.errors import FlexmbsError, ReadError
from flexmbs.core.history import Constant, History, Table, value_at
from flexmbs.core.identity import IdentityMap
from flexmbs.core.laminate import Ply
from flexmbs.core.material import Elastic, Orthotropic
from flexmbs.core.section import BeamStiffness, Circle, GeneralSection, Pipe, Rectangle
from flexmbs.core.section_matrix import SectionStiffness
from flexmbs.core.sheet import Layup, Sheet, SheetStiffness
from flexmbs.core.units import Units
from flexmbs.forces import (
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
from flexmbs.meshes import Mesh
from flexmbs.model import Model
from flexmbs.supports import Clamp, Guide, Hinge, Pin, Prescribe, Roller, Symmetry

if TYPE_CHECKING:
    from flexmbs.solution import Solution

__all__ = ["CLASSES", "Sampler", "model_from_plain", "model_to_plain"]

CLASSES: tuple[type, ...] = (
    Attachment, BeamStiffness, Circle, Clamp, Constant, DistributedLoad, EdgeLoad, EdgeMoment, Elastic, ElasticSupport,
    FlexibleBody, MembraneStress, Pressure, ThermalStrain,
    GeneralSection, Gravity, Guide, Hinge, Layup, Moment, Orthotropic, Pin, Pipe, Ply, PointForce, Prescribe, Rectangle,
    Roller, SectionStiffness, Sheet, SheetStiffness, StaticOptions, Symmetry, Table, Units,
)  # fmt: skip
"""Everything but elements that a model of flexmbs is described with."""

GROUPS = ("bodies", "supports", "hinges", "loads")
FUNCTION_POINTS = 65
"""Points at which a function is tabulated over load parameters 0 to 1 where no computed factors are at hand."""


class Sampler:
    """Tables in place of histories that are functions, which no file can hold.

    Parameters
    ----------
    solution : Solution, optional
        Its load parameters and factors are the points of the tables; without one, a function is evaluated at equally
        spaced parameters from 0 to 1.
    """

    def __init__(self, solution: Solution | None = None) -> None:
        self.sampled: list[str] = []
        self._parameters = np.linspace(0.0, 1.0, FUNCTION_POINTS)
        self._factors: IdentityMap[Any, FloatArray] = IdentityMap()
        if solution is not None:
            self._parameters, first = np.unique(solution.parameters, return_index=True)
            drives = solution.system.fixation.drives
            for histories, factors in (
                ([load.history for load in solution.model.loads], solution.scales),
                ([drive.history for drive in drives], solution.drives),
            ):
                self._factors.update((h, factors[first, i]) for i, h in enumerate(histories))

    def table(self, owner: str, history: History) -> Table:
        """The table that stands for a function."""
        self.sampled.append(owner)
        values = self._factors.get(history)
        if values is None:
            values = np.array([value_at(owner, history, float(t), 1.0) for t in self._parameters])
        return Table(self._parameters, values)


def model_to_plain(model: Model, sampler: Sampler) -> Plain:
    """A model as plain data; meshes are referred to by the number of their body.

    Raises
    ------
    ModelError
        If an object of the user's own is not a dataclass of plain fields.
    """
    numbers = IdentityMap.numbers(model.flexible_bodies)

    def describe(label: str, item: object) -> Plain:
        def replace(field: str, value: object) -> Plain:
            if isinstance(value, Mesh) and item in numbers:
                return {"class": "mesh", "body": numbers[item]}
            if value in numbers:
                return {"class": "body", "name": model.flexible_bodies[numbers[value]].name}
            if field == "history" and value is not None and type(value) not in (Table, Constant):
                return to_plain(label, sampler.table(label, value))  # type: ignore[arg-type]
            return NotImplemented

        return to_plain(label, item, replace)

    return {
        "class": "Model",
        "name": model.name,
        "units": describe("units", model.units),
        "bodies": [describe(f"body {body.name!r}", body) for body in model.flexible_bodies],
        "supports": [describe(f"{type(s).__name__} {s.at}", s) for s in model.supports],
        "hinges": [describe(f"Hinge of {hinge.a} and {hinge.b}", hinge) for hinge in model.hinges],
        "loads": [describe(load.label, load) for load in model.loads],
    }


def model_from_plain(plain: Plain, meshes: Sequence[Mesh], elements: Iterable[type]) -> Model:
    """The model that `model_to_plain` described.

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
