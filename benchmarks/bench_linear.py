"""Linear analyses of larger models: a Campbell diagram over 60 speeds, poles and zeros of an arm. Processor time.

python benchmarks/bench_linear.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import flexmbs as fx


def rotor(speed: float, elements: int) -> fx.Model:
    """A shaft with a disk in unlike bearings, each stiffer one way."""
    shaft = fx.FlexibleBody.line(
        (0, 0, 0), (1.0, 0, 0), elements=elements, element=fx.elements.GeometricallyExactBeam(),
        section=fx.Circle(diameter=0.05), material=fx.steel, name="shaft",
    )  # fmt: skip
    along = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    disk = fx.RigidBody.cylinder(
        radius=0.15, length=0.02, mass=11.0, position=(0.5, 0, 0), rotation=along, angular_velocity=(0, 0, speed),
        name="disk",
    )  # fmt: skip
    bearings = [
        fx.Bushing(fx.ground.marker((x, 0, 0)), end, stiffness=(1e8 * (x == 0.0), 2e7, 3e7), name=f"bearing at {x}")
        for x, end in ((0.0, shaft.start), (1.0, shaft.end))
    ]
    seat = fx.FixedJoint(shaft.node(elements // 2), disk, name="seat")
    return fx.Model(shaft, disk, seat, *bearings, fx.InitialVelocity(shaft, angular_velocity=(speed, 0, 0)))


def arm(elements: int) -> tuple[fx.Model, Any, Any]:
    """A beam on a hinge with a torque; its tip is read."""
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=elements, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e5, EI_z=1.0, mass_per_length=1.0), name="beam",
    )  # fmt: skip
    hub = fx.PlanarRigidBody(0.5, 0.05, position=(0, 0), name="hub")
    hinge = fx.RevoluteJoint(fx.ground, hub, at=(0, 0), name="hinge")
    weld = fx.FixedJoint(hub.marker((0, 0)), beam.start, name="weld")
    model = fx.Model(beam, hub, hinge, weld, fx.TorsionSpring(hinge, stiffness=2.0, damping=0.02))
    return model, fx.JointForce(hinge, 1.0), fx.control.PositionSensor(beam.end, (0, 1), name="tip")


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    """Processor time of the second call, and what it returned."""
    function()
    begin = time.process_time()
    found = function()
    return time.process_time() - begin, found


def main() -> None:
    for elements in (16, 32):
        size = len(fx.compile_model(rotor(1.0, elements)).free)
        seconds, found = timed(
            lambda e=elements: fx.campbell(lambda s: rotor(s, e), np.linspace(0.0, 1500.0, 60), modes=10)
        )
        print(f"Campbell, 60 speeds, {size} unknowns, {len(found.critical_speeds)} critical speeds: {seconds:6.2f} s")
    model, torque, tip = arm(500)
    seconds, sparse = timed(lambda: fx.linearise_sparse(model, [torque], [tip]))
    print(f"{sparse}: {seconds:6.2f} s")
    for what, function in (("10 poles", lambda: sparse.poles(10)), ("10 zeros", lambda: sparse.zeros(count=10))):
        print(f"  {what}: {timed(function)[0]:6.2f} s")


if __name__ == "__main__":
    main()
