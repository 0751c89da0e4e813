// SPDX-License-Identifier: MIT
// dict_of: returns statistics as a dict.
#pragma once

#include <trunkline/server_statistics.h>

#include <pybind11/pybind11.h>

namespace trunkline::python {

namespace py = pybind11;

/// The keys are the fields of trunkline.v1.ServerStatistics and "is_collected". Durations are in nanoseconds, maps are
/// dicts, repeated fields are lists. Requires the GIL.
py::dict dict_of(const ServerStatistics& statistics);

}  // namespace trunkline::python
