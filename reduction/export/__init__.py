"""Reduced models for other tools: one file for each format, one function that writes any of them."""

from __future__ import annotations

from flexmbs.reduction.export.formats import FORMATS, export
from flexmbs.reduction.export.written import ExportResult

__all__ = ["FORMATS", "ExportResult", "export"]
