# SPDX-License-Identifier: MIT
"""``python -m trunkline.serve module:object``, also run by the command ``trunkline serve``: serves what a module holds."""
