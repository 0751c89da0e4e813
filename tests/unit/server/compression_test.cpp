// SPDX-License-Identifier: MIT
// The compressor of responses.
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

  const ReceivedResponse plain = call(client, "Echo", text_);
  client.compress_with("snappy");
  const ReceivedResponse compressed = call(client, "Echo", text_);

  EXPECT_EQ(plain.compressor, "");
  EXPECT_EQ(compressed.compressor, "snappy");
  EXPECT_EQ(compressed.payload, text_);
}

TEST_F(ResponseCompression, IsThatOfTheServersOptions) {
  make_server_with("snappy");

  const ReceivedResponse received = call(connect(), "Echo", text_);

  EXPECT_EQ(received.compressor, "snappy");
  EXPECT_EQ(received.payload, text_);
}

TEST_F(ResponseCompression, IsNoneIfTheServersOptionsSaySo) {
  make_server_with("identity");
  TestClient& client = connect();
  client.compress_with("snappy");

  EXPECT_EQ(call(client, "Echo", text_).compressor, "");
}

TEST_F(ResponseCompression, IsThatWhichTheHandlerChooses) {
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

  const ReceivedResponse picked = call(client, "Pick", text_);
  client.compress_with("snappy");
  const ReceivedResponse plain = call(client, "Plain", text_);

  EXPECT_TRUE(known);
  EXPECT_FALSE(unknown);
  EXPECT_EQ(picked.compressor, "snappy");
  EXPECT_EQ(plain.compressor, "");
}

}  // namespace

}  // namespace trunkline::server
