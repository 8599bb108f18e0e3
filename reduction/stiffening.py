r"""Displacements of second order: what geometric stiffening needs of a part.

A bent beam gets shorter along its old axis. The shapes of linear elements do not know that. To second order in the
coordinates of the shapes

.. math:: y = x + \sum_k \phi_k \eta_k + \tfrac12 \sum_{kl} \phi^{(2)}_{kl}\, \eta_k \eta_l ,

where :math:`\phi^{(2)}_{kl}` is the static answer of the part to the stresses of second order that the shapes k and l
cause together. Its work under a load f is that of the stress stiffness of the stresses that f causes,

.. math:: \phi_k^T K_g(u_f)\, \phi_l = -f^T \phi^{(2)}_{kl}, \qquad K u_f = f ,

since both are :math:`u_f^T` times one vector of forces. So every moment of :math:`\phi^{(2)}` over the mass, and its
value at an interface, follows from the stress stiffness under one unit load, without the fields themselves. Kept are

.. math:: \int (1, x)_a\, \phi^{(2)}_{b,kl}\, dm \quad (f: \text{body forces } e_b,\ x_a e_b \text{ per mass}), \qquad
   \phi^{(2)}_{kl} \text{ of interfaces} \quad (f: \text{unit force or moment}).

The points d of a rigid mass on a node, and of the section of a beam or shell, go along with it, and by
:math:`\tfrac12 \theta\times(\theta\times d)` where it turns.

The part is free, and the fields are determined but for a rigid motion. Here they are made orthogonal to the rigid
motions with the diagonal of the stiffness as weight, which balances each load by forces on all nodes; a frame then
takes off the rigid motion that its reference condition asks for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from flexmbs.core.checks import frozen_copy
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.linear.connections import NodalMass
from flexmbs.linear.constraints import place
from flexmbs.linear.mass_moments import turning_elements, turning_lumps, turning_stiffness
from flexmbs.linear.rigid import free_motions, scaled_motions
from flexmbs.reduction.border import as_rigid
from flexmbs.reduction.inertia import InertiaInvariants, points_of_mass
from flexmbs.reduction.methods.flexibility import Flexibility

if TYPE_CHECKING:
    from flexmbs.linear.linear_solution import BodyForce
    from flexmbs.linear.operators import Operators
    from flexmbs.linear.part import Part
    from flexmbs.reduction.basis import Basis
    from flexmbs.reduction.interfaces import Attached

__all__ = ["SecondOrder", "Stiffening", "node_name", "stiffening_of"]

CHUNK = 1024
"""Elements at a time."""
FLAT = 1e-12
"""Square of the extent of a body, relative to its size, below which it has none in a direction."""


class SecondOrder(NamedTuple):
    """Second-order fields of m shapes in a floating frame.

    ``moments (4, 3, m, m)``: integral of (1, x)_a phi2_b over the mass, x from the origin of the frame; ``fields (4, 3,
    m, m)``: coefficients C of the affine fields sum_a (1, x)_a C_ab with these moments, which are the projections of
    phi2 in the norm of the mass; ``interfaces``: displacement and rotation (6, m, m) at interfaces by name.
    """

    moments: FloatArray
    fields: FloatArray
    interfaces: dict[str, FloatArray]


def node_name(node: int) -> str:
    """What a node (row of the points) is called among interfaces."""
    return f"node {node}"


@dataclass(frozen=True, eq=False)
class Stiffening:
    """Second-order fields of the coordinates of a reduced model, up to a rigid motion.

    Parameters
    ----------
    moments : (4, 3, m, m) array
        Integral of (1, x)_a phi2_b over the mass, about the origin of the mesh [mass length, mass length^2, for
        coordinates without unit].
    frames : tuple of str
        Names of the interfaces with six coordinates; of files, also `node_name` of nodes.
    interfaces : (n_f, 6, m, m) array
        phi2 at these, along and about the inertial axes.
    only : str, optional
        The interface that must be the reference, where the fields are known in its frame only, as from files.

    Raises
    ------
    ModelError
        If shapes do not fit or a matrix is not symmetric.
    """

    moments: FloatArray
    frames: tuple[str, ...]
    interfaces: FloatArray
    only: str | None = None

    def __post_init__(self) -> None:
        m = np.shape(self.moments)[-1]
        for name, shape in (("moments", (4, 3, m, m)), ("interfaces", (len(self.frames), 6, m, m))):
            value = np.asarray(getattr(self, name), dtype=float)
            if value.shape != shape or not np.isfinite(value).all():
                raise ModelError(f"Stiffening: {name} must be finite numbers {shape}, not {value.shape}.")
            if np.abs(value - value.swapaxes(-1, -2)).max(initial=0.0) > 1e-9 * np.abs(value).max(initial=0.0):
                raise ModelError(f"Stiffening: {name} is not symmetric in the coordinates.")
            object.__setattr__(self, name, frozen_copy(value))

    def transformed(self, T: FloatArray) -> Stiffening:
        """That of the coordinates T, (m, n)."""
        moments, interfaces = _symmetric(T.T @ self.moments @ T), _symmetric(T.T @ self.interfaces @ T)
        return Stiffening(moments, self.frames, interfaces, self.only)

    def in_frame(
        self,
        inertia: InertiaInvariants,
        origin: FloatArray,
        places: dict[str, FloatArray],
        reference: str | tuple[str, str] | None,
    ) -> SecondOrder:
        """The fields in a floating frame.

        Parameters
        ----------
        inertia : InertiaInvariants
            Of the part, about ``origin``.
        origin : (3,) array
            Of the frame, in the mesh.
        places : dict of str to (3,) array
            Origins of the interfaces in the mesh.
        reference : str, (str, str) or None
            Interface at which the fields vanish; two interfaces: at the first without displacement and without turning
            about the line to the second, which moves along that line only; None: mean axes, no momentum by the rate of
            the fields.

        Raises
        ------
        ModelError
            If an interface is unknown, or another one must be the reference.
        """
        if self.only is not None and reference != self.only:
            raise ModelError(
                f"Stiffening: its fields are known in one frame only; take reference={self.only!r} or "
                f"geometric_stiffening=False."
            )
        moments = np.array(self.moments)
        moments[1:] -= np.einsum("a,bkl->abkl", origin, moments[0])
        values = {name: np.array(value) for name, value in zip(self.frames, self.interfaces, strict=True)}
        # the rigid motion s + w x x that has to come off
        if reference is None:
            spin = np.stack(
                [moments[2, 2] - moments[3, 1], moments[3, 0] - moments[1, 2], moments[1, 1] - moments[2, 0]]
            )
            both = np.concatenate([moments[0], spin]).reshape(6, -1)
            found = np.linalg.lstsq(_rigid_mass(inertia), both, rcond=None)[0].reshape(6, *spin.shape[1:])
            s, w = found[:3], found[3:]
        else:
            first, *others = (reference,) if isinstance(reference, str) else reference
            for name in (first, *others):
                if name not in values:
                    raise ModelError(f"Stiffening: {unknown_name('interface', name, self.frames)}")
            t, w = values[first][:3].copy(), values[first][3:].copy()
            for name in others:
                w = _following(places[name] - places[first], values[name][:3] - t, w)
            s = t - _cross(w, places[first] - origin)
        turn = np.stack([_cross(w, e) for e in np.eye(3)], axis=1)  # component b of w x e_c: (b, c, m, m)
        moments[0] -= inertia.mass * s + np.einsum("bckl,c->bkl", turn, inertia.first)
        moments[1:] -= np.einsum("a,bkl->abkl", inertia.first, s) + np.einsum("ac,bckl->abkl", inertia.second, turn)
        for name in values:
            values[name][:3] -= s + _cross(w, places[name] - origin)
            values[name][3:] -= w
        return SecondOrder(moments, _affine(inertia, moments), values)


def _following(line: FloatArray, moved: FloatArray, w: FloatArray) -> FloatArray:
    """Rotation that takes the end of a line where it has ``moved`` to sideways, and turns about the line with w."""
    along = np.multiply.outer(line / (line @ line), np.einsum("b,bkl->kl", line, w))
    return np.asarray(_cross(np.broadcast_to(line[:, None, None], moved.shape), moved) / (line @ line) + along)


def _affine(inertia: InertiaInvariants, moments: FloatArray) -> FloatArray:
    """Coefficients (4, 3, m, m) of the affine fields with these moments."""
    G = inertia.gram
    scale = 1.0 / np.sqrt(np.array([inertia.mass, *[np.trace(inertia.second)] * 3]))
    inverse = np.linalg.pinv(G * np.outer(scale, scale), rcond=FLAT, hermitian=True) * np.outer(scale, scale)
    return _symmetric(np.einsum("ac,cbkl->abkl", inverse, moments))


def _symmetric(A: FloatArray) -> FloatArray:
    return 0.5 * (A + A.swapaxes(-1, -2))


def _cross(w: FloatArray, d: FloatArray) -> FloatArray:
    """w x d, (3, ...)."""
    return np.asarray(np.cross(w, d, axisa=0, axisb=0, axisc=0))


def _rigid_mass(inertia: InertiaInvariants) -> FloatArray:
    """Mass matrix (6, 6) of the rigid motions s + w x x."""
    out = np.zeros((6, 6))
    out[:3, :3] = inertia.mass * np.eye(3)
    out[3:, :3] = np.cross(inertia.first, np.eye(3)).T  # first~
    out[:3, 3:] = out[3:, :3].T
    out[3:, 3:] = inertia.tensor
    return out


def stiffening_of(
    attached: Attached, basis: Basis, shapes: FloatArray, say: Callable[[float, str], None] | None = None
) -> Stiffening:
    """Second-order fields of a basis, by one static solution for each unit load.

    Parameters
    ----------
    attached : Attached
        Operators of a part with interfaces.
    basis : Basis
    shapes : (N, m) array
        All physical displacements of the basis.
    say : callable, optional
        Called with the fraction done and a text.

    Raises
    ------
    ModelError
        If the operators do not come from a part, or the part is not free.
    SingularError
        If the part can move in other ways than a rigid body.
    """
    owner = "geometric stiffening"
    operators = attached.operators
    part = operators.part
    if part is None:
        raise ModelError(f"{owner}: stresses need a Part; operators alone do not know the elements.")
    motions = free_motions(operators, np.empty(0, dtype=np.int64))
    if motions.shape[1] != 6:
        raise ModelError(
            f"{owner}: the part has {motions.shape[1]} free rigid motions, not 6; a body in a floating frame is free, "
            f"and held by its joints."
        )
    weight = sparse.diags(operators.K.diagonal(), format="csc")
    rigid = as_rigid(owner, operators.K, weight, scaled_motions(operators) @ motions)
    frames = [f for f in attached.frames if len(f.coordinates) == 6 and len(np.unique(f.node)) == 1]
    loads = np.zeros((operators.n, 12 + 6 * len(frames)))
    loads[:, :12] = _inertia_loads(part, operators)
    for number, frame in enumerate(frames):
        loads[attached.boundary[frame.coordinates], 12 + 6 * number + frame.component] = 1.0
    moved = operators.expand(Flexibility(operators.K, weight, rigid).solve(loads))
    found = -projected_stress_stiffness(part, moved, shapes, say)
    m = found.shape[1]
    return Stiffening(
        found[:12].reshape(4, 3, m, m) + _of_masses(part, shapes),
        tuple(f.name for f in frames),
        found[12:].reshape(len(frames), 6, m, m),
    )


def projected_stress_stiffness(
    part: Part, moved: FloatArray, shapes: FloatArray, say: Callable[[float, str], None] | None = None
) -> FloatArray:
    """Stress stiffness (n, m, m) of displacements ``moved (N, n)`` that cause the stresses, for ``shapes (N, m)``."""
    count, m = moved.shape[1], shapes.shape[1]
    out = np.zeros((count, m, m))
    done, total = 0, sum(len(p.cells) for p in part.pieces)
    for piece, cells, group in part.groups(CHUNK):
        dofs = part.element_dofs(piece, cells)
        phi = shapes[dofs]
        flat = phi.reshape(-1, m)
        for i in range(count):
            K = piece.region.element.geometric_stiffness(group, np.ascontiguousarray(moved[dofs, i]))
            out[i] += flat.T @ (K @ phi).reshape(-1, m)
        done += len(cells)
        if say is not None:
            say(done / total, "geometric stiffening")
    return 0.5 * (out + out.transpose(0, 2, 1))


def _of_masses(part: Part, shapes: FloatArray) -> FloatArray:
    """What moments (4, 3, m, m) have of rigid masses and sections, whose points go by theta x (theta x d)/2.

    That is beside what their forces and moments do to the part, which is in the loads.
    """
    m = shapes.shape[1]
    out = np.zeros((12, m, m))
    fields = [_unit_force(a, b) for a in range(4) for b in range(3)]
    for piece, cells, number, block in turning_elements(part, fields):
        phi = shapes[part.element_dofs(piece, cells)]
        out[number] -= phi.reshape(-1, m).T @ (block @ phi).reshape(-1, m)
    for lump in turning_lumps("geometric stiffening", part, np.zeros(3)):
        turn = shapes[lump.first + 3 : lump.first + 6]
        at = lump.X + np.vstack((np.zeros(3), np.eye(3)))
        for number, field in enumerate(fields):
            force, *beside = field(at)
            out[number] -= turn.T @ turning_stiffness(lump, force, (np.array(beside) - force).T) @ turn
    return _symmetric(out).reshape(4, 3, m, m)


def _unit_force(a: int, b: int) -> BodyForce:
    """The force (1, x)_a e_b per mass, at points (..., 3)."""

    def force(x: FloatArray) -> FloatArray:
        out = np.zeros(x.shape)
        out[..., b] = 1.0 if a == 0 else x[..., a - 1]
        return out

    return force


def _inertia_loads(part: Part, operators: Operators) -> FloatArray:
    """Forces (n, 12) of the body forces e_b, x e_b, y e_b, z e_b per mass, b = x, y, z in turn."""
    out = np.zeros((int(part.nodes.n_dofs.sum()), 4, 3))
    for piece, cells, group in part.groups(CHUNK):
        mass = piece.region.element.mass_points(group)
        field = np.concatenate([np.ones_like(mass.weights)[..., None], mass.positions], axis=2)
        load = np.einsum("eg,ega,egbk->ekab", mass.weights, field, mass.shapes, optimize=True)
        np.add.at(out, part.element_dofs(piece, cells), load)
    for what in part.connections:
        if isinstance(what, NodalMass):
            node = place("geometric stiffening", part.mesh, part.nodes, what.at)
            first, size = int(part.nodes.first[node]), int(part.nodes.n_dofs[node])
            w, d = points_of_mass(what)
            field = w[:, None] * np.hstack([np.ones((len(w), 1)), part.nodes.points[node] + d])
            arms = np.cross(d[:, None], np.eye(3))  # (g, b, 3): moment of a force e_b
            load = np.concatenate([np.einsum("ga,bk->kab", field, np.eye(3)), np.einsum("ga,gbk->kab", field, arms)])
            out[first : first + size] += load[:size]
    flat = out.reshape(len(out), 12)
    return np.asarray(flat if operators.expansion is None else operators.expansion.T @ flat)
