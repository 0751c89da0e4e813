// SPDX-License-Identifier: MIT
// RequestHeader: how every request of a soak run begins, and what messages are filled with.
#pragma once

#include "records.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

namespace trunkline::soak {

static_assert(std::endian::native == std::endian::little, "records.py reads little-endian numbers");

/// Longest message.
inline constexpr std::size_t max_message_bytes = 16u << 20;

struct RequestHeader {
  CallNumber number = 0;
  /// Of this message.
  std::uint32_t request_bytes = 0;
  /// Of the response, or of each of them.
  std::uint32_t response_bytes = 0;
  /// Messages of a stream, in the direction in which there are several.
  std::uint32_t messages = 1;
  /// How long the handler works.
  std::uint32_t work_ms = 0;
};
static_assert(sizeof(RequestHeader) == 24);

/// `bytes` bytes for the call: its number, as far as that fits, and then one byte of it, so that a response of another
/// call is noticed.
inline void fill(std::string& message, CallNumber number, std::size_t bytes) {
  message.assign(bytes, static_cast<char>(number));
  std::memcpy(message.data(), &number, std::min(bytes, sizeof number));
}
inline bool is_filled(std::string_view message, CallNumber number, std::size_t bytes) {
  if (message.size() != bytes) return false;
  if (std::memcmp(message.data(), &number, std::min(bytes, sizeof number)) != 0) return false;
  return bytes <= sizeof number ||
         (message.back() == static_cast<char>(number) && message[bytes / 2] == message.back()) ||
         bytes / 2 < sizeof number;
}

/// At least as long as the header.
inline void write_request(std::string& message, const RequestHeader& header) {
  message.assign(header.request_bytes, static_cast<char>(header.number));
  std::memcpy(message.data(), &header, sizeof header);
}
/// False: the message is not what a client has sent.
inline bool read_request(std::string_view message, RequestHeader& header) {
  if (message.size() < sizeof header) return false;
  std::memcpy(&header, message.data(), sizeof header);
  return header.request_bytes == message.size() &&
         (message.size() == sizeof header || message.back() == static_cast<char>(header.number));
}

}  // namespace trunkline::soak
