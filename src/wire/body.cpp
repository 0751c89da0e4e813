// SPDX-License-Identifier: MIT
// FrameBody: the error of a body whose parts do not add up.
#include "wire/body.h"

#include <string>

namespace trunkline::wire {

Status broken_body(const FrameHeader& header, ByteSpan body, std::uint32_t max_header_bytes) {
  const std::uint32_t size = load_little<std::uint32_t>(body.data());
  const std::size_t room = body.size() - block_size_bytes;
  std::string text = "decode frame: header block of " + std::to_string(size) + " bytes ";
  if (size > max_header_bytes) {
    return {StatusCode::resource_exhausted, text + "exceeds max_header_bytes " + std::to_string(max_header_bytes)};
  }
  text += "in a " + std::string(to_string(header.type)) + " frame with room for " + std::to_string(room);
  if (size < room) text += header.has(flag::message) ? " and no codec" : " and no message";
  return {StatusCode::internal, text};
}

}  // namespace trunkline::wire
