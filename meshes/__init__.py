"""Meshes: the container, generators, reading and writing with named sets, and quality."""

from __future__ import annotations

if __name__ != "flexmbs.meshes":
    raise ImportError("import this package as flexmbs.meshes; a second copy of its classes would not match the first.")

from flexmbs.core.facade import facade

__getattr__, __dir__, __all__ = facade(__name__, __file__)
