// SPDX-License-Identifier: MIT
// A flag of the process, and the part of each thread.
#include "exit_guard.h"

#include <Python.h>
#include <unistd.h>

#include <atomic>

namespace trunkline::python {

namespace {

std::atomic<bool> exits{false};

enum class Part : unsigned char {
  left,
  kept,
  /// The thread carries out the exit.
  exiting,
};
thread_local Part part = Part::left;

bool is_finalizing() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

}  // namespace

void begin_exit() noexcept {
  part = Part::exiting;
  exits.store(true, std::memory_order_release);
}

void forget_exit() noexcept {
  part = Part::left;
  exits.store(false, std::memory_order_release);
}

void keep_through_exit() noexcept {
  if (part == Part::left) part = Part::kept;
}

bool is_left_behind() noexcept { return part == Part::left && exits.load(std::memory_order_acquire); }

// An interpreter whose exit has not called begin_exit() may end on any thread, so that none is known to have lost it.
bool has_lost_interpreter() noexcept {
  return part != Part::exiting && exits.load(std::memory_order_acquire) && is_finalizing();
}

void rest() noexcept {
  for (;;) ::pause();
}

}  // namespace trunkline::python
