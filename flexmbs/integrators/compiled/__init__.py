"""Steps of small systems, compiled: the Newton loop of many steps in one generated, jitted function."""

from __future__ import annotations
