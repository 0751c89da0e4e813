// SPDX-License-Identifier: MIT
// A TlsStream and a peer of OpenSSL's own: small fragments, and keys renewed over and over.
#include "net/tls_stream.h"

#include "net/unique_socket.h"
#include "tls_files.h"

#include <gmock/gmock.h>

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <sys/socket.h>

namespace trunkline::net {
namespace {

using testing::HasSubstr;

/// A client of OpenSSL's own, which may do what TlsStream never does.
class PlainOpensslClientTest : public testing::Test {
 protected:
  /// `fragment` is one of TLSEXT_max_fragment_length_...
  void connect(int version = TLS1_3_VERSION, std::uint8_t fragment = 0) {
    int sockets[2] = {-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets), 0);
    server_socket_ = UniqueSocket(sockets[0]);
    client_socket_ = UniqueSocket(sockets[1]);
    server_ = std::make_unique<TlsStream>(make_server_context(files_.server_options()).value(), sockets[0], "");
    context_.reset(SSL_CTX_new(TLS_client_method()));
    SSL_CTX_set_max_proto_version(context_.get(), version);
    client_.reset(SSL_new(context_.get()));
    if (fragment != 0) SSL_set_tlsext_max_fragment_length(client_.get(), fragment);
    SSL_set_fd(client_.get(), sockets[1]);
    SSL_set_connect_state(client_.get());
    for (int round = 0; round < 10; ++round) {
      SSL_do_handshake(client_.get());
      server_->shake_hands();
      server_->flush();
    }
    ASSERT_EQ(SSL_is_init_finished(client_.get()), 1);
  }
  IoResult read() {
    const MutableByteSpan room(bytes_);
    return server_->read({&room, 1});
  }

  const TemporaryDirectory directory_;
  const TlsFiles files_{directory_};
  UniqueSocket server_socket_;
  UniqueSocket client_socket_;
  std::unique_ptr<SSL_CTX, OpensslDeleter<SSL_CTX_free>> context_;
  std::unique_ptr<SSL, OpensslDeleter<SSL_free>> client_;
  std::unique_ptr<TlsStream> server_;
  std::array<std::byte, 4096> bytes_{};
};

TEST_F(PlainOpensslClientTest, ReceivesTheFragmentSizeThatItRequested) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    connect(version, TLSEXT_max_fragment_length_512);
    std::string text;
    for (int i = 0; i < 500; ++i) text += std::to_string(1000 + i);
    const ByteSpan span = as_bytes(text);

    const IoResult written = server_->write({&span, 1});

    ASSERT_EQ(written.state, IoState::ok) << written.error.to_string();
    EXPECT_EQ(written.bytes, text.size());
    std::string heard;
    for (int count = 0; (count = SSL_read(client_.get(), bytes_.data(), static_cast<int>(bytes_.size()))) > 0;) {
      EXPECT_LE(count, 512);
      heard += as_text(ByteSpan(bytes_).first(static_cast<std::size_t>(count)));
    }
    EXPECT_EQ(heard, text);
  }
}

/// New keys come and cost much, data does not.
class KeyRenewalTest : public PlainOpensslClientTest {
 protected:
  KeyRenewalTest() {
    connect();
    SSL_set0_wbio(client_.get(), gathered_);
  }
  void renew(int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(SSL_key_update(client_.get(), SSL_KEY_UPDATE_REQUESTED), 1);
      ASSERT_EQ(SSL_do_handshake(client_.get()), 1);
    }
  }
  void write_x() { ASSERT_EQ(SSL_write(client_.get(), "x", 1), 1); }
  /// Sends all renewals at once.
  void send_gathered() {
    const char* bytes = nullptr;
    const long size = BIO_ctrl(gathered_, BIO_CTRL_INFO, 0, &bytes);
    ASSERT_EQ(::send(client_socket_.get(), bytes, static_cast<std::size_t>(size), 0), size);
  }
  /// How many renewals the server has handled; at least one. It responds to one when it handles the next, or writes.
  int handled() {
    constexpr int answer_bytes = 5 + 4 + 1 + 1 + 16;
    server_->flush();
    for (ssize_t size = 0; size >= 0; size = ::recv(client_socket_.get(), bytes_.data(), bytes_.size(), 0)) {
      answered_bytes_ += static_cast<int>(size);
    }
    EXPECT_EQ(answered_bytes_ % answer_bytes, 0);
    return answered_bytes_ / answer_bytes + 1;
  }

  BIO* const gathered_ = BIO_new(BIO_s_mem());
  int answered_bytes_ = 0;
};

TEST_F(KeyRenewalTest, IsDisconnectedAfterTooManyRenewals) {
  renew(2000);
  write_x();
  send_gathered();

  const IoResult result = read();

  EXPECT_EQ(result.state, IoState::failed);
  EXPECT_THAT(std::string(result.error.message()), HasSubstr("renews its keys and sends no data"));
  EXPECT_EQ(handled(), 101);
  EXPECT_EQ(read().state, IoState::failed);
  EXPECT_EQ(handled(), 101);
}

TEST_F(KeyRenewalTest, BeforeDataIsAccepted) {
  renew(100);
  write_x();
  send_gathered();

  const IoResult result = read();

  EXPECT_EQ(result.state, IoState::ok) << result.error.to_string();
  EXPECT_EQ(result.bytes, 1u);
  EXPECT_EQ(handled(), 100);
}

TEST_F(KeyRenewalTest, BeforeEachRecordGivesOneRecordPerRead) {
  for (int i = 0; i < 3; ++i) {
    renew(50);
    write_x();
  }
  send_gathered();

  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(read().bytes, 1u);
    EXPECT_EQ(handled(), 50 * i);
  }
}

TEST_F(KeyRenewalTest, InLargeRecordsEndsEachRead) {
  ASSERT_EQ(SSL_set_block_padding(client_.get(), SSL3_RT_MAX_PLAIN_LENGTH), 1);
  renew(10);
  write_x();
  send_gathered();

  int reads = 0;
  IoResult result;
  do {
    result = read();
    ++reads;
  } while (result.state == IoState::would_block && server_->has_buffered());

  EXPECT_EQ(result.state, IoState::ok) << result.error.to_string();
  EXPECT_EQ(result.bytes, 1u);
  EXPECT_GE(reads, 2) << "everything was read without a return to the loop";
}

TEST_F(PlainOpensslClientTest, IsDisconnectedIfItRequestsKeysAndDoesNotRead) {
  connect();
  IoResult result;
  int asked = 0;

  for (; result.state != IoState::failed && asked < 100000; ++asked) {
    ASSERT_EQ(SSL_key_update(client_.get(), SSL_KEY_UPDATE_REQUESTED), 1);
    ASSERT_EQ(SSL_do_handshake(client_.get()), 1);
    result = read();
    server_->flush();
  }

  EXPECT_EQ(result.state, IoState::failed);
  EXPECT_THAT(std::string(result.error.message()), HasSubstr("asks for new keys and does not read"));
  EXPECT_GT(asked, 1000);
}

}  // namespace
}  // namespace trunkline::net
