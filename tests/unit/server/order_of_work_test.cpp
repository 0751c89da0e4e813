// SPDX-License-Identifier: MIT
// The order on a call: method, admission, interceptors, decompression, decoding, handler.
#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"

#include <trunkline/detail/stream_handler.h>
#include <trunkline/interceptor.h>

#include <algorithm>

namespace trunkline::server {

namespace {

/// Stores its input, and counts how often it is asked to decompress.
class CountingCompressor final : public Compressor {
 public:
  std::string_view name() const noexcept override { return "counting"; }
  Status compress(ByteSpan input, BufferWriter& out) const override {
    out.append(input.first(1));
    return {};
  }
  Status decompress(ByteSpan input, MutableByteSpan out) const override {
    ++runs;
    std::fill(out.begin(), out.end(), input.front());
    return error;
  }
  mutable int runs = 0;
  Status error;
};

/// Lets nobody in.
class Doorkeeper final : public Interceptor {
 public:
  Status on_start(CallInfo&) override { return {StatusCode::unauthenticated, "who are you"}; }
};

class OrderOfWork : public ServerFixture {
 protected:
  ServerCore& make_counting_server(ServerOptions options = {}) {
    options.compressors.add(compressor_);
    return make_server(std::move(options));
  }
  /// A client that compresses its requests.
  TestClient& connect_compressing(bool ordered = false) {
    auto [near, far] = make_link();
    clients_.push_back(std::make_unique<TestClient>(ordered));
    TestClient& client = *clients_.back();
    client.add_compressor(compressor_);
    client.compress_with("counting");
    client.start(std::move(near));
    server().accept_transport(std::move(far));
    settle();
    return client;
  }
  void handle_gated(Gate& gate, MethodOptions options = {}) {
    handle<Slice, Slice>(
        "Wait",
        [&gate](const Slice& request, ServerContext&) -> asio::awaitable<Slice> {
          co_await gate.pass();
          co_return request;
        },
        options);
  }

  const std::shared_ptr<CountingCompressor> compressor_ = std::make_shared<CountingCompressor>();
  const std::string text_ = std::string(2000, 'x');
};

TEST_F(OrderOfWork, DecompressesARequestOnce) {
  make_counting_server();
  handle_echo();
  Gate gate(loop_);
  gate.open();
  handle_gated(gate);
  TestClient& client = connect_compressing();

  EXPECT_EQ(call(client, "Echo", text_).payload, text_);
  EXPECT_EQ(call(client, "Wait", text_).payload, text_);
  // Once for each request, and on the client once for each response.
  EXPECT_EQ(compressor_->runs, 4);
}

TEST_F(OrderOfWork, DecompressesNothingForAMethodThatDoesNotExist) {
  make_counting_server();

  const ReceivedResponse received = call(connect_compressing(), "Nowhere", text_);

  EXPECT_EQ(received.status.code(), StatusCode::unimplemented);
  EXPECT_EQ(compressor_->runs, 0);
  EXPECT_EQ(server().totals().calls_refused, 1u);
}

TEST_F(OrderOfWork, DecompressesNothingForACallThatIsNotAdmitted) {
  make_counting_server();
  Gate gate(loop_);
  handle_gated(gate, {.max_concurrent_calls = 1});
  TestClient& client = connect_compressing();
  client.call("Wait", text_);
  settle();

  const ReceivedResponse refused = call(client, "Wait", text_);

  EXPECT_EQ(refused.status.code(), StatusCode::resource_exhausted);
  EXPECT_EQ(compressor_->runs, 1);
}

TEST_F(OrderOfWork, DecompressesNothingForACallerWhomAnInterceptorRefuses) {
  ServerOptions options;
  options.interceptors = {std::make_shared<Doorkeeper>()};
  make_counting_server(options);
  handle_echo();
  Gate gate(loop_);
  handle_gated(gate);
  const auto stream = [](ServerStream<Slice, Slice>&, ServerContext&) -> asio::awaitable<Status> {
    co_return Status();
  };
  server().methods().add("Stream", std::make_unique<detail::StreamHandler<Slice, Slice, decltype(stream)>>(stream), {});
  TestClient& client = connect_compressing();
  TestClient& ordered = connect_compressing(true);

  for (const std::string_view method : {"Echo", "Wait", "Stream"}) {
    EXPECT_EQ(call(client, method, text_).status.code(), StatusCode::unauthenticated) << method;
    EXPECT_EQ(call(ordered, method, text_).status.code(), StatusCode::unauthenticated) << method;
  }
  EXPECT_EQ(compressor_->runs, 0);
}

TEST_F(OrderOfWork, RefusesALongMessageOfAnUnknownMethodBeforeItIsWhole) {
  TestClient& client = connect();
  constexpr std::size_t size = 8 << 20;

  const session::CallId id = client.call("Nowhere", std::string(size, 'x'));
  settle();

  EXPECT_EQ(client.response(id).status.code(), StatusCode::unimplemented);
  EXPECT_EQ(server().totals().calls_refused, 1u);
}

TEST_F(OrderOfWork, AnswersWithTheErrorOfTheDecompressor) {
  make_counting_server();
  handle_echo();
  Gate gate(loop_);
  handle_gated(gate);
  TestClient& client = connect_compressing();
  compressor_->error = Status(StatusCode::invalid_argument, "nonsense");

  for (const std::string_view method : {"Echo", "Wait"}) {
    const ReceivedResponse received = call(client, method, text_);
    EXPECT_EQ(received.status.code(), StatusCode::internal);
    EXPECT_EQ(received.status.message(), "decompress message: counting: nonsense");
    EXPECT_FALSE(received.status.may_have_run());
  }
}

}  // namespace

}  // namespace trunkline::server
