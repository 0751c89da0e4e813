# SPDX-License-Identifier: MIT
"""The package for code that blocks, which `trunkline` exports."""
