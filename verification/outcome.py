"""What running a case gives: quantities beside their references, convergence studies, tables, figures.

A measured value x passes against its reference r when ``|x - r| <= max(atol, rtol |r|)``; all errors and tolerances are
absolute and carry the unit of the quantity. A convergence study fits ``error = C h^p`` by least squares in logarithms.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flexmbs.core.checks import as_name, as_number, show
from flexmbs.core.errors import ModelError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ConvergenceStudy", "Measured", "Outcome", "Reference", "Table", "Tolerance", "texts"]

_LEAST_POINTS = 3
_SAFETY = 3.0


@dataclass(frozen=True)
class Reference:
    """A known number: value, where it comes from, and how far it may be off (absolute, same unit)."""

    value: float
    source: str
    uncertainty: float = 0.0

    def __post_init__(self) -> None:
        owner = "reference value"
        object.__setattr__(self, "value", as_number(owner, "value", self.value))
        as_name(owner, "source", self.source)
        object.__setattr__(self, "uncertainty", as_number(owner, "uncertainty", self.uncertainty, minimum=0.0))


@dataclass(frozen=True)
class Tolerance:
    """How far a measured value may be from its reference r: ``max(atol, rtol |r|)``, at least one of them positive."""

    rtol: float = 0.0
    atol: float = 0.0

    def __post_init__(self) -> None:
        for name in ("rtol", "atol"):
            object.__setattr__(self, name, as_number("tolerance", name, getattr(self, name), minimum=0.0))
        if self.rtol == 0.0 and self.atol == 0.0:
            raise ModelError("tolerance: give a positive rtol or atol; no computed number meets a tolerance of zero.")

    def bound(self, reference: float) -> float:
        """The absolute tolerance about ``reference``."""
        return max(self.atol, self.rtol * abs(reference))


@dataclass(frozen=True)
class Measured:
    """A computed number beside its reference.

    Parameters
    ----------
    name, unit : str
        What it is; ``"-"`` for a number without unit.
    value : float
        What was computed. A NaN or an infinity is a failure, not an error.
    reference : Reference
        What it should be.
    tolerance : Tolerance
        How far it may be off. It must be positive for this reference and more than three times the uncertainty of the
        reference: otherwise the comparison says nothing, and `problem` says so.

    Examples
    --------
    >>> tip = Measured("tip rotation", "rad", 0.4614, Reference(0.461351949711879, "elastica"), Tolerance(rtol=1e-4))
    >>> f"{tip.error:.1e} <= {tip.allowed:.1e}: {tip.passed}"
    '4.8e-05 <= 4.6e-05: False'
    """

    name: str
    unit: str
    value: float
    reference: Reference
    tolerance: Tolerance

    def __post_init__(self) -> None:
        owner = f"quantity {as_name('quantity', 'name', self.name)!r}"
        as_name(owner, "unit", self.unit)
        object.__setattr__(self, "value", _real(owner, "value", self.value))
        for attribute, kind in (("reference", Reference), ("tolerance", Tolerance)):
            if not isinstance(getattr(self, attribute), kind):
                value = show(getattr(self, attribute))
                raise ModelError(f"{owner}: {attribute} must be a {kind.__name__}(...), not {value}.")

    @property
    def error(self) -> float:
        """Distance from the reference, in the unit of the quantity."""
        return abs(self.value - self.reference.value)

    @property
    def allowed(self) -> float:
        """Largest error that passes, in the unit of the quantity."""
        return self.tolerance.bound(self.reference.value)

    @property
    def passed(self) -> bool:
        """Whether the error is within the tolerance (never for a NaN)."""
        return self.error <= self.allowed

    @property
    def unit_text(self) -> str:
        """The unit as it follows a number: with a space before it, or nothing."""
        return "" if self.unit == "-" else f" {self.unit}"

    @property
    def problem(self) -> str | None:
        """Why the comparison itself is void, or None."""
        if self.allowed == 0.0:
            return (
                f"quantity {self.name!r}: a relative tolerance about a reference of zero allows nothing; give an atol."
            )
        if self.reference.uncertainty >= self.allowed / _SAFETY:
            return (
                f"quantity {self.name!r}: reference too uncertain: {self.reference.uncertainty:.3g} must be less than "
                f"a third of the tolerance {self.allowed:.3g}."
            )
        return None


@dataclass(frozen=True)
class ConvergenceStudy:
    """Errors under refinement and the order they fall with.

    Parameters
    ----------
    name : str
        What converges.
    sizes : sequence of float
        Element sizes or step sizes, or with ``counts=True`` element or step counts; all positive and different.
    errors : sequence of float
        One error per size, of any one norm and unit.
    expected, minimum : float
        Order from theory; order below which the study fails.
    floor : float
        Errors at or below it are round-off (or the accuracy of the reference) and are not fitted.
    counts : bool
        ``sizes`` are counts: the order is that of the error against 1/count.
    label : str
        Axis label of ``sizes``.

    Notes
    -----
    The order is the least-squares slope through the usable points (finite, positive, above the floor). Fewer than three
    usable points give NaN, and the study fails.

    Examples
    --------
    >>> study = ConvergenceStudy("tip", [4, 8, 16, 32], [1e-2, 6.25e-4, 3.9e-5, 1e-15], 4, 3.8, counts=True)
    >>> round(study.rate, 2), study.passed
    (4.0, True)
    """

    name: str
    sizes: Sequence[float]
    errors: Sequence[float]
    expected: float
    minimum: float
    floor: float = 1e-13
    counts: bool = False
    label: str = ""

    def __post_init__(self) -> None:
        owner = f"convergence study {as_name('convergence study', 'name', self.name)!r}"
        sizes = tuple(as_number(owner, "each size", size, above=0.0) for size in self.sizes)
        errors = tuple(_real(owner, "each error", error) for error in self.errors)
        if len(sizes) != len(errors):
            raise ModelError(f"{owner}: there must be as many errors as sizes, not {len(errors)} and {len(sizes)}.")
        if len(set(sizes)) != len(sizes):
            raise ModelError(f"{owner}: the sizes must differ, not {show(sizes)}.")
        object.__setattr__(self, "sizes", sizes)
        object.__setattr__(self, "errors", errors)
        for name in ("expected", "minimum"):
            object.__setattr__(self, name, as_number(owner, name, getattr(self, name)))
        object.__setattr__(self, "floor", as_number(owner, "floor", self.floor, minimum=0.0))
        if not self.label:
            object.__setattr__(self, "label", "number of elements" if self.counts else "element size")

    @property
    def usable(self) -> tuple[bool, ...]:
        """For each point, whether it is fitted."""
        return tuple(math.isfinite(error) and error > self.floor for error in self.errors)

    @property
    def rate(self) -> float:
        """Measured order, NaN with fewer than three usable points."""
        points = [
            (-math.log(size) if self.counts else math.log(size), math.log(error))
            for size, error, used in zip(self.sizes, self.errors, self.usable, strict=True)
            if used
        ]
        if len(points) < _LEAST_POINTS:
            return math.nan
        x_mean = math.fsum(x for x, _ in points) / len(points)
        y_mean = math.fsum(y for _, y in points) / len(points)
        return math.fsum((x - x_mean) * (y - y_mean) for x, y in points) / math.fsum(
            (x - x_mean) ** 2 for x, _ in points
        )

    @property
    def passed(self) -> bool:
        """Whether the measured order reaches the minimum (never for a NaN)."""
        return self.rate >= self.minimum


@dataclass(frozen=True)
class Table:
    """A table of the report: title, column headings, rows of texts and numbers (numbers are shown with 6 digits)."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[object]]

    def __post_init__(self) -> None:
        owner = f"table {as_name('table', 'title', self.title)!r}"
        header = texts(owner, "header", self.header)
        rows = tuple(tuple(row) for row in self.rows)
        for number, row in enumerate(rows):
            if len(row) != len(header):
                raise ModelError(f"{owner}: row {number} must have {len(header)} entries, not {len(row)}.")
        object.__setattr__(self, "header", header)
        object.__setattr__(self, "rows", rows)


@dataclass(frozen=True)
class Outcome:
    """What running a case gave: measured quantities, convergence studies, and what the report shows beside them.

    ``figures`` are pairs (caption, matplotlib figure); ``remarks`` are sentences. The sequences may be lists.
    """

    quantities: Sequence[Measured] = ()
    convergence: Sequence[ConvergenceStudy] = ()
    tables: Sequence[Table] = ()
    figures: Sequence[tuple[str, Figure]] = field(default=())
    remarks: Sequence[str] = ()

    def __post_init__(self) -> None:
        kinds = {
            "quantities": Measured,
            "convergence": ConvergenceStudy,
            "tables": Table,
            "figures": tuple,
            "remarks": str,
        }
        for name, kind in kinds.items():
            given = getattr(self, name)
            values = () if isinstance(given, str) else tuple(given)
            if isinstance(given, str) or not all(isinstance(value, kind) for value in values):
                raise ModelError(f"outcome of a case: {name} must be a list of {kind.__name__}, not {show(given)}.")
            object.__setattr__(self, name, values)


def texts(owner: str, name: str, values: Any) -> tuple[str, ...]:
    """A tuple of non-empty strings, from a sequence of them (not from one string)."""
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise ModelError(f"{owner}: {name} must be a list of strings, not {show(values)}.")
    return tuple(as_name(owner, f"each of {name}", value) for value in values)


def _real(owner: str, name: str, value: Any) -> float:
    """A real number, possibly NaN or infinite; NumPy scalars and arrays of one entry included."""
    if hasattr(value, "ndim") and value.size == 1:
        value = value.reshape(()).item()
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ModelError(f"{owner}: {name} must be a real number, not {show(value)}.")
    return float(value)
