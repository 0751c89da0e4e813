# SPDX-License-Identifier: MIT
"""What channels for code that blocks and channels for asyncio share."""
