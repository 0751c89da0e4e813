// SPDX-License-Identifier: MIT
// FrameHeader: the 16 bytes before every frame's body, and the rules of docs/wire.md, section 2, that need no context.
#pragma once

#include "wire/byte_order.h"

#include <trunkline/status.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trunkline::wire {

enum class FrameType : std::uint8_t {
  hello = 1,
  call = 2,
  message = 3,
  finish = 4,
  cancel = 5,
  credit = 6,
  ping = 7,
  pong = 8,
  goaway = 9,
};

/// Returns the name of a type; "unknown" for a value outside the enumeration.
std::string_view to_string(FrameType type) noexcept;

namespace flag {
inline constexpr std::uint8_t headers = 0x01;
inline constexpr std::uint8_t message = 0x02;
inline constexpr std::uint8_t more = 0x04;
inline constexpr std::uint8_t end = 0x08;
inline constexpr std::uint8_t one_way = 0x10;
inline constexpr std::uint8_t unprocessed = 0x20;
/// A flag of later versions: a receiver that does not know it behaves as if it were 0.
inline constexpr std::uint8_t ignorable = 0x80;
}  // namespace flag

inline constexpr std::size_t header_bytes = 16;
inline constexpr std::size_t ping_bytes = 8;
inline constexpr std::size_t block_size_bytes = 4;
inline constexpr std::uint32_t max_hello_bytes = 16384;
inline constexpr std::uint32_t max_reason_bytes = 1024;
inline constexpr std::uint32_t max_credit_bytes = 0x7FFFFFFF;

/// A header with the layout of the wire: on a little-endian machine reading and writing are one copy.
struct FrameHeader {
  std::uint32_t length = 0;
  FrameType type{};
  std::uint8_t flags = 0;
  std::uint8_t codec = 0;
  std::uint8_t compressor = 0;
  std::uint32_t call = 0;
  std::uint32_t number = 0;

  bool has(std::uint8_t flag) const noexcept { return (flags & flag) != 0; }
  bool operator==(const FrameHeader&) const = default;
};
static_assert(sizeof(FrameHeader) == header_bytes);

/// Writes the header. `out` has room for header_bytes.
inline void write_header(const FrameHeader& header, std::byte* out) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(out, &header, header_bytes);
  } else {
    store_little(out, header.length);
    out[4] = static_cast<std::byte>(header.type);
    out[5] = static_cast<std::byte>(header.flags);
    out[6] = static_cast<std::byte>(header.codec);
    out[7] = static_cast<std::byte>(header.compressor);
    store_little(out + 8, header.call);
    store_little(out + 12, header.number);
  }
}

/// Reads header_bytes. The type may be outside the enumeration; check_header() detects that.
inline FrameHeader read_header(const std::byte* in) noexcept {
  FrameHeader header;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&header, in, header_bytes);
  } else {
    header.length = load_little<std::uint32_t>(in);
    header.type = static_cast<FrameType>(in[4]);
    header.flags = static_cast<std::uint8_t>(in[5]);
    header.codec = static_cast<std::uint8_t>(in[6]);
    header.compressor = static_cast<std::uint8_t>(in[7]);
    header.call = load_little<std::uint32_t>(in + 8);
    header.number = load_little<std::uint32_t>(in + 12);
  }
  return header;
}

enum class Sender : std::uint8_t { client, server };

enum class FrameVerdict : std::uint8_t {
  accept,
  /// The type is unknown, and the frame is to be skipped by its length.
  skip,
  /// The frame is a connection error.
  refuse,
};

namespace frame_rules {

/// Returns a set in which bit f says that f is a legal combination of flags from `allowed`.
constexpr std::uint64_t legal_flags(std::uint8_t allowed) noexcept {
  std::uint64_t legal = 0;
  for (unsigned flags = 0; flags < 64; ++flags) {
    const bool known = (flags & ~unsigned{allowed}) == 0;
    const bool more_is_right = (flags & flag::more) == 0 || ((flags & flag::message) != 0 && (flags & flag::end) == 0);
    const bool one_way_is_right = (flags & flag::one_way) == 0 || (flags & (flag::end | flag::more)) != 0;
    if (known && more_is_right && one_way_is_right) legal |= std::uint64_t{1} << flags;
  }
  return legal;
}

inline constexpr std::uint8_t call_flags = flag::headers | flag::message | flag::more | flag::end | flag::one_way;
inline constexpr std::uint8_t message_flags = flag::headers | flag::message | flag::more | flag::end;
inline constexpr std::uint8_t finish_flags = flag::headers | flag::message | flag::unprocessed;

/// The legal flags by sender and type; 0 for types that it may not send and for frames that belong to no call.
inline constexpr std::array<std::array<std::uint64_t, 8>, 2> legal_by_type{{
    {0, 0, legal_flags(call_flags), legal_flags(message_flags), 0, 0, 0, 0},
    {0, 0, 0, legal_flags(message_flags), legal_flags(finish_flags), 0, 0, 0},
}};

/// Returns true for a call, message or finish frame that keeps every rule; false for everything else.
inline bool is_valid_call_frame(const FrameHeader& header, Sender from) noexcept {
  const auto type = static_cast<unsigned>(header.type);
  if (type >= 8 || header.flags >= 64 || header.call == 0) return false;
  if ((legal_by_type[static_cast<unsigned>(from)][type] >> header.flags & 1) == 0) return false;
  const bool headers = header.has(flag::headers);
  const bool message = header.has(flag::message);
  if (message ? header.codec == 0 && header.compressor != 0 : (header.codec | header.compressor) != 0) return false;
  if (headers ? header.length < block_size_bytes : !message && header.length != 0) return false;
  if (header.type == FrameType::message) return header.number == 0;
  if (header.type == FrameType::finish) {
    return header.number == 0 ? !header.has(flag::unprocessed) : header.number <= 16 && !message;
  }
  if (message && header.codec == 0 && (header.has(flag::more) || (!headers && header.length != 0))) return false;
  return header.number != 0 || headers;
}

FrameVerdict check_other(const FrameHeader& header, Sender from, Status& why);

}  // namespace frame_rules

/// Applies every rule that needs neither the state of the connection, nor its limits, nor the body. `why` is set only
/// with refuse: internal, or resource_exhausted for an exceeded limit. The caller checks the rest: check_length(), that
/// `codec` and `compressor` are in the sender's list and only on the first frame of a message, and the body.
inline FrameVerdict check_header(const FrameHeader& header, Sender from, Status& why) {
  if (frame_rules::is_valid_call_frame(header, from)) [[likely]]
    return FrameVerdict::accept;
  return frame_rules::check_other(header, from, why);
}

/// Returns the error of a frame longer than the receiver's max_frame_bytes.
Status frame_too_long(std::uint32_t length, std::uint32_t max_frame_bytes);

/// Checks every frame, of unknown type too. Returns false and sets `why` if the frame is too long.
inline bool check_length(const FrameHeader& header, std::uint32_t max_frame_bytes, Status& why) {
  if (header.length <= max_frame_bytes) [[likely]]
    return true;
  why = frame_too_long(header.length, max_frame_bytes);
  return false;
}

}  // namespace trunkline::wire
