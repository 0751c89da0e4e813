// SPDX-License-Identifier: MIT
// Which compressor responses are sent with.
#include "unit/server/server_fixture.h"

namespace trunkline::server {

namespace {

class ResponseCompression : public ServerFixture {
 protected:
  void make_server_with(std::string compressor) {
    ServerOptions options;
    options.compressor = std::move(compressor);
    make_server(options);
    handle_echo();
  }
  const std::string text_ = std::string(10000, 'x');
};

TEST_F(ResponseCompression, FollowsTheRequest) {
  make_server_with("");
  TestClient& client = connect();

  const Answer plain = call(client, "Echo", text_);
  client.compress_with("snappy");
  const Answer compressed = call(client, "Echo", text_);

  EXPECT_EQ(plain.compressor, "");
  EXPECT_EQ(compressed.compressor, "snappy");
  EXPECT_EQ(compressed.payload, text_);
}

TEST_F(ResponseCompression, IsWhatTheServerSays) {
  make_server_with("snappy");

  const Answer answer = call(connect(), "Echo", text_);

  EXPECT_EQ(answer.compressor, "snappy");
  EXPECT_EQ(answer.payload, text_);
}

TEST_F(ResponseCompression, IsNoneIfTheServerSaysSo) {
  make_server_with("identity");
  TestClient& client = connect();
  client.compress_with("snappy");

  EXPECT_EQ(call(client, "Echo", text_).compressor, "");
}

TEST_F(ResponseCompression, IsWhatTheHandlerSays) {
  bool known = true;
  bool unknown = true;
  handle<Slice, Slice>("Pick", [&](const Slice& request, ServerContext& context) {
    unknown = context.set_compressor("lzw");
    known = context.set_compressor("snappy");
    return request;
  });
  handle<Slice, Slice>("Plain", [](const Slice& request, ServerContext& context) {
    static_cast<void>(context.set_compressor("identity"));
    return request;
  });
  TestClient& client = connect();

  const Answer picked = call(client, "Pick", text_);
  client.compress_with("snappy");
  const Answer plain = call(client, "Plain", text_);

  EXPECT_TRUE(known);
  EXPECT_FALSE(unknown);
  EXPECT_EQ(picked.compressor, "snappy");
  EXPECT_EQ(plain.compressor, "");
}

}  // namespace

}  // namespace trunkline::server
