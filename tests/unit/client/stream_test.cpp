// SPDX-License-Identifier: MIT
// Client streams: reads, writes, ends, misuse, and streams dropped early.
#include "unit/client/client_fixture.h"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/use_awaitable.hpp>

namespace trunkline::client {

namespace {

using Text = std::string;
using Read = Result<std::optional<Text>>;

class Stream : public ClientFixture {
 protected:
  Stream() { network.on_call = nullptr; }
  void open(const CallOptions& call_options = {}) {
    on_loop([&] { stream.emplace(channel().stream<Text, Text>("Talk", call_options)); });
  }
  FakeServer& server() { return network.server(network.servers.size() - 1); }
  session::CallId id() { return server().calls.back().id; }
  std::shared_ptr<Outcome> read() {
    auto outcome = std::make_shared<Outcome>();
    on_loop([&] {
      stream->async_read([outcome](Read result) {
        ++outcome->count;
        if (!result) {
          outcome->result = result.status();
        } else {
          outcome->result = result->has_value() ? **result : "end";
        }
      });
    });
    return outcome;
  }
  std::shared_ptr<Outcome> act(const std::function<void(std::function<void(Status)>)>& begin_it) {
    auto outcome = std::make_shared<Outcome>();
    on_loop([&] {
      begin_it([outcome](Status status) {
        ++outcome->count;
        outcome->result = status.is_ok() ? Result<Text>(Text("ok")) : Result<Text>(std::move(status));
      });
    });
    return outcome;
  }
  std::shared_ptr<Outcome> write(const Text& text) {
    return act([&](auto done) { stream->async_write(text, std::move(done)); });
  }
  std::shared_ptr<Outcome> close_writes() {
    return act([&](auto done) { stream->async_close_writes(std::move(done)); });
  }
  std::shared_ptr<Outcome> finish() {
    return act([&](auto done) { stream->async_finish(std::move(done)); });
  }

  std::optional<ClientStream<Text, Text>> stream;
};

TEST_F(Stream, ReadsWhatCameBeforeAndAfter) {
  open();
  on_loop([&] { server().send(id(), "one"), server().send(id(), "two"); });

  EXPECT_EQ(read()->text(), "one");
  EXPECT_EQ(read()->text(), "two");
  const auto waiting = read();
  EXPECT_FALSE(waiting->is_done());
  on_loop([&] { server().send(id(), "three"); });
  EXPECT_EQ(waiting->text(), "three");
}

TEST_F(Stream, EndsWithTheServersStatus) {
  open();
  const auto finishing = finish();
  const Metadata trailing{{"late", "1"}};
  on_loop([&] { server().refuse(id(), Status(), false, &trailing); });

  EXPECT_EQ(read()->text(), "end");
  EXPECT_EQ(finishing->text(), "ok");
  EXPECT_EQ(finish()->text(), "ok");
  EXPECT_EQ(stream->trailing().get("late"), "1");
}

TEST_F(Stream, AnErrorComesAfterTheMessages) {
  open();
  on_loop([&] {
    server().send(id(), "one");
    server().refuse(id(), {StatusCode::aborted, "enough"}, false);
  });

  EXPECT_EQ(read()->text(), "one");
  EXPECT_EQ(read()->status().code(), StatusCode::aborted);
  EXPECT_EQ(read()->status().code(), StatusCode::aborted);
  EXPECT_EQ(write("x")->status().code(), StatusCode::aborted);
  EXPECT_EQ(finish()->status().message(), "enough");
}

TEST_F(Stream, WritesBeforeTheConnectionWaitForIt) {
  network.is_slow = true;
  open();
  const auto writing = write("early");
  EXPECT_FALSE(writing->is_done());

  on_loop([&] { network.make_connections(); });

  EXPECT_EQ(writing->text(), "ok");
  EXPECT_EQ(server().messages, 1);
}

TEST_F(Stream, ClosingBeforeTheConnectionReachesTheServer) {
  bool ended = false;
  network.is_slow = true;
  open();
  EXPECT_EQ(close_writes()->text(), "ok");
  on_loop([&] {
    network.make_connections();
    server().on_message = [&](FakeServer&, session::Event& event) { ended = ended || event.end; };
  });

  EXPECT_TRUE(ended);
  EXPECT_EQ(write("x")->status().code(), StatusCode::failed_precondition);
}

TEST_F(Stream, LeadingMetadataComesWithTheFirstMessage) {
  open();
  on_loop([&] {
    server().send_leading(id(), {{"early", "1"}});
    server().send(id(), "one");
  });

  EXPECT_EQ(read()->text(), "one");
  EXPECT_EQ(stream->leading().get("early"), "1");
}

TEST_F(Stream, ASecondReadWriteOrFinishAtOnceIsRefused) {
  network.is_slow = true;
  open();
  const auto first_read = read();
  const auto first_write = write("a");
  const auto first_finish = finish();

  EXPECT_EQ(read()->status().message(), "read stream: another read of this stream is under way");
  EXPECT_EQ(write("b")->status().message(), "write stream: another write of this stream is under way");
  EXPECT_EQ(finish()->status().code(), StatusCode::failed_precondition);
  EXPECT_EQ(close_writes()->status().message(), "close writes: a write of this stream is under way");
  EXPECT_FALSE(first_read->is_done() || first_write->is_done() || first_finish->is_done());
}

TEST_F(Stream, DroppingItCancelsTheCall) {
  open();
  const auto reading = read();

  on_loop([&] { stream.reset(); });

  EXPECT_EQ(reading->status().code(), StatusCode::cancelled);
  EXPECT_EQ(server().cancelled.size(), 1u);
}

TEST_F(Stream, DroppingItReturnsTheCreditOfUnreadMessages) {
  options.limits.connection_credit_bytes = 1 << 20;
  const Text large(200 << 10, 'x');
  for (int i = 0; i < 20; ++i) {
    open();
    on_loop([&] {
      for (int j = 0; j < 4; ++j) server().send(id(), large);
    });
    on_loop([&] { stream.reset(); });
  }
  open();
  on_loop([&] { server().send(id(), large); });

  EXPECT_EQ(read()->text(), large);
}

TEST_F(Stream, CancelEndsEverythingOnce) {
  open();
  const auto reading = read();
  const auto finishing = finish();

  on_loop([&] { stream->cancel(), stream->cancel(); });

  EXPECT_EQ(reading->status().message(), "call Talk: cancelled by the caller");
  EXPECT_EQ(finishing->status().code(), StatusCode::cancelled);
  EXPECT_EQ(write("x")->status().code(), StatusCode::cancelled);
  EXPECT_EQ(server().cancelled.size(), 1u);
}

TEST_F(Stream, ALostConnectionEndsIt) {
  open();
  const auto reading = read();

  on_loop([&] { server().cut(); });

  EXPECT_EQ(reading->status().code(), StatusCode::unavailable);
  EXPECT_TRUE(reading->status().may_have_run());
  EXPECT_EQ(network.servers.size(), 1u);
}

TEST_F(Stream, ItsDeadlineEndsIt) {
  open({.timeout = 2s});
  const auto reading = read();

  advance(2100ms);

  EXPECT_EQ(reading->status().message(),
            "call Talk: deadline exceeded after 2000 ms waiting for the response of inproc://fake");
  EXPECT_EQ(server().cancelled.size(), 1u);
}

TEST_F(Stream, FailsWithTheErrorOfConnecting) {
  network.refusals = 1;
  open();

  EXPECT_EQ(read()->status().code(), StatusCode::unavailable);
  EXPECT_THAT(std::string(finish()->status().message()), HasSubstr("call Talk: connect inproc://fake"));
}

TEST_F(Stream, MayOutliveItsChannel) {
  open();
  on_loop([&] { destroy_channel(); });

  Result<std::optional<Text>> last = stream->read();

  EXPECT_EQ(last.status().code(), StatusCode::cancelled);
  EXPECT_EQ(stream->write("x").code(), StatusCode::cancelled);
  EXPECT_EQ(stream->finish().code(), StatusCode::cancelled);
}

TEST_F(Stream, AMessageThatDoesNotParseFailsItsReadOnly) {
  std::optional<ClientStream<Text, Empty>> other;
  open();
  on_loop([&] {
    session::OutgoingMessage message;
    message.codec = network.server(0).codec();
    message.payload = Slice::from_static("not json");
    server().send(id(), "fine");
  });

  EXPECT_EQ(read()->text(), "fine");
}

TEST_F(Stream, WritesWaitForTheServerToRead) {
  open();
  const Text large(64 << 10, 'x');
  server().on_message = [](FakeServer&, session::Event& event) { event.is_retained = true; };
  int written = 0;
  while (written < 200 && write(large)->is_done()) ++written;

  EXPECT_GT(written, 4);
  EXPECT_LT(written, 100);
}

asio::awaitable<int> write_many(ClientStream<Text, Text>& stream, int count) {
  int written = 0;
  for (; written < count; ++written) {
    if (!co_await stream.async_write(std::to_string(written), asio::use_awaitable)) break;
  }
  co_return written;
}

TEST_F(Stream, WhatACoroutineWritesInTurnArrivesWhole) {
  open();
  int expected = 0;
  server().on_message = [&](FakeServer&, session::Event& event) {
    if (as_text(event.payload) == std::to_string(expected)) ++expected;
  };
  std::optional<int> written;

  on_loop([&] {
    asio::co_spawn(loop().context(), write_many(*stream, 10000),
                   [&](std::exception_ptr, int count) { written = count; });
  });

  EXPECT_EQ(written, 10000);
  EXPECT_EQ(expected, 10000);
}

}  // namespace

}  // namespace trunkline::client
