// SPDX-License-Identifier: MIT
// FrameSpec: a frame written down by hand, right or wrong, and frames read back from bytes.
#pragma once

#include "wire/frame.h"
#include "wire/header_block.h"
#include "wire/hello.h"

#include <trunkline/metadata.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::kit {

/// A frame as a test wants it; nothing is checked. A header block is made if any of its fields is set.
struct FrameSpec {
  wire::FrameType type{};
  std::uint8_t flags = 0;
  std::uint8_t codec = 0;
  std::uint8_t compressor = 0;
  std::uint32_t call = 0;
  std::uint32_t number = 0;
  std::optional<std::string> method{};
  std::optional<std::uint64_t> timeout_us{};
  std::optional<std::uint64_t> message_bytes{};
  Metadata metadata{};
  std::string status_message{};
  std::string body{};  ///< after the header block

  std::string bytes() const;
};

std::string preface();
std::string hello(const wire::Hello& hello);
/// What a peer with codec "bytes" as number 1 says first: preface and hello.
std::string greeting(const wire::Hello& hello = {});

/// A unary call of codec 1: teaches `number` under `method` if that is not empty.
FrameSpec call(std::uint32_t id, std::uint32_t number, std::string_view method = {}, std::string_view message = {});
/// A message frame of codec 1.
FrameSpec message(std::uint32_t id, std::string_view message, std::uint8_t more_flags = 0);
/// An ok answer of codec 1.
FrameSpec finish(std::uint32_t id, std::string_view message = {});
FrameSpec failed(std::uint32_t id, StatusCode code, std::string_view text = {}, bool unprocessed = false);
FrameSpec cancel(std::uint32_t id, std::uint32_t number = 1);
FrameSpec credit(std::uint32_t id, std::uint32_t bytes);
FrameSpec ping(std::string_view eight_bytes = "12345678");
FrameSpec goaway(std::uint32_t last, std::uint32_t code = 0, std::string_view reason = {});

/// One frame of what a session has said.
struct SeenFrame {
  wire::FrameHeader header{};
  std::string body{};     ///< whole
  std::string message{};  ///< the message part
  std::string method{};
  std::uint64_t message_bytes = 0;
  std::uint64_t timeout_us = 0;
  bool has_timeout = false;
  std::string status_message{};
  Metadata metadata{};

  bool is(wire::FrameType type) const noexcept { return header.type == type; }
};

/// Frames out of a stream of bytes in any pieces.
class FrameReader {
 public:
  /// `with_preface`: the stream begins with one.
  explicit FrameReader(bool with_preface) noexcept : preface_pending_(with_preface) {}

  /// The frames that are whole by now, in order.
  std::vector<SeenFrame> read(std::string_view bytes);
  /// Bytes that are no whole frame.
  std::size_t rest() const noexcept { return buffer_.size(); }

 private:
  bool preface_pending_;
  std::string buffer_;
};

}  // namespace trunkline::kit
