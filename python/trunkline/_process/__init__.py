# SPDX-License-Identifier: MIT
"""The process around the library: exit, forks, signals, threads."""
