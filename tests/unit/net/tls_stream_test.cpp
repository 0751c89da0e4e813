// SPDX-License-Identifier: MIT
// One TLS session on a socket: what reading and writing have to do with each other.
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

class TlsStreamTest : public testing::Test {
 protected:
  TlsStreamTest() {
    int sockets[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets), 0);
    server_socket_ = UniqueSocket(sockets[0]);
    client_socket_ = UniqueSocket(sockets[1]);
    server_ = std::make_unique<TlsStream>(make_server_context(files_.server_options()).value(), sockets[0], "");
    client_ =
        std::make_unique<TlsStream>(make_client_context(files_.client_options()).value(), sockets[1], "localhost");
    auto client_step = TlsStream::Step::wants_read;
    auto server_step = TlsStream::Step::wants_read;
    for (int round = 0; round < 10; ++round) {
      client_step = client_->shake_hands();
      client_->flush();
      server_step = server_->shake_hands();
      server_->flush();
    }
    EXPECT_EQ(client_step, TlsStream::Step::done) << client_->read_error().to_string();
    EXPECT_EQ(server_step, TlsStream::Step::done) << server_->read_error().to_string();
  }

  static IoResult write(TlsStream& stream, std::string_view text) {
    const ByteSpan span = as_bytes(text);
    return stream.write({&span, 1});
  }
  /// What one read gives; `result_` says how it ended.
  std::string read(TlsStream& stream) {
    std::array<std::byte, 256> bytes;
    const MutableByteSpan room(bytes);
    result_ = stream.read({&room, 1});
    return std::string(as_text(ByteSpan(bytes).first(result_.bytes)));
  }

  TemporaryDirectory directory_;
  TlsFiles files_{directory_};
  UniqueSocket server_socket_;
  UniqueSocket client_socket_;
  std::unique_ptr<TlsStream> server_;
  std::unique_ptr<TlsStream> client_;
  IoResult result_;
};

TEST_F(TlsStreamTest, ReadsWhatHasArrivedAfterAFailedSend) {
  write(*server_, "the reason");
  ::shutdown(server_socket_.get(), SHUT_RD);

  write(*client_, "unheard");
  const IoResult refused = write(*client_, "unheard");

  EXPECT_EQ(refused.state, IoState::failed);
  EXPECT_THAT(std::string(client_->write_error().message()), HasSubstr("broken pipe"));
  EXPECT_TRUE(client_->read_error().is_ok());
  EXPECT_EQ(read(*client_), "the reason");
}

TEST_F(TlsStreamTest, WritesAfterTheOtherSideHasEnded) {
  server_->send_close_notify();
  server_->flush();
  read(*client_);
  ASSERT_EQ(result_.state, IoState::end_of_stream);

  write(*client_, "still here");

  EXPECT_EQ(read(*server_), "still here");
}

TEST_F(TlsStreamTest, DoesNotAskTheSocketAgainAfterAShortRead) {
  write(*server_, "all there is");
  ::shutdown(server_socket_.get(), SHUT_WR);

  EXPECT_EQ(read(*client_), "all there is");
  EXPECT_TRUE(client_->read_error().is_ok()) << "the end of the file was not looked for";
  EXPECT_FALSE(client_->has_buffered());

  read(*client_);
  EXPECT_EQ(result_.state, IoState::failed);
  EXPECT_THAT(std::string(client_->read_error().message()), HasSubstr("without a close_notify"));
}

TEST_F(TlsStreamTest, ReadsRecordsThatCameTogetherInOneGo) {
  write(*server_, "first ");
  write(*server_, "second");

  EXPECT_EQ(read(*client_), "first second");
}

TEST_F(TlsStreamTest, SaysThatMoreIsBufferedThanWasAskedFor) {
  write(*server_, std::string(300, 'x'));

  EXPECT_EQ(read(*client_).size(), 256U);
  EXPECT_TRUE(client_->has_buffered());
  EXPECT_EQ(read(*client_).size(), 44U);
  EXPECT_FALSE(client_->has_buffered());
}

/// A client of OpenSSL's own, as old as the server lets it be.
TEST(TlsContext, GivesNoTicketToAClientOfTls12) {
  const TemporaryDirectory directory;
  const TlsFiles files(directory);
  TlsOptions options = files.server_options();
  const auto context = TlsContext::load(TlsRole::server, options).value();
  const std::unique_ptr<SSL_CTX, OpensslDeleter<SSL_CTX_free>> old(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_max_proto_version(old.get(), TLS1_2_VERSION);
  const std::unique_ptr<SSL, OpensslDeleter<SSL_free>> server(context->new_session());
  const std::unique_ptr<SSL, OpensslDeleter<SSL_free>> client(SSL_new(old.get()));
  BIO* ends[2] = {nullptr, nullptr};
  ASSERT_EQ(BIO_new_bio_pair(&ends[0], 0, &ends[1], 0), 1);
  SSL_set_bio(server.get(), ends[0], ends[0]);
  SSL_set_bio(client.get(), ends[1], ends[1]);
  SSL_set_accept_state(server.get());
  SSL_set_connect_state(client.get());

  int done = 0;
  for (int round = 0; round < 10; ++round) done = SSL_do_handshake(client.get()) + SSL_do_handshake(server.get());

  ASSERT_EQ(done, 2);
  EXPECT_STREQ(SSL_get_version(client.get()), "TLSv1.2");
  EXPECT_EQ(SSL_SESSION_has_ticket(SSL_get0_session(client.get())), 0);
}

}  // namespace
}  // namespace trunkline::net
