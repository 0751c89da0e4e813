// SPDX-License-Identifier: MIT
// FrameSpec: a frame specified by a test, valid or not; and frames read back from bytes.
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

/// A frame as a test wants it; nothing is checked. It has a header block if any field of one is set.
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
  /// What follows the header block.
  std::string body{};

  std::string bytes() const;
};

std::string preface();
std::string hello(const wire::Hello& hello);
/// The first bytes of a peer with codec "bytes" as number 1: preface and hello.
std::string greeting(const wire::Hello& limits = {});

/// A unary call of codec 1. It defines the method id `number` if `method` is not empty.
FrameSpec call(std::uint32_t id, std::uint32_t number, std::string_view method = {}, std::string_view message = {});
/// A message frame with codec 1.
FrameSpec message(std::uint32_t id, std::string_view message, std::uint8_t more_flags = 0);
/// An ok response of codec 1.
FrameSpec finish(std::uint32_t id, std::string_view message = {});
FrameSpec failed(std::uint32_t id, StatusCode code, std::string_view text = {}, bool unprocessed = false);
FrameSpec cancel(std::uint32_t id, std::uint32_t number = 1);
FrameSpec credit(std::uint32_t id, std::uint32_t bytes);
FrameSpec ping(std::string_view eight_bytes = "12345678");
FrameSpec goaway(std::uint32_t last, std::uint32_t code = 0, std::string_view reason = {});

/// One frame that a session has sent.
struct SeenFrame {
  wire::FrameHeader header{};
  /// With its header block.
  std::string body{};
  /// The part that is message bytes.
  std::string message{};
  std::string method{};
  std::uint64_t message_bytes = 0;
  std::uint64_t timeout_us = 0;
  bool has_timeout = false;
  std::string status_message{};
  Metadata metadata{};

  bool is(wire::FrameType type) const noexcept { return header.type == type; }
};

/// Frames out of a stream of bytes that comes in any parts.
class FrameReader {
 public:
  /// `with_preface`: the stream begins with a preface.
  explicit FrameReader(bool with_preface) noexcept : preface_pending_(with_preface) {}

  /// The frames that are complete now, in order.
  std::vector<SeenFrame> read(std::string_view bytes);
  /// Bytes of an incomplete frame.
  std::size_t rest() const noexcept { return buffer_.size(); }

 private:
  bool preface_pending_;
  std::string buffer_;
};

}  // namespace trunkline::kit
