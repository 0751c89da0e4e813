// SPDX-License-Identifier: MIT
// contest_trunkline serve: plain functions that run on the loop; coroutines where an answer has to wait.
#include "modes.h"
#include "works.h"

#include <trunkline/channel.h>
#include <trunkline/protobuf.h>
#include <trunkline/server.h>

#include <asio/awaitable.hpp>
#if __has_include(<asio/deferred.hpp>)
#include <asio/deferred.hpp>
#else
#include <asio/experimental/deferred.hpp>
#endif
#include <asio/experimental/parallel_group.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

namespace trunkline::contest {
namespace {

using ::contest::EchoMessage;
#if __has_include(<asio/deferred.hpp>)
using asio::deferred;
#else
using asio::experimental::deferred;
#endif
using ::contest::TextMessage;

template <class Work>
void handle(Server& server, const char* method, const MethodOptions& method_options = {}) {
  using Request = typename Work::Request;
  using Response = typename Work::Response;
  server.handle<Request, Response>(
      method,
      [](const Request& request, Response& response, ServerContext&) {
        Work::answer(request, response);
        return Status::ok();
      },
      method_options);
}

/// The object for clients of web servers. None of its texts has to be escaped.
void route_object(Server& server) {
  std::string json = "{";
  const auto add = [&](const char* name, const char* text) {
    json.append("\"").append(name).append("\":\"").append(text).append("\",");
  };
  add("id", person::id);
  add("name", person::name);
  add("email", person::email);
  add("phone", person::phone);
  add("city", person::city);
  add("company", person::company);
  json.append("\"age\":").append(std::to_string(person::age)).append("}");
  server.route("GET", "/test", [body = Slice::from_string(std::move(json))](const HttpRequest&) {
    return HttpResponse{.content_type = "application/json", .body = body};
  });
}

void handle_delayed_echo(Server& server) {
  server.handle<EchoMessage, EchoMessage>(
      echo_method,
      [](const EchoMessage& request, EchoMessage& response, ServerContext& context) -> asio::awaitable<Status> {
        if (request.delay_us() > 0) {
          asio::steady_timer timer(context.executor(), std::chrono::microseconds(request.delay_us()));
          co_await timer.async_wait(asio::use_awaitable);
        }
        EchoWork::answer(request, response);
        co_return Status::ok();
      });
}

void handle_streams(Server& server) {
  server.handle_stream<TextMessage, TextMessage>(
      talk_method, [](ServerStream<TextMessage, TextMessage>& stream, ServerContext&) -> asio::awaitable<Status> {
        for (;;) {
          const auto message = co_await stream.async_read(asio::use_awaitable);
          if (!message || !message->has_value()) co_return message.status();
          const Status written = co_await stream.async_write(**message, asio::use_awaitable);
          if (!written) co_return written;
        }
      });
  server.handle_server_stream<EchoMessage, EchoMessage>(
      pour_method,
      [](const EchoMessage& request, ServerWriter<EchoMessage>& writer, ServerContext&) -> asio::awaitable<Status> {
        for (;;) {
          const Status written = co_await writer.async_write(request, asio::use_awaitable);
          if (!written) co_return written;
        }
      });
}

void handle_fan_out(Server& server, Channel& backend) {
  server.handle<EchoMessage, EchoMessage>(
      fan_out_method,
      [&backend, method = backend.method(echo_method)](const EchoMessage& request, EchoMessage& response,
                                                       ServerContext&) -> asio::awaitable<Status> {
        const auto ask = [&] { return backend.async_call<EchoMessage>(method, request, CallOptions{}, deferred); };
        const auto [order, first, second, third] =
            co_await asio::experimental::make_parallel_group(ask(), ask(), ask())
                .async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
        for (const auto* answer : {&first, &second, &third}) {
          if (!*answer) co_return answer->status();
          if ((*answer)->payload() != request.payload()) co_return Status(StatusCode::data_loss, "a wrong answer");
        }
        EchoWork::answer(request, response);
        co_return Status::ok();
      });
}

ServerOptions server_options(const Options& options) {
  ServerOptions made;
  // Not even the deepest window of the contest is refused.
  made.max_concurrent_calls_per_connection = 1 << 17;
  made.limits.max_message_bytes = 2 * large_bytes;
  made.tls.certificate_file = options.certificate;
  made.tls.private_key_file = options.key;
  made.loop.busy_poll = std::chrono::microseconds(options.busy_poll ? 50 : 0);
  return made;
}

}  // namespace

int serve(const Options& options) {
  const ServerOptions settings = server_options(options);
  EventLoop loop(settings.loop);
  Server server(loop, settings);
  std::optional<Channel> backend;
  if (options.is("long_tail")) {
    handle_delayed_echo(server);
  } else {
    handle<EchoWork>(server, echo_method);
  }
  handle<TextWork>(server, text_method);
  handle<MultiplyWork>(server, multiply_method);
  handle<ObjectWork>(server, object_method, {.no_side_effects = true});
  route_object(server);
  handle_streams(server);
  if (!options.backend.empty()) handle_fan_out(server, backend.emplace(loop, options.backend));
  say_listening(server.listen(options.has_tls() ? "tls://127.0.0.1:0" : "tcp://127.0.0.1:0").to_string());
  if (const Status started = server.start(); !started) {
    return std::fprintf(stderr, "contest_trunkline: %s\n", started.to_string().c_str()), 1;
  }
  loop.run();
  return 0;
}

}  // namespace trunkline::contest
