// SPDX-License-Identifier: MIT
// DirectForm: which messages can be written straight into the output, and under which codec number.
#pragma once

#include "session/native/negotiation.h"
#include "session/session.h"

#include <cstddef>
#include <cstdint>

namespace trunkline::session::native {

/// A message has a direct form if its type knows its encoded size and its codec, or if it is bytes already encoded.
/// Remembers the last kind of message that had one, so that codec names are not compared for each message.
class DirectForm {
 public:
  /// Returns the codec's number on this connection, or 0 if the message must be encoded first.
  std::uint8_t number_of(const OutgoingMessage& message, const Negotiation& negotiation) noexcept {
    if (message.codec == codec_ && message.message.type == type_) [[likely]]
      return number_;
    return look_up(message, negotiation);
  }
  /// Returns number_of() for a message with a type and of the same kind as the last one, and 0 for all others.
  std::uint8_t number_of_last_kind(const OutgoingMessage& message) const noexcept {
    const bool is_same = message.message.type != nullptr && message.message.type == type_ && message.codec == codec_;
    return is_same ? number_ : std::uint8_t{0};
  }

 private:
  std::uint8_t look_up(const OutgoingMessage& message, const Negotiation& negotiation) noexcept;

  const Codec* codec_ = nullptr;
  const MessageType* type_ = nullptr;
  std::uint8_t number_ = 0;
};

}  // namespace trunkline::session::native
