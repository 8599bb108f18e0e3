"""What `flexmbs.studies` offers."""

from .family import Family as Family
from .jobs import Frequencies as Frequencies
from .jobs import Kinematics as Kinematics
from .jobs import Linearised as Linearised
from .jobs import Simulation as Simulation
from .jobs import Statics as Statics
from .measures import History as History
from .measures import Measure as Measure
from .outcomes import Ended as Ended
from .parameters import Between as Between
from .parameters import Choices as Choices
from .results import StudyResults as StudyResults
from .results import StudyRun as StudyRun
from .results import load as load
from .samples import Grid as Grid
from .samples import LatinHypercube as LatinHypercube
from .samples import Points as Points
from .samples import Sobol as Sobol
from .study import Study as Study
