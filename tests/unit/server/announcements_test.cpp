// SPDX-License-Identifier: MIT
// A server that shuts down is withdrawn first.
#include "server/announcements.h"

#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace trunkline::server {

namespace {

using namespace std::chrono_literals;

/// What one announcement was asked for.
struct Asked {
  bool is_started = false;
  bool is_destroyed = false;
  std::optional<base::TimePoint> deadline;
  std::function<void()> done;
};

class Recorder final : public Announcement {
 public:
  explicit Recorder(Asked& asked) noexcept : asked_(asked) {}
  ~Recorder() override { asked_.is_destroyed = true; }
  void start() override { asked_.is_started = true; }
  void withdraw(base::TimePoint deadline, std::function<void()> done) override {
    asked_.deadline = deadline;
    asked_.done = std::move(done);
  }

 private:
  Asked& asked_;
};

class AnnouncedServer : public ServerFixture {
 protected:
  Status announce(Asked& asked) {
    return server().announce([&asked](net::Loop&) { return std::make_unique<Recorder>(asked); });
  }
  void begin_shutdown(base::Duration timeout) {
    server().async_shutdown(timeout, [this](Status status) { result_ = std::move(status); });
    settle();
  }
  std::optional<Status> result_;
  /// The server, which TearDown() ends, refers to them.
  Asked first;
  Asked second;
};

TEST_F(AnnouncedServer, ServesUntilAllAreWithdrawn) {
  ASSERT_TRUE(announce(first).is_ok());
  ASSERT_TRUE(announce(second).is_ok());
  EXPECT_TRUE(first.is_started);
  handle_echo();
  TestClient& client = connect();

  begin_shutdown(10s);
  first.done();
  settle();

  EXPECT_EQ(call(client, "Echo", "x").payload, "x");
  EXPECT_FALSE(client.has_goaway());
  EXPECT_FALSE(result_.has_value());
  second.done();
  settle();
  EXPECT_TRUE(client.has_goaway());
  ASSERT_TRUE(result_.has_value());
  EXPECT_TRUE(result_->is_ok());
}

TEST_F(AnnouncedServer, SpendsItsTimeoutOnBoth) {
  ASSERT_TRUE(announce(first).is_ok());
  Gate gate(loop_);
  handle<Slice, Slice>("Wait", [&gate](const Slice& request, ServerContext&) -> asio::awaitable<Slice> {
    co_await gate.pass();
    co_return request;
  });
  TestClient& client = connect();
  client.call("Wait", "x");
  settle();
  const base::TimePoint begun = loop_.now();

  begin_shutdown(10s);
  advance(4s);
  first.done();
  settle();

  ASSERT_TRUE(first.deadline.has_value());
  EXPECT_EQ(*first.deadline, begun + 10s);
  advance(5s);
  EXPECT_FALSE(result_.has_value());
  advance(1001ms);
  ASSERT_TRUE(result_.has_value());
  EXPECT_EQ(result_->code(), StatusCode::deadline_exceeded);
}

TEST_F(AnnouncedServer, StopsWithoutWaiting) {
  ASSERT_TRUE(announce(first).is_ok());
  begin_shutdown(10s);

  server().stop();

  EXPECT_TRUE(first.is_destroyed);
  ASSERT_TRUE(result_.has_value());
  EXPECT_EQ(result_->code(), StatusCode::aborted);
}

TEST_F(AnnouncedServer, CannotBeAnnouncedWhenItShutsDown) {
  ASSERT_TRUE(announce(first).is_ok());
  begin_shutdown(10s);

  EXPECT_EQ(announce(second).code(), StatusCode::failed_precondition);
  server().stop();
  EXPECT_EQ(announce(second).code(), StatusCode::failed_precondition);
  EXPECT_FALSE(second.is_started);
}

TEST(Announcements, MayBeClosedByTheLastOne) {
  Asked asked;
  net::Loop loop;
  Announcements announcements(loop);
  ASSERT_TRUE(announcements.add(std::make_unique<Recorder>(asked)).is_ok());
  announcements.withdraw(base::never, [&] { announcements.close(); });

  const auto done = asked.done;
  done();

  EXPECT_TRUE(asked.is_destroyed);
}

}  // namespace

}  // namespace trunkline::server
