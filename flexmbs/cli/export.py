"""The command ``flexmbs export``: a reduced model in a file becomes files for other tools."""

from __future__ import annotations

import argparse
import math
import warnings
from pathlib import Path
from typing import Any

from flexmbs.cli.numbers import number, whole_number
from flexmbs.core.written_numbers import written_number

__all__ = ["add_export"]


def add_export(commands: Any) -> None:
    """Enter the command and its options."""
    parser = commands.add_parser(
        "export",
        help="write a reduced model for other tools",
        description="Write a reduced model, made by flexmbs reduce -o, as files of other tools. What a format cannot "
        "hold is said here and in the file. Options that only some formats know are passed to these.",
    )
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help="a reduced model (HDF5)")
    parser.add_argument("--list", action="store_true", help="list the formats and their options, and leave")
    parser.add_argument(
        "--to", nargs="+", metavar="FORMAT", help="names of formats, or all; by the suffix of -o if left out"
    )
    parser.add_argument(
        "-o", "--output", type=Path, default=Path(), metavar="PATH",
        help="a file, or a folder for files named like the model (default: here)",
    )  # fmt: skip
    parser.add_argument("--overwrite", action="store_true", default=None, help="replace files that are there")
    parser.add_argument(
        "--nodes", action="append", type=_node, metavar="SET", help="node set, number of a node, or all: further "
        "places that other tools see beside the interfaces (repeatable)",
    )  # fmt: skip
    parser.add_argument("--fixed", action="append", metavar="NAME", help="interface that is held (repeatable)")
    parser.add_argument(
        "--driven", action="append", metavar="NAME", help="interface whose motion is given and whose reaction is "
        "returned (repeatable)",
    )  # fmt: skip
    parser.add_argument(
        "--interface", dest="interfaces", action="append", metavar="NAME", help="interface where forces act and "
        "motions are seen (repeatable; default: all that are neither fixed nor driven)",
    )  # fmt: skip
    parser.add_argument("--modes", type=whole_number, metavar="N", help="how many modes (default: all)")
    parser.add_argument("--damping", type=_ratio, metavar="Z", help="modal damping ratio, added to that of the model")
    parser.add_argument("--accelerations", action="store_true", default=None, help="accelerations as outputs, too")
    parser.add_argument("--modal-forces", action="store_true", default=None, help="modal forces as inputs, too")
    parser.add_argument("--stresses", action="store_true", default=None, help="stresses of the model as outputs")
    parser.add_argument("--reference", metavar="NAME", help="interface that a floating frame is fixed to, or mean")
    parser.add_argument("--maximum", type=number, metavar="F", help="highest frequency of frequency responses")
    parser.add_argument("--lines", type=whole_number, metavar="N", help="number of frequencies of frequency responses")
    parser.add_argument("--no-binary", dest="binary", action="store_false", default=None, help="C source only")
    parser.set_defaults(command=_export)


OPTIONS = (
    "nodes", "fixed", "driven", "interfaces", "modes", "damping", "accelerations", "modal_forces", "stresses",
    "reference", "binary", "maximum", "lines",
)  # fmt: skip
"""Those of the formats; the ones not given are left to their defaults."""


def _export(options: argparse.Namespace) -> int:
    """Load, write, say what was lost."""
    from flexmbs.core.errors import LossWarning, ModelError
    from flexmbs.reduction.export import FORMATS, export
    from flexmbs.reduction.store import load_reduced

    if options.list:
        width = max(map(len, FORMATS))
        for name, known in FORMATS.items():
            print(f"{name:<{width}}  {known.text}" + (f"; {', '.join(known.options)}" if known.options else ""))
        return 0
    if options.file is None:
        raise ModelError("export: give the file of a reduced model, or --list.")
    model = load_reduced(options.file)
    given = {name: getattr(options, name) for name in OPTIONS if getattr(options, name) is not None}
    if given.get("nodes") == ["all"]:
        given["nodes"] = "all"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossWarning)  # printed below
        for written in export(model, options.output, options.to, overwrite=bool(options.overwrite), **given):
            print(written)
    return 0


def _node(text: str) -> int | str:
    """Number of a node, or name of a set."""
    return int(text) if text.isascii() and text.isdigit() else text


def _ratio(text: str) -> float:
    value = written_number(text)
    if not 0.0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number of at least 0, not {text!r}")
    return value
