"""Frequency responses and histories as universal files: by their columns, in pyuff, against the dynamic stiffness."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.io.history_table import HistoryTable
from tests.reduction.export.zero_order_hold import damping_of, free_of

pytestmark = pytest.mark.filterwarnings("ignore::flexmbs.core.errors.LossWarning")


def functions(path):
    """Strictly by columns: (record 6, hertz or times, values) of each set 58."""
    lines, out, k = path.read_text("ascii").splitlines(), [], 0
    assert all(len(line) <= 80 for line in lines)
    while k < len(lines):
        assert lines[k] == "    -1"
        end = lines.index("    -1", k + 1)
        if int(lines[k + 1]) == 58:
            out.append(function(lines[k + 2 : end]))
        k = end + 1
    return out


def function(lines):
    six, seven, axis = lines[5], lines[6], lines[7]
    head = {"kind": six[:5], "id": six[5:15], "place": six[41:51], "direction": six[51:55], "reference": six[66:76],
            "along": six[76:80], "abscissa": axis[:10], "seen": lines[8][:10], "given": lines[9][:10]}  # fmt: skip
    head = {key: int(word) for key, word in head.items()}
    data, n, even = (int(seven[i : i + 10]) for i in (0, 10, 20))
    first, step = float(seven[30:43]), float(seven[43:56])
    widths = ([] if even else [13]) + [20] * (2 if data == 6 else 1)
    whole = "".join(line.ljust(80) if even else line for line in lines[11:]).rstrip()
    rows, at = [], 0
    while at < len(whole):
        row = []
        for w in widths:
            row.append(float(whole[at : at + w]))
            at += w
        rows.append(row)
    assert len(rows) == n
    x = first + step * np.arange(n) if even else np.array([row.pop(0) for row in rows])
    values = np.array([complex(*row) if data == 6 else row[0] for row in rows])
    return head, x, values


def receptance(model, fixed, ratio, hertz):
    """Displacements of the coordinates that are not held per unit force on them, by dense solutions."""
    free = free_of(model, fixed)
    block = np.ix_(free, free)
    scale = 1.0 / np.sqrt(model.K[free, free])  # displacements and rotations of one size, for the inverse
    K, D, M = (np.outer(scale, scale) * A for A in (model.K[block], damping_of(model, ratio, free), model.M[block]))
    s = 2j * np.pi * hertz[:, None, None]
    return np.linalg.inv(K + s * D + s * s * M) * np.outer(scale, scale)


@pytest.mark.parametrize("coupled", [False, True])
def test_responses_of_a_part(strut, tmp_path, coupled):
    model, ratio, bound = strut, 0.05, 1e-8
    if coupled:
        L = np.random.default_rng(1).standard_normal(strut.K.shape) * 3.0
        model, ratio, bound = replace(strut, D=L @ L.T), 0.0, 1e-6  # weak couplings beside strong ones
    [written] = fx.reduction.export(model, tmp_path / "x.unv", "uff58", fixed="start", damping=ratio, lines=50)
    found = functions(written.path)
    assert len(found) == 12 * 6
    hertz = found[0][1]
    assert hertz[0] == pytest.approx(np.diff(hertz)[0])
    assert hertz[-1] == pytest.approx(1.25 * model.angular_frequencies("start")[9] / (2 * np.pi), rel=1e-3)
    expected = receptance(model, ["start"], ratio, hertz)[:, :6, :6]
    seen = set()
    for head, x, values in found:
        assert (head["kind"], head["abscissa"], head["place"], head["reference"]) == (4, 18, 2, 2)
        assert np.array_equal(x, hertz)
        assert head["given"] == 13
        H, size = expected[:, head["direction"] - 1, head["along"] - 1], np.abs(expected).max()
        if head["seen"] == 11:
            H, size = 2j * np.pi * hertz * H, 2 * np.pi * hertz[-1] * size
        seen.add((head["seen"], head["direction"], head["along"]))
        assert np.abs(values - H).max() <= bound * np.abs(H).max() + 1e-12 * size
    assert len(seen) == 72


def test_responses_in_pyuff(lug, tmp_path):
    pyuff = pytest.importorskip("pyuff")
    [written] = fx.reduction.export(lug, tmp_path / "x.unv", "uff58", fixed="ROOT", damping=0.01, lines=40, maximum=2e4)
    sets = pyuff.UFF(str(written.path)).read_sets()
    found = [s for s in sets if s["type"] == 58]
    assert [s["type"] for s in sets[:2]] == [151, 164]
    assert len(found) == 72
    hertz = np.asarray(found[0]["x"])
    assert hertz == pytest.approx(500.0 * np.arange(1, 41), rel=1e-12)
    expected = receptance(lug, ["ROOT"], 0.01, hertz)
    one = next(s for s in found if (s["rsp_dir"], s["ref_dir"], s["ordinate_spec_data_type"]) == (2, 3, 8))
    assert one["rsp_ent_name"].strip() == "BORE.displ"
    assert np.asarray(one["data"]) == pytest.approx(expected[:, 1, 2], rel=1e-9, abs=1e-12 * np.abs(expected).max())


def test_responses_of_a_mechanism(tmp_path):
    """A cart on a spring by hand: 1 / (k - m w^2 + i w c)."""
    cart = fx.PointMass(2.0, position=(0.0, 0.0), name="cart")
    spring = fx.Bushing(fx.ground.marker((0, 0, 0)), cart, (8.0, 8.0), damping=(0.4, 0.4))
    push = fx.PointForce(cart, (1.0, 0.0))
    linear = fx.linearise(fx.Model(cart, spring, push), [push], [fx.control.PositionSensor(cart, (1, 0))])
    [written] = linear.export(tmp_path / "x.unv", "uff58", lines=20)
    [(_, hertz, values)] = functions(written.path)
    w = 2 * np.pi * hertz
    assert values == pytest.approx(1.0 / (8.0 - 2.0 * w**2 + 0.4j * w), rel=1e-11)
    assert hertz[-1] == pytest.approx(1.25 * 2.0 / (2 * np.pi), rel=1e-5)


def test_mistakes(strut, tmp_path):
    w = strut.angular_frequencies("start")[0]
    rod = replace(strut, K=np.diag([(6.0 * np.pi) ** 2] * 18), M=np.eye(18), D=None)  # at 3 per unit of time
    with pytest.raises(fx.ModelError, match="undamped resonance"):
        fx.reduction.export(rod, tmp_path / "x.unv", "uff58", fixed="start", maximum=3.0, lines=2)
    with pytest.raises(fx.ModelError, match="maximum must be"):
        fx.reduction.export(strut, tmp_path / "x.unv", "uff58", maximum=-w)
    with pytest.raises(fx.ModelError, match="lines must be"):
        fx.reduction.export(strut, tmp_path / "x.unv", "uff58", lines=1)
    with pytest.raises(fx.ModelError, match="more than"):
        fx.reduction.export(strut, tmp_path / "x.unv", "uff58", lines=1_000_000)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("even", [True, False])
def test_histories(tmp_path, even):
    pyuff = pytest.importorskip("pyuff")
    t = np.linspace(0.0, 1.0, 101) if even else np.array([0.0, 0.125, 0.5, 0.75, 2.0])
    table = HistoryTable(
        {"t": t, "tip.position.y": np.sin(7 * t), "hinge.force.x": 1e6 * np.cos(t)}, {"t": "s", "tip.position.y": "m"}
    )
    path = table.to_universal(tmp_path / "x.unv")
    (head, x, y), (other, _, f) = functions(path)
    assert (head["kind"], head["abscissa"], head["seen"], head["direction"]) == (1, 17, 8, 2)
    assert (other["seen"], other["direction"], other["place"]) == (13, 1, 2)
    assert x == pytest.approx(t, abs=1e-12)
    assert y == pytest.approx(np.sin(7 * t), rel=1e-12)
    read = [s for s in pyuff.UFF(str(path)).read_sets() if s["type"] == 58]
    assert np.asarray(read[1]["data"]) == pytest.approx(f, rel=1e-15)
    assert np.asarray(read[0]["x"]) == pytest.approx(t, abs=1e-12)
    assert read[0]["id1"].strip() == "tip.position.y [m]"


def test_histories_that_do_not_fit(tmp_path):
    with pytest.warns(fx.LossWarning, match="sixth"):
        HistoryTable({"t": [0.0, 0.1234567, 0.5], "x": [0.0, 1, 2]}).to_universal(tmp_path / "x.unv")
    (tmp_path / "x.unv").unlink()
    for columns, message in (
        ({"t": [1.0, 1.0 + 1e-8, 2.0], "x": [0.0, 1, 2]}, "ascend"),
        ({"t": [0.0, 1.0]}, "nothing beside"),
        ({"time": [0.0, 1.0], "x": [0.0, 1]}, "no column 't'"),
        ({"t": [0.0, 1.0], "x": [0.0, np.nan]}, "not finite"),
    ):
        with pytest.raises(fx.ModelError, match=message):
            HistoryTable(columns).to_universal(tmp_path / "x.unv")
    with pytest.raises(fx.ModelError, match="must end in"):
        HistoryTable({"t": [0.0, 1.0], "x": [0.0, 1.0]}).to_universal(tmp_path / "x.txt")
    assert not list(tmp_path.iterdir())


def test_histories_whose_names_do_not_fit(tmp_path):
    """Texts are of 80 characters of ASCII: names stay different, units whole, and what changed is told."""
    pyuff = pytest.importorskip("pyuff")
    long = "a body with a rather long name that goes on and on, " * 2 + "part {}.velocity.x"
    names = ["ä.position.x", "ö.position.x", "plain.position.x", long.format(1), long.format(2)]
    units = dict(zip(names, ("m", "µm", "m", "mm/s", "mm/s"), strict=True))
    table = HistoryTable({"t": [0.0, 1.0], **{name: [0.0, 1.0] for name in names}}, {"t": "s", **units})
    with pytest.warns(
        fx.LossWarning, match=r"columns 'ä\.position\.x' \(now '#1 \?\.position\.x \[m\]'\).* and 1 more\.$"
    ):
        path = table.to_universal(tmp_path / "x.unv")
    read = [s["id1"].strip() for s in pyuff.UFF(str(path)).read_sets() if s["type"] == 58]
    assert read[:3] == ["#1 ?.position.x [m]", "#2 ?.position.x [um]", "plain.position.x [m]"]
    assert len(set(read)) == 5
    assert all(len(text) <= 80 and text.endswith(" [mm/s]") for text in read[3:])
