// SPDX-License-Identifier: MIT
// Two servers on the same unix path: the one that is alive keeps it and goes on serving.
#include "net/path_lock.h"
#include "net/socket_address.h"
#include "net/unique_socket.h"
#include "unit/net/connected_pair.h"

#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/socket.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace trunkline {

namespace {

using ::testing::HasSubstr;

class ServerPath : public ::testing::Test {
 protected:
  static void name(Server& server, const std::string& text) {
    server.handle<Empty, std::string>("Who", [text](const Empty&, ServerContext&) { return text; });
  }
  std::string ask() {
    Channel channel(uri_);
    return channel.call<std::string>("Who", Empty{}).value_or("nobody");
  }

  net::TemporaryDirectory directory_;
  const std::string path_ = directory_.file("socket");
  const std::string uri_ = "unix://" + path_;
};

TEST_F(ServerPath, IsRefusedWhileAnotherServerIsAlive) {
  Server first;
  Server second;
  name(first, "first");
  name(second, "second");
  first.listen(uri_);
  ASSERT_TRUE(first.start().is_ok());
  Channel old(uri_);
  ASSERT_EQ(old.call<std::string>("Who", Empty{}).value_or("nobody"), "first");

  const Status refused = second.try_listen(uri_).status();
  const std::string by_new_connection = ask();
  const std::string by_old_connection = old.call<std::string>("Who", Empty{}).value_or("nobody");
  first.stop();
  const bool file_left = std::filesystem::exists(path_);
  const Status allowed = second.try_listen(uri_).status();
  ASSERT_TRUE(second.start().is_ok());

  EXPECT_EQ(refused.code(), StatusCode::already_exists);
  EXPECT_THAT(std::string(refused.message()), HasSubstr(path_));
  EXPECT_EQ(by_new_connection, "first");
  EXPECT_EQ(by_old_connection, "first");
  EXPECT_FALSE(file_left);
  EXPECT_TRUE(allowed.is_ok()) << allowed.to_string();
  EXPECT_EQ(ask(), "second");
}

TEST_F(ServerPath, IsRefusedWhileAnotherServerListensWithoutAccepting) {
  ServerOptions options;
  options.transport.listen_backlog = 1;
  Server first(options);
  first.listen(uri_);
  const net::SocketAddress address = net::SocketAddress::of_unix(Endpoint::parse(uri_).value());
  std::vector<net::UniqueSocket> waiting;
  bool is_full = false;
  for (int i = 0; i < 10 && !is_full; ++i) {
    waiting.emplace_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    is_full = ::connect(waiting.back().get(), address.data(), address.size()) != 0;
  }
  ASSERT_TRUE(is_full);
  Server second;

  const Status refused = second.try_listen(uri_).status();

  EXPECT_EQ(refused.code(), StatusCode::already_exists) << refused.to_string();
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(ServerPath, IsWaitedForWhileAnotherServerTakesIt) {
  Server server;
  name(server, "only");
  std::atomic<bool> let_go{false};
  bool was_released = false;
  Status status(StatusCode::unknown, "not opened");
  std::thread opening;
  {
    const net::PathLock lock(path_ + ".lock");
    ASSERT_TRUE(lock.is_held());
    opening = std::thread([&] {
      status = server.try_listen(uri_).status();
      was_released = let_go;
    });
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    let_go = true;
  }
  opening.join();
  ASSERT_TRUE(server.start().is_ok());

  EXPECT_TRUE(was_released) << "it opened the path while another held the lock";
  EXPECT_TRUE(status.is_ok()) << status.to_string();
  EXPECT_EQ(ask(), "only");
  EXPECT_FALSE(std::filesystem::exists(path_ + ".lock"));
}

}  // namespace

}  // namespace trunkline
