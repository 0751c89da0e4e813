# SPDX-License-Identifier: MIT
"""Turns messages into bytes and back: codecs, compressors, and what type hints say about messages."""
