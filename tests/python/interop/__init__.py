# SPDX-License-Identifier: MIT
"""The conformance service and its cases in Python; tests/interop/README.md says what each method does."""
