"""The decisions of one implicit step, on increments that are given: when it ends, how, and with which matrices."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import ModuleType

import pytest

from flexmbs.integrators.compiled import explicit_stages, inline, newton_step
from flexmbs.integrators.contracts import StepStatus
from flexmbs.integrators.implicit_step import ENDS, advance


class Given:
    """A step whose increments and violations are known beforehand."""

    def __init__(self, sizes: Sequence[float], gaps: Sequence[float] = (), **settings: object) -> None:
        self.sizes, self.gaps, self.calls = list(sizes), list(gaps), ""
        self.most, self.renew, self.full, self.exact = 10, True, False, False
        self.allowed, self.floor, self.noise, self.far = 1e-6, 1e-15, 1e-12, 1e3
        self.closed, self.met = 1e-9, 1e-7
        self.rates, self.turns, self.still, self.refused = True, False, True, False
        for name, value in settings.items():
            setattr(self, name, value)

    def linearise(self) -> bool:
        self.calls += "M"
        return self.refused

    def evaluate(self) -> bool:
        self.calls += "r"
        return self.refused

    def violation(self) -> float:
        return self.gaps.pop(0) if self.gaps else 0.0

    def correct(self) -> float:
        return self.sizes.pop(0)

    def rates_met(self) -> bool:
        return self.rates

    def turned(self) -> bool:
        return self.turns

    def settled(self) -> bool:
        return self.still


def ended(step: Given) -> tuple[StepStatus, int, str]:
    end, number = advance(step)
    return ENDS[end], number, step.calls


def test_the_error_left_is_judged_by_the_rate_of_this_step() -> None:
    """With d = 1e-4 after 1e-2 the rate is 0.01 and d p / (1 - p) = 1.01e-6."""
    assert ended(Given([1e-2, 1e-4, 1e-6])) == (StepStatus.DONE, 3, "Mrr")
    assert ended(Given([1e-2, 1e-4], allowed=1.1e-6)) == (StepStatus.DONE, 2, "Mr")


def test_a_small_first_increment_tells_no_rate() -> None:
    assert ended(Given([1e-9, 1e-12])) == (StepStatus.DONE, 2, "Mr")
    assert ended(Given([1e-16])) == (StepStatus.DONE, 1, "M")  # round-off does


def test_an_exact_matrix_squares_the_error() -> None:
    """d p^2 = 1e-8 against d p / (1 - p) = 1e-6."""
    assert ended(Given([1e-2, 1e-4], allowed=2e-8, exact=True, full=True)) == (StepStatus.DONE, 2, "MM")


def test_slow_convergence_makes_the_matrix_anew() -> None:
    assert ended(Given([1e-2, 5e-3, 1e-6, 1e-10])) == (StepStatus.DONE, 3, "MrM")
    assert ended(Given([1e-2, 1e-4, 1e-6], renew=False)) == (StepStatus.DONE, 3, "rrr")


def test_round_off_that_has_stopped_falling_is_convergence() -> None:
    assert ended(Given([1e-2, 9e-13, 8e-13], allowed=0.0)) == (StepStatus.DONE, 3, "Mrr")


def test_violated_constraints_keep_the_iteration_going() -> None:
    assert ended(Given([1e-2, 1e-5, 1e-8], [1.0, 1e-8, 1e-12])) == (StepStatus.DONE, 3, "Mrr")
    assert ended(Given([1e-16] * 10, [1e-6] * 10))[0] is StepStatus.SLOW


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (Given([1e4]), (StepStatus.DIVERGED, 1)),
        (Given([float("nan")]), (StepStatus.DIVERGED, 1)),
        (Given([1e-4, 3e-4, 9e-4, 27e-4, 81e-4]), (StepStatus.DIVERGED, 5)),
        (Given([1e-2] * 10), (StepStatus.SLOW, 10)),
        (Given([1e-2, 1e-5], turns=True), (StepStatus.TURNED, 2)),
        (Given([1e-2, 1e-5] + [1e-16] * 8, rates=False), (StepStatus.SLOW, 10)),
        (Given([1e-2, 1e-5] + [1e-16] * 8, still=False), (StepStatus.SLOW, 10)),
        (Given([], refused=True), (StepStatus.REFUSED, 1)),
    ],
)
def test_how_a_step_fails(step: Given, expected: tuple[StepStatus, int]) -> None:
    assert ended(step)[:2] == expected


@pytest.mark.parametrize(
    ("module", "lines"),
    [
        (newton_step, ("for number in range(1, most + 1)", "refused = tangent(", "renew = number > 1 and rate > 0.3")),
        (explicit_stages, ("for number in range(1, stages + 1)", "refused = residual(", "if not error < 1.0:")),
    ],
    ids=["implicit", "explicit"],
)
def test_compiled_steps_are_this_text_with_their_operations(module: ModuleType, lines: tuple[str, ...]) -> None:
    """Without controllers, constraints and masses that change, of which the text then has nothing."""
    text = ast.unparse(ast.fix_missing_locations(inline.steps(module, frozenset())))
    assert "step." not in text
    assert "_step" not in text
    for line in lines:
        assert text.count(line) == 1
    for name in ("samples", "constrained", "moves", "factors"):
        assert f"c.{name}" not in text
