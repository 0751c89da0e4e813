// SPDX-License-Identifier: MIT
// Reads option values from Python, without implicit conversions between types.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <concepts>
#include <limits>
#include <string>
#include <string_view>

namespace trunkline::python {

namespace py = pybind11;

// Each function throws TypeError for another type and ValueError for a value out of range; `what` names the option in
// the text. True and False are not numbers. All of them require the GIL.

bool flag_of(const std::string& what, const py::handle& value);
std::string text_of(const std::string& what, const py::handle& value);
/// Reads a str or an os.PathLike.
std::string path_of(const std::string& what, const py::handle& value);
double number_of(const std::string& what, const py::handle& value);
/// Reads a finite number of seconds, 0 or more.
std::chrono::nanoseconds duration_of(const std::string& what, const py::handle& value);
/// Reads a duration, rounded to the unit of `Duration`. If that is a second, only whole numbers are taken. Otherwise no
/// value above 0 is taken that would become 0, which may mean "never".
template <class Duration>
Duration rounded_duration_of(const std::string& what, const py::handle& value);

/// Returns the characters of a str, which must outlive the view, without the cost of text_of().
std::string_view view_of(const char* what, const py::handle& value);

long long signed_of(const std::string& what, const py::handle& value, long long min, long long max);
unsigned long long unsigned_of(const std::string& what, const py::handle& value, unsigned long long max);

template <std::integral Integer>
Integer integer_of(const std::string& what, const py::handle& value) {
  using Limits = std::numeric_limits<Integer>;
  if constexpr (std::signed_integral<Integer>) {
    return static_cast<Integer>(signed_of(what, value, Limits::min(), Limits::max()));
  } else {
    return static_cast<Integer>(unsigned_of(what, value, Limits::max()));
  }
}

}  // namespace trunkline::python
