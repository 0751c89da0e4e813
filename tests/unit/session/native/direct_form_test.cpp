// SPDX-License-Identifier: MIT
// Which messages go straight into the output.
#include "session/native/direct_form.h"

#include "native_parts.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

TEST(DirectForm, OfATypeThatKnowsItsCodecIsRemembered) {
  NativeParts parts;
  const std::string text = "text";
  const OutgoingMessage message = kit::direct(text);
  DirectForm form;
  const std::uint8_t before = form.number_of_last_kind(message);

  EXPECT_EQ(before, 0);
  EXPECT_EQ(form.number_of(message, parts.negotiation), 1);
  EXPECT_EQ(form.number_of_last_kind(message), 1);
}

TEST(DirectForm, OfEncodedBytesIsNotOfTheLastKind) {
  NativeParts parts;
  const OutgoingMessage message = kit::payload("bytes");
  DirectForm form;

  EXPECT_EQ(form.number_of(message, parts.negotiation), 1);
  EXPECT_EQ(form.number_of_last_kind(message), 0);
}

TEST(DirectForm, IsMissingForATypeWithoutASize) {
  NativeParts parts;
  const kit::Foreign foreign;
  OutgoingMessage message;
  message.codec = &kit::bytes_codec();
  message.message = MessageView::of(foreign);
  DirectForm form;

  EXPECT_EQ(form.number_of(message, parts.negotiation), 0);
}

}  // namespace
}  // namespace trunkline::session::native
