"""Linear structures: meshed parts, their sparse operators, and what can be solved with them."""

from __future__ import annotations

from flexmbs.core.facade import facade

__getattr__, __dir__, __all__ = facade(__name__, __file__)
