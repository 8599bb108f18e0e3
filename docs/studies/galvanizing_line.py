"""The active control of a galvanizing line over 40 s: tables and pictures of the page "A galvanizing line".

    .venv/bin/python docs/studies/galvanizing_line.py

prints the tables and writes docs/_static/galvanizing_histories.png and docs/_static/galvanizing_spectra.png. It takes
two to three minutes.
"""

from __future__ import annotations

from pathlib import Path

from flexmbs.verification.cases.reduction.galvanizing import run_line

FOLDER = Path(__file__).parent.parent / "_static"
NAMES = ("galvanizing_histories.png", "galvanizing_spectra.png")


def main() -> None:
    outcome = run_line(lambda text: print(f"... {text}", flush=True))
    for table in outcome.tables:
        print(f"\n{table.title}")
        print(" | ".join(table.header))
        for row in table.rows:
            print(" | ".join(f"{x:.4g}" if isinstance(x, float) else str(x) for x in row))
    print()
    for quantity in outcome.quantities:
        print(f"{'passed' if quantity.passed else 'FAILED'}  {quantity.name}: {quantity.value:.4g}")
    for (_, drawing), name in zip(outcome.figures, NAMES, strict=True):
        drawing.savefig(FOLDER / name, dpi=130, facecolor="white", metadata={"Software": None})


if __name__ == "__main__":
    main()
