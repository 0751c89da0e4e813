// SPDX-License-Identifier: MIT
// HeadWriter: writes the heads of messages, so that no name or value can end a field before its end.
#pragma once

#include <trunkline/slice.h>

#include <cstdint>
#include <string_view>

namespace trunkline::http::http1 {

/// Returns true if the name is a token, and the value has no control characters and no blanks at either end. Anything
/// else could be read as further fields, or as another message.
bool is_sendable_field(std::string_view name, std::string_view value) noexcept;

/// Returns the usual words for a status; empty for those that have none.
std::string_view reason_of(std::uint16_t status) noexcept;

/// Appends to a buffer that outlives this object.
class HeadWriter {
 public:
  explicit HeadWriter(BufferWriter& out) noexcept : out_(out) {}

  /// Writes the first line of a request. `method` must be a token and `target` one of RFC 9112, section 3.2. If they
  /// are not, returns false and writes nothing.
  [[nodiscard]] bool request_line(std::string_view method, std::string_view target);
  /// Writes the first line of a response. `status` has three digits.
  void status_line(std::uint16_t status);
  /// Writes a field. If is_sendable_field() is false, returns false and writes nothing.
  [[nodiscard]] bool field(std::string_view name, std::string_view value);
  /// Writes a field whose name and value are known to be sendable.
  void known_field(std::string_view name, std::string_view value);
  void number_field(std::string_view name, std::uint64_t value);
  /// Writes the empty line that ends the head.
  void end();

 private:
  BufferWriter& out_;
};

}  // namespace trunkline::http::http1
