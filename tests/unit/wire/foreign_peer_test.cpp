// SPDX-License-Identifier: MIT
// The first bytes of servers of other protocols.
#include "wire/foreign_peer.h"

#include "wire/detector.h"
#include "wire/preface.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::wire {
namespace {

using namespace std::string_literals;

std::string_view guess(const std::string& bytes) { return guess_foreign_peer(as_bytes(bytes)); }

TEST(ForeignPeer, IsGuessedByItsFirstBytes) {
  EXPECT_EQ(guess("HTTP/1.1 400 Bad Request\r\n"), "HTTP/1");
  EXPECT_EQ(guess("\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x03"s), "HTTP/2 (as gRPC does)");
  EXPECT_EQ(guess("\x00\x00\x08\x07\x00\x00\x00\x00\x00"s), "HTTP/2 (as gRPC does)");
  EXPECT_EQ(guess("\x15\x03\x03\x00\x02\x02\x46"s), "TLS");
  EXPECT_EQ(guess("\x16\x03\x01\x02"s), "TLS");
  EXPECT_EQ(guess("SSH-2.0-OpenSSH_9.2p1\r\n"), "SSH");
  EXPECT_EQ(guess("220 mail.example.com ESMTP\r\n"), "SMTP, FTP or the like");
  EXPECT_EQ(guess("-ERR unknown command\r\n"), "Redis or POP3");
  EXPECT_EQ(guess("\x4A\x00\x00\x00\x0A\x38.0.36\x00"s), "MySQL");
  EXPECT_EQ(guess("* OK IMAP4rev1 ready\r\n"), "IMAP");
}

TEST(ForeignPeer, RecognisesTheRejectionsOfTheDetector) {
  EXPECT_EQ(guess(std::string(rejection_for(DetectedProtocol::http1))), "HTTP/1");
  EXPECT_EQ(guess(std::string(rejection_for(DetectedProtocol::http2))), "HTTP/2 (as gRPC does)");
  EXPECT_EQ(guess(std::string(rejection_for(DetectedProtocol::tls))), "TLS");
}

TEST(ForeignPeer, UnknownBytesHaveNoName) {
  EXPECT_EQ(guess(""), "");
  EXPECT_EQ(guess("\x15\x03"s), "");
  EXPECT_EQ(guess("22"), "");
  EXPECT_EQ(guess("\x00\x00\x06\x04\x00\x00\x00\x00"s), "");
  EXPECT_EQ(guess("hello there"), "");
  EXPECT_EQ(guess(std::string(as_text(ByteSpan(preface)))), "");
}

}  // namespace
}  // namespace trunkline::wire
