"""All elements: the classes of the modules of this folder that meet the contract of an element.

A module of the folder is enough to add one; nothing else names the elements one by one but the stub, for type checkers.
"""

from __future__ import annotations

from dataclasses import is_dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import flexmbs.elements

__all__ = ["ALL", "elements_of"]

CONTRACT = ("name", "cell_type", "layout", "resultants", "force", "tangent", "shared", "mass", "energy", "positions")
"""Members of `flexmbs.core.contracts.Formulation` by which a class is known as an element."""


def elements_of(package: Any) -> tuple[type, ...]:
    """Classes of elements in the modules of a package, by the names of the modules."""
    names = [f"{package.__name__}.{found.name}" for found in iter_modules(package.__path__)]
    modules = [import_module(name) for name in names if name != __name__]
    public = [getattr(module, name) for module in modules for name in getattr(module, "__all__", ())]
    found = [item for item in public if isinstance(item, type) and is_dataclass(item)]
    return tuple(dict.fromkeys(item for item in found if all(hasattr(item, member) for member in CONTRACT)))


ALL = tuple(kind() for kind in elements_of(flexmbs.elements))
"""One default instance of every element of lines and surfaces."""
