// SPDX-License-Identifier: MIT
// grpc_peer serve: the completion-queue API on one thread, with enough calls requested ahead for the deepest window.
#include "grpc_peer_modes.h"
#include "load_echo.grpc.pb.h"

#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <memory>

namespace trunkline::bench {
namespace {

/// One call that is awaited or in progress. Makes its own successor and deletes itself.
class EchoCall {
 public:
  EchoCall(LoadEcho::AsyncService& service, grpc::ServerCompletionQueue& queue)
      : service_(service), queue_(queue), writer_(&context_) {
    service_.RequestEcho(&context_, &request_, &writer_, &queue_, &queue_, this);
  }

  void proceed(bool ok) {
    if (finished_ || !ok) {
      delete this;
      return;
    }
    new EchoCall(service_, queue_);
    finished_ = true;
    response_.mutable_payload()->swap(*request_.mutable_payload());
    writer_.Finish(response_, grpc::Status::OK, this);
  }

 private:
  LoadEcho::AsyncService& service_;
  grpc::ServerCompletionQueue& queue_;
  grpc::ServerContext context_;
  LoadMessage request_;
  LoadMessage response_;
  grpc::ServerAsyncResponseWriter<LoadMessage> writer_;
  bool finished_ = false;
};

}  // namespace

int serve_grpc(const LoadOptions& options) {
  constexpr int requested_ahead = 1000;
  LoadEcho::AsyncService service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(to_grpc_address(options.endpoint), grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::ServerCompletionQueue> queue = builder.AddCompletionQueue();
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) return std::fprintf(stderr, "grpc_peer: listen on %s failed\n", options.endpoint.c_str()), 1;
  if (options.endpoint.starts_with("tcp://")) {
    std::printf("listening on %s:%d\n", options.endpoint.substr(0, options.endpoint.rfind(':')).c_str(), port);
  } else {
    std::printf("listening on %s\n", options.endpoint.c_str());
  }
  std::fflush(stdout);

  for (int index = 0; index < requested_ahead; ++index) new EchoCall(service, *queue);
  void* tag = nullptr;
  bool ok = false;
  while (queue->Next(&tag, &ok)) static_cast<EchoCall*>(tag)->proceed(ok);
  return 0;
}

}  // namespace trunkline::bench
