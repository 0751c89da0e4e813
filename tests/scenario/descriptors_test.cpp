// SPDX-License-Identifier: MIT
// How many descriptors channels hold: none before they connect, and few afterwards.
#include "kit/own_uri.h"

#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace trunkline {

namespace {

using namespace std::chrono_literals;

constexpr int channels_made = 8;

/// The number of descriptors that this process has open.
std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all)) - 1;  // without the one that lists them
}

class Descriptors : public testing::TestWithParam<std::string> {
 protected:
  Descriptors() {
    server_.handle<Slice, Slice>("Echo", [](const Slice& request, ServerContext&) { return request; });
    endpoint_ = server_.listen(kit::own_uri(GetParam())).to_string();
    EXPECT_TRUE(server_.start().is_ok());
    before_ = open_descriptors();
  }
  static void call_through(Channel& channel) {
    const auto response = channel.call<Slice>("Echo", Slice::from_static("x"), {.timeout = 30s});
    EXPECT_TRUE(response.is_ok()) << response.status().to_string();
  }
  /// Waits until so many more are open than before: the server closes what channels have left in its own time.
  void expect_more(std::ptrdiff_t wanted) const {
    std::ptrdiff_t more = open_descriptors() - before_;
    for (int tries = 0; tries < 3000 && more != wanted; ++tries) {
      std::this_thread::sleep_for(10ms);
      more = open_descriptors() - before_;
    }
    EXPECT_EQ(more, wanted);
  }
  /// Of a connection: a socket on each side.
  static std::ptrdiff_t sockets() { return GetParam().starts_with("inproc") ? 0 : 2 * channels_made; }

  Server server_;
  std::string endpoint_;
  std::ptrdiff_t before_ = 0;
};

TEST_P(Descriptors, OfChannelsAreOpenedByTheFirstConnection) {
  std::vector<std::unique_ptr<Channel>> channels;
  for (int i = 0; i < channels_made; ++i) channels.push_back(std::make_unique<Channel>(endpoint_));
  expect_more(0);

  for (const auto& channel : channels) call_through(*channel);
  // A loop waits by three of them.
  const std::ptrdiff_t of_loops = sockets() == 0 ? 0 : 3 * channels_made;
  expect_more(sockets() + of_loops);

  channels.clear();
  expect_more(0);
}

TEST_P(Descriptors, OfChannelsOnOneLoopAreTheirSocketsAlone) {
  EventLoop loop;
  std::vector<std::unique_ptr<Channel>> channels;
  for (int i = 0; i < channels_made; ++i) channels.push_back(std::make_unique<Channel>(loop, endpoint_));
  std::thread runner([&] { loop.run(); });

  for (const auto& channel : channels) call_through(*channel);

  expect_more(sockets() + (sockets() == 0 ? 0 : 3));
  loop.stop();
  runner.join();
}

INSTANTIATE_TEST_SUITE_P(Schemes, Descriptors,
                         testing::Values("tcp://127.0.0.1:0", "unix:@trunkline-descriptors", "inproc://descriptors"),
                         [](const auto& each) { return std::string(each.param.substr(0, each.param.find(':'))); });

}  // namespace

}  // namespace trunkline
