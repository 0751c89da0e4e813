// SPDX-License-Identifier: MIT
// Leading metadata of responses.
#include "kit/lone_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

using kit::LoneSession;

TEST(UnaryLeadingMetadata, IsSentBeforeTheResponse) {
  LoneSession lone(Role::server);
  lone.greet();
  lone.on_call = LoneSession::OnCall::ignore;
  lone.end().on_event = [&](Event& event) {
    if (event.type != EventType::call) return;
    Metadata leading;
    leading.add("k", "v");
    EXPECT_TRUE(lone.session().send(event.id, {}, &leading, false).is_ok());
    EXPECT_TRUE(lone.session().finish(event.id, {}, kit::payload("y"), nullptr, false).is_ok());
  };

  lone.feed({kit::call(1, 1, "a/b", "x")});

  const auto sent = lone.sent_frames();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].metadata.get("k"), "v");
  EXPECT_EQ(sent[1].message, "y");
  EXPECT_EQ(lone.session().open_calls(), 0u);
}

}  // namespace
}  // namespace trunkline::session::native
