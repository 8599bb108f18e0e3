"""What `flexmbs.trees` offers is on its reference page."""

from __future__ import annotations

import re
from pathlib import Path

from flexmbs import trees


def test_reference_page():
    page = Path(__file__).resolve().parents[3] / "docs" / "api" / "trees.md"
    described = re.findall(r"^\.\. auto(?:class|function):: (\w+)", page.read_text("utf-8"), flags=re.MULTILINE)
    assert sorted(set(trees.__all__) - set(described)) == []
