// SPDX-License-Identifier: MIT
// Generated classes at work: served in part and in full, called by their clients, described by their members.
#include "nested/deep/deep.trunkline.h"
#include "plain.trunkline.h"
#include "proto2_options.trunkline.h"

#include <asio/use_awaitable.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

namespace trunkline {

namespace {

using namespace std::chrono_literals;
using example::Hello;
using example::HelloRequest;
using example::HelloResponse;

HelloRequest request_of(const std::string& name) {
  HelloRequest request;
  request.set_name(name);
  return request;
}

class Greeter : public Hello::Service {
 public:
  Status greet(const HelloRequest& request, HelloResponse& response, ServerContext&) {
    response.set_text("hello, " + request.name());
    return Status::ok();
  }
  Blocking<Status> greet_all(ServerReader<HelloRequest>& requests, HelloResponse& response, ServerContext&) {
    Status status;
    for (const HelloRequest& request : requests.messages(status)) response.mutable_text()->append(request.name());
    return status;
  }
  asio::awaitable<Status> greet_often(const HelloRequest& request, ServerWriter<HelloResponse>& writer,
                                      ServerContext&) {
    HelloResponse response;
    response.set_text(request.name());
    for (int i = 0; i < 3; ++i) {
      if (Status written = co_await writer.async_write(response, asio::use_awaitable); !written) co_return written;
    }
    co_return Status::ok();
  }
  asio::awaitable<Status> talk(ServerStream<HelloRequest, HelloResponse>& stream, ServerContext&) {
    while (true) {
      const Result<std::optional<HelloRequest>> heard = co_await stream.async_read(asio::use_awaitable);
      if (!heard.is_ok() || !heard->has_value()) co_return heard.status();
      HelloResponse response;
      response.set_text((*heard)->name() + "?");
      if (Status written = co_await stream.async_write(response, asio::use_awaitable); !written) co_return written;
    }
  }
};

class OnlyGreet : public Hello::PartialService {
 public:
  Result<HelloResponse> greet(const HelloRequest& request, ServerContext&) {
    HelloResponse response;
    response.set_text(request.name());
    return response;
  }
};

// Serves no method itself.
class Nothing : public Hello::PartialService {};

class GeneratedService : public ::testing::Test {
 protected:
  template <class Service>
  Channel& serve(std::shared_ptr<Service> service) {
    server_.add_service(std::move(service));
    const std::string endpoint = server_.listen("inproc://generated-service").to_string();
    if (Status started = server_.start(); !started) throw StatusError(started);
    return channel_.emplace(endpoint);
  }

  Server server_;
  std::optional<Channel> channel_;
};

TEST_F(GeneratedService, AnswersEveryKindOfCall) {
  const Hello::Client client(serve(std::make_shared<Greeter>()));

  EXPECT_EQ(client.greet(request_of("ann"), {.timeout = 20s}).value().text(), "hello, ann");

  auto all = client.greet_all({.timeout = 20s});
  ASSERT_TRUE(all.write(request_of("a")).is_ok());
  ASSERT_TRUE(all.write(request_of("b")).is_ok());
  HelloResponse together;
  EXPECT_TRUE(all.finish(together).is_ok());
  EXPECT_EQ(together.text(), "ab");

  auto often = client.greet_often(request_of("x"), {.timeout = 20s});
  std::string texts;
  Status status;
  for (const HelloResponse& response : often.messages(status)) texts += response.text();
  EXPECT_TRUE(status.is_ok()) << status.to_string();
  EXPECT_EQ(texts, "xxx");

  auto talk = client.talk({.timeout = 20s});
  ASSERT_TRUE(talk.write(request_of("who")).is_ok());
  EXPECT_EQ(talk.read().value()->text(), "who?");
  ASSERT_TRUE(talk.close_writes().is_ok());
  EXPECT_EQ(talk.read().value(), std::nullopt);
  EXPECT_TRUE(talk.finish().is_ok());
}

TEST_F(GeneratedService, AClientStreamHasExactlyOneResponse) {
  Channel& channel = serve(std::make_shared<Greeter>());

  for (int count = 0; count < 3; ++count) {
    auto talk =
        channel.client_stream<HelloRequest, HelloResponse>(channel.method("example.Hello/Talk"), {.timeout = 20s});
    for (int i = 0; i < count; ++i) ASSERT_TRUE(talk.write(request_of("who")).is_ok());
    HelloResponse response;
    const Status status = talk.finish(response);

    EXPECT_EQ(status.code(), count == 1 ? StatusCode::ok : StatusCode::unimplemented) << status.to_string();
    EXPECT_EQ(response.text(), count == 1 ? "who?" : "");
  }
}

TEST_F(GeneratedService, ServedInPartSaysWhatIsNotImplemented) {
  const Hello::Client client(serve(std::make_shared<OnlyGreet>()));

  EXPECT_EQ(client.greet(request_of("ann"), {.timeout = 20s}).value().text(), "ann");

  auto all = client.greet_all({.timeout = 20s});
  HelloResponse response;
  const Status refused = all.finish(response);
  EXPECT_EQ(refused.code(), StatusCode::unimplemented);
  EXPECT_EQ(refused.message(), "call example.Hello/GreetAll: not implemented");
  EXPECT_EQ(client.talk({.timeout = 20s}).finish().code(), StatusCode::unimplemented);
}

TEST_F(GeneratedService, WithoutAnyMethodOfItsOwnAnswersUnaryCallsAsWell) {
  const Hello::Client client(serve(std::make_shared<Nothing>()));

  const Status refused = client.greet(request_of("ann"), {.timeout = 20s}).status();

  EXPECT_EQ(refused.code(), StatusCode::unimplemented);
  EXPECT_EQ(refused.message(), "call example.Hello/Greet: not implemented");
}

TEST_F(GeneratedService, IsRegisteredUnderItsNames) {
  serve(std::make_shared<Greeter>());

  const std::vector<MethodInfo> methods = server_.methods();

  ASSERT_EQ(methods.size(), 4u);
  EXPECT_EQ(methods[0].name, "example.Hello/Greet");
  EXPECT_EQ(methods[0].request_type, "example.HelloRequest");
  EXPECT_EQ(methods[1].kind, MethodKind::client_stream);
  EXPECT_EQ(methods[2].kind, MethodKind::server_stream);
  EXPECT_EQ(methods[3].kind, MethodKind::bidirectional);
}

TEST(GeneratedMethods, SayWhatTheDefinitionSays) {
  using example::nested::deep::Deep;
  using example::options::Options;

  EXPECT_EQ(Deep::full_name, "example.nested.deep.Deep");
  EXPECT_EQ(Deep::Methods::Own::name, "example.nested.deep.Deep/Own");
  EXPECT_EQ(Deep::Methods::Anything::kind, MethodKind::client_stream);
  EXPECT_TRUE((std::is_same_v<Deep::Methods::Own::Response, example::nested::deep::Outer::Inner::Innermost>));
  EXPECT_TRUE((std::is_same_v<Deep::Methods::Now::Request, google::protobuf::Empty>));
  EXPECT_TRUE(Options::Methods::Read::is_idempotent);
  EXPECT_TRUE(Options::Methods::Read::has_no_side_effects);
  EXPECT_TRUE(Options::Methods::Replace::is_idempotent);
  EXPECT_FALSE(Options::Methods::Add::is_idempotent);
  EXPECT_FALSE(Options::Methods::Remove::is_idempotent);
  EXPECT_FALSE(std::is_default_constructible_v<Deep>);
}

TEST(GeneratedClient, IsCopyable) {
  Channel channel("inproc://nobody");
  const Hello::Client client(channel);

  const Hello::Client copy = client;

  EXPECT_EQ(copy.talk.name(), "example.Hello/Talk");
  EXPECT_EQ(&copy.greet.channel(), &channel);
}

}  // namespace

}  // namespace trunkline
