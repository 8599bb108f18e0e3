"""The rotation of a frame from its quaternion."""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel

__all__ = ["frame_rotation"]


@kernel
def frame_rotation(q: FloatArray, c: int, R: FloatArray) -> None:
    """R (3, 3) of the unit quaternion, scalar first, at q[c + 3]."""
    w, x, y, z = q[c + 3], q[c + 4], q[c + 5], q[c + 6]
    R[0, 0], R[0, 1], R[0, 2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
    R[1, 0], R[1, 1], R[1, 2] = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
    R[2, 0], R[2, 1], R[2, 2] = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
