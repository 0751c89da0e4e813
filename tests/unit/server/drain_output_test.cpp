// SPDX-License-Identifier: MIT
// Graceful shutdown with clients that read slowly: responses are sent whole, unless the timeout comes first.
#include "unit/server/server_fixture.h"

#include <optional>

namespace trunkline::server {

namespace {

class DrainOutput : public ServerFixture {
 protected:
  /// A client on a loop that the test runs.
  void connect_slow() {
    handle<Slice, std::string>("Big", [](const Slice&, ServerContext&) { return std::string(response_bytes, 'x'); });
    auto [near, far] = net::make_memory_pair(client_loop_, loop_, {.buffer_bytes = 4096});
    client_.start(std::move(near));
    server().accept_transport(std::move(far));
    settle_both();
    id_ = client_.call("Big", "x");
    while (server().totals().calls_ok == 0) {
      client_loop_.poll();
      settle();
    }
  }
  void settle_both() {
    while (client_loop_.poll() || loop_.poll()) {
    }
  }
  void begin_shutdown() {
    server().async_shutdown(std::chrono::seconds(10), [this](Status status) { result_ = std::move(status); });
    settle();
  }

  static constexpr std::size_t response_bytes = 40000;
  net::Loop client_loop_{{}, &clock_};
  TestClient client_;
  session::CallId id_ = 0;
  std::optional<Status> result_;
};

TEST_F(DrainOutput, WaitsForUnsentOutput) {
  connect_slow();

  begin_shutdown();
  advance(std::chrono::seconds(5));
  const bool done_early = result_.has_value();
  settle_both();

  EXPECT_FALSE(done_early);
  ASSERT_TRUE(client_.has(id_)) << "the response was cut";
  EXPECT_EQ(client_.response(id_).payload.size(), response_bytes);
  ASSERT_TRUE(result_.has_value());
  EXPECT_TRUE(result_->is_ok()) << result_->to_string();
}

TEST_F(DrainOutput, IsCutAtTheTimeoutAndCounted) {
  connect_slow();

  begin_shutdown();
  advance(std::chrono::seconds(11));
  advance(std::chrono::seconds(11));

  ASSERT_TRUE(result_.has_value());
  EXPECT_EQ(result_->code(), StatusCode::deadline_exceeded);
  client_.reset();
}

}  // namespace

}  // namespace trunkline::server
