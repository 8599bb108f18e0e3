r"""MBDyn's modal file becomes a reduced model: six rigid motions of the modal node, and its modes.

The integrals over the mass follow from the invariants of the file (`flexmbs.reduction.export.mbdyn`): with the trace of
:math:`I_8 = \int (r\cdot\phi)\,1 - \phi r^T` and of :math:`I_9 = \int \phi_k\phi_j^T - (\phi_j\cdot\phi_k)\,1` both
are solved for :math:`\int r\phi^T` and :math:`\int\phi_j\phi_k^T`.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from flexmbs.core.checks import as_path
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ReadError
from flexmbs.core.written_numbers import written_number
from flexmbs.linear.files.tables import open_file
from flexmbs.reduction.framed_model import Place, framed_model, with_rigid
from flexmbs.reduction.model import ReducedModel

__all__ = ["read_mbdyn"]

AGREE = 1e-3
"""Of what a file says twice, relative."""
MOST_MODES, MOST_NODES = 2_000, 1_000_000

_GROUP = re.compile(r"\*\*\s*RECORD\s+GROUP\s+(\d{1,3})\b", re.IGNORECASE)


def read_mbdyn(path: str | Path) -> ReducedModel:
    """Read a modal file of MBDyn (.fem) as a reduced model, for `FloatingBody` and all else that takes one.

    The modal node is an interface named "frame", whose six motions are the first coordinates; take it as the
    ``reference`` of a floating body, so that the modes of the file are its shapes.

    Parameters
    ----------
    path : path
        With groups 1, 2, 5 to 10, 12 and the invariants 14, 16 and 18; damping (13) where there is some.

    Returns
    -------
    ReducedModel

    Raises
    ------
    ReadError
        If the file is cut off, contradicts itself, or lacks mass or invariants. Lumped masses (group 11) are not
        enough: they are those of the body only if all its nodes are in the file.

    Examples
    --------
    >>> import tempfile
    >>> import flexmbs as fx
    >>> lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    >>> small = fx.reduction.reduce(lug, ["ROOT", "BORE"], modes=4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = small.export(folder + "/lug.fem", "mbdyn", reference="ROOT", modes=6)
    ...     fx.reduction.read_mbdyn(folder + "/lug.fem").size
    12
    """
    path = as_path("read_mbdyn", "path", path)
    n, labels, groups = _groups(path)
    nodes = len(labels)
    P, i8, i9 = groups[14].reshape(3, n), _blocks(groups[16], n), groups[18].reshape(3, n, n, 3)
    K, M = (_symmetric(path, groups[g].reshape(n, n), g) for g in (10, 9))
    one = np.eye(3)
    trace = 0.5 * np.einsum("aak->k", i8)
    Q = np.swapaxes(one[:, :, None] * trace - i8, 0, 1)
    i9 = i9.transpose(0, 3, 1, 2)  # [p, q, j, k]
    sums = -0.5 * np.einsum("aajk->jk", i9)
    R = (i9 + one[:, :, None, None] * sums).swapaxes(2, 3)
    if np.abs(sums - M).max() > AGREE * np.abs(M).max():
        raise ReadError(f"{path}: invariant 9 is not the modal mass: the file contradicts itself.")
    mass, centre, central = groups[12][0], groups[12][1:4], groups[12][4:].reshape(3, 3)
    if not mass > 0.0:
        raise ReadError(f"{path}: the mass must be positive, not {mass}.")
    J = _symmetric(path, central, 12) + mass * (centre @ centre * one - np.outer(centre, centre))
    second = 0.5 * np.trace(J) * one - J
    inertia = with_rigid(float(mass), mass * centre, second, P, Q, 0.5 * (R + R.transpose(1, 0, 3, 2)))
    points = np.stack([groups[g] for g in (5, 6, 7)], axis=1)
    shapes = groups[8].reshape(n, nodes, 6)
    places = []
    for k, label in enumerate(labels):
        psi = shapes[:, k, 3:].T
        places.append(Place(label, points[k], shapes[:, k, :3].T, psi if psi.any() else None))
    D = np.zeros((n, n)) if 13 not in groups else _symmetric(path, groups[13].reshape(n, n), 13)
    return framed_model(
        path.stem, K, D, inertia, places, (), {"method": "MBDyn modal file", "origin": f"read from {path.name}"}
    )


def _blocks(values: FloatArray, n: int) -> FloatArray:
    """(3, 3 n) as [p, q, k]."""
    return np.asarray(values.reshape(3, n, 3).swapaxes(1, 2))


def _symmetric(path: Path, A: FloatArray, group: int) -> FloatArray:
    if np.abs(A - A.T).max() > 1e-6 * np.abs(A).max(initial=0.0):
        raise ReadError(f"{path}: the matrix of group {group} is not symmetric.")
    return np.asarray(0.5 * (A + A.T))


def _groups(path: Path) -> tuple[int, list[str], dict[int, FloatArray]]:
    """Number of modes, labels of nodes, and the numbers of each group, whose counts fit."""
    open_file(path)
    words: dict[int, list[str]] = {}
    current = 0
    with path.open(encoding="latin-1") as stream:
        for line in stream:
            if (found := _GROUP.match(line.strip())) is not None:
                current = int(found[1])
                if current in words:
                    raise ReadError(f"{path}: group {current} is there twice.")
                words[current] = []
            elif current and not line.lstrip().startswith("**"):
                words[current] += line.split()
    head = words.pop(1, [])
    if len(head) != 6 or not all(w.isdecimal() and len(w) < 10 for w in head[1:]):
        raise ReadError(f"{path} is no modal file of MBDyn: there is no group 1 with a revision and five counts.")
    nodes, n = int(head[1]), sum(int(w) for w in head[2:5])
    if not (1 <= n <= MOST_MODES and 1 <= nodes <= MOST_NODES):
        raise ReadError(f"{path}: {nodes} nodes and {n} modes are none or too many.")
    labels = words.pop(2, [])
    sizes = {5: nodes, 6: nodes, 7: nodes, 8: 6 * nodes * n, 9: n * n, 10: n * n, 12: 13, 13: n * n, 14: 3 * n,
             16: 9 * n, 18: 9 * n * n}  # fmt: skip
    missing = [g for g in sizes if g != 13 and g not in words]
    if len(labels) != nodes or missing:
        what = f"groups {', '.join(map(str, missing))} are" if missing else f"labels of {nodes} nodes are"
        raise ReadError(f"{path}: {what} not in it; the file is cut off, or was written without the invariants.")
    return n, labels, {g: _numbers(path, g, words[g], size) for g, size in sizes.items() if g in words}


def _numbers(path: Path, group: int, words: list[str], count: int) -> FloatArray:
    if len(words) != count:
        raise ReadError(f"{path}: group {group} has {len(words)} numbers, not {count}; the file is cut off or damaged.")
    values = np.array([written_number(w, fortran=True) for w in words])
    if np.isnan(values).any():
        wrong = words[int(np.argmax(np.isnan(values)))]
        raise ReadError(f"{path}: group {group} holds something else than finite numbers: {wrong[:30]!r}.")
    return values
