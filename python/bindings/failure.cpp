// SPDX-License-Identifier: MIT
// Converts Status to RpcError and back.
#include "failure.h"

#include "exit_guard.h"

#include <utility>

namespace trunkline::python {

namespace {

// The object is never destroyed, as the interpreter may have ended before static objects are destroyed.
py::object& error_maker() {
  static auto* const function = new py::object;
  return *function;
}
py::object& error_describer() {
  static auto* const function = new py::object;
  return *function;
}

}  // namespace

std::string_view bytes_view(const py::handle& object) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyUnicode_Check(object.ptr())) {
    const char* const text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
    if (text == nullptr) throw py::error_already_set();
    return {text, static_cast<std::size_t>(size)};
  }
  if (PyBytes_AsStringAndSize(object.ptr(), &data, &size) != 0) throw py::error_already_set();
  return {data, static_cast<std::size_t>(size)};
}

void set_failure_functions(py::object make_error, py::object describe_error) {
  error_maker() = std::move(make_error);
  error_describer() = std::move(describe_error);
}

py::list metadata_to_python(const Metadata& metadata) {
  py::list result;
  for (const Metadata::Entry& entry : metadata) result.append(py::make_tuple(entry.name, py::bytes(entry.value)));
  return result;
}

Metadata metadata_of_python(const py::handle& pairs) {
  Metadata result;
  for (const py::handle& item : pairs) {
    const auto pair = py::reinterpret_borrow<py::sequence>(item);
    const py::object name = pair[0];
    const py::object value = pair[1];
    result.add(bytes_view(name), bytes_view(value));
  }
  return result;
}

py::object make_failure(const Status& status, const Metadata& leading, const Metadata& trailing,
                        std::string_view peer) {
  if (is_left_behind()) return py::reinterpret_borrow<py::object>(PyExc_SystemExit)();
  py::list details;
  for (const StatusDetail& detail : status.details()) {
    details.append(py::make_tuple(detail.type_url, py::bytes(detail.value)));
  }
  const py::object message = py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(status.message().data(), static_cast<Py_ssize_t>(status.message().size()), "replace"));
  if (!message) throw py::error_already_set();
  return error_maker()(static_cast<int>(status.code()), message, details, static_cast<int>(status.origin()),
                       status.may_have_run(), metadata_to_python(leading), metadata_to_python(trailing),
                       py::str(peer.data(), peer.size()));
}

void throw_failure(const Status& status) {
  const py::object error = make_failure(status, {}, {}, {});
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

void end_if_left_behind() {
  if (!is_left_behind()) return;
  PyErr_SetNone(PyExc_SystemExit);
  throw py::error_already_set();
}

namespace {

/// Converts Python's (code, message, details, trailing). Throws what the conversions throw.
Status status_of_tuple(const py::tuple& described, Metadata& trailing) {
  Status status(static_cast<StatusCode>(described[0].cast<int>()), described[1].cast<std::string>());
  for (const py::handle& item : described[2]) {
    const auto pair = py::reinterpret_borrow<py::sequence>(item);
    const py::object type_url = pair[0];
    const py::object value = pair[1];
    status.add_detail(std::string(bytes_view(type_url)), std::string(bytes_view(value)));
  }
  for (const Metadata::Entry& entry : metadata_of_python(described[3])) trailing.add(entry.name, entry.value);
  return status;
}

Status indescribable(std::string_view method) {
  return {StatusCode::internal, "handler of " + std::string(method) + " raised an error that cannot be described"};
}

}  // namespace

Status status_of_description(const py::tuple& described, std::string_view method, Metadata& trailing) try {
  return status_of_tuple(described, trailing);
} catch (const std::exception&) {
  return indescribable(method);
}

Status status_of_exception(const py::handle& exception, std::string_view method, bool exposes_text,
                           Metadata& trailing) try {
  const py::tuple described = error_describer()(exception, py::str(method.data(), method.size()), exposes_text);
  return status_of_tuple(described, trailing);
} catch (const std::exception&) {
  return indescribable(method);
}

}  // namespace trunkline::python
