from .linear_paraview import write_vtu as write_vtu
from .motion_files import MotionFile as MotionFile
