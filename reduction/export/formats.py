"""Write reduced models for other tools: one call for any formats."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from flexmbs.core.checks import as_flag, as_name, as_names, as_path, show
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.core.field_terms import meant
from flexmbs.core.units import names_of_units
from flexmbs.reduction.export.format import Format
from flexmbs.reduction.export.linear_system import modal_system, state_space
from flexmbs.reduction.export.written import ExportResult, warn_of
from flexmbs.reduction.model import ReducedModel

__all__ = ["FORMATS", "collected", "export"]


def collected(package: Any) -> dict[str, Format]:
    """The formats of all modules of a package, by name."""
    found: dict[str, Format] = {}
    for module in sorted(m.name for m in iter_modules(package.__path__) if m.name != "formats"):
        own = getattr(import_module(f"{package.__name__}.{module}"), "FORMATS", {})
        if twice := set(own) & set(found):
            raise ImportError(f"{module}: there is a format named {', '.join(sorted(twice))} already")
        found |= own
    return found


FORMATS = collected(sys.modules[__package__])
"""All formats by name."""

FAMILIES = {
    family: tuple(name for name, known in FORMATS.items() if known.family == family)
    for family in sorted({known.family for known in FORMATS.values()} - {""})
} | {"all": tuple(FORMATS)}
"""Names for several formats, or another name for one."""


def export(
    model: ReducedModel | Any,
    output: str | Path,
    to: str | Sequence[str] | None = None,
    *,
    overwrite: bool = False,
    **options: Any,
) -> tuple[ExportResult, ...]:
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
        Names of formats, of `FORMATS`; also "nastran" (dmig, op4), "matlab" (mat), "all".
    overwrite : bool, default False
        Whether files that are there may be replaced.
    **options
        Of the formats, such as ``nodes="TIP"``; each is passed to those that know it.

    Returns
    -------
    tuple of ExportResult
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
    >>> lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    >>> small = fx.reduction.reduce(lug, ["ROOT", "BORE"], modes=6)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [written] = fx.reduction.export(small, folder + "/lug.npz")
    ...     written.path.name, written.losses
    ('lug.npz', ())
    """
    overwrite = as_flag("export", "overwrite", overwrite)
    output = as_path("export", "output", output)
    names = _names(output, to)
    if isinstance(model, ReducedModel):
        allowed = {name: FORMATS[name].options for name in names}
        title = model.name
    elif all(hasattr(model, attribute) for attribute in ("A", "B", "C", "D", "operating_outputs")):
        title = as_name("export", "name", options.pop("name", "mechanism"))
        allowed = {name: ("units", *_for_systems(name).system_options) for name in names}
    else:
        raise ModelError(
            f"export: expected a ReducedModel, from flexmbs.reduction.reduce, or a LinearModel, not {show(model)}."
        )
    for option in options:
        if not any(option in known for known in allowed.values()):
            known = sorted({o for options_of in allowed.values() for o in options_of})
            raise ModelError(f"export to {', '.join(names)}: {unknown_name('option', option, known)}")
    out = []
    for name in names:
        single = len(names) == 1 and output.suffix and not output.is_dir()
        path = output if single else output / (file_name(title) + FORMATS[name].suffix)
        given = {k: v for k, v in options.items() if k in allowed[name]}
        out.append(_written(model, title, FORMATS[name], path, overwrite, given))
        warn_of(out[-1])
    return tuple(out)


def _written(
    model: ReducedModel | Any, title: str, chosen: Format, path: Path, overwrite: bool, options: dict[str, Any]
) -> ExportResult:
    """One file."""
    if chosen.write is not None:
        return chosen.write(model, path, overwrite, **options)
    assert chosen.write_system is not None  # noqa: S101  # one of both
    own = {k: v for k, v in options.items() if k in chosen.system_options}
    if isinstance(model, ReducedModel):
        system = modal_system(model, **{k: v for k, v in options.items() if k not in own})
        units = dict(model.units)
    else:
        system, units = state_space(title, model), names_of_units("export", options.get("units", {}))
    return chosen.write_system(system, path, overwrite, units, **own)


def _for_systems(name: str) -> Format:
    """A format that holds linear models."""
    if FORMATS[name].write_system is None:
        known = ", ".join(n for n, f in FORMATS.items() if f.write_system is not None)
        raise ModelError(f"export: {name} holds parts with interfaces, not linear models of a mechanism; {known} do.")
    return FORMATS[name]


def file_name(name: str) -> str:
    """A name for files on any system."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in name).strip(".")
    return kept[:80] or "part"


def _names(output: Path, to: str | Sequence[str] | None) -> list[str]:
    """Which formats."""
    if to is None:
        suffixes = {name: Path(f"x{f.suffix}").suffix.lower() for name, f in FORMATS.items()}
        fitting = [name for name, suffix in suffixes.items() if suffix and suffix == output.suffix.lower()]
        if not fitting:
            known = ", ".join(sorted({suffix for suffix in suffixes.values() if suffix}))
            end = output.suffix[1:].lower()
            word = f" to={end!r}." if end in FORMATS else meant("format", end) or " to='npz'."
            raise ModelError(f"export: the suffix of {output} tells no format ({known}); name it:{word}")
        return sorted(fitting, key=lambda name: FORMATS[name].suffix.lower() != output.suffix.lower())[:1]
    names: list[str] = []
    for name in as_names("export", "to", to):
        if name not in FORMATS and name not in FAMILIES:
            readable = [f"to={known!r}, {f.text}" for known, f in FORMATS.items() if name.lower() in f.text.lower()]
            if readable:
                raise ModelError(f"export: there is no format named {name!r}; take {'; or '.join(readable)}.")
            word = meant("format", name)
            if word:
                raise ModelError(f"export: there is no format named {name!r}.{word}")
            raise ModelError(f"export: {unknown_name('format', name, [*FORMATS, *FAMILIES])}")
        names += FAMILIES.get(name, (name,))
    if not names:
        raise ModelError(f"export: name a format: {', '.join(FORMATS)}.")
    return list(dict.fromkeys(names))
