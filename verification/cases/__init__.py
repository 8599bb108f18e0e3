"""The list of all verification cases, in the order of the report; naming a case here does not import it."""

from __future__ import annotations

from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.verification.case import CaseEntry

__all__ = ["ALL", "select"]

_HERE = "flexmbs.verification.cases"

ALL: tuple[CaseEntry, ...] = (
    CaseEntry("s01-cantilever", "Cantilever under a dead tip force", "statics", f"{_HERE}.cantilever:CASE"),
    CaseEntry("s02-rollup", "Cantilever rolled up by a tip moment", "statics", f"{_HERE}.rollup:MOMENT"),
    CaseEntry("s02-follower", "Cantilever under a follower force", "statics", f"{_HERE}.rollup:FOLLOWER_CASE"),
    CaseEntry("s05-clamped", "Beam between two clamps under a central load", "statics", f"{_HERE}.frames:CLAMPED"),
    CaseEntry(
        "s04-diamond", "Diamond frame pulled and pushed at two hinged corners", "statics", f"{_HERE}.frames:DIAMOND"
    ),
    CaseEntry("s07-column", "Column far beyond its buckling load", "statics", f"{_HERE}.frames:COLUMN"),
    CaseEntry(
        "quarter-circle", "Stress-free quarter circle under a uniform load", "statics", f"{_HERE}.curved:QUARTER"
    ),
    CaseEntry("s13-catenary", "Elastic catenary", "statics", f"{_HERE}.curved:CATENARY"),
    CaseEntry(
        "e01-beam-ends", "Bernoulli-Euler beams with all standard ends", "modes", f"{_HERE}.beam_modes:BEAM_ENDS"
    ),
    CaseEntry("e02-timoshenko", "Timoshenko beam, simply supported and clamped", "modes", f"{_HERE}.beam_modes:SHEAR"),
    CaseEntry("e05-chain", "Chains under gravity", "modes", f"{_HERE}.prestress:CHAIN"),
    CaseEntry(
        "stretched-beams",
        "String under tension, beam in tension and close to buckling",
        "modes",
        f"{_HERE}.prestress:STRETCHED",
    ),
    CaseEntry(
        "strain-measures", "Two strain measures, each against its own rod", "elements", f"{_HERE}.elements:STRAINS"
    ),
    CaseEntry("spatial-cable", "The spatial cable in an inclined plane", "elements", f"{_HERE}.elements:SPACE"),
    CaseEntry("linear-beams", "Linear beams: exact at the nodes", "elements", f"{_HERE}.elements:LINEAR"),
)


def select(names: tuple[str, ...] = (), *, slow: bool = False, entries: tuple[CaseEntry, ...] = ALL) -> list[CaseEntry]:
    """The cases meant by ids and areas, upper and lower case alike, in the order of the list.

    No names mean all of them. Slow cases are left out unless ``slow`` is set or they are called by their id.

    Raises
    ------
    ModelError
        For a name that is neither an id nor an area; the message gives the nearest ones.

    Examples
    --------
    >>> entry = CaseEntry("s01", "Tip load", "statics", "somewhere:CASE", slow=True)
    >>> [len(select(names, entries=(entry,))) for names in ((), ("S01",), ("statics",))]
    [0, 1, 0]
    """
    wanted = {name.lower() for name in names}
    ids = {entry.id for entry in entries}
    areas = {entry.area.lower() for entry in entries}
    for name in names:
        if name.lower() not in ids | areas:
            raise ModelError(unknown_name("verification case or area", name.lower(), ids | areas))
    return [
        entry
        for entry in entries
        if entry.id in wanted or ((not names or entry.area.lower() in wanted) and (slow or not entry.slow))
    ]
