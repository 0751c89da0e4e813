// SPDX-License-Identifier: MIT
// Turns Python buffers into slices, and slices into Python buffers.
#include "message_bytes.h"

#include "base/block_waste.h"

#include <utility>

namespace trunkline::python {

namespace {

/// Messages from this size on are not copied.
constexpr std::size_t many_bytes = 16 * 1024;

/// Returns a slice of bytes that belong to `owner`, which it keeps alive.
Slice adopt(ByteSpan bytes, py::object owner) {
  // The core only reads bytes that it has not allocated.
  auto* const data = const_cast<std::byte*>(bytes.data());
  Block* const block = Block::adopt(
      data, bytes.size(), [](void* object) { drop_reference(static_cast<PyObject*>(object)); }, owner.ptr());
  static_cast<void>(owner.release());
  return {block, data, bytes.size()};
}

/// Returns true for an object that does not move its bytes while its buffer is held.
bool can_be_held(const py::handle& object) {
  // Holding the buffer of a bytearray would prevent its caller from resizing it.
  return PyByteArray_Check(object.ptr()) == 0;
}

}  // namespace

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

OutgoingBytes::OutgoingBytes(const py::handle& object, Sharing sharing) : view_(object) {
  if (view_.size() < many_bytes) return;
  if (PyBytes_CheckExact(object.ptr())) {
    kept_ = adopt(view_.bytes(), py::reinterpret_borrow<py::object>(object));
  } else if (can_be_held(object) && (sharing == Sharing::while_waiting || view_.is_read_only())) {
    auto held = py::reinterpret_steal<py::object>(PyMemoryView_FromObject(object.ptr()));
    if (!held) throw py::error_already_set();
    const Py_buffer& buffer = *PyMemoryView_GET_BUFFER(held.ptr());
    // An exporter may return other memory each time, which this buffer does not keep alive.
    const bool is_same = buffer.buf == view_.bytes().data() && buffer.len == static_cast<Py_ssize_t>(view_.size());
    if (is_same) kept_ = adopt(view_.bytes(), std::move(held));
  }
}

py::buffer_info ReceivedBytes::buffer() const {
  const auto size = static_cast<py::ssize_t>(slice_.size());
  // The buffer is read-only, as the last argument states.
  return {const_cast<std::byte*>(slice_.data()), 1, "B", 1, {size}, {1}, true};
}

py::object bytes_of(ByteSpan span) {
  PyObject* const bytes =
      PyBytes_FromStringAndSize(reinterpret_cast<const char*>(span.data()), static_cast<Py_ssize_t>(span.size()));
  if (bytes == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(bytes);
}

py::object received(const Slice& bytes, std::string_view codec) {
  const bool may_be_viewed = bytes.size() >= many_bytes && bytes.block() != nullptr && !base::wastes_its_block(bytes);
  if (!may_be_viewed || codec != "bytes") return bytes_of(bytes.bytes());
  return py::cast(ReceivedBytes(bytes));
}

}  // namespace trunkline::python
