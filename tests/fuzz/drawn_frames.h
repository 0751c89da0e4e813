// SPDX-License-Identifier: MIT
// DrawnFrames: frames of a peer of HTTP/2, drawn from the bytes of a fuzzer.
#pragma once

#include "fuzz/session_driver.h"
#include "http/http2/frame_writer.h"
#include "http/http2/settings.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::fuzz {

/// The frames have correct lengths; everything else comes from the tape.
class DrawnFrames {
 public:
  /// `tape` outlives the object.
  explicit DrawnFrames(Tape& tape) noexcept : tape_(tape) {}

  /// Mostly one of the first 32 streams, so that frames meet on them.
  std::uint32_t stream() {
    const std::uint8_t drawn = tape_.byte();
    return drawn == 255 ? tape_.number(4) & http::http2::max_stream_id : drawn % 32u;
  }
  /// Of a message, whole or in part, or of any bytes.
  std::string data() {
    constexpr std::size_t longest = http::http2::min_max_frame_bytes;
    const std::uint32_t id = stream();
    const std::uint8_t shape = tape_.byte();
    std::string bytes;
    if ((shape & 1) == 0) {
      const std::uint32_t size = (shape & 2) != 0 ? tape_.number(2) * 2u : tape_.byte();
      bytes = {'\0', '\0', static_cast<char>(size >> 16), static_cast<char>(size >> 8), static_cast<char>(size)};
      if ((shape & 4) == 0) bytes.append(size, 'x');
    } else {
      bytes = tape_.text(tape_.byte());
      if ((shape & 4) != 0) bytes.append(tape_.number(2) % longest, 'x');
    }
    BufferWriter out;
    while (bytes.size() > longest) {
      http::http2::append_data(id, as_bytes(std::string_view(bytes)).first(longest), false, out);
      bytes.erase(0, longest);
    }
    http::http2::append_data(id, as_bytes(std::string_view(bytes)), (shape & 8) != 0, out);
    return text_of(out);
  }
  /// A message with a prefix that fits it, in frames of a size that the tape chooses.
  std::string message(std::uint32_t id) {
    const std::uint8_t shape = tape_.byte();
    const std::uint32_t size = (shape & 1) != 0 ? tape_.number(2) * 2u : tape_.byte();
    std::string bytes{'\0', '\0', static_cast<char>(size >> 16), static_cast<char>(size >> 8), static_cast<char>(size)};
    bytes.append(size, 'x');
    const std::size_t part = (shape & 2) != 0 ? bytes.size() / (std::size_t{2} + shape / 16u) + 1
                                              : std::size_t{http::http2::min_max_frame_bytes};
    BufferWriter out;
    for (std::string_view rest = bytes; !rest.empty(); rest.remove_prefix(std::min(part, rest.size()))) {
      http::http2::append_data(id, as_bytes(rest.substr(0, part)), false, out);
    }
    return text_of(out);
  }
  /// Of any type.
  std::string frame() {
    const auto type = static_cast<http::http2::FrameType>(tape_.byte() % 12);
    const std::uint8_t flags = tape_.byte();
    const std::uint32_t id = stream();
    const std::string payload = tape_.text(tape_.byte());
    BufferWriter out;
    http::http2::append_frame_header(
        {.length = static_cast<std::uint32_t>(payload.size()), .type = type, .flags = flags, .stream = id}, out);
    out.append(payload);
    return text_of(out);
  }
  std::string setting() {
    const auto id = static_cast<http::http2::SettingId>(tape_.byte() % 8);
    const std::array<http::http2::Setting, 1> settings{{{id, tape_.number(tape_.byte() % 5)}}};
    BufferWriter out;
    http::http2::append_settings(settings, out);
    return text_of(out);
  }
  std::string window_update() {
    BufferWriter out;
    const std::uint32_t id = stream();
    http::http2::append_window_update(id, tape_.number(tape_.byte() % 5) & http::http2::max_stream_id, out);
    return text_of(out);
  }
  std::string reset() {
    BufferWriter out;
    const std::uint32_t id = stream();
    http::http2::append_rst_stream(id, static_cast<http::http2::ErrorCode>(tape_.byte() % 16), out);
    return text_of(out);
  }

 private:
  static std::string text_of(const BufferWriter& out) { return std::string(as_text(out.bytes())); }

  Tape& tape_;
};

}  // namespace trunkline::fuzz
