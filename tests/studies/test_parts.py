"""Parts reduced side by side are those reduced one by one, and one that fails harms no other."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.studies import PartsError, Reduction, reduce_parts


def bar(length: float) -> fx.linear.Part:
    mesh = fx.meshes.box((0, 0, 0), (length, 0.02, 0.02), (6, 1, 1))
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), fx.steel)])


def wanted() -> dict[str, Reduction]:
    return {f"bar {i}": Reduction(bar(0.2 + 0.1 * i), ["left", "right"], 2 + i) for i in range(3)}


@pytest.mark.parametrize("workers", [0, 2])
def test_side_by_side_is_one_by_one(workers: int) -> None:
    if workers:
        pytest.importorskip("distributed")
    found = reduce_parts(wanted(), workers=workers, progress=False)
    assert list(found) == ["bar 0", "bar 1", "bar 2"]
    for i, (name, reduced) in enumerate(found.items()):
        alone = fx.reduction.reduce(bar(0.2 + 0.1 * i), ["left", "right"], 2 + i, name=name, progress=False)
        np.testing.assert_array_equal(reduced.K, alone.K)
        np.testing.assert_array_equal(reduced.M, alone.M)
        assert reduced.name == name


def test_one_that_fails() -> None:
    parts = wanted() | {"odd": Reduction(bar(0.3), ["middle"], 2)}
    with pytest.raises(PartsError, match=r"1 of 4 parts: 'odd': .*middle") as caught:
        reduce_parts(parts, progress=False)
    assert list(caught.value.reduced) == ["bar 0", "bar 1", "bar 2"]
    assert list(caught.value.failed) == ["odd"]
    with pytest.raises(fx.ModelError, match="must be a Reduction"):
        reduce_parts({"a": bar(0.3)})  # type: ignore[dict-item]
