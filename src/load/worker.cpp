// SPDX-License-Identifier: MIT
// Worker: the phases (connect, warm up, measure, drain), and the calls: when they start, and what is recorded.
#include "load/worker.h"

#include "load/echo_server.h"
#include "load/stream_slots.h"
#include "load/unary_slots.h"

#include <algorithm>

namespace trunkline::load {
namespace {

constexpr std::chrono::milliseconds publish_interval{100};
constexpr std::chrono::milliseconds connect_check{50};

/// Returns the status of the connection, without the name of the call.
Status without_call(const Status& status) {
  const std::string prefix = "call " + std::string(fence_method) + ": ";
  std::string_view text = status.message();
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  return {status.code(), text, status.origin()};
}

/// The pause after a refused call, which doubles with each further refusal.
constexpr std::chrono::milliseconds first_pause{1};
constexpr std::chrono::milliseconds longest_pause{500};
/// The number of failures in a row after which calls pause even if the server responds.
constexpr std::size_t tolerated_failures = 1000;
constexpr std::chrono::milliseconds failure_pause{10};
/// The shortest time for which timers are set: with less the loop would serve nothing but timers.
constexpr std::chrono::microseconds min_wait{20};

}  // namespace

Worker::Worker(const LoadPlan& plan, std::size_t index)
    : plan_(plan),
      index_(index),
      loop_(plan.loop),
      phase_timer_(loop_.executor()),
      publish_timer_(loop_.executor()),
      due_timer_(loop_.executor()),
      random_(index + 1),
      sampling_(sampling_of(plan)) {
  thread_ = std::thread([this] { run(); });
}

Worker::~Worker() {
  loop_.post([this] {
    phase_ = Phase::over;
    loop_.stop();
  });
  thread_.join();
}

std::size_t Worker::share_of(std::size_t whole) const noexcept {
  return whole / plan_.threads + (index_ < whole % plan_.threads ? 1 : 0);
}

void Worker::run() {
  loop_.post([this] {
    error_ = connect();
    make_slots();
    state_.store(error_.is_ok() ? State::ready : State::done, std::memory_order_release);
  });
  loop_.run();
  phase_ = Phase::over;
  // Open calls end here. Their handlers belong to the slots, which are destroyed last.
  connections_.clear();
  loop_.poll();
}

// Connects. Called on the loop's own thread, wait_for_ready() runs the loop.
Status Worker::connect() {
  ChannelOptions options = plan_.channel;
  options.codecs = raw_codecs();
  options.max_connections = 1;
  options.max_retries = 0;
  options.pending_policy = PendingPolicy::wait;
  try {
    for (std::size_t made = 0; made < share_of(plan_.connections) && phase_ != Phase::over; ++made) {
      Connection& connection = connections_.emplace_back();
      connection.channel = std::make_unique<Channel>(loop_, plan_.endpoint, options);
      connection.method = connection.channel->method(plan_.method);
      if (Status status = wait_for(*connection.channel); !status.is_ok()) return status;
    }
  } catch (const StatusError& error) {
    return error.status();
  } catch (const std::exception& error) {
    return {StatusCode::invalid_argument, error.what()};
  }
  return {};
}

/// Waits until the channel is ready. A refused connection is an error at once, unless the plan waits for the server.
Status Worker::wait_for(Channel& channel) const {
  const Clock::time_point end = Clock::now() + plan_.connect_patience;
  while (phase_ != Phase::over) {
    Status status = channel.wait_for_ready(connect_check);
    if (status.is_ok()) return status;
    const bool has_failed = channel.state() == ChannelState::failing && !plan_.waits_for_ready;
    if (!has_failed && Clock::now() < end) continue;
    if (!has_failed) return status;
    // A call fails with the reason why there is no connection.
    RawResponse response;
    CallOptions options;
    options.timeout = connect_check;
    status = channel.call(Method(fence_method), RawMessage{}, response, options);
    return status.origin() == StatusOrigin::peer ? Status() : without_call(status);
  }
  return {StatusCode::cancelled, "connect: cancelled"};
}

void Worker::make_slots() {
  const bool is_stream = plan_.kind != CallKind::unary && plan_.kind != CallKind::one_way;
  for (Connection& connection : connections_) {
    SlotContext& context = connection.context;
    context.plan = &plan_;
    context.channel = connection.channel.get();
    context.method = &*connection.method;
    context.options.metadata = plan_.metadata;
    context.options.timeout = plan_.timeout;
    // Unary slots need no codec here, because the types of their messages determine it.
    if (is_stream) context.options.codec = plan_.codec;
    context.options.compressor = plan_.compressor;
    context.request.bytes = plan_.request;
    context.owner = this;
  }
  if (connections_.empty()) return;
  for (std::size_t made = 0; made < share_of(plan_.outstanding); ++made) {
    SlotContext& context = connections_[made % connections_.size()].context;
    slots_.push_back(is_stream ? make_stream_slot(context) : make_unary_slot(context));
  }
}

void Worker::begin(Clock::time_point start) {
  state_.store(State::running, std::memory_order_release);
  loop_.post([this, start] { start_phases(start); });
}

void Worker::start_phases(Clock::time_point start) {
  if (phase_ != Phase::idle) return;
  phase_ = Phase::warming;
  calls_left_ = share_of(plan_.total);
  measured_from_ = start + plan_.warmup;
  if (plan_.warmup.count() == 0) measure();
  if (phase_ == Phase::warming) {
    phase_timer_.expires_at(measured_from_);
    phase_timer_.async_wait([this](const std::error_code& error) {
      if (!error && phase_ == Phase::warming) measure();
    });
  }
  publish_again();
  if (plan_.rate > 0) {
    for (const auto& slot : slots_) free_.push_back(slot.get());
    schedule_ = Schedule(start, plan_.rate, plan_.arrivals, index_, plan_.threads);
    return start_due_calls();
  }
  for (const auto& slot : slots_) start_next(*slot);
  if (open_ == 0) finish_run();
}

void Worker::measure() {
  phase_ = Phase::measuring;
  current_.clear();
  if (plan_.duration.count() == 0) return;
  phase_timer_.expires_at(measured_from_ + plan_.duration);
  phase_timer_.async_wait([this](const std::error_code& error) {
    if (!error) end_measurement();
  });
}

void Worker::stop() {
  loop_.post([this] {
    if (phase_ == Phase::draining || phase_ == Phase::fencing) return complete();
    end_measurement();
  });
}

/// Ends a measurement with a duration. A measurement with a total ends with its last call instead.
void Worker::end_measurement() {
  if (!starts_calls()) return;
  if (plan_.rate > 0) count_unsent();
  publish();
  is_past_end_ = true;
  drain();
}

void Worker::drain() {
  if (!starts_calls()) return;
  phase_ = Phase::draining;
  due_timer_.cancel();
  // The pauses of slots whose last call has failed end here. These slots are not in progress.
  for (const auto& slot : slots_) {
    if (slot->pause) slot->pause->cancel();
  }
  if (open_ == 0) return finish_run();
  phase_timer_.expires_after(plan_.grace);
  phase_timer_.async_wait([this](const std::error_code& error) {
    if (!error && phase_ == Phase::draining) finish_run();
  });
}

void Worker::finish_if_over() {
  const bool is_total_made = starts_calls() && plan_.total > 0 && calls_left_ == 0 && plan_.rate <= 0;
  if (open_ == 0 && (phase_ == Phase::draining || is_total_made)) finish_run();
}

void Worker::finish_run() {
  if (plan_.kind == CallKind::one_way) return fence();
  complete();
}

void Worker::complete() {
  phase_timer_.cancel();
  publish_timer_.cancel();
  // These calls are recorded because otherwise the slowest calls would be missing.
  for (const auto& slot : slots_) {
    if (plan_.rate > 0 && slot->is_open && slot->is_counted) record_wait(*slot);
  }
  phase_ = Phase::over;
  finished_at_ = Clock::now();
  publish();
  state_.store(State::done, std::memory_order_release);
}

/// Confirms that the server has taken the one-way calls, each of which is over then. A response to a later call on the
/// same connection shows that.
void Worker::fence() {
  phase_timer_.cancel();
  publish_timer_.cancel();
  phase_ = Phase::fencing;
  fences_ = connections_.size();
  CallOptions options;
  options.timeout = plan_.grace;
  options.codec = "bytes";
  for (const Connection& connection : connections_) {
    connection.channel->async_call<RawResponse>(fence_method, RawMessage{}, options,
                                                [this](const Result<RawResponse>& response) {
                                                  on_fence_response(response.is_ok() ? Status() : response.status());
                                                });
  }
}

void Worker::on_fence_response(const Status& status) {
  if (phase_ != Phase::fencing) return;
  // A server without the fence method has responded too.
  const bool is_unknown = status.code() == StatusCode::unimplemented && status.origin() == StatusOrigin::peer;
  if (!status.is_ok() && !is_unknown) {
    const std::string text =
        "the server has not confirmed that it took the one-way calls: " + std::string(status.message());
    current_.count_failure({status.code(), text, status.origin()});
  }
  if (--fences_ == 0) complete();
}

void Worker::publish_again() {
  publish();
  publish_timer_.expires_after(publish_interval);
  publish_timer_.async_wait([this](const std::error_code& error) {
    // A timer that has expired already cannot be cancelled.
    if (!error && phase_ != Phase::fencing && phase_ != Phase::over) publish_again();
  });
}

void Worker::publish() {
  published_open_.store(open_, std::memory_order_relaxed);
  if (is_past_end_) {
    published_.publish_late(current_);
  } else {
    published_.publish(current_, Clock::now());
  }
  current_.clear();
}

// --- calls ---

void Worker::launch(CallSlot& slot) {
  slot.is_counted = phase_ == Phase::measuring;
  // The gaps between timed calls are random, because even gaps could always choose the same slots.
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

/// Starts the calls that are due while slots are free, and sets the timer for the next call.
void Worker::start_due_calls() {
  if (!starts_calls()) return;
  const Clock::time_point now = Clock::now();
  launch_all_due(now);
  if (plan_.total > 0 && calls_left_ == 0) return drain();
  // If there is no free slot, the next call that ends calls this function again.
  if (free_.empty()) return;
  due_timer_.expires_at(std::max(schedule_.due(), now + min_wait));
  due_timer_.async_wait([this](const std::error_code& error) {
    if (!error) start_due_calls();
  });
}

void Worker::launch_all_due(Clock::time_point now) {
  const Clock::time_point end = plan_.duration.count() > 0 ? measured_from_ + plan_.duration : Clock::time_point::max();
  while (schedule_.due() <= now && schedule_.due() < end && !free_.empty() && (plan_.total == 0 || calls_left_ > 0)) {
    CallSlot& slot = *free_.back();
    free_.pop_back();
    launch_due(slot, now);
    if (plan_.total > 0 && slot.is_counted) --calls_left_;
  }
}

/// Starts the calls that have become due, while slots are free. Records the other due calls as unsent; their latency is
/// the time that they have waited so far.
void Worker::count_unsent() {
  const Clock::time_point now = Clock::now();
  launch_all_due(now);
  const Clock::time_point end = plan_.duration.count() > 0 ? std::min(now, measured_from_ + plan_.duration) : now;
  while (schedule_.due() < end && (plan_.total == 0 || calls_left_ > 0)) {
    if (schedule_.due() >= measured_from_) {
      ++current_.unsent;
      current_.latency.record(static_cast<std::uint64_t>((end - schedule_.due()).count()));
      if (plan_.total > 0) --calls_left_;
    }
    schedule_.advance();
  }
}

void Worker::start_next(CallSlot& slot) {
  if (!starts_calls()) return;
  if (plan_.total > 0 && phase_ == Phase::measuring) {
    if (calls_left_ == 0) return;
    --calls_left_;
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
    if (starts_calls() && was_refused)
      return pause(slot, std::min(longest_pause, first_pause * (1 << std::min(slot.failures, 10U))));
    if (starts_calls() && failures_ > tolerated_failures) return pause(slot, failure_pause);
  }
  if (plan_.rate > 0) {
    free_.push_back(&slot);
    // If there are more free slots, the timer for the next due call is set already.
    if (starts_calls() && free_.size() == 1) start_due_calls();
  } else {
    start_next(slot);
  }
  finish_if_over();
}

/// Pauses a slot. It has no call in progress meanwhile, so the end of the run does not wait for it.
void Worker::pause(CallSlot& slot, std::chrono::milliseconds length) {
  if (!slot.pause) slot.pause.emplace(loop_.executor());
  slot.pause->expires_after(length);
  slot.pause->async_wait([this, &slot](const std::error_code&) {
    if (!starts_calls()) return;
    if (plan_.rate > 0) {
      free_.push_back(&slot);
      if (free_.size() == 1) start_due_calls();
    } else {
      start_next(slot);
      // The total may have no call left.
      finish_if_over();
    }
  });
}

/// Returns true if a call is recorded: with a total or a rate if it began during the measurement, or else ended in it.
bool Worker::is_recorded(const CallSlot& slot) const noexcept {
  return counts_by_start() ? slot.is_counted : phase_ == Phase::measuring;
}

void Worker::transferred(const CallSlot& slot, std::size_t messages, std::size_t sent_bytes,
                         std::size_t received_bytes) {
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

/// Records a call of the open loop without a response. Its latency is the time that it has waited so far.
void Worker::record_wait(const CallSlot& slot) {
  const Clock::time_point now = Clock::now();
  ++current_.waited;
  current_.latency.record(static_cast<std::uint64_t>((now - slot.intended).count()));
  current_.uncorrected.record(static_cast<std::uint64_t>((now - slot.sent).count()));
}

/// Returns false to end streams that began in the warm-up and are not counted, to make room for counted ones. When all
/// calls of a total have begun, the last streams may run to their end.
bool Worker::has_next_message(const CallSlot& slot) const noexcept {
  if (phase_ == Phase::measuring) return !counts_by_start() || slot.is_counted;
  return phase_ == Phase::warming || (phase_ == Phase::draining && !is_past_end_ && slot.is_counted);
}

void Worker::message_finished(const CallSlot& slot, std::chrono::nanoseconds latency) {
  if (is_recorded(slot) && phase_ != Phase::over) current_.latency.record(static_cast<std::uint64_t>(latency.count()));
}

}  // namespace trunkline::load
