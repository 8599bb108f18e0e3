from .constraints.ascher_projection import AscherProjection as AscherProjection
from .constraints.baumgarte import Baumgarte as Baumgarte
from .constraints.coordinate_partitioning import CoordinatePartitioning as CoordinatePartitioning
from .constraints.null_space import NullSpace as NullSpace
from .constraints.standard_projection import StandardProjection as StandardProjection
from .constraints.successive_projection import SuccessiveProjection as SuccessiveProjection
from .iteration_matrix import CorrectorOptions as CorrectorOptions
