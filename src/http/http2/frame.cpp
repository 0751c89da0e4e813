// SPDX-License-Identifier: MIT
// The requirements of each type of frame for its header.
#include "http/http2/frame.h"

#include <array>

namespace trunkline::http::http2 {
namespace {

enum class StreamField : std::uint8_t { zero, id, any };

struct TypeRule {
  std::string_view name;
  StreamField stream;
  std::uint32_t min_length;
  std::uint32_t max_length;
};

constexpr std::uint32_t any_length = 0xFFFFFFFF;
constexpr std::array<TypeRule, 10> rules{{
    {"DATA", StreamField::id, 0, any_length},
    {"HEADERS", StreamField::id, 0, any_length},
    {"PRIORITY", StreamField::id, 5, 5},
    {"RST_STREAM", StreamField::id, 4, 4},
    {"SETTINGS", StreamField::zero, 0, any_length},
    {"PUSH_PROMISE", StreamField::id, 4, any_length},
    {"PING", StreamField::zero, ping_bytes, ping_bytes},
    {"GOAWAY", StreamField::zero, 8, any_length},
    {"WINDOW_UPDATE", StreamField::any, 4, 4},
    {"CONTINUATION", StreamField::id, 0, any_length},
}};

/// Returns the size of the fields that the flags announce.
std::uint32_t length_of_flagged(const FrameHeader& header) noexcept {
  const bool may_be_padded =
      header.type == FrameType::data || header.type == FrameType::headers || header.type == FrameType::push_promise;
  std::uint32_t length = 0;
  if (may_be_padded && header.has(flag::padded)) length += 1;
  if (header.type == FrameType::headers && header.has(flag::priority)) length += 5;
  return length;
}

}  // namespace

std::string_view to_string(FrameType type) noexcept {
  const auto number = static_cast<std::size_t>(type);
  return number < rules.size() ? rules[number].name : "unknown";
}

FrameError check_frame_header(const FrameHeader& header, std::uint32_t max_frame_bytes) noexcept {
  // The check holds for every type (section 5.4.1): nobody has to skip megabytes that were never allowed.
  if (header.length > max_frame_bytes) {
    return connection_error(ErrorCode::frame_size_error, "frame exceeds SETTINGS_MAX_FRAME_SIZE");
  }
  const auto number = static_cast<std::size_t>(header.type);
  if (number >= rules.size()) return {};
  const TypeRule& rule = rules[number];
  if (rule.stream == StreamField::id && header.stream == 0) {
    return connection_error(ErrorCode::protocol_error, "frame of a stream on stream 0");
  }
  if (rule.stream == StreamField::zero && header.stream != 0) {
    return connection_error(ErrorCode::protocol_error, "frame of the connection on a stream");
  }
  if (header.length < rule.min_length + length_of_flagged(header) || header.length > rule.max_length) {
    constexpr std::string_view reason = "frame has a wrong length for its type";
    // PRIORITY is the only type that changes nothing but its stream (section 6.3).
    if (header.type == FrameType::priority) return stream_error(ErrorCode::frame_size_error, reason);
    return connection_error(ErrorCode::frame_size_error, reason);
  }
  if (header.type == FrameType::settings) {
    if (header.has(flag::ack) && header.length != 0) {
      return connection_error(ErrorCode::frame_size_error, "SETTINGS with ACK has a payload");
    }
    if (header.length % 6 != 0) {
      return connection_error(ErrorCode::frame_size_error, "SETTINGS has a part of a setting");
    }
  }
  return {};
}

}  // namespace trunkline::http::http2
