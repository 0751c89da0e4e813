// SPDX-License-Identifier: MIT
// A call by the public API alone over inproc://: plain, and with what options add to it.
#include "micro/echo_rounds.h"

#include <trunkline/interceptor.h>
#include <trunkline/statistics_service.h>
#ifdef TRUNKLINE_HAS_PROTOBUF
#include <trunkline/protobuf.h>

#include <google/protobuf/wrappers.pb.h>
#endif

#include <chrono>
#include <memory>
#include <string>

namespace trunkline::bench {
namespace {

constexpr const char* endpoint = "inproc://bench-dispatch";

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
void BM_DispatchCall(benchmark::State& state) {
  const auto batch = static_cast<std::size_t>(state.range(0));
  const auto bytes = static_cast<std::size_t>(state.range(1));
  EchoPair<Echo> pair(endpoint, batch, bytes);
  measure_rounds(state, pair, batch, bytes);
}
BENCHMARK_TEMPLATE(BM_DispatchCall, TextEcho)
    ->ArgsProduct({{1, 50, 500}, {8, 1024, 65536}})
    ->ArgNames({"batch", "bytes"});
#ifdef TRUNKLINE_HAS_PROTOBUF
BENCHMARK_TEMPLATE(BM_DispatchCall, ProtobufEcho)
    ->ArgsProduct({{1, 50, 500}, {8, 1024, 65536}})
    ->ArgNames({"batch", "bytes"});
#endif

/// What a call of 8 bytes costs more with one of the options.
void measure_small(benchmark::State& state, EchoPair<TextEcho>& pair) { measure_rounds(state, pair, 50, 8); }

void BM_CallWithDeadline(benchmark::State& state) {
  CallOptions options;
  options.timeout = std::chrono::seconds(10);
  EchoPair<TextEcho> pair(endpoint, 50, 8, {}, {}, options);
  measure_small(state, pair);
}
BENCHMARK(BM_CallWithDeadline);

void BM_CallWithMetadata(benchmark::State& state) {
  CallOptions options;
  for (std::int64_t i = 0; i < state.range(0); ++i)
    options.metadata.add("x-request-" + std::to_string(i), "0123456789");
  EchoPair<TextEcho> pair(endpoint, 50, 8, {}, {}, options);
  measure_small(state, pair);
}
BENCHMARK(BM_CallWithMetadata)->ArgName("entries")->Arg(1)->Arg(8);

void BM_CallWithInterceptors(benchmark::State& state) {
  ServerOptions server_options;
  ChannelOptions channel_options;
  server_options.interceptors = {std::make_shared<Interceptor>()};
  channel_options.interceptors = {std::make_shared<Interceptor>()};
  EchoPair<TextEcho> pair(endpoint, 50, 8, server_options, channel_options);
  measure_small(state, pair);
}
BENCHMARK(BM_CallWithInterceptors);

void BM_CallWithStatistics(benchmark::State& state) {
  EchoPair<TextEcho> pair(endpoint, 50, 8);
  pair.server().collect_statistics();
  measure_small(state, pair);
}
BENCHMARK(BM_CallWithStatistics);

}  // namespace
}  // namespace trunkline::bench
