# SPDX-License-Identifier: MIT
"""Deadlines, interceptors and options of connections, which both sides of a call share."""
