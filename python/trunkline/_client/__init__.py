# SPDX-License-Identifier: MIT
"""The parts that channels for code that blocks and channels for asyncio share."""
