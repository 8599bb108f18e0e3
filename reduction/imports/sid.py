r"""Standard Input Data becomes a reduced model: six rigid motions of its frame, and its modes.

All integrals over the mass (`InertiaInvariants`) follow from the objects of the file: Q from the inertia tensor J and
the rotational coupling Cr, the symmetric part of R from the centrifugal forces Oe, its antisymmetric part from Cr of
order 1, or from Ge. Geometric stiffening is told apart by `flexmbs.reduction.imports.sid_stiffening`. The equivalences
between objects tell which conventions a file follows where there are several: the order of the columns of Oe, and those
of Ge.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from flexmbs.core.checks import as_path
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ReadError
from flexmbs.reduction.framed_model import Place, framed_model, with_rigid
from flexmbs.reduction.imports.sid_file import SidFile, read_sid_file
from flexmbs.reduction.imports.sid_stiffening import has_stiffening, moments_of_second_order, stiffening_of_file
from flexmbs.reduction.inertia import InertiaInvariants
from flexmbs.reduction.model import ReducedModel

__all__ = ["read_sid"]

TENSOR = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))
AGREE = 1e-3
"""Of objects that say the same twice, relative; files are printed with as few as five digits."""


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
        If the file is cut off, contradicts itself, or has no inertia of first order.

    Notes
    -----
    Limits: a second system of axes at a node (AP of order 0 beside the unit matrix) and stresses are not read; shapes
    are along the axes of the frame. Of geometric stiffening (order 1 of Ct, of the symmetric part of Cr, in Oe, and of
    phi and psi) everything counts that a file holds; how Oe is shared out between inertia and stiffening is guessed
    (`flexmbs.reduction.imports.sid_stiffening`), which changes terms of higher order only. Nodes without phi of order 1
    move without foreshortening.

    Source: O. Wallrapp, Mechanics of Structures and Machines 22 (1994) 283-304.

    Examples
    --------
    >>> import tempfile
    >>> import flexmbs as fx
    >>> lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    >>> small = fx.reduction.reduce(lug, [fx.reduction.Interface("ROOT"), "BORE"], modes=4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = small.export(folder + "/lug.SID_FEM", "sid", reference="ROOT", modes=6)
    ...     again = fx.reduction.read_sid(folder + "/lug.SID_FEM")
    >>> again.size, bool(abs(again.inertia.mass / small.inertia.mass - 1) < 1e-12)
    (12, True)
    """
    path = as_path("read_sid", "path", path)
    file = read_sid_file(path)
    owner = str(path)
    inertia, moments = _invariants(owner, file)
    places = _places(owner, file)
    stiffening = None if moments is None else stiffening_of_file(owner, file, moments)
    D = np.zeros((file.n, file.n)) if "De" not in file.objects else _square(owner, file, "De")
    return framed_model(
        file.name or path.stem, _square(owner, file, "Ke"), D, inertia, places, file.labels,
        {"method": "Standard Input Data", "origin": f"read from {path.name}", "comment": file.comment}, stiffening,
    )  # fmt: skip


def _places(owner: str, file: SidFile) -> list[Place]:
    """All nodes of the file."""
    out = []
    for name, found in file.nodes:
        at, phi = found["origin"].m0, found["phi"].m0
        if at.shape != (3, 1) or phi.shape != (3, file.n):
            raise ReadError(f"{owner}: node {name}: origin or phi has another shape than 3 x 1 and 3 x {file.n}.")
        psi = found["psi"].m0 if "psi" in found else None
        turns = psi is not None and psi.shape == (3, file.n) and bool(psi.any())
        out.append(Place(name, at[:, 0], phi, psi if turns else None))
    return out


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


def _invariants(owner: str, file: SidFile) -> tuple[InertiaInvariants, FloatArray | None]:
    """The integrals of the six rigid motions and the modes, and moments (4, 3, n, n) of second order, if any."""
    n, o = file.n, file.objects
    for name, shape in {"mdCM": (3, 1), "Ct": (n, 3), "Cr": (n, 3), "Oe": (n, 6)}.items():
        _shape(owner, file, name, *shape)
    Me = _square(owner, file, "Me")
    tensor, change = _tensor(owner, file)
    first, P = o["mdCM"].m0[:, 0], o["Ct"].m0.T
    if o["mdCM"].order and not _agree(o["mdCM"].m1[:, :, 0], P):
        raise ReadError(f"{owner}: mdCM of order 1 is not Ct: the file contradicts itself.")
    Q = _first_moments(change, o["Cr"].m0.T)
    second = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    sums = _sums(owner, file, Q, Me)  # of R and of the moments of second order
    moments = None
    if has_stiffening(file):
        moments = moments_of_second_order(owner, file, sums, Me, second)
        sums -= 0.5 * (moments[1:] + moments[1:].swapaxes(0, 1))
    R = 0.5 * (sums + sums.transpose(0, 1, 3, 2))
    cross = _cross(owner, file)
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        R[a, b] += 0.5 * cross[:, :, c]
        R[b, a] -= 0.5 * cross[:, :, c]
    return with_rigid(file.mass, first, second, P, Q, R), moments


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


def _sums(owner: str, file: SidFile, Q: FloatArray, Me: FloatArray) -> FloatArray:
    """The part of R (3, 3, n, n) that is symmetric in the axes, with that of the moments of second order, from Oe."""
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
    sums = np.zeros((3, 3, n, n))
    # Oe holds the sums less their trace on the diagonal; without geometric stiffening the trace is Me
    whole = -0.5 * forces[:, :3].sum(axis=1) if has_stiffening(file) else Me
    for column, (a, b) in enumerate(PAIRS):
        if a == b:
            sums[a, a] = forces[:, column] + whole
        else:
            sums[a, b] = sums[b, a] = 0.5 * forces[:, column]
    return sums


def _cross(owner: str, file: SidFile) -> FloatArray:
    """Integral of phi_k cross phi_i, [k, i, axis], from Cr of order 1, or from Ge, whose columns have two orders."""
    n, Cr = file.n, file.objects["Cr"]
    if Cr.order:
        found = np.swapaxes(Cr.m1, 0, 1)
        return 0.5 * (found - np.swapaxes(found, 0, 1))  # the other part is geometric stiffening
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
