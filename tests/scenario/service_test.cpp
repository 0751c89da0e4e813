// SPDX-License-Identifier: MIT
// Services as classes, and their typed clients, in the form of generated code.
#include <trunkline/client_method.h>
#include <trunkline/server.h>

#include <asio/awaitable.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/use_future.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace trunkline {

namespace {

using namespace std::chrono_literals;

struct Words {
  struct Methods {
    template <MethodKind kind_>
    struct Texts {
      using Request = std::string;
      using Response = std::string;
      static constexpr MethodKind kind = kind_;
      static constexpr bool is_idempotent = false;
    };
    struct Say : Texts<MethodKind::unary> {
      static constexpr std::string_view name = "test.Words/Say";
      static constexpr bool is_idempotent = true;
      static constexpr bool has_no_side_effects = true;
    };
    struct Wait : Texts<MethodKind::unary> {
      static constexpr std::string_view name = "test.Words/Wait";
    };
    struct Sleep : Texts<MethodKind::unary> {
      static constexpr std::string_view name = "test.Words/Sleep";
    };
    struct Join : Texts<MethodKind::client_stream> {
      static constexpr std::string_view name = "test.Words/Join";
    };
    struct Split : Texts<MethodKind::server_stream> {
      static constexpr std::string_view name = "test.Words/Split";
    };
    struct Talk : Texts<MethodKind::bidirectional> {
      static constexpr std::string_view name = "test.Words/Talk";
    };
  };

  class Service {
   public:
    template <class Implementation>
    static ServiceDefinition define(const std::shared_ptr<Implementation>& service) {
      ServiceDefinition definition;
      definition.add<Methods::Say>(service, &Implementation::say);
      definition.add<Methods::Wait>(service, &Implementation::wait);
      definition.add<Methods::Sleep>(service, &Implementation::sleep);
      definition.add<Methods::Join>(service, &Implementation::join);
      definition.add<Methods::Split>(service, &Implementation::split);
      definition.add<Methods::Talk>(service, &Implementation::talk);
      return definition;
    }
  };

  class Client {
   public:
    explicit Client(Channel& channel)
        : say(channel, Methods::Say::name, Methods::Say::is_idempotent),
          wait(channel, Methods::Wait::name),
          sleep(channel, Methods::Sleep::name),
          join(channel, Methods::Join::name),
          split(channel, Methods::Split::name),
          talk(channel, Methods::Talk::name) {}

    UnaryMethod<std::string, std::string> say;
    UnaryMethod<std::string, std::string> wait;
    UnaryMethod<std::string, std::string> sleep;
    ClientStreamMethod<std::string, std::string> join;
    ServerStreamMethod<std::string, std::string> split;
    BidirectionalMethod<std::string, std::string> talk;
  };
};

class Speaker : public Words::Service {
 public:
  Status say(const std::string& request, std::string& response, ServerContext&) {
    threads_[0] = std::this_thread::get_id();
    response = request + "!";
    return Status::ok();
  }
  asio::awaitable<Result<std::string>> wait(const std::string& request, ServerContext&) {
    if (request.empty()) co_return Status(StatusCode::invalid_argument, "wait: nothing to wait for");
    co_return request + "...";
  }
  Blocking<Status> sleep(const std::string& request, std::string& response, ServerContext&) {
    threads_[1] = std::this_thread::get_id();
    if (request.empty()) return {StatusCode::invalid_argument, "sleep: no"};
    response = request + "zzz";
    return {};
  }
  Blocking<Status> join(ServerReader<std::string>& words, std::string& response, ServerContext&) {
    Status status;
    for (const std::string& word : words.messages(status)) response += word;
    return status;
  }
  Blocking<Status> split(const std::string& request, ServerWriter<std::string>& writer, ServerContext&) {
    for (const char letter : request) {
      if (Status written = writer.write(std::string(1, letter)); !written) return written;
    }
    return Status::ok();
  }
  asio::awaitable<Status> talk(ServerStream<std::string, std::string>& stream, ServerContext&) {
    while (true) {
      Result<std::optional<std::string>> word = co_await stream.async_read(asio::use_awaitable);
      if (!word.is_ok()) co_return word.status();
      if (!word->has_value()) co_return Status::ok();
      const std::string answer = **word + "?";
      if (Status written = co_await stream.async_write(answer, asio::use_awaitable); !written) co_return written;
    }
  }

  std::thread::id threads_[2];
};

class ServiceOfClass : public ::testing::Test {
 protected:
  ServiceOfClass() {
    server_.add_service(speaker_);
    endpoint_ = server_.listen("inproc://service-of-class").to_string();
    if (Status started = server_.start(); !started) throw StatusError(started);
    channel_ = std::make_unique<Channel>(endpoint_);
  }

  Speaker speaker_;
  Server server_;
  std::string endpoint_;
  std::unique_ptr<Channel> channel_;
};

TEST_F(ServiceOfClass, TheReturnTypeDecidesWhereAHandlerRuns) {
  const Words::Client client(*channel_);

  EXPECT_EQ(client.say("hi", {.timeout = 20s}).value(), "hi!");
  EXPECT_EQ(client.wait("hi", {.timeout = 20s}).value(), "hi...");
  EXPECT_EQ(client.sleep("hi", {.timeout = 20s}).value(), "hizzz");

  EXPECT_NE(speaker_.threads_[0], speaker_.threads_[1]) << "the Blocking handler ran on the loop";
  EXPECT_EQ(client.wait("", {.timeout = 20s}).status().code(), StatusCode::invalid_argument);
  EXPECT_EQ(client.sleep("", {.timeout = 20s}).status().message(), "sleep: no");
}

TEST_F(ServiceOfClass, UnaryMethodsHaveEveryForm) {
  const Words::Client client(*channel_);
  std::string filled;
  std::vector<std::string> many;

  EXPECT_TRUE(client.say("a", filled, {.timeout = 20s}).is_ok());
  EXPECT_EQ(filled, "a!");
  EXPECT_EQ(client.say.submit("b", {.timeout = 20s}).get().value(), "b!");
  EXPECT_EQ(client.say.async("c", asio::use_future).get().value(), "c!");
  EXPECT_EQ(client.say.async("d", CallOptions{.timeout = 20s}, asio::use_future).get().value(), "d!");
  EXPECT_TRUE(client.say.async("e", filled, CallOptions{.timeout = 20s}, asio::use_future).get().is_ok());
  EXPECT_EQ(filled, "e!");
  client.say.many(std::vector<std::string>{"f", "g"}, 2,
                  [&](std::size_t, Result<std::string> answer) { many.push_back(answer.value()); });
  EXPECT_EQ(many, (std::vector<std::string>{"f!", "g!"}));
  EXPECT_TRUE(client.say.oneway("h", {.timeout = 20s}).is_ok());
  EXPECT_EQ(client.say.name(), "test.Words/Say");
}

TEST_F(ServiceOfClass, StreamsOfEveryKind) {
  const Words::Client client(*channel_);

  auto join = client.join({.timeout = 20s});
  ASSERT_TRUE(join.write("a").is_ok());
  ASSERT_TRUE(join.write("b").is_ok());
  std::string joined;
  EXPECT_TRUE(join.finish(joined).is_ok());
  EXPECT_EQ(joined, "ab");

  auto split = client.split("xyz", {.timeout = 20s});
  std::string letters;
  Status status;
  for (const std::string& letter : split.messages(status)) letters += letter + ",";
  EXPECT_TRUE(status.is_ok()) << status.to_string();
  EXPECT_EQ(letters, "x,y,z,");

  auto talk = client.talk({.timeout = 20s});
  ASSERT_TRUE(talk.write("who").is_ok());
  EXPECT_EQ(talk.read().value(), "who?");
  ASSERT_TRUE(talk.close_writes().is_ok());
  EXPECT_EQ(talk.read().value(), std::nullopt);
  EXPECT_TRUE(talk.finish().is_ok());
}

TEST_F(ServiceOfClass, IsDescribedByItsMethods) {
  const std::vector<MethodInfo> methods = server_.methods();

  ASSERT_EQ(methods.size(), 6u);
  EXPECT_EQ(methods[1].name, "test.Words/Say");
  EXPECT_TRUE(methods[1].idempotent);
  EXPECT_TRUE(methods[1].no_side_effects);
  EXPECT_FALSE(methods[2].idempotent);
  EXPECT_FALSE(methods[2].no_side_effects);
  EXPECT_EQ(methods[4].kind, MethodKind::bidirectional);
  EXPECT_EQ(methods[1].request, &MessageTraits<std::string>::type());
}

TEST(AddService, RegistersAllMethodsOrNone) {
  Server server;
  server.handle<std::string, std::string>("test.Words/Talk",
                                          [](const std::string& text, ServerContext&) { return text; });

  std::string text;
  try {
    server.add_service(std::make_shared<Speaker>());
  } catch (const std::invalid_argument& error) {
    text = error.what();
  }

  EXPECT_EQ(text, "register method test.Words/Talk: it is registered already");
  EXPECT_EQ(server.methods().size(), 1u);
}

struct Deaf {
  class Service {
   public:
    template <class Implementation>
    static ServiceDefinition define(const std::shared_ptr<Implementation>& service) {
      ServiceDefinition definition;
      definition.add<Words::Methods::Say>(service, &Implementation::nod);
      return definition;
    }
  };
};

class Both : public Speaker, public Deaf::Service {
 public:
  static std::string nod(const std::string&, ServerContext&) { return "..."; }
};

TEST(AddService, TakesOneOfSeveralServicesAndStaticFunctions) {
  Server server;
  Both both;

  server.add_service<Deaf>(both);

  EXPECT_EQ(server.methods().size(), 1u);
  EXPECT_THROW(server.add_service<Words>(std::make_shared<Both>()), std::invalid_argument)
      << "Say is registered already";
}

TEST(AddService, OptionsOfAMethodCanBeChangedBeforeRegistration) {
  Server server;
  ServiceDefinition definition = Words::Service::define(std::make_shared<Speaker>());
  definition.options_of("test.Words/Wait").idempotent = true;

  EXPECT_THROW(definition.options_of("test.Words/Cry"), std::invalid_argument);
  server.add_service(std::move(definition));

  EXPECT_TRUE(server.methods()[5].idempotent);
}

TEST(AddService, SharedObjectLivesAsLongAsItsMethods) {
  auto speaker = std::make_shared<Speaker>();
  const std::weak_ptr<Speaker> watched = speaker;
  {
    Server server;
    server.add_service(std::move(speaker));
    EXPECT_FALSE(watched.expired());
  }

  EXPECT_TRUE(watched.expired());
}

TEST(MethodHandle, OfAnIdempotentMethodSaysSo) {
  Channel channel("inproc://nobody");

  const Method method = channel.method("Any").idempotent();

  EXPECT_TRUE(method.is_idempotent());
  EXPECT_FALSE(channel.method("Any").is_idempotent());
  EXPECT_EQ(method.name(), "Any");
}

}  // namespace

}  // namespace trunkline
