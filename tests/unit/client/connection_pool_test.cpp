// SPDX-License-Identifier: MIT
// ConnectionPool alone: the test plays the connector and the pool's owner. Connections, sessions and servers are real
// ones in memory, since ClientConnection is a final class.
#include "client/connection_pool.h"
#include "client/connected_stream.h"
#include "client/service_rules.h"
#include "kit/manual_clock.h"
#include "unit/client/fake_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::client {

namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Condition = ChannelLifecycle::Event;

/// A call of the test on a connection: a stream that nobody reads.
class PooledCall final : public ConnectedStream {
 public:
  using ConnectedStream::ConnectedStream;
  void on_finished(session::Event& event, const std::string&) override {
    ended = event.status;
    end(event.status);
  }
  void cancel() override {}
  void release() override {}

  std::optional<Status> ended;
};

class ConnectionPoolTest : public ::testing::Test, public SourceOwner, public UnaryCallOwner {
 protected:
  /// An attempt to connect that the test carries out.
  struct Attempted final : net::Dial {
    void cancel() override {}
    bool has_more() const noexcept override { return more; }
    void hurry() override { ++hurried; }

    net::DialCallback callback;
    bool more = false;
    int hurried = 0;
  };
  class TestConnector final : public Connector {
   public:
    explicit TestConnector(ConnectionPoolTest& test) noexcept : test_(test) {}
    std::shared_ptr<net::Dial> connect(net::DialCallback callback) override {
      auto made = std::make_shared<Attempted>();
      if (test_.is_uncancellable) {
        test_.held_callbacks.push_back(std::move(callback));
        test_.dials.emplace_back();
        return nullptr;
      }
      made->callback = std::move(callback);
      test_.dials.push_back(made);
      return made;
    }
    const session::Protocol& protocol(const net::PeerInfo&) const noexcept override { return *test_.protocol; }
    bool learn_http1() override {
      if (test_.http1 == nullptr) return false;
      test_.protocol = std::exchange(test_.http1, nullptr);
      return true;
    }
    Status check(const net::PeerInfo&) const override { return test_.check_result; }
    const std::string& target() const noexcept override { return test_.target; }

   private:
    ConnectionPoolTest& test_;
  };
  struct TestHost final : call::StreamHost {
    explicit TestHost(net::Loop& on) noexcept : loop(on) {}
    bool is_on_loop() const noexcept override { return loop.is_current(); }
    void post(std::function<void()> task) override { loop.post(std::move(task)); }
    call::CompletionQueue& completions() noexcept override { return queue; }
    net::Loop& loop;
    call::CompletionQueue queue{[](void*) {}, nullptr};
  };
  struct TestAttempt final : Attempt {
    Status start_on(ClientConnection&) override { return {}; }
    void fail(Status) override {}
  };

  ConnectionPoolTest() {
    options.backoff.jitter = 0;
    options.backoff.seed = 1;
    options.limits.keepalive_interval = {};
    options.log = [this](const LogRecord& record) {
      logged.emplace_back(record.message);
      if (log_throws) throw std::runtime_error("x");
    };
    session_options.codecs = &options.codecs;
    session_options.compressors = &options.compressors;
    entry.key = 1;
    entry.name = "Echo";
  }
  ~ConnectionPoolTest() override {
    made_pool.reset();
    calls.clear();
    settle();
  }

  // --- the pool ---

  /// Made with `options` on the first call.
  ConnectionPool& pool() {
    if (made_pool == nullptr) {
      session_options.limits = options.limits;
      rules = std::make_unique<ServiceRules>(options);
      made_pool = std::make_unique<ConnectionPool>(
          ConnectionSetup{
              .loop = loop, .options = options, .session_options = session_options, .calls = *this, .rules = *rules},
          *this, std::make_unique<TestConnector>(*this));
    }
    return *made_pool;
  }
  void connect() {
    on_loop([&] { pool().connect(); });
  }
  ClientConnection* pick() {
    ClientConnection* picked = nullptr;
    on_loop([&] { picked = pool().pick(); });
    return picked;
  }
  /// Begins a call on the connection that the pool picks. Null: it picks none.
  std::shared_ptr<PooledCall> begin() {
    std::shared_ptr<PooledCall> call;
    on_loop([&] {
      ClientConnection* const connection = pool().pick(entry, {});
      if (connection != nullptr) call = start_on(*connection);
    });
    return call;
  }
  std::shared_ptr<PooledCall> start_on(ClientConnection& connection) {
    auto call = std::make_shared<PooledCall>(host, options.codecs);
    TestAttempt attempt;
    attempt.method = &entry;
    EXPECT_TRUE(connection.start(*call, attempt, {}, {}).is_ok());
    calls.push_back(call);
    return call;
  }
  /// From now on, calls that wait begin when there is room.
  void share_out() {
    on_room = [this] {
      while (waiting > 0) {
        ClientConnection* const connection = pool().pick();
        if (connection == nullptr) return;
        --waiting;
        ++shared_out;
        start_on(*connection);
      }
    };
  }
  /// Connects and waits for the server's hello.
  FakeServer& make_ready() {
    connect();
    answer(dials.size() - 1);
    return *servers.back();
  }

  // --- the network ---

  std::size_t attempts() const { return dials.size(); }
  bool is_dropped(std::size_t number) const { return dials.at(number).expired(); }
  /// The attempt has led to a connection. With `more` it has further addresses.
  void answer(std::size_t number, bool more = false) {
    on_loop([&, dial = dials.at(number).lock()] {
      ASSERT_NE(dial, nullptr);
      dial->more = more;
      dial->callback(make_transport());
    });
  }
  void refuse(std::size_t number, bool more = false, StatusCode code = StatusCode::unavailable) {
    on_loop([&, dial = dials.at(number).lock()] {
      ASSERT_NE(dial, nullptr);
      dial->more = more;
      dial->callback(refusal(code));
    });
  }
  static Status refusal(StatusCode code = StatusCode::unavailable) {
    Status refused(code, "connection refused", StatusOrigin::transport);
    refused.set_may_have_run(false);
    return refused;
  }
  std::unique_ptr<net::Transport> make_transport() {
    auto [near, far] = net::make_memory_pair(loop, loop, {.buffer_bytes = 1 << 20, .address = target});
    if (is_raw) {
      raw_ends.push_back(std::move(far));
      return std::move(near);
    }
    session::SessionOptions of_server;
    of_server.codecs = &options.codecs;
    of_server.compressors = &options.compressors;
    of_server.max_concurrent_calls = max_concurrent_calls;
    of_server.limits.keepalive_interval = {};
    servers.push_back(std::make_unique<FakeServer>(std::move(far), of_server, is_mute));
    return std::move(near);
  }
  /// Reads what the pool has sent. Returns true if it sends nothing more.
  static bool has_ended(net::Transport& end) {
    std::vector<std::byte> bytes(4096);
    const MutableByteSpan into(bytes);
    net::IoResult read = end.read(std::span(&into, 1));
    while (read.state == net::IoState::ok) read = end.read(std::span(&into, 1));
    return read.state == net::IoState::end_of_stream;
  }
  void cut(FakeServer& server) {
    on_loop([&] { server.cut(); });
  }

  // --- SourceOwner and UnaryCallOwner ---

  void source_changed() override { ++changes; }
  void source_has_room() override {
    ++rooms;
    if (on_room) on_room();
  }
  void connecting_failed(const Status& error) override { failures.push_back(error); }
  bool wants_connection() const noexcept override { return waiting > 0 || is_wanted; }
  std::size_t waiting_calls() const noexcept override { return waiting; }
  bool keeps_connection() const noexcept override { return keeps; }
  bool replaces_connection() override { return ++asked_to_replace, replaces; }
  std::shared_ptr<void> keep_alive() override { return nullptr; }
  void response_begun(detail::CallOperation&, const Metadata&) override {}
  void response_received(detail::CallOperation&) override {}
  void call_finished(detail::CallOperation&, session::Event&, const ClientConnection&) override {}

  // --- the loop ---

  void settle() {
    while (loop.poll()) {
    }
  }
  void on_loop(std::function<void()> task) {
    loop.post(std::move(task));
    settle();
  }
  void advance(base::Duration by) {
    clock.advance(by);
    settle();
  }

  kit::ManualClock clock;
  net::Loop loop{{}, &clock};
  ChannelOptions options;
  session::SessionOptions session_options;
  std::unique_ptr<ServiceRules> rules;
  MethodEntry entry;
  std::shared_ptr<TestHost> host = std::make_shared<TestHost>(loop);

  std::vector<std::weak_ptr<Attempted>> dials;
  std::vector<net::DialCallback> held_callbacks;
  std::vector<std::unique_ptr<FakeServer>> servers;
  std::vector<std::unique_ptr<net::Transport>> raw_ends;
  const session::Protocol* protocol = &session::native::protocol();
  const session::Protocol* http1 = nullptr;
  std::string target = "inproc://pool";
  Status check_result;
  std::uint32_t max_concurrent_calls = 16384;
  bool is_mute = false;
  bool is_raw = false;
  bool is_uncancellable = false;

  int changes = 0;
  int rooms = 0;
  std::function<void()> on_room;
  std::vector<Status> failures;
  std::size_t waiting = 0;
  int shared_out = 0;
  bool is_wanted = false;
  bool keeps = false;
  bool replaces = false;
  int asked_to_replace = 0;
  std::vector<std::string> logged;
  bool log_throws = false;
  std::vector<std::shared_ptr<PooledCall>> calls;
  std::unique_ptr<ConnectionPool> made_pool;
};

using ConnectionPoolMaking = ConnectionPoolTest;
using ConnectionPoolBackoff = ConnectionPoolTest;
using ConnectionPoolAddresses = ConnectionPoolTest;
using ConnectionPoolGrowth = ConnectionPoolTest;
using ConnectionPoolLoss = ConnectionPoolTest;
using ConnectionPoolState = ConnectionPoolTest;
using ConnectionPoolBreakers = ConnectionPoolTest;
using ConnectionPoolEnd = ConnectionPoolTest;

// --- how a connection is made ---

TEST_F(ConnectionPoolMaking, NothingIsDoneBeforeItIsAskedFor) {
  EXPECT_TRUE(pool().is_at_rest());
  EXPECT_TRUE(pool().is_empty());
  EXPECT_EQ(pool().condition(), Condition::pool_empty);
  EXPECT_EQ(pool().sole(), &pool());
  EXPECT_EQ(pool().target(), "inproc://pool");
  EXPECT_TRUE(pool().last_error().is_ok());
  EXPECT_EQ(attempts(), 0u);
}

TEST_F(ConnectionPoolMaking, OneAttemptIsUnderWayAtATime) {
  connect();
  connect();

  EXPECT_EQ(attempts(), 1u);
  EXPECT_EQ(changes, 1);
  EXPECT_FALSE(pool().is_at_rest());
  EXPECT_EQ(pool().condition(), Condition::pool_connecting);
  EXPECT_EQ(pool().opened(), nullptr);
}

TEST_F(ConnectionPoolMaking, WhoPicksFromAnEmptyPoolHasAConnectionMade) {
  EXPECT_EQ(pick(), nullptr);
  EXPECT_EQ(pick(), nullptr);

  EXPECT_EQ(attempts(), 1u);
}

TEST_F(ConnectionPoolMaking, AConnectionTakesCallsFromTheHelloOn) {
  is_mute = true;
  connect();
  answer(0);
  EXPECT_EQ(pick(), nullptr);
  EXPECT_FALSE(pool().is_ready());
  EXPECT_EQ(pool().condition(), Condition::pool_connecting);
  EXPECT_TRUE(pool().has_room_soon() == false);
  made_pool.reset();
  is_mute = false;
  changes = rooms = 0;

  make_ready();

  EXPECT_TRUE(pool().is_ready());
  EXPECT_EQ(pool().condition(), Condition::pool_ready);
  EXPECT_NE(pick(), nullptr);
  EXPECT_EQ(pick(), pool().opened().get());
  EXPECT_TRUE(pool().has_room_soon());
  EXPECT_GE(rooms, 1);
  EXPECT_GE(changes, 2);
  EXPECT_EQ(attempts(), 2u);
  EXPECT_FALSE(pool().is_at_rest());
  EXPECT_FALSE(pool().is_empty());
}

TEST_F(ConnectionPoolMaking, EarlyCallsDoNotWaitForTheHello) {
  options.early_calls = true;
  is_mute = true;

  connect();
  answer(0);

  EXPECT_NE(pick(), nullptr);
  EXPECT_FALSE(pool().is_ready());
  EXPECT_EQ(pool().condition(), Condition::pool_connecting);
  EXPECT_GE(rooms, 1);
}

TEST_F(ConnectionPoolMaking, AnEarlyConnectionThatIsLostIsAFailedAttempt) {
  options.early_calls = true;
  is_mute = true;
  connect();
  answer(0);

  cut(*servers[0]);

  ASSERT_EQ(failures.size(), 1u);
  EXPECT_TRUE(pool().is_failing());
  EXPECT_FALSE(pool().had_hello());
  EXPECT_TRUE(pool().is_empty());
}

TEST_F(ConnectionPoolMaking, AnAttemptThatFailsIsReportedWithItsReason) {
  connect();

  refuse(0);

  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0], refusal());
  EXPECT_EQ(pool().last_error(), refusal());
  EXPECT_FALSE(pool().had_hello());
  EXPECT_TRUE(pool().is_failing());
  EXPECT_EQ(pool().condition(), Condition::pool_failing);
  EXPECT_TRUE(pool().is_empty());
  EXPECT_FALSE(pool().is_at_rest()) << "the next attempt is to come";
  EXPECT_TRUE(is_dropped(0));
}

TEST_F(ConnectionPoolMaking, TheHelloMakesUpForWhatFailedBefore) {
  connect();
  refuse(0);
  is_wanted = true;
  advance(110ms);

  answer(1);

  EXPECT_TRUE(pool().is_ready());
  EXPECT_TRUE(pool().last_error().is_ok());
}

TEST_F(ConnectionPoolMaking, AServerThatClosesBeforeItsHelloIsAFailure) {
  is_mute = true;
  connect();
  answer(0);

  cut(*servers[0]);

  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].code(), StatusCode::unavailable);
  EXPECT_EQ(failures[0].origin(), StatusOrigin::transport);
  EXPECT_THAT(std::string(failures[0].message()), HasSubstr("connect inproc://pool: "));
  EXPECT_THAT(std::string(failures[0].message()), Not(HasSubstr("TLS")));
  EXPECT_TRUE(pool().is_failing());
}

TEST_F(ConnectionPoolMaking, OverTcpTheErrorOfASilentServerNamesTls) {
  target = "tcp://10.0.0.1:80";
  is_mute = true;
  connect();
  answer(0);

  cut(*servers[0]);

  ASSERT_EQ(failures.size(), 1u);
  EXPECT_THAT(std::string(failures[0].message()),
              HasSubstr("; a server that expects TLS may say nothing to a client without it"));
}

TEST_F(ConnectionPoolMaking, APeerThatCannotBeUsedIsAFailure) {
  check_result = Status(StatusCode::unavailable, "no ALPN", StatusOrigin::transport);
  connect();

  answer(0);

  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].message(), "no ALPN");
  EXPECT_FALSE(failures[0].may_have_run());
  EXPECT_TRUE(pool().is_empty());
}

TEST_F(ConnectionPoolMaking, AServerOfHttp1IsConnectedAgainInThatAndNothingHasFailed) {
  session::Protocol simple = session::native::protocol();
  simple.has_one_call = true;
  protocol = &session::grpc::connect_protocol();
  http1 = &simple;
  is_raw = true;
  connect();
  answer(0);

  on_loop([&] {
    const std::string_view text = "HTTP/1.1 400 Bad Request\r\n\r\n";
    const ByteSpan bytes = as_bytes(text);
    raw_ends[0]->write(std::span(&bytes, 1));
    raw_ends[0]->close();
  });

  EXPECT_EQ(attempts(), 2u);
  EXPECT_TRUE(failures.empty());
  EXPECT_FALSE(pool().is_failing());
  is_raw = false;
  answer(1);
  EXPECT_TRUE(pool().is_ready());
  made_pool.reset();
}

TEST_F(ConnectionPoolMaking, AnAttemptThatCannotBeCancelledMayEndAfterThePool) {
  is_uncancellable = true;
  connect();
  made_pool.reset();

  on_loop([&] { held_callbacks.at(0)(make_transport()); });

  EXPECT_TRUE(failures.empty());
}

TEST_F(ConnectionPoolMaking, AnAttemptThatCannotBeCancelledAndIsNoLongerWantedMakesNoConnection) {
  is_uncancellable = true;
  connect();
  on_loop([&] { pool().drain(); });

  on_loop([&] { held_callbacks.at(0)(make_transport()); });

  EXPECT_TRUE(pool().is_empty());
}

// --- the backoff ---

TEST_F(ConnectionPoolBackoff, DuringThePauseNothingIsTried) {
  is_wanted = true;
  connect();
  refuse(0);

  connect();
  EXPECT_EQ(pick(), nullptr);
  advance(98ms);
  EXPECT_EQ(attempts(), 1u);
  advance(4ms);

  EXPECT_EQ(attempts(), 2u);
}

TEST_F(ConnectionPoolBackoff, AfterThePauseNothingIsTriedForNobody) {
  connect();
  refuse(0);

  advance(10s);

  EXPECT_EQ(attempts(), 1u);
  EXPECT_EQ(asked_to_replace, 1);
  EXPECT_TRUE(pool().is_at_rest());
  EXPECT_EQ(pool().condition(), Condition::pool_empty);
  EXPECT_EQ(pool().last_error(), refusal()) << "the reason stays";
}

TEST_F(ConnectionPoolBackoff, AfterThePauseAnOwnerWhoReplacesConnectionsGetsOne) {
  replaces = true;
  connect();
  refuse(0);

  advance(110ms);

  EXPECT_EQ(attempts(), 2u);
}

TEST_F(ConnectionPoolBackoff, ThePausesGrowUntilACallHasBeenServed) {
  options.backoff.initial = 100ms;
  options.backoff.multiplier = 2;
  is_wanted = true;
  connect();
  refuse(0);
  advance(110ms);
  refuse(1);
  advance(110ms);
  const std::size_t after_second = attempts();
  advance(100ms);
  ASSERT_EQ(attempts(), 3u);
  answer(2);
  const auto call = begin();
  ASSERT_NE(call, nullptr);
  on_loop([&] { servers[0]->respond(call->id(), "x"); });
  cut(*servers[0]);
  ASSERT_EQ(attempts(), 4u) << "a productive connection is replaced at once";
  refuse(3);
  advance(110ms);

  EXPECT_EQ(after_second, 2u);
  EXPECT_EQ(attempts(), 5u) << "the first pause again";
}

TEST_F(ConnectionPoolBackoff, IsHastenedForAWaitThatWouldEndBeforeIt) {
  options.backoff.initial = options.backoff.maximum = 60s;
  is_wanted = true;
  connect();
  refuse(0);

  on_loop([&] { pool().hasten(clock.now() + 10s); });
  advance(4s);
  EXPECT_EQ(attempts(), 1u);
  advance(1100ms);

  EXPECT_EQ(attempts(), 2u) << "when half of the wait is over";
}

TEST_F(ConnectionPoolBackoff, IsNotHastenedBelowTheLeastWait) {
  options.backoff.initial = options.backoff.maximum = 60s;
  is_wanted = true;
  connect();
  refuse(0);

  on_loop([&] { pool().hasten(clock.now() + 1ms); });
  advance(490ms);
  EXPECT_EQ(attempts(), 1u);
  advance(20ms);

  EXPECT_EQ(attempts(), 2u);
}

TEST_F(ConnectionPoolBackoff, IsNeitherLengthenedNorHastenedForEver) {
  options.backoff.initial = 1s;
  is_wanted = true;
  on_loop([&] { pool().hasten(clock.now() + 1s); });
  EXPECT_EQ(attempts(), 0u) << "there is no pause";
  connect();
  refuse(0);

  on_loop([&] {
    pool().hasten(base::never);
    pool().hasten(clock.now() + 100s);
  });
  advance(990ms);
  EXPECT_EQ(attempts(), 1u);
  advance(20ms);

  EXPECT_EQ(attempts(), 2u);
}

TEST_F(ConnectionPoolBackoff, EachPauseIsLogged) {
  connect();
  refuse(0);

  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(logged[0], "connect inproc://pool failed, retry after 100 ms at the latest: connection refused");
}

TEST_F(ConnectionPoolBackoff, ALogThatThrowsHarmsNothing) {
  log_throws = true;
  connect();

  refuse(0);

  EXPECT_EQ(failures.size(), 1u);
  EXPECT_TRUE(pool().is_failing());
}

// --- several addresses ---

TEST_F(ConnectionPoolAddresses, TheNextOneIsHurriedWhenAConnectionIsClosedBeforeItsHello) {
  is_mute = true;
  connect();
  answer(0, true);
  const auto dial = dials[0].lock();
  ASSERT_NE(dial, nullptr);

  cut(*servers[0]);

  EXPECT_EQ(dial->hurried, 1);
  EXPECT_TRUE(failures.empty());
  EXPECT_EQ(pool().condition(), Condition::pool_connecting);
  EXPECT_FALSE(pool().last_error().is_ok()) << "who waits may learn what has failed so far";
  is_mute = false;
  answer(0);
  EXPECT_TRUE(pool().is_ready());
}

TEST_F(ConnectionPoolAddresses, TheNextOneIsHurriedWhenAPeerCannotBeUsed) {
  check_result = Status(StatusCode::unavailable, "no ALPN");
  connect();
  const auto dial = dials[0].lock();

  answer(0, true);

  EXPECT_EQ(dial->hurried, 1);
  EXPECT_TRUE(failures.empty());
  EXPECT_EQ(pool().last_error().message(), "no ALPN");
}

TEST_F(ConnectionPoolAddresses, TheFirstHelloWinsAndTheOtherConnectionsAreClosed) {
  is_mute = true;
  connect();
  answer(0, true);
  is_mute = false;

  answer(0, true);

  EXPECT_TRUE(pool().is_ready());
  EXPECT_TRUE(is_dropped(0)) << "no further address is tried";
  EXPECT_EQ(pool().open_calls(), 0u);
  on_loop([&] { servers[0]->cut(); });
  EXPECT_TRUE(failures.empty());
  EXPECT_TRUE(pool().is_ready());
}

TEST_F(ConnectionPoolAddresses, AnErrorWhileAnotherConnectionWaitsForItsHelloIsNoFailureYet) {
  is_mute = true;
  connect();
  answer(0, true);

  refuse(0);
  EXPECT_TRUE(failures.empty());
  EXPECT_EQ(pool().last_error(), refusal());
  cut(*servers[0]);

  EXPECT_EQ(failures.size(), 1u);
  EXPECT_TRUE(pool().is_failing());
}

// --- growth ---

TEST_F(ConnectionPoolGrowth, WithoutAConnectionOneAttemptIsMadeHoweverManyCallsWait) {
  options.max_connections = 4;
  waiting = 10;

  connect();

  EXPECT_EQ(attempts(), 1u);
}

TEST_F(ConnectionPoolGrowth, OnceOneIsMadeTheOthersFollowSideBySideUpToTheLimit) {
  options.max_connections = 4;
  waiting = 10;
  connect();
  answer(0);

  connect();
  EXPECT_EQ(attempts(), 4u);
  for (std::size_t i = 1; i < 4; ++i) answer(i);
  connect();

  EXPECT_EQ(attempts(), 4u);
  EXPECT_EQ(servers.size(), 4u);
}

TEST_F(ConnectionPoolGrowth, ThereAreNoMoreConnectionsThanCalls) {
  options.max_connections = 4;
  waiting = 2;
  connect();
  answer(0);

  connect();

  EXPECT_EQ(attempts(), 2u);
}

TEST_F(ConnectionPoolGrowth, NoMoreThanSixteenAttemptsAreUnderWay) {
  options.max_connections = 100;
  waiting = 100;
  connect();
  answer(0);

  connect();

  EXPECT_EQ(attempts(), 17u);
}

TEST_F(ConnectionPoolGrowth, ACallGoesToTheConnectionWithTheFewestOthers) {
  options.max_connections = 2;
  make_ready();
  ASSERT_NE(begin(), nullptr);
  ASSERT_NE(begin(), nullptr) << "it does not wait for the connection that is made for it";
  ASSERT_EQ(attempts(), 2u);
  answer(1);

  begin();
  begin();

  EXPECT_EQ(servers[0]->calls.size(), 2u);
  EXPECT_EQ(servers[1]->calls.size(), 2u);
  EXPECT_EQ(pool().open_calls(), 4u);
}

TEST_F(ConnectionPoolGrowth, AConnectionWithoutCallsIsEnough) {
  options.max_connections = 4;
  make_ready();

  EXPECT_NE(pick(), nullptr);

  EXPECT_EQ(attempts(), 1u);
}

TEST_F(ConnectionPoolGrowth, CallsThatHaveWaitedAreSharedOut) {
  options.max_connections = 2;
  waiting = 4;
  share_out();
  connect();
  answer(0);

  EXPECT_EQ(shared_out, 2) << "the share of the first connection";
  EXPECT_EQ(attempts(), 2u);
  answer(1);

  EXPECT_EQ(shared_out, 4);
  EXPECT_EQ(servers[0]->calls.size(), 2u);
  EXPECT_EQ(servers[1]->calls.size(), 2u);
}

TEST_F(ConnectionPoolGrowth, AShareWhoseConnectionTakesLongGoesToTheOthers) {
  options.max_connections = 2;
  waiting = 4;
  share_out();
  connect();
  answer(0);
  ASSERT_EQ(shared_out, 2);

  advance(20ms);

  EXPECT_EQ(shared_out, 4);
}

TEST_F(ConnectionPoolGrowth, TheSharesOfConnectionsThatFailGoToTheOthersAtOnce) {
  options.max_connections = 3;
  waiting = 6;
  share_out();
  connect();
  answer(0);
  ASSERT_EQ(shared_out, 2);
  ASSERT_EQ(attempts(), 3u);

  refuse(1);
  refuse(2);

  EXPECT_EQ(shared_out, 6);
  EXPECT_TRUE(failures.empty()) << "there is a connection";
}

TEST_F(ConnectionPoolGrowth, TheShareOfTheOnlyConnectionThatIsMadeGoesToTheOthersToo) {
  options.max_connections = 2;
  waiting = 4;
  share_out();
  connect();
  answer(0);
  ASSERT_EQ(shared_out, 2);
  ASSERT_EQ(attempts(), 2u);

  refuse(1);

  EXPECT_EQ(shared_out, 4);
}

TEST_F(ConnectionPoolGrowth, AFurtherAttemptWithMoreAddressesIsHurriedOn) {
  options.max_connections = 3;
  waiting = 3;
  connect();
  answer(0);
  connect();
  ASSERT_EQ(attempts(), 3u);
  const auto further = dials[2].lock();
  ASSERT_NE(further, nullptr);

  refuse(2, true);

  EXPECT_EQ(further->hurried, 1);
}

TEST_F(ConnectionPoolGrowth, OverHttp1EachCallHasAConnection) {
  session::Protocol simple = session::native::protocol();
  simple.has_one_call = true;
  protocol = &simple;
  max_concurrent_calls = 1;
  options.max_connections = 1;
  options.max_http1_connections = 2;
  make_ready();
  EXPECT_FALSE(pool().has_room_soon());
  EXPECT_FALSE(pool().awaited_limit());
  ASSERT_NE(begin(), nullptr);

  EXPECT_EQ(begin(), nullptr) << "the connection has its call";
  ASSERT_EQ(attempts(), 2u);
  answer(1);
  EXPECT_NE(begin(), nullptr);
  EXPECT_EQ(begin(), nullptr);

  EXPECT_EQ(attempts(), 2u);
  EXPECT_TRUE(pool().awaited_limit());
  made_pool.reset();
}

TEST_F(ConnectionPoolGrowth, TheLimitOfTheServerIsNamed) {
  max_concurrent_calls = 1;
  make_ready();
  EXPECT_FALSE(pool().awaited_limit());

  begin();

  EXPECT_EQ(pick(), nullptr);
  EXPECT_TRUE(pool().awaited_limit());
  EXPECT_FALSE(pool().has_room_soon());
  on_loop([&] { servers[0]->respond(calls[0]->id(), "x"); });
  EXPECT_NE(pick(), nullptr);
}

// --- connections that are lost ---

TEST_F(ConnectionPoolLoss, AConnectionThatDrainsTakesNoCallAndEndsWithItsLastOne) {
  make_ready();
  const auto call = begin();

  on_loop([&] { servers[0]->drain(); });

  EXPECT_FALSE(pool().is_ready());
  EXPECT_EQ(pool().opened(), nullptr);
  EXPECT_EQ(pool().condition(), Condition::pool_draining);
  EXPECT_EQ(pool().open_calls(), 1u);
  EXPECT_TRUE(pool().is_at_rest()) << "nothing is made";
  EXPECT_FALSE(pool().is_empty());
  on_loop([&] { servers[0]->respond(call->id(), "x"); });
  EXPECT_TRUE(call->ended.has_value());
  EXPECT_TRUE(pool().is_empty());
  EXPECT_EQ(pool().condition(), Condition::pool_empty);
}

TEST_F(ConnectionPoolLoss, WhoPicksBesideAConnectionThatDrainsGetsAnother) {
  make_ready();
  begin();
  on_loop([&] { servers[0]->drain(); });

  EXPECT_EQ(pick(), nullptr);
  ASSERT_EQ(attempts(), 2u);
  answer(1);
  begin();

  EXPECT_EQ(servers[1]->calls.size(), 1u);
  EXPECT_EQ(pool().open_calls(), 2u);
}

TEST_F(ConnectionPoolLoss, AnotherIsMadeIfCallsWait) {
  make_ready();
  is_wanted = true;

  cut(*servers[0]);

  EXPECT_EQ(attempts(), 2u);
}

TEST_F(ConnectionPoolLoss, AnotherIsMadeForAnOwnerWhoReplacesConnections) {
  make_ready();
  replaces = true;

  cut(*servers[0]);

  EXPECT_EQ(attempts(), 2u);
}

TEST_F(ConnectionPoolLoss, AnotherIsMadeForAnOwnerWhoKeepsOne) {
  make_ready();
  keeps = true;

  cut(*servers[0]);

  EXPECT_EQ(attempts(), 2u);
}

TEST_F(ConnectionPoolLoss, NoneIsMadeForNobodyAndTheReasonIsKept) {
  make_ready();
  begin();

  cut(*servers[0]);

  EXPECT_EQ(attempts(), 1u);
  EXPECT_TRUE(pool().is_at_rest());
  EXPECT_TRUE(pool().is_empty());
  EXPECT_FALSE(pool().last_error().is_ok());
  ASSERT_FALSE(logged.empty());
  EXPECT_THAT(logged.back(), HasSubstr("connection to inproc://pool lost: "));
  ASSERT_TRUE(calls[0]->ended.has_value());
  EXPECT_EQ(calls[0]->ended->code(), StatusCode::unavailable);
}

TEST_F(ConnectionPoolLoss, AnIdleConnectionIsClosedAndNotReplaced) {
  options.idle_timeout = 10s;
  replaces = true;
  make_ready();

  for (int i = 0; i < 5; ++i) advance(10s);

  EXPECT_TRUE(pool().is_empty());
  EXPECT_EQ(attempts(), 1u);
  EXPECT_EQ(asked_to_replace, 0);
  EXPECT_TRUE(pool().last_error().is_ok());
}

TEST_F(ConnectionPoolLoss, AnIdleConnectionThatIsKeptStaysOpen) {
  options.idle_timeout = 10s;
  keeps = true;
  make_ready();

  for (int i = 0; i < 5; ++i) advance(10s);

  EXPECT_TRUE(pool().is_ready());
}

TEST_F(ConnectionPoolLoss, OnlyOneOfTheConnectionsWithOneCallIsKept) {
  session::Protocol simple = session::native::protocol();
  simple.has_one_call = true;
  protocol = &simple;
  max_concurrent_calls = 1;
  options.idle_timeout = 10s;
  keeps = true;
  make_ready();
  begin();
  begin();
  answer(1);
  ASSERT_NE(begin(), nullptr);
  on_loop([&] {
    servers[0]->respond(calls[0]->id(), "x");
    servers[1]->respond(calls[1]->id(), "x");
  });

  for (int i = 0; i < 5; ++i) advance(10s);

  EXPECT_NE(servers[0]->closed, servers[1]->closed);
  made_pool.reset();
}

TEST_F(ConnectionPoolLoss, TheFirstConnectionOfNoUseIsReplacedAtOnceAndTheSecondIsAFailure) {
  is_wanted = true;
  make_ready();
  cut(*servers[0]);
  EXPECT_EQ(attempts(), 2u);
  EXPECT_FALSE(pool().had_hello());
  answer(1);

  cut(*servers[1]);

  EXPECT_EQ(attempts(), 2u) << "the backoff has begun";
  EXPECT_TRUE(pool().is_failing());
  EXPECT_TRUE(pool().had_hello());
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].message(), "connect inproc://pool: the server ended the connection before it served a call");
  advance(110ms);
  EXPECT_EQ(attempts(), 3u);
}

TEST_F(ConnectionPoolLoss, AConnectionThatHasLastedIsOfUse) {
  is_wanted = true;
  for (std::size_t i = 0; i < 4; ++i) {
    if (i == 0) connect();
    answer(i);
    advance(150ms);
    cut(*servers[i]);
  }

  EXPECT_TRUE(failures.empty());
  EXPECT_EQ(attempts(), 5u);
}

TEST_F(ConnectionPoolLoss, AConnectionThatNobodyNeedsMayEndWithoutAFailure) {
  for (std::size_t i = 0; i < 4; ++i) {
    connect();
    answer(i);
    cut(*servers[i]);
  }

  EXPECT_TRUE(failures.empty());
  EXPECT_FALSE(pool().is_failing());
}

TEST_F(ConnectionPoolLoss, ConnectionsThatAreLostTogetherAreOneFailure) {
  options.max_connections = 3;
  options.backoff.initial = 100ms;
  options.backoff.multiplier = 10;
  waiting = 3;
  connect();
  answer(0);
  connect();
  answer(1);
  answer(2);
  ASSERT_EQ(servers.size(), 3u);

  on_loop([&] {
    for (const auto& server : servers) server->cut();
  });
  ASSERT_TRUE(pool().is_empty());
  const std::size_t before = attempts();
  if (before > 3) refuse(3);
  advance(110ms);

  EXPECT_GT(attempts(), before) << "the pause is the first one";
}

// --- the state ---

TEST_F(ConnectionPoolState, ShowsItsServer) {
  target = "tcp://10.0.0.1:80";
  make_ready();
  begin();

  const std::vector<ServerState> servers_shown = pool().servers();

  ASSERT_EQ(servers_shown.size(), 1u);
  EXPECT_EQ(servers_shown[0].endpoint.to_string(), "tcp://10.0.0.1:80");
  EXPECT_TRUE(servers_shown[0].is_ready);
  EXPECT_EQ(servers_shown[0].open_calls, 1u);
  EXPECT_EQ(servers_shown[0].started_calls, 0u) << "nothing is measured";
  EXPECT_TRUE(servers_shown[0].open_breakers.empty());
}

TEST_F(ConnectionPoolState, ShowsWhyTheServerIsNotReady) {
  connect();
  refuse(0);

  const std::vector<ServerState> servers_shown = pool().servers();

  ASSERT_EQ(servers_shown.size(), 1u);
  EXPECT_FALSE(servers_shown[0].is_ready);
  EXPECT_EQ(servers_shown[0].last_error, refusal());
}

TEST_F(ConnectionPoolState, HasWorkWhileStreamsAreOpen) {
  make_ready();
  EXPECT_FALSE(pool().has_work_left());
  begin();
  EXPECT_TRUE(pool().has_work_left());

  on_loop([&] { servers[0]->drain(); });
  EXPECT_TRUE(pool().has_work_left()) << "that drains as well";
  on_loop([&] { servers[0]->respond(calls[0]->id(), "x"); });

  EXPECT_FALSE(pool().has_work_left());
}

// --- breakers ---

class ConnectionPoolBreaker : public ConnectionPoolTest {
 protected:
  ConnectionPoolBreaker() {
    options.circuit_breaker.enabled = true;
    options.circuit_breaker.consecutive_failures = 2;
    options.circuit_breaker.open_time = 5s;
  }
  void fail_a_call() {
    const auto call = begin();
    ASSERT_NE(call, nullptr);
    on_loop([&] { servers[0]->refuse(call->id(), Status(StatusCode::internal, "broken"), false); });
  }
};

TEST_F(ConnectionPoolBreaker, KeepsCallsOfAFailingMethodAwayUntilItsTimeIsOver) {
  make_ready();
  fail_a_call();
  EXPECT_FALSE(pool().has_open_breakers());
  EXPECT_FALSE(pool().open_breakers(entry).has_value());

  fail_a_call();

  EXPECT_TRUE(pool().has_open_breakers());
  EXPECT_EQ(begin(), nullptr);
  const std::optional<OpenBreakers> open = pool().open_breakers(entry);
  ASSERT_TRUE(open.has_value());
  EXPECT_EQ(open->error.code(), StatusCode::unavailable);
  EXPECT_THAT(std::string(open->error.message()), HasSubstr("the circuit breaker for inproc://pool is open until "));
  EXPECT_GT(open->until, clock.now());
  MethodEntry other;
  other.key = 2;
  other.name = "Other";
  EXPECT_FALSE(pool().open_breakers(other).has_value());
  clock.set(open->until + 1ms);
  settle();
  EXPECT_NE(begin(), nullptr) << "a probe";
}

TEST_F(ConnectionPoolBreaker, MeasuresTheServer) {
  make_ready();
  fail_a_call();
  fail_a_call();

  const std::vector<ServerState> servers_shown = pool().servers();

  EXPECT_EQ(servers_shown.at(0).started_calls, 2u);
  EXPECT_EQ(servers_shown.at(0).failed_calls, 2u);
  EXPECT_EQ(servers_shown.at(0).open_breakers, std::vector<std::string>{"Echo"});
}

TEST_F(ConnectionPoolBreaker, IsNoReasonForAPoolThatIsNotReady) {
  make_ready();
  fail_a_call();
  fail_a_call();

  cut(*servers[0]);

  EXPECT_FALSE(pool().open_breakers(entry).has_value());
}

TEST_F(ConnectionPoolBreakers, ThereAreNoneUnlessTheyAreAskedFor) {
  make_ready();
  for (int i = 0; i < 10; ++i) {
    const auto call = begin();
    ASSERT_NE(call, nullptr);
    on_loop([&] { servers[0]->refuse(call->id(), Status(StatusCode::internal, "broken"), false); });
  }

  EXPECT_FALSE(pool().has_open_breakers());
  EXPECT_NE(begin(), nullptr);
}

// --- the end ---

TEST_F(ConnectionPoolEnd, ADrainedPoolMakesNoConnectionAndItsLastCallsEnd) {
  make_ready();
  const auto call = begin();
  is_wanted = true;

  on_loop([&] { pool().drain(); });
  connect();
  EXPECT_EQ(pick(), nullptr);
  EXPECT_EQ(attempts(), 1u);
  EXPECT_FALSE(call->ended.has_value());
  on_loop([&] { servers[0]->respond(call->id(), "x"); });

  EXPECT_TRUE(call->ended.has_value());
  EXPECT_TRUE(pool().is_empty());
  EXPECT_EQ(pool().condition(), Condition::pool_empty);
  EXPECT_EQ(attempts(), 1u);
}

TEST_F(ConnectionPoolEnd, ADrainDropsAttemptsAndCandidates) {
  options.max_connections = 3;
  waiting = 3;
  connect();
  answer(0);
  connect();
  ASSERT_EQ(attempts(), 3u);

  on_loop([&] { pool().drain(); });

  EXPECT_TRUE(is_dropped(1));
  EXPECT_TRUE(is_dropped(2));
  EXPECT_TRUE(pool().is_at_rest());
}

TEST_F(ConnectionPoolEnd, ADrainClosesAConnectionThatWaitsForItsHello) {
  is_raw = true;
  connect();
  answer(0, true);
  ASSERT_FALSE(pool().is_empty());
  EXPECT_FALSE(has_ended(*raw_ends[0]));

  on_loop([&] { pool().drain(); });
  EXPECT_TRUE(is_dropped(0));
  EXPECT_TRUE(has_ended(*raw_ends[0]));
  on_loop([&] { raw_ends[0]->close(); });

  EXPECT_TRUE(failures.empty());
  EXPECT_TRUE(pool().is_empty());
}

TEST_F(ConnectionPoolEnd, ADrainEndsTheBackoff) {
  is_wanted = true;
  connect();
  refuse(0);

  on_loop([&] { pool().drain(); });
  EXPECT_TRUE(pool().is_at_rest());
  EXPECT_EQ(pool().condition(), Condition::pool_empty) << "the channel has nothing to wait for";
  advance(10s);

  EXPECT_EQ(attempts(), 1u);
}

TEST_F(ConnectionPoolEnd, AFailureAfterADrainIsNotReported) {
  make_ready();
  begin();
  on_loop([&] { pool().drain(); });

  cut(*servers[0]);

  EXPECT_TRUE(failures.empty());
  EXPECT_EQ(calls[0]->ended->code(), StatusCode::unavailable);
  EXPECT_TRUE(pool().is_empty());
}

TEST_F(ConnectionPoolEnd, CloseEndsEveryCallWithItsReason) {
  make_ready();
  const auto call = begin();

  on_loop([&] { pool().close_all(Status(StatusCode::cancelled, "the channel is closed")); });

  ASSERT_TRUE(call->ended.has_value());
  EXPECT_EQ(call->ended->code(), StatusCode::cancelled);
  EXPECT_THAT(std::string(call->ended->message()), HasSubstr("the channel is closed"));
  EXPECT_TRUE(pool().is_empty());
}

TEST_F(ConnectionPoolEnd, TheCallsOfAClosedPoolMayBeEndedAtOnce) {
  make_ready();
  const auto call = begin();
  bool has_ended_at_once = false;

  on_loop([&] {
    pool().close_all(Status(StatusCode::cancelled, "the channel is closed"));
    pool().end_calls();
    has_ended_at_once = call->ended.has_value();
  });

  EXPECT_TRUE(has_ended_at_once);
  EXPECT_TRUE(pool().is_empty());
}

TEST_F(ConnectionPoolEnd, DetachDropsEverythingAndReportsNothing) {
  make_ready();
  const auto call = begin();
  changes = 0;

  on_loop([&] { pool().detach(); });

  EXPECT_TRUE(pool().is_empty());
  EXPECT_TRUE(pool().is_at_rest());
  EXPECT_FALSE(call->ended.has_value());
  EXPECT_TRUE(failures.empty());
  EXPECT_EQ(changes, 0);
}

TEST_F(ConnectionPoolEnd, ThePoolDropsItsAttemptsWhenItIsDestroyed) {
  connect();

  made_pool.reset();

  EXPECT_TRUE(is_dropped(0));
}

}  // namespace

}  // namespace trunkline::client
