"""Mode shapes in universal files and in VTU files: strict readers, pyuff and meshio."""

from __future__ import annotations

from dataclasses import replace

import meshio
import numpy as np
import pytest

import flexmbs as fx

pytestmark = pytest.mark.filterwarnings("ignore::flexmbs.core.errors.LossWarning")


def data_sets(path):
    """Number and lines of each data set."""
    lines, found, k = path.read_text("ascii").splitlines(), [], 0
    assert all(len(line) <= 80 for line in lines)
    while k < len(lines):
        assert lines[k] == "    -1"
        end = lines.index("    -1", k + 1)
        found.append((int(lines[k + 1]), lines[k + 2 : end]))
        k = end + 1
    return found


def fields(line, width):
    return [line[i : i + width] for i in range(0, len(line), width)]


def test_universal_file_by_its_columns(lug, tmp_path):
    [written] = fx.reduction.export(lug, tmp_path / "x.unv", fixed="ROOT", modes=10)
    sets = data_sets(written.path)
    assert [n for n, _ in sets] == [151, 164, 2411] + [55] * 10
    assert "digits" in sets[0][1][1]
    assert [float(x.replace("D", "E")) for x in fields(sets[1][1][1], 25)] == [1.0, 1.0, 1.0]
    labels = [int(line[:10]) for line in sets[2][1][::2]]
    points = [[float(x.replace("D", "E")) for x in fields(line, 25)] for line in sets[2][1][1::2]]
    assert labels == list(range(1, 2 + 617 + 1))
    assert np.array_equal(points[:2], [f.origin for f in lug.frames])
    w = lug.angular_frequencies("ROOT")[:10]
    _, vectors = lug.modes("ROOT")
    for k, (_, lines) in enumerate(sets[3:]):
        assert [int(x) for x in fields(lines[5], 10)] == [1, 2, 3, 8, 2, 6]
        assert [int(x) for x in fields(lines[6], 10)] == [2, 4, 1, k + 1]
        assert float(fields(lines[7], 13)[0]) * 2 * np.pi == pytest.approx(w[k], rel=1e-5)
        shape = np.array([[float(x) for x in fields(line, 13)] for line in lines[9::2]])
        assert [int(line) for line in lines[8::2]] == labels
        expected = lug.reconstruct(vectors[:, k])
        first = next(n for n in range(617) if n not in lug.frame("ROOT").nodes)
        assert shape[2 + first] == pytest.approx(expected[first], rel=1e-5)
        assert shape[1] == pytest.approx(vectors[6:12, k], rel=1e-5)


def test_universal_file_in_pyuff(lug, tmp_path):
    pyuff = pytest.importorskip("pyuff")
    [written] = fx.reduction.export(lug, tmp_path / "x.unv", fixed="ROOT", nodes=(), modes=10)
    found = [s for s in pyuff.UFF(str(written.path)).read_sets() if s["type"] == 55]
    w = lug.angular_frequencies("ROOT")[:10]
    assert [s["freq"] for s in found] == pytest.approx(list(w / (2 * np.pi)), rel=1e-5)
    assert [s["mode_n"] for s in found] == list(range(1, 11))
    _, vectors = lug.modes("ROOT")
    for k, s in enumerate(found):
        shape = np.array([s[f"r{c}"][1] for c in range(1, 7)])
        assert shape == pytest.approx(vectors[6:12, k], rel=1e-5)


def test_units_of_universal_files(lug, tmp_path):
    milli = replace(lug, units={"length": "mm", "mass": "t", "time": "s"})
    sets = data_sets(fx.reduction.export(milli, tmp_path / "a.unv", modes=1, nodes=())[0].path)
    assert [float(x.replace("D", "E")) for x in fields(sets[1][1][1], 25)] == pytest.approx([1e3, 1.0, 1.0])
    with pytest.warns(fx.LossWarning, match="units, whose names"):
        odd = fx.reduction.export(replace(lug, units={"length": "cubit"}), tmp_path / "b.unv", modes=1)
    assert 164 not in [n for n, _ in data_sets(odd[0].path)]


@pytest.mark.parametrize("name", ["lug", "strut"])
def test_modes_in_meshio(name, tmp_path, request):
    """Fields, points and cells as meshio reads them: recovered displacements to the last bit."""
    model = request.getfixturevalue(name)
    held = model.frames[0].name
    [written] = fx.reduction.export(model, tmp_path / "x.vtu", fixed=held, modes=5)
    found = meshio.read(written.path)
    hertz = model.angular_frequencies(held) / (2 * np.pi)
    _, vectors = model.modes(held)
    assert len(found.point_data) == 5
    used = np.unique(model.dofs.node)
    assert np.array_equal(found.points, model.points[used])
    for k, (field, values) in enumerate(found.point_data.items()):
        assert float(field.split(": ")[1]) == pytest.approx(hertz[k], rel=1e-5)
        expected = model.reconstruct(vectors[:, k])[used, :3]
        assert np.abs(values - expected).max() <= 1e-12 * np.abs(expected).max()
    cells = {block.type: block.data for block in found.cells}
    for kind, nodes in model.cells.items():
        assert np.array_equal(used[cells[kind]], nodes)


def test_models_without_cells_are_points(lug, tmp_path):
    [written] = fx.reduction.export(replace(lug, cells={}), tmp_path / "x.vtu", modes=1)
    assert meshio.read(written.path).cells[0].type == "vertex"
    [written] = fx.reduction.export(replace(lug, cells={"odd": np.zeros((1, 3), int)}), tmp_path / "y.vtu", modes=1)
    assert written.losses == ("cells of type odd",)


@pytest.mark.parametrize("to", ["uff", "paraview"])
def test_mistakes(lug, tmp_path, to):
    with pytest.raises(fx.ModelError, match="99 modes"):
        fx.reduction.export(lug, tmp_path, to, modes=99)
    with pytest.raises(fx.ModelError, match="no interface named"):
        fx.reduction.export(lug, tmp_path, to, fixed="HUB")
    assert not list(tmp_path.iterdir())
