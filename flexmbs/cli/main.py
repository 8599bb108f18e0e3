"""The command line: ``flexmbs verify``, ``reduce``, ``export``, ``view``, ``study``, ``bench``, ``info``, ``mesh``.

Each command imports what it needs when it is called, so that help and version answer at once. Exit status: 0 when all
is well, 1 when a verification case did not pass, 2 for a mistake in what was asked (one line on standard error, never
a traceback), 130 after an interruption from the keyboard.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from flexmbs.cli.export import add_export
from flexmbs.cli.reduce import add_reduce
from flexmbs.cli.study import add_study
from flexmbs.cli.view import add_view

__all__ = ["main"]

_MOST_JOBS = 8


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``flexmbs``; those of this process when left out.

    Examples
    --------
    >>> main(["verify", "--list", "no-such-case"])
    2
    """
    from flexmbs.core.errors import FlexmbsError

    options = _parser().parse_args(arguments)
    try:
        status: int = options.command(options)
        sys.stdout.flush()
    except FlexmbsError as error:
        print(f"flexmbs: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        _silence_output()
        return 1
    except KeyboardInterrupt:
        print("flexmbs: interrupted.", file=sys.stderr)
        return 130
    return status


def _parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    parser = argparse.ArgumentParser(prog="flexmbs", description="Flexible multibody dynamics.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and leave")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    verify = commands.add_parser(
        "verify",
        help="compare flexmbs with known answers",
        description="Run verification cases and compare them with independent references: those named, or else the "
        "basic ones, which show every formulation. "
        "The exit status is 1 if any case fails or raises.",
    )
    verify.add_argument(
        "names", nargs="*", metavar="NAME", help="id of a case, or an area; the basic cases when left out"
    )
    verify.add_argument("--list", action="store_true", help="list the cases and leave")
    verify.add_argument("--report", type=Path, metavar="DIR", help="write an HTML report into this folder")
    verify.add_argument("--json", type=Path, metavar="FILE", help="write the results as JSON")
    verify.add_argument("--all", action="store_true", help="run all fast cases, not only the basic ones")
    verify.add_argument("--slow", action="store_true", help="run all cases, the slow ones as well")
    verify.add_argument("--jobs", type=_positive, metavar="N", help="number of processes (default: one per processor)")
    verify.add_argument("--details", action="store_true", help="print every quantity, order of convergence and table")
    verify.set_defaults(command=_verify)

    bench = commands.add_parser(
        "bench",
        help="measure what the accuracy of a motion costs",
        description="Run every scheme of time integration on problems with known answers, from coarse to fine, and "
        "compare errors with CPU time and work. Ctrl-C ends it and keeps what is done.",
    )
    bench.add_argument("what", choices=["integrators"], help="what is compared")
    bench.add_argument("--problem", action="append", default=[], metavar="ID", help="only this problem (repeatable)")
    bench.add_argument("--scheme", action="append", default=[], metavar="ID", help="only this scheme (repeatable)")
    bench.add_argument("--list", action="store_true", help="list problems and schemes and leave")
    bench.add_argument(
        "--quick", action="store_true", help="one problem of a class, a tenth of its motion, few runs: 20 s"
    )
    bench.add_argument(
        "--minutes", type=_positive, metavar="N", help="how long all may take, for finer runs (default: about 4)"
    )
    bench.add_argument("--out", type=Path, metavar="DIR", help="write bench.json and index.html into this folder")
    bench.add_argument("--jobs", type=_positive, default=1, metavar="N", help="processes (default 1: clean times)")
    bench.set_defaults(command=_bench)

    add_reduce(commands)
    add_export(commands)
    add_view(commands)
    add_study(commands)

    info = commands.add_parser("info", help="versions, linear solvers, threads and cache folder")
    info.set_defaults(command=_info)

    mesh = commands.add_parser("mesh", help="read a mesh file and report on its quality")
    mesh.add_argument("file", type=Path, metavar="FILE", help="any file that meshio reads")
    mesh.set_defaults(command=_mesh)
    return parser


def _verify(options: argparse.Namespace) -> int:
    """Run, list or report verification cases."""
    from flexmbs.core.errors import ModelError
    from flexmbs.verification.collection import select

    slow = options.slow or options.list
    entries = select(tuple(options.names), slow=slow, basic=not (slow or options.all))
    if options.list:
        from flexmbs.verification.terminal import list_cases

        print(list_cases(entries))
        return 0
    if not entries:
        if select(tuple(options.names), slow=True):
            raise ModelError(f"verify: all cases of {', '.join(options.names)} are slow; add --slow to run them.")
        raise ModelError("verify: there are no verification cases.")
    _check_writable(options.report, options.json)

    from flexmbs.verification.runner import run_cases
    from flexmbs.verification.terminal import TerminalListener, summary

    listener = TerminalListener(entries, sys.stdout, details=options.details)
    jobs = options.jobs or _default_jobs()
    run = run_cases(entries, jobs=jobs, draw=options.report is not None, listener=listener)
    listener.close()
    print(summary(run))
    if options.json is not None:
        from flexmbs.verification.record import write_json

        with _writing(options.json):
            record = write_json(run, options.json)
        print(f"Results: {record}")
    if options.report is not None:
        from flexmbs.verification.report import write_report

        with _writing(options.report):
            index = write_report(run, options.report)
        print(f"Report: {index}")
    return 130 if run.interrupted else 0 if run.passed else 1


def _bench(options: argparse.Namespace) -> int:
    """Measure schemes of time integration."""
    from flexmbs.verification.work_precision.bench import pick_problems, pick_schemes
    from flexmbs.verification.work_precision.terminal import list_tables, report

    problems, schemes = pick_problems(options.problem, options.quick), pick_schemes(options.scheme)
    if options.list:
        print(list_tables(problems, schemes))
        return 0
    _check_writable(options.out, None)
    folder = nullcontext() if options.out is None else _writing(options.out)
    with folder:
        bench = report(
            problems, schemes, options.out, quick=options.quick, jobs=options.jobs, minutes=options.minutes,
            stream=sys.stdout,
        )  # fmt: skip
    return 130 if bench.interrupted else 0


def _info(options: argparse.Namespace) -> int:
    """Print what there is to know about the installation."""
    from flexmbs.core.info import environment

    rows = environment()
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        print(f"{name:<{width}}  {text}")
    return 0


def _mesh(options: argparse.Namespace) -> int:
    """Print what is in a mesh file and how good it is."""
    from flexmbs.meshes import quality, read_mesh

    mesh = read_mesh(options.file)
    print(mesh)
    print(quality(mesh))
    return 0


def _check_writable(report: Path | None, record: Path | None) -> None:
    """Find out before the work that its results can be kept."""
    if report is not None:
        with _writing(report):
            report.mkdir(parents=True, exist_ok=True)
            (report / ".flexmbs").touch()
            (report / ".flexmbs").unlink()
    if record is not None:
        with _writing(record):
            record.parent.mkdir(parents=True, exist_ok=True)
            record.open("a").close()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Say in one line why a file or folder cannot be written."""
    from flexmbs.core.errors import FlexmbsError

    try:
        yield
    except OSError as error:
        raise FlexmbsError(f"cannot write {path}: {error.strerror or error}.") from None


def _default_jobs() -> int:
    """A process for each processor that may be used, within reason."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, _MOST_JOBS)


def _positive(text: str) -> int:
    """A whole number of at least 1, from the command line."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, not {text!r}")
    return int(text)


def _silence_output() -> None:
    """After the reader of our output has gone: keep Python from complaining when it flushes at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Version(argparse.Action):
    """Look the version up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print the version and leave."""
        from flexmbs.core.info import version

        print(f"flexmbs {version()}")
        parser.exit()
