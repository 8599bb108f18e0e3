"""Studies: every run has its outcome, against the closed solution; failures, files, going on."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest

import flexmbs as fx
from flexmbs.studies import (
    Between,
    Choices,
    Ended,
    Family,
    Grid,
    LatinHypercube,
    Measure,
    Points,
    Simulation,
    Sobol,
    Study,
)
from tests.models.study_families import STIFFNESS, bob, family, height, lowest, study


def drop(length: float, mass: float, t: float = 0.05) -> float:
    """Height of a mass let go on an unstretched spring: m g / k (1 - cos(w t)) below the start."""
    return -length - mass * 9.81 / STIFFNESS * (1.0 - np.cos(np.sqrt(STIFFNESS / mass) * t))


def test_numbers_are_those_of_the_closed_solution() -> None:
    done = study().run(progress=False)
    expected = [drop(*values) for values in zip(done["length"], done["mass"], strict=True)]
    # amplitude 0.15 m; ten steps of a tenth of 1/w: error (w h)^2 / 12 of the way
    np.testing.assert_allclose(done["lowest"], expected, atol=2e-5)
    assert done["mass"].tolist() == [1.0, 2.0, 3.0] * 2
    at, z = done.history("height", 4)
    np.testing.assert_allclose(at, np.arange(11) * 5e-3, atol=1e-15)
    np.testing.assert_allclose(z, drop(1.5, 2.0, at), atol=2e-5)


def test_each_run_is_the_run_of_its_model() -> None:
    """The road through a study and `simulate` give the same bits."""
    done = study().run(progress=False)
    for run in (done[1], done[5]):
        alone = fx.simulate(bob(**run.values), 0.05, step=5e-3, progress=False)
        assert run.numbers["lowest"] == alone.position("bob")[:, 2].min()
        np.testing.assert_array_equal(run.result().q, alone.q)


@pytest.mark.parametrize(
    ("fail", "ended", "says"),
    [
        ("raise", Ended.INVALID, "ZeroDivisionError: no such mass; values: length = 0.5, mass = 3"),
        ("model", Ended.INVALID, "there is no body"),
        ("other", Ended.INVALID, "must return a Model, but returned 'a model'"),
    ],
)
def test_runs_that_fail_do_not_end_the_study(fail: str, ended: Ended, says: str) -> None:
    several = Family(lambda length, mass: bob(length, mass, fail), **family().parameters)
    done = Study(several, Grid(length=2, mass=3), Measure("lowest", lowest), Simulation(0.05, step=5e-3)).run(
        progress=False
    )
    assert [run.number for run in done.failed] == [2, 5]
    assert all(run.ended is ended for run in done.failed)
    assert says in done.failed[0].message
    assert np.isfinite(done["lowest"]).tolist() == [True, True, False] * 2
    assert done.best("lowest").number == 4


def test_analyses_and_measures_that_fail() -> None:
    def bad(run: fx.TimeSolution) -> float:
        return float("nan") if run.position("bob")[0, 2] < -1.0 else 1.0

    few = Study(family(), Grid(length=2, mass=1), Measure("bad", bad), Simulation(0.05, step=5e-3)).run(progress=False)
    assert [run.ended for run in few] == [Ended.DONE, Ended.UNMEASURED]
    assert "not a finite number" in few[1].message
    text = Study(family(), Grid(length=1, mass=1), Measure("word", lambda run: "w"), Simulation(0.0)).run(
        progress=False
    )  # type: ignore[arg-type, return-value]
    assert text[0].ended is Ended.UNMEASURED
    assert "must return a number" in text[0].message
    few_steps = Simulation(0.05, step=fx.ErrorControl(max_steps=3, max_step=5e-3))
    failed = Study(family(), Grid(length=1, mass=1), study().measures, few_steps).run(progress=False)
    assert failed[0].ended is Ended.FAILED
    assert failed[0].message.startswith("TOO_MANY_STEPS")
    at, z = failed.history("height", 0)
    assert 1 < len(at) <= 4
    np.testing.assert_allclose(z, drop(1.0, 2.0, at), atol=2e-5)


def test_time_limit_keeps_the_beginning() -> None:
    study(samples=Grid(length=1, mass=1)).run(progress=False)  # whatever is compiled once is no part of the limit below
    loop = fx.GeneralizedAlpha(compiled=False)  # which begins at once
    analysis = Simulation(1e6, step=5e-3, integrator=loop)
    slow = Study(family(), Grid(length=1, mass=1), study().measures, analysis, time_limit=1.0)
    done = slow.run(progress=False)
    assert done[0].ended is Ended.TIMED_OUT
    at, z = done.history("height", 0)
    assert len(at) > 1
    np.testing.assert_allclose(z[1], drop(1.0, 2.0, at[1]), atol=2e-5)


def test_file_is_what_was_kept_in_memory(tmp_path) -> None:
    memory, stored = study().run(progress=False), study().run(tmp_path / "a.h5", progress=False)
    for name in ("length", "mass", "lowest"):
        np.testing.assert_array_equal(memory[name], stored[name])
    for i in range(len(memory)):
        np.testing.assert_array_equal(memory.history("height", i), stored.history("height", i))
    assert [p.name for p in tmp_path.iterdir()] == ["a.h5"]
    read = fx.studies.load(tmp_path / "a.h5")
    assert read[3].values == memory[3].values
    with pytest.raises(fx.ModelError, match=r"load\(file, study\)"):
        _ = read[3].model
    model = fx.studies.load(tmp_path / "a.h5", study())[3].model
    assert model.rigid_bodies[0].position[2] == -1.5


def test_layout_of_the_file(tmp_path) -> None:
    study().run(tmp_path / "a.h5", progress=False)
    with h5py.File(tmp_path / "a.h5") as file:
        assert file["lowest"].dims[0][0] == file["run"]
        assert file["height"].shape == (6, 11)
        assert file["height"].attrs["units"] == "m"
        assert file["status"].attrs["flag_meanings"].split()[0] == "DONE"
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    with xarray.open_dataset(tmp_path / "a.h5", engine="h5netcdf") as data:
        assert dict(data.sizes) == {"run": 6, "sample": 11}
        np.testing.assert_array_equal(data["lowest"], study().run(progress=False)["lowest"])


def test_only_what_is_missing_is_run(tmp_path, monkeypatch) -> None:
    from flexmbs.studies import outcomes

    made: list[int] = []
    genuine = outcomes.perform
    monkeypatch.setattr(outcomes, "perform", lambda job: made.append(job.index) or genuine(job))  # type: ignore[func-returns-value]
    path = tmp_path / "a.h5"
    study(samples=Grid(length=2, mass=2)).run(path, progress=False)
    before = path.read_bytes()
    study(samples=Grid(length=2, mass=2)).run(path, progress=False)
    assert (made, path.read_bytes()) == ([0, 1, 2, 3], before)
    made.clear()
    more = study().run(path, progress=False)  # a finer grid has the corners already
    assert made == [1, 4]
    np.testing.assert_array_equal(more["lowest"], study().run(progress=False)["lowest"])
    made.clear()
    fewer = study(samples=Points({"length": [0.5], "mass": [1.0]})).run(path, progress=False)
    assert (made, len(fewer), len(fx.studies.load(path))) == ([], 1, 6)  # the others stay in the file


@pytest.mark.parametrize("cut", [0, 1, 30])
def test_goes_on_after_a_killed_process(tmp_path, monkeypatch, cut: int) -> None:
    """What a killed process leaves is a journal, perhaps with half a line at its end."""
    from flexmbs.studies import outcomes

    genuine, path = outcomes.perform, tmp_path / "a.h5"

    def third_time(job: object) -> object:
        if job.index == 3:  # type: ignore[attr-defined]
            raise KeyboardInterrupt
        return genuine(job)  # type: ignore[arg-type]

    monkeypatch.setattr(outcomes, "perform", third_time)
    with pytest.raises(KeyboardInterrupt):
        study().run(path, progress=False)
    assert [run.ended for run in fx.studies.load(path)] == [Ended.DONE] * 3 + [Ended.MISSING] * 3
    path.unlink()  # as if the process had been killed before it could write the file
    journal = tmp_path / "a.h5.journal"
    lines = journal.read_bytes()
    assert lines.count(b"\n") == 4
    journal.write_bytes(lines[: len(lines) - cut])
    monkeypatch.setattr(outcomes, "perform", genuine)
    done = study().run(path, progress=False)
    np.testing.assert_array_equal(done["lowest"], study().run(progress=False)["lowest"])
    assert not journal.exists()


def test_files_of_other_studies_are_refused(tmp_path) -> None:
    path = tmp_path / "a.h5"
    study().run(path, progress=False)
    other = Study(family(), Grid(length=2, mass=3), Measure("lowest", lowest, unit="m"), Simulation(0.05, step=2e-3))
    with pytest.raises(fx.ReadError, match=r"differs in analysis, measures"):
        other.run(path, progress=False)
    with pytest.raises(fx.ReadError, match="another study"):
        fx.studies.load(path, other)
    assert len(other.run(path, anew=True, progress=False)) == 6
    bare = tmp_path / "bare.h5"
    bare.write_bytes(b"something else")
    with pytest.raises(fx.ModelError, match="nothing was written"):
        study().run(bare, progress=False)
    assert bare.read_bytes() == b"something else"
    with pytest.raises(fx.ReadError, match="is not there"):
        fx.studies.load(tmp_path / "none.h5")
    (tmp_path / "b.h5.journal").write_text(json.dumps({"flexmbs study": 1, "identity": "x"}) + "\n")
    with pytest.raises(fx.ReadError, match="another study"):
        study().run(tmp_path / "b.h5", progress=False)


def test_builders_that_draw_random_numbers_are_refused() -> None:
    rng = np.random.default_rng(0)
    several = Family(lambda length: bob(length, rng.uniform(1, 2)), length=Between(0.5, 1.0))
    with pytest.raises(fx.ModelError, match="called twice with the same values"):
        Study(several, Grid(length=2), Measure("lowest", lowest), Simulation(0.0)).run(progress=False)


def test_a_builder_that_fails_in_the_middle_of_the_ranges() -> None:
    """Only where it is asked for: the other runs are made, and the failed one tells what it was called with."""

    def legs(x: float = 0.0) -> fx.Model:
        p = fx.PointMass(2.0, position=(x, 0, 0), name="p")
        return fx.Model(p, fx.SpringDamper(fx.ground.marker((0.5, 0, 0)), p, stiffness=1e3, name="leg"))

    where = Measure("x at the end", lambda run: run.position("p")[-1, 0])
    for samples in ([0.1, 0.9], [0.5, 0.1, 0.9]):
        middle = Family(legs, x=Between(0.0, 1.0))
        done = Study(middle, fx.studies.Points({"x": samples}), where, Simulation(0.0)).run(progress=False)
        assert done["x at the end"][-2:].tolist() == [0.1, 0.9]
        assert len(done.failed) == len(samples) - 2
    assert "the builder failed with x = 0.5: SpringDamper 'leg'" in done[0].message


def test_what_does_not_repeat_is_refused_though_the_middle_fails() -> None:
    """By its runs: nothing but the middle is called before."""
    rng = np.random.default_rng(0)

    def drawn(length: float) -> fx.Model:
        if length == 0.75:
            raise ValueError("not here")
        return bob(length, rng.uniform(1, 2))

    drawing = Family(drawn, length=Between(0.5, 1.0))
    done = Study(drawing, Grid(length=3), Measure("lowest", lowest), Simulation(0.0)).run(progress=False)
    assert [run.ended for run in done] == [fx.studies.Ended.INVALID] * 3
    assert "check of repeatability: called twice with the same values (length = 0.5)" in done[0].message
    assert "not here" in done[1].message
    assert "(length = 1)" in done[2].message


@pytest.mark.parametrize("fails", [{0.5}, set(np.linspace(0.0, 1.0, 5))])
def test_how_often_a_builder_is_called_that_fails_in_the_middle(fails) -> None:
    called: list[float] = []

    def counted(x: float) -> fx.Model:
        called.append(x)
        if x in fails:
            raise ValueError("not here")
        return fx.Model(fx.PointMass(2.0, position=(x, 0, 0), name="p"))

    where = Measure("x at the end", lambda run: run.position("p")[-1, 0])
    done = Study(Family(counted, x=Between(0.0, 1.0)), Grid(x=5), where, Simulation(0.0)).run(progress=False)
    assert len(done.failed) == len(fails)
    before, runs = called[:2], called[2:]
    assert before == [0.5, 0.5]  # the check, and what the family is told by
    twice = [0.0] if len(fails) == 1 else []  # the first that succeeds
    assert runs == [*twice, 0.0, 0.25, 0.5, 0.75, 1.0]


def test_errors_of_a_builder_keep_their_kind() -> None:
    """And what they carry; the values are in a note, and in the message of the run."""
    thrown = fx.ConvergenceError("no equilibrium", solution=[1.0])

    def built(x: float) -> fx.Model:
        if x == 0.0:
            raise thrown
        if x == 1.0:
            raise fx.SingularError("singular", unknown=3)
        return fx.Model(fx.PointMass(2.0, position=(x, 0, 0), name="p"))

    several = Family(built, x=Between(0.0, 1.0))
    for _ in range(2):
        with pytest.raises(fx.ConvergenceError, match="no equilibrium") as caught:
            several.model(x=0.0)
        assert caught.value is thrown
        assert caught.value.solution == [1.0]
        assert caught.value.__notes__ == ["Family 'built': the builder failed with x = 0"]
    with pytest.raises(fx.SingularError) as singular:
        several.model(x=1.0)
    assert singular.value.unknown == 3
    where = Measure("x at the end", lambda run: run.position("p")[-1, 0])
    done = Study(several, Grid(x=3), where, Simulation(0.0)).run(progress=False)
    assert [run.message for run in done] == [
        "Family 'built': the builder failed with x = 0: no equilibrium",
        "",
        "Family 'built': the builder failed with x = 1: singular",
    ]


def test_wrong_questions_to_results(tmp_path) -> None:
    done = study(samples=Grid(length=2, mass=1)).run(tmp_path / "a.h5", progress=False)
    with pytest.raises(fx.ModelError, match="there is no run 99; there are 2"):
        done[99]
    with pytest.raises(IndexError):  # as of any sequence
        done[-3]
    assert done[-1].number == 1
    for names, goals, says in (
        ((), {}, "at least one measure"),
        (({"lowest": "least"},), {}, "no parameter or measure named"),
        (("lowst",), {}, "did you mean 'lowest'"),
        (("lowest",), {"lowest": "greatest"}, "'lowest' is named twice"),
        (("lowest", "lowest"), {}, "'lowest' is named twice"),
    ):
        with pytest.raises(fx.ModelError, match=says):
            done.pareto(*names, **goals)
    whole = (tmp_path / "a.h5").read_bytes()
    (tmp_path / "a.h5").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(fx.ModelError, match=r"^Study: /.* is damaged"):
        study(samples=Grid(length=2, mass=1)).run(tmp_path / "a.h5", progress=False)
    runs = fx.studies.Evaluations(family(), Measure("lowest", lowest), Simulation(0.0), tmp_path / "b.h5")
    for wrong in ({"length": 1.0, "mass": 1.0}, 3.0, [1.0]):
        with pytest.raises(fx.ModelError, match="expected a list of values by name"):
            runs(wrong)


def test_words_as_values(tmp_path) -> None:
    def beam(material: str = "steel", length: float = 1.0) -> fx.Model:
        return bob(length, {"steel": 2.0, "wood": 1.0}[material])

    several = Family(beam, material=Choices("steel", "wood"), length=Between(0.5, 1.0))
    words = Study(several, Grid(length=2), Measure("lowest", lowest), Simulation(0.05, step=5e-3))
    done = words.run(tmp_path / "words.h5", progress=False)
    assert done["material"].tolist() == ["steel", "steel", "wood", "wood"]
    assert done[2].values == {"material": "wood", "length": 0.5}
    np.testing.assert_allclose(done["lowest"][2], drop(0.5, 1.0), atol=2e-5)
    assert "wood" in done.table()


def test_samples_cover_the_ranges() -> None:
    cube = np.array([list(v.values()) for v in LatinHypercube(20, seed=3).draw(family())])
    for column, (low, high) in zip(cube.T, ((0.5, 1.5), (1.0, 3.0)), strict=True):
        cells = np.floor((column - low) / (high - low) * 20).astype(int)
        assert sorted(cells) == list(range(20))  # one in each twentieth
    again = np.array([list(v.values()) for v in LatinHypercube(20, seed=3).draw(family())])
    np.testing.assert_array_equal(cube, again)
    several = np.array([list(v.values()) for v in Sobol(10).draw(family())])
    assert several.shape == (10, 2)
    with pytest.raises(fx.ModelError, match="no parameter of Family 'bob' named 'lenght'"):
        list(Grid(lenght=2, mass=2).draw(family()))
    with pytest.raises(fx.ModelError, match="how many values"):
        list(Grid(length=2).draw(family()))
    with pytest.raises(fx.ModelError, match=r"mass.*3"):
        list(Points([{"length": 1.0, "mass": 4.0}]).draw(family()))
    with pytest.raises(fx.ModelError, match="as many values as there are runs"):
        Points({"length": [1.0], "mass": [1.0, 2.0]})


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: Between(2.0, 1.0), "low must be below high"),
        (lambda: Between(-1.0, 1.0, log=True), "must be positive"),
        (Choices, "at least one"),
        (lambda: Choices(1.0, "a"), "all numbers or all words"),
        (lambda: Family(bob), "at least one parameter"),
        (lambda: Family(bob, lenght=Between(0, 1)), "'length'"),
        (lambda: Family(bob, length=1.0), "a default of the builder"),
        (lambda: Family(lambda a, b: None, a=Between(0, 1)), "the builder needs b"),
        (lambda: Study(family(), Grid(length=1, mass=1), Measure("mass", lowest), Simulation(0.0)), "two of the name"),
        (lambda: Study(family(), Grid(length=1, mass=1), Measure("key", lowest), Simulation(0.0)), "two of the name"),
        (lambda: Study(bob, Grid(), (), Simulation(0.0)), "expected a Family"),
        (lambda: Measure("a/b", lowest), "no '/'"),
        (lambda: study(time_limit=-1.0), "time_limit"),
        (lambda: study().run("a.txt"), "must end in .h5"),
        (lambda: study().run(workers="many"), "dask Client"),
    ],
)
def test_bad_input(wrong, says: str) -> None:
    with pytest.raises(fx.FlexmbsError, match=says):
        wrong()


def test_fronts_and_tables() -> None:
    done = study().run(progress=False)
    front = done.pareto(lowest="greatest", length="greatest")
    cost = np.column_stack((-done["lowest"], -done["length"]))
    beaten = [any((c <= row).all() and (c < row).any() for c in cost) for row in cost]
    assert [run.number for run in front] == np.flatnonzero(~np.array(beaten)).tolist()
    fronts = [done.pareto("lowest", "length"), done.pareto(lowest="least", length="least")]
    assert [run.number for run in fronts[0]] == [run.number for run in fronts[1]]
    mixed = [done.pareto("length", lowest="greatest"), done.pareto(length="least", lowest="greatest")]
    assert [run.number for run in mixed[0]] == [run.number for run in mixed[1]]
    assert [run.number for run in done.pareto("lowest")] == [done.best("lowest").number]
    with pytest.raises(fx.ModelError, match="'least' or 'greatest'"):
        done.pareto(lowest="smallest")
    with pytest.raises(fx.ModelError, match="'lowest'"):
        done["lowst"]
    with pytest.raises(fx.ModelError, match="a history"):
        done["height"]
    lines = done.table(most=4).splitlines()
    assert lines[0].split() == ["run", "length", "mass", "lowest", "[m]", "ended"]
    assert lines[-1] == "... and 2 more"
    frame = pytest.importorskip("pandas")
    assert isinstance(done.to_dataframe(), frame.DataFrame)


def test_a_measure_of_any_name_is_in_the_data_frame() -> None:
    """Names of the columns that are added are those that no parameter and no measure has."""
    pytest.importorskip("pandas")
    done = Study(family(), Grid(length=2, mass=1), Measure("ended", lowest), Simulation(0.05, step=5e-3)).run(
        progress=False
    )
    frame = done.to_dataframe()
    np.testing.assert_array_equal(frame["ended"], done["ended"])
    assert frame["status"].tolist() == ["DONE", "DONE"]


@pytest.mark.parametrize("name", [".", "..", "a/b", "a\0b"])
def test_names_that_a_file_cannot_have(name: str) -> None:
    with pytest.raises(fx.ModelError, match="a name has no '/'"):
        Measure(name, lowest)


def test_pictures(tmp_path) -> None:
    done = study().run(progress=False)
    ax = done.plot("lowest")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length", "lowest [m]")
    np.testing.assert_array_equal(ax.collections[0].get_offsets()[:, 1], done["lowest"])
    assert ax.figure.axes[1].get_ylabel() == "mass"
    front = done.plot_pareto("lowest", "mass", ("greatest", "greatest"))
    best = done.pareto(lowest="greatest", mass="greatest")
    assert set(front.lines[1].get_ydata()) == {run.values["mass"] for run in best}
    figure = done.plot_matrix()
    assert len(figure.axes) == 9 + 3  # and the counts of the histograms
    assert figure.axes[6].get_xlabel() == "length"
    import matplotlib.pyplot as plt

    plt.close("all")


def test_history_functions_are_checked() -> None:
    wrong = fx.studies.History("half", lambda run: height(run)[::2])  # type: ignore[index]
    done = Study(family(), Grid(length=1, mass=1), wrong, Simulation(0.05, step=5e-3)).run(progress=False)
    assert done[0].ended is Ended.UNMEASURED
    assert "(11,)" in done[0].message


def test_rows_that_repeat_are_run_once_with_and_without_a_file(tmp_path):
    def ball(x: float) -> fx.Model:
        return fx.Model(fx.PointMass(1.0, position=(x, 0, 0), name="b"))

    here = fx.studies.Measure("m", lambda run: run.position("b")[-1, 0])
    family = fx.studies.Family(ball, x=fx.studies.Between(0.0, 1.0))
    repeated = Study(family, Points({"x": [0.5, 0.5, 0.9, 0.1, 0.9]}), here, Simulation(0.0))
    path = tmp_path / "repeated.h5"
    told = "2 of 5 rows repeat others, row 1 row 0; each is run once, so that there are 3 runs"
    for _ in range(2):
        with pytest.warns(UserWarning, match=told):
            in_memory, in_file = repeated.run(progress=False), repeated.run(path, progress=False)
        for found in (in_memory, in_file, fx.studies.load(path), fx.studies.load(path, repeated)):
            assert [(run.number, run.values["x"]) for run in found] == [(0, 0.5), (1, 0.9), (2, 0.1)]
            assert found["m"].tolist() == [0.5, 0.9, 0.1]


def test_items_of_an_analysis_are_functions_of_the_model() -> None:
    """A list of events made every run fail with a TypeError."""
    with pytest.raises(fx.ModelError, match=r"Simulation: events must be a function .* events=lambda model"):
        Simulation(0.1, events=[fx.control.Event(fx.control.JointSensor("hinge"))])  # type: ignore[arg-type]
    with pytest.raises(fx.ModelError, match=r"Linearised: inputs must be a function"):
        fx.studies.Linearised(inputs=["force"])  # type: ignore[arg-type]
