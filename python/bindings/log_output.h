// SPDX-License-Identifier: MIT
// Hands what channels and servers log to Python's logging.
#pragma once

#include <trunkline/log.h>

#include <pybind11/pybind11.h>

namespace trunkline::python {

namespace py = pybind11;

/// Sets the function that gets the name of a logger, the level (0: debug, 1: info, 2: warning, 3: error), the message,
/// the method and the peer, which may be empty. Requires the GIL.
void set_log_function(py::object log);

/// Hands records to the function, on the thread that logs, which takes the GIL for it. What the function raises is
/// reported as unraisable, except KeyboardInterrupt, which the main thread raises (defer_interrupt()). `logger` must
/// live as long as the process.
LogCallback log_to_python(const char* logger);

}  // namespace trunkline::python
