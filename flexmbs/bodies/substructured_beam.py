"""A slender part as a chain of substructures that share the frames of their end sections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.bodies.rigid import RigidBody
from flexmbs.bodies.section_frame import SectionFrame
from flexmbs.bodies.substructure import Substructure
from flexmbs.core.checks import as_array, as_count, as_flag, as_name, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.linear.part import Part
from flexmbs.linear.region import Region
from flexmbs.meshes import Mesh
from flexmbs.reduction.model import ReducedModel
from flexmbs.reduction.reduce import reduce

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from flexmbs.time_solution import TimeSolution

__all__ = ["SubstructuredBeam"]


class SubstructuredBeam:
    """A beam along a curve in n substructures between two bodies, to be put into a model by its ``items``.

    Each substructure is a part of line elements, reduced by Craig-Bampton to its two end sections and some modes with
    both ends clamped. Neighbours share a `SectionFrame`; the first begins in ``start``, the last one ends in ``end``,
    and there are no joints between them.

    Parameters
    ----------
    points : (k, 3) array
        Nodes along the stress-free curve at the start, inertial frame [length]; k - 1 is a multiple of n.
    start : RigidBody
        Body that the first section is clamped to.
    end : RigidBody, optional
        Body that the last section is clamped to; by default a `SectionFrame`, the free end.
    element : element for parts
        Such as ``fx.elements.Frame(section=...)``; it needs torsional stiffness and rotary inertia.
    material : Elastic, optional
        Where the section of the element does not hold its material.
    n : int, default 1
        Number of substructures.
    modes : int, default 6
        Fixed-interface modes of each.
    retardation, ratio : float, default 0
        Damping, see `Substructure`.
    stiffening : bool, default True
        Displacement of second order of each substructure; False makes each of them linear in its frame.
    name : str, default "beam"

    Attributes
    ----------
    parts : tuple of Substructure
    frames : tuple of SectionFrame
        The sections that are bodies of their own.
    items : tuple
        ``frames`` and ``parts``: what the model takes, beside ``start`` and ``end``.

    Raises
    ------
    ModelError
        If the points do not fit the number of substructures, or a substructure refuses what it is given.

    Examples
    --------
    >>> import flexmbs as fx
    >>> rod = fx.BeamStiffness(EA=1e5, EI_z=1.0, GJ=1.0, mass_per_length=0.1, rhoI_y=1e-4, rhoI_z=1e-4)
    >>> hub = fx.RigidBody(5.0, (1, 1, 1), name="hub")
    >>> boom = fx.SubstructuredBeam.straight((0, 0, 0), (3, 0, 0), hub, n=3, element=fx.elements.Frame(section=rod))
    >>> model = fx.Model(hub, *boom.items)
    >>> fx.compile_model(model).n
    42
    """

    def __init__(
        self,
        points: ArrayLike,
        start: RigidBody,
        end: RigidBody | None = None,
        *,
        element: Any,
        material: Any = None,
        n: int = 1,
        modes: int = 6,
        retardation: float = 0.0,
        ratio: float = 0.0,
        stiffening: bool = True,
        name: str = "beam",
    ) -> None:
        owner = f"SubstructuredBeam {as_name('SubstructuredBeam', 'name', name)!r}"
        nodes = as_array(owner, "points", points, (None, 3), unit="length")
        n = as_count(owner, "n", n, minimum=1)
        if len(nodes) < n + 1 or (len(nodes) - 1) % n:
            raise ModelError(
                f"{owner}: {len(nodes)} points make {len(nodes) - 1} elements, which do not go into n = {n} equal "
                f"substructures; give {n} times the elements of one, plus one, points."
            )
        if not isinstance(start, RigidBody):
            raise ModelError(f"{owner}: start must be a RigidBody or a SectionFrame, not {show(start)}.")
        as_flag(owner, "stiffening", stiffening)
        size = (len(nodes) - 1) // n
        frames, parts = [], []
        body = start
        for i in range(n):
            mine = nodes[i * size : (i + 1) * size + 1]
            if i == n - 1 and end is not None:
                after = end
            else:
                after = SectionFrame(mine[-1], start.rotation, name=f"{name} section {i + 1}")
                frames.append(after)
            reduced = _reduced(mine, Region(None, element, material), modes, stiffening, f"{name} {i + 1}")
            parts.append(
                Substructure(reduced, body, after, retardation=retardation, ratio=ratio, stiffening=stiffening)
            )
            body = after
        self.name, self.end = name, body
        self.frames, self.parts = tuple(frames), tuple(parts)
        self.items: tuple[SectionFrame | Substructure, ...] = (*frames, *parts)

    @classmethod
    def straight(
        cls,
        first: ArrayLike,
        last: ArrayLike,
        start: RigidBody,
        end: RigidBody | None = None,
        *,
        elements: int = 10,
        n: int = 1,
        **options: Any,
    ) -> SubstructuredBeam:
        """A straight beam from one point to another with so many ``elements`` in each substructure."""
        owner = "SubstructuredBeam.straight"
        ends = [as_array(owner, what, x, (3,), unit="length") for what, x in (("first", first), ("last", last))]
        count = as_count(owner, "elements", elements, minimum=1) * as_count(owner, "n", n, minimum=1)
        fraction = np.linspace(0.0, 1.0, count + 1)[:, None]
        return cls(ends[0] + fraction * (ends[1] - ends[0]), start, end, n=n, **options)

    def __str__(self) -> str:
        return f"SubstructuredBeam {self.name!r}"

    @property
    def mass(self) -> float:
        """[mass]."""
        return sum(part.mass for part in self.parts)

    def nodes(self, solution: TimeSolution) -> FloatArray:
        """Places (n_t, k, 3) of all nodes over a motion, inertial frame [length]."""
        mechanics = solution.system.mechanics
        if mechanics is None or any(not any(p is q for q in solution.model.substructures) for p in self.parts):
            raise ModelError(f"nodes of {self}: it is not in model {solution.model.name!r}.")
        amplitudes = {}
        for shared in mechanics.substructures:
            z = np.array([shared.amplitudes(q) for q in solution.q])
            amplitudes |= {id(part): z[:, i] for i, part in enumerate(shared.parts)}
        found = []
        for number, part in enumerate(self.parts):
            local = part.nodes(amplitudes[id(part)])
            R, x = solution.rotation(part.start), solution.position(part.start)
            places = x[:, None] + np.einsum("tab,tnb->tna", R, local)
            found.append(places if number == 0 else places[:, 1:])
        return np.concatenate(found, axis=1)


def _reduced(points: FloatArray, region: Region, modes: int, stiffening: bool, name: str) -> ReducedModel:
    """One substructure, reduced to its two ends."""
    count = len(points) - 1
    cells = np.column_stack((np.arange(count), np.arange(1, count + 1)))
    mesh = Mesh(points, [("line", cells)], node_sets={"START": [0], "END": [count]})
    part = Part(mesh, regions=[region], name=name)
    return reduce(part, ["START", "END"], modes=modes, stiffening=stiffening, progress=False)
