// SPDX-License-Identifier: MIT
// How dials end, and what their errors say.
#include "net/dialer.h"

#include "connected_pair.h"
#include "kit/held_port.h"
#include "kit/manual_clock.h"
#include "net/unique_socket.h"

#include <gmock/gmock.h>

#include <sys/socket.h>

namespace trunkline::net {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

class DialTest : public testing::Test {
 protected:
  std::unique_ptr<Listener> listen(const std::string& uri) {
    ListenCallbacks callbacks;
    callbacks.on_accept = [this](AcceptedConnection connection) { accepted_ = std::move(connection.transport); };
    return std::move(Listener::open(loop_, endpoint_of(uri), {}, callbacks)).value();
  }
  Status status_of(const Endpoint& endpoint, const DialOptions& options = {}) {
    DialOutcome outcome;
    outcome.start(loop_, endpoint, options);
    EXPECT_TRUE(run_until(loop_, [&] { return outcome.result.has_value(); }));
    return outcome.result ? outcome.result->status() : Status();
  }
  /// A port on which nothing listens.
  Endpoint dead_endpoint() const { return endpoint_of(dead_.uri()); }

  const kit::HeldPort dead_;
  Loop loop_;
  TemporaryDirectory directory_;
  std::unique_ptr<Transport> accepted_;
};

TEST_F(DialTest, ReportsThatNothingListens) {
  const Endpoint endpoint = dead_endpoint();

  const Status status = status_of(endpoint);

  EXPECT_EQ(status.code(), StatusCode::unavailable);
  EXPECT_EQ(status.message(), "connect " + endpoint.to_string() + ": connection refused");
  EXPECT_EQ(status.origin(), StatusOrigin::transport);
  EXPECT_FALSE(status.may_have_run());
}

TEST_F(DialTest, ReportsAMissingSocketFile) {
  const Status status = status_of(endpoint_of("unix://" + directory_.file("nowhere")));

  EXPECT_EQ(status.code(), StatusCode::unavailable);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("nowhere"), HasSubstr("no such file or directory")));
}

TEST_F(DialTest, ReportsAnUnknownInprocName) {
  const Status status = status_of(endpoint_of("inproc://nobody"));

  EXPECT_EQ(status.message(), "connect inproc://nobody: nothing listens there");
  EXPECT_FALSE(status.may_have_run());
}

TEST_F(DialTest, ResolvesNames) {
  const auto listener = listen("tcp://127.0.0.1:0");
  const Endpoint named = endpoint_of("tcp://localhost:" + std::to_string(listener->endpoint().port()));

  EXPECT_TRUE(status_of(named).is_ok());
}

TEST_F(DialTest, NamesTheAddressThatFailed) {
  const Endpoint named = endpoint_of("tcp://localhost:" + std::to_string(dead_endpoint().port()));

  const Status status = status_of(named);

  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("connect " + named.to_string() + " ("), HasSubstr("): connection refused")));
}

TEST_F(DialTest, ReportsAnUnknownHost) {
  const Status status = status_of(endpoint_of("tcp://no-such-host.invalid:1"));

  EXPECT_EQ(status.code(), StatusCode::unavailable);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("connect tcp://no-such-host.invalid:1: resolve no-such-host.invalid: "));
}

TEST_F(DialTest, RefusesOptionsOutOfRange) {
  DialOptions options;
  options.transport.receive_buffer_bytes = std::size_t{1} << 31;

  EXPECT_EQ(status_of(dead_endpoint(), options).code(), StatusCode::invalid_argument);
}

TEST_F(DialTest, NeverCallsBackFromInsideDial) {
  const auto tcp = listen("tcp://127.0.0.1:0");
  const auto inproc = listen("inproc://dial-test");
  const std::vector<Endpoint> endpoints{tcp->endpoint(), inproc->endpoint(), endpoint_of("inproc://nobody"),
                                        endpoint_of("unix://" + directory_.file("nowhere"))};
  for (const Endpoint& endpoint : endpoints) {
    DialOutcome outcome;

    outcome.start(loop_, endpoint);

    EXPECT_FALSE(outcome.result) << endpoint.to_string();
    EXPECT_TRUE(run_until(loop_, [&] { return outcome.result.has_value(); }));
  }
}

TEST_F(DialTest, CancelledDialIsSilent) {
  const auto tcp = listen("tcp://127.0.0.1:0");
  const auto inproc = listen("inproc://dial-test");
  const Endpoint named = endpoint_of("tcp://localhost:" + std::to_string(tcp->endpoint().port()));
  for (const Endpoint& endpoint : {tcp->endpoint(), inproc->endpoint(), named, endpoint_of("inproc://nobody")}) {
    DialOutcome cancelled;
    DialOutcome dropped;
    cancelled.start(loop_, endpoint);
    dropped.start(loop_, endpoint);

    cancelled.dial->cancel();
    dropped.dial.reset();
    DialOutcome marker;
    marker.start(loop_, endpoint);
    EXPECT_TRUE(run_until(loop_, [&] { return marker.result.has_value(); }));

    EXPECT_FALSE(cancelled.result) << endpoint.to_string();
    EXPECT_FALSE(dropped.result) << endpoint.to_string();
  }
}

TEST_F(DialTest, MayBeReleasedByItsCallback) {
  const auto listener = listen("tcp://127.0.0.1:0");
  std::shared_ptr<Dial> dialing;
  bool called = false;
  dialing = dial(loop_, listener->endpoint(), {}, [&](Result<std::unique_ptr<Transport>>) {
    dialing.reset();
    called = true;
  });

  EXPECT_TRUE(run_until(loop_, [&] { return called; }));
}

/// A listening socket whose queue is full answers no further connection.
class FullListener {
 public:
  FullListener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    ::listen(socket_.get(), 0);
    socklen_t size = sizeof(address);
    ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    for (UniqueSocket& filler : fillers_) {
      filler = UniqueSocket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      ::connect(filler.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    }
  }
  Endpoint endpoint() const { return endpoint_of("tcp://127.0.0.1:" + std::to_string(port_)); }

 private:
  UniqueSocket socket_;
  std::array<UniqueSocket, 4> fillers_;
  std::uint16_t port_ = 0;
};

TEST(Dial, GivesUpAfterConnectTimeout) {
  const FullListener full;
  kit::ManualClock clock;
  Loop loop({}, &clock);
  DialOutcome outcome;
  outcome.start(loop, full.endpoint(), {.connect_timeout = 30s});

  clock.advance(29s);
  settle(loop);
  EXPECT_FALSE(outcome.result);

  clock.advance(1s);
  settle(loop);
  ASSERT_TRUE(outcome.result);
  EXPECT_EQ(outcome.result->status().code(), StatusCode::unavailable);
  EXPECT_EQ(outcome.result->status().message(),
            "connect " + full.endpoint().to_string() + ": not connected within connect_timeout 30000 ms");
}

/// Dials several addresses in virtual time, which stands still until all that is expected so far has come.
class Race : public testing::Test {
 protected:
  std::unique_ptr<Listener> listen() {
    ListenCallbacks callbacks;
    callbacks.on_accept = [](auto) {};
    return std::move(Listener::open(loop, endpoint_of("tcp://127.0.0.1:0"), {}, callbacks)).value();
  }
  /// Runs the loop until there are so many results, of all dials: the system takes an unknown time to connect.
  void settle_to(std::size_t results) {
    ASSERT_TRUE(run_until(loop, [&] { return has_more.size() >= results; }));
    settle(loop);
  }
  void start(std::vector<Endpoint> endpoints) {
    options.addresses.clear();
    for (const Endpoint& endpoint : endpoints) options.addresses.push_back(*SocketAddress::of_numeric(endpoint));
    dialing = dial(loop, endpoint_of("tcp://localhost:1"), options, [this](Result<std::unique_ptr<Transport>> result) {
      has_more.push_back(dialing->has_more());
      if (result) {
        peers.push_back((*result)->peer().address);
      } else {
        errors.emplace_back(result.status().message());
      }
    });
    settle(loop);
  }
  void advance(base::Duration step) {
    clock.advance(step);
    settle(loop);
  }

  kit::ManualClock clock;
  Loop loop{{}, &clock};
  DialOptions options{.connect_timeout = 30s};
  std::shared_ptr<Dial> dialing;
  std::vector<std::string> peers;
  std::vector<std::string> errors;
  std::vector<bool> has_more;
};

TEST_F(Race, AnAddressThatDoesNotRespondCostsTheAttemptDelay) {
  const FullListener full;
  const auto listener = listen();

  start({full.endpoint(), listener->endpoint()});
  advance(249ms);
  const std::size_t early = peers.size();
  advance(1ms);
  settle_to(1);

  EXPECT_EQ(early, 0u);
  EXPECT_THAT(peers, testing::ElementsAre(listener->endpoint().to_string()));
  EXPECT_TRUE(errors.empty());
}

TEST_F(Race, AnAddressThatRefusesCostsNothing) {
  const kit::HeldPort dead;
  const auto listener = listen();

  start({endpoint_of(dead.uri()), listener->endpoint()});
  settle_to(1);

  EXPECT_THAT(peers, testing::ElementsAre(listener->endpoint().to_string()));
}

TEST_F(Race, GoesOnBehindATransportUntilItIsCancelled) {
  const auto first = listen();
  const auto second = listen();
  const auto third = listen();

  start({first->endpoint(), second->endpoint(), third->endpoint()});
  settle_to(1);
  const std::size_t at_once = peers.size();
  advance(250ms);
  settle_to(2);
  const std::size_t later = peers.size();
  dialing->cancel();
  advance(1min);

  EXPECT_EQ(at_once, 1u);
  EXPECT_EQ(later, 2u);
  EXPECT_EQ(peers.size(), 2u);
  EXPECT_THAT(has_more, testing::ElementsAre(true, true));
}

TEST_F(Race, HurryBeginsWithTheNextAddressAtOnce) {
  const auto first = listen();
  const auto second = listen();
  start({first->endpoint(), second->endpoint()});
  settle_to(1);

  dialing->hurry();
  settle_to(2);

  EXPECT_THAT(peers, testing::ElementsAre(first->endpoint().to_string(), second->endpoint().to_string()));
  EXPECT_THAT(has_more, testing::ElementsAre(true, false));
}

TEST_F(Race, EndsWithAnErrorIfOnlyFailuresFollowATransport) {
  const auto first = listen();
  const kit::HeldPort dead;

  start({first->endpoint(), endpoint_of(dead.uri())});
  settle_to(1);
  advance(250ms);
  settle_to(2);

  EXPECT_EQ(peers.size(), 1u);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_THAT(errors[0], HasSubstr("connection refused"));
  EXPECT_THAT(has_more, testing::ElementsAre(true, false));
}

TEST_F(Race, TheNextDialBeginsWithTheNextAddress) {
  options.order = std::make_shared<AddressOrder>();
  const auto first = listen();
  const auto second = listen();
  const std::vector<Endpoint> endpoints{first->endpoint(), second->endpoint()};

  for (std::size_t dials = 1; dials <= 3; ++dials) {
    start(endpoints);
    settle_to(dials);
  }

  EXPECT_THAT(peers, testing::ElementsAre(first->endpoint().to_string(), second->endpoint().to_string(),
                                          first->endpoint().to_string()));
}

TEST_F(Race, AllAddressesShareConnectTimeout) {
  const FullListener first;
  const FullListener last;

  start({first.endpoint(), last.endpoint()});
  for (int second = 0; second < 29; ++second) advance(1s);
  const bool is_early = !errors.empty();
  advance(1s);

  EXPECT_FALSE(is_early);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_THAT(errors[0], HasSubstr("connect_timeout 30000 ms"));
}

TEST(AddressOrder, FamiliesTakeTurns) {
  const auto address = [](std::string_view uri) { return *SocketAddress::of_numeric(endpoint_of(uri)); };
  const SocketAddress six = address("tcp://[::1]:1");
  const SocketAddress other_six = address("tcp://[::1]:2");
  const SocketAddress four = address("tcp://127.0.0.1:1");
  const SocketAddress other_four = address("tcp://127.0.0.1:2");
  AddressOrder order;

  const auto fresh = order.arrange({six, other_six, four, other_four});
  order.used(four);
  const auto later = order.arrange({six, other_six, four, other_four});
  order.used(address("tcp://127.0.0.1:3"));
  const auto unknown = order.arrange({four, six});

  EXPECT_TRUE(fresh == (std::vector<SocketAddress>{six, four, other_six, other_four}));
  EXPECT_TRUE(later == (std::vector<SocketAddress>{other_six, other_four, six, four}));
  EXPECT_TRUE(unknown == (std::vector<SocketAddress>{four, six}));
  EXPECT_TRUE(order.arrange({}).empty());
}

TEST(Dial, CancelledDialDoesNotTimeOut) {
  const FullListener full;
  kit::ManualClock clock;
  Loop loop({}, &clock);
  DialOutcome outcome;
  outcome.start(loop, full.endpoint(), {.connect_timeout = 30s});

  outcome.dial->cancel();
  clock.advance(1h);
  settle(loop);

  EXPECT_FALSE(outcome.result);
}

}  // namespace
}  // namespace trunkline::net
