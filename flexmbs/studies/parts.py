"""Many parts reduced side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flexmbs.core.checks import show
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.core.progress import Progress
from flexmbs.reduction.model import ReducedModel
from flexmbs.reduction.reduce import reduce
from flexmbs.studies.runner import run_all

__all__ = ["PartsError", "Reduction", "reduce_parts"]


@dataclass(frozen=True, eq=False, init=False)
class Reduction:
    """A part and how it is to be reduced: the arguments of `flexmbs.reduction.reduce`."""

    what: Any
    interfaces: Any
    modes: Any = 20
    options: dict[str, Any] = field(default_factory=dict)

    def __init__(self, what: Any, interfaces: Any, modes: Any = 20, **options: Any) -> None:
        object.__setattr__(self, "what", what)
        object.__setattr__(self, "interfaces", interfaces)
        object.__setattr__(self, "modes", modes)
        object.__setattr__(self, "options", options)


class PartsError(FlexmbsError):
    """Some parts could not be reduced; ``reduced`` has the others by name, ``failed`` the messages."""

    def __init__(self, message: str, reduced: dict[str, ReducedModel], failed: dict[str, str]) -> None:
        super().__init__(message)
        self.reduced, self.failed = reduced, failed


@dataclass(frozen=True, eq=False)
class _Task:
    """One part; the outcome is the reduced model, or a message."""

    index: int
    name: str
    reduction: Reduction

    def run(self) -> ReducedModel | str:
        wanted = self.reduction
        options: dict[str, Any] = {"name": self.name, "progress": False} | wanted.options
        try:
            return reduce(wanted.what, wanted.interfaces, wanted.modes, **options)
        except Exception as error:  # noqa: BLE001  the others go on
            return f"{type(error).__name__}: {error}"

    def killed(self, message: str) -> str:
        return message

    @property
    def shared(self) -> None:
        """Nothing: every part is another."""


def reduce_parts(parts: Mapping[str, Reduction], *, workers: Any = 0, progress: bool = True) -> dict[str, ReducedModel]:
    """Reduce parts, several at a time.

    Parameters
    ----------
    parts : mapping of name to Reduction
    workers : int or dask.distributed.Client
        As for `Study.run`; every process needs the memory of the part that it reduces.
    progress : bool

    Returns
    -------
    dict of name to ReducedModel
        In the order given.

    Raises
    ------
    PartsError
        If parts could not be reduced, after all others have been; it has both.
    ModelError
        If something is no `Reduction`.

    Examples
    --------
    >>> import flexmbs as fx
    >>> mesh = fx.meshes.box((0, 0, 0), (0.4, 0.02, 0.02), (8, 1, 1))
    >>> part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), fx.steel)])
    >>> wanted = {name: fx.studies.Reduction(part, ["left", "right"], modes) for name, modes in (("a", 2), ("b", 4))}
    >>> {name: len(reduced.K) for name, reduced in fx.studies.reduce_parts(wanted, progress=False).items()}
    {'a': 14, 'b': 16}
    """
    if not isinstance(parts, Mapping):
        raise ModelError(f"reduce_parts: expected Reduction objects by name, not {show(parts)}.")
    for name, wanted in parts.items():
        if not isinstance(wanted, Reduction):
            raise ModelError(f"reduce_parts: {name!r} must be a Reduction(part, interfaces), not {show(wanted)}.")
    tasks = [_Task(i, name, wanted) for i, (name, wanted) in enumerate(parts.items())]
    found: dict[int, ReducedModel | str] = {}
    with Progress("reduction of parts", progress) as shown:

        def keep(index: int, outcome: ReducedModel | str) -> None:
            found[index] = outcome
            shown.show(len(found) / len(tasks), f"{len(found)} of {len(tasks)} parts")

        run_all(tasks, keep, workers)
    reduced, failed = {}, {}
    for task in tasks:
        outcome = found[task.index]
        if isinstance(outcome, str):
            failed[task.name] = outcome
        else:
            reduced[task.name] = outcome
    if failed:
        said = "; ".join(f"{name!r}: {message}" for name, message in failed.items())
        raise PartsError(f"reduce_parts: {len(failed)} of {len(tasks)} parts: {said}", reduced, failed)
    return reduced
