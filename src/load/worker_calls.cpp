// SPDX-License-Identifier: MIT
// A worker's calls: which slot is started when, and what is recorded of it.
#include "load/worker.h"

#include <algorithm>

namespace trunkline::load {
namespace {

/// After a call that was refused, twice as long after each further one.
constexpr std::chrono::milliseconds first_pause{1};
constexpr std::chrono::milliseconds longest_pause{500};
/// Failures of a server that answers, in a row, after which calls pause as well.
constexpr std::size_t tolerated_failures = 1000;
constexpr std::chrono::milliseconds answered_pause{10};
/// Timers are not set for less: the loop would do nothing else.
constexpr std::chrono::microseconds least_wait{20};

}  // namespace

void Worker::launch(CallSlot& slot) {
  slot.is_counted = phase_ == Phase::measuring;
  // Gaps at random: with even ones, and a number of calls under way that they divide, it would always be the same ones.
  slot.is_timed = --until_timed_ == 0;
  if (slot.is_timed) {
    until_timed_ = sampling_ == 1 ? 1 : 1 + random_.next() % (2 * sampling_ - 1);
    slot.intended = slot.sent = Clock::now();
  }
  ++open_;
  slot.is_open = true;
  slot.start();
}

void Worker::launch_due(CallSlot& slot, Clock::time_point now) {
  slot.is_timed = true;
  slot.intended = schedule_.due();
  slot.sent = now;
  slot.is_counted = slot.intended >= measured_from_ &&
                    (plan_.duration.count() == 0 || slot.intended < measured_from_ + plan_.duration);
  schedule_.advance();
  ++open_;
  slot.is_open = true;
  slot.start();
}

/// Starts what is due and has room, and sets the timer for what comes next.
void Worker::pump() {
  if (!goes_on()) return;
  const Clock::time_point now = Clock::now();
  launch_all_due(now);
  if (plan_.total > 0 && left_ == 0) return drain();
  // Without room, the next call that ends goes on here.
  if (free_.empty()) return;
  due_timer_.expires_at(std::max(schedule_.due(), now + least_wait));
  due_timer_.async_wait([this](const std::error_code& error) {
    if (!error) pump();
  });
}

void Worker::launch_all_due(Clock::time_point now) {
  const Clock::time_point end = plan_.duration.count() > 0 ? measured_from_ + plan_.duration : Clock::time_point::max();
  while (schedule_.due() <= now && schedule_.due() < end && !free_.empty() && (plan_.total == 0 || left_ > 0)) {
    CallSlot& slot = *free_.back();
    free_.pop_back();
    launch_due(slot, now);
    if (plan_.total > 0 && slot.is_counted) --left_;
  }
}

/// They have waited in vain so far, which is less than what they would have waited. What became due since the pump
/// last ran, and has room, is sent.
void Worker::count_unsent() {
  const Clock::time_point now = Clock::now();
  launch_all_due(now);
  const Clock::time_point end = plan_.duration.count() > 0 ? std::min(now, measured_from_ + plan_.duration) : now;
  while (schedule_.due() < end && (plan_.total == 0 || left_ > 0)) {
    if (schedule_.due() >= measured_from_) {
      ++current_.unsent;
      current_.latency.record(static_cast<std::uint64_t>((end - schedule_.due()).count()));
      if (plan_.total > 0) --left_;
    }
    schedule_.advance();
  }
}

void Worker::next(CallSlot& slot) {
  if (!goes_on()) return;
  if (plan_.total > 0 && phase_ == Phase::measuring) {
    if (left_ == 0) return;
    --left_;
  }
  launch(slot);
}

void Worker::ended(CallSlot& slot, const Status& status) {
  if (phase_ == Phase::over) return;
  --open_;
  slot.is_open = false;
  record(slot, status);
  if (status.is_ok()) [[likely]] {
    slot.failures = 0;
    failures_ = 0;
  } else {
    ++slot.failures;
    ++failures_;
    const bool was_refused = status.code() == StatusCode::unavailable || !status.may_have_run();
    if (goes_on() && was_refused)
      return pause(slot, std::min(longest_pause, first_pause * (1 << std::min(slot.failures, 10U))));
    if (goes_on() && failures_ > tolerated_failures) return pause(slot, answered_pause);
  }
  if (plan_.rate > 0) {
    free_.push_back(&slot);
    // Only when the pump waits for room: else its timer is set.
    if (goes_on() && free_.size() == 1) pump();
  } else {
    next(slot);
  }
  finish_if_over();
}

/// Not under way meanwhile, and at the end of the run not waited for.
void Worker::pause(CallSlot& slot, std::chrono::milliseconds length) {
  if (!slot.pause) slot.pause.emplace(loop_.executor());
  slot.pause->expires_after(length);
  slot.pause->async_wait([this, &slot](const std::error_code&) {
    if (!goes_on()) return;
    if (plan_.rate > 0) {
      free_.push_back(&slot);
      if (free_.size() == 1) pump();
    } else {
      next(slot);
      // It may have been the last of the total.
      finish_if_over();
    }
  });
}

/// With a total or a rate by when the call began, else by when it ends.
bool Worker::is_recorded(const CallSlot& slot) const noexcept {
  return is_by_start() ? slot.is_counted : phase_ == Phase::measuring;
}

void Worker::moved(const CallSlot& slot, std::size_t messages, std::size_t sent_bytes, std::size_t received_bytes) {
  if (!is_recorded(slot) || phase_ == Phase::over) return;
  current_.messages += messages;
  current_.bytes_sent += sent_bytes;
  current_.bytes_received += received_bytes;
}

void Worker::record(const CallSlot& slot, const Status& status) {
  if (!is_recorded(slot)) return;
  if (!status.is_ok()) [[unlikely]] {
    current_.count_failure(status);
    if (plan_.rate > 0 && status.code() == StatusCode::deadline_exceeded) record_wait(slot);
    return;
  }
  ++current_.calls;
  if (!slot.is_timed || plan_.kind == CallKind::bidirectional) return;
  const Clock::time_point now = Clock::now();
  current_.latency.record(static_cast<std::uint64_t>((now - slot.intended).count()));
  if (plan_.rate > 0) current_.uncorrected.record(static_cast<std::uint64_t>((now - slot.sent).count()));
}

/// Of a call at a rate that has no answer: less than what it would have waited.
void Worker::record_wait(const CallSlot& slot) {
  const Clock::time_point now = Clock::now();
  ++current_.waited;
  current_.latency.record(static_cast<std::uint64_t>((now - slot.intended).count()));
  current_.uncorrected.record(static_cast<std::uint64_t>((now - slot.sent).count()));
}

/// Streams that began in the warm-up and will not be counted make room for those that will; once a total is begun, its
/// last ones have their time.
bool Worker::goes_on(const CallSlot& slot) const noexcept {
  if (phase_ == Phase::measuring) return !is_by_start() || slot.is_counted;
  return phase_ == Phase::warming || (phase_ == Phase::draining && !is_past_end_ && slot.is_counted);
}

void Worker::answered(const CallSlot& slot, std::chrono::nanoseconds latency) {
  if (is_recorded(slot) && phase_ != Phase::over) current_.latency.record(static_cast<std::uint64_t>(latency.count()));
}

}  // namespace trunkline::load
