// SPDX-License-Identifier: MIT
// ConformanceService: the service that connectconformance calls, as its definition describes it.
#pragma once

#include <connectrpc/conformance/v1/service.trunkline.h>

namespace trunkline::conformance {

namespace v1 = connectrpc::conformance::v1;

/// IdempotentUnary is served as Unary is; Unimplemented is not served.
class ConformanceService : public v1::ConformanceService::PartialService {
 public:
  asio::awaitable<Status> unary(const v1::UnaryRequest& request, v1::UnaryResponse& response, ServerContext& context);
  asio::awaitable<Status> idempotent_unary(const v1::IdempotentUnaryRequest& request,
                                           v1::IdempotentUnaryResponse& response, ServerContext& context);
  asio::awaitable<Status> server_stream(const v1::ServerStreamRequest& request,
                                        ServerWriter<v1::ServerStreamResponse>& responses, ServerContext& context);
  asio::awaitable<Status> client_stream(ServerReader<v1::ClientStreamRequest>& requests,
                                        v1::ClientStreamResponse& response, ServerContext& context);
  asio::awaitable<Status> bidi_stream(ServerStream<v1::BidiStreamRequest, v1::BidiStreamResponse>& stream,
                                      ServerContext& context);
};

}  // namespace trunkline::conformance
