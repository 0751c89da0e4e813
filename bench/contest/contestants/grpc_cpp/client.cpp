// SPDX-License-Identifier: MIT
// contest_grpc_cpp call: one completion queue on one thread; every answer starts its slot's next call.
#include "contest.grpc.pb.h"
#include "modes.h"
#include "works.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace trunkline::contest {
namespace {

using ::contest::Contest;
using ::contest::EchoMessage;
using ::contest::TextMessage;
using Stubs = std::vector<std::unique_ptr<Contest::Stub>>;

Stubs connect(const Options& options) {
  Stubs stubs;
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (options.has_tls()) credentials = grpc::SslCredentials({text_of(options.certificate), "", ""});
  for (std::size_t index = 0; index < options.connections; ++index) {
    grpc::ChannelArguments arguments;
    // Otherwise channels to one address share one connection.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxReceiveMessageSize(-1);
    if (options.has_tls()) arguments.SetSslTargetNameOverride("localhost");
    const auto channel = grpc::CreateCustomChannel(options.target, credentials, arguments);
    if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(10))) return {};
    stubs.push_back(Contest::NewStub(channel));
  }
  return stubs;
}

int fail(const std::string& reason) {
  return std::fprintf(stderr, "contest_grpc_cpp: call failed or answered wrongly: %s\n", reason.c_str()), 1;
}

template <class Work>
using Reader = std::unique_ptr<grpc::ClientAsyncResponseReader<typename Work::Response>>;
template <class Work>
using Begin = Reader<Work> (Contest::Stub::*)(grpc::ClientContext*, const typename Work::Request&,
                                              grpc::CompletionQueue*);

template <class Work>
struct UnarySlot {
  Contest::Stub* stub = nullptr;
  Turn turn;
  std::optional<grpc::ClientContext> context;
  Reader<Work> reader;
  typename Work::Response response;
  grpc::Status status;
};

template <class Work, Begin<Work> begin>
int call_unary(const Options& options, const Stubs& stubs) {
  const Work work(options);
  Pace pace(options);
  grpc::CompletionQueue queue;
  std::vector<UnarySlot<Work>> slots(options.outstanding);
  const auto start = [&](UnarySlot<Work>& slot) {
    slot.context.emplace();
    pace.start(slot.turn);
    slot.reader = (slot.stub->*begin)(&*slot.context, work.request(slot.turn), &queue);
    slot.reader->Finish(&slot.response, &slot.status, &slot);
  };
  pace.begin();
  for (std::size_t index = 0; index < slots.size(); ++index) {
    slots[index].stub = stubs[index % stubs.size()].get();
    slots[index].turn.is_large = options.is("mixed") && index < stubs.size();
    start(slots[index]);
  }
  void* tag = nullptr;
  bool ok = false;
  for (std::size_t open = slots.size(); open > 0 && queue.Next(&tag, &ok);) {
    auto& slot = *static_cast<UnarySlot<Work>*>(tag);
    if (!slot.status.ok() || !work.is_right(slot.turn, slot.response)) return fail(slot.status.error_message());
    if (pace.finish(slot.turn)) {
      start(slot);
    } else {
      --open;
    }
  }
  pace.print();
  return 0;
}

/// One stream for each slot, which goes to and fro.
struct StreamSlot {
  enum class Step { open, write, read };

  Turn turn;
  grpc::ClientContext context;
  TextMessage response;
  std::unique_ptr<grpc::ClientAsyncReaderWriter<TextMessage, TextMessage>> stream;
  Step step = Step::open;
};

int call_stream(const Options& options, const Stubs& stubs) {
  const TextWork work(options);
  Pace pace(options);
  grpc::CompletionQueue queue;
  std::vector<StreamSlot> slots(options.outstanding);
  pace.begin();
  for (std::size_t index = 0; index < slots.size(); ++index) {
    slots[index].stream = stubs[index % stubs.size()]->AsyncTalk(&slots[index].context, &queue, &slots[index]);
  }
  void* tag = nullptr;
  bool ok = false;
  for (std::size_t open = slots.size(); open > 0 && queue.Next(&tag, &ok);) {
    auto& slot = *static_cast<StreamSlot*>(tag);
    if (!ok) return fail("the stream has ended");
    if (slot.step == StreamSlot::Step::write) {
      slot.step = StreamSlot::Step::read;
      slot.stream->Read(&slot.response, &slot);
      continue;
    }
    if (slot.step == StreamSlot::Step::read) {
      if (!work.is_right(slot.turn, slot.response)) return fail("");
      if (!pace.finish(slot.turn)) {
        --open;
        continue;
      }
    }
    pace.start(slot.turn);
    slot.step = StreamSlot::Step::write;
    slot.stream->Write(work.request(slot.turn), &slot);
  }
  pace.print();
  std::fflush(stdout);
  std::_Exit(0);  // the streams are still open
}

/// Reads 50 messages a second from a server that would send far more, until the process is killed.
int read_slowly(const Options& options, Contest::Stub& stub) {
  EchoMessage request;
  EchoMessage message;
  request.set_payload(letters(options.bytes));
  grpc::ClientContext context;
  const auto stream = stub.Pour(&context, request);
  for (bool is_first = true; stream->Read(&message); is_first = false) {
    if (message.payload() != request.payload()) return fail("");
    if (is_first) std::puts("reading"), std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return fail("the stream has ended");
}

}  // namespace

int call(const Options& options) {
  using Stub = Contest::Stub;
  const Stubs stubs = connect(options);
  if (stubs.empty()) return fail("no connection within 10 s");
  if (options.is("slow_reader")) return read_slowly(options, *stubs[0]);
  if (options.is("stream")) return call_stream(options, stubs);
  if (options.is("text")) return call_unary<TextWork, &Stub::AsyncSay>(options, stubs);
  if (options.is("multiply")) return call_unary<MultiplyWork, &Stub::AsyncMultiply>(options, stubs);
  if (options.is("object")) return call_unary<ObjectWork, &Stub::AsyncFindOne>(options, stubs);
  if (options.is("fan_out")) return call_unary<EchoWork, &Stub::AsyncFanOut>(options, stubs);
  return call_unary<EchoWork, &Stub::AsyncEcho>(options, stubs);
}

}  // namespace trunkline::contest
