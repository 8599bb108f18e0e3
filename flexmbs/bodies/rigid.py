"""Rigid bodies in space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.bodies.inertia import (
    as_inertia,
    box_inertia,
    cylinder_inertia,
    mesh_moments,
    outline,
    parallel_axes,
    second_to_inertia,
    sphere_inertia,
)
from flexmbs.bodies.marker import Body, joint_frame
from flexmbs.bodies.wireframe import Wireframe, box_edges, cylinder_edges, joined, sphere_edges
from flexmbs.core.checks import as_array, as_name, as_number, frozen_copy, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.material import Elastic
from flexmbs.core.rotations import RotationLike, as_rotation, to_quaternion
from flexmbs.core.section import Section, check_section
from flexmbs.meshes import Mesh

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["RigidBody"]

THIN = 0.01
"""Radius of a rod of which only the mass is known, relative to its length: gives its moment about its axis."""


@dataclass(frozen=True, eq=False, init=False)
class RigidBody(Body):
    r"""A rigid body in space.

    .. math:: m a = f, \qquad J \dot\Omega + \Omega \times J \Omega = \tau,

    with the acceleration a of the centre of mass in inertial axes and the angular velocity :math:`\Omega`, the inertia
    J and the moment :math:`\tau` about the centre of mass in body axes. The origin of the body frame is the centre of
    mass. Coordinates: position of the centre of mass and unit quaternion (scalar first) in q; velocity (inertial axes)
    and angular velocity (body axes) in v.

    Parameters
    ----------
    mass : float
        [mass], positive.
    inertia : (3,) or (3, 3) array
        Principal moments, or the inertia tensor, about the centre of mass in body axes [mass length^2].
    position : (3,) array, default the origin
        Of the centre of mass at the start, inertial frame [length].
    rotation : (3, 3) array, (4,) array or scipy Rotation, optional
        Orientation at the start: the matrix whose columns are the body axes in inertial components, or the unit
        quaternion (w, x, y, z); by default body axes are inertial axes. Stored as a matrix.
    velocity : (3,) array, optional
        Of the centre of mass at the start, inertial axes [length/time]; at rest by default.
    angular_velocity : (3,) array, optional
        At the start, in **body** axes [rad/time]; see also `with_spin`.
    name : str
        For messages and results; must be unique in a model.
    shape : Wireframe, optional
        What is drawn.

    Raises
    ------
    ModelError
        If the mass is not positive, no body can have the inertia, the rotation is none, or a number is not finite.

    Examples
    --------
    >>> top = RigidBody(1.0, (0.2, 0.2, 0.3), angular_velocity=(0, 0.1, 50), name="top")
    >>> top.kinetic_energy
    375.001
    >>> crank = RigidBody.rod((0, 0, 0), (0.1, 0, 0), mass=0.2, name="crank")
    >>> pin = crank.marker_at((0.1, 0, 0), axis=(0, 0, 1))
    """

    mass: float
    inertia: FloatArray
    position: FloatArray
    rotation: FloatArray
    velocity: FloatArray
    angular_velocity: FloatArray
    name: str
    shape: Wireframe | None

    def __init__(
        self,
        mass: float,
        inertia: ArrayLike,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: RotationLike = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        name: str = "rigid body",
        shape: Wireframe | None = None,
    ) -> None:
        owner = f"RigidBody {as_name('RigidBody', 'name', name)!r}"
        if shape is not None and not isinstance(shape, Wireframe):
            raise ModelError(f"{owner}: shape must be a Wireframe, not {show(shape)}.")
        arrays = {
            "inertia": as_inertia(owner, inertia),
            "position": as_array(owner, "position", position, (3,), unit="length"),
            "rotation": as_rotation(owner, "rotation", rotation),
            "velocity": as_array(owner, "velocity", velocity, (3,), unit="length/time"),
            "angular_velocity": as_array(owner, "angular_velocity", angular_velocity, (3,), unit="rad/time"),
        }
        object.__setattr__(self, "mass", as_number(owner, "mass", mass, above=0.0, unit="mass"))
        for field, array in arrays.items():
            object.__setattr__(self, field, frozen_copy(array))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "shape", shape)

    def __str__(self) -> str:
        return f"RigidBody {self.name!r}"

    # --- solids ------------------------------------------------------------------------------------------------------

    @classmethod
    def box(
        cls,
        size: ArrayLike,
        *,
        mass: float | None = None,
        density: float | None = None,
        material: Elastic | None = None,
        name: str = "box",
        **pose: Any,
    ) -> RigidBody:
        """A homogeneous box with edges (3,) along the body axes [length].

        The amount of matter is given by one of ``mass``, ``density`` and ``material``; ``pose`` are the arguments
        position, rotation, velocity and angular_velocity of `RigidBody`.

        Examples
        --------
        >>> RigidBody.box((1, 2, 3), mass=12.0).inertia.diagonal().tolist()
        [13.0, 10.0, 5.0]
        """
        owner = f"RigidBody.box {name!r}"
        edges = as_array(owner, "size", size, (3,), unit="length")
        for edge in edges.tolist():
            as_number(owner, "each edge of size", edge, above=0.0, unit="length")
        m = _mass(owner, float(edges.prod()), mass, density, material)
        return cls(m, box_inertia(m, edges), name=name, shape=box_edges(edges), **pose)

    @classmethod
    def cylinder(
        cls,
        radius: float,
        length: float,
        *,
        mass: float | None = None,
        density: float | None = None,
        material: Elastic | None = None,
        name: str = "cylinder",
        **pose: Any,
    ) -> RigidBody:
        """A homogeneous cylinder whose axis is the body axis z [length]; matter and pose as in `box`.

        Examples
        --------
        >>> RigidBody.cylinder(0.5, 1.0, mass=8.0).inertia[2].tolist()
        [0.0, 0.0, 1.0]
        """
        owner = f"RigidBody.cylinder {name!r}"
        r = as_number(owner, "radius", radius, above=0.0, unit="length")
        l_ = as_number(owner, "length", length, above=0.0, unit="length")
        m = _mass(owner, np.pi * r**2 * l_, mass, density, material)
        return cls(m, cylinder_inertia(m, r, l_), name=name, shape=cylinder_edges((r,), l_), **pose)

    @classmethod
    def tube(
        cls,
        outer: float,
        inner: float,
        length: float,
        *,
        mass: float | None = None,
        density: float | None = None,
        material: Elastic | None = None,
        name: str = "tube",
        **pose: Any,
    ) -> RigidBody:
        """A homogeneous hollow cylinder with outer and inner radius, its axis the body axis z [length]; see `box`.

        Examples
        --------
        >>> RigidBody.tube(0.5, 0.25, 1.0, mass=32.0).inertia[2].tolist()
        [0.0, 0.0, 5.0]
        """
        owner = f"RigidBody.tube {name!r}"
        r = as_number(owner, "outer", outer, above=0.0, unit="length")
        r0 = as_number(owner, "inner", inner, above=0.0, below=r, unit="length")
        l_ = as_number(owner, "length", length, above=0.0, unit="length")
        m = _mass(owner, np.pi * (r**2 - r0**2) * l_, mass, density, material)
        return cls(m, cylinder_inertia(m, r, l_, r0), name=name, shape=cylinder_edges((r, r0), l_), **pose)

    @classmethod
    def sphere(
        cls,
        radius: float,
        *,
        mass: float | None = None,
        density: float | None = None,
        material: Elastic | None = None,
        name: str = "sphere",
        **pose: Any,
    ) -> RigidBody:
        """A homogeneous sphere [length]; matter and pose as in `box`.

        Examples
        --------
        >>> RigidBody.sphere(0.5, mass=10.0).inertia[0].tolist()
        [1.0, 0.0, 0.0]
        """
        owner = f"RigidBody.sphere {name!r}"
        r = as_number(owner, "radius", radius, above=0.0, unit="length")
        m = _mass(owner, 4.0 / 3.0 * np.pi * r**3, mass, density, material)
        return cls(m, sphere_inertia(m, r), name=name, shape=sphere_edges(r), **pose)

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
    ) -> RigidBody:
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
        >>> link = RigidBody.rod((0, 0, 0), (0, 2, 0), mass=3.0)
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
        return cls(m, inertia, (first + last) / 2.0, rotation, velocity, angular_velocity, name, shape)

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
    ) -> RigidBody:
        """A homogeneous body that fills a mesh of solids, or the closed surface of a mesh of triangles.

        The points of the mesh are places in the inertial frame at the start [length], and body axes are then inertial
        axes; use `moved` to put it elsewhere. The integrals are exact for the shape functions of the cells.

        Raises
        ------
        MeshError
            If the mesh has no volume, or a surface is not closed or not oriented throughout.

        Examples
        --------
        >>> from flexmbs.meshes import box
        >>> body = RigidBody.from_mesh(box((0, 0, 0), (1, 2, 3), (1, 1, 1)), mass=12.0)
        >>> body.position.tolist(), body.inertia.diagonal().round(12).tolist()
        ([0.5, 1.0, 1.5], [13.0, 10.0, 5.0])
        """
        owner = f"RigidBody.from_mesh {name!r}"
        if not isinstance(mesh, Mesh):
            raise ModelError(f"{owner}: mesh must be a Mesh, not {show(mesh)}.")
        volume, centre, second = mesh_moments(owner, mesh)
        m = _mass(owner, volume, mass, density, material)
        edges = outline(mesh)
        kept, numbers = np.unique(edges, return_inverse=True)
        shape = Wireframe(mesh.points[kept] - centre, numbers.reshape(-1, 2))
        inertia = m / volume * second_to_inertia(second)
        return cls(m, inertia, centre, None, velocity, angular_velocity, name, shape)

    @classmethod
    def combined(cls, *bodies: RigidBody, name: str = "combined") -> RigidBody:
        """Several bodies welded into one, at rest; its body axes are inertial axes at the start.

        Examples
        --------
        >>> ends = [RigidBody.sphere(0.1, mass=1.0, position=(x, 0, 0)) for x in (-1, 1)]
        >>> RigidBody.combined(*ends).inertia[2].round(12).tolist()
        [0.0, 0.0, 2.008]
        """
        owner = f"RigidBody.combined {name!r}"
        wrong = [body for body in bodies if not isinstance(body, RigidBody)]
        if wrong or not bodies:
            raise ModelError(f"{owner}: expected rigid bodies, not {show(wrong[0]) if wrong else 'nothing'}.")
        moving = [body for body in bodies if body.velocity.any() or body.angular_velocity.any()]
        if moving:
            raise ModelError(f"{owner}: {moving[0]} moves; combine bodies at rest and use with_spin afterwards.")
        mass = sum(body.mass for body in bodies)
        centre = sum((body.mass * body.position for body in bodies), np.zeros(3)) / mass
        inertia = np.zeros((3, 3))
        for body in bodies:
            turned = body.rotation @ body.inertia @ body.rotation.T
            inertia += parallel_axes(turned, body.mass, body.position - centre)
        shapes = [b.shape.moved(b.rotation, b.position - centre) for b in bodies if b.shape is not None]
        return cls(mass, inertia, centre, name=name, shape=joined(shapes) if shapes else None)

    # --- the same body elsewhere, or moving --------------------------------------------------------------------------

    def moved(self, position: ArrayLike | None = None, rotation: RotationLike = None) -> RigidBody:
        """This body with its centre of mass at another position [length] or with another orientation.

        What is not given stays. Its velocity keeps its components in inertial axes, its angular velocity in body axes.
        """
        return self._with(
            position=self.position if position is None else position,
            rotation=self.rotation if rotation is None else rotation,
        )

    def with_velocity(self, velocity: ArrayLike, angular_velocity: ArrayLike | None = None) -> RigidBody:
        """This body with another velocity (inertial axes) and, if given, angular velocity (body axes) at the start."""
        given = self.angular_velocity if angular_velocity is None else angular_velocity
        return self._with(velocity=velocity, angular_velocity=given)

    def with_spin(self, angular_velocity: ArrayLike, about: ArrayLike | None = None) -> RigidBody:
        """This body turning about a point that is at rest.

        Parameters
        ----------
        angular_velocity : (3,) array
            In **inertial** axes [rad/time].
        about : (3,) array, optional
            Inertial frame [length]. Without it the angular velocity is set and the velocity of the centre stays.

        Examples
        --------
        >>> RigidBody.rod((0, 0, 0), (2, 0, 0), mass=1.0).with_spin((0, 0, 3), about=(0, 0, 0)).velocity.tolist()
        [0.0, 3.0, 0.0]
        """
        owner = f"with_spin of {self}"
        omega = as_array(owner, "angular_velocity", angular_velocity, (3,), unit="rad/time")
        velocity = self.velocity
        if about is not None:
            velocity = np.cross(omega, self.position - as_array(owner, "about", about, (3,), unit="length"))
        return self._with(velocity=velocity, angular_velocity=self.rotation.T @ omega)

    def _with(self, **changes: Any) -> RigidBody:
        """A copy with other values."""
        return RigidBody(**{field: getattr(self, field) for field in self.__dataclass_fields__} | changes)

    # --- what the engine reads ---------------------------------------------------------------------------------------

    @property
    def quaternion(self) -> FloatArray:
        """The orientation at the start as a unit quaternion (4,), scalar first."""
        return to_quaternion(self.rotation)

    @property
    def kinetic_energy(self) -> float:
        """At the start [force length]."""
        spin = self.angular_velocity @ self.inertia @ self.angular_velocity
        return float(0.5 * (self.mass * self.velocity @ self.velocity + spin))

    @property
    def place(self) -> tuple[FloatArray, FloatArray]:
        return self.position, self.rotation

    @property
    def initial_q(self) -> FloatArray:
        return np.concatenate((self.position, self.quaternion))

    @property
    def initial_v(self) -> FloatArray:
        return np.concatenate((self.velocity, self.angular_velocity))


def span(owner: str, start: FloatArray, end: FloatArray) -> float:
    """The distance of the ends of a rod, which must not coincide."""
    length = float(np.linalg.norm(end - start))
    if not length > 1e-12 * float(np.abs((start, end)).max()):
        raise ModelError(f"{owner}: start and end must be different points, but both are {start.tolist()}.")
    return length


def rod_mass(owner: str, length: float, mass: float | None, section: Section | None, material: Elastic | None) -> float:
    """The mass of a rod from what is given of it."""
    if section is not None:
        check_section(owner, section)
    if mass is None and section is None:
        raise ModelError(f"{owner}: give mass, or section and material.")
    return _mass(owner, 0.0 if section is None else section.area * length, mass, None, material)


def _mass(owner: str, volume: float, mass: float | None, density: float | None, material: Elastic | None) -> float:
    """The mass of a volume from the one thing that is given."""
    if [mass, density, material].count(None) != 2:
        raise ModelError(f"{owner}: give exactly one of mass, density and material.")
    if mass is not None:
        return as_number(owner, "mass", mass, above=0.0, unit="mass")
    if material is not None:
        if not isinstance(material, Elastic):
            raise ModelError(f"{owner}: material must be an Elastic, not {show(material)}.")
        density = material.density
    return volume * as_number(owner, "density", density, above=0.0, unit="mass/length^3")
