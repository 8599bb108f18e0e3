"""The models of these tests, each solved once, and drawing without a screen."""

from __future__ import annotations

from tests.models.solved_models import models, no_windows, solved

__all__ = ["models", "no_windows", "solved"]
