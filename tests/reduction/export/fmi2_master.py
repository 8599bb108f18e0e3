"""A small master for units of FMI 2.0 by ctypes, written from the standard, for tests where FMPy is not installed."""

from __future__ import annotations

import ctypes as c
import tempfile
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

LOGGER = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p, c.c_int, c.c_char_p, c.c_char_p, c.c_char_p)
ALLOCATE = c.CFUNCTYPE(c.c_void_p, c.c_size_t, c.c_size_t)
FREE = c.CFUNCTYPE(None, c.c_void_p)
FINISHED = c.CFUNCTYPE(None, c.c_void_p, c.c_int)


class Callbacks(c.Structure):
    _fields_ = [("logger", LOGGER), ("allocate", ALLOCATE), ("free", FREE), ("finished", FINISHED), ("e", c.c_void_p)]


class Refused(Exception):  # noqa: N818  # reads better where it is expected
    """The unit returned an error; the text is what it said."""


class Unit:
    """An instance of a unit, from its archive; ``named`` are value references by name."""

    def __init__(self, path: Path, folder: Path, guid: str | None = None, resources: str | None = None) -> None:
        folder = Path(tempfile.mkdtemp(dir=folder.parent, prefix=folder.name))  # a loaded library must not be changed
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        root = ElementTree.parse(folder / "modelDescription.xml").getroot()
        assert root.get("fmiVersion") == "2.0"
        self.named = {v.get("name"): int(v.get("valueReference")) for v in root.iter("ScalarVariable")}
        self.states = sum(v.get("derivative") is not None for v in root.iter("Real"))
        name = root.find("CoSimulation").get("modelIdentifier")
        self.folder = folder
        self.lib = c.CDLL(str(folder / "binaries" / "linux64" / f"{name}.so"))
        self.lib.fmi2Instantiate.restype = c.c_void_p
        self.said: list[str] = []
        self.callbacks = Callbacks(
            LOGGER(lambda *words: self.said.append(words[5].decode())), ALLOCATE(0), FREE(0), FINISHED(0), None
        )
        where = (folder / "resources").as_uri() if resources is None else resources
        self.c = c.c_void_p(
            self.lib.fmi2Instantiate(
                b"test", 1, (guid or root.get("guid")).encode(), where.encode(), c.byref(self.callbacks), 0, 0
            )
        )
        if not self.c:
            raise Refused(self.said[-1])

    def call(self, name, *arguments):
        if getattr(self.lib, name)(self.c, *arguments):
            raise Refused(self.said[-1])

    def start(self):
        self.call("fmi2SetupExperiment", 0, c.c_double(0), c.c_double(0), 0, c.c_double(0))
        self.call("fmi2EnterInitializationMode")
        self.call("fmi2ExitInitializationMode")

    def references(self, names):
        return (c.c_uint * len(names))(*(self.named[n] for n in names))

    def set(self, names, values):
        self.call(
            "fmi2SetReal",
            self.references(names),
            c.c_size_t(len(names)),
            (c.c_double * len(names))(*map(float, values)),
        )

    def get(self, names):
        out = (c.c_double * len(names))()
        self.call("fmi2GetReal", self.references(names), c.c_size_t(len(names)), out)
        return np.array(out)

    def step(self, t, h):
        self.call("fmi2DoStep", c.c_double(t), c.c_double(h), 1)

    def jacobian(self, unknowns, knowns):
        """Derivatives of ``unknowns`` by ``knowns``, column by column."""
        out = np.zeros((len(unknowns), len(knowns)))
        column = (c.c_double * len(unknowns))()
        one = (c.c_double * 1)(1.0)
        for k, known in enumerate(knowns):
            self.call(
                "fmi2GetDirectionalDerivative", self.references(unknowns), c.c_size_t(len(unknowns)),
                self.references([known]), c.c_size_t(1), one, column,
            )  # fmt: skip
            out[:, k] = column
        return out

    def close(self):
        self.lib.fmi2FreeInstance(self.c)
