"""Films: a GIF that draws what stays once, against whole drawings of every frame; the same frames, in one run.

    python benchmarks/bench_pictures.py [--repetitions 5]

Processor time of a film of 3 s at 25 frames a second: a rod with a flexible link in the plane, a sheet with a bar in
space. The other side draws the whole figure for every frame and finds the colours of its pixels by Pillow.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import measure
import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

import flexmbs as fx
from flexmbs.visualization import animation, style, time_views
from flexmbs.visualization.frames import frame_rows
from flexmbs.visualization.scene_drawing import SceneAxes

RUBBER = fx.Elastic(youngs_modulus=1e8, density=1000.0, poissons_ratio=0.3)
FPS, TARGET = 25.0, 3.0


def planar() -> fx.TimeSolution:
    rod = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="rod")
    section = fx.Rectangle(width=0.02, height=0.01)
    beam = fx.FlexibleBody.line((1, 0), (2, 0), elements=8, element=fx.elements.ANCFCable2D(), section=section,
                                material=RUBBER, name="beam")  # fmt: skip
    hinge = fx.RevoluteJoint(fx.ground, rod, at=(0, 0), name="hinge")
    knee = fx.RevoluteJoint(rod, beam.start, at=(1, 0), name="knee")
    model = fx.Model(rod, beam, hinge, knee, fx.Gravity((0, -9.81)), name="pendulum")
    return fx.simulate(model, 3.0, step=2e-3, output=fx.Output(every=2e-2), progress=False)


def spatial() -> fx.TimeSolution:
    bar = fx.RigidBody.box(size=(1.0, 0.1, 0.2), mass=2.0, position=(0.5, 0, 0), name="bar")
    sheet = fx.FlexibleBody.plate((0.5, 0.5), elements=(3, 3), element=fx.elements.ANCFShell(),
                                  section=fx.ShellSection(0.02), material=RUBBER, name="sheet")  # fmt: skip
    ball = fx.SphericalJoint(fx.ground, bar, at=(0, 0, 0), name="ball")
    model = fx.Model(bar, sheet, fx.Clamp(sheet.set("left")), ball, fx.Gravity((0, 0, -9.81)), name="space")
    return fx.simulate(model, 3.0, step=5e-3, output=fx.Output(every=2e-2), progress=False)


def whole_drawings(run: fx.TimeSolution, path: Path) -> None:
    """Every frame as a drawing of the whole figure."""
    drawn = time_views.scene(run)
    with rc_context(style.RC):
        figure = Figure(figsize=SceneAxes.size(drawn), dpi=100, layout="constrained")
        canvas: Any = FigureCanvasAgg(figure)
        picture = SceneAxes(drawn, figure)
        picture.settle()
        colours = Image.new("P", (1, 1))
        colours.putpalette(np.round(255.0 * animation._palette(drawn)).astype(np.uint8).tobytes())
        frames = []
        for step in frame_rows("bench", drawn.times, 1.0 / FPS):
            picture.show(int(step), np.inf)
            canvas.draw()
            frame = Image.fromarray(np.ascontiguousarray(np.asarray(canvas.buffer_rgba())[:, :, :3]))
            frames.append(frame.quantize(palette=colours, dither=Image.Dither.NONE))
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=40, loop=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    print(measure.facts())
    with tempfile.TemporaryDirectory() as folder:
        for name, run in (("plane", planar()), ("space", spatial())):
            sides = {
                "whole drawings": lambda run=run, name=name: whole_drawings(run, Path(folder) / f"{name}.gif"),
                "run.animate": lambda run=run, name=name: run.animate(
                    Path(folder) / f"{name}2.gif", fps=FPS, dpi=100, progress=False
                ),
            }  # fmt: skip
            times = {}
            for side, call in sides.items():
                call()
                times[side] = measure.Sample.of([measure.cpu_time(call) for _ in range(options.repetitions)])
            old, new = (times[side].median for side in sides)
            ranges = ", ".join(f"{side} {t.median:.2f} s ({t.low:.2f} to {t.high:.2f})" for side, t in times.items())
            reached = "reached" if old >= TARGET * new else "missed"
            print(f"{name}: {ranges}: {old / new:.1f} times faster (target {TARGET:g}: {reached})")


if __name__ == "__main__":
    main()
