// SPDX-License-Identifier: MIT
// ContentReader: reads the content of a message, whether its length is given, it comes in chunks, or it lasts until the
// connection ends (RFC 9112, section 6.3).
#pragma once

#include "http/http1/chunk_reader.h"
#include "http/http1/message_fields.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trunkline::http::http1 {

/// A reader without a buffer.
class ContentReader {
 public:
  using Outcome = ChunkReader::Outcome;

  explicit ContentReader(const HeadLimits& limits) noexcept : chunks_(limits) {}

  /// Begins after the head of a request has been read. Without a length and chunks the request has no content.
  void begin(bool is_chunked, std::uint64_t content_length) noexcept {
    is_chunked_ = is_chunked;
    left_ = is_chunked ? 0 : content_length;
    is_open_ended_ = false;
    if (is_chunked) chunks_.reset();
    is_over_ = !is_chunked && content_length == 0;
  }
  /// Begins after the head of a response has been read that names neither: its content lasts until end().
  void begin_open_ended() noexcept {
    is_chunked_ = is_over_ = false;
    is_open_ended_ = true;
    left_ = 0;
  }
  /// Says that the connection has ended, and all that came has been read. An open-ended content is over then.
  void end() noexcept { is_over_ = is_over_ || is_open_ended_; }
  /// Reads as ChunkReader::read() does. At the end of a content with a length nothing is consumed.
  Outcome read(std::string_view input, std::size_t& consumed) {
    consumed = 0;
    if (is_over_) return Outcome::end;
    if (is_chunked_) {
      const Outcome outcome = chunks_.read(input, consumed);
      is_over_ = outcome == Outcome::end;
      return outcome;
    }
    if (input.empty()) return Outcome::needs_input;
    if (is_open_ended_) {
      data_ = input;
      consumed = data_.size();
      return Outcome::data;
    }
    data_ = input.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size())));
    consumed = data_.size();
    left_ -= consumed;
    is_over_ = left_ == 0;
    return Outcome::data;
  }
  /// Returns the data after `data`: a view of the input.
  std::string_view data() const noexcept { return is_chunked_ ? chunks_.data() : data_; }
  bool is_chunked() const noexcept { return is_chunked_; }
  bool is_open_ended() const noexcept { return is_open_ended_; }
  /// Returns how many bytes are yet to come, as far as it is known: of the content, or of the chunk that is being read.
  std::uint64_t left() const noexcept { return is_chunked_ ? chunks_.left() : left_; }
  /// Returns true if all of the content has been read.
  bool is_over() const noexcept { return is_over_; }
  /// Returns the error after `refused`, which only chunks can be.
  MessageError error() const noexcept { return chunks_.error(); }

 private:
  ChunkReader chunks_;
  std::string_view data_;
  std::uint64_t left_ = 0;
  bool is_chunked_ = false;
  bool is_open_ended_ = false;
  bool is_over_ = true;
};

}  // namespace trunkline::http::http1
