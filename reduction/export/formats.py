"""Write reduced models for other tools: one call for any formats."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from flexmbs.core.checks import as_flag, show
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.reduction.export.neutral import write_hdf5, write_mtx, write_npz
from flexmbs.reduction.export.written import Written, warn_of
from flexmbs.reduction.model import ReducedModel

__all__ = ["FORMATS", "Format", "export"]


class Format(NamedTuple):
    """``write(model, path, overwrite, ...)``, ``suffix`` of the file or folder by default, and what it is in words."""

    write: Callable[..., Written]
    suffix: str
    text: str

    @property
    def options(self) -> tuple[str, ...]:
        """What the writer takes beside the model and its path."""
        return tuple(inspect.signature(self.write).parameters)[3:]


FORMATS: dict[str, Format] = {
    "hdf5": Format(write_hdf5, ".h5", "complete file of flexmbs (HDF5)"),
    "npz": Format(write_npz, ".npz", "neutral arrays for NumPy"),
    "mtx": Format(write_mtx, "_mtx", "neutral folder of Matrix Market files and tables"),
}
"""All formats by name."""


def export(
    model: ReducedModel,
    output: str | Path,
    to: str | Sequence[str] | None = None,
    *,
    overwrite: bool = False,
    **options: Any,
) -> tuple[Written, ...]:
    """Write a reduced model for other tools.

    Parameters
    ----------
    model : ReducedModel
        From `reduce` or `load_reduced`.
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
    if not isinstance(model, ReducedModel):
        raise ModelError(f"export: expected a ReducedModel, from flexmbs.reduce, not {show(model)}.")
    overwrite = as_flag("export", "overwrite", overwrite)
    output = Path(output)
    names = _names(output, to)
    for option in options:
        if not any(option in FORMATS[name].options for name in names):
            known = sorted({o for name in names for o in FORMATS[name].options})
            raise ModelError(f"export to {', '.join(names)}: {unknown_name('option', option, known)}")
    out = []
    for name in names:
        chosen = FORMATS[name]
        single = len(names) == 1 and output.suffix and not output.is_dir()
        path = output if single else output / (file_name(model.name) + chosen.suffix)
        out.append(chosen.write(model, path, overwrite, **{k: v for k, v in options.items() if k in chosen.options}))
        warn_of(out[-1])
    return tuple(out)


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
