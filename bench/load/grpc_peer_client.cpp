// SPDX-License-Identifier: MIT
// grpc_peer client: the completion-queue API on one thread. Every response is checked and starts the next call.
#include "grpc_peer_modes.h"
#include "load_echo.grpc.pb.h"
#include "load_report.h"

#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trunkline::bench {
namespace {

using Clock = LoadReport::Clock;

/// One of the calls in progress, made again and again.
struct Slot {
  LoadEcho::Stub* stub = nullptr;
  std::optional<grpc::ClientContext> context;
  std::unique_ptr<grpc::ClientAsyncResponseReader<LoadMessage>> reader;
  LoadMessage response;
  grpc::Status status;
  Clock::time_point sent;

  void start(const LoadMessage& request, grpc::CompletionQueue& queue) {
    context.emplace();
    sent = Clock::now();
    reader = stub->AsyncEcho(&*context, request, &queue);
    reader->Finish(&response, &status, this);
  }
};

std::vector<std::unique_ptr<LoadEcho::Stub>> connect(const LoadOptions& options) {
  std::vector<std::unique_ptr<LoadEcho::Stub>> stubs;
  for (int index = 0; index < options.connections; ++index) {
    grpc::ChannelArguments arguments;
    // Without this, channels to one address share one connection.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxReceiveMessageSize(-1);
    const auto channel =
        grpc::CreateCustomChannel(to_grpc_address(options.endpoint), grpc::InsecureChannelCredentials(), arguments);
    if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(5))) return {};
    stubs.push_back(LoadEcho::NewStub(channel));
  }
  return stubs;
}

}  // namespace

int run_grpc_client(const LoadOptions& options) {
  const auto stubs = connect(options);
  if (stubs.empty())
    return std::fprintf(stderr, "grpc_peer: connect to %s: no connection within 5 s\n", options.endpoint.c_str()), 1;
  LoadMessage request;
  request.set_payload(std::string(options.bytes, 'x'));
  grpc::CompletionQueue queue;
  std::vector<Slot> slots(static_cast<std::size_t>(options.outstanding));
  LoadReport report(options.warmup, options.seconds);
  for (std::size_t index = 0; index < slots.size(); ++index) {
    slots[index].stub = stubs[index % stubs.size()].get();
    slots[index].start(request, queue);
  }
  std::size_t open = slots.size();
  void* tag = nullptr;
  bool ok = false;
  while (open > 0 && queue.Next(&tag, &ok)) {
    auto& slot = *static_cast<Slot*>(tag);
    if (!slot.status.ok() || slot.response.payload() != request.payload()) {
      std::fprintf(stderr, "grpc_peer: call failed or gave a wrong response: %s\n",
                   slot.status.error_message().c_str());
      return 1;
    }
    const auto now = Clock::now();
    report.record(slot.sent, now);
    if (report.is_running(now)) {
      slot.start(request, queue);
    } else {
      --open;
    }
  }
  report.print();
  return 0;
}

}  // namespace trunkline::bench
