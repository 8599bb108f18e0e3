"""Write reduced models for other tools: one call for any formats."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from flexmbs.core.checks import as_flag, as_name, show
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.reduction.export.fmu import write_fmu2, write_fmu3, write_system_fmu2, write_system_fmu3
from flexmbs.reduction.export.linear_system import LinearSystem, state_space
from flexmbs.reduction.export.neutral import write_hdf5, write_mtx, write_npz
from flexmbs.reduction.export.written import Written, warn_of
from flexmbs.reduction.model import ReducedModel

__all__ = ["FORMATS", "Format", "export"]


class Format(NamedTuple):
    """``write(model, path, overwrite, ...)``, ``suffix`` of the file or folder by default, and what it is in words.

    ``write_system(system, path, overwrite, ...)`` where the format also holds a linear model of a mechanism.
    """

    write: Callable[..., Written]
    suffix: str
    text: str
    write_system: Callable[..., Written] | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """What the writer takes beside the model and its path."""
        return _options(self.write)


FORMATS: dict[str, Format] = {
    "hdf5": Format(write_hdf5, ".h5", "complete file of flexmbs (HDF5)"),
    "npz": Format(write_npz, ".npz", "neutral arrays for NumPy"),
    "mtx": Format(write_mtx, "_mtx", "neutral folder of Matrix Market files and tables"),
    "fmu2": Format(write_fmu2, ".fmu", "unit of simulation, FMI 2.0", write_system_fmu2),
    "fmu3": Format(write_fmu3, "_fmi3.fmu", "unit of simulation, FMI 3.0", write_system_fmu3),
}
"""All formats by name."""


def export(
    model: ReducedModel | Any,
    output: str | Path,
    to: str | Sequence[str] | None = None,
    *,
    overwrite: bool = False,
    **options: Any,
) -> tuple[Written, ...]:
    """Write a reduced model, or a linear model of a whole mechanism, for other tools.

    Parameters
    ----------
    model : ReducedModel or LinearModel
        From `reduce` or `load_reduced`; or from `linearise`, for formats of linear systems, with ``name=`` for it and
        maybe ``units=``.
    output : path
        A file, whose suffix tells the format unless ``to`` names one; or, with several formats, a folder, in which the
        files have the name of the model.
    to : str or sequence of str, optional
        Names of formats, of `FORMATS`.
    overwrite : bool, default False
        Whether files that are there may be replaced.
    **options
        Of the formats, such as ``nodes="TIP"``; each is passed to those that know it.

    Returns
    -------
    tuple of Written
        For each format its path, and what the format could not hold. The latter is a `LossWarning`, too.

    Raises
    ------
    ModelError
        If a format or an option is unknown, or the model lacks what a format needs.
    FlexmbsError
        If a file is there already, or cannot be written. Files appear under their names when they are complete.

    Examples
    --------
    >>> import tempfile
    >>> import flexmbs as fx
    >>> lug = fx.Part(fx.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    >>> small = fx.reduce(lug, ["ROOT", "BORE"], modes=6)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [written] = fx.export(small, folder + "/lug.npz")
    ...     written.path.name, written.losses
    ('lug.npz', ())
    """
    overwrite = as_flag("export", "overwrite", overwrite)
    output = Path(output)
    names = _names(output, to)
    if isinstance(model, ReducedModel):
        what: ReducedModel | LinearSystem = model
        writers = [FORMATS[name].write for name in names]
    elif all(hasattr(model, attribute) for attribute in ("A", "B", "C", "D", "operating_outputs")):
        what = state_space(as_name("export", "name", options.pop("name", "mechanism")), model)
        writers = [_system_writer(name) for name in names]
    else:
        raise ModelError(f"export: expected a ReducedModel, from flexmbs.reduce, or a LinearModel, not {show(model)}.")
    for option in options:
        if not any(option in _options(write) for write in writers):
            known = sorted({o for write in writers for o in _options(write)})
            raise ModelError(f"export to {', '.join(names)}: {unknown_name('option', option, known)}")
    out = []
    for name, write in zip(names, writers, strict=True):
        single = len(names) == 1 and output.suffix and not output.is_dir()
        path = output if single else output / (file_name(what.name) + FORMATS[name].suffix)
        out.append(write(what, path, overwrite, **{k: v for k, v in options.items() if k in _options(write)}))
        warn_of(out[-1])
    return tuple(out)


def _options(write: Callable[..., Written]) -> tuple[str, ...]:
    """What a writer takes beside a model, a path and whether to replace it."""
    return tuple(inspect.signature(write).parameters)[3:]


def _system_writer(name: str) -> Callable[..., Written]:
    """The writer of a format for linear models."""
    found = FORMATS[name].write_system
    if found is None:
        known = ", ".join(n for n, f in FORMATS.items() if f.write_system is not None)
        raise ModelError(f"export: {name} holds parts with interfaces, not linear models of a mechanism; {known} do.")
    return found


def file_name(name: str) -> str:
    """A name for files on any system."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in name).strip(".")
    return kept[:80] or "part"


def _names(output: Path, to: str | Sequence[str] | None) -> list[str]:
    """Which formats."""
    if to is None:
        fitting = [name for name, f in FORMATS.items() if f.suffix == output.suffix.lower()]
        if not fitting:
            known = ", ".join(sorted({f.suffix for f in FORMATS.values() if f.suffix.startswith(".")}))
            raise ModelError(f"export: the suffix of {output} tells no format ({known}); name it: to='npz'.")
        return fitting[:1]
    names = [to] if isinstance(to, str) else list(to)
    for name in names:
        if name not in FORMATS:
            raise ModelError(f"export: {unknown_name('format', name, list(FORMATS))}")
    if not names:
        raise ModelError(f"export: name a format: {', '.join(FORMATS)}.")
    return list(dict.fromkeys(names))
