// SPDX-License-Identifier: MIT
// Workers generate; this thread gathers what they publish.
#include "load/load_run.h"

#include "load/usage_probe.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <stdexcept>
#include <thread>

namespace trunkline::load {
namespace {

constexpr std::chrono::milliseconds tick_length{100};
constexpr std::chrono::milliseconds connecting_tick{2};
/// Less than one by half of what workers publish at once.
constexpr std::chrono::milliseconds second_length{950};

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
  const auto demand = [](bool holds, const char* text) {
    if (!holds) throw std::invalid_argument(text);
  };
  demand(plan.threads >= 1 && plan.threads <= plan.connections, "threads: more than there are connections");
  demand(plan.outstanding >= plan.connections, "outstanding: fewer calls than connections");
  demand(plan.duration.count() > 0 || plan.total > 0, "neither a duration nor a total is given");
  demand(plan.messages >= 1, "messages: a stream has at least one");
  demand(plan.rate <= 0 || plan.kind != CallKind::bidirectional, "a rate is not for bidirectional streams");
}

}  // namespace

LoadRun::LoadRun(LoadPlan plan)
    : plan_(std::move(plan)),
      tick_(std::make_unique<Recording>()),
      second_(std::make_unique<Recording>()),
      last_second_(std::make_unique<Recording>()),
      whole_(std::make_unique<Recording>()) {
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

/// Ends early when all is done.
void LoadRun::wait_a_tick() const {
  const Clock::time_point until = Clock::now() + tick_length;
  while (Clock::now() < until && !is_done()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

Result<LoadReport> LoadRun::run(const ProgressCallback& progress) {
  if (Status status = connect(progress); !status.is_ok()) {
    workers_.clear();
    return status;
  }
  UsageProbe probe(plan_);
  const bool has_statistics = probe.begin();
  const Clock::time_point start = Clock::now();
  measured_from_ = second_from_ = start + plan_.warmup;
  for (const auto& worker : workers_) worker->begin(start);
  ProcessUsage before = ProcessUsage::now();
  bool is_measuring = plan_.warmup.count() == 0;
  while (true) {
    const bool was_done = is_done();
    if (!was_done) wait_a_tick();
    const Clock::time_point now = Clock::now();
    if (!is_measuring && now >= measured_from_) {
      is_measuring = true;
      before = ProcessUsage::now();
      if (has_statistics) probe.begin();
    }
    collect(now);
    tell(progress, now);
    if (was_done) break;
    if (stopped_.load(std::memory_order_relaxed) && end_ == RunEnd::complete) {
      end_ = RunEnd::interrupted;
      end_workers();
    }
  }
  LoadReport made = report(before);
  if (end_ != RunEnd::gave_up) made.server = probe.end();
  workers_.clear();
  return made;
}

void LoadRun::end_workers() {
  ended_early_at_ = Clock::now();
  for (const auto& worker : workers_) worker->stop();
}

void LoadRun::collect(Clock::time_point now) {
  tick_->clear();
  // Workers publish at times of their own: the mean of them is when this is from.
  Clock::duration sum{0};
  for (const auto& worker : workers_) sum += worker->collect(*tick_) - measured_from_;
  collected_until_ = measured_from_ + sum / static_cast<Clock::rep>(workers_.size());
  watch_failures(now, *tick_);
  // A worker's warm-up ends a little before or after it does here.
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

/// A server that has gone, or a method that it does not have.
void LoadRun::watch_failures(Clock::time_point now, const Recording& tick) {
  if (tick.calls > 0 || (tick.failed == 0 && !is_failing_)) {
    is_failing_ = false;
    return;
  }
  if (!is_failing_ && tick.failed > 0) {
    is_failing_ = true;
    failing_since_ = now;
  }
  const bool is_unknown =
      tick.by_code[static_cast<std::size_t>(StatusCode::unimplemented)] > 0 && whole_->calls + second_->calls == 0;
  if (end_ != RunEnd::complete) return;
  if (now - failing_since_ < plan_.patience && !is_unknown) return;
  end_ = RunEnd::gave_up;
  end_workers();
}

void LoadRun::tell(const ProgressCallback& progress, Clock::time_point now) {
  if (!progress) return;
  using Phase = Progress::Phase;
  const Clock::time_point end = measured_from_ + plan_.duration;
  Progress told;
  const bool is_over = end_ != RunEnd::complete || (plan_.duration.count() > 0 && now >= end);
  told.phase = now < measured_from_ ? Phase::warming : is_over ? Phase::draining : Phase::measuring;
  const bool is_warming = told.phase == Phase::warming;
  told.elapsed_seconds = seconds_of(is_warming ? now - (measured_from_ - plan_.warmup) : now - measured_from_);
  told.asked_seconds = seconds_of(is_warming ? plan_.warmup : plan_.duration);
  const bool is_messages = plan_.kind == CallKind::bidirectional;
  const std::uint64_t calls = whole_->calls + second_->calls;
  told.ended = is_messages ? whole_->messages + second_->messages : calls;
  told.failed = whole_->failed + second_->failed;
  if (plan_.total > 0) told.fraction = static_cast<double>(calls + told.failed) / static_cast<double>(plan_.total);
  for (const auto& worker : workers_) told.open += worker->open();
  if (last_second_length_ > 0) {
    told.second = last_second_.get();
    told.second_length = last_second_length_;
    told.is_new_second = is_new_second_;
  }
  progress(told);
}

/// What ends in the grace at the end belongs to the calls, but takes no time of the measurement.
double LoadRun::measured_seconds() const {
  Clock::time_point end{};
  for (const auto& worker : workers_) end = std::max(end, worker->finished_at());
  if (plan_.kind != CallKind::one_way) {
    end = std::min(end, ended_early_at_);
    if (plan_.duration.count() > 0) end = std::min(end, measured_from_ + plan_.duration);
  }
  return std::max(0.0, seconds_of(end - measured_from_));
}

LoadReport LoadRun::report(const ProcessUsage& before) {
  const ProcessUsage after = ProcessUsage::now();
  if (second_->ended() > 0 || series_.empty()) close_second(collected_until_);
  LoadReport made;
  made.settings = settings_of(plan_);
  made.end = end_;
  made.seconds = measured_seconds();
  made.calls = whole_->calls;
  made.failed = whole_->failed;
  made.messages = whole_->messages;
  made.unsent = whole_->unsent;
  for (const auto& worker : workers_) made.unanswered += worker->open();
  made.bytes_sent = whole_->bytes_sent;
  made.bytes_received = whole_->bytes_received;
  made.errors = errors_of(*whole_);
  made.latency = whole_->latency;
  made.uncorrected = whole_->uncorrected;
  made.series = series_;
  made.cpu_seconds = std::max(0.0, after.cpu_seconds - before.cpu_seconds);
  made.peak_memory_bytes = after.peak_memory_bytes;
  return made;
}

}  // namespace trunkline::load
