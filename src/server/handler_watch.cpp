// SPDX-License-Identifier: MIT
// HandlerWatch: interprets the readings of the clock.
#include "server/handler_watch.h"

#include <algorithm>
#include <string>
#include <utility>

namespace trunkline::server {

namespace {

/// The time after which the other connections of the loop get their turn.
constexpr base::Duration longest_turn = std::chrono::milliseconds(2);
/// A handler that takes longer than this is watched by itself.
constexpr base::Duration slow = std::chrono::microseconds(200);

}  // namespace

bool HandlerWatch::check() {
  const base::TimePoint now = loop_.read_clock();
  const base::Duration held = now - checked_;
  // A handler that has run the loop itself has not held it.
  const bool has_run_loop = std::exchange(turns_, loop_.turns()) != turns_;
  if (!has_run_loop && threshold_ > base::Duration::zero() && held >= threshold_) report(held);
  // Without this the next batch of the same turn of the loop would seem to have begun before this one.
  if (held > slow) loop_.refresh_now();
  interval_ = held > slow ? 1 : std::min(interval_ * 2, longest_interval);
  checked_ = now;
  noted_ = 0;
  return now - turn_began_ >= longest_turn;
}

void HandlerWatch::report(base::Duration held) {
  std::string names;
  std::size_t count = 0;
  const auto end = recent_.begin() + static_cast<std::ptrdiff_t>(noted_);
  for (auto each = recent_.begin(); each != end; ++each) {
    const bool is_known =
        std::any_of(recent_.begin(), each, [&](const std::string* other) { return *other == **each; });
    if (is_known) continue;
    names.append(names.empty() ? "" : ", ").append(**each);
    ++count;
  }
  // If there were several methods, nobody knows which one it was.
  if (count == 1) metrics_.count_hold(*recent_[0]);
  const auto milliseconds = [](base::Duration time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
  };
  server_state_.log(LogLevel::warning,
                    "call " + names + ": the handler has held its loop for " + milliseconds(held) +
                        " ms, slow_handler_threshold is " + milliseconds(threshold_) +
                        " ms; a handler that takes long belongs on a worker",
                    *recent_[noted_ - 1], {});
}

}  // namespace trunkline::server
