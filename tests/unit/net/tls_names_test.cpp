// SPDX-License-Identifier: MIT
// TlsOptions::additional_certificates: which certificate a client meets by the host that it names.
#include "tls_files.h"

#include <gmock/gmock.h>

#include <string>

namespace trunkline::net {
namespace {

using testing::HasSubstr;

class TlsNames : public testing::Test {
 protected:
  TlsNames() {
    files_.make_leaf("first", "DNS:first.test,DNS:both.test");
    files_.make_leaf("second", "DNS:second.test,DNS:both.test");
    files_.make_leaf("wildcard", "DNS:*.wild.test");
    listen_.tls = files_.server_options("first");
    listen_.tls.alpn = dialing_.tls.alpn = {"trunkline/1"};
    add("second");
    add("wildcard");
  }

  void add(const std::string& name) {
    listen_.tls.additional_certificates.push_back(
        {.certificate_file = files_.path(name + ".pem"), .private_key_file = files_.path(name + ".key")});
  }
  void connect() {
    if (pair_.listener == nullptr) {
      pair_.connect(loop_, endpoint_of("tls://127.0.0.1:0"), listen_, dialing_);
    } else {
      pair_.dial_again(loop_, dialing_);
    }
  }
  /// The subject of the certificate that a client meets which names `host`, or its error.
  std::string certificate_for(const std::string& host) {
    dialing_.tls.server_name = host;
    connect();
    if (pair_.client == nullptr) return std::string(pair_.client_error.message());
    EXPECT_EQ(pair_.client->peer().alpn, "trunkline/1");
    return PeerCertificate::of(pair_.client->peer().certificate).subject;
  }
  std::string listen_error() {
    const auto opened = Listener::open(loop_, endpoint_of("tls://127.0.0.1:0"), listen_, {});
    EXPECT_EQ(opened.status().code(), StatusCode::invalid_argument);
    return std::string(opened.status().message());
  }

  Loop loop_;
  TemporaryDirectory directory_;
  TlsFiles files_{directory_};
  ListenOptions listen_;
  DialOptions dialing_{.transport = {}, .tls = files_.client_options()};
  ConnectedPair pair_;
};

TEST_F(TlsNames, ChooseTheFirstCertificateThatIsForTheHost) {
  EXPECT_EQ(certificate_for("first.test"), "CN=first");
  EXPECT_EQ(certificate_for("second.test"), "CN=second");
  EXPECT_EQ(certificate_for("both.test"), "CN=first");
  EXPECT_EQ(certificate_for("SECOND.test"), "CN=second");
  EXPECT_EQ(certificate_for("a.wild.test"), "CN=wildcard");
}

TEST_F(TlsNames, ThatNoCertificateIsForMeetTheServersOwn) {
  EXPECT_THAT(certificate_for("other.test"), HasSubstr("hostname mismatch"));
  EXPECT_THAT(certificate_for("a.b.wild.test"), HasSubstr("hostname mismatch"));
  // An address is not named to the server (RFC 6066, section 3).
  EXPECT_THAT(certificate_for("127.0.0.1"), HasSubstr("IP address mismatch"));

  files_.make_leaf("first", "IP:127.0.0.1");
  ASSERT_TRUE(pair_.listener->reload_tls().is_ok());

  EXPECT_EQ(certificate_for("127.0.0.1"), "CN=first");
}

TEST_F(TlsNames, HaveTheSameRulesForCertificatesOfClients) {
  files_.make_leaf("client", "");
  listen_.tls.ca_file = files_.path("ca.pem");
  listen_.tls.client_certificate = ClientCertificate::required;

  certificate_for("second.test");
  EXPECT_EQ(pair_.server, nullptr);
  EXPECT_THAT(std::string(pair_.server_error.message()), HasSubstr("peer did not return a certificate"));

  dialing_.tls.certificate_file = files_.path("client.pem");
  dialing_.tls.private_key_file = files_.path("client.key");
  EXPECT_EQ(certificate_for("second.test"), "CN=second");
  ASSERT_NE(pair_.server, nullptr);
  EXPECT_EQ(PeerCertificate::of(pair_.server->peer().certificate).subject, "CN=client");

  const TemporaryDirectory other_directory;
  TlsFiles other(other_directory);
  other.make_leaf("stranger", "");
  dialing_.tls.certificate_file = other.path("stranger.pem");
  dialing_.tls.private_key_file = other.path("stranger.key");
  certificate_for("second.test");
  EXPECT_EQ(pair_.server, nullptr);
  EXPECT_THAT(std::string(pair_.server_error.message()), HasSubstr("certificate verify failed"));
}

TEST_F(TlsNames, AreReadAgainByAReload) {
  EXPECT_EQ(certificate_for("second.test"), "CN=second");
  files_.make_leaf("second", "DNS:renewed.test");
  EXPECT_THAT(certificate_for("renewed.test"), HasSubstr("hostname mismatch"));

  ASSERT_TRUE(pair_.listener->reload_tls().is_ok());

  EXPECT_EQ(certificate_for("renewed.test"), "CN=second");
}

TEST_F(TlsNames, OfWrongCertificatesAreErrorsThatSayWhich) {
  listen_.tls.additional_certificates[1].private_key_file = files_.path("second.key");
  EXPECT_THAT(listen_error(), HasSubstr("second.key: key values mismatch (additional certificate 2)"));

  listen_.tls.additional_certificates[0] = {};
  EXPECT_EQ(listen_error(), "tls: certificate_file is not set (additional certificate 1)");

  listen_.tls.additional_certificates[0] = {.certificate_pem = files_.text("second.pem")};
  EXPECT_EQ(listen_error(), "tls: private_key_file is not set (additional certificate 1)");
}

TEST_F(TlsNames, AreForServersOnly) {
  dialing_.tls.additional_certificates = listen_.tls.additional_certificates;

  connect();

  EXPECT_EQ(pair_.client, nullptr);
  EXPECT_THAT(std::string(pair_.client_error.message()), HasSubstr("additional_certificates are for servers"));
}

}  // namespace
}  // namespace trunkline::net
