// SPDX-License-Identifier: MIT
// Streams that certainly have not run: they are opened again on another connection, with what was written.
#include "unit/client/client_fixture.h"

#include <optional>
#include <string>
#include <vector>

namespace trunkline::client {

namespace {

using Text = std::string;
using Texts = std::vector<Text>;

/// The first server goes away when it gets its second call: what is opened behind that one is beyond its last call.
class ResentStream : public ClientFixture {
 protected:
  void connect() {
    EXPECT_EQ(begin("connect")->text(), "re:connect");
    network.server(0).on_call = [](FakeServer& server, const ServedCall& call) {
      echo(server, call);
      server.drain();
    };
    network.on_call = [this](FakeServer& server, const ServedCall& call) {
      if (call.method == "Echo") return echo(server, call);
      opened = call;
      if (!call.payload.empty()) taken.push_back(call.payload);
      ended = call.end;
      server.on_message = [this](FakeServer&, session::Event& event) {
        if (event.has_message) taken.emplace_back(as_text(event.payload));
        if (event.end) ended = true;
      };
    };
  }
  /// Runs `work` in the turn in which the first server learns that it is to go away.
  void behind_the_last_call(const std::function<void()>& work) {
    on_loop([&] {
      channel().async_call<Text>("Echo", Text("last"), [](const Result<Text>&) {});
      work();
    });
  }
  template <class Stream>
  void write(Stream& stream, const Text& text) {
    stream.async_write(text, [this](const Status& status) { note(status); });
  }
  template <class Stream>
  void finish(Stream& stream) {
    stream.async_finish([this](const Status& status) {
      finished = status;
      is_finished = true;
    });
  }
  void note(const Status& status) { statuses.push_back(status.is_ok() ? "ok" : status.to_string()); }
  FakeServer& second() { return network.server(1); }

  /// The stream as the second server sees it.
  std::optional<ServedCall> opened;
  Texts taken;
  bool ended = false;
  Texts statuses;
  Status finished;
  bool is_finished = false;
};

TEST_F(ResentStream, OfBothSidesGoesOnOnTheNextConnection) {
  options.max_retained_request_bytes = 4096;
  connect();
  std::optional<ClientStream<Text, Text>> stream;
  Text read;

  behind_the_last_call([&] {
    stream.emplace(channel().stream<Text, Text>("Talk", {.metadata = {{"who", "me"}}}));
    write(*stream, "one");
    stream->async_read([&](Result<std::optional<Text>> result) { read = result->value(); });
  });
  on_loop([&] { write(*stream, "two"); });
  on_loop([&] { second().send(opened->id, "hello"); });
  on_loop([&] { second().respond(opened->id, "bye"); });
  on_loop([&] { finish(*stream); });

  EXPECT_EQ(network.servers.size(), 2u);
  EXPECT_EQ(opened->metadata.get("who"), "me");
  EXPECT_EQ(taken, (Texts{"one", "two"}));
  EXPECT_EQ(statuses, (Texts{"ok", "ok"}));
  EXPECT_EQ(read, "hello");
  EXPECT_TRUE(is_finished && finished.is_ok()) << finished.to_string();
}

TEST_F(ResentStream, OfRequestsIsClosedThereToo) {
  options.max_retained_request_bytes = 4096;
  connect();
  std::optional<ClientStream<Text, Text>> stream;

  behind_the_last_call([&] {
    stream.emplace(channel().stream<Text, Text>("Upload"));
    write(*stream, "one");
    write(*stream, "two");
    stream->async_close_writes([this](const Status& status) { note(status); });
    finish(*stream);
  });
  on_loop([&] { second().respond(opened->id, "bye"); });

  EXPECT_EQ(taken, (Texts{"one", "two"}));
  EXPECT_TRUE(ended);
  EXPECT_EQ(statuses, (Texts{"ok", "ok", "ok"}));
  EXPECT_TRUE(is_finished && finished.is_ok()) << finished.to_string();
}

TEST_F(ResentStream, OfResponsesIsOpenedWithItsRequest) {
  connect();
  std::optional<ClientStream<Text, Text>> stream;
  Text read;

  behind_the_last_call([&] {
    stream.emplace(channel().server_stream<Text>("Watch", Text("request")));
    stream->async_read([&](Result<std::optional<Text>> result) { read = result->value(); });
  });
  on_loop([&] { second().send(opened->id, "first"); });

  EXPECT_EQ(taken, (Texts{"request"}));
  EXPECT_TRUE(ended);
  EXPECT_EQ(read, "first");
}

TEST_F(ResentStream, OfMoreThanIsHeldFails) {
  options.max_retained_request_bytes = 1024;
  connect();
  std::optional<ClientStream<Text, Text>> stream;

  behind_the_last_call([&] {
    stream.emplace(channel().stream<Text, Text>("Upload"));
    write(*stream, Text(1025, 'x'));
    finish(*stream);
  });
  advance(1s);

  EXPECT_FALSE(opened.has_value());
  EXPECT_EQ(finished.code(), StatusCode::unavailable);
  EXPECT_FALSE(finished.may_have_run());
}

TEST_F(ResentStream, OfAnOrderedChannelFails) {
  options.ordered = true;
  connect();
  std::optional<ClientStream<Text, Text>> stream;

  behind_the_last_call([&] {
    stream.emplace(channel().stream<Text, Text>("Upload"));
    finish(*stream);
  });
  advance(1s);

  EXPECT_FALSE(opened.has_value());
  EXPECT_EQ(finished.code(), StatusCode::unavailable);
}

TEST_F(ResentStream, ThatMayHaveRunFails) {
  connect();
  network.server(0).on_call = nullptr;
  std::optional<ClientStream<Text, Text>> stream;
  on_loop([&] {
    stream.emplace(channel().stream<Text, Text>("Upload"));
    finish(*stream);
  });

  on_loop([&] { network.server(0).cut(); });
  advance(1s);

  EXPECT_FALSE(opened.has_value());
  EXPECT_EQ(finished.code(), StatusCode::unavailable);
  EXPECT_TRUE(finished.may_have_run());
}

TEST_F(ResentStream, IsCancelledWhileItWaitsForTheNextConnection) {
  connect();
  network.is_slow = true;
  std::optional<ClientStream<Text, Text>> stream;
  behind_the_last_call([&] {
    stream.emplace(channel().stream<Text, Text>("Upload"));
    finish(*stream);
  });
  EXPECT_FALSE(is_finished);

  on_loop([&] { stream->cancel(); });
  on_loop([&] { network.make_connections(); });

  EXPECT_FALSE(opened.has_value());
  EXPECT_EQ(finished.code(), StatusCode::cancelled);
  EXPECT_FALSE(finished.may_have_run());
}

TEST_F(ResentStream, EndsAtItsDeadlineWhileItWaits) {
  connect();
  network.is_slow = true;
  std::optional<ClientStream<Text, Text>> stream;
  behind_the_last_call([&] {
    stream.emplace(channel().stream<Text, Text>("Upload", {.timeout = 3s}));
    finish(*stream);
  });

  advance(4s);

  EXPECT_EQ(finished.code(), StatusCode::deadline_exceeded);
}

}  // namespace

}  // namespace trunkline::client
