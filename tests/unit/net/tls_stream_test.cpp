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
  explicit TlsStreamTest(const std::string& server_name = "localhost",
                         const std::string& certified_names = "DNS:localhost") {
    files_.make_leaf("server", certified_names);
    int sockets[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets), 0);
    server_socket_ = UniqueSocket(sockets[0]);
    client_socket_ = UniqueSocket(sockets[1]);
    server_ = std::make_unique<TlsStream>(make_server_context(files_.server_options()).value(), sockets[0], "");
    client_ =
        std::make_unique<TlsStream>(make_client_context(files_.client_options()).value(), sockets[1], server_name);
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
  /// The bytes of one read. Its result is in `result_`.
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

TEST_F(TlsStreamTest, DoesNotReadTheSocketAgainAfterAShortRead) {
  write(*server_, "all there is");
  ::shutdown(server_socket_.get(), SHUT_WR);

  EXPECT_EQ(read(*client_), "all there is");
  EXPECT_TRUE(client_->read_error().is_ok()) << "the end of the stream was not read";
  EXPECT_FALSE(client_->has_buffered());

  read(*client_);
  EXPECT_EQ(result_.state, IoState::failed);
  EXPECT_THAT(std::string(client_->read_error().message()), HasSubstr("without a close_notify"));
}

TEST_F(TlsStreamTest, ReadsRecordsThatArrivedTogetherAtOnce) {
  write(*server_, "first ");
  write(*server_, "second");

  EXPECT_EQ(read(*client_), "first second");
}

TEST_F(TlsStreamTest, ReportsThatMoreIsBuffered) {
  write(*server_, std::string(300, 'x'));

  EXPECT_EQ(read(*client_).size(), 256U);
  EXPECT_TRUE(client_->has_buffered());
  EXPECT_EQ(read(*client_).size(), 44U);
  EXPECT_FALSE(client_->has_buffered());
}

/// A name that says that it is a whole one.
class RootedNameTest : public TlsStreamTest {
 protected:
  RootedNameTest() : TlsStreamTest("localhost.") {}
};

TEST_F(RootedNameTest, IsVerifiedWithoutTheFinalDot) {
  write(*server_, "hello");

  EXPECT_EQ(read(*client_), "hello");
}

/// Bytes that differ from record to record.
std::string pattern(std::size_t size) {
  std::string text(size, ' ');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + (i / 997 + i) % 26);
  return text;
}

/// A socket that takes little at a time.
class FullTlsStreamTest : public TlsStreamTest {
 protected:
  FullTlsStreamTest() {
    const int small = 8 * 1024;
    EXPECT_EQ(::setsockopt(server_socket_.get(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
  }
  /// Writes until the socket is full.
  void write_some() {
    for (;;) {
      const IoResult result = write(*server_, std::string_view(text_).substr(written_));
      if (result.state != IoState::ok) {
        EXPECT_EQ(result.state, IoState::would_block);
        return;
      }
      written_ += result.bytes;
      if (written_ == text_.size()) return;
    }
  }
  std::string read_all() {
    std::string all;
    do all += read(*client_);
    while (result_.state == IoState::ok);
    return all;
  }

  const std::string text_ = pattern(600000);
  std::size_t written_ = 0;
};

TEST_F(FullTlsStreamTest, ReportsOnlySentBytesAsWritten) {
  write_some();
  ::shutdown(server_socket_.get(), SHUT_WR);

  const std::string heard = read_all();

  EXPECT_LT(written_, text_.size());
  EXPECT_GE(heard.size(), written_);
  EXPECT_TRUE(text_.starts_with(heard));
}

TEST_F(FullTlsStreamTest, ContinuesWithTheSameBytes) {
  std::string heard;
  for (int round = 0; round < 1000 && written_ < text_.size(); ++round) {
    write_some();
    heard += read_all();
  }

  EXPECT_EQ(written_, text_.size());
  EXPECT_FALSE(server_->has_unsent());
  EXPECT_EQ(heard, text_);
}

TEST_F(FullTlsStreamTest, ReportsSentBytesAlthoughMoreAreUnsent) {
  write_some();
  ASSERT_TRUE(server_->has_unsent());
  std::size_t steps = 0;
  std::size_t most_at_once = 0;
  while (written_ < text_.size()) {
    for (int part = 0; part < 20; ++part) read(*client_);
    const IoResult result = write(*server_, std::string_view(text_).substr(written_));
    ASSERT_NE(result.state, IoState::failed);
    written_ += result.bytes;
    most_at_once = std::max(most_at_once, result.bytes);
    if (result.bytes > 0 && server_->has_unsent()) ++steps;
  }

  EXPECT_GT(steps, 10u);
  EXPECT_LE(most_at_once, 64u * 1024);
}

/// Shows a certificate with so many names that it is longer than what is read in one step.
class LongHandshakeTest : public TlsStreamTest {
 protected:
  static std::string many_names() {
    std::string names = "DNS:localhost";
    for (int i = 10000; i < 12500; ++i) names += ",DNS:name-" + std::to_string(i) + ".of-the-server.test";
    return names;
  }
  LongHandshakeTest() : TlsStreamTest("localhost", many_names()) {}
};

TEST_F(LongHandshakeTest, Completes) {
  write(*server_, "hello");

  EXPECT_EQ(read(*client_), "hello");
}

/// As old as the server lets it be.
TEST(TlsContext, SendsNoTicketToATls12Client) {
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
