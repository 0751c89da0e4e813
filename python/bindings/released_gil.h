// SPDX-License-Identifier: MIT
// ReleasedGil: runs a scope without the GIL, even on threads that outlive the interpreter.
#pragma once

#include <pybind11/pybind11.h>

#include <unistd.h>

namespace trunkline::python {

/// Releases the GIL for its lifetime. A daemon thread that takes it back after the interpreter has ended blocks here
/// forever: Python would unwind the thread from within a destructor, which terminates the process.
class ReleasedGil {
 public:
  ReleasedGil() noexcept : thread_(PyEval_SaveThread()) {}
  ~ReleasedGil() {
    try {
      PyEval_RestoreThread(thread_);
    } catch (...) {
      for (;;) ::pause();
    }
  }
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  PyThreadState* thread_;
};

}  // namespace trunkline::python
