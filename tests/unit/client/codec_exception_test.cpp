// SPDX-License-Identifier: MIT
// Codecs of the application that throw: every operation still ends with a status, and the channel goes on.
#include "unit/client/client_fixture.h"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/use_awaitable.hpp>

#include <stdexcept>

namespace trunkline::client {

namespace {

struct Point {
  static constexpr std::string_view trunkline_codec = "bytes";
  std::string text;
};
using PointStream = ClientStream<Point, Point>;

enum class Throws : std::uint8_t { in_encode, in_decode, a_number_in_decode };

class ThrowingCodec final : public Codec {
 public:
  explicit ThrowingCodec(const Throws& what) : what_(what) {}
  std::string_view name() const noexcept override { return "bytes"; }
  bool supports(const MessageType&) const noexcept override { return true; }
  Status encode(MessageView, BufferWriter& out) const override {
    out.append(std::string_view("begun"));
    if (what_ == Throws::in_encode) throw std::runtime_error("cannot write");
    return {};
  }
  Status decode(const Slice&, MutableMessageView) const override {
    if (what_ == Throws::in_decode) throw std::runtime_error("cannot read");
    if (what_ == Throws::a_number_in_decode) throw 1;
    return {};
  }

 private:
  const Throws& what_;
};

class CodecException : public ClientFixture {
 protected:
  CodecException() { options.codecs.add(std::make_shared<ThrowingCodec>(what)); }
  Status call() {
    std::optional<Status> status;
    on_loop([&] {
      channel().async_call<Point>("Echo", Point(), {}, [&](Result<Point> result) { status = result.status(); });
    });
    return status.value_or(Status(StatusCode::unknown, "not done"));
  }
  void expect_thrown(const Status& status, const std::string& text) {
    EXPECT_EQ(status.code(), StatusCode::internal);
    EXPECT_THAT(std::string(status.message()), HasSubstr("message: the codec threw an exception: " + text));
  }
  Throws what = Throws::in_encode;
};

TEST_F(CodecException, EncodingARequestEndsTheCall) {
  const Status first = call();

  what = Throws::in_decode;
  ASSERT_EQ(call().code(), StatusCode::internal);
  what = Throws::in_encode;
  std::optional<Status> sent_at_once;
  on_loop([&] {
    channel().async_call<Point>("Echo", Point(), {.idempotent = true},
                                [&](Result<Point> result) { sent_at_once = result.status(); });
  });

  expect_thrown(first, "cannot write");
  EXPECT_FALSE(first.may_have_run());
  ASSERT_TRUE(sent_at_once);
  expect_thrown(*sent_at_once, "cannot write");
  EXPECT_FALSE(sent_at_once->may_have_run());
}

TEST_F(CodecException, DecodingAResponseEndsTheCallAndTheNextOneIsServed) {
  what = Throws::in_decode;
  const Status error = call();
  what = Throws::a_number_in_decode;
  const Status number = call();

  const auto next = begin("x");

  expect_thrown(error, "cannot read");
  expect_thrown(number, "an unknown exception");
  EXPECT_EQ(next->text(), "re:x");
  EXPECT_EQ(network.servers.size(), 1u);
}

TEST_F(CodecException, DecodingAResponseBeforeTheStatusCancelsTheCall) {
  what = Throws::in_decode;
  network.on_call = [](FakeServer& server, const ServedCall& call) { server.send(call.id, "early"); };

  const Status status = call();

  expect_thrown(status, "cannot read");
  EXPECT_EQ(network.server(0).cancelled.size(), 1u);
}

TEST_F(CodecException, DecodingWakesABlockedCaller) {
  what = Throws::in_decode;
  std::optional<Status> status;

  on_loop([&] { status = channel().call<Point>("Echo", Point()).status(); });

  ASSERT_TRUE(status);
  expect_thrown(*status, "cannot read");
}

TEST_F(CodecException, AConnectionStillClosesAfterItsLastCall) {
  what = Throws::in_decode;
  ASSERT_EQ(call().code(), StatusCode::internal);

  on_loop([&] { EXPECT_TRUE(channel().close(1s).is_ok()); });

  EXPECT_TRUE(network.server(0).closed);
}

TEST_F(CodecException, EncodingAStreamsMessageFailsItsWriteAndEndsTheCall) {
  network.on_call = nullptr;
  std::optional<PointStream> stream;
  std::optional<Status> by_callback;
  std::optional<Status> by_coroutine;
  on_loop([&] { stream.emplace(channel().stream<Point, Point>("Talk")); });

  on_loop([&] { stream->async_write(Point(), [&](Status status) { by_callback = std::move(status); }); });
  on_loop([&] {
    asio::co_spawn(
        event_loop->executor(),
        [&]() -> asio::awaitable<void> {
          const Point point;
          by_coroutine = co_await stream->async_write(point, asio::use_awaitable);
        },
        asio::detached);
  });
  std::optional<Status> blocking;
  on_loop([&] { blocking = stream->write(Point()); });
  what = Throws::in_decode;
  std::optional<Status> after;
  on_loop([&] { after = stream->write(Point()); });

  ASSERT_TRUE(by_callback && by_coroutine && blocking && after);
  expect_thrown(*by_callback, "cannot write");
  expect_thrown(*by_coroutine, "cannot write");
  expect_thrown(*blocking, "cannot write");
  EXPECT_EQ(after->code(), StatusCode::internal) << "the call has ended";
  EXPECT_EQ(network.server(0).messages, 0);
}

TEST_F(CodecException, EncodingAStreamsRequestFailsItsOperations) {
  std::optional<PointStream> stream;

  stream.emplace(channel().server_stream<Point>("Talk", Point()));
  std::optional<Status> status;
  on_loop([&] { stream->async_finish([&](Status finished) { status = std::move(finished); }); });

  ASSERT_TRUE(status);
  expect_thrown(*status, "cannot write");
  EXPECT_TRUE(network.servers.empty());
}

struct ThrowingPort final : detail::StreamPort {
  void begin(detail::StreamOperation&, detail::StreamAction, MessageView) override { throw std::bad_alloc(); }
  void run(detail::StreamOperation&, detail::StreamAction, MessageView) override {}
  detail::OperationCanceller canceller_of(detail::StreamOperation&, detail::StreamAction) override { return {{}, 0}; }
  void cancel_operation(std::uint64_t) override {}
  bool end_offer(std::uint64_t, bool, Slice, const Codec*) noexcept override { return false; }
  void cancel() override {}
  void release() override {}
  const Metadata& leading() const noexcept override { return none; }
  const Metadata& trailing() const noexcept override { return none; }
  Metadata none;
};

TEST(StreamInitiation, AnExceptionReleasesTheHandler) {
  ThrowingPort port;
  auto held = std::make_shared<int>();

  EXPECT_THROW(detail::async_read<std::string>(port, [held](Result<std::optional<std::string>>) {}), std::bad_alloc);
  EXPECT_THROW(detail::async_act(port, detail::StreamAction::finish, {}, [held](Status) {}), std::bad_alloc);

  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace

}  // namespace trunkline::client
