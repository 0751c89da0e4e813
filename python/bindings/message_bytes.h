// SPDX-License-Identifier: MIT
// Carries messages as bytes between Python objects and the core. Long ones are not copied.
#pragma once

#include "payload.h"
#include "references.h"

#include <trunkline/slice.h>

namespace trunkline::python {

/// The bytes of a contiguous buffer, borrowed for the lifetime of this object. It requires the GIL.
class BufferView {
 public:
  /// Throws TypeError for an object without a buffer, and BufferError for one that is not C-contiguous.
  explicit BufferView(const py::handle& object);
  ~BufferView();
  BufferView(const BufferView&) = delete;
  BufferView& operator=(const BufferView&) = delete;

  ByteSpan bytes() const noexcept { return {data_, size_}; }
  std::size_t size() const noexcept { return size_; }
  bool is_read_only() const noexcept { return !has_buffer_ || buffer_.readonly != 0; }

 private:
  Py_buffer buffer_{};
  bool has_buffer_ = false;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Says whether the object of a message may change while the core still has its bytes.
enum class Sharing : std::uint8_t {
  /// The object may change unless it is read-only; then it is copied.
  if_read_only,
  /// The object does not change, as its sender waits for the call.
  while_waiting
};

/// A message to send. It requires the GIL.
class OutgoingBytes {
 public:
  /// Throws what BufferView throws.
  explicit OutgoingBytes(const py::handle& object, Sharing sharing = Sharing::if_read_only);

  /// Returns the bytes. Long messages keep the object alive; short ones are borrowed for the lifetime of this object.
  Slice slice() const noexcept { return kept_.empty() ? Slice(nullptr, view_.bytes().data(), view_.size()) : kept_; }
  /// Returns bytes that keep the object alive or are a copy.
  Slice keep() const { return kept_.empty() ? Slice::copy_of(view_.bytes()) : kept_; }

 private:
  BufferView view_;
  Slice kept_;
};

/// The bytes of a long received message, which Python reads by the buffer protocol without a copy.
class ReceivedBytes {
 public:
  explicit ReceivedBytes(Slice slice) noexcept : slice_(std::move(slice)) {}
  std::size_t size() const noexcept { return slice_.size(); }
  py::buffer_info buffer() const;

 private:
  Slice slice_;
};

/// Returns a new `bytes` with a copy of the bytes.
py::object bytes_of(ByteSpan span);
/// Returns a received message: `bytes`, or ReceivedBytes for a long message of the codec `bytes`, which is not decoded.
py::object received(const Slice& bytes, std::string_view codec);
inline py::object received(const Payload& payload) { return received(payload.bytes, payload.codec); }

}  // namespace trunkline::python
