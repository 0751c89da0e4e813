// SPDX-License-Identifier: MIT
// Unary and one-way calls over a ready connection: responses, statuses, metadata, codecs.
#include "unit/client/client_fixture.h"

#include <trunkline/value.h>

namespace trunkline::client {

namespace {

using UnaryCall = ClientFixture;

TEST_F(UnaryCall, ConnectsOnFirstUse) {
  EXPECT_EQ(channel().state(), ChannelState::idle);
  EXPECT_EQ(network.attempts, 0);

  const auto first = begin("one");
  const auto second = begin("two");

  EXPECT_EQ(first->text(), "re:one");
  EXPECT_EQ(second->text(), "re:two");
  EXPECT_EQ(first->count, 1);
  EXPECT_EQ(network.attempts, 1);
  EXPECT_EQ(channel().state(), ChannelState::ready);
}

TEST_F(UnaryCall, OptionsMayBeLeftOut) {
  std::optional<Result<std::string>> response;

  on_loop([&] {
    channel().async_call<std::string>("Echo", std::string("x"),
                                      [&](Result<std::string> result) { response = std::move(result); });
  });

  ASSERT_TRUE(response && response->is_ok());
  EXPECT_EQ(**response, "re:x");
}

TEST_F(UnaryCall, AnExceptionOfAnotherHandlerComesOutOfABlockingCallOnAUsersLoop) {
  std::string caught;
  on_loop([&] { EXPECT_TRUE(channel().wait_for_ready(1s)); });

  on_loop([&] {
    event_loop->post([] { throw std::runtime_error("of another handler"); });
    try {
      static_cast<void>(channel().call<std::string>("Echo", std::string("x")));
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
  });

  EXPECT_EQ(caught, "of another handler");
  EXPECT_EQ(begin("y")->text(), "re:y");
}

TEST_F(UnaryCall, CompletesNeverInsideTheFunctionThatBeganIt) {
  begin("connect");
  bool begun = false;
  bool completed_inside = false;

  on_loop([&] {
    channel().async_call<std::string>("Echo", std::string("x"), {.timeout = -1s}, [&](Result<std::string> result) {
      completed_inside = !begun;
      EXPECT_EQ(result.status().code(), StatusCode::deadline_exceeded);
    });
    begun = true;
  });

  EXPECT_FALSE(completed_inside);
}

TEST_F(UnaryCall, GivesTheServersStatusUnchanged) {
  network.on_call = [](FakeServer& server, const ServedCall& call) {
    Status status(StatusCode::not_found, "no such thing");
    status.add_detail("type.googleapis.com/example.Detail", "bytes");
    server.refuse(call.id, status, false);
  };

  const auto outcome = begin("x");

  EXPECT_EQ(outcome->status().code(), StatusCode::not_found);
  EXPECT_EQ(outcome->status().message(), "no such thing");
  EXPECT_EQ(outcome->status().origin(), StatusOrigin::peer);
  ASSERT_EQ(outcome->status().details().size(), 1u);
  EXPECT_EQ(outcome->status().details()[0].value, "bytes");
}

TEST_F(UnaryCall, SendsMetadataAndFillsResponseInfo) {
  network.on_call = [](FakeServer& server, const ServedCall& call) {
    EXPECT_EQ(call.metadata.get("asked"), "yes");
    server.send_leading(call.id, {{"early", "1"}});
    const Metadata trailing{{"late", "2"}};
    server.respond(call.id, "done", &trailing);
  };
  ResponseInfo info;
  CallOptions call_options;
  call_options.metadata = {{"asked", "yes"}};
  call_options.response_info = &info;

  const auto outcome = begin("x", call_options);

  EXPECT_EQ(outcome->text(), "done");
  EXPECT_EQ(info.leading.get("early"), "1");
  EXPECT_EQ(info.trailing.get("late"), "2");
  EXPECT_EQ(info.peer, "inproc://fake");
}

TEST_F(UnaryCall, FillsResponseInfoOfFailures) {
  network.on_call = [](FakeServer& server, const ServedCall& call) {
    const Metadata trailing{{"why", "because"}};
    server.refuse(call.id, {StatusCode::aborted, "no"}, false, &trailing);
  };
  ResponseInfo info;
  CallOptions call_options;
  call_options.response_info = &info;

  begin("x", call_options);

  EXPECT_EQ(info.trailing.get("why"), "because");
}

TEST_F(UnaryCall, AResponseInACodecThatDoesNotKnowTheTypeIsUnimplemented) {
  network.on_call = [](FakeServer& server, const ServedCall& call) {
    session::OutgoingMessage message;
    message.codec = server.codec();
    message.payload = Slice::from_static("text");
    static_cast<void>(server.session().finish(call.id, Status(), message, nullptr, false));
  };
  Status status;

  on_loop([&] {
    channel().async_call<Value>("Echo", std::string("x"), {}, [&](Result<Value> result) { status = result.status(); });
  });

  EXPECT_EQ(status.code(), StatusCode::unimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("call Echo: decode message: codec bytes"));
}

TEST_F(UnaryCall, AResponseWithoutAMessageIsUnimplementedUnlessNoneIsWanted) {
  network.on_call = [](FakeServer& server, const ServedCall& call) { server.refuse(call.id, Status(), false); };
  std::optional<Status> empty;

  const auto text = begin("x");
  on_loop([&] {
    channel().async_call<Empty>("Echo", Empty(), {}, [&](Result<Empty> result) { empty = result.status(); });
  });

  EXPECT_EQ(text->status().code(), StatusCode::unimplemented);
  EXPECT_EQ(empty, Status());
  EXPECT_EQ(network.server(0).calls[1].payload, "");
}

TEST_F(UnaryCall, AcceptsAResponseBeforeTheStatus) {
  network.on_call = [](FakeServer& server, const ServedCall& call) {
    server.send(call.id, "early");
    server.refuse(call.id, Status(), false);
  };

  EXPECT_EQ(begin("x")->text(), "early");
}

TEST_F(UnaryCall, ASecondResponseIsAnErrorThatNamesBothKinds) {
  network.on_call = [](FakeServer& server, const ServedCall& call) {
    server.send(call.id, "first");
    if (call.payload == "messages") server.send(call.id, "second");
    server.respond(call.id, "last");
  };

  for (const std::string_view request : {"messages", "finish"}) {
    const Status status = begin(std::string(request))->status();

    EXPECT_EQ(status.code(), StatusCode::unimplemented);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("call Echo: the method sends a stream of responses, and was called as a unary method"));
    EXPECT_TRUE(status.may_have_run());
  }
}

TEST_F(UnaryCall, UnknownCodecAndCompressorNameTheMethodAndTheName) {
  CallOptions codec;
  codec.codec = "morse";
  CallOptions compressor;
  compressor.compressor = "squeeze";

  const auto first = begin("x", codec);
  const auto second = begin("x", compressor);

  EXPECT_EQ(first->status().code(), StatusCode::invalid_argument);
  EXPECT_THAT(std::string(first->status().message()), HasSubstr("call Echo: encode message: codec 'morse'"));
  EXPECT_EQ(second->status().code(), StatusCode::invalid_argument);
  EXPECT_THAT(std::string(second->status().message()), HasSubstr("compressor 'squeeze'"));
  EXPECT_FALSE(second->status().may_have_run());
}

TEST_F(UnaryCall, ACodecThatDoesNotKnowTheTypeIsRefused) {
  CallOptions codec;
  codec.codec = "json";
  Status status;

  Channel& on = channel();
  on_loop([&] {
    on.async_call<std::string>("Echo", Slice::from_static("x"), codec,
                               [&](Result<std::string> result) { status = result.status(); });
  });

  EXPECT_THAT(std::string(status.message()), HasSubstr("does not know the message's type"));
}

TEST_F(UnaryCall, BadMethodNameIsInvalidArgument) {
  begin("connect");

  const auto empty = begin("x", {}, "");
  const auto long_name = begin("x", {}, std::string(1025, 'm'));

  EXPECT_EQ(empty->status().code(), StatusCode::invalid_argument);
  EXPECT_EQ(long_name->status().code(), StatusCode::invalid_argument);
  EXPECT_FALSE(empty->status().may_have_run());
}

TEST_F(UnaryCall, OneWayCompletesOnceItIsSent) {
  std::optional<Status> status;

  on_loop([&] {
    channel().async_call_oneway("Note", std::string("n"), {}, [&](Status outcome) { status = std::move(outcome); });
  });

  EXPECT_EQ(status, Status());
  ASSERT_EQ(network.server(0).calls.size(), 1u);
  EXPECT_TRUE(network.server(0).calls[0].one_way);
  EXPECT_EQ(network.server(0).calls[0].payload, "n");
}

TEST_F(UnaryCall, AMethodHandleIsANameOnOtherChannels) {
  const Method handle = channel().method("Echo");
  auto other = ChannelCore::make(loop(), options, [this](net::Loop&) { return network.connector(); });
  Channel second(other);
  second.method("SomethingElse");
  std::string response;

  on_loop([&] {
    second.async_call<std::string>(handle, std::string("x"), {},
                                   [&](Result<std::string> r) { response = r.value_or("?"); });
  });

  EXPECT_EQ(response, "re:x");
  EXPECT_EQ(network.server(0).calls[0].method, "Echo");
}

TEST_F(UnaryCall, ManyMethodNamesAreDistinguished) {
  for (int i = 0; i < 500; ++i) {
    const std::string name = "Method" + std::to_string(i);
    begin("x", {}, name);

    EXPECT_EQ(network.server(0).calls.back().method, name);
  }
}

TEST_F(UnaryCall, BlockingOnTheLoopsThreadRunsTheLoop) {
  std::string response;

  on_loop([&] { response = channel().call<std::string>("Echo", std::string("x")).value_or("?"); });

  EXPECT_EQ(response, "re:x");
}

TEST_F(UnaryCall, BlockingInsideACompletionGetsItsResponse) {
  std::string inner;
  int outer = 0;

  on_loop([&] {
    for (int i = 0; i < 3; ++i) {
      channel().async_call<std::string>("Echo", std::string("x"), {}, [&](Result<std::string>) {
        if (++outer == 1) inner = channel().call<std::string>("Echo", std::string("inner")).value_or("?");
      });
    }
  });

  EXPECT_EQ(inner, "re:inner");
  EXPECT_EQ(outer, 3);
}

}  // namespace

}  // namespace trunkline::client
