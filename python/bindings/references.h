// SPDX-License-Identifier: MIT
// References to Python objects that loops hold without the GIL.
#pragma once

#include "released_gil.h"

#include <pybind11/pybind11.h>

#include <utility>

namespace trunkline::python {

namespace py = pybind11;

/// Returns true if this thread has the GIL of the main interpreter.
bool holds_gil() noexcept;
/// Drops a reference on any thread. It drops it at once with the GIL; otherwise when a thread with the GIL calls
/// drop_left_references(), or the main thread runs Python.
void drop_reference(PyObject* object) noexcept;
/// Drops references that threads without the GIL have left. Requires the GIL.
void drop_left_references();
/// Prepares for forks, so that a child can drop references. Must be called once, before the first fork.
void watch_forks_of_references();

/// A reference that may be released on any thread. Making and reading it requires the GIL.
class Reference {
 public:
  Reference() noexcept = default;
  explicit Reference(const py::handle& object) noexcept : object_(object.inc_ref().ptr()) {}
  Reference(Reference&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Reference& operator=(Reference&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Reference() {
    if (object_ != nullptr) drop_reference(object_);
  }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  PyObject* get() const noexcept { return object_; }
  py::object share() const { return py::reinterpret_borrow<py::object>(object_); }
  py::object take() { return py::reinterpret_steal<py::object>(std::exchange(object_, nullptr)); }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace trunkline::python
