"""Ends of fixed steps: those that are told in one go are those that are told one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from flexmbs.analysis.grid import Grid

SIZES = st.sampled_from([1e-3, 0.1, 1 / 3, 7e-5])


@given(
    h=SIZES, begin=st.sampled_from([0.0, 0.3, 1.7]), count=st.integers(1, 40), part=st.sampled_from([0.0, 1e-12, 0.4]),
    most=st.integers(1, 60), ahead=st.integers(0, 20), meets=st.booleans(),
)  # fmt: skip
def test_whole_steps_are_those_made_one_by_one(
    h: float, begin: float, count: int, part: float, most: int, ahead: int, meets: bool
) -> None:
    """Up to a barrier that is a multiple, but for round-off, or between two; and the series goes on alike."""
    barrier = begin + (count + part) * h
    one, many, t = Grid(h, begin), Grid(h, begin), begin
    for _ in range(min(ahead, count - 1)):
        _, t = one.next(t, h, barrier)
        one.reached(t, barrier)
        many.reached(t, barrier)
    ends = many.whole(t, h, barrier, most, meets=meets)
    made = []
    while len(made) < most and t < barrier:
        size, end = one.next(t, h, barrier)
        if size != h or (end == barrier and not meets):
            break
        one.reached(end, barrier)
        made.append(end)
        t = end
    assert ends.tolist() == made
    if made:
        many.passed(ends, barrier)
    assert one.memory().tolist() == many.memory().tolist()
