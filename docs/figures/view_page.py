"""The picture of the tutorial "Look at a motion": the page that its code writes, by headless Chromium.

    .venv/bin/python docs/figures/view_page.py

writes docs/_static/view.png.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent
ADDRESS = "t=1.02&colour=stress&theme=light"
SIZE = "1200,750"


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("view_page.py needs Chromium.")
    text = (DOCS / "tutorials" / "view.md").read_text("utf-8")
    cells = re.findall(r"```\{code-cell\} python\n(.*?)```", text, re.DOTALL)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        exec("\n".join(cells[1:3]), {})
        subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader",
             "--enable-unsafe-swiftshader", "--hide-scrollbars", f"--window-size={SIZE}",
             f"--user-data-dir={folder}/profile", f"--screenshot={folder}/view.png",
             f"{Path(folder, 'crane.html').as_uri()}#{ADDRESS}"],
            check=True, capture_output=True,
        )  # fmt: skip
        shutil.copy(f"{folder}/view.png", DOCS / "_static" / "view.png")


if __name__ == "__main__":
    main()
