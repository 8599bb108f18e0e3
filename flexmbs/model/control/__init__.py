"""Control: sensors, sampled controllers, actuators, continuous states, events; nothing here knows an integrator."""
