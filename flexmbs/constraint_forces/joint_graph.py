"""Which joints share a body: the graph that the blocks of G M^-1 G^T follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flexmbs.core.checks import as_count, show
from flexmbs.core.errors import ModelError

__all__ = ["JointGraph"]


@dataclass(frozen=True)
class JointGraph:
    """Joints and the bodies that move with them; the ground does not count.

    Attributes
    ----------
    names : tuple of str
        Of the joints.
    bodies : tuple of tuple of int
        The bodies of each joint, by number.

    Examples
    --------
    A pendulum of two links:

    >>> graph = JointGraph.of({"upper": ("arm",), "lower": ("arm", "hand")})
    >>> graph.topology_index, graph.edges
    (2, ((0, 1),))
    """

    names: tuple[str, ...]
    bodies: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, joints: Mapping[str, Sequence[Any]]) -> JointGraph:
        """The graph of joints by name, each with its bodies (whatever identifies them), without the ground.

        Raises
        ------
        ModelError
            If there is no joint, or one holds no body.
        """
        if not isinstance(joints, Mapping) or not joints:
            raise ModelError(f"JointGraph: give joints by name with their bodies, not {show(joints)}.")
        numbers: dict[Any, int] = {}
        held = []
        for name, bodies in joints.items():
            if isinstance(bodies, str) or not isinstance(bodies, Sequence) or not bodies:
                raise ModelError(f"JointGraph: joint {name!r} must hold at least one body, not {show(bodies)}.")
            held.append(tuple(dict.fromkeys(numbers.setdefault(body, len(numbers)) for body in bodies)))
        return cls(tuple(joints), tuple(held))

    @property
    def joints_of(self) -> dict[int, list[int]]:
        """The joints on each body."""
        found: dict[int, list[int]] = {}
        for joint, bodies in enumerate(self.bodies):
            for body in bodies:
                found.setdefault(body, []).append(joint)
        return found

    @property
    def topology_index(self) -> int:
        """The largest number of joints on one body."""
        return max(len(joints) for joints in self.joints_of.values())

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Pairs of joints that share a body."""
        pairs = {(i, k) for joints in self.joints_of.values() for i in joints for k in joints if i < k}
        return tuple(sorted(pairs))

    def split(self, most: int) -> tuple[JointGraph, tuple[tuple[int, tuple[int, ...]], ...]]:
        """The graph with bodies of more than ``most`` joints split into chains of virtual bodies, fixed to each other.

        Returns
        -------
        graph : JointGraph
            With joints ``"body 3: 0"`` added behind the others; virtual bodies are numbered behind the others, too.
        parts : tuple of (body, numbers)
            The bodies that were split and the numbers of their parts, of which the first is that of the body.

        Raises
        ------
        ModelError
            If ``most`` is below 3: a part within the chain holds two virtual joints.
        """
        most = as_count("JointGraph", "most", most, minimum=3)
        held = [list(bodies) for bodies in self.bodies]
        names, parts = list(self.names), []
        new = 1 + max(body for bodies in self.bodies for body in bodies)
        for body, joints in sorted(self.joints_of.items()):
            if len(joints) <= most:
                continue
            groups = [joints[: most - 1]]
            rest = joints[most - 1 :]
            while len(rest) > most - 1:
                groups.append(rest[: most - 2])
                rest = rest[most - 2 :]
            groups.append(rest)
            numbers = (body, *range(new, new + len(groups) - 1))
            new += len(groups) - 1
            for number, group in zip(numbers[1:], groups[1:], strict=True):
                for joint in group:
                    held[joint][held[joint].index(body)] = number
            for k in range(len(numbers) - 1):
                names.append(f"body {body}: {k}")
                held.append([numbers[k], numbers[k + 1]])
            parts.append((body, numbers))
        return JointGraph(tuple(names), tuple(tuple(bodies) for bodies in held)), tuple(parts)
