"""Animations: what is drawn is where the points are, at the right times; files hold the right number of frames."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import animation as films
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

import flexmbs as fx
from flexmbs.visualization import style
from flexmbs.visualization.animation import animate, draw_frame
from flexmbs.visualization.frames import frame_rows
from flexmbs.visualization.scene import FLEXIBLE, GROUND, POINT, Line, Scene, Stroke, still, wireframe
from flexmbs.visualization.scene_drawing import SceneAxes

T = np.linspace(0.0, 1.0, 21)
TIP = np.column_stack((np.cos(3 * T), np.sin(3 * T)))[:, None]
ROD = np.concatenate((np.zeros((21, 1, 2)), TIP), axis=1)


def scene(spatial: bool = False, **options: Any) -> Scene:
    def lifted(points: np.ndarray) -> np.ndarray:
        return np.concatenate((points, 0.3 * points[:, :, :1] if spatial else 0.0 * points[:, :, :1]), axis=2)

    lines = [
        Line(
            "ground", lifted(still(21, [(-0.2, -0.1), (0.2, -0.1), (np.nan, np.nan), (0.4, 0.0), (0.5, 0.0)])), GROUND
        ),
        Line("rod", lifted(ROD), FLEXIBLE),
        Line("tip", lifted(TIP), POINT, trail=True),
    ]
    return Scene(T, lines, **{"title": "swing"} | options)


def drawn(axes: Any, label: str) -> np.ndarray:
    (line,) = (line for line in axes.lines if line.get_label() == label)
    return np.array(line.get_data_3d() if axes.name == "3d" else line.get_data()).T


@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize("step", [0, 13, -1])
def test_points_are_drawn_where_they_are(step: int, spatial: bool) -> None:
    axes = draw_frame(scene(spatial), step)
    assert axes.name == ("3d" if spatial else "rectilinear")
    np.testing.assert_array_equal(drawn(axes, "rod")[:, :2], ROD[step])
    np.testing.assert_array_equal(drawn(axes, "tip")[:, :2], TIP[step])
    if spatial:
        np.testing.assert_array_equal(drawn(axes, "rod")[:, 2], 0.3 * ROD[step, :, 0])
    assert axes.get_xlabel() == "x [m]"
    assert f"t = {T[step]:.3f} s" in {text.get_text() for text in axes.texts}


def test_scales_are_equal_and_hold_all_states() -> None:
    axes = draw_frame(scene())
    assert axes.get_aspect() == 1.0
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    assert x0 < TIP[:, 0, 0].min() < 1.0 < x1
    assert y0 < -0.1 < 1.0 < y1
    axes = draw_frame(scene(spatial=True))
    box = np.array(axes._box_aspect)
    np.testing.assert_allclose(box / box[0], np.ptp([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()], axis=1)
                               / np.ptp(axes.get_xlim()), rtol=1e-12)  # fmt: skip


@pytest.mark.parametrize(("trail", "first"), [(None, 0), (0.2, 6), (0.0, 10)])
def test_traces_go_back_as_long_as_asked(trail: float | None, first: int) -> None:
    axes = draw_frame(scene(), 10, trail=trail)
    expected = TIP[first:11, 0]
    assert any(np.array_equal(np.array(line.get_data()).T, expected) for line in axes.lines)


def test_depth_is_left_out_on_request() -> None:
    axes = draw_frame(scene(spatial=True, flat=True), 4)
    assert axes.name == "rectilinear"
    np.testing.assert_array_equal(drawn(axes, "rod"), ROD[4])
    with pytest.raises(fx.ModelError, match="flat must be True or False"):
        scene(flat=1)


def test_own_axes_are_used_and_must_fit() -> None:
    plane = Figure().subplots()
    assert draw_frame(scene(), ax=plane) is plane
    space = Figure().add_subplot(projection="3d")
    assert draw_frame(scene(spatial=True), ax=space) is space
    with pytest.raises(fx.ModelError, match="needs plane axes"):
        draw_frame(scene(), ax=space)
    with pytest.raises(fx.ModelError, match="needs axes made with projection='3d'"):
        draw_frame(scene(spatial=True), ax=plane)
    with pytest.raises(fx.ModelError, match="ax must be matplotlib axes"):
        draw_frame(scene(), ax=3)


def test_wireframe_follows_the_pose() -> None:
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    corners = [(1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 3.0)]
    line = wireframe(corners, [(0, 1), (2, 0)], [(0.0, 0.0, 0.0), (5.0, 0.0, 0.0)], [np.eye(3), turn])
    assert line.shape == (2, 6, 3)
    np.testing.assert_array_equal(line[0, [0, 1, 3, 4]], [corners[0], corners[1], corners[2], corners[0]])
    np.testing.assert_array_equal(line[1, [0, 1, 3, 4]], [(5, 1, 0), (3, 0, 0), (5, 0, 3), (5, 1, 0)])
    assert np.isnan(line[:, [2, 5]]).all()


@pytest.mark.parametrize(
    ("times", "interval", "expected"),
    [
        ([0.0, 1.0, 2.0], 0.5, [0, 0, 1, 1, 2]),
        ([0.0, 0.1, 1.0], 0.4, [0, 1, 2]),
        ([3.0], 0.1, [0]),
        ([1.0, 2.0], 3.0, [0]),
    ],
)
def test_frames_show_the_nearest_states(times: list[float], interval: float, expected: list[int]) -> None:
    assert frame_rows("film", np.array(times), interval).tolist() == expected


def test_gif_has_all_frames_with_the_colours_of_the_lines(tmp_path: Path) -> None:
    path = animate(scene(), tmp_path / "a.gif", speed=0.5, fps=5, dpi=40)
    with Image.open(path) as picture:
        assert picture.n_frames == 11
        assert picture.info["duration"] == 200
        assert picture.info["loop"] == 0
        picture.seek(10)
        colours = {c for _, c in picture.convert("RGB").getcolors(1 << 16)}
    assert (255, 255, 255) in colours
    assert (0x1F, 0x5F, 0xA8) in colours  # the rod
    assert (0xC4, 0x57, 0x0A) in colours  # its tip
    assert [p.name for p in tmp_path.iterdir()] == ["a.gif"]


@pytest.mark.parametrize(
    ("span", "seconds", "said"),
    [(0.02, 10.2, "(0.002 × real time)"), (3.0, 3.2, ""), (1e4, 10.2, "(1000 × real time)")],
)
def test_films_take_some_seconds(
    span: float, seconds: float, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a speed, real time from 2 s to 10 minutes and otherwise 10 s here; the last frame stays for 0.2 s."""
    texts = []
    shown = SceneAxes.show

    def show(self: SceneAxes, *at: Any) -> None:
        shown(self, *at)
        texts.append(self._time.get_text())

    monkeypatch.setattr(SceneAxes, "show", show)
    path = animate(Scene(np.linspace(0.0, span, 21), scene().lines), tmp_path / "a.gif", fps=5, dpi=30)
    duration = 0.0
    with Image.open(path) as film:
        for i in range(film.n_frames):  # equal frames are one that stays longer
            film.seek(i)
            duration += 1e-3 * film.info["duration"]
    assert duration == pytest.approx(seconds, rel=1e-9)
    assert texts[-1].endswith(said)
    assert ("real time" in texts[-1]) == bool(said)


def test_a_single_state_of_points_that_coincide_is_drawn(tmp_path: Path) -> None:
    one = Scene([0.0], [Line("p", np.zeros((1, 1, 3)), POINT)])
    with Image.open(animate(one, tmp_path / "a.gif", dpi=30)) as picture:
        assert getattr(picture, "n_frames", 1) == 1


def test_film_without_ffmpeg_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(films.writers, "is_available", lambda name: False)
    with pytest.raises(fx.FlexmbsError, match=r"a\.mp4 needs the program ffmpeg, which is not installed; take a \.gif"):
        animate(scene(), tmp_path / "a.mp4")


def test_failure_of_ffmpeg_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing:
        def __init__(self, **options: Any) -> None:
            assert options["codec"] == "h264"

        def saving(self, *_: Any) -> Any:
            raise subprocess.CalledProcessError(1, "ffmpeg", stderr="Unknown encoder")

    monkeypatch.setattr(films.writers, "is_available", lambda name: True)
    monkeypatch.setattr(films, "FFMpegWriter", Failing)
    with pytest.raises(fx.FlexmbsError, match="ffmpeg failed: 'Unknown encoder'"):
        animate(scene(), tmp_path / "a.mp4")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not films.writers.is_available("ffmpeg"), reason="needs ffmpeg")
def test_film_is_written(tmp_path: Path) -> None:
    path = animate(scene(), tmp_path / "a.mp4", fps=10, dpi=41)
    assert path.read_bytes()[4:8] == b"ftyp"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"speed": 0.0}, "speed must be greater than 0"),
        ({"speed": 1e-9}, "there would be .* frames, more than"),
        ({"fps": -1.0}, "fps must be greater than 0"),
        ({"dpi": 1.0}, "dpi must be at least 20"),
        ({"trail": -1.0}, "trail must be at least 0"),
    ],
)
def test_wrong_options_are_refused(options: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(fx.ModelError, match=message):
        animate(scene(), tmp_path / "a.gif", **options)
    assert not list(tmp_path.iterdir())


def test_odd_arguments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(fx.ModelError, match=r"must end in \.mp4 or \.gif"):
        animate(scene(), tmp_path / "a.avi")
    for wrong in (3, [TIP]):
        with pytest.raises(fx.ModelError, match="expected a Scene"):
            animate(wrong, tmp_path / "a.gif")  # type: ignore[arg-type]
    for step in (21, -22, 1.5, True):
        with pytest.raises(fx.ModelError, match="step must be a whole number from 0 to 20"):
            draw_frame(scene(), step)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0, 0.0], [Line("", TIP[:2])]), "times must ascend"),
        (([], [Line("", TIP[:0])]), "times must ascend"),
        ((T, []), "lines must be a sequence of Line"),
        ((T, [TIP]), "lines must be a sequence of Line"),
        ((T, [Line("a", TIP[:3])]), r"'a' must have the shape"),
        ((T, [Line("a", TIP), Line("b", np.zeros((21, 1, 3)))]), r"'b' must have the shape"),
        ((T, [Line("a", np.full((21, 2, 2), np.nan))]), "there is no point to draw"),
    ],
)
def test_wrong_scenes_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        Scene(*arguments)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Line("a", np.zeros((2, 3))), "points must be an array"),
        (lambda: Line("a", np.zeros((2, 3, 4))), "points must be an array"),
        (lambda: Line("a", np.full((1, 1, 2), np.inf)), "points must be an array"),
        (lambda: Line("a", "text"), "points must be an array"),  # type: ignore[arg-type]
        (lambda: Line(3, TIP), "label must be a string"),  # type: ignore[arg-type]
        (lambda: Line("a", TIP, "red"), "stroke must be a Stroke"),  # type: ignore[arg-type]
        (lambda: Stroke("no colour"), "colour must be a colour"),
        (lambda: Stroke(width=-1.0), "width must be at least 0"),
        (
            lambda: wireframe(np.zeros((2, 3)), [(0, 2)], np.zeros((1, 3)), [np.eye(3)]),
            "edges must join corners 0 to 1",
        ),
        (lambda: wireframe(np.zeros((2, 3)), [(0, 1)], np.zeros((2, 3)), [np.eye(3)]), "rotation must have shape"),
    ],
)
def test_wrong_lines_are_refused(make: Any, message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        make()


@pytest.mark.parametrize("spatial", [False, True])
def test_frames_on_a_picture_of_what_stays_are_whole_drawings(spatial: bool, tmp_path: Path) -> None:
    """A film draws what moves alone; its frames differ from whole ones by the palette, and where axes lie on lines."""
    moving = scene(spatial)
    path = animate(moving, tmp_path / "a.gif", speed=1.0, fps=10, dpi=120)
    figure = Figure(figsize=SceneAxes.size(moving), dpi=120, layout="constrained")
    canvas = FigureCanvasAgg(figure)
    with mpl.rc_context(style.RC):
        whole = SceneAxes(moving, figure)
        whole.settle()
        for number, step in ((0, 0), (7, 14)):
            whole.show(step, np.inf)
            canvas.draw()
            known = np.asarray(canvas.buffer_rgba())[:, :, :3].astype(int)
            with Image.open(path) as picture:
                picture.seek(number)
                found = np.asarray(picture.convert("RGB")).astype(int)
            off = np.abs(found - known).max(axis=2)
            assert (off > 24).mean() < 1e-3
            assert (off > 0).mean() < 0.25
            # and the picture is not empty: the rod is there in its colour
            blue = [int((np.abs(x - (0x1F, 0x5F, 0xA8)).max(axis=2) < 12).sum()) for x in (known, found)]
            assert blue[0] > 50
            assert blue[1] == pytest.approx(blue[0], rel=0.1)


@pytest.mark.parametrize(
    ("over", "unit", "speed", "text"),
    [
        ("t", "s", 1.0, "t = 0.000 s"),
        ("t", "s", 0.1, "t = 0.000 s   (0.1 × real time)"),
        ("load factor", "-", 0.002, "load factor = 0.000   (0.002 of load factor per second)"),
        ("angle", "rad", 0.5, "angle = 0.000 rad   (0.5 rad of angle per second)"),
    ],
)
def test_the_picture_says_how_fast_the_film_is(over: str, unit: str, speed: float, text: str) -> None:
    axes = SceneAxes(scene(over=over, time_unit=unit), Figure(), speed=speed)
    axes.show(0, np.inf)
    assert text in {t.get_text() for t in axes.axes.texts}
