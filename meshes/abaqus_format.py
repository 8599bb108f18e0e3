"""Abaqus and CalculiX input files (.inp): nodes, elements and sets, and nothing else of the model.

Read are ``*NODE``, ``*ELEMENT``, ``*NSET``, ``*ELSET`` (with ``GENERATE``, sets made of sets, sets named on ``*NODE``
and ``*ELEMENT``) and ``*INCLUDE``, flat or within one ``*PART`` with one ``*INSTANCE`` that is not moved. Names of sets
are compared without regard to case, as Abaqus does. meshio's reader is not used: it lets a second ``*NODE`` block
replace the first, gives sets to the wrong block of elements, and skips what it does not know.

Masses, springs and dashpots (``TYPE=MASS``, ``SPRING1``, ...) are no cells: they are left out, of sets, too, and
counted in a warning. Other elements that have no cell type here are refused.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import numpy as np

from flexmbs.core.errors import MeshError, ReadError
from flexmbs.meshes.abaqus_keywords import floats, integers, keywords
from flexmbs.meshes.cells import cell_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from flexmbs.meshes.combine import Plain
    from flexmbs.meshes.mesh import Mesh

__all__ = ["element_types", "read_abaqus", "read_nodes", "write_abaqus"]

PLANE = "CPS|CPE|CPEG|CAX|M3D|DS|DC2D|DCAX|R3D|S"
ELEMENTS = (
    ("line", r"T[23]D2[A-Z]*|B2[13]H?|B3[13]H?|B31OSH?|PIPE[23]1H?|R2D2|DC1D2"),
    ("line3", r"T[23]D3[A-Z]*|B[23]2H?|B32OSH?|PIPE[23]2H?|DC1D3"),
    ("triangle", rf"({PLANE})3[A-Z]*|STRI3|SFM3D3"),
    ("triangle6", rf"({PLANE})6[A-Z]*|STRI65|SFM3D6"),
    ("quad", rf"({PLANE})4[A-Z]*5?|SFM3D4R?"),
    ("quad8", rf"({PLANE})8[A-Z]*5?|SFM3D8R?"),
    ("quad9", r"S9R5|M3D9R?"),
    ("tetra", r"(C3D|DC3D)4[A-Z]*"),
    ("tetra10", r"(C3D|DC3D)10[A-Z]*"),
    ("hexahedron", r"(C3D|DC3D)8[A-Z]*|SC8RT?|CSS8"),
    ("hexahedron20", r"(C3D|DC3D)20[A-Z]*"),
)
DISCRETE = {
    "MASS": 1, "ROTARYI": 1, "SPRING1": 1, "DASHPOT1": 1,
    "SPRING2": 2, "SPRINGA": 2, "DASHPOT2": 2, "DASHPOTA": 2,
}  # fmt: skip
"""Elements that have no extent, with the number of their nodes: they are passed over, and a warning counts them."""
#: the element that is written for a cell type, in the plane and in space
WRITTEN = {
    "line": ("B21", "B31"),
    "line3": ("B22", "B32"),
    "triangle": ("CPS3", "S3"),
    "triangle6": ("CPS6", "STRI65"),
    "quad": ("CPS4", "S4"),
    "quad8": ("CPS8", "S8R"),
    "quad9": ("M3D9", "S9R5"),
    "tetra": ("", "C3D4"),
    "tetra10": ("", "C3D10"),
    "hexahedron": ("", "C3D8"),
    "hexahedron20": ("", "C3D20"),
}
MOST_MEMBERS = 20_000_000
"""Members of all sets that are generated, or made of other sets."""
GENERATORS = ("NGEN", "NFILL", "NCOPY", "NMAP", "ELGEN", "ELCOPY", "SYSTEM", "SUBMODEL", "ELEMENT MATRIX")
MOST_LABEL = 10**15


def read_abaqus(path: Path) -> Plain:
    """The points, cells and sets of an input file; sets may be empty and points unused."""
    deck = _Deck(str(path))
    for keyword, options, rows, place in keywords(path):
        deck.take(keyword, options, rows, place)
    if deck.discrete:
        count = Counter(name for _, name in deck.discrete.values())
        warnings.warn(
            f"{path}: elements that are no cells of a mesh are not read: "
            f"{', '.join(f'{n} of type {name}' for name, n in count.items())}. Their mass, stiffness and damping are "
            "missing in what is computed with this mesh; give a Part its NodalMass and NodalSpring connections, or a "
            "model its Bushing, SpringDamper and rigid bodies.",
            stacklevel=3,
        )
    return deck.plain()


def element_types(path: Path) -> dict[str, list[str]]:
    """The types of the elements, such as C3D8R, by cell type and in the order in which `read_abaqus` has the cells."""
    deck = _Deck(str(path))
    for keyword, options, rows, place in keywords(path):
        if keyword == "ELEMENT":
            deck.take(keyword, options, rows, place)
    found: dict[str, list[str]] = {}
    for kind, _, name in deck.elements.values():
        found.setdefault(kind, []).append(name)
    return found


def read_nodes(path: Path) -> tuple[NDArray[np.int64], NDArray[np.float64], dict[str, NDArray[np.int64]]]:
    """Numbers (n,) and places (n, 3) of the nodes of an input file, and the node sets by rows of them.

    Elements of types that have no cell here are passed over; a node set made of such elements is refused.

    Raises
    ------
    ReadError
        If the file has no nodes, or turns the directions of some by ``*TRANSFORM``.
    """
    deck = _Deck(str(path))
    for keyword, options, rows, place in keywords(path):
        if keyword == "TRANSFORM":
            raise ReadError(f"{place}: *TRANSFORM turns the directions of nodes, which is not supported here.")
        if keyword in ("NSET", "NODE", "PART", "INSTANCE", "ELSET", *GENERATORS) or (
            keyword == "ELEMENT" and _kind(options)
        ):
            deck.take(keyword, options, rows, place)
    return deck.labelled_points()


def write_abaqus(mesh: Mesh, file: TextIO) -> None:
    """Write the points, cells and sets of a mesh as a flat input file; point data has no place in it."""
    for names in (mesh.node_sets, mesh.cell_sets):
        upper = [name.upper() for name in names]
        for name in names:
            if upper.count(name.upper()) > 1 or not name.isprintable() or '"' in name or name != name.strip():
                raise MeshError(
                    f"write_mesh: the name {name!r} cannot be kept in an Abaqus file, where names are printable, "
                    "without quotes or outer blanks, and differ by more than case; rename the set."
                )
    file.write("*HEADING\nmesh written by flexmbs\n*NODE\n")
    for number, point in enumerate(mesh.points.tolist(), start=1):
        file.write(", ".join([str(number), *map(repr, point)]) + "\n")
    offsets, start = [], 1
    for block in mesh.cells:
        offsets.append(start)
        file.write(f"*ELEMENT, TYPE={WRITTEN[block.cell_type][mesh.dim - 2]}\n")
        # the node in the middle of a line comes second
        nodes = block.nodes[:, [0, 2, 1]] if block.cell_type == "line3" else block.nodes
        for number, cell in enumerate((nodes + 1).tolist(), start=start):
            file.writelines(_wrapped([number, *cell]))
        start += block.n_cells
    for name, parts in mesh.cell_sets.items():
        file.write(f'*ELSET, ELSET="{name}"\n')
        file.writelines(_wrapped(np.concatenate([p + o for p, o in zip(parts, offsets, strict=True)]).tolist()))
    for name, members in mesh.node_sets.items():
        file.write(f'*NSET, NSET="{name}"\n')
        file.writelines(_wrapped((members + 1).tolist()))


def _wrapped(numbers: list[int]) -> Iterator[str]:
    """Lines of at most 16 numbers; one that goes on ends in a comma."""
    for i in range(0, len(numbers), 16):
        yield ", ".join(map(str, numbers[i : i + 16])) + (",\n" if i + 16 < len(numbers) else "\n")


@dataclass(eq=False)
class _Deck:
    """What was read so far: numbers of the file to coordinates, elements, sets by their first spelling.

    An element has its cell type, its nodes and its type in the file; a discrete one its nodes and type.
    """

    path: str
    nodes: dict[int, list[float]] = field(default_factory=dict)
    elements: dict[int, tuple[str, list[int], str]] = field(default_factory=dict)
    discrete: dict[int, tuple[list[int], str]] = field(default_factory=dict)
    node_sets: dict[str, list[int]] = field(default_factory=dict)
    cell_sets: dict[str, list[int]] = field(default_factory=dict)
    spelling: dict[str, str] = field(default_factory=dict)
    parts: list[str] = field(default_factory=list)
    instances: list[str] = field(default_factory=list)
    members: int = 0

    def take(self, keyword: str, options: dict[str, str], rows: list[tuple[str, str]], place: str) -> None:
        """Take in one keyword with its data; keywords that are not about the mesh are passed over."""
        if keyword in GENERATORS:
            raise ReadError(f"{place}: *{keyword} is not supported; write the nodes and elements out.")
        if keyword in ("NODE", "ELEMENT") and "INPUT" in options:
            raise ReadError(f"{place}: *{keyword} with INPUT= is not supported; use *INCLUDE.")
        if keyword == "PART":
            self._alone(self.parts, options.get("NAME", ""), "*PART", place)
        elif keyword == "INSTANCE":
            self._alone(self.instances, options.get("NAME", ""), "*INSTANCE", place)
            if any(value != 0.0 for line, at in rows for value in floats(line, at)):
                raise ReadError(f"{place}: *INSTANCE moves its part, which is not supported; write a flat file.")
        elif keyword == "NODE":
            self._take_nodes(options, rows, place)
        elif keyword == "ELEMENT":
            self._take_elements(options, rows, place)
        elif keyword in ("NSET", "ELSET"):
            self._take_set(keyword, options, rows, place)

    def plain(self) -> Plain:
        """Points in the order of the file, one block for each cell type, and the sets by the numbers in them."""
        if not self.nodes or not self.elements:
            missing = "*NODE" if not self.nodes else "*ELEMENT"
            raise ReadError(f"{self.path}: there is no {missing} with data in it; a mesh needs nodes and elements.")
        number = {label: i for i, label in enumerate(self.nodes)}
        points = self._points(max(len(xyz) for xyz in self.nodes.values()))
        cells: dict[str, list[list[int]]] = {}
        place: dict[int, tuple[str, int]] = {}
        for label, (name, nodes, _) in self.elements.items():
            unknown = [n for n in nodes if n not in number]
            if unknown:
                raise ReadError(f"{self.path}: element {label} names the node {unknown[0]}, which is not in the file.")
            block = cells.setdefault(name, [])
            place[label] = (name, len(block))
            block.append([number[n] for n in nodes])
        blocks = [(name, np.array(block, dtype=np.int64)) for name, block in cells.items()]
        blocks = [(name, _ends_first(points, nodes) if name == "line3" else nodes) for name, nodes in blocks]
        cell_sets = {}
        for name, members in self.cell_sets.items():
            labels = [label for label in members if label not in self.discrete]
            if members and not labels:
                continue
            self._known(f"element set {name!r}", labels, place)
            found = [place[label] for label in labels]
            cell_sets[self.spelling[f"E {name}"]] = [
                np.array([i for kind, i in found if kind == block], dtype=np.int64) for block in cells
            ]
        return points, blocks, self._sets_of_nodes(number), cell_sets, {}

    def labelled_points(self) -> tuple[NDArray[np.int64], NDArray[np.float64], dict[str, NDArray[np.int64]]]:
        """Numbers, places in space and sets of the nodes; there need not be elements."""
        if not self.nodes:
            raise ReadError(f"{self.path}: there is no *NODE with data in it.")
        if max(map(abs, self.nodes)) > MOST_LABEL:
            raise ReadError(f"{self.path}: numbers of nodes are at most {MOST_LABEL}, not {max(map(abs, self.nodes))}.")
        number = {label: i for i, label in enumerate(self.nodes)}
        return np.array(list(number), dtype=np.int64), self._points(3), self._sets_of_nodes(number)

    def _points(self, dim: int) -> NDArray[np.float64]:
        """Places (n, dim) of the nodes in the order of the file."""
        points = np.zeros((len(self.nodes), dim))
        for i, xyz in enumerate(self.nodes.values()):
            points[i, : len(xyz)] = xyz
        return points

    def _sets_of_nodes(self, number: dict[int, int]) -> dict[str, NDArray[np.int64]]:
        """The node sets by rows, under their first spelling."""
        node_sets = {}
        for name, labels in self.node_sets.items():
            self._known(f"node set {name!r}", labels, number)
            node_sets[self.spelling[f"N {name}"]] = np.array([number[label] for label in labels], dtype=np.int64)
        return node_sets

    def _alone(self, seen: list[str], name: str, what: str, place: str) -> None:
        """Note a part or an instance and refuse a second one."""
        seen.append(name.upper())
        if len(seen) > 1:
            raise ReadError(
                f"{place}: a second {what}; only one is supported. Write a flat file, or one file for each."
            )

    def _take_nodes(self, options: dict[str, str], rows: list[tuple[str, str]], place: str) -> None:
        if options.get("SYSTEM", "R").upper() != "R":
            raise ReadError(
                f"{place}: *NODE in a cylindrical or spherical system is not supported; use Cartesian ones."
            )
        labels = []
        for line, at in rows:
            label, *xyz = floats(line, at)
            if label != int(label) or not 1 <= len(xyz) <= 6:
                raise ReadError(f"{at}: a node is a whole number and up to 3 coordinates, not {line[:60]!r}.")
            if int(label) in self.nodes and self.nodes[int(label)] != xyz[:3]:
                raise ReadError(f"{at}: node {int(label)} is there twice, at different places.")
            self.nodes[int(label)] = xyz[:3]
            labels.append(int(label))
        if "NSET" in options:
            self._add("N", options["NSET"], labels)

    def _take_elements(self, options: dict[str, str], rows: list[tuple[str, str]], place: str) -> None:
        name = options.get("TYPE", "").upper()
        kind = _kind(options)
        if not kind and name not in DISCRETE:
            raise ReadError(
                f"{place}: elements of type {name!r} have no cell type here; supported are beams and trusses (B31, "
                "B32, T3D2, ...), plane, shell and membrane elements with 3, 4, 6 or 8 nodes (CPS4, CPE6, S4R, ...), "
                "and C3D4, C3D8, C3D10 and C3D20 with their variants; masses, springs and dashpots are passed over. "
                "Take other elements out of the file."
            )
        length = (cell_type(kind).n_nodes if kind else DISCRETE[name]) + 1
        numbers = [n for line, at in rows for n in integers(line, at)]
        if len(numbers) % length:
            raise ReadError(
                f"{place}: *ELEMENT of type {name} needs {length} numbers for each element, but its data has "
                f"{len(numbers)}; the file is cut off or of another kind."
            )
        table = [numbers[i : i + length] for i in range(0, len(numbers), length)]
        for label, *nodes in table:
            if label in self.elements or label in self.discrete:
                raise ReadError(f"{place}: element {label} is there twice.")
            if kind:
                self.elements[label] = (kind, nodes, name)
            else:
                self.discrete[label] = (nodes, name)
        if "ELSET" in options:
            self._add("E", options["ELSET"], [row[0] for row in table])

    def _take_set(self, keyword: str, options: dict[str, str], rows: list[tuple[str, str]], place: str) -> None:
        kind = keyword[0]
        sets = self.node_sets if kind == "N" else self.cell_sets
        name = options.get(keyword, "")
        if not name:
            raise ReadError(f"{place}: *{keyword} without the name {keyword}=.")
        labels: list[int] = []
        if kind == "N" and "ELSET" in options:
            source = self.cell_sets.get(options["ELSET"].upper())
            if source is None:
                raise ReadError(f"{place}: *NSET of the unknown element set {options['ELSET']!r}.")
            labels += [n for label in source if label in self.elements for n in self.elements[label][1]]
            labels += [n for label in source if label in self.discrete for n in self.discrete[label][0]]
            self._count(len(labels), place)
        for line, at in rows:
            words = [word.strip().strip('"') for word in line.split(",") if word.strip()]
            if "GENERATE" in options:
                first, last, step = [*integers(line, at), 1, 0, 0][:3]
                if step <= 0 or last < first:
                    raise ReadError(f"{at}: GENERATE needs 'first, last, step' with first <= last, not {line!r}.")
                self._count(len(range(first, last + 1, step)), at)
                labels += range(first, last + 1, step)
                continue
            for word in words:
                # in an assembly, 'instance.number' and 'instance.set'
                owner, _, rest = word.rpartition(".")
                local = rest if owner.upper() in self.instances else word
                if local.lstrip("+").isdigit():
                    labels.append(int(local))
                elif local.upper() in sets:
                    self._count(len(sets[local.upper()]), at)
                    labels += sets[local.upper()]
                else:
                    raise ReadError(f"{at}: {word!r} is neither a number nor a {keyword} defined before.")
        self._add(kind, name, labels)

    def _count(self, members: int, place: str) -> None:
        """Refuse sets that would fill the memory; a few lines can ask for any number of members."""
        self.members += members
        if self.members > MOST_MEMBERS:
            raise ReadError(
                f"{place}: the sets up to here have {self.members} members; at most {MOST_MEMBERS} are read. Look at "
                "the range of GENERATE."
            )

    def _add(self, kind: str, name: str, labels: list[int]) -> None:
        """Add members to a set, which may be given in several places."""
        sets = self.node_sets if kind == "N" else self.cell_sets
        self.spelling.setdefault(f"{kind} {name.upper()}", name)
        sets.setdefault(name.upper(), []).extend(labels)

    def _known(self, what: str, labels: list[int], known: dict[int, int] | dict[int, tuple[str, int]]) -> None:
        """Refuse a set with members that are not in the file."""
        missing = [label for label in labels if label not in known]
        if missing:
            raise ReadError(
                f"{self.path}: {what} names {missing[0]}, which is not in the file ({len(missing)} in all)."
            )


def _kind(options: dict[str, str]) -> str:
    """The cell type of the elements of a block, or nothing."""
    name = options.get("TYPE", "").upper()
    return next((kind for kind, pattern in ELEMENTS if re.fullmatch(pattern, name)), "")


def _ends_first(points: NDArray[np.float64], nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Three-node lines with the middle node last: it is the one opposite to the longest side."""
    x = points[nodes]
    sides = [np.linalg.norm(x[:, (i + 1) % 3] - x[:, (i + 2) % 3], axis=1) for i in range(3)]
    orders = np.array([[1, 2, 0], [0, 2, 1], [0, 1, 2]])
    return np.take_along_axis(nodes, orders[np.argmax(sides, axis=0)], axis=1)
