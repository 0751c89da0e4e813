// SPDX-License-Identifier: MIT
// MessageAssembly: the message of a stream that comes in several frames.
#pragma once

#include "session/web/message_prefix.h"

#include <trunkline/slice.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace trunkline::session::web {

/// Collects the five bytes before each message, and then the message itself. It takes memory as the bytes come, so that
/// a length that a peer only claims costs nothing.
class MessageAssembly {
 public:
  /// Takes what is missing of the prefix from the front of `data`. Returns true once the prefix is whole.
  bool read_prefix(ByteSpan& data) noexcept {
    const std::size_t size = std::min(message_prefix_bytes - prefix_size_, data.size());
    std::memcpy(prefix_.data() + prefix_size_, data.data(), size);
    prefix_size_ += size;
    data = data.subspan(size);
    return prefix_size_ == message_prefix_bytes;
  }
  /// Returns the length of the message. Needs a whole prefix, or expect().
  std::uint32_t length() const noexcept { return http::http2::load_uint32(prefix_.data() + 1); }
  /// Needs a whole prefix. Flags above 1 are malformed, unless they mark the end of a client's response.
  unsigned flag() const noexcept { return std::to_integer<unsigned>(prefix_[0]); }
  bool has_prefix() const noexcept { return prefix_size_ == message_prefix_bytes; }
  /// Returns how much of the prefix has come.
  std::uint32_t prefix_bytes() const noexcept { return static_cast<std::uint32_t>(prefix_size_); }
  /// A message has begun, if only by a part of its prefix.
  bool is_amid_message() const noexcept { return prefix_size_ > 0; }

  /// The message is a body without a prefix, of which at most `length` bytes are expected. Call this before begin(), or
  /// to raise the length.
  void expect(std::uint32_t length) noexcept { http::http2::store_uint32(prefix_.data() + 1, length); }

  /// The message is to be gathered, since its end has not come.
  void begin() noexcept { is_gathering_ = true; }
  bool is_gathering() const noexcept { return is_gathering_; }
  /// Adds `bytes`, which are at most missing().
  void add(ByteSpan bytes) { body_.append(bytes); }
  std::size_t missing() const noexcept { return length() - body_.size(); }
  std::size_t gathered() const noexcept { return body_.size(); }
  /// The message is over, whether it was gathered or not.
  Slice take() noexcept {
    prefix_size_ = 0;
    is_gathering_ = false;
    return body_.take();
  }

 private:
  std::array<std::byte, message_prefix_bytes> prefix_{};
  std::size_t prefix_size_ = 0;
  bool is_gathering_ = false;
  BufferWriter body_;
};

}  // namespace trunkline::session::web
