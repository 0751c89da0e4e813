// SPDX-License-Identifier: MIT
// Endpoint: the URIs that it accepts, with their parts, and those that it rejects, with the reason.
#include <trunkline/endpoint.h>

#include <string>
#include <vector>

namespace trunkline {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string label_63(63, 'a');
const std::string path_107 = "/" + std::string(106, 'p');

struct GoodUri {
  std::string uri;
  Scheme scheme;
  std::string host;
  std::uint16_t port;
  std::string path;
  bool is_abstract;
};

const std::vector<GoodUri> good_uris = {
    {"tcp://localhost:8888", Scheme::tcp, "localhost", 8888, "", false},
    {"tls://example.com:443", Scheme::tls, "example.com", 443, "", false},
    {"tcp://127.0.0.1:0", Scheme::tcp, "127.0.0.1", 0, "", false},
    {"tcp://0.0.0.0:65535", Scheme::tcp, "0.0.0.0", 65535, "", false},
    {"tcp://255.255.255.255:1", Scheme::tcp, "255.255.255.255", 1, "", false},
    {"tcp://[::]:80", Scheme::tcp, "::", 80, "", false},
    {"tcp://*:80", Scheme::tcp, "*", 80, "", false},
    {"tls://[::1]:80", Scheme::tls, "::1", 80, "", false},
    {"tcp://[2001:db8:0:0:1:2:3:4]:80", Scheme::tcp, "2001:db8:0:0:1:2:3:4", 80, "", false},
    {"tcp://[::ffff:192.0.2.1]:80", Scheme::tcp, "::ffff:192.0.2.1", 80, "", false},
    {"tcp://a.b-c.d_e.example:80", Scheme::tcp, "a.b-c.d_e.example", 80, "", false},
    {"tcp://Example.COM:80", Scheme::tcp, "Example.COM", 80, "", false},
    {"tcp://absolute.example.:80", Scheme::tcp, "absolute.example.", 80, "", false},
    {"tcp://3com.7up:80", Scheme::tcp, "3com.7up", 80, "", false},
    {"tcp://" + label_63 + ".example:80", Scheme::tcp, label_63 + ".example", 80, "", false},
    {"unix:///run/trunkline.sock", Scheme::unix_socket, "", 0, "/run/trunkline.sock", false},
    {"unix:///with space?and#more@%20", Scheme::unix_socket, "", 0, "/with space?and#more@%20", false},
    {"unix://" + path_107, Scheme::unix_socket, "", 0, path_107, false},
    {"unix:@name", Scheme::unix_socket, "", 0, "name", true},
    {"unix:@" + path_107, Scheme::unix_socket, "", 0, path_107, true},
    {"unix:@@", Scheme::unix_socket, "", 0, "@", true},
    {"inproc://name", Scheme::inproc, "", 0, "name", false},
    {"inproc://a/b:c", Scheme::inproc, "", 0, "a/b:c", false},
    {"inproc://" + path_107, Scheme::inproc, "", 0, path_107, false},
};

TEST(Endpoint, ParsesEveryFormIntoItsParts) {
  for (const GoodUri& good : good_uris) {
    const Result<Endpoint> parsed = Endpoint::parse(good.uri);

    ASSERT_TRUE(parsed.is_ok()) << parsed.status().to_string();
    EXPECT_EQ(parsed->scheme(), good.scheme) << good.uri;
    EXPECT_EQ(parsed->host(), good.host) << good.uri;
    EXPECT_EQ(parsed->port(), good.port) << good.uri;
    EXPECT_EQ(parsed->path(), good.path) << good.uri;
    EXPECT_EQ(parsed->is_abstract(), good.is_abstract) << good.uri;
  }
}

TEST(Endpoint, WithoutAHostMeansEveryAddress) {
  const Result<Endpoint> parsed = Endpoint::parse("tls://:443");

  ASSERT_TRUE(parsed.is_ok()) << parsed.status().to_string();
  EXPECT_EQ(parsed->host(), Endpoint::every_address);
  EXPECT_EQ(parsed->to_string(), "tls://*:443");
}

TEST(Endpoint, TextParsesToAnEqualEndpoint) {
  for (const GoodUri& good : good_uris) {
    const Endpoint endpoint = Endpoint::parse(good.uri).value();

    EXPECT_EQ(endpoint.to_string(), good.uri);
    EXPECT_EQ(Endpoint::parse(endpoint.to_string()).value(), endpoint);
  }
}

struct BadUri {
  std::string uri;
  std::string problem;
};

const std::string schemes =
    "use tcp://, tls://, unix:// or inproc://, or grpc://, grpcs:// or grpc+unix://, or ws://, wss:// or ws+unix://, "
    "or http://, https:// or http+unix://, or grpc-web://, grpc-webs:// or grpc-web+unix://";

const std::vector<BadUri> bad_uris = {
    {"", "it is empty"},
    {"localhost", "scheme is missing, " + schemes},
    {"/run/socket", "scheme is missing, " + schemes},
    {"localhost:80", "unknown scheme, " + schemes},
    {"://host:80", "unknown scheme, " + schemes},
    {"ftp://host:80", "unknown scheme, " + schemes},
    {"http://", "host is missing"},
    {"http:///", "host is missing"},
    {"http://host:", "port is missing"},
    {"https://[::1", "']' is missing"},
    {"http://host/path", "a path is not allowed"},
    {"http://host//", "a path is not allowed"},
    {"grpc-web://host", "port is missing"},
    {"grpc-web://host:80/", "a path is not allowed"},
    {"TCP://host:80", "unknown scheme, " + schemes},
    {" tcp://host:80", "unknown scheme, " + schemes},
    {"tcp:host:80", "\"//\" is missing after the scheme"},
    {"tcp:/host:80", "\"//\" is missing after the scheme"},
    {"tcp:@name", "\"//\" is missing after the scheme"},
    {"unix:/path", "\"//\" is missing after the scheme"},
    {"inproc:name", "\"//\" is missing after the scheme"},
    {"tcp://", "host is missing"},
    {"tcp://host", "port is missing"},
    {"tcp://host:", "port is missing"},
    {"tcp://host:http", "port is not a number"},
    {"tcp://host:-1", "port is not a number"},
    {"tcp://host:+1", "port is not a number"},
    {"tcp://host:80 ", "port is not a number"},
    {"tcp://host:0x50", "port is not a number"},
    {"tcp://host:65536", "port exceeds 65535"},
    {"tcp://host:99999999999999999999", "port exceeds 65535"},
    {"tcp://host:080", "port has a leading zero"},
    {"tcp://host:00", "port has a leading zero"},
    {"tcp://host:80/", "a path is not allowed"},
    {"tcp://host:80/path?query", "a path is not allowed"},
    {"tcp://host:80?query", "a query is not allowed"},
    {"tcp://host:80#fragment", "a fragment is not allowed"},
    {"tcp://user@host:80", "a user is not allowed"},
    {"tcp://::1:80", "an ipv6 address needs brackets"},
    {"tcp://host:80:81", "an ipv6 address needs brackets"},
    {"tcp://[::1", "']' is missing"},
    {"tcp://[::1]", "port is missing"},
    {"tcp://[::1]80", "']' is followed by something other than a port"},
    {"tcp://[::1]x:80", "']' is followed by something other than a port"},
    {"tcp://[]:80", "host is not a valid ipv6 address"},
    {"tcp://[::g]:80", "host is not a valid ipv6 address"},
    {"tcp://[1::2::3]:80", "host is not a valid ipv6 address"},
    {"tcp://[127.0.0.1]:80", "host is not a valid ipv6 address"},
    {"tcp://[fe80::1%25eth0]:80", "host is not a valid ipv6 address"},
    {std::string("tcp://[::1\0]:80", 15), "host is not a valid ipv6 address"},
    {"tcp://256.0.0.1:80", "host is not a valid ipv4 address"},
    {"tcp://127.0.0:80", "host is not a valid ipv4 address"},
    {"tcp://127.0.0.01:80", "host is not a valid ipv4 address"},
    {"tcp://1.2.3.4.5:80", "host is not a valid ipv4 address"},
    {"tcp://127.0.0.1.:80", "host is not a valid ipv4 address"},
    {"tcp://80:80", "host is not a valid ipv4 address"},
    {"tcp://host.7:80", "host is not a valid ipv4 address"},
    {"tcp://.:80", "host has an empty label"},
    {"tcp://.host:80", "host has an empty label"},
    {"tcp://a..b:80", "host has an empty label"},
    {"tcp://host..:80", "host has an empty label"},
    {"tcp://-a.b:80", "host has a label that begins or ends with '-'"},
    {"tcp://a-.b:80", "host has a label that begins or ends with '-'"},
    {"tcp://ho st:80", "host has a byte other than letters, digits, '-', '_' and '.'"},
    {"tcp://h%20st:80", "host has a byte other than letters, digits, '-', '_' and '.'"},
    {"tcp://h\xc3\xb6st:80", "host has a byte other than letters, digits, '-', '_' and '.'"},
    {std::string("tcp://ho\0st:80", 14), "host has a byte other than letters, digits, '-', '_' and '.'"},
    {"tcp://" + label_63 + "a:80", "label of the host of 64 bytes exceeds 63"},
    {"tcp://" + label_63 + "." + label_63 + "." + label_63 + "." + label_63 + ":80", "host of 255 bytes exceeds 253"},
    {"grpc:host:80", "\"//\" is missing after the scheme"},
    {"grpcs://host", "port is missing"},
    {"grpc+tcp://host:80", "unknown scheme, " + schemes},
    {"grpc+unix://relative", "path is not absolute"},
    {"ws://host", "port is missing"},
    {"wss://host:80/path", "a path is not allowed"},
    {"ws+tcp://host:80", "unknown scheme, " + schemes},
    {"ws+unix://relative", "path is not absolute"},
    {"unix://", "path is missing"},
    {"unix://relative", "path is not absolute"},
    {"unix://" + path_107 + "p", "path of 108 bytes exceeds 107"},
    {std::string("unix:///a\0b", 11), "path contains a zero byte"},
    {"unix:@", "name is missing"},
    {"unix:@" + path_107 + "p", "name of 108 bytes exceeds 107"},
    {std::string("unix:@a\0b", 9), "name contains a zero byte"},
    {"inproc://", "name is missing"},
    {"inproc://" + path_107 + "p", "name of 108 bytes exceeds 107"},
    {std::string("inproc://a\0b", 12), "name contains a zero byte"},
};

TEST(Endpoint, NamesTheProtocolOfAChannel) {
  struct Pair {
    std::string uri;
    WireProtocol protocol;
    std::string native;
  };
  using enum WireProtocol;
  const std::vector<Pair> pairs = {{"grpc://localhost:8888", grpc, "tcp://localhost:8888"},
                                   {"grpcs://[::1]:443", grpc, "tls://[::1]:443"},
                                   {"grpc+unix:///run/a@b.sock", grpc, "unix:///run/a@b.sock"},
                                   {"grpc+unix:@name", grpc, "unix:@name"},
                                   {"grpc+inproc://name", grpc, "inproc://name"},
                                   {"ws://localhost:8888", websocket, "tcp://localhost:8888"},
                                   {"wss://[::1]:443", websocket, "tls://[::1]:443"},
                                   {"ws+unix:///run/a@b.sock", websocket, "unix:///run/a@b.sock"},
                                   {"ws+unix:@name", websocket, "unix:@name"},
                                   {"ws+inproc://name", websocket, "inproc://name"},
                                   {"http://localhost:8888", connect, "tcp://localhost:8888"},
                                   {"https://[::1]:443", connect, "tls://[::1]:443"},
                                   {"http+unix:///run/a@b.sock", connect, "unix:///run/a@b.sock"},
                                   {"http+unix:@name", connect, "unix:@name"},
                                   {"http+inproc://name", connect, "inproc://name"},
                                   {"grpc-web://localhost:8888", grpc_web, "tcp://localhost:8888"},
                                   {"grpc-webs://[::1]:443", grpc_web, "tls://[::1]:443"},
                                   {"grpc-web+unix:///run/a@b.sock", grpc_web, "unix:///run/a@b.sock"},
                                   {"grpc-web+unix:@name", grpc_web, "unix:@name"},
                                   {"grpc-web+inproc://name", grpc_web, "inproc://name"}};
  for (const Pair& pair : pairs) {
    const Endpoint endpoint = Endpoint::parse(pair.uri).value();
    const Endpoint native_endpoint = Endpoint::parse(pair.native).value();

    EXPECT_EQ(endpoint.protocol(), pair.protocol) << pair.uri;
    EXPECT_EQ(native_endpoint.protocol(), native) << pair.native;
    EXPECT_NE(endpoint, native_endpoint) << pair.uri;
    EXPECT_EQ(endpoint.with_protocol(native), native_endpoint) << pair.uri;
    EXPECT_EQ(native_endpoint.with_protocol(pair.protocol), endpoint) << pair.uri;
    EXPECT_EQ(endpoint.to_string(), pair.uri);
    EXPECT_EQ(native_endpoint.to_string(), pair.native);
  }
}

TEST(Endpoint, OfHttpHasTheUsualPortUnlessItNamesOne) {
  const auto text_of = [](std::string_view uri) { return Endpoint::parse(uri).value().to_string(); };

  EXPECT_EQ(text_of("http://host"), "http://host:80");
  EXPECT_EQ(text_of("https://[::1]"), "https://[::1]:443");
  EXPECT_EQ(text_of("https://host/"), "https://host:443");
  EXPECT_EQ(text_of("http://host:8080/"), "http://host:8080");
}

TEST(Endpoint, RejectsEveryBadUriWithItsReason) {
  for (const BadUri& bad : bad_uris) {
    const Result<Endpoint> parsed = Endpoint::parse(bad.uri);

    ASSERT_FALSE(parsed.is_ok()) << bad.uri;
    const Status status = parsed.status();
    EXPECT_EQ(status.code(), StatusCode::invalid_argument) << bad.uri;
    EXPECT_THAT(status.message(), StartsWith("parse endpoint \""));
    EXPECT_THAT(status.message(), EndsWith("\": " + bad.problem));
  }
}

TEST(EndpointError, NamesTheText) {
  EXPECT_EQ(Endpoint::parse("tcp://host").status().message(), "parse endpoint \"tcp://host\": port is missing");
}

TEST(EndpointError, ShowsBoundedPrintableText) {
  const std::string message(Endpoint::parse("tcp://" + std::string(10000, '\n') + ":80").status().message());

  EXPECT_LT(message.size(), 300u);
  EXPECT_THAT(message, Not(HasSubstr("\n")));
  EXPECT_THAT(message, HasSubstr("...\": host has"));
}

TEST(EndpointError, DoesNotShowAPassword) {
  EXPECT_EQ(Endpoint::parse("tcp://user:secret@host:80").status().message(),
            "parse endpoint \"tcp://...@host:80\": a user is not allowed");
  EXPECT_THAT(Endpoint::parse("http://user:secret@host").status().message(), Not(HasSubstr("secret")));
  EXPECT_THAT(Endpoint::parse("secret@host").status().message(), Not(HasSubstr("secret")));
  EXPECT_THAT(Endpoint::parse("tcp:user:secret@host:80").status().message(), Not(HasSubstr("secret")));
}

TEST(Endpoint, WithPortChangesOnlyThePort) {
  const Endpoint tcp = Endpoint::parse("tcp://[::1]:0").value();
  const Endpoint path = Endpoint::parse("unix:///socket").value();
  const Endpoint inproc = Endpoint::parse("inproc://name").value();

  EXPECT_EQ(tcp.with_port(8080).to_string(), "tcp://[::1]:8080");
  EXPECT_EQ(path.with_port(8080), path);
  EXPECT_EQ(inproc.with_port(8080), inproc);
}

TEST(Endpoint, ComparesAllParts) {
  const auto parse = [](std::string_view uri) { return Endpoint::parse(uri).value(); };

  EXPECT_EQ(parse("tcp://host:80"), parse("tcp://host:80"));
  EXPECT_NE(parse("tcp://host:80"), parse("tls://host:80"));
  EXPECT_NE(parse("tcp://host:80"), parse("tcp://host:81"));
  EXPECT_NE(parse("tcp://host:80"), parse("tcp://other:80"));
  EXPECT_NE(parse("unix:@/name"), parse("unix:///name"));
  EXPECT_NE(parse("inproc:///name"), parse("unix:///name"));
}

TEST(Scheme, HasNames) {
  EXPECT_EQ(to_string(Scheme::tcp), "tcp");
  EXPECT_EQ(to_string(Scheme::tls), "tls");
  EXPECT_EQ(to_string(Scheme::unix_socket), "unix");
  EXPECT_EQ(to_string(Scheme::inproc), "inproc");
  EXPECT_EQ(to_string(static_cast<Scheme>(4)), "unknown");
}

}  // namespace
}  // namespace trunkline
