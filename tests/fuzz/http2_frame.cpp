// SPDX-License-Identifier: MIT
// Fuzz target: a stream of HTTP/2 frames; the first byte of the input selects the sender. What is accepted is written
// again.
#include "fuzz/requirement.h"
#include "http/http2/frame_writer.h"
#include "http/http2/header_rules.h"

#include <algorithm>
#include <vector>

namespace trunkline::http::http2 {
namespace {

using fuzz::require;

bool lies_within(ByteSpan part, ByteSpan whole) {
  return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

/// The written frame says the same as the one that was read.
void require_payload(const BufferWriter& written, FrameType type, ByteSpan payload) {
  const FrameHeader header = read_frame_header(written.bytes().data());
  require(header.type == type && header.length == payload.size());
  require(std::ranges::equal(written.bytes().subspan(frame_header_bytes), payload));
}

FrameError read_settings(ByteSpan payload, Sender from) {
  SettingsReader reader(payload);
  Settings settings;
  std::vector<Setting> all;
  FrameError first_error;
  for (Setting setting; reader.next(setting);) {
    all.push_back(setting);
    const FrameError error = settings.apply(setting, from);
    require(!error || error.scope == ErrorScope::connection);
    if (error && !first_error) first_error = error;
  }
  require(settings.initial_window_size <= max_stream_id);
  require(settings.max_frame_size >= min_max_frame_bytes && settings.max_frame_size <= max_frame_bytes_limit);
  BufferWriter again;
  append_settings(all, again);
  require_payload(again, FrameType::settings, payload);
  return first_error;
}

FrameError read_headers_frame(const FrameHeader& header, ByteSpan payload) {
  HeadersPayload headers;
  const FrameError error = read_headers(header, payload, headers);
  if (error.scope == ErrorScope::connection) return error;
  require(lies_within(headers.fragment, payload));
  require(!headers.has_priority || (headers.priority.weight >= 1 && headers.priority.weight <= 256));
  // A name and a value out of whatever is there.
  const std::string_view text = as_text(headers.fragment);
  const std::size_t cut = std::min(text.find('\n'), text.size());
  const FieldKind kind = classify_field(text.substr(0, cut), text.substr(cut));
  require(!HeaderRules(HeaderRules::Section::trailers).accept(kind) || kind == FieldKind::regular);
  return error;
}

FrameError read_goaway_frame(ByteSpan payload) {
  const GoawayPayload goaway = read_goaway(payload);
  require(lies_within(goaway.debug_data, payload));
  BufferWriter again;
  append_goaway(goaway.last_stream, goaway.code, goaway.debug_data, again);
  // Without the reserved bit.
  std::vector<std::byte> expected(payload.begin(), payload.end());
  expected[0] &= std::byte{0x7F};
  require_payload(again, FrameType::goaway, expected);
  return {};
}

FrameError read_payload(const FrameHeader& header, ByteSpan payload, Sender from) {
  ByteSpan data;
  Priority priority;
  PushPromisePayload promise;
  std::uint32_t increment = 0;
  BufferWriter again;
  FrameError error;
  switch (header.type) {
    case FrameType::data:
      error = read_data(header, payload, data);
      require(error || (lies_within(data, payload) && data.size() <= header.length));
      return error;
    case FrameType::headers:
      return read_headers_frame(header, payload);
    case FrameType::priority:
      error = read_priority(header, payload, priority);
      append_priority(header.stream, priority, again);
      require_payload(again, FrameType::priority, payload);
      return error;
    case FrameType::rst_stream:
      append_rst_stream(header.stream, read_rst_stream(payload), again);
      require_payload(again, FrameType::rst_stream, payload);
      return {};
    case FrameType::settings:
      return read_settings(payload, from);
    case FrameType::push_promise:
      error = read_push_promise(header, payload, promise);
      require(error || (promise.promised_stream % 2 == 0 && lies_within(promise.fragment, payload)));
      return error;
    case FrameType::ping:
      append_ping(read_ping(payload), false, again);
      require_payload(again, FrameType::ping, payload);
      return {};
    case FrameType::goaway:
      return read_goaway_frame(payload);
    case FrameType::window_update:
      error = read_window_update(header, payload, increment);
      require(error || (increment > 0 && increment <= max_stream_id));
      return error;
    case FrameType::continuation:
      break;
  }
  return {};
}

/// Takes one frame off the front; false at the end or at an error of the connection.
bool take_frame(ByteSpan& stream, Sender from) {
  if (stream.size() < frame_header_bytes) return false;
  const FrameHeader header = read_frame_header(stream.data());
  BufferWriter again;
  append_frame_header(header, again);
  require(read_frame_header(again.bytes().data()) == header);
  const FrameError error = check_frame_header(header, min_max_frame_bytes);
  require(error.reason.empty() == (error.scope == ErrorScope::none));
  if (error.scope == ErrorScope::connection || stream.size() - frame_header_bytes < header.length) return false;
  // A copy of exactly the size, so that a sanitizer detects a read past the end.
  const ByteSpan part = stream.subspan(frame_header_bytes, header.length);
  const std::vector<std::byte> payload(part.begin(), part.end());
  stream = stream.subspan(frame_header_bytes + header.length);
  return error || read_payload(header, payload, from).scope != ErrorScope::connection;
}

}  // namespace
}  // namespace trunkline::http::http2

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline::http::http2;
  if (size == 0) return 0;
  const Sender from = (data[0] & 1) == 0 ? Sender::client : Sender::server;
  trunkline::ByteSpan stream(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  while (take_frame(stream, from)) continue;
  return 0;
}
