// SPDX-License-Identifier: MIT
// MessageReader: reads incoming messages, whole or in chunks, finds their codecs, and decompresses them (docs/wire.md,
// section 7).
#pragma once

#include "session/native/current_event.h"
#include "session/native/message_encoding.h"
#include "session/native/open_calls.h"
#include "wire/header_block.h"

namespace trunkline::session::native {

/// The message of an event lives in the receive buffer if it came whole and uncompressed, else in the event in hand.
class MessageReader {
 public:
  /// All references outlive the object.
  MessageReader(const SessionOptions& options, const Negotiation& negotiation, ReceiveCredit& credit, OpenCalls& calls,
                CurrentEvent& current, SessionOwner& owner) noexcept
      : options_(options),
        negotiation_(negotiation),
        credit_(credit),
        calls_(calls),
        current_(current),
        owner_(owner) {}

  /// Codec and compressor numbers that are not in the peer's hello, or not on the `first` frame of a message, are an
  /// error of the connection.
  Status check_numbers(const wire::FrameHeader& header, bool first) const;
  /// A message without codec is an error as well, unless it is empty and whole. `bytes` of it are in its first frame.
  static Status check_codec(const wire::FrameHeader& header, std::size_t bytes);
  /// Reads a message that is whole in one frame. `block` owns `payload`. A compressed message stays so
  /// (event.is_compressed), but the size that it claims is within the limits. Errors concern the call alone.
  Status read_whole(const wire::FrameHeader& header, ByteSpan payload, Block* block, Event& event);
  /// Reads a frame that begins, continues or ends a message in chunks. event.has_message tells whether it is whole now.
  Status read_chunk(CallState& call, const wire::FrameHeader& header, const wire::HeaderBlock& block, ByteSpan chunk,
                    Event& event);
  /// Replaces the payload of an event that is_compressed with what it decompresses to. Errors concern the call alone.
  Status decompress(Event& event);

 private:
  std::size_t room_for(const CallState& call, std::uint64_t total, const wire::FrameHeader& header,
                       ByteSpan first_chunk) const;
  Status begin(CallState& call, const wire::FrameHeader& header, const wire::HeaderBlock& block, ByteSpan chunk);
  Status decode(std::uint8_t codec, std::uint8_t compressor, ByteSpan payload, Event& event);

  const SessionOptions& options_;
  const Negotiation& negotiation_;
  ReceiveCredit& credit_;
  OpenCalls& calls_;
  CurrentEvent& current_;
  SessionOwner& owner_;
};

}  // namespace trunkline::session::native
