"""Names that matplotlib would take for something else stand in pictures as they are."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import matplotlib
import pytest

import flexmbs as fx

matplotlib.use("Agg")
MATHS = "arm_$1_$2"
"""Two dollar signs with what is no mathematics between them."""


def run(first: str, second: str, model: str = "model", speed: float = 1.0) -> Any:
    a = fx.PointMass(1.0, position=(0, 0, 0), velocity=(speed, 0, 0), name=first)
    b = fx.PointMass(1.0, position=(0, 1, 0), name=second)
    hold = fx.Bushing(fx.ground.marker((0, 0, 0)), a, stiffness=(3.0, 3.0, 3.0), name="soft")
    return fx.simulate(fx.Model(a, b, hold, name=model), until=0.1, step=0.05)


def study(x: str) -> Any:
    st = fx.studies
    family = st.Family(lambda **given: fx.Model(fx.PointMass(1.0, position=(given[x], 0, 0), name="b")), **{
        x: st.Between(0.0, 1.0), "other": st.Between(0.0, 1.0)})  # fmt: skip
    measure = st.Measure(f"m of {x}", lambda r: r.position("b")[-1, 0])
    return st.Study(family, st.Grid(**{x: 2, "other": 2}), measure, st.Simulation(until=0.0)).run(progress=False)


def pictures(name: str) -> dict[str, Callable[[], Any]]:
    found = run(name, "b", name)
    return {
        "plot": lambda: found.plot((name, "velocity")),
        "plot_shape": lambda: found.plot_shape(step=-1),
        "plot_energy": found.plot_energy,
        "plot_steps": lambda: found.plot_steps()[0],
        "topology": lambda: fx.topology(found.model).plot(),
        "mode": lambda: fx.solve_modal(run(name, "b", name, speed=0.0).model).plot(0),
        "study": lambda: study(name).plot(f"m of {name}"),
        "matrix": lambda: study(name).plot_matrix().axes[0],
    }


@pytest.mark.parametrize(
    "what", ["plot", "plot_shape", "plot_energy", "plot_steps", "topology", "mode", "study", "matrix"]
)
def test_dollar_signs_are_no_mathematics(what: str) -> None:
    axes = pictures(MATHS)[what]()
    with io.BytesIO() as file:
        axes.figure.savefig(file)  # what cannot be typeset ends in an error of matplotlib here
    texts = [text for text in axes.figure.findobj(matplotlib.text.Text) if "arm" in text.get_text()]
    assert texts
    for text in texts:
        shown, maths = text._preprocess_math(text.get_text())
        assert not maths
        assert MATHS in shown


def test_names_with_an_underscore_in_front_are_in_the_legend() -> None:
    axes = run("_left", "right").plot(("_left", "velocity"), ("right", "velocity"))
    found = [text.get_text().strip() for text in axes.get_legend().get_texts()]
    assert len(found) == len(axes.lines) == 6
    assert [name.startswith("_left") for name in found] == [True] * 3 + [False] * 3


def test_given_titles_may_be_mathematics() -> None:
    axes = run("a", "b").plot(("a", "velocity"), title=r"$\omega$")
    assert axes.get_title() == r"$\omega$"
