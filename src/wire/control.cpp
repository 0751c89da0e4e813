// SPDX-License-Identifier: MIT
// Writes goaway frames and reads their reason.
#include "wire/control.h"

#include "base/utf8.h"
#include "wire/text.h"

namespace trunkline::wire {

void write_goaway(std::uint32_t last_call, StatusCode code, std::string_view reason, BufferWriter& out) {
  reason = utf8_prefix(reason, max_reason_bytes);
  append_header({.length = static_cast<std::uint32_t>(reason.size()),
                 .type = FrameType::goaway,
                 .call = last_call,
                 .number = static_cast<std::uint32_t>(code)},
                out);
  if (reason.empty()) return;
  copy_as_utf8(reason, out.prepare(reason.size()).data());
  out.advance(reason.size());
}

Status read_goaway(ByteSpan body, std::string_view& reason) {
  reason = as_text(body);
  if (base::is_utf8(reason)) return {};
  return {StatusCode::internal, "decode frame: goaway reason is not utf-8"};
}

}  // namespace trunkline::wire
