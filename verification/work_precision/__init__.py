"""What the accuracy of a motion costs: schemes on problems with known answers, measured, ranked, drawn.

`schemes` and `problems` are two tables, each with a line an entry; `measure` runs one scheme on one problem from coarse
to fine; `bench` runs all of them; `ranking`, `record`, `terminal`, `pictures` and `page` say what came out.
"""

from __future__ import annotations
