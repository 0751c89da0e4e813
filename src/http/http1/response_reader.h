// SPDX-License-Identifier: MIT
// ResponseReader: bytes to the heads of responses (RFC 9112, section 4).
#pragma once

#include "http/http1/head_scanner.h"
#include "http/http1/response_head.h"

#include <cstddef>
#include <string_view>

namespace trunkline::http::http1 {

/// As strict as RequestReader, with the same errors.
class ResponseReader {
 public:
  enum class Outcome : std::uint8_t { needs_input, head, refused };

  explicit ResponseReader(const HeadLimits& limits) noexcept : limits_(limits), scanner_(limits) {}

  /// `input` begins with a response. After needs_input, it is the same bytes with more behind them; after `head`, the
  /// next one.
  Outcome read(std::string_view input);
  /// After `head`: valid as long as the bytes are, until the next read().
  const ResponseHead& head() const noexcept { return head_; }
  /// After `head`: its bytes; the content follows.
  std::size_t size() const noexcept { return size_; }
  /// After `refused`.
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
