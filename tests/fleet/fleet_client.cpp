// SPDX-License-Identifier: MIT
// A client of the fleet: begins calls at a steady rate, whether or not earlier ones have ended. Every other one is
// idempotent. SIGTERM ends it once all calls have ended.
// Usage: fleet_client NUMBER RECORD URI BALANCING CALLS_PER_SECOND WORK_MS
#include "call_record.h"

#include <trunkline/channel.h>
#include <trunkline/event_loop.h>

#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <span>

namespace trunkline::fleet {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

double now_in_seconds() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

/// README.md says why these differ from the defaults.
ChannelOptions channel_options(std::string_view balancing) {
  ChannelOptions options;
  options.limits.keepalive_interval = seconds(1);
  options.limits.keepalive_timeout = seconds(1);
  options.connect_timeout = seconds(2);
  options.backoff.maximum = seconds(1);
  options.balancing.policy = balancing_policy(balancing).value();
  options.balancing.slow_start = seconds(1);
  options.log = [](const LogRecord& record) { std::cerr << now_in_seconds() << " " << record.message << std::endl; };
  return options;
}

class Client {
 public:
  explicit Client(std::span<char*> arguments)
      : number_(std::strtoull(arguments[0], nullptr, 10)),
        file_(arguments[1], calls_per_client * sizeof(Entry)),
        channel_(loop_, arguments[2], channel_options(arguments[3])),
        method_(channel_.method(method_name)),
        interval_(std::chrono::nanoseconds(seconds(1)) / std::strtol(arguments[4], nullptr, 10)),
        work_ms_(std::strtoull(arguments[5], nullptr, 10)),
        timer_(loop_.executor()),
        signals_(loop_.executor(), SIGTERM) {}

  void run() {
    signals_.async_wait([this](const asio::error_code& error, int) {
      if (error) return;
      is_ending_ = true;
      timer_.cancel();
      stop_if_over();
    });
    timer_.expires_at(Clock::now());
    wait();
    loop_.run();
  }

 private:
  void wait() {
    timer_.async_wait([this](const asio::error_code& error) {
      if (error || is_ending_) return;
      begin_call();
      timer_.expires_at(timer_.expiry() + interval_);
      wait();
    });
  }

  Entry& entry(std::uint64_t sequence) { return reinterpret_cast<Entry*>(file_.bytes().data())[sequence]; }

  void begin_call() {
    const std::uint64_t sequence = next_++;
    if (sequence >= calls_per_client) throw std::length_error("more calls than a record holds");
    Entry& begun = entry(sequence);
    begun.begun = now_in_seconds();
    begun.is_idempotent = sequence % 2;
    begun.outcome = Outcome::begun;
    const Request request{.number = number_ << sequence_bits | sequence, .work_ms = work_ms_};
    const CallOptions options{.timeout = seconds(10), .idempotent = sequence % 2 == 1};
    ++open_;
    channel_.async_call<std::string>(method_, request.to_string(), options,
                                     [this, sequence, number = request.number](const Result<std::string>& response) {
                                       end_call(sequence, number, response);
                                       stop_if_over();
                                     });
  }

  void end_call(std::uint64_t sequence, std::uint64_t number, const Result<std::string>& response) {
    Entry& ended = entry(sequence);
    --open_;
    ended.ended = now_in_seconds();
    ended.code = response.status().code();
    Response answer;
    if (!response.is_ok()) {
      ended.outcome = response.status().may_have_run() ? Outcome::possibly_run : Outcome::not_run;
      std::cerr << ended.ended << " call " << number << ", begun at " << ended.begun << ": "
                << response.status().to_string() << std::endl;
      return;
    }
    if (response->size() == sizeof answer) std::memcpy(&answer, response->data(), sizeof answer);
    ended.outcome = answer.number == number ? Outcome::ok : Outcome::wrong;
    ended.server = static_cast<std::uint8_t>(answer.server);
  }

  void stop_if_over() {
    if (is_ending_ && open_ == 0) loop_.stop();
  }

  const std::uint64_t number_;
  const SharedFile file_;
  EventLoop loop_;
  Channel channel_;
  const Method method_;
  const std::chrono::nanoseconds interval_;
  const std::uint64_t work_ms_;
  asio::steady_timer timer_;
  asio::signal_set signals_;
  std::uint64_t next_ = 0;
  std::uint64_t open_ = 0;
  bool is_ending_ = false;
};

}  // namespace
}  // namespace trunkline::fleet

int main(int count, char** values) {
  if (count != 7) {
    std::cerr << "usage: fleet_client NUMBER RECORD URI BALANCING CALLS_PER_SECOND WORK_MS\n";
    return 2;
  }
  try {
    std::cerr.precision(10);
    trunkline::fleet::Client(std::span(values + 1, static_cast<std::size_t>(count - 1))).run();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "fleet_client: " << error.what() << "\n";
    return 1;
  }
}
