// SPDX-License-Identifier: MIT
// The hello of this side, and what the numbers of the peer stand for.
#include "session/native/negotiation.h"
#include "kit/session_end.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

TEST(Negotiation, PutsTheOptionsIntoTheHello) {
  SessionOptions options = kit::plain_options();
  options.limits.max_frame_bytes = 70000;
  options.limits.max_methods = 300;
  options.max_concurrent_calls = 77;
  options.ordered = true;

  const wire::Hello server = Negotiation(Role::server, options).local_hello();
  const wire::Hello client = Negotiation(Role::client, options).local_hello();

  EXPECT_EQ(server.max_frame_bytes, 70000u);
  EXPECT_EQ(server.max_concurrent_calls, 77u);
  EXPECT_EQ(server.max_methods, 300u);
  EXPECT_FALSE(server.ordered);
  EXPECT_TRUE(client.ordered);
  EXPECT_EQ(client.max_concurrent_calls, 128u);
  EXPECT_EQ(client.codecs, std::vector<std::string>{"bytes"});
  EXPECT_EQ(client.compressors, std::vector<std::string>{"snappy"});
}

TEST(Negotiation, MatchesNamesNotNumbers) {
  const SessionOptions options = kit::plain_options();
  Negotiation negotiation(Role::server, options);
  wire::Hello hello;
  hello.codecs = {"thrift", "bytes"};
  hello.compressors = {"zip"};

  negotiation.apply(hello);

  EXPECT_FALSE(negotiation.is_peer_codec(0));
  EXPECT_TRUE(negotiation.is_peer_codec(2));
  EXPECT_FALSE(negotiation.is_peer_codec(3));
  EXPECT_EQ(negotiation.peer_codec(1), nullptr);
  EXPECT_EQ(negotiation.unknown_codec(1), "thrift");
  EXPECT_EQ(negotiation.unknown_compressor(1), "zip");
  EXPECT_EQ(negotiation.peer_codec(2), &kit::bytes_codec());
  EXPECT_EQ(negotiation.number_of(kit::bytes_codec()), 1);
  EXPECT_TRUE(negotiation.peer_accepts(kit::bytes_codec()));
  EXPECT_FALSE(negotiation.peer_accepts(kit::snappy()));
}

TEST(Negotiation, RetainsNoNamesThatItKnows) {
  const SessionOptions options = kit::plain_options();
  Negotiation negotiation(Role::server, options);
  wire::Hello hello;
  hello.codecs = {"bytes"};
  hello.compressors = {"snappy"};
  hello.features = {"some_feature"};

  negotiation.apply(hello);

  EXPECT_EQ(negotiation.peer_codec(1), &kit::bytes_codec());
  EXPECT_EQ(negotiation.peer_compressor(1), &kit::snappy());
  EXPECT_TRUE(negotiation.peer().codecs.empty());
  EXPECT_TRUE(negotiation.peer().compressors.empty());
  EXPECT_TRUE(negotiation.peer().features.empty());
}

TEST(Negotiation, BeforeHelloAcceptsCodecsOnly) {
  const SessionOptions options = kit::plain_options();
  const Negotiation negotiation(Role::client, options);

  EXPECT_TRUE(negotiation.peer_accepts(kit::bytes_codec()));
  EXPECT_FALSE(negotiation.peer_accepts(kit::snappy()));
  EXPECT_FALSE(negotiation.is_peer_codec(1));
}

}  // namespace
}  // namespace trunkline::session::native
