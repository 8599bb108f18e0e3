"""Flexible links of trees: reduced parts whose frames are moved by joints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import as_array, as_name, frozen_copy, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.core.rotations import RotationLike, as_rotation, from_vector
from flexmbs.model.bodies.floating import FloatingBody
from flexmbs.model.bodies.shaped import OFF_NODE
from flexmbs.model.trees.joints import TreeJoint, checked_joint
from flexmbs.reduction.model import ReducedModel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["FlexibleLink"]


@dataclass(frozen=True, eq=False, init=False)
class FlexibleLink:
    r"""A reduced part as a link of a tree, with the joint to the link before it.

    The link frame is fixed to the interface ``interface`` of the part, with the axes of its mesh: there sits the joint.
    The deformation in it is that of a `FloatingBody` with this reference, :math:`s + \sum\phi_k\eta_k`, with the same
    exact inertia; frame and joint coordinates take the place of the six coordinates of the frame. Links beyond are
    joined to other interfaces by their names: ``Link(..., parent="arm", at="TIP")``.

    Parameters
    ----------
    name : str
        Unique in the tree.
    reduced : ReducedModel
        With inertia invariants.
    interface : str
        The rigid or averaged interface that the joint is at.
    parent, joint, at, rotation, start, rate
        As for `Link`; ``at`` is the name of an interface where the link before is flexible.
    modes : int, optional
        How many of the shapes to keep, from the lowest; by default all.
    damping : float or (m,) array, default 0
        Modal damping ratios, added to the damping of the reduced model.
    deformation, deformation_rate : (m,) array, optional
        Modal coordinates at the start and their rates.

    Raises
    ------
    ModelError
        As `FloatingBody`, and if the interface has no frame.

    Notes
    -----
    Deformations are of first order: a part that was reduced with stiffening is taken without it. Markers sit at
    interfaces, not at other nodes: by a point (``marker``, ``marker_at``, a joint's ``at=``) the interface there is
    found, and other points are refused.

    Examples
    --------
    >>> import flexmbs as fx
    >>> lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    >>> small = fx.reduction.reduce(lug, ["ROOT", "BORE"], modes=4, progress=False)
    >>> arm = fx.trees.FlexibleLink("arm", small, "ROOT", joint=fx.trees.Revolute((0, 1, 0)))
    >>> arm.modes
    10
    """

    name: str
    reduced: ReducedModel
    interface: str
    parent: str | None
    joint: TreeJoint
    at: FloatArray | str
    rotation: FloatArray
    start: FloatArray
    rate: FloatArray
    modes: int
    damping: FloatArray
    deformation: FloatArray
    deformation_rate: FloatArray
    floating: FloatingBody = field(init=False, repr=False)

    def __init__(
        self,
        name: str,
        reduced: ReducedModel,
        interface: str,
        parent: str | None = None,
        joint: TreeJoint | None = None,
        at: ArrayLike | str = (0.0, 0.0, 0.0),
        rotation: RotationLike = None,
        start: Any = None,
        rate: ArrayLike | None = None,
        modes: int | None = None,
        damping: ArrayLike = 0.0,
        deformation: ArrayLike | None = None,
        deformation_rate: ArrayLike | None = None,
    ) -> None:
        owner = f"FlexibleLink {as_name('FlexibleLink', 'name', name)!r}"
        joint = checked_joint(owner, joint, parent)
        if not isinstance(reduced, ReducedModel):
            raise ModelError(
                f"{owner}: reduced must be a ReducedModel, from flexmbs.reduction.reduce, not {show(reduced)}."
            )
        if not isinstance(interface, str):
            raise ModelError(f"{owner}: interface must be the name of an interface, not {show(interface)}.")
        known = [frame.name for frame in reduced.frames]
        if interface not in known:
            raise ModelError(f"{owner}: {unknown_name('interface', interface, known)}")
        floating = FloatingBody(
            reduced, interface, modes, damping, geometric_stiffening=False, deformation=deformation,
            deformation_rate=deformation_rate, name=name,
        )  # fmt: skip
        values = {
            "name": name, "reduced": reduced, "interface": interface, "parent": parent, "joint": joint,
            "at": at if isinstance(at, str) else as_array(owner, "at", at, (3,), unit="length"),
            "rotation": as_rotation(owner, "rotation", rotation),
            "start": joint.start(owner, start),
            "rate": as_array(owner, "rate", np.zeros(joint.n_v) if rate is None else np.atleast_1d(rate), (joint.n_v,)),
            "modes": floating.modes, "damping": floating.damping, "deformation": floating.deformation,
            "deformation_rate": floating.deformation_rate, "floating": floating,
        }  # fmt: skip
        for key, value in values.items():
            object.__setattr__(self, key, frozen_copy(value) if isinstance(value, np.ndarray) else value)

    def __str__(self) -> str:
        return f"FlexibleLink {self.name!r}"

    @property
    def mass(self) -> float:
        """[mass]."""
        return self.floating.mass

    @property
    def centre(self) -> FloatArray:
        """Centre of mass (3,) of the undeformed part in the link frame [length]."""
        return np.asarray(self.floating.inertia.first / self.floating.mass)

    @property
    def shape(self) -> None:
        """Its mesh is drawn."""
        return

    @property
    def outlets(self) -> tuple[str, ...]:
        """The interfaces with a frame, other than that of its joint."""
        return tuple(f.name for f in self.reduced.frames if len(f.coordinates) == 6 and f.name != self.interface)

    def shapes(self, interface: str) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Place (3,) of an interface in the undeformed link, and its shapes Phi and Psi (3, m), axes of the link."""
        if interface not in self.outlets:
            raise ModelError(
                f"{self}: there is no interface {interface!r} to join a link to; there are "
                f"{', '.join(self.outlets) or 'none'}."
            )
        marker = self.floating.interface(interface)
        assert marker.point is not None  # noqa: S101  # those of interfaces have one
        return marker.point, marker.phi, marker.psi

    def interface_at(self, point: FloatArray, at_start: bool = False) -> str:
        """The interface with its origin at a point of the link frame, undeformed or as the link starts.

        Raises
        ------
        ModelError
            If none is there: other points have no motion of their own in the tree.
        """
        places = {self.interface: np.zeros(3)} | {
            name: self.moved(name)[0] if at_start else self.shapes(name)[0] for name in self.outlets
        }
        nearest = min(places, key=lambda name: float(np.linalg.norm(places[name] - point)))
        away = float(np.linalg.norm(places[nearest] - point))
        if away > OFF_NODE * float(np.ptp(self.reduced.points, axis=0).max()):
            raise ModelError(
                f"{self}: no interface is at {np.round(point, 9).tolist()} of its frame, and it deforms, with markers "
                f"at interfaces only; the nearest, {nearest!r}, is {away:.3g} away. Reduce the part with an interface "
                f"there. Interfaces: {', '.join(repr(name) for name in places)}."
            )
        return nearest

    def moved(self, interface: str) -> tuple[FloatArray, FloatArray]:
        """Place and orientation of an interface in the link frame at the start."""
        point, phi, psi = self.shapes(interface)
        return point + phi @ self.deformation, from_vector(psi @ self.deformation)
