"""Write reduced models for other tools: one call for any formats."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from flexmbs.core.checks import as_flag, as_name, show
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.reduction.export.abaqus import write_abaqus
from flexmbs.reduction.export.dmig import write_dmig
from flexmbs.reduction.export.exudyn import write_exudyn
from flexmbs.reduction.export.fmu import write_fmu2, write_fmu3
from flexmbs.reduction.export.frequency_functions import write_frequency_functions
from flexmbs.reduction.export.gltf import write_gltf
from flexmbs.reduction.export.linear_system import modal_system, state_space
from flexmbs.reduction.export.matlab import write_mat, write_simscape
from flexmbs.reduction.export.mbdyn import write_mbdyn
from flexmbs.reduction.export.mbdyn_deck import write_mbdyn_deck
from flexmbs.reduction.export.modelica import write_modelica
from flexmbs.reduction.export.neutral import write_hdf5, write_mtx, write_npz
from flexmbs.reduction.export.op4 import write_op4, write_op4_binary
from flexmbs.reduction.export.paraview import write_paraview
from flexmbs.reduction.export.sid import write_sid
from flexmbs.reduction.export.universal import write_universal
from flexmbs.reduction.export.written import ExportResult, warn_of
from flexmbs.reduction.model import ReducedModel

__all__ = ["FORMATS", "Format", "export"]


class Format(NamedTuple):
    """A format: its writer, the ``suffix`` of its file or folder by default, and what it is in words.

    Either ``write(model, path, overwrite, ...)`` for parts; or ``write_system(system, path, overwrite, units, ...)``
    for linear systems, which reduced models become by `modal_system`, and linear models of mechanisms are.
    """

    suffix: str
    text: str
    write: Callable[..., ExportResult] | None = None
    write_system: Callable[..., ExportResult] | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """What can be said about a reduced model."""
        if self.write is not None:
            return _parameters(self.write)[3:]
        return _parameters(modal_system)[1:] + self.system_options

    @property
    def system_options(self) -> tuple[str, ...]:
        """What can be said about a linear system, beside its units."""
        return () if self.write_system is None else _parameters(self.write_system)[4:]


FORMATS: dict[str, Format] = {
    "hdf5": Format(".h5", "complete file of flexmbs (HDF5)", write_hdf5),
    "npz": Format(".npz", "neutral arrays for NumPy", write_npz),
    "mtx": Format("_mtx", "neutral folder of Matrix Market files and tables", write_mtx),
    "fmu2": Format(".fmu", "functional mock-up unit (FMU), FMI 2.0", write_system=write_fmu2),
    "fmu3": Format("_fmi3.fmu", "functional mock-up unit (FMU), FMI 3.0", write_system=write_fmu3),
    "sid": Format(".SID_FEM", "Standard Input Data of SIMPACK and Modelica libraries", write_sid),
    "dmig": Format(".pch", "Nastran DMIG (bulk data)", write_dmig),
    "op4": Format("_op4", "Nastran OUTPUT4 as text, with tables", write_op4),
    "op4bin": Format("_op4bin", "Nastran OUTPUT4 in binary records, with tables", write_op4_binary),
    "exudyn": Format("_exudyn", "data and loader for Exudyn, linear and in a floating frame", write_exudyn),
    "mat": Format(".mat", "state space for MATLAB, Octave and python-control", write_system=write_mat),
    "simscape": Format("_simscape.mat", "Simscape's Reduced Order Flexible Solid", write_simscape),
    "modelica": Format(".mo", "Modelica text", write_system=write_modelica),
    "mbdyn": Format(".fem", "modal joint of MBDyn", write_mbdyn),
    "mbdyn_deck": Format("_mbdyn", "modal joint of MBDyn with a deck that runs it", write_mbdyn_deck),
    "abaqus": Format("_matrices.inp", "Abaqus matrix input", write_abaqus),
    "uff": Format(".unv", "mode shapes as universal file", write_universal),
    "uff58": Format("_frf.unv", "frequency responses as universal file", write_system=write_frequency_functions),
    "paraview": Format(".vtu", "mode shapes for ParaView", write_paraview),
    "gltf": Format(".glb", "modes that swing, for browsers and viewers (glTF)", write_gltf),
}
"""All formats by name."""

FAMILIES: dict[str, tuple[str, ...]] = {"nastran": ("dmig", "op4"), "matlab": ("mat",), "all": tuple(FORMATS)}
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
    output = Path(output)
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
        system, units = state_space(title, model), dict(options.get("units", {}))
    return chosen.write_system(system, path, overwrite, units, **own)


def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


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
            raise ModelError(f"export: the suffix of {output} tells no format ({known}); name it: to='npz'.")
        return fitting[:1]
    names: list[str] = []
    for name in [to] if isinstance(to, str) else list(to):
        if name not in FORMATS and name not in FAMILIES:
            raise ModelError(f"export: {unknown_name('format', name, [*FORMATS, *FAMILIES])}")
        names += FAMILIES.get(name, (name,))
    if not names:
        raise ModelError(f"export: name a format: {', '.join(FORMATS)}.")
    return list(dict.fromkeys(names))
