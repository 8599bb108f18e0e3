"""Finite rigid segments: beams, cables and plates as rigid bodies with elastic joints."""

from __future__ import annotations

from flexmbs.segments.beam import segmented_beam, segmented_cable
from flexmbs.segments.chain import SegmentedBeam
from flexmbs.segments.plate import SegmentedPlate, segmented_plate

__all__ = ["SegmentedBeam", "SegmentedPlate", "segmented_beam", "segmented_cable", "segmented_plate"]
