// SPDX-License-Identifier: MIT
// Dropping references without the GIL.
#include "references.h"

#include <pthread.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace trunkline::python {

namespace {

struct Left {
  std::mutex mutex;
  std::vector<PyObject*> objects;
  std::atomic<bool> any{false};
};

// Never destroyed: threads may still drop references while static objects are.
Left& left() {
  static auto* const value = new Left;
  return *value;
}

/// A child of fork() finds the mutex free, and nothing to drop: that is its parent's to do.
void lock_left() { left().mutex.lock(); }
void unlock_left() { left().mutex.unlock(); }
void forget_left() {
  left().objects.clear();
  left().any.store(false, std::memory_order_relaxed);
  unlock_left();
}

}  // namespace

bool holds_gil() noexcept {
  // Not PyGILState_Check(): once there has been a subinterpreter that is always true.
#if PY_VERSION_HEX >= 0x030D0000
  PyThreadState* const current = PyThreadState_GetUnchecked();
#else
  PyThreadState* const current = _PyThreadState_UncheckedGet();
#endif
  // Before 3.12 that is the thread which has the GIL, whichever it is.
  return current != nullptr && current == PyGILState_GetThisThreadState();
}

void watch_forks_of_references() {
  static const int once = pthread_atfork(lock_left, unlock_left, forget_left);
  static_cast<void>(once);
}

static int drop_left_pending(void*) {
  drop_left_references();
  return 0;
}

void drop_reference(PyObject* object) noexcept {
  if (holds_gil()) {
    Py_DECREF(object);
    return;
  }
  bool is_first = false;
  {
    const std::lock_guard lock(left().mutex);
    left().objects.push_back(object);
    is_first = !left().any.exchange(true, std::memory_order_release);
  }
  // If nobody else comes by, the main thread does. There is little room for such calls; then somebody has to.
  if (is_first && Py_IsInitialized() != 0) static_cast<void>(Py_AddPendingCall(drop_left_pending, nullptr));
}

void drop_left_references() {
  if (!left().any.load(std::memory_order_acquire)) return;
  std::vector<PyObject*> taken;
  {
    const std::lock_guard lock(left().mutex);
    taken.swap(left().objects);
    left().any.store(false, std::memory_order_relaxed);
  }
  for (PyObject* const object : taken) Py_DECREF(object);
}

}  // namespace trunkline::python
