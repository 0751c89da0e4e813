// SPDX-License-Identifier: MIT
// Looks up the codec number of the first message of a kind.
#include "session/native/direct_form.h"

namespace trunkline::session::native {

std::uint8_t DirectForm::look_up(const OutgoingMessage& message, const Negotiation& negotiation) noexcept {
  const MessageType* type = message.message.type;
  if (type != nullptr && (type->size == nullptr || message.codec->name() != type->direct_codec)) return 0;
  codec_ = message.codec;
  type_ = type;
  number_ = negotiation.number_of(*message.codec);
  return number_;
}

}  // namespace trunkline::session::native
