// SPDX-License-Identifier: MIT
// The header of the PROXY protocol: both versions, cut at every byte, and what is malformed.
#include "net/proxy_header.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::net {

namespace {

using namespace std::string_literals;

const std::string signature = "\r\n\r\n\0\r\nQUIT\n"s;
const std::string ipv4_addresses = "\xCB\x00\x71\x07\xC0\x00\x02\x01\x9C\x40\x01\xBB"s;

std::string binary(unsigned char command, unsigned char family, const std::string& body) {
  std::string header = signature;
  header += static_cast<char>(command);
  header += static_cast<char>(family);
  header += static_cast<char>(body.size() >> 8);
  header += static_cast<char>(body.size() & 0xFF);
  return header + body;
}

std::string padded(std::string path) {
  path.resize(108, '\0');
  return path;
}

struct Valid {
  std::string bytes;
  bool is_local;
  std::string source;
  std::uint16_t source_port;
  std::string destination;
  std::uint16_t destination_port;
};

const std::vector<Valid>& valid_headers() {
  const std::string ipv6 = "\x20\x01\x0d\xb8"s + std::string(11, '\0') + "\x07" + std::string(15, '\0') + "\x01";
  static const std::vector<Valid> headers{
      {"PROXY TCP4 203.0.113.7 192.0.2.1 40000 443\r\n", false, "203.0.113.7", 40000, "192.0.2.1", 443},
      {"PROXY TCP6 2001:db8::7 ::1 40000 443\r\n", false, "2001:db8::7", 40000, "::1", 443},
      {"PROXY TCP4 203.0.113.7 192.0.2.1 0 65535\r\n", false, "203.0.113.7", 0, "192.0.2.1", 65535},
      {"PROXY UNKNOWN\r\n", true, "", 0, "", 0},
      {"PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n", true, "", 0, "", 0},
      {binary(0x21, 0x11, ipv4_addresses), false, "203.0.113.7", 40000, "192.0.2.1", 443},
      {binary(0x21, 0x11,
              ipv4_addresses + "\x04\x00\x03"
                               "abc"s),
       false, "203.0.113.7", 40000, "192.0.2.1", 443},
      {binary(0x21, 0x21, ipv6 + "\x9C\x40\x01\xBB"s), false, "2001:db8::7", 40000, "::1", 443},
      {binary(0x21, 0x31, padded("/run/client") + padded("/run/server")), false, "/run/client", 0, "/run/server", 0},
      {binary(0x21, 0x31, padded("\0name"s) + padded("")), false, "@name", 0, "", 0},
      {binary(0x20, 0x00, ""), true, "", 0, "", 0},
      {binary(0x20, 0x11, ipv4_addresses), true, "", 0, "", 0},
      {binary(0x21, 0x00, "anything"), true, "", 0, "", 0},
      {binary(0x20, 0x00, std::string(4080, 'x')), true, "", 0, "", 0},
  };
  return headers;
}

TEST(ProxyHeader, ReadsBothVersions) {
  for (const Valid& valid : valid_headers()) {
    const Result<ProxyHeader> header = ProxyHeader::read(as_bytes(valid.bytes + "the client's bytes"));

    ASSERT_TRUE(header.is_ok()) << valid.bytes << header.status().to_string();
    EXPECT_EQ(header->size, valid.bytes.size()) << "nothing of the client's";
    EXPECT_EQ(header->is_local, valid.is_local) << valid.bytes;
    EXPECT_EQ(header->source.host, valid.source);
    EXPECT_EQ(header->source.port, valid.source_port);
    EXPECT_EQ(header->destination.host, valid.destination);
    EXPECT_EQ(header->destination.port, valid.destination_port);
  }
}

TEST(ProxyHeader, AsksForMoreWhereverItIsCut) {
  for (const Valid& valid : valid_headers()) {
    for (std::size_t size = 0; size < valid.bytes.size(); ++size) {
      const Result<ProxyHeader> header = ProxyHeader::read(as_bytes(std::string_view(valid.bytes).substr(0, size)));

      ASSERT_TRUE(header.is_ok()) << valid.bytes << " cut to " << size;
      ASSERT_EQ(header->size, 0u) << valid.bytes << " cut to " << size;
    }
  }
}

TEST(ProxyHeader, RefusesWhatIsMalformed) {
  const std::vector<std::string> malformed{
      "GET / HTTP/1.1\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "PROXX TCP4",
      "proxy TCP4 203.0.113.7 192.0.2.1 40000 443\r\n",
      "PROXY  TCP4 203.0.113.7 192.0.2.1 40000 443\r\n",
      "PROXY UDP4 203.0.113.7 192.0.2.1 40000 443\r\n",
      "PROXY TCP4 203.0.113.7 192.0.2.1 40000\r\n",
      "PROXY TCP4 203.0.113.7 192.0.2.1 40000 443 \r\n",
      "PROXY TCP4 203.0.113.7 192.0.2.1 40000 443 1\r\n",
      "PROXY TCP4 203.0.113.7 192.0.2.1 40000 65536\r\n",
      "PROXY TCP4 203.0.113.7 192.0.2.1 040000 443\r\n",
      "PROXY TCP4 203.0.113.7 192.0.2.1 -1 443\r\n",
      "PROXY TCP4 203.0.113 192.0.2.1 40000 443\r\n",
      "PROXY TCP4 2001:db8::7 ::1 40000 443\r\n",
      "PROXY TCP6 203.0.113.7 192.0.2.1 40000 443\r\n",
      "PROXY \r\n",
      "PROXY UNKNOWN" + std::string(100, ' '),
      signature + "\x11\x11"s + "\x00\x0C"s + ipv4_addresses,
      binary(0x22, 0x11, ipv4_addresses),
      binary(0x21, 0x11, ipv4_addresses.substr(1)),
      binary(0x21, 0x12, ipv4_addresses),
      binary(0x21, 0x13, ipv4_addresses),
      binary(0x21, 0x41, ipv4_addresses),
      binary(0x21, 0x21, ipv4_addresses),
      binary(0x21, 0x31, padded("/run/client")),
      binary(0x20, 0x00, std::string(4081, 'x')),
  };
  for (const std::string& bytes : malformed) {
    const Result<ProxyHeader> header = ProxyHeader::read(as_bytes(bytes));

    EXPECT_EQ(header.status().code(), StatusCode::invalid_argument) << bytes;
  }
}

TEST(ProxyHeader, IsLikelyFromItsSignatureOn) {
  EXPECT_TRUE(ProxyHeader::is_likely(as_bytes("PROXY TCP4 1.2.3.4"s)));
  EXPECT_TRUE(ProxyHeader::is_likely(as_bytes(signature)));
  EXPECT_FALSE(ProxyHeader::is_likely(as_bytes("PRI * HTTP/2.0"s)));
  EXPECT_FALSE(ProxyHeader::is_likely(as_bytes("PROX"s)));
  EXPECT_FALSE(ProxyHeader::is_likely({}));
}

}  // namespace

}  // namespace trunkline::net
