// SPDX-License-Identifier: MIT
// What a listener accepts, refuses, reports and leaves behind.
#include "net/listener.h"

#include "connected_pair.h"
#include "kit/own_uri.h"
#include "net/listening_socket.h"
#include "net/path_lock.h"
#include "net/socket_address.h"
#include "net/unique_socket.h"
#include "stream_peer.h"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace trunkline::net {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ListenerTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Listener>> open(const std::string& uri, const ListenOptions& options = {}) {
    ListenCallbacks callbacks;
    callbacks.on_accept = [this](AcceptedConnection connection) {
      accepted_.push_back(std::move(connection.transport));
    };
    callbacks.on_error = [this](const Status& error) { errors_.push_back(error); };
    return Listener::open(loop_, endpoint_of(uri), options, std::move(callbacks));
  }
  std::string file_uri() const { return "unix://" + directory_.file("socket"); }

  Loop loop_;
  TemporaryDirectory directory_;
  std::vector<std::unique_ptr<Transport>> accepted_;
  std::vector<Status> errors_;
};

TEST_F(ListenerTest, ReportsThePortThatTheSystemAssigned) {
  const auto listener = open("tcp://127.0.0.1:0");

  ASSERT_TRUE(listener);
  EXPECT_NE((*listener)->endpoint().port(), 0);
  EXPECT_EQ((*listener)->endpoint().host(), "127.0.0.1");
}

TEST_F(ListenerTest, RefusesAPortInUse) {
  const auto first = std::move(open("tcp://127.0.0.1:0")).value();

  const auto second = open(first->endpoint().to_string());

  EXPECT_EQ(second.status().code(), StatusCode::already_exists);
  EXPECT_EQ(second.status().message(), "listen on " + first->endpoint().to_string() + ": address already in use");
}

TEST_F(ListenerTest, SharesAPortIfBothListenersAllowIt) {
  ListenOptions options;
  options.transport.reuse_port = true;
  const auto first = std::move(open("tcp://127.0.0.1:0", options)).value();

  const auto second = open(first->endpoint().to_string(), options);

  EXPECT_TRUE(second) << second.status().to_string();
}

TEST_F(ListenerTest, ListensOnAName) {
  const auto listener = open("tcp://localhost:0");

  ASSERT_TRUE(listener) << listener.status().to_string();
  EXPECT_EQ((*listener)->endpoint().host(), "localhost");
}

TEST_F(ListenerTest, TakesIpv4AtTheUnspecifiedAddressOfIpv6) {
  for (const char* const uri : {"tcp://[::]:0", "tcp://[0:0::0]:0", "tcp://:0"}) {
    const auto listener = open(uri);
    ASSERT_TRUE(listener) << uri << ": " << listener.status().to_string();

    const UniqueSocket client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const SocketAddress address(
        asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), (*listener)->endpoint().port()));
    EXPECT_EQ(::connect(client.get(), address.data(), address.size()), 0) << uri;
  }
}

TEST_F(ListenerTest, RefusesAnAddressOfAnotherMachine) {
  const auto listener = open("tcp://192.0.2.1:0");

  EXPECT_EQ(listener.status().message(), "listen on tcp://192.0.2.1:0: cannot assign requested address");
}

TEST_F(ListenerTest, ReplacesAStaleSocketFile) {
  const Endpoint endpoint = endpoint_of(file_uri());
  {
    const auto gone = std::move(open(file_uri())).value();
    std::filesystem::create_hard_link(endpoint.path(), endpoint.path() + ".kept");
  }
  std::filesystem::rename(endpoint.path() + ".kept", endpoint.path());

  const auto listener = open(file_uri());

  EXPECT_TRUE(listener) << listener.status().to_string();
}

TEST_F(ListenerTest, RefusesASocketFileInUse) {
  const auto first = open(file_uri());

  const auto second = open(file_uri());

  EXPECT_EQ(second.status().code(), StatusCode::already_exists);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("address already in use"));
}

TEST_F(ListenerTest, LeavesAFileThatIsNotASocket) {
  const std::string path = endpoint_of(file_uri()).path();
  std::ofstream(path) << "precious";

  const auto listener = open(file_uri());

  EXPECT_EQ(listener.status().code(), StatusCode::already_exists);
  EXPECT_TRUE(std::filesystem::is_regular_file(path));
}

TEST_F(ListenerTest, RemovesItsFileWhenClosed) {
  const std::string path = endpoint_of(file_uri()).path();
  const auto listener = std::move(open(file_uri())).value();
  EXPECT_TRUE(std::filesystem::exists(path));

  listener->close();

  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(ListenerTest, LeavesTheFileOfItsSuccessor) {
  const std::string path = endpoint_of(file_uri()).path();
  const auto first = std::move(open(file_uri())).value();
  std::filesystem::remove(path);
  const auto second = std::move(open(file_uri())).value();

  first->close();

  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(ListenerTest, InAForkedChildItLeavesItsFileToTheParent) {
  const std::string path = endpoint_of(file_uri()).path();
  const auto listener = std::move(open(file_uri())).value();

  const pid_t child = ::fork();
  if (child == 0) {
    listener->close();
    ::_exit(0);
  }

  ASSERT_GT(child, 0);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(ListenerTest, LeavesNoLockFile) {
  const auto listener = open(file_uri());

  EXPECT_FALSE(std::filesystem::exists(endpoint_of(file_uri()).path() + ".lock"));
}

TEST_F(ListenerTest, LockExcludesOthersUntilItIsReleased) {
  const std::string path = directory_.file("socket.lock");
  {
    const PathLock lock(path);
    const UniqueSocket other(::open(path.c_str(), O_RDWR | O_CLOEXEC));

    EXPECT_TRUE(lock.is_held());
    EXPECT_EQ(::flock(other.get(), LOCK_EX | LOCK_NB), -1);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(PathLock(path).is_held());
}

TEST_F(ListenerTest, OneOfManyReplacesAStaleFile) {
  const Endpoint endpoint = endpoint_of(file_uri());
  for (int round = 0; round < 50; ++round) {
    // The file stays when the socket is closed.
    static_cast<void>(ListeningSocket::open(endpoint, {}).value());
    ASSERT_TRUE(std::filesystem::exists(endpoint.path()));
    std::array<Result<ListeningSocket>, 4> opened{Status(), Status(), Status(), Status()};
    std::vector<std::thread> racers;
    racers.reserve(opened.size());
    for (auto& result : opened) racers.emplace_back([&] { result = ListeningSocket::open(endpoint, {}); });
    for (std::thread& racer : racers) racer.join();

    EXPECT_EQ(std::count_if(opened.begin(), opened.end(), [](const auto& result) { return bool(result); }), 1);
  }
}

TEST_F(ListenerTest, RefusesAnAbstractNameInUse) {
  const std::string uri = kit::own_uri("unix:@trunkline-listener-test");
  const auto first = open(uri);

  const auto second = open(uri);

  EXPECT_TRUE(first) << first.status().to_string();
  EXPECT_EQ(second.status().code(), StatusCode::already_exists);
}

TEST_F(ListenerTest, RefusesAnInprocNameInUseUntilItIsClosed) {
  const auto first = std::move(open("inproc://listener-test")).value();
  EXPECT_EQ(open("inproc://listener-test").status().code(), StatusCode::already_exists);

  first->close();

  EXPECT_TRUE(open("inproc://listener-test"));
}

TEST_F(ListenerTest, RefusesOptionsOutOfRange) {
  ListenOptions options;
  options.transport.listen_backlog = 0;
  EXPECT_EQ(open("tcp://127.0.0.1:0", options).status().message(),
            "transport options: listen_backlog 0 is not in 1 to 65535");

  options = {};
  options.transport.send_buffer_bytes = (std::size_t{1} << 30) + 1;
  EXPECT_EQ(open("tcp://127.0.0.1:0", options).status().code(), StatusCode::invalid_argument);

  options = {};
  options.transport.tcp_keepalive = std::chrono::seconds(-1);
  EXPECT_EQ(open("tcp://127.0.0.1:0", options).status().code(), StatusCode::invalid_argument);

  options = {};
  options.transport.tcp_user_timeout = std::chrono::milliseconds(86400001);
  EXPECT_EQ(open("tcp://127.0.0.1:0", options).status().message(),
            "transport options: tcp_user_timeout 86400001 is not in 0 to 86400000");
}

TEST_F(ListenerTest, NamesAnUnknownCongestionControl) {
  ListenOptions options;
  options.transport.congestion_control = "no-such";

  EXPECT_THAT(std::string(open("tcp://127.0.0.1:0", options).status().message()),
              HasSubstr("set congestion_control to no-such"));
}

TEST_F(ListenerTest, BothSidesSetTheUserTimeout) {
  const auto user_timeout_of = [](int socket) {
    unsigned value = 0;
    socklen_t size = sizeof(value);
    ::getsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &value, &size);
    return value;
  };
  /// Descriptors of connected TCP sockets of this process, with the given timeout.
  const auto count = [&](unsigned expected) {
    int found = 0;
    for (int descriptor = 3; descriptor < 256; ++descriptor) {
      sockaddr_storage peer;
      socklen_t size = sizeof(peer);
      const bool is_connected = ::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) == 0;
      if (is_connected && user_timeout_of(descriptor) == expected) ++found;
    }
    return found;
  };
  ListenOptions options;
  options.transport.tcp_user_timeout = std::chrono::milliseconds(4321);
  const auto listener = std::move(open("tcp://127.0.0.1:0", options)).value();
  DialOptions dialing;
  dialing.transport.tcp_user_timeout = std::chrono::milliseconds(1234);
  DialOutcome outcome;

  outcome.start(loop_, listener->endpoint(), dialing);
  EXPECT_TRUE(run_until(loop_, [&] { return outcome.result && !accepted_.empty(); }));

  EXPECT_EQ(count(4321), 1);
  EXPECT_EQ(count(1234), 1);
}

TEST_F(ListenerTest, SetsTheSocketOptions) {
  ListenOptions options;
  options.transport.tcp_keepalive = std::chrono::seconds(77);
  options.transport.receive_buffer_bytes = 65536;
  const auto listener = std::move(open("tcp://127.0.0.1:0", options)).value();
  DialOptions dialing;
  dialing.transport = options.transport;
  DialOutcome outcome;
  outcome.start(loop_, listener->endpoint(), dialing);

  EXPECT_TRUE(run_until(loop_, [&] { return outcome.result && !accepted_.empty(); }));
  EXPECT_TRUE(*outcome.result) << outcome.result->status().to_string();
}

TEST_F(ListenerTest, HandsConnectionsToTheAssignedLoop) {
  for (const std::string uri : {"tcp://127.0.0.1:0", "inproc://chosen-loop"}) {
    Loop other;
    std::thread::id served_by;
    std::unique_ptr<Transport> accepted;
    ListenCallbacks callbacks;
    callbacks.assign = [&](const std::string&) { return LoopAssignment{&other, {}}; };
    callbacks.on_accept = [&](AcceptedConnection connection) {
      served_by = std::this_thread::get_id();
      EXPECT_EQ(&connection.transport->loop(), &other);
      accepted = std::move(connection.transport);
      other.stop();
    };
    const auto listener = std::move(Listener::open(loop_, endpoint_of(uri), {}, callbacks)).value();
    std::thread server([&] { other.run(); });
    const std::thread::id server_id = server.get_id();
    DialOutcome outcome;
    outcome.start(loop_, listener->endpoint());

    EXPECT_TRUE(run_until(loop_, [&] { return outcome.result.has_value(); }));
    settle(loop_);
    server.join();

    EXPECT_EQ(served_by, server_id) << uri;
  }
}

TEST_F(ListenerTest, ClosesConnectionsWithoutALoop) {
  for (const std::string uri : {"tcp://127.0.0.1:0", "inproc://no-loop"}) {
    std::string refused;
    ListenCallbacks callbacks;
    callbacks.assign = [&](const std::string& peer) {
      refused = peer;
      return LoopAssignment{};
    };
    callbacks.on_accept = [&](AcceptedConnection) { ADD_FAILURE() << uri; };
    const auto listener = std::move(Listener::open(loop_, endpoint_of(uri), {}, callbacks)).value();
    DialOutcome outcome;
    outcome.start(loop_, listener->endpoint());
    ASSERT_TRUE(run_until(loop_, [&] { return outcome.result.has_value(); }));

    StreamPeer peer(std::move(**outcome.result));
    peer.receive_all();

    EXPECT_TRUE(run_until(loop_, [&] { return peer.is_ended(); })) << uri;
    EXPECT_EQ(refused.substr(0, 6), uri.substr(0, 6));
  }
}

TEST_F(ListenerTest, HandsThePermitToTheConnection) {
  const auto counted = std::make_shared<const int>(1);
  AcceptedConnection accepted;
  ListenCallbacks callbacks;
  callbacks.assign = [&](const std::string&) { return LoopAssignment{&loop_, ConnectionPermit(counted)}; };
  callbacks.on_accept = [&](AcceptedConnection connection) { accepted = std::move(connection); };
  const auto listener = std::move(Listener::open(loop_, endpoint_of("tcp://127.0.0.1:0"), {}, callbacks)).value();
  const base::TimePoint before = loop_.now();
  DialOutcome outcome;
  outcome.start(loop_, listener->endpoint());

  ASSERT_TRUE(run_until(loop_, [&] { return accepted.transport != nullptr; }));

  EXPECT_TRUE(accepted.permit);
  EXPECT_GE(accepted.accepted_at, before);
  EXPECT_EQ(counted.use_count(), 2) << "held by the test and the connection alone";
  accepted.permit.reset();
  EXPECT_FALSE(accepted.permit);
  EXPECT_EQ(counted.use_count(), 1);
}

TEST_F(ListenerTest, MayBeDestroyedByItsCallback) {
  std::unique_ptr<Listener> listener;
  int accepted = 0;
  ListenCallbacks callbacks;
  callbacks.on_accept = [&](AcceptedConnection) {
    ++accepted;
    listener.reset();
  };
  listener = std::move(Listener::open(loop_, endpoint_of("tcp://127.0.0.1:0"), {}, callbacks)).value();
  DialOutcome first;
  DialOutcome second;
  first.start(loop_, listener->endpoint());
  second.start(loop_, listener->endpoint());

  EXPECT_TRUE(run_until(loop_, [&] { return first.result && second.result && accepted > 0; }));
  settle(loop_);

  EXPECT_EQ(accepted, 1);
}

TEST_F(ListenerTest, DeliversNothingAfterClose) {
  for (const std::string uri : {"tcp://127.0.0.1:0", "inproc://closing"}) {
    const auto listener = std::move(open(uri)).value();
    DialOutcome outcome;
    outcome.start(loop_, listener->endpoint());

    listener->close();
    run_until(loop_, [&] { return outcome.result.has_value(); });
    settle(loop_);

    EXPECT_TRUE(accepted_.empty()) << uri;
  }
}

TEST_F(ListenerTest, PausesWhenDescriptorsRunOut) {
  const auto listener = std::move(open("tcp://127.0.0.1:0")).value();
  DialOutcome outcome;
  outcome.start(loop_, listener->endpoint());
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old_limit), 0);
  const UniqueSocket highest(::dup(0));
  rlimit none_left = old_limit;
  none_left.rlim_cur = static_cast<rlim_t>(highest.get());
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none_left), 0);

  const bool reported = run_until(loop_, [&] { return !errors_.empty(); });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &old_limit), 0);

  EXPECT_TRUE(reported);
  EXPECT_EQ(errors_[0].code(), StatusCode::resource_exhausted);
  EXPECT_THAT(std::string(errors_[0].message()),
              AllOf(HasSubstr("accept on tcp://127.0.0.1:"), HasSubstr("too many open files")));
  EXPECT_TRUE(run_until(loop_, [&] { return !accepted_.empty(); }));
  EXPECT_EQ(errors_.size(), 1U) << "it tried again without a pause";
}

TEST_F(ListenerTest, ReloadIsForTlsOnly) {
  const auto listener = std::move(open("tcp://127.0.0.1:0")).value();

  EXPECT_EQ(listener->reload_tls().code(), StatusCode::failed_precondition);
}

}  // namespace
}  // namespace trunkline::net
