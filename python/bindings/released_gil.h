// SPDX-License-Identifier: MIT
// ReleasedGil: runs a scope without the GIL, even on threads that outlive the interpreter.
#pragma once

#include "exit_guard.h"

#include <pybind11/pybind11.h>

namespace trunkline::python {

/// Releases the GIL for its lifetime. A thread that would take it back while another one tears the interpreter down
/// blocks here for ever instead, as it does in Python 3.14: up to 3.13 Python ends the thread by unwinding its stack,
/// which terminates the process if a destructor is on it, such as this one.
class ReleasedGil {
 public:
  ReleasedGil() noexcept : thread_(PyEval_SaveThread()) {}
  ~ReleasedGil() {
    if (has_lost_interpreter()) rest();
    try {
      PyEval_RestoreThread(thread_);
    } catch (...) {
      rest();  // The unwinding has begun. It may be caught, but nobody may leave the handler.
    }
  }
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  PyThreadState* thread_;
};

}  // namespace trunkline::python
