// SPDX-License-Identifier: MIT
// dict_of: statistics as Python has them.
#pragma once

#include <trunkline/server_statistics.h>

#include <pybind11/pybind11.h>

namespace trunkline::python {

namespace py = pybind11;

/// Keyed as the fields of trunkline.v1.ServerStatistics: durations are nanoseconds, maps dicts, repeated fields lists.
/// Besides "is_collected". With the GIL.
py::dict dict_of(const ServerStatistics& statistics);

}  // namespace trunkline::python
