"""The comparison of schemes: errors that are known beforehand, refusals with their reasons, costs, files."""

from __future__ import annotations

import io
import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.cli.main import main
from flexmbs.core.errors import ModelError
from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.work_precision.bench import effort, pick_problems, pick_schemes, run_bench
from flexmbs.verification.work_precision.measure import Curve, Effort, Run, levels, measure
from flexmbs.verification.work_precision.pictures import diagram
from flexmbs.verification.work_precision.problems import PROBLEMS, Problem, Ready
from flexmbs.verification.work_precision.ranking import cost, recommended
from flexmbs.verification.work_precision.schemes import SCHEMES, Scheme
from flexmbs.verification.work_precision.tables import problem_table, recommendation
from flexmbs.verification.work_precision.terminal import report

RATE, UNTIL = 2.0, 1.0
TRAPEZOIDAL = Scheme("trapezoidal", "trapezoidal", fx.GeneralizedAlpha.newmark(), ("step",))


def oscillator(exact: Callable[[np.ndarray], np.ndarray], **changes: Any) -> Problem:
    """A mass of 1 kg on a spring, released at x = 1 m."""

    def make(until: float) -> Ready:
        ball = fx.PointMass(1.0, position=(1.0, 0.0), name="ball")
        guide = fx.CoordinateJoint(ball, "y", name="guide")
        spring = fx.SpringDamper(fx.CoordinateMarker(ball, "x"), fx.ground.marker((-1.0, 0, 0)), stiffness=RATE**2,
                                 free_length=1.0, name="spring")  # fmt: skip
        system = fx.compile_model(fx.Model(ball, guide, spring))
        return Ready(system, lambda run: run.position(ball)[:, :1], lambda t: exact(t)[:, None])

    problem = Problem("mass", "Mass on a spring", "smooth", make, UNTIL, 0.1, "x", "cosine", 1e-13, True)
    return replace(problem, **changes)


GOOD = fx.GeneralizedAlpha()


@dataclass(frozen=True)
class Broken:
    """A scheme that goes wrong in a chosen way."""

    how: str
    scheme: fx.GeneralizedAlpha = GOOD

    def __getattr__(self, name: str) -> Any:
        return getattr(self.scheme, name)

    def check(self, dynamics: Any, redundant: tuple[str, ...]) -> None:
        if self.how == "refuses":
            raise ModelError("Broken: joint 'guide' is not for this scheme; take another one.")

    def start(self, *arguments: Any) -> Any:
        return self.scheme.start(*arguments)

    def stepper(self, dynamics: Any, tolerance: float) -> Any:
        inner = self.scheme.stepper(dynamics, tolerance)
        step = inner.step

        def slow(state: Any, h: float) -> Any:
            if self.how == "raises" and state.t > 0.5:
                raise RuntimeError("out of luck")
            end = time.process_time() + (0.1 if self.how == "dawdles" and h > 0.01 else 0.0)
            while time.process_time() < end:
                pass
            return step(state, h)

        inner.step = slow
        return inner


def trapezoidal(h: float) -> np.ndarray:
    """Positions by the trapezoidal rule, started with the acceleration that a step can follow."""
    w2 = RATE**2
    x, v, a, found = 1.0, 0.0, -w2 / (1.0 + w2 * h * h / 4.0), [1.0]
    for _ in range(round(UNTIL / h)):
        new = -w2 * (x + h * v + h * h / 4.0 * a) / (1.0 + w2 * h * h / 4.0)
        x, v, a = x + h * v + h * h / 4.0 * (a + new), v + h / 2.0 * (a + new), new
        found.append(x)
    return np.array(found)


def test_errors_of_the_trapezoidal_rule_are_those_of_its_recursion() -> None:
    problem = oscillator(lambda t: np.cos(RATE * t))
    curve = measure(problem, TRAPEZOIDAL, "step", Effort(seconds=20.0, most=4))
    assert len(curve.points) == 4
    for run in curve.runs:
        t = run.level * np.arange(round(UNTIL / run.level) + 1)
        assert run.error == pytest.approx(np.abs(trapezoidal(run.level) - np.cos(RATE * t)).max(), rel=1e-6)
        assert run.steps == len(t) - 1
        assert run.evaluations >= run.steps
        assert run.gap == pytest.approx(0.0, abs=1e-12)
    drifts = [run.drift for run in curve.runs if run.drift is not None]
    assert drifts[0] / drifts[-1] == pytest.approx(8.0**4, rel=0.1)  # from a(0) alone, off by h^2: x is off by h^4


def test_an_error_put_into_the_reference_is_found() -> None:
    curve = measure(oscillator(lambda t: np.cos(RATE * t) + 0.25 * t / UNTIL), TRAPEZOIDAL, "step", Effort(5.0, 3, 2))
    assert curve.runs[-1].error == pytest.approx(0.25, rel=1e-2)


def test_it_ends_at_the_accuracy_of_the_reference() -> None:
    problem = oscillator(lambda t: np.cos(RATE * t), accuracy=1e-4)
    curve = measure(problem, TRAPEZOIDAL, "step", Effort(5.0))
    assert curve.ended == "as accurate as the reference"
    assert [run.error < 3e-4 for run in curve.points] == [False] * (len(curve.runs) - 1) + [True]


def test_refusals_and_failures_are_shown_with_their_reasons() -> None:
    problem = oscillator(lambda t: np.cos(RATE * t))
    schemes = [TRAPEZOIDAL, *(Scheme(how, how, Broken(how), ("step",)) for how in ("refuses", "raises", "dawdles"))]
    bench = run_bench([problem], [], apart=False)
    bench = replace(bench, curves=tuple(measure(problem, s, "step", Effort(0.1, 1, 2)) for s in schemes))
    rows = {row[0]: row[-1] for row in problem_table(bench, problem).rows}
    assert "joint 'guide' is not for this scheme; take another one" in str(rows["refuses"])
    assert "RuntimeError: out of luck" in str(rows["raises"])
    assert "not done after 0.2 s" in str(rows["dawdles"])
    assert all(run.error is None for curve in bench.curves[1:] for run in curve.runs)
    assert len(diagram(problem, bench.curves).axes) == 2


def test_an_accurate_first_run_is_followed_by_coarser_ones() -> None:
    """A free fall is exact with any step."""

    def make(until: float) -> Ready:
        ball = fx.PointMass(1.0, position=(0.0, 0.0), velocity=(1.0, 0.0), name="ball")
        system = fx.compile_model(fx.Model(ball, fx.Gravity((0.0, -2.0))))
        off = 1e-6  # of the reference
        return Ready(system, lambda run: run.position(ball)[:, :2], lambda t: np.column_stack([t, off - t * t]))

    problem = Problem("fall", "Free fall", "smooth", make, 1.0, 1.0 / 64.0, "x, y", "parabola", 1e-6, True)
    curve = measure(problem, TRAPEZOIDAL, "step", Effort(5.0))
    assert [run.level for run in curve.runs] == [0.125, 0.0625, 0.03125, 0.015625]
    assert [run.error for run in curve.runs] == pytest.approx([1e-6] * 4, rel=1e-6)
    assert curve.ended == "as accurate as the reference"


def scheme_of_a_step(step: float) -> fx.GeneralizedAlpha:
    return fx.GeneralizedAlpha(rho_inf=0.5 if step == 0.1 else 0.9)


def test_a_scheme_may_depend_on_the_coarsest_step() -> None:
    scheme = Scheme("own", "own", scheme_of_a_step)
    assert (scheme.on(0.1).rho_inf, scheme.on(0.2).rho_inf, TRAPEZOIDAL.on(0.1).rho_inf) == (0.5, 0.9, 0.999)


def made(errors: list[float], seconds: list[float], scheme: str = "s", problem: str = "p") -> Curve:
    runs = tuple(Run(e, e, s, 1, round(1000 * s)) for e, s in zip(errors, seconds, strict=True))
    return Curve(problem, scheme, scheme, "step", runs)


def test_cost_lies_between_two_runs() -> None:
    second_order = made([1e-2, 1e-4], [1.0, 10.0])
    found = cost(second_order, 1e-3)
    assert found is not None
    assert (found.seconds, found.kind) == (pytest.approx(math.sqrt(10.0)), "between runs")
    assert found.evaluations == pytest.approx(1000.0 * math.sqrt(10.0))
    bound = cost(second_order, 0.1)
    assert bound is not None
    assert (bound.seconds, bound.mark) == (1.0, "<")
    beyond = cost(second_order, 1e-5)
    assert beyond is not None
    assert (beyond.seconds, beyond.mark) == (pytest.approx(10.0 * math.sqrt(10.0)), "~")
    assert cost(second_order, 1e-6) is None
    assert cost(made([1e-2], [1.0]), 1e-3) is None
    assert cost(made([1e-2, 9.9e-3], [1.0, 2.0]), 5e-3) is None  # it does not converge
    assert cost(Curve("p", "s", "s", "step", refused="no"), 1e-3) is None


def test_recommended_is_the_least_geometric_mean() -> None:
    first = oscillator(np.cos, id="one")
    problems = [first, replace(first, id="two")]
    bench = replace(run_bench(problems, [], apart=False), curves=(
        made([1e-2, 1e-4], [1.0, 1.0], "a", "one"), made([1e-2, 1e-4], [8.0, 8.0], "a", "two"),
        made([1e-2, 1e-4], [2.0, 2.0], "b", "one"), made([1e-2, 1e-4], [2.0, 2.0], "b", "two"),
        made([1e-2, 1e-4], [0.1, 0.1], "c", "one"),
    ))  # fmt: skip
    places = recommended(bench, "smooth", 1e-3)  # by the best: a 10 and 4, b 20 and 1; c is missing on a problem
    assert [(p.title, p.ratio) for p in places] == [("b", pytest.approx(20**0.5)), ("a", pytest.approx(40**0.5))]
    rows = {row[1]: row for row in recommendation(bench).rows}
    assert str(rows["0.001"][2]).startswith("b,")
    assert str(rows["0.001"][3]).startswith("1.4 a")
    assert rows["1e-06"][2] == "none reaches it"


def test_files_and_interruption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = oscillator(lambda t: np.cos(RATE * t))
    schemes = [
        TRAPEZOIDAL,
        Scheme("refuses", "it <refuses>", Broken("refuses"), ("step",)),
        replace(TRAPEZOIDAL, id="last"),
    ]
    stream = io.StringIO()

    def stop(*given: Any) -> Curve:
        if given[1].id == "last":
            raise KeyboardInterrupt
        return measure(*given)

    monkeypatch.setattr("flexmbs.verification.work_precision.bench.measure", stop)
    bench = report([problem], schemes, tmp_path, quick=True, jobs=1, stream=stream, apart=False)
    assert bench.interrupted
    assert [curve.scheme for curve in bench.curves] == ["trapezoidal", "refuses"]
    stored = json.loads((tmp_path / "bench.json").read_text())
    assert [curve["refused"] != "" for curve in stored["curves"]] == [False, True]
    assert stored["interrupted"]
    assert stored["curves"][0]["runs"][0]["error"] > 0.0
    page = (tmp_path / "index.html").read_text()
    assert "Mass on a spring" in page
    assert "<svg" in page
    assert "it &lt;refuses&gt;" in page
    assert "interrupted" in stream.getvalue()


@pytest.mark.parametrize("id_", ["slider-crank", "governor", "squeezer"])
def test_references_are_those_stored(id_: str) -> None:
    exact = next(p for p in PROBLEMS if p.id == id_).ready().exact
    if id_ == "slider-crank":
        stored = load_reference("d13")
        for t in (0.1, 0.2, 0.5, 1.0):
            x = stored.value(f"rod inertia (4e-4,4e-3,4e-3), x along rod: t={t:g} s slider position x")
            assert exact(np.array([t]))[0, 3] * 0.1 == pytest.approx(x, abs=1e-10)
    elif id_ == "governor":
        for t in (0.1, 0.5, 1.0):
            s = load_reference("d15").value(f"t={t:g} s slider height s")
            assert exact(np.array([t]))[0, 0] == pytest.approx(s, abs=1e-9)
    else:
        beta = load_reference("d12").value("t=0.03 s angles, computed", 0)
        assert exact(np.array([0.03]))[0, 0] == pytest.approx(beta, abs=1e-9)


def test_tables_are_sound() -> None:
    assert len({s.id for s in SCHEMES}) == len({s.title for s in SCHEMES}) == len(SCHEMES)
    assert len({p.id for p in PROBLEMS}) == len(PROBLEMS)
    assert {p.kind for p in pick_problems((), quick=True)} == {p.kind for p in PROBLEMS}
    assert len(pick_problems((), quick=True)) == len({p.kind for p in PROBLEMS})
    assert [s.id for s in pick_schemes(["hht"])] == ["hht"]
    assert effort(1).seconds <= 3.0
    assert effort(100).seconds * 100 == pytest.approx(240.0)
    assert levels(PROBLEMS[0], "step", Effort(1.0, 2, 3)) == [PROBLEMS[0].step / 4**k for k in range(3)]


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "integrators", "--problem", "no-such"]) == 2
    assert "no-such" in capsys.readouterr().err
    assert main(["bench", "integrators", "--list"]) == 0
    listed = capsys.readouterr().out
    assert all(entry.id in listed for entry in (*PROBLEMS, *SCHEMES))
    chosen = ["--problem", "bushings", "--scheme", "alpha-2", "--quick", "--out", str(tmp_path)]
    assert main(["bench", "integrators", *chosen]) == 0
    stored = json.loads((tmp_path / "bench.json").read_text())
    assert [curve["control"] for curve in stored["curves"]] == ["tolerance"]
    assert not stored["interrupted"]
