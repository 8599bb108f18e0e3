"""What notebooks show: HTML in itself with a picture that shows the model, and nothing is ever raised."""

from __future__ import annotations

import base64
import io
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from PIL import Image

import flexmbs as fx


class Shown(HTMLParser):
    """Texts by cell, sources of pictures; refuses what is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.sources: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self.sources.append(str(dict(attrs)["src"]))
            return
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "tr" in self.open:
            self.rows[-1].append(data)

    @property
    def pixels(self) -> Any:
        [source] = self.sources
        head, _, content = source.partition(",")
        assert head == "data:image/png;base64"
        return np.asarray(Image.open(io.BytesIO(base64.b64decode(content))).convert("RGB")).astype(int)


def near(pixels: Any, colour: tuple[int, int, int]) -> int:
    return int((np.abs(pixels - colour).max(axis=2) < 48).sum())


def strip(name: str = "strip <1>") -> fx.Model:
    beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(),
                                section=fx.Rectangle(width=0.02, height=0.002),
                                material=fx.steel, name="beam")  # fmt: skip
    return fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -1.0)), name=name)


def test_models_results_and_modes_show_themselves() -> None:
    model = strip()
    bent = fx.solve_static(model)
    modes = fx.solve_modal(bent, modes=2)
    texts = [item._repr_html_() for item in (model, bent, modes)]
    for text in texts:
        assert "http" not in text
        assert "<script" not in text
        assert "strip &lt;1&gt;" in text
        pixels = Shown(text).pixels
        assert (pixels != 255).any(axis=2).mean() > 0.02  # something is drawn
        assert pixels.shape[0] < 300
        assert pixels.shape[1] < 400
    rows = [row for row in Shown(texts[2]).rows if row]
    assert rows[0] == ["mode", "frequency [1/s]", "damping ratio"]
    assert [float(row[1]) for row in rows[1:]] == pytest.approx(modes.frequencies, rel=1e-4)
    assert ["load factor", "0 to 1"] in Shown(texts[1]).rows
    # the blue of a body is in the picture of the modes; that of the bent strip is coloured by its moment
    assert near(Shown(texts[2]).pixels, (0x1F, 0x5F, 0xA8)) > 50


def test_runs_tell_of_events() -> None:
    ball = fx.PointMass(1.0, position=(0.0, 2.0), name="ball")
    down = fx.control.Event(lambda view: view.position(ball.centre)[1], name="landing")
    run = fx.simulate(fx.Model(ball, fx.Gravity((0, -9.81))), 1.0, step=1e-2, events=[down], progress=False)
    rows = Shown(run._repr_html_()).rows
    assert ["event landing", "t = 0.638551"] in rows  # sqrt(2 h / g)
    assert ["status", "done"] in rows


def test_nothing_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    bent = fx.solve_static(strip())

    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("no picture")

    monkeypatch.setattr("flexmbs.visualization.plots.plot_shape", fails)
    monkeypatch.setattr("flexmbs.visualization.notebook.MOST", 0)
    for item in (bent, bent.model, fx.solve_modal(bent, modes=1)):
        shown = Shown(item._repr_html_())
        assert not shown.sources
        assert shown.rows
