"""Numbers renewed in a compiled system: the bytes of a system compiled anew, for all models of the verification."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.system.layout import Layouts, layouts_kept
from flexmbs.system.system import System
from flexmbs.verification import CaseEntry
from flexmbs.verification.collection import all_cases
from tests.dynamics.test_constant_system import MODELS, MORE, arrays_of


class Found(BaseException):
    """Ends a case at its first model."""

    def __init__(self, model: fx.Model) -> None:
        super().__init__()
        self.model = model


def bytes_of(system: System) -> dict[str, bytes]:
    """All arrays of a system, lazy ones included, without those of the model that it was made of."""
    for name in ("mass_matrix", "mass_diagonal", "body_sizes", "states"):
        getattr(system, name)
    parts = {name: part for name, part in vars(system).items() if name not in ("model", "layout")}
    found = arrays_of(parts, "system", {}, set())
    return found | arrays_of(system.layout, "layout", {}, set())


def first_model(entry: CaseEntry, monkeypatch: pytest.MonkeyPatch) -> fx.Model | None:
    """The first model that a case compiles; None if it compiles none."""

    def stop(self: System, model: fx.Model, **options: Any) -> None:
        raise Found(model)

    with monkeypatch.context() as patch:
        patch.setattr(System, "__init__", stop)
        try:
            entry.load().run(lambda words: None)
        except Found as found:
            return found.model
    return None


def compare(base: fx.Model, model: fx.Model, same: bool) -> None:
    fresh = System(model, layouts=Layouts())
    start = System(base, layouts=Layouts())
    renewed = start.with_numbers(model)
    assert (renewed.layout is start.layout) == same
    wanted, found = bytes_of(fresh), bytes_of(renewed)
    assert len(wanted) > 10
    assert set(found) == set(wanted)
    assert [path for path in wanted if wanted[path] != found[path]] == []


QUICK = [e for e in all_cases() if not e.slow]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "entry", [pytest.param(e, id=e.id, marks=[] if e.basic else [pytest.mark.slow]) for e in QUICK]
)
def test_models_of_the_verification(entry: CaseEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    model = first_model(entry, monkeypatch)
    if model is None:
        pytest.skip("a case without a compiled model")
    compare(model, model, same=True)


@pytest.mark.parametrize("model", [*MODELS, *MORE])
def test_models_of_one_kind_made_twice(model: str) -> None:
    build = (MODELS | MORE)[model]
    compare(build(), build(), same=True)


def chain(lengths: tuple[float, ...], spatial: bool = False) -> fx.Model:
    """Bars, one behind the other; in space if wanted."""
    bodies, joints, x = [], [], 0.0
    before: Any = fx.ground
    for i, length in enumerate(lengths):
        centre = (x + length / 2, 0, 0) if spatial else (x + length / 2, 0)
        at = (x, 0, 0) if spatial else (x, 0)
        if spatial:
            bar = fx.RigidBody(length, (length, length, length), position=centre, name=f"bar {i}")
            joints.append(fx.RevoluteJoint(before, bar, at=at, axis=(0, 1, 0), name=f"hinge {i}"))
        else:
            bar = fx.PlanarRigidBody(length, length**3 / 12, position=centre, name=f"bar {i}")
            joints.append(fx.RevoluteJoint(before, bar, at=at, name=f"hinge {i}"))
        bodies.append(bar)
        before, x = bar, x + length
    return fx.Model(*bodies, *joints, fx.Gravity((0, 0, -9.81) if spatial else (0, -9.81)), name="chain")


@pytest.mark.parametrize("spatial", [False, True])
def test_other_numbers_of_the_same_structure(spatial: bool) -> None:
    compare(chain((1.0, 2.0, 0.5), spatial), chain((0.7, 1.1, 3.0), spatial), same=True)


def test_another_structure_is_compiled_in_full() -> None:
    compare(chain((1.0, 2.0)), chain((1.0, 2.0, 3.0)), same=False)
    compare(chain((1.0, 2.0)), chain((1.0, 2.0), spatial=True), same=False)
    compare(MODELS["elastic"](), MODELS["pendulum"](), same=False)


def test_systems_of_a_family_share_their_layout_and_are_counted() -> None:
    layouts = Layouts()
    with layouts_kept(layouts):
        first = fx.compile_model(chain((1.0, 2.0)))
        second = fx.compile_model(chain((2.0, 1.0)))
        third = fx.compile_model(chain((2.0, 1.0, 1.0)))
        fourth = fx.compile_model(chain((2.0, 4.0)))
    assert first.layout is second.layout is fourth.layout
    assert third.layout is not first.layout
    assert (layouts.renewed, layouts.found) == (2, 2)
    assert fx.compile_model(chain((2.0, 4.0))).layout is not first.layout  # outside, none is shared


def test_motion_is_the_same_to_the_bit() -> None:
    alone = fx.simulate(chain((0.7, 1.1)), 0.2, step=1e-2, progress=False)
    with layouts_kept(Layouts()):
        fx.simulate(chain((1.0, 2.0)), 0.05, step=1e-2, progress=False)
        renewed = fx.simulate(chain((0.7, 1.1)), 0.2, step=1e-2, progress=False)
    np.testing.assert_array_equal(renewed.q, alone.q)
    np.testing.assert_array_equal(renewed.last.lam, alone.last.lam)
