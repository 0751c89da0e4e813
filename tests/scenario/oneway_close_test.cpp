// SPDX-License-Identifier: MIT
// One-way calls and a channel that is closed right after them: every call reported as sent arrives.
#include "scenario/both_ends.h"
#include "unit/net/connected_pair.h"

#include <atomic>
#include <string>
#include <vector>

namespace trunkline::scenario {

namespace {

class OnewayClose : public BothEnds {
 protected:
  void handle_note() {
    handle_echo();
    server().handle<std::string, Empty>("Note", [this](const std::string& request, ServerContext&) {
      arrived.push_back(request.size());
      return Status();
    });
  }
  void send(std::size_t size) {
    channel().async_call_oneway("Note", std::string(size, 'x'), {}, [this](const Status& status) {
      ++told;
      if (!status.is_ok()) ++refused;
    });
  }
  Status close() {
    Status status(StatusCode::unknown, "not closed");
    block_on_loop([&] { status = channel().close(1min); });
    return status;
  }

  std::vector<std::size_t> arrived;
  int told = 0;
  int refused = 0;
};

TEST_F(OnewayClose, EverythingArrivesAlthoughTheLinkIsFull) {
  channel_options.limits.max_unsent_bytes = 64 << 20;
  handle_note();
  begin("Echo", "connects");
  constexpr std::size_t calls = 500;

  block_on_loop([&] {
    for (std::size_t i = 0; i < calls; ++i) send(10000);
    const Status status = channel().close(1min);
    EXPECT_TRUE(status.is_ok()) << status.to_string();
  });

  EXPECT_EQ(arrived, std::vector<std::size_t>(calls, 10000));
  EXPECT_EQ(told, static_cast<int>(calls));
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(server().totals().connections, 0u);
}

TEST_F(OnewayClose, CallsThatDoNotFitAreCancelledAndTheRestArrives) {
  channel_options.limits.max_unsent_bytes = 1 << 20;
  handle_note();
  begin("Echo", "connects");
  constexpr int calls = 500;

  block_on_loop([&] {
    for (int i = 0; i < calls; ++i) send(10000);
    const Status status = channel().close(1min);
    EXPECT_TRUE(status.is_ok()) << status.to_string();
  });

  EXPECT_EQ(told, calls);
  EXPECT_GT(refused, 0);
  EXPECT_GE(arrived.size(), (1u << 20) / 10000);
  EXPECT_EQ(static_cast<int>(arrived.size()), calls - refused) << "each call arrives or fails";
}

TEST_F(OnewayClose, AMessageInManyPiecesArrivesWhole) {
  server_options.limits.call_credit_bytes = 64 << 10;
  handle_note();
  begin("Echo", "connects");

  send(5000000);
  send(3000000);
  send(7);
  const Status status = close();

  EXPECT_TRUE(status.is_ok()) << status.to_string();
  EXPECT_THAT(arrived, ::testing::UnorderedElementsAre(5000000u, 3000000u, 7u));
  EXPECT_EQ(refused, 0);
}

TEST_F(OnewayClose, CallsThatWaitForAConnectionAreCancelled) {
  handle_note();

  block_on_loop([&] {
    for (int i = 0; i < 10; ++i) send(10);
    const Status status = channel().close(1min);
    EXPECT_TRUE(status.is_ok()) << status.to_string();
  });

  EXPECT_EQ(told, 10);
  EXPECT_EQ(refused, 10);
  EXPECT_TRUE(arrived.empty());
}

class OnewayCloseThreads : public ::testing::TestWithParam<const char*> {};

TEST_P(OnewayCloseThreads, EverythingArrives) {
  constexpr int calls = 2000;
  const net::TemporaryDirectory directory;
  const std::string given = GetParam();
  Server server;
  std::atomic<int> arrived{0};
  server.handle<std::string, Empty>("Note", [&](const std::string& request, ServerContext&) {
    if (request == std::string(4000, 'x')) ++arrived;
    return Status();
  });
  const Endpoint endpoint = server.listen(given == "unix" ? "unix://" + directory.file("socket") : given);
  ASSERT_TRUE(server.start().is_ok());
  int accepted = 0;

  {
    Channel channel(endpoint.to_string());
    for (int i = 0; i < calls; ++i) {
      if (channel.call_oneway("Note", std::string(4000, 'x')).is_ok()) ++accepted;
    }
    const Status closed = channel.close(1min);
    EXPECT_TRUE(closed.is_ok()) << closed.to_string();
  }
  const Status drained = server.shutdown(1min);

  EXPECT_TRUE(drained.is_ok()) << drained.to_string();
  EXPECT_EQ(accepted, calls);
  EXPECT_EQ(arrived, calls);
}

INSTANTIATE_TEST_SUITE_P(Transports, OnewayCloseThreads,
                         ::testing::Values("inproc://oneway-close", "tcp://127.0.0.1:0", "unix"),
                         [](const auto& given) {
                           const std::string uri = given.param;
                           return uri.substr(0, uri.find(':'));
                         });

}  // namespace

}  // namespace trunkline::scenario
