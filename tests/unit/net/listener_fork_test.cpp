// SPDX-License-Identifier: MIT
// What is left of a process's listeners in a child of fork(), and of the child's copies in the parent.
#include "net/listener.h"

#include "connected_pair.h"
#include "net/socket_address.h"
#include "net/unique_socket.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <functional>

namespace trunkline::net {
namespace {

Result<std::unique_ptr<Listener>> open(Loop& loop, const std::string& uri) {
  return Listener::open(loop, endpoint_of(uri), {}, {});
}

/// A child that has a copy of everything and does nothing, until this is destroyed.
class IdleChild {
 public:
  IdleChild() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return;
    process_ = ::fork();
    if (process_ == 0) {
      ::close(ends[1]);
      char none = 0;
      static_cast<void>(!::read(ends[0], &none, 1));
      ::_exit(0);
    }
    ::close(ends[0]);
    end_ = UniqueSocket(ends[1]);
  }
  ~IdleChild() {
    end_ = UniqueSocket();
    ::waitpid(process_, nullptr, 0);
  }
  IdleChild(const IdleChild&) = delete;
  IdleChild& operator=(const IdleChild&) = delete;

  bool is_alive() const { return process_ > 0 && ::waitpid(process_, nullptr, WNOHANG) == 0; }

 private:
  UniqueSocket end_;
  pid_t process_ = -1;
};

/// What `task` returns in a child.
bool in_a_child(const std::function<bool()>& task) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(task() ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

/// 0, or the error's number.
int connect_to(const Endpoint& endpoint) {
  const UniqueSocket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const SocketAddress address = *SocketAddress::of_numeric(endpoint);
  return ::connect(socket.get(), address.data(), address.size()) == 0 ? 0 : errno;
}

TEST(ListenerFork, ReleasesItsAddressAlthoughAChildHasACopy) {
  Loop loop;
  // No other process binds a port of this address as soon as it is free.
  auto listener = std::move(open(loop, "tcp://127.83.107.99:0")).value();
  const Endpoint endpoint = listener->endpoint();
  const IdleChild child;

  listener.reset();

  ASSERT_TRUE(child.is_alive());
  EXPECT_EQ(connect_to(endpoint), ECONNREFUSED);
  const auto again = open(loop, endpoint.to_string());
  EXPECT_TRUE(again) << again.status().to_string();
}

TEST(ListenerFork, ClosingInAChildLeavesTheParentListening) {
  Loop loop;
  const auto listener = std::move(open(loop, "tcp://127.0.0.1:0")).value();

  const bool is_closed = in_a_child([&] { return listener->close(), true; });

  EXPECT_TRUE(is_closed);
  EXPECT_EQ(connect_to(listener->endpoint()), 0);
}

TEST(InprocFork, AChildDoesNotInheritNames) {
  Loop loop;
  auto listener = std::move(open(loop, "inproc://forked")).value();

  const bool is_the_childs = in_a_child([&] {
    Loop own;
    const auto childs = open(own, "inproc://forked");
    listener.reset();
    return childs.is_ok() && open(own, "inproc://forked").status().code() == StatusCode::already_exists;
  });

  EXPECT_TRUE(is_the_childs);
  EXPECT_EQ(open(loop, "inproc://forked").status().code(), StatusCode::already_exists);
}

}  // namespace
}  // namespace trunkline::net
