// SPDX-License-Identifier: MIT
// Statuses as Python exceptions, and back.
#pragma once

#include <trunkline/call_options.h>
#include <trunkline/status.h>

#include <pybind11/pybind11.h>

#include <string>
#include <string_view>

namespace trunkline::python {

namespace py = pybind11;

/// The functions of Python that know the exception classes. Kept for good, like the module itself.
void set_failure_functions(py::object make_error, py::object describe_error);

/// A new RpcError. With the GIL.
py::object make_failure(const Status& status, const Metadata& leading, const Metadata& trailing, std::string_view peer);
[[noreturn]] void throw_failure(const Status& status);

/// What a handler of `method` has raised, for its caller; adds the error's trailing metadata. Logs what is no RpcError.
/// Internal if it cannot be told, such as a message that is no text.
Status status_of_exception(const py::handle& exception, std::string_view method, Metadata& trailing);
/// The same, of (code, message, details, trailing) as Python describes an exception.
Status status_of_description(const py::tuple& described, std::string_view method, Metadata& trailing);

/// The bytes of a str, in UTF-8, or of a bytes object, which has to stay. Throws what Python throws.
std::string_view bytes_view(const py::handle& object);
py::list metadata_to_python(const Metadata& metadata);
/// A sequence of (str, str or bytes). Throws what Python throws, or std::invalid_argument for an invalid name.
Metadata metadata_of_python(const py::handle& pairs);

}  // namespace trunkline::python
