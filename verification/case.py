"""A verification case: a problem in words and a function that solves it and measures it against known numbers."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flexmbs.core.checks import as_name, show
from flexmbs.core.errors import ModelError
from flexmbs.verification.outcome import Outcome, texts

__all__ = ["Case", "CaseEntry", "Progress"]

#: What a case calls to say what it is doing, in a few words; shown on the terminal and not kept.
Progress = Callable[[str], None]

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Case:
    r"""A problem with a known answer.

    Parameters
    ----------
    id : str
        Short name of lower-case letters, digits and hyphens: what ``flexmbs verify`` takes and the page is called.
    title, area, summary : str
        Heading; the group it belongs to (``"statics"``); the problem in a few sentences, with a blank line between
        paragraphs.
    run : callable
        ``run(progress) -> Outcome``: solves the problem, with whatever loops over loads, supports and refinements it
        needs. It must be a module-level function, so that it can run in another process.
    source : str
        Citation of the problem and its reference.
    equations : sequence of str
        LaTeX as understood by matplotlib's mathtext, without dollar signs; ``\dfrac`` for fractions of full size.
    limits : sequence of str
        What the case does not show, and where the model or its reference ends.
    slow : bool
        Longer than 2 s: left out unless asked for.
    basic : bool
        Belongs to the selection that shows every formulation at least once, and compiles little: what ``flexmbs
        verify`` runs where nothing is named.

    Raises
    ------
    ModelError
        For an empty text, an id of another form, or a ``run`` that cannot be called.

    Examples
    --------
    >>> from flexmbs.verification import Measured, Outcome, Reference, Tolerance, run_case
    >>> def run(progress):
    ...     return Outcome([Measured("area", "m^2", 3.14159, Reference(3.141592653589793, "Archimedes"),
    ...                              Tolerance(rtol=1e-5))])
    >>> case = Case("unit-disc", "Area of a disc", "geometry", "A disc of radius 1 m.", run, "Measurement of a Circle")
    >>> run_case(case).status
    'pass'
    """

    id: str
    title: str
    area: str
    summary: str
    run: Callable[[Progress], Outcome]
    source: str
    equations: Sequence[str] = ()
    limits: Sequence[str] = ()
    slow: bool = False
    basic: bool = False

    def __post_init__(self) -> None:
        owner = _check_heading(self)
        for name in ("summary", "source"):
            as_name(owner, name, getattr(self, name))
        if not callable(self.run):
            raise ModelError(f"{owner}: run must be a function run(progress) -> Outcome, not {show(self.run)}.")
        object.__setattr__(self, "equations", texts(owner, "equations", self.equations))
        object.__setattr__(self, "limits", texts(owner, "limits", self.limits))


@dataclass(frozen=True)
class CaseEntry:
    """The heading of a case, which names the case without importing it (`flexmbs.verification.collection`).

    ``target`` is ``"module:object"``; id, title, area, slow and basic are what the case says, and `load` checks that.

    Examples
    --------
    >>> CaseEntry("s99", "No such thing", "statics", "flexmbs.verification.cases.absent:CASE").load()
    Traceback (most recent call last):
        ...
    flexmbs.core.errors.ModelError: verification case 's99': there is no module flexmbs.verification.cases.absent.
    """

    id: str
    title: str
    area: str
    target: str
    slow: bool = False
    basic: bool = False

    def __post_init__(self) -> None:
        owner = _check_heading(self)
        module, _, name = as_name(owner, "target", self.target).partition(":")
        if not module or not name:
            raise ModelError(f"{owner}: target must be 'module:object', not {self.target!r}.")

    def load(self) -> Case:
        """The case itself; imports its module."""
        owner = f"verification case {self.id!r}"
        module_name, _, name = self.target.partition(":")
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            if error.name is None or not (module_name + ".").startswith(error.name + "."):
                raise
            raise ModelError(f"{owner}: there is no module {module_name}.") from None
        case = getattr(module, name, None)
        if not isinstance(case, Case):
            raise ModelError(f"{owner}: {self.target} must be a Case, not {show(case)}.")
        for attribute in ("id", "title", "area", "slow", "basic"):
            listed, own = getattr(self, attribute), getattr(case, attribute)
            if listed != own:
                raise ModelError(f"{owner}: the list gives its {attribute} as {listed!r}, the case as {own!r}.")
        return case


def _check_heading(case: Case | CaseEntry) -> str:
    """Check what a case and its list entry share; the owner for further messages."""
    if not isinstance(case.id, str) or not _ID.fullmatch(case.id):
        raise ModelError(
            f"verification case: id must be lower-case letters, digits and single hyphens such as 's01-tip-load', "
            f"not {show(case.id)}."
        )
    owner = f"verification case {case.id!r}"
    as_name(owner, "title", case.title)
    as_name(owner, "area", case.area)
    for name in ("slow", "basic"):
        if not isinstance(getattr(case, name), bool):
            raise ModelError(f"{owner}: {name} must be True or False, not {show(getattr(case, name))}.")
    if case.slow and case.basic:
        raise ModelError(f"{owner}: a case cannot be slow and basic.")
    return owner
