// SPDX-License-Identifier: MIT
// written_frames(): what the parts of a connection have written, for tests.
#pragma once

#include "base/output_queue.h"
#include "http/http2/frame.h"

#include <array>
#include <ostream>
#include <string>
#include <vector>

namespace trunkline::http::http2 {

struct WrittenFrame {
  FrameHeader header;
  std::string payload;

  /// Returns the number that a WINDOW_UPDATE or RST_STREAM has.
  std::uint32_t number() const { return load_uint32(as_bytes(payload).data()); }
};

/// Takes all frames out of the output.
inline std::vector<WrittenFrame> written_frames(base::OutputQueue& output) {
  std::string bytes;
  while (!output.empty()) {
    std::array<ByteSpan, 64> spans;
    const std::size_t count = output.gather(spans);
    std::size_t size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      bytes += as_text(spans[i]);
      size += spans[i].size();
    }
    output.consume(size);
  }
  std::vector<WrittenFrame> frames;
  for (std::size_t at = 0; at + frame_header_bytes <= bytes.size();) {
    const FrameHeader header = read_frame_header(as_bytes(bytes).data() + at);
    frames.push_back({header, bytes.substr(at + frame_header_bytes, header.length)});
    at += frame_header_bytes + header.length;
  }
  return frames;
}

}  // namespace trunkline::http::http2
