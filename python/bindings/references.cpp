// SPDX-License-Identifier: MIT
// Dropping references without the GIL; buffers.
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

/// Bytes beyond this are carried without a copy.
constexpr std::size_t few_bytes = 16 * 1024;

}  // namespace

void watch_forks_of_references() {
  static const int once = pthread_atfork(lock_left, unlock_left, forget_left);
  static_cast<void>(once);
}

void drop_reference(PyObject* object) noexcept {
  if (PyGILState_Check() != 0) {
    Py_DECREF(object);
    return;
  }
  const std::lock_guard lock(left().mutex);
  left().objects.push_back(object);
  left().any.store(true, std::memory_order_release);
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

BufferView::BufferView(const py::handle& object) {
  if (PyBytes_CheckExact(object.ptr())) {
    data_ = reinterpret_cast<const std::byte*>(PyBytes_AS_STRING(object.ptr()));
    size_ = static_cast<std::size_t>(PyBytes_GET_SIZE(object.ptr()));
    return;
  }
  if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0) throw py::error_already_set();
  has_buffer_ = true;
  data_ = static_cast<const std::byte*>(buffer_.buf);
  size_ = static_cast<std::size_t>(buffer_.len);
}

BufferView::~BufferView() {
  if (has_buffer_) PyBuffer_Release(&buffer_);
}

Slice keep_bytes(const py::handle& object) {
  // Only bytes never change; what else has a buffer might, after the call has returned.
  if (!PyBytes_CheckExact(object.ptr()) || PyBytes_GET_SIZE(object.ptr()) < static_cast<Py_ssize_t>(few_bytes)) {
    return Slice::copy_of(BufferView(object).slice().bytes());
  }
  const auto size = static_cast<std::size_t>(PyBytes_GET_SIZE(object.ptr()));
  char* const data = PyBytes_AS_STRING(object.ptr());
  Block* const block = Block::adopt(
      data, size, [](void* owner) { drop_reference(static_cast<PyObject*>(owner)); }, object.ptr());
  object.inc_ref();
  return {block, block->data(), size};
}

py::object bytes_of(const Slice& slice) {
  PyObject* const bytes =
      PyBytes_FromStringAndSize(reinterpret_cast<const char*>(slice.data()), static_cast<Py_ssize_t>(slice.size()));
  if (bytes == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(bytes);
}

}  // namespace trunkline::python
