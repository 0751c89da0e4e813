// SPDX-License-Identifier: MIT
// What every transport must do, over each of them.
#include "connected_pair.h"
#include "kit/own_uri.h"
#include "tls_files.h"

#include <cstdlib>

namespace trunkline::net {
namespace {

std::uint64_t seed_of_test() {
  const char* const given = std::getenv("TRUNKLINE_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "TRUNKLINE_SEED=" << seed << "\n";
  return seed;
}

class TransportTest : public testing::TestWithParam<const char*> {
 protected:
  TransportTest() {
    std::string uri = kit::own_uri(GetParam());
    if (uri == "unix") uri = "unix://" + directory_.file("socket");
    const Endpoint endpoint = endpoint_of(uri);
    ListenOptions listen;
    DialOptions dialing;
#ifdef TRUNKLINE_HAS_TLS
    if (endpoint.scheme() == Scheme::tls) {
      files_.emplace(directory_);
      listen.tls = files_->server_options();
      dialing.tls = files_->client_options();
    }
#endif
    pair_.connect(loop_, endpoint, listen, dialing);
    EXPECT_TRUE(pair_.client_error.is_ok()) << pair_.client_error.to_string();
    EXPECT_TRUE(pair_.server_error.is_ok()) << pair_.server_error.to_string();
    server_.emplace(std::move(pair_.server));
    client_.emplace(std::move(pair_.client));
  }

  Loop loop_;
  TemporaryDirectory directory_;
#ifdef TRUNKLINE_HAS_TLS
  std::optional<TlsFiles> files_;
#endif
  ConnectedPair pair_;
  std::optional<StreamPeer> server_;
  std::optional<StreamPeer> client_;
};

TEST_P(TransportTest, CarriesBytesBothWays) {
  server_->receive_all();
  client_->receive_all();

  client_->send("question");
  server_->send("answer");

  EXPECT_TRUE(run_until(loop_, [&] { return server_->received() == "question" && client_->received() == "answer"; }));
}

TEST_P(TransportTest, ReportsItsPeer) {
  const Scheme scheme = pair_.listener->endpoint().scheme();

  EXPECT_EQ(client_->transport().peer().address, pair_.listener->endpoint().to_string());
  EXPECT_EQ(server_->transport().peer().address, client_->transport().peer().local_address);
  EXPECT_EQ(client_->transport().peer().is_encrypted, scheme == Scheme::tls);
  EXPECT_EQ(&client_->transport().loop(), &loop_);
}

TEST_P(TransportTest, ReadsNothingBeforeSomethingArrives) {
  std::array<std::byte, 8> bytes;
  const MutableByteSpan span(bytes);

  const IoResult result = server_->transport().read({&span, 1});

  EXPECT_EQ(result.state, IoState::would_block);
}

TEST_P(TransportTest, ReportsEachWaitOnce) {
  client_->transport().wait_writable();
  client_->transport().wait_writable();

  EXPECT_EQ(client_->writable_calls(), 0) << "it was called from inside wait_writable()";
  EXPECT_TRUE(run_until(loop_, [&] { return client_->writable_calls() > 0; }));
  settle(loop_);
  EXPECT_EQ(client_->writable_calls(), 1);
}

TEST_P(TransportTest, AHalfCloseFollowsTheBytesBeforeIt) {
  client_->send("last words");
  client_->transport().shutdown_send();
  server_->receive_all();
  client_->receive_all();

  ASSERT_TRUE(run_until(loop_, [&] { return server_->is_ended(); }));
  EXPECT_EQ(server_->received(), "last words");
  EXPECT_TRUE(server_->error().is_ok());

  server_->send("still heard");
  EXPECT_TRUE(run_until(loop_, [&] { return client_->received() == "still heard"; }));
  EXPECT_FALSE(client_->is_ended());
}

TEST_P(TransportTest, WriterWaitsUntilTheReaderMakesRoom) {
  const std::size_t taken = client_->fill();
  client_->send("after the flood");
  settle(loop_);
  EXPECT_EQ(client_->writable_calls(), 0);
  EXPECT_FALSE(client_->is_all_sent());

  server_->receive_all();

  ASSERT_TRUE(run_until(loop_, [&] { return server_->received().ends_with("after the flood"); }));
  EXPECT_EQ(server_->received().size(), taken + std::string_view("after the flood").size());
}

TEST_P(TransportTest, WritingToAClosedPeerFailsWithoutASignal) {
  server_->destroy();
  client_->receive_all();
  ASSERT_TRUE(run_until(loop_, [&] { return client_->is_ended(); }));

  const auto write_fails = [&] {
    client_->send("x");
    return !client_->error().is_ok();
  };

  ASSERT_TRUE(run_until(loop_, [&] { return loop_.post([] {}), write_fails(); }));
  EXPECT_EQ(client_->error().code(), StatusCode::unavailable);
  EXPECT_EQ(client_->error().origin(), StatusOrigin::transport);
}

TEST_P(TransportTest, AResetTellsAPeerThatSendsNothing) {
  client_->send("half a request");
  server_->receive_all();
  ASSERT_TRUE(run_until(loop_, [&] { return server_->received() == "half a request"; }));

  client_->transport().reset();

  ASSERT_TRUE(run_until(loop_, [&] { return server_->is_ended(); }));
  EXPECT_TRUE(!server_->error().is_ok() || server_->transport().is_peer_gone());
}

TEST_P(TransportTest, ClosingWakesAWaitingWriter) {
  client_->fill();
  client_->send("more");

  server_->destroy();

  EXPECT_TRUE(run_until(loop_, [&] { return !client_->error().is_ok(); }));
}

TEST_P(TransportTest, CallsNothingAfterClose) {
  client_->receive_all();
  client_->transport().wait_writable();
  server_->send("unheard");

  client_->transport().close();
  settle(loop_);

  EXPECT_EQ(client_->readable_calls(), 0);
  EXPECT_EQ(client_->writable_calls(), 0);
}

TEST_P(TransportTest, CallsNothingAfterDestruction) {
  client_->receive_all();
  client_->transport().wait_writable();
  server_->send("unheard");

  client_->destroy();
  settle(loop_);

  EXPECT_EQ(client_->readable_calls(), 0);
  EXPECT_EQ(client_->writable_calls(), 0);
}

TEST_P(TransportTest, CarriesManyBytesInRandomPieces) {
  std::mt19937_64 random(seed_of_test());
  std::uniform_int_distribution<std::size_t> size(1, 300000);
  std::string expected_by_server;
  std::string expected_by_client;
  server_->receive_all(1 + size(random) % 70000);
  client_->receive_all(1 + size(random) % 70000);

  for (int message = 0; message < 20; ++message) {
    for (const bool to_server : {true, false}) {
      std::string text(size(random), '\0');
      for (char& letter : text) letter = static_cast<char>(random());
      (to_server ? client_ : server_)->send(text);
      (to_server ? expected_by_server : expected_by_client) += text;
    }
    loop_.poll();
  }

  EXPECT_TRUE(run_until(loop_, [&] {
    return server_->received().size() >= expected_by_server.size() &&
           client_->received().size() >= expected_by_client.size();
  }));
  EXPECT_TRUE(server_->received() == expected_by_server);
  EXPECT_TRUE(client_->received() == expected_by_client);
}

std::string name_of(const testing::TestParamInfo<const char*>& info) {
  const std::string uri = info.param;
  if (uri.find('@') != std::string::npos) return "abstract";
  return uri.substr(0, uri.find(':')) + (uri.find('[') != std::string::npos ? "6" : "");
}

INSTANTIATE_TEST_SUITE_P(Each, TransportTest,
                         testing::Values("tcp://127.0.0.1:0", "tcp://[::1]:0", "unix", "unix:@trunkline-transport-test",
                                         "inproc://transport-test"),
                         name_of);
#ifdef TRUNKLINE_HAS_TLS
INSTANTIATE_TEST_SUITE_P(Tls, TransportTest, testing::Values("tls://127.0.0.1:0"), name_of);
#endif

}  // namespace
}  // namespace trunkline::net
