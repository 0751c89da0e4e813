// SPDX-License-Identifier: MIT
// TlsOptions::renew: which options connections are accepted with.
#include "tls_files.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <utility>

namespace trunkline::net {
namespace {

using testing::StartsWith;

class TlsRenewal : public testing::Test {
 protected:
  TlsRenewal() {
    files_.make_leaf("second", "DNS:localhost,IP:127.0.0.1");
    listen_.tls.alpn = dialing_.tls.alpn = {"trunkline/1"};
    listen_.tls.renew = [this] {
      ++calls_;
      return std::exchange(next_, nullptr);
    };
  }

  void replace_with(TlsOptions options) { next_ = std::make_shared<const TlsOptions>(std::move(options)); }
  /// The subject of the certificate that a new connection meets, or the client's error.
  std::string connect() {
    if (pair_.listener == nullptr) {
      pair_.connect(loop_, endpoint_of("tls://127.0.0.1:0"), listen_, dialing_);
    } else {
      pair_.dial_again(loop_, dialing_);
    }
    if (pair_.client == nullptr) return std::string(pair_.client_error.message());
    EXPECT_EQ(pair_.client->peer().alpn, "trunkline/1");
    return PeerCertificate::of(pair_.client->peer().certificate).subject;
  }

  Loop loop_;
  TemporaryDirectory directory_;
  TlsFiles files_{directory_};
  ListenOptions listen_{.transport = {}, .tls = files_.server_options()};
  DialOptions dialing_{.transport = {}, .tls = files_.client_options()};
  int calls_ = 0;
  std::shared_ptr<const TlsOptions> next_;
  ConnectedPair pair_;
};

TEST_F(TlsRenewal, IsAskedForEachConnectionAndMayKeepTheOptions) {
  EXPECT_EQ(connect(), "CN=server");
  EXPECT_EQ(connect(), "CN=server");

  EXPECT_EQ(calls_, 2);
}

TEST_F(TlsRenewal, ReplacesTheOptionsForThatConnectionAndLaterOnes) {
  EXPECT_EQ(connect(), "CN=server");

  replace_with(files_.server_options("second"));

  EXPECT_EQ(connect(), "CN=second");
  EXPECT_EQ(connect(), "CN=second");
  EXPECT_TRUE(pair_.server_error.is_ok()) << pair_.server_error.to_string();
}

TEST_F(TlsRenewal, KeepsTheOptionsBeforeAnInvalidReplacementAndReportsIt) {
  replace_with(files_.server_options("second"));
  EXPECT_EQ(connect(), "CN=second");
  TlsOptions invalid;
  invalid.certificate_pem = "no certificate";
  invalid.private_key_pem = "no key";

  replace_with(invalid);

  EXPECT_EQ(connect(), "CN=second");
  EXPECT_THAT(std::string(pair_.server_error.message()), StartsWith("renew tls: "));

  replace_with(files_.server_options("server"));
  EXPECT_EQ(connect(), "CN=server");
}

}  // namespace
}  // namespace trunkline::net
