# SPDX-License-Identifier: MIT
"""The version of the package, which is that of the C++ library."""

__version__ = "0.1.0"
