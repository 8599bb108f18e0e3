"""Public names from a stub: what stands in ``__init__.pyi`` beside a package is what the package offers.

A type checker reads the stub, and so does `lazy_loader`, which imports a name when it is first used. What is added
here: wrong arguments are explained (`flexmbs.core.calls`), older names go on with a warning
(`flexmbs.core.renamed`), and an unknown name ends with those that may be meant. A stub names what lies in its own
package; a namespace that takes its names from several packages is a module of imports (`gather`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any
from warnings import warn

import lazy_loader

from flexmbs.core.calls import explain
from flexmbs.core.calls import explained as explains
from flexmbs.core.renamed import RENAMED

__all__ = ["facade", "gather"]

ROOT = "flexmbs"


def facade(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package whose names are listed in the stub beside it.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    file : str
        Its ``__file__``, beside which lies the stub.
    """
    listed, _, public = lazy_loader.attach_stub(package, file)

    def resolve(name: str) -> Any:
        if name not in public:
            return moved(package, name, public)
        value = explains(listed(name))
        vars(sys.modules[package])[name] = value
        return value

    return resolve, lambda: sorted(public), public


def gather(names: dict[str, Any], explained: bool = True) -> None:
    """Make ``__all__`` and hints of a module that only imports names, a line each; ``names`` are its globals.

    Wrong arguments of what users call are explained, unless ``explained`` is False.
    """
    public = sorted(name for name in names if name[0] != "_" and name != "annotations")
    if explained:
        explain(names, public)
    names["__all__"] = public
    names["__getattr__"] = lambda name: moved(names["__name__"], name, public)


def moved(package: str, name: str, public: list[str]) -> Any:
    """What an older name means now, with a warning; an `AttributeError` with a hint for any other name."""
    inside = package.removeprefix(ROOT).lstrip(".")
    new = RENAMED.get(f"{inside}.{name}" if inside else name)
    if new is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}{_hint(inside, name, public)}")
    while new in RENAMED:
        new = RENAMED[new]
    warn(f"{package}.{name} is now {ROOT}.{new}; the older name will go.", DeprecationWarning, stacklevel=3)
    home, _, last = f"{ROOT}.{new}".rpartition(".")
    return getattr(import_module(home), last)


def _is_module(package: str, name: str) -> bool:
    """Whether a package has a module of this name, that has not been imported."""
    from importlib.util import find_spec

    return hasattr(sys.modules.get(package), "__path__") and find_spec(f"{package}.{name}") is not None


def _hint(inside: str, name: str, public: list[str]) -> str:
    # ``from package import module`` first asks for an attribute; looking for hints would import all namespaces.
    if name.startswith("_") or _is_module(f"{ROOT}.{inside}".rstrip("."), name):
        return ""
    from difflib import get_close_matches

    from flexmbs.core.field_terms import field_term, plain

    paths = field_term(name)
    near = [path.removeprefix(f"{inside}.") for path in paths if inside and path.startswith(f"{inside}.")]
    near = near or [one for one in public if plain(one) == plain(name)]
    others = _elsewhere(inside, plain(name))
    spelt_so = [] if inside else [path for path in others if path.rpartition(".")[2] == name]
    near = spelt_so or near or others or [f"{ROOT}.{path}" if inside else path for path in paths]
    if not near:
        known = {one: one for one in public} | ({} if inside else RENAMED)
        near = [known[one] for one in get_close_matches(name, known, n=3, cutoff=0.7)]
    return f"; did you mean {' or '.join(dict.fromkeys(near))}?" if near else ""


def _elsewhere(inside: str, wanted: str) -> list[str]:
    """Where else there is a name: in `flexmbs` itself, or in its namespaces."""
    from importlib.util import find_spec

    from flexmbs.core.field_terms import plain

    root = import_module(ROOT)
    lead = f"{ROOT}." if inside else ""
    found = [f"{lead}{one}" for one in root.__all__ if plain(one) == wanted] if inside else []
    for one in root.__all__:
        if one not in (inside, "verification", "extend") and find_spec(f"{ROOT}.{one}"):
            names = import_module(f"{ROOT}.{one}").__all__
            found += [f"{lead}{one}.{other}" for other in names if plain(other) == wanted]
    return found
