"""How the bodies of a model hang together: joints, trees, loops, degrees of freedom, as a table and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from flexmbs.analysis.report import model_report
from flexmbs.conversion.spanning import Edge, fundamental_loops, spanning_trees
from flexmbs.core.checks import show
from flexmbs.core.errors import ModelError
from flexmbs.core.identity import IdentityMap
from flexmbs.model.membership import bodies_of
from flexmbs.model.model import Model, kind_in_words
from flexmbs.model.trees.tree import TreeLink
from flexmbs.system.system import System

if TYPE_CHECKING:
    from flexmbs.model.joints.contracts import Joint

__all__ = ["BodyLine", "JointLine", "Topology", "topology"]

GROUND = "ground"


class BodyLine(NamedTuple):
    """A line of the table of bodies: ``coordinates`` are its velocities, of a link those of its joint."""

    name: str
    kind: str
    coordinates: int
    joints: int


class JointLine(NamedTuple):
    """A line of the table of joints.

    ``among``: names of the bodies, the ground included; ``equations`` that remain of a joint of the model, none of one
    in a tree; ``free``: coordinates of a joint in a tree; ``role``: "in a tree", "closes a loop", "joint", "coupling"
    (of more than two bodies, as gears are), "driver" or "support".
    """

    name: str
    kind: str
    among: tuple[str, ...]
    equations: int
    free: int
    role: str


@dataclass(frozen=True, eq=False, repr=False)
class Topology:
    """Bodies, joints, loops and the count of freedoms of a model; ``print`` shows it, `plot` draws its graph.

    Attributes
    ----------
    model : Model
    bodies : tuple of BodyLine
        Links of trees are bodies.
    joints : tuple of JointLine
    trees : tuple of str
        Names of the trees in relative coordinates.
    loops : tuple of tuple of str
        Names of bodies in their order round; one loop for each joint that a spanning tree leaves over. Drivers and
        couplings of coordinates close none.
    n_coordinates, n_equations : int
    redundant : tuple of str
        Equations that follow from the others, in words.
    degrees_of_freedom : int
        Of small motions at the start: n_coordinates - n_equations + the number of redundant ones.

    Examples
    --------
    >>> import flexmbs as fx
    >>> bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    >>> ends = [fx.RevoluteJoint(fx.ground, bar, at=(x, 0, 0), axis=(1, 0, 0), name=f"bearing {x}") for x in (0, 1)]
    >>> found = fx.topology(fx.Model(bar, *ends))
    >>> found.loops, found.degrees_of_freedom, len(found.redundant)
    ((('ground', 'bar'),), 1, 5)
    """

    model: Model
    bodies: tuple[BodyLine, ...]
    joints: tuple[JointLine, ...]
    trees: tuple[str, ...]
    loops: tuple[tuple[str, ...], ...]
    n_coordinates: int
    n_equations: int
    redundant: tuple[str, ...]
    degrees_of_freedom: int

    def __str__(self) -> str:
        n = self.degrees_of_freedom
        lines = [
            f"topology of model {self.model.name!r}: {_count(len(self.bodies), 'body', 'bodies')}, "
            f"{_count(len(self.joints), 'joint')}, {_count(len(self.trees), 'tree')} in relative coordinates, "
            f"{_count(len(self.loops), 'loop')}, {_count(n, 'degree')} of freedom"
        ]
        rows = [(b.name, b.kind, str(b.coordinates), str(b.joints)) for b in self.bodies]
        lines += _table(("body", "kind", "coordinates", "joints"), rows)
        lines += _table(
            ("joint", "kind", "between", "equations", "role"),
            [(j.name, j.kind, " - ".join(j.among), str(j.equations), j.role) for j in self.joints],
        )
        lines += [f"  loop {i}: {' - '.join(loop)}" for i, loop in enumerate(self.loops, 1)]
        lines.append(
            f"  {self.n_coordinates} coordinates - {self.n_equations} equations + {len(self.redundant)} redundant "
            f"= {_count(n, 'degree')} of freedom"
        )
        lines += [f"  redundant: {name}" for name in self.redundant]
        return "\n".join(lines)

    __repr__ = __str__

    def plot(self, ax: Any = None) -> Any:
        """The graph: bodies as boxes, the ground below, joints as lines, those that close loops dashed.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        from flexmbs.visualization.topology_picture import draw_topology

        return draw_topology(self, ax)


def topology(model: Model | System) -> Topology:
    """Bodies, joints, trees, loops, degrees of freedom and redundant equations of a model.

    Parameters
    ----------
    model : Model or System

    Raises
    ------
    ModelError
        If it is none, or the joints cannot be assembled.

    Notes
    -----
    A loop is told for each joint beyond a spanning tree: of a model with trees in relative coordinates for each joint
    of the model that closes one, otherwise for shortest ways, so that loops are short. Freedoms are those of small
    motions at the start; see `model_report`.

    Examples
    --------
    >>> import flexmbs as fx
    >>> bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    >>> print(fx.topology(fx.Model(bar, fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge"))))
    topology of model 'model': 1 body, 1 joint, 0 trees in relative coordinates, 0 loops, 1 degree of freedom
      body  kind        coordinates  joints
      bar   rigid body  6            1
      joint  kind            between       equations  role
      hinge  revolute joint  ground - bar  5          joint
      6 coordinates - 5 equations + 0 redundant = 1 degree of freedom
    """
    if not isinstance(model, Model | System):
        raise ModelError(f"topology: expected a Model, not {show(model)}.")
    report = model_report(model)
    system = report.system
    found = system.model
    bodies = (*found.bodies, *found.tree_links)
    number = IdentityMap.numbers(bodies)
    lines = [_tree_joint(link) for link in found.tree_links]
    ends: list[tuple[int, int] | None] = [
        (-1 if link.tree.parents[link.index] < 0 else number[link.tree.bodies[link.tree.parents[link.index]]],
         number[link]) if link.link.joint.n_v < 6 else None
        for link in found.tree_links
    ]  # fmt: skip
    for joint in found.joints:
        equations = len(system.mechanics.equations_of(joint))
        lines.append(_joint(joint, equations))
        ends.append(_two(joint, number) if lines[-1].role == "joint" else None)
    for support in found.supports:
        body = support.at.body
        lines.append(JointLine(str(support.at), kind_in_words(support), (GROUND, body.name), 0, 0, "support"))
        ends.append((-1, number[body]))
    for hinge in found.hinges:
        a, b = hinge.a.body, hinge.b.body
        lines.append(JointLine(str(hinge.a), "hinge", (a.name, b.name), 0, 0, "joint"))
        ends.append((number[a], number[b]) if a is not b else None)
    ends = _once(lines, ends)
    in_graph = [i for i, pair in enumerate(ends) if pair is not None]
    edges = [Edge(*(ends[i] or (-1, -1)), 1 if lines[i].role == "in a tree" else 0) for i in in_graph]
    spanning = spanning_trees(len(bodies), edges, [0.0] * len(bodies)) if found.trees else None
    loops = fundamental_loops(len(bodies), edges, spanning)
    lines = _closing(lines, in_graph, spanning)
    counted = [0] * len(bodies)
    for pair in ends:
        for k in {k for k in pair or () if k >= 0}:
            counted[k] += 1
    return Topology(
        found,
        tuple(BodyLine(b.name, b.words, _size(b, system), counted[i]) for i, b in enumerate(bodies)),
        tuple(lines),
        tuple(tree.name for tree in found.trees),
        tuple(tuple(GROUND if k < 0 else bodies[k].name for k in _from_ground(loop)) for loop in loops),
        report.n_coordinates,
        len(report.constraints),
        report.redundant,
        report.degrees_of_freedom,
    )


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Lines of a table with aligned columns; nothing where there are no rows."""
    if not rows:
        return []
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
    padded = [[cell.ljust(w) for cell, w in zip(row, widths, strict=True)] for row in (head, *rows)]
    return ["  " + "  ".join(row).rstrip() for row in padded]


def _tree_joint(link: TreeLink) -> JointLine:
    before, joint = link.tree.parents[link.index], link.link.joint
    name = GROUND if before < 0 else link.tree.bodies[before].name
    return JointLine(link.name, kind_in_words(joint), (name, link.name), 0, joint.n_v, "in a tree")


def _joint(joint: Joint, equations: int) -> JointLine:
    among = tuple(body.name for body in bodies_of(joint))
    role = "joint"
    if any(equation.motion is not None for equation in joint.equations):
        role = "driver"
    elif len(joint.pairs) > 1:
        role = "coupling"
    return JointLine(joint.name, kind_in_words(joint), among, equations, 0, role)


def _two(joint: Joint, number: IdentityMap[Any, int]) -> tuple[int, int] | None:
    pair = joint.pairs[0]
    a, b = (-1 if m.body.is_ground else number[m.body] for m in (pair.a, pair.b))
    return (a, b) if a != b else None


def _once(lines: list[JointLine], ends: list[tuple[int, int] | None]) -> list[tuple[int, int] | None]:
    """Several supports of one body are one way to the ground: they are conditions on its nodes, and no joints."""
    seen = set()
    found: list[tuple[int, int] | None] = []
    for line, pair in zip(lines, ends, strict=True):
        twice = line.role == "support" and pair in seen
        found.append(None if twice else pair)
        if line.role == "support":
            seen.add(pair)
    return found


def _closing(lines: list[JointLine], in_graph: list[int], spanning: Any) -> list[JointLine]:
    """With trees: the joints of the model that are not in the spanning trees close loops."""
    if spanning is None:
        return lines
    inside = {in_graph[e] for e in spanning.edge if e >= 0}
    close = [i for i in in_graph if i not in inside]
    return [line._replace(role="closes a loop") if i in close else line for i, line in enumerate(lines)]


def _size(body: Any, system: System) -> int:
    """Number of velocities of a body; those that supports hold are counted, too."""
    return len(set(system.coordinates.velocities(body).tolist()))


def _from_ground(loop: tuple[int, ...]) -> tuple[int, ...]:
    """A loop told from the ground, or from its first body."""
    k = loop.index(min(loop))
    return loop[k:] + loop[:k]
