"""Pictures of studies: a measure over a parameter, a front of two goals, all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.errors import ModelError
from flexmbs.core.names_in_pictures import as_drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from flexmbs.studies.results import StudyResults

__all__ = ["front", "matrix", "response"]


def response(results: StudyResults, measure: str, over: str | None, ax: Axes | None) -> Axes:
    """A measure over a parameter, coloured by the next parameter where there is one."""
    import matplotlib.pyplot as plt

    over = results.parameters[0] if over is None else over
    y, x = results[measure], results[over]
    ax = plt.subplots()[1] if ax is None else ax
    others = [n for n in results.parameters if n != over and results[n].dtype != object]
    if others and len(np.unique(results[others[0]])) > 1:
        shown = ax.scatter(x, y, c=results[others[0]].astype(float), s=18, cmap="viridis")
        ax.figure.colorbar(shown, ax=ax, label=as_drawn(others[0]))
    else:
        order = np.argsort(x)
        ax.plot(x[order], y[order], "o-", ms=4)
    ax.set_xlabel(_label(results, over))
    ax.set_ylabel(_label(results, measure))
    failed = int((~results.done).sum())
    if failed:
        ax.set_title(f"{failed} of {len(results)} runs failed and are not shown", fontsize="small")
    return ax


def front(results: StudyResults, first: str, second: str, goals: tuple[str, str], ax: Axes | None) -> Axes:
    """Two measures against each other, and those that none beats."""
    import matplotlib.pyplot as plt

    best = results.pareto(**{first: goals[0], second: goals[1]})
    ax = plt.subplots()[1] if ax is None else ax
    ax.plot(results[first], results[second], "o", ms=4, color="0.6", label="all runs")
    at = sorted(run.number for run in best)
    order = sorted(at, key=lambda i: results[first][i])
    ax.plot(results[first][order], results[second][order], "o-", ms=5, color="tab:red", label="none is better in both")
    ax.set_xlabel(_label(results, first))
    ax.set_ylabel(_label(results, second))
    ax.legend()
    return ax


def matrix(results: StudyResults, names: tuple[str, ...]) -> Any:
    """Every pair of numbers against each other, histograms on the diagonal."""
    import matplotlib.pyplot as plt

    known = (*results.parameters, *results.measures)
    words = [n for n in names or known if results[n].dtype.kind not in "biuf"]
    if names and words:
        raise ModelError(f"plot_matrix: {', '.join(map(repr, words))} are words and no numbers; leave them out.")
    names = names or tuple(n for n in known if n not in words)
    if len(names) < 2:
        raise ModelError("plot_matrix: it needs two parameters or measures at least that are numbers.")
    count = len(names)
    figure, axes = plt.subplots(count, count, figsize=(2.2 * count, 2.2 * count), layout="constrained", squeeze=False)
    columns = [results[n].astype(float) for n in names]
    for i, ax_row in enumerate(axes):
        for j, ax in enumerate(ax_row):
            if i == j:
                finite = columns[i][np.isfinite(columns[i])]
                counts = ax.twinx()  # so that the row keeps the axis of its quantity
                counts.hist(finite, bins=12, color="0.6")
                counts.set_yticks([])
                if len(finite):
                    ax.set_ylim(finite.min(), finite.max() if finite.max() > finite.min() else None)
            else:
                ax.plot(columns[j], columns[i], ".", ms=4)
            if i == count - 1:
                ax.set_xlabel(_label(results, names[j]))
            else:
                ax.set_xticklabels([])
            if j == 0:
                ax.set_ylabel(_label(results, names[i]))
            else:
                ax.set_yticklabels([])
    return figure


def _label(results: StudyResults, name: str) -> str:
    unit = results.unit(name)
    return as_drawn(f"{name} [{unit}]" if unit else name)
