// SPDX-License-Identifier: MIT
// Fuzz target: frames of WebSocket. The first byte of the input selects the sender, the second one how the rest is cut.
// What comes of it does not depend on the cuts, and what is accepted can be written again.
#include "fuzz/requirement.h"
#include "http/websocket/frame_reader.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace trunkline::http::websocket {
namespace {

using fuzz::require;

struct Read {
  std::string content;
  /// Opcode, length and payload of each, in order, with the content that had come before it.
  std::string controls;
  CloseCode error = CloseCode::normal;

  bool operator==(const Read&) const = default;
};

void require_control(const FrameReader::Control& control) {
  require(is_control(control.opcode) && control.payload.size() <= max_control_bytes);
  const FrameHeader header{.opcode = control.opcode, .length = control.payload.size()};
  std::array<std::byte, max_frame_header_bytes> out;
  require(header.write(out.data()) == header.size() && header.size() == 2);
  if (control.opcode != Opcode::close) return;
  const CloseReason reason = read_close(control.payload);
  if (reason.error != CloseCode::normal) return;
  require(as_text(control.payload) == close_payload(reason.code, reason.text));
}

Read read_all(ByteSpan bytes, bool from_client, std::size_t step) {
  Read read;
  FrameReader reader(from_client);
  while (!bytes.empty()) {
    // A copy of exactly the size, so that a sanitizer detects a read past the end.
    const ByteSpan part = bytes.first(std::min(step, bytes.size()));
    const std::vector<std::byte> copy(part.begin(), part.end());
    bytes = bytes.subspan(part.size());
    ByteSpan input(copy);
    for (;;) {
      const FrameReader::Outcome outcome = reader.next(input);
      if (outcome == FrameReader::Outcome::needs_input) break;
      if (outcome == FrameReader::Outcome::failed) {
        read.error = reader.error().code;
        require(read.error != CloseCode::normal && !reader.error().text.empty());
        return read;
      }
      if (outcome == FrameReader::Outcome::control) {
        const FrameReader::Control& control = reader.control();
        require_control(control);
        read.controls += std::to_string(static_cast<unsigned>(control.opcode)) + ":" +
                         std::to_string(read.content.size()) + ":" + std::string(as_text(control.payload));
        continue;
      }
      const FrameReader::Data& data = reader.data();
      const std::size_t begin = read.content.size();
      read.content.resize(begin + data.bytes.size());
      data.mask.apply(reinterpret_cast<std::byte*>(read.content.data() + begin), data.bytes.data(), data.bytes.size());
    }
    require(input.empty());
  }
  return read;
}

}  // namespace
}  // namespace trunkline::http::websocket

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline::http::websocket;
  if (size < 2) return 0;
  const trunkline::ByteSpan bytes(reinterpret_cast<const std::byte*>(data) + 2, size - 2);
  const bool from_client = (data[0] & 1) == 0;
  const Read whole = read_all(bytes, from_client, std::max<std::size_t>(bytes.size(), 1));
  const Read parts = read_all(bytes, from_client, std::size_t{1} + data[1]);
  require(whole == parts);
  return 0;
}
