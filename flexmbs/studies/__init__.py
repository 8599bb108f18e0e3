"""Models as functions of numbers: families, and studies of thousands of runs on all cores or a cluster."""

from __future__ import annotations

from flexmbs.core.facade import facade

__getattr__, __dir__, __all__ = facade(__name__, __file__)
