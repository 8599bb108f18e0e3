"""Element formulations: one file, one element. Docstring, declaration, tables, kernel.

``ALL`` holds one default instance of every element, as found in the modules of this folder (`collection`).
"""

from __future__ import annotations

if __name__ != "flexmbs.elements":
    raise ImportError("import this package as flexmbs.elements, not as a top-level module")

from flexmbs.core.facade import facade

__getattr__, __dir__, __all__ = facade(__name__, __file__)
