// SPDX-License-Identifier: MIT
// Who is let in by TLS, and what the errors say. That bytes pass is tested in transport_test.cpp.
#include "net/tls_handshake.h"
#include "net/unique_socket.h"
#include "tls_files.h"

#include <gmock/gmock.h>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

namespace trunkline::net {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class TlsTest : public testing::Test {
 protected:
  TlsTest() { listen_.tls.alpn = dialing_.tls.alpn = {"trunkline/1"}; }

  void connect(const char* uri = "tls://127.0.0.1:0") { pair_.connect(loop_, endpoint_of(uri), listen_, dialing_); }
  std::string client_error() const { return std::string(pair_.client_error.message()); }
  std::string server_error() const { return std::string(pair_.server_error.message()); }
  bool is_connected() const { return pair_.client != nullptr && pair_.server != nullptr; }
  std::string listen_error() {
    const auto opened = Listener::open(loop_, endpoint_of("tls://127.0.0.1:0"), listen_, {});
    EXPECT_EQ(opened.status().code(), StatusCode::invalid_argument);
    return std::string(opened.status().message());
  }

  Loop loop_;
  TemporaryDirectory directory_;
  TlsFiles files_{directory_};
  ListenOptions listen_{.transport = {}, .tls = files_.server_options()};
  DialOptions dialing_{.transport = {}, .tls = files_.client_options()};
  ConnectedPair pair_;
};

TEST_F(TlsTest, AcceptsAServerByNameAndAgreesOnAProtocol) {
  connect("tls://localhost:0");

  ASSERT_TRUE(is_connected()) << client_error();
  EXPECT_EQ(pair_.client->peer().alpn, "trunkline/1");
  EXPECT_EQ(pair_.server->peer().alpn, "trunkline/1");
  EXPECT_EQ(PeerCertificate::of(pair_.client->peer().certificate).subject, "CN=server");
  EXPECT_EQ(PeerCertificate::of(pair_.server->peer().certificate).subject, "");
}

TEST_F(TlsTest, RefusesAServerWithAnotherName) {
  files_.make_leaf("stranger", "DNS:example.test");
  listen_.tls = files_.server_options("stranger");

  connect("tls://localhost:0");

  EXPECT_FALSE(is_connected());
  EXPECT_THAT(client_error(),
              AllOf(HasSubstr("connect tls://localhost:"), HasSubstr("certificate verify failed: hostname mismatch")));
  EXPECT_EQ(pair_.client_error.code(), StatusCode::unavailable);
  EXPECT_FALSE(pair_.client_error.may_have_run());
}

TEST_F(TlsTest, RefusesAServerWithAnotherAddress) {
  files_.make_leaf("stranger", "DNS:localhost,IP:127.0.0.2");
  listen_.tls = files_.server_options("stranger");

  connect();

  EXPECT_FALSE(is_connected());
  EXPECT_THAT(client_error(), HasSubstr("IP address mismatch"));
}

TEST_F(TlsTest, VerifiesTheNameOfTheOptions) {
  files_.make_leaf("named", "DNS:example.test");
  listen_.tls = files_.server_options("named");
  dialing_.tls.server_name = "example.test";

  connect();

  EXPECT_TRUE(is_connected()) << client_error();
}

TEST_F(TlsTest, RefusesAServerOfAnUnknownAuthority) {
  const TemporaryDirectory other_directory;
  const TlsFiles other(other_directory);
  dialing_.tls = other.client_options();

  connect();

  EXPECT_FALSE(is_connected());
  EXPECT_THAT(client_error(), HasSubstr("certificate verify failed"));
  EXPECT_THAT(server_error(), HasSubstr("accept tls://127.0.0.1:"));
}

TEST_F(TlsTest, AcceptsAnyServerWithoutVerification) {
  files_.make_leaf("stranger", "DNS:example.test");
  listen_.tls = files_.server_options("stranger");
  dialing_.tls = {};
  dialing_.tls.verify_peer = false;

  connect();

  ASSERT_TRUE(is_connected()) << client_error();
  EXPECT_EQ(PeerCertificate::of(pair_.client->peer().certificate).subject, "") << "no authority has signed it";
}

TEST_F(TlsTest, RefusesAClientWithoutTheCertificateRequired) {
  listen_.tls.client_certificate = ClientCertificate::required;
  listen_.tls.ca_file = files_.path("ca.pem");

  connect();

  EXPECT_EQ(pair_.server, nullptr);
  EXPECT_THAT(server_error(), HasSubstr("peer did not return a certificate"));
}

TEST_F(TlsTest, ReportsTheSubjectOfAClientCertificate) {
  files_.make_leaf("client", "");
  listen_.tls.client_certificate = ClientCertificate::required;
  listen_.tls.ca_file = files_.path("ca.pem");
  dialing_.tls.certificate_file = files_.path("client.pem");
  dialing_.tls.private_key_file = files_.path("client.key");

  connect();

  ASSERT_TRUE(is_connected()) << client_error() << server_error();
  EXPECT_EQ(PeerCertificate::of(pair_.server->peer().certificate).subject, "CN=client");
}

TEST_F(TlsTest, AnOptionalCertificateMayBeMissingButNotInvalid) {
  listen_.tls.client_certificate = ClientCertificate::optional;
  listen_.tls.ca_file = files_.path("ca.pem");
  connect();
  EXPECT_TRUE(is_connected()) << server_error();
  pair_ = {};
  const TemporaryDirectory other_directory;
  const TlsFiles other(other_directory);
  dialing_.tls.certificate_file = other.path("server.pem");
  dialing_.tls.private_key_file = other.path("server.key");

  connect();

  EXPECT_EQ(pair_.server, nullptr);
  EXPECT_THAT(server_error(), HasSubstr("certificate verify failed"));
}

TEST_F(TlsTest, RefusesAClientThatOffersOnlyOtherProtocols) {
  dialing_.tls.alpn = {"h2"};

  connect();

  EXPECT_FALSE(is_connected());
  EXPECT_THAT(client_error(), HasSubstr("no application protocol"));
}

TEST_F(TlsTest, PrefersProtocolsInTheServersOrder) {
  listen_.tls.alpn = {"second", "first"};
  dialing_.tls.alpn = {"first", "second"};

  connect();

  ASSERT_TRUE(is_connected()) << client_error();
  EXPECT_EQ(pair_.server->peer().alpn, "second");
}

TEST_F(TlsTest, AcceptsAClientWithoutAlpn) {
  dialing_.tls.alpn = {};

  connect();

  ASSERT_TRUE(is_connected()) << client_error();
  EXPECT_EQ(pair_.server->peer().alpn, "");
}

TEST_F(TlsTest, ReloadServesNewConnectionsWithTheNewCertificate) {
  connect();
  ASSERT_TRUE(is_connected());
  files_.make_leaf("server", "DNS:localhost,IP:127.0.0.1,DNS:renewed.test");
  dialing_.tls.server_name = "renewed.test";

  pair_.dial_again(loop_, dialing_);
  EXPECT_THAT(client_error(), HasSubstr("hostname mismatch")) << "files are not read again without a reload";
  const Status reloaded = pair_.listener->reload_tls();
  pair_.dial_again(loop_, dialing_);

  EXPECT_TRUE(reloaded.is_ok()) << reloaded.to_string();
  EXPECT_TRUE(is_connected()) << client_error();
}

TEST_F(TlsTest, FailedReloadChangesNothing) {
  connect();
  files_.write_text("server.pem", "not a certificate");

  const Status reloaded = pair_.listener->reload_tls();
  pair_.dial_again(loop_, dialing_);

  EXPECT_THAT(std::string(reloaded.message()),
              AllOf(HasSubstr("certificate_file"), HasSubstr("server.pem"), HasSubstr("no start line")));
  EXPECT_TRUE(is_connected()) << client_error();
}

TEST_F(TlsTest, NamesAFileThatIsMissing) {
  listen_.tls.certificate_file = files_.path("nowhere.pem");

  EXPECT_THAT(listen_error(),
              AllOf(HasSubstr("certificate_file"), HasSubstr("nowhere.pem: no such file or directory")));
}

TEST_F(TlsTest, NamesAKeyThatDoesNotBelongToTheCertificate) {
  files_.make_leaf("other", "");
  listen_.tls.private_key_file = files_.path("other.key");

  EXPECT_THAT(listen_error(), AllOf(HasSubstr("private_key_file"), HasSubstr("other.key: key values mismatch")));
}

TEST_F(TlsTest, NamesAnAuthorityFileWithoutCertificates) {
  files_.write_text("empty.pem", "");
  listen_.tls.client_certificate = ClientCertificate::required;
  listen_.tls.ca_file = files_.path("empty.pem");

  EXPECT_THAT(listen_error(), AllOf(HasSubstr("ca_file"), HasSubstr("empty.pem")));
}

TEST_F(TlsTest, ReportsTheAlternativeNamesOfAClientCertificate) {
  files_.make_leaf(
      "client", "DNS:ann.example.test,IP:10.1.2.3,IP:::1,URI:spiffe://example.test/ann,email:a@example.test,RID:1.2.3");
  listen_.tls.client_certificate = ClientCertificate::required;
  listen_.tls.ca_file = files_.path("ca.pem");
  dialing_.tls.certificate_file = files_.path("client.pem");
  dialing_.tls.private_key_file = files_.path("client.key");

  connect();

  ASSERT_TRUE(is_connected()) << client_error() << server_error();
  EXPECT_THAT(PeerCertificate::of(pair_.server->peer().certificate).names,
              ElementsAre("DNS:ann.example.test", "IP:10.1.2.3", "IP:::1", "URI:spiffe://example.test/ann",
                          "email:a@example.test"));
  EXPECT_THAT(PeerCertificate::of(pair_.client->peer().certificate).names,
              ElementsAre("DNS:localhost", "IP:127.0.0.1"));
}

TEST_F(TlsTest, ReportsTheCertificateOfAClientWithoutItsAuthority) {
  files_.make_leaf("client", "");
  listen_.tls.client_certificate = ClientCertificate::required;
  listen_.tls.ca_file = files_.path("ca.pem");
  dialing_.tls.certificate_file = "";
  dialing_.tls.certificate_pem = files_.text("client.pem") + files_.text("ca.pem");
  dialing_.tls.private_key_file = files_.path("client.key");

  connect();

  ASSERT_TRUE(is_connected()) << client_error() << server_error();
  EXPECT_EQ(PeerCertificate::of(pair_.server->peer().certificate).pem, files_.text("client.pem"));
  EXPECT_EQ(PeerCertificate::of(pair_.client->peer().certificate).pem, "") << "clients do not keep it";
}

TEST_F(TlsTest, HasNoObjectForACertificateThatIsNotVerified) {
  connect();

  ASSERT_TRUE(is_connected()) << client_error() << server_error();
  EXPECT_EQ(pair_.server->peer().certificate, nullptr);
  EXPECT_EQ(PeerCertificate::of(pair_.server->peer().certificate).pem, "");
}

TEST_F(TlsTest, TakesCertificatesFromMemory) {
  files_.make_leaf("client", "");
  listen_.tls = {};
  listen_.tls.client_certificate = ClientCertificate::required;
  listen_.tls.certificate_pem = files_.text("server.pem");
  listen_.tls.private_key_pem = files_.text("server.key");
  listen_.tls.ca_pem = "# Of the test.\n" + files_.text("ca.pem") + files_.text("server.pem");
  dialing_.tls = {};
  dialing_.tls.certificate_pem = files_.text("client.pem") + files_.text("ca.pem");
  dialing_.tls.private_key_pem = files_.text("client.key");
  dialing_.tls.ca_pem = files_.text("ca.pem");

  connect("tls://localhost:0");

  ASSERT_TRUE(is_connected()) << client_error() << server_error();
  EXPECT_EQ(PeerCertificate::of(pair_.server->peer().certificate).subject, "CN=client");
  EXPECT_EQ(PeerCertificate::of(pair_.client->peer().certificate).subject, "CN=server");
}

TEST_F(TlsTest, NamesTheTextThatIsWrong) {
  files_.make_leaf("other", "");
  const std::string certificate = files_.text("server.pem");
  listen_.tls = {};
  listen_.tls.certificate_pem = "no certificate";
  listen_.tls.private_key_pem = files_.text("other.key");
  EXPECT_EQ(listen_error(), "tls: certificate_pem: no start line");

  listen_.tls.certificate_pem = certificate + certificate.substr(0, certificate.size() / 2);
  EXPECT_THAT(listen_error(), HasSubstr("tls: certificate_pem: "));

  listen_.tls.certificate_pem = certificate;
  EXPECT_EQ(listen_error(), "tls: private_key_pem: key values mismatch");

  listen_.tls.private_key_pem = files_.text("server.key");
  listen_.tls.ca_pem = "no authority";
  EXPECT_EQ(listen_error(), "tls: ca_pem: no start line");
}

TEST_F(TlsTest, TakesEitherAFileOrText) {
  listen_.tls.certificate_pem = files_.text("server.pem");
  EXPECT_EQ(listen_error(), "tls: both certificate_file and certificate_pem are set");

  listen_.tls.certificate_pem.clear();
  listen_.tls.private_key_pem = files_.text("server.key");
  EXPECT_EQ(listen_error(), "tls: both private_key_file and private_key_pem are set");

  listen_.tls.private_key_pem.clear();
  listen_.tls.ca_file = files_.path("ca.pem");
  listen_.tls.ca_pem = files_.text("ca.pem");
  EXPECT_EQ(listen_error(), "tls: both ca_file and ca_pem are set");
}

TEST_F(TlsTest, NamesTheOptionThatIsMissing) {
  listen_.tls = {};
  EXPECT_EQ(listen_error(), "tls: certificate_file is not set");

  listen_.tls.certificate_file = files_.path("server.pem");
  EXPECT_EQ(listen_error(), "tls: private_key_file is not set");
}

TEST_F(TlsTest, RefusesAProtocolNameThatIsTooLong) {
  listen_.tls.alpn = {std::string(256, 'x')};

  EXPECT_EQ(listen_error(), "tls: alpn name of 256 bytes is not in 1 to 255");
}

TEST_F(TlsTest, DialReportsFileErrorsToo) {
  dialing_.tls.ca_file = files_.path("nowhere.pem");

  connect();

  EXPECT_THAT(client_error(), HasSubstr("ca_file"));
}

TEST_F(TlsTest, WithACacheDialsReadTheirFilesOnce) {
  dialing_.tls_cache = std::make_shared<TlsContextCache>();
  connect();
  ASSERT_TRUE(is_connected()) << client_error();
  files_.write_text("ca.pem", "not a certificate");

  pair_.dial_again(loop_, dialing_);
  EXPECT_TRUE(is_connected()) << client_error();

  dialing_.tls_cache = nullptr;
  pair_.dial_again(loop_, dialing_);
  EXPECT_THAT(client_error(), HasSubstr("ca_file"));
}

TEST_F(TlsTest, DialsReadTheirFilesAgainAfterAnError) {
  dialing_.tls_cache = std::make_shared<TlsContextCache>();
  dialing_.tls.ca_file = files_.path("nowhere.pem");
  connect();
  EXPECT_THAT(client_error(), HasSubstr("ca_file"));
  std::filesystem::copy_file(files_.path("ca.pem"), files_.path("nowhere.pem"));

  pair_.dial_again(loop_, dialing_);

  EXPECT_TRUE(is_connected()) << client_error();
}

TEST_F(TlsTest, AForkedChildSendsNoCloseNotify) {
  connect();
  ASSERT_TRUE(is_connected()) << client_error();
  StreamPeer server(std::move(pair_.server));
  server.receive_all();

  const pid_t child = ::fork();
  if (child == 0) {
    pair_.client->close();
    ::_exit(0);
  }
  ASSERT_GT(child, 0);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  StreamPeer client(std::move(pair_.client));
  client.send("still here");

  EXPECT_TRUE(run_until(loop_, [&] { return server.is_ended() || !server.received().empty(); }));
  EXPECT_FALSE(server.is_ended());
  EXPECT_EQ(server.received(), "still here");
}

TEST_F(TlsTest, DisconnectsASilentClient) {
  listen_.handshake_timeout = 20ms;
  ListenCallbacks callbacks;
  Status error;
  callbacks.on_error = [&](const Status& status) { error = status; };
  const auto listener = std::move(Listener::open(loop_, endpoint_of("tls://127.0.0.1:0"), listen_, callbacks)).value();
  DialOutcome silent;
  silent.start(loop_, endpoint_of("tcp://127.0.0.1:" + std::to_string(listener->endpoint().port())));

  ASSERT_TRUE(run_until(loop_, [&] { return !error.is_ok(); }));

  EXPECT_THAT(std::string(error.message()), HasSubstr("handshake not done within its timeout"));
}

TEST_F(TlsTest, ReleasesThePermitWhenTheHandshakeFails) {
  const auto counted = std::make_shared<const int>(1);
  ListenCallbacks callbacks;
  Status error;
  callbacks.assign = [&](const std::string&) { return LoopAssignment{&loop_, ConnectionPermit(counted)}; };
  callbacks.on_error = [&](const Status& status) { error = status; };
  const auto listener = std::move(Listener::open(loop_, endpoint_of("tls://127.0.0.1:0"), listen_, callbacks)).value();
  DialOutcome plain;
  plain.start(loop_, endpoint_of("tcp://127.0.0.1:" + std::to_string(listener->endpoint().port())));
  ASSERT_TRUE(run_until(loop_, [&] { return plain.result.has_value() && counted.use_count() > 1; }));

  plain.result.reset();

  ASSERT_TRUE(run_until(loop_, [&] { return !error.is_ok(); }));
  EXPECT_TRUE(run_until(loop_, [&] { return counted.use_count() == 1; }));
}

TEST_F(TlsTest, DisconnectsAClientOfAnotherProtocol) {
  ListenCallbacks callbacks;
  Status error;
  callbacks.on_error = [&](const Status& status) { error = status; };
  const auto listener = std::move(Listener::open(loop_, endpoint_of("tls://127.0.0.1:0"), listen_, callbacks)).value();
  DialOutcome plain;
  plain.start(loop_, endpoint_of("tcp://127.0.0.1:" + std::to_string(listener->endpoint().port())));
  ASSERT_TRUE(run_until(loop_, [&] { return plain.result.has_value(); }));
  StreamPeer peer(std::move(**plain.result));

  peer.send("GET / HTTP/1.1\r\n\r\n");

  EXPECT_TRUE(run_until(loop_, [&] { return !error.is_ok(); }));
  EXPECT_THAT(std::string(error.message()), HasSubstr("http request"));
}

/// Also for what it sends after the server has given up.
TEST_F(TlsTest, LetsThePeerReadTheAlertWhenTheHandshakeFails) {
  ListenCallbacks callbacks;
  Status error;
  callbacks.on_error = [&](const Status& status) { error = status; };
  const auto listener = std::move(Listener::open(loop_, endpoint_of("tls://127.0.0.1:0"), listen_, callbacks)).value();
  DialOutcome plain;
  plain.start(loop_, endpoint_of("tcp://127.0.0.1:" + std::to_string(listener->endpoint().port())));
  ASSERT_TRUE(run_until(loop_, [&] { return plain.result.has_value(); }));
  StreamPeer peer(std::move(**plain.result));
  peer.send("GET / HTTP/1.1\r\n");
  ASSERT_TRUE(run_until(loop_, [&] { return !error.is_ok(); }));

  peer.send("Host: here\r\n\r\n");
  peer.receive_all();

  ASSERT_TRUE(run_until(loop_, [&] { return peer.is_ended(); }));
  EXPECT_TRUE(peer.error().is_ok()) << peer.error().to_string();
}

TEST_F(TlsTest, AnEndWithoutCloseNotifyIsAnError) {
  int sockets[2] = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets), 0);
  const UniqueSocket attacker(::dup(sockets[0]));
  const std::shared_ptr<const TlsContext> contexts[2] = {make_server_context(listen_.tls).value(),
                                                         make_client_context(dialing_.tls).value()};
  std::unique_ptr<Transport> ends[2];
  std::unique_ptr<TlsHandshake> handshakes[2];
  for (int i = 0; i < 2; ++i) {
    HandshakeOptions options{
        .context = contexts[i], .server_name = "localhost", .deadline = base::never, .tried = "test"};
    UniqueSocket socket(sockets[i]);
    handshakes[i] = start_handshake(std::move(SocketWatcher::make(loop_, socket)).value(), {}, options,
                                    [&ends, i](auto result) { ends[i] = std::move(result).value(); });
  }
  ASSERT_TRUE(run_until(loop_, [&] { return ends[0] != nullptr && ends[1] != nullptr; }));
  StreamPeer client(std::move(ends[1]));
  client.receive_all();

  ::shutdown(attacker.get(), SHUT_WR);

  ASSERT_TRUE(run_until(loop_, [&] { return client.is_ended(); }));
  EXPECT_THAT(std::string(client.error().message()), HasSubstr("closed by the peer without a close_notify"));
}

}  // namespace
}  // namespace trunkline::net
