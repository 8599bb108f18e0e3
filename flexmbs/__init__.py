"""flexmbs: flexible multibody dynamics in Python.

The public names are those of the stub ``__init__.pyi``, their one list; a name is imported when it is first used, so
that importing flexmbs is quick.
"""

from __future__ import annotations

from flexmbs.core.facade import facade

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = facade(__name__, __file__)
