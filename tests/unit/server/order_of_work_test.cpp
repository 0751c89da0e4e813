// SPDX-License-Identifier: MIT
// The order on a call: method, admission, interceptors, decompression, decoding, handler.
#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"

#include <trunkline/detail/stream_handler.h>
#include <trunkline/interceptor.h>

#include <algorithm>
#include <functional>

namespace trunkline::server {

namespace {

/// Stores its input, and counts how often it is asked to decompress.
class CountingCompressor final : public Compressor {
 public:
  std::string_view name() const noexcept override { return "counting"; }
  Status compress(ByteSpan input, BufferWriter& out) const override {
    out.append(input.first(std::max<std::size_t>(1, input.size() / 1000)));
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

TEST_F(OrderOfWork, RefusesAnUnknownMethodWhateverItsRequestDecompressesTo) {
  ServerOptions options;
  options.limits.max_decompression_ratio = 100;
  make_counting_server(options);
  handle_echo();
  const std::string bomb(200'000, 'x');
  TestClient& client = connect_compressing();

  EXPECT_EQ(call(client, "Nowhere", bomb).status.code(), StatusCode::unimplemented);
  EXPECT_EQ(call(client, "Echo", bomb).status.code(), StatusCode::resource_exhausted);
  EXPECT_EQ(compressor_->runs, 0);
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

/// Notes which calls begin and end, and refuses those without a token.
class Guard final : public Interceptor {
 public:
  Status on_start(CallInfo& call) override {
    events.push_back("start " + std::string(call.method));
    if (also) also();
    return call.metadata->get("token") ? Status() : Status(StatusCode::unauthenticated, "no token");
  }
  void on_finish(CallInfo& call, Status& status) override {
    events.push_back("finish " + std::string(call.method) + " " + std::to_string(static_cast<int>(status.code())));
  }
  std::vector<std::string> events;
  std::function<void()> also;
};

class LongMessages : public OrderOfWork {
 protected:
  static constexpr std::size_t size = 3 << 20;

  LongMessages() {
    ServerOptions options;
    options.interceptors = {guard_};
    make_server(options);
    handle_echo();
    handle_gated(gate_);
    gate_.open();
    const auto stream = [](ServerStream<Slice, Slice>& served, ServerContext&) -> asio::awaitable<Status> {
      static_cast<void>(co_await served.async_read(asio::use_awaitable));
      co_return Status();
    };
    server().methods().add("Stream", std::make_unique<detail::StreamHandler<Slice, Slice, decltype(stream)>>(stream),
                           {});
  }
  session::CallId begin(TestClient& client, std::string_view method, bool with_token) {
    Metadata metadata;
    if (with_token) metadata.add("token", "yes");
    session::CallStart start;
    start.metadata = &metadata;
    return client.call(method, std::string(size, 'x'), "bytes", start);
  }
  Status status_of(TestClient& client, std::string_view method, bool with_token) {
    const session::CallId id = begin(client, method, with_token);
    settle();
    return client.response(id).status;
  }

  const std::shared_ptr<Guard> guard_ = std::make_shared<Guard>();
  Gate gate_{loop_};
};

TEST_F(LongMessages, OfCallersWhomAnInterceptorRefusesAreNotReceived) {
  TestClient& client = connect();
  TestClient& ordered = connect(true);

  for (const std::string_view method : {"Echo", "Wait", "Stream"}) {
    guard_->events.clear();
    EXPECT_EQ(status_of(client, method, false).code(), StatusCode::unauthenticated) << method;
    EXPECT_EQ(status_of(ordered, method, false).code(), StatusCode::unauthenticated) << method;
    const std::string name(method);
    EXPECT_EQ(guard_->events, (std::vector<std::string>{"start " + name, "finish " + name + " 16", "start " + name,
                                                        "finish " + name + " 16"}));
  }
}

TEST_F(LongMessages, PassTheInterceptorsOnceBeforeTheyAreWhole) {
  TestClient& client = connect();
  TestClient& ordered = connect(true);

  for (const std::string_view method : {"Echo", "Wait", "Stream"}) {
    for (TestClient* const each : {&client, &ordered}) {
      guard_->events.clear();
      EXPECT_TRUE(status_of(*each, method, true).is_ok()) << method;
      const std::string name(method);
      EXPECT_EQ(guard_->events, (std::vector<std::string>{"start " + name, "finish " + name + " 0"}));
    }
  }
}

TEST_F(LongMessages, OfCallsThatEndBeforeTheyAreWholeAreReportedToTheInterceptors) {
  TestClient& client = connect();
  session::CallId id = 0;
  guard_->also = [&] { client.cancel(id); };

  id = begin(client, "Echo", true);
  settle();

  EXPECT_EQ(guard_->events, (std::vector<std::string>{"start Echo", "finish Echo 1"}));
  EXPECT_EQ(server().totals().calls_started, 0u);
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
