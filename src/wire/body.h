// SPDX-License-Identifier: MIT
// FrameBody: the two parts of the body of a call, message or finish frame.
#pragma once

#include "wire/frame.h"

#include <trunkline/slice.h>
#include <trunkline/status.h>

namespace trunkline::wire {

/// The parts of a body, as views into it.
struct FrameBody {
  /// The header block without its size; empty without the flag headers.
  ByteSpan fields;
  /// The message; empty without the flag message.
  ByteSpan message;
};

/// Returns the error of a body that split_body() refuses.
Status broken_body(const FrameHeader& header, ByteSpan body, std::uint32_t max_header_bytes);

/// Splits the body of a call, message or finish frame that check_header() has accepted; body.size() is header.length.
/// Errors: internal (the sizes do not add up, or the message of a call has bytes but no codec), resource_exhausted
/// (block over max_header_bytes).
inline Status split_body(const FrameHeader& header, ByteSpan body, std::uint32_t max_header_bytes, FrameBody& out) {
  if (!header.has(flag::headers)) [[likely]] {
    out.fields = {};
    out.message = body;
    return {};
  }
  const std::size_t size = load_little<std::uint32_t>(body.data());
  const std::size_t room = body.size() - block_size_bytes;
  const bool may_have_more = header.has(flag::message) && (header.codec != 0 || header.type != FrameType::call);
  if (size > max_header_bytes || size > room || (size < room && !may_have_more)) {
    return broken_body(header, body, max_header_bytes);
  }
  out.fields = body.subspan(block_size_bytes, size);
  out.message = body.subspan(block_size_bytes + size);
  return {};
}

}  // namespace trunkline::wire
