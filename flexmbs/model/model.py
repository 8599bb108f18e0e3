"""The model: bodies, what holds them, what joins them, what loads and controls them, in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flexmbs.core.attributes import Hinted
from flexmbs.core.body_description import BodyDescription, class_in_words
from flexmbs.core.checks import as_name, show
from flexmbs.core.distinct_names import distinct_names, repeated
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.core.extra_coordinate import ExtraCoordinate
from flexmbs.core.field_terms import meant
from flexmbs.core.identity import IdentityMap
from flexmbs.core.units import SI, Units
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.model.bodies.marker import Marker
from flexmbs.model.default_names import numbered
from flexmbs.model.membership import bodies_of, check_membership
from flexmbs.model.supports import Hinge

if TYPE_CHECKING:
    from flexmbs.model.bodies.flexible import FlexibleBody
    from flexmbs.model.bodies.linear import LinearBody
    from flexmbs.model.bodies.substructure import Substructure
    from flexmbs.model.forces.items import Load
    from flexmbs.model.joints.contracts import Joint
    from flexmbs.model.supports import Support
    from flexmbs.model.trees.tree import Tree, TreeLink

__all__ = ["Model"]


@dataclass(frozen=True, eq=False, init=False)
class Model(Hinted):
    """Bodies, supports, hinges and loads together; never changed once made.

    Parameters
    ----------
    *items : body, support, Hinge, joint, load, force or controller
        In any order. What others refer to (bodies, joints, trees, states) must be among them; the ground need not.
        Forces and controllers without a name are numbered where several are alike: "spring (1)", "spring (2)".
    units : Units, default SI
        Labels of the units for tables and plots; nothing is converted.
    name : str

    Raises
    ------
    ModelError
        If an item is of a foreign kind, two bodies share a name, something that an item refers to is missing, or an
        item is given twice.

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(),
    ...                             section=fx.Rectangle(width=0.02, height=0.002), material=fx.steel, name="blade")
    >>> print(fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -1.0))))
    model 'model' [m, kg, s]
      body 'blade': 4 planar cable, 5 nodes, length 1 m, mass 0.314 kg
      Clamp 'start' of body 'blade'
      force at 'end' of body 'blade'
    """

    flexible_bodies: tuple[FlexibleBody, ...]
    rigid_bodies: tuple[Any, ...]
    linear_bodies: tuple[LinearBody, ...]
    substructures: tuple[Substructure, ...]
    trees: tuple[Tree, ...]
    supports: tuple[Support, ...]
    hinges: tuple[Hinge, ...]
    joints: tuple[Joint, ...]
    loads: tuple[Load, ...]
    forces: tuple[Any, ...]
    controllers: tuple[Any, ...]
    states: tuple[Any, ...]
    damping: tuple[Any, ...]
    initial: tuple[Any, ...]
    units: Units
    name: str
    items: tuple[Any, ...] = field(repr=False)
    given: tuple[Any, ...] = field(repr=False)
    """Items as they were given: those that are numbered are without their numbers."""

    if TYPE_CHECKING:
        _numbered: tuple[tuple[Any, Any], ...]

    def __init__(self, *items: Any, units: Units = SI, name: str = "model") -> None:
        owner = f"Model {as_name('Model', 'name', name)!r}"
        if not isinstance(units, Units):
            raise ModelError(
                f"{owner}: units must be a Units object such as flexmbs.SI, not {show(units)}.{meant('units', units)}"
            )
        kinds: dict[str, list[Any]] = {name: [] for name in _KINDS}
        seen: IdentityMap[Any, None] = IdentityMap()
        for item in items:
            if item in seen:
                raise ModelError(f"{owner}: {show(item)} is given twice.")
            seen[item] = None
            kind = _kind(owner, item)
            if kind:
                kinds[kind].append(item)
        new = tuple(pair for kind in ("forces", "controllers") for pair in numbered(kinds[kind]))
        object.__setattr__(self, "_numbered", new)
        object.__setattr__(self, "given", items)
        for key, group in kinds.items():
            object.__setattr__(self, key, tuple(self.present(item) for item in group))
        object.__setattr__(self, "items", tuple(self.present(item) for item in items))
        object.__setattr__(self, "units", units)
        object.__setattr__(self, "name", name)
        self._check(owner)

    @cached_property
    def described(self) -> tuple[BodyDescription, ...]:
        """All descriptions of bodies, trees and substructures, in the order given."""
        return tuple(item for item in self.items if isinstance(item, BodyDescription) and item.collection)

    @property
    def bodies(self) -> tuple[Any, ...]:
        """All bodies but trees: the flexible ones, the rigid ones, the linear ones, each in the order given."""
        return self.flexible_bodies + self.rigid_bodies + self.linear_bodies

    @property
    def tree_links(self) -> tuple[TreeLink, ...]:
        """The links of all trees."""
        return tuple(link for tree in self.trees for link in tree.bodies)

    @cached_property
    def load_names(self) -> tuple[str, ...]:
        """Names of all loads in messages and results, each once: labels, numbered in their order where they are equal.

        Examples
        --------
        >>> import flexmbs as fx
        >>> bead = fx.PlanarRigidBody(1.0, 0.1, position=(0.0, 0.0), name="bead")
        >>> push, pull = fx.PointForce(bead.centre, (1, 0)), fx.PointForce(bead.centre, (0, 2))
        >>> for name in fx.Model(bead, push, pull, fx.Gravity((0, -10))).load_names:
        ...     print(name)
        force at marker 'centre' of PlanarRigidBody 'bead' (1)
        force at marker 'centre' of PlanarRigidBody 'bead' (2)
        gravity
        """
        return distinct_names(load.label for load in self.loads)

    def _check(self, owner: str) -> None:
        if not self.bodies and not self.trees:
            raise ModelError(f"{owner}: there is no body; give at least one, for example a FlexibleBody.")
        named: dict[str, tuple[Any, ...]] = {"bodies": self.bodies + self.trees + self.tree_links}
        named |= {"joints": self.joints, "forces": self.forces}
        named |= {"controllers": self.controllers, "states": self.states}
        named |= {"substructures": self.substructures}
        for what, group in named.items():
            twice = repeated(group)
            if twice:
                raise ModelError(
                    f"{owner}: {len(twice)} names of {what} are used twice: {twice}; names must differ: give "
                    f"name= to each."
                )
        self._check_actuators(owner)
        check_membership(owner, self)
        for described in self.described:
            described.check_in(owner, self)

    def _check_actuators(self, owner: str) -> None:
        """Refuse an actuator that has two values."""
        driven: dict[str, list[str]] = {}
        for item in self.controllers + self.states:
            for actuator in getattr(item, "actuators", ()):
                driven.setdefault(str(actuator.name), []).append(f"{kind_in_words(item)} {item.name!r}")
        for name, by in driven.items():
            if len(by) > 1:
                raise ModelError(
                    f"{owner}: the actuator {name!r} is driven by {' and '.join(by)}, but holds one value; give each "
                    f"an actuator with a name= of its own. Their forces add."
                )

    def with_(self, *items: Any) -> Model:
        """A copy with more items."""
        return Model(*self.given, *items, units=self.units, name=self.name)

    def named(self, name: str) -> Model:
        """A copy with another name."""
        return Model(*self.given, units=self.units, name=name)

    def present(self, item: Any) -> Any:
        """An item as it is in the model: the numbered copy of a force or controller without a name, itself of others.

        Examples
        --------
        >>> import flexmbs as fx
        >>> ball = fx.PointMass(1.0, position=(0, 0), name="ball")
        >>> left, right = (fx.SpringDamper(fx.ground.marker((x, 0)), ball, stiffness=1.0) for x in (-1.0, 1.0))
        >>> fx.Model(ball, left, right).present(right).name
        'spring (2)'
        """
        return next((other for given, other in self._numbered if given is item), item)

    def body(self, name: str) -> Any:
        """The body of that name."""
        return self._named("body", name, self.bodies + self.tree_links)

    def meant(self, given: Any) -> Any:
        """The body, link or tree that a user names: the object itself, or the one of that name."""
        if not isinstance(given, str):
            return given
        return self._named("body or tree", given, self.bodies + self.tree_links + self.trees)

    def tree(self, name: str) -> Tree:
        """The tree of that name."""
        found: Tree = self._named("tree", name, self.trees)
        return found

    def joint(self, name: str) -> Joint:
        """The joint of that name, or that of a tree by ``tree/link``."""
        for tree in self.trees:
            start, _, link = name.partition("/") if isinstance(name, str) else ("", "", "")
            if start == tree.name and link in {part.name for part in tree.links}:
                return tree.joint(link)  # type: ignore[return-value]  # it offers coordinates, and no equations
        found: Joint = self._named("joint", name, self.joints, tuple(link.name for link in self.tree_links))
        return found

    def force(self, name: str) -> Any:
        """The force between markers of that name."""
        return self._named("force", name, self.forces)

    def _named(self, what: str, name: str, known: tuple[Any, ...], others: tuple[str, ...] = ()) -> Any:
        """The one of that name; a message has the names of ``others``, too."""
        for item in known:
            if isinstance(name, str) and item.name == name:
                return item
        names = [*(item.name for item in known), *others]
        meant = [type(item).__name__ for item in self.forces if isinstance(name, str) and item.name == name]
        hint = f" {name!r} is a {meant[0]}: of a result ask force({name!r})." if meant and what != "force" else ""
        raise ModelError(f"Model {self.name!r}: {unknown_name(what, name, names)}{hint}")

    @property
    def extra_coordinates(self) -> tuple[Any, ...]:
        """Coordinates that joints, forces and states bring along; made anew each time for states."""
        found = [e for item in self.joints + self.forces + self.substructures for e in getattr(item, "extra", ())]
        for item in self.states:
            for k, x in enumerate(item.start):
                found.append(ExtraCoordinate(f"state {k} of {item.name!r}", rate=float(x), owner=item))
        return tuple(found)

    def _repr_html_(self) -> str:
        """A small picture and a table, for notebooks."""
        from flexmbs.visualization.notebook import html_of_model  # a request of a user, not of the model

        return html_of_model(self)

    def __str__(self) -> str:
        u = self.units
        lines = [f"model {self.name!r} [{u.length}, {u.mass}, {u.time}]"]
        lines += [f"  {part.line_in_model(u)}" for part in (*self.bodies, *self.substructures, *self.trees)]
        lines += [f"  {type(s).__name__} {s.at}" for s in self.supports]
        lines += [f"  Hinge of {h.a} and {h.b}" for h in self.hinges]
        for j in self.joints:
            between = " and ".join(body.name for body in bodies_of(j))
            upto = "up to " if all(side.planar for p in j.pairs for side in (p.a, p.b)) else ""
            lines.append(f"  {kind_in_words(j)} {j.name!r} of {between}: {upto}{len(j.equations)} equations")
        lines += [f"  {name}" for name in self.load_names]
        lines += [f"  {kind_in_words(f)} {f.name!r}" for f in self.forces + self.controllers + self.states]
        return "\n".join(lines)


_KINDS = (
    "flexible_bodies", "rigid_bodies", "linear_bodies", "substructures", "trees", "supports", "hinges", "joints",
    "loads", "forces", "controllers", "states", "damping", "initial",
)  # fmt: skip

_OFFERS = (
    ("joints", ("pairs", "equations")),
    ("supports", ("conditions", "at")),
    ("forces", ("row_forces", "name")),
    ("forces", ("differentiate", "markers")),
    ("controllers", ("period", "update")),
    ("states", ("rates", "start")),
    ("damping", ("mass_factor", "stiffness_factor")),
    ("initial", ("velocity_field", "body")),
    ("loads", ("items", "history")),
)
"""What an item is, by what it offers."""


def _kind(owner: str, item: object) -> str:
    """Which group an item belongs to."""
    if isinstance(item, BodyDescription) and not item.not_an_item:
        return item.collection
    if isinstance(item, Hinge):
        return "hinges"
    if not isinstance(item, type):
        for kind, members in _OFFERS:
            if all(hasattr(item, member) for member in members):
                return kind
    if isinstance(item, list | tuple | set | dict):
        raise ModelError(f"{owner}: pass items one by one, Model(*items), not in a {type(item).__name__}.")
    hint = f" {item.not_an_item}" if isinstance(item, BodyDescription) else ""
    if isinstance(item, Attachment | Marker):
        hint = " A place on a body is not an item: wrap it in a support, joint or load."
    if isinstance(getattr(item, "items", None), tuple):
        hint = " It stands for several: pass its items, as in Model(*boom.items)."
    if hasattr(item, "acts_on"):
        hint = " An actuator comes with what drives it: Command(actuator, period, values), PID(...), FirstOrder(...)."
    if hasattr(item, "read"):
        hint = " A sensor comes with who reads it: a controller, FirstOrder, Event, or run.table(sensor)."
    if hasattr(item, "condition"):
        hint = " Events belong to a run: simulate(model, until, events=[event])."
    raise ModelError(
        f"{owner}: {show(item)} is neither a body, a support, a joint nor a load.{hint}"
        + (" Make an object of the class first." if isinstance(item, type) else "")
    )


def kind_in_words(item: object) -> str:
    """The name of a class in words: RigidBody -> rigid body."""
    return class_in_words(item)
