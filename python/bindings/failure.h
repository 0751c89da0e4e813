// SPDX-License-Identifier: MIT
// Conversions between statuses and Python exceptions.
#pragma once

#include <trunkline/call_options.h>
#include <trunkline/status.h>

#include <pybind11/pybind11.h>

#include <string>
#include <string_view>

namespace trunkline::python {

namespace py = pybind11;

/// Sets the Python functions that know the exception classes. They are never released.
void set_failure_functions(py::object make_error, py::object describe_error);

/// Makes an RpcError, or a SystemExit on a thread that the exit of the interpreter leaves behind. Requires the GIL.
py::object make_failure(const Status& status, const Metadata& leading, const Metadata& trailing, std::string_view peer);
[[noreturn]] void throw_failure(const Status& status);
/// Raises SystemExit on a thread that the exit of the interpreter leaves behind. Requires the GIL.
void end_if_left_behind();

/// Returns the status for an exception of a handler of `method`, and adds the error's trailing metadata. Other
/// exceptions than RpcError are logged, and the caller gets their text only if `exposes_text`. The status is internal
/// if the error cannot be described, e.g. if its message is no str.
Status status_of_exception(const py::handle& exception, std::string_view method, bool exposes_text, Metadata& trailing);
/// Returns the status for (code, message, details, trailing), which is how Python describes an exception.
Status status_of_description(const py::tuple& described, std::string_view method, Metadata& trailing);

/// Returns the bytes of a str, in UTF-8, or of a bytes object, which must outlive the view. Throws what Python throws.
std::string_view bytes_view(const py::handle& object);
py::list metadata_to_python(const Metadata& metadata);
/// Converts a sequence of (str, str or bytes). Throws what Python throws, or std::invalid_argument for an invalid name.
Metadata metadata_of_python(const py::handle& pairs);

}  // namespace trunkline::python
