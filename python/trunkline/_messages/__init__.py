# SPDX-License-Identifier: MIT
"""Messages as bytes and back: codecs, compressors, and what type hints say about messages."""
