// SPDX-License-Identifier: MIT
// TRUNKLINE_API marks what the shared library exports; everything else stays hidden.
#pragma once

#define TRUNKLINE_API __attribute__((visibility("default")))
