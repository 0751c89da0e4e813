// SPDX-License-Identifier: MIT
// A worker's life: connect, warm up, measure, drain.
#include "load/worker.h"

#include "load/echo_server.h"

namespace trunkline::load {
namespace {

constexpr std::chrono::milliseconds publish_interval{100};
constexpr std::chrono::milliseconds connect_check{50};

/// What is said of the connection is not about this call.
Status without_call(const Status& status) {
  const std::string prefix = "call " + std::string(fence_method) + ": ";
  std::string_view text = status.message();
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  return {status.code(), text, status.origin()};
}

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

Status Worker::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

std::size_t Worker::share_of(std::size_t whole) const noexcept {
  return whole / plan_.threads + (index_ < whole % plan_.threads ? 1 : 0);
}

void Worker::run() {
  loop_.post([this] {
    const Status status = connect();
    if (!status.is_ok()) {
      const std::lock_guard lock(mutex_);
      error_ = status;
    }
    make_slots();
    state_.store(status.is_ok() ? State::ready : State::done, std::memory_order_release);
  });
  loop_.run();
  phase_ = Phase::over;
  // What is open ends in here; the handlers are the slots', which go last.
  connections_.clear();
  loop_.poll();
}

// A wait on the loop's own thread runs the loop meanwhile.
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

/// A refused connection is told at once.
Status Worker::wait_for(Channel& channel) const {
  const Clock::time_point end = Clock::now() + plan_.connect_patience;
  while (phase_ != Phase::over) {
    Status status = channel.wait_for_ready(connect_check);
    if (status.is_ok()) return status;
    const bool has_failed = channel.state() == ChannelState::failing && !plan_.waits_for_ready;
    if (!has_failed && Clock::now() < end) continue;
    if (!has_failed) return status;
    // A call's status says why.
    RawResponse response;
    CallOptions options;
    options.timeout = connect_check;
    status = channel.call(Method(fence_method), RawMessage{}, response, options);
    return status.origin() == StatusOrigin::peer ? Status() : without_call(status);
  }
  return {StatusCode::cancelled, "connect: given up"};
}

void Worker::make_slots() {
  for (Connection& connection : connections_) {
    SlotContext& context = connection.context;
    context.plan = &plan_;
    context.channel = connection.channel.get();
    context.method = &*connection.method;
    context.options.metadata = plan_.metadata;
    context.options.timeout = plan_.timeout;
    const bool is_stream = plan_.kind != CallKind::unary && plan_.kind != CallKind::one_way;
    // Slots of single calls have it in the types of their messages.
    if (is_stream) context.options.codec = plan_.codec;
    context.options.compressor = plan_.compressor;
    context.request.bytes = plan_.request;
    context.owner = this;
  }
  if (connections_.empty()) return;
  for (std::size_t made = 0; made < share_of(plan_.outstanding); ++made) {
    slots_.push_back(make_slot(connections_[made % connections_.size()].context));
  }
}

void Worker::begin(Clock::time_point start) {
  state_.store(State::running, std::memory_order_release);
  loop_.post([this, start] { start_phases(start); });
}

void Worker::start_phases(Clock::time_point start) {
  if (phase_ != Phase::idle) return;
  phase_ = Phase::warming;
  left_ = share_of(plan_.total);
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
    return pump();
  }
  for (const auto& slot : slots_) next(*slot);
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
    if (phase_ == Phase::draining || phase_ == Phase::fencing) return be_done();
    end_measurement();
  });
}

/// By time, that is: a total has no end before its last call's.
void Worker::end_measurement() {
  if (!goes_on()) return;
  if (plan_.rate > 0) count_unsent();
  publish();
  is_past_end_ = true;
  drain();
}

void Worker::drain() {
  if (!goes_on()) return;
  phase_ = Phase::draining;
  due_timer_.cancel();
  // Calls that pause after a failure are not under way.
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
  const bool is_total_made = goes_on() && plan_.total > 0 && left_ == 0 && plan_.rate <= 0;
  if (open_ == 0 && (phase_ == Phase::draining || is_total_made)) finish_run();
}

void Worker::finish_run() {
  if (plan_.kind == CallKind::one_way) return fence();
  be_done();
}

void Worker::be_done() {
  phase_timer_.cancel();
  publish_timer_.cancel();
  // Without these the slowest would be those that are missing.
  for (const auto& slot : slots_) {
    if (plan_.rate > 0 && slot->is_open && slot->is_counted) record_wait(*slot);
  }
  phase_ = Phase::over;
  finished_at_ = Clock::now();
  publish();
  state_.store(State::done, std::memory_order_release);
}

/// One-way calls are over when the server has taken them: it answers a later call of each connection.
void Worker::fence() {
  phase_timer_.cancel();
  publish_timer_.cancel();
  phase_ = Phase::fencing;
  fences_ = connections_.size();
  CallOptions options;
  options.timeout = plan_.grace;
  options.codec = "bytes";
  for (const Connection& connection : connections_) {
    connection.channel->async_call<RawResponse>(
        fence_method, RawMessage{}, options,
        [this](const Result<RawResponse>& answer) { fenced(answer.is_ok() ? Status() : answer.status()); });
  }
}

void Worker::fenced(const Status& status) {
  if (phase_ != Phase::fencing) return;
  // A server that has no such method has answered as well.
  const bool is_unknown = status.code() == StatusCode::unimplemented && status.origin() == StatusOrigin::peer;
  if (!status.is_ok() && !is_unknown) {
    const std::string text = "the server has not said that it took the one-way calls: " + std::string(status.message());
    current_.count_failure({status.code(), text, status.origin()});
  }
  if (--fences_ == 0) be_done();
}

void Worker::publish_again() {
  publish();
  publish_timer_.expires_after(publish_interval);
  publish_timer_.async_wait([this](const std::error_code& error) {
    // One that has expired already is not cancelled.
    if (!error && phase_ != Phase::fencing && phase_ != Phase::over) publish_again();
  });
}

void Worker::publish() {
  published_open_.store(open_, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  if (is_past_end_) {
    if (!late_) late_ = std::make_unique<Recording>();
    late_->merge(current_);
  } else {
    published_at_ = Clock::now();
    published_.merge(current_);
  }
  current_.clear();
}

Clock::time_point Worker::collect(Recording& into, Recording& late) {
  const std::lock_guard lock(mutex_);
  into.merge(published_);
  published_.clear();
  if (late_) late.merge(*late_);
  late_.reset();
  return published_at_;
}

}  // namespace trunkline::load
