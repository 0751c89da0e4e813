// SPDX-License-Identifier: MIT
// A call by the public API alone: a channel and a server on one loop over inproc://, so that no socket and no other
// thread stands between the handler and the completion.
#include "micro/allocation_counter.h"

#include <trunkline/channel.h>
#include <trunkline/server.h>
#ifdef TRUNKLINE_HAS_PROTOBUF
#include <trunkline/protobuf.h>

#include <google/protobuf/wrappers.pb.h>
#endif

#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <vector>

namespace trunkline {
namespace {

struct TextEcho {
  using Message = std::string;
  static Message make(std::size_t size) { return std::string(size, 'x'); }
  static std::size_t size(const Message& message) { return message.size(); }
  static Status echo(const Message& request, Message& response, ServerContext&) {
    response = request;
    return {};
  }
};

#ifdef TRUNKLINE_HAS_PROTOBUF
struct ProtobufEcho {
  using Message = google::protobuf::BytesValue;
  static Message make(std::size_t size) {
    Message message;
    message.set_value(std::string(size, 'x'));
    return message;
  }
  static std::size_t size(const Message& message) { return message.value().size(); }
  static Status echo(const Message& request, Message& response, ServerContext&) {
    response.set_value(request.value());
    return {};
  }
};
#endif

template <class Echo>
class Pair {
 public:
  Pair(const char* endpoint, int batch, std::size_t bytes)
      : server_(loop_),
        channel_(loop_, listen(endpoint)),
        method_(channel_.method("bench/Echo")),
        request_(Echo::make(bytes)),
        responses_(static_cast<std::size_t>(batch)) {}

  /// Makes the batch of calls and waits for their answers; false if one was wrong.
  bool round() {
    left_ = static_cast<int>(responses_.size());
    for (auto& response : responses_) {
      channel_.async_call(method_, request_, response, CallOptions(), [this, &response](const Status& status) {
        is_right_ = is_right_ && status.is_ok() && Echo::size(response) == Echo::size(request_);
        --left_;
      });
    }
    while (left_ > 0) loop_.poll();
    return is_right_;
  }
  /// Inside the loop, where a call takes no way through another thread's queue.
  template <class Function>
  void run(Function function) {
    loop_.post([&] {
      function();
      loop_.stop();
    });
    loop_.run();
  }

 private:
  std::string listen(const char* endpoint) {
    server_.handle<typename Echo::Message, typename Echo::Message>("bench/Echo", &Echo::echo);
    return server_.listen(endpoint).to_string();
  }

  EventLoop loop_;
  Server server_;
  Channel channel_;
  Method method_;
  typename Echo::Message request_;
  std::vector<typename Echo::Message> responses_;
  int left_ = 0;
  bool is_right_ = true;
};

/// allocations_per_call: of the client, the server and what is between them, in the steady state.
template <class Echo>
void BM_DispatchCall(benchmark::State& state) {
  const auto batch = static_cast<int>(state.range(0));
  Pair<Echo> pair("inproc://bench-dispatch", batch, static_cast<std::size_t>(state.range(1)));
  pair.run([&] {
    for (int i = 0; i < 100; ++i) {
      if (!pair.round()) return state.SkipWithError("a wrong answer");
    }
    const std::uint64_t before = bench::allocations();
    for (auto _ : state) {
      if (!pair.round()) return state.SkipWithError("a wrong answer");
    }
    const auto calls = static_cast<double>(state.iterations()) * batch;
    state.counters["calls_per_second"] = benchmark::Counter(calls, benchmark::Counter::kIsRate);
    state.counters["allocations_per_call"] = static_cast<double>(bench::allocations() - before) / calls;
  });
}
BENCHMARK_TEMPLATE(BM_DispatchCall, TextEcho)
    ->ArgsProduct({{1, 50, 500}, {8, 1024, 65536}})
    ->ArgNames({"batch", "bytes"});
#ifdef TRUNKLINE_HAS_PROTOBUF
BENCHMARK_TEMPLATE(BM_DispatchCall, ProtobufEcho)
    ->ArgsProduct({{1, 50, 500}, {8, 1024, 65536}})
    ->ArgNames({"batch", "bytes"});
#endif

}  // namespace
}  // namespace trunkline
