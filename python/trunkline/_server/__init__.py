# SPDX-License-Identifier: MIT
"""The parts that servers of plain functions and servers on event loops share."""
