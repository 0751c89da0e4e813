// SPDX-License-Identifier: MIT
// Messages as bytes on their way between Python's objects and the core, without a copy where they are many.
#pragma once

#include "payload.h"
#include "references.h"

#include <trunkline/slice.h>

namespace trunkline::python {

/// The bytes of a contiguous buffer, borrowed while this lives. With the GIL.
class BufferView {
 public:
  /// Throws TypeError for what has no buffer, BufferError for one that is not C-contiguous.
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

/// Whether a message's object may be changed while the core still has its bytes.
enum class Sharing : std::uint8_t {
  if_read_only,  ///< it may be if it can be: then it is copied
  while_waiting  ///< not by its sender, who waits for the call
};

/// A message on its way out. With the GIL.
class OutgoingBytes {
 public:
  /// Throws as BufferView does.
  explicit OutgoingBytes(const py::handle& object, Sharing sharing = Sharing::if_read_only);

  /// Many bytes have an owner, the object itself; few are borrowed while this lives.
  Slice slice() const noexcept { return kept_.empty() ? Slice(nullptr, view_.bytes().data(), view_.size()) : kept_; }
  /// With an owner in any case.
  Slice keep() const { return kept_.empty() ? Slice::copy_of(view_.bytes()) : kept_; }

 private:
  BufferView view_;
  Slice kept_;
};

/// Many bytes of a message that has come: Python's buffer protocol gives them without a copy.
class ReceivedBytes {
 public:
  explicit ReceivedBytes(Slice slice) noexcept : slice_(std::move(slice)) {}
  std::size_t size() const noexcept { return slice_.size(); }
  py::buffer_info buffer() const;

 private:
  Slice slice_;
};

/// As a new `bytes`.
py::object bytes_of(ByteSpan span);
/// A message that has come: as `bytes`; many that travelled as `bytes`, and so are not decoded, as ReceivedBytes.
py::object received(const Slice& bytes, std::string_view codec);
inline py::object received(const Payload& payload) { return received(payload.bytes, payload.codec); }

}  // namespace trunkline::python
