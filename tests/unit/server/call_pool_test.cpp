// SPDX-License-Identifier: MIT
// The calls of a loop: reuse, and visits during which calls end.
#include "server/call_pool.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace trunkline::server {

namespace {

class Owner final : public CallOwner {
 public:
  void on_completed(ServerCall&) override {}
  void on_request_timeout(ServerCall&) override {}
  void on_dropped(ServerCall&) override {}
  void on_draining(ServerCall&) override {}
  void on_drain_ended(ServerCall&) override {}
  void on_detached(ServerCall&) override {}
  void on_stopped(ServerCall&) override {}
  Status on_codec_exception(const ServerCall&, const Status& without_text, const std::string&) override {
    return without_text;
  }
};

class CallsOfALoop : public ::testing::Test {
 protected:
  ServerCall& take() {
    ServerCall& call = pool_.take();
    call.begin_without_method(owner_, next_id_++);
    return call;
  }

  const std::shared_ptr<Owner> owner_ = std::make_shared<Owner>();
  session::CallId next_id_ = 1;
  CallPool pool_;
};

TEST_F(CallsOfALoop, AreResetAndReused) {
  ServerCall& first = take();
  first.advance(CallEvent::refuse);
  first.outcome.status = Status(StatusCode::aborted, "x");

  pool_.give_back(first);
  ServerCall& second = pool_.take();

  EXPECT_EQ(&second, &first);
  EXPECT_EQ(second.stage, CallStage::over);
  EXPECT_EQ(second.owner, nullptr);
  EXPECT_TRUE(second.outcome.status.is_ok());
  EXPECT_EQ(pool_.in_use(), 1u);
  EXPECT_EQ(pool_.free(), 0u);
}

TEST_F(CallsOfALoop, ReleaseTheirOwner) {
  ServerCall& call = take();
  const long while_open = owner_.use_count();

  pool_.give_back(call);

  EXPECT_EQ(while_open, 2);
  EXPECT_EQ(owner_.use_count(), 1);
}

TEST_F(CallsOfALoop, AreVisitedUnlessTheyHaveEnded) {
  ServerCall& one = take();
  ServerCall& two = take();
  ServerCall& three = take();
  std::vector<session::CallId> visited;

  // The last call is visited first. It ends the second one, then itself.
  pool_.visit([&](ServerCall& call) {
    visited.push_back(call.id);
    if (&call != &three) return;
    pool_.give_back(two);
    pool_.give_back(three);
  });

  EXPECT_EQ(visited, (std::vector<session::CallId>{3, 1}));
  EXPECT_EQ(pool_.in_use(), 1u);
  pool_.give_back(one);
}

TEST_F(CallsOfALoop, AreKeptForReuseUpToALimit) {
  std::vector<ServerCall*> calls;
  for (std::size_t i = 0; i < CallPool::max_free + 10; ++i) calls.push_back(&take());

  pool_.visit([&](ServerCall& call) { pool_.give_back(call); });

  EXPECT_EQ(pool_.in_use(), 0u);
  EXPECT_EQ(pool_.free(), CallPool::max_free);
}

}  // namespace

}  // namespace trunkline::server
