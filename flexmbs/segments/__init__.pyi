from .beam import segmented_beam as segmented_beam
from .beam import segmented_cable as segmented_cable
from .chain import SegmentedBeam as SegmentedBeam
from .plate import SegmentedPlate as SegmentedPlate
from .plate import segmented_plate as segmented_plate
