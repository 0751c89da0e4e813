// SPDX-License-Identifier: MIT
// load_client: keeps a window of calls in progress on one loop, by the public API alone, and checks the responses.
#include "load_echo.pb.h"
#include "load_options.h"
#include "load_report.h"

#include <trunkline/channel.h>
#include <trunkline/protobuf.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace trunkline::bench {
namespace {

using Clock = LoadReport::Clock;

/// One of the calls in progress, made again and again with the same response object.
struct Slot {
  Channel* channel = nullptr;
  const Method* method = nullptr;
  LoadMessage response;
  bool sampled = false;
  Clock::time_point sent;
};

class LoadClient {
 public:
  explicit LoadClient(const LoadOptions& options);

  /// Prints the report if every call succeeded.
  Status run();

 private:
  void begin();
  void start(Slot& slot);
  void finish(Slot& slot, const Status& status);

  LoadOptions options_;
  EventLoop loop_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<Method> methods_;
  std::vector<Slot> slots_;
  LoadMessage request_;
  CallOptions call_options_;
  LoadReport report_;
  /// Reading the clock costs as much as a tenth of a call, so only one call in `stride_` is timed.
  std::uint64_t stride_;
  std::uint64_t started_ = 0;
  std::uint64_t unrecorded_ = 0;
  std::size_t open_ = 0;
  bool stopping_ = false;
  Status error_;
};

EventLoopOptions loop_options(const LoadOptions& options) {
  return {.busy_poll = std::chrono::microseconds(options.busy_poll ? 50 : 0)};
}

LoadClient::LoadClient(const LoadOptions& options)
    : options_(options),
      loop_(loop_options(options)),
      slots_(static_cast<std::size_t>(options.outstanding)),
      report_(options.warmup, options.seconds),
      stride_(options.outstanding >= 16 ? 16 : 1) {
  request_.set_payload(std::string(options.bytes, 'x'));
  ChannelOptions channel_options;
  channel_options.transport.congestion_control = options.congestion;
  for (int index = 0; index < options.connections; ++index) {
    channels_.push_back(std::make_unique<Channel>(loop_, options.endpoint, channel_options));
    methods_.push_back(channels_.back()->method("trunkline.bench.LoadEcho/Echo"));
  }
  for (std::size_t index = 0; index < slots_.size(); ++index) {
    slots_[index].channel = channels_[index % channels_.size()].get();
    slots_[index].method = &methods_[index % channels_.size()];
  }
}

void LoadClient::start(Slot& slot) {
  slot.sampled = started_++ % stride_ == 0;
  if (slot.sampled) slot.sent = Clock::now();
  slot.channel->async_call(*slot.method, request_, slot.response, call_options_,
                           [this, &slot](const Status& status) { finish(slot, status); });
}

void LoadClient::finish(Slot& slot, const Status& status) {
  const auto& payload = slot.response.payload();
  if (!status) {
    error_ = status;
  } else if (payload.size() != options_.bytes || (slot.sampled && payload != request_.payload())) {
    error_ = Status(StatusCode::data_loss, "a response differs from its request");
  }
  ++unrecorded_;
  if (slot.sampled) {
    const auto now = Clock::now();
    report_.record(slot.sent, now, unrecorded_);
    unrecorded_ = 0;
    stopping_ = stopping_ || !report_.is_running(now);
  }
  stopping_ = stopping_ || !error_;
  if (!stopping_) return start(slot);
  if (--open_ == 0) loop_.stop();
}

// On the loop, where waiting runs the loop in the meantime.
void LoadClient::begin() {
  for (auto& channel : channels_) {
    error_ = channel->wait_for_ready(std::chrono::seconds(5));
    if (!error_) return loop_.stop();
  }
  report_ = LoadReport(options_.warmup, options_.seconds);
  open_ = slots_.size();
  for (auto& slot : slots_) start(slot);
}

Status LoadClient::run() {
  loop_.post([this] { begin(); });
  loop_.run();
  channels_.clear();
  if (error_) report_.print();
  return error_;
}

}  // namespace
}  // namespace trunkline::bench

int main(int count, char** arguments) {
  const auto options = trunkline::bench::parse_load_options("client", count, arguments);
  if (!options) return 2;
  try {
    trunkline::bench::LoadClient client(*options);
    const trunkline::Status status = client.run();
    if (!status) std::fprintf(stderr, "load_client: %s\n", status.to_string().c_str());
    return status ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "load_client: %s\n", error.what());
    return 1;
  }
}
