// SPDX-License-Identifier: MIT
// RequestReader: turns bytes into the heads of requests (RFC 9112, sections 2 to 6).
#pragma once

#include "http/http1/head_scanner.h"
#include "http/http1/request_head.h"

#include <cstddef>
#include <string_view>

namespace trunkline::http::http1 {

/// Takes nothing that can be read in two ways, also where RFC 9112 would let a server be lenient: a proxy before this
/// server may read it in the other way. One empty line before a request is skipped, as section 2.2 asks.
class RequestReader {
 public:
  enum class Outcome : std::uint8_t { needs_input, head, refused };

  explicit RequestReader(const HeadLimits& limits) noexcept : limits_(limits), scanner_(limits) {}

  /// Reads a head, with which `input` begins. After needs_input, it must be the same bytes with more behind them; after
  /// `head`, the next head.
  Outcome read(std::string_view input);
  /// Returns the head after `head`. It is valid as long as the bytes are, until the next read().
  const RequestHead& head() const noexcept { return head_; }
  /// Returns the size of the head after `head`, in bytes; the content follows it.
  std::size_t size() const noexcept { return size_; }
  /// Returns the error after `refused`.
  MessageError error() const noexcept { return error_; }
  /// Forgets what it has seen of a head.
  void reset() noexcept { scanner_.reset(); }

 private:
  MessageError read_first_line(std::string_view line) noexcept;
  MessageError read_target() noexcept;
  MessageError check() const noexcept;

  HeadLimits limits_;
  HeadScanner scanner_;
  RequestHead head_;
  std::size_t size_ = 0;
  MessageError error_ = MessageError::none;
};

}  // namespace trunkline::http::http1
