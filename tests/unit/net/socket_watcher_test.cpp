// SPDX-License-Identifier: MIT
// What the system is asked to watch a socket for.
#include "net/socket_watcher.h"

#include "net/unique_socket.h"
#include "stream_peer.h"

#include <gtest/gtest.h>

#include <sys/epoll.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace trunkline::net {
namespace {

class CountingObserver final : public TransportObserver {
 public:
  void on_readable() override { ++readable; }
  void on_writable() override { ++writable; }
  int readable = 0;
  int writable = 0;
};

/// The events for which any epoll of this process watches `socket`, 0 if none does.
unsigned long watched_events(int socket) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fdinfo")) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::istringstream fields(line);
      std::string name;
      std::string events_name;
      std::string events;
      int watched = -1;
      if (fields >> name >> watched >> events_name >> events && name == "tfd:" && watched == socket)
        return std::stoul(events, nullptr, 16);
    }
  }
  return 0;
}

class SocketWatcherTest : public testing::Test {
 protected:
  SocketWatcherTest() {
    int sockets[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets), 0);
    UniqueSocket watched(sockets[0]);
    peer_ = UniqueSocket(sockets[1]);
    watcher_ = std::move(SocketWatcher::make(loop_, watched)).value();
    watcher_->set_observer(&observer_);
    EXPECT_EQ(watched.get(), -1);
  }
  void pass_bytes(int count) {
    for (int i = 0; i < count; ++i) {
      watcher_->wait_readable();
      char byte = 'x';
      EXPECT_EQ(::send(peer_.get(), &byte, 1, 0), 1);
      EXPECT_TRUE(run_until(loop_, [&, before = observer_.readable] { return observer_.readable > before; }));
      EXPECT_EQ(::recv(watcher_->socket(), &byte, 1, 0), 1);
    }
  }
  void wait_until_writable() {
    watcher_->wait_writable();
    EXPECT_TRUE(run_until(loop_, [&, before = observer_.writable] { return observer_.writable > before; }));
  }
  bool is_watched_for_writing() { return (watched_events(watcher_->socket()) & EPOLLOUT) != 0; }

  Loop loop_;
  CountingObserver observer_;
  UniqueSocket peer_;
  SocketWatcher::Pointer watcher_;
};

TEST_F(SocketWatcherTest, StopsWatchingForWritingWhenOnlyReadsAreAwaited) {
  wait_until_writable();
  ASSERT_TRUE(is_watched_for_writing()) << "otherwise this test proves nothing";

  pass_bytes(10);

  EXPECT_FALSE(is_watched_for_writing());
  EXPECT_NE(watched_events(watcher_->socket()) & EPOLLIN, 0U);
  EXPECT_EQ(observer_.readable, 10);
  EXPECT_EQ(observer_.writable, 1);
}

TEST_F(SocketWatcherTest, WatchesForWritingAgainAfterThat) {
  wait_until_writable();
  pass_bytes(10);

  wait_until_writable();
  pass_bytes(1);

  EXPECT_EQ(observer_.writable, 2);
  EXPECT_TRUE(is_watched_for_writing());
}

TEST_F(SocketWatcherTest, KeepsAPendingWaitForWriting) {
  const std::string block(65536, 'f');
  while (::send(watcher_->socket(), block.data(), block.size(), 0) > 0) {
  }
  watcher_->wait_writable();

  pass_bytes(10);
  EXPECT_EQ(observer_.writable, 0);
  std::string drain(block.size(), '\0');
  while (::recv(peer_.get(), drain.data(), drain.size(), 0) > 0) {
  }

  EXPECT_TRUE(run_until(loop_, [&] { return observer_.writable == 1; }));
}

}  // namespace
}  // namespace trunkline::net
