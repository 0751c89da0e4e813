# SPDX-License-Identifier: MIT
"""What every contestant in Python shares: its command line, its pace and its report; see ../../../README.md."""
