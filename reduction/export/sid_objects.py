r"""The objects of Standard Input Data: a flexible body in a floating frame, as Taylor series in its modal coordinates.

A point of the body is at :math:`r + \sum_k \phi_k q_k` in its frame. With the sums over the mass of `InertiaInvariants`
(``P``, ``Q``, ``R``) and the second-order fields :math:`\phi^{(2)}_{ik}` of geometric stiffening, where the model has
them, the objects are (order 0; order 1 in mode k)

========  ===================================================================================================
``mdCM``  :math:`\int r\,dm`; :math:`\int\phi_k\,dm`
``J``     inertia tensor (xx, yy, zz, xy, xz, yz); its change with mode k
``Ct``    :math:`\int\phi_i\,dm`; :math:`\int\phi^{(2)}_{ik}\,dm`
``Cr``    :math:`\int r\times\phi_i\,dm`; :math:`\int\phi_k\times\phi_i + r\times\phi^{(2)}_{ik}\,dm`
``Me``    unit matrix: the modes are mass-normalised
``Gr``    :math:`-2\int\tilde r\tilde\phi_k\,dm` in columns 3 k - 2 to 3 k
``Ge``    :math:`2\int\phi_k\times\phi_i\,dm` in row i, columns of k
``Oe``    centrifugal forces by wx^2, wy^2, wz^2, wx wy, wy wz, wz wx; their change with mode k
========  ===================================================================================================

Source: O. Wallrapp, Standardization of flexible body modeling in multibody system codes, part 1: definition of standard
input data, Mechanics of Structures and Machines 22 (1994) 283-304.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.reduction.export.exposed import Exposed, Nodes, expose
from flexmbs.reduction.export.frame import frame_modes
from flexmbs.reduction.inertia import InertiaInvariants
from flexmbs.reduction.model import ReducedModel
from flexmbs.reduction.stiffening import SecondOrder

__all__ = ["NodeData", "SidData", "Taylor", "sid_data"]

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))
"""Products of the angular velocity in the columns of Oe."""
TENSOR = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Entries of the inertia tensor in the rows of J; not the same order."""

ZERO, DIAGONAL, SYMMETRIC, FULL, UNIT = range(5)


class Taylor(NamedTuple):
    """``m0 (r, c)``, ``m1 (r, n, c)`` by row, mode and column, or None, and the structure of m0."""

    m0: FloatArray
    m1: FloatArray | None
    structure: int


class NodeData(NamedTuple):
    """A place of the body with its objects origin, phi, psi, AP."""

    name: str
    objects: dict[str, Taylor]


class SidData(NamedTuple):
    """Everything that is in a file."""

    name: str
    mass: float
    frequencies: FloatArray
    nodes: list[NodeData]
    objects: dict[str, Taylor]
    without_rotation: int
    stiffened: bool


def sid_data(model: ReducedModel, reference: str, nodes: Nodes, modes: int | None) -> SidData:
    """The objects of a reduced model.

    Parameters
    ----------
    model : ReducedModel
        With exact inertia.
    reference : str
        Name of the interface that the frame is fixed to (tangent frame), or "mean": centre of mass and mean axes.
    nodes : str or sequence
        Places beside the interfaces.
    modes : int or None
        How many.

    Raises
    ------
    ModelError
        If there is no exact inertia, or the reference does not fit.
    """
    found = frame_modes("SID", model, reference, modes)
    inertia, origin, Phi, D = found.inertia, found.origin, found.shapes, found.damping
    second = None
    if model.stiffening is not None:
        places = {f.name: np.asarray(f.origin) for f in model.frames}
        held = None if reference == "mean" else reference
        second = model.stiffening.transformed(Phi).in_frame(inertia, origin, places, held)
    exposed = expose(model, nodes)
    objects = _inertia_objects(inertia, second)
    objects["ksigma"] = Taylor(np.zeros((len(D), 1)), None, ZERO)
    objects["Ke"] = Taylor(np.diag(found.values), None, DIAGONAL)
    objects["De"] = Taylor(D, None, SYMMETRIC if np.abs(D).max(initial=0.0) > 0 else ZERO)
    return SidData(
        model.name, inertia.mass, np.sqrt(found.values), _nodes(exposed, Phi, origin, second), objects,
        exposed.without_rotation, second is not None,
    )  # fmt: skip


def _inertia_objects(i: InertiaInvariants, second: SecondOrder | None) -> dict[str, Taylor]:
    """The objects that are integrals over the mass, in the order of the file."""
    P, Q, R = np.asarray(i.P), np.asarray(i.Q), np.asarray(i.R)
    n = P.shape[1]
    trace = np.einsum("aak->k", Q)
    change = np.stack([2.0 * trace * (a == b) - Q[a, b] - Q[b, a] for a, b in TENSOR])  # (6, n)
    cross = np.moveaxis(i.gyroscopic(), 0, 2)  # [k, i]: integral of phi_k x phi_i, (n, n, 3)
    C4 = np.swapaxes(Q, 0, 1) - np.eye(3)[:, :, None] * trace  # [a, b, k]: integral of r~ phi_k~
    # Oe: row of mode i is -J1/2 on the diagonal and -J1 beside it, in its own order of pairs
    oe0 = np.stack([Q[a, b] + Q[b, a] if a != b else Q[a, a] - trace for a, b in PAIRS], axis=1)  # (n, 6)
    sum_R = np.einsum("aakl->kl", R)
    oe1 = np.stack([R[a, b] + R[b, a] if a != b else R[a, a] - sum_R for a, b in PAIRS], axis=2)  # [i, k]
    ct1, cr1 = None, np.swapaxes(cross, 0, 1).copy()  # [i, k, :]: integral of phi_k x phi_i
    if second is not None:
        N = second.moments[1:]  # [a, b, i, k]: integral of r_a phi2_b
        ct1 = np.moveaxis(second.moments[0], 0, 2)
        cr1 += np.stack([N[1, 2] - N[2, 1], N[2, 0] - N[0, 2], N[0, 1] - N[1, 0]], axis=2)
        sum_N = np.einsum("aakl->kl", N)
        oe1 = oe1 + np.stack([N[a, b] + N[b, a] if a != b else N[a, a] - sum_N for a, b in PAIRS], axis=2)
    return {
        "mdCM": Taylor(np.asarray(i.first)[:, None], P[:, :, None], FULL),
        "J": Taylor(np.array([[i.tensor[a, b]] for a, b in TENSOR]), change[:, :, None], FULL),
        "Ct": Taylor(P.T, ct1, FULL),
        "Cr": Taylor(np.asarray(i.rotation).T, cr1, FULL),
        "Me": Taylor(np.eye(n), None, UNIT),
        "Gr": Taylor(-2.0 * np.moveaxis(C4, 2, 1).reshape(3, 3 * n), None, FULL),
        "Ge": Taylor(2.0 * np.swapaxes(cross, 0, 1).reshape(n, 3 * n), None, FULL),
        "Oe": Taylor(oe0, oe1, FULL),
    }


def _nodes(exposed: Exposed, Phi: FloatArray, origin: FloatArray, second: SecondOrder | None) -> list[NodeData]:
    """The places, with the second-order motion of interfaces."""
    out = []
    for k, name in enumerate(exposed.names):
        phi, psi = exposed.shapes[k, :3] @ Phi, exposed.shapes[k, 3:] @ Phi
        turn = np.zeros((3, Phi.shape[1], 3))
        turn[2, :, 1], turn[0, :, 2], turn[1, :, 0] = psi[0], psi[1], psi[2]
        turn[1, :, 2], turn[2, :, 0], turn[0, :, 1] = -psi[0], -psi[1], -psi[2]
        field: Any = None if second is None else second.interfaces.get(name)
        out.append(
            NodeData(
                name,
                {
                    "origin": Taylor((exposed.points[k] - origin)[:, None], phi[:, :, None], FULL),
                    "phi": Taylor(phi, None if field is None else np.swapaxes(field[:3], 1, 2), FULL),
                    "psi": Taylor(psi, None if field is None else np.swapaxes(field[3:], 1, 2), FULL),
                    "AP": Taylor(np.eye(3), turn, FULL),
                },
            )
        )
    return out
