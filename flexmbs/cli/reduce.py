"""The command ``flexmbs reduce``: from a mesh or operators in a file to a reduced model in a file, with its report."""

from __future__ import annotations

import argparse
import math
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexmbs.cli.numbers import whole_number
from flexmbs.core.written_numbers import written_number

if TYPE_CHECKING:
    from flexmbs.core.material import Elastic
    from flexmbs.linear.operators import Operators
    from flexmbs.linear.part import Part
    from flexmbs.reduction.interfaces import Interface
    from flexmbs.reduction.selection import ModeSelection

__all__ = ["add_reduce"]

METHODS = ("craig-bampton", "guyan", "rubin", "modal")
KINDS = ("rigid", "averaged", "nodes")
OPERATOR_FILES = (".npz", ".mtx", ".sti", ".pch", ".bdf", ".dat", ".op4")
"""Suffixes of operators; everything else is a mesh."""

SI = {"length": "m", "mass": "kg", "time": "s"}


def add_reduce(commands: Any) -> None:
    """Enter the command and its options."""
    parser = commands.add_parser(
        "reduce",
        help="reduce a meshed part and say how good the reduction is",
        description="Assemble a part from a mesh, or read its operators; reduce it to its interfaces and a few modes; "
        "print how good that is. Ctrl-C ends it; with --checkpoint-dir it goes on where it was.",
    )
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="a mesh (.inp, .msh, .bdf as a mesh by meshio, ...), or operators "
        f"({', '.join(OPERATOR_FILES)}, or a folder)",
    )  # fmt: skip
    parser.add_argument(
        "--interface", action="append", default=[], type=_interface, metavar="SET[:KIND]",
        help="node set where the part is joined to others; KIND is rigid (default), averaged or nodes (repeatable)",
    )  # fmt: skip
    number = parser.add_mutually_exclusive_group()
    number.add_argument("--modes", type=whole_number, metavar="N", help="how many modes (default 20)")
    number.add_argument("--max-frequency", type=_positive, metavar="F", help="all modes up to 1.5 times this frequency")
    number.add_argument("--up-to", dest="max_frequency", type=_positive, action=_Older, help=argparse.SUPPRESS)
    parser.add_argument(
        "--material", type=_material, metavar="M", help="steel or aluminium (in m, kg, s), or E,nu,rho in your units"
    )
    parser.add_argument("--method", choices=METHODS, default=METHODS[0], help="default: craig-bampton")
    parser.add_argument("--stresses", metavar="SET", help="node set, or all: where the model can tell stresses")
    parser.add_argument("--stiffening", action="store_true", help="keep what geometric stiffening needs, for fast spin")
    parser.add_argument("--name", help="of the model (default: that of the file)")
    parser.add_argument("--units", type=_units, metavar="L-M-T", help="names of length, mass and time, such as mm-t-s")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the reduced model (HDF5)")
    parser.add_argument(
        "--checkpoint-dir", type=Path, metavar="DIR", help="keep what is done here, to go on after a stop"
    )
    parser.add_argument("--work", dest="checkpoint_dir", type=Path, action=_Older, help=argparse.SUPPRESS)
    parser.add_argument("--band", type=_positive, metavar="F", help="highest frequency of interest, for the report")
    parser.add_argument(
        "--fix-interface", action="append", default=[], metavar="SET", help="also compare with this interface fixed"
    )
    parser.add_argument("--held", dest="fix_interface", action=_OlderOfMany, help=argparse.SUPPRESS)
    parser.add_argument(
        "--bounds-only", action="store_true", help="bounds of errors only: no solution of the full part"
    )
    parser.add_argument("--no-full", dest="bounds_only", action=_OlderFlag, nargs=0, help=argparse.SUPPRESS)
    parser.add_argument("--report", type=Path, metavar="DIR", help="write the report as index.html and report.json")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON")
    parser.set_defaults(command=_reduce)


class _Older(argparse.Action):
    """An older option: it does what the present one does, and says its name on standard error."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        present = "--" + self.dest.replace("_", "-")
        print(f"flexmbs reduce: {option_string} is now {present}; the older name will go.", file=sys.stderr)
        setattr(namespace, self.dest, self.new_value(namespace, values))

    def new_value(self, namespace: Any, values: Any) -> Any:
        """What the option is set to."""
        return values


class _OlderOfMany(_Older):
    """One that can be given several times."""

    def new_value(self, namespace: Any, values: Any) -> Any:
        return [*getattr(namespace, self.dest), values]


class _OlderFlag(_Older):
    """One without a value."""

    def new_value(self, namespace: Any, values: Any) -> Any:
        return True


def _reduce(options: argparse.Namespace) -> int:
    """Read, reduce, report, write."""
    from flexmbs.core.errors import ModelError
    from flexmbs.reduction.reduce import reduce

    for path in (options.output, options.json, None if options.report is None else options.report / "index.html"):
        _check_writable(path)
    if not options.interface and options.method != "modal":
        raise ModelError(_proposal(options))
    with _plain_warnings():
        what = _read(options)
        modes = _modes(options)
        model = reduce(
            what,
            options.interface,
            modes,
            method=_method(options.method, modes),
            stresses=options.stresses,
            geometric_stiffening=options.stiffening,
            name=options.name or _name(options.file),
            units=options.units or (SI if _is_preset(options.material) else None),
            work=options.checkpoint_dir,
        )
        found = model.report(band=options.band, full=not options.bounds_only, held=options.fix_interface)
    written = []  # before anything is printed: who reads may stop, as head does
    if options.output is not None:
        written.append(f"Model: {model.save(options.output)}")
    if options.report is not None:
        found.write_json(options.report / "report.json")
        written.append(f"Report: {found.write_html(options.report)}")
    if options.json is not None:
        written.append(f"Results: {found.write_json(options.json)}")
    print("\n".join([str(found), *written]))
    return 0


FEW = 0.3
"""A set with more than this part of all nodes is no place where a part is joined to others."""


def _proposal(options: argparse.Namespace) -> str:
    """Which node sets there are, and a command line with those that look like interfaces."""
    from flexmbs.linear.files import read_operators
    from flexmbs.linear.from_inp import has_sections
    from flexmbs.meshes import read_mesh

    path: Path = options.file
    needed = "reduce: say where the part is joined to others, by --interface SET"
    if not path.exists():
        return f"{path}: there is no such file."
    if path.is_dir() or (path.suffix.lower() in OPERATOR_FILES and options.material is None):
        operators = read_operators(path)
        sets, count = operators.node_sets, len(operators.points)
    else:
        mesh = read_mesh(path)
        sets, count = mesh.node_sets, mesh.n_points
    if not sets:
        return f"{needed}; but {path.name} has no node sets. Name some where it was made, or take --method modal."
    sizes = {name: len(nodes) for name, nodes in sets.items()}
    shown = ", ".join(f"{name} ({size} node{'s' * (size != 1)})" for name, size in list(sizes.items())[:20])
    more = f" and {len(sizes) - 20} more" if len(sizes) > 20 else ""
    words = ["flexmbs", "reduce", str(path)]
    if options.material is not None:
        m = options.material
        words += ["--material", m.name if _is_preset(m) else f"{m.youngs_modulus:g},{m.poissons_ratio:g},{m.density:g}"]
    elif not (path.is_dir() or path.suffix.lower() in OPERATOR_FILES):
        words += [] if path.suffix.lower() == ".inp" and has_sections(path) else ["--material", "steel"]
    likely = [name for name, size in sizes.items() if 0 < size <= FEW * count] or list(sizes)
    for name in likely[:6]:
        words += ["--interface", name if sizes[name] > 2 else f"{name}:nodes"]
    words += ["-o", f"{_name(path)}.h5"]
    return f"{needed}. {path.name} has the node sets {shown}{more}. For example: {shlex.join(words)}"


def _read(options: argparse.Namespace) -> Part | Operators:
    """A part from a mesh, or operators."""
    from flexmbs.core.errors import ModelError, ReadError

    path: Path = options.file
    if not path.exists():
        raise ReadError(f"{path}: there is no such file.")
    if path.is_dir() or (path.suffix.lower() in OPERATOR_FILES and options.material is None):
        from flexmbs.linear.files import read_operators

        if options.material is not None:
            raise ModelError("reduce: --material does not apply to operators, which are assembled already.")
        return read_operators(path)
    from flexmbs.linear.from_inp import has_sections, part_from_inp
    from flexmbs.linear.part import Part
    from flexmbs.meshes import read_mesh

    if options.material is None and path.suffix.lower() == ".inp" and has_sections(path):
        return part_from_inp(path)
    if options.material is None:
        raise ModelError(f"reduce: {path.name} says nothing of materials; give --material steel, or E,nu,rho.")
    mesh = read_mesh(path)
    return Part(mesh, material=options.material, name=_name(path))


def _modes(options: argparse.Namespace) -> ModeSelection | int:
    """Which modes."""
    from flexmbs.core.errors import ModelError
    from flexmbs.reduction.selection import UpToFrequency

    if options.method == "guyan":
        if options.modes or options.max_frequency:
            raise ModelError("reduce: guyan has no modes; omit --modes and --max-frequency, or take craig-bampton.")
        return 0
    if options.max_frequency is not None:
        return UpToFrequency(options.max_frequency)
    return 20 if options.modes is None else int(options.modes)


def _method(name: str, modes: ModeSelection | int) -> Callable[[Any], Any] | None:
    """A method for `reduce`; None for Craig-Bampton."""
    if name == "rubin":
        from flexmbs.reduction.methods.free_interface import rubin

        return lambda a: rubin(
            a.operators.K, a.operators.M, a.boundary, modes, a.operators.rigid_motions(), a.labels
        )  # fmt: skip
    if name == "modal":
        from flexmbs.reduction.methods.modal_truncation import modal_truncation

        return lambda a: modal_truncation(a.operators.K, a.operators.M, modes, rigid=a.operators.rigid_motions())
    return None


def _name(path: Path) -> str:
    return path.resolve().stem or "part"


def _is_preset(material: Elastic | None) -> bool:
    from flexmbs.core.material import aluminium, steel

    return material is steel or material is aluminium


def _check_writable(path: Path | None) -> None:
    """Find out before the work that a result can be kept."""
    from flexmbs.core.errors import FlexmbsError

    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        there = path.exists()
        path.open("ab").close()
        if not there:
            path.unlink()
    except OSError as error:
        raise FlexmbsError(f"cannot write {path}: {error.strerror or error}.") from None


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Warnings as one line each."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        sys.stderr.write(f"flexmbs: warning: {message}\n")

    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = show
        yield


def _interface(text: str) -> Interface:
    """``NAME`` or ``NAME:KIND``."""
    from flexmbs.core.errors import FlexmbsError
    from flexmbs.core.field_terms import meant
    from flexmbs.reduction.interfaces import Interface

    name, colon, kind = text.rpartition(":")
    word = meant("kind", kind)
    if not colon or (kind not in KINDS and kind == kind.upper() and not word):  # a colon within a name
        name, kind = text, "rigid"
    if kind not in KINDS:
        raise argparse.ArgumentTypeError(f"kind must be {', '.join(KINDS)}, not {kind!r}{'.' if word else ''}{word}")
    try:
        return Interface(name, kind=kind)
    except FlexmbsError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _material(text: str) -> Elastic:
    """A material by name or by numbers."""
    from flexmbs.core.errors import FlexmbsError
    from flexmbs.core.material import Elastic, aluminium, steel

    known = {"steel": steel, "aluminium": aluminium, "aluminum": aluminium}
    if text.lower() in known:
        return known[text.lower()]
    numbers = [written_number(word) for word in text.split(",")]
    if len(numbers) != 3 or any(map(math.isnan, numbers)):
        raise argparse.ArgumentTypeError(f"must be steel, aluminium or E,nu,rho, not {text!r}")
    E, nu, rho = numbers
    try:
        return Elastic(youngs_modulus=E, poissons_ratio=nu, density=rho)
    except FlexmbsError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _units(text: str) -> dict[str, str]:
    """``m-kg-s`` as names of length, mass and time."""
    words = text.split("-")
    if len(words) != 3 or not all(words):  # length, mass, time
        raise argparse.ArgumentTypeError(f"must be three names such as mm-t-s, not {text!r}")
    return dict(zip(("length", "mass", "time"), words, strict=True))


def _positive(text: str) -> float:
    value = written_number(text)
    if not 0.0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"must be a positive number, not {text!r}")
    return value
