from .files import load as load
from .stress_stream import StressBlock as StressBlock
from .stress_stream import stress_blocks as stress_blocks
from .stress_stream import write_stresses as write_stresses
