# SPDX-License-Identifier: MIT
"""What runs the contestants beside each other and writes down what it saw. It knows none of them: see ../README.md."""
