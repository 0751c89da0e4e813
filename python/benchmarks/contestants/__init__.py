# SPDX-License-Identifier: MIT
"""The contestants: a module per system, each with servers and clients that echo the same messages.

A server prints where it listens and serves until standard input ends. A client calls for so many seconds, checks every
response, and gives the number of calls.
"""
