"""The models of the gallery are short, run, and have the numbers that are worked out by hand beside them."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmbs as fx

GALLERY = Path(__file__).resolve().parents[1] / "docs" / "gallery"
NAMES = sorted(path.stem for path in GALLERY.glob("*.py"))
LARGEST_PICTURE = 300_000  # bytes


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Executes a script of the gallery in an empty folder; returns its names."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    return lambda name: runpy.run_path(str(GALLERY / f"{name}.py"))


def off(names: dict[str, Any]) -> float:
    return abs(names["found"] / names["by_hand"] - 1)


@pytest.mark.parametrize("name", NAMES)
def test_has_a_page_and_a_picture(name: str) -> None:
    text = (GALLERY / f"{name}.py").read_text("utf-8")
    model, _, by_hand = text.partition("\n# By hand")
    assert by_hand
    assert len([line for line in model.splitlines() if line.strip()]) <= 45
    (picture,) = re.findall(r"(?:animate|savefig)\(\"(.+?)\"", text)
    assert (GALLERY / picture).stat().st_size <= LARGEST_PICTURE
    assert f"({picture})" in (GALLERY / f"{name}.md").read_text("utf-8")
    index = (GALLERY / "index.md").read_text("utf-8")
    assert f"({picture})]({name}.md)" in index
    assert name in index.rpartition("```{toctree}")[2].splitlines()


def test_wiper(run: Any, tmp_path: Path) -> None:
    names = run("wiper")
    missed = (1 - np.cos(names["rate"] * 0.0025)) / 2  # of the sweep, at each turning point
    assert off(names) < 2 * missed
    energy = names["run"].energy
    assert abs(energy.balance).max() < 1e-4 * energy.work_drivers[-1]
    assert (tmp_path / "wiper.gif").exists()


def test_pulley(run: Any) -> None:
    names = run("pulley")
    stretch = names["heavy"] * names["g"] * names["length"] / 2 / 2e5
    assert abs(names["found"] - names["by_hand"]) < stretch
    slack = names["run"].contact("groove").slip[-1, 0]
    assert np.linalg.norm(slack) < 0.01 * 0.85  # of the speed of the rope


def test_hills(run: Any) -> None:
    names = run("hills")
    # friction carries at most 2/7 of the weight, less than 0.8 of N on these slopes: what it slips at is 1 mm/s
    assert abs(names["found"] / names["by_hand"] - 1.0).max() < 2e-3
    assert names["run"].energy.dissipated[-1] < 0.01 * names["g"] * 2.0 * names["fall"].sum()


def test_bicycle(run: Any) -> None:
    names = run("bicycle")
    assert off(names) < 1e-8  # of the search for the root
    assert names["weave"] == pytest.approx(4.29238253634111, rel=1e-8)  # as printed


def test_stone(run: Any) -> None:
    names = run("stone")
    # at rest but for what is left of the impact: speeds of some mm/s change over some hundredths of a second
    assert abs(names["found"] / names["by_hand"] - 1.0) < 5e-3
    assert np.linalg.norm(names["run"].velocity(names["stone"])[-1]) < 5e-3
    normals = names["hull"].surface.normals @ names["run"].rotation(names["stone"])[-1].T
    assert normals[:, 2].min() == pytest.approx(-1.0, abs=1e-4)  # on a face


def test_robot(run: Any) -> None:
    names = run("robot")
    assert off(names) < 1e-9  # statically determinate
    rigid_faces = 3 * (names["width"] / 2 / names["length"]) * (1 - (1 - 0.33**2))  # stiffer over half a width
    mesh = 0.005  # measured by refinement
    assert -rigid_faces - mesh < names["sag"] / names["sag_by_hand"] - 1 < 0
    energy = names["run"].energy
    assert abs(energy.balance).max() < 1e-4 * abs(energy.work_drivers[-1])


def test_satellite(run: Any) -> None:
    names = run("satellite")
    assert off(names) < 5e-4  # of second order in 32 elements along: 2.9e-4
    p, L = names["run"].momentum()
    at = names["run"].t
    assert abs(L[at >= 4.2]).max() < 1e-4 * abs(L).max()  # the pulses cancel
    assert L[np.argmin(abs(at - 1.5)), 1] == pytest.approx(20.0 * 1.4, rel=1e-4)  # torque times time, less half a ramp
    assert abs(p).max() < 1e-6 * abs(L).max()


def test_crane(run: Any) -> None:
    names = run("crane")
    weight = names["g"] * (names["load_mass"] + names["rope"].mass_per_length * names["length"] / 2)
    stretched = weight / 2e7
    assert off(names) == pytest.approx(stretched / 2, abs=2e-5)  # the rest: bending of the cable
    energy = names["run"].energy
    assert abs(energy.balance).max() < 1e-4 * energy.kinetic.max()


def test_rotor(run: Any) -> None:
    names = run("rotor")
    assert off(names) < 1e-4
    by_hand = np.array([names["whirling_by_hand"](spin) for spin in names["speeds"]])
    lowest = np.sort(names["diagram"].angular_frequencies, axis=1)
    assert np.allclose(lowest, by_hand, rtol=1e-4)
    backward, forward = lowest.T
    assert backward[-1] < 0 < forward[0]
    assert (np.diff(backward) > 0).all()  # both are dragged along with the spin
    assert (np.diff(forward) > 0).all()


def test_half_car(run: Any) -> None:
    names = run("half_car")
    assert off(names) < 1e-9  # the same four equations
    history = names["run"]
    assert history.force("front bump stop").force.min() < -1e3  # the stop was met
    assert abs(history.energy.balance).max() < 1e-3 * history.energy.work_drivers[-1]


def test_arrow(run: Any) -> None:
    names = run("arrow")
    axial = 0.15 * names["by_hand"] / names["elements"] ** 2  # the axial force is constant in each element
    assert off(names) < axial
    assert names["buckling"].factors[1] == pytest.approx(56.466, rel=1e-3)
    lowest, second = np.sort(names["squares"])[:, :2].T  # the turn of the whole arrow grows at any push
    assert (lowest < 0).all()
    assert second[0] == pytest.approx(0.0, abs=1e-6)


def test_isolation(run: Any) -> None:
    names = run("isolation")
    assert off(names) < (names["rate"] * names["period"] / 4) ** 2  # second order in the step
    shaken, still = (abs(names["run"].acceleration(names[body])[:, 1]) for body in ("base", "platform"))
    assert still[400:].max() < 0.1 * shaken[400:].max()


def test_vibrator(run: Any) -> None:
    names = run("vibrator")
    error = abs(names["place"] - names["exact"]).max() / abs(names["exact"]).max()
    assert error < 2e-3  # of second order in the step: 8.3e-4
    assert off(names) < error


def test_pile(run: Any) -> None:
    with pytest.warns(fx.AccuracyWarning, match="'touch': .* lasted . steps"):  # as the page says
        names = run("pile")
    assert off(names) < 0.02  # the balls still turn a little; what they do exactly is another thing on every processor
    ends = np.array([names["run"].position(ball)[-1] for ball in names["balls"]])
    assert (ends[:, 2] > 0.9 * names["radius"]).all()
    assert (np.hypot(ends[:, 0], ends[:, 1]) + 0.9 * names["radius"] < names["drum"]).all()


def test_leaf_spring(run: Any) -> None:
    names = run("leaf_spring")
    spread = (2 * names["EI"] / names["normal"].stiffness) ** 0.25 / names["length"]
    assert 0.0 < names["found"] / names["by_hand"] - 1 < spread  # the page: in proportion to it, 3 % here


def test_crawler(run: Any) -> None:
    names = run("crawler")
    assert abs(names["found"] - names["by_hand"]) < 0.35  # a step in degrees
    ends = [names["run"].position(at)[-1] for at in (names["masses"]["A1"], names["masses"]["A2"])]
    turned = np.arctan2(*(ends[1] - ends[0])[1::-1])
    assert turned == pytest.approx(-0.7141497, abs=5e-3)  # by least dissipation


def test_predictive(run: Any) -> None:
    names = run("predictive")
    legs = 8e-5 * 9.81 * 0.2  # at most
    assert off(names) < legs / names["by_hand"] + 1e-3  # the work is summed up by the steps
    heights = names["run"].position(names["platform"])[:, 1]
    assert abs(heights[-1] - 0.1) < 2e-4
    wanted = np.array([names["path"](t)[1] for t in names["run"].t])
    assert 1e-4 < abs(heights - wanted).max() < 0.01


def test_strip(run: Any) -> None:
    names = run("strip")
    assert off(names) < (np.pi / names["cells"]) ** 2 / 12  # straight lines between the nodes
    frequencies = np.array(names["frequencies"])
    assert (np.diff(frequencies, axis=0) < 0).all()


def test_tether(run: Any) -> None:
    names = run("tether")
    assert off(names) < (names["found"] / names["length"]) ** 2 + 1e-4  # the formula is linear
    energy = names["run"].energy
    assert abs(energy.balance).max() < 2e-3 * energy.work_loads.max()


def test_pole(run: Any) -> None:
    names = run("pole")
    assert off(names) < (names["delta"] / names["length"]) ** 2 + 1e-3  # of higher order in the shortening and the bow
    energy = names["run"].energy
    assert abs(energy.balance).max() < 1e-3 * energy.kinetic.max()


def test_cell(run: Any) -> None:
    names = run("cell")
    late = (names["rate"] * 1e-3) ** 2 / 2  # the motion is prescribed; a state lies within half a step of the peak
    assert off(names) < 0.03 * late  # the quill carries that part of the force


def test_reflector(run: Any) -> None:
    names = run("reflector")
    assert off(names) < 1e-4  # of second order in the step
    assert np.min(names["rods"], axis=0)[-1] > 0.99 * names["side"]


def test_muscles(run: Any) -> None:
    names = run("muscles")
    assert off(names) < 1e-9
    lowest = [np.degrees(names["run"].angle("forearm")).min()]
    assert -12.0 < lowest[0] < 0.0  # with full contraction the weight moves the elbow least


def test_multilink(run: Any) -> None:
    names = run("multilink")
    assert off(names) < 1e-9
    assert names["locked"].kind == "turning point"


def test_engine(run: Any) -> None:
    names = run("engine")
    angle = 4 * np.pi / 720
    assert off(names) < angle  # the force jumps at ignition and at the end of the exhaust: of first order
    rates = names["start"].angular_velocity("shaft")[:, 2]
    assert len(names["start"].events) >= 2
    assert rates[-1] > 400 * np.pi / 30  # it runs on without the starter


def test_occupant(run: Any) -> None:
    names = run("occupant")
    assert names["freedoms"] == 66
    assert off(names) < 1e-3  # trapezoids over forces that rise within some steps
    assert all(names["run"].force(belt.name).force.min() >= 0.0 for belt in names["belts"])


def test_road_profile(run: Any) -> None:
    names = run("road_profile")
    assert off(names) < 1e-9
    assert (np.diff(names["match"].errors) < 0).all()
    assert names["match"].errors[2] < 0.1


def test_redundant(run: Any) -> None:
    names = run("redundant")
    assert off(names) < 1e-9


def test_dummy(run: Any) -> None:
    names = run("dummy")
    assert off(names) < 1e-9
    balance = names["run"].energy.balance
    assert abs(balance).max() < 0.02 * abs(names["run"].energy.work_drivers).max()


def test_hanging_chain(run: Any) -> None:
    names = run("hanging_chain")
    assert off(names) < 1e-3  # links that bend little
    rope = np.array([2.404826, 5.520078, 8.653728]) / 2 * np.sqrt(9.81 / 4) / (2 * np.pi)
    assert np.allclose(names["modes"].frequencies, rope, rtol=1e-2)


def test_mixed(run: Any) -> None:
    names = run("mixed")
    assert off(names) < 1e-5  # of second order in the step
    assert names["unknowns"] == [6 + a * b for a, b in names["sizes"]]


def test_impedance(run: Any) -> None:
    names = run("impedance")
    assert off(names) < (names["omega"] * 2e-3) ** 2


def test_drilling(run: Any) -> None:
    names = run("drilling")
    assert off(names) < 1e-9
    assert np.allclose(names["sensitivity"], 2 * np.cos(names["turns"]) ** 2, atol=1e-12)


def test_logarithmic_norm(run: Any) -> None:
    names = run("logarithmic_norm")
    assert off(names) < 1e-9
    assert names["linear"].logarithmic_norm(names["metric"]) < 0


def test_three_forms(run: Any) -> None:
    names = run("three_forms")
    assert off(names) < 1e-4  # of second order in the step: 1.1e-5
    slides = [line.get_ydata() for line in names["axes"].lines]
    assert max(abs(np.subtract(slide, slides[0])).max() for slide in slides) < 1e-4


def test_moving_frames(run: Any) -> None:
    names = run("moving_frames")
    wave = names["density"] * (names["spin"] * names["crank"]) ** 2 / names["young"]
    assert off(names) < 10 * wave  # centrifugal softening
    t, h = 0.013, 1e-5
    D, changed = names["system"](t)[1], (names["system"](t + h)[0] - names["system"](t - h)[0]) / h
    assert abs(D + D.T - changed).max() < 1e-5 * abs(D).max()  # what is left is antisymmetric
