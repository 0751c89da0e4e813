// SPDX-License-Identifier: MIT
// TestingService: the service that gRPC's interoperability clients call.
#pragma once

#include <grpc_testing/test.trunkline.h>

namespace trunkline::conformance {

namespace testing = grpc::testing;

class TestingService : public testing::TestService::PartialService {
 public:
  Status empty_call(const testing::Empty&, testing::Empty&, ServerContext&) { return {}; }
  Status unary_call(const testing::SimpleRequest& request, testing::SimpleResponse& response, ServerContext& context);
  asio::awaitable<Status> streaming_output_call(const testing::StreamingOutputCallRequest& request,
                                                ServerWriter<testing::StreamingOutputCallResponse>& responses,
                                                ServerContext& context);
  asio::awaitable<Status> streaming_input_call(ServerReader<testing::StreamingInputCallRequest>& requests,
                                               testing::StreamingInputCallResponse& response, ServerContext&);
  asio::awaitable<Status> full_duplex_call(
      ServerStream<testing::StreamingOutputCallRequest, testing::StreamingOutputCallResponse>& stream,
      ServerContext& context);
};

}  // namespace trunkline::conformance
