# SPDX-License-Identifier: MIT
"""The package for code that blocks: what `trunkline` exports."""
