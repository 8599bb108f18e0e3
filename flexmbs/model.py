"""The model: bodies, what holds them, what joins them and what loads them, in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flexmbs.body import Attachment, FlexibleBody
from flexmbs.core.checks import as_name, show
from flexmbs.core.errors import ModelError
from flexmbs.core.units import SI, Units
from flexmbs.supports import Hinge

if TYPE_CHECKING:
    from flexmbs.forces.items import Load
    from flexmbs.supports import Support

__all__ = ["Model"]


@dataclass(frozen=True, eq=False, init=False)
class Model:
    """Bodies, supports, hinges and loads together; never changed once made.

    Parameters
    ----------
    *items : FlexibleBody, support, Hinge or load
        In any order. Bodies that supports and loads refer to must be among them.
    units : Units, default SI
        Labels of the units for tables and plots; nothing is converted.
    name : str

    Raises
    ------
    ModelError
        If an item is of a foreign kind, two bodies share a name, a body is missing, or an item is given twice.

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=fx.elements.PlanarCable(),
    ...                             section=fx.Rectangle(0.02, 0.002), material=fx.steel, name="blade")
    >>> print(fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -1.0))))
    model 'model' [m, kg, s]
      body 'blade': 4 planar cable, 5 nodes, length 1 m, mass 0.314 kg
      Clamp 'start' of body 'blade'
      force at 'end' of body 'blade'
    """

    bodies: tuple[FlexibleBody, ...]
    supports: tuple[Support, ...]
    hinges: tuple[Hinge, ...]
    loads: tuple[Load, ...]
    units: Units
    name: str
    items: tuple[Any, ...] = field(repr=False)

    def __init__(self, *items: Any, units: Units = SI, name: str = "model") -> None:
        owner = f"Model {as_name('Model', 'name', name)!r}"
        if not isinstance(units, Units):
            raise ModelError(f"{owner}: units must be a Units object such as flexmbs.SI, not {show(units)}.")
        kinds: dict[str, list[Any]] = {"bodies": [], "supports": [], "hinges": [], "loads": []}
        for item in items:
            if any(item is other for group in kinds.values() for other in group):
                raise ModelError(f"{owner}: {show(item)} is given twice.")
            kinds[_kind(owner, item)].append(item)
        for key, group in kinds.items():
            object.__setattr__(self, key, tuple(group))
        object.__setattr__(self, "items", items)
        object.__setattr__(self, "units", units)
        object.__setattr__(self, "name", name)
        self._check(owner)

    def _check(self, owner: str) -> None:
        if not self.bodies:
            raise ModelError(f"{owner}: there is no body; give at least one FlexibleBody.")
        names = [b.name for b in self.bodies]
        twice = sorted({n for n in names if names.count(n) > 1})
        if twice:
            raise ModelError(f"{owner}: {len(twice)} names of bodies are used twice: {twice}; names must differ.")
        wanted: list[tuple[str, FlexibleBody]] = []
        wanted += [(f"{type(s).__name__} {s.at}", s.at.body) for s in self.supports]
        wanted += [(f"Hinge of {h.a} and {h.b}", side.body) for h in self.hinges for side in (h.a, h.b)]
        wanted += [(load.label, body) for load in self.loads for body in load.targets]
        for label, body in wanted:
            if not any(body is b for b in self.bodies):
                known = " (another body of that name is)" if body.name in names else ""
                raise ModelError(f"{owner}: {label}: body {body.name!r} is not in the model{known}; add it.")

    def with_(self, *items: Any) -> Model:
        """A copy with more items."""
        return Model(*self.items, *items, units=self.units, name=self.name)

    def named(self, name: str) -> Model:
        """A copy with another name."""
        return Model(*self.items, units=self.units, name=name)

    def body(self, name: str) -> FlexibleBody:
        """The body of that name."""
        for body in self.bodies:
            if body.name == name:
                return body
        from flexmbs.core.errors import unknown_name

        raise ModelError(f"Model {self.name!r}: {unknown_name('body', name, [b.name for b in self.bodies])}")

    def __str__(self) -> str:
        u = self.units
        lines = [f"model {self.name!r} [{u.length}, {u.mass}, {u.time}]"]
        for body in self.bodies:
            lines.append(
                f"  body {body.name!r}: {len(body.cells)} {body.element.name}, {body.mesh.n_points} nodes, "
                f"length {body.length:g} {u.length}, mass {body.mass:.3g} {u.mass}"
            )
        lines += [f"  {type(s).__name__} {s.at}" for s in self.supports]
        lines += [f"  Hinge of {h.a} and {h.b}" for h in self.hinges]
        lines += [f"  {load.label}" for load in self.loads]
        return "\n".join(lines)


def _kind(owner: str, item: object) -> str:
    """Which group an item belongs to, by what it offers."""
    if isinstance(item, FlexibleBody):
        return "bodies"
    if isinstance(item, Hinge):
        return "hinges"
    if not isinstance(item, type):
        if hasattr(item, "conditions") and hasattr(item, "at"):
            return "supports"
        if hasattr(item, "items") and hasattr(item, "history"):
            return "loads"
    hint = " A place on a body is not an item: wrap it in a support or load." if isinstance(item, Attachment) else ""
    raise ModelError(
        f"{owner}: {show(item)} is neither a body, a support, a hinge nor a load.{hint}"
        + (" Make an object of the class first." if isinstance(item, type) else "")
    )
