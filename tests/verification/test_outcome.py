"""Quantities, tolerances and orders of convergence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flexmbs.core.errors import ModelError
from flexmbs.verification import Case, CaseEntry, ConvergenceStudy, Measured, Outcome, Reference, Table, Tolerance


def measured(value: float, reference: float = 2.0, uncertainty: float = 0.0, **tolerance: float) -> Measured:
    return Measured("x", "m", value, Reference(reference, "known", uncertainty), Tolerance(**tolerance))


def test_error_and_tolerance_are_absolute() -> None:
    quantity = measured(-4.1, -4.0, rtol=0.05)
    assert quantity.error == pytest.approx(0.1)
    assert quantity.allowed == pytest.approx(0.2)
    assert quantity.passed
    assert quantity.problem is None


def test_larger_of_the_two_tolerances_holds() -> None:
    assert measured(2.1, rtol=0.01, atol=0.2).passed
    assert measured(2.1, rtol=0.1, atol=0.01).passed
    assert not measured(2.1, rtol=0.01, atol=0.01).passed


def test_error_equal_to_the_tolerance_passes() -> None:
    assert measured(2.5, atol=0.5).passed


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_a_number_fails(value: float) -> None:
    assert not measured(value, atol=1e300).passed


@pytest.mark.parametrize("value", [np.float64(2.0), np.array(2.0), np.array([[2.0]]), 2])
def test_numpy_scalars_become_floats(value: float) -> None:
    assert type(measured(value, atol=1e-3).value) is float


def test_reference_must_be_three_times_better_than_the_tolerance() -> None:
    assert measured(2.0, uncertainty=0.9e-3, atol=3e-3).problem is None
    problem = measured(2.0, uncertainty=1e-3, atol=3e-3).problem
    assert problem is not None
    assert "'x'" in problem
    assert "too uncertain" in problem


def test_relative_tolerance_about_zero_is_a_problem() -> None:
    problem = measured(0.0, 0.0, rtol=1e-3).problem
    assert problem is not None
    assert "atol" in problem


@given(
    order=st.floats(0.5, 8.0),
    constant=st.floats(1e-3, 1e3),
    sizes=st.lists(st.floats(1e-3, 1.0), min_size=3, max_size=8, unique_by=lambda h: round(math.log(h), 1)),
)
def test_power_law_gives_its_exponent(order: float, constant: float, sizes: list[float]) -> None:
    errors = [constant * h**order for h in sizes]
    study = ConvergenceStudy("x", sizes, errors, order, order - 0.01, floor=0.0)
    assert study.rate == pytest.approx(order, rel=1e-6)
    counted = ConvergenceStudy("x", [1 / h for h in sizes], errors, order, order - 0.01, floor=0.0, counts=True)
    assert counted.rate == pytest.approx(order, rel=1e-6)
    assert study.passed
    assert counted.passed


def test_points_at_round_off_are_not_fitted() -> None:
    study = ConvergenceStudy("x", [1, 2, 4, 8, 16], [1.0, 1 / 4, 1 / 16, 1e-14, math.nan], 2, 1.9, counts=True)
    assert study.usable == (True, True, True, False, False)
    assert study.rate == pytest.approx(2.0)


def test_two_points_are_not_enough() -> None:
    study = ConvergenceStudy("x", [1, 2, 4], [1.0, 1 / 4, 0.0], 2, 1.9, counts=True)
    assert math.isnan(study.rate)
    assert not study.passed


def test_rate_below_the_minimum_fails() -> None:
    assert not ConvergenceStudy("x", [1, 2, 4], [1.0, 0.5, 0.25], 2, 1.9, counts=True).passed


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (Tolerance, "positive rtol or atol"),
        (lambda: Tolerance(rtol=-1e-3), "at least 0"),
        (lambda: Tolerance(atol=math.nan), "finite"),
        (lambda: Reference(math.nan, "known"), "finite"),
        (lambda: Reference(1.0, ""), "non-empty"),
        (lambda: Reference(1.0, "known", -1.0), "at least 0"),
        (lambda: Measured("", "m", 1.0, Reference(1, "s"), Tolerance(1)), "non-empty"),
        (lambda: Measured("x", "m", "1", Reference(1, "s"), Tolerance(1)), "real number, not '1'"),  # type: ignore[arg-type]
        (lambda: Measured("x", "m", [1.0, 2.0], Reference(1, "s"), Tolerance(1)), "real number"),  # type: ignore[arg-type]
        (lambda: Measured("x", "m", 1.0, 1.0, Tolerance(1)), r"Reference\(...\)"),  # type: ignore[arg-type]
        (lambda: Measured("x", "m", 1.0, Reference(1, "s"), 1e-3), r"Tolerance\(...\)"),  # type: ignore[arg-type]
        (lambda: ConvergenceStudy("x", [1, 2], [1.0], 2, 1), "as many errors as sizes"),
        (lambda: ConvergenceStudy("x", [1, 1], [1.0, 1.0], 2, 1), "must differ"),
        (lambda: ConvergenceStudy("x", [0, 1], [1.0, 1.0], 2, 1), "greater than 0"),
        (lambda: ConvergenceStudy("x", [1], [1.0], math.nan, 1), "finite"),
        (lambda: Table("t", ("a", "b"), [(1, 2), (3,)]), "row 1 must have 2 entries, not 1"),
        (lambda: Table("t", "ab", []), "list of strings"),
        (lambda: Outcome([1.0]), "list of Measured"),  # type: ignore[list-item]
        (lambda: Outcome(remarks="one"), "list of str"),
        (lambda: Case("S 1", "t", "a", "s", print, "c"), "lower-case"),  # type: ignore[arg-type]
        (lambda: Case("s1", "t", "a", "s", 3, "c"), "run must be a function"),  # type: ignore[arg-type]
        (lambda: Case("s1", "t", "a", "", print, "c"), "summary"),  # type: ignore[arg-type]
        (lambda: Case("s1", "t", "a", "s", print, "c", equations="x=1"), "list of strings"),  # type: ignore[arg-type]
        (lambda: CaseEntry("s1", "t", "a", "module"), "'module:object'"),
        (lambda: CaseEntry("s1", "t", "a", "m:o", slow=1), "True or False"),  # type: ignore[arg-type]
        (lambda: CaseEntry("s1", "t", "a", "m:o", basic="yes"), "True or False"),  # type: ignore[arg-type]
        (lambda: CaseEntry("s1", "t", "a", "m:o", slow=True, basic=True), "slow and basic"),
    ],
)
def test_bad_descriptions_are_refused(make, expected: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ModelError, match=expected):
        make()
