"""Integrators."""

from __future__ import annotations

from flexmbs.core.facade import facade

__getattr__, __dir__, __all__ = facade(__name__, __file__)
