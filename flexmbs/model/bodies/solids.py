"""Rigid bodies of simple shapes, of rods and of meshes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import numpy as np

from flexmbs.core.checks import as_array, as_number, show
from flexmbs.core.errors import ModelError
from flexmbs.meshes import Mesh
from flexmbs.model.bodies.inertia import (
    box_inertia,
    cylinder_inertia,
    mass_of,
    mesh_moments,
    outline,
    rod_mass,
    second_to_inertia,
    span,
    sphere_inertia,
)
from flexmbs.model.bodies.marker import joint_frame
from flexmbs.model.bodies.wireframe import Wireframe, box_edges, cylinder_edges, sphere_edges

if TYPE_CHECKING:
    from typing import Self, Unpack

    from numpy.typing import ArrayLike

    from flexmbs.core.material import Elastic
    from flexmbs.core.rotations import RotationLike
    from flexmbs.core.section import Section

__all__ = ["Pose", "Solids"]

THIN = 0.01
"""Radius of a rod of which only the mass is known, relative to its length: gives its moment about its axis."""


class Pose(TypedDict, total=False):
    """Where a body is at the start and how it moves, as in `flexmbs.RigidBody`."""

    position: ArrayLike
    rotation: RotationLike
    velocity: ArrayLike
    angular_velocity: ArrayLike


class Solids:
    """The ways to make a `flexmbs.RigidBody` other than by its numbers."""

    @classmethod
    def _solid(cls, mass: float, inertia: ArrayLike, shape: Wireframe, name: str, pose: Pose) -> Self:
        """The body with these properties."""
        raise NotImplementedError

    @classmethod
    def box(
        cls,
        *,
        size: ArrayLike,
        mass: float | None = None,
        density: float | None = None,
        material: Elastic | None = None,
        name: str = "box",
        **pose: Unpack[Pose],
    ) -> Self:
        """A homogeneous box; ``size`` are its full edge lengths (3,) along the body axes [length].

        The amount of matter is given by one of ``mass``, ``density`` and ``material``; ``pose`` are the arguments
        position, rotation, velocity and angular_velocity of `RigidBody`.

        Examples
        --------
        >>> import flexmbs as fx
        >>> fx.RigidBody.box(size=(1, 2, 3), mass=12.0).inertia.diagonal().tolist()
        [13.0, 10.0, 5.0]
        """
        owner = f"RigidBody.box {name!r}"
        edges = as_array(owner, "size", size, (3,), unit="length")
        for edge in edges.tolist():
            as_number(owner, "each edge of size", edge, above=0.0, unit="length")
        m = mass_of(owner, float(edges.prod()), mass, density, material)
        return cls._solid(m, box_inertia(m, edges), box_edges(edges), name, pose)

    @classmethod
    def cylinder(
        cls,
        *,
        radius: float,
        length: float,
        mass: float | None = None,
        density: float | None = None,
        material: Elastic | None = None,
        name: str = "cylinder",
        **pose: Unpack[Pose],
    ) -> Self:
        """A homogeneous cylinder of ``radius`` and full ``length`` [length] about the body axis z.

        Matter and pose as in `box`.

        Examples
        --------
        >>> import flexmbs as fx
        >>> fx.RigidBody.cylinder(radius=0.5, length=1.0, mass=8.0).inertia[2].tolist()
        [0.0, 0.0, 1.0]
        """
        owner = f"RigidBody.cylinder {name!r}"
        r = as_number(owner, "radius", radius, above=0.0, unit="length")
        l_ = as_number(owner, "length", length, above=0.0, unit="length")
        m = mass_of(owner, np.pi * r**2 * l_, mass, density, material)
        return cls._solid(m, cylinder_inertia(m, r, l_), cylinder_edges((r,), l_), name, pose)

    @classmethod
    def tube(
        cls,
        *,
        outer_radius: float,
        inner_radius: float,
        length: float,
        mass: float | None = None,
        density: float | None = None,
        material: Elastic | None = None,
        name: str = "tube",
        **pose: Unpack[Pose],
    ) -> Self:
        """A homogeneous hollow cylinder with outer and inner radius, its axis the body axis z [length]; see `box`.

        Examples
        --------
        >>> import flexmbs as fx
        >>> fx.RigidBody.tube(outer_radius=0.5, inner_radius=0.25, length=1.0, mass=32.0).inertia[2].tolist()
        [0.0, 0.0, 5.0]
        """
        owner = f"RigidBody.tube {name!r}"
        r = as_number(owner, "outer_radius", outer_radius, above=0.0, unit="length")
        r0 = as_number(owner, "inner_radius", inner_radius, above=0.0, below=r, unit="length")
        l_ = as_number(owner, "length", length, above=0.0, unit="length")
        m = mass_of(owner, np.pi * (r**2 - r0**2) * l_, mass, density, material)
        return cls._solid(m, cylinder_inertia(m, r, l_, r0), cylinder_edges((r, r0), l_), name, pose)

    @classmethod
    def sphere(
        cls,
        *,
        radius: float,
        mass: float | None = None,
        density: float | None = None,
        material: Elastic | None = None,
        name: str = "sphere",
        **pose: Unpack[Pose],
    ) -> Self:
        """A homogeneous sphere [length]; matter and pose as in `box`.

        Examples
        --------
        >>> import flexmbs as fx
        >>> fx.RigidBody.sphere(radius=0.5, mass=10.0).inertia[0].tolist()
        [1.0, 0.0, 0.0]
        """
        owner = f"RigidBody.sphere {name!r}"
        r = as_number(owner, "radius", radius, above=0.0, unit="length")
        m = mass_of(owner, 4.0 / 3.0 * np.pi * r**3, mass, density, material)
        return cls._solid(m, sphere_inertia(m, r), sphere_edges(r), name, pose)

    @classmethod
    def rod(
        cls,
        start: ArrayLike,
        end: ArrayLike,
        *,
        mass: float | None = None,
        section: Section | None = None,
        material: Elastic | None = None,
        up: ArrayLike | None = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        name: str = "rod",
    ) -> Self:
        """A straight rod between two points, its body axis x from the first to the second.

        With a section its inertia is exact for that section. Without one the rod is thin: m L^2/12 about the axes
        across it, and about its own axis that of a radius of L/100 (it must have some).

        Parameters
        ----------
        start, end : (3,) array
            Inertial frame [length]; the centre of mass is half way.
        mass : float, optional
            [mass]; or instead
        material : Elastic, optional
            what it is made of, together with ``section``.
        section : Section, optional
            Its height lies along the body axis y and its width along z.
        up : (3,) array, optional
            The body axis z is the part of this direction normal to the rod; by default (0, 0, 1), or (0, 1, 0) for a
            rod along z.
        velocity, angular_velocity, name
            As in `RigidBody`.

        Raises
        ------
        ModelError
            If the points coincide, or mass and material are missing or given twice.

        Examples
        --------
        >>> import flexmbs as fx
        >>> link = fx.RigidBody.rod((0, 0, 0), (0, 2, 0), mass=3.0)
        >>> link.position.tolist(), link.inertia[2].tolist()
        ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
        """
        owner = f"RigidBody.rod {name!r}"
        first, last = (as_array(owner, k, p, (3,), unit="length") for k, p in (("start", start), ("end", end)))
        length = span(owner, first, last)
        axis = (last - first) / length
        if up is None:
            up = (0.0, 0.0, 1.0) if abs(axis[2]) < 1.0 - 1e-9 else (0.0, 1.0, 0.0)
        rotation = joint_frame(axis, up, f"{owner}, up")[:, [2, 1, 0]] * np.array([1.0, -1.0, 1.0])
        m = rod_mass(owner, length, mass, section, material)
        across = m * length**2 / 12.0
        if section is None:
            radius = THIN * length
            inertia = np.diag((m * radius**2 / 2.0, across, across))
            shape = Wireframe([(-length / 2.0, 0.0, 0.0), (length / 2.0, 0.0, 0.0)], [(0, 1)])
        else:
            y, z = m * section.I_y / section.area, m * section.I_z / section.area
            inertia = np.diag((y + z, across + y, across + z))
            shape = box_edges(np.array((length, np.sqrt(12.0 * z / m), np.sqrt(12.0 * y / m))))
        pose = Pose(
            position=(first + last) / 2.0, rotation=rotation, velocity=velocity, angular_velocity=angular_velocity
        )
        return cls._solid(m, inertia, shape, name, pose)

    @classmethod
    def from_mesh(
        cls,
        mesh: Mesh,
        *,
        mass: float | None = None,
        density: float | None = None,
        material: Elastic | None = None,
        name: str = "solid",
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Self:
        """A homogeneous body that fills a mesh of solids, or the closed surface of a mesh of triangles.

        The points of the mesh are places in the inertial frame at the start [length], and body axes are then inertial
        axes; use `moved` to put it elsewhere. The integrals are exact for the shape functions of the cells.

        Raises
        ------
        MeshError
            If the mesh has no volume, a cell is there twice, or a surface is not closed or not oriented throughout.
        ModelError
            If a piece of a surface is inside out, but no cavity, or lies within another one. Pieces may touch.

        Warns
        -----
        RuntimeWarning
            If the surface crosses itself, or pieces of it each other: the message has the number of pairs of triangles
            and a place.

        Examples
        --------
        >>> import flexmbs as fx
        >>> from flexmbs.meshes import box
        >>> body = fx.RigidBody.from_mesh(box((0, 0, 0), (1, 2, 3), (1, 1, 1)), mass=12.0)
        >>> body.position.tolist(), body.inertia.diagonal().round(12).tolist()
        ([0.5, 1.0, 1.5], [13.0, 10.0, 5.0])
        """
        owner = f"RigidBody.from_mesh {name!r}"
        if not isinstance(mesh, Mesh):
            raise ModelError(f"{owner}: mesh must be a Mesh, not {show(mesh)}.")
        volume, centre, second = mesh_moments(owner, mesh)
        m = mass_of(owner, volume, mass, density, material)
        edges = outline(mesh)
        kept, numbers = np.unique(edges, return_inverse=True)
        shape = Wireframe(mesh.points[kept] - centre, numbers.reshape(-1, 2))
        inertia = m / volume * second_to_inertia(second)
        pose = Pose(position=centre, velocity=velocity, angular_velocity=angular_velocity)
        return cls._solid(m, inertia, shape, name, pose)
