// SPDX-License-Identifier: MIT
// ReleasedGil: a stretch of code without the GIL, also on threads that outlive the interpreter.
#pragma once

#include <pybind11/pybind11.h>

#include <unistd.h>

namespace trunkline::python {

/// Releases the GIL while it lives. A daemon thread that wants it back when the interpreter has ended stays here for
/// good: Python would unwind it from within a destructor, which ends the process with an error.
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
