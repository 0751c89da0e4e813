// SPDX-License-Identifier: MIT
// Unary and one-way calls from a real channel to a real server.
#include "scenario/both_ends.h"

#include <string>
#include <vector>

namespace trunkline::scenario {

namespace {

using ClientCalls = BothEnds;

TEST_F(ClientCalls, CarryMetadataBothWays) {
  std::vector<std::string> seen;
  server().handle<std::string, std::string>("Tell", [&](const std::string& request, ServerContext& context) {
    for (const std::string_view value : context.metadata().get_all("color")) seen.emplace_back(value);
    context.add_leading_metadata("first", "1");
    context.add_trailing_metadata("last-bin", std::string_view("\0\xff", 2));
    context.add_trailing_metadata("last-bin", "");
    return "re:" + request;
  });
  ResponseInfo info;

  const auto outcome = begin("Tell", "x", {.metadata = {{"color", "red"}, {"color", "blue"}}, .response_info = &info});

  EXPECT_EQ(outcome->text(), "re:x");
  EXPECT_THAT(seen, ElementsAre("red", "blue"));
  EXPECT_EQ(info.leading, (Metadata{{"first", "1"}}));
  EXPECT_EQ(info.trailing, (Metadata{{"last-bin", std::string("\0\xff", 2)}, {"last-bin", ""}}));
  EXPECT_EQ(info.peer, address);
}

TEST_F(ClientCalls, ReturnTheHandlersErrorWithDetailsAndTrailingMetadata) {
  server().handle<std::string, std::string>(
      "Find", [](const std::string& request, ServerContext& context) -> Result<std::string> {
        context.add_trailing_metadata("hint", "look elsewhere");
        Status status(StatusCode::not_found, "no " + request);
        status.add_detail("type.example/Key", "\x01\x02").add_detail("type.example/Shelf", "7");
        return status;
      });
  ResponseInfo info;

  const Status status = begin("Find", "book", {.response_info = &info})->status();

  EXPECT_EQ(status.code(), StatusCode::not_found);
  EXPECT_EQ(status.message(), "no book");
  EXPECT_EQ(status.origin(), StatusOrigin::peer);
  EXPECT_TRUE(status.may_have_run());
  ASSERT_EQ(status.details().size(), 2u);
  // Connect carries the name of the type alone.
  const std::string host = is_connect() ? "type.googleapis.com/" : "type.example/";
  EXPECT_EQ(status.details()[0], (StatusDetail{host + "Key", "\x01\x02"}));
  EXPECT_EQ(status.details()[1], (StatusDetail{host + "Shelf", "7"}));
  EXPECT_EQ(info.trailing.get("hint"), "look elsewhere");
}

TEST_F(ClientCalls, MayLackAnArgumentOrAResult) {
  std::string stored = "empty";
  server().handle<Empty, std::string>("Get", [&](const Empty&, ServerContext&) { return stored; });
  server().handle<std::string, Empty>("Set", [&](const std::string& request, ServerContext&) {
    stored = request;
    return Status();
  });
  server().handle<Empty, Empty>("Fail",
                                [](const Empty&, ServerContext&) { return Status(StatusCode::aborted, "not today"); });
  Result<std::string> got;
  Result<Empty> set;
  Result<Empty> failed;

  channel().async_call<Empty>("Set", std::string("full"), {}, [&](Result<Empty> result) { set = std::move(result); });
  channel().async_call<std::string>("Get", Empty{}, {}, [&](Result<std::string> result) { got = std::move(result); });
  channel().async_call<Empty>("Fail", Empty{}, {}, [&](Result<Empty> result) { failed = std::move(result); });
  settle();

  EXPECT_TRUE(set.is_ok()) << set.status().to_string();
  ASSERT_TRUE(got.is_ok()) << got.status().to_string();
  EXPECT_EQ(*got, "full");
  EXPECT_EQ(failed.status(), Status(StatusCode::aborted, "not today"));
}

TEST_F(ClientCalls, AnUnknownMethodIsUnimplementedAndHasNotRun) {
  handle_echo();

  const Status status = begin("Nothing", "x")->status();
  const auto next = begin("Echo", "y");

  EXPECT_EQ(status.code(), StatusCode::unimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("Nothing"));
  EXPECT_EQ(status.may_have_run(), may_have_run_if_refused());
  EXPECT_EQ(next->text(), "y") << "the connection stays open";
  EXPECT_EQ(server().totals().calls_refused, 1u);
  EXPECT_EQ(server().totals().connections_accepted, 1u);
}

TEST_F(ClientCalls, OneWayCallsRunWithoutAResponse) {
  std::vector<std::string> seen;
  handle_echo();
  server().handle<std::string, std::string>("Note", [&](const std::string& request, ServerContext& context) {
    seen.push_back(request + std::string(context.metadata().get("by").value_or("")));
    return Result<std::string>(Status(StatusCode::aborted, "nobody hears this"));
  });
  std::vector<Status> ends;
  const auto keep = [&](Status status) { ends.push_back(std::move(status)); };

  channel().async_call_oneway("Note", std::string("a"), {.metadata = {{"by", "!"}}}, keep);
  channel().async_call_oneway("Nothing", std::string("b"), {}, keep);
  channel().async_call_oneway("Note", std::string("c"), {}, keep);
  const auto behind = begin("Echo", "d");

  ASSERT_EQ(ends.size(), 3u);
  for (const Status& status : ends) EXPECT_TRUE(status.is_ok()) << status.to_string();
  EXPECT_THAT(seen, ElementsAre("a!", "c"));
  EXPECT_EQ(behind->text(), "d");
  EXPECT_EQ(server().totals().calls_failed, 2u);
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(ClientCalls, AHandlersExceptionIsInternalWithoutItsText) {
  std::string logged;
  server_options.log = [&](const LogRecord& record) { logged += record.message; };
  server().handle<std::string, std::string>(
      "Throw", [](const std::string&, ServerContext&) -> std::string { throw std::runtime_error("secret reason"); });

  const Status status = begin("Throw", "x")->status();

  EXPECT_EQ(status.code(), StatusCode::internal);
  EXPECT_EQ(std::string(status.message()).find("secret"), std::string::npos) << status.message();
  EXPECT_THAT(logged, HasSubstr("secret reason"));
  EXPECT_EQ(server().totals().handler_exceptions, 1u);
}

TEST_F(ClientCalls, MetadataOverTheOtherSidesLimitIsRefusedOnItsOwnSide) {
  server_options.limits.max_header_bytes = 8 << 10;
  channel_options.limits.max_header_bytes = 8 << 10;
  handle_echo();
  server().handle<std::string, std::string>("Trail", [](const std::string& request, ServerContext& context) {
    context.add_trailing_metadata("long", std::string(10000, 'x'));
    return request;
  });

  const std::string limit = is_over_http() ? "SETTINGS_MAX_HEADER_LIST_SIZE 8192" : "max_header_bytes 8192";

  const Status request = begin("Echo", "x", {.metadata = {{"long", std::string(10000, 'x')}}})->status();
  const Status response = begin("Trail", "x")->status();
  const auto next = begin("Echo", "y");

  EXPECT_EQ(request.code(), StatusCode::resource_exhausted);
  EXPECT_THAT(std::string(request.message()), HasSubstr(limit));
  EXPECT_FALSE(request.may_have_run());
  EXPECT_EQ(response.code(), StatusCode::resource_exhausted);
  EXPECT_THAT(std::string(response.message()), HasSubstr(limit));
  EXPECT_TRUE(response.may_have_run());
  EXPECT_EQ(next->text(), "y");
  EXPECT_EQ(server().totals().connections_accepted, 1u);
}

TEST_F(ClientCalls, CallsBeyondTheServersLimitWaitUnderThePolicyWait) {
  server_options.max_concurrent_calls_per_connection = 2;
  channel_options.max_pending_calls = 1;
  channel_options.pending_policy = PendingPolicy::wait;
  Gate gate(loop());
  handle_waiting(gate);
  handle_echo();
  begin("Echo", "so that the server's limit is known");
  std::vector<std::shared_ptr<Outcome>> outcomes;

  for (int i = 0; i < 6; ++i) outcomes.push_back(begin("Wait", std::to_string(i)));
  const int running = gate.waiting();
  gate.open();
  settle();

  EXPECT_EQ(running, 2);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(outcomes[i]->text(), std::to_string(i));
  EXPECT_EQ(server().totals().calls_refused, 0u);
}

TEST_F(ClientCalls, CallsBeyondMaxPendingCallsFailUnderThePolicyFail) {
  server_options.max_concurrent_calls_per_connection = 2;
  channel_options.max_pending_calls = 1;
  channel_options.pending_policy = PendingPolicy::fail;
  Gate gate(loop());
  handle_waiting(gate);
  handle_echo();
  begin("Echo", "so that the server's limit is known");
  std::vector<std::shared_ptr<Outcome>> outcomes;

  for (int i = 0; i < 4; ++i) outcomes.push_back(begin("Wait", std::to_string(i)));
  const Status refused = outcomes[3]->status();
  const int done_early = outcomes[0]->count + outcomes[1]->count + outcomes[2]->count;
  gate.open();
  settle();

  EXPECT_EQ(refused.code(), StatusCode::resource_exhausted) << refused.to_string();
  EXPECT_THAT(std::string(refused.message()), HasSubstr("max_pending_calls is 1"));
  EXPECT_FALSE(refused.may_have_run());
  EXPECT_EQ(done_early, 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(outcomes[i]->text(), std::to_string(i));
}

}  // namespace

}  // namespace trunkline::scenario
