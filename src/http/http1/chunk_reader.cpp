// SPDX-License-Identifier: MIT
// ChunkReader: reads the sizes, ends and trailers of chunks.
#include "http/http1/chunk_reader.h"

#include "http/http1/alphabets.h"

#include <algorithm>
#include <limits>

namespace trunkline::http::http1 {
namespace {

constexpr std::string_view line_end = "\r\n";

/// Returns the value of a hexadecimal digit; 16 for any other character.
constexpr unsigned hexadecimal_digit(char character) noexcept {
  if (character >= '0' && character <= '9') return static_cast<unsigned>(character - '0');
  const char lower = base::ascii_lower(character);
  return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a' + 10) : 16;
}

/// Returns the limits of trailers, which have no first line of their own.
HeadLimits limits_of_trailers(HeadLimits limits) noexcept {
  limits.max_first_line_bytes = limits.max_head_bytes;
  return limits;
}

}  // namespace

ChunkReader::ChunkReader(const HeadLimits& limits) noexcept : limits_(limits), scanner_(limits_of_trailers(limits)) {}

void ChunkReader::reset() noexcept {
  scanner_.reset();
  trailers_.clear();
  place_ = Place::size;
  left_ = 0;
  extension_bytes_ = 0;
  data_ = {};
  error_ = MessageError::none;
}

ChunkReader::Outcome ChunkReader::read(std::string_view input, std::size_t& consumed) {
  consumed = 0;
  for (;;) {
    const std::string_view rest = input.substr(consumed);
    switch (place_) {
      case Place::size: {
        if (const Outcome outcome = read_size(rest, consumed); outcome != Outcome::data) return outcome;
        place_ = left_ > 0 ? Place::data : Place::trailers;
        break;
      }
      case Place::data: {
        if (rest.empty()) return Outcome::needs_input;
        data_ = rest.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, rest.size())));
        left_ -= data_.size();
        consumed += data_.size();
        if (left_ == 0) place_ = Place::end_of_data;
        return Outcome::data;
      }
      case Place::end_of_data: {
        const std::size_t size = std::min(rest.size(), line_end.size());
        if (rest.substr(0, size) != line_end.substr(0, size)) return refuse(MessageError::chunk_without_end);
        if (size < line_end.size()) return Outcome::needs_input;
        consumed += size;
        place_ = Place::size;
        break;
      }
      case Place::trailers:
        return read_trailers(rest, consumed);
    }
  }
}

/// Reads the line with the size of a chunk. `data` says that the line was complete.
ChunkReader::Outcome ChunkReader::read_size(std::string_view input, std::size_t& consumed) noexcept {
  const std::size_t feed = input.substr(0, max_line_bytes).find('\n');
  if (feed == std::string_view::npos) {
    return input.size() >= max_line_bytes ? refuse(MessageError::chunk_line_too_long) : Outcome::needs_input;
  }
  if (feed == 0 || input[feed - 1] != '\r') return refuse(MessageError::bare_line_feed);
  const std::string_view line = input.substr(0, feed - 1);
  constexpr std::uint64_t limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) >> 4;
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < line.size() && hexadecimal_digit(line[digits]) < 16; ++digits) {
    if (size > limit) return refuse(MessageError::bad_chunk_size);
    size = size << 4 | hexadecimal_digit(line[digits]);
  }
  if (digits == 0) return refuse(MessageError::bad_chunk_size);
  const std::string_view extensions = line.substr(digits);
  // Some peers write blanks before the semicolon. The grammar does not allow them, so they are refused here.
  if (!extensions.empty() && extensions[0] != ';') return refuse(MessageError::bad_chunk_size);
  if (!is_value_text(extensions)) return refuse(MessageError::bad_chunk_size);
  extension_bytes_ += extensions.size();
  if (extension_bytes_ > max_extension_bytes) return refuse(MessageError::too_many_extensions);
  left_ = size;
  consumed += feed + 1;
  return Outcome::data;
}

ChunkReader::Outcome ChunkReader::read_trailers(std::string_view input, std::size_t& consumed) {
  const std::size_t size = std::min(input.size(), line_end.size());
  if (input.substr(0, size) == line_end.substr(0, size)) {
    if (size < line_end.size()) return Outcome::needs_input;
    consumed += size;
    return Outcome::end;
  }
  const HeadScanner::Outcome outcome = scanner_.scan(input);
  if (outcome == HeadScanner::Outcome::needs_input) return Outcome::needs_input;
  if (outcome == HeadScanner::Outcome::refused) {
    const bool is_long = scanner_.error() == MessageError::target_too_long;
    return refuse(is_long ? MessageError::head_too_long : scanner_.error());
  }
  const MessageError error = trailers_.read_trailers(input.substr(0, scanner_.size()), limits_.max_fields);
  if (error != MessageError::none) return refuse(error);
  consumed += scanner_.size();
  return Outcome::end;
}

}  // namespace trunkline::http::http1
