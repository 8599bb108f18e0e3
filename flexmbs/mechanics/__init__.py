"""Compiled mechanics of markers: pairs, the chain rule, inertia of rigid bodies, and the operations of a step."""
