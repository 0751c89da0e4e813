// SPDX-License-Identifier: MIT
// Drops references without the GIL.
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

// The list is never destroyed, as threads may drop references while static objects are destroyed.
Left& left() {
  static auto* const value = new Left;
  return *value;
}

/// Locks around fork(): in the child the mutex is free and the list is empty, as the parent drops its references.
void lock_left() { left().mutex.lock(); }
void unlock_left() { left().mutex.unlock(); }
void forget_left() {
  left().objects.clear();
  left().any.store(false, std::memory_order_relaxed);
  unlock_left();
}

}  // namespace

bool holds_gil() noexcept {
  // PyGILState_Check() does not serve: it is always true once there has been a subinterpreter.
#if PY_VERSION_HEX >= 0x030D0000
  PyThreadState* const current = PyThreadState_GetUnchecked();
#else
  PyThreadState* const current = _PyThreadState_UncheckedGet();
#endif
  // Before 3.12 this is the thread that has the GIL, whichever it is.
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
  // The main thread drops them if no other thread does. Python's queue of such calls is short; if it is full, another
  // thread has to drop them.
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
