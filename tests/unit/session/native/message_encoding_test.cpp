// SPDX-License-Identifier: MIT
// Errors of encoding a message.
#include "session/native/message_encoding.h"
#include "kit/session_end.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

class ForeignCodec final : public Codec {
 public:
  std::string_view name() const noexcept override { return "foreign"; }
  bool supports(const MessageType&) const noexcept override { return true; }
  Status encode(MessageView, BufferWriter&) const override { return {}; }
  Status decode(const Slice&, MutableMessageView) const override { return {}; }
};

class QuietOwner : public SessionOwner {
 public:
  void on_session_wake() noexcept override {}
};

TEST(EncodeMessage, RefusesACodecOfAnotherRegistry) {
  const SessionOptions options = kit::plain_options();
  const Negotiation negotiation(Role::client, options);
  const ForeignCodec codec;
  QuietOwner owner;
  EncodedMessage out;

  const Status status = encode_message({.codec = &codec}, negotiation, options, owner, out);

  EXPECT_EQ(status.message(), "send message: codec foreign is not in the registry of this side");
}

TEST(EncodeMessage, ReturnsTheErrorOfTheCodec) {
  const SessionOptions options = kit::plain_options();
  const Negotiation negotiation(Role::client, options);
  const kit::Foreign foreign;
  QuietOwner owner;
  EncodedMessage out;

  const Status status = encode_message({.codec = &kit::bytes_codec(), .message = MessageView::of(foreign)}, negotiation,
                                       options, owner, out);

  EXPECT_FALSE(status.is_ok());
}

}  // namespace
}  // namespace trunkline::session::native
