"""What came of writing a file for another tool, and how such a file gets to its place."""

from __future__ import annotations

import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from flexmbs.core.errors import FlexmbsError, LossWarning
from flexmbs.reduction.model import ReducedModel

__all__ = ["ExportResult", "left_out", "placed", "placed_folder", "warn_of"]


@dataclass(frozen=True)
class ExportResult:
    """A file, or a folder of files, that was written for another tool.

    Attributes
    ----------
    format : str
        Its name among `flexmbs.reduction.export.FORMATS`.
    path : Path
        Of the file or folder.
    losses : tuple of str
        What the model has that the format does not hold; also said in the file itself.
    notes : tuple of str
        What else is worth knowing, such as that no compiler was found.
    """

    format: str
    path: Path
    losses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.format}: {self.path}"]
        lines += [f"  lost: {text}" for text in self.losses]
        lines += [f"  note: {text}" for text in self.notes]
        return "\n".join(lines)


def left_out(model: ReducedModel) -> list[str]:
    """What a model has beyond matrices and the motion of places, in words: losses of most formats."""
    known = {"geometric stiffening": model.stiffening, "stresses": model.stress_shapes}
    return [name for name, value in known.items() if value is not None]


def warn_of(written: ExportResult) -> None:
    """Say what was lost, where Python shows warnings, as a warning of the line that called the package."""
    if not written.losses:
        return
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("flexmbs."):
        level, frame = level + 1, frame.f_back
    text = "; ".join(written.losses)
    warnings.warn(f"{written.path.name} ({written.format}) does not hold: {text}.", LossWarning, stacklevel=level)


@contextmanager
def placed(path: Path, overwrite: bool) -> Iterator[Path]:
    """A temporary name beside a file; what is written there gets to its place when all went well.

    Raises
    ------
    FlexmbsError
        If the file is there and must not be replaced, or it cannot be written.
    """
    if path.is_dir() or (path.exists() and not overwrite):
        raise FlexmbsError(_refusal(path))
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield part
        part.replace(path)
    except OSError as error:
        if isinstance(error, FlexmbsError):
            raise
        raise FlexmbsError(f"cannot write {path}: {error.strerror or error}.") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


@contextmanager
def placed_folder(path: Path, overwrite: bool) -> Iterator[Path]:
    """The same for a folder; one that is there is replaced only if flexmbs wrote it, which `MARK` in it tells."""
    if path.exists() and not (overwrite and (path / MARK).is_file()):
        raise FlexmbsError(
            f"{path} is there, and was not written by an export; it is left as it is. Give another name."
            if overwrite else _refusal(path)
        )  # fmt: skip
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as temporary:
            part = Path(temporary) / path.name
            part.mkdir()
            yield part
            if path.exists():
                shutil.rmtree(path)
            part.replace(path)
    except OSError as error:
        if isinstance(error, FlexmbsError):
            raise
        raise FlexmbsError(f"cannot write {path}: {error.strerror or error}.") from None


MARK = "model.json"
"""A file that every folder written here has."""


def _refusal(path: Path) -> str:
    if path.is_dir():
        return f"{path} is a folder that is there already; give another name, or overwrite=True (--overwrite)."
    return f"{path} is there already; overwrite=True (--overwrite) replaces it."
