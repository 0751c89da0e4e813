// SPDX-License-Identifier: MIT
// What a channel tells its user unasked: changes of its state, failed and lost connections, the name of its thread.
#include "net/unique_socket.h"
#include "unit/client/client_fixture.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <vector>

namespace trunkline::client {

namespace {

class Observation : public ClientFixture {
 protected:
  Observation() {
    options.on_state_change = [this](ChannelState state) { states.emplace_back(to_string(state)); };
    options.log = [this](const LogRecord& record) {
      EXPECT_EQ(record.level, LogLevel::warning);
      EXPECT_EQ(record.peer, "inproc://fake");
      log.emplace_back(record.message);
    };
  }
  /// The channel may report until its end.
  void TearDown() override { destroy_channel(); }

  std::vector<std::string> states;
  std::vector<std::string> log;
};

TEST_F(Observation, EveryChangeOfTheStateIsReported) {
  network.refusals = 1;
  begin("x");
  begin("y", {.wait_for_ready = true});
  advance(200ms);
  on_loop([&] { network.server(0).cut(); });
  destroy_channel();

  EXPECT_EQ(states, (std::vector<std::string>{"connecting", "failing", "connecting", "ready", "idle", "closed"}));
}

TEST_F(Observation, AStateChangeMayBeginACall) {
  std::vector<std::string> responses;
  options.on_state_change = [&](ChannelState state) {
    if (state != ChannelState::failing && state != ChannelState::ready) return;
    channel().async_call<std::string>("Echo", std::string(to_string(state)), {.wait_for_ready = true},
                                      [&](Result<std::string> result) { responses.push_back(result.value_or("")); });
  };
  network.refusals = 1;

  begin("x");
  advance(200ms);

  EXPECT_EQ(responses, (std::vector<std::string>{"re:failing", "re:ready"}));
}

TEST_F(Observation, AFailedAttemptToConnectIsLogged) {
  network.refusals = 1;

  begin("x");

  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(
      log[0],
      "connect inproc://fake failed, retry after 100 ms at the latest: connect inproc://fake: connection refused");
}

TEST_F(Observation, ALostConnectionIsLogged) {
  network.on_call = nullptr;
  begin("x");
  on_loop([&] { network.server(0).cut(); });

  ASSERT_EQ(log.size(), 1u);
  EXPECT_THAT(log[0], ::testing::StartsWith("connection to inproc://fake lost: "));
}

TEST_F(Observation, AnOrderlyEndIsNotLogged) {
  begin("x");
  on_loop([&] { network.server(0).drain(); });
  destroy_channel();

  EXPECT_TRUE(log.empty()) << log[0];
}

TEST(ChannelThread, HasAName) {
  std::promise<Status> done;
  Channel channel("tcp://127.0.0.1:1");
  channel.async_call<std::string>("Echo", std::string("x"), {},
                                  [&](const Result<std::string>& result) { done.set_value(result.status()); });
  EXPECT_FALSE(done.get_future().get().is_ok());

  bool is_found = false;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    is_found = is_found || name == "trunkline-loop";
  }
  EXPECT_TRUE(is_found);
}

/// The number of descriptors that this process has open.
std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all)) - 1;  // without the one that lists them
}

TEST(ChannelDescriptors, AreNotOpenedBeforeAConnection) {
  const std::ptrdiff_t before = open_descriptors();

  std::vector<std::unique_ptr<Channel>> channels;
  for (int i = 0; i < 10; ++i) channels.push_back(std::make_unique<Channel>("tcp://127.0.0.1:1"));
  EXPECT_EQ(open_descriptors(), before);

  // Nor for a wait, whose end is a matter of time.
  EXPECT_EQ(Channel("inproc://nobody").wait_for_ready(20ms).code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(open_descriptors(), before);
}

// UndefinedBehaviorSanitizer opens a pipe to look at an exception's type, and takes a failure for a broken object.
#if !defined(__SANITIZE_ADDRESS__)
/// Leaves no descriptor to open during a scope.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const net::UniqueSocket lowest(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const rlimit none{.rlim_cur = static_cast<rlim_t>(lowest.get()), .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(ChannelDescriptors, ThatHaveRunOutAreAnErrorOfTheCalls) {
  Status refused;
  {
    const NoDescriptors none;
    Channel channel("tcp://127.0.0.1:1");
    refused = channel.call<std::string>("Echo", std::string("x")).status();
  }

  EXPECT_EQ(refused.code(), StatusCode::resource_exhausted) << refused.to_string();
  EXPECT_THAT(std::string(refused.message()), HasSubstr("too many open files"));
  EXPECT_FALSE(refused.may_have_run());
}
#endif

}  // namespace

}  // namespace trunkline::client
