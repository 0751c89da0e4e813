// SPDX-License-Identifier: MIT
// Interceptors of both sides around one call: their order, what they may change, and how they refuse.
#include "scenario/both_ends.h"

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trunkline::scenario {

namespace {

/// Records what it sees, and then does what the test says.
class Recorder final : public Interceptor {
 public:
  Recorder(std::string name, std::vector<std::string>& log) : name_(std::move(name)), log_(log) {}
  Status on_start(CallInfo& call) override {
    log_.push_back(name_ + " start " + std::string(call.method));
    return start ? start(call) : Status();
  }
  void on_finish(CallInfo& call, Status& status) override {
    log_.push_back(name_ + " finish " + std::string(to_string(status.code())));
    if (finish) finish(call, status);
  }

  std::function<Status(CallInfo& call)> start;
  std::function<void(CallInfo& call, Status& status)> finish;

 private:
  const std::string name_;
  std::vector<std::string>& log_;
};

class Interceptors : public BothEnds {
 protected:
  Interceptors() {
    channel_options.interceptors = {client_one, client_two};
    server_options.interceptors = {server_one, server_two};
  }
  void handle_all(Gate& gate) {
    handle_waiting(gate);
    server().handle<std::string, std::string>("Run", [this](const std::string& request, ServerContext& context) {
      log.push_back("run");
      seen = context.metadata();
      context.add_trailing_metadata("by", "handler");
      return request;
    });
  }

  std::vector<std::string> log;
  Metadata seen;
  std::shared_ptr<Recorder> client_one = std::make_shared<Recorder>("client 1", log);
  std::shared_ptr<Recorder> client_two = std::make_shared<Recorder>("client 2", log);
  std::shared_ptr<Recorder> server_one = std::make_shared<Recorder>("server 1", log);
  std::shared_ptr<Recorder> server_two = std::make_shared<Recorder>("server 2", log);
};

TEST_F(Interceptors, OfBothSidesRunInwardsAndBack) {
  Gate gate(loop());
  handle_all(gate);

  const auto outcome = begin("Run", "x");

  EXPECT_EQ(outcome->text(), "x");
  EXPECT_THAT(log,
              ElementsAre("client 1 start Run", "client 2 start Run", "server 1 start Run", "server 2 start Run", "run",
                          "server 2 finish ok", "server 1 finish ok", "client 2 finish ok", "client 1 finish ok"));
}

TEST_F(Interceptors, ChangeMetadataOnTheWayInAndOut) {
  Gate gate(loop());
  handle_all(gate);
  const auto add = [](std::string_view name, std::string_view value) {
    return [=](CallInfo& call) { return call.metadata->add(name, value), Status(); };
  };
  client_one->start = add("path", "client");
  server_one->start = add("path", "server");
  server_two->start = [](CallInfo& call) { return call.metadata->erase("secret"), Status(); };
  server_two->finish = [](CallInfo& call, Status&) { call.metadata->add("by", "interceptor"); };
  std::optional<Metadata> told;
  client_two->finish = [&](CallInfo& call, Status&) { told = *call.metadata; };
  ResponseInfo info;

  begin("Run", "x", {.metadata = {{"path", "caller"}, {"secret", "1234"}}, .response_info = &info});

  EXPECT_EQ(seen, (Metadata{{"path", "caller"}, {"path", "client"}, {"path", "server"}}));
  EXPECT_EQ(info.trailing, (Metadata{{"by", "handler"}, {"by", "interceptor"}}));
  EXPECT_EQ(told, info.trailing);
}

TEST_F(Interceptors, OfTheClientRefuseBeforeAnythingIsSent) {
  Gate gate(loop());
  handle_all(gate);
  client_two->start = [](CallInfo&) { return Status(StatusCode::permission_denied, "not you"); };

  const auto outcome = begin("Run", "x");

  EXPECT_EQ(outcome->status(), Status(StatusCode::permission_denied, "not you"));
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_THAT(log, ElementsAre("client 1 start Run", "client 2 start Run", "client 2 finish permission_denied",
                               "client 1 finish permission_denied"));
  EXPECT_EQ(server().totals().connections_accepted, 0u);
}

TEST_F(Interceptors, OfTheServerRefuseBeforeTheHandlerRuns) {
  Gate gate(loop());
  handle_all(gate);
  server_one->start = [](CallInfo& call) {
    const bool is_known = call.metadata->get("token") == "right";
    return is_known ? Status() : Status(StatusCode::unauthenticated, "who are you?");
  };

  const auto refused = begin("Run", "x");
  const auto log_of_refused = log;
  const auto allowed = begin("Run", "y", {.metadata = {{"token", "right"}}});

  EXPECT_EQ(refused->status(), Status(StatusCode::unauthenticated, "who are you?"));
  EXPECT_EQ(refused->status().may_have_run(), may_have_run_if_refused());
  EXPECT_THAT(log_of_refused, ElementsAre("client 1 start Run", "client 2 start Run", "server 1 start Run",
                                          "server 1 finish unauthenticated", "client 2 finish unauthenticated",
                                          "client 1 finish unauthenticated"));
  EXPECT_EQ(allowed->text(), "y");
}

TEST_F(Interceptors, OfTheServerMayReplaceAResponseByAnErrorThatTheClientSees) {
  Gate gate(loop());
  handle_all(gate);
  server_two->finish = [](CallInfo&, Status& status) { status = Status(StatusCode::data_loss, "checksum"); };
  client_one->finish = [](CallInfo&, Status& status) {
    status = Status(StatusCode::internal, "was " + std::string(status.message()));
  };

  const auto outcome = begin("Run", "x");

  EXPECT_EQ(outcome->status(), Status(StatusCode::internal, "was checksum"));
  EXPECT_EQ(server().totals().calls_failed, 1u);
}

TEST_F(Interceptors, OfTheClientMayBringTheDeadlineForward) {
  Gate gate(loop());
  handle_all(gate);
  client_one->start = [this](CallInfo& call) { return call.deadline = clock.now() + 1s, Status(); };
  std::optional<base::TimePoint> at_server;
  server_one->start = [&](CallInfo& call) { return at_server = call.deadline, Status(); };

  const auto outcome = begin("Wait", "x", {.timeout = 1h});
  advance(1s);

  EXPECT_EQ(at_server, clock.now());
  EXPECT_EQ(outcome->status().code(), StatusCode::deadline_exceeded);
}

TEST_F(Interceptors, SeeTheEndOfACancelledCallOnce) {
  Gate gate(loop());
  handle_all(gate);
  asio::cancellation_signal signal;
  int ends = 0;
  channel().async_call<std::string>(
      "Wait", std::string("x"), {},
      asio::bind_cancellation_slot(signal.slot(), [&](const Result<std::string>&) { ++ends; }));
  settle();
  log.clear();

  signal.emit(asio::cancellation_type::terminal);
  settle();

  EXPECT_EQ(ends, 1);
  EXPECT_THAT(log, ::testing::UnorderedElementsAre("client 2 finish cancelled", "client 1 finish cancelled",
                                                   "server 2 finish cancelled", "server 1 finish cancelled"));
}

TEST_F(Interceptors, OfTheClientSeeOneCallWhereTheServersSeeEachAttempt) {
  Gate gate(loop());
  handle_all(gate);
  int refusals = 2;
  server_two->start = [&](CallInfo&) { return refusals-- > 0 ? Status(StatusCode::unavailable, "busy") : Status(); };

  const auto outcome = begin("Run", "x");
  for (int i = 0; i < 10; ++i) advance(100ms);

  EXPECT_EQ(std::count(log.begin(), log.end(), "client 1 start Run"), 1);
  if (is_over_http()) {
    EXPECT_EQ(outcome->status(), Status(StatusCode::unavailable, "busy"));
    EXPECT_EQ(std::count(log.begin(), log.end(), "server 1 start Run"), 1) << "it may have run: there is no retry";
    return;
  }
  EXPECT_EQ(outcome->text(), "x");
  EXPECT_EQ(std::count(log.begin(), log.end(), "client 1 finish ok"), 1);
  EXPECT_EQ(std::count(log.begin(), log.end(), "server 1 start Run"), 3);
  EXPECT_EQ(std::count(log.begin(), log.end(), "server 1 finish unavailable"), 2);
  EXPECT_EQ(std::count(log.begin(), log.end(), "server 1 finish ok"), 1);
}

TEST_F(Interceptors, ThatThrowEndOnlyTheirCall) {
  Gate gate(loop());
  handle_all(gate);
  server_one->start = [](CallInfo& call) -> Status {
    if (call.metadata->get("throw")) throw std::runtime_error("secret");
    return {};
  };
  client_one->start = [](CallInfo& call) -> Status {
    if (call.metadata->get("throw-here")) throw std::runtime_error("secret");
    return {};
  };

  const Status there = begin("Run", "x", {.metadata = {{"throw", "1"}}})->status();
  const Status here = begin("Run", "x", {.metadata = {{"throw-here", "1"}}})->status();
  const auto next = begin("Run", "y");

  EXPECT_EQ(there.code(), StatusCode::internal);
  EXPECT_EQ(std::string(there.message()).find("secret"), std::string::npos);
  EXPECT_EQ(here.code(), StatusCode::internal);
  EXPECT_EQ(next->text(), "y");
}

TEST_F(Interceptors, SeeStreamsLikeCalls) {
  server().handle_stream<std::string, std::string>(
      "Echo", [this](ServerStream<std::string, std::string>& stream, ServerContext&) -> asio::awaitable<Status> {
        log.push_back("run");
        co_return (co_await stream.async_read(asio::use_awaitable)).status();
      });
  std::optional<Status> finished;
  auto stream = channel().stream<std::string, std::string>("Echo");
  stream.async_close_writes([](const Status&) {});

  stream.async_finish([&](Status status) { finished = std::move(status); });
  settle();

  ASSERT_TRUE(finished.has_value());
  EXPECT_TRUE(finished->is_ok()) << finished->to_string();
  EXPECT_THAT(
      log, ElementsAre("client 1 start Echo", "client 2 start Echo", "server 1 start Echo", "server 2 start Echo",
                       "run", "server 2 finish ok", "server 1 finish ok", "client 2 finish ok", "client 1 finish ok"));
}

}  // namespace

}  // namespace trunkline::scenario
