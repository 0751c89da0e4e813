// SPDX-License-Identifier: MIT
// The methods of gRPC's test service.
#include "testing_service.h"

#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace trunkline::conformance {

namespace {

void echo_metadata(ServerContext& context) {
  constexpr std::string_view leading = "x-grpc-test-echo-initial";
  constexpr std::string_view trailing = "x-grpc-test-echo-trailing-bin";
  if (const auto value = context.metadata().get(leading)) context.add_leading_metadata(leading, *value);
  if (const auto value = context.metadata().get(trailing)) context.add_trailing_metadata(trailing, *value);
}

Status status_of(const testing::EchoStatus& wanted) {
  return {static_cast<StatusCode>(wanted.code()), wanted.message()};
}

std::string zeros(std::int32_t size) { return std::string(static_cast<std::size_t>(size), '\0'); }

template <class Writer>
asio::awaitable<Status> respond(const testing::StreamingOutputCallRequest& request, Writer& responses,
                                ServerContext& context) {
  for (const testing::ResponseParameters& wanted : request.response_parameters()) {
    if (wanted.interval_us() > 0) {
      asio::steady_timer timer(context.executor(), std::chrono::microseconds(wanted.interval_us()));
      co_await timer.async_wait(asio::use_awaitable);
    }
    testing::StreamingOutputCallResponse response;
    response.mutable_payload()->set_body(zeros(wanted.size()));
    if (Status written = co_await responses.async_write(response, asio::use_awaitable); !written) co_return written;
  }
  co_return Status::ok();
}

}  // namespace

Status TestingService::unary_call(const testing::SimpleRequest& request, testing::SimpleResponse& response,
                                  ServerContext& context) {
  echo_metadata(context);
  if (request.response_status().code() != 0) return status_of(request.response_status());
  response.mutable_payload()->set_body(zeros(request.response_size()));
  if (request.fill_server_id()) response.set_server_id("trunkline");
  return {};
}

asio::awaitable<Status> TestingService::streaming_output_call(
    const testing::StreamingOutputCallRequest& request, ServerWriter<testing::StreamingOutputCallResponse>& responses,
    ServerContext& context) {
  co_return co_await respond(request, responses, context);
}

asio::awaitable<Status> TestingService::streaming_input_call(ServerReader<testing::StreamingInputCallRequest>& requests,
                                                             testing::StreamingInputCallResponse& response,
                                                             ServerContext&) {
  for (;;) {
    auto next = co_await requests.async_read(asio::use_awaitable);
    if (!next) co_return next.status();
    if (!next->has_value()) co_return Status::ok();
    const auto size = static_cast<std::int32_t>((*next)->payload().body().size());
    response.set_aggregated_payload_size(response.aggregated_payload_size() + size);
  }
}

asio::awaitable<Status> TestingService::full_duplex_call(
    ServerStream<testing::StreamingOutputCallRequest, testing::StreamingOutputCallResponse>& stream,
    ServerContext& context) {
  echo_metadata(context);
  for (;;) {
    auto next = co_await stream.async_read(asio::use_awaitable);
    if (!next) co_return next.status();
    if (!next->has_value()) co_return Status::ok();
    if ((*next)->response_status().code() != 0) co_return status_of((*next)->response_status());
    if (Status sent = co_await respond(**next, stream, context); !sent) co_return sent;
  }
}

}  // namespace trunkline::conformance
