// SPDX-License-Identifier: MIT
// Channels that speak gRPC, gRPC-Web and Connect: their URIs, what cannot be carried, and calls over sockets to an
// ordinary server.
#include "client/connector.h"
#include "interop/counting_compressor.h"
#include "kit/own_uri.h"

#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace trunkline::scenario {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class GrpcChannels : public ::testing::Test {
 protected:
  GrpcChannels() {
    server_.handle<std::string, std::string>("test/Echo", [](const std::string& request, ServerContext& context) {
      if (const auto value = context.metadata().get("key")) context.add_trailing_metadata("key", *value);
      return request;
    });
    server_.handle<std::string, std::string>("test/Fail",
                                             [](const std::string&, ServerContext&) -> Result<std::string> {
                                               Status status(StatusCode::aborted, "100 % caf\xC3\xA9");
                                               status.add_detail("type.example/Detail", "why");
                                               return status;
                                             });
    server_.handle<std::string, std::string>("a name with blanks",
                                             [](const std::string& request, ServerContext&) { return request + "!"; });
  }

  /// Of a channel to an endpoint of the server.
  static std::string uri_of(const Endpoint& endpoint) { return endpoint.with_protocol(WireProtocol::grpc).to_string(); }

  Server server_;
};

TEST_F(GrpcChannels, CallOverSocketsOfEveryKind) {
  const std::vector<Endpoint> endpoints = {server_.listen("tcp://127.0.0.1:0"),
                                           server_.listen(kit::own_uri("unix:@grpc-channels")),
                                           server_.listen("inproc://grpc-channels")};
  ASSERT_TRUE(server_.start().is_ok());
  for (const Endpoint& endpoint : endpoints) {
    Channel channel(uri_of(endpoint));
    ResponseInfo info;
    CallOptions options{.timeout = 20s, .response_info = &info};
    options.metadata.add("key", "value");

    for (const std::size_t size : {0u, 1u, 70000u, 3000000u}) {
      const std::string text(size, 'x');
      const Result<std::string> response = channel.call<std::string>("test/Echo", text, options);
      ASSERT_TRUE(response.is_ok()) << response.status().to_string();
      EXPECT_EQ(*response, text);
    }
    EXPECT_EQ(info.trailing.get("key"), std::optional<std::string_view>("value"));
    const Result<std::string> named =
        channel.call<std::string>("a name with blanks", std::string("x"), {.timeout = 20s});
    EXPECT_EQ(named.is_ok() ? *named : named.status().to_string(), "x!");
  }
}

TEST_F(GrpcChannels, LearnStatusesWithTheirDetails) {
  const Endpoint endpoint = server_.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server_.start().is_ok());
  Channel channel(uri_of(endpoint));

  const Status status = channel.call<std::string>("test/Fail", std::string("x"), {.timeout = 20s}).status();

  EXPECT_EQ(status.code(), StatusCode::aborted);
  EXPECT_EQ(status.message(), "100 % caf\xC3\xA9");
  EXPECT_EQ(status.origin(), StatusOrigin::peer);
  ASSERT_EQ(status.details().size(), 1u);
  EXPECT_EQ(status.details()[0].value, "why");
}

TEST_F(GrpcChannels, RefuseOrderAtOnce) {
  ChannelOptions options;
  options.ordered = true;

  for (const std::string uri : {"grpc://127.0.0.1:1", "grpc-web://127.0.0.1:1", "http://127.0.0.1:1"}) {
    try {
      Channel channel(uri, options);
      FAIL() << "a channel whose order cannot be kept: " << uri;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr("ordered cannot be kept over"));
      EXPECT_THAT(error.what(), HasSubstr("which " + uri + " asks for"));
    }
  }
}

TEST_F(GrpcChannels, RefuseAnAuthorityThatIsNone) {
  ChannelOptions options;
  options.authority = "user@host";

  EXPECT_THROW(Channel("grpc://127.0.0.1:1", options), std::invalid_argument);
}

TEST_F(GrpcChannels, AreNotWhatServersListenOn) {
  try {
    server_.listen("grpc://127.0.0.1:0");
    FAIL() << "a server that listens for one protocol";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("listen on tcp://127.0.0.1:0"));
  }
}

TEST_F(GrpcChannels, NeedAServerThatAgreesToHttp2) {
  EventLoop loop;
  const client::EndpointConnector native(net::Loop::of(loop), Endpoint::parse("tls://host:1").value(), {});
  net::PeerInfo without, other, agreed;
  without.is_encrypted = other.is_encrypted = agreed.is_encrypted = true;
  other.alpn = "trunkline/1";
  agreed.alpn = "h2";

  for (const char* uri : {"grpcs://host:1", "grpc-webs://host:1", "https://host"}) {
    // gRPC knows no other version.
    const HttpVersion version = std::string_view(uri).starts_with("grpcs:") ? HttpVersion::http1 : HttpVersion::http2;
    const client::EndpointConnector secure(net::Loop::of(loop), Endpoint::parse(uri).value(), {}, version);
    EXPECT_FALSE(secure.protocol(agreed).has_one_call);
    EXPECT_TRUE(secure.check(agreed).is_ok());
    EXPECT_THAT(std::string(secure.check(without).message()),
                HasSubstr("has not agreed to HTTP/2: ALPN has chosen nothing"));
    EXPECT_THAT(std::string(secure.check(other).message()), HasSubstr("'trunkline/1' instead of 'h2'"));
  }
  EXPECT_TRUE(native.check(without).is_ok());
}

TEST_F(GrpcChannels, OfOtherProtocolsSpeakTheVersionOfHttpThatAlpnHasChosen) {
  EventLoop loop;
  net::PeerInfo without, other, http1, http2;
  for (net::PeerInfo* const peer : {&without, &other, &http1, &http2}) peer->is_encrypted = true;
  other.alpn = "trunkline/1";
  http1.alpn = "http/1.1";
  http2.alpn = "h2";

  for (const char* uri : {"grpc-webs://host:1", "https://host"}) {
    const Endpoint endpoint = Endpoint::parse(uri).value();
    const client::EndpointConnector either(net::Loop::of(loop), endpoint, {});
    const client::EndpointConnector old(net::Loop::of(loop), endpoint, {}, HttpVersion::http1);

    EXPECT_TRUE(either.check(without).is_ok() && either.check(http1).is_ok() && either.check(http2).is_ok());
    EXPECT_FALSE(either.check(other).is_ok());
    EXPECT_TRUE(either.protocol(without).has_one_call && either.protocol(http1).has_one_call);
    EXPECT_FALSE(either.protocol(http2).has_one_call);
    EXPECT_TRUE(old.check(without).is_ok() && old.check(http1).is_ok());
    EXPECT_THAT(std::string(old.check(http2).message()), HasSubstr("not agreed to HTTP/1.1: ALPN has chosen 'h2'"));
    EXPECT_TRUE(old.protocol(http1).has_one_call);
  }
}

TEST_F(GrpcChannels, OfOtherProtocolsLearnOnceThatAServerSpeaksHttp1) {
  EventLoop loop;
  const net::PeerInfo plain;
  const auto connector_of = [&](const char* uri, HttpVersion version) {
    return client::EndpointConnector(net::Loop::of(loop), Endpoint::parse(uri).value(), {}, version);
  };
  client::EndpointConnector connect = connector_of("http://host", HttpVersion::automatic);
  EXPECT_FALSE(connect.protocol(plain).has_one_call);

  EXPECT_TRUE(connect.learn_http1());
  EXPECT_TRUE(connect.protocol(plain).has_one_call);
  EXPECT_FALSE(connect.learn_http1());
  EXPECT_FALSE(connector_of("http://host", HttpVersion::http2).learn_http1());
  EXPECT_FALSE(connector_of("grpc://host:1", HttpVersion::automatic).learn_http1());
}

TEST_F(GrpcChannels, GetResponsesCompressedAsTheCallAlsoIfItBeginsWithoutAMessage) {
  server_.handle_stream<std::string, std::string>(
      "test/Repeat",
      [](ServerStream<std::string, std::string>& stream, ServerContext&) -> Status {
        auto request = stream.read();
        if (!request || !request->has_value()) return request.status();
        return stream.write(**request);
      },
      {.blocking = true});
  const Endpoint endpoint = server_.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server_.start().is_ok());
  const auto snappy = interop::CountingCompressor::of_snappy();
  ChannelOptions options;
  options.compressors.add(snappy);
  Channel channel(uri_of(endpoint), options);
  const std::string text(100'000, 'x');

  auto stream = channel.stream<std::string, std::string>("test/Repeat", {.timeout = 20s, .compressor = "snappy"});
  ASSERT_TRUE(stream.write(text).is_ok());
  const auto response = stream.read();

  ASSERT_TRUE(response.is_ok() && response->has_value()) << response.status().to_string();
  EXPECT_EQ(**response, text);
  EXPECT_EQ(snappy->compressed, 1);
  EXPECT_EQ(snappy->decompressed, 1);
}

TEST_F(GrpcChannels, StandBesideNativeOnesOnAnEndpoint) {
  const Endpoint endpoint = server_.listen("inproc://grpc-and-native");
  ASSERT_TRUE(server_.start().is_ok());
  Channel native(endpoint.to_string());
  Channel grpc(uri_of(endpoint));

  EXPECT_TRUE(native.call<std::string>("test/Echo", std::string("x"), {.timeout = 20s}).is_ok());
  EXPECT_TRUE(grpc.call<std::string>("test/Echo", std::string("x"), {.timeout = 20s}).is_ok());
}

}  // namespace
}  // namespace trunkline::scenario
