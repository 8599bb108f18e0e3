"""Closed forms of a tensioned strip against the stored figures of E06."""

from __future__ import annotations

import pytest

from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.reference.tensioned_strip import flexion, torsion


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_frequencies_are_those_stored(n: int) -> None:
    stored = load_reference("e06")
    p = stored.parameters
    size = p["L"], p["b"], p["t"]
    bent = stored.value("T=24000 N flexion f1..4 (pinned, constant T)", n - 1)
    twisted = stored.value("T=24000 N torsion f1..4 (constant T)", n - 1)
    assert flexion(n, *size, p["E"], p["nu"], p["rho"], 24000.0) == pytest.approx(bent, rel=1e-8)
    assert torsion(n, *size, p["E"], p["nu"], p["rho"], 24000.0) == pytest.approx(twisted, rel=2e-6)
