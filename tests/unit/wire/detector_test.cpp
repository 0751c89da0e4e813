// SPDX-License-Identifier: MIT
// The detector, fed the starts of real protocols one byte at a time, and its rejections.
#include "wire/detector.h"

#include "wire/frame.h"
#include "wire/preface.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trunkline::wire {
namespace {

using namespace std::string_literals;

const std::string native_start(reinterpret_cast<const char*>(preface.data()), preface.size());
const std::string http2_preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const std::string client_hello = "\x16\x03\x01\x02\x00\x01\x00\x01\xFC\x03\x03"s;

std::optional<DetectedProtocol> detect_text(const std::string& bytes) { return detect(as_bytes(bytes)); }

/// Feeds one byte more each time; the decision must come at `decided` bytes and stay.
void expect_detected(const std::string& bytes, DetectedProtocol expected, std::size_t decided) {
  SCOPED_TRACE(bytes);
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const std::optional<DetectedProtocol> protocol = detect_text(bytes.substr(0, size));

    if (size < decided) {
      EXPECT_EQ(protocol, std::nullopt) << size;
    } else {
      EXPECT_EQ(protocol, expected) << size;
    }
  }
}

TEST(Detector, WaitsForTheCompleteNativePreface) {
  expect_detected(native_start + "\x03\0\0\0"s, DetectedProtocol::native, 8);
}

TEST(Detector, TakesADamagedNativePrefaceForUnknown) {
  for (std::size_t at = 0; at < native_start.size(); ++at) {
    std::string corrupted = native_start;
    corrupted[at] = static_cast<char>(corrupted[at] ^ 0x01);

    EXPECT_EQ(detect_text(corrupted), DetectedProtocol::unknown) << at;
  }
}

TEST(Detector, KnowsHttp1ByItsMethods) {
  for (const std::string& method : {"GET"s, "HEAD"s, "POST"s, "PUT"s, "DELETE"s, "CONNECT"s, "OPTIONS"s, "TRACE"s,
                                    "PATCH"s, "PROPFIND"s, "M-SEARCH"s, "PRIX"s}) {
    expect_detected(method + " /v1 HTTP/1.1\r\nHost: a\r\n\r\n", DetectedProtocol::http1, method.size() + 2);
  }
}

TEST(Detector, KnowsHttp1ByEveryFormOfTarget) {
  expect_detected("OPTIONS * HTTP/1.1\r\n", DetectedProtocol::http1, 9);
  expect_detected("GET http://a/ HTTP/1.1\r\n", DetectedProtocol::http1, 5);
  expect_detected("CONNECT a:443 HTTP/1.1\r\n", DetectedProtocol::http1, 9);
}

TEST(Detector, KnowsHttp1BehindAnEmptyLine) {
  expect_detected("\r\nGET /v1 HTTP/1.1\r\n", DetectedProtocol::http1, 7);
  expect_detected("\r\nAAAAAAAAAAAAAAAAAAAA / HTTP/1.1", DetectedProtocol::http1, 24);
  expect_detected("\r\nAAAAAAAAAAAAAAAAAAAAA / HTTP/1.1", DetectedProtocol::unknown, 23);
  expect_detected("\r\nEHLO client.example\r\n", DetectedProtocol::text, 8);
  for (const std::string& bytes : {"\r\n\r\nGET / HTTP/1.1"s, "\nGET / HTTP/1.1"s, "\rGET / HTTP/1.1"s,
                                   "\r\n\r\n\0\r\nQUIT\n"s, "\r\nPRI * HTTP/2.0"s}) {
    EXPECT_EQ(detect_text(bytes), DetectedProtocol::unknown) << bytes;
  }
}

TEST(Detector, KnowsMistakesInAMethodsLineForHttp1) {
  for (const std::string& method : {"GET"s, "POST"s, "OPTIONS"s}) {
    expect_detected(method + "  / HTTP/1.1\r\n", DetectedProtocol::http1, method.size() + 2);
  }
}

TEST(Detector, TakesOtherLinesOfAWordInCapitalsForText) {
  expect_detected("INVALID CONNECTION PREFACE\r\n\r\n", DetectedProtocol::text, 9);
  expect_detected("EHLO client.example\r\n", DetectedProtocol::text, 6);
  expect_detected("GET key\r\n", DetectedProtocol::text, 5);
}

TEST(Detector, TakesWhatOnlyLooksLikeHttp1ForUnknown) {
  for (const std::string& bytes :
       {" GET /"s, "get / HTTP/1.1"s, "GET\t/"s, "EHLO  x"s, "GET \r\n"s, "GET/ "s, "EHLO\r\n"s, "SSH-2.0-x"s,
        "GET \x80"s, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA / HTTP/1.1"s}) {
    EXPECT_EQ(detect_text(bytes), DetectedProtocol::unknown) << bytes;
  }
}

TEST(Detector, KnowsHttp2ByItsFirstLine) { expect_detected(http2_preface, DetectedProtocol::http2, 16); }

TEST(Detector, TakesADamagedHttp2LineForUnknown) {
  for (const std::string& bytes : {"PRI / HTTP/1.1\r\n"s, "PRI * HTTP/2.1\r\n"s, "PRI * HTTP/2.0\n"s}) {
    EXPECT_EQ(detect_text(bytes), DetectedProtocol::unknown) << bytes;
  }
}

TEST(Detector, KnowsTlsOfEveryVersion) {
  for (char minor : {0, 1, 2, 3, 4}) {
    std::string bytes = client_hello;
    bytes[2] = minor;

    expect_detected(bytes, DetectedProtocol::tls, 3);
  }
}

TEST(Detector, TakesOtherRecordsForUnknown) {
  for (const std::string& bytes :
       {"\x15\x03\x01"s, "\x17\x03\x03"s, "\x16\x02\x00"s, "\x16\x03\x05"s, "\x16\x03\x80"s, "\x80\x2E\x01\x03\x01"s}) {
    EXPECT_EQ(detect_text(bytes), DetectedProtocol::unknown);
  }
}

TEST(Detector, KnowsThriftBinary) {
  expect_detected("\x80\x01\x00\x01\x00\x00\x00\x04ping"s, DetectedProtocol::thrift, 2);
}

TEST(Detector, KnowsThriftCompact) {
  expect_detected("\x82\x21\x01\x04ping"s, DetectedProtocol::thrift, 2);
  expect_detected("\x82\x41\x01\x04ping"s, DetectedProtocol::thrift, 2);
}

TEST(Detector, KnowsThriftFramed) {
  expect_detected("\x00\x00\x00\x11\x80\x01\x00\x01\x00\x00\x00\x04ping"s, DetectedProtocol::thrift, 6);
  expect_detected("\x00\x01\x00\x11\x82\x21\x01\x04ping"s, DetectedProtocol::thrift, 6);
  expect_detected("\x00\x00\x00\x20\x0F\xFF\x00\x00"s, DetectedProtocol::thrift, 6);
}

TEST(Detector, TakesWhatOnlyLooksLikeThriftForUnknown) {
  for (const std::string& bytes : {"\x80\x02"s, "\x82\x22"s, "\x81\x01"s, "\x00\x00\x00\x08\x04\xD2\x16\x2F"s,
                                   "\x00\x00\x00\x08\x80\x00"s, "\x00\x00\x00\x08\x0F\xFE"s, "\x0F\xFF\x00\x00"s}) {
    EXPECT_EQ(detect_text(bytes), DetectedProtocol::unknown);
  }
}

TEST(Detector, DecidesForEveryFirstByteWithinItsLimit) {
  for (int first = 0; first < 256; ++first) {
    for (int rest = 0; rest < 256; ++rest) {
      const std::string bytes =
          std::string(1, static_cast<char>(first)) + std::string(detection_bytes - 1, static_cast<char>(rest));

      EXPECT_TRUE(detect_text(bytes).has_value()) << first << " " << rest;
    }
  }
}

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

TEST(DetectorRejection, ToHttp1IsACompleteResponse) {
  const std::string rejection(rejection_for(DetectedProtocol::http1));

  const std::size_t body = rejection.find("\r\n\r\n") + 4;
  EXPECT_EQ(rejection.rfind("HTTP/1.1 505 ", 0), 0U);
  EXPECT_NE(rejection.find("Connection: close\r\n"), std::string::npos);
  EXPECT_NE(rejection.find("Content-Length: " + std::to_string(rejection.size() - body) + "\r\n"), std::string::npos);
  EXPECT_NE(rejection.find("native protocol of Trunkline", body), std::string::npos);
  EXPECT_EQ(rejection.find('\n', body), rejection.size() - 1);
}

TEST(DetectorRejection, ToHttp2IsSettingsAndGoaway) {
  const std::string_view rejection = rejection_for(DetectedProtocol::http2);

  EXPECT_EQ(rejection.substr(0, 9), "\x00\x00\x00\x04\x00\x00\x00\x00\x00"s);
  EXPECT_EQ(big_endian(rejection.substr(9, 3)), rejection.size() - 18);
  EXPECT_EQ(rejection.substr(12, 6), "\x07\x00\x00\x00\x00\x00"s);
  EXPECT_EQ(big_endian(rejection.substr(18, 4)), 0U);
  EXPECT_EQ(big_endian(rejection.substr(22, 4)), 1U);
}

TEST(DetectorRejection, ToTlsIsAFatalAlert) {
  EXPECT_EQ(rejection_for(DetectedProtocol::tls), "\x15\x03\x03\x00\x02\x02\x28"s);
}

TEST(DetectorRejection, ToUnknownProtocolsIsThePrefaceAndGoaway) {
  const std::string_view rejection = rejection_for(DetectedProtocol::unknown);
  const ByteSpan frame = as_bytes(rejection).subspan(preface.size());

  EXPECT_EQ(rejection.substr(0, preface.size()), as_text(ByteSpan(preface)));
  const FrameHeader header = read_header(frame.data());
  Status why;
  EXPECT_EQ(check_header(header, Sender::server, why), FrameVerdict::accept) << why.to_string();
  EXPECT_EQ(header.type, FrameType::goaway);
  EXPECT_EQ(header.call, 0U);
  EXPECT_EQ(header.number, 13U);
  EXPECT_EQ(frame.size(), header_bytes + header.length);
  EXPECT_TRUE(as_text(frame.subspan(header_bytes)).starts_with("handshake: "));
}

TEST(DetectorRejection, ToOtherProtocolsIsEmpty) {
  EXPECT_EQ(rejection_for(DetectedProtocol::native), "");
  EXPECT_EQ(rejection_for(DetectedProtocol::thrift), "");
  EXPECT_EQ(rejection_for(DetectedProtocol::text), "");
}

TEST(DetectedProtocol, HasANameForEach) {
  EXPECT_EQ(to_string(DetectedProtocol::native), "native");
  EXPECT_EQ(to_string(DetectedProtocol::http1), "http1");
  EXPECT_EQ(to_string(DetectedProtocol::http2), "http2");
  EXPECT_EQ(to_string(DetectedProtocol::tls), "tls");
  EXPECT_EQ(to_string(DetectedProtocol::thrift), "thrift");
  EXPECT_EQ(to_string(DetectedProtocol::text), "text");
  EXPECT_EQ(to_string(DetectedProtocol::unknown), "unknown");
}

}  // namespace
}  // namespace trunkline::wire
