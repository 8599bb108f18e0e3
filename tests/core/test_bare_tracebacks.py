"""What no description can mean is refused by an error of the package, whatever it is: ragged lists, words, arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import matplotlib
import numpy as np
import pytest
import scipy.sparse as sp

import flexmbs as fx
from flexmbs.core.checks import as_counts, as_names, as_path, shape_of
from flexmbs.linear.operators import DofMap

matplotlib.use("Agg")
RAGGED: Any = [1, [2]]
BOX = {"size": (1, 1, 1), "mass": 1.0, "name": "q"}


def body() -> fx.RigidBody:
    return fx.RigidBody.box(**BOX)  # type: ignore[arg-type]


def beam(**given: Any) -> Any:
    return fx.BeamStiffness(**{"EA": 1.0, "EI_z": 1.0, "mass_per_length": 1.0} | given)


def cart() -> Any:
    mass = fx.PointMass(1.0, position=(0, 0, 0), name="cart")
    hold = fx.Bushing(fx.ground.marker((0, 0, 0)), mass, stiffness=(3.0, 3.0, 3.0), name="soft")
    return fx.linearise(fx.Model(mass, hold))


def family() -> Any:
    def make(x: float) -> fx.Model:
        return fx.Model(fx.PointMass(1.0, position=(x, 0, 0), name="b"))

    return fx.studies.Family(make, x=fx.studies.Between(0.0, 1.0))


def plate(thickness: float) -> Any:
    return fx.FlexibleBody.plate(
        (1, 1), elements=(1, 1), element=fx.elements.ANCFThinPlate(), section=fx.ShellSection(thickness),
        material=fx.steel,
    )  # fmt: skip


CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "mass": (lambda: fx.RigidBody.box(size=(1, 1, 1), mass=np.ones(2)), "mass must be a number"),
    "bushing": (lambda: fx.Bushing(fx.ground, body(), RAGGED, at=(0, 0, 0)), "stiffness must have 6 components"),
    "bushing, bent": (lambda: fx.Bushing(fx.ground, body(), [1, 1, [2]], at=(0, 0, 0)), "stiffness must be an array"),
    "box": (lambda: fx.contact.Box(body().centre, size=RAGGED), "size must be three numbers"),
    "spring": (lambda: fx.SpringDamper(fx.ground.marker((0, 0, 1)), body().centre, RAGGED), "stiffness must be an"),
    "sensor": (lambda: fx.control.PositionSensor(body(), RAGGED), "direction must be an array of numbers"),
    "actuator": (lambda: fx.control.ForceActuator(body().centre, RAGGED), "direction must be an array of numbers"),
    "link": (lambda: fx.trees.Link("l", 1.0, RAGGED), "inertia"),
    "start": (lambda: fx.trees.Link("l", 1.0, (1, 1, 1), joint=fx.trees.Revolute((0, 0, 1)), start=RAGGED), "start"),
    "damping": (lambda: fx.linear.ModalDamping(RAGGED), "ratios"),
    "temperature": (lambda: fx.linear.ThermalLoad(RAGGED, 1e-5), "temperature must be an array of numbers"),
    "dofs": (lambda: DofMap(RAGGED, [0, 0]), "each of node must be a whole number"),
    "operators": (lambda: fx.linear.Operators(10**400, sp.eye(1), DofMap([0], [0]), [[0, 0, 0]]), "sparse matrix"),  # type: ignore[arg-type]
    "section": (lambda: beam(EI_z=None), "EI_z must be a number, not None"),
    "inertia of a section": (lambda: beam(rhoI_z=None), "rhoI_z must be a number, not None"),
    "thin shell": (lambda: plate(1e-300), "beyond the range of numbers"),
    "thick shell": (lambda: plate(1e300), "beyond the range of numbers"),
    "layup": (lambda: fx.Layup(np.zeros(2)), "layers must be a list"),  # type: ignore[arg-type]
    "urdf": (lambda: fx.trees.read_urdf(3), "path must be a string or a path, not 3"),  # type: ignore[arg-type]
    "sid": (lambda: fx.reduction.read_sid(3), "path must be a string or a path, not 3"),  # type: ignore[arg-type]
    "measures": (lambda: fx.studies.Study(family(), fx.studies.Grid(x=2), 3, fx.studies.Statics()), "measures must be"),  # type: ignore[arg-type]
    "evaluations": (lambda: fx.studies.Evaluations("all", (), fx.studies.Statics(), "x.h5"), "expected a Family"),  # type: ignore[arg-type]
    "pairs": (lambda: fx.studies.Comparisons.of_pairs([[]]), "upper must have shape"),  # type: ignore[list-item]
    "until": (lambda: fx.simulate(fx.Model(body()), until=1e-300), "until must be later than t = 0 by 1e-100"),
    "ramp": (lambda: fx.motions.Ramp(0.0, 1.0, duration=1e-300), "duration must be at least"),
    "criterion": (lambda: fx.head_injury_criterion("x", [1.0]), "t must be an array of numbers"),
    "filter": (lambda: fx.channel_filter(np.arange(20.0), np.ones(20), 1e-300), "is its unit one over that of t"),
    "filter of words": (lambda: fx.channel_filter(np.arange(20.0), RAGGED, 0.01), "the signal must be an array"),
    "weighting": (lambda: fx.weighted_acceleration([0.0, 1.0], [0.0, 1.0], {}), "weighting must be one of"),  # type: ignore[arg-type]
    "units": (lambda: fx.SI.of([]), "no dimension"),  # type: ignore[arg-type]
    "direction": (lambda: fx.control.Event(lambda view: 1.0, direction=np.ones(3)), "direction must be"),  # type: ignore[arg-type]
    "name": (lambda: fx.control.JointActuator("hinge", name=np.zeros(0)), "name must be a non-empty string"),  # type: ignore[arg-type]
    "transfer": (lambda: cart().transfer(RAGGED), "omega must be an array of numbers"),
    "model": (lambda: fx.compile_model([None]), "expected a Model"),  # type: ignore[arg-type]
}  # fmt: skip


@pytest.mark.parametrize("what", list(CASES))
def test_own_errors(what: str) -> None:
    make, message = CASES[what]
    with pytest.raises(fx.ModelError, match=message):
        make()


def test_checks() -> None:
    assert shape_of(RAGGED) == (2,)
    assert shape_of(3.0) == ()
    assert as_counts("x", "n", range(3)).tolist() == [0, 1, 2]
    assert as_counts("x", "n", 4).tolist() == [4]
    assert as_counts("x", "n", np.array([-1, 2]), minimum=-1).tolist() == [-1, 2]
    assert as_names("x", "n", "one") == ("one",)
    assert as_names("x", "n", {"one": 1}.keys()) == ("one",)
    assert as_path("x", "p", "a/b").name == "b"
    for wrong in (1.0, True, "3", [1, [2]], np.array([1.5]), np.array([[1]]), -1, {1: 2}):
        with pytest.raises(fx.ModelError, match="n must be"):
            as_counts("x", "n", wrong)


def test_matrix_of_plots_and_the_best_run_of_words() -> None:
    st = fx.studies

    def make(x: float, y: str) -> fx.Model:
        return fx.Model(fx.PointMass(1.0, position=(x, float(len(y)), 0), name="b"))

    words = st.Family(make, x=st.Between(0.0, 1.0), y=st.Choices("a", "bb"))
    measure = st.Measure("m", lambda r: r.position("b")[-1].sum())
    done = st.Study(words, st.Grid(x=2), measure, st.Simulation(until=0.0)).run(progress=False)
    assert len(done.plot_matrix().axes) == 2 * 2 + 2
    with pytest.raises(fx.ModelError, match="plot_matrix: 'y' are words and no numbers"):
        done.plot_matrix("x", "y", "m")
    none = st.Study(words, st.Points({"x": [], "y": []}), measure, st.Simulation(until=0.0)).run(progress=False)
    with pytest.raises(fx.ModelError, match="no run of 0 ended well with a number of 'm'; there is no number"):
        none.best("m")
