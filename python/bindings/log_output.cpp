// SPDX-License-Identifier: MIT
// Calls the log function that Python has set.
#include "log_output.h"

#include "completion.h"

#include <string_view>
#include <utility>

namespace trunkline::python {

namespace {

/// Returns the function. It is never destroyed: the interpreter may have ended before static objects are destroyed.
py::object& log_function() {
  static auto* const function = new py::object;
  return *function;
}

py::object text_of_bytes(std::string_view bytes) {
  auto text = py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
  if (!text) throw py::error_already_set();
  return text;
}

}  // namespace

void set_log_function(py::object log) { log_function() = std::move(log); }

LogCallback log_to_python(const char* logger) {
  return [logger](const LogRecord& record) {
    const py::gil_scoped_acquire held;
    // This thread may be handling an exception.
    const py::error_scope pending;
    try {
      if (!log_function()) return;
      log_function()(logger, static_cast<int>(record.level), text_of_bytes(record.message),
                     text_of_bytes(record.method), text_of_bytes(record.peer));
    } catch (py::error_already_set& error) {
      if (!defer_interrupt(error)) error.discard_as_unraisable("log of trunkline");
    } catch (const std::exception&) {
      // There is no memory for the record.
    }
  };
}

}  // namespace trunkline::python
