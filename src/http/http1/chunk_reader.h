// SPDX-License-Identifier: MIT
// ChunkReader: reads the content of a message that comes in chunks (RFC 9112, section 7.1).
#pragma once

#include "http/http1/head_scanner.h"
#include "http/http1/message_fields.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trunkline::http::http1 {

/// A reader without a buffer. It skips the names and values of extensions, up to a limit for the whole content.
class ChunkReader {
 public:
  enum class Outcome : std::uint8_t {
    needs_input,
    /// data() is content, or the next part of it.
    data,
    /// The last chunk and the trailers have been read.
    end,
    refused,
  };

  /// The longest line with the size of a chunk, its extensions and the end of the line.
  static constexpr std::size_t max_line_bytes = 256;
  static constexpr std::size_t max_extension_bytes = 16 << 10;

  explicit ChunkReader(const HeadLimits& limits) noexcept;

  /// Takes `consumed` bytes off the front of `input`. After needs_input, the bytes that follow these must come again
  /// with more behind them; they are less than max_line_bytes, or the trailers.
  Outcome read(std::string_view input, std::size_t& consumed);
  /// Returns the data after `data`: a view of the input.
  std::string_view data() const noexcept { return data_; }
  /// Returns how many bytes of the chunk that is being read are left.
  std::uint64_t left() const noexcept { return left_; }
  /// Returns the trailers after `end`. They are valid as long as the input is.
  const MessageFields& trailers() const noexcept { return trailers_; }
  /// Returns the error after `refused`.
  MessageError error() const noexcept { return error_; }
  /// Prepares for another content.
  void reset() noexcept;

 private:
  enum class Place : std::uint8_t { size, data, end_of_data, trailers };

  Outcome refuse(MessageError error) noexcept {
    error_ = error;
    return Outcome::refused;
  }
  Outcome read_size(std::string_view input, std::size_t& consumed) noexcept;
  Outcome read_trailers(std::string_view input, std::size_t& consumed);

  HeadLimits limits_;
  HeadScanner scanner_;
  MessageFields trailers_;
  Place place_ = Place::size;
  std::uint64_t left_ = 0;
  std::size_t extension_bytes_ = 0;
  std::string_view data_;
  MessageError error_ = MessageError::none;
};

}  // namespace trunkline::http::http1
