# SPDX-License-Identifier: MIT
"""Describes methods: the definition of one, the signature of its handler, a class as a service of methods."""
