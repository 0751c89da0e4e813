// SPDX-License-Identifier: MIT
// BenchLoadArguments: declares the options, applies the preset, and checks the combination.
#include "cli/bench/bench_load_arguments.h"

#include "cli/bench/bench_presets.h"
#include "cli/output/duration_text.h"
#include "cli/output/terminal.h"
#include "cli/process/failure.h"
#include "cli/schema/encoding_names.h"

#include "load/random.h"
#include "load/schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace trunkline::cli::bench {
namespace {

constexpr const char* group = "Load";
using bench_limits::max_bytes, bench_limits::max_calls, bench_limits::max_connections;
constexpr std::uint64_t max_threads = 256;
constexpr double max_rate = 1e8;
constexpr std::uint64_t calls_at_a_rate = 1024;
constexpr std::chrono::microseconds poll_time{50};

const std::map<std::string, load::CallKind>& kinds() {
  static const std::map<std::string, load::CallKind> map{{"unary", load::CallKind::unary},
                                                         {"one-way", load::CallKind::one_way},
                                                         {"client-stream", load::CallKind::client_stream},
                                                         {"server-stream", load::CallKind::server_stream},
                                                         {"bidi-stream", load::CallKind::bidirectional}};
  return map;
}

CLI::Option* add_number(CLI::App& app, const char* name, std::optional<std::uint64_t>& value, const char* summary,
                        std::uint64_t min, std::uint64_t max) {
  return app.add_option(name, value, summary)
      ->type_name("N")
      ->check(CLI::Range(min, max).description(""))
      ->group(group);
}

}  // namespace

std::chrono::nanoseconds duration_argument(const char* option, const std::string& text) {
  const Result<std::chrono::nanoseconds> duration = output::parse_duration(text);
  if (!duration) throw process::usage_error(std::string(option) + ": " + std::string(duration.status().message()));
  return *duration;
}

void BenchLoadArguments::declare(CLI::App& app) {
  app.add_option("--kind", settings_.kind, "Kind of the calls; default: as the method is defined, or unary")
      ->type_name("unary|one-way|client-stream|server-stream|bidi-stream")
      ->check(CLI::IsMember(kinds()).description(""))
      ->group(group);
  add_number(app, "-c,--connections", settings_.connections, "Number of connections; default: 1", 1, max_connections);
  auto* const outstanding = add_number(
      app, "-o,--outstanding", settings_.outstanding,
      "Calls in progress on all connections together; default: one per connection; a maximum with --rate: 1024", 1,
      max_calls);
  add_number(app, "--outstanding-per-connection", settings_.outstanding_per_connection,
             "Calls in progress on each connection", 1, max_calls)
      ->excludes(outstanding);
  add_number(app, "-t,--threads", settings_.threads,
             "Threads that make calls, each with its share of the connections; default: 1", 1, max_threads);
  add_number(app, "-b,--bytes", settings_.bytes, "Size of each message to the built-in echo service; default: 8", 0,
             max_bytes);
  content_option_ = app.add_option("--content", content_, "Content of these messages")
                        ->type_name("random|text|zeros")
                        ->check(CLI::IsMember({"random", "text", "zeros"}).description(""))
                        ->capture_default_str()
                        ->group(group);
  add_number(app, "--messages", settings_.messages,
             "Messages per stream, where the client decides their number; default: 100", 1, UINT32_MAX);
  declare_time(app);
}

void BenchLoadArguments::declare_time(CLI::App& app) {
  app.add_option("-d,--duration", settings_.duration, "How long to measure; default: 5s")
      ->type_name("TIME")
      ->group(group);
  add_number(app, "-n,--total", settings_.total, "Number of calls to make, instead of a duration", 1, UINT64_MAX / 2);
  app.add_option("--warmup", settings_.warmup, "Warm-up time before the measurement; 0: none; default: 300ms")
      ->type_name("TIME")
      ->group(group);
  app.add_option(
         "-r,--rate", settings_.rate,
         "Calls to begin per second, however long the responses take (open loop); default: a call begins when one ends")
      ->type_name("N")
      ->check(CLI::Range(1e-3, max_rate).description(""))
      ->group(group);
  app.add_option("--arrivals", arrivals_, "With --rate: begin calls at even intervals or at random")
      ->type_name("even|poisson")
      ->check(CLI::IsMember({"even", "poisson"}).description(""))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--ordered", settings_.is_ordered,
               "The server runs the calls of each connection in order and responds in order (FIFO)")
      ->group(group);
  app.add_option("--compressor,--compression", compressor_, "Compress requests of 1 KiB or more")
      ->type_name(schema::compressor_choices())
      ->group(group);
  app.add_flag("--busy-poll", polls_, "Poll for responses for 50us before sleeping; occupies whole cores")
      ->group(group);
  app.add_option("--preset", preset_, "A load for which another system publishes figures; list: show all presets")
      ->type_name("NAME")
      ->group(group);
}

BenchSettings BenchLoadArguments::settings() const {
  BenchSettings settings = settings_;
  if (!preset_.empty()) settings.fill_from(find_preset(preset_));
  return settings;
}

void BenchLoadArguments::apply(load::LoadPlan& plan) const {
  const BenchSettings settings = this->settings();
  if (settings.kind) plan.kind = kinds().at(*settings.kind);
  apply_size(settings, plan);
  apply_time(settings, plan);
  plan.channel.ordered = settings.is_ordered;
  if (!compressor_.empty() && compressor_ != "identity" && plan.channel.compressors.find(compressor_) == nullptr) {
    throw process::usage_error("--compressor '" + output::escaped(output::fit_text(compressor_, 60)) +
                               "': no such compressor in this build");
  }
  plan.compressor = compressor_;
  if (polls_) plan.loop.busy_poll = poll_time;
  if (settings.messages) plan.messages = *settings.messages;
}

void BenchLoadArguments::check(const load::LoadPlan& plan, bool has_method) const {
  const bool is_stream = plan.kind != load::CallKind::unary && plan.kind != load::CallKind::one_way;
  if (settings().messages && !is_stream) throw process::usage_error("--messages requires a kind of stream");
  if (settings().messages && has_method && plan.kind == load::CallKind::server_stream) {
    throw process::usage_error(
        "--messages: the request of a METHOD decides the number of messages of its server-stream");
  }
  if (plan.rate > 0 && plan.kind == load::CallKind::bidirectional) {
    throw process::usage_error("--rate cannot be combined with bidi-stream, whose messages wait for each other");
  }
  if (!load::has_due_calls(plan)) {
    throw process::usage_error(
        "--rate: no call is due during the measurement, which begins after --warmup and lasts --duration");
  }
}

void BenchLoadArguments::apply_size(const BenchSettings& settings, load::LoadPlan& plan) const {
  plan.connections = settings.connections.value_or(1);
  plan.threads = settings.threads.value_or(1);
  if (plan.threads > plan.connections) {
    throw process::usage_error("--threads " + std::to_string(plan.threads) + " share only " +
                               std::to_string(plan.connections) + " connections: give at least as many --connections");
  }
  plan.outstanding = settings.rate ? std::max<std::size_t>(calls_at_a_rate, plan.connections) : plan.connections;
  if (settings.outstanding) plan.outstanding = *settings.outstanding;
  if (settings.outstanding_per_connection) plan.outstanding = *settings.outstanding_per_connection * plan.connections;
  if (plan.outstanding < plan.connections) {
    throw process::usage_error("--outstanding " + std::to_string(plan.outstanding) + " leaves some of the " +
                               std::to_string(plan.connections) + " connections without a call");
  }
  if (plan.outstanding > max_calls) {
    throw process::usage_error("--outstanding-per-connection: " + std::to_string(plan.outstanding) +
                               " calls are more than " + std::to_string(max_calls));
  }
}

void BenchLoadArguments::apply_time(const BenchSettings& settings, load::LoadPlan& plan) const {
  if (settings.total && settings.duration) throw process::usage_error("--duration and --total cannot be combined");
  if (settings.total) {
    plan.total = *settings.total;
  } else {
    plan.duration = duration_argument("--duration", settings.duration.value_or("5s"));
  }
  const Result<std::chrono::nanoseconds> warmup = output::parse_duration_or_zero(settings.warmup.value_or("300ms"));
  if (!warmup) throw process::usage_error("--warmup: " + std::string(warmup.status().message()));
  plan.warmup = *warmup;
  plan.rate = settings.rate.value_or(0);
  if (!std::isfinite(plan.rate)) throw process::usage_error("--rate: not a number");
  if (arrivals_ == "poisson") {
    if (plan.rate <= 0) throw process::usage_error("--arrivals poisson requires --rate");
    plan.arrivals = load::Arrivals::poisson;
  }
}

Slice BenchLoadArguments::payload() const {
  constexpr std::array words{"trunk ", "line ", "call ", "answer ", "of ", "many ", "one ", "wire "};
  std::string text(settings().bytes.value_or(8), '\0');
  load::Random random(1);
  if (content_ == "random") {
    for (char& byte : text) byte = static_cast<char>('a' + random.next() % 26);
  } else if (content_ == "text") {
    std::string written;
    while (written.size() < text.size()) written += words[random.next() % words.size()];
    text = written.substr(0, text.size());
  }
  return Slice::copy_of(text);
}

}  // namespace trunkline::cli::bench
