"""The page that plays a motion: in itself, and in headless Chromium by what it draws, against the motion."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.linear.stresses import largest_at_nodes, von_mises
from tests.models.floating import bar, layered_bar
from tests.models.glb_reader import parse

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WIDE, TALL = 900, 600
RUBBER = fx.Elastic(youngs_modulus=2e6, density=1000.0, poissons_ratio=0.3)
browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")


@pytest.fixture(scope="module")
def run() -> fx.TimeSolution:
    """A sheet that swings, a disc that flies, a box that stays."""
    sheet = fx.FlexibleBody.plate((1.0, 0.6), elements=(4, 2), element=fx.elements.ANCFShell(),
                                  section=fx.ShellSection(0.02), material=RUBBER, name="sheet <1>")  # fmt: skip
    ball = fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(-1.0, 0.3, 0.0), velocity=(0.0, 0.0, 4.0), name="ball")
    gravity = fx.Gravity((0, 0, -9.81))
    model = fx.Model(sheet, ball, fx.Clamp(sheet.set("left")), gravity, name="sheet & ball </script>")
    return fx.simulate(model, 0.4, step=2e-3, output=fx.Output(every=1e-2))


@pytest.fixture(scope="module")
def page(run: fx.TimeSolution, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fx.view(run, tmp_path_factory.mktemp("page") / "run.html", speed=1.0, progress=False).path


def carried(page: Path) -> tuple[dict[str, Any], list[Any]]:
    """The glTF file that a page holds."""
    found = re.search(r'id="glb"[^>]*>([^<]*)</script>', page.read_text())
    assert found is not None
    return parse(base64.b64decode(found[1]))


def test_page_needs_nothing_else(page: Path, run: fx.TimeSolution) -> None:
    text = page.read_text()
    assert not re.search(
        r"https?:|src=|href=|@import|url\(|import\s*\(|fetch\(", re.sub(r">[A-Za-z0-9+/=]{1000,}<", "><", text)
    )
    title = re.search(r"<title>([^<]*)</title>", text)
    assert title is not None
    assert unescape(title[1]) == run.model.name
    assert text.count("</script>") == 2
    said, _ = carried(page)
    about = said["asset"]["extras"]["flexmbs"]
    assert (about["length"], about["time"], about["stress"]) == ("m", "s", "N/m²")
    assert about["flat"] is False
    assert [node["name"] for node in said["nodes"][1:]] == ["sheet <1>", "ball"]


@pytest.mark.filterwarnings("ignore:.*Without geometric")
def test_stresses_at_key_frames(tmp_path: Path) -> None:
    body = fx.FloatingBody(bar(RUBBER, modes=1, stresses=True), reference="left", name="bar")
    hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    run = fx.simulate(fx.Model(body, hinge, fx.Gravity((0, 0, -9.81))), 0.2, step=2e-3, output=fx.Output(every=1e-2))
    said, arrays = carried(fx.view(run, tmp_path / "x.html", speed=1.0, progress=False).path)
    mesh = said["meshes"][0]
    known = von_mises(run.stresses("bar"), body.reduced.stress_names)
    found = arrays[mesh["extras"]["levels"]].reshape(-1, known.shape[1]).astype(float)
    times = arrays[said["animations"][0]["samplers"][0]["input"]][:, 0]
    rows = [int(np.argmin(np.abs(run.t - t))) for t in times]
    assert len(found) == len(rows)
    assert mesh["extras"]["peak"] == pytest.approx(known[rows].max(), rel=1e-6)
    # the mesh is a block of cells all of whose nodes lie on its surface, in their order
    assert (
        np.abs((found - 1.0) / 254.0 * mesh["extras"]["peak"] - known[rows]).max() <= 0.51 / 254.0 * known[rows].max()
    )


def test_the_larger_stress_of_a_border_is_shown(tmp_path: Path) -> None:
    body = fx.FloatingBody(layered_bar(), reference="left", name="bar")
    hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    run = fx.simulate(fx.Model(body, hinge, fx.Gravity((0, 0, -9.81))), 0.02, step=2e-3)
    said, arrays = carried(fx.view(run, tmp_path / "x.html", speed=1.0, progress=False).path)
    known = largest_at_nodes(body.reduced.stress_nodes, von_mises(run.stresses("bar"), body.reduced.stress_names), 30)
    found = arrays[said["meshes"][0]["extras"]["levels"]].reshape(-1, 30).astype(float)
    peak = said["meshes"][0]["extras"]["peak"]
    times = arrays[said["animations"][0]["samplers"][0]["input"]][:, 0]
    rows = [int(np.argmin(np.abs(run.t - t))) for t in times]
    assert peak == pytest.approx(known[rows].max(), rel=1e-6)
    assert np.abs((found - 1.0) / 254.0 * peak - known[rows]).max() <= 0.51 / 254.0 * peak


def chromium(page: Path, asked: str, folder: Path) -> tuple[Any, Any]:
    """The camera (4, 4) of the page, and its picture (TALL, WIDE, 3)."""
    from PIL import Image

    picture = folder / "shot.png"
    done = subprocess.run(
        [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader",
         "--enable-unsafe-swiftshader", "--hide-scrollbars", f"--window-size={WIDE},{TALL}", "--enable-logging=stderr",
         f"--user-data-dir={folder / 'profile'}", f"--screenshot={picture}", f"{page.as_uri()}#{asked}&report"],
        capture_output=True, timeout=120, check=True,
    )  # fmt: skip
    said = [json.loads(text) for text in re.findall(r"report (\{.*?\}) end", done.stderr.decode())]
    assert said
    assert said[-1]["size"] == [WIDE, TALL]
    assert all(one["failure"] == 0 for one in said)
    return np.array(said[-1]["camera"]), np.asarray(Image.open(picture).convert("RGB")).astype(float)


def seen(camera: Any, points: Any) -> Any:
    """Columns and rows of the picture where points (n, 3) of the model are."""
    clip = np.column_stack((points, np.ones(len(points)))) @ camera.T
    x, y = (clip[:, :2] / clip[:, 3:]).T
    return np.rint(np.column_stack(((x + 1.0) / 2.0 * WIDE, (1.0 - y) / 2.0 * TALL)) - 0.5).astype(int)


def on_sheet(run: fx.TimeSolution, row: int, n: int) -> Any:
    """Points (n_p, 3) of the sheet inside its elements."""
    sheet = run.model.body("sheet <1>")
    where = sheet.natural(n)
    where = where[(np.abs(where) < 0.9).all(axis=1)]
    return sheet.element.positions(run.system.group(sheet), np.array(run.q[row]), where).reshape(-1, 3)


@browser
@pytest.mark.parametrize(("theme", "t"), [("light", 0.1), ("dark", 0.35)])
def test_bodies_are_drawn_where_they_are(
    page: Path, run: fx.TimeSolution, tmp_path: Path, theme: str, t: float
) -> None:
    said, arrays = carried(page)
    times = arrays[said["animations"][0]["samplers"][0]["input"]][:, 0]
    t = float(times[np.argmin(np.abs(times - t))])
    back = np.array({"light": (0xF2, 0xF4, 0xF7), "dark": (0x11, 0x17, 0x1E)}[theme], dtype=float)
    camera, picture = chromium(page, f"t={t}&theme={theme}&colour=part&bare", tmp_path)
    row = int(np.argmin(np.abs(run.t - t)))
    drawn = np.abs(picture - back).max(axis=2) > 8.0
    ball, points = run.position("ball"), on_sheet(run, row, 9)
    [disc] = seen(camera, ball[[row]])
    assert drawn[disc[1] - 3 : disc[1] + 4, disc[0] - 3 : disc[0] + 4].all()
    assert np.abs(seen(camera, ball[[0]])[0] - disc).max() > 20  # it has moved by more than what is looked at
    x, y = seen(camera, points).T
    assert drawn[y, x].all()
    # and nothing else: every pixel that is drawn is near a point of a body
    pixels = np.array(np.nonzero(drawn))[::-1].T[::53]
    radius = np.linalg.norm(seen(camera, ball[row] + 0.1 * np.eye(3)) - disc, axis=1).max() + 3.0
    off = np.linalg.norm(pixels - disc, axis=1) > radius
    near = np.array([np.linalg.norm(np.column_stack((x, y)) - p, axis=1).min() for p in pixels[off]])
    assert off.sum() > 20
    assert near.max() < 0.05 * WIDE


@browser
def test_colours_are_displacements(page: Path, run: fx.TimeSolution, tmp_path: Path) -> None:
    said, arrays = carried(page)
    times = arrays[said["animations"][0]["samplers"][0]["input"]][:, 0]
    t = float(times[-3])
    camera, picture = chromium(page, f"t={t}&colour=displacement&bare", tmp_path)
    row = int(np.argmin(np.abs(run.t - t)))
    size = np.linalg.norm(on_sheet(run, row, 9) - on_sheet(run, 0, 9), axis=1)
    sheet = run.model.body("sheet <1>")
    corners = [sheet.element.positions(run.system.group(sheet), np.array(q), sheet.natural(2)) for q in run.q]
    rows = [int(np.argmin(np.abs(run.t - time))) for time in times]
    top = max(float(np.linalg.norm(corners[k] - corners[0], axis=2).max()) for k in rows)
    stops = re.search(r"VIRIDIS = (\[.*?\]\]);", page.read_text(), re.DOTALL)
    assert stops is not None
    ramp = np.array(json.loads(stops[1]), dtype=float)
    colour = np.stack([np.interp(size / top, np.linspace(0, 1, 9), c) for c in ramp.T], axis=1)
    x, y = seen(camera, on_sheet(run, row, 9)).T
    found = picture[y, x]
    shade = (found * colour).sum(axis=1) / (colour * colour).sum(axis=1)
    assert ((shade > 0.5) & (shade < 1.1)).all()
    # half a pixel, and flat squares in place of the surface, move the colours by a few levels of 255
    assert np.abs(found - shade[:, None] * colour).max() < 12.0
    assert np.ptp(size) > 0.3 * top


@browser
def test_deformations_are_enlarged(tmp_path: Path) -> None:
    body = fx.LinearBody(bar(RUBBER, modes=1), fixed="left", name="bar")
    gravity = fx.Gravity((0.0, 0.0, -0.5))
    run = fx.simulate(fx.Model(body, gravity, name="bar"), 0.3, step=2e-3, output=fx.Output(every=1e-2))
    page = fx.view(run, tmp_path / "x.html", speed=1.0, factor=7.0, progress=False).path
    said, arrays = carried(page)
    t = float(arrays[said["animations"][0]["samplers"][0]["input"]][-1, 0])
    row = int(np.argmin(np.abs(run.t - t)))
    rest, moved = np.asarray(body.reduced.points), run.deformed("bar", [row])[0]
    ends = np.linalg.norm(rest - (1.0, 0.0, 0.0), axis=1) < 0.2
    known = rest + 7.0 * (moved - rest)
    camera, picture = chromium(page, f"t={t}&colour=displacement&bare&theme=light&view=front", tmp_path)
    drawn = np.abs(picture - (0xF2, 0xF4, 0xF7)).max(axis=2) > 8.0
    x, y = seen(camera, known[ends].mean(axis=0)[None])[0]
    assert drawn[y - 2 : y + 3, x - 2 : x + 3].all()
    x, y = seen(camera, moved[ends].mean(axis=0)[None])[0]
    assert not drawn[y, x]
    low, high = drawn.any(axis=0).nonzero()[0][[0, -1]]
    columns = seen(camera, known)[:, 0]
    assert (low, high) == pytest.approx((columns.min(), columns.max()), abs=2)


CONTROLS = """
const told = {}, key = (name) => dispatchEvent(new KeyboardEvent("keydown", { key: name }));
const drawn = () => {  // pixels that are not of the background
  draw();
  const n = canvas.width * canvas.height, all = new Uint8Array(4 * n);
  gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, all);
  let count = 0;
  for (let i = 0; i < n; i++) count += Math.abs(all[4 * i] - all[0]) + Math.abs(all[4 * i + 1] - all[1]) > 6;
  return count;
};
told.playing = [state.playing];
key(" ");
told.playing.push(state.playing);
$("time").value = 0.2;
$("time").dispatchEvent(new Event("input"));
draw();
told.slid = [state.now, $("clock").textContent];
key("ArrowRight");
told.next = [state.now, times.find((t) => t > 0.2)];
const boxes = [...document.querySelectorAll("#list input")];
told.names = [...document.querySelectorAll("#list label")].map((x) => x.textContent);
told.all = drawn();
boxes[1].click();
told.one = drawn();
boxes[0].click();
told.none = drawn();
boxes.forEach((box) => box.click());
told.again = drawn();
$("colour").value = "part";
$("colour").dispatchEvent(new Event("change"));
told.plain = $("legend").hidden;
$("colour").value = "displacement";
$("colour").dispatchEvent(new Event("change"));
told.legend = [$("legend").hidden, $("quantity").textContent, [...$("ticks").children].map((x) => x.textContent)];
told.factor = $("factorlabel").hidden;
const before = [state.distance, state.yaw];
canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -100 }));
canvas.setPointerCapture = () => {};
canvas.dispatchEvent(new PointerEvent("pointerdown", { pointerId: 1, clientX: 10, clientY: 10 }));
canvas.dispatchEvent(new PointerEvent("pointermove", { pointerId: 1, clientX: 30, clientY: 10 }));
canvas.dispatchEvent(new PointerEvent("pointerup", { pointerId: 1, clientX: 30, clientY: 10 }));
told.moved = [state.distance / before[0], state.yaw - before[1]];
const theme0 = document.documentElement.dataset.theme;
$("theme").click();
told.theme = [theme0, document.documentElement.dataset.theme];
document.body.append(Object.assign(document.createElement("pre"), { id: "said", textContent: JSON.stringify(told) }));
"""


def dom(page: Path, folder: Path, *more: str, asked: str = "") -> str:
    """The page as it is after a while."""
    done = subprocess.run(
        [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader",
         "--enable-unsafe-swiftshader", f"--user-data-dir={folder / 'profile'}", "--dump-dom", *more,
         f"{page.as_uri()}#{asked}"],
        capture_output=True, timeout=120, check=True,
    )  # fmt: skip
    return done.stdout.decode()


@browser
def test_controls(page: Path, tmp_path: Path) -> None:
    tried = tmp_path / "tried.html"
    tried.write_text(page.read_text().replace("</body>", f"<script>{CONTROLS}</script></body>"))
    found = re.search(r'<pre id="said">([^<]*)</pre>', dom(tried, tmp_path))
    assert found is not None
    said = json.loads(unescape(found[1]))
    assert said["playing"] == [True, False]
    assert said["slid"] == [0.2, "t = 0.2000 s"]
    assert said["next"][0] == pytest.approx(said["next"][1], abs=1e-6)
    assert said["names"] == ["sheet <1>", "ball"]
    assert said["all"] > said["one"] > said["none"] == 0
    assert said["again"] == said["all"]
    assert said["plain"] is True
    assert said["legend"][:2] == [False, "displacement [m]"]
    assert float(said["legend"][2][2]) == pytest.approx(2.0 * float(said["legend"][2][1]), rel=0.02)
    assert said["factor"] is False  # the sheet can be enlarged
    assert said["moved"] == pytest.approx([np.exp(-0.15), -0.14], rel=1e-6)
    assert set(said["theme"]) == {"light", "dark"}


@browser
def test_it_plays(page: Path, tmp_path: Path) -> None:
    for asked, moves in (("", True), ("t=0", False)):
        clock = re.search(r'id="clock">t = ([\d.]+) s', dom(page, tmp_path, "--virtual-time-budget=1000", asked=asked))
        assert clock is not None
        assert (float(clock[1]) > 0.0) is moves
        assert float(clock[1]) <= 0.4


@browser
def test_without_webgl_the_page_says_so(page: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--disable-3d-apis", "--dump-dom",
         f"--user-data-dir={tmp_path / 'profile'}", page.as_uri()],
        capture_output=True, timeout=120, check=True,
    )  # fmt: skip
    shown = re.search(rb'<p id="failure"([^>]*)>([^<]*)</p>', done.stdout)
    assert shown is not None
    assert b"hidden" not in shown[1]
    assert b"does not offer WebGL 2" in shown[2]


def test_mistakes(run: fx.TimeSolution, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"\.html"):
        fx.view(run, tmp_path / "x.glb", progress=False)
    with pytest.raises(ModelError, match="factor"):
        fx.view(run, tmp_path / "x.html", factor=-1.0, progress=False)
    (tmp_path / "x.html").write_text("mine")
    with pytest.raises(FlexmbsError, match="there already"):
        fx.view(run, tmp_path / "x.html", progress=False)
    assert (tmp_path / "x.html").read_text() == "mine"


@pytest.fixture(scope="module")
def swing(tmp_path_factory: pytest.TempPathFactory) -> tuple[fx.TimeSolution, Path]:
    """A soft pendulum that nothing clamps: most of its displacement is rigid motion."""
    beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(), material=RUBBER,
                                section=fx.Rectangle(width=0.04, height=0.04), name="rope")  # fmt: skip
    hinge = fx.RevoluteJoint(fx.ground, beam.start, at=(0, 0), name="hinge")
    model = fx.Model(beam, hinge, fx.Gravity((0, -9.81)), name="pendulum")
    run = fx.simulate(model, 0.5, step=2e-3, output=fx.Output(every=1e-2), progress=False)
    folder = tmp_path_factory.mktemp("swing")
    return run, fx.view(run, folder / "run.html", speed=1.0, progress=False).path


def rigid_fit(base: Any, points: Any) -> Any:
    """Where the rigid motion closest to the change of points takes them."""
    turn, _ = Rotation.align_vectors(points - points.mean(axis=0), base - base.mean(axis=0))
    return turn.apply(base - base.mean(axis=0)) + points.mean(axis=0)


def test_what_moves_as_a_whole_is_known(swing: tuple[fx.TimeSolution, Path], page: Path) -> None:
    run, path = swing
    said, arrays = carried(path)
    [mesh] = [mesh for mesh in said["meshes"] if mesh["name"] == "rope"]
    assert mesh["extras"]["rigid"] is True
    places, turns = (arrays[k] for k in mesh["extras"]["fits"])
    times = arrays[said["animations"][0]["samplers"][0]["input"]][:, 0]
    beam = run.model.body("rope")
    curve = [run.shape(beam, int(np.argmin(np.abs(run.t - t))), 9).reshape(-1, 3) for t in times]
    for k in (0, len(times) // 2, len(times) - 1):
        found = Rotation.from_quat(turns[k]).apply(curve[0]) + places[k]
        # the tube has its points at other places than the curve, so the fits differ by a share of the deformation
        bending = np.abs(curve[k] - rigid_fit(curve[0], curve[k])).max()
        np.testing.assert_allclose(found, rigid_fit(curve[0], curve[k]), atol=1e-6 + 0.1 * bending)
    said, _ = carried(page)  # of the clamped sheet all is deformation
    [sheet] = [mesh for mesh in said["meshes"] if mesh["name"] == "sheet <1>"]
    assert "fits" not in sheet["extras"]


@browser
def test_deformation_of_absolute_nodal_bodies_is_enlarged(swing: tuple[fx.TimeSolution, Path], tmp_path: Path) -> None:
    """What remains without the rigid motion grows; the motion as a whole stays."""
    run, path = swing
    said, arrays = carried(path)
    t = float(arrays[said["animations"][0]["samplers"][0]["input"]][-1, 0])
    row, beam = int(np.argmin(np.abs(run.t - t))), run.model.body("rope")
    first, now = (run.shape(beam, k, 9).reshape(-1, 3) for k in (0, row))
    still = rigid_fit(first, now)
    assert np.abs(now - still).max() > 0.01
    for factor in (1.0, 4.0):
        camera, picture = chromium(path, f"t={t}&colour=part&bare&theme=light&view=front&factor={factor}", tmp_path)
        drawn = np.abs(picture - (0xF2, 0xF4, 0xF7)).max(axis=2) > 8.0
        x, y = seen(camera, still + factor * (now - still)).T
        assert drawn[y, x].all()
    off = np.linalg.norm(seen(camera, still + 4.0 * (now - still)) - seen(camera, now), axis=1)
    assert off.max() > 12  # more than the width of the line, so that the first picture would not pass for the second


@browser
def test_rigid_motion_begins_with_the_colours_of_the_parts(
    swing: tuple[fx.TimeSolution, Path], page: Path, tmp_path: Path
) -> None:
    for path, chosen in ((swing[1], "part"), (page, "displacement")):
        text = dom(path, tmp_path, "--virtual-time-budget=500")
        [selected] = re.findall(r'<option value="(\w+)" selected="">(?:by part|displacement)', text)
        assert selected == chosen
