# SPDX-License-Identifier: MIT
"""What servers of plain functions and servers on event loops share."""
