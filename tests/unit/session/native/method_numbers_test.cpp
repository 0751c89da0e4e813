// SPDX-License-Identifier: MIT
// Numbers of methods: which calls teach them, and how a number gets another name.
#include "kit/lone_session.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

using kit::FrameSpec;
using kit::LoneSession;
namespace flag = wire::flag;

/// The methods of the calls among the events, in order.
std::vector<std::string> methods_of(const std::vector<kit::SeenEvent>& events) {
  std::vector<std::string> methods;
  for (const auto& event : events) {
    if (event.type == EventType::call) methods.push_back(event.method);
  }
  return methods;
}

FrameSpec first_chunk(std::uint32_t id, std::uint32_t number, std::string_view method) {
  FrameSpec frame = kit::call(id, number, method, "abc");
  frame.flags = flag::message | flag::more;
  frame.message_bytes = 6;
  return frame;
}
FrameSpec last_chunk(std::uint32_t id) {
  FrameSpec frame = kit::message(id, "def", flag::end);
  frame.codec = 0;
  return frame;
}

TEST(MethodNumbers, AreTaughtByRefusedCalls) {
  SessionOptions options = kit::plain_options();
  options.max_concurrent_calls = 1;
  LoneSession lone(Role::server, options);
  lone.greet();
  FrameSpec late = kit::call(3, 3, "a/3", "x");
  late.timeout_us = 0;
  lone.feed({kit::call(1, 1, "a/1", "x"), kit::call(2, 2, "a/2", "x"), late});
  static_cast<void>(lone.session().finish(1, {}, {}, nullptr, false));
  static_cast<void>(lone.events());
  static_cast<void>(lone.sent_frames());

  lone.feed({kit::call(4, 2, {}, "x")});
  static_cast<void>(lone.session().finish(4, {}, {}, nullptr, false));
  lone.feed({kit::call(5, 3, {}, "x")});

  EXPECT_EQ(methods_of(lone.events()), (std::vector<std::string>{"a/2", "a/3"}));
}

TEST(MethodNumbers, MayBeGivenToAnotherName) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.feed({kit::call(1, 1, "a/1", "x"), kit::call(2, 2, "a/2", "x"), kit::call(3, 1, "b/1", "x"),
             kit::call(4, 1, {}, "x"), kit::call(5, 2, {}, "x")});

  EXPECT_EQ(methods_of(lone.events()), (std::vector<std::string>{"a/1", "a/2", "b/1", "b/1", "a/2"}));
}

TEST(MethodNumbers, MayBeGivenAwayByACallThatIsRefused) {
  SessionOptions options = kit::plain_options();
  options.max_concurrent_calls = 1;
  LoneSession lone(Role::server, options);
  lone.greet();
  lone.feed({kit::call(1, 1, "a/1", "x"), kit::call(2, 1, "b/1", "x")});
  static_cast<void>(lone.session().finish(1, {}, {}, nullptr, false));

  lone.feed({kit::call(3, 1, {}, "x")});

  EXPECT_EQ(methods_of(lone.events()), (std::vector<std::string>{"a/1", "b/1"}));
}

TEST(MethodNumbers, OfAnUnfinishedCallMayBeGivenAway) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.feed({first_chunk(1, 1, "a/1"), kit::call(2, 1, "b/1", "x"), last_chunk(1), kit::call(3, 1, {}, "x")});

  const auto events = lone.events();
  EXPECT_EQ(methods_of(events), (std::vector<std::string>{"b/1", "a/1", "b/1"}));
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].method_number, 1u);
  EXPECT_EQ(events[1].method_number, 0u);  // not that of the other name
  EXPECT_EQ(events[1].payload, "abcdef");
  EXPECT_EQ(events[2].method_number, 1u);
}

}  // namespace
}  // namespace trunkline::session::native
