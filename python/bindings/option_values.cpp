// SPDX-License-Identifier: MIT
// Checks the types and ranges of options, and writes the texts of their errors.
#include "option_values.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace trunkline::python {

namespace {

/// Returns Python's repr of the value, shortened.
std::string shown(const py::handle& value) {
  constexpr py::ssize_t max_shown = 80;
  const py::object text = py::repr(value);
  if (PyUnicode_GetLength(text.ptr()) <= max_shown) return text.cast<std::string>();
  return text[py::slice(0, max_shown, 1)].cast<std::string>() + "...";
}

[[noreturn]] void refuse_type(const std::string& what, const py::handle& value, const char* wanted) {
  PyErr_Clear();
  throw py::type_error(what + " is " + shown(value) + " (" + Py_TYPE(value.ptr())->tp_name + "), not " + wanted);
}

[[noreturn]] void refuse_value(const std::string& what, const py::handle& value, const std::string& wanted) {
  PyErr_Clear();
  throw py::value_error(what + " is " + shown(value) + ", not " + wanted);
}

constexpr const char* name_of_unit(std::chrono::milliseconds) { return "a millisecond"; }
constexpr const char* name_of_unit(std::chrono::microseconds) { return "a microsecond"; }
constexpr const char* name_of_unit(std::chrono::nanoseconds) { return "a nanosecond"; }

/// Accepts any object with __index__, such as numpy's integers, but no float.
py::object index_of(const std::string& what, const py::handle& value) {
  if (PyBool_Check(value.ptr()) || PyIndex_Check(value.ptr()) == 0) refuse_type(what, value, "an integer");
  auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!index) throw py::error_already_set();
  return index;
}

}  // namespace

bool flag_of(const std::string& what, const py::handle& value) {
  if (!PyBool_Check(value.ptr())) refuse_type(what, value, "True or False");
  return value.ptr() == Py_True;
}

std::string text_of(const std::string& what, const py::handle& value) {
  return std::string(view_of(what.c_str(), value));
}

std::string_view view_of(const char* what, const py::handle& value) {
  if (!PyUnicode_Check(value.ptr())) refuse_type(what, value, "a str");
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text == nullptr) refuse_value(what, value, "a str that UTF-8 can encode");
  return {text, static_cast<std::size_t>(size)};
}

std::string path_of(const std::string& what, const py::handle& value) {
  if (PyBytes_Check(value.ptr())) refuse_type(what, value, "a path: a str or an os.PathLike");
  PyObject* encoded = nullptr;
  if (PyUnicode_FSConverter(value.ptr(), &encoded) == 0) {
    if (PyErr_ExceptionMatches(PyExc_TypeError)) refuse_type(what, value, "a path: a str or an os.PathLike");
    if (PyErr_ExceptionMatches(PyExc_ValueError)) refuse_value(what, value, "a path that the system accepts");
    throw py::error_already_set();
  }
  return py::reinterpret_steal<py::bytes>(encoded);
}

double number_of(const std::string& what, const py::handle& value) {
  if (PyBool_Check(value.ptr())) refuse_type(what, value, "a number");
  const double number = PyFloat_AsDouble(value.ptr());
  if (number != -1.0 || PyErr_Occurred() == nullptr) return number;
  if (PyErr_ExceptionMatches(PyExc_OverflowError)) refuse_value(what, value, "a number that a float can represent");
  if (PyErr_ExceptionMatches(PyExc_TypeError)) refuse_type(what, value, "a number");
  throw py::error_already_set();
}

std::chrono::nanoseconds duration_of(const std::string& what, const py::handle& value) {
  const double seconds = number_of(what, value);
  if (!std::isfinite(seconds) || seconds < 0) refuse_value(what, value, "a finite number of seconds, 0 or more");
  constexpr double max_seconds = 9e9;  // more do not fit into nanoseconds
  return std::chrono::nanoseconds(std::llround(std::min(seconds, max_seconds) * 1e9));
}

template <class Duration>
Duration rounded_duration_of(const std::string& what, const py::handle& value) {
  const std::chrono::nanoseconds exact = duration_of(what, value);
  const auto rounded = std::chrono::round<Duration>(exact);
  if constexpr (std::is_same_v<Duration, std::chrono::seconds>) {
    if (rounded != exact) refuse_value(what, value, "a whole number of seconds");
  } else if (rounded.count() == 0 && number_of(what, value) != 0) {
    refuse_value(what, value, std::string("0 or at least ") + name_of_unit(Duration(1)));
  }
  return rounded;
}

template std::chrono::seconds rounded_duration_of(const std::string& what, const py::handle& value);
template std::chrono::milliseconds rounded_duration_of(const std::string& what, const py::handle& value);
template std::chrono::microseconds rounded_duration_of(const std::string& what, const py::handle& value);
template std::chrono::nanoseconds rounded_duration_of(const std::string& what, const py::handle& value);

long long signed_of(const std::string& what, const py::handle& value, long long min, long long max) {
  const py::object index = index_of(what, value);
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow == 0 && number >= min && number <= max) return number;
  refuse_value(what, value, std::to_string(min) + " to " + std::to_string(max));
}

unsigned long long unsigned_of(const std::string& what, const py::handle& value, unsigned long long max) {
  const py::object index = index_of(what, value);
  const unsigned long long number = PyLong_AsUnsignedLongLong(index.ptr());
  if (PyErr_Occurred() == nullptr && number <= max) return number;
  refuse_value(what, value, "0 to " + std::to_string(max));
}

}  // namespace trunkline::python
