// SPDX-License-Identifier: MIT
// HeadScanner: finds where the head of a message ends, however it arrives.
#pragma once

#include "http/http1/head_limits.h"
#include "http/http1/message_error.h"

#include <cstddef>
#include <string_view>

namespace trunkline::http::http1 {

/// Looks at each byte once. Lines end with CR LF and nothing else: a reader that takes a line feed alone for an end
/// sees other fields than one that does not, which is how requests are smuggled.
class HeadScanner {
 public:
  enum class Outcome : std::uint8_t { needs_input, head, refused };

  explicit HeadScanner(const HeadLimits& limits) noexcept : limits_(limits) {}

  /// Scans a head. `input` begins with it. After needs_input, it must be the same bytes with more behind them.
  Outcome scan(std::string_view input) noexcept;
  /// Returns the bytes of the head after `head`, with the empty line at its end.
  std::size_t size() const noexcept { return line_; }
  /// Returns the bytes of the first line after `head`, without its end.
  std::size_t first_line_size() const noexcept { return first_line_size_; }
  /// Returns the error after `refused`.
  MessageError error() const noexcept { return error_; }
  /// Prepares for another head.
  void reset() noexcept { *this = HeadScanner(limits_); }

 private:
  Outcome refuse(MessageError error) noexcept {
    error_ = error;
    return Outcome::refused;
  }

  HeadLimits limits_;
  /// The place where the line begins that is looked at.
  std::size_t line_ = 0;
  /// The place before which no line feed stands, from line_ on.
  std::size_t at_ = 0;
  std::size_t first_line_size_ = 0;
  MessageError error_ = MessageError::none;
};

}  // namespace trunkline::http::http1
