"""One run of a study as a job that never raises, and what came of it as a line of text."""

from __future__ import annotations

import base64
import hashlib
import json
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from flexmbs.analysis.interruption import time_limit
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.integrators.compiled.choice import runs_alike
from flexmbs.results.status import Status
from flexmbs.studies.family import Family, in_words, told
from flexmbs.studies.jobs import Analysis
from flexmbs.studies.measures import History, Measure
from flexmbs.studies.parameters import Value
from flexmbs.system.layout import Layouts, layouts_kept

__all__ = ["Ended", "Job", "Outcome", "Plan", "key_of", "perform"]


class Ended(IntEnum):
    """How a run ended."""

    DONE = 0
    """Done, or stopped by an event."""
    INVALID = 1
    """The family has no model for these values."""
    FAILED = 2
    """The analysis failed; histories are kept up to there."""
    UNMEASURED = 3
    """The analysis succeeded, but a measure did not."""
    TIMED_OUT = 4
    """It took longer than allowed; histories are kept up to there."""
    KILLED = 5
    """The process that ran it died, twice."""
    MISSING = 6
    """Not run yet."""


@dataclass(frozen=True, eq=False)
class Plan:
    """What all runs of a study have in common: what to do with the models of a family.

    ``alike``: number of runs, which tells whether compiling their steps pays. It remembers what does not depend on
    numbers (`layouts`) for as long as its process runs jobs of it.
    """

    family: Family
    analysis: Analysis
    measures: tuple[Measure | History, ...]
    time_limit: float | None = None
    alike: int = 1
    layouts: Layouts = field(default_factory=Layouts, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return Plan, (self.family, self.analysis, self.measures, self.time_limit, self.alike)

    def functions(self) -> Sequence[Any]:
        """Functions of the user."""
        items = (getattr(m, "value", None) or getattr(m, "values", None) for m in self.measures)
        of_analysis = (value for value in vars(self.analysis).values() if callable(value))
        return [getattr(f, "func", f) for f in (self.family.builder, *items, *of_analysis)]


@dataclass(frozen=True, eq=False)
class Job:
    """One run: values, and the plan of its study."""

    index: int
    values: dict[str, Value]
    shared: Plan

    def run(self) -> Outcome:
        """What came of it."""
        return perform(self)

    def killed(self, message: str) -> Outcome:
        """Nothing came of it."""
        return Outcome(key_of(self.values), self.values, Ended.KILLED, message)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of one run.

    ``key``: digest of the values; ``numbers``: by name of the measure, NaN where there is none; ``histories``: by name,
    beside ``"at"``, the times or load factors.
    """

    key: str
    values: dict[str, Value]
    ended: Ended
    message: str = ""
    seconds: float = 0.0
    numbers: dict[str, float] = field(default_factory=dict)
    histories: dict[str, FloatArray] = field(default_factory=dict)
    warned: tuple[str, ...] = ()

    def line(self) -> str:
        """As one line of text; every number comes back to the last bit."""
        arrays = {name: base64.b64encode(a.astype("<f8").tobytes()).decode() for name, a in self.histories.items()}
        plain = {
            "key": self.key, "values": self.values, "ended": self.ended.name, "message": self.message,
            "seconds": self.seconds, "numbers": self.numbers, "histories": arrays, "warned": self.warned,
        }  # fmt: skip
        return json.dumps(plain)

    @classmethod
    def of_line(cls, line: str) -> Outcome:
        """From a line of text.

        Raises
        ------
        ValueError
            If it is none, such as the half of one.
        """
        plain = json.loads(line)
        try:
            arrays = {
                name: np.frombuffer(base64.b64decode(text, validate=True), "<f8").astype(np.float64)
                for name, text in plain["histories"].items()
            }
            return cls(
                plain["key"], plain["values"], Ended[plain["ended"]], plain["message"], plain["seconds"],
                plain["numbers"], arrays, tuple(plain["warned"]),
            )  # fmt: skip
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("no outcome") from error


_SORTED = json.JSONEncoder(sort_keys=True)


def key_of(values: Mapping[str, Value]) -> str:
    """Digest of values, by which a run is found again."""
    text = _SORTED.encode({k: v if isinstance(v, str) else float(v) for k, v in values.items()})
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def perform(job: Job) -> Outcome:
    """Make the model, analyse it, measure it; whatever happens, there is an outcome."""
    began = time.perf_counter()
    seen: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ended, message, numbers, histories = _performed(job)
    for warning in caught:
        text = f"{warning.category.__name__}: {warning.message}"
        if text not in seen:
            seen.append(text)
    nothing = {m.name: float("nan") for m in job.shared.measures if isinstance(m, Measure)}
    return Outcome(
        key_of(job.values), job.values, ended, message, time.perf_counter() - began, nothing | numbers, histories,
        tuple(seen),
    )  # fmt: skip


def _performed(job: Job) -> tuple[Ended, str, dict[str, float], dict[str, FloatArray]]:
    """How a run ended, and what was read off."""
    numbers: dict[str, float] = {}
    histories: dict[str, FloatArray] = {}
    plan = job.shared
    began = time.monotonic()
    limit = np.inf if plan.time_limit is None else plan.time_limit
    try:
        model = plan.family.model(**job.values)
    except FlexmbsError as error:
        return Ended.INVALID, told(error), numbers, histories
    if time.monotonic() - began > limit:
        text = (
            f"the builder took {time.monotonic() - began:.3g} s, longer than the {limit:g} s allowed for all of a run."
        )
        return Ended.TIMED_OUT, text, numbers, histories
    try:
        plan.family.check_again(model, job.values)
    except Exception as error:  # noqa: BLE001  a run must not end its study
        return Ended.INVALID, str(error), numbers, histories
    late = time.monotonic() + limit
    try:
        with time_limit(plan.time_limit), runs_alike(plan.alike), layouts_kept(plan.layouts):
            result = plan.analysis.perform(model)
    except ModelError as error:
        return Ended.INVALID, f"{error} Values: {in_words(job.values)}.", numbers, histories
    except Exception as error:  # noqa: BLE001  a run must not end its study
        return Ended.FAILED, f"{type(error).__name__}: {error}", numbers, histories
    status = getattr(result, "status", Status.DONE)
    failed = status not in (Status.DONE, Status.STOPPED)
    message = f"{status.name}: {getattr(result, 'message', '') or status.value}" if failed else ""
    ended = Ended.FAILED if failed else Ended.DONE
    if status is Status.INTERRUPTED:
        if time.monotonic() < late:  # by Ctrl-C
            raise KeyboardInterrupt
        ended, message = Ended.TIMED_OUT, f"took longer than the {plan.time_limit:g} s allowed: {result.message}"
    try:
        at = plan.analysis.places(result)
        for measure in plan.measures:
            if isinstance(measure, History):
                histories["at"] = at
                histories[measure.name] = measure.of(result, len(at))
            elif not failed:
                numbers[measure.name] = measure.of(result)
    except Exception as error:  # noqa: BLE001
        text = f"measure {measure.name!r}: {type(error).__name__}: {error}" if plan.measures else str(error)
        return (ended if failed else Ended.UNMEASURED), f"{message} {text}".strip(), numbers, histories
    wrong = [name for name, number in numbers.items() if not np.isfinite(number)]
    if wrong:
        return Ended.UNMEASURED, f"measure {', '.join(wrong)} is not a finite number.", numbers, histories
    return ended, message, numbers, histories
