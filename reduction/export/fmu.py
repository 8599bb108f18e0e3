"""Functional Mock-up Units (FMI 2.0 and 3.0): C sources, a binary where there is a compiler, and a description.

A unit needs neither Python nor flexmbs where it is used. It offers model exchange, where the importing tool integrates,
and co-simulation, where it advances by itself: exactly, for inputs that are held during a step, by the closed solution
of each mode, or by the matrix exponential of the step where damping couples the modes. Derivatives with respect to
states and inputs are exact, too.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from flexmbs.core.errors import FlexmbsError
from flexmbs.reduction.export.fmu_description import build_description, description_2, description_3, page
from flexmbs.reduction.export.fmu_source import source
from flexmbs.reduction.export.fmu_variables import identifier, units_of, variables
from flexmbs.reduction.export.format import Format
from flexmbs.reduction.export.linear_system import LinearSystem, balanced
from flexmbs.reduction.export.uncoupled import uncoupled
from flexmbs.reduction.export.written import ExportResult, placed

__all__ = ["FORMATS", "write_fmu2", "write_fmu3"]

FOLDERS = {
    ("Linux", "x86_64"): ("linux64", "x86_64-linux", ".so"),
    ("Linux", "aarch64"): ("", "aarch64-linux", ".so"),
    ("Darwin", "x86_64"): ("darwin64", "x86_64-darwin", ".dylib"),
    ("Darwin", "arm64"): ("", "aarch64-darwin", ".dylib"),
}
"""Folders of binaries in FMI 2 and 3; FMI 2 knows none for some processors."""

FLAGS = ("-std=c99", "-O2", "-fPIC", "-shared", "-fvisibility=hidden")


def write_fmu2(
    system: LinearSystem, path: Path, overwrite: bool, units: Mapping[str, str], binary: bool | None = None
) -> ExportResult:
    """Write a unit of FMI 2.0, each number a variable.

    Parameters
    ----------
    system : LinearSystem
        Of a reduced model (`flexmbs.reduction.export.linear_system.modal_system`), or of a mechanism (`state_space`).
    path : path
    overwrite : bool
    units : mapping of str to str
        Names of the units of length, mass and time; empty where unknown.
    binary : bool, optional
        Whether to compile it for this machine; by default where a C compiler is found.

    Raises
    ------
    ModelError
        If time is not in seconds.
    FlexmbsError
        If a binary is asked for and there is no compiler, or the file cannot be written.
    """
    return _write(system, path, overwrite, units, binary, 2)


def write_fmu3(
    system: LinearSystem, path: Path, overwrite: bool, units: Mapping[str, str], binary: bool | None = None
) -> ExportResult:
    """Write a unit of FMI 3.0, each signal an array; parameters as in `write_fmu2`."""
    return _write(system, path, overwrite, units, binary, 3)


def _write(
    system: LinearSystem, path: Path, overwrite: bool, units: Mapping[str, str], binary: bool | None, version: int
) -> ExportResult:
    if not system.is_modal:
        system = uncoupled(balanced(system))
    name = identifier(system.name).replace(".", "_")[:60]
    table = variables(system, scalar=version == 2)
    known = units_of(units, [v.quantity for v in table])
    written = source(system, table, version)
    sources = [f"fmi{version}.c"]  # includes the others
    notes: list[str] = [] if known or not units else ["units are not known to FMI and were left out"]
    with placed(path, overwrite) as part:
        library, note = _compiled(written.files, name, version) if binary is not False else (None, "")
        if binary and library is None:
            raise FlexmbsError(f"FMU of {system.name!r}: {note}.")
        if library is None:
            notes.append(f"without a binary, C sources only{f': {note}' if note else ''}")
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            if version == 2:
                text = description_2(system, name, table, known, written.token, sources)
            else:
                text = description_3(system, name, table, known, written.token)
                archive.writestr("sources/buildDescription.xml", build_description(name, sources))
            archive.writestr("modelDescription.xml", text)
            for file, content in written.files.items():
                archive.writestr(f"sources/{file}", content)
            if written.resource is not None:
                archive.writestr("resources/system.bin", written.resource)
            archive.writestr("documentation/index.html", page(system, table, known, system.losses))
            if library is not None:
                archive.writestr(library[0], library[1])
    return ExportResult(f"fmu{version}", path, system.losses, tuple(notes))


def _compiled(files: dict[str, str], name: str, version: int) -> tuple[tuple[str, bytes] | None, str]:
    """Name in the archive and content of the library for this machine, or why there is none."""
    known = FOLDERS.get((platform.system(), platform.machine()))
    if known is None or not known[version - 2]:
        return None, f"FMI {version} has no folder for binaries of {platform.system()} on {platform.machine()}"
    compiler = next((c for c in (os.environ.get("CC", ""), "cc", "gcc", "clang") if c and shutil.which(c)), None)
    if compiler is None:
        return None, "no C compiler was found (cc, gcc, clang)"
    with tempfile.TemporaryDirectory() as folder:
        for file, content in files.items():
            (Path(folder) / file).write_text(content, encoding="ascii")
        library = name + known[2]
        command = [compiler, *FLAGS, f"fmi{version}.c", "-o", library, "-lm"]
        try:
            subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=300)  # noqa: S603  # our C
        except subprocess.CalledProcessError as error:
            return None, f"{compiler} failed: {error.stderr.decode(errors='replace').strip()[:300]}"
        except (OSError, subprocess.TimeoutExpired) as error:
            return None, f"{compiler} failed: {error}"
        return (f"binaries/{known[version - 2]}/{library}", (Path(folder) / library).read_bytes()), ""


FORMATS = {
    "fmu2": Format(".fmu", "functional mock-up unit, FMI 2.0", write_system=write_fmu2),
    "fmu3": Format("_fmi3.fmu", "functional mock-up unit, FMI 3.0", write_system=write_fmu3),
}
