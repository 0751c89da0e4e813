// SPDX-License-Identifier: MIT
// The compressor of responses.
#include "unit/server/server_fixture.h"

#include <trunkline/detail/stream_handler.h>

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

/// The head of a stream says nothing about compression, so its first message does, whenever that comes.
TEST_F(ResponseCompression, FollowsTheFirstMessageOfAStream) {
  const auto join = [](ServerReader<Slice>& reader, Slice& response, ServerContext&) -> asio::awaitable<Status> {
    while (true) {
      Result<std::optional<Slice>> message = co_await reader.async_read(asio::use_awaitable);
      if (!message.is_ok()) co_return message.status();
      if (!message->has_value()) co_return Status();
      response = **message;
    }
  };
  make_server_with("");
  server().methods().add("Join", std::make_unique<detail::ClientStreamHandler<Slice, Slice, decltype(join)>>(join), {});
  TestClient& client = connect();
  const session::CallStart open{.method = {}, .end = false};
  const auto join_after = [&](std::string_view first, std::string_view second) {
    const session::CallId id = client.call("Join", "", "", open);
    settle();
    client.compress_with(first);
    client.send(id, text_, false);
    settle();
    client.compress_with(second);
    client.send(id, text_, true);
    settle();
    return client.compressor_of_messages(id);
  };

  EXPECT_EQ(join_after("snappy", "identity"), "snappy");
  EXPECT_EQ(join_after("identity", "snappy"), "");
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
