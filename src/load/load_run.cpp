// SPDX-License-Identifier: MIT
// LoadRun: workers generate the load; the thread of run() collects their recordings.
#include "load/load_run.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <stdexcept>
#include <thread>

namespace trunkline::load {
namespace {

constexpr std::chrono::milliseconds tick_length{100};
constexpr std::chrono::milliseconds connecting_tick{2};
constexpr std::chrono::milliseconds done_check{10};
/// The least time that a point of the series covers. It is less than a second, because the time of the collected
/// recordings varies by half of the interval at which workers publish.
constexpr std::chrono::milliseconds second_length{950};
/// The least number of failures that mean that the server is gone: with fewer, other calls may just take long.
constexpr std::uint64_t min_failures = 3;

double seconds_of(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm fields{};
  gmtime_r(&now, &fields);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &fields);
  return text.data();
}

LoadSettings settings_of(const LoadPlan& plan) {
  const bool is_stream = plan.kind != CallKind::unary && plan.kind != CallKind::one_way;
  return {.endpoint = plan.endpoint,
          .method = plan.method,
          .kind = std::string(to_string(plan.kind)),
          .codec = plan.codec,
          .compressor = plan.compressor,
          .arrivals = plan.rate <= 0                    ? "closed"
                      : plan.arrivals == Arrivals::even ? "even"
                                                        : "poisson",
          .request_bytes = plan.request.size(),
          .threads = plan.threads,
          .connections = plan.connections,
          .outstanding = plan.outstanding,
          .messages = is_stream ? plan.messages : 0,
          .total = plan.total,
          .sampling = sampling_of(plan),
          .rate = plan.rate,
          .duration_seconds = seconds_of(plan.duration),
          .warmup_seconds = seconds_of(plan.warmup),
          .started_at = utc_now()};
}

std::vector<ErrorCount> errors_of(const Recording& recording) {
  std::vector<ErrorCount> errors;
  for (std::size_t code = 0; code < status_codes; ++code) {
    if (recording.by_code[code] == 0) continue;
    errors.push_back({static_cast<StatusCode>(code), recording.by_code[code], recording.first_text[code]});
  }
  std::stable_sort(errors.begin(), errors.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  return errors;
}

void check(const LoadPlan& plan) {
  const auto require = [](bool holds, const char* text) {
    if (!holds) throw std::invalid_argument(text);
  };
  require(plan.threads >= 1 && plan.threads <= plan.connections, "threads: more than there are connections");
  require(plan.outstanding >= plan.connections, "outstanding: fewer calls than connections");
  require(plan.duration.count() > 0 || plan.total > 0, "neither a duration nor a total is set");
  require(plan.messages >= 1, "messages: a stream has at least one");
  require(has_due_calls(plan), "no call is due at the rate during the measurement");
  require(plan.rate <= 0 || plan.kind != CallKind::bidirectional, "a rate is not possible for bidirectional streams");
}

}  // namespace

LoadRun::LoadRun(LoadPlan plan)
    : plan_(std::move(plan)),
      tick_(std::make_unique<Recording>()),
      second_(std::make_unique<Recording>()),
      last_second_(std::make_unique<Recording>()),
      whole_(std::make_unique<Recording>()),
      late_(std::make_unique<Recording>()) {
  check(plan_);
}

LoadRun::~LoadRun() = default;

Status LoadRun::connect(const ProgressCallback& progress) {
  for (std::size_t index = 0; index < plan_.threads; ++index) {
    workers_.push_back(std::make_unique<Worker>(plan_, index));
  }
  if (progress) progress({});
  for (const auto& worker : workers_) {
    while (worker->state() == Worker::State::connecting) {
      if (stopped_.load(std::memory_order_relaxed)) return {StatusCode::cancelled, "connect: interrupted"};
      std::this_thread::sleep_for(connecting_tick);
    }
    if (worker->state() == Worker::State::done) return worker->error();
  }
  return {};
}

bool LoadRun::is_done() const {
  return std::all_of(workers_.begin(), workers_.end(),
                     [](const auto& worker) { return worker->state() == Worker::State::done; });
}

/// Waits for the next tick. Returns earlier when all workers are done, and when the measurement begins or ends.
void LoadRun::wait_for_tick() const {
  Clock::time_point now = Clock::now(), until = now + tick_length;
  for (const Clock::time_point mark : {measured_from_, end_of_measurement()}) {
    if (mark > now) until = std::min(until, mark);
  }
  for (; now < until && !is_done(); now = Clock::now()) {
    std::this_thread::sleep_until(std::min<Clock::time_point>(until, now + done_check));
  }
}

/// Returns the end of the measurement if it is known in advance. With a total it is not. One-way calls are measured
/// until the server has taken them.
Clock::time_point LoadRun::end_of_measurement() const {
  if (plan_.kind == CallKind::one_way) return Clock::time_point::max();
  const bool is_by_time = plan_.duration.count() > 0;
  return is_by_time ? std::min(ended_early_at_, measured_from_ + plan_.duration) : ended_early_at_;
}

/// Samples the resources that both sides have used, once, at the end of the measurement: afterwards they may be idle
/// while they wait for the last calls.
void LoadRun::sample_usage() {
  if (is_sampled_) return;
  is_sampled_ = true;
  after_ = base::process_usage();
  if (end_ != RunEnd::gave_up) server_ = probe_->end();
}

Result<LoadReport> LoadRun::run(const ProgressCallback& progress) {
  if (Status status = connect(progress); !status.is_ok()) {
    workers_.clear();
    return status;
  }
  probe_ = std::make_unique<UsageProbe>(plan_);
  const bool has_statistics = probe_->begin();
  const Clock::time_point start = Clock::now();
  measured_from_ = second_from_ = start + plan_.warmup;
  for (const auto& worker : workers_) worker->begin(start);
  before_ = base::process_usage();
  bool is_measuring = plan_.warmup.count() == 0;
  while (true) {
    const bool was_done = is_done();
    if (!was_done) wait_for_tick();
    const Clock::time_point now = Clock::now();
    if (!is_measuring && now >= measured_from_) {
      is_measuring = true;
      before_ = base::process_usage();
      if (has_statistics) probe_->begin();
    }
    if (was_done || now >= end_of_measurement()) sample_usage();
    collect(now);
    report_progress(progress, now);
    if (was_done) break;
    if (stopped_.load(std::memory_order_relaxed) && end_ == RunEnd::complete) {
      end_ = RunEnd::interrupted;
      end_workers();
    }
  }
  LoadReport made = report();
  workers_.clear();
  return made;
}

void LoadRun::end_workers() {
  ended_early_at_ = Clock::now();
  for (const auto& worker : workers_) worker->stop();
  sample_usage();
}

void LoadRun::collect(Clock::time_point now) {
  tick_->clear();
  // Workers publish at different times. The sum is dated to the mean of these times.
  Clock::duration sum{0};
  for (const auto& worker : workers_) sum += worker->collect(*tick_, *late_) - measured_from_;
  collected_until_ = measured_from_ + sum / static_cast<Clock::rep>(workers_.size());
  watch_failures(now, *tick_);
  // Workers may end their warm-up slightly earlier or later than the run.
  if (now < measured_from_) return;
  second_->merge(*tick_);
  is_new_second_ = collected_until_ - second_from_ >= second_length;
  if (is_new_second_) close_second(collected_until_);
}

void LoadRun::close_second(Clock::time_point until) {
  last_second_length_ = std::max(0.0, seconds_of(until - second_from_));
  second_from_ = until;
  series_.push_back({.at_seconds = seconds_of(until - measured_from_),
                     .seconds = last_second_length_,
                     .calls = second_->calls,
                     .failed = second_->failed,
                     .messages = second_->messages,
                     .p50_ns = second_->latency.quantile(0.5),
                     .p99_ns = second_->latency.quantile(0.99),
                     .max_ns = second_->latency.max()});
  whole_->merge(*second_);
  std::swap(second_, last_second_);
  second_->clear();
}

/// Ends the run if the server is gone or does not have the method.
void LoadRun::watch_failures(Clock::time_point now, const Recording& tick) {
  if (tick.calls > 0 || tick.messages > 0) failures_ = 0;
  if (tick.calls > 0 || tick.messages > 0 || tick.failed == 0) return;
  if (failures_ == 0) failing_since_ = now;
  failures_ += tick.failed;
  const bool is_unknown =
      tick.by_code[static_cast<std::size_t>(StatusCode::unimplemented)] > 0 && whole_->calls + second_->calls == 0;
  const bool is_unreachable = failures_ >= min_failures && now - failing_since_ >= plan_.patience;
  if (end_ != RunEnd::complete || now >= end_of_measurement() || (!is_unreachable && !is_unknown)) return;
  end_ = RunEnd::gave_up;
  end_workers();
}

void LoadRun::report_progress(const ProgressCallback& progress, Clock::time_point now) {
  if (!progress) return;
  using Phase = Progress::Phase;
  const Clock::time_point end = measured_from_ + plan_.duration;
  Progress state;
  const bool is_over = end_ != RunEnd::complete || (plan_.duration.count() > 0 && now >= end);
  state.phase = now < measured_from_ ? Phase::warming : is_over ? Phase::draining : Phase::measuring;
  const bool is_warming = state.phase == Phase::warming;
  state.elapsed_seconds = seconds_of(is_warming ? now - (measured_from_ - plan_.warmup) : now - measured_from_);
  state.planned_seconds = seconds_of(is_warming ? plan_.warmup : plan_.duration);
  const bool is_messages = plan_.kind == CallKind::bidirectional;
  const std::uint64_t calls = whole_->calls + second_->calls + late_->calls;
  state.ended = is_messages ? whole_->messages + second_->messages : calls;
  state.failed = whole_->failed + second_->failed + late_->failed;
  if (plan_.total > 0) state.fraction = static_cast<double>(calls + state.failed) / static_cast<double>(plan_.total);
  for (const auto& worker : workers_) state.open += worker->open();
  if (last_second_length_ > 0) {
    state.second = last_second_.get();
    state.second_length = last_second_length_;
    state.is_new_second = is_new_second_;
  }
  progress(state);
}

/// Returns the measured time. Calls that end during the grace period count, but that period is not part of the time.
double LoadRun::measured_seconds() const {
  Clock::time_point end{};
  for (const auto& worker : workers_) end = std::max(end, worker->finished_at());
  return std::max(0.0, seconds_of(std::min(end, end_of_measurement()) - measured_from_));
}

LoadReport LoadRun::report() {
  const bool has_rest = second_->ended() > 0 || second_->messages > 0 || second_->latency.count() > 0;
  if (has_rest || series_.empty()) close_second(std::min(collected_until_, end_of_measurement()));
  LoadReport made;
  // For one-way calls the measured time includes the late part.
  if (plan_.kind != CallKind::one_way) {
    made.late = {.calls = late_->calls,
                 .messages = late_->messages,
                 .bytes_sent = late_->bytes_sent,
                 .bytes_received = late_->bytes_received};
  }
  whole_->merge(*late_);
  made.settings = settings_of(plan_);
  made.end = end_;
  made.seconds = measured_seconds();
  made.calls = whole_->calls;
  made.failed = whole_->failed;
  made.messages = whole_->messages;
  made.unsent = whole_->unsent;
  made.waited = whole_->waited;
  for (const auto& worker : workers_) made.unanswered += worker->open();
  made.bytes_sent = whole_->bytes_sent;
  made.bytes_received = whole_->bytes_received;
  made.errors = errors_of(*whole_);
  made.latency = whole_->latency;
  made.uncorrected = whole_->uncorrected;
  made.series = series_;
  made.cpu_seconds = std::max(0.0, seconds_of(after_.cpu - before_.cpu));
  made.peak_memory_bytes = after_.peak_memory_bytes;
  made.server = server_;
  return made;
}

}  // namespace trunkline::load
