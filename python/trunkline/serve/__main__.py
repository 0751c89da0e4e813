# SPDX-License-Identifier: MIT
"""Runs ``python -m trunkline.serve``."""

import sys

from ._command import main

if __name__ == "__main__":
    sys.exit(main())
