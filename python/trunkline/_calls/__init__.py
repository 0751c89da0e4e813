# SPDX-License-Identifier: MIT
"""What both sides of a call share: deadlines, interceptors, options of connections."""
