// SPDX-License-Identifier: MIT
// Routes of a server, asked over a socket: every form of handler, errors, limits, interceptors, and methods beside
// them.
#include <trunkline/channel.h>
#include <trunkline/interceptor.h>
#include <trunkline/server.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using namespace std::chrono_literals;

class RoutesOfServer : public testing::Test {
 protected:
  explicit RoutesOfServer(ServerOptions options = {}) : server(std::move(options)) {}

  void start() {
    endpoint = server.listen("tcp://127.0.0.1:0");
    ASSERT_TRUE(server.start().is_ok());
  }
  /// All that the server answers to a request, after which it closes the connection.
  std::string ask(std::string_view method, std::string_view target, std::string_view body = {},
                  std::string_view fields = {}) {
    asio::io_context context;
    asio::ip::tcp::socket socket(context);
    socket.connect({asio::ip::make_address("127.0.0.1"), endpoint.port()});
    std::string request(method);
    request.append(" ").append(target).append(" HTTP/1.1\r\nHost: h\r\nConnection: close\r\n").append(fields);
    request.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n").append(body);
    asio::write(socket, asio::buffer(request));
    std::string answer;
    asio::error_code end;
    asio::read(socket, asio::dynamic_buffer(answer), end);
    return answer;
  }

  Server server;
  Endpoint endpoint;
};

TEST_F(RoutesOfServer, AreServedByHandlersOfEveryForm) {
  server.route("GET", "/plain", [](const HttpRequest&) { return HttpResponse::text("plain"); });
  server.route("GET", "/context", [](const HttpRequest& request, ServerContext& context) {
    return HttpResponse::text(std::string(context.method()) + " " + std::string(request.header("X-A")));
  });
  server.route("GET", "/result", [](const HttpRequest& request) -> Result<HttpResponse> {
    if (request.query_value("found").has_value()) return HttpResponse::html("<p>");
    return Status(StatusCode::not_found, "no page");
  });
  server.route("POST", "/blocking", [](const HttpRequest& request) -> Blocking<HttpResponse> {
    return HttpResponse{.status = 201, .content_type = "x/y", .body = request.body()};
  });
  server.route("POST", "/pool",
               [](const HttpRequest& request) { return HttpResponse::json(request.body().to_string()); },
               {.blocking = true});
  server.route("GET", "/coroutine/*", [](HttpRequest request, ServerContext& context) -> asio::awaitable<HttpResponse> {
    asio::steady_timer timer(context.executor(), 1ms);
    co_await timer.async_wait(asio::use_awaitable);
    co_return HttpResponse::text(std::string(request.rest()) + "?" + std::string(request.query()));
  });
  start();

  EXPECT_THAT(ask("GET", "/plain"), EndsWith("\r\n\r\nplain"));
  EXPECT_THAT(ask("GET", "/context", {}, "x-a: v\r\n"), EndsWith("\r\n\r\nGET /context v"));
  EXPECT_THAT(ask("GET", "/result?found"), HasSubstr("content-type: text/html; charset=utf-8\r\n"));
  EXPECT_THAT(ask("GET", "/result"), StartsWith("HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\n"));
  const std::string blocking = ask("POST", "/blocking", "body");
  EXPECT_THAT(blocking, StartsWith("HTTP/1.1 201 Created\r\ncontent-type: x/y\r\ncontent-length: 4\r\n"));
  EXPECT_THAT(blocking, EndsWith("\r\n\r\nbody"));
  EXPECT_THAT(ask("POST", "/pool", "[1]"), EndsWith("\r\n\r\n[1]"));
  EXPECT_THAT(ask("GET", "/coroutine/a%20b?c"), EndsWith("\r\n\r\na b?c"));
  EXPECT_THAT(ask("HEAD", "/plain"), EndsWith("content-length: 5\r\nconnection: close\r\n\r\n"));
  EXPECT_THAT(ask("PUT", "/plain"), HasSubstr("allow: GET, HEAD\r\n"));
  EXPECT_EQ(server.totals().calls_ok, 7U);
}

TEST_F(RoutesOfServer, LeaveMethodsAndTheFallbackAsTheyAre) {
  server.handle<Slice, Slice>("Echo", [](const Slice& request, ServerContext&) { return request; });
  auto name = [](const Slice&, ServerContext& context) { return Slice::copy_of(context.method()); };
  server.add_fallback(std::make_unique<detail::UnaryHandler<Slice, Slice, decltype(name)>>(name, false));
  server.route("GET", "/*", [](const HttpRequest&) { return HttpResponse::text("page"); });
  server.route("POST", "/Echo", [](const HttpRequest&) { return HttpResponse::text("form"); });
  start();
  Channel channel(endpoint.to_string());

  EXPECT_EQ(channel.call<std::string>("Echo", std::string("a")).value_or("failed"), "a");
  EXPECT_EQ(channel.call<std::string>("GET /*", std::string("a")).status().code(), StatusCode::unimplemented);
  EXPECT_EQ(channel.call<std::string>("Other", std::string("a")).value_or("failed"), "Other");
  EXPECT_THAT(ask("POST", "/Echo", "1"), EndsWith("form"));
  EXPECT_THAT(ask("POST", "/Echo", "1", "Content-Type: application/bytes\r\nConnect-Protocol-Version: 1\r\n"),
              EndsWith("\r\n\r\n1"));
  EXPECT_THAT(ask("GET", "/x/y"), EndsWith("page"));
  EXPECT_TRUE(server.has("GET /*"));
  EXPECT_EQ(server.methods().size(), 1U);
  EXPECT_TRUE(server.remove("POST /Echo"));
  EXPECT_THAT(ask("POST", "/Echo", "2", "Content-Type: application/octet-stream\r\n"), EndsWith("\r\n\r\n2"));
}

TEST_F(RoutesOfServer, EndAsInternalWhatTheirHandlersMayNotSend) {
  server.route("GET", "/split", [](const HttpRequest& request) {
    HttpResponse response = HttpResponse::text("body");
    response.headers.add(*request.query_value("name"), *request.query_value("value"));
    return response;
  });
  server.route("GET", "/status", [](const HttpRequest&) { return HttpResponse{.status = 101}; });
  server.route("GET", "/throws", [](const HttpRequest&) -> HttpResponse { throw std::runtime_error("secret"); });
  start();

  for (const std::string_view query : {"name=x&value=a%0d%0aevil:%201", "name=content-length&value=1",
                                       "name=trunkline-request&value=1", "name=a%0d%0aevil&value=1"}) {
    const std::string answer = ask("GET", "/split?" + std::string(query));
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 500 ")) << query;
    EXPECT_EQ(answer.find("evil"), answer.npos) << query;
    EXPECT_EQ(answer.find("\r\n\r\nbody"), answer.npos) << query;
  }
  EXPECT_THAT(ask("GET", "/status"), StartsWith("HTTP/1.1 500 "));
  const std::string thrown = ask("GET", "/throws");
  EXPECT_THAT(thrown, StartsWith("HTTP/1.1 500 "));
  EXPECT_EQ(thrown.find("secret"), thrown.npos);
}

class RefusesRoutes final : public Interceptor {
 public:
  Status on_start(CallInfo& call) override {
    if (call.method != "GET /closed") return {};
    return {StatusCode::permission_denied, "closed"};
  }
};

class InterceptedRoutes : public RoutesOfServer {
 protected:
  InterceptedRoutes() : RoutesOfServer(options()) {}
  static ServerOptions options() {
    ServerOptions options;
    options.interceptors.push_back(std::make_shared<RefusesRoutes>());
    options.limits.max_message_bytes = 1000;
    return options;
  }
};

TEST_F(InterceptedRoutes, AreRefusedAndLimitedAsMethodsAre) {
  for (const char* path : {"/closed", "/open"}) {
    server.route("GET", path, [](const HttpRequest&) { return HttpResponse::text("ok"); });
  }
  server.route("PUT", "/file", [](const HttpRequest&) { return HttpResponse::text("ok"); });
  start();

  EXPECT_THAT(ask("GET", "/closed"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(ask("GET", "/open"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(ask("PUT", "/file", std::string(1000, 'x')), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(ask("PUT", "/file", std::string(1001, 'x')), StartsWith("HTTP/1.1 413 "));
}

TEST(HttpRequest, IsMadeFromHeaders) {
  const Metadata headers{{"trunkline-request", "GET /files/a%20b/c?x=1&y=%2B+%zz&x=2&=3&z"}, {"accept", "text/html"}};
  const HttpRequest request("GET /files/*", headers, Slice::from_static("body"));

  EXPECT_EQ(request.method(), "GET");
  EXPECT_EQ(request.path(), "/files/a b/c");
  EXPECT_EQ(request.rest(), "a b/c");
  EXPECT_EQ(request.query(), "x=1&y=%2B+%zz&x=2&=3&z");
  EXPECT_EQ(request.query_values("x"), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(request.query_value("y"), "+ %zz");
  EXPECT_EQ(request.query_value("z"), "");
  EXPECT_EQ(request.query_value("w"), std::nullopt);
  EXPECT_EQ(request.header("Accept"), "text/html");
  EXPECT_EQ(request.header("cookie"), "");
  EXPECT_EQ(request.body().text(), "body");
  const Metadata none;
  const HttpRequest empty("", none, {});
  EXPECT_EQ(empty.path(), "");
  EXPECT_EQ(empty.rest(), "");
}

}  // namespace
}  // namespace trunkline
