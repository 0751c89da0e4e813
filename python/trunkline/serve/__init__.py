# SPDX-License-Identifier: MIT
"""``python -m trunkline.serve MODULE:OBJECT``, which the command ``trunkline serve`` runs: serves an object of a
module."""
