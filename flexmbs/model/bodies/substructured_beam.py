"""A slender part as a chain of substructures that share the frames of their end sections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import as_array, as_count, as_name, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.linear.part import Part
from flexmbs.linear.region import Region
from flexmbs.meshes import line
from flexmbs.model.bodies.rigid import RigidBody
from flexmbs.model.bodies.section_frame import SectionFrame
from flexmbs.model.bodies.substructure import Substructure
from flexmbs.reduction.reduce import reduce

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from flexmbs.results.states import States

__all__ = ["SubstructuredBeam"]


class SubstructuredBeam:
    """A beam of straight substructures from corner to corner between two bodies, put into a model by its ``items``.

    Each substructure is a part of line elements, reduced by Craig-Bampton to its two end sections and some modes with
    both ends clamped. Neighbours share a `SectionFrame`; the first begins in ``start``, the last one ends in ``end``,
    and there are no joints between them. A bow without stress is a polygon of substructures, which meet at angles.

    Parameters
    ----------
    corners : (n + 1, 3) array
        Ends of the n substructures at the start, free of stress, inertial frame [length].
    start : RigidBody
        Body that the first section is clamped to; where it moves at the start, the sections move with it rigidly.
    end : RigidBody, optional
        Body that the last section is clamped to; by default a `SectionFrame`, the free end.
    element : element for parts
        Such as ``fx.elements.Frame(section=...)``; it needs torsional stiffness and rotary inertia.
    material : Elastic, optional
        Where the section of the element does not hold its material.
    elements : int, default 10
        In each substructure.
    modes : int, default 6
        Fixed-interface modes of each.
    retardation_time, ratio : float, default 0
        Damping, see `Substructure`.
    geometric_stiffening : bool, default True
        Whether bending shortens a substructure; False makes each of them linear in its frame.
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
        If corners fall together, or a substructure refuses what it is given.

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
        corners: ArrayLike,
        start: RigidBody,
        end: RigidBody | None = None,
        *,
        element: Any,
        material: Any = None,
        elements: int = 10,
        modes: int = 6,
        retardation_time: float = 0.0,
        ratio: float = 0.0,
        geometric_stiffening: bool = True,
        name: str = "beam",
    ) -> None:
        owner = f"SubstructuredBeam {as_name('SubstructuredBeam', 'name', name)!r}"
        places = as_array(owner, "corners", corners, (None, 3), unit="length")
        elements = as_count(owner, "elements", elements, minimum=1)
        if len(places) < 2 or not np.linalg.norm(np.diff(places, axis=0), axis=1).all():
            raise ModelError(f"{owner}: give two corners or more, each at another place than the one before.")
        if not isinstance(start, RigidBody):
            raise ModelError(f"{owner}: start must be a RigidBody or a SectionFrame, not {show(start)}.")
        frames, parts = [], []
        body = start
        for i in range(len(places) - 1):
            last = i == len(places) - 2
            if last and end is not None:
                after = end
            else:
                after = _carried(start, places[i + 1], f"{name} section {i + 1}")
                frames.append(after)
            mesh = line(places[i], places[i + 1], elements)
            part = Part(mesh, regions=[Region(None, element, material)], name=f"{name} {i + 1}")
            reduced = reduce(part, ["start", "end"], modes=modes, progress=False)
            parts.append(
                Substructure(reduced, body, after, ("start", "end"), retardation_time, ratio, geometric_stiffening)
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
        n: int = 1,
        **options: Any,
    ) -> SubstructuredBeam:
        """A straight beam from one point to another in n equal substructures."""
        owner = "SubstructuredBeam.straight"
        ends = [as_array(owner, what, x, (3,), unit="length") for what, x in (("first", first), ("last", last))]
        fraction = np.linspace(0.0, 1.0, as_count(owner, "n", n, minimum=1) + 1)[:, None]
        return cls(ends[0] + fraction * (ends[1] - ends[0]), start, end, **options)

    def __str__(self) -> str:
        return f"SubstructuredBeam {self.name!r}"

    def __repr__(self) -> str:
        return f"<{self}: {len(self.parts)} parts>"

    @property
    def mass(self) -> float:
        """[mass]."""
        return sum(part.mass for part in self.parts)

    def nodes(self, solution: States) -> FloatArray:
        """Places (n_t, k, 3) of all nodes over a motion, inertial frame [length]."""
        from flexmbs.results.deformation import substructure_nodes

        found = [substructure_nodes(solution, part) for part in self.parts]
        found = [places if number == 0 else places[:, 1:] for number, places in enumerate(found)]
        return np.concatenate(found, axis=1)


def _carried(body: RigidBody, place: FloatArray, name: str) -> SectionFrame:
    """A section that moves at the start as if it were fixed to the body."""
    spin = body.rotation @ body.angular_velocity
    velocity = body.velocity + np.cross(spin, place - body.position)
    return SectionFrame(place, body.rotation, velocity, body.angular_velocity, name)
