# SPDX-License-Identifier: MIT
"""``python -m trunkline.serve module:object``, which the command ``trunkline serve`` runs: serves what a module holds."""
