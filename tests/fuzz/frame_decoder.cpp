// SPDX-License-Identifier: MIT
// Fuzz target: a stream of frames; the first byte of the input selects the sender.
#include "fuzz/requirement.h"
#include "wire/body.h"
#include "wire/control.h"
#include "wire/header_block.h"
#include "wire/hello.h"

#include <algorithm>
#include <array>

namespace trunkline::wire {
namespace {

using fuzz::require;

bool lies_within(ByteSpan part, ByteSpan whole) {
  return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

/// Headers that check_header() accepts keep these whatever else they say.
void require_sane(const FrameHeader& header, Sender from) {
  const bool of_call =
      header.type == FrameType::call || header.type == FrameType::message || header.type == FrameType::finish;
  require(of_call || ((header.flags & ~flag::ignorable) | header.codec | header.compressor) == 0);
  require(!of_call || header.call != 0);
  require(header.type != FrameType::finish || (from == Sender::server && is_valid_status_code(header.number)));
  require((header.type != FrameType::call && header.type != FrameType::cancel) || from == Sender::client);
  require(!header.has(flag::headers) || header.length >= block_size_bytes);
  require(header.has(flag::message) || header.codec == 0);
  require(header.codec != 0 || header.compressor == 0);
}

bool read_call_frame(const FrameHeader& header, ByteSpan body) {
  FrameBody parts;
  if (!split_body(header, body, Hello().max_header_bytes, parts)) return false;
  require(lies_within(parts.fields, body) && lies_within(parts.message, body));
  require(parts.fields.size() + parts.message.size() + (header.has(flag::headers) ? block_size_bytes : 0) ==
          body.size());
  HeaderBlock block;
  return read_header_block(parts.fields, header.type, block).is_ok();
}

bool read_frame_body(const FrameHeader& header, ByteSpan body) {
  std::string_view reason;
  switch (header.type) {
    case FrameType::hello:
      return read_hello(body).is_ok();
    case FrameType::call:
    case FrameType::message:
    case FrameType::finish:
      return read_call_frame(header, body);
    case FrameType::ping:
    case FrameType::pong:
      require(std::ranges::equal(read_ping(body), body));
      return true;
    case FrameType::goaway:
      return read_goaway(body, reason).is_ok();
    default:
      require(body.empty());
      return true;
  }
}

/// Takes one frame off the front; false at the end or at an error.
bool take_frame(ByteSpan& stream, Sender from) {
  if (stream.size() < header_bytes) return false;
  const FrameHeader header = read_header(stream.data());
  std::array<std::byte, header_bytes> again{};
  write_header(header, again.data());
  require(std::ranges::equal(again, stream.first(header_bytes)));
  Status why;
  if (!check_length(header, Hello().max_frame_bytes, why)) return require(!why), false;
  const FrameVerdict verdict = check_header(header, from, why);
  require(why.is_ok() == (verdict != FrameVerdict::refuse));
  if (verdict == FrameVerdict::refuse || stream.size() < header_bytes + header.length) return false;
  const ByteSpan body = stream.subspan(header_bytes, header.length);
  stream = stream.subspan(header_bytes + header.length);
  if (verdict == FrameVerdict::skip) return true;
  require_sane(header, from);
  return read_frame_body(header, body);
}

}  // namespace
}  // namespace trunkline::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline::wire;
  if (size == 0) return 0;
  const Sender from = (data[0] & 1) == 0 ? Sender::client : Sender::server;
  trunkline::ByteSpan stream(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  while (take_frame(stream, from)) continue;
  return 0;
}
