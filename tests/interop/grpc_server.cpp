// SPDX-License-Identifier: MIT
// Hosts the service of wrapper_types.proto and an empty page until SIGTERM, for clients of other makes.
// Usage: grpc_server ENDPOINT [CERTIFICATE KEY]
#include <trunkline/http_response.h>
#include <trunkline/protobuf.h>
#include <trunkline/server.h>

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/empty.pb.h>
#include <google/protobuf/wrappers.pb.h>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <utility>

namespace trunkline::interop {

namespace {

using google::protobuf::BytesValue;
using google::protobuf::Int64Value;
using google::protobuf::StringValue;

void echo_metadata(ServerContext& context) {
  for (const auto& [name, value] : context.metadata()) {
    if (name.starts_with("leading-")) context.add_leading_metadata(name, value);
    if (name.starts_with("trailing-")) context.add_trailing_metadata(name, value);
  }
}

Status failure() {
  google::protobuf::Duration duration;
  duration.set_seconds(7);
  Status status(StatusCode::failed_precondition, "100 % caf\xc3\xa9\n");
  return add_detail(status, duration).add_detail("example.com/opaque", std::string("\x00\xff", 2));
}

Int64Value number(std::int64_t of) {
  Int64Value value;
  value.set_value(of);
  return value;
}

/// What has become of calls that wait or stream. Read and written on the loop alone.
struct Calls {
  std::int64_t hanging = 0;
  std::int64_t cancelled = 0;
};

asio::awaitable<Status> range(const Int64Value& size, ServerWriter<Int64Value>& responses, ServerContext& context,
                              Calls& calls) {
  echo_metadata(context);
  try {
    for (std::int64_t i = 0; i < size.value(); ++i) {
      Status written = co_await responses.async_write(number(i), asio::use_awaitable);
      if (written) continue;
      // A write that is under way when the call is cancelled says so itself.
      ++calls.cancelled;
      co_return written;
    }
  } catch (const std::exception&) {
    ++calls.cancelled;
    throw;
  }
  co_return Status::ok();
}

asio::awaitable<Status> fail_late(const StringValue&, ServerWriter<Int64Value>& responses, ServerContext& context) {
  echo_metadata(context);
  if (Status written = co_await responses.async_write(number(1), asio::use_awaitable); !written) co_return written;
  co_return failure();
}

asio::awaitable<Status> sum(ServerReader<Int64Value>& requests, Int64Value& response, ServerContext&) {
  for (;;) {
    Result<std::optional<Int64Value>> next = co_await requests.async_read(asio::use_awaitable);
    if (!next) co_return next.status();
    if (!next->has_value()) co_return Status::ok();
    response.set_value(response.value() + (*next)->value());
  }
}

asio::awaitable<Status> chat(ServerStream<BytesValue, BytesValue>& stream, ServerContext& context) {
  echo_metadata(context);
  for (;;) {
    Result<std::optional<BytesValue>> next = co_await stream.async_read(asio::use_awaitable);
    if (!next) co_return next.status();
    if (!next->has_value()) co_return Status::ok();
    if (Status written = co_await stream.async_write(**next, asio::use_awaitable); !written) co_return written;
  }
}

/// Waits for its cancellation.
asio::awaitable<Result<Int64Value>> hang(const Int64Value&, ServerContext& context, Calls& calls) {
  asio::steady_timer timer(context.executor(), std::chrono::minutes(1));
  ++calls.hanging;
  try {
    co_await timer.async_wait(asio::use_awaitable);
  } catch (const std::exception&) {
    --calls.hanging;
    ++calls.cancelled;
    throw;
  }
  --calls.hanging;
  co_return Int64Value();
}

/// In milliseconds; -1: the call has no deadline.
Int64Value time_left(const ServerContext& context) {
  if (context.deadline() == std::chrono::steady_clock::time_point::max()) return number(-1);
  return number(std::chrono::duration_cast<std::chrono::milliseconds>(context.time_left()).count());
}

/// Methods whose result depends on nothing but the request.
void add_plain_methods(Server& server) {
  server.handle<BytesValue, BytesValue>("interop.Grpc/Echo",
                                        [](const BytesValue& request, ServerContext& context) {
                                          echo_metadata(context);
                                          return request;
                                        },
                                        {.no_side_effects = true});
  server.handle<StringValue, StringValue>("interop.Grpc/Fail",
                                          [](const StringValue&, ServerContext& context) -> Result<StringValue> {
                                            echo_metadata(context);
                                            return failure();
                                          });
  server.handle<StringValue, StringValue>(
      "interop.Grpc/Throw",
      [](const StringValue&, ServerContext&) -> Result<StringValue> { throw std::runtime_error("secret"); });
  server.handle_server_stream<StringValue, Int64Value>("interop.Grpc/FailLate", &fail_late);
  server.handle_client_stream<Int64Value, Int64Value>("interop.Grpc/Sum", &sum);
  server.handle_stream<BytesValue, BytesValue>("interop.Grpc/Chat", &chat);
  server.handle<Int64Value, Int64Value>("interop.Grpc/TimeLeft",
                                        [](const Int64Value&, ServerContext& context) { return time_left(context); });
  server.handle<Int64Value, Int64Value>("interop.Grpc/Process",
                                        [](const Int64Value&, ServerContext&) { return number(::getpid()); });
}

void add_counted_methods(Server& server, Calls& calls) {
  server.handle_server_stream<Int64Value, Int64Value>(
      "interop.Grpc/Range", [&calls](const Int64Value& size, ServerWriter<Int64Value>& responses,
                                     ServerContext& context) { return range(size, responses, context, calls); });
  server.handle<Int64Value, Int64Value>(
      "interop.Grpc/Hang",
      [&calls](const Int64Value& request, ServerContext& context) { return hang(request, context, calls); });
  server.handle<Int64Value, Int64Value>("interop.Grpc/Hanging",
                                        [&calls](const Int64Value&, ServerContext&) { return number(calls.hanging); });
  server.handle<Int64Value, Int64Value>(
      "interop.Grpc/Cancelled", [&calls](const Int64Value&, ServerContext&) { return number(calls.cancelled); });
}

int serve(const char* endpoint, ServerOptions options) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Calls calls;
  Server server(std::move(options));
  add_plain_methods(server);
  add_counted_methods(server, calls);
  server.route("GET", "/page",
               [](const HttpRequest&) { return HttpResponse::html("<!doctype html><title>page</title>"); });
  std::cout << "listening on " << server.listen(endpoint).to_string() << std::endl;
  if (Status started = server.start(); !started) throw StatusError(started);
  int signal = 0;
  sigwait(&signals, &signal);
  const Status drained = server.shutdown(std::chrono::seconds(20));
  std::cout << "stopped: " << drained.to_string() << std::endl;
  return drained ? 0 : 1;
}

}  // namespace

}  // namespace trunkline::interop

int main(int argc, char** argv) {
  if (argc != 2 && argc != 4) {
    std::cerr << "usage: " << argv[0] << " ENDPOINT [CERTIFICATE KEY]\n";
    return 2;
  }
  try {
    trunkline::ServerOptions options;
    if (argc == 4) {
      options.tls.certificate_file = argv[2];
      options.tls.private_key_file = argv[3];
    }
    return trunkline::interop::serve(argv[1], std::move(options));
  } catch (const std::exception& error) {
    std::cerr << "grpc_server: " << error.what() << "\n";
    return 1;
  }
}
