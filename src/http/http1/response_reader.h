// SPDX-License-Identifier: MIT
// ResponseReader: turns bytes into the heads of responses (RFC 9112, section 4).
#pragma once

#include "http/http1/head_scanner.h"
#include "http/http1/response_head.h"

#include <cstddef>
#include <string_view>

namespace trunkline::http::http1 {

/// Reads as strictly as RequestReader, with the same errors.
class ResponseReader {
 public:
  enum class Outcome : std::uint8_t { needs_input, head, refused };

  explicit ResponseReader(const HeadLimits& limits) noexcept : limits_(limits), scanner_(limits) {}

  /// Reads a head, with which `input` begins. After needs_input, it must be the same bytes with more behind them; after
  /// `head`, the next head.
  Outcome read(std::string_view input);
  /// Returns the head after `head`. It is valid as long as the bytes are, until the next read().
  const ResponseHead& head() const noexcept { return head_; }
  /// Returns the size of the head after `head`, in bytes; the content follows it.
  std::size_t size() const noexcept { return size_; }
  /// Returns the error after `refused`.
  MessageError error() const noexcept { return error_; }

 private:
  MessageError read_first_line(std::string_view line) noexcept;

  HeadLimits limits_;
  HeadScanner scanner_;
  ResponseHead head_;
  std::size_t size_ = 0;
  MessageError error_ = MessageError::none;
};

}  // namespace trunkline::http::http1
