// SPDX-License-Identifier: MIT
// A client of a soak run.
// Usage: soak_client small|mixed RECORD NUMBER ENDPOINT AUTHORITY SECONDS SEED PAUSE_MS
// small: pipelined calls of a few bytes, as fast as they go; mixed: calls of every kind and size by four threads, with
// pauses of PAUSE_MS on average. RECORD gets an entry for each call. AUTHORITY is the certificate that TLS endpoints
// are verified with.
#include "request_header.h"

#include <trunkline/channel.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace trunkline::soak {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Longer than any outage of a server.
constexpr seconds call_timeout{30};
/// How long after its deadline a call may end on a machine that is busy.
constexpr seconds patience{15};

/// Any thread may use it.
class Calls {
 public:
  Calls(const std::string& path, std::uint64_t client) : file_(path, calls_per_client), client_(client) {}

  class Call {
   public:
    CallNumber number() const noexcept { return number_; }
    Clock::time_point begun() const noexcept { return begun_; }

   private:
    friend class Calls;
    CallNumber number_ = 0;
    Kind kind_ = Kind::small;
    Clock::time_point begun_;
  };

  bool is_full() const noexcept { return next_.load(std::memory_order_relaxed) >= calls_per_client - 100; }
  Call begin(Kind kind) {
    Call call;
    const std::uint64_t sequence = next_.fetch_add(1, std::memory_order_relaxed);
    call.number_ = client_ << sequence_bits | sequence;
    call.kind_ = kind;
    call.begun_ = Clock::now();
    file_.bytes()[sequence] = entry_of(kind, Outcome::begun);
    return call;
  }
  void end(const Call& call, const Status& status, bool is_as_expected = true) {
    const std::uint64_t sequence = call.number_ & (calls_per_client - 1);
    Outcome outcome = outcome_of(status, is_as_expected);
    if (outcome == Outcome::wrong) std::cerr << "call " << call.number_ << ": " << status.to_string() << std::endl;
    if (Clock::now() - call.begun_ > call_timeout + patience) outcome = Outcome::late;
    file_.bytes()[sequence] = entry_of(call.kind_, outcome);
  }

 private:
  static Outcome outcome_of(const Status& status, bool is_as_expected) {
    if (status.is_ok()) return is_as_expected ? Outcome::ok : Outcome::wrong;
    switch (status.code()) {
      case StatusCode::unavailable:
      case StatusCode::deadline_exceeded:
      case StatusCode::cancelled:
      case StatusCode::resource_exhausted:
        return status.may_have_run() ? Outcome::failed : Outcome::not_run;
      default:
        return Outcome::wrong;
    }
  }

  SharedFile file_;
  const std::uint64_t client_;
  std::atomic<std::uint64_t> next_{0};
};

struct Settings {
  std::string endpoint;
  std::string authority;
  Clock::time_point end;
  std::uint64_t seed = 0;
  milliseconds pause{};
};

ChannelOptions channel_options(const Settings& settings) {
  ChannelOptions options;
  options.tls.ca_file = settings.authority;
  options.tls.server_name = "localhost";
  options.backoff.initial = milliseconds(50);
  options.backoff.maximum = milliseconds(1000);
  return options;
}

// --- small calls ---

/// One call after the other; each completion begins the next one.
class SmallCall {
 public:
  SmallCall(Calls& calls, Channel& channel, const Method& method, const Settings& settings, std::size_t& open)
      : calls_(calls), channel_(channel), method_(method), settings_(settings), open_(open) {}

  void begin() {
    ++open_;
    call_ = calls_.begin(Kind::small);
    write_request(request_, {.number = call_.number(), .request_bytes = sizeof(RequestHeader), .response_bytes = 8});
    channel_.async_call(method_, request_, response_, {.timeout = call_timeout, .wait_for_ready = true},
                        [this](const Status& status) { ended(status); });
  }

 private:
  void ended(const Status& status) {
    --open_;
    calls_.end(call_, status, !status.is_ok() || is_filled(response_, call_.number(), 8));
    if (call_.begun() < settings_.end && !calls_.is_full()) begin();
  }

  Calls& calls_;
  Channel& channel_;
  const Method& method_;
  const Settings& settings_;
  std::size_t& open_;
  Calls::Call call_;
  std::string request_;
  std::string response_;
};

void call_small(Calls& calls, const Settings& settings) {
  constexpr std::size_t window = 400;
  EventLoop loop;
  Channel channel(loop, settings.endpoint, channel_options(settings));
  const Method method = channel.method("soak/Echo");
  std::size_t open = 0;
  std::vector<SmallCall> slots(window, SmallCall(calls, channel, method, settings, open));
  loop.post([&slots] {
    for (SmallCall& slot : slots) slot.begin();
  });
  do loop.run_for(milliseconds(100));
  while (open > 0 && Clock::now() < settings.end + call_timeout + patience);
}

// --- calls of every kind ---

class MixedCalls {
 public:
  MixedCalls(Calls& calls, Channel& channel, const Settings& settings, std::uint64_t thread)
      : calls_(calls), channel_(channel), settings_(settings), random_(settings.seed * 1000 + thread) {}

  void run() {
    while (Clock::now() < settings_.end) {
      one();
      shrink(request_);
      shrink(response_);
      std::this_thread::sleep_for(milliseconds(below(static_cast<std::uint64_t>(2 * settings_.pause.count() + 1))));
    }
  }

 private:
  /// The longest message so far would be seen as growing memory.
  static void shrink(std::string& message) {
    if (message.capacity() > (1u << 20)) std::string().swap(message);
  }
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  /// Most are short; one of a hundred may be as long as messages get.
  std::size_t draw_size() {
    const std::uint64_t chance = below(1000);
    if (chance < 50) return 0;
    if (chance < 600) return below(1000);
    if (chance < 900) return below(60000);
    if (chance < 990) return below(1000000);
    return chance < 997 ? below(max_message_bytes) : max_message_bytes;
  }
  CallOptions options() const { return {.timeout = call_timeout, .wait_for_ready = true}; }
  RequestHeader header_of(const Calls::Call& call) {
    return {.number = call.number(),
            .request_bytes = static_cast<std::uint32_t>(std::max(sizeof(RequestHeader), draw_size())),
            .response_bytes = static_cast<std::uint32_t>(draw_size()),
            .messages = static_cast<std::uint32_t>(1 + below(20)),
            .work_ms = static_cast<std::uint32_t>(below(30))};
  }
  /// Streams have messages that are shorter, as there are several of them.
  RequestHeader stream_header_of(const Calls::Call& call) {
    RequestHeader header = header_of(call);
    header.request_bytes = std::min(header.request_bytes, 2u << 20);
    header.response_bytes = std::min(header.response_bytes, 2u << 20);
    return header;
  }

  void one() {
    switch (below(10)) {
      case 0:
      case 1:
        return unary(Kind::unary, "soak/Echo", options());
      case 2:
        return unary(Kind::blocking, "soak/Block", options());
      case 3:
        return one_way();
      case 4:
        return client_stream();
      case 5:
        return server_stream();
      case 6:
      case 7:
        return bidirectional();
      case 8: {
        CallOptions repeatable = options();
        repeatable.idempotent = true;
        return unary(Kind::idempotent, "soak/Echo", repeatable);
      }
      default:
        return cancelled();
    }
  }

  void unary(Kind kind, std::string_view method, const CallOptions& options) {
    const Calls::Call call = calls_.begin(kind);
    const RequestHeader header = header_of(call);
    write_request(request_, header);
    const Status status = channel_.call(std::string(method), request_, response_, options);
    calls_.end(call, status, !status.is_ok() || is_filled(response_, call.number(), header.response_bytes));
  }
  void one_way() {
    const Calls::Call call = calls_.begin(Kind::one_way);
    write_request(request_, header_of(call));
    calls_.end(call, channel_.call_oneway("soak/Echo", request_, options()));
  }
  void client_stream() {
    const Calls::Call call = calls_.begin(Kind::client_stream);
    const RequestHeader header = stream_header_of(call);
    auto stream = channel_.client_stream<std::string, std::string>("soak/Collect", options());
    write_request(request_, header);
    Status status = stream.write(request_);
    for (std::uint32_t i = 1; i < header.messages && status.is_ok(); ++i) {
      fill(request_, call.number(), std::min<std::size_t>(draw_size(), 1u << 20));
      status = stream.write(request_);
    }
    if (status.is_ok()) status = stream.finish(response_);
    // A write fails with the status of the call, but the call may be known not to have run only at its end.
    if (!status.is_ok()) status = stream.finish();
    calls_.end(call, status, !status.is_ok() || is_filled(response_, call.number(), header.response_bytes));
  }
  void server_stream() {
    const Calls::Call call = calls_.begin(Kind::server_stream);
    const RequestHeader header = stream_header_of(call);
    write_request(request_, header);
    auto stream = channel_.server_stream<std::string>("soak/Expand", request_, options());
    const bool is_slow = below(10) == 0;
    // Some readers stop for seconds. Other calls of the connection must not notice.
    const std::uint64_t stops_at = below(20) == 0 ? below(10) : header.messages;
    std::uint32_t messages = 0;
    bool is_good = true;
    for (;; ++messages) {
      Result<std::optional<std::string>> next = stream.read();
      if (!next.is_ok() || !next->has_value()) break;
      is_good = is_good && is_filled(**next, call.number(), header.response_bytes);
      if (is_slow) std::this_thread::sleep_for(milliseconds(below(100)));
      if (messages == stops_at) std::this_thread::sleep_for(milliseconds(1000 + below(4000)));
    }
    const Status status = stream.finish();
    calls_.end(call, status, !status.is_ok() || (is_good && messages == header.messages));
  }
  void bidirectional() {
    const Calls::Call call = calls_.begin(Kind::bidirectional);
    const RequestHeader header = stream_header_of(call);
    auto stream = channel_.stream<std::string, std::string>("soak/Talk", options());
    write_request(request_, header);
    bool is_good = true;
    std::uint32_t messages = 0;
    for (; messages < header.messages && stream.write(request_).is_ok(); ++messages) {
      Result<std::optional<std::string>> next = stream.read();
      if (!next.is_ok() || !next->has_value()) break;
      is_good = is_good && is_filled(**next, call.number(), header.response_bytes);
      fill(request_, call.number(), std::min<std::size_t>(draw_size(), 1u << 20));
    }
    static_cast<void>(stream.close_writes());
    const Status status = stream.finish();
    calls_.end(call, status, !status.is_ok() || (is_good && messages == header.messages));
  }
  void cancelled() {
    const Calls::Call call = calls_.begin(Kind::cancelled);
    RequestHeader header = header_of(call);
    header.work_ms = static_cast<std::uint32_t>(below(100));
    write_request(request_, header);
    if (below(2) == 0) {
      CallOptions hasty = options();
      hasty.timeout = milliseconds(1 + below(50));
      const Status status = channel_.call("soak/Wait", request_, response_, hasty);
      return calls_.end(call, status, !status.is_ok() || is_filled(response_, call.number(), header.response_bytes));
    }
    auto stream = channel_.server_stream<std::string>("soak/Expand", request_, options());
    std::this_thread::sleep_for(milliseconds(below(20)));
    stream.cancel();
    calls_.end(call, stream.finish());
  }

  Calls& calls_;
  Channel& channel_;
  const Settings& settings_;
  std::mt19937_64 random_;
  std::string request_;
  std::string response_;
};

void call_mixed(Calls& calls, const Settings& settings) {
  constexpr std::uint64_t thread_count = 4;
  Channel channel(settings.endpoint, channel_options(settings));
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < thread_count; ++i) {
    threads.emplace_back([&, i] { MixedCalls(calls, channel, settings, i).run(); });
  }
  for (std::thread& thread : threads) thread.join();
}

int run(std::span<char*> arguments) {
  const std::string_view mode = arguments[0];
  Calls calls(arguments[1], std::strtoull(arguments[2], nullptr, 10));
  const Settings settings{.endpoint = arguments[3],
                          .authority = arguments[4],
                          .end = Clock::now() + seconds(std::strtol(arguments[5], nullptr, 10)),
                          .seed = std::strtoull(arguments[6], nullptr, 10),
                          .pause = milliseconds(std::strtol(arguments[7], nullptr, 10))};
  if (mode == "small") {
    call_small(calls, settings);
  } else {
    call_mixed(calls, settings);
  }
  return 0;
}

}  // namespace
}  // namespace trunkline::soak

int main(int count, char** values) {
  if (count != 9) {
    std::cerr << "usage: soak_client small|mixed RECORD NUMBER ENDPOINT AUTHORITY SECONDS SEED PAUSE_MS\n";
    return 2;
  }
  try {
    return trunkline::soak::run(std::span(values + 1, 8));
  } catch (const std::exception& error) {
    std::cerr << "soak_client: " << error.what() << "\n";
    return 1;
  }
}
