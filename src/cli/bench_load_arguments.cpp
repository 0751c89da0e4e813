// SPDX-License-Identifier: MIT
// Options, the preset behind them, and what does not go together.
#include "cli/bench_load_arguments.h"

#include "cli/bench_presets.h"
#include "cli/duration_text.h"
#include "cli/failure.h"
#include "cli/terminal.h"

#include "load/random.h"
#include "load/schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace trunkline::cli {
namespace {

constexpr const char* group = "Load";
using bench_limits::most_bytes, bench_limits::most_calls, bench_limits::most_connections;
constexpr std::uint64_t most_threads = 256;
constexpr double most_rate = 1e8;
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
                        std::uint64_t least, std::uint64_t most) {
  return app.add_option(name, value, summary)
      ->type_name("N")
      ->check(CLI::Range(least, most).description(""))
      ->group(group);
}

}  // namespace

std::chrono::nanoseconds duration_argument(const char* option, const std::string& text) {
  const Result<std::chrono::nanoseconds> duration = parse_duration(text);
  if (!duration) throw misuse(std::string(option) + ": " + std::string(duration.status().message()));
  return *duration;
}

void BenchLoadArguments::declare(CLI::App& app) {
  app.add_option("--kind", settings_.kind, "Of the calls; else what the method's definition says, or unary")
      ->type_name("unary|one-way|client-stream|server-stream|bidi-stream")
      ->check(CLI::IsMember(kinds()).description(""))
      ->group(group);
  add_number(app, "-c,--connections", settings_.connections, "Connections; else 1", 1, most_connections);
  auto* const outstanding = add_number(
      app, "-o,--outstanding", settings_.outstanding,
      "Calls under way at once, over all connections; else one on each; with --rate at most: else 1024", 1, most_calls);
  add_number(app, "--outstanding-per-connection", settings_.outstanding_per_connection, "The same for each connection",
             1, most_calls)
      ->excludes(outstanding);
  add_number(app, "-t,--threads", settings_.threads,
             "Threads that call, each with its share of the connections; else 1", 1, most_threads);
  add_number(app, "-b,--bytes", settings_.bytes, "Of each message to the built-in echo service; else 8", 0, most_bytes);
  content_option_ = app.add_option("--content", content_, "What these are")
                        ->type_name("random|text|zeros")
                        ->check(CLI::IsMember({"random", "text", "zeros"}).description(""))
                        ->capture_default_str()
                        ->group(group);
  add_number(app, "--messages", settings_.messages, "Of each stream, where this side says how many; else 100", 1,
             UINT32_MAX);
  declare_time(app);
}

void BenchLoadArguments::declare_time(CLI::App& app) {
  app.add_option("-d,--duration", settings_.duration, "How long to measure; else 5s")->type_name("TIME")->group(group);
  add_number(app, "-n,--total", settings_.total, "Calls to make, instead of a duration", 1, UINT64_MAX / 2);
  app.add_option("--warmup", settings_.warmup, "How long to call before that; 0 for not at all; else 300ms")
      ->type_name("TIME")
      ->group(group);
  app.add_option(
         "-r,--rate", settings_.rate,
         "Calls to begin in a second, however long the answers take (open loop); else each begins when one ends")
      ->type_name("N")
      ->check(CLI::Range(1e-3, most_rate).description(""))
      ->group(group);
  app.add_option("--arrivals", arrivals_, "Of the calls at a rate: in even steps or at random")
      ->type_name("even|poisson")
      ->check(CLI::IsMember({"even", "poisson"}).description(""))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--ordered", settings_.is_ordered, "Each connection's calls run and are answered in their order (FIFO)")
      ->group(group);
  app.add_option("--compressor,--compression", compressor_, "Compress requests of a KiB and more")
      ->type_name("identity|snappy|zstd|lz4|gzip")
      ->group(group);
  app.add_flag("--busy-poll", polls_, "Look for answers for 50us before sleeping: takes whole cores")->group(group);
  app.add_option("--preset", preset_, "A load by which another system has published its figures; list: shows them")
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
    throw misuse("--compressor '" + harmless(fit_text(compressor_, 60)) + "': there is none of this name");
  }
  plan.compressor = compressor_;
  if (polls_) plan.loop.busy_poll = poll_time;
  if (settings.messages) plan.messages = *settings.messages;
}

void BenchLoadArguments::check(const load::LoadPlan& plan, bool has_method) const {
  const bool is_stream = plan.kind != load::CallKind::unary && plan.kind != load::CallKind::one_way;
  if (settings().messages && !is_stream) throw misuse("--messages goes with the kinds of streams alone");
  if (settings().messages && has_method && plan.kind == load::CallKind::server_stream) {
    throw misuse("--messages: how many a METHOD's server-stream has is said by its request");
  }
  if (plan.rate > 0 && plan.kind == load::CallKind::bidirectional) {
    throw misuse("--rate does not go with bidi-stream, whose messages follow each other");
  }
  if (!load::has_due_calls(plan)) {
    throw misuse("--rate: no call is due while it measures, from the end of --warmup on for --duration");
  }
}

void BenchLoadArguments::apply_size(const BenchSettings& settings, load::LoadPlan& plan) const {
  plan.connections = settings.connections.value_or(1);
  plan.threads = settings.threads.value_or(1);
  if (plan.threads > plan.connections) {
    throw misuse("--threads " + std::to_string(plan.threads) + " have but " + std::to_string(plan.connections) +
                 " connections to share: give --connections as many");
  }
  plan.outstanding = settings.rate ? std::max<std::size_t>(calls_at_a_rate, plan.connections) : plan.connections;
  if (settings.outstanding) plan.outstanding = *settings.outstanding;
  if (settings.outstanding_per_connection) plan.outstanding = *settings.outstanding_per_connection * plan.connections;
  if (plan.outstanding < plan.connections) {
    throw misuse("--outstanding " + std::to_string(plan.outstanding) + " leaves some of the " +
                 std::to_string(plan.connections) + " connections without a call");
  }
  if (plan.outstanding > most_calls) {
    throw misuse("--outstanding-per-connection: " + std::to_string(plan.outstanding) + " calls are more than " +
                 std::to_string(most_calls));
  }
}

void BenchLoadArguments::apply_time(const BenchSettings& settings, load::LoadPlan& plan) const {
  if (settings.total && settings.duration) throw misuse("--duration and --total exclude each other");
  if (settings.total) {
    plan.total = *settings.total;
  } else {
    plan.duration = duration_argument("--duration", settings.duration.value_or("5s"));
  }
  const Result<std::chrono::nanoseconds> warmup = parse_duration_or_zero(settings.warmup.value_or("300ms"));
  if (!warmup) throw misuse("--warmup: " + std::string(warmup.status().message()));
  plan.warmup = *warmup;
  plan.rate = settings.rate.value_or(0);
  if (!std::isfinite(plan.rate)) throw misuse("--rate: is no number");
  if (arrivals_ == "poisson") {
    if (plan.rate <= 0) throw misuse("--arrivals poisson needs a --rate");
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

}  // namespace trunkline::cli
