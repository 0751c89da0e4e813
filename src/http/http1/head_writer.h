// SPDX-License-Identifier: MIT
// HeadWriter: the heads of messages, so that no name or value can end a field before its end.
#pragma once

#include <trunkline/slice.h>

#include <cstdint>
#include <string_view>

namespace trunkline::http::http1 {

/// The name is a token, and the value has no control characters and no blanks at either end. Anything else could be
/// read as further fields, or as another message.
bool is_sendable_field(std::string_view name, std::string_view value) noexcept;

/// The usual words for a status; empty for those that have none.
std::string_view reason_of(std::uint16_t status) noexcept;

/// Appends to a buffer that outlives it.
class HeadWriter {
 public:
  explicit HeadWriter(BufferWriter& out) noexcept : out_(out) {}

  /// The first line of a request. `method` is a token and `target` one of RFC 9112, section 3.2. False: they are not,
  /// and nothing was written.
  [[nodiscard]] bool request_line(std::string_view method, std::string_view target);
  /// The first line of a response. `status` has three digits.
  void status_line(std::uint16_t status);
  /// False: is_sendable_field() is false, and nothing was written.
  [[nodiscard]] bool field(std::string_view name, std::string_view value);
  /// The same for values that are known to be sendable.
  void known_field(std::string_view name, std::string_view value);
  void number_field(std::string_view name, std::uint64_t value);
  /// The empty line.
  void end();

 private:
  BufferWriter& out_;
};

}  // namespace trunkline::http::http1
