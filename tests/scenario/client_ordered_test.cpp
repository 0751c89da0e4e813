// SPDX-License-Identifier: MIT
// Ordered channels: calls run and finish one after the other, and refusals and errors wait for their turn.
#include "scenario/both_ends.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trunkline::scenario {

namespace {

class ClientOrdered : public BothEnds {
 protected:
  ClientOrdered() { channel_options.ordered = true; }
  /// A call waits at the gate named by its first letter. Records which calls ran and which finished.
  void handle_all(Gate& gate) {
    handle_echo();
    server().handle<std::string, std::string>(
        "Wait", [this, &gate](const std::string& request, ServerContext&) -> asio::awaitable<std::string> {
          ran.push_back(request);
          co_await gate.pass();
          co_return request;
        });
    server().handle<std::string, std::string>("Plain", [this](const std::string& request, ServerContext&) {
      ran.push_back(request);
      return request;
    });
    server().handle<std::string, std::string>(
        "Fail", [this](const std::string& request, ServerContext&) -> Result<std::string> {
          ran.push_back(request);
          return Status(StatusCode::aborted, request);
        });
    server().handle<std::string, std::string>("Throw",
                                              [this](const std::string& request, ServerContext&) -> std::string {
                                                ran.push_back(request);
                                                throw std::runtime_error(request);
                                              });
  }
  void call(const std::string& method, const std::string& request, const CallOptions& options = {}) {
    on_loop([&] {
      channel().async_call<std::string>(method, request, options, [this, request](const Result<std::string>& result) {
        finished.push_back(request + " " + std::string(to_string(result.status().code())));
      });
    });
  }

  std::vector<std::string> ran;
  std::vector<std::string> finished;
};

TEST_F(ClientOrdered, HoldsEachCallUntilTheOneBeforeHasFinished) {
  Gate gate(loop());
  handle_all(gate);

  call("Wait", "a");
  call("Plain", "b");
  call("Plain", "c");
  const auto ran_early = ran;
  const auto finished_early = finished;
  gate.open();
  settle();

  EXPECT_THAT(ran_early, ElementsAre("a"));
  EXPECT_THAT(finished_early, ElementsAre());
  EXPECT_THAT(ran, ElementsAre("a", "b", "c"));
  EXPECT_THAT(finished, ElementsAre("a ok", "b ok", "c ok"));
}

TEST_F(ClientOrdered, FinishesErrorsExceptionsAndRefusalsInTheirTurn) {
  Gate gate(loop());
  handle_all(gate);

  call("Wait", "a");
  call("Fail", "b");
  call("Nothing", "c");
  call("Throw", "d");
  call("Plain", "e");
  const auto finished_early = finished;
  gate.open();
  settle();

  EXPECT_THAT(finished_early, ElementsAre());
  EXPECT_THAT(finished, ElementsAre("a ok", "b aborted", "c unimplemented", "d internal", "e ok"));
  EXPECT_THAT(ran, ElementsAre("a", "b", "d", "e"));
}

TEST_F(ClientOrdered, ACallWhoseDeadlinePassesBeforeItsTurnNeverRuns) {
  Gate gate(loop());
  handle_all(gate);

  call("Wait", "a");
  call("Plain", "b", {.timeout = 1s});
  call("Plain", "c", {.timeout = 1h});
  advance(1s);
  const auto finished_early = finished;
  gate.open();
  settle();

  EXPECT_THAT(finished_early, ElementsAre("b deadline_exceeded"));
  EXPECT_THAT(ran, ElementsAre("a", "c"));
  EXPECT_THAT(finished, ElementsAre("b deadline_exceeded", "a ok", "c ok"));
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(ClientOrdered, TheDeadlineOfTheCallThatRunsLetsTheNextOneRun) {
  Gate gate(loop());
  handle_all(gate);

  call("Wait", "a", {.timeout = 1s});
  call("Plain", "b");
  const auto finished_early = finished;
  advance(1s);

  EXPECT_THAT(finished_early, ElementsAre());
  EXPECT_THAT(finished, ElementsAre("a deadline_exceeded", "b ok"));
  EXPECT_EQ(gate.waiting(), 0);
}

TEST_F(ClientOrdered, AStreamHoldsTheCallsBehindItUntilItEnds) {
  handle_echo();
  server().handle_stream<std::string, std::string>(
      "Talk", [](ServerStream<std::string, std::string>& stream, ServerContext&) -> asio::awaitable<Status> {
        const auto message = co_await stream.async_read(asio::use_awaitable);
        if (!message.is_ok() || !message.value().has_value()) co_return message.status();
        const Status written = co_await stream.async_write(*message.value(), asio::use_awaitable);
        if (!written.is_ok()) co_return written;
        co_return (co_await stream.async_read(asio::use_awaitable)).status();
      });
  auto first = channel().stream<std::string, std::string>("Talk");
  std::optional<ClientStream<std::string, std::string>> second;
  settle();
  second.emplace(channel().stream<std::string, std::string>("Talk"));
  const auto last = begin("Echo", "last");
  std::string said;

  first.async_read(
      [&](const Result<std::optional<std::string>>& read) { said = read.value_or(std::nullopt).value_or("nothing"); });
  first.async_write("first", [](const Status&) {});
  settle();
  const int while_first_is_open = last->count;
  first.async_close_writes([](const Status&) {});
  settle();
  const int while_second_is_open = last->count;
  second.reset();
  settle();

  EXPECT_EQ(said, "first");
  EXPECT_EQ(while_first_is_open, 0);
  EXPECT_EQ(while_second_is_open, 0);
  EXPECT_EQ(last->text(), "last");
}

TEST_F(ClientOrdered, AShortResponseDoesNotPassALongOne) {
  const std::string longest(3000000, 'x');
  server().handle<std::string, std::string>("Long", [&](const std::string&, ServerContext&) { return longest; });
  handle_echo();
  std::vector<std::size_t> sizes;
  const auto keep = [&](const Result<std::string>& result) { sizes.push_back(result.value_or("failed").size()); };

  on_loop([&] {
    channel().async_call<std::string>("Long", std::string("l"), {}, keep);
    channel().async_call<std::string>("Echo", std::string("e"), {}, keep);
  });

  EXPECT_THAT(sizes, ElementsAre(longest.size(), 1u));
}

TEST_F(ClientOrdered, OnAnUnorderedChannelAShortResponsePassesALongOne) {
  channel_options.ordered = false;
  const std::string longest(3000000, 'x');
  server().handle<std::string, std::string>("Long", [&](const std::string&, ServerContext&) { return longest; });
  handle_echo();
  std::vector<std::size_t> sizes;
  const auto keep = [&](const Result<std::string>& result) { sizes.push_back(result.value_or("failed").size()); };

  on_loop([&] {
    channel().async_call<std::string>("Long", std::string("l"), {}, keep);
    channel().async_call<std::string>("Echo", std::string("e"), {}, keep);
  });

  EXPECT_THAT(sizes, ElementsAre(1u, longest.size()));
}

TEST_F(ClientOrdered, FinishesAThousandCallsOfMixedKindsInOrder) {
  Gate gate(loop());
  handle_all(gate);
  std::vector<std::string> expected;

  on_loop([&] {
    for (int i = 0; i < 1000; ++i) {
      const char* const methods[] = {"Wait", "Plain", "Fail", "Nothing"};
      const char* const ends[] = {" ok", " ok", " aborted", " unimplemented"};
      const std::string request = std::to_string(i);
      expected.push_back(request + ends[i % 4]);
      channel().async_call<std::string>(
          methods[i % 4], request, {}, [this, request](const Result<std::string>& result) {
            finished.push_back(request + " " + std::string(to_string(result.status().code())));
          });
    }
  });
  const std::size_t early = finished.size();
  gate.open();
  settle();

  EXPECT_EQ(early, 0u);
  EXPECT_EQ(finished, expected);
  EXPECT_EQ(server().totals().open_calls, 0u);
}

}  // namespace

}  // namespace trunkline::scenario
