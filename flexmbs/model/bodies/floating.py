r"""Flexible bodies in floating frames: a reduced part that moves far and bends a little."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from flexmbs.core.checks import as_array, as_count, as_flag, as_name, frozen_copy, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.rotations import RotationLike, as_rotation, to_quaternion
from flexmbs.model.bodies.reference_conditions import shapes_in_frame
from flexmbs.model.bodies.shaped import ShapedBody, ShapedMarker, as_coordinates, as_ratios
from flexmbs.reduction.inertia import InertiaInvariants
from flexmbs.reduction.model import ReducedModel
from flexmbs.reduction.stiffening import SecondOrder, node_name

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["FloatingBody", "FloatingMarker"]

STRAY = 1e-6
"""Round-off of modes: mass and stiffness of the shapes against unity and squared frequencies, relative."""


@dataclass(frozen=True, eq=False, init=False)
class FloatingBody(ShapedBody):
    r"""A reduced part (CMS) in a floating frame of reference (FFRF): any motion of the frame, small deformation in it.

    A point of the part is at :math:`x_0 + R\,(s + \sum_k \phi_k \eta_k)` with the frame :math:`x_0, R`, its place s in
    the undeformed part and the modal coordinates :math:`\eta`. All inertia coupling follows from the inertia
    invariants of the reduced model (`flexmbs.kernels.floating`), which come from the mesh.

    Twelve coordinates of frame and rigid motion of the part would be six too many. The reference condition chooses:

    - ``"mean"``: the shapes are the elastic modes of the free part (mean axes, Buckens): the frame starts at the centre
      of mass along the inertial axes of the mesh, and the momentum of small vibrations in it is zero.
    - the name of an interface: the frame is fixed to it (tangent frame); the shapes are the modes with it held.
    - the name of an interface and another one, or a node: the frame has its origin at the first and turns with the line
      to the second, about that line with the first (chord frame); the second moves along the line only. Of a slender
      link on two hinges the deformation is smallest in it.

    Either way the shapes are mass-normalised modes of the reduced model, uncoupled in stiffness.

    Parameters
    ----------
    reduced : ReducedModel
        With inertia invariants; its coordinates in units of the model.
    reference : str or (str, str or int), default "mean"
        ``"mean"``, the name of a rigid or averaged interface, or its name and that of another (or a node number).
    modes : int, optional
        How many of the shapes to keep, from the lowest; by default all.
    damping : float or (m,) array, default 0
        Modal damping ratios, added to the damping of the reduced model.
    geometric_stiffening : bool, default True
        Whether geometric stiffening acts where the reduced model has it (``reduce(..., geometric_stiffening=True)``).
    position : (3,) array, default the origin
        Where the origin of the mesh is at the start, inertial frame [length].
    rotation : (3, 3) array, (4,) array or scipy Rotation, optional
        Orientation of the axes of the mesh at the start.
    velocity : (3,) array, optional
        Of the origin of the frame at the start, inertial axes [length/time].
    angular_velocity : (3,) array, optional
        Of the frame at the start, in **body** axes [rad/time].
    deformation, deformation_rate : (m,) array, optional
        Modal coordinates at the start and their rates.
    name : str, optional
        That of the reduced model by default.

    Raises
    ------
    ModelError
        If the reduced model has no exact inertia, the reference is unknown or does not hold the part, an array has
        another shape, or the part is not free: springs to the ground in it would move with the frame.

    Notes
    -----
    Foreshortening of second order in the deformation, and so the stiffening of rotating beams and taut strips, needs
    a model reduced with ``geometric_stiffening=True``. It then acts in the inertia, in gravity, and in the motion of
    the interfaces, so that forces on them stiffen the body; markers at nodes move to first order only. A chord frame
    then needs an interface at its second place.

    Source: R. Schwertassek, O. Wallrapp, Dynamik flexibler Mehrkörpersysteme (1999); A. A. Shabana, Dynamics of
    Multibody Systems, chapters 5 and 6.

    Examples
    --------
    >>> import flexmbs as fx
    >>> lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    >>> body = fx.FloatingBody(fx.reduction.reduce(lug, ["ROOT", "BORE"], modes=4), reference="ROOT")
    >>> body.modes, body.interface("BORE").position0().round(4).tolist()
    (10, [0.0438, 0.0101, 0.0101])
    """

    kind: ClassVar[str] = "floating"

    reduced: ReducedModel
    reference: str | tuple[str, str | int]
    modes: int
    damping: FloatArray
    geometric_stiffening: bool
    position: FloatArray
    rotation: FloatArray
    velocity: FloatArray
    angular_velocity: FloatArray
    deformation: FloatArray
    deformation_rate: FloatArray
    name: str
    origin: FloatArray = field(init=False, repr=False)
    basis: FloatArray = field(init=False, repr=False)
    frequencies: FloatArray = field(init=False, repr=False)
    inertia: InertiaInvariants = field(init=False, repr=False)
    stiffness: FloatArray = field(init=False, repr=False)
    viscosity: FloatArray = field(init=False, repr=False)
    second_order: SecondOrder | None = field(init=False, repr=False)

    def __init__(
        self,
        reduced: ReducedModel,
        reference: str | tuple[str, str | int] = "mean",
        modes: int | None = None,
        damping: ArrayLike = 0.0,
        geometric_stiffening: bool = True,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: RotationLike = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        deformation: ArrayLike | None = None,
        deformation_rate: ArrayLike | None = None,
        name: str | None = None,
    ) -> None:
        if not isinstance(reduced, ReducedModel):
            raise ModelError(
                f"FloatingBody: reduced must be a ReducedModel, from flexmbs.reduction.reduce, not {show(reduced)}."
            )
        title = reduced.name if name is None else as_name("FloatingBody", "name", name)
        owner = f"FloatingBody {title!r}"
        if reduced.inertia is None or not reduced.inertia.exact:
            raise ModelError(
                f"{owner}: its reduced model has no exact inertia invariants; reduce a Part, or operators whose mass "
                f"is one scalar matrix for x, y and z."
            )
        basis, frequencies, origin = shapes_in_frame(owner, reduced, reference)
        kept = len(frequencies) if modes is None else as_count(owner, "modes", modes)
        if kept > len(frequencies):
            raise ModelError(f"{owner}: {kept} modes were asked for, but the reduced model has {len(frequencies)}.")
        basis, frequencies = basis[:, :kept], frequencies[:kept]
        ratios = as_ratios(owner, damping, kept)
        values: dict[str, Any] = {
            "reduced": reduced, "reference": reference, "modes": kept, "damping": ratios,
            "geometric_stiffening": as_flag(owner, "geometric_stiffening", geometric_stiffening),
            "position": as_array(owner, "position", position, (3,), unit="length"),
            "rotation": as_rotation(owner, "rotation", rotation),
            "velocity": as_array(owner, "velocity", velocity, (3,), unit="length/time"),
            "angular_velocity": as_array(owner, "angular_velocity", angular_velocity, (3,), unit="rad/time"),
            "deformation": as_coordinates(owner, "deformation", deformation, kept),
            "deformation_rate": as_coordinates(owner, "deformation_rate", deformation_rate, kept),
            "name": title, "origin": origin, "frequencies": frequencies, "stiffness": np.diag(frequencies**2),
        }  # fmt: skip
        for key, value in values.items():
            object.__setattr__(self, key, frozen_copy(value) if isinstance(value, np.ndarray) else value)
        self.take_shapes(basis)

    def take_shapes(self, basis: FloatArray) -> None:
        """Move in other mass-normalised shapes (n, m) of the same frequencies, as those of a file.

        Of equal frequencies, as of a square bar, the computation of the modes leaves open which two shapes they have.
        """
        reduced, owner = self.reduced, str(self)
        assert reduced.inertia is not None  # noqa: S101  # checked on construction
        basis = as_array(owner, "shapes", basis, (reduced.size, self.modes))
        stray = np.abs(basis.T @ reduced.M @ basis - np.eye(self.modes)).max(initial=0.0)
        stray += np.abs(basis.T @ reduced.K @ basis - self.stiffness).max(initial=0.0) / self.stiffness.max(initial=1.0)
        if stray > STRAY:
            raise ModelError(f"{owner}: these shapes are not its modes; they are wrong by {stray:.1g}.")
        own = np.zeros((self.modes, self.modes)) if reduced.D is None else basis.T @ reduced.D @ basis
        viscosity = np.diag(2.0 * self.damping * self.frequencies) + 0.5 * (own + own.T)
        object.__setattr__(self, "basis", frozen_copy(basis))
        object.__setattr__(self, "viscosity", frozen_copy(viscosity))
        inertia = reduced.inertia.transformed(basis).about(self.origin)
        object.__setattr__(self, "inertia", inertia)
        second = None
        if self.geometric_stiffening and reduced.stiffening is not None:
            places = {node_name(k): x for k, x in enumerate(reduced.points)}
            places |= {f.name: np.asarray(f.origin) for f in reduced.frames}
            held: Any = None if self.reference == "mean" else self.reference
            if not isinstance(self.reference, str) and not isinstance(self.reference[1], str):
                raise ModelError(
                    f"{owner}: how node {self.reference[1]} of its reference moves to second order is not known; make "
                    f"it an interface, or take geometric_stiffening=False."
                )
            second = reduced.stiffening.transformed(basis).in_frame(inertia, self.origin, places, held)
        object.__setattr__(self, "second_order", second)

    def __str__(self) -> str:
        return f"FloatingBody {self.name!r}"

    @property
    def mass(self) -> float:
        """[mass]."""
        return self.inertia.mass

    @property
    def place(self) -> tuple[FloatArray, FloatArray]:
        return self.position + self.rotation @ self.origin, self.rotation

    @property
    def initial_q(self) -> FloatArray:
        return np.concatenate((self.place[0], to_quaternion(self.rotation)))

    @property
    def initial_v(self) -> FloatArray:
        return np.concatenate((self.velocity, self.angular_velocity))

    @property
    def centre(self) -> FloatingMarker:
        """The origin of the frame with its axes: with ``"mean"`` the centre of mass of the undeformed part."""
        return FloatingMarker(self, np.zeros(3), np.eye(3), np.zeros((6, self.modes)), "centre")

    def _marker(
        self, point: FloatArray, axes: FloatArray, shapes: FloatArray, name: str, turns: bool
    ) -> FloatingMarker:
        return FloatingMarker(self, point - self.origin, axes, shapes, name, turns)

    @property
    def line_resultant(self) -> tuple[ShapedMarker, float]:
        marker, length = super().line_resultant
        if self.second_order is not None:  # the affine fields at the mean are the mean of the affine fields
            assert marker.point is not None  # noqa: S101  # it has one
            second = np.zeros((6, self.modes, self.modes))
            second[:3] = np.tensordot(np.append(1.0, marker.point), self.second_order.fields, axes=1)
            object.__setattr__(marker, "second", frozen_copy(second))
        return marker, length

    def _interface(self, name: str, axes: FloatArray, title: str | None) -> ShapedMarker:
        marker = super()._interface(name, axes, title)
        if self.second_order is not None:
            object.__setattr__(marker, "second", frozen_copy(self.second_order.interfaces[name]))
        return marker

    def _node(self, number: int, axes: FloatArray, title: str | None) -> ShapedMarker:
        marker = super()._node(number, axes, title)
        if self.second_order is not None and node_name(number) in self.second_order.interfaces:
            object.__setattr__(marker, "second", frozen_copy(self.second_order.interfaces[node_name(number)]))
        return marker


@dataclass(frozen=True, eq=False, init=False, repr=False)
class FloatingMarker(ShapedMarker):
    """A marker on a floating body: ``point (3,)`` from the origin of its frame, shapes ``phi``, ``psi`` (3, m).

    ``second (6, m, m)``: displacement and rotation of second order; (6, 0, 0) without geometric stiffening.
    """

    second: FloatArray

    def __init__(
        self, body: FloatingBody, point: Any, frame: FloatArray, shapes: FloatArray, name: str, turns: bool = True
    ) -> None:
        super().__init__(body, point, frame, shapes, name, turns)
        m = body.modes if body.second_order is not None else 0
        object.__setattr__(self, "second", frozen_copy(np.zeros((6, m, m))))
