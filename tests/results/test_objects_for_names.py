"""Forces by themselves or by name, runs without a step, and files that are no results."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx


def test_a_force_is_asked_for_by_itself_or_by_name() -> None:
    ball = fx.PointMass(1.0, position=(0.2, 0, 0), name="ball")
    spring = fx.SpringDamper(fx.ground.marker((-1, 0, 0)), ball.centre, stiffness=3.0, free_length=1.0, name="spring")
    run = fx.simulate(fx.Model(ball, spring), until=0.02, step=0.01)
    for mine, named in zip(run.force(spring), run.force("spring"), strict=True):
        assert np.array_equal(mine, named)
    assert run.force(spring).force[0] == pytest.approx(3.0 * 0.2)
    other = fx.SpringDamper(fx.ground.marker((0, 0, 0)), ball.centre, stiffness=3.0, free_length=1.0, name="other")
    with pytest.raises(fx.ModelError, match="force"):
        run.force(other)


def test_steps_of_a_run_without_any() -> None:
    ball = fx.PointMass(1.0, position=(0, 0, 0), name="ball")
    with pytest.raises(fx.ModelError, match="plot_steps: the run of model 'model' is its first state, without a step"):
        fx.simulate(fx.Model(ball), until=0.0).plot_steps()


def test_a_reduced_model_is_no_result(tmp_path) -> None:
    lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    path = fx.reduction.reduce(lug, ["ROOT"], modes=1, progress=False).save(tmp_path / "lug.h5")
    for read in (fx.load, lambda file: fx.view(file, tmp_path / "lug.html")):
        with pytest.raises(fx.ReadError, match=r"is a reduced model.*flexmbs\.reduction\.load_reduced reads it"):
            read(path)
