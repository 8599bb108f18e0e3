"""Control: sensors, controllers, actuators, continuous states, noise, events."""

from __future__ import annotations

from flexmbs.core import facade as _facade
from flexmbs.model.control import filters as filters
from flexmbs.model.control.actuators import ForceActuator as ForceActuator
from flexmbs.model.control.actuators import JointActuator as JointActuator
from flexmbs.model.control.actuators import LineActuator as LineActuator
from flexmbs.model.control.actuators import MomentActuator as MomentActuator
from flexmbs.model.control.actuators import Signal as Signal
from flexmbs.model.control.controller import Controller as Controller
from flexmbs.model.control.events import Event as Event
from flexmbs.model.control.first_order import FirstOrder as FirstOrder
from flexmbs.model.control.first_order import linear_states as linear_states
from flexmbs.model.control.first_order import transfer_function as transfer_function
from flexmbs.model.control.function_sensors import FunctionSensor as FunctionSensor
from flexmbs.model.control.function_sensors import NoisySensor as NoisySensor
from flexmbs.model.control.joint_sensors import JointSensor as JointSensor
from flexmbs.model.control.joint_sensors import MultiplierSensor as MultiplierSensor
from flexmbs.model.control.linear import Command as Command
from flexmbs.model.control.linear import DiscreteStateSpace as DiscreteStateSpace
from flexmbs.model.control.linear import FilteredController as FilteredController
from flexmbs.model.control.linear import StateFeedback as StateFeedback
from flexmbs.model.control.noise import BandNoise as BandNoise
from flexmbs.model.control.noise import WhiteNoise as WhiteNoise
from flexmbs.model.control.pid import PID as PID
from flexmbs.model.control.sensors import AccelerationSensor as AccelerationSensor
from flexmbs.model.control.sensors import AngularVelocitySensor as AngularVelocitySensor
from flexmbs.model.control.sensors import DistanceSensor as DistanceSensor
from flexmbs.model.control.sensors import PositionSensor as PositionSensor
from flexmbs.model.control.sensors import VelocitySensor as VelocitySensor
from flexmbs.model.control.value_sensors import CoordinateSensor as CoordinateSensor
from flexmbs.model.control.value_sensors import HeldSensor as HeldSensor
from flexmbs.model.control.value_sensors import StateSensor as StateSensor

_facade.gather(globals())
