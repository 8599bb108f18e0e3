"""The picture of the page on plates in frames that follow their corners.

    .venv/bin/python docs/figures/corner_plates.py

writes docs/_static/corner_plates.png.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

from flexmbs.verification.cases.statics.corner_shells import annulus, drawn, hemisphere

FOLDER = Path(__file__).parent.parent / "_static"


def main() -> None:
    mpl.rcParams.update({"font.family": "DejaVu Sans", "font.size": 10})
    FOLDER.mkdir(exist_ok=True)
    figure = plt.figure(figsize=(9.0, 4.0), dpi=150, layout="constrained")
    for place, title, (found, body, _), view in (
        (121, "slit annulus, full load", annulus(60, 8), (30, -110)),
        (122, "a quarter of the hemisphere, full loads", hemisphere(16), (20, 30)),
    ):
        axes = figure.add_subplot(place, projection="3d")
        drawn(found, body, axes)
        axes.set_title(title)
        axes.view_init(*view)
    figure.savefig(FOLDER / "corner_plates.png", facecolor="white", metadata={"Software": None})


if __name__ == "__main__":
    main()
