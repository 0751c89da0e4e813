// SPDX-License-Identifier: MIT
// Two sides that stop reading while the other does not take what it was sent: at most one of them may.
#include "kit/lone_session.h"
#include "kit/session_pair.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace trunkline::session::native {
namespace {

using kit::FrameSpec;
using kit::LoneSession;

/// Sessions with bounded outputs, over links that hold little, of which the server refuses most calls.
class BoundedPair : public testing::Test {
 protected:
  BoundedPair() {
    pair_.server().on_event = [this](Event& event) {
      if (event.type != EventType::call) return;
      if (event.id % 5 == 0) {
        const std::string response(20000, 'r');
        static_cast<void>(pair_.server().session().finish(event.id, {}, kit::payload(response), nullptr, false));
      } else {
        pair_.server().session().attach(event.id, this);
        running_.push_back(event.id);
      }
    };
    pair_.client().on_event = [this](Event& event) {
      if (event.type == EventType::finished) open_.erase(event.id);
      if (event.type == EventType::closed) is_closed_ = true;
    };
  }
  kit::SessionPair::Options options() {
    kit::SessionPair::Options options;
    options.link_capacity = 2048;
    options.client.memory = &client_memory_;
    options.server.memory = &server_memory_;
    options.server.max_concurrent_calls = 2;
    for (SessionOptions* side : {&options.client, &options.server}) {
      side->limits.max_unsent_bytes = 4096;
      side->limits.max_message_bytes = 1 << 20;
    }
    return options;
  }
  void start(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const CallStart start{.method = {1, "a/b"}, .context = this};
      const auto id = pair_.client().session().start(start, kit::payload(std::string(300, 'q')));
      ASSERT_TRUE(id.is_ok());
      open_.insert(*id);
    }
  }
  void finish_all() {
    do {
      for (const CallId id : std::exchange(running_, {}))
        static_cast<void>(pair_.server().session().finish(id, {}, kit::payload("done"), nullptr, false));
      pair_.run(std::chrono::milliseconds(20));
    } while (!running_.empty());
  }

  MemoryBudget client_memory_{4 << 20, 1 << 20};
  MemoryBudget server_memory_{4 << 20, 1 << 20};
  kit::SessionPair pair_{options()};
  std::set<CallId> open_;
  std::vector<CallId> running_;
  bool is_closed_ = false;
};

TEST_F(BoundedPair, GetsThroughMoreRefusalsThanTheOutputsHold) {
  start(2000);

  finish_all();

  EXPECT_TRUE(open_.empty());
  EXPECT_FALSE(is_closed_);
}

TEST_F(BoundedPair, GoesOnAfterBothHaveStoppedReading) {
  start(2000);
  pair_.client_reads = false;
  pair_.run(std::chrono::milliseconds(20));
  const std::size_t stuck = pair_.to_server().in_flight_bytes();

  pair_.client_reads = true;
  finish_all();

  EXPECT_GT(stuck, 0u);  // the server reads nothing while its refusals are not read
  EXPECT_TRUE(open_.empty());
  EXPECT_FALSE(is_closed_);
}

TEST_F(BoundedPair, GoesOnWhenTheClientCancelsWhatItHasSent) {
  start(2000);
  pair_.client_reads = false;
  pair_.run(std::chrono::milliseconds(20));
  for (const CallId id : std::set<CallId>(open_)) {
    if (id % 2 == 0) continue;
    pair_.client().session().cancel(id, StatusCode::cancelled);
    open_.erase(id);
  }

  pair_.client_reads = true;
  finish_all();

  EXPECT_TRUE(open_.empty());
  EXPECT_FALSE(is_closed_);
}

TEST(ClientWithoutMemory, ReadsOnWhileAMessageWaitsForRoom) {
  MemoryBudget memory(4 << 20, 1 << 20);
  SessionOptions options = kit::plain_options();
  options.memory = &memory;
  LoneSession lone(Role::client, options);
  lone.greet();
  for (CallId id = 1; id <= 2; ++id)
    ASSERT_TRUE(lone.session().start({.method = {1, "a/b"}, .context = lone.context_of(id)}, {}).is_ok());
  memory.add(memory.max_bytes());
  FrameSpec chunk = kit::message(1, std::string(200000, 'x'), wire::flag::more);
  chunk.message_bytes = 300000;
  lone.feed({chunk});

  lone.feed({kit::finish(2, "y")});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].payload, "y");
  memory.subtract(memory.max_bytes());
}

}  // namespace
}  // namespace trunkline::session::native
