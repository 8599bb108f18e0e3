r"""Trees: links joined one to the next, described by their joint coordinates alone.

The coordinates of a tree are those of its joints (`flexmbs.model.trees.joints`), so that no constraint equations hold
it together. Its equations of motion

.. math:: M(q)\,\dot v + h(q, v) = J^T w

follow from those of its links, :math:`M = \sum_i J_i^T M_i J_i`, by sums over what lies beyond each joint
(`flexmbs.kernels.trees.dynamics`). Loops are closed by joints between its links, or with other bodies, as between any
bodies.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from flexmbs.core.body_description import BodyDescription
from flexmbs.core.checks import as_array, as_name, frozen_copy, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.distinct_names import repeated
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.core.rotations import RotationLike, as_rotation
from flexmbs.model.bodies.frames import frame_along
from flexmbs.model.bodies.marker import Body, Marker
from flexmbs.model.joints.contracts import Pair
from flexmbs.model.trees.columns import moved_inertia
from flexmbs.model.trees.coordinate import TreeCoordinate, joint_pairs
from flexmbs.model.trees.flexible_link import FlexibleLink
from flexmbs.model.trees.link import Link

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from flexmbs.core.units import Units

__all__ = ["OutletMarker", "Tree", "TreeLink"]


@dataclass(frozen=True, eq=False, init=False)
class Tree(BodyDescription):
    """Links in a tree of joints, with the joint coordinates, and shapes of flexible links, as the only unknowns.

    Parameters
    ----------
    *links : Link or FlexibleLink
        In any order; each names the link before it. Several may begin at the base.
    position : (3,) array, default the origin
        Of the base frame, inertial frame [length].
    rotation : (3, 3) array, (4,) array or scipy Rotation, optional
        Axes of the base frame.
    name : str

    Raises
    ------
    ModelError
        If two links share a name, a parent is unknown, links go round in a circle, or what lies beyond a joint has no
        inertia against its motion.

    Examples
    --------
    A pendulum of two rods that hangs from the origin and swings about y:

    >>> import flexmbs as fx
    >>> from flexmbs import trees
    >>> upper = trees.Link("upper", 1.0, (0.1, 0.1, 0.001), (0, 0, -0.5), joint=trees.Revolute((0, 1, 0)), start=0.3)
    >>> lower = trees.Link("lower", 1.0, (0.1, 0.1, 0.001), (0, 0, -0.5), "upper", trees.Revolute((0, 1, 0)),
    ...                    at=(0, 0, -1))
    >>> pendulum = trees.Tree(upper, lower, name="pendulum")
    >>> run = fx.simulate(fx.Model(pendulum, fx.Gravity((0, 0, -9.81))), until=1.0, step=0.01)
    >>> run.position(pendulum.link("lower").marker((0, 0, -1))).shape
    (101, 3)
    """

    kind: ClassVar[str] = "tree"
    collection: ClassVar[str] = "trees"
    role: ClassVar[str] = "tree"
    links: tuple[Link | FlexibleLink, ...]
    position: FloatArray
    rotation: FloatArray
    name: str
    parents: tuple[int, ...] = field(init=False, repr=False)
    bodies: tuple[TreeLink, ...] = field(init=False, repr=False)

    def __init__(
        self,
        *links: Link | FlexibleLink,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: RotationLike = None,
        name: str = "tree",
    ) -> None:
        owner = f"Tree {as_name('Tree', 'name', name)!r}"
        for link in links:
            if not isinstance(link, Link | FlexibleLink):
                raise ModelError(f"{owner}: links must be Link or FlexibleLink objects, not {show(link)}.")
        if not links:
            raise ModelError(f"{owner}: a tree needs at least one link.")
        ordered, parents = _ordered(owner, links)
        object.__setattr__(self, "links", ordered)
        object.__setattr__(self, "parents", parents)
        object.__setattr__(self, "position", frozen_copy(as_array(owner, "position", position, (3,), unit="length")))
        object.__setattr__(self, "rotation", frozen_copy(as_rotation(owner, "rotation", rotation)))
        object.__setattr__(self, "name", name)
        _check_places(owner, self)
        _check_inertia(owner, self)
        object.__setattr__(self, "bodies", tuple(TreeLink(self, i, *pose) for i, pose in enumerate(self._poses())))

    def __str__(self) -> str:
        return f"Tree {self.name!r}"

    def references(self) -> tuple[Any, ...]:
        """Nothing: its links are its own."""
        return ()

    def replaced(self, mapping: Mapping[Any, Any]) -> Tree:
        """Itself."""
        return self

    @property
    def n_v(self) -> int:
        """Number of velocities."""
        return sum(link.joint.n_v + getattr(link, "modes", 0) for link in self.links)

    @property
    def mass(self) -> float:
        """[mass]."""
        return sum(link.mass for link in self.links)

    @property
    def members(self) -> tuple[TreeLink, ...]:
        return self.bodies

    @property
    def joined(self) -> tuple[tuple[TreeLink, TreeLink], ...]:
        """The links that one of its joints connects, two by two; a joint at the base connects none."""
        return tuple((self.bodies[p], body) for p, body in zip(self.parents, self.bodies, strict=True) if p >= 0)

    @property
    def stored_shapes(self) -> dict[tuple[str | int, ...], FloatArray]:
        """Those of its flexible links."""
        return {("links", b.index): b.link.floating.basis for b in self.bodies if isinstance(b.link, FlexibleLink)}

    def line_in_model(self, units: Units) -> str:
        """Its line in the text of a model."""
        n = len(self.links)
        return f"tree {self.name!r}: {n} link{'s' * (n > 1)}, {self.n_v} coordinates, mass {self.mass:.3g} {units.mass}"

    def link(self, name: str) -> TreeLink:
        """The link of that name, as a body that carries markers."""
        return self.bodies[self.index(name)]

    def index(self, name: str) -> int:
        """Number of a link in ``links``."""
        names = [link.name for link in self.links]
        if name not in names:
            raise ModelError(f"{self}: {unknown_name('link', name, names)}")
        return names.index(name)

    def joint(self, name: str) -> TreeCoordinate:
        """The joint of the link of that name, for springs, drivers, sensors and what else acts on joints."""
        return TreeCoordinate(self, self.index(name))

    @property
    def coordinates(self) -> Mapping[str, Pair]:
        """Coordinates of all joints but rotations by quaternion, named ``link: coordinate``."""
        found = {}
        for i, link in enumerate(self.links):
            found.update({f"{link.name}: {what}": pair for what, pair in joint_pairs(self, i).items()})
        return found

    def started(self, **starts: Any) -> Tree:
        """A copy with other coordinates at the start: ``tree.started(upper=0.5)``."""
        unknown = [name for name in starts if name not in {link.name for link in self.links}]
        if unknown:
            raise ModelError(f"{self}: {unknown_name('link', unknown[0], [link.name for link in self.links])}")
        links = []
        for link in self.links:
            if link.name in starts:
                links.append(_copy(link, start=starts[link.name]))
            else:
                links.append(link)
        return Tree(*links, position=self.position, rotation=self.rotation, name=self.name)

    def _poses(self) -> list[tuple[FloatArray, FloatArray]]:
        """Place and orientation of every link at the start, inertial frame."""
        found: list[tuple[FloatArray, FloatArray]] = []
        for link, parent in zip(self.links, self.parents, strict=True):
            p, R = (self.position, self.rotation) if parent < 0 else found[parent]
            at, axes = (link.at, np.eye(3)) if not isinstance(link.at, str) else self.links[parent].moved(link.at)  # type: ignore[union-attr]
            p, R = p + R @ at, R @ axes @ link.rotation
            place, turn = link.joint.moved(link.start)
            found.append((p + R @ place, R @ turn))
        return found


@dataclass(frozen=True, eq=False)
class TreeLink(Body):
    """A link of a tree as a body: what joints, forces and sensors are given; made by ``tree.link(name)``."""

    kind: ClassVar[str] = "tree"
    collection: ClassVar[str] = ""
    not_an_item: ClassVar[str] = "A link comes with its tree: give the tree."

    tree: Tree
    index: int
    origin: FloatArray = field(repr=False)
    axes: FloatArray = field(repr=False)

    def __str__(self) -> str:
        return f"link {self.link.name!r} of {self.tree}"

    @property
    def link(self) -> Link | FlexibleLink:
        """Its description."""
        return self.tree.links[self.index]

    @property
    def name(self) -> str:  # type: ignore[override]
        """``tree/link``."""
        return f"{self.tree.name}/{self.link.name}"

    @property
    def mass(self) -> float:
        """[mass]."""
        return self.link.mass

    @property
    def part_of(self) -> tuple[Tree, int]:
        return self.tree, self.index

    @property
    def words(self) -> str:
        return f"link of {self.tree.name!r}"

    @property
    def deforms(self) -> bool:
        """Whether it is flexible."""
        return isinstance(self.link, FlexibleLink)

    def interface(self, name: str, axis: ArrayLike | None = None, x: ArrayLike | None = None) -> Marker:
        """The marker of an interface of a flexible link, at its origin.

        Parameters
        ----------
        name : str
            Of the interface.
        axis, x : (3,) array, optional
            Third axis and direction of the first one, in axes of the mesh; its axes are those of the mesh by default.
        """
        link = self.link
        if not isinstance(link, FlexibleLink):
            raise ModelError(f"{self} is rigid and has no interfaces; use marker(point).")
        return self._interface(link, name, frame_along(f"interface {name!r} of {self}", axis, x, False), name)

    def marker(
        self, point: ArrayLike, axis: ArrayLike | None = None, x: ArrayLike | None = None, name: str | None = None
    ) -> Marker:
        """A marker at a point of a rigid link, or at the interface of a flexible one whose origin is there.

        Parameters
        ----------
        point : (3,) array
            In the link frame, of a flexible link without deformation [length].
        axis, x : (3,) array, optional
            Third axis and direction of the first one, in axes of the link.
        name : str, optional
            For messages and results.
        """
        link = self.link
        if not isinstance(link, FlexibleLink):
            return super().marker(point, axis, x, name)
        owner = f"marker of {self}"
        place = as_array(owner, "point", point, (3,), unit="length")
        return self._interface(link, link.interface_at(place), frame_along(owner, axis, x, False), name)

    def framed(self, point: FloatArray, frame: FloatArray, name: str | None = None) -> Marker:
        """The marker that is at the start at ``point`` with the axes ``frame``; of a flexible link at an interface."""
        link = self.link
        if not isinstance(link, FlexibleLink):
            return super().framed(point, frame, name)
        origin, R = self.place
        found = link.interface_at(R.T @ (point - origin), at_start=True)
        turn = np.eye(3) if found == link.interface else link.moved(found)[1]
        return self._interface(link, found, (R @ turn).T @ frame, name)

    def _interface(self, link: FlexibleLink, interface: str, frame: FloatArray, name: str | None) -> Marker:
        if interface == link.interface:
            return Marker(self, np.zeros(3), frame, name=name)
        return OutletMarker(self, interface, frame, name)

    @property
    def centre(self) -> Marker:
        """The centre of mass, with the axes of the link; of a flexible link its origin, as of a `FloatingBody`."""
        return Marker(self, np.zeros(3) if self.deforms else self.link.centre, name="centre")

    @property
    def place(self) -> tuple[FloatArray, FloatArray]:
        return self.origin, self.axes


@dataclass(frozen=True, eq=False, init=False, repr=False)
class OutletMarker(Marker):
    """A marker at an interface of a flexible link of a tree, other than that of its joint; see `TreeLink.interface`."""

    outlet: str

    def __init__(self, body: TreeLink, outlet: str, frame: FloatArray, name: str | None = None) -> None:
        assert isinstance(body.link, FlexibleLink)  # noqa: S101  # TreeLink looks
        point, _, _ = body.link.shapes(outlet)
        super().__init__(body, point, frame, name=name or outlet)
        object.__setattr__(self, "outlet", outlet)

    def _place(self) -> tuple[FloatArray, FloatArray]:
        origin, R = self.body.place  # type: ignore[union-attr]
        place, turn = self.body.link.moved(self.outlet)  # type: ignore[union-attr]
        return origin + R @ (place - turn @ self.point), R @ turn


def _copy(link: Link | FlexibleLink, **changes: Any) -> Link | FlexibleLink:
    kept = {f.name: getattr(link, f.name) for f in fields(link) if f.init}
    return type(link)(**(kept | changes))


def _check_places(owner: str, tree: Tree) -> None:
    """Refuse links that are joined where the link before has no interface, or no fixed place."""
    for link, parent in zip(tree.links, tree.parents, strict=True):
        before = None if parent < 0 else tree.links[parent]
        if isinstance(before, FlexibleLink):
            if not isinstance(link.at, str):
                raise ModelError(
                    f"{owner}: {link} is joined to the flexible {before}; give at= the name of its interface: "
                    f"{', '.join(before.outlets) or 'it has none'}."
                )
            before.shapes(link.at)
        elif isinstance(link.at, str):
            raise ModelError(
                f"{owner}: {link}: at={link.at!r} is no place on {'the base' if before is None else before}, which is "
                f"rigid; give three numbers."
            )


def _ordered(
    owner: str, links: tuple[Link | FlexibleLink, ...]
) -> tuple[tuple[Link | FlexibleLink, ...], tuple[int, ...]]:
    """Links with every parent before its children, otherwise in the order given; and the numbers of the parents."""
    twice = repeated(links)
    if twice:
        raise ModelError(f"{owner}: the names {twice} are used twice; names of links must differ.")
    names = {link.name for link in links}
    for link in links:
        if link.parent is not None and link.parent not in names:
            raise ModelError(f"{owner}: parent of {link}: {unknown_name('link', link.parent, sorted(names))}")
    placed: dict[str, int] = {}
    ordered: list[Link | FlexibleLink] = []
    waiting = list(links)
    while waiting:
        ready = [link for link in waiting if link.parent is None or link.parent in placed]
        if not ready:
            circle = _circle(waiting)
            raise ModelError(
                f"{owner}: links go round in a circle: {' -> '.join(circle)}. A tree has none: leave one joint out, "
                f"and close the loop with a joint between the links in the model."
            )
        link = ready[0]
        waiting.remove(link)
        placed[link.name] = len(ordered)
        ordered.append(link)
    return tuple(ordered), tuple(-1 if link.parent is None else placed[link.parent] for link in ordered)


def _circle(links: list[Link | FlexibleLink]) -> list[str]:
    """The names of links that go round."""
    parent = {link.name: link.parent for link in links}
    name: str | None = links[0].name
    seen: list[str] = []
    while name is not None and name not in seen:
        seen.append(name)
        name = parent.get(name)
    return seen if name is None else [*seen[seen.index(name) :], name]


def _check_inertia(owner: str, tree: Tree) -> None:
    """Refuse joints that move nothing that has inertia."""
    for i, what in moved_inertia(tree):
        raise ModelError(
            f"{owner}: {what} of the joint of {tree.links[i]} moves no inertia: the links beyond have no mass, or lie "
            f"as points on its axis. Give them mass or inertia, or make the joint Fixed."
        )
