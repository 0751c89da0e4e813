# SPDX-License-Identifier: MIT
"""What a method is: its definition, the signature of its handler, a class as a service of methods."""
