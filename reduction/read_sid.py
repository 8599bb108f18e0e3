r"""Standard Input Data becomes a reduced model: six rigid motions of its frame, and its modes.

All integrals over the mass (`InertiaInvariants`) follow from the objects of the file: Q from the inertia tensor J and
the rotational coupling Cr, the symmetric part of R from the centrifugal forces Oe, its antisymmetric part from Cr of
order 1, or from Ge. The equivalences between objects tell which conventions a file follows where there are several: the
order of the columns of Oe, and those of Ge.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ReadError
from flexmbs.linear.operators import DofMap
from flexmbs.reduction.inertia import InertiaInvariants
from flexmbs.reduction.interfaces import Frame
from flexmbs.reduction.model import ReducedModel
from flexmbs.reduction.sid_file import SidFile, read_sid_file

__all__ = ["read_sid"]

TENSOR = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))
AGREE = 1e-3
"""Of objects that say the same twice, relative; files are printed with as few as five digits."""
COMPONENTS = ("ux", "uy", "uz", "rx", "ry", "rz")


def read_sid(path: str | Path) -> ReducedModel:
    """Read Standard Input Data as a reduced model, for `FloatingBody` and all else that takes one.

    Its frame is an interface named "frame", whose six motions are the first coordinates; take it as the ``reference``
    of a floating body, so that the modes of the file are its shapes. Nodes of the file are nodes of the model and, by
    their names, its node sets.

    Parameters
    ----------
    path : path
        Text of one flexible body.

    Returns
    -------
    ReducedModel
        With inertia invariants; units are not known to these files.

    Raises
    ------
    ReadError
        If the file is cut off, contradicts itself, has no inertia of first order, or has geometric stiffening, which
        cannot be told from the inertia in Oe.

    Notes
    -----
    Limits: a second system of axes at a node (AP of order 0 beside the unit matrix) and stresses are not read; shapes
    are along the axes of the frame.

    Source: O. Wallrapp, Mechanics of Structures and Machines 22 (1994) 283-304.

    Examples
    --------
    >>> import tempfile
    >>> import flexmbs as fx
    >>> lug = fx.Part(fx.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    >>> small = fx.reduce(lug, [fx.Interface("ROOT"), "BORE"], modes=4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = small.export(folder + "/lug.SID_FEM", "sid", reference="ROOT", modes=6)
    ...     again = fx.read_sid(folder + "/lug.SID_FEM")
    >>> again.size, bool(abs(again.inertia.mass / small.inertia.mass - 1) < 1e-12)
    (12, True)
    """
    path = Path(path)
    file = read_sid_file(path)
    owner = str(path)
    inertia = _invariants(owner, file)
    n = file.n
    K, D = np.zeros((6 + n, 6 + n)), np.zeros((6 + n, 6 + n))
    K[6:, 6:] = _square(owner, file, "Ke")
    if "De" in file.objects:
        D[6:, 6:] = _square(owner, file, "De")
    points, dofs, shapes, sets = _nodes(owner, file)
    frequencies = np.full(6 + n, np.nan)
    stiffness, mass = np.diag(K)[6:], np.diag(file.objects["Me"].m0)
    frequencies[6:] = np.sqrt(np.maximum(stiffness / np.where(mass > 0, mass, np.nan), 0.0))
    own = len(points) - 1
    frame = Frame("frame", "rigid", np.array([own]), np.zeros(3), np.arange(6), np.full(6, own), np.arange(6))
    labels = file.labels if len(file.labels) == n else [f"mode {k + 1}" for k in range(n)]
    return ReducedModel(
        name=file.name or path.stem, K=K, M=inertia.modal_mass, D=D if D.any() else None,
        labels=(*(f"frame {c}" for c in COMPONENTS), *labels), n_interface=6, frames=(frame,), frequencies=frequencies,
        shapes=shapes, dofs=dofs, points=points, inertia=inertia, node_sets=sets,
        provenance={"method": "Standard Input Data", "origin": f"read from {path.name}", "comment": file.comment},
    )  # fmt: skip


def _shape(owner: str, file: SidFile, name: str, rows: int, columns: int) -> None:
    found = file.objects[name].m0.shape
    if found != (rows, columns):
        raise ReadError(f"{owner}: {name} is {found[0]} x {found[1]}, not {rows} x {columns}.")


def _square(owner: str, file: SidFile, name: str) -> FloatArray:
    """A symmetric matrix of the modes."""
    _shape(owner, file, name, file.n, file.n)
    A = file.objects[name].m0
    if np.abs(A - A.T).max() > 1e-6 * np.abs(A).max(initial=0.0):
        raise ReadError(f"{owner}: {name} is not symmetric.")
    return np.asarray(0.5 * (A + A.T))


def _invariants(owner: str, file: SidFile) -> InertiaInvariants:
    """The integrals of the six rigid motions and the modes."""
    n, o = file.n, file.objects
    for name, shape in {"mdCM": (3, 1), "Ct": (n, 3), "Cr": (n, 3), "Oe": (n, 6)}.items():
        _shape(owner, file, name, *shape)
    if np.any(o["Ct"].m1):
        raise ReadError(
            f"{owner}: Ct has order 1, so that the file has geometric stiffening, which cannot be told from the "
            f"inertia in Oe; write it without."
        )
    Me = _square(owner, file, "Me")
    tensor, change = _tensor(owner, file)
    first, P = o["mdCM"].m0[:, 0], o["Ct"].m0.T
    if o["mdCM"].order and not _agree(o["mdCM"].m1[:, :, 0], P):
        raise ReadError(f"{owner}: mdCM of order 1 is not Ct: the file contradicts itself.")
    Q = _first_moments(change, o["Cr"].m0.T)
    R = _second_moments(owner, file, Q, Me)
    return _with_rigid(file.mass, first, 0.5 * np.trace(tensor) * np.eye(3) - tensor, P, Q, R)


def _tensor(owner: str, file: SidFile) -> tuple[FloatArray, FloatArray]:
    """Inertia tensor (3, 3), and its change (3, 3, n), from six rows or a matrix."""
    J = file.objects["J"]
    if not J.order:
        raise ReadError(f"{owner}: J has order 0, so that there is no inertia of first order in the file.")
    if J.m0.shape == (3, 3):
        return J.m0, np.moveaxis(J.m1, 1, 2)
    _shape(owner, file, "J", 6, 1)
    tensor, change = np.zeros((3, 3)), np.zeros((3, 3, file.n))
    for row, (a, b) in enumerate(TENSOR):
        tensor[a, b] = tensor[b, a] = J.m0[row, 0]
        change[a, b] = change[b, a] = J.m1[row, :, 0]
    return tensor, change


def _first_moments(change: FloatArray, rotation: FloatArray) -> FloatArray:
    """Q (3, 3, n): its symmetric part from the tensor, the other one from the integral of x cross phi (3, n)."""
    trace = np.einsum("aak->k", change) / 4.0
    Q: FloatArray = 0.5 * (2.0 * trace * np.eye(3)[:, :, None] - change)
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        Q[a, b] += 0.5 * rotation[c]
        Q[b, a] -= 0.5 * rotation[c]
    return Q


def _second_moments(owner: str, file: SidFile, Q: FloatArray, Me: FloatArray) -> FloatArray:
    """R (3, 3, n, n) of the modes: symmetric in the axes from Oe, antisymmetric from Cr or Ge."""
    n, oe = file.n, file.objects["Oe"]
    if not oe.order:
        raise ReadError(f"{owner}: Oe has order 0, so that there is no inertia of first order in the file.")
    trace = np.einsum("aak->k", Q)
    wanted = np.stack([Q[a, b] + Q[b, a] if a != b else Q[a, a] - trace for a, b in PAIRS], axis=1)
    order = [0, 1, 2, 3, 4, 5]
    if not _agree(oe.m0, wanted):
        order = [0, 1, 2, 3, 5, 4]  # some write xz before yz, as in J
        if not _agree(oe.m0[:, order], wanted):
            raise ReadError(f"{owner}: Oe of order 0 is not J of order 1 in any known order of columns.")
    forces = np.swapaxes(oe.m1, 1, 2)[:, order]  # (i, 6, k)
    R = np.zeros((3, 3, n, n))
    for column, (a, b) in enumerate(PAIRS):
        if a == b:
            R[a, a] = forces[:, column] + Me
        else:
            R[a, b] = R[b, a] = 0.5 * forces[:, column]
    R = 0.5 * (R + R.transpose(0, 1, 3, 2))
    cross = _cross(owner, file)
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        R[a, b] += 0.5 * cross[:, :, c]
        R[b, a] -= 0.5 * cross[:, :, c]
    return R


def _cross(owner: str, file: SidFile) -> FloatArray:
    """Integral of phi_k cross phi_i, [k, i, axis], from Cr of order 1, or from Ge, whose columns have two orders."""
    n, Cr = file.n, file.objects["Cr"]
    if Cr.order:
        found = np.swapaxes(Cr.m1, 0, 1)
        if not _agree(found, -np.swapaxes(found, 0, 1)):
            raise ReadError(f"{owner}: Cr of order 1 is not antisymmetric, so that the file has geometric stiffening.")
        return found
    if "Ge" not in file.objects or not np.any(file.objects["Ge"].m0):
        return np.zeros((n, n, 3))
    _shape(owner, file, "Ge", n, 3 * n)
    Ge = 0.5 * file.objects["Ge"].m0
    for by_mode in (Ge.reshape(n, n, 3), np.swapaxes(Ge.reshape(n, 3, n), 1, 2)):
        found = np.swapaxes(by_mode, 0, 1)
        if _agree(found, -by_mode):
            return np.asarray(found)
    raise ReadError(f"{owner}: Ge is not antisymmetric in any known order of its columns.")


def _agree(a: FloatArray, b: FloatArray) -> bool:
    return bool(np.abs(a - b).max(initial=0.0) <= AGREE * max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0)))


def _with_rigid(
    mass: float, first: FloatArray, second: FloatArray, P: FloatArray, Q: FloatArray, R: FloatArray
) -> InertiaInvariants:
    """Those of the translations, the rotations about the origin, and the modes."""
    n = P.shape[1]
    turn = np.zeros((3, 3, 3))  # component b of e_a x x is turn[b, a, c] x_c
    for b, a, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        turn[b, a, c], turn[b, c, a] = 1.0, -1.0
    P6 = np.hstack([mass * np.eye(3), np.einsum("brc,c->br", turn, first), P])
    Q6 = np.concatenate(
        [np.einsum("a,bt->abt", first, np.eye(3)), np.einsum("brc,ac->abr", turn, second), Q], axis=2
    )  # fmt: skip
    R6 = np.zeros((3, 3, 6 + n, 6 + n))
    t, r, e = slice(0, 3), slice(3, 6), slice(6, 6 + n)
    one = np.eye(3)
    R6[:, :, t, t] = mass * np.einsum("ak,bl->abkl", one, one)
    R6[:, :, t, r] = np.einsum("ak,blc,c->abkl", one, turn, first)
    R6[:, :, t, e] = np.einsum("ak,bl->abkl", one, P)
    R6[:, :, r, r] = np.einsum("akc,bld,cd->abkl", turn, turn, second)
    R6[:, :, r, e] = np.einsum("akc,cbl->abkl", turn, Q)
    R6[:, :, e, e] = R
    for x, y in ((t, r), (t, e), (r, e)):
        R6[:, :, y, x] = R6[:, :, x, y].transpose(1, 0, 3, 2)
    return InertiaInvariants(mass, first, second, P6, Q6, R6)


def _nodes(owner: str, file: SidFile) -> tuple[FloatArray, DofMap, FloatArray, dict[str, list[int]]]:
    """Places (the last one is the frame), what the displacements are, shapes, and a set for each name."""
    n = file.n
    points: list[FloatArray] = []
    blocks: list[FloatArray] = []
    node: list[int] = []
    component: list[int] = []
    sets: dict[str, list[int]] = {}
    for k, (name, found) in enumerate(file.nodes):
        place, phi = found["origin"].m0, found["phi"].m0
        if place.shape != (3, 1) or phi.shape != (3, n):
            raise ReadError(f"{owner}: node {name}: origin or phi has another shape than 3 x 1 and 3 x {n}.")
        x = place[:, 0]
        rigid = np.hstack([np.eye(3), np.array([[0, x[2], -x[1]], [-x[2], 0, x[0]], [x[1], -x[0], 0]])])
        blocks.append(np.hstack([rigid, phi]))
        node += [k] * 3
        component += [0, 1, 2]
        psi = found["psi"].m0 if "psi" in found else None
        if psi is not None and psi.shape == (3, n) and psi.any():
            blocks.append(np.hstack([np.zeros((3, 3)), np.eye(3), psi]))
            node += [k] * 3
            component += [3, 4, 5]
        points.append(x)
        sets.setdefault(name, []).append(k)
    points.append(np.zeros(3))
    shapes = np.vstack(blocks) if blocks else np.zeros((0, 6 + n))
    return np.array(points), DofMap(np.array(node, dtype=np.int64), np.array(component, dtype=np.int64)), shapes, sets
