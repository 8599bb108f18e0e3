"""What Gmsh files (.msh) need beyond meshio: physical groups by dimension and name, and writing them.

A physical group is a number with a dimension, and may have a name. meshio keys groups by name alone, so that a curve
and a surface of one name become one, and its writer loses groups. So names are read here, and version 2.2 in text is
written here, where a cell in several groups is listed once for each, as Gmsh itself does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TextIO

import numpy as np

from flexmbs.core.errors import MeshError, ReadError
from flexmbs.meshes.cells import cell_type

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from flexmbs.meshes.mesh import Mesh

__all__ = ["damage", "group_name", "more_reversed", "physical_names", "turned", "without_repetition", "write_gmsh"]

CODES = {
    "line": 1,
    "triangle": 2,
    "quad": 3,
    "tetra": 4,
    "hexahedron": 5,
    "line3": 8,
    "triangle6": 9,
    "quad9": 10,
    "tetra10": 11,
    "quad8": 16,
    "hexahedron20": 17,
}
#: the place in a cell here of each node of a Gmsh cell, where that is not the same
ORDER = {
    "tetra10": [0, 1, 2, 3, 4, 5, 6, 7, 9, 8],
    "hexahedron20": [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 9, 17, 10, 18, 19, 12, 15, 13, 14],
}
#: the places in a cell of the nodes of the same cell run through the other way round
TURNED = {
    "line": [1, 0],
    "line3": [1, 0, 2],
    "triangle": [0, 2, 1],
    "triangle6": [0, 2, 1, 5, 4, 3],
    "quad": [0, 3, 2, 1],
    "quad8": [0, 3, 2, 1, 7, 6, 5, 4],
    "quad9": [0, 3, 2, 1, 7, 6, 5, 4, 8],
}
NAME = re.compile(rb'^\s*(\d)\s+(\d+)\s+"([^"\r\n]*)"', re.MULTILINE)


def physical_names(path: Path) -> dict[tuple[int, int], str]:
    """The names of the physical groups of a file, by dimension and number."""
    section = re.search(rb"\$PhysicalNames(.*?)\$EndPhysicalNames", path.read_bytes(), re.DOTALL)
    found = NAME.findall(section.group(1)) if section else []
    return {(int(dim), int(tag)): name.decode("utf-8", "replace") for dim, tag, name in found}


def group_name(names: dict[tuple[int, int], str], dim: int, tag: int) -> str:
    """The name of a group, made up from its dimension and number if it has none: ``surface_7``."""
    return names.get((dim, tag), f"{('point', 'curve', 'surface', 'volume')[dim]}_{tag}")


def turned(name: str, nodes: NDArray[np.int64], tags: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cells (n_c, n_a) as their groups look at them: those with a negative number are run through the other way round.

    Version 4.1 keeps the cells of a curve or surface as they are, and says by the sign of a group in which direction it
    has them; version 2.2 has them turned already, and positive numbers. Solids have no other side.
    """
    against = tags < 0
    if name not in TURNED or not against.any():
        return nodes
    return np.where(against[:, None], nodes[:, TURNED[name]], nodes)


def more_reversed(path: Path) -> dict[tuple[int, int], list[int]]:
    """The numbers of groups with a minus by dimension and number of the entity, of a file of version 4.1."""
    data = path.read_bytes()
    head = re.search(rb"\$MeshFormat\s+4\.1\s+([01])\s+8\s", data)
    start = data.find(b"$Entities")
    if head is None or start < 0:
        return {}
    start = data.index(b"\n", start) + 1
    words = iter(data[start : data.index(b"$EndEntities")].split()) if head[1] == b"0" else None

    def take(kind: str, count: int) -> list[int]:
        nonlocal start
        if words is not None:
            return [int(next(words)) if kind != "f8" else 0 * len(next(words)) for _ in range(count)]
        found = np.frombuffer(data, kind, count, start)
        start += found.nbytes
        return [int(x) for x in found] if kind != "f8" else [0] * count

    entities: dict[tuple[int, int], list[int]] = {}
    try:
        for dim, count in enumerate(take("u8", 4)):
            for _ in range(count):
                [tag] = take("i4", 1)
                take("f8", 6 if dim else 3)  # the box around it
                groups = take("i4", take("u8", 1)[0])
                if dim:
                    take("i4", take("u8", 1)[0])  # what bounds it
                entities[dim, tag] = [-group for group in groups if group < 0]
    except (StopIteration, ValueError):
        raise ReadError(f"{path}: the section $Entities is cut off or damaged.") from None
    return {key: groups for key, groups in entities.items() if groups}


def damage(path: Path) -> str:
    """What is missing at first sight of a Gmsh file: a section without end, no nodes, no elements."""
    text = path.read_bytes()
    for section in (b"MeshFormat", b"PhysicalNames", b"Entities", b"Nodes", b"Elements", b"Periodic", b"NodeData"):
        if text.count(b"$" + section) != text.count(b"$End" + section):
            return f"the section ${section.decode()} has no end; the file is cut off"
    missing = [name.decode() for name in (b"$MeshFormat", b"$Nodes", b"$Elements") if name not in text]
    return f"there is no section {missing[0]}" if missing else ""


def without_repetition(
    nodes: NDArray[np.int64], members: dict[str, NDArray[np.int64]]
) -> tuple[NDArray[np.int64], dict[str, NDArray[np.int64]]]:
    """Cells (n_c, n_a) without those that repeat an earlier one, which inherits the sets."""
    _, first, inverse = np.unique(np.sort(nodes, axis=1), axis=0, return_index=True, return_inverse=True)
    if len(first) == len(nodes):
        return nodes, members
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    number = rank[inverse.reshape(-1)]
    return nodes[first[order]], {name: np.unique(number[cells]) for name, cells in members.items()}


def write_gmsh(mesh: Mesh, file: TextIO) -> list[str]:
    """Write a mesh with its sets as physical groups, version 2.2 in text; returns the point data that has no place."""
    for name in [*mesh.node_sets, *mesh.cell_sets]:
        if '"' in name or not name.isprintable():
            raise MeshError(f"write_mesh: the name {name!r} cannot be kept in a Gmsh file: take out quotes, line ends.")
    dims = [cell_type(block.cell_type).dim for block in mesh.cells]
    groups: list[tuple[int, str]] = [(0, name) for name in mesh.node_sets]
    for name, parts in mesh.cell_sets.items():
        groups += [(dim, name) for dim in sorted({d for d, part in zip(dims, parts, strict=True) if len(part)})]
    tags = {group: number for number, group in enumerate(groups, start=1)}
    file.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n")
    if groups:
        file.write(f"$PhysicalNames\n{len(groups)}\n")
        file.writelines(f'{dim} {tags[dim, name]} "{name}"\n' for dim, name in sorted(groups))
        file.write("$EndPhysicalNames\n")
    file.write(f"$Nodes\n{mesh.n_points}\n")
    for number, point in enumerate(mesh.in_space().points.tolist(), start=1):
        file.write(f"{number} {point[0]!r} {point[1]!r} {point[2]!r}\n")
    file.write("$EndNodes\n")
    rows = [
        f"15 2 {tags[0, name]} {tags[0, name]} {node}"
        for name, members in mesh.node_sets.items()
        for node in (members + 1).tolist()
    ]
    for i, block in enumerate(mesh.cells):
        groups_here = {tags[dims[i], name]: p[i] for name, p in mesh.cell_sets.items() if len(p[i])}
        rows += _cell_rows(block.cell_type, block.nodes, groups_here)
    file.write(f"$Elements\n{len(rows)}\n")
    file.writelines(f"{number} {row}\n" for number, row in enumerate(rows, start=1))
    file.write("$EndElements\n")
    lost = []
    for name, values in mesh.in_space().point_data.items():
        if values.shape[1] not in (1, 3, 9) or '"' in name:
            lost.append(name)
            continue
        file.write(f'$NodeData\n1\n"{name}"\n1\n0.0\n3\n0\n{values.shape[1]}\n{mesh.n_points}\n')
        file.writelines(f"{number} {' '.join(map(repr, row))}\n" for number, row in enumerate(values.tolist(), start=1))
        file.write("$EndNodeData\n")
    return lost


def _cell_rows(name: str, nodes: NDArray[np.int64], parts: dict[int, NDArray[np.int64]]) -> Sequence[str]:
    """The lines of a block without their numbers: each cell once for each of its groups, or once without any."""
    free = np.ones(len(nodes), dtype=bool)
    cells, tags = [], []
    for tag, members in parts.items():
        free[members] = False
        cells.append(members)
        tags.append(np.full(len(members), tag))
    cells.append(np.flatnonzero(free))
    tags.append(np.zeros(len(cells[-1]), dtype=np.int64))
    every, tagged = np.concatenate(cells), np.concatenate(tags)
    # the first appearance of each cell keeps the old order
    order = np.lexsort((tagged, every))
    wanted = nodes[:, ORDER.get(name, slice(None))] + 1
    return [
        f"{CODES[name]} 2 {tag} {tag or 1} {' '.join(map(str, wanted[cell].tolist()))}"
        for cell, tag in zip(every[order].tolist(), tagged[order].tolist(), strict=True)
    ]
