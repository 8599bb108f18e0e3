"""``python -m flexmbs`` is the command line."""

from __future__ import annotations

import sys

from flexmbs.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
