"""The command ``flexmbs view``: a run in a file becomes a page that plays it, or a glTF file."""

from __future__ import annotations

import argparse
import webbrowser
from pathlib import Path
from typing import Any

from flexmbs.cli.numbers import number

__all__ = ["add_view"]


def add_view(commands: Any) -> None:
    """Enter the command and its options."""
    parser = commands.add_parser(
        "view",
        help="write a page that plays a run, or a glTF file of it",
        description="Write a run, saved by solution.save or simulate(..., file=...), as one HTML page that plays it in "
        "any browser without network, or, where -o ends in .glb, as a glTF file.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a run (HDF5), or the journal of one")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="PATH", help="page (.html) or glTF file (.glb); default: FILE.html here"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace the file if it is there")
    parser.add_argument("--fps", type=number, default=30.0, metavar="N", help="key frames per second (default 30)")
    parser.add_argument(
        "--speed",
        type=number,
        metavar="X",
        help="time of the model per second of film (default: 1; below 2 s and above 600 s a film of 10 to 25 s)",
    )
    parser.add_argument(
        "--tolerance", type=number, default=1e-4, metavar="X", help="share of the largest displacement of a body by "
        "which its points may be off at key frames (default 1e-4)",
    )  # fmt: skip
    parser.add_argument("--factor", type=number, default=1.0, metavar="X", help="enlarge deformations (page only)")
    parser.add_argument("--up", metavar="AXIS", help="axis that points up: x, y, z (default: against gravity)")
    parser.add_argument("--no-joints", action="store_true", help="leave out marks of joints")
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    parser.set_defaults(command=_view)


def _view(options: argparse.Namespace) -> int:
    """Write, and say what was written."""
    from flexmbs.visualization.viewing import view, write_gltf

    path = options.output or Path(options.file.with_suffix(".html").name)
    given = {
        "fps": options.fps, "speed": options.speed, "tolerance": options.tolerance, "joints": not options.no_joints,
        "up": options.up, "overwrite": options.overwrite,
    }  # fmt: skip
    if path.suffix.lower() == ".glb":
        print(write_gltf(options.file, path, **given))
        return 0
    written = view(options.file, path, factor=options.factor, **given)
    print(written)
    if options.open:
        webbrowser.open(written.path.as_uri())
    return 0
