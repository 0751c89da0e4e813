// SPDX-License-Identifier: MIT
// FrameReader: turns bytes into the content of messages and into control frames (RFC 6455, section 5).
#pragma once

#include "http/websocket/close_code.h"
#include "http/websocket/frame_header.h"

#include <trunkline/slice.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trunkline::http::websocket {

/// The reader of one side, for binary messages. It hands out the content of a message in the parts in which it comes,
/// still with the mask, and keeps nothing but an incomplete header or control frame. So no length that a peer announces
/// costs memory, and where messages and their fragments begin and end is checked and then forgotten.
class FrameReader {
 public:
  enum class Outcome : std::uint8_t {
    /// data() is a part of the content; empty for a frame without content.
    data,
    /// control() is a whole control frame.
    control,
    /// All of the input was read.
    needs_input,
    /// error() says what is wrong. Nothing more can be read.
    failed,
  };
  /// A part of a message's content. The mask has to be removed from `bytes`, which are a view of the input.
  struct Data {
    ByteSpan bytes{};
    Mask mask{};
  };
  /// A control frame, whose mask has been removed. The payload is valid until the next call.
  struct Control {
    Opcode opcode = Opcode::ping;
    ByteSpan payload{};
  };
  struct Error {
    CloseCode code = CloseCode::protocol_error;
    std::string_view text{};
  };

  /// Makes a reader. `expects_masks` says that the peer is a client.
  explicit FrameReader(bool expects_masks) noexcept : expects_masks_(expects_masks) {}

  /// Reads from the start of `input`, and removes the bytes that were read.
  Outcome next(ByteSpan& input) noexcept;
  const Data& data() const noexcept { return data_; }
  const Control& control() const noexcept { return control_; }
  const Error& error() const noexcept { return error_; }

 private:
  enum class State : std::uint8_t { in_header, in_data, in_control };

  bool read_header(ByteSpan& input) noexcept;
  bool begin_header() noexcept;
  bool end_header() noexcept;
  Outcome take_data(ByteSpan& input) noexcept;
  Outcome take_control(ByteSpan& input) noexcept;
  bool fail(CloseCode code, std::string_view text) noexcept;

  const bool expects_masks_;
  State state_ = State::in_header;
  /// True if a message has begun whose last frame has not come.
  bool is_in_message_ = false;
  Opcode opcode_ = Opcode::binary;
  std::uint8_t header_size_ = 0;
  std::uint8_t header_needed_ = 2;
  std::uint8_t control_size_ = 0;
  std::array<std::byte, max_frame_header_bytes> header_{};
  std::array<std::byte, max_control_bytes> payload_{};
  /// The number of bytes of the frame's content that are missing.
  std::uint64_t missing_ = 0;
  Mask mask_;
  Data data_;
  Control control_;
  Error error_{.code = CloseCode::normal, .text = {}};
};

}  // namespace trunkline::http::websocket
