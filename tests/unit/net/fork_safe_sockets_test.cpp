// SPDX-License-Identifier: MIT
// Sockets that children of fork() do not keep. Asked for in children alone: it holds for the rest of a process.
#include "net/fork_safe_sockets.h"

#include "connected_pair.h"
#include "net/listener.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>

namespace trunkline::net {
namespace {

/// What `task` returns in a child.
bool in_a_child(const std::function<bool()>& task) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(task() ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

/// What `task` returns while a child lives that does nothing.
bool beside_a_child(const std::function<bool()>& task) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) return false;
  const pid_t child = ::fork();
  char none = 0;
  if (child == 0) {
    ::close(ends[1]);
    // The handlers of the fork have run by now.
    static_cast<void>(!::write(ends[0], &none, 1));
    static_cast<void>(!::read(ends[0], &none, 1));
    ::_exit(0);
  }
  ::close(ends[0]);
  const bool result = ::read(ends[1], &none, 1) == 1 && task();
  ::close(ends[1]);
  ::waitpid(child, nullptr, 0);
  return result;
}

bool is_open(int socket) {
  struct stat status {};
  return ::fstat(socket, &status) == 0;
}

int make_socket() {
  return ForkSafeSockets::make([] { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); });
}

bool name_is_free_again() {
  Loop loop;
  const Endpoint endpoint = endpoint_of("unix:@trunkline-open-sockets-" + std::to_string(::getpid()));
  auto listener = std::move(Listener::open(loop, endpoint, {}, {})).value();
  return beside_a_child([&] {
    listener.reset();
    return Listener::open(loop, endpoint, {}, {}).is_ok();
  });
}

TEST(ForkSafeSockets, WithoutItAChildKeepsAnAbstractNameInUse) {
  EXPECT_FALSE(in_a_child([] { return name_is_free_again(); }));
  EXPECT_TRUE(in_a_child([] {
    ForkSafeSockets::close_in_children();
    return name_is_free_again();
  }));
}

TEST(ForkSafeSockets, ThePeerSeesTheEndOfAConnectionAlthoughAChildLives) {
  EXPECT_TRUE(in_a_child([] {
    ForkSafeSockets::close_in_children();
    std::array<int, 2> ends{};
    if (make_socket() < 0 || ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) return false;
    ForkSafeSockets::make([&] { return ends[0]; });
    return beside_a_child([&] {
      ForkSafeSockets::close(ends[0]);
      char none = 0;
      return ::recv(ends[1], &none, 1, MSG_DONTWAIT) == 0;
    });
  }));
}

TEST(ForkSafeSockets, KeepsTheDescriptorsOfAChildInUseAndLeavesTheParentAlone) {
  EXPECT_TRUE(in_a_child([] {
    ForkSafeSockets::close_in_children();
    const int first = make_socket();
    const int closed = make_socket();
    const int last = make_socket();
    ForkSafeSockets::close(closed);
    const bool in_child = in_a_child([&] { return is_open(first) && !is_open(closed) && is_open(last); });
    sockaddr address{};
    socklen_t size = sizeof(address);
    return in_child && ::getsockname(first, &address, &size) == 0 && ::getsockname(last, &address, &size) == 0;
  }));
}

}  // namespace
}  // namespace trunkline::net
