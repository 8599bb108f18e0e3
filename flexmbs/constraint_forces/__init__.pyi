from .elimination import Elimination as Elimination
from .elimination import eliminate as eliminate
from .elimination import low_fill_order as low_fill_order
from .joint_graph import JointGraph as JointGraph
from .reduced_system import ConstraintForces as ConstraintForces
from .reduced_system import ReducedSystem as ReducedSystem
