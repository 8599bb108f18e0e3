"""A model as a function of numbers."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.errors import FlexmbsError, ModelError, unknown_name
from flexmbs.io.model_description import describe_model, differences, fingerprint
from flexmbs.model.model import Model
from flexmbs.studies.digest import source_digest
from flexmbs.studies.parameters import Parameter, Value

__all__ = ["Family", "in_words", "told"]


class Family:
    """A function that returns a model, and the ranges of its numbers.

    Parameters
    ----------
    builder : callable
        Called with the values of all parameters as keywords; returns a `Model`. It must give the same model whenever it
        is called with the same values: it neither draws random numbers nor keeps anything between calls.
    **parameters : Between or Choices
        The keywords that vary. Others keep the defaults of the builder.

    Raises
    ------
    ModelError
        If a parameter is no keyword of the builder, or one without a default is left out.

    Examples
    --------
    >>> import flexmbs as fx
    >>> def pendulum(length=1.0, mass=2.0):
    ...     bob = fx.PointMass(mass, position=(length, 0, 0), name="bob")
    ...     rod = fx.DistanceConstraint(fx.ground.marker((0, 0, 0)), bob, name="rod")
    ...     return fx.Model(bob, rod, fx.Gravity((0, 0, -9.81)), name="pendulum")
    >>> family = fx.studies.Family(pendulum, length=fx.studies.Between(0.5, 2.0))
    >>> family.model(length=1.5).rigid_bodies[0].position
    array([1.5, 0. , 0. ])
    """

    def __init__(self, builder: Callable[..., Model], /, **parameters: Parameter) -> None:
        if not callable(builder):
            raise ModelError(f"Family: expected a function that returns a Model, not {show(builder)}.")
        self.builder = builder
        named = builder.func if isinstance(builder, partial) else builder
        self.name = getattr(named, "__name__", type(named).__name__)
        self.parameters: dict[str, Parameter] = dict(parameters)
        self._check_keywords()
        self._repeats = self._looked = False

    @property
    def owner(self) -> str:
        """How messages name the family."""
        return f"Family {self.name!r}"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(self.parameters)

    def _check_keywords(self) -> None:
        if not self.parameters:
            raise ModelError(f"{self.owner}: name at least one parameter, for example length=Between(0.5, 2.0).")
        for name, parameter in self.parameters.items():
            if not all(hasattr(parameter, what) for what in ("centre", "at", "grid", "checked")):
                raise ModelError(
                    f"{self.owner}: {name} must be a range such as Between(0.5, 2.0) or Choices(1, 2), not "
                    f"{show(parameter)}. A number that stays is a default of the builder."
                )
        try:
            signature = inspect.signature(self.builder)
        except (TypeError, ValueError):  # built-in callables have none
            return
        kinds = inspect.Parameter
        known = [
            p for p in signature.parameters.values() if p.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)
        ]
        if not any(p.kind is kinds.VAR_KEYWORD for p in signature.parameters.values()):
            for name in self.parameters:
                if name not in {p.name for p in known}:
                    raise ModelError(
                        f"{self.owner}: {unknown_name('keyword of the builder', name, [p.name for p in known])}"
                    )
        missing = [p.name for p in known if p.default is kinds.empty and p.name not in self.parameters]
        if missing:
            raise ModelError(
                f"{self.owner}: the builder needs {', '.join(missing)}; give a range, or a default in the builder."
            )

    def values(self, given: Mapping[str, Any]) -> dict[str, Value]:
        """Values of all parameters, in their order, checked against their ranges.

        Raises
        ------
        ModelError
            If one is unknown, missing or out of its range.
        """
        for name in given:
            if name not in self.parameters:
                raise ModelError(f"{self.owner}: {unknown_name('parameter', name, self.parameters)}")
        missing = [name for name in self.parameters if name not in given]
        if missing:
            raise ModelError(f"{self.owner}: values of {', '.join(missing)} are missing.")
        return {n: p.checked(f"{self.owner}, parameter {n!r}", given[n]) for n, p in self.parameters.items()}

    def model(self, **values: Any) -> Model:
        """The model for given values.

        Raises
        ------
        ModelError
            If a value is out of its range, or the builder returns no model.
        FlexmbsError
            If the builder raises what is none itself; the message has it and the values. Errors of flexmbs, such as a
            ConvergenceError with its ``solution``, come through as they are, the values in a note (`told`).
        """
        checked = self.values(values)
        try:
            model = self.builder(**checked)
        except FlexmbsError as error:
            note = f"{self.owner}: the builder failed with {in_words(checked)}"
            if note not in getattr(error, "__notes__", ()):
                error.add_note(note)
            raise
        except Exception as error:
            raise FlexmbsError(
                f"{self.owner}: the builder raised {type(error).__name__}: {error}; values: {in_words(checked)}."
            ) from error
        if not isinstance(model, Model):
            raise ModelError(f"{self.owner}: the builder must return a Model, but returned {show(model)}.")
        return model

    @property
    def centre(self) -> dict[str, Value]:
        """The values in the middle of all ranges."""
        return {name: parameter.centre for name, parameter in self.parameters.items()}

    @cached_property
    def identity(self) -> str:
        """Digest of what the family is: the text of the builder, its ranges, and its model in the middle of them.

        Where the builder fails there, that it does takes the place of the model: samples may lie elsewhere.
        """
        try:
            middle = fingerprint(describe_model(self.model(**self.centre))[0])
        except FlexmbsError as error:
            middle = f"no model: {'ModelError' if isinstance(error, ModelError) else 'FlexmbsError'}"
        text = "\n".join((source_digest(self.builder), repr(sorted(self.parameters.items())), middle))
        return hashlib.sha256(text.encode()).hexdigest()

    def check_repeats(self) -> None:
        """Call the builder twice in the middle of all ranges and compare, once.

        Where it fails there, nothing else is called here: a sample may take long or kill its process, which must be
        that of a run. The first run in each process for which it succeeds then calls it twice (`check_again`).

        Raises
        ------
        ModelError
            If both models differ, or the builder fails the second time.
        """
        if self._looked:
            return
        try:
            model = self.model(**self.centre)
        except FlexmbsError:
            self._looked = True
            return
        self.check_again(model, self.centre)
        self._looked = True

    def check_again(self, model: Model, values: Mapping[str, Any]) -> None:
        """Call the builder a second time and compare, unless that was done; what cannot be described is passed over.

        Raises
        ------
        ModelError
            If both models differ, or the builder fails the second time.
        """
        if self._repeats:
            return
        try:
            first = describe_model(model)
        except FlexmbsError:
            return
        called = f"{self.owner}: check of repeatability: called twice with the same values ({in_words(values)}),"
        remedy = "It must not draw random numbers or keep anything between calls; make what varies a parameter."
        try:
            second = describe_model(self.model(**values))
        except FlexmbsError as error:
            raise ModelError(f"{called} the builder fails the second time: {told(error)} {remedy}") from error
        found = differences(first[0], second[0])
        if not found and any(not np.array_equal(first[1][k], second[1][k]) for k in first[1]):
            found = ["points or cells of a mesh"]
        if found:
            raise ModelError(f"{called} the builder returns different models: {'; '.join(found[:3])}. {remedy}")
        self._repeats = True

    def __repr__(self) -> str:
        return f"<family {self.name!r} of {', '.join(self.parameters)}>"


def told(error: Exception) -> str:
    """The message of an error behind its notes, the last one first.

    Examples
    --------
    >>> error = ValueError("no such mass")
    >>> error.add_note("the builder failed with mass = 3")
    >>> told(error)
    'the builder failed with mass = 3: no such mass'
    """
    return ": ".join((*reversed(getattr(error, "__notes__", ())), str(error)))


def in_words(values: Mapping[str, Value]) -> str:
    """Values of parameters for messages.

    Examples
    --------
    >>> in_words({"length": 1.5, "material": "steel"})
    'length = 1.5, material = steel'
    """
    return ", ".join(f"{k} = {v if isinstance(v, str) else format(v, '.6g')}" for k, v in values.items())
