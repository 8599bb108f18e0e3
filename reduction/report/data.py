r"""What a reduction report says: plain data, and its JSON form.

Schema of the JSON (version 1): the fields of `ReductionReport` by name, nested as the classes of this module; tuples
are lists, ``null`` stands for what was not computed or is not finite, and ``format`` is "flexmbs reduction report".
Frequencies are cycles per time (Hz where time is in seconds), errors are relative.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from dataclasses import dataclass
from typing import Any

from flexmbs.core.errors import ReadError

__all__ = [
    "EffectiveMasses",
    "FrequencyTable",
    "InertiaCheck",
    "InterfaceRow",
    "MeshCheck",
    "StaticCheck",
    "Stiffening",
    "TransferCheck",
    "Trust",
    "from_json",
    "to_json",
]

FORMAT = "flexmbs reduction report"
VERSION = 1

Numbers = tuple[float, ...]
Optional = tuple[float | None, ...]


@dataclass(frozen=True)
class InterfaceRow:
    """An interface: its number of nodes and coordinates, and the ``origin`` of its frame [length]."""

    name: str
    kind: str
    nodes: int
    coordinates: int
    origin: Numbers


@dataclass(frozen=True)
class FrequencyTable:
    """Elastic frequencies, ascending, of the part with the interfaces ``held``.

    ``rigid`` motions come before them; ``rigid_ratio`` is the largest of their squared frequencies relative to the
    first elastic one. ``reduced`` and ``full`` frequencies; ``error`` of the first relative to the second; ``bound``:
    the error is at most this (None where no bound is known); ``least``: and at least this; ``mac``: modal assurance of
    each reduced shape, by mass, with the full one that is nearest to it, ``partner`` (counted from 1; close frequencies
    may change places); ``mac_matrix``: of all pairs, reduced by full.
    """

    held: tuple[str, ...]
    rigid: int
    rigid_ratio: float | None
    reduced: Numbers
    bound: Optional
    least: Optional
    full: Numbers | None
    error: Numbers | None
    mac: Numbers | None
    partner: tuple[int, ...] | None
    mac_matrix: tuple[Numbers, ...] | None

    @property
    def rows(self) -> tuple[tuple[int, float, float | None, float | None, float | None, float | None, int | None], ...]:
        """Number, reduced and full frequency, error, bound, MAC and its partner of each mode."""
        none = (None,) * len(self.reduced)
        columns = (self.full or none, self.error or none, self.bound, self.mac or none, self.partner or none)
        return tuple((i + 1, f, *(c[i] for c in columns)) for i, f in enumerate(self.reduced))  # type: ignore[misc]


@dataclass(frozen=True)
class EffectiveMasses:
    """Modes of the reduced model with all interfaces held: ``frequencies`` and effective masses.

    ``fractions`` of the mass (along x, y, z) and of the moments of inertia about the centre of mass (about x, y, z) for
    each mode; ``sums`` of all modes; ``attainable``: what all modes of the full part together have (the rest moves with
    the interfaces), None where it was not computed.
    """

    frequencies: Numbers
    fractions: tuple[Numbers, ...]
    sums: Numbers
    attainable: Numbers | None


@dataclass(frozen=True)
class StaticCheck:
    """Unit motions of the interface, and rigid motions.

    ``imbalance``: largest force left inside the part when one coordinate of the interface is moved and the reduced
    model is in equilibrium; at round-off the static solution is exact. ``reactions``: largest difference of the
    reactions of the full operators and of the reduced stiffness. Both are relative to the forces of the elements.
    ``rigid_motions`` of the part; ``rigid_span``: their largest distance from what the basis can do;
    ``rigid_stiffness``: largest force that they cause in the reduced model, relative to its elastic forces;
    ``rigid_mass``: largest difference of their inertia in the reduced model and in the full one. None: nothing to
    check.
    """

    imbalance: float | None
    reactions: float | None
    rigid_motions: int
    rigid_span: float | None
    rigid_stiffness: float | None
    rigid_mass: float | None


@dataclass(frozen=True)
class InertiaCheck:
    """Mass, centre and inertia tensor about it from the inertia invariants, and how far the operators differ."""

    mass: float
    centre: Numbers
    tensor: tuple[Numbers, ...]
    exact: bool
    mass_error: float | None
    tensor_error: float | None


@dataclass(frozen=True)
class MeshCheck:
    """What the mesh itself misses, by recovered stresses (`flexmbs.reduction.report.mesh_error`).

    ``cells``: how many of each type. For the lowest elastic ``frequencies`` of the free part ``energy_error`` is the
    estimated error in the energy norm and ``too_high`` by how much the frequency is about too high, both relative; None
    where elements are no solids.
    """

    cells: dict[str, int]
    frequencies: Numbers
    energy_error: Numbers | None
    too_high: Numbers | None


@dataclass(frozen=True)
class TransferCheck:
    """Receptance of the interfaces up to ``band``, with structural damping: stiffness (1 + i loss) K.

    ``ports`` are the coordinates of the interfaces, rotations times ``arm``, so that all are lengths by forces. At
    ``frequencies``: ``size`` is the 2-norm of the reduced receptance (p, p), ``bound`` the most that it can err and
    ``estimate`` its distance from the corrected one, both relative to ``size``; at ``full_frequencies`` ``error`` is
    the true one and ``error_bound`` the bound there. ``reduced`` and ``full`` are magnitudes of the receptance at each
    port for a load at the same one (p, f). ``how``: how the full one was computed.
    """

    ports: tuple[str, ...]
    arm: float
    band: float
    loss: float
    frequencies: Numbers
    size: Numbers
    estimate: Optional
    bound: Optional
    reduced: tuple[Numbers, ...]
    full_frequencies: Numbers
    full: tuple[Numbers, ...]
    error: Numbers
    error_bound: Optional
    how: str


@dataclass(frozen=True)
class Trust:
    """How far up the model can be trusted.

    ``cut_off``: lowest frequency of what the basis leaves out, None if nothing is; no bound reaches beyond.
    ``trusted``: up to here the bound of every frequency is at most ``tolerance``.
    """

    cut_off: float | None
    trusted: float
    tolerance: float


@dataclass(frozen=True)
class Stiffening:
    """First elastic frequency of the free part as it is, and with the rigid bodies at its rigid interfaces."""

    part: float
    attached: float
    interfaces: tuple[str, ...]

    @property
    def rise(self) -> float:
        """Relative rise of the frequency."""
        return self.attached / self.part - 1.0


def to_json(report: Any) -> str:
    """The JSON text of a report."""
    given = {f.name: getattr(report, f.name) for f in dataclasses.fields(report) if not f.name.startswith("_")}
    content = {"format": FORMAT, "version": VERSION} | {k: _plain(v) for k, v in given.items() if k != "model"}
    return json.dumps(content, indent=1, allow_nan=False)


def from_json(kind: Any, text: str, where: str = "reduction report") -> Any:
    """A report of class ``kind`` from its JSON text.

    Raises
    ------
    ReadError
        If the text is no such report.
    """
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ReadError(f"{where}: it is not JSON: {error}.") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ReadError(f"{where}: it is not a report of flexmbs.")
    if content.get("version") != VERSION:
        raise ReadError(f"{where}: it has version {content.get('version')} of the format, not {VERSION}.")
    try:
        return _made(kind, content)
    except (KeyError, TypeError, ValueError) as error:
        raise ReadError(f"{where}: it is damaged: {error}.") from None


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, typing.Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    if isinstance(value, bool | str | int) or value is None:
        return value
    number = float(value)
    return number if math.isfinite(number) else None


def _made(kind: Any, value: Any) -> Any:
    """A value of an annotated type from JSON."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        hints = typing.get_type_hints(kind)
        names = [f.name for f in dataclasses.fields(kind) if f.name != "model"]
        later = [f.name for f in dataclasses.fields(kind) if f.default is None and f.name not in value]
        return kind(**{name: _made(hints[name], value[name]) for name in names if name not in later})
    if origin in (types.UnionType, typing.Union):
        if value is None and type(None) in inner:
            return None
        return _made(next(k for k in inner if k is not type(None)), value)
    if origin is tuple:
        if not isinstance(value, list):
            raise TypeError(f"expected a list, not {value!r}")
        if inner[-1] is Ellipsis:
            return tuple(_made(inner[0], v) for v in value)
        return tuple(_made(k, v) for k, v in zip(inner, value, strict=True))
    if origin is dict or kind is dict:
        return {str(k): _made(inner[1], v) for k, v in value.items()}
    if kind is float:
        return float("nan") if value is None else float(value)
    if not isinstance(value, kind):
        raise TypeError(f"expected {kind.__name__}, not {value!r}")
    return value
