"""The command ``flexmbs study``: run the study that a script defines, or say how far one is."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from flexmbs.cli.numbers import whole_number

__all__ = ["add_study"]


def add_study(commands: Any) -> None:
    """Enter the command and its options."""
    parser = commands.add_parser(
        "study",
        help="run many models of one family, on several processes",
        description="Run the study that a script defines as a variable of type flexmbs.studies.Study, and keep all "
        "runs in one file. Runs that are in the file are not made again. The exit status is 1 if runs failed.",
    )
    parser.add_argument("script", type=Path, nargs="?", metavar="SCRIPT.py", help="a script that defines the study")
    parser.add_argument("--name", metavar="NAME", help="of the study, where the script defines several")
    parser.add_argument("--file", type=Path, metavar="FILE", help="where runs are kept (default: SCRIPT.h5 here)")
    parser.add_argument("--workers", type=whole_number, default=0, metavar="N", help="processes (default 0: this one)")
    parser.add_argument("--anew", action="store_true", help="forget the runs that the file holds")
    parser.add_argument("--status", type=Path, metavar="FILE", help="say how far the study of a file is, and leave")
    parser.set_defaults(command=_study)


def _study(options: argparse.Namespace) -> int:
    """Run or report."""
    from flexmbs.core.errors import ModelError

    if options.status is not None:
        from flexmbs.studies.study_file import progress_of

        print(progress_of(options.status))
        return 0
    if options.script is None:
        raise ModelError("study: name a script that defines a study, or a file with --status.")
    study = _defined(options.script, options.name)
    done = study.run(options.file or Path(f"{options.script.stem}.h5"), workers=options.workers, anew=options.anew)
    print(done.table())
    for run in done.failed[:5]:
        print(f"run {run.number} {run.ended.name}: {run.message}")
    print(f"{len(done)} runs, {len(done.failed)} failed: {done.path}")
    return 1 if done.failed else 0


def _defined(script: Path, name: str | None) -> Any:
    """The study of a script, which is run as a module of its own name."""
    import importlib.util

    from flexmbs.core.errors import FlexmbsError, ModelError, unknown_name
    from flexmbs.studies.study import Study

    spec = importlib.util.spec_from_file_location(script.stem, script) if script.is_file() else None
    if spec is None or spec.loader is None:
        what = f"{script} is no Python script, whose name ends in .py"
        raise ModelError(f"study: {what if script.exists() else f'there is no script {script}'}.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[script.stem] = module
    sys.path.insert(0, str(script.resolve().parent))  # what lies beside it, as if python had run it
    try:
        spec.loader.exec_module(module)
    except FlexmbsError:
        raise
    except Exception as error:
        raise FlexmbsError(f"study: {script} raised {type(error).__name__}: {error}.") from error
    found = {key: value for key, value in vars(module).items() if isinstance(value, Study)}
    if name is None and len(found) == 1:
        return next(iter(found.values()))
    if name in found:
        return found[name]
    if name is not None and found:
        raise ModelError(f"study: {script}: {unknown_name('study', name, found)}")
    there = f"it defines {', '.join(found)}; choose one with --name" if found else "it defines none"
    raise ModelError(f"study: {script} must define one flexmbs.studies.Study, but {there}.")
