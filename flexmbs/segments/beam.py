r"""Beams and cables of finite rigid segments.

The line is divided at nodes into elements of the lengths :math:`h_k`. Every node carries a rigid body, which reaches
from the middle of one element to the middle of the next (half as far at the ends), and the elastic joint in the middle
of an element takes the place of its flexibility:

.. math:: k_x = \frac{EA}{h}, \quad k_{\theta x} = \frac{GJ}{h}, \quad k_{\theta y} = \frac{EI_y}{h}, \quad
   k_{\theta z} = \frac{EI_z}{h}, \quad \frac1{k_y} = \frac{h}{GA_y} + \beta\,\frac{h^3}{12\,EI_z} .

A shear force bends a half element against the other by :math:`h^3/12EI`, which rigid halves cannot. With
:math:`\beta = 1` the joint has it, and the nodes of a straight beam move exactly as those of the beam itself under any
loads at the nodes. With :math:`\beta = 0` a deflection is too small by :math:`h^2/4L^2` (cantilever under an end load),
and this error cancels in vibrations against that of the rotary inertia of rigid segments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from flexmbs.core.checks import as_flag, as_name, as_number, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.material import Elastic
from flexmbs.core.section import BeamStiffness, beam_stiffness, check_section
from flexmbs.core.section_matrix import SectionStiffness
from flexmbs.segments.chain import (
    Centreline,
    SegmentedBeam,
    centreline,
    segment_bodies,
    segment_joints,
    segment_nodes,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from flexmbs.core.section import Section

__all__ = ["segmented_beam", "segmented_cable"]

Match = Literal["statics", "modes"]
Rest = Literal["shape", "straight"]


def segmented_beam(
    points: ArrayLike,
    *,
    n: int | None = None,
    stiffness: BeamStiffness | None = None,
    section: Section | None = None,
    material: Elastic | None = None,
    stretch: bool = True,
    match: Match | None = None,
    rest: Rest = "shape",
    up: ArrayLike | None = None,
    closed: bool = False,
    name: str = "beam",
) -> SegmentedBeam:
    r"""A beam of rigid segments with elastic joints.

    Each element of the length h between two nodes is halved; the halves belong to the rigid bodies of the nodes and are
    joined in the middle by a bushing in the axes of the element, x along it:

    .. math:: k_x = \frac{EA}{h}, \quad k_{\theta x} = \frac{GJ}{h}, \quad k_{\theta y} = \frac{EI_y}{h}, \quad
       k_{\theta z} = \frac{EI_z}{h}, \quad \frac1{k_y} = \frac{h}{GA_y} + \beta\,\frac{h^3}{12\,EI_z}, \quad
       \frac1{k_z} = \frac{h}{GA_z} + \beta\,\frac{h^3}{12\,EI_y} .

    Parameters
    ----------
    points : (n_nodes, 3) or (n_nodes, 2) array
        Nodes, inertial frame [length]; two components make planar bodies.
    n : int, optional
        Number of equal elements between two given points.
    stiffness : BeamStiffness, optional
        Or ``section`` and ``material``. y is the axis of the height of a section, z that of its width; a planar beam
        bends about z. In space it needs GJ.
    stretch : bool, default True
        False puts ball joints (in the plane hinges) with springs against rotation in the place of bushings: no axial
        strain, no shear, and none of their high frequencies.
    match : "statics" or "modes", optional
        beta = 1 or 0. By default "statics"; without stretch it is always "modes", and with "modes" the section needs
        its shear stiffness.
    rest : "shape" or "straight", default "shape"
        Whether the given shape is free of stress, bodies being bent at their nodes, or a straight beam is. Then bodies
        are straight links between the middles of the elements.
    up : (3,) array, optional
        z of the sections is the part of this direction across the line; by default (0, 0, 1), or (0, 1, 0) if that is
        along the line somewhere.
    closed : bool, default False
        Whether the last node is joined to the first one.
    name : str

    Returns
    -------
    SegmentedBeam
        ``model.with_(*beam.items)`` puts it into a model.

    Raises
    ------
    ModelError
        If points coincide, ``up`` is parallel to the line, or a stiffness is missing.

    Notes
    -----
    Rigid segments have the exact mass and, of a straight beam, the exact moments of inertia. Errors fall with h^2: see
    the page on rigid segments for figures. Limits: a joint must bend by less than half a turn; terms of a
    `SectionStiffness` off its diagonal are refused; forces act at nodes and on bodies only. Joints give way across the
    line, so a tension N above :math:`k_y h` turns the segments out of it: with "statics" that is about
    :math:`12 EI/h^2`. Taut belts and cables need "modes" or ``stretch=False``, or shorter elements.

    Sources: E. Wittbrodt, I. Adamiec-Wojcik, S. Wojciech, Dynamics of Flexible Multibody Systems: Rigid Finite Element
    Method, Springer 2006 (division and springs); Y. Wang, R. L. Huston, Computers & Structures 50 (1994) 421-432
    (springs of halves in series).

    Examples
    --------
    >>> import flexmbs as fx
    >>> blade = fx.segments.segmented_beam([(0, 0, 0), (1, 0, 0)], n=8, section=fx.Rectangle(width=0.02, height=0.002),
    ...     material=fx.steel)
    >>> model = fx.Model(*blade.items, fx.FixedJoint(fx.ground, blade.start), fx.PointForce(blade.end, (0, -0.1, 0)))
    >>> bent = fx.solve_static(model, fx.StaticOptions(progress=False))
    >>> EI = fx.steel.youngs_modulus * fx.Rectangle(width=0.02, height=0.002).I_z
    >>> round(float(-bent.position(blade.end, step=-1)[1]) * 3 * EI / 0.1, 4)
    0.9999
    """
    owner = f"segmented_beam {as_name('segmented_beam', 'name', name)!r}"
    found = _stiffness(owner, stiffness, section, material)
    stretch = as_flag(owner, "stretch", stretch)
    kept = _choice(owner, "match", match or ("statics" if stretch else "modes"), ("statics", "modes"))
    if not stretch and kept == "statics":
        raise ModelError(f"{owner}: match='statics' needs joints that give way; leave match out, or stretch=True.")
    straight = _choice(owner, "rest", rest, ("shape", "straight")) == "straight"
    line = centreline(owner, points, n, up, as_flag(owner, "closed", closed), straight)
    K = np.array([_springs(owner, found, h, kept, stretch, line.planar) for h in line.spans.tolist()])
    return _chain(line, found, K, not stretch, closed, name)


def segmented_cable(
    points: ArrayLike,
    *,
    mass_per_length: float,
    n: int | None = None,
    EA: float | None = None,
    GJ: float | None = None,
    retardation_time: float = 0.0,
    closed: bool = False,
    name: str = "cable",
) -> SegmentedBeam:
    r"""A cable of rigid segments: no bending stiffness.

    Joints in the middles of elements are ball joints (in the plane hinges), or, if the cable stretches, springs
    :math:`EA/h` that are the same in all directions, so that they lengthen along the force whatever the angle.

    Parameters
    ----------
    points : (n_nodes, 3) or (n_nodes, 2) array
        Nodes, inertial frame [length], of the unstretched cable; two components make planar bodies. Bodies are straight
        links between the middles of elements.
    mass_per_length : float
        [mass/length].
    n : int, optional
        Number of equal elements between two given points.
    EA : float, optional
        Axial stiffness [force]; without it the cable does not stretch.
    GJ : float, optional
        Torsional stiffness [force length^2]; needed in space, where segments would otherwise spin freely about their
        axes.
    retardation_time : float, default 0
        Retardation time of the Kelvin-Voigt law [time].
    closed : bool, default False
        Whether the last node is joined to the first one.
    name : str

    Raises
    ------
    ModelError
        If points coincide, or GJ is missing in space.

    Notes
    -----
    A cable that hangs in equilibrium converges to the elastic catenary with h^2. Statics of a cable that is not taut
    need a shape near the equilibrium to begin with, and its weight from the start (history `Constant`).

    Examples
    --------
    >>> import flexmbs as fx
    >>> rope = fx.segments.segmented_cable([(0, 0), (1, 0)], n=4, mass_per_length=0.2)
    >>> len(rope.bodies), len(rope.joints), round(rope.mass, 12)
    (5, 4, 0.2)
    """
    owner = f"segmented_cable {as_name('segmented_cable', 'name', name)!r}"
    line = centreline(owner, points, n, None, as_flag(owner, "closed", closed), True)
    if GJ is None and not line.planar:
        raise ModelError(f"{owner}: give GJ; without it the segments of a cable in space spin freely about their axes.")
    axial = 0.0 if EA is None else as_number(owner, "EA", EA, above=0.0, unit="force")
    twist = 0.0 if GJ is None else as_number(owner, "GJ", GJ, above=0.0, unit="force length^2")
    weightless = BeamStiffness(
        EA=1.0,
        EI_z=1.0,
        mass_per_length=as_number(owner, "mass_per_length", mass_per_length, above=0.0, unit="mass/length"),
        retardation_time=as_number(owner, "retardation_time", retardation_time, minimum=0.0, unit="time"),
    )
    pattern = (axial, axial) if line.planar else (axial, axial, axial, twist, 0.0, 0.0)
    K = np.array(pattern) / line.spans[:, None]
    return _chain(line, weightless, K if K.any() else None, EA is None, closed, name)


def _chain(
    line: Centreline, stiffness: BeamStiffness, K: FloatArray | None, ball: bool, closed: bool, name: str
) -> SegmentedBeam:
    bodies = segment_bodies(line, stiffness, name)
    joints, springs = segment_joints(line, bodies, K, ball, stiffness.retardation_time, name)
    return SegmentedBeam(bodies, joints, springs, segment_nodes(line, bodies), closed, name)


def _stiffness(
    owner: str, stiffness: BeamStiffness | None, section: Section | None, material: Elastic | None
) -> BeamStiffness:
    """What the beam is made of."""
    if stiffness is None:
        if section is None or material is None:
            raise ModelError(f"{owner}: give stiffness, or section and material.")
        check_section(owner, section)
        if not isinstance(material, Elastic):
            raise ModelError(f"{owner}: material must be an Elastic, not {show(material)}.")
        return beam_stiffness(section, material)
    if section is not None or material is not None:
        raise ModelError(f"{owner}: give stiffness, or section and material; not both.")
    if not isinstance(stiffness, BeamStiffness):
        raise ModelError(f"{owner}: stiffness must be a BeamStiffness, not {show(stiffness)}.")
    if isinstance(stiffness, SectionStiffness) and stiffness.coupled:
        raise ModelError(f"{owner}: joints between segments have no coupling; give a BeamStiffness.")
    return stiffness


def _choice(owner: str, name: str, value: object, known: tuple[str, ...]) -> str:
    if value not in known:
        raise ModelError(f"{owner}: {name} must be one of {', '.join(map(repr, known))}, not {show(value)}.")
    return str(value)


def _springs(owner: str, s: BeamStiffness, h: float, match: str, stretch: bool, planar: bool) -> FloatArray:
    """Stiffnesses of the joint of an element: (x, y, z, about x, y, z), or (x, y, angle)."""
    EI_y = s.EI_z if s.EI_y is None else s.EI_y
    bending = np.array((s.EI_z, EI_y))
    shear = (s.GA_y,) if planar else (s.GA_y, s.GA_z)
    across = [0.0] * len(shear)
    if stretch:
        for a, GA in enumerate(shear):
            give = (0.0 if GA is None else h / GA) + (h**3 / (12.0 * float(bending[a])) if match == "statics" else 0.0)
            if give == 0.0:
                raise ModelError(
                    f"{owner}: with match='modes' the joints need the shear stiffness GA_{'yz'[a]}; give it, or take "
                    f"match='statics', or stretch=False."
                )
            across[a] = 1.0 / give
    axial = s.EA / h if stretch else 0.0
    if planar:
        return np.array((axial, *across, s.EI_z / h))
    if s.GJ is None:
        raise ModelError(f"{owner}: the stiffness lacks GJ, which a beam in space needs.")
    return np.array((axial, *across, s.GJ / h, EI_y / h, s.EI_z / h))
