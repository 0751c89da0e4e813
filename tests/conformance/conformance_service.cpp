// SPDX-License-Identifier: MIT
// The methods of the conformance service, as coroutines.
#include "conformance_service.h"

#include <google/protobuf/any.pb.h>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace trunkline::conformance {

namespace {

using Info = v1::ConformancePayload::RequestInfo;
using Headers = google::protobuf::RepeatedPtrField<v1::Header>;

Info info_of(const ServerContext& context) {
  Info info;
  std::map<std::string_view, v1::Header*> by_name;
  for (const auto& [name, value] : context.metadata()) {
    v1::Header*& header = by_name[name];
    if (header == nullptr) header = info.add_request_headers();
    header->set_name(name);
    header->add_value(value);
  }
  if (context.deadline() != std::chrono::steady_clock::time_point::max()) {
    info.set_timeout_ms(std::chrono::duration_cast<std::chrono::milliseconds>(context.time_left()).count());
  }
  return info;
}

void add_request(const google::protobuf::Message& request, Info& info) { info.add_requests()->PackFrom(request); }

void add_headers(const Headers& leading, const Headers& trailing, ServerContext& context) {
  for (const v1::Header& header : leading) {
    for (const std::string& value : header.value()) context.add_leading_metadata(header.name(), value);
  }
  for (const v1::Header& header : trailing) {
    for (const std::string& value : header.value()) context.add_trailing_metadata(header.name(), value);
  }
}

Status status_of(const v1::Error& error, const Info* info) {
  Status status(static_cast<StatusCode>(error.code()), error.message());
  for (const google::protobuf::Any& detail : error.details()) status.add_detail(detail.type_url(), detail.value());
  if (info != nullptr) add_detail(status, *info);
  return status;
}

asio::awaitable<void> wait(std::uint32_t milliseconds, const ServerContext& context) {
  if (milliseconds == 0) co_return;
  asio::steady_timer timer(context.executor(), std::chrono::milliseconds(milliseconds));
  co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<Status> respond(const v1::UnaryResponseDefinition& definition, Info info,
                                v1::ConformancePayload& payload, ServerContext& context) {
  add_headers(definition.response_headers(), definition.response_trailers(), context);
  co_await wait(definition.response_delay_ms(), context);
  if (definition.has_error()) co_return status_of(definition.error(), &info);
  payload.set_data(definition.response_data());
  *payload.mutable_request_info() = std::move(info);
  co_return Status::ok();
}

/// What is left of the definition, from the response `next` on, and its error. `info` goes with the first response.
template <class Response, class Stream>
asio::awaitable<Status> respond_all(const v1::StreamResponseDefinition& definition, int next, Info info, Stream& stream,
                                    ServerContext& context) {
  const bool has_responded = next > 0;
  for (; next < definition.response_data_size(); ++next) {
    co_await wait(definition.response_delay_ms(), context);
    Response response;
    response.mutable_payload()->set_data(definition.response_data(next));
    if (next == 0) *response.mutable_payload()->mutable_request_info() = info;
    if (Status written = co_await stream.async_write(response, asio::use_awaitable); !written) co_return written;
  }
  if (!definition.has_error()) co_return Status::ok();
  const bool is_alone = !has_responded && definition.response_data_size() == 0;
  co_return status_of(definition.error(), is_alone ? &info : nullptr);
}

}  // namespace

asio::awaitable<Status> ConformanceService::unary(const v1::UnaryRequest& request, v1::UnaryResponse& response,
                                                  ServerContext& context) {
  Info info = info_of(context);
  add_request(request, info);
  co_return co_await respond(request.response_definition(), std::move(info), *response.mutable_payload(), context);
}

asio::awaitable<Status> ConformanceService::idempotent_unary(const v1::IdempotentUnaryRequest& request,
                                                             v1::IdempotentUnaryResponse& response,
                                                             ServerContext& context) {
  Info info = info_of(context);
  add_request(request, info);
  co_return co_await respond(request.response_definition(), std::move(info), *response.mutable_payload(), context);
}

asio::awaitable<Status> ConformanceService::server_stream(const v1::ServerStreamRequest& request,
                                                          ServerWriter<v1::ServerStreamResponse>& responses,
                                                          ServerContext& context) {
  const v1::StreamResponseDefinition& definition = request.response_definition();
  Info info = info_of(context);
  add_request(request, info);
  add_headers(definition.response_headers(), definition.response_trailers(), context);
  co_return co_await respond_all<v1::ServerStreamResponse>(definition, 0, std::move(info), responses, context);
}

asio::awaitable<Status> ConformanceService::client_stream(ServerReader<v1::ClientStreamRequest>& requests,
                                                          v1::ClientStreamResponse& response, ServerContext& context) {
  Info info = info_of(context);
  std::optional<v1::UnaryResponseDefinition> definition;
  for (;;) {
    auto next = co_await requests.async_read(asio::use_awaitable);
    if (!next) co_return next.status();
    if (!next->has_value()) break;
    if (!definition) definition = (*next)->response_definition();
    add_request(**next, info);
  }
  co_return co_await respond(definition.value_or(v1::UnaryResponseDefinition()), std::move(info),
                             *response.mutable_payload(), context);
}

asio::awaitable<Status> ConformanceService::bidi_stream(
    ServerStream<v1::BidiStreamRequest, v1::BidiStreamResponse>& stream, ServerContext& context) {
  Info info = info_of(context);
  std::optional<v1::StreamResponseDefinition> definition;
  bool is_full_duplex = false;
  int responses = 0;
  for (;;) {
    auto next = co_await stream.async_read(asio::use_awaitable);
    if (!next) co_return next.status();
    if (!next->has_value()) break;
    add_request(**next, info);
    if (!definition) {
      definition = (*next)->response_definition();
      is_full_duplex = (*next)->full_duplex();
      add_headers(definition->response_headers(), definition->response_trailers(), context);
    }
    if (!is_full_duplex) continue;
    if (responses == definition->response_data_size()) break;
    co_await wait(definition->response_delay_ms(), context);
    v1::BidiStreamResponse response;
    response.mutable_payload()->set_data(definition->response_data(responses++));
    *response.mutable_payload()->mutable_request_info() = std::move(info);
    if (Status written = co_await stream.async_write(response, asio::use_awaitable); !written) co_return written;
    info.Clear();
  }
  if (!definition) co_return Status::ok();
  co_return co_await respond_all<v1::BidiStreamResponse>(*definition, responses, std::move(info), stream, context);
}

}  // namespace trunkline::conformance
