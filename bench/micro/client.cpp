// SPDX-License-Identifier: MIT
// The ways to call from a thread of the application: blocking, by futures, in a window, one-way. The server and the
// channel's loop have threads of their own, so that wake-ups between threads dominate the result.
#include "micro/measurement.h"

#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <benchmark/benchmark.h>

#include <unistd.h>
#include <chrono>
#include <future>
#include <string>
#include <vector>

namespace trunkline {
namespace {

class Service {
 public:
  explicit Service(const std::string& endpoint, bool is_blocking = false) {
    const auto echo = [](const std::string& request, std::string& response, ServerContext&) {
      response = request;
      return Status();
    };
    if (is_blocking) {
      server_.handle_blocking<std::string, std::string>("bench/Echo", echo);
    } else {
      server_.handle<std::string, std::string>("bench/Echo", echo);
    }
    endpoint_ = server_.listen(endpoint).to_string();
    status_ = server_.start();
  }
  std::string endpoint() const { return endpoint_; }
  const Status& status() const { return status_; }

 private:
  Server server_;
  std::string endpoint_;
  Status status_;
};

std::string unix_endpoint() { return "unix:///tmp/trunkline-bench-client-" + std::to_string(getpid()); }

/// A service and a channel to it, after one correct response.
class Sides {
 public:
  Sides(benchmark::State& state, const std::string& endpoint, bool is_blocking = false)
      : service_(endpoint, is_blocking), channel_(service_.endpoint()), method_(channel_.method("bench/Echo")) {
    const auto response = channel_.call<std::string>(method_, std::string("hello"));
    is_ready_ = service_.status().is_ok() && response.is_ok() && *response == "hello";
    if (!is_ready_) state.SkipWithError("the service does not respond");
  }
  explicit operator bool() const noexcept { return is_ready_; }
  Channel& channel() noexcept { return channel_; }
  const Method& method() const noexcept { return method_; }

 private:
  Service service_;
  Channel channel_;
  Method method_;
  bool is_ready_ = false;
};

void measure_blocking(benchmark::State& state, const std::string& endpoint, bool is_blocking) {
  Sides sides(state, endpoint, is_blocking);
  if (!sides) return;
  const std::string request(8, 'x');
  std::string response;
  bool is_right = true;

  bench::Measurement measurement(state);
  for (auto _ : state) {
    is_right = sides.channel().call(sides.method(), request, response).is_ok() && response == request && is_right;
  }
  measurement.finish(1, request.size() * 2);

  if (!is_right) state.SkipWithError("a wrong response");
}

void BM_BlockingCall_unix(benchmark::State& state) { measure_blocking(state, unix_endpoint(), false); }
void BM_BlockingCall_tcp(benchmark::State& state) { measure_blocking(state, "tcp://127.0.0.1:0", false); }
/// The handler runs on a worker thread.
void BM_BlockingHandler_unix(benchmark::State& state) { measure_blocking(state, unix_endpoint(), true); }
BENCHMARK(BM_BlockingCall_unix)->UseRealTime();
BENCHMARK(BM_BlockingCall_tcp)->UseRealTime();
BENCHMARK(BM_BlockingHandler_unix)->UseRealTime();

void BM_CallMany(benchmark::State& state) {
  constexpr std::size_t batch = 10000;
  Sides sides(state, unix_endpoint());
  if (!sides) return;
  const std::vector<std::string> requests(batch, std::string(8, 'x'));
  std::size_t right = 0;

  bench::Measurement measurement(state);
  for (auto _ : state) {
    sides.channel().call_many<std::string>(sides.method(), requests, static_cast<std::size_t>(state.range(0)),
                                           [&](std::size_t, const Result<std::string>& response) {
                                             right += response.is_ok() && response->size() == 8 ? 1 : 0;
                                           });
  }
  measurement.finish(batch, batch * 16);

  if (right != batch * static_cast<std::size_t>(state.iterations())) state.SkipWithError("a wrong response");
}
BENCHMARK(BM_CallMany)->ArgName("window")->Arg(1)->Arg(64)->Arg(512)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_Futures(benchmark::State& state) {
  const auto batch = static_cast<std::size_t>(state.range(0));
  Sides sides(state, unix_endpoint());
  if (!sides) return;
  const std::string request(8, 'x');
  std::vector<std::future<Result<std::string>>> responses(batch);
  bool is_right = true;

  bench::Measurement measurement(state);
  for (auto _ : state) {
    for (auto& response : responses) response = sides.channel().submit<std::string>(sides.method(), request);
    for (auto& response : responses) is_right = response.get().is_ok() && is_right;
  }
  measurement.finish(batch, batch * 16);

  if (!is_right) state.SkipWithError("a wrong response");
}
BENCHMARK(BM_Futures)->ArgName("batch")->Arg(1)->Arg(64)->UseRealTime();

/// One blocking call ends each batch: when it returns, the calls before it have run.
void BM_OneWay(benchmark::State& state) {
  constexpr std::size_t batch = 1000;
  Sides sides(state, unix_endpoint());
  if (!sides) return;
  const std::string request(8, 'x');
  bool is_right = true;

  bench::Measurement measurement(state);
  for (auto _ : state) {
    for (std::size_t i = 0; i < batch; ++i)
      is_right = sides.channel().call_oneway(sides.method(), request).is_ok() && is_right;
    is_right = sides.channel().call<std::string>(sides.method(), request).is_ok() && is_right;
  }
  measurement.finish(batch, batch * request.size());

  if (!is_right) state.SkipWithError("a call was refused");
}
BENCHMARK(BM_OneWay)->UseRealTime();

}  // namespace
}  // namespace trunkline
